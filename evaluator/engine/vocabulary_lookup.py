"""Looking up words in a vocabulary, once for all measures of a run; and the frequency baseline."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import Category, RelatedWords
from evaluator.engine.similarities import Doubles, Floats, Rows, unit_rows
from evaluator.settings import Settings
from evaluator.text.normalization import normalized, normalizer, unchanged
from evaluator.vectors import Vectors, VectorsLike, as_vectors
from evaluator.vectors.table import Subword, prepare

Hashes = npt.NDArray[np.uint64]

_NO_DIRECTION = 2.0**-20  # where vectors of single precision are opposite, rounding decides where it points

BASELINE_OF = "frequency baseline of "
"""What the name of a frequency baseline begins with, before that of the model."""

FEW = 0.2
"""Where a smaller share of the words is known, there is a reason that may be found."""


def hashes_of(words: Iterable[str]) -> Hashes:
    """64 bits that stand for each word, the same in every process; shape (words,)."""
    digests = (hashlib.blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest() for word in words)
    return np.frombuffer(b"".join(digests), dtype="<u8")


@dataclass(frozen=True, eq=False)
class KnownWords:
    """What a model knows of a test set."""

    vocabulary: Hashes  # of its normalized words, sorted
    found: Mapping[str, bool]  # the normalized test words that it knows, and whether their vectors are built
    related: frozenset[str] = frozenset()  # those of them that are asked only if all models know them

    @property
    def others_digest(self) -> str:
        """The first digits of a SHA-256 of the vocabulary without test words, and of `related`.

        Where it is the same for all models, their common words and all test words are the vocabulary of each,
        and no word is asked that one of them does not know.
        """
        others = np.setdiff1d(self.vocabulary, hashes_of(self.found), assume_unique=True)
        related = "\n".join(sorted(self.related)).encode(errors="surrogatepass")
        return hashlib.sha256(others.tobytes() + related).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The words among which neighbours and odd words are looked for, the same ones for several models."""

    hashes: Hashes  # of the normalized words, sorted
    asked: frozenset[str] | None = None  # the normalized test words, if only those are that all models know
    known: frozenset[str] | None = None  # the normalized test words that all models know

    @classmethod
    def of(cls, models: Iterable[KnownWords], *, only_known: bool) -> Candidates:
        """Those of one model or more."""
        common = CommonWords(only_known=only_known)
        for each in models:
            common.add(each)
        found = common.candidates
        if found is None:
            raise ValueError("there are no models")
        return found

    @property
    def digest(self) -> str:
        """The first 12 digits of a SHA-256."""
        content = self.hashes.tobytes() + "\n".join(sorted(self.asked or ())).encode()
        return hashlib.sha256(content).hexdigest()[:12]


class CommonWords:
    """The words that all of several models have, of which one at a time is in memory.

    With `only_known`, only the test words are asked that all of them know. A word whose vector one model
    builds, and another has in its vocabulary, is not the same question to both: only words of the vocabulary
    can be neighbours and answers. Of `models`, one that knows no test word does not count: because of it, the
    others would be compared among no words.
    """

    def __init__(self, models: Iterable[KnownWords | None] = (), *, only_known: bool) -> None:
        self._only_known = only_known
        self._shared: Hashes | None = None
        self._tested, self._known = set[str](), set[tuple[str, bool]]()
        self.vocabularies = set[str]()
        for each in models:
            if each is not None and each.found:
                self.add(each)

    def add(self, model: KnownWords) -> None:
        """Take a model into account."""
        if self._shared is None:
            self._shared, self._known = model.vocabulary, {*model.found.items()}
        else:
            self._shared = np.intersect1d(self._shared, model.vocabulary)
            self._known &= model.found.items()
        self._tested |= model.found.keys()
        self.vocabularies.add(model.others_digest)

    @property
    def candidates(self) -> Candidates | None:
        """The words of all models; and, unless only those are asked, all test words. None without models."""
        if self._shared is None:
            return None
        known = frozenset(word for word, _ in self._known)
        if self._only_known:
            return Candidates(self._shared, known, known)
        return Candidates(np.union1d(self._shared, hashes_of(self._tested)), known=known)


