"""All errors that evaluator raises for its users.

EvaluatorError
├── TestSetError   a test set file cannot be read
├── VectorsError   a vectors file cannot be read, or holds vectors that cannot be scored
├── MeasureError   a measure's text or parameters are wrong
├── ScoreError     there is nothing left to score
├── ResultsError   a result file cannot be read, or results cannot be compared
├── CorpusError    a text corpus cannot be read, or contains no words
├── TrainingError  a model cannot be trained
├── StudyError     a study cannot be started or resumed
├── ChangedError   a file changed while it was read
├── ClusterError   a cluster cannot be used, or the connection to it was lost
├── PluginError    a measure or format of another package cannot be used
├── ExtraError     a library is missing that an extra installs
├── GensimError    gensim is missing, which does not exist for every Python
└── OutputError    a file cannot be written

Each message says what is wrong, where, and what to do; the command line prints it and exits with 2. What
msgspec finds wrong with a JSON value, `plain_error` says in plain words.
"""

from __future__ import annotations

import math
import re
from functools import reduce
from typing import Any


class EvaluatorError(Exception):
    """The base class of all errors that a user can do something about."""


class TestSetError(EvaluatorError):
    """A test set file cannot be read; the message names file and JSON path."""

    __test__ = False  # pytest would otherwise collect a class named Test…


class VectorsError(EvaluatorError):
    """A vectors file cannot be read, or holds vectors that cannot be scored."""


class MeasureError(EvaluatorError):
    """A measure's text or its parameters are wrong."""


class ScoreError(EvaluatorError, ValueError):
    """There is nothing left to score, or a setting does not exist.

    A ValueError, as TrainingError is: to that, msgspec adds where in a file the settings are.
    """


class ResultsError(EvaluatorError):
    """A result file cannot be read, or results cannot be compared; messages name file and JSON path."""


class CorpusError(EvaluatorError):
    """A text corpus cannot be read, or contains no words."""


class TrainingError(EvaluatorError, ValueError):
    """A model cannot be trained: a hyper-parameter does not exist, or no word is frequent enough."""


class StudyError(EvaluatorError):
    """A study (a search for hyper-parameters, a learning curve, a batch) cannot be started or resumed."""


class ChangedError(EvaluatorError):
    """A file changed while it was read, so that nobody knows what a number is of."""


class ClusterError(EvaluatorError):
    """A cluster cannot be used, or the connection to it was lost."""


class PluginError(EvaluatorError):
    """What another package registers cannot be used; the message names the package."""


class ExtraError(EvaluatorError):
    """A library is missing that is not in the base install; the message names the extra."""

    def __init__(self, what: str, library: str, extra: str) -> None:
        """Say what needs which library and how to install it."""
        super().__init__(f"{what} needs {library}: pip install 'testgen-evaluator[{extra}]'")

    def __reduce__(self) -> tuple[object, ...]:
        """For pickling, which has only the message and not the arguments."""
        return type(self).__new__, (type(self), *self.args)


class GensimError(EvaluatorError):
    """gensim is missing, which trains and reads its own files, and does not exist for every Python."""


class OutputError(EvaluatorError):
    """A file or directory cannot be written."""


TEXT = r"(?s)^(?=.*\S)[^\ud800-\udfff]*$"
"""A pattern for texts that are not blank and hold no half characters, such as "\\ud83d"."""

_TYPES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "a text",
}
_BOUNDS = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}
_LARGE = 1e18


def plain_error(message: str, value: Any, hint: str = "") -> str:  # noqa: ANN401  # JSON
    """JSON path and problem of a message of msgspec; `hint` is the cause of a number that is out of range."""
    problem, _, path = message.rpartition(" - at ")
    problem, path = (problem, path.replace("`", "")) if problem else (message, "$")
    if missing := re.fullmatch(r"Object missing required field `(.+)`", problem):
        return f"{path}.{missing[1]}: is missing"
    if problem == "Number out of range":
        return f"{path}: is too large{hint}"
    if unknown := re.fullmatch(r"Invalid enum value (.+)", problem):
        return f"{path}: is {unknown[1]}, which this evaluator does not know"
    if "matching regex" in problem:
        return f"{path}: {_text_problem(_at(value, path))}"
    if wrong := re.fullmatch(r"Expected `(.+?)`(?:, got `.+`| of length (.+)| ([<>]=?) (\S+))?", problem):
        types, length, sign, bound = wrong.groups()
        wanted = " or ".join(_TYPES.get(each, each) for each in types.split(" | "))
        if sign:
            return f"{path}: {_out_of_range(_at(value, path), wanted, f'{_BOUNDS[sign]} {bound}')}{hint}"
        if length == ">= 1":
            return f"{path}: is empty"
        return f"{path}: must be {wanted}{f' of {length}' if length else ''}"
    return f"{path}: {problem}"


def _text_problem(found: str) -> str:
    if not found.strip():
        return "is empty"
    shown = ascii(found) if len(found) <= 40 else ascii(found[:40]) + "…"
    return f"is {shown}, which holds half a character (an unpaired surrogate)"


def _out_of_range(found: Any, wanted: str, bounds: str) -> str:  # noqa: ANN401  # JSON
    if isinstance(found, float) and not math.isfinite(found):
        return f"is {found}, and must be a finite number"
    if found is None or abs(found) > _LARGE:
        return f"must be {wanted}, {bounds}"
    return f"is {found:g}, and must be {wanted}, {bounds}"


def _at(value: Any, path: str) -> Any:  # noqa: ANN401  # JSON
    """The value at a path; None where msgspec does not say which it is."""
    steps = re.findall(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])", path)
    try:
        return reduce(lambda found, step: found[step[0] or int(step[1])], steps, value)
    except (KeyError, ValueError):
        return None
