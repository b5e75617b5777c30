"""Measures and formats of other packages, found by their entry points."""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib.metadata import EntryPoint, entry_points

from evaluator.errors import PluginError

Check = Callable[[str, object], str | None]
"""From the name and the object of an entry point to what is wrong with it; None if it can be used."""


def load_plugins(group: str, reserved: Collection[str] = (), check: Check | None = None) -> dict[str, object]:
    """What installed packages register in a group of entry points, by name.

    Args:
        group: `evaluator.measures`, `evaluator.vector_formats` or `evaluator.dataset_formats`.
        reserved: The names that evaluator itself uses in this group.
        check: Says what is wrong with a loaded object, such as "is not a subclass of Measure".

    Raises:
        PluginError: Two packages register the same name, one registers a reserved name, or an entry point
            cannot be imported or used; the message names the package.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
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
    return {name: _load(entry, check) for name, entry in sorted(found.items())}


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
