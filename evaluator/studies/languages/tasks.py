"""The two tasks of a comparison, each for one language, in any process.

First each language is scored on all words of its own test set, and says which of these its vocabulary has.
Once it is known from this what all have in common, each language is scored on that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from evaluator.errors import ScoreError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.measures.base import Subscore
from evaluator.studies.languages.alignment import (
    AlignedCategory,
    KnownWords,
    aligned_test_set,
    aligned_vocabulary,
    known_words,
)
from evaluator.studies.languages.inputs import Language, NormalizedLanguage, normalized_language
from evaluator.studies.languages.language_scores import LanguageScores, Measures, score_language
from evaluator.studies.scoring import case_hint
from evaluator.vectors import Vectors

Step = Callable[[], None]
"""Called after each step of a task."""


@dataclass(frozen=True, eq=False)
class LanguageTask:
    """A language, and what all tasks have in common.

    Attributes:
        language: The language.
        names: The names of the chosen categories.
        measures: Topk and OddOneOut.
        machine: How many threads a task may use.
    """

    language: Language
    names: tuple[str, ...]
    measures: Measures
    machine: Machine

    def __str__(self) -> str:
        """Its name in messages."""
        return self.language.code

    def normalized(self, vectors: Vectors) -> NormalizedLanguage:
        """The language with normalized words."""
        return normalized_language(self.language, vectors, self.names)

    def scores(self, vectors: Vectors, language: NormalizedLanguage) -> LanguageScores:
        """The scores of vectors on the test set of a language."""
        return score_language(
            language.code, vectors, language.test_set, self.measures, language.settings, self.machine
        )


@dataclass(frozen=True, eq=False)
class AlignedTask:
    """A language, to be scored on what it has in common with the others.

    Attributes:
        task: The language.
        categories: The common items of each category.
        cut: The number of words that its vocabulary is cut to; None to leave it whole.
    """

    task: LanguageTask
    categories: tuple[AlignedCategory, ...]
    cut: int | None

    def __str__(self) -> str:
        """Its name in messages."""
        return str(self.task)


@dataclass(frozen=True)
class VectorsSummary:
    """The vectors of a language.

    Attributes:
        name: Their name.
        words: The number of words.
        dimension: The number of values of each vector.
        dropped: The number of bad rows of the file that were left out.
        hint: Advice if they know many words in another case; else None.
    """

    name: str
    words: int
    dimension: int
    dropped: int
    hint: str | None


@dataclass(frozen=True, eq=False)
class WholeResult:
    """The result of the first task.

    Attributes:
        known: The words of the categories that the vocabulary has.
        scores: The scores on all words of its own test set.
        vectors: What the vectors are.
    """

    known: KnownWords
    scores: LanguageScores
    vectors: VectorsSummary


def score_whole(task: LanguageTask, step: Step = lambda: None) -> WholeResult | str:
    """Score a language on its own test set; or say why it cannot be scored."""
    try:
        return _whole(task, step)
    except (ScoreError, VectorsError) as error:
        return str(error)


def _whole(task: LanguageTask, step: Step) -> WholeResult:
    language = task.language
    vectors = language.loaded
    normalized = task.normalized(vectors)
    hint = case_hint(vectors, language.test_set, language.settings)
    summary = VectorsSummary(vectors.name, len(vectors), vectors.dimension, vectors.dropped, hint)
    result = WholeResult(known_words(normalized), task.scores(normalized.vectors, normalized), summary)
    step()
    return result


def score_aligned(aligned: AlignedTask, step: Step = lambda: None) -> LanguageScores | str:
    """Score a language on what all have in common; or say why it cannot be scored."""
    try:
        return _aligned(aligned, step)
    except (ScoreError, VectorsError) as error:
        return str(error)


def _aligned(aligned: AlignedTask, step: Step) -> LanguageScores:
    language = aligned.task.normalized(aligned.task.language.loaded)
    by_category = []
    for category in aligned.categories:
        by_category.append(_scores_on(aligned.task, language, category, aligned.cut))
        step()
    return _joined(by_category)


def _scores_on(
    task: LanguageTask, language: NormalizedLanguage, category: AlignedCategory, cut: int | None
) -> LanguageScores:
    """The scores on the items of one category; ids replace the words, which differ between languages."""
    if category.skipped:
        skipped = Subscore.of(category.category, len(category.items), 0, skipped=category.skipped)
        subscores = {str(measure): (skipped,) for measure in task.measures}
        return LanguageScores(language.code, {}, subscores, subscores)
    vectors = aligned_vocabulary(language, category, cut)
    scores = task.scores(vectors, replace(language, test_set=aligned_test_set(language, category)))
    ids = dict(zip(category.words[language.code], category.items, strict=True))
    by_item = {measure: [_of_items(each, ids) for each in own] for measure, own in scores.subscores.items()}
    return replace(scores, subscores=by_item)


def _of_items(subscore: Subscore, ids: Mapping[str, str]) -> Subscore:
    """With ids in place of words; those of two languages owe nothing to the same pairs of words."""
    if subscore.observations is None:
        return subscore
    by_id = {ids[word]: value for word, value in subscore.observations.influences.items()}
    return structs.replace(subscore, observations=structs.replace(subscore.observations, influences=by_id))


def _joined(by_category: Sequence[LanguageScores]) -> LanguageScores:
    """The scores of a language on all categories."""
    first = by_category[0]
    return LanguageScores(
        first.code,
        {name: size for each in by_category for name, size in each.sizes.items()},
        {name: [part for each in by_category for part in each.subscores[name]] for name in first.subscores},
        {name: [part for each in by_category for part in each.baseline[name]] for name in first.baseline},
    )