class VocabularyLookup:
    """Looks up each word once, and collects the vectors of the words found as rows of one matrix of queries.

    Attributes:
        vectors: The vocabulary V in which neighbours and odd words are searched, its words in normalized
        form.
        angles: Those of the vocabulary if it is that of the frequency baseline, shape (v,).
        letters: Its words, in the form in which test words are looked up, if it is that of the spelling
            baseline.
        with_built: Whether words count as known whose vectors the model builds from subwords. Random n-grams
            build vectors, too, so they are OOV in all that decides.
        reached: How many queries, from the first one on, hold all words that were asked for since it was set
            to 0.
    """

    angles: Doubles | None = None
    letters: Sequence[str] | None = None
    with_built = False
    reached = 0

    def __init__(
        self, vectors: Vectors, language: str, settings: Settings, candidates: Candidates | None = None
    ) -> None:
        """Bring the vocabulary into the form in which words are compared, and cut it to the candidates.

        The rules of case are those of the language of the test words.
        """
        self.vectors = vectors if settings.vocabulary is None else vectors.restrict(settings.vocabulary)
        self._settings = settings
        self._asked = None if candidates is None else candidates.asked
        self._common = None if candidates is None else candidates.known
        self._key = normalizer(language, settings.case, settings.profile)
        self._ranked = len(vectors)
        self._ranks: Rows | None = None  # of the words that stay, if some are left out
        upper = settings.case == "upper"
        if not upper and self._key is not unchanged:
            keys = normalized(self.vectors.words, self._key)
            self.vectors, self._ranks = self.vectors.folded(self._key, keys)
        self._whole, self._whole_index = self.vectors, self._indexed(self.vectors)
        self._shared = None if candidates is None else np.isin(self._hashes(), candidates.hashes)
        if self._shared is not None:
            self.vectors = self.vectors.select(self._shared)
        self._index = self._whole_index if self._shared is None else self._indexed(self.vectors)
        self._query_rows: dict[str, int] = {}  # -1 of a word without a vector
        self._found: list[Floats] = []
        self._vocabulary_rows: list[int] = []
        self._built: list[bool] = []
        self._forms: dict[str, str | None] = {}
        self._groups: dict[str, tuple[tuple[tuple[str, ...], ...], list[str]]] = {}
        self._related = set[str]()
        self.with_built = settings.built == "known"
        self._several = 0  # words, of these

    def _indexed(self, vectors: Vectors) -> Mapping[str, int]:
        """The rows of normalized words; of words with the same key, the first one."""
        if self._settings.case != "upper":
            return vectors.index
        return {word: row for row, word in reversed([*enumerate(map(self._key, vectors.words))])}

    @property
    def _subword(self) -> Subword | None:
        """What builds vectors of unknown words; nothing in gensim's way, which does not ask such words."""
        return None if self._settings.case == "upper" else self.vectors.subword

    def by_frequency(self) -> VocabularyLookup:
        """The same, of a model that knows only how frequent words are: see `frequency_baseline`.

        It is asked those of the words looked up that this model knows.
        """
        other = copy.copy(self)
        other._asked = frozenset(self.query_words)
        angles = angles_of_ranks(self._ranked)
        other.angles = angles[: len(self._whole)] if self._ranks is None else angles[self._ranks]
        other._whole = other.vectors = on_circle(self._whole, other.angles)
        if self._shared is not None:
            other.vectors, other.angles = other.vectors.select(self._shared), other.angles[self._shared]
        other._query_rows, other._found, other._vocabulary_rows, other._built = {}, [], [], []
        return other

    def of_letters(self, most: int | None = None) -> VocabularyLookup:
        """The same words, to somebody who knows only their letters: see `evaluator.engine.spelling`.

        With `most`, the vocabulary has only so many words, evenly spaced in the order of frequency.
        """
        other = copy.copy(self)
        if most is not None and len(self.vectors) > 2 * most:
            chosen = np.linspace(0, len(self.vectors) - 1, most).astype(np.intp)
            places = np.full(len(self.vectors) + 1, -1, dtype=np.intp)  # the last one is that of row -1
            places[chosen] = np.arange(most)
            other.vectors = self.vectors.select(places[:-1] >= 0)
            other._vocabulary_rows = places[self.vocabulary_rows].tolist()
        words = other.vectors.words
        other.letters = [*map(self._key, words)] if self._settings.case == "upper" else words
        return other

    def knowing_built(self) -> VocabularyLookup:
        """The same queries, where words count as known whose vectors are built from subwords."""
        other = copy.copy(self)  # the rows of queries are those of both
        other.with_built, other._common, other._related = True, None, set()
        return other

    def known_to_all(self, words: Iterable[str]) -> tuple[str, ...]:
        """Those of some normalized words that are known: to all models, if several are compared."""
        words = list(words)
        known = [*compress(words, self.query_rows(words) >= 0)]
        self._related.update(known)
        return tuple(word for word in known if self._common is None or word in self._common)

    @property
    def query_words(self) -> list[str]:
        """The normalized words of the queries, in the order of their rows."""
        return [word for word, row in self._query_rows.items() if row >= 0]

    def normalized_words(self, words: Iterable[str]) -> tuple[str, ...]:
        """The normalized forms of test words: none twice, without those that the settings leave out."""
        forms: dict[Any, None] = dict.fromkeys(map(self.normalized, words))
        forms.pop(None, None)
        return tuple(forms)

    def normalized_groups(self, family: RelatedWords) -> tuple[tuple[tuple[str, ...], ...], list[str]]:
        """The normalized words of each group of a family, and all of them in alphabetical order.

        They are the same for a model and its baselines.
        """
        if family.name not in self._groups:
            groups = tuple(self.normalized_words(item.words) for item in family.items)
            self._groups[family.name] = groups, sorted({word for group in groups for word in group})
        return self._groups[family.name]

    def normalized(self, word: str) -> str | None:
        """The normalized form of a test word; None if the settings leave it out."""
        if word not in self._forms:
            how, parts = self._settings.multiword, word.split()
            self._several += len(parts) > 1
            if how not in ("drop", "join") or len(parts) < 2:
                self._forms[word] = self._key(word)
            else:
                self._forms[word] = None if how == "drop" else self._key("_".join(parts))
        return self._forms[word]

    def find(self, word: str) -> int | None:
        """The row of a normalized word among the queries; None if it is not known."""
        (row,) = self.query_rows([word]).tolist()
        return row if row >= 0 else None

    def query_rows(self, words: Iterable[str]) -> Rows:
        """The rows of normalized words among the queries, -1 for words without a vector; shape (words,)."""
        words = list(words)
        new = [word for word in dict.fromkeys(words) if word not in self._query_rows]
        if self._subword is not None and self._asked is None and self._settings.multiword != "mean":
            prepare(self._subword, (word for word in new if word not in self._index))
        for word in new:
            row, vector, built = self._index.get(word, -1), None, False
            if self._asked is None or word in self._asked:
                vector, built = (self.vectors.matrix[row], False) if row >= 0 else self._build(word)
            self._query_rows[word] = -1 if vector is None else len(self._found)
            if vector is not None:
                self._found.append(vector)
                self._vocabulary_rows.append(row)
                self._built.append(built)
        rows = np.fromiter(map(self._query_rows.__getitem__, words), np.intp, len(words))
        self.reached = max(self.reached, int(rows.max(initial=-1)) + 1)
        return self._known_rows(rows)

    def _known_rows(self, rows: Rows) -> Rows:
        """The same rows; -1 for those of built vectors, where words that have one are not known."""
        if self.with_built or True not in self._built:
            return rows
        return np.where(np.append(self._built, False)[rows], -1, rows)  # the last one is that of row -1

    @property
    def vocabulary_rows(self) -> Rows:
        """The vocabulary row of each query, shape (q,); -1 where its vector is built of subwords or words."""
        return np.array(self._vocabulary_rows, dtype=np.intp)

    @property
    def queries(self) -> Doubles:
        """Raw vectors of all words found so far, shape (q, d).

        In double precision, as a mean of several words, which is as near to one as to another, would not be
        so if it were rounded.
        """
        return np.array(self._found, dtype=np.float64).reshape(-1, self.vectors.dimension)

    def queries_of(self, words: Iterable[str]) -> Doubles:
        """The raw vectors of some known words, shape (words, d)."""
        found = [self._found[row] for row in self.query_rows(words).tolist()]
        return np.array(found, dtype=np.float64).reshape(-1, self.vectors.dimension)

    @property
    def spellings(self) -> Rows | None:
        """For each vocabulary row the first one with the same normalized word, (v,); None if all differ."""
        if len(self._index) == len(self.vectors):
            return None
        return np.array([self._index[self._key(word)] for word in self.vectors.words], dtype=np.intp)

    @property
    def missing(self) -> bool:
        """Whether any word is not known."""
        return self.counts[0] < self.counts[1]

    @property
    def found(self) -> dict[str, bool]:
        """The normalized words that are known, and whether their vectors are made of others."""
        rows = zip(self._query_rows, self._all_rows.tolist(), strict=True)
        return {word: self._vocabulary_rows[row] < 0 for word, row in rows if row >= 0}

    @property
    def _all_rows(self) -> Rows:
        """The rows of all words that were looked up."""
        return self._known_rows(np.fromiter(self._query_rows.values(), np.intp, len(self._query_rows)))

    @property
    def built(self) -> tuple[str, ...]:
        """The normalized words that were looked up and whose vectors are built from subwords."""
        return tuple(word for word, row in self._query_rows.items() if row >= 0 and self._built[row])

    @property
    def known(self) -> KnownWords:
        """What the model knows of the words that were looked up."""
        return KnownWords(np.unique(self._hashes()), self.found, frozenset(self._related))

    def _hashes(self) -> Hashes:
        """Those of the vocabulary, shape (v,)."""
        upper = self._settings.case == "upper"
        return hashes_of(map(self._key, self.vectors.words) if upper else self.vectors.words)

    @property
    def counts(self) -> tuple[int, int]:
        """How many different words are known, and how many were looked up."""
        return int(np.count_nonzero(self._all_rows >= 0)), len(self._query_rows)

    @property
    def knows_few(self) -> bool:
        """Whether so few of them are known that something must be wrong."""
        known, words = self.counts
        return known < FEW * words

    @property
    def multiword(self) -> tuple[int, int]:
        """How many different test words consist of several words, and how many were looked up."""
        return self._several, len(self._forms)

    def _build(self, word: str) -> tuple[Floats | None, bool]:
        """The vector of a word outside the vocabulary, if there is one; and whether subwords made it."""
        parts = word.split()
        if self._settings.multiword == "mean" and len(parts) > 1:
            vectors = [self._unit_vector(each) for each in parts]
            known = [vector for vector in vectors if vector is not None]
            if len(known) < len(vectors):
                return None, False
            mean = np.asarray(np.mean(known, axis=0))
            if np.linalg.norm(mean) <= _NO_DIRECTION:
                return None, False
            return mean, any(each not in self._whole_index for each in parts)
        return (None if self._subword is None else self._subword(word)), True

    def _unit_vector(self, word: str) -> Doubles | None:
        """The vector of one of several words, at length 1."""
        row = self._whole_index.get(word, -1)
        if row < 0 and self._subword is None:
            return None
        vector = self._whole.matrix[row] if row >= 0 else self._build(word)[0]
        if vector is None:
            return None
        return np.asarray(unit_rows(vector[None].astype(np.float64))[0])


