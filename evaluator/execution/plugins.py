"""What has a name: commands, kinds of results and the like, evaluator's own and those of other packages.

Evaluator's own are given as `module:object`, as in an entry point, and nothing is loaded before it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pkgutil import resolve_name
from typing import TypeVar, cast

from evaluator.errors import PluginError

T = TypeVar("T")

Check = Callable[[str, object], str | None]
"""From the name and the object of an entry point to what is wrong with it; None if it can be used."""


def plugin_names(group: str, own: Collection[str] = ()) -> list[str]:
    """All names of a group of entry points: evaluator's own, and those that installed packages register."""
    return [*own, *_registered(group, own)]


def _is_function(_: str, loaded: object) -> str | None:
    return None if callable(loaded) else "is not a function"


def load_plugin(group: str, name: str, own: Mapping[str, str], check: Check = _is_function) -> object | None:
    """What has a name in a group; None if nothing has."""
    if name in own:
        loaded: object = resolve_name(own[name])
        return loaded
    entry = _registered(group, own).get(name)
    return None if entry is None else _load(entry, check)


def load_plugins(group: str, reserved: Collection[str] = (), check: Check | None = None) -> dict[str, object]:
    """What installed packages register in a group of entry points, by name."""
    return {name: _load(entry, check) for name, entry in _registered(group, reserved).items()}


def load_formats(group: str, own: Mapping[str, T], decorator: str) -> dict[str, T]:
    """The formats that installed packages register, of the type of our own ones, made with a decorator."""
    kind = type(next(iter(own.values())))

    def problem(name: str, loaded: object) -> str | None:
        fits = isinstance(loaded, kind) and getattr(loaded, "name", None) == name
        return None if fits else f"is not a function decorated with {decorator}({name!r}, …)"

    return cast("dict[str, T]", load_plugins(group, own, problem))


def _registered(group: str, reserved: Collection[str]) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in sorted(_entry_points(group, tuple(sys.path)), key=lambda each: each.name):
        if entry.name in reserved:
            raise PluginError(
                f"{_package(entry)} registers {entry.name!r} in {group}, which is a name of evaluator's own; "
                "uninstall the package, or rename its entry point"
            )
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise PluginError(
                f"{_package(other)} and {_package(entry)} both register {entry.name!r} in {group}; "
                "uninstall one of them"
            )
    return found


@cache
def _entry_points(group: str, _: tuple[str, ...]) -> EntryPoints:
    """Those that are installed where Python searches; to find them, a file of every package is read."""
    return entry_points(group=group)


def _load(entry: EntryPoint, check: Check | None) -> object:
    try:
        loaded: object = entry.load()
    except Exception as error:  # the code of others may raise anything
        message = f"cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
        raise PluginError(_message(entry, message)) from error
    problem = None if check is None else check(entry.name, loaded)
    if problem is not None:
        raise PluginError(_message(entry, problem))
    return loaded


def _message(entry: EntryPoint, complaint: str) -> str:
    return f"{_package(entry)}: {entry.name!r} of {entry.group} {complaint}; update or uninstall the package"


def _package(entry: EntryPoint) -> str:
    return f"package {entry.dist.name!r}" if entry.dist else "a package without a name"
