"""Comparisons of languages, as `evaluator compare` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.measures.base import Count, Number
from evaluator.results.base import NonEmpty, ResultFile

Kind = Literal["category", "topic"]
View = Literal["whole", "aligned"]
Reading = Literal["differ", "not above baseline", "not told apart", "no power"]


class ComparedLanguage(msgspec.Struct, frozen=True):
    """A language, its vectors and its test set.

    Attributes:
        code: The language code.
        vectors: The name of the vectors.
        vocabulary: How many words the vectors have.
        dimension: d of the vectors.
        test_set: The name of the test set.
        sha256: The digest of the test set's file.
        profile: The orthography profile of its words; empty for none.
        signature: All that is needed to get its scores again from the same vectors.
    """

    code: str
    vectors: str
    vocabulary: Count
    dimension: Count
    test_set: str
    sha256: str
    profile: str
    signature: str


class Group(msgspec.Struct, frozen=True):
    """What languages are compared on: a category, or all chosen categories of a topic.

    Attributes:
        name: The name of the category or topic.
        kind: Which of the two it is.
        categories: The names of its categories; a score is the mean over them.
        title: The category for people; not there if it is the name.
    """

    name: str
    kind: Kind
    categories: tuple[str, ...]
    title: str | UnsetType = UNSET

    @property
    def heading(self) -> str:
        """What people are shown."""
        return f"{self.name} (topic)" if self.kind == "topic" else self.title or self.name


class Row(msgspec.Struct, frozen=True):
    """One score: of a language on a category or topic by a measure.

    Attributes:
        language: The language code.
        category: The name of the category or topic.
        view: `whole` for all words of the language's own test set, `aligned` for the same items in all.
        measure: The text of the measure, or `Combined`.
        value: The score; null where there is none.
        low: The lower end of the 95% confidence interval; null where too few words tell how they vary.
        high: The upper end of the interval.
        chance: The chance level.
        baseline: The score of the frequency baseline on the same words.
        n: How many words the category has, or the categories of the topic have together.
        oov: How many of them lack a vector.
        kind: Whether it is a category or a topic.
        vocabulary: How many words the vocabulary has; null if that differs between a topic's categories.
        skipped: Why there is no score.
    """

    language: str
    category: str
    view: View
    measure: str
    value: Number | None
    low: Number | None
    high: Number | None
    chance: Number | None
    baseline: Number | None
    n: Count
    oov: Count
    kind: Kind
    vocabulary: Count | None
    skipped: str | None


class AlignedItem(msgspec.Struct, frozen=True):
    """An item that is compared.

    Attributes:
        id: The item's id.
        words: Its word in each language.
    """

    id: str
    words: Mapping[str, str]


class AlignedItems(msgspec.Struct, frozen=True):
    """The items of a category that languages are compared on.

    Attributes:
        category: The name of the category.
        named: How many items all languages name.
        items: Those that all vocabularies have, too.
        skipped: Why they are not compared, if they are not.
    """

    category: str
    named: Count
    items: tuple[AlignedItem, ...]
    skipped: str | None


class LanguageDifference(msgspec.Struct, frozen=True):
    """How much better the second of two languages is than the first, on the same items.

    Attributes:
        category: The name of the category or topic.
        kind: Which of the two it is.
        measure: The text of the measure.
        first: The code of the first language.
        second: The code of the second language.
        value: The mean difference in score, second minus first.
        low: The lower end of its 95% confidence interval.
        high: The upper end of the interval.
        p: The p-value of a paired t-test.
        p_holm: The same, corrected for all tests of the comparison (Holm 1979).
        over: What the observations of the test are: categories from six on, items below.
        items: How many items both were compared on.
        detects: The difference that such a comparison finds in four of five cases.
        reading: `differ` if the corrected p is below 0.05 and the better language is above chance and the
            frequency baseline; `not above baseline` if it is not. If p is not below 0.05, `no power` if there
            was no hope of that, else `not told apart`.
    """

    category: str
    kind: Kind
    measure: str
    first: str
    second: str
    value: Number
    low: Number
    high: Number
    p: Number
    p_holm: Number
    over: Literal["items", "categories"]
    items: Count
    detects: Number
    reading: Reading


class Mentions(msgspec.Struct, frozen=True):
    """How often the corpus of a language mentions a category or topic.

    Attributes:
        language: The language code.
        category: The name of the category or topic.
        kind: Which of the two it is.
        mentions: How many tokens of the corpus are words of it.
        tokens: How many tokens the corpus has.
        per_million: The first of these for each million of the second.
    """

    language: str
    category: str
    kind: Kind
    mentions: Count
    tokens: Count
    per_million: Number


class Agreement(msgspec.Struct, frozen=True):
    """How far the scores of categories have the order of their mentions in the corpus.

    Attributes:
        measure: The text of the measure, or `Combined`.
        language: The language code; null for the categories of all languages.
        n: How many scores there are.
        spearman: Spearman's rank correlation.
        low: The lower end of its 95% confidence interval; null for all languages.
        high: The upper end of the interval.
    """

    measure: str
    language: str | None
    n: Count
    spearman: Number
    low: Number | None
    high: Number | None


class ComparisonFile(ResultFile, frozen=True, kw_only=True, tag="comparison"):
    """What `evaluator compare` writes.

    Attributes:
        languages: What was compared.
        failed: Languages that could not be scored, and why.
        settings: What held for all scores.
        groups: The categories, then the topics.
        rows: The whole view: each language on all words of its own test set.
        aligned: The aligned view: the same items in all languages.
        concepts: Which items these are, for each category.
        differences: Of every two languages in the aligned view.
        mentions: How often corpora mention the categories and topics; of languages with a corpus.
        agreement: How far scores have the order of the mentions.
    """

    command: ClassVar[str] = "evaluator compare"

    version: Literal[2] = 2
    languages: NonEmpty[ComparedLanguage]
    failed: Mapping[str, str]
    settings: Mapping[str, Any]
    groups: NonEmpty[Group]
    rows: NonEmpty[Row]
    aligned: tuple[Row, ...]
    concepts: tuple[AlignedItems, ...]
    differences: tuple[LanguageDifference, ...]
    mentions: tuple[Mentions, ...] = ()
    agreement: tuple[Agreement, ...] = ()

    @property
    def headings(self) -> dict[tuple[str, Kind], str]:
        """What people are shown of each category and topic, by its name and kind."""
        return headings(self.groups)


def headings(groups: Iterable[Group]) -> dict[tuple[str, Kind], str]:
    """What people are shown of each category and topic, by its name and kind."""
    return {(each.name, each.kind): each.heading for each in groups}
