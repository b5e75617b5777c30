"""GloVe's text format: rows as in word2vec text, but no header."""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice

from evaluator.errors import VectorsError
from evaluator.vectors.fields import numeric_tail
from evaluator.vectors.lines import Lines
from evaluator.vectors.registry import Loaded, ReadOptions, vector_format
from evaluator.vectors.rows import RowCollector
from evaluator.vectors.source import Source
from evaluator.vectors.textrows import read_rows

SAMPLE = 100


def _has_number_rows(head: bytes) -> bool:
    return any(numeric_tail(line) for line in head.split(b"\n")[:SAMPLE])


@vector_format("glove", rank=50, looks_like=_has_number_rows)
def read_glove(source: Source, options: ReadOptions) -> Loaded:
    """Lines of a word and d numbers; d is what most of the first 100 lines end in.

    Raises:
        VectorsError: there are no numbers, or (unless dropped) a row is wrong.
    """
    file = str(source.path)
    blocks = Lines(file, source.stream).blocks()
    first = list(islice(blocks, 1))
    sample = [line for block in first for line in block.lines()[:SAMPLE]]
    lengths = Counter(map(numeric_tail, sample))
    dimension = lengths.most_common(1)[0][0] if lengths else 0
    if dimension < 1:
        raise VectorsError(
            f"{file}, line 1: no numbers after the word, so this is no GloVe file. "
            "Check the file, or name another format."
        )
    rows = RowCollector(file, "line", dimension, options, None)
    read_rows(chain(first, blocks), rows, dimension, options)
    return rows.finish()
