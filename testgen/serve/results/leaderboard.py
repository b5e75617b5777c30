"""Scores as a table: rows of models, columns of what can be compared."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import regex

from testgen.languages import languages
from testgen.serve.results.files import Score
from testgen.serve.results.wording import absence_in_words, setting_in_words

NAME = "model"
"""The column of the models' names, for sorting."""


@dataclass(frozen=True)
class Column:
    """What scores can be compared on: the same test set, measure and settings.

    Attributes:
        id: A short text that does not change while these are the same.
        language: A code; empty if the file names none.
        test_set: The name of the test set.
        sha256: Its digest; may be empty.
        of: A category or topic; empty for the whole test set.
        measure: The text of the measure.
        signature: The settings, as in the files but without the name of the test set's file.
    """

    id: str
    language: str
    test_set: str
    sha256: str
    of: str
    measure: str
    signature: str

    @property
    def heading(self) -> str:
        """The name of the language."""
        return name_of_language(self.language)

    @cached_property
    def settings(self) -> frozenset[str]:
        """The settings in the signature, such as `oov:wrong`."""
        each = (setting for setting in regex.split(r"[| ]", self.signature) if ":" in setting)
        return frozenset(setting for setting in each if not setting.startswith(("test:", "file:")))

    @property
    def aligned(self) -> bool:
        """Whether several languages were asked the same items, so that their scores can be compared."""
        return any(setting.startswith("items:") for setting in self.settings)

    @property
    def way(self) -> tuple[str, str, frozenset[str]]:
        """What the columns of several measures share if they were scored together."""
        return self.sha256 or self.test_set, self.of, self.settings


def name_of_language(code: str) -> str:
    """The English name of a language, or the code if it is unknown."""
    found = languages().get(code)
    return found.name if found else code if code not in ("", "und") else "no language"


@dataclass(frozen=True)
class Selection:
    """Which part of the table is wanted.

    Attributes:
        measure: The text of a measure; empty for all.
        of: A category or topic; empty for whole test sets, None for all.
        language: A code; empty for all.
        model: A text in the name of the models.
        sort: `model`, or the id of a column; with a minus before it, in reverse order. Without it, by the
            column with the most models.
    """

    measure: str = ""
    of: str | None = None
    language: str = ""
    model: str = ""
    sort: str = ""


@dataclass(frozen=True)
class Table:
    """Some columns, and the rows that have scores in them, sorted."""

    columns: Sequence[Column]
    rows: Sequence[tuple[str, Mapping[str, Score]]]
    sort: str


