"""Questions: which word does not belong with the others, and which is nearest in meaning to another?"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import msgspec

from testgen.testset.types import Category, TestSet

_LENGTH, _NOTABILITY = 0.2, 0.05
"""How much the odd word may differ from the one that it replaces; a length may always differ by one."""


class Question(msgspec.Struct, frozen=True):
    """A question, as a line of JSON."""

    id: str  # language, category, k and number
    language: str  # the code of the test set
    named_in: str  # the code of the language of the words, which may stand in for that of the test set
    category: str  # the name of the category to which all options but one belong
    topic: str  # what this category is about
    k: int  # the number of these options
    options: tuple[str, ...]  # the words, in random order
    answer: int  # the position of the odd one, from 0
    items: tuple[str, ...]  # the ids of the options
    odd_category: str  # the name of the category from which the odd one comes


class _Form(NamedTuple):
    """What may give an odd word away to somebody who does not know what it means."""

    capital: bool
    spaces: int
    length: int
    notability: int

    def resembles(self, other: _Form) -> bool:
        return (
            self[:2] == other[:2]
            and abs(self.length - other.length) <= max(1, _LENGTH * max(self.length, other.length))
            and abs(self.notability - other.notability)
            <= _NOTABILITY * max(self.notability, other.notability)
        )


class _Word(NamedTuple):
    text: str
    item: str
    category: str
    topic: str
    named_in: str
    form: _Form


@dataclass(frozen=True)
class QuestionMaker:
    """Makes the questions of test sets of different languages, for each category and k `most` at most."""

    test_sets: Sequence[TestSet]
    most: int
    seed: int

    @cached_property
    def notability(self) -> Mapping[str, int]:
        """In how many of the languages each item has a name."""
        return Counter(
            id_
            for test_set in self.test_sets
            for id_ in {item.id for section in test_set.sections for item in section.items}
        )

    @cached_property
    def _overlapping(self) -> frozenset[tuple[str, str]]:
        """Names of categories that share an item in any language: an item of one may belong to the other."""
        items: dict[str, set[str]] = defaultdict(set)
        for category in (category for test_set in self.test_sets for category in test_set.categories):
            items[category.name].update(item.id for item in category.items)
        pairs = ((one, other) for one, other in combinations(items, 2) if items[one] & items[other])
        return frozenset(pair for one, other in pairs for pair in ((one, other), (other, one)))

    def questions(
        self, test_set: TestSet, k: int, among: Collection[str] | None = None
    ) -> Iterator[Question]:
        """The questions of one language with k words that belong together and one that does not.

        If the ids of some items are given, all words of the questions are among theirs.
        """
        # In each, another word replaces one of k+1 members of a category that it resembles. All are members
        # that a word resembles: if only the rare ones were replaced, the rare one would be odd.
        language = test_set.language
        for members, others in self._categories(test_set, among):
            similar = _similar(members, others, 1)
            if len(similar) <= k:
                continue
            name = members[0].category
            draw = random.Random(f"{self.seed} {language} {name} {k}")  # noqa: S311  # no secret
            replaced = draw.sample(list(similar), min(len(similar), self.most))
            for number, member in enumerate(replaced, 1):
                kept = draw.sample([each for each in similar if each is not member], k)
                odd = draw.choice(similar[member])
                options = draw.sample([*kept, odd], k + 1)
                texts, items = zip(*((word.text, word.item) for word in options), strict=True)
                id_, answer, asked = f"{language}/{name}/{k}/{number}", options.index(odd), odd.named_in
                yield Question(id_, language, asked, name, odd.topic, k, texts, answer, items, odd.category)

    def neighbours(self, test_set: TestSet) -> Iterator[tuple[Any, ...]]:
        """Questions of a language for the word nearest in meaning: one of its category, and three others."""
        # Each is a row of the table `neighbours`.
        for members, others in self._categories(test_set):
            similar = _similar(members, others, 3)
            if not similar or len(members) < 2:
                continue
            name = members[0].category
            draw = random.Random(f"{self.seed} {test_set.language} {name} neighbours")  # noqa: S311  # no secret
            nearest = draw.sample(list(similar), min(len(similar), self.most))
            for number, member in enumerate(nearest, 1):
                word = draw.choice([each for each in members if each is not member])
                options = draw.sample([member, *draw.sample(similar[member], 3)], 4)
                text = f"Which of these words is nearest in meaning to: {word.text}?"
                texts, language = tuple(option.text for option in options), test_set.language
                about = language, word.named_in, name, member.topic
                asked = *about, word.text, text, texts, options.index(member)
                yield f"{language}/{name}/{number}", *asked

    def _categories(
        self, test_set: TestSet, among: Collection[str] | None = None
    ) -> Iterator[tuple[list[_Word], list[_Word]]]:
        """The words of each category, and those of others of its topic that cannot belong to it."""
        # All are in one language: where another one stands in, it would give the odd word away.
        times = Counter(
            word
            for category in test_set.categories
            if not category.level
            for word in {word.casefold() for item in category.items for word in item.words}
        )
        words = {
            each.name: [
                word for word in self._words(each, test_set.language) if among is None or word.item in among
            ]
            for each in test_set.categories
        }
        for category in test_set.categories:
            others = [
                word
                for other in test_set.categories
                if (other.topic, other.named_in) == (category.topic, category.named_in)
                and other.name != category.name
                and (other.name, category.name) not in self._overlapping
                for word in words[other.name]
                if times[word.text.casefold()] == 1
            ]
            yield words[category.name], others

    def _words(self, category: Category, language: str) -> Iterator[_Word]:
        """The first word of each item; of items whose words differ by case alone, the first."""
        seen, named_in = set[str](), category.named_in or language
        for item in category.items:
            text = item.words[0]
            if text.casefold() not in seen:
                seen.add(text.casefold())
                spaces = text.count(" ") + text.count("_")
                form = _Form(text[:1].isupper(), spaces, len(text), self.notability[item.id])
                yield _Word(text, item.id, category.name, category.topic, named_in, form)


def _similar(members: list[_Word], others: Sequence[_Word], least: int) -> dict[_Word, list[_Word]]:
    """The other words that resemble each member, if there are enough."""
    alike = {member: [word for word in others if word.form.resembles(member.form)] for member in members}
    return {member: words for member, words in alike.items() if len(words) >= least}


def guessed(questions: Iterable[Question], notability: Mapping[str, int]) -> float:
    """The share of questions that length and notability answer: by the option most unlike the others."""
    # Options that are equally unlike share the point.
    shares = []
    for question in questions:
        lengths = _standardised([len(text) for text in question.options])
        fame = _standardised([notability[item] for item in question.items])
        unlike = [round(math.hypot(*values), 9) for values in zip(lengths, fame, strict=True)]
        shares.append((unlike[question.answer] == max(unlike)) / unlike.count(max(unlike)))
    return fmean(shares)


def _standardised(values: Sequence[int]) -> list[float]:
    mean, deviation = fmean(values), pstdev(values) or 1
    return [(value - mean) / deviation for value in values]
