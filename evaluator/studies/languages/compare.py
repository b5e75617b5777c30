"""compare: the scores of several languages on the same categories, and their differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from evaluator.errors import ScoreError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.execution.processes import Result
from evaluator.measures import Measure
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from evaluator.results.comparison import ComparisonFile, Group, View
from evaluator.results.scores import ModelFailure, Scores
from evaluator.studies.languages.alignment import align
from evaluator.studies.languages.differences import differences_of
from evaluator.studies.languages.group_scores import group_scores
from evaluator.studies.languages.inputs import Language, check_codes, check_settings, choose_groups
from evaluator.studies.languages.tasks import LanguageTask, WholeResult, score_aligned, score_whole
from evaluator.vectors.reading import VectorsFile

LEAST_ITEMS = 4
"""With fewer items languages are not compared: three make only one subset of three."""


def measures_of(k: int) -> tuple[Measure, ...]:
    """The measures of a comparison."""
    return Topk(k), OddOneOut(k)


def compare(
    languages: Sequence[Language],
    categories: Iterable[str] = (),
    topics: Iterable[str] = (),
    k: int = 3,
    same_vocabulary: bool = True,
    machine: Machine = Machine(),
) -> ComparisonFile:
    """Compare languages by Topk, OddOneOut and Combined on categories and topics.

    Args:
        languages: Two or more, each with its vectors and test set.
        categories: Names of categories that all languages have.
        topics: Names of topics; each adds its categories that two or more languages have. Without categories
            and topics: all categories that two or more languages have.
        k: The order of the measures.
        same_vocabulary: Whether all vocabularies are cut to one size in the aligned view.
        machine: Where languages are scored.

    Raises:
        TestSetError: A category or topic is missing.
        MeasureError: k is too small.
        ScoreError: There are too few languages, or they cannot be compared, or none could be scored.
        VectorsError: Vectors are in memory while worker processes need them.
        ClusterError: The cluster cannot be used, or was lost.
        CorpusError: A corpus cannot be read.
    """
    measures = measures_of(k)
    check_codes([each.code for each in languages])
    check_settings({each.code: each.settings for each in languages})
    groups = choose_groups({each.code: each.test_set for each in languages}, categories, topics)
    names = tuple(dict.fromkeys(name for group in groups for name in group.categories))
    failed: dict[str, str] = {}
    tasks = [
        LanguageTask(_for_workers(each, machine), names, measures, machine.for_task) for each in languages
    ]
    whole: dict[str, WholeResult] = _run(score_whole, tasks, machine.part(0, 0.5), "its own test set", failed)
    if not whole:
        raise ScoreError("; ".join(f"{code}: {reason}" for code, reason in failed.items()))
    tasks = _aligned_tasks([each for each in tasks if str(each) in whole], whole, same_vocabulary, k)
    aligned: dict[str, list[Scores]] = _run(
        score_aligned, tasks, machine.part(0.5, 1), "the same items", failed
    )
    scored = [each for each in languages if each.code in whole]
    on_own = _on_groups(
        "whole", scored, groups, {code: [each.scores] for code, each in whole.items()}, measures
    )
    on_same = _on_groups("aligned", scored, groups, aligned, measures)
    results = [each for each in (*on_own, *on_same) if isinstance(each, Scores)]
    settings = replace(languages[0].settings, profile="").signature
    return ComparisonFile(
        settings={"k": k, "same_vocabulary": same_vocabulary, "seed": languages[0].settings.seed, **settings},
        groups=tuple(groups),
        results=tuple(map(_record, results)),
        failures=tuple(each for each in on_own if isinstance(each, ModelFailure)),
        failed=failed,
        notes=tuple(f"{code}: {note}" for code, each in whole.items() for note in each.notes),
        concepts=tasks[0].aligned if tasks else (),
        differences=tuple(differences_of(groups, results, measures)),
    )


def _aligned_tasks(
    tasks: Sequence[LanguageTask], whole: Mapping[str, WholeResult], same_vocabulary: bool, k: int
) -> list[LanguageTask]:
    """The second task of each language, if there are several: with the common items of each category."""
    if len(tasks) < 2:
        return []
    known = [each.known for each in whole.values()]
    cut = min(each.size for each in known) if same_vocabulary else None
    concepts = tuple(align(known, name, max(LEAST_ITEMS, k + 1), cut) for name in tasks[0].names)
    return [replace(each, aligned=concepts, cut=cut) for each in tasks]


def _on_groups(
    view: View,
    languages: Sequence[Language],
    groups: Sequence[Group],
    scores: Mapping[str, Sequence[Scores]],
    measures: Sequence[Measure],
) -> list[Scores | ModelFailure]:
    """The scores of languages on each category and topic, from theirs on categories, by their codes."""
    how = {"aligned": "+".join(scores)} if view == "aligned" else {}
    return [
        group_scores(language, view, group, several, measures, how)
        for group in groups
        for language in languages
        if (several := scores.get(language.code))
    ]


def _record(scores: Scores) -> Scores:
    """What the result file holds: without the categories of a topic, which have scores of their own."""
    of_measures = (
        structs.replace(
            each, subscores=(), of_known=each.of_known and structs.replace(each.of_known, subscores=())
        )
        for each in scores
    )
    return structs.replace(scores, scores=tuple(of_measures)).record()


def _for_workers(language: Language, machine: Machine) -> Language:
    """The language as worker processes need it."""
    if machine.in_this_process:
        return language
    if isinstance(language.vectors, VectorsFile):
        return replace(language, vectors=language.vectors.for_others())
    raise VectorsError(
        f"{language.vectors.name}: vectors are not sent to worker processes; give a VectorsFile, which names "
        "their file"
    )


def _run(
    function: Callable[[LanguageTask], Result | str],
    tasks: Sequence[LanguageTask],
    machine: Machine,
    what: str,
    failed: dict[str, str],
) -> dict[str, Result]:
    """The results of a function by language, in the order of the tasks.

    What gives a reason instead of a result, or dies, has failed.
    """
    found: dict[str, Result] = {}
    for number, (task, result) in enumerate(machine.run_each(function, tasks, lambda _, why: why), 1):
        code = str(task)
        if isinstance(result, str):
            failed[code] = result
        else:
            found[code] = result
        machine.progress(number / len(tasks))
        machine.log(f"{code} on {what}: {failed.get(code, 'scored')}")
    return {code: found[code] for code in map(str, tasks) if code in found}
