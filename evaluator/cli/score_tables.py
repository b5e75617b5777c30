"""The tables that `evaluator score` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evaluator.cli.output import console, plain_table
from evaluator.results.numbers import interval, p_value, rate

if TYPE_CHECKING:
    from rich.table import Table

    from evaluator.measures import Subscore
    from evaluator.results.base import Difference, Estimate
    from evaluator.results.scores import ModelFailure
    from evaluator.studies.scores import Score, Scores

_MOST_CATEGORIES = 10
_BEST_KNOWN = 8  # as many are shown if there are more than that

_OF_CATEGORIES = {"categories": "category", "sections": "section", "translations": "category"}
"""What measures are means over, and what one is called."""

_COLUMNS = ("score", "95% words", "95% categories", "chance", "frequency")


def print_scores(models: Sequence[Scores], *, verbose: bool) -> None:
    """A table of each test set: its measures, and of a single model the categories.

    Args:
        models: The scores of all models on all test sets.
        verbose: Whether all categories of all models are shown, and why some are not scored.
    """
    out = console()
    by_test_set: dict[str, list[Scores]] = {}
    for each in models:
        by_test_set.setdefault(each.scores[0].test_set, []).append(each)
    for several in by_test_set.values():
        out.print(_heading(several))
        out.print(_table_of_models(several) if len(several) > 1 else _table_of_one(several[0]))
        for each in several:
            of = f"{each.scores[0].vectors}, " if len(several) > 1 else ""
            for text, reason in each.failures.items():
                out.print(f"{of}{text}: {reason}")
        for each in several if verbose or len(several) == 1 else ():
            if len(several) > 1:
                out.print(each.scores[0].vectors)
            _print_categories(each, verbose=verbose)
        for line in dict.fromkeys(each.signature for scores in several for each in scores.values()):
            out.print(line, style="dim", soft_wrap=True)
    out.print(_on_training_runs(models))


def print_failures(failures: Iterable[ModelFailure]) -> None:
    """A line for each model that could not be scored."""
    for each in failures:
        on = f" on {each.test_set}" if each.test_set and each.test_set not in each.reason else ""
        of = "" if each.vectors in each.reason else f"{each.vectors}{on}: "
        console().print(f"Not scored: {of}{each.reason}")


def _heading(several: Sequence[Scores]) -> str:
    scores = several[0]
    first, (known, words) = scores.scores[0], scores.words
    of = f"{first.test_set} ({first.language})"
    several_subscores = len(first.subscores) > 1 and first.measure.scores in _OF_CATEGORIES
    kind = "sections" if first.measure.scores == "sections" else "categories"
    among = f" in {len(first.subscores)} {kind}" if several_subscores else ""
    if len(several) > 1:
        asked = f"the {known} of its {words} words that all models know" if first.common else f"{words} words"
        return f"{of}: {asked}{among}{_unknown(scores)}"
    vocabulary, dimension = scores.shape
    share = f" ({known / words:.0%})" if words else ""
    return (
        f"{first.vectors} ({vocabulary:,} words, {dimension} dimensions) on {of}: knows {known} of {words} "
        f"words{share}{among}{_unknown(scores)}"
    )


def _unknown(scores: Scores) -> str:
    """How words without a vector were treated, if there are any."""
    known, words = scores.words
    first = scores.scores[0]
    if first.common:
        return f"; vocabularies cut to {scores.shape[0]:,} words"
    if known == words:
        return ""
    if first.settings.oov == "wrong":
        return "; unknown words count as misses"
    return "; unknown words are left out: do not compare with scores of other vocabularies"


def _table_of_one(scores: Scores) -> Table:
    """A row for each measure, and one for the same on known words alone."""
    own = "known" if scores.scores[0].settings.oov == "skip" else "all"
    found = [(own, _rows(scores), _how_many(scores))]
    if scores.known is not None:
        found.append(("known", _rows(scores.known), _how_many(scores.known)))
    table = plain_table("measure", ("words", *_COLUMNS))
    for measure in found[0][1]:
        for number, (words, rows, of) in enumerate(each for each in found if measure in each[1]):
            table.add_row("" if number else measure, words + of.get(measure, ""), *rows[measure])
    for measure in scores.failures:
        table.add_row(measure, own, *["–"] * len(_COLUMNS))
    return table


def _how_many(scores: Scores) -> dict[str, str]:
    """Of how many categories or sections each measure is the mean, if it may be of several."""
    return {
        text: f", of {sum(sub.value is not None for sub in each.subscores)}"
        for text, each in scores.items()
        if each.measure.scores in _OF_CATEGORIES and len(each.subscores) > 1
    }


def _table_of_models(several: Sequence[Scores]) -> Table:
    """A row for each measure and model."""
    table = plain_table("measure", ("model", "known", *_COLUMNS))
    table.columns[1].justify = "left"
    rows = [(each, _rows(each)) for each in several]
    named = [*(found for _, found in rows), *(each.failures for each in several)]
    for measure in dict.fromkeys(measure for found in named for measure in found):
        for number, (each, found) in enumerate(rows):
            cells = found.get(measure, ["–"] * len(_COLUMNS))
            known = str(each.words[0])
            table.add_row("" if number else measure, each.scores[0].vectors, known, *cells)
    return table


def _rows(scores: Scores) -> dict[str, list[str]]:
    """The cells of each measure, of Combined, and of the mean above chance."""
    baseline = scores.frequency
    found = {
        text: [
            rate(each.value),
            _span(*each.interval),
            _span(*(each.category_interval or (None, None))),
            rate(each.chance),
            rate(scores.frequency_level(text)),
        ]
        for text, each in scores.items()
    }
    for name, both, level in (
        ("Combined", scores.combined_estimate, baseline.combined_estimate if baseline else None),
        ("Above chance", scores.above_chance, baseline.above_chance if baseline else None),
    ):
        if both is not None:
            found[name] = _estimate_cells(both, level)
    return found


def _estimate_cells(both: Estimate, baseline: Estimate | None) -> list[str]:
    level = None if baseline is None else baseline.value
    return [rate(both.value), _span(both.low, both.high), "–", rate(both.chance), rate(level)]


def _span(low: float | None, high: float | None) -> str:
    """An interval in little room."""
    return "–" if low is None or high is None else f"{low:.4f}–{high:.4f}"


def _print_categories(scores: Scores, *, verbose: bool) -> None:
    """The best-known categories, or all of them; then other figures, and what is not scored."""
    out = console()
    hidden = 0
    chosen = [each for each in scores.values() if verbose or _is_first_of_ranks(each)]
    for together in _with_the_same_subscores(chosen or list(scores.values())):
        if len(together[0].subscores) > 1:
            table, left_out = _category_table(together, scores.known, verbose=verbose)
            hidden += left_out
            out.print(table)
    if hidden:
        out.print(f"and {hidden} more, which --verbose shows")
    for line in _remarks(scores, verbose=verbose):
        out.print(line)


def _is_first_of_ranks(score: Score) -> bool:
    """Whether a score is no further figure on the ranks of translations, for which a table has no room."""
    return score.measure.scores != "translations" or getattr(score.measure, "k", None) == 1


def _with_the_same_subscores(scores: Sequence[Score]) -> Iterable[list[Score]]:
    """Scores that fit into one table, in their order."""
    together: dict[tuple[str, ...], list[Score]] = {}
    for each in scores:
        key = (each.measure.counted, *(f"{sub.name} {sub.size} {sub.oov}" for sub in each.subscores))
        together.setdefault(key, []).append(each)
    return together.values()


def _category_table(scores: Sequence[Score], known: Scores | None, *, verbose: bool) -> tuple[Table, int]:
    """A row for each category, and how many of them are not shown."""
    first = scores[0]
    kind = _OF_CATEGORIES.get(first.measure.scores, "subscore")
    of_known = {text: _by_name(known, text) for text in (str(each.measure) for each in scores)}
    columns = [(str(each.measure), "known") if known else (str(each.measure),) for each in scores]
    table = plain_table(
        kind, (f"{first.measure.counted} known", *(name for names in columns for name in names))
    )
    rows = list(zip(*(each.subscores for each in scores), strict=True))
    shown = rows if verbose or len(rows) <= _MOST_CATEGORIES else _best_known(rows)
    for row in shown:
        cells = [
            cell
            for sub, alone in zip(row, of_known.values(), strict=True)
            for cell in ([rate(sub.value), rate(alone.get(sub.name))] if known else [rate(sub.value)])
        ]
        table.add_row(row[0].heading, f"{row[0].size - row[0].oov} of {row[0].size}", *cells)
    return table, len(rows) - len(shown)


def _by_name(scores: Scores | None, measure: str) -> dict[str, float | None]:
    """The subscores of a measure; none if there are no scores."""
    if scores is None or measure not in scores:
        return {}
    return {each.name: each.value for each in scores[measure].subscores}


def _best_known(rows: Sequence[tuple[Subscore, ...]]) -> list[tuple[Subscore, ...]]:
    """The categories of which the largest share of words is known, and that are scored."""

    def order(row: tuple[Subscore, ...]) -> tuple[bool, float, int]:
        size, known = row[0].size, row[0].size - row[0].oov
        return all(sub.value is None for sub in row), -known / max(size, 1), -known

    return sorted(rows, key=order)[:_BEST_KNOWN]


def _remarks(scores: Scores, *, verbose: bool) -> Iterator[str]:
    """What the tables do not say: other figures, what was drawn, and what is not scored."""
    several, words = scores.multiword
    if several:
        yield f"{several} of {words} test words consist of several words"
    for each in scores.values():
        yield from _further_figures(each)
    subscores = [(sub, each.measure) for each in scores.values() for sub in each.subscores]
    yield from (
        f"  {sub.heading}, {measure}: subsets drawn, standard error {sub.error:.5f}"
        for sub, measure in subscores
        if sub.error and verbose
    )
    skipped: Mapping[str, str] = {sub.heading: sub.skipped for sub, _ in subscores if sub.skipped}
    if skipped and verbose:
        yield from ("Not in the mean:", *(f"  {name}: {reason}" for name, reason in skipped.items()))
    elif skipped:
        every = len({sub.heading for sub, _ in subscores})
        yield f"Not in the mean: {len(skipped)} of {every}; --verbose says why"


def _further_figures(score: Score) -> Iterator[str]:
    """The share of all questions together; and the means of further figures of a measure."""
    if score.measure.counted == "questions" and score.hits is not None and score.trials:
        share = rate(score.hits / score.trials)
        yield f"{score.measure}: {score.hits} of {score.trials} questions answered right ({share})"
    for name in sorted({name for sub in score.subscores for name in sub.extra}):
        known = [sub.extra[name] for sub in score.subscores if name in sub.extra]
        yield f"{score.measure}, {name}: {_figure(sum(known) / len(known))}"


def _figure(value: float) -> str:
    """A rate with four decimals, a count without."""
    return f"{value:.0f}" if value.is_integer() and value > 1 else rate(value)


def _on_training_runs(models: Iterable[Scores]) -> str:
    runs = {scores.scores[0].vectors: len(scores.scores[0].seeds) or 1 for scores in models}
    several = [f"{name} ({number})" for name, number in runs.items() if number > 1]
    if not several:
        return "Intervals are for one training run each: how scores vary with its seed is not in them."
    others = "" if len(several) == len(runs) else "; of the others it is not known"
    return f"Means over training runs: {', '.join(several)}. How these vary is in their intervals{others}."


def print_differences(rows: Sequence[tuple[str, str, str, str, Difference]]) -> None:
    """How much the other models are better than the first, by test set and measure."""
    names = ("measure", "first", "second", "difference", "95% interval", "p", "test over")
    cells = (
        (
            *texts,
            f"{each.value:+.4f}",
            interval(test.low, test.high),
            p_value(test.p),
            over,
        )
        for *texts, each in rows
        for over, test in each.tests
    )
    out = console()
    out.print(
        "Second minus first. Tests over categories are for other categories like these, tests over words for "
        "other words of exactly these; paired t-tests."
    )
    out.print(plain_table("test set", names, cells))
