"""The sections of files that say how vectors were made."""

from __future__ import annotations

from msgspec import UNSET

from evaluator.reports.cells import columns, count, name, rate
from evaluator.reports.page import Block, Column, Fact, Notes, Section, Table, Text
from evaluator.reports.sections.coverage import corpus_blocks
from evaluator.results.models import AverageFile, ModelFile, TrainingFile


def average_section(found: AverageFile) -> Section:
    """What a mean is made of."""
    headings = [Column("model", kind="name"), *columns("words", "dimensions", "spread of cosines", "weight")]
    rows = [
        [name(each.model), count(each.words), count(each.dimension), rate(each.spread), rate(each.weight)]
        for each in found.models
    ]
    blocks: list[Block] = [
        Text(
            f"{_size(found)}: the mean of {len(found.models)} models. Its cosines are theirs, each with its "
            f"weight; {found.kept:.1%} of the squared singular values are kept."
        ),
        Table("The models, and their weights", headings, rows, "average.csv"),
    ]
    without = [each.model for each in found.models if each.subwords]
    if without:
        blocks.append(
            Notes("Left out", [f"{each}: its subwords; the mean has words alone" for each in without])
        )
    if found.ranking is not UNSET:
        ranks = [[name(each.model), rate(each.value)] for each in found.ranking.models]
        of = f"by {found.ranking.measure} on {found.ranking.test_set}"
        blocks.append(Text(f"These are the best {len(found.models)} of {len(ranks)}, {of}."))
        headings = [Column("model", kind="name"), Column(found.ranking.measure)]
        blocks.append(Table(f"All models, {of}", headings, ranks, "ranking.csv"))
    return Section(f"Average: {found.output.path}", blocks)


def training_section(found: TrainingFile) -> Section:
    """How a model was trained."""
    facts = [Fact(key.capitalize(), [value]) for key, value in found.settings.items()]
    resampled = "" if found.resampled is UNSET else f": {found.resampled}"
    held = f"{'the text drawn from ' if resampled else ''}{found.corpus}"
    corpus = Section("The corpus", corpus_blocks(held, found.statistics), detail=True)
    blocks: list[Block] = [
        Text(f"{_size(found)}, trained on {found.corpus}{resampled}."),
        Table(
            "The hyper-parameters",
            [Column("hyper-parameter", kind="name"), Column("value", kind="text")],
            [
                [name(key.replace("_", " ")), name(_said(value))]
                for key, value in found.parameters.own.items()
            ],
            "hyperparameters.csv",
        ),
    ]
    return Section(f"Training: {found.output.path}", blocks, [corpus], facts)


def _said(value: object) -> str:
    """A hyper-parameter as it is given to a command."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _size(found: ModelFile) -> str:
    return f"{found.output.path}: {found.words:,} words, {found.dimension} dimensions"
