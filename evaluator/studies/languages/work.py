"""The two tasks of a comparison, each about one language, in whatever process.

First each language is looked at, and scored on all of its own words. When it is known from that what all have
in common, each is scored on this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evaluator.measures.base import Subscore
from evaluator.studies.languages.aligned import Concepts, test_set_of, vocabulary_of
from evaluator.studies.languages.entries import Compared, Language, in_compared_form
from evaluator.studies.languages.known import Known, known_of
from evaluator.studies.languages.rows import Measures, Scored, score_language
from evaluator.studies.scoring import case_hint
from evaluator.vectors import Vectors

Tick = Callable[[], None]
"""Called where a part of a task is done."""


@dataclass(frozen=True, eq=False)
class Task:
    """A language, and what holds for all of them.

    Attributes:
        language: The language.
        names: Of the categories that are looked at.
        measures: Topk and OddOneOut.
        threads: How many a task may use.
    """

    language: Language
    names: tuple[str, ...]
    measures: Measures
    threads: int | None

    def __str__(self) -> str:
        """What errors call it."""
        return self.language.code


@dataclass(frozen=True, eq=False)
class AlignedTask:
    """A language, to be scored on what it has in common with the others.

    Attributes:
        task: The language.
        concepts: What that is, by category.
        cut: To how many words its vocabulary is cut; None to leave it whole.
    """

    task: Task
    concepts: tuple[Concepts, ...]
    cut: int | None

    def __str__(self) -> str:
        """What errors call it."""
        return str(self.task)


@dataclass(frozen=True)
class VectorsSummary:
    """What the vectors of a language are.

    Attributes:
        name: What they are called.
        words: How many there are.
        dimension: How many values each has.
        dropped: How many bad rows of the file were left out.
        hint: What to do if they know many words in another case; None if they do not.
    """

    name: str
    words: int
    dimension: int
    dropped: int
    hint: str | None


@dataclass(frozen=True, eq=False)
class Looked:
    """What is found where a language is looked at.

    Attributes:
        known: What its vocabulary has of the categories.
        whole: Its scores on all words of its own test set.
        vectors: What its vectors are.
    """

    known: Known
    whole: Scored
    vectors: VectorsSummary


def look(task: Task, tick: Tick = lambda: None) -> Looked:
    """Look at a language.

    Raises:
        VectorsError: Its vectors cannot be loaded.
    """
    language = task.language
    vectors = language.loaded()
    compared = in_compared_form(language, vectors, task.names)
    hint = case_hint(vectors, language.test_set, language.settings)
    summary = VectorsSummary(vectors.name, len(vectors), vectors.dimension, vectors.dropped, hint)
    looked = Looked(known_of(compared), _score(task, compared.vectors, compared), summary)
    tick()
    return looked


def score_aligned(aligned: AlignedTask, tick: Tick = lambda: None) -> Scored:
    """Score a language on what all have in common.

    Raises:
        VectorsError: Its vectors cannot be loaded.
    """
    task = aligned.task
    compared = in_compared_form(task.language, task.language.loaded(), task.names)
    found = []
    for concepts in aligned.concepts:
        found.append(_on_category(task, compared, concepts, aligned.cut))
        tick()
    return _joined(found)


def _on_category(task: Task, language: Compared, concepts: Concepts, cut: int | None) -> Scored:
    """The scores on the items of one category, with their ids in place of words, which differ."""
    if concepts.skipped:
        part = Subscore(concepts.category, len(concepts.items), 0, skipped=concepts.skipped)
        parts = {str(measure): (part,) for measure in task.measures}
        return Scored(language.code, {}, parts, parts)
    vectors = vocabulary_of(language, concepts, cut)
    scored = _score(task, vectors, replace(language, test_set=test_set_of(language, concepts)))
    ids = dict(zip(concepts.words[language.code], concepts.items, strict=True))
    by_item = {
        measure: [replace(part, observations=tuple(ids[word] for word in part.observations)) for part in own]
        for measure, own in scored.parts.items()
    }
    return replace(scored, parts=by_item)


def _score(task: Task, vectors: Vectors, language: Compared) -> Scored:
    return score_language(
        language.code, vectors, language.test_set, task.measures, language.settings, task.threads
    )


def _joined(by_category: Sequence[Scored]) -> Scored:
    """One language's scores on all categories."""
    first = by_category[0]
    sizes = {name: size for each in by_category for name, size in each.sizes.items()}
    parts, baseline = (
        {
            measure: [part for each in by_category for part in getattr(each, which)[measure]]
            for measure in first.parts
        }
        for which in ("parts", "baseline")
    )
    return Scored(first.code, sizes, parts, baseline)
