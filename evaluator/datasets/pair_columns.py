"""Which columns of rated pairs are the words and the rating, weighed by their names and what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from evaluator.datasets.columns import (
    column_named,
    is_entry,
    label_of,
    language_in,
    language_named,
    parts_of,
    shown,
)
from evaluator.datasets.data_files import DataSetSource, letters_of, most, number
from evaluator.errors import TestSetError

ROLES = ("word1", "word2", "rating")

_WORDS = {"word", "words", "w", "term"}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_WORDS = _names(
    "pos tag tags upos lang language languages synset synsets sense senses id ids match relation rel type "
    "gloss definition context sentence freq topic category class domain lemma stem source url"
)
_MEANS = {"mean", "average", "avg"}
_RATINGS = _names(
    "score scores rating ratings sim sims similarity similar related relatedness human gold median"
)
_EXACT = (
    _RATINGS
    | _MEANS
    | _names(
        "humanmean meanrating ratingmean meanscore scoremean averagerating averagescore avgrating avgscore "
        "meansimilarity similaritymean similarityscore goldscore simlex999 simlex goldstandard humanscore "
        "humanrating meanrelatedness"
    )
)
_FARTHER = _names("rank ranks ranking distance dist dissimilarity")
_NO_RATINGS = _FARTHER | _names(
    "sd std stdev stddev deviation dev var variance se sem err error iqr ci count counts n num number nr no "
    "votes responses freq freqs frequency frequencies logfreq id ids idx index conc concq concreteness "
    "imageability pos len length min max low high p quartile assoc group batch list year age time seconds rt "
    "alpha kappa"
)
_ANNOTATOR = re.compile(
    r"(anno|ann|annot|annotator|ano|rater|sub|subj|subject|judge|participant|user|worker|coder|expert"
    r"|[arsupj])?\d+"
)
_MARKS = (("1", "2"), ("a", "b"), ("first", "second"), ("one", "two"), ("i", "ii"))
_CODE = _names("n v a r s j nn vb jj rb adj adv noun verb nom none nan propn det pron")
_A_DIGIT = 0.051  # more than the half by which a mean of one digit is rounded

_CODE_LENGTH = 3  # at most, of a language; columns are called `mot1`, too, which is no Barí

_EXACTLY, _PARTLY, _OTHER, _OF_ONE, _NEVER = 5, 4, 2, 1, 0
_CHOSEN, _OF_LANGUAGE, _OF_WORDS, _OF_OTHERS, _UNNAMED, _FOREIGN = 5, 4, 3, 2, 1, 0


@dataclass(frozen=True)
class PairColumns:
    """Where words and ratings stand.

    Attributes:
        one: The column of the first word; like the others counted from 0.
        two: That of the second word.
        rating: That of the rating.
        names: What the first line calls the columns; none if it is a pair itself.
        others: The columns that would have fitted as well, by role, as `Reading` has them.
    """

    one: int = 0
    two: int = 1
    rating: int = 2
    names: tuple[str, ...] = ()
    others: dict[str, list[str]] = field(default_factory=dict)

    @property
    def labels(self) -> dict[str, str]:
        """What each column is called, by its role."""
        return {
            role: label_of(self.names, column)
            for role, column in zip(ROLES, (self.one, self.two, self.rating), strict=True)
        }


class _Pair(NamedTuple):
    """Two columns of words, and how well they fit."""

    weight: int
    one: int
    two: int


class _Weighed:
    """The columns of a table, and what they hold."""

    def __init__(self, source: DataSetSource, table: Sequence[Sequence[str]]) -> None:
        self.path, self.chosen, self.language = source.path, source.chosen, source.language
        self.width = max(map(len, table), default=0)
        self.names: tuple[str, ...] = ()
        self.rows = table[1:]
        if table and self._is_header(table[0]):
            self.names = tuple(table[0])
        else:
            self.rows = table
        numeric = [each for each in range(self.width) if self._is_numeric(each)]
        first = next(filter(self.are_words, range(self.width)), 0)
        self.numeric = [each for each in numeric if each > first or not self._are_ids(each)]

    def _is_header(self, first: Sequence[str]) -> bool:
        """Whether the first row names columns: above numbers stands a text, and the names are known ones."""
        specs = [each for each in self.chosen.values() if not each.isdecimal()]
        if specs:
            return True
        above = [each for each in range(len(first)) if first[each] and number(first[each]) is None]
        texts = [each for each in above if self._is_numeric(each)]
        pairs = list(_marked(first))
        if not self.rows or not any(map(self._is_numeric, range(self.width))):
            return any(_stem(first[one]) & _WORDS for one, _ in pairs)
        rated = any(rating_weight(first[each]) > _OTHER for each in texts)
        return bool(texts) and (bool(pairs) or rated)

    def _is_numeric(self, column: int) -> bool:
        return most(number(field) is not None for field in self.fields(column))

    def has_unknown_names(self, first: Sequence[str]) -> bool:
        """Whether the first row seems to name several columns of numbers, but none that is known."""
        above = [each for each in self.numeric if each < len(first) and number(first[each]) is None]
        return not self.names and len(above) > 1 and not self.chosen

    def fields(self, column: int) -> list[str]:
        """What a column holds; "" where a row is too short."""
        return [row[column] if column < len(row) else "" for row in self.rows]

    def label(self, column: int) -> str:
        """What the column is called."""
        return label_of(self.names, column)

    def are_words(self, column: int) -> bool:
        """Whether a column holds words, or entries of a few words, and not numbers or whole texts."""
        return most(map(is_entry, self.fields(column)))

    def chosen_column(self, role: str) -> int | None:
        """The column that the caller names, if it does."""
        if role not in self.chosen:
            return None
        return column_named(self.path, self.names, self.chosen[role], self.width)

    def words(self) -> tuple[_Pair, list[_Pair]] | None:
        """The columns of the words, and others that would fit; None if there are none."""
        one, two = (self.chosen_column(role) for role in ROLES[:2])
        pairs = sorted(self._named_pairs(), key=lambda each: -each.weight) or self._unnamed_pairs()
        fitting = [each for each in pairs if one in (None, each.one) and two in (None, each.two)]
        if one is not None and two is not None:
            fitting = [_Pair(_CHOSEN, one, two)]
        if not fitting:
            return None
        if fitting[0].weight == _FOREIGN:
            self._refuse_words(fitting)
        equal = [each for each in fitting if each.weight == fitting[0].weight]
        if len(equal) > 1:
            self._refuse_words(equal)
        return fitting[0], [each for each in pairs if each[1:] != fitting[0][1:]]

    def _refuse_words(self, equal: Sequence[_Pair]) -> None:
        listed = " or ".join(shown([self.label(each.one), self.label(each.two)]) for each in equal[:4])
        one, two = (self.label(each) for each in equal[0][1:])
        hint = "name the language with --language (language=), or " if self.names else ""
        if equal[0].weight == _FOREIGN:
            listed, hint = f"{listed}, and not in {self.language}", ""
        raise TestSetError(
            f"{self.path}: the words may be in {listed}; {hint}choose with --columns "
            f'"word1={one},word2={two}" (columns=)'
        )

    def _named_pairs(self) -> Iterator[_Pair]:
        asked = language_named(self.language.partition("-")[0]) if self.language != "und" else None
        foreign = []
        for one, two in _marked(self.names):
            stem = _stem(self.names[one])
            if stem & _NO_WORDS or not (self.are_words(one) and self.are_words(two)):
                continue
            own = " ".join(sorted(stem - _WORDS))
            named = language_in(own)
            if asked is not None and named == asked:
                yield _Pair(_OF_LANGUAGE, one, two)
            elif asked is not None and named is not None and len(own) > _CODE_LENGTH:
                foreign.append(_Pair(_FOREIGN, one, two))
            else:
                yield _Pair(_OF_WORDS if stem & _WORDS else _OF_OTHERS, one, two)
        yield from foreign

    def _unnamed_pairs(self) -> list[_Pair]:
        """The two columns that hold words, where there are two; tags such as N or SYNONYMS are none."""
        found = [each for each in range(self.width) if self.are_words(each)]
        named = [each for each in found if not {*parts_of(self._name(each))} & _NO_WORDS]
        words = [each for each in named if not self._are_tags(each)] if len(named) > 2 else named
        if len(words) < 2:
            words = named[:2]
        return [_Pair(_UNNAMED, one, two) for one, two in pairwise(words)]

    def _name(self, column: int) -> str:
        return self.names[column] if column < len(self.names) else ""

    def _are_tags(self, column: int) -> bool:
        values = [each.lower() for each in self.fields(column) if each]
        return 2 * len(set(values)) <= len(values) or set(values) <= _CODE

    def rating(self, pair: _Pair) -> tuple[int, list[int]] | None:
        """The column of the rating, and others that would fit; None if there is none."""
        words = (pair.one, pair.two)
        given = self.chosen_column("rating")
        numeric = [each for each in self.numeric if each not in words]
        weights = {each: self._weight(each, words) for each in numeric}
        fitting = sorted((each for each in numeric if weights[each] > 0), key=lambda each: -weights[each])
        if given is not None:
            return given, [each for each in fitting if each != given]
        if not fitting:
            self._refuse_ranks(numeric)
            return None
        best = [each for each in fitting if weights[each] == weights[fitting[0]]]
        best = [each for each in best if self._is_mean(each, best)] or best
        if not all(self._same_order(best[0], each) for each in best[1:]):
            self._refuse_ratings(best, of_one=weights[best[0]] == _OF_ONE)
        return best[0], [each for each in fitting if each != best[0]]

    def _weight(self, column: int, words: tuple[int, int]) -> float:
        """How surely a column of numbers holds ratings; 0 if it does not."""
        if not self.names:
            return _OTHER
        weight = rating_weight(self._name(column))
        language = language_in(" ".join(_stem(self._name(words[0])) - _WORDS))
        spoken = {language_in(part) for part in parts_of(self._name(column))} - {None}
        return weight + (0.5 if weight and language is not None and language in spoken else 0)

    def _are_ids(self, column: int) -> bool:
        """Whether numbers count the rows, or are different whole numbers in a table without names."""
        values = [value for value in map(number, self.fields(column)) if value is not None]
        steps = {after - now for now, after in pairwise(values)}
        counts = steps == {1} or len(values) == 1
        ids = not self.names and len(set(values)) == len(values)
        return all(each.is_integer() for each in values) and (counts or ids)

    def _same_order(self, one: int, two: int) -> bool:
        """Whether two columns order the pairs alike."""
        both = [
            (first, second)
            for first, second in zip(*([*map(number, self.fields(each))] for each in (one, two)), strict=True)
            if first is not None and second is not None
        ]
        ordered = [second for _, second in sorted(both)]
        return ordered == sorted(ordered)

    def _is_mean(self, column: int, of: Sequence[int]) -> bool:
        """Whether a column is the mean of the others, to a digit."""
        others = [each for each in of if each != column]
        for fields in zip(*map(self.fields, [column, *others]), strict=True):
            value, *found = map(number, fields)
            known = [each for each in found if each is not None]
            if value is not None and known and abs(value - sum(known) / len(known)) > _A_DIGIT:
                return False
        return len(others) > 1

    def _refuse_ratings(self, equal: Sequence[int], *, of_one: bool) -> None:
        listed = " or ".join(shown([self.label(each)]) for each in equal[:4])
        what = "ratings of single annotators and no mean of them: " if of_one else "the rating may be in "
        raise TestSetError(
            f"{self.path}: {what}{listed}; choose with --columns rating={self.label(equal[0])} (columns=)"
        )

    def _refuse_ranks(self, numeric: Sequence[int]) -> None:
        for each in numeric:
            if {*parts_of(self._name(each))} & _FARTHER:
                label = self.label(each)
                raise TestSetError(
                    f"{self.path}: has no rating but {label!r}, where the lowest number is the nearest pair; "
                    "turn it around, such as with a minus sign, or choose it as it is with --columns "
                    f"rating={label} (columns=)"
                )


def _marked(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The pairs of columns whose names differ in 1 and 2, or a and b at the end: `word1_la`, `termA`."""
    parts = [tuple(parts_of(name)) for name in names]
    for one, own in enumerate(parts):
        for place, part in enumerate(own):
            for first, second in _MARKS:
                if part != first or len(own) == 1 or (first == "a" and place != len(own) - 1):
                    continue
                other = (*own[:place], second, *own[place + 1 :])
                if other in parts:
                    yield one, parts.index(other)


