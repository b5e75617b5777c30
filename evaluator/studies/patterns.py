"""Test sets and models by patterns with wildcards, `{language}` and `{model}`; which are scored on which."""

from __future__ import annotations

import glob
import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluator.errors import ScoreError, TestSetError, VectorsError
from evaluator.execution.remote_files import absolute, is_url
from evaluator.text.normalization import spellings, usual_code
from evaluator.vectors.reading import encoder_parts

LANGUAGE = "{language}"  # stands for a language code in the paths of models and test sets

MODEL = "{model}"  # stands for the name of a model in its path


class _Match(NamedTuple):
    """A language code, if the pattern tells it; an absolute path or a URL; the name of a model, likewise."""

    language: str | None
    path: str
    model: str | None = None


@dataclass(frozen=True)
class Paired:
    """The paths or URLs of what a model is scored on; their language and its `{model}`, if they are known."""

    tests: tuple[str, ...]
    language: str | None = None
    model: str | None = None


def pairs(models: Sequence[str], tests: Sequence[str]) -> dict[str, Paired]:
    """The test sets of each model, by absolute paths or URLs.

    Paths may contain wildcards (`*`, on this machine) and `{language}`. If the path of a model contains
    `{language}`, the model is scored on the test sets of its language, else on all, which must not be of
    several languages. A folder of test sets is the same as `FOLDER/{language}.json`. A file whose name is
    exactly the text is taken, even if the text contains wildcards.
    """
    refuse_other_places([*models, *tests])
    matches = [match for pattern in tests for match in _existing_tests(pattern)]
    paired: dict[str, Paired] = {}
    for pattern in models:
        for match, own in _pairs_of_pattern(pattern, matches):
            before = paired[match.path].tests if match.path in paired else ()
            both = tuple(dict.fromkeys((*before, *own)))
            paired[match.path] = Paired(both, match.language, match.model)
    return dict(sorted(paired.items(), key=lambda pair: (pair[1].language or "", pair[0])))


def missing(models: Sequence[str], paired: Mapping[str, Paired]) -> Iterator[str]:
    """What lacks in a table of models and languages: test sets of models, and models in languages."""
    for pattern in models:
        for found in _matching(pattern) if LANGUAGE in pattern and not is_url(pattern) else ():
            if found.path not in paired:
                yield f"{_from_here(found.path)}: there is no test set of {found.language}"
    there = {(each.model, each.language) for each in paired.values() if each.model and each.language}
    names, codes = ({each[number] for each in there} for number in (0, 1))
    for name, code in sorted(set(itertools.product(names, codes)) - there):
        yield f"{name}: there are no vectors of {code}"


def languages_in(pattern: str) -> list[str]:
    """The codes of languages for which there are files of a pattern with `{language}`."""
    return sorted({usual_code(each.language) for each in _matching(pattern) if each.language})


def of_language(patterns: Sequence[str], code: str | None = None) -> list[tuple[str, str | None]]:
    """The test sets of one language, or of the only one; each with the code, if it is known."""
    short = None if code is None else usual_code(code)
    return [(test, short or own) for pattern in patterns for own, test, _ in _one_language(pattern, code)]


def refuse_other_places(patterns: Iterable[str]) -> None:
    """Refuse `{lang}` and the like, unless it is the name of a file."""
    for each in patterns:
        other = _OTHER.search(each)
        if other and not os.path.lexists(each):
            raise ScoreError(
                f"{each}: {other[0]} means nothing in a pattern. Write {LANGUAGE} where names have the code "
                f"of a language, {MODEL} where they have the name of a model, and * for anything else"
            )


def _one_language(pattern: str, code: str | None) -> list[_Match]:
    if named := _named(pattern):
        return [named]
    pattern = _with_folder(pattern)
    if is_url(pattern):
        return [_Match(None, pattern.replace(LANGUAGE, usual_code(code) if code else LANGUAGE))]
    if LANGUAGE not in pattern and (os.path.lexists(pattern) or not _WILDCARD.search(pattern)):
        return [_Match(None, pattern)]  # as it is written; whoever reads it says if it is not there
    found = _existing_tests(pattern)
    codes = sorted({each.language for each in found if each.language is not None})
    wanted = codes if code is None else [each for each in spellings(code) if each in codes]
    if codes and (not wanted or (code is None and len(codes) > 1)):
        what = f"no test set of {code} is there" if code else "which language? Name it with --language CODE"
        raise TestSetError(f"{pattern}: {what}; there are {_listed(codes)}. `testgen generate` makes more")
    return [_Match(own, _from_here(test)) for own, test, _ in found if own in (None, *wanted[:1])]


def _named(pattern: str) -> _Match | None:
    """The test set of a name of a language or benchmark; None if it is no name, or a file has it."""
    if os.path.lexists(pattern):
        return None
    from evaluator.datasets.names import by_name

    found = by_name(pattern)
    return found and _Match(found[1], found[0])


def _listed(codes: Sequence[str]) -> str:
    more = f" and {len(codes) - _LISTED} more" if len(codes) > _LISTED else ""
    return f"{', '.join(codes[:_LISTED])}{more}"


_LISTED = 20
_WILDCARD = re.compile(r"[*?[]")
_PLACE = re.compile(r"\{language\}|\{model\}")
_OTHER = re.compile(r"\{(?!language\}|model\})\w*\}")


