"""Test sets as testgen writes them: JSON of the format `testset`, version 1."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from evaluator.datasets.data_files import DataSetSource
from evaluator.datasets.reading import TestSetContent, dataset_format
from evaluator.datasets.testset import Category, Item, Relation
from evaluator.errors import TestSetError

_FORMAT = "testset"
_VERSION = 1
_DEEPEST = 100
_OBJECT = re.compile(r"\s*\{\s*(\"|$)")

T = TypeVar("T")


def _is_json(source: DataSetSource) -> bool:
    """By its name, so that an error in it is reported as such; else by how a JSON object begins."""
    if source.is_folder:
        return False
    named = source.path.name.lower().removesuffix(".gz").endswith(".json")
    return named or (bool(source.sample) and _OBJECT.match(source.sample[0]) is not None)


@dataset_format("testset", rank=0, looks_like=_is_json)
def read_testset_json(source: DataSetSource) -> TestSetContent:
    """Categories and relations; keys that this version does not know are ignored.

    Raises:
        TestSetError: The file is not JSON, not a test set, of another major version, or lacks something; the
            message names the JSON path.
    """
    path = source.file.path
    try:
        value = json.loads(
            source.file.content.decode("utf-8-sig"),
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
    return _Reader(path).test_set(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; if a key occurs twice, Python would silently drop the first value."""
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
    """Python reads NaN and Infinity as numbers; they do not exist in JSON."""
    raise ValueError(f"{name} is not a JSON value")


class _Reader:
    """Turns JSON values into dataclasses; errors name the file and the JSON path."""

    def __init__(self, file: str) -> None:
        self._file = file

    def test_set(self, value: Any) -> TestSetContent:  # noqa: ANN401  # any JSON value
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
        return TestSetContent(categories, relations, language=language, named_in=named_in)

    def _check_version(self, value: Any) -> None:  # noqa: ANN401  # any JSON value
        if not isinstance(value, dict) or value.get("format") != _FORMAT:
            self._fail("$.format", f'must be "{_FORMAT}"; is this a test set made by `testgen generate`?')
        version = self._get(value, "$", "version", int)
        if version != _VERSION:
            what = "update it" if version > _VERSION else "make the file again with `testgen generate`"
            self._fail("$.version", f"is {version}, and this evaluator reads version {_VERSION}; {what}")

    def _category(self, value: Any, path: str) -> Category:  # noqa: ANN401  # any JSON value
        name, items = self._text(value, path, "name"), self._items(value, path)
        level = self._get(value, path, "level", int) if "level" in value else 0
        if not 0 <= level <= _DEEPEST:
            self._fail(f"{path}.level", f"is {level}; it must be from 0 to {_DEEPEST}")
        return Category(
            name,
            self._optional_text(value, path, "title") or name,
            items,
            self._optional_text(value, path, "topic"),
            level,
            self._optional_text(value, path, "within"),
        )

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

    def _fail(self, path: str, problem: str) -> NoReturn:
        raise TestSetError(f"{self._file}: {path}: {problem}")


def _shown(value: object) -> str:
    """A JSON value as an error message quotes it."""
    text = ascii(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else text[:40] + "…"


_KINDS = {str: "a text", int: "a whole number", list: "a list"}
