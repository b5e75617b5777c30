"""Comparisons of languages, as `evaluator compare` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.measures.base import Count, Number
from evaluator.results.base import Difference, NonEmpty, ResultFile
from evaluator.results.scores import ModelFailure, Scores, frame_of

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["category", "topic"]
View = Literal["whole", "aligned"]
Reading = Literal["differ", "not above baseline", "not told apart", "no power"]


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


class AlignedCategory(msgspec.Struct, frozen=True):
    """The items of a category that languages are compared on.

    Attributes:
        category: The name of the category.
        named: How many items all languages name.
        items: The ids of those that all vocabularies have, too.
        words: By language, the word of each of these.
        size: The size of each vocabulary if these are cut to one size.
        skipped: Why the items are not compared, if they are not.
    """

    category: str
    named: Count
    items: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = {}
    size: Count | None = None
    skipped: str | None = None

    def __post_init__(self) -> None:
        if any(len(words) != len(self.items) for words in self.words.values()):
            raise ValueError("must have a word of each language for each item")


class LanguageDifference(Difference, frozen=True, kw_only=True):
    """How much better the second of two languages is than the first, on the same items.

    Attributes:
        category: The name of the category or topic.
        kind: Which of the two it is.
        measure: The text of the measure.
        first: The code of the first language.
        second: The code of the second language.
        p_holm: The p-value, corrected for all tests of the comparison (Holm 1979).
        detects: The difference that such a comparison finds in four of five cases.
        reading: `differ` if the corrected p is below 0.05 and the better language is above chance and, by a
            test, above the baselines that there are; `not above baseline` if it is not. If p is not below
            0.05, `no power` if even a difference as large as the better score is above chance would probably
            have been missed, else `not told apart`.
    """

    category: str
    kind: Kind
    measure: str
    first: str
    second: str
    p_holm: Number
    detects: Number
    reading: Reading


class ComparisonFile(ResultFile, frozen=True, kw_only=True, tag="comparison"):
    """What `evaluator compare` writes.

    Attributes:
        settings: What held for all scores.
        groups: The categories, then the topics.
        results: The scores of each language on each category or topic, by group and language. Their keys are
            `category` or `topic`, and `view`: `whole` for all words of the language's own test set, `aligned`
            for the same items in all languages.
        failures: Where a language has no score, in the same way.
        failed: Languages that could not be scored at all, and why.
        notes: What to know of the vectors, such as rows that were left out.
        concepts: Which items the aligned view has, for each category.
        differences: Of every two languages in the aligned view.
    """

    command: ClassVar[str] = "evaluator compare"

    version: Literal[3] = 3
    settings: Mapping[str, Any]
    groups: NonEmpty[Group]
    results: NonEmpty[Scores]
    failures: tuple[ModelFailure, ...] = ()
    failed: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    concepts: tuple[AlignedCategory, ...] = ()
    differences: tuple[LanguageDifference, ...] = ()

    @property
    def languages(self) -> list[str]:
        """The codes of the languages."""
        return list(dict.fromkeys(each.language for each in self.results))

    def heading(self, category: str, kind: Kind) -> str:
        """What people are shown of a category or topic."""
        names = (each.heading for each in self.groups if (each.name, each.kind) == (category, kind))
        return next(names, category)

    def frame(self) -> pd.DataFrame:
        """One long table of both views, as `Scores.frame`, with the columns view, category and topic."""
        return frame_of(self.results, self.failures)

    def __repr__(self) -> str:
        differ = sum(each.reading == "differ" for each in self.differences)
        return (
            f"<comparison of {', '.join(self.languages)} on {len(self.groups)} categories and topics: "
            f"{differ} of {len(self.differences)} tests differ>"
        )


def in_view(results: Iterable[Scores], view: View, group: Group) -> list[Scores]:
    """The scores of each language on a category or topic in a view."""
    return [each for each in results if each.keys == {"view": view, group.kind: group.name}]
