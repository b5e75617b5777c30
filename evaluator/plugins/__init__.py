"""What plug-ins are made with, and the two that ship with evaluator: `probes` and `emoji`.

A plug-in is a package that adds measures, formats, commands or kinds of results by entry points; see
docs/extending.md. The names here are stable: they change only with a new major version of evaluator. What
else evaluator has inside may change at any time.

    a measure               Measure, SimpleMeasure, Evaluation, ImmediateEvaluation, Subscore,
                            VocabularyLookup, jackknife_pseudovalues
    a format of vectors     vector_format, Vectors
    a format of data sets   dataset_format, DataSetSource, and what test sets hold
    a command               option, number, the groups of help (SCORED, …), `options`, which holds the
                            options of evaluator's own commands, Progress, show, write_results
    a kind of result        ResultFile, Score, Scores, frame_of (the long table), the types of its numbers,
                            Section, what sections hold, and the cells of tables: count, interval, name, rate,
                            signed
"""

from __future__ import annotations

import re
from importlib.resources import files
from pkgutil import resolve_name

# What there is stands in __init__.pyi; a module is loaded when something of it is first used, so that the
# help of a command does not load what computes.
_STUB = files(__name__).joinpath("__init__.pyi").read_text(encoding="utf-8")
_PATHS = {name: f"{module}.{name}" for module, name in re.findall(r"from (\S+) import (\w+) as", _STUB)}
__all__ = sorted(_PATHS)  # noqa: PLE0605  # as in the stub


def __getattr__(name: str) -> object:
    """A name of the stub."""
    if name not in _PATHS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = resolve_name(_PATHS[name])
    return found
