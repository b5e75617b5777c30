"""Changes of a world after which its scores are known: the same, or within what ties may make of them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tests.worlds.generate import World
from tests.worlds.reference import refused, settings_of

SAME = "same"  # values are equal, but for the order of sums
BOUNDS = "bounds"  # the definitions say what they are, as of any world
BLURRED = "blurred"  # the same but for words that are nearly as near as others

_BLUR_TYPES = (np.float32, np.float64)


def changes(world: World) -> Iterator[tuple[str, str, World]]:
    """Some changes of a world, chosen by its number: a name, what holds after it, and the changed world."""
    if refused(world):
        return
    draw = np.random.default_rng([1999, world.number])
    which = world.number % 5
    drawn = any(re.search("samples|Categorization", each) for each in world.measures or ())
    if which == 0 and not drawn:
        yield "categories in another order", SAME, replace(world, test_set=_shuffled(draw, world.test_set))
    elif which == 1:
        order = draw.permutation(len(world.words))
        words = tuple(world.words[row] for row in order)
        yield "words in another order", BOUNDS, replace(world, words=words, matrix=world.matrix[order])
    elif which == 2:
        yield from _scaled(draw, world)
    elif which == 3 and world.matrix.dtype in _BLUR_TYPES and settings_of(world).norm == "unit":
        turned = _turned(draw, world)
        if turned is not None:
            yield "turned", BLURRED, turned
    elif which == 4:
        yield "far words added", BOUNDS, _with_far_words(world)


def _shuffled(draw: np.random.Generator, test_set: dict[str, Any]) -> dict[str, Any]:
    """Categories and relations in another order."""
    found = copy.deepcopy(test_set)
    for name in ("categories", "relations"):
        if name in found:
            found[name] = [found[name][each] for each in draw.permutation(len(found[name]))]
    return found


def _scaled(draw: np.random.Generator, world: World) -> Iterator[tuple[str, str, World]]:
    """All lengths times a power of two, which changes no digit; where directions decide, each its own."""
    settings = settings_of(world)
    exponents = np.full(len(world.matrix), int(draw.integers(-20, 21)))
    of_raw = any(re.search("Space|Categorization", each) for each in world.measures or ())
    if (settings.norm == "none" or of_raw) and settings.multiword == "mean":
        return  # a mean is one of unit vectors, beside raw ones
    if settings.norm == "unit" and not of_raw:
        exponents = draw.integers(-20, 21, size=len(world.matrix))
    single = world.matrix.astype(np.float32)
    found = np.ldexp(single, exponents[:, None])
    back = np.ldexp(found, -exponents[:, None])
    if np.isfinite(found).all() and (back == single).all():
        yield "scaled", SAME, replace(world, matrix=found)


def _turned(draw: np.random.Generator, world: World) -> World | None:
    """All vectors in other coordinates."""
    size = world.matrix.shape[1]
    single = world.matrix.astype(np.float32).astype(np.float64)
    if np.abs(single).max() > 1e30 or np.linalg.norm(single, axis=1).min() < 1e-30:
        return None
    turn, _ = np.linalg.qr(draw.normal(size=(size, size)))
    return replace(world, matrix=(single @ turn).astype(np.float32))


def _with_far_words(world: World) -> World:
    """More words in a direction of their own: blocks of the vocabulary, and rare words."""
    single = world.matrix.astype(np.float32)
    extra = 700
    matrix = np.zeros((len(single) + extra, single.shape[1] + 1), dtype=np.float32)
    matrix[: len(single), :-1] = single
    matrix[len(single) :, -1] = 1
    words = (*world.words, *(f"far{number}" for number in range(extra)))
    return replace(world, words=words, matrix=matrix)
