"""Which models are scored on which test sets."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluator.errors import TestSetError, VectorsError
from evaluator.execution.remote_files import absolute, is_url

LANGUAGE = "{language}"
"""Stands for a language's code in the places of models and test sets."""


def pairs(models: Sequence[str], tests: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For the place of each model those of its test sets; all are absolute, so that each is there once.

    Places may hold wildcards (`*`, of this machine), and `{language}`: a model is scored on the test sets of
    its language then, and otherwise on all of them. What exists under a name is taken, whatever it holds.

    Raises:
        VectorsError: Nothing is at a place of models, or none of the languages of the test sets have one.
        TestSetError: Nothing is at a place of test sets, or their language is not known.
    """
    places = [match for pattern in tests for match in _there(pattern)]
    paired: dict[str, list[str]] = {}
    for pattern in models:
        for model, own in _of_pattern(pattern, places):
            paired.setdefault(model, []).extend(own)
    return {model: tuple(dict.fromkeys(own)) for model, own in sorted(paired.items())}


_Match = tuple[str | None, str]


def _there(pattern: str) -> list[_Match]:
    found = list(_matching(pattern))
    if not found:
        raise TestSetError(f"{pattern}: there is nothing; name test sets, or a quoted pattern of them")
    return found


def _of_pattern(pattern: str, tests: Sequence[_Match]) -> list[tuple[str, list[str]]]:
    """The models of a pattern, each with its test sets."""
    if LANGUAGE not in pattern:
        found = [(model, [test for _, test in tests]) for _, model in _matching(pattern)]
        of_what = ""
    else:
        found = [
            (model, [test])
            for code, test in _with_language(tests)
            for _, model in _matching(pattern.replace(LANGUAGE, code))
        ]
        codes = sorted({code for code, _ in tests if code is not None})
        of_what = f" in the languages of the test sets ({', '.join(codes)})"
    if not found:
        raise VectorsError(
            f"{pattern}: no vectors are there{of_what}; name files, or a quoted pattern of them"
        )
    return found


def _with_language(tests: Sequence[_Match]) -> Iterator[tuple[str, str]]:
    for code, test in tests:
        if code is None:
            raise TestSetError(
                f"{test}: of which language? Where models are told apart by {LANGUAGE}, test sets must be as "
                f"well, as in testsets/{LANGUAGE}.json"
            )
        yield code, test


def _matching(pattern: str) -> Iterator[_Match]:
    """Places that fit a pattern, with their language; a URL is not looked for before it is read."""
    if is_url(pattern):
        yield None, pattern
        return
    folder, rest = _split(str(Path(pattern).absolute()))
    language = _expression(folder, rest)
    for path in sorted(glob.glob(glob.escape(folder) + rest.replace(LANGUAGE, "*"))):  # noqa: PTH207 - of any folder
        if LANGUAGE not in rest:
            yield None, absolute(path)
        elif found := language.fullmatch(path):
            yield found["language"], absolute(path)


def _split(pattern: str) -> tuple[str, str]:
    """What exists as it is written, though it may look like a pattern (`a[1].vec`), and the rest."""
    there, *steps = Path(pattern).parts
    for step in steps:
        if not os.path.lexists(longer := os.path.join(there, step)):  # noqa: PTH118 - `..` stays
            break
        there = longer
    return there, pattern[len(there) :]


def _expression(folder: str, rest: str) -> re.Pattern[str]:
    """What tells the language of a path: the same wherever a pattern has it, and as long as can be."""
    group = r"(?P<language>[^/]+)"
    found = re.escape(folder)
    for piece in re.split(r"(\{language\}|\*|\?|\[!?\]?[^]]*\])", rest):
        if piece == LANGUAGE:
            found += group
            group = "(?P=language)"
        elif piece == "*":
            found += "[^/]*?"
        elif piece == "?" or (len(piece) > 1 and piece.startswith("[")):
            found += "[^/]"  # which characters has been looked at
        else:
            found += re.escape(piece)
    return re.compile(found, re.DOTALL)
