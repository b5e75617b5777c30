"""Which of several models are best: by a measure on a test set, and over all languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
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
    without_empty,
)
from evaluator.reports.page import Block, Cell, Column, Table
from evaluator.results.kept import Kept
from evaluator.results.numbers import NONE
from evaluator.results.scores import ALL_LANGUAGES, Ranking, Scores, ScoresFile


def over_languages_of(found: ScoresFile) -> Iterator[Block]:
    """The models in all languages, with letters; nothing of one language."""
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
                for cell in placed(
                    by_place.get((language, test_set, model)), measure, found.rankings, found.kept
                )
            )
            rows.append([name(measure), name(f"{title} {test_set}" if twice else title), *cells])
    compared = "models of a language that share a letter cannot be told apart"
    said = compared if found.rankings else "models were not compared"
    yield Table(f"Scores by language; {said}", headings, rows)


def placed(
    scores: Scores | None, measure: str, rankings: Sequence[Ranking], kept: Sequence[Kept]
) -> list[Cell]:
    """A score with its letters, and its interval; that of the model to keep is emphasized."""
    score = None if scores is None else scores.get(measure)
    if scores is None or score is None:
        return [short(None), short_interval(None, None)]
    ranking = next((each for each in rankings if each.measure == measure and each.is_of(scores)), None)
    ranked = ranking.models if ranking else ()
    letters = next((each.letters for each in ranked if each.model == scores.model), "")
    best = any(each.best == scores.model and each.is_of(scores.test_set, scores.language) for each in kept)
    value = replace(short(score.value), badge=letters, strong=best)
    return [value, short_interval(score.low, score.high)]


_LETTERS = 8
"""Of many models there are so many groups that ranks alone say more."""


def ranked(ranking: Ranking, several: Sequence[Scores], best: str | None) -> Table:
    """Models with their ranks, and letters that those share which cannot be told apart; the best in bold."""
    by_model = {each.model: each for each in several}
    rows: list[list[Cell]] = []
    for each in ranking.models:
        score = by_model[each.model].get(ranking.measure) if each.model in by_model else None
        if score is None:
            continue
        ranks = str(each.best) if each.best == each.worst else f"{each.best}–{each.worst}"
        if each.best is None:
            ranks = NONE
        rows.append(
            [
                replace(name(each.model), strong=each.model == best),
                *(Cell(ranks, (each.best, each.worst)), name(each.letters)),
                *(short(score.value), short_interval(score.low, score.high), short(each.value)),
                *(count(by_model[each.model].vocabulary), count(score.known)),
                name(", ".join(each.lacking)),
            ]
        )
    same = all(row[3] == row[5] for row in rows)
    among = "" if same else f", among words that all models have ({SAME_CANDIDATES})"
    long = any(not 0 < len(each.letters) <= _LETTERS for each in ranking.models if each.best is not None)
    headings = [
        *(*columns("model", kind="name"), Column("rank", ("lowest rank", "highest rank"))),
        *(Column("group", kind="text", detail=long), Column(SCORE)),
        *(Column(INTERVAL, ("low", "high")), Column(SAME_CANDIDATES, detail=same)),
        *columns("vocabulary", "known"),
        Column("not shown to be above", kind="text"),
    ]
    caption = f"{ranking.measure}, ranks of contenders tested over {ranking.over}{among}"
    return without_empty(Table(caption, headings, rows))
