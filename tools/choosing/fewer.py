"""How well a measure chooses with less material: with some of the keywords, or of the relations, alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.datasets.testset import Item, RelatedWords, TestSet
from evaluator.vectors import Vectors
from tools.choosing import scoring
from tools.choosing.statistics import correlation, loss
from tools.choosing.texts import Text

SIZES: Mapping[str, Sequence[int]] = {"KeywordRank": (100, 200, 400, 800), "PairRank": (40, 80, 160, 320)}
"""How many keywords, or pairs, which all models of a text know."""

DRAWS = 10


def keywords(whole: TestSet, known: Mapping[str, int], size: int, seed: int) -> TestSet | None:
    """Random groups that together have at least so many known words; None if all groups have fewer."""
    items = [item for family in whole.groups for item in family.items]
    words, taken = set[str](), list[Item]()
    for number in np.random.default_rng([62, seed]).permutation(len(items)):
        own = {word for word in items[number].words if word.casefold() in known}
        if len(own) > 1:
            words |= own
            taken.append(_of_one_family(items[number], len(taken)))
        if len(words) >= size:
            return replace(whole, groups=(RelatedWords("groups", "groups", tuple(taken)),))
    return None


def _of_one_family(item: Item, number: int) -> Item:
    """The same words as one of the groups of a single family, where ids must differ."""
    return Item(f"{item.id}-{number}", item.words)


def pairs(whole: TestSet, known: Mapping[str, int], size: int, seed: int) -> TestSet | None:
    """Random relations that together have at least so many known pairs; None if all have fewer."""
    taken, found = list[Any](), 0
    for number in np.random.default_rng([63, seed]).permutation(len(whole.relations)):
        relation = whole.relations[number]
        own = {item.id for item in relation.items if any(word.casefold() in known for word in item.words)}
        taken.append(relation)
        found += sum(pair.item in own and pair.of in own for pair in relation.pairs)
        if found >= size:
            return replace(whole, relations=tuple(taken))
    return None


def chosen(
    models: Sequence[Vectors], people: Sequence[float], text: Text, tests: Path
) -> Iterator[dict[str, Any]]:
    """Of each measure and size: the loss of choosing and the correlation with people, means over draws."""
    whole, known = scoring.test_set_of(text.language, tests), models[0].index
    for measure, of in (("KeywordRank", keywords), ("PairRank", pairs)):
        asked = _words(whole, measure)
        own = [each.select(np.array([word in asked for word in each.words])) for each in models]
        for size in SIZES[measure]:
            drawn = [part for seed in range(DRAWS) if (part := of(whole, known, size, seed))]
            scores = [[scoring.value(each, part, measure)[0] for each in own] for part in drawn]
            usable = [each for each in scores if not np.isnan(each).any()]
            if usable:
                yield {
                    "text": text.name,
                    "measure": measure,
                    "size": size,
                    "draws": len(usable),
                    "loss": float(np.mean([loss(people, each) for each in usable])),
                    "correlation": float(np.mean([correlation(each, people) for each in usable])),
                }


def _words(whole: TestSet, measure: str) -> set[str]:
    if measure == "KeywordRank":
        found = (word for family in whole.groups for word in family.words)
    else:
        found = (word for relation in whole.relations for item in relation.items for word in item.words)
    return {word.casefold() for word in found}
