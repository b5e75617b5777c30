"""The table of n-grams that floret writes for spaCy (`save_floret_vectors`), which encodes any word.

The first line says `buckets dimension minn maxn hashes seed begin end`; then come the buckets, from 0 on, as
in text of word2vec. There are no words. See `fasttext` for how a word finds its buckets.
"""

from __future__ import annotations

from evaluator.errors import VectorsError
from evaluator.vectors.files import LoadOptions, OpenedFile, RowCollector
from evaluator.vectors.formats.encoder import Encoder, candidate_words, encoded
from evaluator.vectors.formats.fasttext import NgramRule, NgramVectors
from evaluator.vectors.reading import FLORET_HEADER
from evaluator.vectors.table import Vectors
from evaluator.vectors.text_rows import line_blocks, read_rows

_MOST_VALUES = 1 << 34
_AGAIN = "Fetch it again, or write it again (save_floret_vectors)."


def read_floret(file: OpenedFile, options: LoadOptions) -> Vectors:
    """The words that are named, encoded by their n-grams; all other words are encoded, too."""
    line = file.stream.readline(512)
    found = FLORET_HEADER.fullmatch(line)
    buckets, dimension, minn, maxn, hashes, seed = map(int, found.groups()[:6]) if found else [0] * 6
    if found is None or min(buckets, dimension) < 1 or buckets * dimension > _MOST_VALUES or seed >= 1 << 32:
        raise VectorsError(
            f"{file.path}, line 1: the header of a table of floret must be buckets, dimension, shortest and "
            f'longest n-gram, hashes (1 to 4), seed and two marks, like "50000 300 4 5 2 2166136261 < >", '
            f"not {line[:60]!r}. {_AGAIN}"
        )
    words, source = candidate_words(options, str(file.path))
    capacity = None if file.size is None else min(buckets, file.size // (2 * dimension) + 1)
    # No row can be left out: its number is what it is found by.
    rows = RowCollector(file.path, "line", dimension, LoadOptions(), buckets, capacity, zeros=True)
    read_rows(file, line_blocks(file.stream), rows, dimension, 2)
    table = rows.finish()
    odd = next((row for row, number in enumerate(table.words) if number != str(row)), None)
    if odd is not None:
        raise VectorsError(
            f"{file.path}, line {odd + 2}: starts with {table.words[odd]!r} where the number {odd} is due. "
            f"{_AGAIN}"
        )
    rule = NgramRule(minn, maxn, hashes, seed, found[7].decode(), found[8].decode())
    ngrams = NgramVectors({}, table.matrix[:0], table.matrix, rule)
    return encoded(Encoder(ngrams.encode, file.path.name), words, drop=options.drop, candidates=source)
