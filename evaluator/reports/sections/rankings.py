"""Which of several models are best: by a measure on a test set, and over all languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from evaluator.reports.cells import (
    INTERVAL,
    SAME_CANDIDATES,
    SCORE,
    columns,
    count,
    name,
    short,
    short_interval,
)
from evaluator.reports.page import Block, Cell, Column, Table, Text
from evaluator.results import numbers
from evaluator.results.score import Score
from evaluator.results.scores import ALL_LANGUAGES, Ranking, Scores, ScoresFile

_NAMED = 3  # models in a sentence


def over_languages_of(found: ScoresFile) -> Iterator[Block]:
    """The models in all languages, best first, with letters, and which is best; nothing of one language."""
    often = Counter(model for model, _ in {(each.model, each.language) for each in found.results})
    totals, scores = found.over_languages, (*found.results, *found.over_languages)
    of_models = [each for each in totals or scores if often[each.model] > 1]
    not_compared = not found.rankings and len({each.model for each in of_models}) > 1
    if not (totals or not_compared):
        return
    of_models += [
        each for each in found.results if often[each.model] == 1
    ]  # such as one that sent Latin alone
    measures = list(dict.fromkeys(score.measure for each in of_models for score in each.measured))
    values: dict[str, list[float]] = {each.model: [] for each in of_models}
    for each in of_models:
        values[each.model] += [score.value for score in each if score.measure == measures[0]]
    models = sorted(values, key=lambda model: -fmean(values[model] or [0.0]))
    headings = columns("measure", "language", kind="name")
    for model in models:
        headings += [
            Column(SCORE, (model,), model),
            Column(INTERVAL, (f"{model} low", f"{model} high"), model, detail=True),
        ]
    by_place = {(each.language, each.test_set, each.model): each for each in scores}
    rows = []
    for measure in measures:
        places = list(dict.fromkeys((each.language, each.test_set) for each in scores if each.get(measure)))
        languages = [language for language, _ in places]
        for language, test_set in places:
            title = "all" if test_set == ALL_LANGUAGES else language
            twice = languages.count(language) > 1
            cells = (
                cell
                for model in models
                for cell in placed(by_place.get((language, test_set, model)), measure, found.rankings)
            )
            rows.append([name(measure), name(f"{title} {test_set}" if twice else title), *cells])
    compared = "models of a language that share a letter cannot be told apart"
    said = compared if found.rankings else "models were not compared"
    yield Table(f"Scores by language; {said}", headings, rows)
    for ranking in found.rankings:
        if ranking.test_set == ALL_LANGUAGES:
            yield Text(f"All languages, tested over {ranking.over}: {conclusion(ranking, totals)}")


def placed(scores: Scores | None, measure: str, rankings: Sequence[Ranking]) -> list[Cell]:
    """A score with its letters, and its interval; a best model is emphasized, if it is above frequency."""
    score = None if scores is None else scores.get(measure)
    if scores is None or score is None:
        return [short(None), short_interval(None, None)]
    ranking = next((each for each in rankings if each.measure == measure and each.is_of(scores)), None)
    ranked = ranking.models if ranking else ()
    letters = next((each.letters for each in ranked if each.model == scores.model), "")
    best = [each.model for each in ranked if each.best == 1] == [scores.model] and score.above_baseline
    value = replace(short(score.value), badge=letters, strong=best)
    return [value, short_interval(score.low, score.high)]


_LETTERS = 8
"""Of many models there are so many groups that ranks alone say more."""


def ranked(ranking: Ranking, several: Sequence[Scores]) -> Table:
    """Models with their ranks, and letters that those share which cannot be told apart."""
    by_model = {each.model: each for each in several}
    rows: list[list[Cell]] = []
    for each in ranking.models:
        score = by_model[each.model].get(ranking.measure) if each.model in by_model else None
        if score is None:
            continue
        ranks = str(each.best) if each.best == each.worst else f"{each.best}–{each.worst}"
        rows.append(
            [
                *(name(each.model), Cell(ranks, (each.best, each.worst)), name(each.letters)),
                *(short(score.value), short_interval(score.low, score.high), short(each.value)),
                *(count(by_model[each.model].vocabulary), count(score.known)),
            ]
        )
    same = all(row[3] == row[5] for row in rows)
    among = "" if same else f", among words that all models have ({SAME_CANDIDATES})"
    long = any(not 0 < len(each.letters) <= _LETTERS for each in ranking.models)
    headings = [
        *(*columns("model", kind="name"), Column("rank", ("lowest rank", "highest rank"))),
        *(Column("group", kind="text", detail=long), Column(SCORE)),
        *(Column(INTERVAL, ("low", "high")), Column(SAME_CANDIDATES, detail=same)),
        *columns("vocabulary", "known"),
    ]
    return Table(f"{ranking.measure}, ranks tested over {ranking.over}{among}", headings, rows)


def conclusion(ranking: Ranking, models: Sequence[Scores]) -> str:
    """Which model is best, and which cannot be told apart from it."""
    by_model: Mapping[str, Score | None] = {each.model: each.get(ranking.measure) for each in models}
    scores = [found for each in ranking.models if (found := by_model.get(each.model))]
    if not any(each.above_chance for each in scores):
        return f"{ranking.measure}: none is shown to be above chance: do not choose by this."
    if not any(each.above_baseline for each in scores):
        return f"{ranking.measure}: none is shown to be above frequency: do not choose by this."
    first, *others = ranking.models
    close = ranking.within_margin and f" Shown to be within the margin of it: {named(ranking.within_margin)}."
    if any(each.value == first.value for each in others[:1]):
        same = [each.model for each in ranking.models if each.value == first.value]
        return f"{ranking.measure}: {named(same)} have the same score, the highest."
    equal = [each.model for each in others if each.best == 1]
    if not equal:
        return f"{ranking.measure}: {first.model} is best.{close or ''}"
    equals = f"tested over {ranking.over}, it cannot be told apart from {named(equal)}"
    standing = _standing(ranking, by_model)
    return f"{ranking.measure}: {first.model} has the highest score; {equals}.{close or ''}{standing}"


def _standing(ranking: Ranking, by_model: Mapping[str, Score | None]) -> str:
    scored = {each.model: found for each in ranking.models if (found := by_model.get(each.model))}
    above = [model for model, each in scored.items() if each.above_baseline]
    below = [model for model in scored if model not in above]
    if not below:
        return ""
    return f" Shown to be above frequency: {named(above)}; not so {named(below)}."


def named(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are, in a sentence."""
    shown = numbers.first_few(names, _NAMED, "{} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
