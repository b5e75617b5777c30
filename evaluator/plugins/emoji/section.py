"""The section of emoji models at many learning rates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evaluator.plugins import (
    Block,
    Cell,
    Column,
    Fact,
    Figure,
    Line,
    Section,
    Table,
    Text,
    interval,
    lines_figure,
    name,
    rate,
    shown_settings,
    signed,
)
from evaluator.plugins.emoji.result import EmojiFile, means_of, values_of

_PANELS = {
    "description classification": ("Accuracy", "AUC"),
    "categories": ("Topk@3", "OddOneOut@3"),
    "labels of texts": ("Sentiment",),
}
"""The measures that are drawn together, as figure 3 of the paper on Topk and OddOneOut."""


def emoji_section(found: EmojiFile) -> Section:
    """All that a sweep found."""
    subsections = [
        Section("Measures over the learning rate", list(_rates(found))),
        Section("Which rate each measure would choose", list(_choices(found))),
    ]
    tests = (f"{each.test_set}, sha256 {each.test_sha256}" for each in found.results)
    settings = (shown_settings(score.signature) for each in found.results for score in each.measured)
    origin = [
        Fact("Test sets", list(dict.fromkeys(tests))),
        Fact("Settings", list(dict.fromkeys(settings))),
    ]
    lines = [Text(f"{line}.") for line in _about(found)]
    return Section(f"Emoji: {found.descriptions.name}", lines, subsections, origin)


def _about(found: EmojiFile) -> Iterator[str]:
    learned = found.descriptions
    left = f"left out: {learned.without_words} without a word that has a vector"
    yield f"{learned.name}: {learned.pairs} descriptions learned from; {left}"
    for scores in found.on("categories", found.rates[0])[:1]:
        scored = (
            f"; {score.measure} scores {sum(part.value is not None for part in score.subscores)} categories"
            for score in scores.measured
            if score.subscores
        )
        yield f"{scores.test_set}: {scores.known_words} of {scores.words} emoji were learned{''.join(scored)}"
    for on, labelled in found.labelled.items():
        for score in [score for scores in found.on(on, found.rates[0]) for score in scores][:1]:
            yield (
                f"{labelled.name}: {score.known} classified; left out: {labelled.without_words} without a "
                f"word that has a vector, {labelled.pairs - (score.known or 0)} with an emoji that was not "
                "learned"
            )


def _rates(found: EmojiFile) -> Iterator[Block]:
    panels: dict[str, list[Line]] = {}
    for title, measures in _PANELS.items():
        for measure in (each for each in measures if each in found.measures):
            ranges = [(min(values), max(values)) for values in values_of(found.results, measure).values()]
            means = list(means_of(found.results, measure).values())
            line = Line(measure, found.rates, means, ranges, ring=found.best[measure])
            panels.setdefault(title, []).append(line)
    drawn = (line.label for lines in panels.values() for line in lines)
    yield Figure(
        f"{', '.join(drawn)} over {len(found.rates)} learning rates; the table below has the same numbers",
        "Lines are means over the seeds, bands the range of the seeds; the highest mean is ringed.",
        partial(lines_figure, panels, "learning rate", base=10),
        "emoji",
    )
    seeds = len(found.on("categories", found.rates[0]))
    shown = 2 if seeds > 1 else 1  # there is no range of one
    columns = [Column("rate", kind="name")]
    columns += [
        column
        for label in found.measures
        for column in (
            Column("mean", group=label),
            Column("range", (f"{label} lowest", f"{label} highest"), label),
        )[:shown]
    ]
    rows = [
        [
            Cell(f"{rate_:.2e}", (rate_,)),
            *(cell for measure in found.measures for cell in _cells(found, measure, rate_)[:shown]),
        ]
        for rate_ in found.rates
    ]
    models = f"{seeds} models" if seeds > 1 else "1 model"
    yield Table(f"Measures by learning rate, {models} at each", columns, rows, "emoji.csv")


def _cells(found: EmojiFile, measure: str, rate_: float) -> list[Cell]:
    values = values_of(found.results, measure)[rate_]
    badge = "highest" if found.best[measure] == rate_ else ""
    return [rate(sum(values) / len(values), badge=badge), interval(min(values), max(values))]


def _choices(found: EmojiFile) -> Iterator[Block]:
    columns = [
        Column("chosen by", kind="name"),
        *(Column(title) for title in ("rate", "mean", "held-out accuracy", "held-out AUC")),
    ]
    held_out = [means_of(found.results, measure, held_out=True) for measure in ("Accuracy", "AUC")]
    rows = [
        [
            *(name(measure), Cell(f"{best:.2e}", (best,)), rate(means_of(found.results, measure)[best])),
            *(rate(means.get(best)) for means in held_out),
        ]
        for measure, best in found.best.items()
    ]
    yield Table("The rate that each measure would choose", columns, rows, "emoji-choices.csv")
    others = list(dict.fromkeys(other for row in found.spearman.values() for other in row))
    columns = [Column("", ("measure",), kind="name"), *map(Column, others)]
    rows = [[name(one), *(signed(row.get(other)) for other in others)] for one, row in found.spearman.items()]
    yield Table("Spearman's correlation over the rates", columns, rows, "emoji-correlations.csv")
