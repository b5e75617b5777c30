"""How large the test sets of a source are, and how many languages can be compared with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from testgen.languages.codes import languages
from testgen.queries import Query
from testgen.testset.types import Category, Relation

EVERYDAY_CATEGORIES = 6
"""Categories of everyday words from which on evaluator tests differences of models by category."""


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
