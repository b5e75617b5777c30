"""What testgen writes: JSON of the format `testset`, version 2; and JSON of formats like it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

import msgspec

from evaluator.datasets.data_files import DataSetSource
from evaluator.datasets.reading import GROUP, dataset_format
from evaluator.datasets.testset import (
    Category,
    NotBlank,
    RelatedWords,
    Relation,
    TestSet,
    refuse_repeats,
)
from evaluator.errors import TestSetError, plain_error
from evaluator.execution.plugins import plugin_names

_VERSIONS = (1, 2)  # without groups, and with them
_NAME = "testset"

T = TypeVar("T")


class _ChosenFor(msgspec.Struct):
    name: NotBlank


class _TestSet(msgspec.Struct):
    """Keys that this version does not know are ignored."""

    language: NotBlank
    categories: tuple[Category, ...]
    relations: tuple[Relation, ...] = ()
    groups: tuple[RelatedWords, ...] = ()
    named_in: NotBlank | None = None
    chosen_for: _ChosenFor | None = None
    source: Any = None  # what is not testgen's may say anything

    def __post_init__(self) -> None:
        if not self.categories and not self.relations and not self.groups:
            raise ValueError("there are no categories, relations and groups: nothing can be scored")
        refuse_repeats("name", (*self.categories, *self.relations, *self.groups))


def _is_ours(source: DataSetSource) -> bool:
    """JSON, unless it names the format of another package."""
    named = source.states_format
    return source.is_json and (named in ("", _NAME) or named not in plugin_names(GROUP))


@dataset_format(_NAME, rank=0, looks_like=_is_ours)
def read_testset_json(source: DataSetSource) -> TestSet:
    """Categories, relations and groups of related words."""
    found = read_json(source, _NAME, _TestSet, "a test set", "testgen generate", _VERSIONS)
    return source.test_set(
        found.language,
        categories=found.categories,
        relations=found.relations,
        groups=found.groups,
        named_in=found.named_in,
        chosen_for=found.chosen_for.name if found.chosen_for else "",
        source=found.source if isinstance(found.source, dict) else None,
    )


def read_json(
    source: DataSetSource,
    name: str,
    kind: type[T],
    what: str,
    command: str,
    versions: Sequence[int] = (1,),
) -> T:
    """What a JSON file of a format holds.

    Args:
        source: The file.
        name: The value of its key `format`.
        kind: The type of its content, such as a class of msgspec; keys that it does not have are ignored.
        what: What such a file is, for messages: "a test set".
        command: The command that makes such files.
        versions: Those of the format that the type can hold, in ascending order.

    Raises:
        TestSetError: It is not JSON, of another format or version, or something in it is wrong. The message
            names the file and the JSON path.
    """
    file = source.file.path
    value = _loads(source.file.content, file)
    problem = _version_problem(value, name, what, command, versions)
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
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {again!r} occurs twice in one object")
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


def _version_problem(
    value: Any,  # noqa: ANN401  # JSON
    name: str,
    what: str,
    command: str,
    versions: Sequence[int],
) -> str | None:
    if not isinstance(value, dict) or value.get("format") != name:
        return f'$.format: must be "{name}"; is this {what} made by `{command}`?'
    if "version" not in value:
        return "$.version: is missing"
    version = value["version"]
    if type(version) is not int:
        return "$.version: must be a whole number"
    if version in versions:
        return None
    advice = "update it" if version > versions[-1] else f"make the file again with `{command}`"
    read = f"version{'s' if len(versions) > 1 else ''} {' and '.join(map(str, versions))}"
    return f"$.version: is {version}, and this evaluator reads {read}; {advice}"
