"""Defaults that a package has for users who name nothing; its limits, and how its types are made.

`python -m tests.defaults` records them: look at the difference before you commit it.
"""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
PLAIN = (bool, int, float, str, bytes, type(None), tuple)
LIMITS = ("MOST", "LEAST", "LONGEST", "FEW", "SIGNIFICANT", "LEVEL", "SIZE", "OUTLIERS")


def defaults_of(package: str) -> dict[str, str]:
    """The defaults by module and name, as text."""
    found = {}
    for each in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        if each.name.endswith("__main__"):  # it runs the program
            continue
        module = import_module(each.name)
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", each.name) == each.name:
                found |= {f"{each.name}.{name}{key}": own for key, own in _of(value)}
            if name.startswith(LIMITS) and isinstance(value, int | float):
                found[f"{each.name}.{name}"] = repr(value)
    return dict(sorted(found.items()))


def _of(value):
    """The defaults of a class or function."""
    if inspect.isclass(value):
        for name, member in vars(value).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                yield from ((f".{name}{key}", own) for key, own in _of(member))
        how = getattr(value, "__dataclass_params__", None) or getattr(value, "__struct_config__", None)
        if how is not None:
            yield from _parameters(value)
            yield ", frozen", repr(how.frozen)
            for name, field in inspect.signature(value).parameters.items():
                if field.kind is field.KEYWORD_ONLY:
                    yield f"({name}), by name alone", "True"
    elif inspect.isfunction(value):
        yield from _parameters(value)


def _parameters(value):
    for name, parameter in inspect.signature(value).parameters.items():
        default = parameter.default
        if default is not parameter.empty and isinstance(default, PLAIN):
            yield f"({name})", repr(default)


def recorded(package: str) -> dict[str, str]:
    """What was recorded."""
    lines = (HERE / package / "defaults.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(" = ", 1) for line in lines)


if __name__ == "__main__":
    for each in ("evaluator", "testgen"):
        text = "".join(f"{name} = {value}\n" for name, value in defaults_of(each).items())
        (HERE / each / "defaults.txt").write_text(text, encoding="utf-8")
