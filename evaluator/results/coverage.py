"""What vocabularies and corpora hold, as `evaluator coverage` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.measures.base import Count, Number
from evaluator.results.base import NonEmpty, ResultFile

RELATED_WORDS = "related words"
"""The kind of a part whose words KeywordRank compares."""


class PartCoverage(msgspec.Struct, frozen=True):
    """What a vocabulary knows of one category, section, list of pairs, outlier group or set of texts.

    Attributes:
        name: Its name.
        kind: What it is: category, section, rated pairs, outlier group, related words, texts.
        words: How many different words it has.
        found: How many of them the vocabulary has.
        missing: Some of the words that the vocabulary lacks.
        title: The same as the name, for people; not there if it is the name.
        items: The ids of the items of the missing words, in their order, "" of a word without; not there if
            the test set has no ids of them.
    """

    name: str
    kind: str
    words: Count
    found: Count
    missing: tuple[str, ...]
    title: str | UnsetType = UNSET
    items: tuple[str, ...] | UnsetType = UNSET

    @property
    def heading(self) -> str:
        """What people are shown."""
        return self.title or self.name


class Advice(msgspec.Struct, frozen=True):
    """A setting that finds more words.

    Attributes:
        option: As on the command line: `--profile latin`.
        found: How many words it finds more, in categories.
        share: How many that is for each word found so far; null if none was.
    """

    option: str
    found: Count
    share: Number | None


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What a vocabulary knows of a test set.

    Attributes:
        vocabulary: The name of the vocabulary.
        test_set: The name of the test set.
        language: Its language code.
        parts: One for each category, section, list of pairs, outlier group, family of groups of related words
            and set of texts.
        scorable: Of how many categories three words are known, as Topk@3 and OddOneOut@3 need.
        advice: Settings that find more words, the best first.
        words: How many words all parts have together.
        found: How many of them the vocabulary has.
        tokens: What the words of the text are, as `letter-runs`; null if that is not known.
        never: The words that can never be such a token.
        pairs: How many pairs all sections have together.
        pairs_found: Of how many of them the vocabulary has both words.
        sources: Where the words of the test set are from, as its file says: the names of snapshots, or
            `wikidata`.
    """

    vocabulary: str
    test_set: str
    language: str
    parts: tuple[PartCoverage, ...]
    scorable: Count
    advice: tuple[Advice, ...]
    words: Count
    found: Count
    tokens: str | None = None
    never: tuple[str, ...] = ()
    pairs: Count = 0
    pairs_found: Count = 0
    sources: tuple[str, ...] = ()

    @property
    def related(self) -> tuple[int, int] | None:
        """How many related words the vocabulary has, of how many; None if there are none."""
        own = [each for each in self.parts if each.kind == RELATED_WORDS]
        return (sum(each.found for each in own), sum(each.words for each in own)) if own else None


class CoverageFile(ResultFile, frozen=True, kw_only=True, tag="coverage"):
    """What `evaluator coverage --json` writes.

    Attributes:
        results: One for each test set.
    """

    command: ClassVar[str] = "evaluator coverage --json"

    version: Literal[3] = 3
    results: NonEmpty[Coverage]


class CorpusFile(ResultFile, frozen=True, kw_only=True, tag="corpus"):
    """What `evaluator coverage --corpus --json` writes without a test set.

    Attributes:
        corpus: The name of the corpus.
        sentences: How many lines with a word it has; each piece of a line that is too long counts.
        tokens: How many words, each occurrence counted.
        types: How many different words.
        types_by_count: How many different words occur at least so often, by the least count.
        scripts: The share of the tokens in each script, the most frequent first.
    """

    command: ClassVar[str] = "evaluator coverage --json"

    version: Literal[1] = 1
    corpus: str
    sentences: Count
    tokens: Count
    types: Count
    types_by_count: Mapping[int, Count]
    scripts: Mapping[str, Number]
