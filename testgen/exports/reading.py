"""Reading the test set files that testgen wrote, of any source."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from testgen.errors import TestSetError
from testgen.testset import FORMAT, VERSION

Text = Annotated[str, msgspec.Meta(min_length=1)]


class Item(msgspec.Struct, frozen=True):
    """An item and its words; see docs/testset.md."""

    id: Text
    words: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    origin: str = msgspec.field(name="from")


class Pair(msgspec.Struct, frozen=True):
    """The ids of the two items of a pair."""

    item: str
    of: str


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """What a category and a relation have in common."""

    name: Text
    title: str
    topic: str
    query: str
    sha256: str
    items: Annotated[tuple[Item, ...], msgspec.Meta(min_length=1)]
    named_in: str | None = None


class Category(Section, frozen=True, kw_only=True):
    """A category, or a class within one, whose `level` is 1 or more."""

    level: int = 0
    within: str | None = None
    class_id: str | None = msgspec.field(name="class", default=None)


class Relation(Section, frozen=True, kw_only=True):
    """A relation."""

    pairs: tuple[Pair, ...]

    def __post_init__(self) -> None:
        """Refuse pairs of unknown items."""
        unknown = {id_ for pair in self.pairs for id_ in (pair.item, pair.of)} - {
            each.id for each in self.items
        }
        if unknown:
            raise ValueError(f"the item {min(unknown)} of a pair is not among the items")


class Source(msgspec.Struct, frozen=True):
    """The origin of a test set, or of a part of it; see `testgen.sources.Provenance`."""

    kind: str
    name: str
    date: str | None = None
    sha256: str | None = None
    endpoint: str | None = None
    license: str | None = None
    sources: tuple[Source, ...] = ()


class TestSetFile(msgspec.Struct, frozen=True):
    """The content of a test set file."""

    __test__ = False  # pytest would otherwise collect a class named Test…

    language: Text
    generator: str
    source: Source
    categories: tuple[Category, ...]
    relations: tuple[Relation, ...]


class _Head(msgspec.Struct):
    format: str = ""
    version: int = 0


def read_test_sets(paths: Iterable[Path]) -> list[TestSetFile]:
    """Read test set files of different languages, and sort them by language.

    Raises:
        TestSetError: There is none, or one cannot be read; is not a test set; or has the language of another.
    """
    found: dict[str, tuple[Path, TestSetFile]] = {}
    for path in paths:
        test_set = _read(path)
        other, _ = found.setdefault(test_set.language, (path, test_set))
        if other != path:
            raise TestSetError(f"{other} and {path} are of the same language; name one of them")
    if not found:
        raise TestSetError("no test set is named; `testgen generate` makes test sets")
    return [test_set for _, (_, test_set) in sorted(found.items())]


def _read(path: Path) -> TestSetFile:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TestSetError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        return parse_test_set(content)
    except TestSetError as error:
        raise TestSetError(f"{path}: {error}") from error


def parse_test_set(content: bytes | str) -> TestSetFile:
    """The test set in the text of a file.

    Raises:
        TestSetError: It is not JSON, or not a test set of this version; says where the fault is.
    """
    try:
        head = msgspec.json.decode(content, type=_Head)
        if head.format == "dictionary":
            raise TestSetError("is a bilingual dictionary, not a test set; `evaluator translate` reads it")
        if (head.format, head.version) != (FORMAT, VERSION):
            raise TestSetError(
                f'"format" and "version" are not "{FORMAT}" and {VERSION}; is this a test set that '
                "`testgen generate` of this version wrote?"
            )
        return msgspec.json.decode(content, type=TestSetFile)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at ")
        raise TestSetError(f"{place.strip('`') or '$'}: {problem}; make the test set again") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TestSetError(f"not JSON in UTF-8: {error}; is the file complete?") from error
