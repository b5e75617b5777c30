"""Comparing languages: what each of them knows of a category or topic, and which know more."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from evaluator.languages.aligned import Concepts, align, cut_to_smallest, test_set_of, vocabularies
from evaluator.languages.differences import LanguageDifference, differences_of
from evaluator.languages.entries import (
    Compared,
    Group,
    Language,
    check_codes,
    check_settings,
    choose_groups,
    in_compared_form,
)
from evaluator.languages.rows import Measures, Row, Scored, measures_of, rows_of, score_language
from evaluator.measures.base import Part
from evaluator.notebook import html_table, shown, shown_interval
from evaluator.settings import Settings
from evaluator.testset import TestSet
from evaluator.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

LEAST_ITEMS = 4
"""On fewer items languages are not compared: three make one subset of three, and no spread."""


@dataclass
class _Work:
    """Scores languages one by one, and says how far it has got."""

    measures: Measures
    threads: int | None
    progress: Callable[[float], None]
    total: int
    done: int = 0

    def score(self, code: str, vectors: Vectors, test_set: TestSet, settings: Settings) -> Scored:
        scored = score_language(code, vectors, test_set, self.measures, settings, self.threads)
        self.done += 1
        self.progress(self.done / self.total)
        return scored


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What a comparison of languages found.

    Attributes:
        languages: What was compared.
        k: The order of the measures.
        same_vocabulary: Whether the aligned view has vocabularies of the same size.
        groups: The categories, then the topics.
        rows: The whole view: each language on all words of its own test set.
        aligned: The aligned view: the same things in all languages.
        concepts: Which things these are, for each category.
        differences: Of every two languages in the aligned view.
    """

    languages: tuple[Language, ...]
    k: int
    same_vocabulary: bool
    groups: tuple[Group, ...]
    rows: tuple[Row, ...]
    aligned: tuple[Row, ...]
    concepts: tuple[Concepts, ...]
    differences: tuple[LanguageDifference, ...]

    def __repr__(self) -> str:
        """In a line."""
        differ = sum(each.reading == "differ" for each in self.differences)
        return (
            f"<comparison of {', '.join(each.code for each in self.languages)} on {len(self.groups)} "
            f"categories and topics: {differ} of {len(self.differences)} tests differ>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the aligned view, and how languages differ in it."""
        rows = [
            (
                *(row.category, row.measure, row.language, shown(row.value)),
                *(shown_interval((row.low, row.high)), shown(row.chance), shown(row.baseline)),
            )
            for row in self.aligned
        ]
        columns = ("category", "measure", "language", "score", "95% interval", "chance", "baseline")
        notes = [
            f"{each.category}, {each.measure}: {each.second} - {each.first} = {each.value:+.4f} "
            f"({shown_interval((each.low, each.high))}), p (Holm) = {each.p_holm:.4f}: {each.reading}"
            for each in self.differences
        ]
        return html_table("The same things in all languages", columns, rows, notes)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        first = self.languages[0].settings
        return {
            "format": "comparison",
            "version": 1,
            "languages": [_language_dict(each) for each in self.languages],
            "settings": {
                "k": self.k,
                "same_vocabulary": self.same_vocabulary,
                "seed": first.seed,
                **replace(first, profile="").signature,
            },
            "groups": [asdict(each) for each in self.groups],
            "rows": [asdict(each) for each in self.rows],
            "aligned": [asdict(each) for each in self.aligned],
            "concepts": [each.as_dict() for each in self.concepts],
            "differences": [asdict(each) for each in self.differences],
        }

    def as_csv(self) -> str:
        """All rows of both views in one long table, as CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(each.name for each in fields(Row))
        writer.writerows(astuple(each) for each in (*self.rows, *self.aligned))
        return out.getvalue()

    def frame(self) -> pd.DataFrame:
        """The same as a table of pandas."""
        import pandas as pd

        numbers = ["value", "low", "high", "chance", "baseline"]
        return pd.DataFrame([asdict(each) for each in (*self.rows, *self.aligned)]).astype(
            dict.fromkeys(numbers, float)
        )


def compare_languages(
    languages: Sequence[Language],
    categories: Iterable[str] = (),
    topics: Iterable[str] = (),
    k: int = 3,
    same_vocabulary: bool = True,
    progress: Callable[[float], None] | None = None,
    threads: int | None = None,
) -> Comparison:
    """Compare languages by Topk, OddOneOut and Combined on categories and topics.

    Args:
        languages: Two or more, each with its vectors and test set.
        categories: Names of categories that all have.
        topics: Names of topics; each brings the categories of it that two or more languages have. Without
            categories and topics: all categories that two or more have.
        k: The order of the measures.
        same_vocabulary: Whether all vocabularies are cut to one size in the aligned view.
        progress: Called now and then with the share of the work that is done, from 0 to 1.
        threads: How many share the work; as many as there are cores if None. The scores are the same.

    Raises:
        TestSetError: A category or topic is missing.
        MeasureError: k is too small.
        ScoreError: The languages are too few, the same, or not comparable.
    """
    measures = measures_of(k)
    check_codes([each.code for each in languages])
    check_settings({each.code: each.settings for each in languages})
    groups = choose_groups({each.code: each.test_set for each in languages}, categories, topics)
    names = list(dict.fromkeys(name for group in groups for name in group.categories))
    work = _Work(measures, threads, progress or (lambda _: None), len(languages) * (1 + len(names)))
    compared = [in_compared_form(language, names) for language in languages]
    whole = [work.score(each.code, each.vectors, each.test_set, each.settings) for each in compared]
    concepts, aligned = _aligned(compared, names, same_vocabulary, work)
    work.progress(1.0)
    seed = languages[0].settings.seed
    return Comparison(
        tuple(languages),
        k,
        same_vocabulary,
        tuple(groups),
        tuple(row for g in groups for each in whole for row in rows_of(each, "whole", g, measures, seed)),
        tuple(row for g in groups for each in aligned for row in rows_of(each, "aligned", g, measures, seed)),
        tuple(concepts),
        tuple(
            found
            for group in groups
            for measure in measures
            for found in differences_of(group, str(measure), aligned, seed)
        ),
    )


def _aligned(
    languages: Sequence[Compared], names: Sequence[str], same_vocabulary: bool, work: _Work
) -> tuple[list[Concepts], list[Scored]]:
    """What is the same in all languages, and the scores of each language on that."""
    if same_vocabulary:
        languages = cut_to_smallest(languages)
    least = max(LEAST_ITEMS, work.measures[0].k + 1)
    concepts = [align(languages, name, least) for name in names]
    by_category = [_on_category(languages, each, same_vocabulary, work) for each in concepts]
    return concepts, [_joined(own) for own in zip(*by_category, strict=True)]


def _on_category(
    languages: Sequence[Compared], concepts: Concepts, same_vocabulary: bool, work: _Work
) -> list[Scored]:
    """The scores of each language on the items of one category."""
    if concepts.skipped:
        part = Part(concepts.category, len(concepts.items), 0, skipped=concepts.skipped)
        parts = {str(measure): (part,) for measure in work.measures}
        return [Scored(language.code, {}, parts, parts) for language in languages]
    spaces = vocabularies(languages, concepts, same_vocabulary)
    return [
        _by_item(work.score(each.code, vectors, test_set_of(each, concepts), each.settings), concepts)
        for each, vectors in zip(languages, spaces, strict=True)
    ]


def _by_item(scored: Scored, concepts: Concepts) -> Scored:
    """The same with the ids of items in place of their words, which differ between languages."""
    ids = dict(zip(concepts.words[scored.code], concepts.items, strict=True))
    parts = {
        measure: [replace(part, units=tuple(ids[word] for word in part.units)) for part in own]
        for measure, own in scored.parts.items()
    }
    return replace(scored, parts=parts)


def _joined(by_category: Sequence[Scored]) -> Scored:
    """One language's scores on all categories."""
    first = by_category[0]
    sizes = {name: size for each in by_category for name, size in each.sizes.items()}
    parts, baseline = (
        {
            measure: [part for each in by_category for part in getattr(each, which)[measure]]
            for measure in first.parts
        }
        for which in ("parts", "baseline")
    )
    return Scored(first.code, sizes, parts, baseline)


def _language_dict(language: Language) -> dict[str, Any]:
    return {
        "code": language.code,
        "vectors": language.vectors.name,
        "vocabulary": len(language.vectors),
        "dimension": language.vectors.dimension,
        "test_set": language.test_set.name,
        "sha256": language.test_set.sha256,
        "profile": language.settings.profile,
        "signature": language.signature,
    }
