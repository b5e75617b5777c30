"""The section of a file of scores: every model on every category, and how models differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

from evaluator.engine.vocabulary_lookup import FEW
from evaluator.measures.base import Subscore
from evaluator.reports.cells import (
    CHANCE,
    FREQUENCY,
    INTERVAL,
    SCORE,
    SPELLING,
    VERDICT,
    name,
    short,
    short_interval,
    without_empty,
)
from evaluator.reports.page import (
    Block,
    Column,
    Downloads,
    Fact,
    Facts,
    Fold,
    Later,
    Section,
    Table,
    Text,
)
from evaluator.reports.sections.score_details import (
    alike,
    details_of,
    listed,
    origin_of,
    overview,
    overview_columns,
    skipped,
    table_of,
)
from evaluator.results import numbers
from evaluator.results.kept import listed as listed_names
from evaluator.results.score import Score, verdict_of
from evaluator.results.scores import Scores, ScoresFile

MOST_FIGURES = 8
"""Figures are drawn of this many models of a file; more are too many to look at, and the tables have all."""

_NAMED = 3  # models in the heading
_LEAST_KNOWN = 10  # a model that knows fewer of the test words can hardly be told from chance
_MARGIN = 10  # models whose differences are shown if a margin is asked for
_PAIR = 2  # models, whose difference is shown beside their ranks
_BEST_OF, _SHOWN = 4, 2  # of so many categories, the best and the weakest are named


def scores_section(found: ScoresFile) -> Section:
    """All that a file of scores says."""
    results = found.results
    drawn = set(map(id, results[:MOST_FIGURES]))
    by_test_set: dict[tuple[str, str, str], list[Scores]] = {}
    for each in results:
        by_test_set.setdefault((each.test_set, each.language, each.test_sha256), []).append(each)
    test_sets = [_test_set(several, drawn, found) for several in by_test_set.values()]
    over_languages = list[Block]()
    if len(results) > 1:
        from evaluator.reports.sections.rankings import over_languages_of

        over_languages += over_languages_of(found)
    if over_languages:
        test_sets = [replace(each, detail=True) for each in test_sets]
        few = [f"{each.model} of {each.test_set}" for each in results if _knows_few(each)]
        if few:
            over_languages.insert(
                0, Text(f"Few words are known, so that scores say little: {listed_names(few)}.")
            )
    others = list(_others(found))
    blocks: list[Block] = []
    if results:
        blocks += [Text(_on_training_runs(results)), Downloads(Later(partial(table_of, results)))]
    if len(results) > MOST_FIGURES:
        text = f"Figures are drawn of the first {MOST_FIGURES}; the tables have all."
        blocks.append(Text(text, detail=True))
    origin = Later(partial(origin_of, results))
    if len(test_sets) == 1:
        (only,) = test_sets
        subsections = [*only.subsections, *others]
        title = f"Scores: {only.title}"
        return Section(title, [*only.blocks, *blocks], subsections, origin, only.closing)
    names = list(dict.fromkeys(each.model for each in results))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    blocks = [*over_languages, *blocks]
    title = f"Scores: {', '.join(names[:_NAMED])}{more}"
    closing = list(map(Text, found.closing)) if over_languages else []
    return Section(title, blocks, [*test_sets, *others], origin, closing)


def _others(found: ScoresFile) -> Iterator[Section]:
    """How models differ, and what was not compared or scored."""
    if found.differences:
        from evaluator.reports.sections.differences import differences_of

        models = len({each.model for each in found.results})
        several = models > _PAIR or bool(found.over_languages)
        # What a margin was asked for is in this section.
        hidden = several and (found.margin is None or models > _MARGIN)
        yield Section("How models differ", list(differences_of(found)), detail=hidden)
    notes = getattr(found, "notes", ())  # of score lines
    if notes:
        yield Section("What was not compared", [listed("Why", notes)])
    if found.reasons:
        yield Section("What could not be scored", [listed("Why", found.reasons)])


def _test_set(several: Sequence[Scores], drawn: set[int], found: ScoresFile) -> Section:
    """The scores of all models on a test set; category by category as details."""
    first = several[0]
    title = f"{first.test_set} ({first.language})"
    if len(several) == 1:
        details = Section("In detail", Later(partial(details_of, first, id(first) in drawn)), detail=True)
        title = f"{first.model} on {title}"
        return Section(title, list(_first_look(first)), [details], closing=[Text(str(first.kept))])
    from evaluator.reports.sections.rankings import ranked  # which one model needs not

    measures = [score.measure for each in several for score in each]
    measures += [failure.measure for each in several for failure in each.failures]
    by_measure = {each.measure: each for each in found.rankings if each.is_of(first)}
    kept = [each for each in found.kept if each.is_of(first.test_set, first.language)]
    best = next((each.best for each in kept), None)
    headings = [Column("model", kind="name"), *overview_columns()]
    few = (f"{each.model}: {said}" for each in several if (said := _knows_few(each)))
    blocks: list[Block] = [*map(Text, few), Text(_asked(first))]
    for measure in dict.fromkeys(measures):
        ranking = by_measure.get(measure)
        if ranking is not None:
            blocks.append(ranked(ranking, several, best))
            if ranking.within_margin:
                close = listed_names(ranking.within_margin)
                blocks.append(Text(f"Shown to be within the margin of {ranking.models[0].model}: {close}."))
        rows = [[name(each.model), *overview(each.get(measure))] for each in several]
        blocks.append(without_empty(Table(measure, headings, rows, detail=bool(by_measure))))
    by_category = Section("Model by model", Later(partial(_folds, several, drawn)), detail=True)
    return Section(title, blocks, [by_category], closing=list(map(Text, map(str, kept))))


def _folds(several: Sequence[Scores], drawn: set[int]) -> Iterator[Fold]:
    for number, each in enumerate(several):
        blocks = [*details_of(each, id(each) in drawn), *skipped(each)]
        yield Fold(f"{each.model}: {_knows(each)}", blocks, open=number == 0)


def _first_look(found: Scores) -> Iterator[Block]:
    few = _knows_few(found)
    if few:
        yield Text(few)
    own = f" The words are those of {found.named_in}, which stand in for {found.language}."
    yield Text(f"{_knows(found)}{own if found.named_in else ''}")
    headings = [
        *(Column("measure", kind="name"), Column(SCORE), Column(INTERVAL, ("low", "high"))),
        *(Column(CHANCE), Column(FREQUENCY), Column(SPELLING), Column(VERDICT, kind="text")),
    ]
    rows = [
        [
            *(name(each.measure), short(each.value), short_interval(each.low, each.high)),
            *(short(each.chance), short(each.baseline), short(each.spelling), name(verdict_of(each))),
        ]
        for each in found.measured
    ]
    yield without_empty(Table("Scores", headings, rows))
    known = list(filter(None, map(attrgetter("of_known"), found.measured)))
    if known:
        values = (
            f"{each.measure} {numbers.short(each.value)} (chance {numbers.short(each.chance)})"
            for each in known
        )
        scored = sum(each.value is not None for each in known[0].subscores)
        among = f", in {scored} categories with enough of them" if scored > 1 else ""
        by = " that a training run knows" if found.runs > 1 else ""
        yield Text(f"Known words alone ({known[0].n:,}{by}{among}): {', '.join(values)}.")
    built = [each.with_built for each in found.measured if each.with_built]
    if built:
        values = (
            f"{each.measure} {numbers.short(each.value)} (chance {numbers.short(each.chance)})"
            for each in built
        )
        yield Text(
            f"With {found.built_words:,} words that the model builds from subwords: {', '.join(values)}. "
            "Nothing is decided by these: random n-grams build words, too."
        )
    yield from _best_and_weakest(found)
    yield from skipped(found)
    yield Text(
        "Intervals are for other words of these categories, and so are verdicts that name no other "
        "categories. --details shows all categories, Combined, intervals for other categories, and "
        "signatures."
    )


def _best_and_weakest(found: Scores) -> Iterator[Block]:
    """The categories with the highest and lowest scores, of those that all measures score."""
    if len(found.measured[0].subscores) < _BEST_OF:
        return
    # Of known words alone, where some are unknown: what a category lacks in words says nothing of its
    # vectors.
    own = alike(found.measured)[0]
    alone = [each.of_known for each in own if each.of_known]
    several = alone if len(alone) == len(own) else own
    every = zip(*(each.subscores for each in several), strict=True)
    rows = [row for row in every if all(sub.value is not None for sub in row)]
    if len(rows) < _BEST_OF or not any(each.above_chance for each in own):
        return
    counts = {sub.name: (sub.known, sub.n) for sub in own[0].subscores}

    def together(row: Sequence[Subscore]) -> float:
        return sum(sub.value or 0.0 for sub in row)

    ordered = sorted(rows, key=together, reverse=True)

    def told(row: Sequence[Subscore]) -> str:
        known, n = counts[row[0].name]
        some = f" ({known} of {n} known)" if known != n else ""
        return f"{row[0].heading} {' / '.join(numbers.short(sub.value) for sub in row)}{some}"

    measures = (
        f"{' / '.join(each.measure for each in several)}{' of known words' if several is alone else ''}"
    )
    lost = sum(not any(sub.value for sub in row) for row in rows)
    weak = [told(row) for row in reversed(ordered[-_SHOWN:]) if together(row) < together(ordered[0])]
    weakest = [f"{lost} categories at 0"] if lost > _SHOWN else weak
    best = Fact(f"Best categories ({measures})", list(map(told, ordered[:_SHOWN])))
    yield Facts([best, *[Fact("Weakest", weakest)] * bool(weakest)])


def _asked(scores: Scores) -> str:
    """What all models of a table were asked."""
    first = scores.scores[0]
    common = "|candidates:" in first.signature
    asked = f"the {first.n} of its words that all models know" if common else f"{first.n} items"
    return f"{asked[0].upper()}{asked[1:]}{_among(first)}{_unknown(scores)}."


def _knows(scores: Scores) -> str:
    """How large a model is, and how many of the words it knows."""
    first = scores.scores[0]
    sizes = []
    if scores.vocabulary is not None:
        sizes.append(f"{scores.vocabulary:,} words")
    elif scores.runs > 1:
        sizes.append("Vocabularies of different sizes")
    if scores.dimension is not None:
        sizes.append(f"{scores.dimension:,} dimensions")
    counts = (scores.known_words, scores.words, "words")
    known, n, what = (first.known, first.n, "items") if first.words == "all" else counts
    if n and known is not None:
        by = " by all training runs" if scores.runs > 1 else ""
        sizes.append(f"{known:,} of {n:,} {what} known{by} ({known / n:.0%}){_among(first)}")
    return f"{', '.join(sizes)}{_unknown(scores)}."


def _among(score: Score) -> str:
    kind = "sections" if score.unit == "questions" else "categories"
    return f" in {len(score.subscores)} {kind}" if len(score.subscores) > 1 else ""


def _unknown(scores: Scores) -> str:
    """How words without a vector were treated, if there are any."""
    first = scores.scores[0]
    if "|candidates:" in first.signature:
        return f"; neighbours are looked for among {numbers.count(scores.vocabulary)} words"
    if scores.known_words == scores.words:
        return ""
    if first.words == "all":
        return "; unknown words count as misses"
    return "; unknown words are left out: do not compare with scores of other vocabularies"


def _on_training_runs(models: Iterable[Scores]) -> str:
    runs: dict[str, set[int]] = {}
    for scores in models:
        runs.setdefault(scores.model, set()).add(scores.runs)
    several = [
        f"{name} ({' to '.join(map(str, sorted({min(of_model), max(of_model)})))})"
        for name, of_model in runs.items()
        if max(of_model) > 1
    ]
    if not several:
        return "Intervals are for one training run each: how scores vary with its seed is not in them."
    others = "; of those with one run it is not known" if any(1 in each for each in runs.values()) else ""
    return f"Means over training runs: {', '.join(several)}. How these vary is in their intervals{others}."


def _knows_few(scores: Scores) -> str | None:
    """That a model knows few of the words, and what to do about it; None if it knows enough."""
    known, words = scores.known_words, scores.words or 0
    least = min(_LEAST_KNOWN, words / 2)
    if known is None or known >= max(FEW * words, least):
        return None
    return (
        f"Only {known} of {words:,} test words ({known / words:.1%}) are known: scores say "
        f"{'nothing' if known < least else 'little'} about the model. Are its vectors in the language of the "
        f"test set ({scores.language}), and spelled like it? `evaluator coverage` shows which words are "
        "missing, and what would add some."
    )
