"""The section of a file of scores: every model on every category, and how models differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from evaluator.engine.vocabulary_lookup import FEW
from evaluator.measures.base import Subscore
from evaluator.reports.cells import columns, count, interval, name, rate, short, short_interval, without_empty
from evaluator.reports.page import (
    Block,
    Cell,
    Column,
    Downloads,
    Fact,
    Facts,
    Figure,
    Fold,
    Link,
    Notes,
    Section,
    Table,
    Text,
)
from evaluator.reports.words import BASELINE, CHANCE, FREQUENCY, INTERVAL, SAME_CANDIDATES, SCORE, VERDICT
from evaluator.results import numbers
from evaluator.results.figures.forest import MOST_PANELS, MOST_ROWS, Mark, forest_figure
from evaluator.results.scores import ALL_LANGUAGES, COLUMNS, Ranking, Score, Scores, ScoresFile, verdict_of

MOST_FIGURES = 8
"""Figures are drawn of this many models of a file; more are too many to look at, and the tables have all."""

_MOST_SHOWN = 30
_MOST_CATEGORIES, _BEST_KNOWN = 10, 8  # if there are more than the first, a terminal shows the second
_NAMED = 3  # models in the heading
_LEAST_KNOWN = 10  # a model that knows fewer of the test words can hardly be told from chance
_MARGIN = 10  # models whose differences are shown if a margin is asked for
_PAIR = 2  # models, whose difference is shown beside their ranks
_BEST_OF, _SHOWN = 4, 2  # of so many categories, the best and the weakest are named


def scores_section(found: ScoresFile) -> Section:
    """All that a file of scores says."""
    results = found.results
    drawn = {id(each) for each in results[:MOST_FIGURES]}
    by_test_set: dict[tuple[str, str, str], list[Scores]] = {}
    for each in results:
        by_test_set.setdefault((each.test_set, each.language, each.test_sha256), []).append(each)
    test_sets = [_test_set(several, drawn, found.rankings) for several in by_test_set.values()]
    over_languages = list(_over_languages(found))
    if over_languages:
        test_sets = [replace(each, detail=True) for each in test_sets]
        few = [f"{each.model} of {each.test_set}" for each in results if _knows_few(each)]
        if few:
            over_languages.insert(0, Text(f"Few words are known, so that scores say little: {_list(few)}."))
    others: list[Section] = []
    if found.differences:
        from evaluator.reports.sections.differences import differences_of

        several = len({each.model for each in results}) > _PAIR or bool(over_languages)
        # What a margin was asked for is in this section.
        hidden = several and (found.margin is None or len({each.model for each in results}) > _MARGIN)
        others.append(Section("How models differ", list(differences_of(found)), detail=hidden))
    if found.reasons:
        others.append(Section("What could not be scored", [_listed("Why", found.reasons)]))
    blocks: list[Block] = [Text(_on_training_runs(results)), _downloads(results)] if results else []
    if len(results) > MOST_FIGURES:
        text = f"Figures are drawn of the first {MOST_FIGURES}; the tables have all."
        blocks.append(Text(text, detail=True))
    signatures = dict.fromkeys(score.signature for each in results for score in each.measured)
    origin = [*origins(results), Fact("Signatures", list(signatures), code=True)]
    if len(test_sets) == 1:
        (only,) = test_sets
        subsections = [*only.subsections, *others]
        return Section(f"Scores: {only.title}", [*only.blocks, *blocks], subsections, origin)
    names = list(dict.fromkeys(each.model for each in results))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    blocks = [*over_languages, *blocks]
    return Section(f"Scores: {', '.join(names[:_NAMED])}{more}", blocks, [*test_sets, *others], origin)


def _over_languages(found: ScoresFile) -> Iterator[Block]:
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


def _test_set(several: Sequence[Scores], drawn: set[int], rankings: Sequence[Ranking]) -> Section:
    """The scores of all models on a test set; category by category as details."""
    first = several[0]
    title = f"{first.test_set} ({first.language})"
    if len(several) == 1:
        details = Section("In detail", list(_blocks(first, id(first) in drawn)), detail=True)
        return Section(f"{first.model} on {title}", list(_first_look(first)), [details])
    measures = [score.measure for each in several for score in each]
    measures += [failure.measure for each in several for failure in each.failures]
    by_measure = {each.measure: each for each in rankings if each.is_of(first)}
    headings = [Column("model", kind="name"), *overview_columns()]
    few = (f"{each.model}: {said}" for each in several if (said := _knows_few(each)))
    blocks: list[Block] = [*map(Text, few), Text(_asked(first))]
    for measure in dict.fromkeys(measures):
        ranking = by_measure.get(measure)
        if ranking is not None:
            blocks += [_ranked(ranking, several), Text(conclusion(ranking, several))]
        rows = [[name(each.model), *_overview(each.get(measure))] for each in several]
        blocks.append(without_empty(Table(measure, headings, rows, detail=bool(by_measure))))
    models = [
        Fold(
            f"{each.model}: {_knows(each)}",
            [*_blocks(each, id(each) in drawn), *_skipped(each)],
            open=number == 0,
        )
        for number, each in enumerate(several)
    ]
    by_category = Section("Model by model", models, detail=True)
    return Section(title, blocks, [by_category])


def _first_look(found: Scores) -> Iterator[Block]:
    warning = tells_nothing(found)
    if warning:
        yield Text(warning)
    own = f" The words are those of {found.named_in}, which stand in for {found.language}."
    yield Text(f"{_knows(found)}{own if found.named_in else ''}")
    headings = [
        *(*columns("measure", kind="name"), *columns(SCORE)),
        *(Column(INTERVAL, ("low", "high")), *columns(CHANCE, FREQUENCY)),
        *columns(VERDICT, kind="text"),
    ]
    rows = [
        [
            *(name(each.measure), short(each.value), short_interval(each.low, each.high)),
            *(short(each.chance), short(each.baseline), name(verdict_of(each))),
        ]
        for each in found.measured
    ]
    yield without_empty(Table("Scores", headings, rows))
    known = [each.of_known for each in found.measured if each.of_known]
    if known:
        values = (
            f"{each.measure} {numbers.short(each.value)} (chance {numbers.short(each.chance)})"
            for each in known
        )
        scored = sum(each.value is not None for each in known[0].subscores)
        among = f", in {scored} categories with enough of them" if scored > 1 else ""
        by = " that a training run knows" if found.runs > 1 else ""
        yield Text(f"Known words alone ({known[0].n:,}{by}{among}): {', '.join(values)}.")
    yield from _best_and_weakest(found)
    yield from _skipped(found)
    yield Text(
        "Intervals and verdicts: for other words of these categories. --details shows all categories, "
        "Combined, intervals for other categories, and signatures."
    )


def _best_and_weakest(found: Scores) -> Iterator[Block]:
    """The categories with the highest and lowest scores, of those that all measures score."""
    # Of known words alone, where some are unknown: what a category lacks in words says nothing of its
    # vectors.
    own = _alike(found.measured)[0]
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


_LETTERS = 8
"""Of many models there are so many groups that ranks alone say more."""


def _ranked(ranking: Ranking, several: Sequence[Scores]) -> Table:
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


def _asked(scores: Scores) -> str:
    """What all models of a table were asked."""
    first = scores.scores[0]
    common = "|candidates:" in first.signature
    asked = f"the {first.n} of its words that all models know" if common else f"{first.n} items"
    return f"{asked[0].upper()}{asked[1:]}{_among(first)}{_unknown(scores)}."


def _knows(scores: Scores) -> str:
    """How large a model is, and how many of the words it knows."""
    first = scores.scores[0]
    sizes = [
        f"{number:,} {what}"
        for number, what in ((scores.vocabulary, "words"), (scores.dimension, "dimensions"))
        if number is not None
    ]
    if scores.vocabulary is None and scores.runs > 1:
        sizes.insert(0, "Vocabularies of different sizes")
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


def _blocks(found: Scores, figure: bool) -> Iterator[Block]:
    yield _by_measure(found)
    tables = _alike(found.measured)
    for scores in tables:
        yield _by_category(found, scores, several=len(tables) > 1)
        if figure and 1 < len(scores[0].subscores) <= MOST_ROWS:
            yield _figure(found, scores)
    yield from _remarks(found)


def _by_measure(found: Scores) -> Table:
    known = any(score.of_known for score in found.scores)
    headings = [Column("measure", ("measure", "words"), kind="name"), *overview_columns()]
    rows = [
        [Cell(_row_name(own, beside=own is score.of_known), (own.measure, own.words)), *_overview(own)]
        for score in found.scores
        for own in (score, score.of_known)
        if own is not None
    ]
    rows += [[Cell(failure.measure, (failure.measure, None)), *_overview(None)] for failure in found.failures]
    caption = f"{found.model} on {found.test_set}{', all words and known ones' if known else ''}"
    return without_empty(Table(caption, headings, rows))


def _row_name(score: Score, *, beside: bool) -> str:
    """The measure; or below it, that known words alone were asked, in how many categories."""
    if not beside:
        return score.measure
    scored = sum(each.value is not None for each in score.subscores)
    return f"known, of {scored}" if len(score.subscores) > 1 else "known"


def overview_columns() -> list[Column]:
    """The columns of all that is said of a score."""
    ends = (Column(f"{INTERVAL}, other {of}", (f"{of} low", f"{of} high")) for of in ("words", "categories"))
    return [*columns("n", "known", SCORE), *ends, *columns(CHANCE, BASELINE)]


def _overview(score: Score | None) -> list[Cell]:
    if score is None:
        ends = interval(None, None)
        return [count(None), count(None), rate(None), ends, ends, rate(None), rate(None)]
    return [
        *(count(score.n), count(score.known), rate(score.value), interval(score.low, score.high)),
        interval(score.categories_low, score.categories_high),
        *(rate(score.chance), rate(score.baseline)),
    ]


def _alike(scores: Sequence[Score]) -> list[list[Score]]:
    """Scores that fit into one table: those on the same categories."""
    together: dict[tuple[object, ...], list[Score]] = {}
    for each in scores:
        key = (each.unit, *((sub.name, sub.n, sub.known) for sub in each.subscores))
        together.setdefault(key, []).append(each)
    return list(together.values())


def _by_category(found: Scores, scores: Sequence[Score], several: bool) -> Table:
    """A row for each category: those that are scored, and of which most words are known, come first."""
    kind = "section" if scores[0].unit == "questions" else "category"
    alone = any(each.of_known for each in scores)
    headings = [Column(kind, kind="name"), *columns("n", "known")]
    headings += [column for each in scores for column in _category_columns(each, alone)]
    of_known = [
        {sub.name: sub.value for sub in each.of_known.subscores} if each.of_known else {} for each in scores
    ]
    rows = [
        [
            *(name(row[0].heading), count(row[0].n), count(row[0].known)),
            *(
                cell
                for sub, known in zip(row, of_known, strict=True)
                for cell in (
                    *(rate(sub.value), interval(sub.low, sub.high), rate(sub.chance)),
                    *([rate(known.get(sub.name))] if alone else []),
                )
            ),
        ]
        for row in sorted(zip(*(each.subscores for each in scores), strict=True), key=_best_known)
    ]
    first = _BEST_KNOWN if len(rows) > _MOST_CATEGORIES else None
    measures = f" by {', '.join(each.measure for each in scores)}" if several else ""
    caption = f"{found.model} on {found.test_set}{measures}, {kind} by {kind}"
    return Table(caption, headings, rows, first=first, detail=len(rows) == 1)


def _category_columns(score: Score, alone: bool) -> list[Column]:
    """A terminal leaves out most; of translations it shows the first of the ranks."""
    of, further = score.measure, score.measure.startswith(("Translation", "MRR"))
    further = further and not of.endswith("@1")
    return [
        Column(SCORE, group=of, detail=further),
        Column(INTERVAL, (f"{of} low", f"{of} high"), of, detail=True),
        Column(CHANCE, group=of, detail=True),
        *([Column("known alone", group=of, detail=further)] if alone else []),
    ]


def _best_known(row: Sequence[Subscore]) -> tuple[bool, float, int]:
    n, known = row[0].n or 0, row[0].known or 0
    return all(sub.value is None for sub in row), -known / max(n, 1), -known


def _figure(found: Scores, scores: Sequence[Score]) -> Figure:
    shown = [
        number
        for number in range(len(scores[0].subscores))
        if any(each.subscores[number].value is not None for each in scores)
    ]
    panels = [each.measure for each in scores[:MOST_PANELS]]
    marks = [
        Mark(sub.heading, "", sub.value, sub.low, sub.high, sub.chance, panel=each.measure)
        for each in scores[:MOST_PANELS]
        for sub in (each.subscores[number] for number in shown)
    ]
    return Figure(
        f"{', '.join(panels)} of {found.model} on {len(shown)} categories of {found.test_set}; the table "
        "above has the same numbers",
        "Dots are scores, lines their 95% intervals, short grey strokes the chance level. "
        "Categories without any score are left out.",
        partial(forest_figure, marks),
    )


def _remarks(found: Scores) -> Iterator[Block]:
    """What the table does not say: other figures, what was drawn, and what was skipped."""
    several = found.multiword.get("several", 0)
    if several:
        yield Text(f"{several} of {found.multiword.get('words', 0)} test words consist of several words.")
    further = [line for each in found.measured for line in _further(each)]
    if further:
        yield Notes("Further figures, means over the categories", further)
    subscores = sorted(
        ((sub, each.measure) for each in found.measured for sub in each.subscores),
        key=lambda row: row[0].name,
    )
    drawn = [
        f"{sub.heading}, {measure}: standard error {sub.error:.5f}" for sub, measure in subscores if sub.error
    ]
    if drawn:
        yield Notes("Subsets were drawn", drawn, detail=True)


def _skipped(found: Scores) -> Iterator[Block]:
    subscores = {(sub.name, each.measure): sub for each in found.measured for sub in each.subscores}
    skipped = {name for (name, _), sub in subscores.items() if sub.skipped}
    if skipped:
        lines = [
            f"{sub.heading}, {measure}: {sub.skipped}"
            for (_, measure), sub in sorted(subscores.items())
            if sub.skipped
        ]
        every = len({name for name, _ in subscores})
        yield Fold(f"Not in the mean: {len(skipped)} of {every}", [_listed("Skipped", lines)])


def _listed(title: str, lines: Sequence[str]) -> Notes:
    return Notes(title, numbers.first_few(lines, _MOST_SHOWN, "and {} more, in the data"))


def _further(score: Score) -> Iterator[str]:
    """The share of all questions together; and the means of further figures of a measure."""
    if score.unit == "questions" and score.hits is not None and score.trials:
        share = numbers.rate(score.hits / score.trials)
        yield f"{score.measure}: {score.hits} of {score.trials} questions answered right ({share})"
    for key in sorted({key for sub in score.subscores for key in sub.extra}):
        values = [sub.extra[key] for sub in score.subscores if key in sub.extra]
        mean = sum(values) / len(values)
        is_count = mean.is_integer() and mean > 1
        yield f"{score.measure}, {key}: {numbers.count(mean) if is_count else numbers.rate(mean)}"


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


def origins(results: Sequence[Scores]) -> Iterator[Fact]:
    """Settings, test sets and vectors, each once."""
    settings = (shown_settings(each.scores[0].signature) for each in results)
    yield Fact("Settings", list(dict.fromkeys(settings)))
    tests = dict.fromkeys(f"{each.test_set}, sha256 {each.test_sha256}{_read_as(each)}" for each in results)
    yield Fact("Test sets", list(tests))
    vectors = (
        f"{each.model}, sha256 {each.model_sha256}" if each.model_sha256 else each.model for each in results
    )
    yield Fact("Vectors", list(dict.fromkeys(vectors)))


def _read_as(scores: Scores) -> str:
    """What the file was taken for, if it does not say so itself as testgen's do."""
    reading = scores.reading
    if reading is None or (reading.format == "testset" and not reading.skipped):
        return ""
    left_out = f"; left out: {'; '.join(reading.skipped)}" if reading.skipped else ""
    return f", read as {reading}{left_out}"


