"""What testgen writes: JSON of the formats `testset` and `dictionary`, version 1."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn, TypeVar

import msgspec

from evaluator.datasets.data_files import DataSetSource
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import (
    Category,
    Relation,
    Several,
    TestSet,
    Text,
    TranslationList,
    refuse_repeats,
)
from evaluator.errors import TestSetError, plain_error

_VERSION = 1
_DICTIONARY = re.compile(r'"format"\s*:\s*"dictionary"')
_MADE = {"testset": ("test set", "testgen generate"), "dictionary": ("dictionary", "testgen dictionary")}

T = TypeVar("T")


class _ChosenFor(msgspec.Struct):
    name: Text


class _TestSet(msgspec.Struct):
    """Keys that this version does not know are ignored."""

    language: Text
    categories: tuple[Category, ...]
    relations: tuple[Relation, ...] = ()
    named_in: Text | None = None
    chosen_for: _ChosenFor | None = None

    def __post_init__(self) -> None:
        if not self.categories and not self.relations:
            raise ValueError("there are no categories and no relations: nothing can be scored")
        names = [category.name for category in self.categories]
        refuse_repeats("name", names + [relation.name for relation in self.relations])


def is_dictionary(source: DataSetSource) -> bool:
    """JSON that names the format of bilingual dictionaries."""
    return source.is_json and _DICTIONARY.search("\n".join(source.sample[:10])) is not None


@dataset_format("testset", rank=0, looks_like=lambda source: source.is_json and not is_dictionary(source))
def read_testset_json(source: DataSetSource) -> TestSet:
    """Categories and relations."""
    found = _read(source, "testset", _TestSet)
    return source.test_set(
        found.language,
        categories=found.categories,
        relations=found.relations,
        named_in=found.named_in,
        chosen_for=found.chosen_for.name if found.chosen_for else "",
    )


class _Dictionary(msgspec.Struct):
    language: Text
    target: Text
    categories: Several[TranslationList]

    def __post_init__(self) -> None:
        refuse_repeats("name", [category.name for category in self.categories])


@dataset_format("dictionary", rank=0, looks_like=is_dictionary)
def read_dictionary_json(source: DataSetSource) -> TestSet:
    """A list of translations for each category."""
    found = _read(source, "dictionary", _Dictionary)
    return source.test_set(found.language, translations=found.categories, target=found.target)


def _read(source: DataSetSource, name: str, kind: type[T]) -> T:
    file = source.file.path
    value = _loads(source.file.content, file)
    problem = _version_problem(value, name)
    if problem is not None:
        raise TestSetError(f"{file}: {problem}")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise TestSetError(f"{file}: {plain_error(str(error), value)}") from error
    except UnicodeEncodeError as error:
        half = "half a character (an unpaired surrogate)"
        raise TestSetError(f"{file}: the key {error.object!a} holds {half}") from error


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
    # The name of a category or relation without a title is its title.
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        again = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {again!r} occurs twice in one object")
    found = dict(pairs)
    if "name" in found and "items" in found:
        found.setdefault("title", found["name"])
    return found


def _whole_number(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _no_constant(name: str) -> NoReturn:
    """Python reads NaN and Infinity as numbers; they do not exist in JSON."""
    raise ValueError(f"{name} is not a JSON value")


def _version_problem(value: Any, name: str) -> str | None:  # noqa: ANN401  # JSON
    what, made = _MADE[name]
    if not isinstance(value, dict) or value.get("format") != name:
        if isinstance(value, dict) and value.get("format") == "dictionary":
            return "$.format: is a bilingual dictionary, not a test set; `evaluator translate` reads it"
        return f'$.format: must be "{name}"; is this a {what} made by `{made}`?'
    if "version" not in value:
        return "$.version: is missing"
    version = value["version"]
    if type(version) is not int:
        return "$.version: must be a whole number"
    if version == _VERSION:
        return None
    advice = "update it" if version > _VERSION else f"make the file again with `{made}`"
    return f"$.version: is {version}, and this evaluator reads version {_VERSION}; {advice}"
