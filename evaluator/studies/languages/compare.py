"""compare: the scores of several languages on the same categories, and their differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from evaluator.results.score import Failure, Score
from evaluator.results.scores import ModelFailure, Scores
from evaluator.settings import Settings
from evaluator.statistics.inference import detectable, difference, holm
from evaluator.statistics.scores import beside_known, score_of
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
from evaluator.studies.models import ScoringResult
from evaluator.studies.scoring import Scored, judged, score_vectors, signature_of
from evaluator.vectors import Vectors
from evaluator.vectors.reading import VectorsFile


@dataclass(frozen=True)
class How:
    """How all languages are scored: the names of the categories, the measures, and what may be used."""

    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    machine: Machine

    def score(self, of: Language, vectors: Vectors, test_set: TestSet, settings: Settings) -> Scored:
        """What vectors of a language reach on a test set; observations are items, which languages share."""
        given = vectors, test_set, self.measures, settings
        return score_vectors(*given, machine=self.machine, inputs=of.inputs, by_item=True)


def score_whole(language: Language, how: How) -> tuple[KnownWords, ScoringResult] | str:
    """Score a language on its own test set; or say why it cannot be scored."""
    try:
        normalized = normalized_language(language, how.names)
        found = how.score(language, normalized.loaded, normalized.test_set, normalized.settings)
    except (ScoreError, VectorsError) as error:
        return str(error)
    advice = hint(language.loaded, language.test_set, language.settings)
    result = ScoringResult((found,), language.loaded.dropped, (advice,) if advice else ())
    return known_words(normalized), result


def score_aligned(
    language: Language, how: How, aligned: Sequence[AlignedCategory], cut: int | None
) -> list[Scored] | str:
    """Score a language on what all have in common, category by category; or say why it cannot be scored.

    Vocabularies are cut to a number of words.
    """
    try:
        own = normalized_language(language, how.names)
        return [
            how.score(language, aligned_vocabulary(own, each, cut), aligned_test_set(own, each), own.settings)
            for each in aligned
            if each.skipped is None
        ]
    except (ScoreError, VectorsError) as error:
        return str(error)


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
    how, failed = How(names, measures, machine.for_task), dict[str, str]()
    there = [_for_workers(each, machine) for each in languages]
    whole: dict[str, tuple[KnownWords, ScoringResult]] = _run(
        partial(score_whole, how=how), there, machine.part(0, 0.5), "its own test set", failed
    )
    if not whole:
        raise ScoreError("; ".join(f"{code}: {reason}" for code, reason in failed.items()))
    there = [each for each in there if each.code in whole]
    concepts, cut = _aligned([known for known, _ in whole.values()], names, same_vocabulary, k)
    aligned: dict[str, list[Scored]] = _run(
        partial(score_aligned, how=how, aligned=concepts, cut=cut),
        there if concepts else [],
        machine.part(0.5, 1),
        "the same items",
        failed,
    )
    scored = [each for each in languages if each.code in whole]
    of_whole = {code: [each for each in found.scored if each] for code, (_, found) in whole.items()}
    on_own = _on_groups("whole", scored, groups, of_whole, measures)
    on_same = _on_groups("aligned", scored, groups, aligned, measures)
    results = [each for each in (*on_own, *on_same) if isinstance(each, Scores)]
    settings = replace(languages[0].settings, profile="").signature
    return ComparisonFile(
        settings={"k": k, "same_vocabulary": same_vocabulary, "seed": languages[0].settings.seed, **settings},
        groups=tuple(groups),
        results=tuple(map(_record, results)),
        failures=tuple(each for each in on_own if isinstance(each, ModelFailure)),
        failed=failed,
        notes=tuple(f"{code}: {note}" for code, (_, found) in whole.items() for note in _notes(found)),
        concepts=concepts,
        differences=tuple(differences_of(groups, results, measures)),
    )


def _notes(found: ScoringResult) -> list[str]:
    model = next(each.scores.model for each in found.scored if each)
    return [*([f"{model}: bad rows left out: {found.dropped}"] if found.dropped else []), *found.hints]


def _aligned(
    known: Sequence[KnownWords], names: Iterable[str], same_vocabulary: bool, k: int
) -> tuple[tuple[AlignedCategory, ...], int | None]:
    """The common items of each category, and the number of words to which vocabularies are cut."""
    if len(known) < 2:
        return (), None
    cut = min(each.size for each in known) if same_vocabulary else None
    return tuple(align(known, name, max(LEAST_ITEMS, k + 1), cut) for name in names), cut


def _on_groups(
    view: View,
    languages: Sequence[Language],
    groups: Sequence[Group],
    scored: Mapping[str, Sequence[Scored]],
    measures: Sequence[Measure],
) -> list[Scores | ModelFailure]:
    alignment = {"aligned": "+".join(scored)} if view == "aligned" else {}
    return [
        _on_group(language, view, group, several, measures, alignment)
        for group in groups
        for language in languages
        if (several := scored.get(language.code))
    ]


def _on_group(
    language: Language,
    view: View,
    group: Group,
    scored: Sequence[Scored],
    measures: Iterable[Measure],
    alignment: Mapping[str, str],
) -> Scores | ModelFailure:
    """The scores of a language on a category or topic, beside its baselines."""
    of_group = partial(group_scores, language, view, group, measures=measures, alignment=alignment)
    found = of_group([each.scores for each in scored])
    if not isinstance(found, Scores):
        return found

    def level(every: Iterable[Scores | None]) -> Scores | None:
        there = [each for each in every if each is not None]
        of_baseline = of_group(there) if there else None
        return of_baseline if isinstance(of_baseline, Scores) else None

    return judged(found, level(each.frequency for each in scored), level(each.spelling for each in scored))


def _record(scores: Scores) -> Scores:
    """What the result file holds: without the categories of a topic, which have scores of their own."""
    return structs.replace(scores, scores=tuple(map(_without_categories, scores))).record()


def _without_categories(score: Score) -> Score:
    known, built = (
        each and structs.replace(each, subscores=()) for each in (score.of_known, score.with_built)
    )
    return structs.replace(score, subscores=(), of_known=known, with_built=built)


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
    function: Callable[[Language], Result | str],
    languages: Sequence[Language],
    machine: Machine,
    what: str,
    failed: dict[str, str],
) -> dict[str, Result]:
    """The results of a function by language; what gives a reason instead of a result, or dies, has failed."""
    found: dict[str, Result] = {}
    run = machine.run_each(function, languages, lambda _, why: why)
    for number, (language, result) in enumerate(run, 1):
        code = language.code
        if isinstance(result, str):
            failed[code] = result
        else:
            found[code] = result
        machine.progress(number / len(languages))
        machine.log(f"{code} on {what}: {failed.get(code, 'scored')}")
    return {each.code: found[each.code] for each in languages if each.code in found}


def group_scores(
    language: Language,
    view: View,
    group: Group,
    several: Sequence[Scores],
    measures: Iterable[Measure],
    alignment: Mapping[str, str],
) -> Scores | ModelFailure:
    """The scores of a language on a category or topic, from scores on categories; or why there are none."""
    first, several = several[0], [each for each in several if _in_group(each, group)]
    of_all, of_known, with_built, failures = list[Score](), list[Score](), list[Score](), list[Failure]()
    for measure in measures:
        signature = signature_of(measure, language.settings, language.test_set, alignment=alignment)
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
        if any(each.with_built for each in scores):
            built = _in_group((each.with_built or each for each in scores), group)
            knowing = replace(language.settings, built="known")
            signature = signature_of(measure, knowing, language.test_set, alignment=alignment)
            with_built.append(score_of(measure, built, signature, words=scores[0].words))
    sizes = {each.vocabulary for each in several}
    keys = {"view": view, group.kind: group.name}
    if not of_all:
        reasons = "; ".join(dict.fromkeys(each.reason for each in failures))
        return ModelFailure(first.model, first.test_set, reasons, {"language": language.code, **keys})
    return Scores(
        model=first.model,
        model_sha256=first.model_sha256,
        vocabulary=sizes.pop() if len(sizes) == 1 else None,
        dimension=first.dimension,
        test_set=first.test_set,
        language=language.code,
        test_sha256=first.test_sha256,
        inputs=first.inputs,
        reading=first.reading,
        keys=keys,
        scores=beside_known(of_all, of_known, with_built),
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
    return "differ" if better.is_contender else "not above baseline"


def _not_significant(detects: float, scores: Sequence[Score]) -> Reading:
    """Whether a difference as large as one of the scores is above chance would have been found."""
    reach = max(each.value - (each.chance or 0.0) for each in scores)
    return "not told apart" if detects <= reach else "no power"
