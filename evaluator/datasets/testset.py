"""What a test set is: categories, relations and everything else that measures score, as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec

from evaluator.errors import TEXT, TestSetError
from evaluator.execution.inputs import Input, joined_sha256

T = TypeVar("T")
Part = TypeVar("Part", "Category", "RelatedWords")

NotBlank = Annotated[str, msgspec.Meta(pattern=TEXT)]
"""A text that is not blank."""

Several = Annotated[tuple[T, ...], msgspec.Meta(min_length=1)]
"""One or more of something."""


def refuse_repeats(key: str, parts: Iterable[object]) -> None:
    """Refuse what would hide another thing of the same `name` or `id`."""
    names = [getattr(each, key) for each in parts]
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the {key} {again!r} occurs twice; change one of them")


@dataclass(frozen=True)
class Named:
    """A part of a test set, in which its name is unique; the title is for people."""

    name: NotBlank
    title: NotBlank


class Item(msgspec.Struct, frozen=True):
    """One thing and its words.

    Attributes:
        id: Its Wikidata id, or another id that the file gives.
        words: One or more different words.
        origin: Where the words are from (`label`, `alias`, `mul`, …), if the file says so.
    """

    id: NotBlank
    words: Several[NotBlank]
    origin: NotBlank | None = msgspec.field(name="from", default=None)

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "words", tuple(dict.fromkeys(self.words)))

    def with_words(self, words: Iterable[str]) -> Item:
        """The same thing with other words."""
        return Item(self.id, tuple(words), self.origin)


@dataclass(frozen=True)
class Category(Named):
    """Words that belong together.

    Attributes:
        items: What belongs to it.
        topic: What it is about, if the file says so; categories of one topic are related.
        level: Its depth in a hierarchy: 0 at the top.
        within: The name of the category one level up that contains it; None at the top.
    """

    items: Several[Item]
    topic: NotBlank | None = None
    level: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    within: NotBlank | None = None

    def __post_init__(self) -> None:
        refuse_repeats("id", self.items)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of all items in their order, none twice: the C_i of the measures."""
        return tuple(dict.fromkeys(word for item in self.items for word in item.words))


@dataclass(frozen=True)
class RelatedWords(Named):
    """Groups of related words, such as those that stand under one symbol: dog, animal, pet.

    Attributes:
        items: The groups, each an item with its words.
    """

    items: Several[Item]

    def __post_init__(self) -> None:
        refuse_repeats("id", self.items)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of all groups in their order, none twice."""
        return tuple(dict.fromkeys(word for item in self.items for word in item.words))


def with_words(families: Iterable[RelatedWords], kept: Callable[[str], bool]) -> tuple[RelatedWords, ...]:
    """Families of groups with some of their words only; without groups and families that have none."""
    found = []
    for family in families:
        items = (item.with_words(filter(kept, item.words)) for item in family.items)
        found.append(replace(family, items=tuple(item for item in items if item.words)))
    return tuple(each for each in found if each.items)


class Pair(msgspec.Struct, frozen=True):
    """Two items of a relation, such as Paris of France.

    Attributes:
        item: The id of an item.
        of: The id of the other one.
    """

    item: NotBlank
    of: NotBlank


@dataclass(frozen=True)
class Relation(Named):
    """Pairs of items with the same relation, such as capitals and their countries.

    Attributes:
        items: All items of the pairs.
        pairs: The ids of the items of each pair.
    """

    items: Several[Item]
    pairs: Several[Pair]

    def __post_init__(self) -> None:
        """Refuse items of the same id, and pairs of others."""
        refuse_repeats("id", self.items)
        for number, pair in enumerate(self.pairs):
            missing = {pair.item, pair.of} - self._words.keys()
            if missing:
                raise ValueError(f"{missing.pop()!r} in pairs[{number}] is not among its items")

    @cached_property
    def _words(self) -> dict[str, tuple[str, ...]]:
        return {item.id: item.words for item in self.items}

    def section(self) -> AnalogySection:
        """Its analogies: for each pair, the first word of the item and all words of the other one."""
        pairs = tuple((self._words[pair.item][0], self._words[pair.of]) for pair in self.pairs)
        return AnalogySection(self.name, self.title, pairs)

    def reversed_section(self) -> AnalogySection:
        """Its analogies the other way: the first word of a pair's second item, and all words of the first."""
        pairs = _joined((self._words[pair.of][0], self._words[pair.item]) for pair in self.pairs)
        return AnalogySection(self.name, self.title, pairs)


