"""The result files of evaluator, read from their JSON: scores of models on test sets."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec
import regex

from testgen.errors import TestgenError, one_line
from testgen.languages import languages

MOST_BYTES = 64_000_000
"""Larger files are not read."""

_LONGEST = 100  # characters of a name
_UNSEEN = regex.compile(r"[\p{Cc}\p{Cs}\p{Bidi_Control}]")
_VERSIONS = {"scores": 4, "score lines": 4, "comparison": 2}

T = TypeVar("T")
_Number = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class UnreadableError(TestgenError):
    """A file is no result file that can be shown; the message says why."""


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """The score on one category of a test set; `value` is None if it was skipped."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    known: int | None = None
    words: int | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """One score of one model, in the form in which all kinds of files are shown.

    Attributes:
        model: The name of the vectors.
        language: A code; empty if the file names none.
        test_set: The name of the test set.
        sha256: Its digest; may be empty.
        of: What the score is of, if it is not the whole test set: a category or a topic.
        measure: The text of the measure.
        signature: All that must be equal where scores are compared, without the name of the test set's file.
        value: The score.
        low: The lower end of its 95% confidence interval.
        high: The upper end of the interval.
        chance: The chance level.
        known: How many items have a vector.
        words: How many there are.
        file: The name of the result file.
        categories: The score on each category, if they were asked for.
    """

    model: str
    language: str
    test_set: str
    sha256: str
    of: str
    measure: str
    signature: str
    value: float
    low: float | None
    high: float | None
    chance: float | None
    known: int | None
    words: int | None
    file: str
    categories: tuple[CategoryScore, ...] = ()


class _Subscore(msgspec.Struct):
    name: str
    value: _Number | None = None
    title: str = ""
    n: _Count | None = None
    known: _Count | None = None
    low: _Number | None = None
    high: _Number | None = None
    chance: _Number | None = None


class _Measured(msgspec.Struct):
    measure: str
    value: _Number
    signature: str
    low: _Number | None = None
    high: _Number | None = None
    chance: _Number | None = None
    n: _Count | None = None
    known: _Count | None = None
    subscores: tuple[_Subscore, ...] = ()


class _Record(msgspec.Struct):
    model: str
    test_set: str
    language: str
    scores: tuple[_Measured, ...]
    test_sha256: str = ""


class _Scores(msgspec.Struct):
    results: tuple[_Record, ...]


class _Line(msgspec.Struct):
    vectors: str
    test: str | None = None
    scores: _Record | None = None


class _Compared(msgspec.Struct):
    code: str
    vectors: str
    test_set: str
    sha256: str
    signature: str


class _Group(msgspec.Struct):
    name: str
    kind: str
    title: str = ""


class _Row(msgspec.Struct):
    language: str
    category: str
    kind: str
    measure: str
    value: _Number | None
    n: _Count
    oov: _Count
    low: _Number | None = None
    high: _Number | None = None
    chance: _Number | None = None
    vocabulary: _Count | None = None


class _Concepts(msgspec.Struct):
    category: str
    items: tuple[Mapping[str, Any], ...] = ()


class _Comparison(msgspec.Struct):
    languages: tuple[_Compared, ...]
    groups: tuple[_Group, ...]
    rows: tuple[_Row, ...]
    aligned: tuple[_Row, ...] = ()
    concepts: tuple[_Concepts, ...] = ()


def parse(content: bytes, file: str, *, categories: bool = False) -> list[Score]:
    """The scores in a result file.

    Args:
        content: In UTF-8, or in UTF-16 as PowerShell redirects output.
        file: Its name.
        categories: Whether scores come with those on each category.

    Raises:
        UnreadableError: It holds no scores of models on test sets, or something in it is wrong.
    """
    try:
        text = content.decode(json.detect_encoding(content))
        first, _, others = text.partition("\n")
        lines = '"score lines"' in first
        kind = _kind(_decoded(first if lines else text, dict[str, Any]))
        if kind == "comparison":
            return list(_of_comparison(_decoded(text, _Comparison), file))
        return [
            score
            for record in _numbered(_of_lines(others) if lines else _decoded(text, _Scores).results)
            for score in _of_record(record, file, categories=categories)
        ]
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UnreadableError(f"not a complete result file: {one_line(error)}") from error


def _decoded(text: str, kind: type[T]) -> T:
    if "\\ud" in text.lower():  # names of files that are not UTF-8 hold halves of characters
        text = json.dumps(json.loads(text), ensure_ascii=False).encode(errors="replace").decode()
    return msgspec.json.decode(text, type=kind)


