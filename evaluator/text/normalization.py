"""Normalization: the form in which words of test sets, vocabularies and corpora are compared."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.errors import ScoreError
from evaluator.text.orthography import parse_profile
from evaluator.text.orthography.alphabets import fold, turkish

Form = Callable[[str], str]

_TURKIC = ("tr", "az", "crh", "gag", "kk-latn", "kk-tr", "tt-latn")


def as_is(word: str) -> str:
    """The word itself."""
    return word


def folding(language: str) -> Callable[[str], str]:
    """Full case folding by the rules of a language: in Turkish and its like, I folds to ı and İ to i."""
    return turkish if language in _TURKIC else fold


def form_of(language: str, case: str = "exact", profile: str = "") -> Form:
    """What brings words into the form in which they are compared.

    Args:
        language: Its code; its rules of case hold.
        case: `exact`, `fold` or `upper`, as in `Settings`.
        profile: The name of an orthography profile, applied before case is; "" for none.

    Returns:
        `as_is` itself where nothing changes, so that callers can tell.

    Raises:
        ScoreError: There is no such profile, or no such case.
    """
    of_case: dict[str, Form] = {"exact": as_is, "fold": folding(language), "upper": str.upper}
    if case not in of_case:
        raise ScoreError(f"case is {case!r}; choose from {', '.join(of_case)}")
    change_case = of_case[case]
    if not profile:
        return change_case
    spell = parse_profile(profile)
    return spell if change_case is as_is else lambda word: change_case(spell(word))
