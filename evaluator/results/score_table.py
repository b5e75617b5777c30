"""One table of models × tasks from the scores in any number of result files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.errors import ResultsError
from evaluator.results.base import ResultFile
from evaluator.results.files import read_results
from evaluator.results.score_lines import ScoreLines, told
from evaluator.results.scores import ScoresFile


@dataclass(frozen=True, order=True)
class ScoredTask:
    """What models are compared on.

    Attributes:
        measure: The text of the measure.
        test_set: The name of the test set.
        language: Its language code.
    """

    measure: str
    test_set: str
    language: str


@dataclass(frozen=True)
class ModelScore:
    """One score of one model.

    Attributes:
        model: The name of the vectors.
        task: What they were scored on.
        value: The score.
        signature: What held when it was computed; equal where two scores of a task can be compared.
        origin: The file, and where it stands in it.
    """

    model: str
    task: ScoredTask
    value: float
    signature: str
    origin: str


@dataclass(frozen=True)
class ScoreTable:
    """Models × tasks, both sorted by name, so that nothing depends on the order of the files.

    Attributes:
        models: The names of the rows.
        tasks: The names of the columns.
        measures: The measure of each column.
        cells: The scores by model and task; what was not scored is not in it.
        notes: Which files hold no scores, and what could not be scored.
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    measures: tuple[str, ...]
    cells: Mapping[tuple[str, str], float]
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """Model and task of each cell without a score."""
        return tuple(
            (model, task) for model in self.models for task in self.tasks if (model, task) not in self.cells
        )


def read_table(paths: Sequence[Path]) -> ScoreTable:
    """Bring the scores in result files of any kind into one table.

    Only `evaluator score --json` and `evaluator batch` write scores of models on tasks; notes name the files
    of other commands.

    Raises:
        ResultsError: A file is wrong, none holds scores, or scores cannot be compared.
    """
    found = [(str(path), result) for path, result in zip(paths, read_results(*paths), strict=True)]
    notes = [note for file, result in found for note in _notes(file, result)]
    scores = [score for file, result in found for score in scores_in(result, file)]
    if not scores:
        raise ResultsError(
            f"{'; '.join(notes)}; name a file that `{ScoresFile.command}` or `{ScoreLines.command}` wrote"
        )
    return tabulate(scores, notes)


def _notes(file: str, result: ResultFile) -> Iterator[str]:
    if not isinstance(result, ScoresFile | ScoreLines):
        yield f"{file}: holds no scores of models on tasks; `{result.command}` wrote it"
        return
    yield from (f"{file}: {failure}" for failure in failures_in(result))
    if not result.results:
        yield f"{file}: holds no scores yet"


def failures_in(result: ScoresFile | ScoreLines) -> list[str]:
    """What could not be scored, and why: models, models on a test set, and measures of these."""
    if isinstance(result, ScoreLines):
        return [failure for model in result.models for failure in model.failures]
    of_models = [told(each.vectors, each.test_set, each.reason) for each in result.failures]
    of_measures = [
        told(record.vectors, record.test_set, each.reason)
        for record in result.results
        for each in record.failures
    ]
    return [*of_models, *of_measures]


def scores_in(result: ResultFile, file: str) -> Iterator[ModelScore]:
    """All scores in a result file; none if it is of another kind.

    Args:
        result: What the file holds.
        file: Its name in error messages.
    """
    if not isinstance(result, ScoresFile | ScoreLines):
        return
    for row, record in enumerate(result.results):
        for number, score in enumerate(record.scores):
            path = f"$.results[{row}].scores[{number}]"
            origin = path if isinstance(result, ScoresFile) else f"the line of {record.vectors}"
            task = ScoredTask(score.measure, record.test_set, record.language)
            yield ModelScore(record.vectors, task, score.value, score.signature, f"{file}: {origin}")


def tabulate(scores: Iterable[ModelScore], notes: Sequence[str] = ()) -> ScoreTable:
    """Bring scores into one table.

    A task is a measure on a test set of a language. All its scores must have the same signature: settings,
    seed where it matters, the test set's SHA-256 and the program's version; with `oov=skip`, also the common
    vocabulary. The same score may come twice.

    Args:
        scores: Of any number of models.
        notes: What to say of them.

    Raises:
        ResultsError: Scores of a task have different signatures, models were asked different words, or a
            model has two different scores.
    """
    first: dict[ScoredTask, ModelScore] = {}
    found: dict[tuple[str, ScoredTask], ModelScore] = {}
    for score in scores:
        _check_comparable(first.setdefault(score.task, score), score)
        same = found.setdefault((score.model, score.task), score)
        if same.value != score.value:
            raise ResultsError(
                f"{score.model} has two scores for {score.task.measure} on {score.task.test_set}: "
                f"{same.value} ({same.origin}) and {score.value} ({score.origin}); give only one of the "
                "files, or other names to the vectors if they are not the same"
            )
    names = _names(first)
    tasks = sorted(first, key=lambda task: (names[task], task))
    return ScoreTable(
        tuple(sorted({model for model, _ in found})),
        tuple(names[task] for task in tasks),
        tuple(task.measure for task in tasks),
        {(model, names[task]): score.value for (model, task), score in found.items()},
        tuple(notes),
    )


def of_own_words(signature: str) -> bool:
    """Whether a model was asked the words that it knows itself: `oov=skip` without a common vocabulary.

    Which words these are, and how large the vocabulary is in which they are searched, differs from model to
    model; so such scores of different models cannot be compared.
    """
    settings = signature.split("|")
    return "oov:skip" in settings and not any(each.startswith("common:") for each in settings)


def _check_comparable(one: ModelScore, other: ModelScore) -> None:
    if one.model != other.model and of_own_words(one.signature) and of_own_words(other.signature):
        raise ResultsError(
            f"scores of {one.task.measure} on {one.task.test_set} cannot be compared: with --oov skip, "
            f"{one.model} ({one.origin}) and {other.model} ({other.origin}) were each asked the words that "
            "they know themselves; score both in one command of `evaluator score`, which asks the words that "
            "both know, or without --oov skip"
        )
    if one.signature == other.signature:
        return
    signatures = [score.signature.split("|") for score in (one, other)]
    only = [
        "|".join(setting for setting in own if setting not in others) or "nothing more"
        for own, others in (signatures, reversed(signatures))
    ]
    raise ResultsError(
        f"scores of {one.task.measure} on {one.task.test_set} cannot be compared: {only[0]} for {one.model} "
        f"({one.origin}), but {only[1]} for {other.model} ({other.origin}); score all models in the same way"
    )


def _names(tasks: Iterable[ScoredTask]) -> dict[ScoredTask, str]:
    """What to call tasks in tables; the language is named where two would have the same name."""
    short = {task: f"{task.measure} {task.test_set}" for task in tasks}
    often = Counter(short.values())
    return {task: f"{name} ({task.language})" if often[name] > 1 else name for task, name in short.items()}
