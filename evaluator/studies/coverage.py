"""Coverage: the words of a test set that a vocabulary or corpus has, and settings that would find more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from msgspec import UNSET

from evaluator.datasets.testset import TestSet, refuse_dictionary
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import LEAST_WORDS
from evaluator.results.coverage import Advice, Coverage, PartCoverage
from evaluator.settings import Settings
from evaluator.text.corpus import can_be_token
from evaluator.text.normalization import suggested
from evaluator.vectors import Vectors, VectorsLike, as_vectors

_WORTH_TELLING = 0.01


def coverage(
    vectors: VectorsLike, test_set: TestSet, settings: Settings | None = None, tokens: str | None = None
) -> Coverage:
    """Look up all words of a test set in a vocabulary.

    Args:
        vectors: The vocabulary, as vectors or anything that `as_vectors` takes; words that can be built from
            subwords count, the vectors do not matter.
        test_set: The test set.
        settings: How words are compared; `Settings()` if None.
        tokens: What the words of the text are that the vocabulary is of, as in `Corpus`; None if unknown.

    Raises:
        TestSetError: The test set is a bilingual dictionary.
        ScoreError: A setting is wrong.
    """
    refuse_dictionary(test_set)
    settings = settings or Settings()
    vectors = vectors if isinstance(vectors, Vectors) else as_vectors(vectors)
    parts = _parts(vectors, test_set, settings)
    found = sum(part.found for part in parts)
    categories = [part for part in parts if part.kind == "category"]
    return Coverage(
        vocabulary=vectors.name,
        test_set=test_set.name,
        language=test_set.language,
        parts=tuple(parts),
        scorable=sum(part.found >= LEAST_WORDS for part in categories),
        advice=_advice(vectors, test_set, settings, found),
        words=sum(part.words for part in parts),
        found=found,
        tokens=tokens,
        never=() if tokens is None else _never(vectors, test_set, settings, tokens),
    )


def _never(vectors: Vectors, test_set: TestSet, settings: Settings, tokens: str) -> tuple[str, ...]:
    """The words without a vector that no text of such tokens has, however long it is."""
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    words = lookup.normalized_words(word for *_, own in words_by_part(test_set) for word in own)
    joined = settings.multiword == "mean"  # the mean of the vectors of its words
    return tuple(
        word
        for word in words
        if lookup.find(word) is None
        and not all(can_be_token(each, tokens) for each in (word.split() if joined else [word]))
    )


def _parts(vectors: Vectors, test_set: TestSet, settings: Settings) -> list[PartCoverage]:
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    titles = test_set.titles
    return [_part(lookup, titles.get(each[0], ""), *each) for each in words_by_part(test_set)]


def words_by_part(test_set: TestSet) -> list[tuple[str, str, Iterable[str]]]:
    """Name, kind and words of each category, section, list of pairs, group, or list of texts."""
    return [
        *((c.name, "category", c.words) for c in test_set.categories),
        *((s.name, "section", [w for a, of in s.pairs for w in (a, of[0])]) for s in test_set.sections),
        *((p.name, "rated pairs", [w for a, b, _ in p.pairs for w in (a, b)]) for p in test_set.rated_pairs),
        *((g.name, "outlier group", (*g.members, *g.outliers)) for g in test_set.outlier_groups),
        *((t.name, "texts", [w for _, words in t.texts for w in words]) for t in test_set.labelled_texts),
    ]


def _part(lookup: VocabularyLookup, title: str, name: str, kind: str, words: Iterable[str]) -> PartCoverage:
    different = lookup.normalized_words(words)
    missing = [word for word in different if lookup.find(word) is None]
    known = len(different) - len(missing)
    own = title if title and title != name else UNSET
    return PartCoverage(name, kind, len(different), known, tuple(missing[:10]), own)


def _advice(vectors: Vectors, test_set: TestSet, settings: Settings, found: int) -> tuple[Advice, ...]:
    advice = []
    for option, other in _other_settings(test_set, settings).items():
        more = sum(part.found for part in _parts(vectors, test_set, other)) - found
        if more > 0 and more >= _WORTH_TELLING * found:
            advice.append(Advice(option, more, more / found if found else None))
    return tuple(sorted(advice, key=lambda each: (-each.found, each.option)))


def _other_settings(test_set: TestSet, settings: Settings) -> dict[str, Settings]:
    others = {}
    if settings.case == "exact":
        others["--case fold"] = replace(settings, case="fold")
    if settings.multiword == "keep":
        others |= {f"--multiword {way}": replace(settings, multiword=way) for way in ("join", "mean")}
    if not settings.profile:
        own = suggested(test_set.named_in or test_set.language)
        names = [own] if own else ["strip-marks"]
        names += [f"{name}+fold" for name in names] if settings.case == "exact" else []
        others |= {f"--profile {name}": replace(settings, profile=name) for name in names}
    return others
