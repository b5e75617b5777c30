"""The section of emoji models at many learning rates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec import UNSET

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
    signed,
)
from evaluator.plugins.emoji.result import MEASURES, EmojiFile

_PANELS = {
    "description classification": ("accuracy", "auc"),
    "categories": ("topk", "oddoneout"),
    "texts": ("sentiment",),
}
"""The measures that are drawn together, as figure 3 of the paper on Topk and OddOneOut."""


def emoji_section(found: EmojiFile) -> Section:
    """All that a sweep found."""
    subsections = [
        Section("Measures over the learning rate", [*_rates(found), *map(Text, _best_sentiment(found))]),
        Section("Which rate each measure would choose", list(_choices(found))),
    ]
    origin = [
        Fact("Test set", [f"{found.test_set.name}, sha256 {found.test_set.sha256}"]),
        Fact("Made by", [found.generator]),
        Fact("Settings", [", ".join(f"{key} {value}" for key, value in found.settings.items())]),
    ]
    lines = [Text(f"{line}.") for line in _about(found)]
    return Section(f"Emoji: {found.descriptions.name}", lines, subsections, origin)


def _about(found: EmojiFile) -> Iterator[str]:
    """What the models learned from and were scored on, and what was left out."""
    learned, first = found.descriptions, found.runs[0]
    scored = {measure: first.categories.get(measure, "?") for measure in ("topk", "oddoneout")}
    left = f"left out: {learned.without_words} without a word that has a vector"
    yield f"{learned.name}: {learned.pairs} descriptions learned from; {left}"
    yield (
        f"{found.test_set.name}: {first.asked - first.oov} of {first.asked} emoji were learned; "
        f"Topk scores {scored['topk']} categories, OddOneOut {scored['oddoneout']}"
    )
    for label, own in ((found.dev, first.dev), (found.held_out, first.held_out)):
        if own is not None:
            yield (
                f"{label}: {own.pairs} classified; left out: {own.without_words} without a word that has a "
                f"vector, {own.without_emoji} with an emoji that was not learned"
            )
    text = first.sentiment
    if text is not None and found.texts is not UNSET:
        yield (
            f"{found.texts.name}: {text.texts - text.oov} texts with emoji classified; left out: "
            f"{text.oov} without a vector; chance level {rate(text.chance).text}"
        )


def _best_sentiment(found: EmojiFile) -> Iterator[str]:
    """How well texts are classified at the best rate, with intervals."""
    best = found.best.get("sentiment")
    for run in found.runs:
        text = run.sentiment
        if best is not None and text is not None and run.rate == best.rate:
            shown = f"{rate(text.value).text}, 95% interval {interval(text.low, text.high).text}"
            yield f"Sentiment at {run.rate:.2e} with seed {run.seed}: {shown}."


def _rates(found: EmojiFile) -> Iterator[Block]:
    seeds = len(found.values("topk")[0])
    panels = {
        title: [_line(found, measure) for measure in measures if measure in found.measures]
        for title, measures in _PANELS.items()
    }
    panels = {title: lines for title, lines in panels.items() if lines}
    drawn = (line.label for lines in panels.values() for line in lines)
    yield Figure(
        f"{', '.join(drawn)} over {len(found.rates)} learning rates; the table below has the same numbers",
        "Lines are means over the seeds, bands the range of the seeds; the highest mean is ringed.",
        partial(lines_figure, panels, "learning rate", base=10),
        "emoji",
    )
    shown = 2 if seeds > 1 else 1  # there is no range of one
    columns = [Column("rate", kind="name")]
    columns += [
        column
        for label in map(MEASURES.__getitem__, found.measures)
        for column in (
            Column("mean", group=label),
            Column("range", (f"{label} lowest", f"{label} highest"), label),
        )[:shown]
    ]
    rows = [
        [
            Cell(f"{rate_:.2e}", (rate_,)),
            *(cell for measure in found.measures for cell in _cells(found, measure, row)[:shown]),
        ]
        for row, rate_ in enumerate(found.rates)
    ]
    if found.reference is not None:
        other = found.reference
        both = ([rate(other.value(measure)), Cell("", ("", ""))] for measure in found.measures)
        rows.append([name(other.vectors), *(cell for cells in both for cell in cells[:shown])])
    models = f"{seeds} models" if seeds > 1 else "1 model"
    yield Table(f"Measures by learning rate, {models} at each", columns, rows, "emoji.csv")


def _line(found: EmojiFile, measure: str) -> Line:
    ranges = [(min(values), max(values)) for values in found.values(measure)]
    label, best = MEASURES[measure], found.best[measure].rate
    return Line(label, found.rates, found.means(measure), ranges, ring=best)


def _cells(found: EmojiFile, measure: str, row: int) -> list[Cell]:
    values = found.values(measure)[row]
    low, high = min(values), max(values)
    badge = "highest" if found.best[measure].rate == found.rates[row] else ""
    return [rate(found.means(measure)[row], badge), interval(low, high)]


def _choices(found: EmojiFile) -> Iterator[Block]:
    columns = [
        Column("chosen by", kind="name"),
        *(Column(title) for title in ("rate", "mean", "held-out accuracy", "held-out AUC")),
    ]
    rows = [
        [
            *(name(label), Cell(f"{best.rate:.2e}", (best.rate,)), rate(best.mean)),
            *(rate(best.held_out_accuracy), rate(best.held_out_auc)),
        ]
        for label, best in ((MEASURES[key], found.best[key]) for key in found.measures)
    ]
    yield Table("The rate that each measure would choose", columns, rows, "emoji-choices.csv")
    others = list(dict.fromkeys(other for row in found.spearman.values() for other in row))
    columns = [Column("", ("measure",), kind="name")]
    columns += [Column(MEASURES.get(other, other)) for other in others]
    rows = [
        [name(MEASURES.get(one, one)), *(signed(row.get(other)) for other in others)]
        for one, row in found.spearman.items()
    ]
    yield Table("Spearman's correlation over the rates", columns, rows, "emoji-correlations.csv")
