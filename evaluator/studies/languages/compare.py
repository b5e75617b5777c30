"""compare: the scores of several languages on the same categories, and their differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from msgspec import structs
from msgspec.structs import asdict

from evaluator.datasets.testset import TestSet
from evaluator.errors import ScoreError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.execution.processes import Result
from evaluator.measures import Measure
from evaluator.measures.base import Subscore
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from evaluator.results.base import SIGNIFICANT
from evaluator.results.comparison import (
    AlignedCategory,
    ComparisonFile,
    Group,
    LanguageDifference,
    Reading,
    View,
    in_view,
)
from evaluator.results.scores import Failure, ModelFailure, Score, Scores
from evaluator.settings import Settings
from evaluator.statistics.inference import detectable, difference, holm
from evaluator.statistics.scores import beside_known, score_of, with_combined
from evaluator.studies.coverage import hint
from evaluator.studies.languages.alignment import (
    KnownWords,
    align,
    aligned_test_set,
    aligned_vocabulary,
    known_words,
)
from evaluator.studies.languages.inputs import (
    Language,
    check_codes,
    check_settings,
    choose_groups,
    normalized_language,
)
from evaluator.studies.scoring import of_items, score, signature_of
from evaluator.vectors import Vectors
from evaluator.vectors.reading import VectorsFile


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

    def scores(self, vectors: Vectors, test_set: TestSet, settings: Settings) -> Scores:
        """The scores of vectors on a test set of the language."""
        # The digest of vectors that are cut for each category says nothing, and takes time.
        how = {"machine": self.machine, "context": True, "sha256": ""}
        return score(vectors, test_set, self.measures, settings, **how)


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
        normalized = normalized_language(language, task.names)
        scores = task.scores(normalized.loaded, normalized.test_set, normalized.settings)
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
        language = normalized_language(task.language, task.names)
        return [_scores_on(task, language, each) for each in task.aligned if each.skipped is None]
    except (ScoreError, VectorsError) as error:
        return str(error)


def _scores_on(task: LanguageTask, language: Language, category: AlignedCategory) -> Scores:
    """The scores on the items of one category; ids replace the words, which differ between languages."""
    vectors = aligned_vocabulary(language, category, task.cut)
    scores = task.scores(vectors, aligned_test_set(language, category), language.settings)
    ids = dict(zip(category.words[language.code], category.items, strict=True))
    by_item = (
        structs.replace(each, subscores=tuple(of_items(subscore, ids) for subscore in each.subscores))
        for each in scores
    )
    return structs.replace(scores, scores=tuple(by_item))


LEAST_ITEMS = 4  # with fewer items languages are not compared: three make only one subset of three


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
    """
    if not isinstance(languages, list | tuple) or not all(isinstance(each, Language) for each in languages):
        raise ScoreError("languages are compared as Language(CODE, VECTORS, TEST_SET); give a list of these")
    measures = Topk(k), OddOneOut(k)
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
    """The results of a function by language; what gives a reason instead of a result, or dies, has failed."""
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


def group_scores(
    language: Language,
    view: View,
    group: Group,
    several: Sequence[Scores],
    measures: Iterable[Measure],
    how: Mapping[str, str],
) -> Scores | ModelFailure:
    """The scores of a language on a category or topic, from scores on categories; or why there are none."""
    first, several = several[0], [each for each in several if _in_group(each, group)]
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
        reading=first.reading,
        keys=keys,
        scores=with_combined(beside_known(of_all, of_known)),
        failures=tuple(failures),
    )


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


def differences_of(
    groups: Sequence[Group], results: Sequence[Scores], measures: Sequence[Measure]
) -> list[LanguageDifference]:
    """Compare every two languages in the aligned view; p-values are corrected for all of these tests."""
    tested = [
        (group, (first.language, second.language), (before, after), found)
        for group in groups
        for measure in measures
        for first, second in combinations(in_view(results, "aligned", group), 2)
        if (before := first.get(str(measure))) and (after := second.get(str(measure)))
        if (found := difference(measure, before.subscores, after.subscores))
    ]
    corrected = holm([found.tested.p for *_, found in tested])
    differences = []
    for (group, (first, second), scores, found), p_holm in zip(tested, corrected, strict=True):
        detects = detectable(found.tested, SIGNIFICANT / len(tested))
        better = scores[1] if found.value > 0 else scores[0]
        differences.append(
            LanguageDifference(
                **asdict(found),
                category=group.name,
                kind=group.kind,
                measure=better.measure,
                first=first,
                second=second,
                p_holm=p_holm,
                detects=detects,
                reading=_significant(better) if p_holm < SIGNIFICANT else _not_significant(detects, scores),
            )
        )
    return differences


def _significant(better: Score) -> Reading:
    levels = [level or 0.0 for level in (better.chance, better.baseline)]
    return "differ" if better.low is not None and better.low > max(levels) else "not above baseline"


def _not_significant(detects: float, scores: Sequence[Score]) -> Reading:
    """Whether a difference as large as one of the scores is above chance would have been found."""
    reach = max(each.value - (each.chance or 0.0) for each in scores)
    return "not told apart" if detects <= reach else "no power"
