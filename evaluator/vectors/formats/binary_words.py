"""Whether a word of word2vec's binary format goes on after its space, where rows do not end with a newline.

Then the rest of the word looks like numbers, and the end of its numbers like the start of the next word. Two
rules tell. A row is refused if another end of its word explains it clearly better. A file in which anything
is wrong says less of itself: bad rows are left out of it only if nothing else can explain any of its rows,
and if it has as many rows as its header says, or is cut off.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.vectors.table import show

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

LONGEST_WORD = 1 << 16
_CONTROL = bytes([*range(32), 127])
_START = 48  # so many of a row's first bytes are looked at for text
_LEAST_TEXT = 16  # so many bytes of text in a row are no numbers
_COMMON = 100  # so many rows show how far from 1 the numbers of a file are
_NEARLY_ALL = 0.99
_NOT_FINITE = 300
_WILD = 20  # powers of two by which numbers are too far from 1, compared with another reading
_WITHOUT_SPACES = "Write the vectors as text, or join the parts of words with _."
_COMPLETE = "Fetch or write the file again."
_ONLY_CERTAIN = "rows are left out only where it is certain how the others are to be read"
_MAY_GO_ON = "the word {} may go on after a space"
_NO_WORD = "{} is no text in {}, so bytes may be missing before it"
_UNLIKE = "the numbers of {} are unlike those of other rows, so bytes may be missing among them"


class AlignmentError(Exception):
    """A row, counted from 0, whose end is not where it must be; why, and what to do."""

    def __init__(self, row: int, problem: str, advice: str = _WITHOUT_SPACES) -> None:
        super().__init__(problem)
        self.row, self.problem, self.advice = row, problem, advice


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a file as they are if no word has a space.

    Attributes:
        data: The bytes in which they are.
        starts: Where each starts, and the one after the last.
        spaces: Where the word of each ends.
        numbers: The bytes of the numbers of each, shape (n, 4·d).
    """

    data: bytes
    starts: list[int]
    spaces: list[int]
    numbers: Bytes

    def word(self, row: int) -> bytes:
        """The word of a row."""
        return self.data[self.starts[row] : self.spaces[row]]

    def numbers_after(self, space: int) -> Bytes | None:
        """The numbers of a row whose word ends before a space, shape (1, 4·d); None beyond the data."""
        found = self.data[space + 1 : space + 1 + self.numbers.shape[1]]
        return np.frombuffer(found, np.uint8)[None] if len(found) == self.numbers.shape[1] else None


