"""Case folding by the rules of a language."""

from __future__ import annotations

from collections.abc import Callable

_TURKIC = ("tr", "az", "crh", "gag", "kk-latn", "kk-tr", "tt-latn")


def folding(language: str) -> Callable[[str], str]:
    """Full case folding by the rules of a language: in Turkish and its like, I folds to ı and İ to i."""
    return _fold_turkic if language in _TURKIC else _fold


def _fold(word: str) -> str:
    return _undotted(word).casefold()


def _fold_turkic(word: str) -> str:
    return _undotted(word).replace("I", "ı").casefold()


def _undotted(word: str) -> str:
    """İ is i in all its forms: one code point, two as in NFD, and the two that lower() makes of it."""
    return word.replace("İ", "i").replace("I\u0307", "i").replace("i\u0307", "i")
