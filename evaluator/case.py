"""Case folding by the rules of a language."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.orthography.alphabets import fold, turkish

_TURKIC = ("tr", "az", "crh", "gag", "kk-latn", "kk-tr", "tt-latn")


def folding(language: str) -> Callable[[str], str]:
    """Full case folding by the rules of a language: in Turkish and its like, I folds to ı and İ to i."""
    return turkish if language in _TURKIC else fold
