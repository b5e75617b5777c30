"""Scores of what language models answered: accuracy, with intervals and tests over words and categories."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from evaluator.engine.similarities import Doubles
from evaluator.errors import ResultsError
from evaluator.plugins import (
    Evaluation,
    Measure,
    Score,
    ScoreError,
    Scores,
    Settings,
    Subscore,
    TestSet,
    TestSetField,
    VocabularyLookup,
)
from evaluator.plugins.lm_results.logs import Answer
from evaluator.results.scores import ScoresFile
from evaluator.statistics.scores import score_of
from evaluator.studies.models import compare_models

_LEAST_APART = 0.25
"""Where more pairs of questions share a word, they tell no more of how words vary."""


@dataclass(frozen=True)
class Accuracy(Measure):
    """The share of questions of which a language model chose the right one of k options; chance is 1/k.

    Questions that share words do not vary independently. So the observation is the word, and the variance is
    the sum of ψ_p·ψ_q over all pairs of questions that share a word, with ψ the influence of a question
    (clusters in several ways; Cameron, Gelbach & Miller 2011, equation 2.8).

    Attributes:
        task: The name of the task.
        metric: `acc`, or `acc_norm` where the length of options does not matter.
        k: How many options a question has.
    """

    scores: ClassVar[TestSetField] = "categories"
    least_k: ClassVar[int] = 2

    task: str = "odd_one_out"
    metric: str = "acc"
    k: int = 4

    # A question has k words, of which others have some, too; by simulation.
    trials_of_a_word: ClassVar[float] = 2.0

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:  # noqa: ARG002
        """Refuse vectors."""
        raise ScoreError(f"{self} scores answers of language models: `evaluator lm-results`")


class AnswersFile(ScoresFile, frozen=True, kw_only=True, tag="answers"):
    """What `evaluator lm-results --json` writes: the scores of language models."""

    command: ClassVar[str] = "evaluator lm-results --json"

    version: Literal[1] = 1  # type: ignore[assignment]  # of this format


def score_answers(answers: Iterable[Answer], margin: float | None = None) -> AnswersFile:
    """The accuracy of language models by language and category, and which are better than which.

    Args:
        answers: Of one or several models to the same questions.
        margin: Scores that differ by less are taken as equal.

    Raises:
        ResultsError: There are no answers, or models answered different questions of a language.
    """
    by_language: dict[str, dict[str, dict[Accuracy, list[Answer]]]] = {}
    for each in answers:
        measure = Accuracy(each.task, each.metric, each.options)
        by_language.setdefault(each.language, {}).setdefault(each.model, {}).setdefault(measure, []).append(
            each
        )
    if not by_language:
        raise ResultsError("the logs hold no answers; give those of a run that was finished")
    cells = [
        [_scores(language, model, asked) for model, asked in models.items()]
        for language, models in by_language.items()
    ]
    for of_language in cells:
        _check_same(of_language)
    results = tuple(sorted((each for own in cells for each in own), key=lambda each: each.model))
    compared = compare_models([(own, None) for own in cells], margin, languages=len(cells))
    return AnswersFile(results=results, margin=margin, **compared)


def _check_same(several: Sequence[Scores]) -> None:
    first = several[0]
    for each in several[1:]:
        for score in each:
            other = first.get(score.measure)
            if other is not None and other.signature != score.signature:
                raise ResultsError(
                    f"{each.model} and {first.model} answered different questions of {each.language} by "
                    f"{score.measure}; give both the same files, and the same --limit"
                )


def _scores(language: str, model: str, asked: Mapping[Accuracy, Sequence[Answer]]) -> Scores:
    words = {word for answers in asked.values() for each in answers for word in each.words}
    return Scores(
        model=model,
        test_set="questions",
        language=language,
        known_words=len(words),
        words=len(words),
        scores=tuple(_score(measure, answers) for measure, answers in asked.items()),
    ).with_verdicts()


def _score(measure: Accuracy, answers: Sequence[Answer]) -> Score:
    questions = sorted((each.category, *each.words) for each in answers)
    digest = hashlib.sha256(repr(questions).encode()).hexdigest()
    by_category: dict[str, list[Answer]] = {}
    for each in answers:
        by_category.setdefault(each.category, []).append(each)
    subscores = [_subscore(name, each, measure) for name, each in by_category.items()]
    return score_of(measure, subscores, f"{measure}|questions:{len(questions)}#{digest[:12]}")


def _subscore(name: str, answers: Sequence[Answer], measure: Accuracy) -> Subscore:
    words = list(dict.fromkeys(word for each in answers for word in each.words))
    right = np.array([each.right for each in answers])
    return Subscore.of(
        name,
        len(words),
        0,
        float(right.mean()),
        words,
        right.mean()
        + math.sqrt(len(words) * (len(words) - 1))
        * _influences(right, [each.words for each in answers], words),
        topic=answers[0].topic,
        chance=1 / measure.k,
        hits=round(right.sum()) if set(right.tolist()) <= {0.0, 1.0} else None,
        trials=len(answers),
    )


def _influences(right: Doubles, questions: Sequence[Sequence[str]], words: Sequence[str]) -> Doubles:
    """What the share of right answers owes to each of m words, so that squares sum to its variance."""
    n, place = len(right), {word: number for number, word in enumerate(words)}
    has = np.zeros((n, len(words)))
    for number, question in enumerate(questions):
        has[number, [place[word] for word in question]] = 1
    shared = np.minimum(has @ has.T, 1)
    own = (right - right.mean()) / n
    # Deviations from the mean of the same questions are too small by the share of pairs that share a word.
    variance = float(own @ shared @ own) / max(1 - float(shared.mean()), _LEAST_APART)
    variance = max(variance, float(own @ own))
    sums = own @ has
    sums -= sums.mean()
    squares = float(sums @ sums)
    return np.asarray(sums * np.sqrt(variance / squares) if squares > 0 else sums)
