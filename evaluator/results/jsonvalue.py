"""Result files in JSON, read value by value; complaints name the file and the JSON path."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from evaluator.errors import EvaluatorError, ResultsError

T = TypeVar("T")

_DIGITS = 18
"""Of the longest key that is a whole number."""


def read_content(path: Path) -> bytes:
    """All bytes of a result file.

    Raises:
        ResultsError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror or error}") from error


def parse_json(content: bytes, file: str) -> JsonValue:
    """Read the content of a result file.

    Args:
        content: In UTF-8, or in UTF-16 as PowerShell redirects output.
        file: What complaints call it.

    Raises:
        ResultsError: It is no JSON.
    """
    if not content.strip():
        raise ResultsError(f"{file}: the file is empty; did the run that should have written it fail?")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        hint = " (of several runs, write each to a file of its own)" if "Extra data" in str(error) else ""
        raise ResultsError(f"{file}: not JSON: {error}; is the file complete?{hint}") from error
    return JsonValue(value, file)


@dataclass(frozen=True)
class JsonValue:
    """A value in a JSON file, and where it stands.

    Attributes:
        value: As `json` gives it.
        file: The file it is from.
        path: The JSON path in it.
    """

    value: Any
    file: str
    path: str = "$"

    def fail(self, complaint: str) -> NoReturn:
        """Say that the value is wrong.

        Raises:
            ResultsError: Naming file and JSON path.
        """
        raise ResultsError(f"{self.file}: {self.path}: {complaint}")

    def at(self, key: str) -> JsonValue:
        """A member of an object.

        Raises:
            ResultsError: This is no object, or has no such member.
        """
        if not isinstance(self.value, dict):
            self.fail("must be an object")
        member = JsonValue(self.value.get(key), self.file, f"{self.path}.{key}")
        return member if key in self.value else member.fail("is missing")

    def elements(self) -> list[JsonValue]:
        """The elements of a list.

        Raises:
            ResultsError: This is no list.
        """
        if not isinstance(self.value, list):
            self.fail("must be a list")
        return [
            JsonValue(element, self.file, f"{self.path}[{number}]")
            for number, element in enumerate(self.value)
        ]

    def read(self, kind: type[T]) -> T:
        """The value as a text, a number, or a dataclass whose fields are the members of the object.

        Members that the dataclass does not have are ignored; fields with a default may be missing.

        Args:
            kind: Of the value.

        Raises:
            ResultsError: It is of another kind.
        """
        found: T = self._as(kind)
        return found

    def _as(self, kind: Any) -> Any:  # noqa: ANN401  # any type hint, and a value of that type
        if kind is Any:
            return self.value
        if is_dataclass(kind):
            return self._record(kind)
        if get_origin(kind) is None:
            return self._plain(kind)
        return self._composed(get_origin(kind), get_args(kind))

    def _composed(self, origin: Any, inner: tuple[Any, ...]) -> Any:  # noqa: ANN401
        if origin in (Union, UnionType):
            (kind,) = [each for each in inner if each is not NoneType]
            return None if self.value is None else self._as(kind)
        if origin is Literal:
            return self.value if self.value in inner else self.fail(f"must be {_either(inner)}")
        if origin is tuple:
            return self._tuple(inner)
        if issubclass(origin, Mapping):
            return self._mapping(*inner)
        if issubclass(origin, Sequence):
            return [each._as(inner[0]) for each in self.elements()]
        raise TypeError(f"{origin} is not read from JSON")

    def _plain(self, kind: Any) -> Any:  # noqa: ANN401
        accepted = (int, float) if kind is float else kind
        if not isinstance(self.value, accepted) or (isinstance(self.value, bool) and kind is not bool):
            self.fail(f"must be {_KINDS[kind]}")
        if kind in (float, int):
            number = self._finite()
            return number if kind is float else self.value
        if isinstance(self.value, str):
            self._check_text(self.value)
        return self.value

    def _finite(self) -> float:
        try:
            number = float(self.value)
        except OverflowError:  # a whole number of more than 308 digits
            self.fail("is larger than any number of a result; was the file changed by hand?")
        if not math.isfinite(number):
            self.fail(f"is {number}, and must be a finite number; was the file changed by hand?")
        return number

    def _check_text(self, text: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail("holds half of a character (a lone surrogate), and must be a text")

    def _tuple(self, inner: tuple[Any, ...]) -> tuple[Any, ...]:
        elements = self.elements()
        if inner[-1] is Ellipsis:
            return tuple(each._as(inner[0]) for each in elements)
        if len(elements) != len(inner):
            self.fail(f"must be a list of {len(inner)}")
        return tuple(each._as(kind) for each, kind in zip(elements, inner, strict=True))

    def _mapping(self, key: Any, kind: Any) -> dict[Any, Any]:  # noqa: ANN401
        if not isinstance(self.value, dict):
            self.fail("must be an object")
        for name in self.value:
            self._check_text(name)
            if key is int and not (name.isdecimal() and len(name) <= _DIGITS):
                self.fail(f"has the key {name!r}; its keys must be whole numbers")
        return {key(name): self.at(name)._as(kind) for name in self.value}

    def _record(self, kind: Any) -> Any:  # noqa: ANN401
        if not isinstance(self.value, dict):
            self.fail("must be an object")
        hints = _hints(kind)
        wanted = [
            each
            for each in fields(kind)
            if each.name in self.value or (each.default is MISSING and each.default_factory is MISSING)
        ]
        values = {each.name: self.at(each.name)._as(hints[each.name]) for each in wanted}
        try:
            return kind(**values)
        except EvaluatorError as error:  # a dataclass that checks what it is made of
            return self.fail(str(error))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _either(choices: tuple[Any, ...]) -> str:
    return " or ".join(json.dumps(each) for each in choices)


_KINDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
