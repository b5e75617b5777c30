"""Which test sets a pattern means, and which models are scored on which of them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluator.errors import TestSetError, VectorsError
from evaluator.execution.remote_files import absolute, is_url
from evaluator.text.languages import spellings, usual_code

LANGUAGE = "{language}"
"""Stands for a language's code in the places of models and test sets."""


def pairs(models: Sequence[str], tests: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For the place of each model those of its test sets; all are absolute, so that each is there once.

    Places may hold wildcards (`*`, of this machine), and `{language}`: a model is scored on the test sets of
    its language then, and otherwise on all of them. A folder of test sets is the same as
    `FOLDER/{language}.json`. What exists under a name is taken, whatever it holds.

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


def of_language(patterns: Sequence[str], code: str | None = None) -> list[tuple[str, str | None]]:
    """The test sets of one language, each with the code of the language if it is known.

    Args:
        patterns: Files, URLs, folders of test sets, or patterns.
        code: The language, also in the three letters of ISO 639-3; None if it is not known, and then all test
            sets must be of the same language.

    Raises:
        TestSetError: There are none, none of the language, or several languages to choose from.
    """
    short = None if code is None else usual_code(code)
    return [(test, short or own) for pattern in patterns for own, test in _one_language(pattern, code)]


def _one_language(pattern: str, code: str | None) -> list[_Match]:
    pattern = _with_folder(pattern)
    if is_url(pattern):
        return [(None, pattern.replace(LANGUAGE, code or LANGUAGE))]
    if LANGUAGE not in pattern and (os.path.lexists(pattern) or not _WILDCARD.search(pattern)):
        return [(None, pattern)]  # as it is written; whoever reads it says if it is not there
    found = _there(pattern)
    codes = sorted({own for own, _ in found if own is not None})
    wanted = codes if code is None else [each for each in spellings(code) if each in codes]
    if codes and (not wanted or (code is None and len(codes) > 1)):
        what = f"no test set of {code} is there" if code else "which language? Name it with --language CODE"
        raise TestSetError(f"{pattern}: {what}; there are {_listed(codes)}. `testgen generate` makes more")
    return [(own, _from_here(test)) for own, test in found if own in (None, *wanted[:1])]


def _listed(codes: Sequence[str]) -> str:
    more = f" and {len(codes) - _LISTED} more" if len(codes) > _LISTED else ""
    return f"{', '.join(codes[:_LISTED])}{more}"


_Match = tuple[str | None, str]
_LISTED = 20
_WILDCARD = re.compile(r"[*?[]")


def _from_here(path: str) -> str:
    """A path below the working directory as seen from there."""
    here = os.path.join(Path.cwd(), "")  # noqa: PTH118 - ends in a slash
    return path.removeprefix(here)


def _with_folder(pattern: str) -> str:
    """The same; of a folder that holds test sets the pattern of these."""
    is_folder = LANGUAGE not in pattern and not is_url(pattern) and any(Path(pattern).glob("*.json"))
    return str(Path(pattern) / f"{LANGUAGE}.json") if is_folder else pattern


def _there(pattern: str) -> list[_Match]:
    found = list(_matching(_with_folder(pattern)))
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
            for spelled in ([code] if is_url(pattern) else spellings(code))
            for _, model in _matching(pattern.replace(LANGUAGE, spelled))
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
