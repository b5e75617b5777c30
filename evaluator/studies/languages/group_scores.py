"""The scores of a language on a category or topic, from those on the categories of a test set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluator.measures import Measure
from evaluator.measures.base import Subscore
from evaluator.results.comparison import Group, View
from evaluator.results.scores import Failure, ModelFailure, Score, Scores
from evaluator.statistics.scores import beside_known, score_of
from evaluator.studies.languages.inputs import Language
from evaluator.studies.scoring import signature_of


def group_scores(
    language: Language,
    view: View,
    group: Group,
    several: Sequence[Scores],
    measures: Iterable[Measure],
    how: Mapping[str, str],
) -> Scores | ModelFailure:
    """The scores of a language on a category or topic; or why there are none.

    They are made of scores on one category or more each, with their observations.
    """
    first, several = several[0], [each for each in several if _has_any(each, group)]
    of_all, of_known, failures = list[Score](), list[Score](), list[Failure]()
    for measure in measures:
        signature = signature_of(measure, language.settings, language.test_set, alignment=how)
        scores = [score for each in several if (score := each.get(str(measure)))]
        subscores = _in_group(scores, group)
        if not _any_scored(subscores):
            failures.append(Failure(str(measure), _why_none(several, measure, subscores)))
            continue
        score = score_of(measure, subscores, signature, words=scores[0].words)
        of_all.append(score)
        known = _in_group((each.of_known for each in scores), group)
        if score.known != score.n and _any_scored(known):
            of_known.append(score_of(measure, known, signature, words="known"))
    sizes = {each.vocabulary for each in several}
    keys = {"view": view, group.kind: group.name}
    if not of_all:
        reasons = "; ".join(dict.fromkeys(each.reason for each in failures))
        return ModelFailure(first.model, first.test_set, reasons, {"language": language.code, **keys})
    return Scores(
        model=first.model,
        vocabulary=sizes.pop() if len(sizes) == 1 else None,
        dimension=first.dimension,
        test_set=first.test_set,
        language=language.code,
        test_sha256=first.test_sha256,
        keys=keys,
        scores=beside_known(of_all, of_known),
        failures=tuple(failures),
    )


def _has_any(scores: Scores, group: Group) -> bool:
    return bool(_in_group(scores, group))


def _in_group(scores: Iterable[Score | None], group: Group) -> list[Subscore]:
    return [
        subscore
        for score in scores
        if score is not None
        for subscore in score.subscores
        if subscore.name in group.categories
    ]


def _any_scored(subscores: Iterable[Subscore]) -> bool:
    return any(each.value is not None for each in subscores)


def _why_none(several: Iterable[Scores], measure: Measure, subscores: Iterable[Subscore]) -> str:
    reasons = [each.skipped for each in subscores if each.skipped] + [
        failure.reason for each in several for failure in each.failures if failure.measure == str(measure)
    ]
    return "; ".join(dict.fromkeys(reasons)) or "not in its test set"