@dataclass(frozen=True, eq=False)
class FoundCategory:
    """A category whose words have been looked up.

    Attributes:
        name: The category's name.
        words: Its normalized words, those with a vector first.
        oov: How many of them have no vector.
        size: n of the measures: all words where an OOV word counts as wrong, else those with a vector.
        rows: The rows of its words with a vector among the queries, shape (usable,).
        vocabulary_rows: The rows of these words in the vocabulary, -1 for words not in it, shape (usable,).
        known: C_i ∩ V: the vocabulary rows of all words of the category that are in the vocabulary.
    """

    name: str
    words: tuple[str, ...]
    oov: int
    size: int
    rows: Rows
    vocabulary_rows: Rows
    known: Rows

    @property
    def usable(self) -> int:
        """How many words have a vector."""
        return len(self.rows)

    @property
    def observations(self) -> tuple[str, ...]:
        """The n words that count, those with a vector first."""
        return self.words[: self.size]

    @property
    def unknown(self) -> tuple[str, ...]:
        """Those of them without a vector."""
        return self.words[self.usable : self.size]


def find_category(category: Category, lookup: VocabularyLookup, settings: Settings) -> FoundCategory:
    """Look up the words of a category."""
    words = lookup.normalized_words(category.words)
    query_rows = lookup.query_rows(words)
    known = query_rows >= 0
    found, missing = list(compress(words, known)), list(compress(words, ~known))
    rows = query_rows[known]
    vocabulary_rows = lookup.vocabulary_rows[rows]
    return FoundCategory(
        category.name,
        (*found, *missing),
        len(missing),
        len(words) if settings.oov == "wrong" else len(found),
        rows,
        vocabulary_rows,
        vocabulary_rows[vocabulary_rows >= 0],
    )


