"""Vectors, a vocabulary in frequency order and its matrix; and which of their rows can be scored."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError
from evaluator.execution.inputs import Input, Recording

Matrix = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]
Subword = Callable[[str], Matrix | None]

DROP = 'with bad_rows="drop" (--bad-rows drop, of this command or of `evaluator convert`)'
CORRECT = "Correct the row, or write the file again."
ADVICE = f"Correct the row, or leave bad rows out {DROP}."
BLOCK_VALUES = 1 << 20
_WORDS_AT_A_TIME = 10_000
_CONTROL = bytes([*range(32), 127])


@dataclass(frozen=True, eq=False)
class Vectors:
    """Word vectors as they are in a file or model.

    Attributes:
        words: The vocabulary, the most frequent word first; v words, each once.
        matrix: float32, shape (v, d); row i belongs to `words[i]`. Raw, never normalised in place. float16
            and float64 are converted.
        name: What messages and signatures call these vectors, usually the file's name.
        subword: Builds the vector, float32 of shape (d,), of a word that is not in `words`, or returns None
            if it cannot; None for formats without subwords.
        dropped: How many bad rows of the file were left out on request.
        candidates: Where `words` are from, if the model has no vocabulary of its own.
        checked: Whether it is known that all words differ and all rows are finite and not zero.
        recording: The files that they were loaded from; None of what was made in memory, also of them.

    Raises:
        VectorsError: Words and matrix do not fit together, or (from `index`) a word occurs twice.
    """

    words: Sequence[str]
    matrix: Matrix
    name: str
    subword: Subword | None = None
    dropped: int = 0
    candidates: str = ""
    checked: bool = field(default=False, repr=False)
    recording: Recording | None = field(default=None, init=False, repr=False)  # so that `replace` drops it

    def __post_init__(self) -> None:
        """Convert a matrix of other real numbers, and refuse one that is not of shape (v, d)."""
        if self.matrix.ndim != 2 or self.matrix.dtype.kind not in "fiu":
            raise VectorsError(
                f"{self.name}: the matrix must have real numbers and two axes, (words, dimensions), not "
                f"{self.matrix.dtype} of shape {self.matrix.shape}."
            )
        if self.matrix.dtype != np.float32:
            with np.errstate(over="ignore"):  # too large for float32 becomes infinite, and that is refused
                object.__setattr__(self, "matrix", self.matrix.astype(np.float32))
        if len(self.words) != len(self.matrix):
            raise VectorsError(
                f"{self.name}: {len(self.words)} words but {len(self.matrix)} rows in the matrix. "
                "Give one row for each word."
            )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimension(self) -> int:
        """The number of values in each vector, d."""
        return int(self.matrix.shape[1])

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The files that they were loaded from, with the digests; none of what was made in memory.

        Raises:
            ChangedError: A file has changed since.
        """
        return () if self.recording is None else self.recording.inputs

    def loaded_from(self, recording: Recording | None) -> Vectors:
        """The same, which now say from which files they were loaded."""
        object.__setattr__(self, "recording", recording)
        return self

    def in_memory(self) -> Input:
        """The input that they are themselves: the words, each with a line end, the matrix, and n-grams."""
        found, size = hashlib.sha256(), 0
        for start in range(0, len(self.words), _WORDS_AT_A_TIME):  # not twice the memory
            lines = (f"{word}\n" for word in self.words[start : start + _WORDS_AT_A_TIME])
            content = "".join(lines).encode(errors="surrogatepass")
            found.update(content)
            size += len(content)
        for rows in (self.matrix, getattr(self.subword, "ngrams", None)):
            if rows is not None:
                found.update(np.ascontiguousarray(rows).data)
                size += rows.nbytes
        return Input("memory", self.name, found.hexdigest(), size)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The row of each word."""
        index = {word: row for row, word in enumerate(self.words)}
        if len(index) != len(self.words):
            again = next(word for row, word in enumerate(self.words) if index[word] != row)
            raise VectorsError(f"{self.name}: the word {again!r} occurs twice. Keep one of its rows.")
        return index

    def restrict(self, size: int) -> Vectors:
        """The most frequent words only; the matrix is a view, not a copy.

        `subword` of a model with subwords still gives vectors of the words that are left out here.

        Args:
            size: How many words to keep; all of them if there are fewer.

        Raises:
            VectorsError: `size` is less than 1.
        """
        if size < 1:
            raise VectorsError(
                f"{self.name}: cannot keep {size} words. Restrict the vocabulary to 1 word or more."
            )
        return replace(self, words=self.words[:size], matrix=self.matrix[:size])

    def select(self, kept: npt.NDArray[np.bool_]) -> Vectors:
        """Some of the words; the matrix is copied unless all are kept.

        Args:
            kept: Whether each word is kept, shape (v,).
        """
        if kept.all():
            return self
        words = [word for word, keep in zip(self.words, kept.tolist(), strict=True) if keep]
        return replace(self, words=words, matrix=self.matrix[kept])

    def fold(self, key: Callable[[str], str]) -> Vectors:
        """Replace each word by its key, for instance to ignore case.

        Of words with the same key, the first and most frequent one stays. The matrix is copied only if a row
        is left out. Words passed to `subword` are replaced by their keys, too.

        Args:
            key: From a word to its key, for instance `str.casefold`.

        Returns:
            Vectors with at most as many rows, in the same order.
        """
        return self.folded(key, list(map(key, self.words)))[0]

    def folded(self, key: Callable[[str], str], keys: Sequence[str]) -> tuple[Vectors, Rows | None]:
        """The same where the keys of all words are known; and which rows stay, or None if all do."""
        subword = None if self.subword is None else _Folded(self.subword, key)
        if keys == self.words and subword is None:
            return self, None  # with its index, which takes longer to make than all else here
        first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        rows = None
        if len(first) < len(keys):
            rows = np.sort(np.fromiter(first.values(), np.intp, len(first)))
            keys = [keys[row] for row in rows.tolist()]
            first.update(zip(keys, range(len(keys)), strict=True))
        matrix = self.matrix if rows is None else self.matrix[rows]
        found = replace(self, words=keys, matrix=matrix, subword=subword)
        found.__dict__["index"] = first  # which would take as long again to make
        return found, rows


@dataclass(frozen=True)
class _Folded:
    """A subword function for the keys of words; a class and not a closure, so that it can be pickled."""

    subword: Subword
    key: Callable[[str], str]

    def __call__(self, word: str) -> Matrix | None:
        return self.subword(self.key(word))

    def prepare(self, words: Iterable[str]) -> None:
        prepare(self.subword, map(self.key, words))


def prepare(subword: Subword | None, words: Iterable[str]) -> None:
    """Tell a subword function which words it will be asked for, if it is faster for several at once."""
    together = getattr(subword, "prepare", None)
    if together is not None:
        together(words)


class BadRowError(Exception):
    """A row that cannot be used, before it is known whether such rows are refused or dropped."""

    def __init__(
        self, problem: str, word: bytes | None = None, advice: str = ADVICE, *, always_refused: bool = False
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.word = word
        self.advice = advice
        self.always_refused = always_refused

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


def usable(matrix: Matrix, *, zeros: bool = False) -> npt.NDArray[np.bool_]:
    """Which rows have a direction: all values are finite and, unless zeros are asked for, not all zero."""
    good = np.empty(len(matrix), dtype=np.bool_)
    step = max(1, BLOCK_VALUES // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step]
        with np.errstate(invalid="ignore"):  # a NaN of the kind that signals
            good[start : start + step] = np.isfinite(block).all(axis=1) & (zeros | block.any(axis=1))
    return good


def fault(vector: Matrix) -> str:
    """Say why a vector, shape (d,), is not usable."""
    bad = np.flatnonzero(~np.isfinite(vector))
    if not bad.size:
        return "all numbers are zero, so the vector has no direction"
    value = "NaN" if np.isnan(vector[bad[0]]) else "infinite, or too large for float32"
    return f"number {bad[0] + 1} of {len(vector)} is {value}"


def decode_word(raw: bytes, encoding: str, advice: str = ADVICE) -> str:
    """Decode a word strictly."""
    if not raw:
        raise BadRowError("the word is empty", advice=advice)
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        problem = f"the word is not {encoding.upper()} (byte 0x{raw[error.start]:02x})"
        if not raw[: error.start].isascii() or len(raw.translate(None, _CONTROL)) < len(raw):
            raise BadRowError(
                problem, raw, advice
            ) from None  # its other characters are right, or it is no text
        how = "encoding='cp1252' (evaluator convert --encoding cp1252; cp1253 for Greek)"
        another = f"If the file is in another encoding, name it: {how}."
        raise BadRowError(problem, raw, f"{another} {advice}") from None


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
