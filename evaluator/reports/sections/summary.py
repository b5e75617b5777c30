"""The summary of all scores: models × test sets, and which model is best where that is significant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from evaluator.reports.cells import estimated, name, rate
from evaluator.reports.page import Block, Column, Figure, Notes, Section, Table, Text
from evaluator.reports.sections.differences import TestedModels
from evaluator.reports.sections.scores import settings_of
from evaluator.reports.words import BASELINE, CHANCE, INTERVAL, SCORE
from evaluator.results.base import Estimate
from evaluator.results.figures.forest import MOST_ROWS, Mark, forest_figure
from evaluator.results.score_table import of_own_words
from evaluator.results.scores import ABOVE_CHANCE, COMBINED, Score, Scores, ScoresFile

MOST_MEASURES = 4
_MOST_NOTES = 12


@dataclass(frozen=True)
class SummaryRow:
    """The scores of a model on a test set: a row of the summary.

    Attributes:
        record: The scores.
        tested: The models of the same file that were tested against each other.
    """

    record: Scores
    tested: TestedModels

    def estimate(self, measure: str) -> Estimate | None:
        """The score by a measure, or Combined; None if there is none."""
        found = self.score(measure)
        return None if found is None else Estimate(found.value, found.low, found.high, found.chance)

    def level(self, measure: str) -> float | None:
        """The frequency baseline by a measure, or Combined; None if that is not known."""
        found = self.score(measure)
        return None if found is None else found.baseline

    def score(self, measure: str) -> Score | None:
        """The score by a measure, or Combined; None if there is none."""
        return next((each for each in self.record.scores if each.measure == measure), None)

    def beats(self, other: SummaryRow, measure: str) -> bool | None:
        """Whether the model is significantly better than another; None if that was not tested."""
        if self.tested is not other.tested:
            return None
        own = self.record
        return self.tested.better(own.test_set, measure, own.model, other.record.model)


def task_of(found: Scores) -> tuple[str, ...]:
    """What must be the same where models are compared: the test set, then the settings."""
    settings = settings_of(found.scores[0].signature)
    held = (f"{key} {value}" for key, value in settings.items() if key not in ("test", "seed"))
    return (found.test_set, found.language, found.test_sha256, *held)


def by_task(files: Sequence[ScoresFile]) -> dict[tuple[str, ...], list[SummaryRow]]:
    """Models that can be compared: on one test set, with the same settings."""
    tasks: dict[tuple[str, ...], list[SummaryRow]] = {}
    for file in files:
        tested = TestedModels.of(file.differences)
        for record in file.results:
            tasks.setdefault(task_of(record), []).append(SummaryRow(record, tested))
    return tasks


def measures_of(runs: Sequence[SummaryRow]) -> list[str]:
    """Topk and OddOneOut first, then Combined, then all others."""
    texts = dict.fromkeys(score.measure for each in runs for score in each.record.scores)
    texts.pop(COMBINED, None)
    texts.pop(ABOVE_CHANCE, None)
    heads = [text for kind in ("Topk", "OddOneOut") for text in texts if _kind(text) == kind]
    both = [COMBINED] if any(each.score(COMBINED) for each in runs) else []
    return [*heads, *both, *(text for text in texts if text not in heads)]


def summary_section(files: Sequence[ScoresFile]) -> Section:
    """All models on all test sets."""
    tasks = by_task(files)
    every = [each for runs in tasks.values() for each in runs]
    measures = measures_of(every)
    shown = measures[:MOST_MEASURES]
    blocks: list[Block] = [
        *_listed("Found", list(_findings(tasks, shown))),
        Text(
            "A model is marked as best only if it is significantly better than every other one: p below 0.05 "
            "by a paired t-test, corrected for the number of models (Holm). Combined is not tested, as it is "
            "not a mean over words."
        ),
    ]
    if len(measures) > len(shown):
        blocks.append(Text(f"Further measures are below: {', '.join(measures[MOST_MEASURES:])}."))
    blocks.append(_table(tasks, shown))
    blocks += _figure(tasks, shown)
    blocks += _listed("Why no model is marked", list(_notes(tasks, shown)))
    return Section("Summary", blocks)


def _listed(title: str, lines: Sequence[str]) -> list[Notes]:
    """The first remarks, and how many more there are."""
    more = len(lines) - _MOST_NOTES
    shown = [*lines[:_MOST_NOTES], *([f"and {more} more such remarks"] if more > 0 else [])]
    return [Notes(title, shown)] if lines else []


def _findings(
    tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]], measures: Sequence[str]
) -> Iterator[str]:
    """The highest score by each measure on each test set, and whether it is above what it must be above."""
    labels = _labels(tasks)
    for task, runs in tasks.items():
        for measure in measures:
            highest = _highest(runs, measure)
            dot = highest[0].estimate(measure) if len(highest) == 1 else None
            if dot is not None:
                marked = _best(runs, measure) is not None
                has = "is best in" if marked else "has the highest" if len(runs) > 1 else "has"
                said = f"{highest[0].record.model} {has} {measure}, {dot.value:.4f}"
                yield f"{labels[task]}: {said}{_above(dot, highest[0].level(measure))}."


def _above(dot: Estimate, baseline: float | None) -> str:
    """Whether the whole interval of a score is above chance level and frequency baseline."""
    known = (("chance", dot.chance), ("the frequency baseline", baseline))
    levels = {f"{name} ({level:.4f})": level for name, level in known if level is not None}
    if dot.low is None or dot.high is None:
        return f"; {' and '.join(levels)}" if levels else ""
    span = f" ({dot.low:.4f} to {dot.high:.4f})"
    below = [name for name, level in levels.items() if dot.low <= level]
    if below:
        return f"{span}, which is not clearly above {' and '.join(below)}"
    return f"{span}, above {' and '.join(levels)}" if levels else span


def _table(tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]], measures: Sequence[str]) -> Table:
    labels = _labels(tasks)
    rows = []
    for task, runs in tasks.items():
        for measure in measures:
            best = _best(runs, measure)
            for each in runs:
                cells = estimated(each.estimate(measure), "best" if best is each else "")
                head = [name(each.record.model), name(labels[task]), name(measure)]
                rows.append([*head, *cells, rate(each.level(measure))])
    headings = [Column("model", kind="name"), Column("test set", kind="text"), Column("measure", kind="text")]
    headings += [Column(SCORE), Column(INTERVAL, ("low", "high")), Column(CHANCE), Column(BASELINE)]
    return Table("Models and test sets", headings, rows, "summary.csv")


def _labels(tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]]) -> dict[tuple[str, ...], str]:
    """The names of test sets; those of the same name with what differs."""
    names = [task[:2] for task in tasks]
    return {
        task: f"{task[0]} ({task[1]})"
        if names.count(task[:2]) == 1
        else f"{task[0]} ({task[1]}; {', '.join(_apart(task, tasks))})"
        for task in tasks
    }


def _apart(task: tuple[str, ...], tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]]) -> list[str]:
    """The settings that not all tasks of the same name have; of a checksum the beginning."""
    others = [other for other in tasks if other[:2] == task[:2] and other != task]
    found = [setting for setting in task[3:] if any(setting not in other[3:] for other in others)]
    return found if all(other[2] == task[2] for other in others) else [*found, f"sha256 {task[2][:8]}"]


def _figure(
    tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]], measures: Sequence[str]
) -> Iterator[Figure]:
    labels = _labels(tasks)
    rows = [(task, each) for task, runs in tasks.items() for each in runs]
    if not 1 < len(rows) <= MOST_ROWS:
        return
    several = len(tasks) > 1
    marks = []
    for measure in measures:
        for task, each in rows:
            row = f"{each.record.model}, {labels[task]}" if several else each.record.model
            found = each.estimate(measure)
            marks.append(
                Mark(row, "", None, panel=measure)
                if found is None
                else Mark(
                    row, "", found.value, found.low, found.high, found.chance, each.level(measure), measure
                )
            )
    yield Figure(
        f"Scores of {len(rows)} models by {', '.join(measures)}; the table above has the same numbers",
        "Dots are scores, lines their 95% intervals, short strokes the chance level, diamonds the frequency "
        "baseline.",
        partial(forest_figure, marks),
    )


def _highest(runs: Sequence[SummaryRow], measure: str) -> list[SummaryRow]:
    values = {number: dot.value for number, each in enumerate(runs) if (dot := each.estimate(measure))}
    top = max((value for value in values.values() if value is not None), default=None)
    return [runs[number] for number, value in values.items() if value == top]


def _best(runs: Sequence[SummaryRow], measure: str) -> SummaryRow | None:
    highest = _highest(runs, measure)
    if measure == COMBINED or len(highest) != 1 or len(runs) < 2 or _of_own_words(runs):
        return None
    (first,) = highest
    rivals = [each for each in runs if each is not first and each.estimate(measure) is not None]
    return first if rivals and all(first.beats(each, measure) for each in rivals) else None


def _of_own_words(runs: Sequence[SummaryRow]) -> bool:
    """Whether models were asked different words, so that none can be the best."""
    return any(of_own_words(each.record.scores[0].signature) for each in runs)


def _notes(tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]], measures: Sequence[str]) -> Iterator[str]:
    labels = _labels(tasks)
    for task, runs in tasks.items():
        for measure in measures:
            highest = _highest(runs, measure)
            if measure == COMBINED or len(runs) < 2 or not highest or _best(runs, measure) is not None:
                continue
            yield f"{measure} on {labels[task]}: {_why(runs, highest, measure)}"


def _why(runs: Sequence[SummaryRow], highest: Sequence[SummaryRow], measure: str) -> str:
    if _of_own_words(runs):
        return (
            "with --oov skip, each model was asked the words that it knows itself, so these scores cannot be "
            "compared; score all in one run of evaluator score, which asks the words that all know"
        )
    if len(highest) > 1:
        return f"{len(highest)} models share the highest score"
    (first,) = highest
    rivals = [each for each in runs if each is not first and each.estimate(measure) is not None]
    untested = [each.record.model for each in rivals if first.beats(each, measure) is None]
    if untested:
        more = f" and {len(untested) - 1} more" if len(untested) > 1 else ""
        return (
            f"{first.record.model} is highest, and was not tested against {untested[0]}{more}; "
            f"score all in one run of evaluator score, with {first.record.model} as the first"
        )
    equal = [each.record.model for each in rivals if not first.beats(each, measure)]
    if not equal:
        return f"only {first.record.model} was scored"
    more = f" and {len(equal) - 1} more" if len(equal) > 1 else ""
    return f"{first.record.model} is highest, and not significantly better than {equal[0]}{more}"


def _kind(measure: str) -> str:
    return measure.partition("@")[0].partition("(")[0]
