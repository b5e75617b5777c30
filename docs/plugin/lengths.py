"""`evaluator lengths`: the longest vectors, which are often those of frequent words."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from evaluator.plugins import (
    COMPUTED,
    Column,
    Number,
    ResultFile,
    Section,
    Table,
    name,
    number,
    options,
    rate,
    show,
)


class Lengths(ResultFile, frozen=True, kw_only=True, tag="lengths"):
    """The lengths of the longest vectors, by the name of their file and by word."""

    command: ClassVar[str] = "evaluator lengths --json"

    version: Literal[1] = 1
    lengths: dict[str, dict[str, Number]]


def lengths_section(found):
    columns = [Column("vectors", kind="name"), Column("word", kind="name"), Column("length")]
    rows = [
        [name(file), name(word), rate(x)]
        for file, words in found.lengths.items()
        for word, x in words.items()
    ]
    return Section("Lengths", [Table("The longest vectors", columns, rows, "lengths.csv")])


def lengths(
    vectors: options.VectorFiles,
    *,
    most: Annotated[int, number(COMPUTED, "How many words of each file are shown.")] = 3,
    reading: options.VectorOptions,
    results: options.ResultOptions,
) -> None:
    """Show the longest vectors."""
    found = {}
    for file in reading.files(vectors):
        loaded = reading.load(file)
        length = np.linalg.norm(loaded.matrix, axis=1)
        rows = np.argsort(-length, kind="stable")[:most]
        found[loaded.name] = {loaded.words[row]: float(length[row]) for row in rows}
    record = Lengths(lengths=found)
    show(results, record)
