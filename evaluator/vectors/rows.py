"""Which rows can be scored: refusing, or dropping and counting, those that cannot."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError
from evaluator.vectors.registry import Loaded, ReadOptions
from evaluator.vectors.table import Matrix

ADVICE = 'Correct the row, or leave bad rows out with bad_rows="drop" (--bad-rows drop).'
BLOCK_VALUES = 1 << 20
# In these a separator means itself wherever it stands, so words can be decoded many at a time.
STATELESS = {"utf-8", "ascii", "iso8859-1"}


class BadRowError(Exception):
    """A row that cannot be used, before it is known whether such rows are refused or dropped."""

    def __init__(self, problem: str, word: bytes | None = None, advice: str = ADVICE) -> None:
        """Keeps what is wrong, with which word, and what to do about it."""
        super().__init__(problem)
        self.problem = problem
        self.word = word
        self.advice = advice

    def located(self, file: str, place: str, encoding: str) -> VectorsError:
        """The same complaint for the user, with file and place ("line 7")."""
        word = f", word {show(self.word, encoding)}" if self.word else ""
        return VectorsError(f"{file}, {place}{word}: {self.problem}. {self.advice}")


def show(raw: bytes, encoding: str = "utf-8") -> str:
    """Bytes of a file as a message shows them, in quotes and not too long."""
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return repr(raw[:40])[1:]
    return repr(text if len(text) <= 40 else text[:40] + "…")


def usable(matrix: Matrix) -> npt.NDArray[np.bool_]:
    """Which rows have a direction: all values finite and not all of them zero.

    Args:
        matrix: float32, shape (n, d).

    Returns:
        bool, shape (n,).
    """
    good = np.empty(len(matrix), dtype=np.bool_)
    step = max(1, BLOCK_VALUES // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step]
        good[start : start + step] = np.isfinite(block).all(axis=1) & block.any(axis=1)
    return good


def fault(vector: Matrix) -> str:
    """Says why a vector, shape (d,), is not usable."""
    bad = np.flatnonzero(~np.isfinite(vector))
    if not bad.size:
        return "all numbers are zero, so the vector has no direction"
    value = "NaN" if np.isnan(vector[bad[0]]) else "infinite, or too large for float32"
    return f"number {bad[0] + 1} of {len(vector)} is {value}"


def decode_word(raw: bytes, encoding: str) -> str:
    """Decodes a word strictly.

    Raises:
        BadRowError: the word is empty, or not text in this encoding.
    """
    if not raw:
        raise BadRowError("the word is empty")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        problem = f"the word is not {encoding.upper()} (byte 0x{raw[error.start]:02x})"
        advice = "If the file is in another encoding, name it: encoding='cp1252' (--encoding cp1252). "
        raise BadRowError(problem, raw, advice + ADVICE) from None


class RowCollector:
    """Gathers the good rows of a file, in order, and deals with the bad ones.

    Attributes:
        words: the words of the good rows so far.
        dropped: how many bad rows were left out.
    """

    def __init__(
        self, file: str, unit: str, dimension: int, options: ReadOptions, capacity: int | None
    ) -> None:
        """Prepares for rows.

        Args:
            file: what messages call the file.
            unit: what its rows are counted in, "line" or "row".
            dimension: numbers in a row, d.
            options: what the reader was asked for.
            capacity: the most rows that can come, or None if that is not known and the matrix has
                to grow.
        """
        self.words: list[str] = []
        self.dropped = 0
        self._file = file
        self._unit = unit
        self._options = options
        self._seen: set[str] = set()
        self._store = options.store(dimension, capacity)
        self._at_once = codecs.lookup(options.encoding).name in STATELESS

    def add_usable(self, numbers: Sequence[int], words: bytes, separator: bytes, matrix: Matrix) -> None:
        """Takes rows whose vectors are known to be usable; faster than ``add`` if the words are good too.

        Args:
            numbers: the line or row number of each, from 1.
            words: their words, not decoded yet, with a separator after each.
            separator: one ASCII character that is in no word.
            matrix: float32, shape (n, d).

        Raises:
            VectorsError: a row is bad, and bad rows are refused.
        """
        if not len(matrix):
            return
        words = words.removesuffix(separator)
        decoded = self._decode_new(words, separator)
        if decoded is None:
            self.add(numbers, words.split(separator), matrix)
            return
        self._seen.update(decoded)
        self.words.extend(decoded)
        self._store.append(matrix)

    def add(self, numbers: Sequence[int], words: Sequence[bytes], matrix: Matrix) -> None:
        """Takes rows that were read.

        Args:
            numbers: the line or row number of each, from 1.
            words: their words, not decoded yet.
            matrix: float32, shape (n, d).

        Raises:
            VectorsError: a row is bad, and bad rows are refused.
        """
        kept = []
        for row, good in enumerate(usable(matrix).tolist()):
            try:
                self._take(words[row], "" if good else fault(matrix[row]))
            except BadRowError as bad:
                self.reject(numbers[row], bad)
            else:
                kept.append(row)
        self._store.append(matrix if len(kept) == len(matrix) else matrix[kept])

    def reject(self, number: int, bad: BadRowError) -> None:
        """Drops and counts a bad row, or refuses the file for it.

        Raises:
            VectorsError: bad rows are refused.
        """
        if not self._options.drop:
            raise bad.located(self._file, f"{self._unit} {number}", self._options.encoding) from bad
        self.dropped += 1

    def finish(self) -> Loaded:
        """The rows gathered.

        Raises:
            VectorsError: there are none.
        """
        if not self.words:
            raise nothing_left(self._file, self.dropped)
        return Loaded(self.words, self._store.finish(), self.dropped)

    def _decode_new(self, words: bytes, separator: bytes) -> list[str] | None:
        """Decodes words; None if any is empty, not text, or known already."""
        if not self._at_once:
            return None
        try:
            decoded = words.decode(self._options.encoding).split(separator.decode())
        except UnicodeDecodeError:
            return None
        new = set(decoded)
        if "" in new or len(new) < len(decoded) or not self._seen.isdisjoint(new):
            return None
        return decoded

    def _take(self, raw: bytes, problem: str) -> None:
        if problem:
            raise BadRowError(problem, raw)
        word = decode_word(raw, self._options.encoding)
        if word in self._seen:
            # Where it was is looked up only to be told: a file can hold very many duplicates.
            raise BadRowError("" if self._options.drop else duplicate_of(self.words.index(word)), raw)
        self._seen.add(word)
        self.words.append(word)


def screen(
    file: str,
    words: Sequence[str],
    matrix: Matrix,
    options: ReadOptions,
    known: Mapping[int, BadRowError] | None = None,
) -> Loaded:
    """Checks vectors that are in memory already, without a copy unless rows are dropped.

    Args:
        file: what messages call the vectors.
        words: their words, v of them.
        matrix: float32, shape (v, d).
        options: whether to drop bad rows, and how many rows to use.
        known: rows that are known to be bad.

    Returns:
        The good rows.

    Raises:
        VectorsError: a row is bad, and bad rows are refused; or no row is left.
    """
    words, matrix = words[: options.limit], matrix[: options.limit]
    bad = {row: complaint for row, complaint in (known or {}).items() if row < len(words)}
    for row in np.flatnonzero(~usable(matrix)).tolist():
        bad.setdefault(row, BadRowError(fault(matrix[row]), words[row].encode(errors="replace")))
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        if not word:
            bad.setdefault(row, BadRowError("the word is empty"))
        elif row not in bad and first.setdefault(word, row) != row:
            bad[row] = BadRowError(duplicate_of(first[word]), word.encode(errors="replace"))
    if bad and not options.drop:
        row = min(bad)
        raise bad[row].located(file, f"row {row + 1}", "utf-8") from bad[row]
    if len(bad) == len(words):
        raise nothing_left(file, len(bad))
    if bad:
        kept = [row for row in range(len(words)) if row not in bad]
        words, matrix = [words[row] for row in kept], matrix[kept]
    return Loaded(words, matrix, len(bad))


def duplicate_of(row: int) -> str:
    """Says that a word was there before, in a row counted from 0."""
    return f"duplicate: the same word is row {row + 1} of the vocabulary already"


def nothing_left(file: str, dropped: int) -> VectorsError:
    """The complaint that a file has no usable row."""
    return VectorsError(
        f"{file}: no row can be used ({dropped} bad rows left out). "
        "Check that the file, its format and its header are what they should be."
    )
