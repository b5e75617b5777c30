"""Which models are scored on which test sets."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence

from evaluator.errors import TestSetError, VectorsError

LANGUAGE = "{language}"
"""Stands for a language's code in the places of models and test sets."""


def pairs(models: Sequence[str], tests: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For the place of each model those of its test sets.

    Places may hold wildcards (`*`, of this machine), and `{language}`: a model is scored on the test sets of
    its language then, and otherwise on all of them.

    Raises:
        VectorsError: Nothing is at the place of any model.
        TestSetError: Nothing is at a place of test sets, or none of the languages of the models have one.
    """
    places = [match for pattern in tests for match in _there(pattern)]
    paired: dict[str, list[str]] = {}
    for pattern in models:
        for model, own in _of_pattern(pattern, places):
            paired.setdefault(model, []).extend(own)
    if not paired:
        raise VectorsError(f"{', '.join(models)}: no vectors are there")
    return {model: tuple(dict.fromkeys(own)) for model, own in sorted(paired.items())}


_Match = tuple[str | None, str]


def _there(pattern: str) -> list[_Match]:
    found = list(_matching(pattern))
    if not found:
        raise TestSetError(f"{pattern}: there is nothing; name test sets, or a pattern of them")
    return found


def _of_pattern(pattern: str, tests: Sequence[_Match]) -> Iterator[tuple[str, list[str]]]:
    """The models of a pattern, each with its test sets."""
    if LANGUAGE not in pattern:
        yield from ((model, [test for _, test in tests]) for _, model in _matching(pattern))
        return
    for code, test in tests:
        if code is None:
            raise TestSetError(
                f"{test}: of which language? Where models are told apart by {LANGUAGE}, test sets must be as "
                f"well, as in testsets/{LANGUAGE}.json"
            )
        yield from ((model, [test]) for _, model in _matching(pattern.replace(LANGUAGE, code)))


def _matching(pattern: str) -> Iterator[_Match]:
    """Places that fit a pattern, with their language; a URL is not looked for before it is read."""
    if "://" in pattern:
        yield None, pattern
        return
    if LANGUAGE not in pattern:
        yield from ((None, path) for path in sorted(glob.glob(pattern)))  # noqa: PTH207 - of any folder
        return
    before, _, after = pattern.partition(LANGUAGE)
    for path in sorted(glob.glob(pattern.replace(LANGUAGE, "*"))):  # noqa: PTH207
        code = path[len(before) : len(path) - len(after)]
        if path == before + code + after and os.sep not in code:
            yield code, path
