"""floret: a table of hashed words and n-grams, as a `.floret` text file (or in a spaCy model).

The word, with marks for its beginning and end, and each of its n-grams are hashed with MurmurHash3 (x64, 128
bits; Austin Appleby, public domain). The 32-bit parts of a hash are rows of the table, and the word's vector
is the mean of all these rows. So any word has a vector, and there is no vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from evaluator.errors import VectorsError
from evaluator.vectors.files import LoadOptions, OpenedFile
from evaluator.vectors.formats.encoder import Encoder, candidate_words, encoded
from evaluator.vectors.formats.word2vec import MAX_DIMENSION
from evaluator.vectors.row_checks import RowCollector
from evaluator.vectors.table import Matrix, Vectors
from evaluator.vectors.text_rows import line_blocks, read_rows

LONGEST_HEADER = 1 << 10
MAX_NGRAM = 1000
MOST_HASHES = 4
_VECTORS = " The vectors that were saved beside it (.vec) have them."


class Settings(msgspec.Struct, frozen=True):
    """How words are hashed.

    Attributes:
        minn: The length of the shortest n-grams, in characters.
        maxn: That of the longest.
        hash_count: How many rows each n-gram has, 1 to 4.
        hash_seed: The seed of the hash.
        bow: The mark of the beginning of a word.
        eow: That of its end.
    """

    minn: int
    maxn: int
    hash_count: int
    hash_seed: int
    bow: str = "<"
    eow: str = ">"

    def check(self, file: str) -> None:
        """Refuse values that make no sense.

        Raises:
            VectorsError: One does.
        """
        lengths = 0 <= self.minn <= MAX_NGRAM and 0 <= self.maxn <= MAX_NGRAM
        if not (lengths and 1 <= self.hash_count <= MOST_HASHES and 0 <= self.hash_seed < 2**32):
            raise VectorsError(
                f"{file}: its settings are n-grams of {self.minn} to {self.maxn} characters, "
                f"{self.hash_count} "
                f"hashes and seed {self.hash_seed}, which cannot be. Fetch it again."
            )


def read_floret(file: OpenedFile, options: LoadOptions) -> Vectors:
    """A header `bucket dim minn maxn hashCount hashSeed BOW EOW`, then the number and values of each row.

    Raises:
        VectorsError: No vocabulary is named, the header or a row is wrong, or rows are missing.
    """
    words, source = candidate_words(options, str(file.path), _VECTORS)
    line = file.stream.readline(LONGEST_HEADER)
    buckets, dimension, settings = _header(file, line)
    least = buckets * (2 * dimension + 2)
    if file.size is not None and file.size - len(line) + 1 < least:
        raise VectorsError(
            f"{file.path}, line 1: the header says {buckets} rows of {dimension} numbers, which do not fit "
            f"in a "
            "file of this size: it is cut off, or the header is wrong. Fetch it again."
        )
    capacity = None if file.size is None else buckets
    strict = replace(
        options, bad_rows="refuse", limit=None
    )  # without a row, all words would be hashed wrongly
    rows = RowCollector(file.path, "line", dimension, strict, buckets, capacity, zeros=True)
    try:
        read_rows(file, line_blocks(file.stream), rows, dimension, 2)
        found = rows.finish()
    except VectorsError as error:
        raise VectorsError(f"{error} But no row can be left out of a table of hashes.") from error
    if list(found.words) != [str(row) for row in range(buckets)]:
        raise VectorsError(f"{file.path}: its rows are not numbered from 0 to {buckets - 1}. Fetch it again.")
    return hashed(found.matrix, settings, file, words, source, options)


def _header(file: OpenedFile, line: bytes) -> tuple[int, int, Settings]:
    """The number of rows, that of dimensions, and how words are hashed."""
    try:
        *numbers, bow, eow = line.decode("utf-8").split()
        buckets, dimension, minn, maxn, count, seed = map(int, numbers)
    except ValueError as error:
        raise VectorsError(
            f"{file.path}, line 1: the header must be bucket, dim, minn, maxn, hashCount, hashSeed, BOW and "
            f"EOW, "
            f'like "50000 300 4 5 2 2166136261 < >", not {line[:60]!r}. Check that this is a .floret file.'
        ) from error
    if buckets < 1 or not 1 <= dimension <= MAX_DIMENSION:
        raise VectorsError(
            f"{file.path}, line 1: {buckets} rows of {dimension} numbers cannot be. Fetch the file again."
        )
    settings = Settings(minn, maxn, count, seed, bow, eow)
    settings.check(f"{file.path}, line 1")
    return buckets, dimension, settings


def hashed(
    table: Matrix, settings: Settings, file: OpenedFile, words: list[str], source: str, options: LoadOptions
) -> Vectors:
    """Vectors of words from a table of hashes.

    Args:
        table: Shape (buckets, d).
        settings: How words are hashed.
        file: Where it is from.
        words: The vocabulary.
        source: Where the words are from.
        options: Whether words without a vector are dropped.

    Raises:
        VectorsError: A number is NaN or infinite.
    """
    finite = np.isfinite(table).all(axis=1)
    if not finite.all():
        raise VectorsError(
            f"{file.path}: row {int(np.argmin(finite)) + 1} holds NaN or infinity. Fetch it again."
        )
    model = Floret(np.ascontiguousarray(table), settings)
    return encoded(Encoder(model.encode, file.path.name), words, drop=options.drop, candidates=source)


@dataclass(frozen=True, eq=False)
class Floret:
    """A table of hashed words and n-grams.

    Attributes:
        table: float32, shape (buckets, d).
        settings: How words are hashed.
    """

    table: Matrix
    settings: Settings

    def encode(self, words: list[str]) -> Matrix:
        """The vectors of words, float32 of shape (n, d)."""
        from evaluator.vectors.hashing import add_rows

        out = np.zeros((len(words), self.table.shape[1]), dtype=np.float32)
        how = self.settings
        for row, word in enumerate(words):
            marked = how.bow + word + how.eow
            text = np.frombuffer(marked.encode("utf-8", "surrogatepass"), dtype=np.uint8)
            starts = np.flatnonzero((text & 0xC0) != 0x80)  # of the characters, in UTF-8
            ends = np.append(starts, len(text))
            seed = np.uint64(how.hash_seed)
            add_rows(self.table, text, ends, how.minn, how.maxn, how.hash_count, seed, out[row])
        return out
