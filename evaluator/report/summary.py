"""The first page: models × test sets, and which model is best where that is more than luck."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluator.report.cells import estimate, estimate_columns, name
from evaluator.report.figures.dots import MOST_ROWS, Dot, dots_figure
from evaluator.report.page import Block, Cell, Column, Figure, Notes, Section, Table, Text
from evaluator.report.scores_file import MeasureScore, Run, ScoresFile

COMBINED = "Combined"
MOST_MEASURES = 4
_MOST_NOTES = 12


@dataclass(frozen=True)
class Scored:
    """A run, and the file it is from."""

    run: Run
    file: ScoresFile

    def dot(self, measure: str) -> Dot | None:
        """What a measure, or Combined, says; None if it was not asked."""
        if measure == COMBINED:
            both = self.run.combined
            return None if both is None else Dot(both.value, both.low, both.high)
        found = self.score(measure)
        return None if found is None else Dot(found.value, found.low, found.high, found.chance)

    def score(self, measure: str) -> MeasureScore | None:
        """The score of a measure; None if it was not asked."""
        return next((each for each in self.run.scores if each.measure == measure), None)


def by_task(files: Sequence[ScoresFile]) -> dict[tuple[str, ...], list[Scored]]:
    """Runs that can be compared: of one test set, with the same settings."""
    tasks: dict[tuple[str, ...], list[Scored]] = {}
    for file in files:
        for run in file.results:
            tasks.setdefault(run.task, []).append(Scored(run, file))
    return tasks


def measures_of(runs: Sequence[Scored]) -> list[str]:
    """Topk and OddOneOut first, then Combined, then all others."""
    texts = dict.fromkeys(score.measure for each in runs for score in each.run.scores)
    heads = [text for kind in ("Topk", "OddOneOut") for text in texts if _kind(text) == kind]
    both = [COMBINED] if any(each.run.combined is not None for each in runs) else []
    return [*heads, *both, *(text for text in texts if text not in heads)]


def summary_section(files: Sequence[ScoresFile]) -> Section:
    """All models on all test sets."""
    tasks = by_task(files)
    every = [each for runs in tasks.values() for each in runs]
    measures = measures_of(every)
    shown = measures[:MOST_MEASURES]
    blocks: list[Block] = [
        Text(
            "A score stands with its 95% interval, had other words of the same kind been asked for, and with "
            "what a model that knows nothing would reach. A model is marked as best only where it is "
            "significantly better than every other one: p below 0.05 by a paired permutation test, corrected "
            "for the number of models (Holm). Combined is not tested, as it is no mean over words."
        )
    ]
    if len(measures) > len(shown):
        blocks.append(Text(f"Further measures are below: {', '.join(measures[MOST_MEASURES:])}."))
    blocks.append(_table(tasks, shown))
    blocks += _figure(tasks, shown)
    notes = list(_notes(tasks, shown))
    if notes:
        more = len(notes) - _MOST_NOTES
        listed = [*notes[:_MOST_NOTES], *([f"and {more} more such remarks"] if more > 0 else [])]
        blocks.append(Notes("Why no model is marked", listed))
    return Section("Summary", blocks)


def _table(tasks: Mapping[tuple[str, ...], Sequence[Scored]], measures: Sequence[str]) -> Table:
    labels = _labels(tasks)
    rows = []
    for task, runs in tasks.items():
        best = {measure: _best(runs, measure) for measure in measures}
        for each in runs:
            marks = {measure: "best" if best[measure] is each else "" for measure in measures}
            rows.append([name(each.run.vectors), name(labels[task]), *_cells(each, measures, marks)])
    columns = [Column("model", kind="name"), Column("test set", kind="text")]
    columns += [
        column for measure in measures for column in estimate_columns(measure, chance=measure != COMBINED)
    ]
    return Table("Models and test sets", columns, rows, "summary.csv")


def _cells(each: Scored, measures: Sequence[str], marks: Mapping[str, str]) -> Iterator[Cell]:
    for measure in measures:
        dot = each.dot(measure) or Dot(None)
        cells = estimate(dot.value, dot.low, dot.high, dot.chance, marks[measure])
        yield from cells[:2] if measure == COMBINED else cells


def _labels(tasks: Mapping[tuple[str, ...], Sequence[Scored]]) -> dict[tuple[str, ...], str]:
    """What to call test sets: with what tells apart those of the same name."""
    names = [task[:2] for task in tasks]
    return {
        task: f"{task[0]} ({task[1]})"
        if names.count(task[:2]) == 1
        else f"{task[0]} ({task[1]}; {', '.join(_apart(task, tasks))})"
        for task in tasks
    }


def _apart(task: tuple[str, ...], tasks: Mapping[tuple[str, ...], Sequence[Scored]]) -> list[str]:
    """What only some of the tasks of the same name have; a checksum in short."""
    others = [other for other in tasks if other[:2] == task[:2] and other != task]
    found = [part for part in task[3:] if any(part not in other[3:] for other in others)]
    return found if all(other[2] == task[2] for other in others) else [*found, f"sha256 {task[2][:8]}"]


def _figure(tasks: Mapping[tuple[str, ...], Sequence[Scored]], measures: Sequence[str]) -> Iterator[Figure]:
    labels = _labels(tasks)
    rows = [(task, each) for task, runs in tasks.items() for each in runs]
    if not 1 < len(rows) <= MOST_ROWS:
        return
    several = len(tasks) > 1
    names = [f"{each.run.vectors}, {labels[task]}" if several else each.run.vectors for task, each in rows]
    panels = {measure: [each.dot(measure) or Dot(None) for _, each in rows] for measure in measures}
    yield Figure(
        f"Scores of {len(rows)} models by {', '.join(measures)}; the table above has the same numbers",
        "Dots are scores, lines their 95% intervals, short grey strokes chance.",
        lambda: dots_figure(names, panels),
    )


def _highest(runs: Sequence[Scored], measure: str) -> list[Scored]:
    values = {number: dot.value for number, each in enumerate(runs) if (dot := each.dot(measure))}
    top = max((value for value in values.values() if value is not None), default=None)
    return [runs[number] for number, value in values.items() if value == top]


def _best(runs: Sequence[Scored], measure: str) -> Scored | None:
    """The model that is significantly better than each other one."""
    highest = _highest(runs, measure)
    if measure == COMBINED or len(highest) != 1 or len(runs) < 2:
        return None
    (first,) = highest
    rivals = [each for each in runs if each is not first and each.dot(measure) is not None]
    return first if rivals and all(_beats(first, each, measure) for each in rivals) else None


def _beats(one: Scored, other: Scored, measure: str) -> bool | None:
    if one.file is not other.file:
        return None
    return one.file.better(one.run.test_set, measure, one.run.vectors, other.run.vectors)


def _notes(tasks: Mapping[tuple[str, ...], Sequence[Scored]], measures: Sequence[str]) -> Iterator[str]:
    labels = _labels(tasks)
    for task, runs in tasks.items():
        for measure in measures:
            highest = _highest(runs, measure)
            if measure == COMBINED or len(runs) < 2 or not highest or _best(runs, measure) is not None:
                continue
            yield f"{measure} on {labels[task]}: {_why(runs, highest, measure)}"


def _why(runs: Sequence[Scored], highest: Sequence[Scored], measure: str) -> str:
    if len(highest) > 1:
        return f"{len(highest)} models share the highest score"
    (first,) = highest
    rivals = [each for each in runs if each is not first and each.dot(measure) is not None]
    untested = [each.run.vectors for each in rivals if _beats(first, each, measure) is None]
    if untested:
        more = f" and {len(untested) - 1} more" if len(untested) > 1 else ""
        return (
            f"{first.run.vectors} is highest, and was not tested against {untested[0]}{more}; "
            f"score all in one run of evaluator score, with {first.run.vectors} as the first"
        )
    equal = [each.run.vectors for each in rivals if not _beats(first, each, measure)]
    if not equal:
        return f"only {first.run.vectors} was scored"
    more = f" and {len(equal) - 1} more" if len(equal) > 1 else ""
    return f"{first.run.vectors} is highest, and not significantly better than {equal[0]}{more}"


def _kind(measure: str) -> str:
    return measure.partition("@")[0].partition("(")[0]
