"""Which rows can be scored: refusing, or dropping and counting, those that cannot."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError
from evaluator.vectors.files import LoadOptions
from evaluator.vectors.table import Matrix, Vectors

DROP = 'with bad_rows="drop" (--bad-rows drop of score, coverage and convert)'
ADVICE = f"Correct the row, or leave bad rows out {DROP}."
INCOMPLETE = f"Fetch the file again, correct its header, or read the rows that are there {DROP}."
BLOCK_VALUES = 1 << 20
FIRST_VALUES = 1 << 20
# In these encodings a newline is itself wherever it stands, so that many words can be decoded at once.
STATELESS = {"utf-8", "ascii", "iso8859-1"}


class BadRowError(Exception):
    """A row that cannot be used, before it is known whether such rows are refused or dropped."""

    def __init__(self, problem: str, word: bytes | None = None, advice: str = ADVICE) -> None:
        super().__init__(problem)
        self.problem = problem
        self.word = word
        self.advice = advice

    def located(self, file: str, position: str, encoding: str) -> VectorsError:
        """The same complaint for the user, with file and position ("line 7")."""
        word = f", word {show(self.word, encoding)}" if self.word else ""
        return VectorsError(f"{file}, {position}{word}: {self.problem}. {self.advice}")


def show(raw: bytes, encoding: str = "utf-8") -> str:
    """Bytes of a file as a message shows them, in quotes and not too long."""
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return repr(raw[:40])[1:]
    return repr(text if len(text) <= 40 else text[:40] + "…")


def usable(matrix: Matrix) -> npt.NDArray[np.bool_]:
    """Which rows have a direction: all values are finite and not all of them zero."""
    good = np.empty(len(matrix), dtype=np.bool_)
    step = max(1, BLOCK_VALUES // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step]
        with np.errstate(invalid="ignore"):  # a NaN of the kind that signals
            good[start : start + step] = np.isfinite(block).all(axis=1) & block.any(axis=1)
    return good


def fault(vector: Matrix) -> str:
    """Say why a vector, shape (d,), is not usable."""
    bad = np.flatnonzero(~np.isfinite(vector))
    if not bad.size:
        return "all numbers are zero, so the vector has no direction"
    value = "NaN" if np.isnan(vector[bad[0]]) else "infinite, or too large for float32"
    return f"number {bad[0] + 1} of {len(vector)} is {value}"


def decode_word(raw: bytes, encoding: str) -> str:
    """Decode a word strictly."""
    if not raw:
        raise BadRowError("the word is empty")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        problem = f"the word is not {encoding.upper()} (byte 0x{raw[error.start]:02x})"
        how = "encoding='cp1252' (evaluator convert --encoding cp1252)"
        advice = f"If the file is in another encoding, name it: {how}. "
        raise BadRowError(problem, raw, advice + ADVICE) from None


class RowCollector:
    """Collects the good rows of a file, in order, and refuses or drops the bad ones.

    `read` is how many were read so far, bad ones included, and `expected` how many the header says there are.
    """

    def __init__(
        self,
        path: Path,
        counted_in: str,
        dimension: int,
        options: LoadOptions,
        expected: int | None = None,
        capacity: int | None = None,
    ) -> None:
        self.read = 0
        self.expected = expected
        self._path = path
        self._counted_in = counted_in
        self._options = options
        self._words: list[str] = []
        self._seen: set[str] = set()
        self._dropped = 0
        self._at_once = codecs.lookup(options.encoding).name in STATELESS
        rows = FIRST_VALUES // dimension + 1 if capacity is None else capacity
        self._matrix: Matrix = np.empty((rows, dimension), dtype=np.float32)

    @property
    def complete(self) -> bool:
        """Whether as many rows were read as were asked for."""
        return self._options.limit is not None and self.read >= self._options.limit

    def take(self, count: int) -> int:
        """How many of the next `count` rows to add, which count as read from now on."""
        if self._options.limit is not None:
            count = min(count, self._options.limit - self.read)
        if self.expected is not None and not self._options.drop:
            count = min(count, self.expected - self.read)
        self.read += count
        return count

    def check_more(self, numbers: Sequence[int]) -> None:
        """Refuse the rows that `take` left, unless they are beyond the limit."""
        if numbers and not self.complete:
            raise VectorsError(
                f"{self._path}, {self._counted_in} {numbers[0]}: the header says {self.expected} rows, but "
                f"more follow. {INCOMPLETE}"
            )

    def add(self, numbers: Sequence[int], words: Sequence[bytes], matrix: Matrix) -> None:
        """Take rows: the line or row number of each, from 1; their words; and float32 of shape (n, d)."""
        good = usable(matrix)
        decoded = self._decode_new(words) if good.all() else None
        if decoded is not None:
            self._seen.update(decoded)
            self._append(decoded, matrix)
            return
        for row, is_good in enumerate(good.tolist()):
            try:
                word = self._decode(words[row], "" if is_good else fault(matrix[row]))
            except BadRowError as bad:
                self.reject(numbers[row], bad)
            else:
                self._append([word], matrix[row : row + 1])

    def reject(self, number: int, bad: BadRowError) -> None:
        """Drop and count a bad row, or refuse the file because of it."""
        if not self._options.drop:
            raise bad.located(
                str(self._path), f"{self._counted_in} {number}", self._options.encoding
            ) from bad
        self._dropped += 1

    def finish(self) -> Vectors:
        """The rows collected."""
        if not self.complete and self.read < (self.expected or 0) and not self._options.drop:
            raise VectorsError(
                f"{self._path}, line 1: the header says {self.expected} rows, but only {self.read} follow: "
                f"the file is truncated or the header wrong. {INCOMPLETE}"
            )
        if not self._words:
            raise nothing_left(str(self._path), self._dropped)
        self._resize(len(self._words))
        return Vectors(self._words, self._matrix, self._path.name, dropped=self._dropped, checked=True)

    def _append(self, words: list[str], rows: Matrix) -> None:
        start = len(self._words)
        end = start + len(words)
        if end > len(self._matrix):
            # In small steps, because numpy fills what it adds with zeros, which takes memory from the system.
            self._resize(max(end, len(self._matrix) + len(self._matrix) // 16))
        self._matrix[start:end] = rows
        self._words += words

    def _resize(self, rows: int) -> None:
        # In place: for large matrices the system moves pages and copies nothing. There is no view of the
        # matrix yet, which is what refcheck would look for.
        if rows != len(self._matrix):
            self._matrix.resize((rows, self._matrix.shape[1]), refcheck=False)

    def _decode_new(self, words: Sequence[bytes]) -> list[str] | None:
        """Decode words at once; None if that cannot be done, or any is empty, not text, or known already."""
        try:
            decoded = b"\n".join(words).decode(self._options.encoding).split("\n") if self._at_once else []
        except UnicodeDecodeError:
            return None
        new = set(decoded)
        fits = len(new) == len(decoded) == len(words)
        return decoded if fits and "" not in new and self._seen.isdisjoint(new) else None

    def _decode(self, raw: bytes, problem: str) -> str:
        if problem:
            raise BadRowError(problem, raw)
        word = decode_word(raw, self._options.encoding)
        if word in self._seen:
            # Its first row is searched only for the message: a file can have very many duplicates.
            raise BadRowError("" if self._options.drop else duplicate_of(self._words.index(word)), raw)
        self._seen.add(word)
        return word


def check_rows(
    vectors: Vectors,
    file: str,
    *,
    drop: bool,
    limit: int | None = None,
    known: Mapping[int, BadRowError] | None = None,
) -> Vectors:
    """Check vectors in memory, without a copy unless rows are dropped."""
    words, matrix = list(vectors.words[:limit]), vectors.matrix[:limit]
    bad = {row: complaint for row, complaint in (known or {}).items() if row < len(words)}
    for row in np.flatnonzero(~usable(matrix)).tolist():
        bad.setdefault(row, BadRowError(fault(matrix[row]), words[row].encode(errors="replace")))
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        if not word:
            bad.setdefault(row, BadRowError("the word is empty"))
        elif row not in bad and first.setdefault(word, row) != row:
            bad[row] = BadRowError(duplicate_of(first[word]), word.encode(errors="replace"))
    if bad and not drop:
        row = min(bad)
        raise bad[row].located(file, f"row {row + 1}", "utf-8") from bad[row]
    if len(bad) == len(words):
        raise nothing_left(file, len(bad))
    if bad:
        kept = [row for row in range(len(words)) if row not in bad]
        words, matrix = [words[row] for row in kept], matrix[kept]
    return replace(vectors, words=words, matrix=matrix, dropped=len(bad), checked=True)


def duplicate_of(row: int) -> str:
    """Say that a word occurred before, in a row counted from 0."""
    return f"duplicate: the same word is row {row + 1} of the vocabulary already"


def nothing_left(file: str, dropped: int) -> VectorsError:
    """The complaint that a file has no usable row."""
    return VectorsError(
        f"{file}: no row can be used ({dropped} bad rows left out). "
        "Check that the file, its format and its header are what they should be."
    )