def _stem(name: str) -> set[str]:
    """The parts of a name without 1, a and so on."""
    marks = {mark for pair in _MARKS for mark in pair}
    return {part for part in parts_of(name) if part not in marks}


def rating_weight(name: str) -> int:
    """How surely a column of numbers with this name holds ratings; 0 if it does not."""
    parts = parts_of(name)
    if letters_of(name) in _EXACT:
        return _EXACTLY
    if _ANNOTATOR.fullmatch(letters_of(name)):
        return _OF_ONE
    if {*parts} & _NO_RATINGS:
        return _NEVER
    return _PARTLY if {*parts} & (_MEANS | _RATINGS) else _OTHER


def pair_columns(source: DataSetSource, table: Sequence[Sequence[str]]) -> PairColumns | None:
    """Where the words and the rating stand in a table of rated pairs; None if it has none.

    Raises:
        TestSetError: Several columns fit equally well, which it names; or there is no column of a name that
            the caller gives.
    """
    weighed = _Weighed(source, table)
    if weighed.names and not weighed.rows:
        return PairColumns(names=weighed.names)
    if weighed.has_unknown_names(table[0] if table else ()):
        return None
    words = weighed.words() if weighed.numeric else None
    if words is None:
        return None
    pair, other_pairs = words
    rating = weighed.rating(pair)
    if rating is None:
        return None
    column, other_ratings = rating
    others = {
        "word": [label for each in other_pairs for label in map(weighed.label, each[1:])],
        "rating": [weighed.label(each) for each in other_ratings],
    }
    return PairColumns(pair.one, pair.two, column, weighed.names, others)