@dataclass
class WordChecks:
    """Checks the words of a file, block by block.

    A row that is nothing but text may be a part of a longer word. Then the file has a row less, so that the
    number in its header tells: `unsettled` is the first of these rows, counted from 0 in the file.

    Attributes:
        encoding: That of the words.
        expected: How many rows the header says there are.
        strict: Whether rows may be dropped; then each of the others must be certain.
        before: How many rows came before those that are checked now.
    """

    encoding: str
    expected: int
    strict: bool
    before: int = 0
    unsettled: AlignmentError | None = None
    _wild: Ints = field(default_factory=lambda: np.zeros(_NOT_FINITE + 1, dtype=np.int64))

    def check(self, rows: Rows) -> None:
        """Check the next rows of the file.

        Raises:
            AlignmentError: A word has, or may have, a space; or bytes may be missing.
        """
        self._check(rows)
        if self.strict:
            self._check_strictly(rows)

    def settle(self, *, ended: bool = False, left: bool = False) -> None:
        """Refuse what is not certain when all rows of a file that are read have been checked.

        Args:
            ended: Whether the file was read to its end.
            left: Whether a part of a row is left there.

        Raises:
            AlignmentError: A word may have a space, or bytes may be missing.
        """
        exact = ended and not left and self.before == self.expected
        if self.unsettled is not None and not exact:
            raise self.unsettled
        if self.strict and ended and not exact and not (left and self.before < self.expected):
            advice = f"{_COMPLETE[:-1]}, or correct its header."
            problem = f"{self.before} rows follow, the header says {self.expected}, and {_ONLY_CERTAIN}"
            raise AlignmentError(min(self.before, self.expected), problem, advice)

    def _check(self, rows: Rows) -> None:
        """Refuse a row if another end of its word fits better."""
        head = rows.numbers[:, :_START]
        likely = _with_text(np.ascontiguousarray(head))
        head = head[likely]
        control = (head < 32) | (head == 127)
        text = np.where(control.any(axis=1), control.argmax(axis=1), head.shape[1])
        has_space = (head == 32) & (np.arange(head.shape[1]) < text[:, None])
        all_text = (text == head.shape[1]) & (head.shape[1] >= _LEAST_TEXT)
        all_text &= (head != np.tile(head[:, :4], head.shape[1] // 4)).any(
            axis=1
        )  # equal numbers are no text
        some = np.flatnonzero(has_space.any(axis=1) | all_text)
        if not some.size:
            return
        common = int(np.median(_wildness(rows.numbers[:_COMMON])))
        wildness = _wildness(rows.numbers[likely[some]]).tolist()
        for index, row, here in zip(some.tolist(), likely[some].tolist(), wildness, strict=True):
            start, space, after = rows.starts[row], rows.spaces[row], rows.starts[row + 1]
            following = rows.data[after : rows.spaces[row + 1] if row + 1 < len(rows.spaces) else None]
            odd = following != b"" and not is_text(following, self.encoding)  # its own end, and the next word
            if here > common + _WILD or odd:
                ends = (space + 1 + np.flatnonzero(has_space[index])).tolist()
                if any(self._fits_better(rows, start, end, after, here, common, odd) for end in ends):
                    raise self._goes_on(rows, row)
            if all_text[index] and is_text(rows.data[start : space + 1 + int(text[index])], self.encoding):
                self.unsettled = self.unsettled or self._goes_on(rows, row)

    def _fits_better(
        self, rows: Rows, start: int, end: int, after: int, here: int, common: int, odd: bool
    ) -> bool:
        """Whether a word ends at a later space, going by its numbers, those of other rows, and the next word.

        `after` is where the row ends if its word ends at the first space, `here` how wild its numbers are
        then, and `odd` whether the next word then is no text.
        """
        data, numbers = rows.data, rows.numbers_after(end)
        if numbers is None or not is_text(data[start:end], self.encoding):
            return False
        there = int(_wildness(numbers)[0])
        if here > max(there, common) + _WILD:
            return True
        next_row = end + 1 + numbers.size
        space = data.find(b" ", after, after + LONGEST_WORD)
        shorter = data[next_row : len(data) if space < 0 else space]
        return odd and here > there and (is_text(shorter, self.encoding) or next_row == len(data))

    def _goes_on(self, rows: Rows, row: int) -> AlignmentError:
        word = show(rows.word(row), self.encoding)
        problem = f"the word {word} goes on after a space, which this format cannot hold"
        return AlignmentError(self.before + row, problem)

    def _check_strictly(self, rows: Rows) -> None:
        """Refuse a row without a word, with numbers unlike those of others, or with like ones elsewhere."""
        wildness = _wildness(rows.numbers)
        self._wild += np.bincount(wildness, minlength=_NOT_FINITE + 1)
        finite = self._wild[:_NOT_FINITE].cumsum()
        most = int(np.searchsorted(finite, int(_NEARLY_ALL * (finite[-1] - 1)) + 1)) + _WILD
        unlike = (wildness > most) & (wildness < _NOT_FINITE)
        head = rows.numbers[:, :_START]
        spaces, texts = head == 32, (head != 0).all(axis=1)  # a word has no NUL
        no_word = self._without_word(rows)
        for row in np.flatnonzero(unlike | spaces.any(axis=1) | texts | no_word).tolist():
            start, first = rows.starts[row], rows.spaces[row] + 1
            ends = (first + np.flatnonzero(spaces[row])).tolist()
            if no_word[row]:
                raise self._uncertain(rows, row, _NO_WORD)
            if unlike[row]:
                raise self._uncertain(rows, row, _UNLIKE)
            if any(self._may_end(rows, start, end, most) for end in ends):
                raise self._uncertain(rows, row, _MAY_GO_ON)
            if texts[row] and self._decodes(rows.data[start : first + head.shape[1]], final=False):
                self.unsettled = self.unsettled or self._uncertain(rows, row, _MAY_GO_ON)

    def _without_word(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which rows have no word, or one that is no text."""
        words = [rows.word(row) for row in range(len(rows.numbers))]
        if all(words) and is_text(b"".join(words), self.encoding):
            return np.zeros(len(words), dtype=np.bool_)
        return np.array([not is_text(word, self.encoding) for word in words])

    def _may_end(self, rows: Rows, start: int, end: int, most: int) -> bool:
        """Whether a word can end at a later space: its numbers then are like those of other rows."""
        numbers = rows.numbers_after(end)
        fits = numbers is not None and _wildness(numbers)[0] <= most
        return fits and self._decodes(rows.data[start:end], final=True)

    def _uncertain(self, rows: Rows, row: int, problem: str) -> AlignmentError:
        what = problem.format(show(rows.word(row), self.encoding), self.encoding.upper())
        advice = {_MAY_GO_ON: _WITHOUT_SPACES, _NO_WORD: f"{_COMPLETE[:-1]}, or name its encoding."}
        return AlignmentError(
            self.before + row, f"{what}, and {_ONLY_CERTAIN}", advice.get(problem, _COMPLETE)
        )

    def _decodes(self, word: bytes, *, final: bool) -> bool:
        """Whether bytes are characters, of which the last may be incomplete if it is not the final one."""
        try:
            codecs.getincrementaldecoder(self.encoding)().decode(word, final)
        except UnicodeDecodeError:
            return False
        return True


def _with_text(head: Bytes) -> Ints:
    """Which rows may have text with a space in their first bytes, or nothing but text."""
    spaces = np.flatnonzero(head.ravel() == 32) // head.shape[1]
    texts = np.arange(len(head))
    for four in head.view("<u4").T:  # few rows are left after some of them
        bits = four[texts]
        # A byte below 32 borrows into its highest bit, which only bytes from 128 on have.
        texts = texts[(bits - 0x20202020) & ~bits & 0x80808080 == 0]
    return np.union1d(spaces, texts)


def _wildness(rows: Bytes) -> npt.NDArray[Any]:
    """How far from 1 the numbers of rows are, shape (n,): the greatest power of two, up or down."""
    values = np.ascontiguousarray(rows).view("<f4")
    with np.errstate(invalid="ignore"):  # a NaN of the kind that signals
        powers = np.abs(np.frexp(values)[1])
        return np.asarray(np.where(np.isfinite(values), powers, _NOT_FINITE).max(axis=1))


def is_text(word: bytes, encoding: str) -> bool:
    """Whether bytes are characters, none of which is a control character."""
    if not word or len(word.translate(None, _CONTROL)) < len(word):
        return False
    try:
        word.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
