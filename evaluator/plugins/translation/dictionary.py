"""Bilingual dictionaries: what they hold, and the JSON that `testgen dictionary` writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import msgspec

from evaluator.plugins import (
    DataSetSource,
    Named,
    NonEmpty,
    NotBlank,
    TestSet,
    dataset_format,
    read_json,
    refuse_repeats,
)


@dataclass(frozen=True)
class TranslatedItem:
    """One thing and its words in two languages; each translation is right for each of the words.

    Attributes:
        id: Its Wikidata id; in MUSE's format the word.
        words: One or more different words.
        translations: One or more different words of the other language.
        split: Whether it is for training, as of an alignment, or for testing.
    """

    id: NotBlank
    words: NonEmpty[NotBlank]
    translations: NonEmpty[NotBlank]
    split: Literal["train", "test"] = "test"

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(dict.fromkeys(self.words)))
        object.__setattr__(self, "translations", tuple(dict.fromkeys(self.translations)))


@dataclass(frozen=True)
class TranslationList(Named):
    """A bilingual dictionary, or what it has of one category.

    Attributes:
        items: What is translated.
    """

    items: NonEmpty[TranslatedItem]

    def __post_init__(self) -> None:
        refuse_repeats("id", self.items)


@dataclass(frozen=True)
class Dictionary(TestSet):
    """A test set for the vectors of two languages.

    Attributes:
        translations: Lists of what is translated, in the order of the file.
        target: The code of the language of the translations.
    """

    other_use: ClassVar[str] = (
        "is a bilingual dictionary, not a test set; `evaluator translate` scores vectors on it, with "
        "--dictionary"
    )

    translations: tuple[TranslationList, ...] = ()
    target: str = "und"

    @property
    def parts(self) -> Iterator[Named]:
        """All that has a name, with the lists."""
        yield from (*super().parts, *self.translations)


class _File(msgspec.Struct):
    language: NotBlank
    target: NotBlank
    categories: NonEmpty[TranslationList]

    def __post_init__(self) -> None:
        refuse_repeats("name", self.categories)


@dataset_format("dictionary", rank=0, looks_like=lambda source: source.states_format == "dictionary")
def read_dictionary_json(source: DataSetSource) -> Dictionary:
    """A list of translations for each category."""
    found = read_json(source, "dictionary", _File, "a dictionary", "testgen dictionary")
    return source.test_set(
        found.language, kind=Dictionary, translations=found.categories, target=found.target
    )
