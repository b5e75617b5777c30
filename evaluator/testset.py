"""Reading test sets: JSON files of the format `testset`, version 1, into frozen dataclasses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from evaluator.errors import TestSetError

_FORMAT = "testset"
_VERSION = 1

T = TypeVar("T")


@dataclass(frozen=True)
class Item:
    """One thing and its words.

    Attributes:
        id: Its Wikidata id, or whatever the maker of the file calls it.
        words: One or more different words.
        origin: Where the words are from (`label`, `alias`, `mul`, …), if the file says so.
    """

    id: str
    words: tuple[str, ...]
    origin: str | None = None


@dataclass(frozen=True)
class Category:
    """Words that belong together.

    Attributes:
        name: Its name, unique in the test set.
        title: A heading for people.
        items: What belongs to it.
    """

    name: str
    title: str
    items: tuple[Item, ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of all items in their order, none twice: the C_i of the measures."""
        return tuple(dict.fromkeys(word for item in self.items for word in item.words))


@dataclass(frozen=True)
class Relation:
    """Pairs of items that stand in the same relation, such as capitals and their countries.

    Attributes:
        name: Its name, unique in the test set.
        title: A heading for people.
        items: Everything that occurs in a pair, by id.
        pairs: Ids (item, of): (Paris, France) for capitals.
    """

    name: str
    title: str
    items: Mapping[str, Item]
    pairs: tuple[tuple[str, str], ...]

    def section(self) -> AnalogySection:
        """Its analogies: the first word of an item, and all words of what it belongs to, for each pair."""
        words = {key: item.words for key, item in self.items.items()}
        return AnalogySection(
            self.name, self.title, tuple((words[item][0], words[of]) for item, of in self.pairs)
        )


@dataclass(frozen=True)
class AnalogySection:
    """Pairs of words in the same relation, and the questions asked of them: a is to b as c is to ___.

    Attributes:
        name: Its name, unique in the test set.
        title: A heading for people.
        pairs: A word and all words that answer what it stands to: (athens, (greece,)).
        questions: Which two pairs each question is made of, as positions in `pairs`; None for every two
            different pairs, in both orders.
    """

    name: str
    title: str
    pairs: tuple[tuple[str, tuple[str, ...]], ...]
    questions: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True)
class RatedPairs:
    """Pairs of words with people's rating of how similar, or related, they are.

    Attributes:
        name: Their name, unique in the test set.
        title: A heading for people.
        pairs: Two words and their rating.
    """

    name: str
    title: str
    pairs: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class OutlierGroup:
    """Words that belong together, and words that do not belong to them.

    Attributes:
        name: Its name, unique in the test set.
        title: A heading for people.
        members: What belongs together.
        outliers: What does not, each to be found beside all members; the file's order, usually nearest first.
    """

    name: str
    title: str
    members: tuple[str, ...]
    outliers: tuple[str, ...]


