"""Which column of a table is what: named by the caller, or found by the names in the first line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from evaluator.datasets.data_files import (
    DROP,
    DataFile,
    DataSetSource,
    letters_of,
    most,
    number,
    rows,
    sample_rows,
)
from evaluator.errors import TestSetError

Roles = Mapping[str, Sequence[str]]
"""The names by which a column of each role is known, the surest first; in lower case, letters and digits."""

OUTLIER_COLUMNS = ("isoutlier", "outlier")
"""The names of a column that says which words do not belong to their category."""

Columns = dict[str, int]
"""The position of the column of each role."""

_BATS = re.compile(r"[A-Z]\d\d \[.+\]")  # as E01 [country - capital].txt
_MOST_PARTS = 4  # of an entry of several words; texts have more
_TRUE, _FALSE = ("true", "yes", "1", "t", "y"), ("false", "no", "0", "f", "n")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")


def parts_of(name: str) -> list[str]:
    """The words and numbers of a name, in lower case: `EngSim`, `mean_rating` and `Human (mean)` have two."""
    return [part.lower() for part in _PART.findall(name)]


def label_of(names: Sequence[str], column: int) -> str:
    """What to call a column: its name, or its number from 1 on if it has none or shares it."""
    name = names[column] if column < len(names) else ""
    return name if name and list(names).count(name) == 1 else str(column + 1)


def shown(labels: Sequence[str]) -> str:
    """Columns as messages call them."""
    return ", ".join(f"column {each}" if each.isdecimal() else repr(each) for each in labels)


def column_named(path: Path, names: Sequence[str], text: str, width: int = 0) -> int:
    """The column that a caller names, by its name in any spelling or its number.

    Raises:
        TestSetError: There is none.
    """
    spelled = [letters_of(name) for name in names]
    if text in names:
        return list(names).index(text)
    if letters_of(text) and letters_of(text) in spelled:
        return spelled.index(letters_of(text))
    if text.isdecimal() and 1 <= int(text) <= max(width, len(names)):
        return int(text) - 1
    known = f"there are {shown([label_of(names, each) for each in range(len(names))])}" if names else ""
    counted = known or f"name one of {width} by its number, as in rating=3"
    raise TestSetError(f"{path}: has no column {text!r}, as columns= (--columns) names it; {counted}")


def columns_by_role(source: DataSetSource, names: Sequence[str], roles: Roles) -> Columns | None:
    """The columns of all roles, those that the caller names among them; None if one is missing."""
    spelled = [letters_of(name) for name in names]
    found: Columns = {}
    for role, known in roles.items():
        if role in source.chosen:
            found[role] = column_named(source.path, names, source.chosen[role])
            continue
        named = (spelled.index(each) for each in known if each in spelled)
        column = next((each for each in named if each not in found.values()), None)
        if column is None:
            return None
        found[role] = column
    return found


def truth_of(text: str) -> bool | None:
    """What a field says that is true or false, yes or no, 1 or 0; None of another one."""
    return {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}.get(text.lower())


def has_columns(source: DataSetSource, roles: Roles, separator: str | None = None) -> bool:
    """Whether the first line names the columns of all roles."""
    names = [] if source.is_folder else source.files[0].first_row(separator)
    try:
        return columns_by_role(source, names, roles) is not None
    except TestSetError:  # reading says which column is not there
        return True


def named_rows(
    file: DataFile, separator: str | None = None
) -> tuple[int, list[str], Iterator[tuple[int, list[str]]]]:
    """The number and fields of the first row, which names the columns, and the rows below it."""
    table = rows(file, separator)
    first, names = next(table)

    def below() -> Iterator[tuple[int, list[str]]]:
        line = first
        for line, row in table:
            if len(row) != len(names):
                file.fail(line, f"{len(row)} fields; the first line names {len(names)}{DROP}")
            yield line, row
        if line == first:
            file.fail(first, "nothing follows the names of the columns")

    return first, names, below()


class NamedTable:
    """The rows of a file whose first row names the columns.

    Attributes:
        names: What the first row calls the columns.
        columns: The label of the column of each role.
    """

    def __init__(self, source: DataSetSource, roles: Roles, separator: str | None = None) -> None:
        """Find the columns.

        Raises:
            TestSetError: The first line does not name them.
        """
        line, self.names, self._rows = named_rows(source.file, separator)
        found = columns_by_role(source, self.names, roles)
        if found is None:
            noun = "columns" if len(roles) > 1 else "column"
            source.file.fail(line, f"the first line must name the {noun} {', '.join(roles)}")
        self._found = found
        self.columns = {role: label_of(self.names, column) for role, column in found.items()}

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        """The field of each role in each row, with the number of its line."""
        for line, row in self._rows:
            yield line, {role: row[column] for role, column in self._found.items()}


@cache
def _rows() -> Sequence[tuple[str, Sequence[str]]]:
    """The code of each language, and its other codes and names."""
    table = (files(__package__) / "language_names.tsv").read_text(encoding="utf-8").splitlines()
    return [(code, others) for code, *others in (row.split("\t") for row in table)]


@cache
def _languages() -> Mapping[str, str]:
    """The code of each language by its codes and names, in lower case, without spaces."""
    found: dict[str, str] = {}
    for code, others in _rows():
        for each in (code, *others):
            found.setdefault(letters_of(each), code)
    return found


def language_name(code: str) -> str:
    """The English name of a language, which stands after its codes; the code if it is not known."""
    others = next((others for own, others in _rows() if own == code), ())
    return next((each for each in others if not each.islower()), code)


def language_named(text: str) -> str | None:
    """The code of the language that a text is the code or English name of, in any spelling."""
    return _languages().get(letters_of(text))


def language_in(name: str) -> str | None:
    """The code of the language that a name of a column or a part of it names: `Latin1`, `word1_la`, `EngSim`.

    A part that is a code of two letters counts if it stands alone: `en_1`.
    """
    parts = [part for part in parts_of(name) if not part.isdecimal()]
    found = (_languages().get(part) for part in ("".join(parts), *parts) if len(part) > 1)
    return next((code for code in found if code is not None), None)


_ENDINGS = re.compile(r"(\.(vec|bin|txt|kv|gz|bz2|xz|zip))+$")  # some of which are codes, such as Venetian's


_SCRIPTS = ("arab", "cyrl", "deva", "grek", "hans", "hant", "latn")  # in codes of test sets, as in zh-hant


def codes_in(name: str) -> tuple[str, ...]:
    """The codes of languages that stand alone in the name of a file, each once: `la` of `wiki.la-300.vec`."""
    codes = {code for code, _ in _rows()}
    found = list[str]()
    for part in re.split(r"[._\s]+", _ENDINGS.sub("", name.casefold())):
        language, _, script = part.partition("-")
        if part in codes or (language in codes and script in _SCRIPTS):
            found.append(part)
        else:
            found += [each for each in part.split("-") if each in codes]
    return tuple(dict.fromkeys(found))


_TWO_CODES = re.compile(r"(?<![a-z])(?=([a-z]{2,3}(?:-[a-z]{4})?)[-_]([a-z]{2,3}(?:-[a-z]{4})?)(?![a-z]))")


def two_languages(name: str) -> tuple[str, str] | None:
    """The codes of the two languages that the name of a file states, as `en-it.0-5000.txt` does."""
    found = (match.groups() for match in _TWO_CODES.finditer(name))
    return next(
        (
            (one, other)
            for one, other in found
            if one != other and all(each.partition("-")[0] in _languages() for each in (one, other))
        ),
        None,
    )


def are_two_words(lines: Sequence[str]) -> bool:
    """Whether most lines have two fields, entries of a few words and no numbers."""
    return most(len(pair) == 2 and all(map(is_entry, pair)) for pair in sample_rows(lines))


def is_entry(text: str) -> bool:
    """Whether a field is a word or an entry of a few words, and not empty, a number or a text."""
    return bool(text) and number(text) is None and text.count(" ") < _MOST_PARTS


def are_relation_pairs(source: DataSetSource) -> bool:
    """Whether two words a line are pairs of one relation: with alternatives, or named as BATS."""
    named = source.is_folder or _BATS.match(source.name) is not None
    return named or any("/" in line for line in source.sample)
