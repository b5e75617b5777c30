"""One table of models × tasks: the long table of scores, pivoted, if its scores can be compared."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from evaluator.errors import ResultsError
from evaluator.results.base import ResultFile, frame_with_names
from evaluator.results.comparable import ComparisonKey
from evaluator.results.files import read_results
from evaluator.results.score import Score, measure_named
from evaluator.results.score_lines import BatchFile
from evaluator.results.scores import Scores, ScoresFile

if TYPE_CHECKING:
    import pandas as pd


class ModelScore(msgspec.Struct, frozen=True):
    """One score of one model, what its test set is called, and the file and where it stands in it."""

    scores: Scores
    score: Score
    test_set: str
    origin: str

    @property
    def task(self) -> tuple[str, str, str]:
        """What models are compared on: measure, test set and language."""
        return self.score.measure, self.test_set, self.scores.language

    @property
    def key(self) -> ComparisonKey:
        """What must be the same for all scores of a task."""
        return ComparisonKey.of(self.scores, self.score)

    @property
    def where(self) -> str:
        """The model, and where its score is from, for messages."""
        return f"{self.scores.model} ({self.origin})"


def read_table(paths: Sequence[str | os.PathLike[str]]) -> tuple[pd.DataFrame, list[str]]:
    """Bring the scores in result files of any kind into one table, models × tasks, both sorted by name.

    A task is a measure on a test set of a language. All its scores must have the same `ComparisonKey`. The
    notes say which files hold no scores, and what was not scored; and which tasks are left out, as a measure
    that asks known words alone asked the models other words.
    """
    found = [(str(path), result) for path, result in zip(paths, read_results(*paths), strict=True)]
    notes = [note for file, result in found for note in _notes(file, result)]
    called: dict[tuple[str, str], str] = {}  # copies of a test set are one, with the first of their names
    scores = [score for file, result in found for score in _scores_in(file, result, called)]
    if not scores:
        raise ResultsError(
            f"{'; '.join(notes)}; name a file that `{ScoresFile.command}` or `{BatchFile.command}` wrote"
        )
    apart = _asked_other_words(scores)
    notes += [
        f"{measure} on {test_set} was left out: models were asked other words; score all in one command, "
        "which asks the words that all know"
        for measure, test_set, _ in apart
    ]
    scores = [each for each in scores if each.task not in apart]
    if not scores:
        raise ResultsError("; ".join(notes))
    _check(scores)
    names = _names({each.task for each in scores})
    rows = [(each.scores.model, each.task[0], names[each.task], each.score.value) for each in scores]
    frame = frame_with_names(rows, columns=["model", "measure", "task", "value"]).drop_duplicates()
    table = frame.pivot(  # noqa: PD010 - no value may be a mean
        index="model", columns=["measure", "task"], values="value"
    )
    return table.sort_index().sort_index(axis="columns", level="task"), notes


def _notes(file: str, result: ResultFile) -> Iterator[str]:
    if not isinstance(result, ScoresFile):
        yield f"{file}: holds no scores of models on tasks; `{result.command}` wrote it"
        return
    yield from (f"{file}: {reason}" for reason in result.reasons)
    if not result.results:
        yield f"{file}: holds no scores"


def _scores_in(file: str, result: ResultFile, called: dict[tuple[str, str], str]) -> Iterator[ModelScore]:
    for row, scores in enumerate(result.results if isinstance(result, ScoresFile) else ()):
        content = scores.language, scores.test_sha256 or scores.test_set
        test_set = called.setdefault(content, scores.test_set)
        for number, score in enumerate(scores.measured):
            path = f"$.results[{row}].scores[{number}]"
            origin = f"the line of {scores.model}" if isinstance(result, BatchFile) else path
            yield ModelScore(scores, score, test_set, f"{file}: {origin}")


def _asked_other_words(scores: Sequence[ModelScore]) -> list[tuple[str, str, str]]:
    """The tasks of measures that ask known words alone, of which models were asked different ones."""
    keys: dict[tuple[str, str, str], set[ComparisonKey]] = {}
    for each in scores:
        measure = measure_named(each.score.measure)
        if measure is not None and measure.known_only:
            keys.setdefault(each.task, set()).add(each.key)
    return [task for task, several in keys.items() if len(several) > 1]


def _check(scores: Sequence[ModelScore]) -> None:
    first: dict[tuple[str, ...], ModelScore] = {}
    of_model: dict[tuple[str, ...], ModelScore] = {}
    for each in scores:
        _check_comparable(first.setdefault(each.task, each), each)
        same = of_model.setdefault((each.scores.model, *each.task), each)
        if same.score.value != each.score.value:
            measure, test_set, _ = each.task
            raise ResultsError(
                f"{each.scores.model} has two scores for {measure} on {test_set}: {same.score.value} "
                f"({same.origin}) and {each.score.value} ({each.origin}); give only one of the files, "
                "or other names to the vectors if they are not the same"
            )


def _check_comparable(one: ModelScore, other: ModelScore) -> None:
    if one.key == other.key:
        return
    what = f"{one.task[0]} on {one.task[1]}"
    if one.key.own_words and other.key.own_words:
        raise ResultsError(
            f"scores of {what} cannot be compared: with --oov skip, {one.where} and {other.where} were each "
            "asked the words that they know themselves; score both in one command of `evaluator score`, "
            "which asks the words that both know, or without --oov skip"
        )
    only = ["|".join(each) or "nothing more" for each in one.key.apart(other.key)]
    raise ResultsError(
        f"scores of {what} cannot be compared: {only[0]} for {one.where}, but {only[1]} for {other.where}; "
        "score all models in the same way"
    )


def _names(tasks: set[tuple[str, str, str]]) -> dict[tuple[str, str, str], str]:
    """What to call tasks in tables; the language is named where two would have the same name."""
    often = Counter(task[:2] for task in tasks)
    return {
        (measure, test_set, language): f"{measure} {test_set}"
        + (f" ({language})" if often[measure, test_set] > 1 else "")
        for measure, test_set, language in tasks
    }
