"""The test sets of a learning curve: categories and analogies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evaluator.datasets import testset
from evaluator.datasets.testset import AnalogySection, Category, TestSet
from evaluator.errors import StudyError
from evaluator.measures import Measure


@dataclass(frozen=True)
class CurveTestSets:
    """Categories and sections of analogies, which may come from different files.

    Attributes:
        categories: A test set with nothing but categories.
        analogies: A test set with nothing but sections.
        origin: For each category that was made of a section, the name of the section.
    """

    categories: TestSet
    analogies: TestSet
    origin: Mapping[str, str] = field(default_factory=dict)

    def of(self, measure: Measure) -> TestSet | None:
        """The test set for a measure; None if there is nothing to score."""
        if measure.scores not in ("categories", "sections"):
            raise StudyError(f"{measure}: curves have only measures of categories or of analogies")
        test_set = self.categories if measure.scores == "categories" else self.analogies
        return test_set if getattr(test_set, measure.scores) else None

    @property
    def fingerprint(self) -> dict[str, str]:
        """Digests of the files, and of the names of all categories and sections that are used."""
        used = self.categories.categories, self.analogies.sections
        names = [[each.name for each in own] for own in used]
        return {
            "categories": self.categories.sha256,
            "analogies": self.analogies.sha256,
            "parts": hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16],
        }


def curve_test_sets(test_set: TestSet | None, analogies: TestSet | None) -> CurveTestSets:
    """The categories of one test set and the analogies of another.

    If there are no categories they are made of the analogies, two of each section: the first words of its
    pairs and the second words, as in the paper "Evaluating Word Embeddings on Low-Resource Languages". If no
    analogies are given they are those of the test set, if it has any.
    """
    if analogies is not None and not analogies.sections:
        raise StudyError(f"{analogies.name}: has no analogies")
    source = analogies or test_set
    if source is None:
        raise StudyError("nothing to score models on; give a test set, analogies, or both")
    sections = replace(_empty(source), analogies=source.sections)
    if test_set is not None and (test_set.categories or test_set is not source):
        if not test_set.categories:
            raise StudyError(f"{test_set.name}: has no categories; without it they are made of the analogies")
        return CurveTestSets(replace(_empty(test_set), categories=test_set.categories), sections)
    if not source.sections:
        raise StudyError(f"{source.name}: has neither categories nor analogies")
    made = [(each, section) for section in source.sections for each in categories_of(section)]
    categories = replace(_empty(source), categories=tuple(each for each, _ in made))
    return CurveTestSets(categories, sections, {each.name: section.name for each, section in made})


def categories_of(section: AnalogySection) -> tuple[Category, ...]:
    """The first words of a section's pairs and the second words, each once."""
    first = [word for word, _ in section.pairs]
    second = [word for _, words in section.pairs for word in words]
    return testset.categories_of({f"{section.name}, first": first, f"{section.name}, second": second})


def _empty(test_set: TestSet) -> TestSet:
    return TestSet(test_set.language, test_set.name, test_set.sha256, named_in=test_set.named_in)
