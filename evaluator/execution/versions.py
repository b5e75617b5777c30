"""The versions of the libraries that results depend on."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec


def versions() -> dict[str, str]:
    """Of this machine: another version may give other results from the same files and seeds."""
    names = ("testgen-evaluator", "gensim", "numpy")
    return {name: version(name) for name in names if name != "gensim" or find_spec(name)}


def told(found: Mapping[str, str]) -> str:
    """Versions in a line."""
    return ", ".join(f"{name} {number}" for name, number in found.items()) or "unknown versions"
