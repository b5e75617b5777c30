"""A world as evaluator takes it: a test set in memory, vectors in memory and in files."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evaluator.datasets.testset import Category, Item, Pair, RelatedWords, Relation, TestSet
from tests.worlds.generate import World

TEST_SET = "test.json"
LARGE = 1e9


def test_set_bytes(world: World) -> bytes:
    """The file of the test set."""
    return json.dumps(world.test_set, ensure_ascii=False, indent=1).encode()


def in_memory(world: World) -> TestSet:
    """The test set as it is read from its file, but for its reading."""
    content = world.test_set
    categories = tuple(
        Category(each["name"], each["title"], _items(each), each.get("topic"), each.get("level", 0))
        for each in content["categories"]
    )
    relations = tuple(
        Relation(each["name"], each["title"], _items(each), tuple(Pair(**pair) for pair in each["pairs"]))
        for each in content.get("relations", ())
    )
    groups = tuple(
        RelatedWords(each["name"], each["title"], _items(each)) for each in content.get("groups", ())
    )
    digest = hashlib.sha256(test_set_bytes(world)).hexdigest()
    named_in = content.get("named_in")
    return TestSet(content["language"], TEST_SET, digest, categories, relations, named_in, groups=groups)


def _items(part: dict[str, Any]) -> tuple[Item, ...]:
    return tuple(Item(each["id"], tuple(each["words"])) for each in part["items"])


def vectors(world: World) -> Any:
    """Vectors in memory, in one of the forms that are taken."""
    kind = world.number % 3
    if kind == 0 and len(world.words) > 1:
        return dict(zip(world.words, world.matrix, strict=True))
    return pd.DataFrame(world.matrix, index=world.words) if kind == 1 else (list(world.words), world.matrix)


def write_text(world: World, folder: Path) -> Path:
    """A file of word2vec's text format, or packed."""
    v, d = world.matrix.shape
    rows = zip(world.words, world.matrix.tolist(), strict=True)
    content = f"{v} {d}\n" + "".join(f"{word} {' '.join(map(repr, row))}\n" for word, row in rows)
    packed = world.number % 7 == 0
    path = folder / f"model.vec{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(content.encode(), 1) if packed else content.encode())
    return path


def write_binary(world: World, folder: Path) -> Path:
    """A file of word2vec's binary format; rows end with a newline where something else could look like words.

    These are spaces in words, and numbers that are so large that their bytes are letters.
    """
    with np.errstate(over="ignore"):
        matrix = world.matrix.astype("<f4")
    v, d = matrix.shape
    lines = world.number % 2 or any(" " in word for word in world.words) or (np.abs(matrix) > LARGE).any()
    end = b"\n" if lines else b""
    rows = (word.encode() + b" " + row.tobytes() + end for word, row in zip(world.words, matrix, strict=True))
    path = folder / "model.bin"
    path.write_bytes(f"{v} {d}\n".encode() + b"".join(rows))
    return path
