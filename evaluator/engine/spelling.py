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

import numpy as np
import numpy.typing as npt

from evaluator.engine.similarities import BLOCK, Doubles, Floats, Rows, Similarities
from evaluator.engine.vocabulary_lookup import VocabularyLookup

Letters = npt.NDArray[np.uint32]
Codes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

NOISE = 2.0**-12
"""Words that are equally similar by letters are told apart by numbers below this, drawn from their letters.

So each is as likely the nearest or the odd one, as chance levels say. Different K of words of up to 20
letters differ by more in almost all cases.
"""

_LEAST_SHARE = 4096  # words of a thread; fewer are done before it starts


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
    from scipy.sparse import csr_array

    spelled, number = Spelled(words), len(words)
    codes, owners = spelled.trigrams(np.arange(number))
    kinds, columns = np.unique(codes, return_inverse=True)
    counts = csr_array((np.ones(len(codes)), (owners, columns)), shape=(number, len(kinds)))
    shared = (counts @ counts.T).tocoo()
    first, second = shared.coords
    # Whole numbers, so that a K that is exactly the least one counts.
    lengths = np.diff(spelled.ends, prepend=0).astype(np.float64)
    near = (shared.data**2 >= least**2 * lengths[first] * lengths[second]) & (first != second)
    first, second = first[near], second[near]
    order = np.lexsort((second, first))
    starts = np.append(0, np.cumsum(np.bincount(first, minlength=number)))
    return second[order].astype(np.int64), starts.astype(np.int64)


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
        from scipy.sparse import csc_array

        from evaluator.engine.kernels import fill_table

        self.vocabulary_rows = vocabulary_rows
        self._asked, self._others, self._threads = queries, vocabulary, threads
        codes, owners = queries.trigrams(np.arange(len(queries)))
        # Each trigram once for each word that has it, with the number of its occurrences there.
        order = np.lexsort((owners, codes))
        codes, owners = codes[order], owners[order]
        new = np.ones(len(codes), dtype=bool)
        new[1:] = (codes[1:] != codes[:-1]) | (owners[1:] != owners[:-1])
        first = np.flatnonzero(new)
        self._counts = np.diff(np.append(first, len(codes))).astype(np.float32)
        self._rows = owners[first]
        known, starts = np.unique(codes[first], return_index=True)
        self._starts = np.append(starts, len(first)).astype(np.int64)
        size = 1 << max(4, int(4 * len(known)).bit_length())
        self._table = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.uint64)
        fill_table(known, *self._table)
        self._trigrams = np.append(known, np.uint64(2**64 - 1))  # the last one is none
        begins, shape = np.append(self._starts, len(first)), (len(queries), len(self._trigrams))
        self._counted = csc_array((self._counts, self._rows, begins), shape=shape).tocsr()

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return (len(self._others) + BLOCK - 1) // BLOCK

    def block(self, number: int) -> tuple[int, Floats]:
        """A block of the vocabulary: the row of its first word, and similarities, shape (q, block)."""
        from evaluator.engine.kernels import spelling_block

        start = number * BLOCK
        end = min(start + BLOCK, len(self._others))
        found = np.zeros((len(self._asked), end - start), dtype=np.float32)
        own, other = self._asked, self._others
        spelling_block(
            other.letters,
            other.ends,
            start,
            *self._table,
            self._starts,
            self._rows,
            self._counts,
            own.roots,
            own.hashes,
            other.roots,
            other.hashes,
            NOISE,
            found,
        )
        return start, found

    def rows_among(self, first: int, means: Doubles, whole: float, factors: Doubles, found: Doubles) -> None:
        """Write the similarities of some test words to all of them, from the first on, shape (some, q).

        The means of both words are taken away, `whole` is added, and the factors of both multiply it.
        """
        from evaluator.engine.kernels import spelling_rows

        own = self._asked
        spelling_rows(
            *(own.letters, own.ends, first, *self._table, self._starts, self._rows, self._counts),
            *(own.roots, own.hashes, NOISE, means, whole, factors, found),
        )

    def among(self, rows: Rows) -> Floats:
        """Similarities of some test words to each other, shape (rows, rows)."""
        counts = self._counted[rows]
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
        from evaluator.engine.kernels import spelling_nearest

        own, other, number = self._asked, self._others, len(self._others)
        share = max(-(-number // self._threads), _LEAST_SHARE)
        starts = range(0, number, share)
        shape = len(starts), len(own), least
        values, words = np.zeros(shape, dtype=np.float32), np.full(shape, -1, dtype=np.int64)
        rows = self.vocabulary_rows.astype(np.int64)

        def look(place: int) -> None:
            spelling_nearest(
                *(other.letters, other.ends, *self._table, self._starts, self._rows, self._counts),
                *(own.roots, own.hashes, other.roots, other.hashes, NOISE),
                *(rows, starts[place], min(starts[place] + share, number), values[place], words[place]),
            )

        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(look, range(len(starts) if least else 0)))
        every, of_every = (np.concatenate([*each], axis=1) for each in (values, words))
        order = np.argsort(-every, axis=1, kind="stable")[:, :least]  # of equal ones, the more frequent
        return np.asarray(np.take_along_axis(of_every, order, axis=1))

    def _of_words(self, rows: Rows, others: Rows, of: Spelled) -> Doubles:
        """Similarities of test words to some words each, in double precision, of the shape of `others`."""
        from scipy.sparse import csr_array

        different, places = np.unique(np.asarray(others), return_inverse=True)
        codes, owners = of.trigrams(different)
        columns = np.searchsorted(self._trigrams, codes)
        known = np.flatnonzero(self._trigrams[columns] == codes)
        ones, at = np.ones(len(known), dtype=np.float32), (owners[known], columns[known])
        theirs = csr_array((ones, at), shape=(len(different), len(self._trigrams)))
        own = self._counted[np.repeat(rows, others.shape[1])]
        shared = own.multiply(theirs[places.ravel()]).sum(axis=1)
        return self._similar(shared.reshape(others.shape), rows, others, of)

    def _similar(self, shared: Floats, rows: Rows, others: Rows, of: Spelled) -> Doubles:
        """Similarities in double precision from numbers of shared trigrams, in their shape."""
        own, noise = self._asked, of.hashes[others]
        similar = shared.astype(np.float64) * own.roots[rows, None] * of.roots[others]
        # A number from 0 to 1 of two words, the same in both orders (the last steps of MurmurHash3).
        noise = noise ^ own.hashes[rows, None]
        noise ^= noise >> np.uint32(16)
        noise *= np.uint32(0x85EBCA6B)
        noise ^= noise >> np.uint32(13)
        noise *= np.uint32(0xC2B2AE35)
        return np.asarray(similar + NOISE * 2.0**-24 * (noise >> np.uint32(8)))


def spelled(lookup: VocabularyLookup, asked: int, threads: int = 1) -> SpellingSimilarities:
    """The similarities by letters of so many words, the first that were looked up, to the vocabulary."""
    queries, vocabulary = Spelled(lookup.query_words[:asked]), Spelled(lookup.letters or ())
    return SpellingSimilarities(queries, lookup.vocabulary_rows[:asked], vocabulary, threads)
