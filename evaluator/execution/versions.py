"""The versions of the libraries that results depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec


def versions() -> dict[str, str]:
    """Of this machine: another version may give other results from the same files and seeds."""
    names = ("testgen-evaluator", "gensim", "numpy")
    return {name: version(name) for name in names if name != "gensim" or find_spec(name)}


def told(found: Mapping[str, str]) -> str:
    """Versions in a line."""
    return ", ".join(f"{name} {number}" for name, number in found.items()) or "unknown versions"


def mixed_notes(found: Sequence[Mapping[str, str]]) -> list[str]:
    """A remark on results that several versions have part in; nothing if there is one."""
    if len(found) < 2:
        return []
    listed = "; ".join(map(told, found))
    return [f"computed by several versions, which may differ in their results: {listed}"]