def _joined(pairs: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each word with the answers of all pairs that begin with it: any country is correct for Europe."""
    pairs = tuple(pairs)
    answers: dict[str, dict[str, None]] = {}
    for word, own in pairs:
        answers.setdefault(word, {}).update(dict.fromkeys(own))
    return tuple((word, tuple(answers[word])) for word, _ in pairs)


@dataclass(frozen=True)
class AnalogySection(Named):
    """Pairs of words with the same relation, and the questions about them: a is to b as c is to ___.

    Attributes:
        pairs: A word and all correct answers: (athens, (greece,)).
        questions: The two pairs of each question, as positions in `pairs`; None for every two different
            pairs, in both orders.
    """

    pairs: tuple[tuple[str, tuple[str, ...]], ...]
    questions: tuple[tuple[int, int], ...] | None = None

    def reversed(self) -> AnalogySection:
        """The same questions asked the other way: "b is to a as d is to ___"; b is the first answer of a."""
        return replace(self, pairs=_joined((answers[0], (word,)) for word, answers in self.pairs))


@dataclass(frozen=True)
class RatedPairs(Named):
    """Pairs of words with people's ratings of how similar or related they are.

    Attributes:
        pairs: Two words and their rating.
    """

    pairs: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class OutlierGroup(Named):
    """Words that belong together, and words that do not belong to them.

    Attributes:
        members: What belongs together.
        outliers: What does not, each compared with all members; in the file's order, usually nearest first.
    """

    members: tuple[str, ...]
    outliers: tuple[str, ...]


@dataclass(frozen=True)
class LabelledTexts(Named):
    """Texts with a label each.

    Attributes:
        texts: Label and words of each.
    """

    texts: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class SynonymQuestion:
    """Which of several words means the same as a given one?

    Attributes:
        word: The given one.
        answers: Those that do, one or more.
        others: Those that do not, one or more.
    """

    word: str
    answers: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True)
class SynonymQuestions(Named):
    """Questions of several options, as in the test of English as a foreign language (TOEFL).

    Attributes:
        questions: In the order of the file.
    """

    questions: tuple[SynonymQuestion, ...]


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reader took a file for.

    A column is called by its name in the first line, or by its number from 1 on where it has none.

    Attributes:
        format: The name of the format.
        language: The code of the language of the words.
        columns: The column of each role, such as `word1`, `word2` and `rating`, where the format has columns.
        others: What would have fitted as well: the other columns by the role for which they were not taken.
        skipped: The lines that were left out and why, each with its file and number.
    """

    format: str
    language: str = "und"
    columns: Mapping[str, str] = {}
    others: Mapping[str, tuple[str, ...]] = {}
    skipped: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """Of what two equal ones share."""
        return hash((self.format, self.language, tuple(self.columns.items()), self.skipped))

    @property
    def by_choice(self) -> bool:
        """Whether the file could have been read in another way."""
        return bool(self.others)

    @property
    def signature(self) -> str | None:
        """What was chosen, as signatures of scores state it: `word1=Latin1,word2=Latin2,rating=mean`."""
        if not self.by_choice:
            return None
        return ",".join(f"{role}={column}" for role, column in self.columns.items()).replace("|", "/")

    def __str__(self) -> str:
        """One line for people: `rated pairs: words in 'Latin1', 'Latin2', rating in 'mean', not in 'sd'`."""
        named: dict[str, list[str]] = {}
        for role, column in self.columns.items():
            kind = role.rstrip("0123456789")
            named.setdefault(kind, []).append(column)
        plural = {kind: f"{kind}s" if len(columns) > 1 else kind for kind, columns in named.items()}
        parts = [
            f"{plural[kind]} in {_columns(columns)}{self._others_of(kind)}" for kind, columns in named.items()
        ]
        form = self.format.replace("-", " ")
        return f"{form}: {', '.join(parts)}" if parts else form

    def _others_of(self, kind: str) -> str:
        found = self.others.get(kind, ())
        more = ", …" if len(found) > _SHOWN else ""
        return f" (not in {_columns(found[:_SHOWN])}{more})" if found else ""


_SHOWN = 4  # columns that would have fitted, in one line


def _columns(names: Sequence[str]) -> str:
    if all(each.isdecimal() for each in names):
        return f"{'columns' if len(names) > 1 else 'column'} {', '.join(names)}"
    return ", ".join(map(repr, names))


@dataclass(frozen=True)
class TestSet:
    """A test set of one language, read from a file of any format.

    Attributes:
        language: Its language code.
        name: For tables, usually the name of its file.
        sha256: Of the file's bytes, in hexadecimal; identifies the test set of a score.
        categories: In the order of the file, like everything below.
        relations: Pairs of items, each a section of analogies too.
        named_in: The code of the language of the words, if it is another one.
        analogies: Sections of questions.
        rated_pairs: For similarity and relatedness.
        outlier_groups: For outlier detection.
        labelled_texts: For text classification.
        chosen_for: The name of the vocabulary by which its words were chosen; "" if they were not.
        synonym_questions: For the choice of a synonym among several words.
        groups: Families of groups of related words.
        source: Where its words are from, as its file says; None if it does not.
        reading: What its file was taken for; None of a test set that was not read from a file.
        inputs: The files that it was read from; empty if it was made in memory.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    other_use: ClassVar[str] = ""
    """What a data set of another kind is, and what it is for; "" of one that `score` takes."""

    language: str
    name: str
    sha256: str
    categories: tuple[Category, ...] = ()
    relations: tuple[Relation, ...] = ()
    named_in: str | None = None
    analogies: tuple[AnalogySection, ...] = ()
    rated_pairs: tuple[RatedPairs, ...] = ()
    outlier_groups: tuple[OutlierGroup, ...] = ()
    labelled_texts: tuple[LabelledTexts, ...] = ()
    chosen_for: str = ""
    synonym_questions: tuple[SynonymQuestions, ...] = ()
    groups: tuple[RelatedWords, ...] = ()
    source: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    reading: Reading | None = None
    inputs: tuple[Input, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse categories, sections and so on of the same name: one would hide the other."""
        try:
            refuse_repeats("name", self.parts)
        except ValueError as error:
            raise TestSetError(f"{self.name}: {error}") from error

    @property
    def parts(self) -> Iterator[Named]:
        """Categories, relations, sections, lists and groups: all that has a name."""
        yield from (*self.categories, *self.relations, *self.groups, *self.analogies, *self.rated_pairs)
        yield from (*self.outlier_groups, *self.labelled_texts, *self.synonym_questions)

    @property
    def by_name(self) -> dict[str, Named]:
        """The same by their names."""
        return {each.name: each for each in self.parts}

    @property
    def sections(self) -> tuple[AnalogySection, ...]:
        """All sections of analogies; those of relations come last."""
        return self.analogies + tuple(relation.section() for relation in self.relations)

    @property
    def reversed_sections(self) -> tuple[AnalogySection, ...]:
        """The same sections, asked the other way."""
        own = tuple(section.reversed() for section in self.analogies)
        return own + tuple(relation.reversed_section() for relation in self.relations)


def refuse_other_use(test_set: TestSet) -> None:
    """Refuse what is not for one set of vectors, such as what a format of another package gives."""
    if test_set.other_use:
        raise TestSetError(f"{test_set.name}: {test_set.other_use}")


def reading_notes(test_set: TestSet) -> list[str]:
    """What was left out of a test set's file, and which columns were read where others would have fitted."""
    reading = test_set.reading
    if reading is None:
        return []
    chosen = [f"{test_set.name}: {reading}"] if reading.by_choice else []
    return [*chosen, *map("left out: {}".format, reading.skipped)]


def categories_of(words: Mapping[str, Iterable[str]]) -> tuple[Category, ...]:
    """Categories whose items have no ids: each word is its own; a word that occurs again counts once."""
    return tuple(
        Category(name, name, tuple(Item(word, (word,)) for word in dict.fromkeys(of_name)))
        for name, of_name in words.items()
    )


def merge(test_sets: Sequence[TestSet]) -> TestSet:
    """Merge the categories and the groups of several test sets; those of the same name have the items of all.

    Items of the same id become one with the words of all. Nothing else is merged.
    """
    if len(test_sets) == 1:
        return test_sets[0]
    first = test_sets[0]
    for other in test_sets[1:]:
        if (other.language, other.named_in) != (first.language, first.named_in):
            raise TestSetError(
                f"{other.name} is of the language {other.language!r} and {first.name} of {first.language!r}; "
                "merge test sets of one language"
            )
    return TestSet(
        first.language,
        " + ".join(dict.fromkeys(each.name for each in test_sets)),
        joined_sha256(each.sha256 for each in test_sets),
        _merged_parts(each for test_set in test_sets for each in test_set.categories),
        groups=_merged_parts(each for test_set in test_sets for each in test_set.groups),
        named_in=first.named_in,
        source={"sources": [each.source for each in test_sets]},
        reading=_read_together([each.reading for each in test_sets if each.reading is not None]),
        inputs=tuple(dict.fromkeys(each for test_set in test_sets for each in test_set.inputs)),
    )


def _merged_parts(parts: Iterable[Part]) -> tuple[Part, ...]:
    by_name: dict[str, list[Part]] = {}
    for each in parts:
        by_name.setdefault(each.name, []).append(each)
    return tuple(
        replace(each[0], items=_merged(item for part in each for item in part.items))
        for each in by_name.values()
    )


def _read_together(readings: Sequence[Reading]) -> Reading | None:
    """What several files were taken for: all formats and columns, and all lines that were left out."""
    if not readings:
        return None
    columns = {role: None for each in readings for role in each.columns}
    others = {role: None for each in readings for role in each.others}
    return Reading(
        " + ".join(dict.fromkeys(each.format for each in readings)),
        readings[0].language,
        {role: " + ".join(dict.fromkeys(_each(readings, role))) for role in columns},
        {role: _all_others(readings, role) for role in others},
        tuple(line for each in readings for line in each.skipped),
    )


def _each(readings: Iterable[Reading], role: str) -> Iterator[str]:
    return (each.columns[role] for each in readings if role in each.columns)


def _all_others(readings: Iterable[Reading], role: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for each in readings for column in each.others.get(role, ())))


def _merged(items: Iterable[Item]) -> tuple[Item, ...]:
    by_id: dict[str, Item] = {}
    for item in items:
        known = by_id.setdefault(item.id, item)
        by_id[item.id] = known.with_words(known.words + item.words)
    return tuple(by_id.values())