def _kind(head: Mapping[str, Any]) -> str:
    kind, version = head.get("format"), head.get("version")
    if not isinstance(kind, str):
        raise UnreadableError("not a result of evaluator")
    if kind not in _VERSIONS:
        raise UnreadableError(f"of the format “{_short(kind)}”, which has no scores of models on test sets")
    if version != _VERSIONS[kind]:
        raise UnreadableError(
            f"of version {_short(str(version))} of its format; this service reads {_VERSIONS[kind]}"
        )
    return kind


def _short(text: str) -> str:
    """A foreign name as it may be shown: of limited length, without what changes the text around it."""
    shown = _UNSEEN.sub("\ufffd", text.strip())
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def _numbered(records: Sequence[_Record]) -> Iterator[_Record]:
    """The records; of several with the same names, the later ones get numbers."""
    seen = Counter[tuple[str, str, str]]()
    for record in records:
        name = record.model, record.test_set, record.test_sha256
        seen[name] += 1
        if seen[name] > 1:
            record.model += f" ({seen[name]})"
        yield record


def _of_lines(others: str) -> list[_Record]:
    """The scores of `evaluator batch`: the last line of each model and test set, unfinished ones left out.

    Of equal names, the paths are shown.
    """
    found = (_decoded(text, _Line) for text in others.split("\n")[:-1])
    lines = {(line.vectors, line.test): line.scores for line in found}
    records = [(path, record) for (path, _), record in lines.items() if record is not None]
    often = Counter((record.model, record.test_sha256) for _, record in records)
    for path, record in records:
        record.model = path if often[record.model, record.test_sha256] > 1 else record.model
    return [record for _, record in records]


def _of_record(record: _Record, file: str, *, categories: bool) -> Iterator[Score]:
    for each in (each for each in record.scores if each.measure != "Above chance"):
        yield Score(
            _short(record.model) or "unnamed",
            _language(record.language),
            _short(record.test_set),
            record.test_sha256[:64],
            "",
            _short(each.measure),
            _signature(each.signature, record.model),
            each.value,
            each.low,
            each.high,
            each.chance,
            each.known,
            each.n,
            file,
            tuple(map(_category, each.subscores)) if categories else (),
        )


def _category(found: _Subscore) -> CategoryScore:
    name = _short(found.title or found.name)
    return CategoryScore(name, found.value, found.low, found.high, found.chance, found.known, found.n)


def _of_comparison(found: _Comparison, file: str) -> Iterator[Score]:
    """The scores of `evaluator compare`, each of one category or topic."""
    compared = {each.code: each for each in found.languages}
    titles = {(each.name, each.kind): each.title or each.name for each in found.groups}
    same = {
        each.category: _digest(sorted(str(item.get("id")) for item in each.items)) for each in found.concepts
    }
    codes = ", ".join(compared)
    for rows, aligned in ((found.rows, False), (found.aligned, True)):
        for row in rows:
            language = compared.get(row.language)
            if row.value is None or language is None:
                continue
            of = _short(titles.get((row.category, row.kind), row.category))
            items = f"|items:{same.get(row.category) or _digest([file])}" if aligned else ""
            yield Score(
                _short(language.vectors) or "unnamed",
                _language(language.code),
                _short(language.test_set),
                language.sha256[:64],
                f"{of} (the same items in {_short(codes)})" if aligned else of,
                _short(row.measure),
                _signature(
                    f"{language.signature}|words-of-vocabulary:{row.vocabulary}{items}", language.vectors
                ),
                row.value,
                row.low,
                row.high,
                row.chance,
                max(row.n - row.oov, 0),
                row.n,
                file,
            )


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode(errors="replace")).hexdigest()[:12]


def _language(code: str) -> str:
    """The code in the form of `testgen.languages` if it is known there."""
    found = languages().get(code)
    return (found.replaced_by or code) if found else _short(code)


def _signature(signature: str, model: str) -> str:
    """What must be equal where scores are compared.

    The name of the test set's file does not matter, since its digest is known. With `oov:skip` and without a
    common vocabulary, each model is asked the words that it knows itself, so that none can be compared.
    """
    settings = regex.sub(r"test:[^|#]*#", "test:#", signature)
    own = "oov:skip" in settings.split("|") and "|common:" not in settings
    return f"{settings}|asked-only:{model}" if own else settings
