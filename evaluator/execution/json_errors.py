"""What msgspec finds wrong with a JSON value, in plain words."""

from __future__ import annotations

import math
import re
from functools import reduce
from typing import Any

TEXT = r"(?s)^(?=.*\S)[^\ud800-\udfff]*$"
"""A pattern for texts that are not blank and hold no half characters, such as "\\ud83d"."""

_TYPES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "a text",
}
_BOUNDS = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}
_LARGE = 1e18


def plain_error(message: str, value: Any, hint: str = "") -> str:  # noqa: ANN401  # JSON
    """JSON path and problem of a message of msgspec; `hint` is the cause of a number that is out of range."""
    problem, _, path = message.rpartition(" - at ")
    problem, path = (problem, path.replace("`", "")) if problem else (message, "$")
    if missing := re.fullmatch(r"Object missing required field `(.+)`", problem):
        return f"{path}.{missing[1]}: is missing"
    if problem == "Number out of range":
        return f"{path}: is too large{hint}"
    if unknown := re.fullmatch(r"Invalid enum value (.+)", problem):
        return f"{path}: is {unknown[1]}, which this evaluator does not know"
    if "matching regex" in problem:
        return f"{path}: {_text_problem(_at(value, path))}"
    if wrong := re.fullmatch(r"Expected `(.+?)`(?:, got `.+`| of length (.+)| ([<>]=?) (\S+))?", problem):
        types, length, sign, bound = wrong.groups()
        wanted = " or ".join(_TYPES.get(each, each) for each in types.split(" | "))
        if sign:
            return f"{path}: {_out_of_range(_at(value, path), wanted, f'{_BOUNDS[sign]} {bound}')}{hint}"
        if length == ">= 1":
            return f"{path}: is empty"
        return f"{path}: must be {wanted}{f' of {length}' if length else ''}"
    return f"{path}: {problem}"


def _text_problem(found: str) -> str:
    if not found.strip():
        return "is empty"
    shown = ascii(found) if len(found) <= 40 else ascii(found[:40]) + "…"
    return f"is {shown}, which holds half a character (an unpaired surrogate)"


def _out_of_range(found: Any, wanted: str, bounds: str) -> str:  # noqa: ANN401  # JSON
    if isinstance(found, float) and not math.isfinite(found):
        return f"is {found}, and must be a finite number"
    if found is None or abs(found) > _LARGE:
        return f"must be {wanted}, {bounds}"
    return f"is {found:g}, and must be {wanted}, {bounds}"


def _at(value: Any, path: str) -> Any:  # noqa: ANN401  # JSON
    """The value at a path; None where msgspec does not say which it is."""
    steps = re.findall(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])", path)
    try:
        return reduce(lambda found, step: found[step[0] or int(step[1])], steps, value)
    except (KeyError, ValueError):
        return None
