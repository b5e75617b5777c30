"""What is shown of mentions, of sentence boundaries, of relations, and of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from evaluator.plugins import (
    INTERVAL,
    SCORE,
    Block,
    Cell,
    Column,
    Figure,
    Point,
    Section,
    Table,
    Text,
    columns,
    count,
    interval,
    name,
    points_figure,
    rate,
    words,
)
from evaluator.plugins.papers.boundaries import BoundariesFile
from evaluator.plugins.papers.mentions import Mentions, MentionsFile
from evaluator.plugins.papers.relations import RelationsFile
from evaluator.plugins.papers.rows import PapersFile


def mentions_section(found: MentionsFile) -> Section:
    """Counts of each category and corpus, and how they agree with scores."""
    measures = list(dict.fromkeys(name for each in found.mentions for name in each.scores))
    heading = [
        *columns("category", "language", kind="name"),
        *columns("tokens", "items", "mentioned", "mentions", "per million"),
        Column("most frequent", kind="text"),
        Column("share"),
        *columns(*measures),
    ]
    rows = [_mentioned(each, measures) for each in found.mentions]
    blocks: list[Block] = [
        Text(
            "A mention is one occurrence of a word of an item; `share` is that of the item which is "
            "mentioned most often."
        ),
        Table("Mentions of each category", heading, rows, "mentions.csv"),
    ]
    if found.agreements:
        heading = [*columns("category", "measure", kind="name"), *columns("languages", "Spearman")]
        rows = [
            [name(each.category), name(each.measure), count(each.languages), rate(each.correlation)]
            for each in found.agreements
        ]
        blocks.append(Table("Do mentions and scores order languages alike?", heading, rows, "agreements.csv"))
    return Section("Mentions", blocks)


def _mentioned(each: Mentions, measures: Sequence[str]) -> list[Cell]:
    return [
        *(name(each.title), name(each.language), count(each.tokens), count(each.items)),
        *(count(each.mentioned), count(each.mentions), Cell(f"{each.per_million:.1f}", (each.per_million,))),
        *(words([each.most] if each.most else [], each.language), rate(each.share_of_most)),
        *(rate(each.scores.get(measure)) for measure in measures),
    ]


def boundaries_section(found: BoundariesFile) -> Section:
    """F1 of each model by each classifier."""
    heading = [
        *columns("vectors", "classifier", kind="name"),
        *columns("known words", SCORE),
        Column(INTERVAL, ("low", "high")),
        Column("chance"),
    ]
    rows = [
        [
            *(name(each.model), name(score.measure), count(score.known), rate(score.value)),
            *(interval(score.low, score.high), rate(score.chance)),
        ]
        for each in found.results
        for score in each
    ]
    said = Text(
        f"Trained on {found.train:,} words and tested on {found.test:,} others, of which {found.share:.1%} "
        "end a sentence. The score is F1."
    )
    return Section(
        f"Sentence boundaries in {found.corpus}",
        [said, Table("Where sentences end", heading, rows, "boundaries.csv")],
    )


def relations_section(found: RelationsFile) -> Section:
    """The relations as points in a plane, and how near to each other they are."""
    heading = [Column("relation", kind="name"), *columns("pairs", "known", "within", "to others")]
    rows = [
        [name(each.section), count(each.pairs), count(each.known), rate(each.within), rate(each.others)]
        for each in found.groups
    ]
    groups = {
        each.section: [
            Point(":".join(own.pair), own.x, own.y) for own in found.relations if own.section == each.section
        ]
        for each in found.groups
    }
    first, second = (f"{share:.0%} of the variance" for share in found.explained)
    return Section(
        f"Relations of {found.test_set} in {found.model}",
        [
            Text(
                "The relation vector of a pair is that of its second word less that of its first. Shown are "
                "the mean cosines of two pairs of a relation, and of a pair and all other relations."
            ),
            Figure(
                f"{len(found.relations)} pairs of {len(groups)} relations, projected by PCA",
                "Each point is a pair of words.",
                partial(points_figure, groups, first, second),
                "relations",
            ),
            Table("How near relations are", heading, rows, "relations.csv"),
        ],
    )


def papers_section(found: PapersFile) -> Section:
    """What each paper does, and the command for it."""
    subsections = []
    for paper in dict.fromkeys(each.paper for each in found.rows):
        rows = [
            [name(each.item), Cell(each.command, (each.command,)), Cell(each.note, (each.note,))]
            for each in found.rows
            if each.paper == paper
        ]
        heading = [
            Column("item", kind="name"),
            Column("command", kind="prose"),
            Column("note", kind="prose", detail=True),
        ]
        subsections.append(Section(paper, [Table("What it does, and how", heading, rows, "papers.csv")]))
    return Section("What the papers do, and the commands for it", [], subsections)