def _downloads(results: Sequence[Scores]) -> Downloads:
    rows = [[Cell("", (row.get(each),)) for each in COLUMNS] for scores in results for row in scores.rows()]
    text = Table("", columns(*COLUMNS), rows).as_csv()
    return Downloads([Link("scores.csv", text.encode(errors="replace"), "text/csv")])


def settings_of(signature: str) -> dict[str, str]:
    """The settings in a signature, by key; the measure, which comes first, has no key."""
    pairs = (setting.partition(":") for setting in signature.split("|"))
    return {key: value for key, colon, value in pairs if colon}


def shown_settings(signature: str) -> str:
    """The settings in a signature, without the test set."""
    return ", ".join(f"{key} {value}" for key, value in settings_of(signature).items() if key != "test")


def tells_nothing(scores: Scores) -> str | None:
    """Why a test set says little of a model, and what to do; None if it says something."""
    said = None
    if not any(each.above_chance for each in scores.measured):
        said = "No score is shown to be above chance: do not choose by this."
    elif not any(verdict_of(each).startswith("above") for each in scores.measured):
        said = (
            "No score is shown to be above that of a model which knows only how frequent words are: do not "
            "choose by this."
        )
    return " ".join(filter(None, (_knows_few(scores), said))) or None


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


def conclusion(ranking: Ranking, models: Sequence[Scores]) -> str:
    """Which model is best, and which cannot be told apart from it."""
    by_model: Mapping[str, Score | None] = {each.model: each.get(ranking.measure) for each in models}
    scores = [found for each in ranking.models if (found := by_model.get(each.model))]
    if not any(each.above_chance for each in scores):
        return f"{ranking.measure}: none is shown to be above chance: do not choose by this."
    if not any(each.above_baseline for each in scores):
        return f"{ranking.measure}: none is shown to be above frequency: do not choose by this."
    first, *others = ranking.models
    close = ranking.within_margin and f" Shown to be within the margin of it: {_list(ranking.within_margin)}."
    if any(each.value == first.value for each in others[:1]):
        same = [each.model for each in ranking.models if each.value == first.value]
        return f"{ranking.measure}: {_list(same)} have the same score, the highest."
    equal = [each.model for each in others if each.best == 1]
    if not equal:
        return f"{ranking.measure}: {first.model} is best.{close or ''}"
    equals = f"tested over {ranking.over}, it cannot be told apart from {_list(equal)}"
    standing = _standing(ranking, by_model)
    return f"{ranking.measure}: {first.model} has the highest score; {equals}.{close or ''}{standing}"


def _standing(ranking: Ranking, by_model: Mapping[str, Score | None]) -> str:
    scored = {each.model: found for each in ranking.models if (found := by_model.get(each.model))}
    above = [model for model, each in scored.items() if each.above_baseline]
    below = [model for model in scored if model not in above]
    if not below:
        return ""
    return f" Shown to be above frequency: {_list(above)}; not so {_list(below)}."


def _list(names: Sequence[str]) -> str:
    shown = numbers.first_few(names, _NAMED, "{} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
