"""The measures, and the text that names one; measures of other packages are found by their entry points.

What they compute with is in `evaluator.engine`; intervals are not computed here.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, cast, get_origin

from evaluator.errors import MeasureError
from evaluator.execution.plugins import load_plugins
from evaluator.measures.base import Evaluation, Measure, Subscore, type_hints

__all__ = ["Evaluation", "Measure", "Subscore", "measure_classes", "measure_of", "parse_measure"]

GROUP = "evaluator.measures"
"""The entry points by which other packages add measures."""

_TEXT = re.compile(r"\s*(\w+)\s*(?:\(([^()]*)\))?\s*(?:@\s*(-?\w+))?\s*")


@cache
def measure_classes() -> Mapping[str, type[Measure]]:
    """All measures by name: evaluator's own and those of other packages."""

    def problem(name: str, loaded: object) -> str | None:
        fits = _is_measure(loaded) and getattr(loaded, "__name__", "") == name
        return None if fits else f"is not a class {name} derived from evaluator.Measure"

    own = _own_measures()
    plugins = cast("dict[str, type[Measure]]", load_plugins(GROUP, own, problem))
    return dict(sorted({**own, **plugins}.items()))


def parse_measure(text: str | Measure) -> Measure:
    """The measure that a text names: `Topk@3`, `OddOneOut(samples=1000)@3`.

    What is left out has its default: `Topk` is `Topk@3`. A measure is returned as it is.

    Raises:
        MeasureError: The text cannot be read, or names a measure, parameter or value that does not exist.
        PluginError: What another package registers cannot be used.
    """
    if isinstance(text, Measure):
        _PASSED[str(text)] = text
        return text
    match = _TEXT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise MeasureError(
            f"{text!r} is not a measure; measures look like Topk@3 or OddOneOut(samples=1000)@3"
        )
    name, options, k = match.groups()
    measure, values = _measure_class(name), dict[str, Any]()
    for option in filter(str.strip, (options or "").split(",")):
        key, value = _option(text, option)
        if key in values:
            raise MeasureError(f"{text!r}: {key} stands there twice; give it once")
        values[key] = _value(measure, key, value)
    if k is not None:
        values["k"] = _value(measure, "k", k)
    return measure(**values)


def measure_of(text: str) -> Measure:
    """The measure of a score: what its text names, or an object that was passed, known here or not."""
    return _PASSED.get(text) or parse_measure(text)


_PASSED: dict[str, Measure] = {}


def _measure_class(name: str) -> type[Measure]:
    """The class of a measure; its own module is tried first, so that the others need not be loaded."""
    own = _measures_in(name.lower()) if find_spec(f"{__name__}.{name.lower()}") else {}
    found = own.get(name) or _own_measures().get(name) or measure_classes().get(name)
    if found is None:
        known = list(measure_classes())
        near = difflib.get_close_matches(name.lower(), [each.lower() for each in known], n=1, cutoff=0.5)
        meant = [each for each in known if each.lower() in near]
        hint = f"; did you mean {meant[0]}?" if meant else "."
        raise MeasureError(f"unknown measure {name!r}{hint} The measures are {', '.join(known)}.")
    return found


@cache
def _own_measures() -> Mapping[str, type[Measure]]:
    return {
        name: each
        for module in pkgutil.iter_modules(__path__)
        for name, each in _measures_in(module.name).items()
    }


def _measures_in(module: str) -> dict[str, type[Measure]]:
    members = vars(importlib.import_module(f"{__name__}.{module}")).values()
    return {member.__name__: member for member in members if _is_measure(member)}


def _is_measure(value: object) -> bool:
    if not inspect.isclass(value) or not issubclass(value, Measure) or inspect.isabstract(value):
        return False
    return not value.__name__.startswith("_")


def _option(text: str, option: str) -> tuple[str, str]:
    key, equals, value = (each.strip() for each in option.partition("="))
    if not equals or not key or not value or key == "k":
        raise MeasureError(
            f"{text!r}: {option.strip()!r} is not a parameter; parameters look like samples=1000"
        )
    return key, value


def _value(measure: type[Measure], key: str, value: str) -> Any:  # noqa: ANN401  # each field has its type
    known = [field.name for field in fields(measure) if field.default is not MISSING]
    if key not in known:
        if key == "k":
            raise MeasureError(f"{measure.__name__} has no parameter k; leave out @{value}")
        others = [name for name in known if name != "k"]
        raise MeasureError(
            f"{measure.__name__} has no parameter {key!r}; it has {', '.join(others) or 'none but k'}"
        )
    hint = type_hints(measure)[key]
    if hint is str or get_origin(hint) is Literal:
        return value
    kind = float if hint is float else int
    try:
        return kind(value)
    except ValueError as error:
        number = "a number" if kind is float else "a whole number"
        raise MeasureError(f"{measure.__name__}: {key} must be {number}, not {value!r}") from error
