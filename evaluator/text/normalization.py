"""Normalization: test sets, vocabularies and corpora are compared by the normalized forms of their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluator.errors import ScoreError
from evaluator.text.orthography.alphabets import fold, turkish

Normalizer = Callable[[str], str]
"""From a word to its normalized form."""

_TURKIC = ("tr", "az", "crh", "crh-ro", "diq", "gag", "kaa", "kk-latn", "kk-tr", "tly", "tt-latn")


def unchanged(word: str) -> str:
    """The word itself."""
    return word


def case_folding(language: str) -> Normalizer:
    """Full case folding by the rules of a language: in Turkish and related ones, I becomes ı, İ becomes i."""
    return turkish if language in _TURKIC else fold


def normalized(words: Sequence[str], key: Normalizer) -> list[str]:
    """The normalized forms of many words."""
    if key is fold:
        together = "\n".join(words)
        if "İ" not in together and "\u0307" not in together:  # for all other words, both do the same
            key = str.casefold
    return list(map(key, words))


def normalizer(language: str, case: str = "exact", profile: str = "") -> Normalizer:
    """The function that normalizes words.

    Args:
        language: Its code; it decides the rules of case.
        case: `exact`, `fold` or `upper`, as in `Settings`.
        profile: The name of an orthography profile, applied before the case; "" for none.

    Returns:
        A function; `unchanged` itself where nothing changes, so that callers can tell.
    """
    of_case: dict[str, Normalizer] = {
        "exact": unchanged,
        "fold": case_folding(language),
        "upper": str.upper,
    }
    if case not in of_case:
        raise ScoreError(f"case is {case!r}; choose from {', '.join(of_case)}")
    change_case = of_case[case]
    if not profile:
        return change_case
    from evaluator.text.orthography.profile import parse_profile

    respell = parse_profile(profile)
    return respell if change_case is unchanged else lambda word: change_case(respell(word))
