"""Measures and formats of other packages, found by their entry points."""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import EntryPoint, entry_points

from evaluator.errors import PluginError


def load_plugins(group: str, reserved: Collection[str] = ()) -> dict[str, object]:
    """What installed packages register in a group of entry points, by name.

    Args:
        group: `evaluator.measures`, `evaluator.vector_formats` or `evaluator.dataset_formats`.
        reserved: The names that evaluator itself uses in this group.

    Raises:
        PluginError: Two packages register the same name, one registers a reserved name, or an entry point
            cannot be imported; the message names the package.
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
    return {name: _load(entry) for name, entry in sorted(found.items())}


def _load(entry: EntryPoint) -> object:
    try:
        loaded: object = entry.load()
    except Exception as error:  # the code of others may raise anything
        raise PluginError(
            f"{_package(entry)}: {entry.name!r} of {entry.group} cannot be loaded from {entry.value}: "
            f"{type(error).__name__}: {error}; update or uninstall the package"
        ) from error
    return loaded


def _package(entry: EntryPoint) -> str:
    return f"package {entry.dist.name!r}" if entry.dist else "a package without a name"
