"""Which model to keep, and no more: what `evaluator best` shows of scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evaluator.reports.page import Notes, Section, Text
from evaluator.reports.sections.rankings import ranked
from evaluator.reports.sections.scores import scores_section
from evaluator.results.scores import ScoresFile


def best_section(found: ScoresFile) -> Section:
    """The ranks by the measure that the closing line goes by first, for each test set, and that line."""
    if len(found.results) < 2:  # one model has no ranks
        return scores_section(found)
    sections = list(_of_test_sets(found))
    if found.reasons:
        sections.append(Section("What could not be scored", [Notes("Why", found.reasons)]))
    closing = [Text(line) for line in found.closing]
    if len(sections) == 1:
        return replace(sections[0], closing=closing)
    return Section("Best models", [], sections, closing=closing)


def _of_test_sets(found: ScoresFile) -> Iterator[Section]:
    for kept in found.kept:
        models = [each for each in found.results if kept.is_of(each.test_set, each.language)]
        measure = next(iter((*kept.chosen_by, *kept.measures)), None)
        for ranking in found.rankings if models else ():
            if ranking.measure == measure and ranking.is_of(models[0]):
                title = f"{kept.test_set} ({kept.language})"
                yield Section(title, [ranked(ranking, models, kept.best)])
