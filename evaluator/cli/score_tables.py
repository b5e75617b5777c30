"""The tables that `evaluator score` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from evaluator.cli.output import console, plain_table
from evaluator.results.numbers import interval, p_value, rate

if TYPE_CHECKING:
    from rich.table import Table

    from evaluator.measures import Subscore
    from evaluator.results.scores import ModelFailure, Score, Scores, TestedDifference

_MOST_CATEGORIES = 10
_BEST_KNOWN = 8  # as many are shown if there are more than that

_COLUMNS = ("n", "known", "score", "95% words", "95% categories", "chance", "frequency")


def print_scores(models: Sequence[Scores], *, verbose: bool) -> None:
    """A table of each test set: its measures, and of a single model the categories.

    Args:
        models: The scores of all models on all test sets.
        verbose: Whether all categories of all models are shown, and why some are not scored.
    """
    out = console()
    by_test_set: dict[str, list[Scores]] = {}
    for each in models:
        by_test_set.setdefault(each.test_set, []).append(each)
    for several in by_test_set.values():
        out.print(_heading(several))
        out.print(_table_of_models(several) if len(several) > 1 else _table_of_one(several[0]))
        for each in several:
            of = f"{each.model}, " if len(several) > 1 else ""
            for failure in each.failures:
                out.print(f"{of}{failure.measure}: {failure.reason}")
        for each in several if verbose or len(several) == 1 else ():
            if len(several) > 1:
                out.print(each.model)
            _print_categories(each, verbose=verbose)
        for line in dict.fromkeys(each.signature for scores in several for each in scores.measured):
            out.print(line, style="dim", soft_wrap=True)
    out.print(_on_training_runs(models))


def print_failures(failures: Iterable[ModelFailure]) -> None:
    """A line for each model that could not be scored."""
    for each in failures:
        console().print(f"Not scored: {each}")


def _heading(several: Sequence[Scores]) -> str:
    scores, first = several[0], several[0].scores[0]
    of = f"{scores.test_set} ({scores.language})"
    kind = "sections" if first.unit == "questions" else "categories"
    among = f" in {len(first.subscores)} {kind}" if len(first.subscores) > 1 else ""
    if len(several) > 1:
        common = "|common:" in first.signature
        asked = f"the {first.n} of its words that all models know" if common else f"{first.n} items"
        return f"{of}: {asked}{among}{_unknown(scores)}"
    counts = (scores.known_words, scores.words, "words")
    known, n, what = (first.known, first.n, "items") if first.words == "all" else counts
    share = f" ({known / n:.0%})" if n and known is not None else ""
    return (
        f"{scores.model} ({scores.vocabulary:,} words, {scores.dimension} dimensions) on {of}: "
        f"knows {known} of {n} {what}{share}{among}{_unknown(scores)}"
    )


def _unknown(scores: Scores) -> str:
    """How words without a vector were treated, if there are any."""
    first = scores.scores[0]
    if "|common:" in first.signature:
        return f"; vocabularies cut to {scores.vocabulary:,} words"
    if scores.known_words == scores.words:
        return ""
    if first.words == "all":
        return "; unknown words count as misses"
    return "; unknown words are left out: do not compare with scores of other vocabularies"


def _table_of_one(scores: Scores) -> Table:
    """A row for each measure, and one for the same on known words alone."""
    table = plain_table("measure", ("words", *_COLUMNS))
    for score in scores:
        for own in (score, score.of_known):
            if own is not None:
                table.add_row("" if own is score.of_known else own.measure, _words(own), *_cells(own))
    for failure in scores.failures:
        table.add_row(failure.measure, "", *["–"] * len(_COLUMNS))
    return table


def _words(score: Score) -> str:
    """Which words were asked; and of how many categories a score is the mean, if it may be of several."""
    scored = sum(each.value is not None for each in score.subscores)
    return f"{score.words}, of {scored}" if len(score.subscores) > 1 else score.words


def _table_of_models(several: Sequence[Scores]) -> Table:
    """A row for each measure and model."""
    table = plain_table("measure", ("model", *_COLUMNS))
    table.columns[1].justify = "left"
    measures = [score.measure for each in several for score in each]
    measures += [failure.measure for each in several for failure in each.failures]
    for measure in dict.fromkeys(measures):
        for number, each in enumerate(several):
            score = each.get(measure)
            cells = ["–"] * len(_COLUMNS) if score is None else _cells(score)
            table.add_row("" if number else measure, each.model, *cells)
    return table


def _cells(score: Score) -> list[str]:
    """What a row says of a score."""
    return [
        *("–" if number is None else f"{number:,}" for number in (score.n, score.known)),
        rate(score.value),
        _span(score.interval),
        _span(score.category_interval),
        rate(score.chance),
        rate(score.baseline),
    ]


def _span(ends: tuple[float, float] | None) -> str:
    """An interval in little room."""
    return "–" if ends is None else f"{ends[0]:.4f}–{ends[1]:.4f}"


def _print_categories(scores: Scores, *, verbose: bool) -> None:
    """The best-known categories, or all of them; then other figures, and what is not scored."""
    out = console()
    hidden = 0
    chosen = [each for each in scores.measured if verbose or _is_first_of_ranks(each)]
    for together in _with_the_same_subscores(chosen or scores.measured):
        if len(together[0].subscores) > 1:
            table, left_out = _category_table(together, verbose=verbose)
            hidden += left_out
            out.print(table)
    if hidden:
        out.print(f"and {hidden} more, which --verbose shows")
    for line in _remarks(scores, verbose=verbose):
        out.print(line)


def _is_first_of_ranks(score: Score) -> bool:
    """Whether a score is no further figure on the ranks of translations, for which a table has no room."""
    return not score.measure.startswith(("Translation", "MRR")) or score.measure.endswith("@1")


def _with_the_same_subscores(scores: Sequence[Score]) -> Iterable[list[Score]]:
    """Scores that fit into one table, in their order."""
    together: dict[tuple[str, ...], list[Score]] = {}
    for each in scores:
        key = (each.unit, *(f"{sub.name} {sub.n} {sub.known}" for sub in each.subscores))
        together.setdefault(key, []).append(each)
    return together.values()


def _category_table(scores: Sequence[Score], *, verbose: bool) -> tuple[Table, int]:
    """A row for each category, and how many of them are not shown."""
    known = any(each.of_known for each in scores)
    columns = [(each.measure, "known") if known else (each.measure,) for each in scores]
    kind = "section" if scores[0].unit == "questions" else "category"
    table = plain_table(kind, ("known", *(name for names in columns for name in names)))
    rows = list(zip(*(each.subscores for each in scores), strict=True))
    shown = rows if verbose or len(rows) <= _MOST_CATEGORIES else _best_known(rows)
    of_known = [
        {sub.name: sub.value for sub in each.of_known.subscores} if each.of_known else {} for each in scores
    ]
    for row in shown:
        cells = [
            cell
            for sub, alone in zip(row, of_known, strict=True)
            for cell in ([rate(sub.value), rate(alone.get(sub.name))] if known else [rate(sub.value)])
        ]
        table.add_row(row[0].heading, f"{row[0].known} of {row[0].n}", *cells)
    return table, len(rows) - len(shown)


def _best_known(rows: Sequence[tuple[Subscore, ...]]) -> list[tuple[Subscore, ...]]:
    """The categories of which the largest share of words is known, and that are scored."""

    def order(row: tuple[Subscore, ...]) -> tuple[bool, float, int]:
        n, known = row[0].n or 0, row[0].known or 0
        return all(sub.value is None for sub in row), -known / max(n, 1), -known

    return sorted(rows, key=order)[:_BEST_KNOWN]


def _remarks(scores: Scores, *, verbose: bool) -> Iterator[str]:
    """What the tables do not say: other figures, what was drawn, and what is not scored."""
    several = scores.multiword.get("several")
    if several:
        yield f"{several} of {scores.multiword['words']} test words consist of several words"
    for each in scores:
        yield from _further_figures(each)
    subscores = [(sub, each.measure) for each in scores for sub in each.subscores]
    yield from (
        f"  {sub.heading}, {measure}: subsets drawn, standard error {sub.error:.5f}"
        for sub, measure in subscores
        if sub.error and verbose
    )
    skipped = {sub.heading: sub.skipped for sub, _ in subscores if sub.skipped}
    if skipped and verbose:
        yield from ("Not in the mean:", *(f"  {name}: {reason}" for name, reason in skipped.items()))
    elif skipped:
        every = len({sub.heading for sub, _ in subscores})
        yield f"Not in the mean: {len(skipped)} of {every}; --verbose says why"


def _further_figures(score: Score) -> Iterator[str]:
    """The share of all questions together; and the means of further figures of a measure."""
    if score.unit == "questions" and score.hits is not None and score.trials:
        share = rate(score.hits / score.trials)
        yield f"{score.measure}: {score.hits} of {score.trials} questions answered right ({share})"
    for name in sorted({name for sub in score.subscores for name in sub.extra}):
        known = [sub.extra[name] for sub in score.subscores if name in sub.extra]
        yield f"{score.measure}, {name}: {_figure(sum(known) / len(known))}"


def _figure(value: float) -> str:
    """A rate with four decimals, a count without."""
    return f"{value:.0f}" if value.is_integer() and value > 1 else rate(value)


def _on_training_runs(models: Iterable[Scores]) -> str:
    runs = {scores.model: scores.runs for scores in models}
    several = [f"{name} ({number})" for name, number in runs.items() if number > 1]
    if not several:
        return "Intervals are for one training run each: how scores vary with its seed is not in them."
    others = "" if len(several) == len(runs) else "; of the others it is not known"
    return f"Means over training runs: {', '.join(several)}. How these vary is in their intervals{others}."


def print_differences(differences: Sequence[TestedDifference]) -> None:
    """How much the other models are better than the first, by test set and measure."""
    names = ("measure", "first", "second", "difference", "95% interval", "p", "test over")
    cells = (
        (
            *(each.test_set, each.measure, each.first, each.second),
            f"{each.value:+.4f}",
            interval(test.low, test.high),
            p_value(test.p),
            over,
        )
        for each in differences
        for over, test in each.tests
    )
    out = console()
    out.print(
        "Second minus first. Tests over categories are for other categories like these, tests over words for "
        "other words of exactly these; paired t-tests."
    )
    out.print(plain_table("test set", names, cells))
