"""What scores say, in words: whether a test set tells anything, and which of several models is best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.engine.vocabulary_lookup import FEW
from evaluator.results.scores import Ranking, Score, Scores

_NAMED = 3
_LEAST_KNOWN = 10  # a model that knows fewer of the test words can hardly be told from chance


def tells_nothing(scores: Scores) -> str | None:
    """Why a test set says little of a model, and what to do; None if it says something."""
    known, words = scores.known_words, scores.words or 0
    if known is not None and known < min(_LEAST_KNOWN, words / 2):
        return (
            f"This says nothing about the model: it knows {known} of {words} test words. Try vectors with a "
            "larger vocabulary, another --profile or --case, or a test set made for these words."
        )
    few = ""
    if known is not None and known < FEW * words:
        few = f" It knows {known} of {words} test words: are the vectors in the language {scores.language!r}?"
    if not any(each.above_chance for each in scores.measured):
        return f"No score is shown to be above chance: do not choose by this.{few}"
    if not any(each.above_baseline or each.baseline is None for each in scores.measured):
        return (
            "No score is shown to be above that of a model which knows only how frequent words are: do not "
            f"choose by this.{few}"
        )
    return few.strip() or None


def conclusion(ranking: Ranking, models: Sequence[Scores]) -> str:
    """Which model is best, and which cannot be told apart from it."""
    by_model: Mapping[str, Score | None] = {each.model: each.get(ranking.measure) for each in models}
    scores = [found for each in ranking.models if (found := by_model.get(each.model))]
    if not any(each.above_chance for each in scores):
        return f"{ranking.measure}: none is shown to be above chance: do not choose by this."
    if not any(each.above_baseline for each in scores):
        return f"{ranking.measure}: none is shown to be above frequency: do not choose by this."
    first, *others = ranking.models
    if any(each.value == first.value for each in others[:1]):
        same = [each.model for each in ranking.models if each.value == first.value]
        return f"{ranking.measure}: {_list(same)} have the same score, the highest."
    equal = [each.model for each in others if each.best == 1]
    if not equal:
        return f"{ranking.measure}: {first.model} is best."
    equals = f"tested over {ranking.over}, it cannot be told apart from {_list(equal)}"
    return f"{ranking.measure}: {first.model} has the highest score; {equals}.{_standing(ranking, by_model)}"


def _standing(ranking: Ranking, by_model: Mapping[str, Score | None]) -> str:
    """Which models are above frequency, where not all are."""
    scored = {each.model: found for each in ranking.models if (found := by_model.get(each.model))}
    above = [model for model, each in scored.items() if each.above_baseline]
    below = [model for model in scored if model not in above]
    if not below:
        return ""
    return f" Shown to be above frequency: {_list(above)}; not so {_list(below)}."


def _list(names: Sequence[str]) -> str:
    shown = [*names[:_NAMED], *([f"{len(names) - _NAMED} more"] if len(names) > _NAMED else [])]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
