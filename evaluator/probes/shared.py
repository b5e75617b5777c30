"""What several embeddings know in common, so that all are probed on the same items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.probes.splits import Rows

Singles = npt.NDArray[np.float32]


class SharedVocabulary:
    """What several embeddings know in common; of a single one, all that it knows.

    Attributes:
        embeddings: Each of them, in the order given.
    """

    def __init__(self, lookups: Sequence[VocabularyLookup]) -> None:
        """Take embeddings together.

        Args:
            lookups: Of each embedding, all with the same language and settings.
        """
        self.embeddings = tuple(Embedding(lookup, self) for lookup in lookups)
        self._lookups = lookups

    def form(self, word: str) -> str | None:
        """A test word in the form in which it is compared; None if the run leaves it out."""
        return self._lookups[0].normalized(word)

    def known(self, words: Iterable[str]) -> frozenset[str]:
        """Which words, in the form in which they are compared, have a vector in all embeddings."""
        return frozenset(
            word
            for word in dict.fromkeys(words)
            if all(lookup.find(word) is not None for lookup in self._lookups)
        )

    def in_vocabularies(self, words: Iterable[str]) -> frozenset[str]:
        """Which words stand in all vocabularies; those built from subwords or of several words do not."""
        known = tuple(dict.fromkeys(words))
        for embedding in self.embeddings:
            rows = embedding.rows(known).tolist()
            known = tuple(word for word, row in zip(known, rows, strict=True) if row >= 0)
        return frozenset(known)

    @cached_property
    def vocabulary(self) -> dict[str, int] | None:
        """The words of all vocabularies, in the order of the first; None where there is only one."""
        first, *others = (lookup.vectors for lookup in self._lookups)
        if not others:
            return None
        words = (word for word in first.words if all(word in other.index for other in others))
        return {word: row for row, word in enumerate(words)}


class Embedding:
    """One embedding, of which only what all share is seen."""

    def __init__(self, lookup: VocabularyLookup, shared: SharedVocabulary) -> None:
        """Look at one of several.

        Args:
            lookup: Where its words are found.
            shared: All of them.
        """
        self.name = lookup.vectors.name
        self._lookup = lookup
        self._shared = shared

    def of(self, words: Iterable[str]) -> Singles:
        """The vectors of words that all have one, shape (n, d)."""
        rows = [self._lookup.find(word) for word in words]
        return self._lookup.queries[np.array(rows, np.intp)]

    def matrix(self) -> Singles:
        """The vectors of the shared vocabulary, shape (v, d)."""
        common, vectors = self._shared.vocabulary, self._lookup.vectors
        return vectors.matrix if common is None else vectors.matrix[[vectors.index[word] for word in common]]

    def rows(self, words: Iterable[str]) -> Rows:
        """The rows of words in `matrix`; -1 for those that are not in the shared vocabulary."""
        found = [self._lookup.find(word) for word in words]
        places, common, names = (
            self._lookup.vocabulary_rows,
            self._shared.vocabulary,
            self._lookup.vectors.words,
        )
        own = [-1 if row is None else int(places[row]) for row in found]
        if common is None:
            return np.array(own, np.intp)
        return np.array([-1 if row < 0 else common.get(names[row], -1) for row in own], np.intp)
