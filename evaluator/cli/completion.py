"""What a shell completes: the values that options can have, found without loading heavy libraries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer

import evaluator

_MEASURE = re.compile(r"^class (\w+)\(\w*Measure\):", re.MULTILINE)
_VECTOR_FORMAT = re.compile(r"^        _format\(\"([\w-]+)\"", re.MULTILINE)
_FORMAT = re.compile(r"^@\w+_format\(\s*\"([\w-]+)\"", re.MULTILINE)


def measures(incomplete: str) -> list[str]:
    """Names of measures; those that end in Measure are what measures have in common."""
    names = _defined("measures", _MEASURE, "evaluator.measures")
    return _completions((name for name in names if not name.endswith("Measure")), incomplete)


def vector_formats(incomplete: str) -> list[str]:
    """Names of formats of vectors."""
    names = _defined("vectors", _VECTOR_FORMAT, "evaluator.vector_formats")
    return _completions(["auto", *names], incomplete)


def test_formats(incomplete: str) -> list[str]:
    """Names of formats of test sets."""
    names = _defined("datasets/formats", _FORMAT, "evaluator.dataset_formats")
    return _completions(["auto", *names], incomplete)


def profiles(incomplete: str) -> list[str]:
    """Orthography profiles; after a plus another one."""
    from evaluator.text.orthography.profile import profiles as known

    before, plus, last = incomplete.rpartition("+")
    return [f"{before}{plus}{name}" for name in _completions(known(), last)]


def languages(context: typer.Context, incomplete: str) -> list[str]:
    """The languages of the test sets that are named already, or all that have a two-letter code."""
    from evaluator.text.languages import longer_codes

    folders = (path for path in _named_tests(context) if path.is_dir())
    there = [file.stem for folder in folders for file in folder.glob("*.json")]
    return _completions(there or longer_codes(), incomplete)


def categories(context: typer.Context, incomplete: str) -> list[str]:
    """The categories of the test sets that are named already."""
    return _completions((str(each.get("name")) for each in _categories(context)), incomplete)


def topics(context: typer.Context, incomplete: str) -> list[str]:
    """The topics of the test sets that are named already."""
    return _completions(
        (str(each["topic"]) for each in _categories(context) if each.get("topic")), incomplete
    )


def _categories(context: typer.Context) -> Iterator[dict[str, Any]]:
    for path in _named_tests(context):
        for file in sorted(path.glob("*.json"))[:_READ] if path.is_dir() else [path]:
            try:
                yield from json.loads(file.read_bytes())["categories"]
            except (OSError, ValueError, KeyError, TypeError):
                continue


def _named_tests(context: typer.Context) -> list[Path]:
    """The test sets on the command line; of a pattern the folder."""
    paths = map(Path, context.params.get("test") or [])
    return [path.parent if path.name == "{language}.json" else path for path in paths]


_READ = 20  # test sets of a folder; others have hardly any other category


def _defined(folder: str, pattern: re.Pattern[str], group: str) -> list[str]:
    """What the modules of a folder define, and what other packages add to it, without importing either."""
    from importlib.metadata import entry_points

    modules = Path(evaluator.__file__).parent.joinpath(folder).glob("*.py")
    names = [name for path in modules for name in pattern.findall(path.read_text(encoding="utf-8"))]
    return [*names, *entry_points(group=group).names]


def _completions(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})