def _from_here(path: str) -> str:
    here = os.path.join(Path.cwd(), "")  # noqa: PTH118 - ends in a slash
    return path.removeprefix(here)


def _with_folder(pattern: str) -> str:
    """The same; of a folder that holds test sets the pattern of these."""
    is_folder = LANGUAGE not in pattern and not is_url(pattern) and any(Path(pattern).glob("*.json"))
    return str(Path(pattern) / f"{LANGUAGE}.json") if is_folder else pattern


def _existing_tests(pattern: str) -> list[_Match]:
    if named := _named(pattern):
        return [named]
    found = list(_matching(_with_folder(pattern)))
    if not found:
        raise TestSetError(f"{pattern}: no such file; name test sets, or a quoted pattern of them")
    return found


def _pairs_of_pattern(pattern: str, tests: Sequence[_Match]) -> list[tuple[_Match, list[str]]]:
    codes = sorted({each.language for each in tests if each.language is not None})
    if LANGUAGE not in pattern:
        named = [_Match(None, pattern)] if encoder_parts(pattern) else _matching(pattern)
        found = [(each, [test.path for test in tests]) for each in named]
        of_languages = ""
        if found and len(codes) > 1:
            raise TestSetError(_which_language(pattern, codes))
    else:
        found = [
            (match._replace(language=code), [test])
            for code, test in _with_language(tests)
            for spelled in ([code] if is_url(pattern) else spellings(code))
            for match in _matching(pattern.replace(LANGUAGE, spelled))
        ]
        of_languages = f" for the languages of the test sets ({', '.join(codes)})"
    if not found:
        name, equals, _ = pattern.partition("=")
        alone = f". Each file is a model of its own here: leave out {name}=" if equals else ""
        raise VectorsError(
            f"{pattern}: there are no vectors{of_languages}; name files, or a quoted pattern of them{alone}"
        )
    return found


def _which_language(pattern: str, codes: Sequence[str]) -> str:
    """What to say of a model whose language is not known, where test sets are of several."""
    parts = [
        f"{LANGUAGE}{Path(part).suffix}" if Path(part).stem in codes else part for part in Path(pattern).parts
    ]
    like_it = str(Path(*parts))
    example = like_it if LANGUAGE in like_it else f"models/{LANGUAGE}.vec"
    return (
        f"{pattern}: which language? The test sets are of {len(codes)} ({_listed(codes)}). Write {LANGUAGE} "
        f"where names of models have the code, in quotes: '{example}'; or name the test sets of this model; "
        "or 'FOLDER/*.json' for all of them"
    )


def _with_language(tests: Sequence[_Match]) -> Iterator[tuple[str, str]]:
    for code, test, _ in tests:
        own = code or _language_of(test)
        if own is None:
            raise TestSetError(
                f"{test}: its language is not known. If {LANGUAGE} is in the names of models, it must be in "
                f"those of test sets too, as in testsets/{LANGUAGE}.json"
            )
        yield own, test


def _language_of(test: str) -> str | None:
    """The language that a test set states, or that of a benchmark's file of this name."""
    from evaluator.datasets.names import language_of_file
    from evaluator.datasets.reading import read_testset

    stated = read_testset(test).language
    return language_of_file(test) if stated == "und" else stated


def _matching(pattern: str) -> Iterator[_Match]:
    """Files that match a pattern, with their language; a URL is not checked before it is read."""
    if is_url(pattern):
        yield _Match(None, pattern)
        return
    folder, rest = _existing_part(str(Path(pattern).absolute()))
    if not rest:
        yield _Match(None, absolute(folder))
        return
    expression = _expression(folder, rest) if _PLACE.search(rest) else None
    for path in sorted(glob.glob(glob.escape(folder) + _PLACE.sub("*", rest))):  # noqa: PTH207 - of any folder
        if expression is None:
            yield _Match(None, absolute(path))
        elif found := expression.fullmatch(path):
            groups = found.groupdict()
            yield _Match(groups.get("language"), absolute(path), groups.get("model"))


def _existing_part(pattern: str) -> tuple[str, str]:
    """The part of a pattern that exists as written, even with wildcards (`a[1].vec`), and the rest."""
    existing, *steps = Path(pattern).parts
    for step in steps:
        if not os.path.lexists(longer := os.path.join(existing, step)):  # noqa: PTH118 - `..` stays
            break
        existing = longer
    return existing, pattern[len(existing) :]


def _expression(folder: str, rest: str) -> re.Pattern[str]:
    """Finds language and model in a path: the same in all positions, the first as long as possible."""
    expression = re.escape(folder)
    for segment in re.split(r"(\{language\}|\{model\}|\*|\?|\[!?\]?[^]]*\])", rest):
        if _PLACE.fullmatch(segment):
            name = segment[1:-1]
            expression += f"(?P={name})" if f"(?P<{name}>" in expression else f"(?P<{name}>[^/]+)"
        elif segment == "*":
            expression += "[^/]*?"
        elif segment == "?" or (len(segment) > 1 and segment.startswith("[")):
            expression += "[^/]"  # glob has checked which characters
        else:
            expression += re.escape(segment)
    return re.compile(expression, re.DOTALL)
