"""fastText's own binary format, as its `FastText::saveModel` writes it, and its vectors with subwords.

The vector of a word is the mean of its own row and those of its n-grams (Bojanowski et al. 2017, "Enriching
Word Vectors with Subword Information", section 3.2; as in fastText itself, sums are divided by the number of
rows).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.errors import VectorsError
from evaluator.vectors.files import LoadOptions, OpenedFile, plain_file
from evaluator.vectors.reading import is_fasttext
from evaluator.vectors.table import BadRowError, Matrix, Vectors, check_rows, decode_word

HEADER = struct.Struct("<14id3iqq")
SUPERVISED = 3
ENTRY_TAIL_BYTES = 9  # after a word and its NUL: count and kind
MATRIX_HEADER = struct.Struct("<?qq")


def read_fasttext(file: OpenedFile, options: LoadOptions) -> Vectors:
    """Word vectors of a fastText model, and from their n-grams those of other words."""
    if not is_fasttext(file.head):
        raise VectorsError(
            f"{file.path}: this is not a fastText .bin file: the magic number 793712314 is not at its "
            'start. For a .vec file use format="word2vec-text".'
        )
    name = str(file.path)
    with plain_file(file) as path:
        with path.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as raw:
            fields = _header(name, raw)
            dimension, bucket, minn, maxn, entries, pruned = (fields[at] for at in (2, 10, 11, 12, 15, 19))
            words, bad, position = _words(name, raw, entries, options.encoding)
            position += 8 * max(0, pruned)
            _check_matrix(name, raw, position, (entries, bucket, dimension))
        count = (entries + bucket) * dimension
        values = np.fromfile(path, "<f4", count, offset=position + MATRIX_HEADER.size)
    rows = values.astype(np.float32, copy=False).reshape(-1, dimension)
    model = NgramVectors.of_rows(words, rows[:entries], rows[entries:], minn, maxn)
    vectors = Vectors(words, model.matrix, file.path.name, model)
    return check_rows(vectors, name, drop=options.drop, limit=options.limit, known=bad)


def _header(file: str, raw: mmap.mmap) -> tuple[int, ...]:
    """The numbers at the start of a model file."""
    if len(raw) < HEADER.size:
        raise _cut(file, "its header")
    fields = HEADER.unpack_from(raw)
    dimension, model, bucket, minn, maxn = fields[2], *fields[9:13]
    entries, words, labels = fields[15:18]
    if model == SUPERVISED or labels > 0:
        raise VectorsError(
            f"{file}: this is a supervised fastText model (a classifier), whose .bin is not read "
            'here. Load its .vec file, or train with "fasttext skipgram" or "fasttext cbow".'
        )
    if dimension < 1 or min(bucket, minn, maxn, entries) < 0 or words != entries:
        raise VectorsError(
            f"{file}: damaged: its header says dimension {dimension}, {words} words in a vocabulary of "
            f"{entries}, and n-grams of {minn} to {maxn} characters in {bucket} buckets, which cannot be. "
            "Fetch or train it again."
        )
    return fields


def _words(
    file: str, raw: mmap.mmap, entries: int, encoding: str
) -> tuple[list[str], dict[int, BadRowError], int]:
    """The vocabulary, with "" for bad words; the rows, from 0, of these; and the position of its end."""
    words: list[str] = []
    bad: dict[int, BadRowError] = {}
    position = HEADER.size
    for row in range(entries):
        end = raw.find(b"\0", position)
        if end < 0 or end + 1 + ENTRY_TAIL_BYTES > len(raw):
            raise _cut(file, f"its vocabulary, at row {row + 1} of {entries}")
        try:
            words.append(decode_word(raw[position:end], encoding))
        except BadRowError as problem:
            words.append("")
            bad[row] = problem
        position = end + 1 + ENTRY_TAIL_BYTES
    return words, bad, position


def _check_matrix(file: str, raw: mmap.mmap, position: int, expected: tuple[int, int, int]) -> None:
    """Refuse a matrix that is quantised or cut off, or of another size than words, buckets and dimension."""
    if position + MATRIX_HEADER.size > len(raw):
        raise _cut(file, "its matrix")
    quantised, rows, columns = MATRIX_HEADER.unpack_from(raw, position)
    if quantised:
        raise VectorsError(
            f"{file}: this fastText model is quantised (.ftz), which is not read here. "
            "Load the .bin it was made from, or its .vec file."
        )
    entries, bucket, dimension = expected
    if rows != entries + bucket or columns != dimension:
        raise VectorsError(
            f"{file}: its header says {entries} words, {bucket} n-gram buckets and dimension "
            f"{dimension}, but its matrix has {rows} rows of {columns}. Fetch or train it again."
        )
    position += MATRIX_HEADER.size + 4 * rows * columns
    if position > len(raw):
        raise _cut(file, "its matrix")
    if position + MATRIX_HEADER.size > len(raw):
        raise _cut(file, "its output layer")
    _, rows, columns = MATRIX_HEADER.unpack_from(raw, position)
    if position + MATRIX_HEADER.size + 4 * rows * columns > len(raw):
        raise _cut(file, "its output layer")


def _cut(file: str, part: str) -> VectorsError:
    return VectorsError(f"{file}: truncated: the file ends within {part}. Fetch it again.")


@dataclass(frozen=True, eq=False)
class NgramVectors:
    """The `subword` function of a fastText model; a class, so that it can be pickled."""

    index: Mapping[str, int]
    matrix: Matrix  # of the words in the index, shape (v, d)
    ngrams: Matrix  # shape (buckets, d)
    minn: int  # the length of the shortest n-grams, in characters
    maxn: int

    @classmethod
    def of_rows(
        cls, words: Sequence[str], rows: Matrix, ngrams: Matrix, minn: int, maxn: int
    ) -> NgramVectors:
        """Of words and the rows that are their own, shape (v, d), which become their vectors in place."""
        from evaluator.vectors.loops import add_all_ngrams

        texts = [_marked(word) for word in words]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        add_all_ngrams(ngrams, np.frombuffer(b"".join(texts), dtype=np.uint8), ends, minn, maxn, rows)
        index = {word: row for row, word in reversed([*enumerate(words)]) if word}
        return cls(index, rows, ngrams, minn, maxn)

    def __call__(self, word: str) -> Matrix | None:
        """The vector of a word or from its n-grams, shape (d,); None if it is zero, NaN or infinite."""
        row = self.index.get(word)
        vector = self._mean(word) if row is None else self.matrix[row]
        return vector if np.isfinite(vector).all() and vector.any() else None

    def _mean(self, word: str) -> Matrix:
        from evaluator.vectors.loops import add_ngrams

        total = np.zeros(self.ngrams.shape[1], dtype=np.float32)
        text = np.frombuffer(_marked(word), dtype=np.uint8)
        number = add_ngrams(self.ngrams, text, self.minn, self.maxn, total)
        return total / np.float32(max(1, number))


def _marked(word: str) -> bytes:
    return f"<{word}>".encode("utf-8", "surrogatepass")
