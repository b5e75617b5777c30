"""How large the test sets of a source are, and how many languages can be compared with them."""

from __future__ import annotations

import csv
import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from testgen.languages.codes import languages
from testgen.queries import Query
from testgen.testset.types import Category, Relation

EVERYDAY_CATEGORIES = 6
"""Categories of everyday words from which on evaluator tests differences of models by category."""

RELATED_WORDS = 400
"""Keywords of symbols from which on evaluator chooses between models by them."""

SCORE_PLANNED = 0.02
"""The Topk of the worse of two models for which differences are planned."""

TYPICAL_SCORES = 0.002, 0.08
"""The lowest and highest Topk that is usual: two such scores differ by less than the highest."""

DIFFERENCES = Path(__file__).parent / "differences.tsv"
"""The smallest difference that `evaluator plan` finds, by number of words (tools/build_differences.py)."""


class FileSize(NamedTuple):
    """What the test set of one language has; nothing at all if there is none."""

    words: int = 0  # different ones of all categories
    categories: int = 0
    everyday: int = 0  # those of the categories whose words are common nouns
    relations: int = 0
    pairs: int = 0
    sizes: tuple[int, ...] = ()  # of the categories, in words

    @property
    def sections(self) -> int:
        """How many categories and relations it has."""
        return self.categories + self.relations

    @property
    def compares_models(self) -> bool:
        """Whether it has categories enough to say that a model is better on others like them."""
        return self.everyday >= EVERYDAY_CATEGORIES

    @property
    def effective_words(self) -> float:
        """Of how many words a score varies as much if all are in one category (Kish 1965): C² / Σ 1/n."""
        return self.categories**2 / sum(1 / n for n in self.sizes) if self.sizes else 0.0

    @property
    def difference(self) -> float | None:
        """The smallest difference of Topk between two models that it shows in four of five cases.

        That is with p < 0.05, on other words like these, if the worse model has `SCORE_PLANNED`; None if it
        has too few words to show any.
        """
        return _difference(self.effective_words)


def size_of(sections: Mapping[Query, Category | Relation]) -> FileSize:
    """The size of a test set of these sections."""
    categories = [each for query, each in sections.items() if query.kind == "category"]
    relations = [each for query, each in sections.items() if query.kind == "relation"]
    return FileSize(
        words=len({word for each in categories for word in each.words}),
        categories=len(categories),
        everyday=sum(query.everyday for query in sections if query.kind == "category"),
        relations=len(relations),
        pairs=sum(each.size for each in relations),
        sizes=tuple(each.size for each in categories),
    )


@cache
def _planned() -> tuple[list[float], list[float]]:
    """The logarithms of the numbers of words and of the smallest differences."""
    with DIFFERENCES.open(encoding="utf-8") as file:
        rows = [
            (int(each["words"]), float(each["difference"])) for each in csv.DictReader(file, delimiter="\t")
        ]
    return [math.log(words) for words, _ in rows], [math.log(difference) for _, difference in rows]


def _difference(words: float) -> float | None:
    numbers, differences = _planned()
    if words <= 0 or math.log(words) < numbers[0]:
        return None
    after = bisect_left(numbers, math.log(words))
    if after in (0, len(numbers)):
        return math.exp(differences[min(after, len(numbers) - 1)])
    share = (math.log(words) - numbers[after - 1]) / (numbers[after] - numbers[after - 1])
    return math.exp(differences[after - 1] + share * (differences[after] - differences[after - 1]))


class LanguageCounts(NamedTuple):
    """How many languages a source has; a variety or script, such as kk-cyrl, counts with its language."""

    comparing: int  # in which models can be compared
    with_test_set: int
    with_words: int
    files: int  # test sets, where varieties have their own
    comparing_files: int


def count_languages(sizes: Mapping[str, FileSize]) -> LanguageCounts:
    """Count the languages of which these are the sizes of the test sets, by code."""
    with_file = [code for code, size in sizes.items() if size.sections]
    comparing = [code for code, size in sizes.items() if size.compares_models]
    return LanguageCounts(_whole(comparing), _whole(with_file), _whole(sizes), len(with_file), len(comparing))


def _whole(codes: Iterable[str]) -> int:
    return len({languages()[code].whole for code in codes})
