"""The measures, one per module. A module put here is found by itself; nothing else lists them."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from evaluator.errors import MeasureError
from evaluator.measures.base import Evaluation, Measure, Subscore

__all__ = ["Evaluation", "Measure", "Subscore", "measure_classes", "parse_measure"]

_TEXT = re.compile(r"\s*(\w+)\s*(?:\(([^()]*)\))?\s*(?:@\s*(-?\w+))?\s*")


@cache
def measure_classes() -> Mapping[str, type[Measure]]:
    """All measures by name."""
    found: dict[str, type[Measure]] = {}
    for module in pkgutil.iter_modules(__path__):
        members = vars(importlib.import_module(f"{__name__}.{module.name}")).values()
        found |= {
            member.__name__: member
            for member in members
            if inspect.isclass(member) and issubclass(member, Measure) and not inspect.isabstract(member)
        }
    return dict(sorted(found.items()))


def parse_measure(text: str) -> Measure:
    """The measure that a text names: `Topk@3`, `OddOneOut(samples=1000)@3`.

    What is left out has its default: `Topk` is `Topk@3`.

    Raises:
        MeasureError: The text cannot be read, or names a measure, parameter or value that does not exist.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise MeasureError(f"{text!r} is no measure; they look like Topk@3 or OddOneOut(samples=1000)@3")
    name, options, k = match.groups()
    classes = measure_classes()
    if name not in classes:
        near = difflib.get_close_matches(name.lower(), [known.lower() for known in classes], n=1, cutoff=0.5)
        meant = [known for known in classes if known.lower() in near]
        hint = f"; did you mean {meant[0]}?" if meant else ""
        raise MeasureError(f"unknown measure {name!r}{hint} There are {', '.join(classes)}.")
    values = dict(_option(text, option) for option in (options or "").split(",") if option.strip())
    if k is not None:
        values["k"] = k
    return classes[name](**{key: _value(classes[name], key, value) for key, value in values.items()})


def _option(text: str, option: str) -> tuple[str, str]:
    key, equals, value = (part.strip() for part in option.partition("="))
    if not equals or not key or not value or key == "k":
        raise MeasureError(f"{text!r}: {option.strip()!r} is no parameter; they look like samples=1000")
    return key, value


def _value(measure: type[Measure], key: str, value: str) -> Any:  # noqa: ANN401  # each field has its type
    known = {field.name: field for field in fields(measure) if field.default is not MISSING}
    if key not in known:
        if key == "k":
            raise MeasureError(f"{measure.__name__} has no order: leave out @{value}")
        others = [name for name in known if name != "k"]
        raise MeasureError(
            f"{measure.__name__} has no parameter {key!r}; it has {', '.join(others) or 'none but k'}"
        )
    return _typed(measure, known[key], value)


def _typed(measure: type[Measure], field: Field[Any], value: str) -> Any:  # noqa: ANN401
    hint = get_type_hints(measure)[field.name]
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise MeasureError(
                f"{measure.__name__}: {field.name} is {value!r}; choose from {', '.join(get_args(hint))}"
            )
        return value
    kind = float if hint is float else int
    try:
        return kind(value)
    except ValueError as error:
        number = "a number" if kind is float else "a whole number"
        raise MeasureError(f"{measure.__name__}: {field.name} must be {number}, not {value!r}") from error
