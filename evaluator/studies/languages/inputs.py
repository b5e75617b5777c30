"""The inputs of a comparison: languages with their vectors and test sets, and categories and topics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property

from msgspec import UNSET

from evaluator.datasets.reading import TestSetLike, read_testset
from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.errors import ScoreError, TestSetError
from evaluator.execution.inputs import Input
from evaluator.results.comparison import Group
from evaluator.settings import Settings
from evaluator.studies.models import loaded
from evaluator.vectors import Vectors, VectorsLike
from evaluator.vectors.reading import VectorsFile
from evaluator.vectors.sources import vectors_or_file

_CODE = re.compile(r"[a-z]{2,12}(-[a-z0-9]{1,12})*")
_LISTED = 60


@dataclass(frozen=True, eq=False, init=False)
class Language:
    """A language that is compared.

    Attributes:
        code: Its code, which names it in tables.
        vectors: Its vectors; a path or `VectorsFile`, which is then loaded where it is needed; or anything
            else that `as_vectors` takes.
        test_set: Its test set, or anything that `read_testset` takes.
        settings: How its words are compared; languages may only differ in the profile.

    Raises:
        VectorsError: Vectors in memory are not usable.
        TestSetError: The test set cannot be read.
    """

    code: str
    vectors: Vectors | VectorsFile
    test_set: TestSet
    settings: Settings

    def __init__(
        self, code: str, vectors: VectorsLike, test_set: TestSetLike, settings: Settings | None = None
    ) -> None:
        vars(self).update(code=code, settings=settings or Settings())
        vars(self).update(vectors=vectors_or_file(vectors), test_set=read_testset(test_set))

    @property
    def loaded(self) -> Vectors:
        """Its vectors, loaded once in each process."""
        return self._loaded[0]

    @property
    def inputs(self) -> Future[tuple[Input, ...]]:
        """What they were loaded from."""
        return self._loaded[1]

    @cached_property
    def _loaded(self) -> tuple[Vectors, Future[tuple[Input, ...]]]:
        return loaded(self.vectors)


def check_codes(codes: Sequence[str]) -> None:
    """Check that there are two language codes or more, each once."""
    for code in codes:
        if not isinstance(code, str) or not _CODE.fullmatch(code):
            raise ScoreError(f"{code!r:.60} is not a language code; write one, such as la, grc or zh-hant")
        if codes.count(code) > 1:
            raise ScoreError(f"{code}: given twice; give each language once")
    if len(codes) < 2:
        raise ScoreError(f"{', '.join(codes) or 'no language'}: give two languages or more to compare")


def check_settings(settings: Mapping[str, Settings]) -> None:
    """Check that languages can be compared with these settings."""
    (code, first), *others = settings.items()
    if first.case == "upper":
        raise ScoreError("case is 'upper'; languages are compared with exact or fold")
    for other, own in others:
        for name, value in vars(replace(own, profile=first.profile)).items():
            if value != getattr(first, name):
                raise ScoreError(f"{code} and {other} differ in {name}; only the profile may differ")


def choose_groups(
    test_sets: Mapping[str, TestSet], categories: Iterable[str] = (), topics: Iterable[str] = ()
) -> list[Group]:
    """The categories that languages are compared on, then the topics; see `compare`."""
    names, topics = list(dict.fromkeys(categories)), list(dict.fromkeys(topics))
    for name in names:
        _check_category(name, test_sets)
    several = Counter(each.name for test_set in test_sets.values() for each in test_set.categories)
    common = [name for name, number in several.items() if number > 1]
    if not common:
        raise ScoreError(f"no two of {', '.join(test_sets)} have a category in common: {_by_file(test_sets)}")
    by_topic = {topic: _of_topic(topic, common, test_sets) for topic in topics}
    if not names and not topics:
        names = common
    names = list(dict.fromkeys([*names, *(name for found in by_topic.values() for name in found)]))
    titles = {
        each.name: each.title
        for test_set in reversed(list(test_sets.values()))
        for each in test_set.categories
        if each.title != each.name
    }
    return [
        *(Group(name, "category", (name,), titles.get(name, UNSET)) for name in names),
        *(Group(topic, "topic", found) for topic, found in by_topic.items()),
    ]


def normalized_language(language: Language, names: Collection[str]) -> Language:
    """The same with normalized words in vectors and test set, and with some categories only."""
    test_set, settings = language.test_set, language.settings
    lookup = VocabularyLookup(language.loaded, test_set.named_in or test_set.language, settings)
    categories = tuple(
        replace(category, items=tuple(_items(category, lookup)))
        for category in test_set.categories
        if category.name in names
    )
    return Language(
        language.code,
        lookup.vectors,
        replace(test_set, categories=categories),
        replace(settings, case="exact", profile="", vocabulary=None),
    )


def _items(category: Category, lookup: VocabularyLookup) -> Iterator[Item]:
    for item in category.items:
        words = lookup.normalized_words(item.words)
        if words:
            yield item.with_words(words)


def _check_category(name: str, test_sets: Mapping[str, TestSet]) -> None:
    lacking = [each for each in test_sets.values() if name not in _names(each)]
    if len(lacking) == len(test_sets):
        raise TestSetError(f"no test set has a category {name!r}: {_by_file(test_sets)}")
    if lacking:
        one = lacking[0]
        raise TestSetError(
            f"{one.name}: there is no category {name!r}; leave out the language or the category. "
            f"It has {_list(_names(one))}"
        )


def _of_topic(topic: str, common: Sequence[str], test_sets: Mapping[str, TestSet]) -> tuple[str, ...]:
    all_categories = [each for test_set in test_sets.values() for each in test_set.categories]
    own = {each.name for each in all_categories if each.topic == topic}
    found = tuple(name for name in common if name in own)
    if found:
        return found
    if own:
        raise TestSetError(f"no two languages have the same category of the topic {topic!r}: {_list(own)}")
    known = sorted({each.topic for each in all_categories if each.topic})
    raise TestSetError(f"no test set has a topic {topic!r}; there are {_list(known)}")


def _names(test_set: TestSet) -> list[str]:
    return [category.name for category in test_set.categories]


def _by_file(test_sets: Mapping[str, TestSet]) -> str:
    return "; ".join(f"{each.name} has {_list(_names(each))}" for each in test_sets.values())


def _list(names: Collection[str]) -> str:
    listed = ", ".join(sorted(names)[:_LISTED]) or "none"
    return f"{listed} and {len(names) - _LISTED} more" if len(names) > _LISTED else listed