def frequency_baseline(vectors: VectorsLike) -> Vectors:
    """Vectors in which words of similar frequency are similar, to compare scores with.

    Their score is what comparing words by frequency alone gives. The word of rank r (from 0) of v is on a
    quarter of a circle at the angle `π/2 · log(1+r) / log(1+v)`: by Zipf's law log rank stands for log
    frequency, and the cosine of two words falls with the difference of their log ranks.

    Args:
        vectors: Have the vocabulary, in the order of frequency; anything that `as_vectors` takes.

    Returns:
        The same vocabulary, with two dimensions and without subwords.
    """
    vectors = vectors if isinstance(vectors, Vectors) else as_vectors(vectors)
    return on_circle(vectors, angles_of_ranks(len(vectors)))


def angles_of_ranks(vocabulary: int) -> Doubles:
    """The angles of the frequency baseline, shape (vocabulary,)."""
    found = np.arange(vocabulary, dtype=np.float64)
    np.log1p(found, out=found)  # of the whole vocabulary, one array and no copies
    found *= np.pi / 2
    found /= np.log1p(vocabulary)
    return found


def on_circle(vectors: Vectors, angles: Doubles) -> Vectors:
    """The same words, at angles of a circle, shape (v,)."""
    matrix = np.empty((len(angles), 2), dtype=np.float32)
    np.cos(angles, out=matrix[:, 0])
    np.sin(angles, out=matrix[:, 1])
    return Vectors(vectors.words, matrix, f"{BASELINE_OF}{vectors.name}", checked=vectors.checked)


