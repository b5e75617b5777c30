"""The binary format of fastText and floret, as `FastText::saveModel` writes it, and vectors from n-grams.

The vector of a word is the mean of its own row and those of its n-grams (Bojanowski et al. 2017, "Enriching
Word Vectors with Subword Information", section 3.2; as in fastText itself, sums are divided by the number of
rows). `</s>`, the end of a line, has no n-grams (`Dictionary::initNgrams`).

floret (Boyd and Warmerdam 2022, "floret: lightweight, robust word vectors") writes two more numbers in the
header. In its mode "fasttext" all else is as in fastText. In its mode "floret" words have no rows of their
own: a word and its n-grams have up to four rows each, found by MurmurHash3; only the first word of the
vocabulary keeps its own row, too.
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
FLORET_HEADER = struct.Struct("<16id3iqq")
SUPERVISED = 3
FLORET_MODE = 2  # of floret's two modes; 1 is "fasttext"
MURMUR_SEED = 2166136261
EOS = "</s>"
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
            header = _header(name, raw)
            words, bad, position = _words(name, raw, header, options.encoding)
            _check_matrix(name, raw, position, header)
        count = (header.entries + header.bucket) * header.dimension
        values = np.fromfile(path, "<f4", count, offset=position + MATRIX_HEADER.size)
    rows = values.astype(np.float32, copy=False).reshape(-1, header.dimension)
    own, ngrams = rows[: header.entries], rows[header.entries :]
    if header.rule.hashes and EOS in words[1:]:  # then it has no row at all
        at = words.index(EOS)
        words, own = words[:at] + words[at + 1 :], np.delete(own, at, axis=0)
        bad = {row - (row > at): problem for row, problem in bad.items()}
    model = NgramVectors.of_rows(words, own, ngrams, header.rule, without=EOS)
    vectors = Vectors(words, model.matrix, file.path.name, model)
    return check_rows(vectors, name, drop=options.drop, limit=options.limit, known=bad)


@dataclass(frozen=True)
class NgramRule:
    """How the n-grams of words find their rows.

    Attributes:
        minn: The length of the shortest n-grams, in characters.
        maxn: That of the longest.
        hashes: How many rows an n-gram has in floret, up to 4; 0 for the one row of fastText.
        seed: What floret's hashes start with.
        begin: What is put before a word.
        end: What is put after it.
    """

    minn: int
    maxn: int
    hashes: int = 0
    seed: int = MURMUR_SEED
    begin: str = "<"
    end: str = ">"


@dataclass(frozen=True)
class _Header:
    """What the numbers at the start of a model file say, and how many bytes they take."""

    dimension: int
    bucket: int
    rule: NgramRule
    entries: int
    pruned: int
    size: int


def _header(file: str, raw: mmap.mmap) -> _Header:
    """The numbers at the start of a model file."""
    if len(raw) < HEADER.size:
        raise _cut(file, "its header")
    fields, size, hashes = HEADER.unpack_from(raw), HEADER.size, 0
    # Where floret has its mode, fastText has a rate, 100; where it has hashes, half of a float64.
    if fields[13] in (1, 2) and 1 <= int.from_bytes(raw[56:60], "little") <= 4:
        if len(raw) < FLORET_HEADER.size:
            raise _cut(file, "its header")
        fields, size = FLORET_HEADER.unpack_from(raw), FLORET_HEADER.size
        hashes = fields[14] if fields[13] == FLORET_MODE else 0
    dimension, model, bucket, minn, maxn = fields[2], *fields[9:13]
    entries, words, labels, _, pruned = fields[-5:]
    if model == SUPERVISED or labels > 0:
        raise VectorsError(
            f"{file}: this is a supervised model of fastText (a classifier), whose .bin is not read "
            'here. Load its .vec file, or train with "fasttext skipgram" or "fasttext cbow".'
        )
    if dimension < 1 or min(bucket, minn, maxn, entries) < 0 or words != entries:
        raise VectorsError(
            f"{file}: damaged: its header says dimension {dimension}, {words} words in a vocabulary of "
            f"{entries}, and n-grams of {minn} to {maxn} characters in {bucket} buckets, which cannot be. "
            "Fetch or train it again."
        )
    return _Header(dimension, bucket, NgramRule(minn, maxn, hashes), entries, max(0, pruned), size)


def _words(
    file: str, raw: mmap.mmap, header: _Header, encoding: str
) -> tuple[list[str], dict[int, BadRowError], int]:
    """The vocabulary, with "" for bad words; the rows, from 0, of these; and where the matrix starts."""
    words: list[str] = []
    bad: dict[int, BadRowError] = {}
    position = header.size
    for row in range(header.entries):
        end = raw.find(b"\0", position)
        if end < 0 or end + 1 + ENTRY_TAIL_BYTES > len(raw):
            raise _cut(file, f"its vocabulary, at row {row + 1} of {header.entries}")
        try:
            words.append(decode_word(raw[position:end], encoding))
        except BadRowError as problem:
            words.append("")
            bad[row] = problem
        position = end + 1 + ENTRY_TAIL_BYTES
    return words, bad, position + 8 * header.pruned


def _check_matrix(file: str, raw: mmap.mmap, position: int, header: _Header) -> None:
    """Refuse a matrix that is quantised or cut off, or of another size than words, buckets and dimension."""
    if position + MATRIX_HEADER.size > len(raw):
        raise _cut(file, "its matrix")
    quantised, rows, columns = MATRIX_HEADER.unpack_from(raw, position)
    if quantised:
        raise VectorsError(
            f"{file}: this fastText model is quantised (.ftz), which is not read here. "
            "Load the .bin it was made from, or its .vec file."
        )
    entries, bucket, dimension = header.entries, header.bucket, header.dimension
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
    """The `subword` function of a model of fastText or floret; a class, so that it can be pickled."""

    index: Mapping[str, int]
    matrix: Matrix  # of the words in the index, shape (v, d)
    ngrams: Matrix  # shape (buckets, d)
    rule: NgramRule
    without: str | None = None  # the word that has no n-grams

    @classmethod
    def of_rows(
        cls, words: Sequence[str], rows: Matrix, ngrams: Matrix, rule: NgramRule, without: str | None = None
    ) -> NgramVectors:
        """Of words and the rows that are their own, shape (v, d), which become their vectors in place."""
        from evaluator.vectors.loops import add_all_ngrams

        model = cls(
            {word: row for row, word in reversed([*enumerate(words)]) if word}, rows, ngrams, rule, without
        )
        texts = list(map(model._marked, words))
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        own = np.full(len(words), not rule.hashes)
        own[:1] = True
        text = np.frombuffer(b"".join(texts), dtype=np.uint8)
        add_all_ngrams(ngrams, text, ends, rule.minn, rule.maxn, rule.hashes, rule.seed, own, rows)
        return model

    def __call__(self, word: str) -> Matrix | None:
        """The vector of a word or from its n-grams, shape (d,); None if it is zero, NaN or infinite."""
        row = self.index.get(word)
        vector = self._mean(word) if row is None else self.matrix[row]
        return vector if np.isfinite(vector).all() and vector.any() else None

    def encode(self, words: Sequence[str]) -> Matrix:
        """The vectors of words that have no rows of their own, shape (n, d)."""
        return np.array([self._mean(word) for word in words])

    def _mean(self, word: str) -> Matrix:
        from evaluator.vectors.loops import add_ngrams

        rule, total = self.rule, np.zeros(self.ngrams.shape[1], dtype=np.float32)
        text = np.frombuffer(self._marked(word), dtype=np.uint8)
        number = add_ngrams(self.ngrams, text, rule.minn, rule.maxn, rule.hashes, rule.seed, total)
        return total / np.float32(max(1, number))

    def _marked(self, word: str) -> bytes:
        if word == self.without:
            return b""
        return f"{self.rule.begin}{word}{self.rule.end}".encode("utf-8", "surrogatepass")