class Leaderboard:
    """All scores of a folder, by row and column.

    A row is a model. Files whose names differ only in the code of their language are one row.

    Attributes:
        columns: By their ids.
        rows: The scores of each row, by the id of the column.
        left_out: Files that are not shown, and why.
    """

    def __init__(self, scores: Iterable[Score], left_out: Mapping[str, str]) -> None:
        """Put scores into rows and columns."""
        self.left_out = left_out
        self.columns: dict[str, Column] = {}
        placed = [(_family(score), self._column(score), score) for score in scores]
        spoken = defaultdict[str, set[str]](set)
        values = defaultdict[tuple[str, str], set[float]](set)
        for family, column, score in placed:
            spoken[family].add(score.language)
            values[family, column].add(round(score.value, 9))
        disputed = {family for (family, _), found in values.items() if len(found) > 1}
        self.rows: dict[str, dict[str, Score]] = {}
        for family, column, score in placed:
            name = family if len(spoken[family]) > 1 else score.model
            row = self.rows.setdefault(f"{name} ({score.file})" if family in disputed else name, {})
            if column not in row or row[column].low is None:
                row[column] = score

    def _column(self, score: Score) -> str:
        about = score.language, score.sha256 or score.test_set, score.of, score.measure, score.signature
        found = short_id("\n".join(about))
        if found not in self.columns:
            self.columns[found] = Column(
                found,
                score.language,
                score.test_set,
                score.sha256,
                score.of,
                score.measure,
                score.signature,
            )
        return found

    @cached_property
    def ids(self) -> dict[str, str]:
        """The names of the rows by short ids, for their pages."""
        return {short_id(name): name for name in self.rows}

    @cached_property
    def models_in(self) -> Counter[str]:
        """How many models each column has."""
        return Counter(column for row in self.rows.values() for column in row)

    @cached_property
    def measures(self) -> list[str]:
        """All measures: Combined first, then those with the most scores."""
        often = Counter[str]()
        for column, number in self.models_in.items():
            often[self.columns[column].measure] += number
        return sorted(often, key=lambda each: (each != "Combined", -often[each], each))

    @cached_property
    def parts(self) -> list[str]:
        """What scores are of; the whole test set, as an empty text, comes first."""
        return sorted({each.of for each in self.columns.values()})

    @cached_property
    def languages(self) -> list[str]:
        """The codes of all languages, by name."""
        return sorted({each.language for each in self.columns.values()}, key=name_of_language)

    @cached_property
    def usual(self) -> frozenset[str]:
        """The settings of most scores of whole test sets; of single categories, if there are no others."""
        often = Counter[frozenset[str]]()
        whole = [each for each in self.models_in if not self.columns[each].of]
        for column in whole or self.models_in:
            often[self.columns[column].settings] += self.models_in[column]
        return max(often, key=lambda each: (often[each], sorted(each)), default=frozenset())

    @cached_property
    def test_sets(self) -> Mapping[str, set[str]]:
        """The test sets of each language."""
        found = defaultdict[str, set[str]](set)
        for each in self.columns.values():
            found[each.language].add(each.sha256 or each.test_set)
        return found

    def note(self, column: Column) -> str:
        """What tells a column from others: unusual settings, and the test set if its language has several."""
        several = column.sha256 and len(self.test_sets[column.language]) > 1
        more, less = sorted(column.settings - self.usual), sorted(self.usual - column.settings)
        names = {setting.partition(":")[0] for setting in more}
        without = [name for name in (each.partition(":")[0] for each in less) if name not in names]
        told = [*map(setting_in_words, more), *map(absence_in_words, without)]
        return ", ".join([*([f"test set {column.sha256[:8]}"] if several else []), *told])

    def table(self, wanted: Selection) -> Table:
        """The part of the table that is wanted; the languages with the most models come first."""
        columns = [each for each in self.columns.values() if _is_wanted(each, wanted)]
        most = Counter[str]()
        for each in columns:
            most[each.language] = max(most[each.language], self.models_in[each.id])
        columns.sort(
            key=lambda each: (-most[each.language], each.heading, -self.models_in[each.id], each.of, each.id)
        )
        ids = {each.id for each in columns}
        sought = wanted.model.strip().casefold()
        rows = [
            (name, {id_: score for id_, score in row.items() if id_ in ids})
            for name, row in self.rows.items()
            if sought in name.casefold()
        ]
        by = wanted.sort if wanted.sort.removeprefix("-") in (ids | {NAME}) else self._usual(columns)
        return Table(columns, _sorted([row for row in rows if row[1]], by), by)

    def _usual(self, columns: Sequence[Column]) -> str:
        return max(columns, key=lambda each: self.models_in[each.id]).id if columns else NAME


def short_id(text: str) -> str:
    """A short id that follows from a text."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:10]


def _is_wanted(column: Column, wanted: Selection) -> bool:
    return (
        wanted.measure in ("", column.measure)
        and wanted.of in (None, column.of)
        and wanted.language in ("", column.language)
    )


def _sorted(
    rows: Sequence[tuple[str, Mapping[str, Score]]], by: str
) -> list[tuple[str, Mapping[str, Score]]]:
    """Rows sorted by a column, the highest score first; models without a score come last."""
    column, turned = by.removeprefix("-"), by.startswith("-")
    by_name = sorted(rows, key=lambda row: row[0].casefold(), reverse=turned and column == NAME)
    if column == NAME:
        return by_name
    scored = [row for row in by_name if column in row[1]]
    scored.sort(key=lambda row: row[1][column].value, reverse=not turned)
    return scored + [row for row in by_name if column not in row[1]]


def _family(score: Score) -> str:
    """The name of a model with {language} where it has the code of its language."""
    if not score.language:
        return score.model
    code = regex.escape(score.language)
    return regex.sub(rf"(?<![\p{{L}}\p{{N}}]){code}(?![\p{{L}}\p{{N}}])", "{language}", score.model)
