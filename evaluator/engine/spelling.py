"""The spelling baseline: how similar words are to somebody who knows only their letters.

fastText builds the vector of a word from those of its n-grams (Bojanowski, Grave, Joulin and Mikolov 2017,
"Enriching Word Vectors with Subword Information", section 3.2). If these are random numbers, the expected
cosine of two words is, up to O(1/√d),

    K(w, x) = Σ_g c_g(w)·c_g(x) / √(N(w)·N(x))

with c_g how often the n-gram g occurs in `<word>`, and N how many n-grams it has. Here n is 3: longer n-grams
hold trigrams, and add little. No vectors and no seeds are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluator.engine.similarities import BLOCK, Doubles, Floats, Rows, Similarities, keep_greatest
from evaluator.engine.vocabulary_lookup import VocabularyLookup

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Letters = npt.NDArray[np.uint32]
Codes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

NOISE = 2.0**-12
"""Words that are equally similar by letters are told apart by numbers below this, drawn from their letters.

So each is as likely the nearest or the odd one, as chance levels say. Different K of words of up to 20
letters differ by more in almost all cases.
"""

_LEAST_SHARE = 4096  # words of a thread; fewer are done before it starts
_FIRST_AT_A_TIME, _AT_A_TIME = 512, 8192  # words: the nearest of few tell which of many can be nearer
_ROWS_AT_A_TIME = 64  # of a block; with them, numbers stay in a cache


class Spelled:
    """Words as letters, and their trigrams.

    Attributes:
        letters: The code points of all words one after another, shape (letters,).
        ends: Where each word ends among them, shape (words,).
        hashes: A number that stands for each word, the same in every process, shape (words,).
        roots: 1/√N of each word, shape (words,); 0 of an empty one, which has no trigrams.
    """

    def __init__(self, words: Sequence[str]) -> None:
        """Take the letters of words."""
        text = "".join(words).encode("utf-32-le", "surrogatepass")
        self.letters: Letters = np.frombuffer(text, dtype="<u4")
        # As many as `<word>` has trigrams.
        self._lengths = np.fromiter(map(len, words), np.int64, len(words))
        self.ends: Ints = np.cumsum(self._lengths)
        self.hashes = self._hashes()
        self.roots = np.where(self._lengths > 0, 1 / np.sqrt(np.maximum(self._lengths, 1)), 0.0)

    def __len__(self) -> int:
        return len(self.ends)

    def _hashes(self) -> Letters:
        """FNV-1a, by letters in place of bytes: the first letters of all words, then the second ones."""
        order = np.argsort(-self._lengths, kind="stable")  # the longest first
        starts = (self.ends - self._lengths)[order]
        values = np.full(len(order), 2166136261, dtype=np.uint32)
        for place, shorter in enumerate(np.cumsum(np.bincount(self._lengths))[:-1].tolist()):
            some = values[: len(order) - shorter]
            some ^= self.letters[starts[: len(some)] + place]
            some *= np.uint32(16777619)
        found = np.empty_like(values)
        found[order] = values
        return found

    def trigrams(self, words: Ints) -> tuple[Codes, Ints]:
        """The trigrams of some words, one word after another, and the place in `words` of the word of each.

        A trigram has 21 bits for each code point, so that no two are the same.
        """
        lengths = self._lengths[words]
        ends = np.cumsum(lengths)
        places = np.arange(lengths.sum()) + np.repeat(self.ends[words] - ends, lengths)
        letters = self.letters[places].astype(np.uint64)
        before, after = np.roll(letters, 1), np.roll(letters, -1)
        before[(ends - lengths)[lengths > 0]], after[ends[lengths > 0] - 1] = ord("<"), ord(">")
        codes = (before << np.uint64(42)) | (letters << np.uint64(21)) | after
        return codes, np.repeat(np.arange(len(words)), lengths)


def alike(words: Sequence[str], least: float) -> tuple[Ints, Ints]:
    """Which words have K of at least so much: their numbers, word by word, and where those of each begin.

    Args:
        words: Different words.
        least: A share that is above 0.

    Returns:
        Numbers of words without the word itself, in order, and n + 1 places in them.
    """
    spelled, number = Spelled(words), len(words)
    _, counts = _counted(*spelled.trigrams(np.arange(number)), number)
    shared = (counts @ counts.T).tocoo()
    first, second = shared.coords
    # Whole numbers, so that a K that is exactly the least one counts.
    lengths = np.diff(spelled.ends, prepend=0).astype(np.float64)
    near = shared.data.astype(np.float64) ** 2 >= least**2 * lengths[first] * lengths[second]
    near &= first != second
    first, second = first[near], second[near]
    order = np.lexsort((second, first))
    starts = np.append(0, np.cumsum(np.bincount(first, minlength=number)))
    return second[order].astype(np.int64), starts.astype(np.int64)


def _counted(codes: Codes, words: Ints, number: int) -> tuple[Codes, csr_array]:
    """Different trigrams in order, and how often each of some words has them, shape (words, trigrams)."""
    different, columns = np.unique(codes, return_inverse=True)
    counts = _sparse(words, columns, (number, len(different)))
    counts.sum_duplicates()
    return different, counts


def _sparse(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    """How often each row and column occur together, of rows in order."""
    from scipy.sparse import csr_array

    starts = np.append(0, np.cumsum(np.bincount(rows, minlength=shape[0])))
    return csr_array((np.ones(len(rows), dtype=np.float32), columns, starts), shape=shape)


def _noise(own: Letters, others: Letters) -> npt.NDArray[np.float32]:
    """Numbers from 0 to 1 of pairs of words, the same in both orders (the last steps of MurmurHash3)."""
    own, others = (each ^ (each >> np.uint32(16)) for each in (own, others))
    value: Letters = np.bitwise_xor(own, others)
    value *= np.uint32(0x85EBCA6B)
    value ^= value >> np.uint32(13)
    value *= np.uint32(0xC2B2AE35)
    value >>= np.uint32(8)
    found = value.view(np.int32).astype(np.float32)  # signed ones are converted faster
    found *= np.float32(2.0**-24)
    return found


class SpellingSimilarities(Similarities):
    """K of q test words to v vocabulary words; takes the place of `Similarities` of vectors.

    Attributes:
        vocabulary_rows: The vocabulary row of each test word, -1 for words that are not in it, shape (q,).
        tie: Sums of two similarities that differ by no more than this are equal.
    """

    tie = (
        2.0**-23
    )  # more would take many words that only `NOISE` tells apart for equal, and the score is too low

    def __init__(
        self, queries: Spelled, vocabulary_rows: Rows, vocabulary: Spelled, threads: int = 1
    ) -> None:
        """Index the test words by their trigrams."""
        self.vocabulary_rows = vocabulary_rows
        self._asked, self._others, self._threads = queries, vocabulary, threads
        known, self._counts = _counted(*queries.trigrams(np.arange(len(queries))), len(queries))
        self._trigrams = np.append(known, np.uint64(2**64 - 1))  # the last one is none

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return (len(self._others) + BLOCK - 1) // BLOCK

    def block(self, number: int) -> tuple[int, Floats]:
        """A block of the vocabulary: the row of its first word, and similarities, shape (q, block)."""
        start = number * BLOCK
        end = min(start + BLOCK, len(self._others))
        own, other = self._asked, self._others
        found = (self._counts @ self._known_trigrams(other, np.arange(start, end)).T).toarray()
        roots, other_roots = (each.roots.astype(np.float32) for each in (own, other))
        for first in range(0, len(own), _ROWS_AT_A_TIME):
            rows = slice(first, first + _ROWS_AT_A_TIME)
            found[rows] *= roots[rows, None] * other_roots[start:end]
            found[rows] += np.float32(NOISE) * _noise(own.hashes[rows, None], other.hashes[start:end])
        return start, found

    def among(self, rows: Rows) -> Floats:
        """Similarities of some test words to each other, shape (rows, rows)."""
        counts = self._counts[rows]
        return self._similar((counts @ counts.T).toarray(), rows, rows[None], self._asked).astype(np.float32)

    def of_pairs(self, rows: Rows, others: Rows) -> Floats:
        """Similarities of pairs of test words, shape (n,)."""
        return self._of_words(rows, others[:, None], self._asked)[:, 0].astype(np.float32)

    def exactly(self, rows: Rows, vocabulary_rows: Rows) -> Doubles:
        """Similarities of n test words to m words each, of the shape of `vocabulary_rows`, (n, m).

        They are integers, 2^40 for 1.
        """
        return np.asarray(np.rint(self._of_words(rows, vocabulary_rows, self._others) * 2.0**40))

    def at_least(self, rows: Rows, least: Floats) -> list[Rows] | None:  # noqa: ARG002
        """None: no words are listed, as few are nearly equal."""
        return None

    def around(self, rows: Rows, least: int) -> Ints:
        """Words of the vocabulary that are most similar to test words, and not these; shape (n, least).

        To a test word that shares a trigram with fewer, any words are as near: some are drawn by its letters.
        """
        own, other = self._asked, self._others
        found = self._nearest(least)[rows]
        if not least:  # of a vocabulary of one word
            return found
        for place in np.flatnonzero(found[:, -1] < 0).tolist():
            row = rows[place]
            near = [*found[place][found[place] >= 0].tolist(), int(self.vocabulary_rows[row])]
            drawn = (int(own.hashes[row]) + np.arange(least + len(near))) % len(other)
            others = [each for each in dict.fromkeys(drawn.tolist()) if each not in near]
            found[place] = [*near[:-1], *others][:least]
        return found

    def _nearest(self, least: int) -> Ints:
        """The most similar words that share a trigram with each test word, shape (q, least); -1 if fewer do.

        Each thread looks at its share of the vocabulary.
        """
        number = len(self._others)
        share = max(-(-number // self._threads), _LEAST_SHARE)
        starts = range(0, number if least else 0, share)
        with ThreadPoolExecutor(self._threads) as pool:
            found = list(pool.map(lambda at: self._nearest_of(at, min(at + share, number), least), starts))
        values, words = (np.concatenate(each, axis=1) for each in zip(*found, strict=True))
        order = np.argsort(-values, axis=1, kind="stable")[:, :least]  # of equal ones, the more frequent
        return np.asarray(np.take_along_axis(words, order, axis=1))

    def _nearest_of(self, start: int, end: int, least: int) -> tuple[Floats, Ints]:
        """The same of some of the vocabulary, most similar first, and how similar they are; 0 if fewer do."""
        own, other = self._asked, self._others
        values = np.zeros((len(own), least), dtype=np.float32)
        words = np.full((len(own), least), -1, dtype=np.int64)
        roots, other_roots = (each.roots.astype(np.float32) for each in (own, other))
        by_trigram = (self._counts * roots[:, None]).T.tocsr()
        size = _FIRST_AT_A_TIME
        while start < end:
            trigrams = self._known_trigrams(other, np.arange(start, min(start + size, end)))
            similar = (trigrams * other_roots[start : start + trigrams.shape[0], None]) @ by_trigram
            # Few are near enough. Their similarities are found again as everywhere, to the last bit.
            limits = values[:, -1] * np.float32(1 - 2.0**-16) - np.float32(NOISE)
            near = np.flatnonzero(similar.data > limits[similar.indices])
            rows, found = similar.indices[near], np.searchsorted(similar.indptr, near, "right") + (start - 1)
            scale = roots[rows] * other_roots[found]
            exactly = np.rint(similar.data[near] / scale) * scale
            exactly += np.float32(NOISE) * _noise(own.hashes[rows], other.hashes[found])
            near = np.flatnonzero((exactly > values[rows, -1]) & (found != self.vocabulary_rows[rows]))
            keep_greatest(values, words, rows[near], exactly[near], found[near])
            start, size = start + size, min(2 * size, _AT_A_TIME)
        return values, words

    def _known_trigrams(self, of: Spelled, words: Ints) -> csr_array:
        """How often some words have the trigrams of test words, shape (words, trigrams)."""
        codes, owners = of.trigrams(words)
        columns = np.searchsorted(self._trigrams, codes)
        known = np.flatnonzero(self._trigrams[columns] == codes)
        return _sparse(owners[known], columns[known], (len(words), len(self._trigrams) - 1))

    def _of_words(self, rows: Rows, others: Rows, of: Spelled) -> Doubles:
        """Similarities of test words to some words each, in double precision, of the shape of `others`."""
        different, places = np.unique(others, return_inverse=True)
        own = self._counts[np.repeat(rows, others.shape[1])]
        shared = own.multiply(self._known_trigrams(of, different)[places.ravel()]).sum(axis=1)
        return self._similar(shared.reshape(others.shape), rows, others, of)

    def _similar(self, shared: Floats, rows: Rows, others: Rows, of: Spelled) -> Doubles:
        """Similarities in double precision, of numbers of shared trigrams, in their shape."""
        own = self._asked
        similar = shared.astype(np.float64) * own.roots[rows, None] * of.roots[others]
        return np.asarray(similar + NOISE * _noise(own.hashes[rows, None], of.hashes[others]))


def spelled(lookup: VocabularyLookup, asked: int, threads: int = 1) -> SpellingSimilarities:
    """The similarities by letters of so many words, the first that were looked up, to the vocabulary."""
    queries, vocabulary = Spelled(lookup.query_words[:asked]), Spelled(lookup.letters or ())
    return SpellingSimilarities(queries, lookup.vocabulary_rows[:asked], vocabulary, threads)
