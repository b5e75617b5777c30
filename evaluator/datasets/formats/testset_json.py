"""Test sets as testgen writes them: JSON of the format `testset`, version 1."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import msgspec

from evaluator.datasets import recognition
from evaluator.datasets.data_files import DataSetSource
from evaluator.datasets.reading import TestSetContent, dataset_format
from evaluator.datasets.testset import Category, Item, Relation
from evaluator.errors import TestSetError
from evaluator.execution.json_errors import TEXT, plain_error

_FORMAT = "testset"
_VERSION = 1

Text = Annotated[str, msgspec.Meta(pattern=TEXT)]


class _Item(msgspec.Struct):
    id: Text
    words: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    origin: Text | None = msgspec.field(name="from", default=None)

    def item(self) -> Item:
        return Item(self.id, tuple(dict.fromkeys(self.words)), self.origin)


class _Category(msgspec.Struct):
    name: Text
    items: Annotated[tuple[_Item, ...], msgspec.Meta(min_length=1)]
    title: Text | None = None
    topic: Text | None = None
    level: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    within: Text | None = None

    def __post_init__(self) -> None:
        _refuse_repeats("id", [item.id for item in self.items])

    def category(self) -> Category:
        items = tuple(each.item() for each in self.items)
        return Category(self.name, self.title or self.name, items, self.topic, self.level, self.within)


class _Pair(msgspec.Struct):
    item: Text
    of: Text


class _Relation(msgspec.Struct):
    name: Text
    items: Annotated[tuple[_Item, ...], msgspec.Meta(min_length=1)]
    pairs: Annotated[tuple[_Pair, ...], msgspec.Meta(min_length=1)]
    title: Text | None = None

    def __post_init__(self) -> None:
        known = {item.id for item in self.items}
        _refuse_repeats("id", [item.id for item in self.items])
        for number, pair in enumerate(self.pairs):
            missing = {pair.item, pair.of} - known
            if missing:
                raise ValueError(f"{missing.pop()!r} in pairs[{number}] is not among its items")

    def relation(self) -> Relation:
        items = {each.id: each.item() for each in self.items}
        pairs = tuple((pair.item, pair.of) for pair in self.pairs)
        return Relation(self.name, self.title or self.name, items, pairs)


class _TestSet(msgspec.Struct):
    """Keys that this version does not know are ignored."""

    language: Text
    categories: tuple[_Category, ...]
    relations: tuple[_Relation, ...] = ()
    named_in: Text | None = None

    def __post_init__(self) -> None:
        if not self.categories and not self.relations:
            raise ValueError("there are no categories and no relations: nothing can be scored")
        names = [category.name for category in self.categories]
        _refuse_repeats("name", names + [relation.name for relation in self.relations])


def _refuse_repeats(key: str, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the {key} {again!r} occurs twice; change one of them")


@dataset_format("testset", rank=0, looks_like=recognition.is_json)
def read_testset_json(source: DataSetSource) -> TestSetContent:
    """Categories and relations.

    Raises:
        TestSetError: The file is not JSON, not a test set, of another major version, or lacks something; the
            message names the JSON path.
    """
    file = source.file.path
    value = _loads(source.file.content, file)
    problem = _version_problem(value)
    if problem is not None:
        raise TestSetError(f"{file}: {problem}")
    try:
        found = msgspec.convert(value, _TestSet)
    except msgspec.ValidationError as error:
        raise TestSetError(f"{file}: {plain_error(str(error), value)}") from error
    return TestSetContent(
        tuple(each.category() for each in found.categories),
        tuple(each.relation() for each in found.relations),
        language=found.language,
        named_in=found.named_in,
    )


def _loads(content: bytes, file: str) -> Any:  # noqa: ANN401  # JSON
    try:
        return json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_int=_whole_number,
            parse_constant=_no_constant,
        )
    except UnicodeDecodeError as error:
        raise TestSetError(f"{file}: not UTF-8 at byte {error.start}; a test set is JSON in UTF-8") from error
    except RecursionError as error:
        raise TestSetError(f"{file}: not a test set: its JSON is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise TestSetError(f"{file}: not JSON: {error}; is the file complete?") from error
    except ValueError as error:  # from one of the hooks
        raise TestSetError(f"{file}: not JSON that can be used: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; if a key occurs twice, Python would silently drop the first value."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        again = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {again!r} occurs twice in one object")
    return dict(pairs)


def _whole_number(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _no_constant(name: str) -> NoReturn:
    """Python reads NaN and Infinity as numbers; they do not exist in JSON."""
    raise ValueError(f"{name} is not a JSON value")


def _version_problem(value: Any) -> str | None:  # noqa: ANN401  # JSON
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        return f'$.format: must be "{_FORMAT}"; is this a test set made by `testgen generate`?'
    if "version" not in value:
        return "$.version: is missing"
    version = value["version"]
    if type(version) is not int:
        return "$.version: must be a whole number"
    if version == _VERSION:
        return None
    what = "update it" if version > _VERSION else "make the file again with `testgen generate`"
    return f"$.version: is {version}, and this evaluator reads version {_VERSION}; {what}"
