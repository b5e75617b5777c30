"""GloVe's text format: rows as in word2vec text, but no header."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from evaluator.errors import VectorsError
from evaluator.vectors.careful_parser import is_blank, numeric_tail
from evaluator.vectors.open_file import OpenedFile
from evaluator.vectors.reading import LoadOptions, vector_format
from evaluator.vectors.row_checks import RowCollector
from evaluator.vectors.table import Vectors
from evaluator.vectors.text_rows import line_blocks, read_rows

SAMPLE = 100


def _has_number_rows(head: bytes) -> bool:
    return any(numeric_tail(line) for line in head.split(b"\n")[:SAMPLE])


@vector_format("glove", rank=50, looks_like=_has_number_rows)
def read_glove(file: OpenedFile, options: LoadOptions) -> Vectors:
    """Lines of a word and d numbers; most of the first 100 lines end in d numbers.

    Raises:
        VectorsError: There are no numbers, or (unless dropped) a row is wrong.
    """
    blocks = line_blocks(file.stream)
    first = next(blocks, b"")
    sample = [line for line in first.split(b"\n", SAMPLE)[:SAMPLE] if not is_blank(line)]
    lengths = Counter(map(numeric_tail, sample))
    dimension = lengths.most_common(1)[0][0] if lengths else 0
    if dimension < 1:
        raise VectorsError(
            f"{file.path}, line 1: no numbers after the word, so this is not a GloVe file. "
            "Check the file, or name another format."
        )
    rows = RowCollector(file.path, "line", dimension, options)
    read_rows(file, chain([first], blocks), rows, dimension)
    return rows.finish()
