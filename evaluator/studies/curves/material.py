"""What the models of a learning curve are scored on: categories and analogies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evaluator.datasets.testset import AnalogySection, Category, Item, TestSet
from evaluator.errors import StudyError
from evaluator.measures import Measure


@dataclass(frozen=True)
class Material:
    """Categories and sections of analogies, which may be of different files.

    Attributes:
        categories: A test set of categories only.
        analogies: A test set of sections only.
        origin: The section that a category was made of, by the category's name.
    """

    categories: TestSet
    analogies: TestSet
    origin: Mapping[str, str] = field(default_factory=dict)

    def of(self, measure: Measure) -> TestSet | None:
        """What a measure is asked of; None if there is nothing for it.

        Raises:
            StudyError: It scores neither categories nor analogies.
        """
        if measure.scores not in ("categories", "sections"):
            raise StudyError(f"{measure}: a curve has measures on categories or on analogies only")
        test_set = self.categories if measure.scores == "categories" else self.analogies
        return test_set if getattr(test_set, measure.scores) else None

    @property
    def fingerprint(self) -> dict[str, str]:
        """Which tests these are, whatever was left out of their files."""
        parts = self.categories.categories, self.analogies.sections
        names = [[each.name for each in own] for own in parts]
        return {
            "categories": self.categories.sha256,
            "analogies": self.analogies.sha256,
            "parts": hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16],
        }


def gather(test_set: TestSet | None, analogies: TestSet | None) -> Material:
    """The categories of one test set and the analogies of another.

    Where there are no categories they are made of the analogies, two of each section: the first words of its
    pairs and the second ones, as in the paper "Evaluating Word Embeddings on Low-Resource Languages". Where
    no analogies are given they are those of the test set, if it has any.

    Raises:
        StudyError: There is neither a category nor an analogy, or a test set has not what it is given for.
    """
    if analogies is not None and not analogies.sections:
        raise StudyError(f"{analogies.name}: has no analogies")
    asked = analogies or test_set
    if asked is None:
        raise StudyError("nothing to score models on; give a test set, analogies, or both")
    sections = replace(_only(asked), analogies=asked.sections)
    if test_set is not None and (test_set.categories or test_set is not asked):
        if not test_set.categories:
            raise StudyError(f"{test_set.name}: has no categories; without it they are made of the analogies")
        return Material(replace(_only(test_set), categories=test_set.categories), sections)
    if not asked.sections:
        raise StudyError(f"{asked.name}: has neither categories nor analogies")
    made = [(each, section) for section in asked.sections for each in categories_of(section)]
    categories = replace(_only(asked), categories=tuple(each for each, _ in made))
    return Material(categories, sections, {each.name: section.name for each, section in made})


def categories_of(section: AnalogySection) -> tuple[Category, Category]:
    """The first words of a section's pairs and the second ones, none twice."""
    first = [word for word, _ in section.pairs]
    second = [word for _, words in section.pairs for word in words]
    return _category(f"{section.name}, first", first), _category(f"{section.name}, second", second)


def _category(name: str, words: Sequence[str]) -> Category:
    return Category(name, name, tuple(Item(word, (word,)) for word in dict.fromkeys(words)))


def _only(test_set: TestSet) -> TestSet:
    """Where a test set is from, and nothing of what it holds."""
    return TestSet(test_set.language, test_set.name, test_set.sha256, named_in=test_set.named_in)
