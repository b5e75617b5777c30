"""The two tasks of a comparison, each for one language, in any process.

First each language is scored on all words of its own test set, and says which of these its vocabulary has.
Once it is known from this what all have in common, each language is scored on that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import structs

from evaluator.errors import ScoreError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.measures import Measure
from evaluator.results.comparison import AlignedCategory
from evaluator.results.scores import Scores
from evaluator.studies.diagnosis import hint
from evaluator.studies.languages.alignment import (
    KnownWords,
    aligned_test_set,
    aligned_vocabulary,
    known_words,
)
from evaluator.studies.languages.inputs import Language, NormalizedLanguage, normalized_language
from evaluator.studies.scoring import of_items, score
from evaluator.vectors import Vectors


@dataclass(frozen=True, eq=False)
class LanguageTask:
    """A language, and what all tasks have in common.

    The second task has the common items of each category, and the number of words to which vocabularies are
    cut.
    """

    language: Language
    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    machine: Machine
    aligned: tuple[AlignedCategory, ...] = ()
    cut: int | None = None

    def __str__(self) -> str:
        return self.language.code

    def normalized(self) -> NormalizedLanguage:
        """The language with normalized words."""
        return normalized_language(self.language, self.language.loaded, self.names)

    def scores(self, vectors: Vectors, language: NormalizedLanguage) -> Scores:
        """The scores of vectors on the test set of a language."""
        # The digest of vectors that are cut for each category says nothing, and takes time.
        return score(
            vectors,
            language.test_set,
            self.measures,
            language.settings,
            machine=self.machine,
            context=True,
            sha256="",
        )


@dataclass(frozen=True, eq=False)
class WholeResult:
    """The result of the first task."""

    known: KnownWords
    scores: Scores
    notes: tuple[str, ...]


def score_whole(task: LanguageTask) -> WholeResult | str:
    """Score a language on its own test set; or say why it cannot be scored."""
    language = task.language
    try:
        normalized = task.normalized()
        scores = task.scores(normalized.vectors, normalized)
    except (ScoreError, VectorsError) as error:
        return str(error)
    dropped = language.loaded.dropped
    notes = (
        f"{scores.model}: bad rows left out: {dropped}" if dropped else None,
        hint(language.loaded, language.test_set, language.settings),
    )
    return WholeResult(known_words(normalized), scores, tuple(filter(None, notes)))


def score_aligned(task: LanguageTask) -> list[Scores] | str:
    """Score a language on what all have in common, category by category; or say why it cannot be scored."""
    try:
        language = task.normalized()
        return [_scores_on(task, language, each) for each in task.aligned if each.skipped is None]
    except (ScoreError, VectorsError) as error:
        return str(error)


def _scores_on(task: LanguageTask, language: NormalizedLanguage, category: AlignedCategory) -> Scores:
    """The scores on the items of one category; ids replace the words, which differ between languages."""
    vectors = aligned_vocabulary(language, category, task.cut)
    scores = task.scores(vectors, replace(language, test_set=aligned_test_set(language, category)))
    ids = dict(zip(category.words[language.code], category.items, strict=True))
    by_item = (
        structs.replace(each, subscores=tuple(of_items(subscore, ids) for subscore in each.subscores))
        for each in scores
    )
    return structs.replace(scores, scores=tuple(by_item))
