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
        from evaluator.engine.kernels import hash_words

        text = "".join(words).encode("utf-32-le", "surrogatepass")
        self.letters: Letters = np.frombuffer(text, dtype="<u4")
        lengths = np.fromiter(map(len, words), np.int64, len(words))  # the number of trigrams of `<word>`
        self.ends: Ints = np.cumsum(lengths)
        self.hashes = np.empty(len(words), dtype=np.uint32)
        hash_words(self.letters, self.ends, self.hashes)
        self.roots = np.where(lengths > 0, 1 / np.sqrt(np.maximum(lengths, 1)), 0.0)

    def __len__(self) -> int:
        return len(self.ends)


def alike(words: Sequence[str], least: float) -> tuple[Ints, Ints]:
    """Which words have K of at least so much: their numbers, word by word, and where those of each begin.

    Args:
        words: Different words.
        least: A share that is above 0.

    Returns:
        Numbers of words without the word itself, in order, and n + 1 places in them.
    """
    from scipy.sparse import csr_array

    from evaluator.engine.kernels import trigrams

    spelled, number = Spelled(words), len(words)
    codes = np.empty(len(spelled.letters), dtype=np.uint64)
    owners = np.empty(len(spelled.letters), dtype=np.int64)
    trigrams(spelled.letters, spelled.ends, codes, owners)
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
        from evaluator.engine.kernels import fill_table, trigrams

        self.vocabulary_rows = vocabulary_rows
        self._asked, self._others, self._threads = queries, vocabulary, threads
        codes = np.empty(len(queries.letters), dtype=np.uint64)
        owners = np.empty(len(queries.letters), dtype=np.int64)
        trigrams(queries.letters, queries.ends, codes, owners)
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

    def among(self, rows: Rows) -> Floats:
        """Similarities of some test words to each other, shape (rows, rows)."""
        pairs = np.broadcast_to(rows, (len(rows), len(rows)))
        return self._of_words(rows, pairs, self._asked).astype(np.float32)

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
        from evaluator.engine.kernels import spelling_pairs

        found = np.empty(others.shape, dtype=np.float64)
        own = self._asked
        words = np.ascontiguousarray(others, dtype=np.int64)
        spelling_pairs(
            *(own.letters, own.ends, own.roots, own.hashes, np.asarray(rows, dtype=np.int64)),
            *(of.letters, of.ends, of.roots, of.hashes, words),
            *(NOISE, found),
        )
        return found


def spelled(lookup: VocabularyLookup, asked: int, threads: int = 1) -> SpellingSimilarities:
    """The similarities by letters of so many words, the first that were looked up, to the vocabulary."""
    queries, vocabulary = Spelled(lookup.query_words[:asked]), Spelled(lookup.letters or ())
    return SpellingSimilarities(queries, lookup.vocabulary_rows[:asked], vocabulary, threads)
