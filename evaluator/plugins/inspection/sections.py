"""What is shown of neighbours and of maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.plugins import (
    Cell,
    Column,
    Fact,
    Facts,
    Figure,
    Point,
    Section,
    Table,
    Text,
    columns,
    count,
    name,
    points_figure,
    rate,
)
from evaluator.plugins.inspection.maps import MapFile, most_known
from evaluator.plugins.inspection.neighbours import NeighbourList, NeighboursFile, UsualAgreement

MOST_GROUPS = 7
"""Categories in a figure; more of them cannot be told apart."""

MOST = 0.75
"""A word that is less stable than more than this share of words is less stable than usual."""


def neighbours_section(found: NeighboursFile) -> Section:
    """The nearest words in each model."""
    lists = [_list(found, each) for each in found.lists]
    if len(lists) == 1:
        (only,) = lists
        return Section(f"Neighbours of {found.word}: {only.title}", only.blocks)
    common = set.intersection(*({each.word for each in own.neighbours} for own in found.lists))
    said = f"{len(common)} words stand in all lists{': ' if common else ''}{', '.join(sorted(common))}."
    return Section(f"Neighbours of {found.word}", [Text(said)], lists)


def _list(found: NeighboursFile, own: NeighbourList) -> Section:
    several = len(own.runs) > 1
    last = Column("runs") if several else Column("place by frequency", ("place",))
    rows = [
        [name(each.word), rate(each.cosine), count(each.runs if several else each.place)]
        for each in own.neighbours
    ]
    number = "" if _fewer(found, own) else f"{found.k:,} "
    caption = f"The words that are among the {number}nearest" if several else "The nearest words"
    heading = [*columns("word", kind="name"), Column("cosine"), last]
    table = Table(caption, heading, rows, "neighbours.csv", first=2 * found.k if several else None)
    return Section(own.model, [*map(Text, _said(found, own)), table])


def _said(found: NeighboursFile, own: NeighbourList) -> Sequence[str]:
    """What one has to know of the list."""
    lines = list[str]()
    if own.unknown:
        lines.append(f"The word is unknown to {', '.join(own.unknown)}.")
    lines += _made(found, own)
    if own.place is not None:
        lines.append(f"The word is number {own.place:,} by frequency.")
    if own.agreement is not None:
        every = sum(each.runs == len(own.runs) for each in own.neighbours)
        of = f"{found.k:,} nearest words"
        if _fewer(found, own):
            of = f"nearest words (fewer than {found.k:,}, as a vocabulary has no more)"
        lines.append(
            f"{len(own.runs)} training runs: {every:,} of the {of} are the same in all; "
            f"two runs share {own.agreement:.0%} of the words that either has (Jaccard)."
        )
    if own.usual is not None:
        lines.append(
            f"{_verdict(own.usual)}: of {own.usual.words} words of a similar frequency, drawn at random, two "
            f"runs share {own.usual.mean:.0%} on average; {own.usual.higher} are more stable than this word, "
            f"{own.usual.lower} less."
        )
    elif own.agreement is not None and (own.built or own.averaged):
        lines.append(
            "How stable this is cannot be compared with words of a similar frequency: the word has no place "
            "in the order of frequency."
        )
    return lines


def _made(found: NeighboursFile, own: NeighbourList) -> Iterator[str]:
    """What the vector is made of, where the vocabulary does not have the word."""
    of_built, of_mean = (
        f" in {number} of {len(own.runs)} runs" if len(own.runs) > 1 else ""
        for number in (own.built, own.averaged)
    )
    if own.averaged:
        *others, last = found.word.split()
        yield f"The vector is the mean of those of {', '.join(others)} and {last}{of_mean}."
    if own.built:
        of, it = ("one of these words", "it") if own.averaged else ("the word", "the word")
        yield f"The vector of {of} is built from subwords{of_built}: the model does not have {it}."


def _fewer(found: NeighboursFile, own: NeighbourList) -> bool:
    """Whether a run has fewer other words than were asked for."""
    return sum(each.runs for each in own.neighbours) < found.k * len(own.runs)


def _verdict(usual: UsualAgreement) -> str:
    if usual.higher > MOST * usual.words:
        return "Less stable than usual"
    return "More stable than usual" if usual.lower > MOST * usual.words else "About as stable as usual"


def map_section(found: MapFile) -> Section:
    """How many words are on the map, and the map with the categories of which most are known."""
    shown = most_known(found, MOST_GROUPS)
    rows = [
        [Cell(each.title, (each.name,)), count(each.known), count(each.items)] for each in found.categories
    ]
    table = Table(
        "Words on the map", [*columns("category", kind="name"), *columns("known", "items")], rows, "map.csv"
    )
    fewer = len(shown.categories) < len(found.categories)
    which = f"The {MOST_GROUPS} categories of which most words are known. " if fewer else ""
    along, across = found.explained
    figure = Figure(
        "the words of categories in two dimensions",
        f"{which}Words as in the vectors' two main directions, which hold {along:.0%} and {across:.0%} of "
        "their variance; the rest is not on the map.",
        lambda: points_figure(groups_of(shown), *labels_of(found)),
        "map",
    )
    of = Facts([Fact("language", [found.language])])
    return Section(f"Map: {found.model} on {found.test_set}", [figure, table, of])


def groups_of(found: MapFile) -> dict[str, list[Point]]:
    """The places of each category, by its title."""
    groups = {each.name: list[Point]() for each in found.categories}
    for each in found.places:
        groups[each.category].append(Point(each.word, each.x, each.y))
    titles = {each.name: each.title for each in found.categories}
    return {f"{titles[each]} ({len(points)})": points for each, points in groups.items()}


def labels_of(found: MapFile) -> tuple[str, str]:
    """What the axes are."""
    one, two = (f"{share:.0%} of the variance" for share in found.explained)
    return f"first direction, {one}", f"second direction, {two}"