@dataclass(frozen=True)
class LabelledTexts:
    """Texts with the class that each belongs to.

    Attributes:
        name: Their name, unique in the test set.
        title: A heading for people.
        texts: Label and words of each.
    """

    name: str
    title: str
    texts: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class TestSet:
    """A test set of one language; whatever its file's format, its parts are these.

    Attributes:
        language: Its language code.
        name: What to call it in tables: its file, or what its maker says.
        sha256: Of the file's bytes, in hexadecimal: which test set exactly a score is for.
        categories: In the order of the file, as all that follows.
        relations: Pairs of items, each a section of analogies too.
        named_in: The code of the language of the words, if another one stands in.
        analogies: Sections of questions.
        rated_pairs: For similarity and relatedness.
        outlier_groups: For outlier detection.
        labelled_texts: For text classification.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    language: str
    name: str
    sha256: str
    categories: tuple[Category, ...] = ()
    relations: tuple[Relation, ...] = ()
    named_in: str | None = None
    analogies: tuple[AnalogySection, ...] = ()
    rated_pairs: tuple[RatedPairs, ...] = ()
    outlier_groups: tuple[OutlierGroup, ...] = ()
    labelled_texts: tuple[LabelledTexts, ...] = ()

    def __post_init__(self) -> None:
        """Refuse parts of the same name: one would hide the other.

        Raises:
            TestSetError: Naming it.
        """
        parts = (
            self.categories,
            self.relations,
            self.analogies,
            self.rated_pairs,
            self.outlier_groups,
            self.labelled_texts,
        )
        names = [part.name for kind in parts for part in kind]
        if len(set(names)) < len(names):
            again = next(name for name in names if names.count(name) > 1)
            raise TestSetError(f"{self.name}: two parts are called {again!r}; rename one of them")

    @property
    def sections(self) -> tuple[AnalogySection, ...]:
        """All sections of analogies, those that relations make last."""
        return self.analogies + tuple(relation.section() for relation in self.relations)


def read_testset(path: str | Path) -> TestSet:
    """Read a test set file.

    Keys that this version does not know are ignored.

    Raises:
        TestSetError: The file cannot be read, is no JSON, no test set, of another major version, or lacks
            something; the message names the file and the place in it.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TestSetError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        value = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_int=_whole_number,
            parse_constant=_no_constant,
        )
    except UnicodeDecodeError as error:
        raise TestSetError(f"{path}: not UTF-8 at byte {error.start}; a test set is JSON in UTF-8") from error
    except RecursionError as error:
        raise TestSetError(f"{path}: not a test set: its JSON is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise TestSetError(f"{path}: not JSON: {error}; is the file complete?") from error
    except ValueError as error:  # from one of the hooks
        raise TestSetError(f"{path}: not JSON that can be used: {error}") from error
    return _Reader(path).test_set(value, hashlib.sha256(content).hexdigest())


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; of a key that comes twice, Python would silently lose the first value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {again!r} occurs twice in one object")
    return found


def _whole_number(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _no_constant(name: str) -> NoReturn:
    """Python reads NaN and Infinity as numbers; JSON has no such thing."""
    raise ValueError(f"{name} is no JSON value")


class _Reader:
    """Turns JSON values into dataclasses; complaints name the file and the JSON path."""

    def __init__(self, path: Path) -> None:
        self._file = path

    def test_set(self, value: Any, sha256: str) -> TestSet:  # noqa: ANN401  # any JSON value
        self._check_version(value)
        categories = self._each(value, "$", "categories", self._category)
        relations = self._each(value, "$", "relations", self._relation) if "relations" in value else ()
        names = [category.name for category in categories]
        self._refuse_repeats(names, "$.categories", "name")
        self._refuse_repeats(names + [relation.name for relation in relations], "$.relations", "name")
        if not categories and not relations:
            self._fail("$.categories", "there are no categories and no relations: nothing can be scored")
        language = self._text(value, "$", "language")
        named_in = self._text(value, "$", "named_in") if "named_in" in value else None
        return TestSet(language, self._file.name, sha256, categories, relations, named_in)

    def _check_version(self, value: Any) -> None:  # noqa: ANN401  # any JSON value
        if not isinstance(value, dict) or value.get("format") != _FORMAT:
            self._fail("$.format", f'must be "{_FORMAT}"; is this a test set made by `testgen generate`?')
        version = self._get(value, "$", "version", int)
        if version != _VERSION:
            what = "update it" if version > _VERSION else "make the file again with `testgen generate`"
            self._fail("$.version", f"is {version}, and this evaluator reads version {_VERSION}; {what}")

    def _category(self, value: Any, path: str) -> Category:  # noqa: ANN401  # any JSON value
        name, items = self._text(value, path, "name"), self._items(value, path)
        return Category(name, self._optional_text(value, path, "title") or name, items)

    def _relation(self, value: Any, path: str) -> Relation:  # noqa: ANN401  # any JSON value
        name = self._text(value, path, "name")
        items = {item.id: item for item in self._items(value, path)}
        pairs = self._each(value, path, "pairs", lambda pair, at: self._pair(pair, at, items))
        if not pairs:
            self._fail(f"{path}.pairs", "is empty")
        return Relation(name, self._optional_text(value, path, "title") or name, items, pairs)

    def _pair(self, value: Any, path: str, items: Mapping[str, Item]) -> tuple[str, str]:  # noqa: ANN401
        item, of = self._text(value, path, "item"), self._text(value, path, "of")
        for key, item_id in (("item", item), ("of", of)):
            if item_id not in items:
                self._fail(f"{path}.{key}", f"{item_id!r} is not among the relation's items")
        return item, of

    def _items(self, value: Any, path: str) -> tuple[Item, ...]:  # noqa: ANN401  # any JSON value
        items = self._each(value, path, "items", self._item)
        if not items:
            self._fail(f"{path}.items", "is empty")
        self._refuse_repeats([item.id for item in items], f"{path}.items", "id")
        return items

    def _item(self, value: Any, path: str) -> Item:  # noqa: ANN401  # any JSON value
        words = self._get(value, path, "words", list)
        for number, word in enumerate(words):
            if not isinstance(word, str) or not word.strip():
                self._fail(f"{path}.words[{number}]", f"is {_shown(word)}; it must be a word")
            self._refuse_surrogates(word, f"{path}.words[{number}]")
        if not words:
            self._fail(f"{path}.words", "is empty")
        origin = self._optional_text(value, path, "from")
        return Item(self._text(value, path, "id"), tuple(dict.fromkeys(words)), origin)

    def _each(
        self,
        value: Any,  # noqa: ANN401  # any JSON value
        path: str,
        key: str,
        read: Callable[[Any, str], T],
    ) -> tuple[T, ...]:
        elements = self._get(value, path, key, list)
        return tuple(read(element, f"{path}.{key}[{number}]") for number, element in enumerate(elements))

    def _text(self, value: Any, path: str, key: str) -> str:  # noqa: ANN401  # any JSON value
        text: str = self._get(value, path, key, str)
        if not text.strip():
            self._fail(f"{path}.{key}", "is empty")
        self._refuse_surrogates(text, f"{path}.{key}")
        return text

    def _optional_text(self, value: Any, path: str, key: str) -> str | None:  # noqa: ANN401  # any JSON value
        return None if value.get(key) is None else self._text(value, path, key)

    def _get(self, value: Any, path: str, key: str, kind: type) -> Any:  # noqa: ANN401  # any JSON value
        if not isinstance(value, dict):
            self._fail(path, "must be an object")
        if key not in value:
            self._fail(f"{path}.{key}", "is missing")
        if not isinstance(value[key], kind) or isinstance(value[key], bool):
            self._fail(f"{path}.{key}", f"must be {_KINDS[kind]}")
        return value[key]

    def _refuse_surrogates(self, text: str, path: str) -> None:
        r"""JSON can spell half a character, as in "\ud83d"; no vocabulary and no file can hold one."""
        try:
            text.encode()
        except UnicodeEncodeError:
            self._fail(path, f"is {_shown(text)}, which holds half a character (an unpaired surrogate)")

    def _refuse_repeats(self, names: Iterable[str], path: str, key: str) -> None:
        seen: set[str] = set()
        for name in names:
            if name in seen:
                self._fail(path, f"the {key} {name!r} occurs twice; change one of them")
            seen.add(name)

    def _fail(self, path: str, complaint: str) -> NoReturn:
        raise TestSetError(f"{self._file}: {path}: {complaint}")


def _shown(value: object) -> str:
    """A JSON value as a complaint quotes it."""
    text = ascii(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else text[:40] + "…"


_KINDS = {str: "a text", int: "a whole number", list: "a list"}