@dataclass(frozen=True)
class Circle:
    """Words at angles of a circle, whose nearest words are those next in rank."""

    words: Doubles  # the angles of the vocabulary, in ascending order, shape (v,)
    queries: Doubles  # those of the test words, shape (q,)

    @classmethod
    def of(cls, words: Doubles, queries: Doubles, vocabulary_rows: Rows) -> Circle:
        """With test words of vectors of shape (q, 2), some of which are in the vocabulary."""
        built = np.arctan2(queries[:, 1], queries[:, 0])
        return cls(words, np.where(vocabulary_rows < 0, built, words[vocabulary_rows]))

    def around(self, rows: Rows, least: int) -> npt.NDArray[np.int64]:
        """At least so many words next in rank to each test word, with all that are as near; (n, any)."""
        # The cosines of so many are equal in double precision.
        each_side = least + max(64, len(self.words) >> 16)
        width = min(2 * each_side + 1, len(self.words))
        places = np.searchsorted(self.words, self.queries[rows]) - each_side
        return np.clip(places, 0, len(self.words) - width)[:, None] + np.arange(width)

    def odd_words(self, own: Doubles, known: Rows, subsets: Rows, tie: float) -> Rows:
        """How many words outside a category are the odd one beside subsets of its words.

        For a word at φ, Σ_{t∈S,t≠s} t·w is r·cos(φ - ψ), with r and ψ the length and angle of the sum of
        these t. It is too large for s within an interval around ψ. As all s and t are within a quarter of a
        circle, the intervals of the first and the last s overlap, and hold those of all others.

        Args:
            own: The angles of the category's words, in ascending order, shape (n,).
            known: The rows of these words in the vocabulary, in ascending order.
            subsets: S, each of k of the n words in their order or the reverse, shape (k, subsets).
            tie: Sums that differ by no more than this are equal.

        Returns:
            A number for each subset, shape (subsets,).
        """
        subsets = np.ascontiguousarray(subsets)
        cosines, sines = np.cos(own)[subsets], np.sin(own)[subsets]
        of_all = cosines.sum(axis=0), sines.sum(axis=0)
        ends = []
        for cosine, sine in ((cosines[0], sines[0]), (cosines[-1], sines[-1])):
            x, y = of_all[0] - cosine, of_all[1] - sine
            least = (x * cosine + y * sine - tie) / np.sqrt(x * x + y * y)
            middle, half = np.arctan2(y, x), np.arccos(np.clip(least, -1, 1))
            ends.append((middle - half, middle + half))
        first = _places(self.words, np.minimum(ends[0][0], ends[1][0]), "left")
        last = _places(self.words, np.maximum(ends[0][1], ends[1][1]), "right")
        of_category = np.searchsorted(known, last) - np.searchsorted(known, first)
        return np.asarray(len(self.words) - len(known) - (last - first) + of_category)


def _places(ascending: Doubles, values: Doubles, side: Literal["left", "right"]) -> Rows:
    """What `np.searchsorted` gives, which takes half as long with values in their order."""
    order, places = np.argsort(values), np.empty(len(values), dtype=np.intp)
    places[order] = np.searchsorted(ascending, values[order], side)
    return places
