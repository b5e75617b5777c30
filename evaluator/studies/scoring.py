"""Scoring vectors on a test set: one score for each measure, with its subscores, interval and signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from evaluator.datasets.testset import TestSet, refuse_dictionary
from evaluator.engine.frequency import frequency_baseline
from evaluator.engine.similarities import Kind, Similarities, pass_over_vocabulary
from evaluator.engine.vocabulary_lookup import CommonWords, FoundWord, VocabularyLookup, count_other_case
from evaluator.errors import ScoreError
from evaluator.execution.threads import one_thread
from evaluator.measures import Evaluation, Measure, Subscore, parse_measure
from evaluator.measures.base import TestSetField
from evaluator.settings import Settings
from evaluator.studies.scores import Score, Scores
from evaluator.vectors import Vectors

DEFAULT_MEASURES: Mapping[TestSetField, tuple[str, ...]] = {
    "categories": ("Topk@3", "OddOneOut@3"),
    "sections": ("Analogy@1",),
    "rated_pairs": ("Similarity",),
    "outlier_groups": ("OutlierDetection",),
}
"""The measures that are used if none are named, by the first of these that a test set has."""

_MANY = 0.1  # advice on case is given if it would find this share of a test set's words


def default_measures(test_set: TestSet) -> tuple[str, ...]:
    """The measures that are used for a test set if none are named.

    Raises:
        ScoreError: There are none.
    """
    for kind, measures in DEFAULT_MEASURES.items():
        if getattr(test_set, kind):
            return measures
    if test_set.labelled_texts:
        raise ScoreError(f"{test_set.name}: there is no default measure for texts; name SentenceProbe")
    raise ScoreError(f"{test_set.name}: has nothing that can be scored")


def score(
    vectors: Vectors,
    test_set: TestSet,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    settings: Settings | None = None,
    progress: Callable[[float], None] | None = None,
    announce: Callable[[int], None] | None = None,
    threads: int | None = None,
    *,
    context: bool = False,
    common: CommonWords | None = None,
) -> Scores:
    """Score vectors on a test set; all measures share one pass over the vocabulary.

    Args:
        vectors: What to score.
        test_set: What to score them on.
        measures: One or several, as texts such as `Topk@3` or as measure objects; one named twice counts
            once. None for the default measures of the test set.
        settings: For all measures; `Settings()` if None.
        progress: Called repeatedly with the share that is done, from 0 to 1.
        announce: Called once before the pass, with the number of comparisons it takes.
        threads: How many to use; as many as there are cores if None. The scores do not depend on it.
        context: Also score the known words alone, and a model that knows only how frequent words are.
        common: Other words count as OOV, and vocabularies are cut to one size; from `known_words`.

    Raises:
        TestSetError: The test set is a bilingual dictionary.
        MeasureError: A measure's text is wrong.
        ScoreError: No measure can be scored. If some can, `Scores.failures` says why others cannot.
    """
    settings, progress = settings or Settings(), progress or (lambda _: None)
    chosen = _chosen(measures, test_set)
    beside = [measure for measure in chosen if context and not measure.trains]
    # No analogy is solved by frequency, and many vectors of two dimensions are equally near to an answer.
    by_frequency = [measure for measure in beside if measure.scores != "sections"]
    rest = settings, announce, threads, common
    if not by_frequency:
        return _score(vectors, test_set, chosen, beside, progress, *rest)
    found = _score(vectors, test_set, chosen, beside, _share(progress, 0, 2), *rest)
    frequency = None
    with suppress(ScoreError):  # it knows no word if all vectors are built from subwords
        baseline = frequency_baseline(vectors)
        frequency = _score(baseline, test_set, by_frequency, by_frequency, _share(progress, 1, 2), *rest)
    known = found.known and replace(found.known, frequency=frequency and frequency.known)
    return replace(found, known=known, frequency=frequency)


def _score(
    vectors: Vectors,
    test_set: TestSet,
    measures: Sequence[Measure],
    of_known: Sequence[Measure],
    progress: Callable[[float], None],
    settings: Settings,
    announce: Callable[[int], None] | None,
    threads: int | None,
    common: CommonWords | None,
) -> Scores:
    """See `score`; `of_known` are the measures by which known words alone are scored as well."""
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings, common)
    # Several threads read the vocabulary; threads of BLAS within them would only compete for the same cores.
    with one_thread("blas"):
        own = _Run(test_set, lookup, settings).begin(measures)
        known = _Run(test_set, lookup, replace(settings, oov="skip"))
        if settings.oov == "wrong" and lookup.missing:
            known.begin(of_known)
        if announce is not None:
            announce(sum(evaluation.comparisons for evaluation in own.evaluations.values()))
        states = _passes(lookup, _readers(own, known), progress, threads)
        found, of_known_words = own.finish(states, common), known.finish(states, common)
    if not found.scores:
        hint = case_hint(vectors, test_set, settings, share=0)
        raise ScoreError(f"{'; '.join(found.failures.values())}{f'; {hint}' if hint else ''}")
    return replace(found, known=of_known_words) if of_known_words.scores else found


def known_words(
    vectors: Vectors,
    test_set: TestSet,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    settings: Settings | None = None,
) -> tuple[int, dict[str, FoundWord]]:
    """The size of a vocabulary, and the test words that have a vector, for `CommonWords.of`.

    Args:
        vectors: Where to look.
        test_set: Has the words.
        measures: What it would be scored by; see `score`.
        settings: How words are looked up; `Settings()` if None.
    """
    settings = settings or Settings()
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    _Run(test_set, lookup, settings).begin(_chosen(measures, test_set))
    return len(lookup.vectors), lookup.found


@dataclass(frozen=True, eq=False)
class _Run:
    """One way of scoring vectors on a test set by several measures.

    Attributes:
        test_set: The test set.
        lookup: Finds its words.
        settings: Of all measures.
        evaluations: Of the measures that can be scored so far.
        failures: Why the others cannot, by their texts.
    """

    test_set: TestSet
    lookup: VocabularyLookup
    settings: Settings
    evaluations: dict[Measure, Evaluation] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def begin(self, measures: Iterable[Measure]) -> _Run:
        """Look up the words of all measures."""
        for measure in measures:
            try:
                self.evaluations[measure] = self._evaluation(measure)
            except ScoreError as error:
                self.failures[str(measure)] = str(error)
        return self

    def _evaluation(self, measure: Measure) -> Evaluation:
        """The evaluation of a measure.

        Raises:
            ScoreError: It has nothing to score.
        """
        if not getattr(self.test_set, measure.scores):
            what = measure.scores.replace("_", " ")
            raise ScoreError(f"{self.test_set.name}: has no {what}, which {measure} scores")
        evaluation = measure.evaluation(self.test_set, self.lookup, self.settings)
        if len(evaluation.skipped) == len(evaluation.names) or not evaluation.known:
            raise _nothing_scored(measure, evaluation, self.test_set, self.lookup)
        return evaluation

    def finish(self, states: Mapping[Evaluation, Sequence[Any]], common: CommonWords | None) -> Scores:
        """The scores, from states that together have seen the whole vocabulary."""
        test_set, scores = self.test_set, []
        items = _items_of_several_words(test_set, self.lookup)
        of = self.lookup.vectors.name, test_set.name, test_set.language, test_set.sha256
        digest = None if common is None else common.digest
        for measure, evaluation in self.evaluations.items():
            try:
                subscores = evaluation.subscores(states[evaluation])
            except ScoreError as error:
                self.failures[str(measure)] = str(error)
                continue
            named = tuple(_in_test_set(subscores, test_set, items, self.settings))
            scores.append(
                Score(measure, self.settings, *of, named, digest, candidates=self.lookup.vectors.candidates)
            )
        shape = len(self.lookup.vectors), self.lookup.vectors.dimension
        return Scores(tuple(scores), shape, self.lookup.counts, self.lookup.multiword, self.failures)


def case_hint(
    vectors: Vectors, test_set: TestSet, settings: Settings | None = None, share: float = _MANY
) -> str | None:
    """Advice if vectors know many words of a test set only in another case.

    Args:
        vectors: What is scored.
        test_set: On what.
        settings: Of the run; `Settings()` if None.
        share: The share of the words that case folding must find in addition.

    Returns:
        One line, or None if it would find fewer words.
    """
    settings = settings or Settings()
    if settings.case != "exact":
        return None
    if settings.vocabulary is not None:
        vectors = vectors.restrict(settings.vocabulary)
    missing, found = count_other_case(vectors, test_set)
    words = {word for category in test_set.categories for word in category.words}
    if not found or found < share * len(words):
        return None
    return f"{found} of {missing} words without a vector have one in another case: try --case fold"


def _chosen(measures: str | Measure | Iterable[str | Measure] | None, test_set: TestSet) -> list[Measure]:
    """The measures, each once."""
    refuse_dictionary(test_set)
    if measures is None:
        measures = default_measures(test_set)
    several = [measures] if isinstance(measures, str | Measure) else measures
    chosen = list(dict.fromkeys(parse_measure(each) for each in several))
    if not chosen:
        raise ScoreError(f"{test_set.name}: no measures given")
    return chosen


def _nothing_scored(
    measure: Measure, evaluation: Evaluation, test_set: TestSet, lookup: VocabularyLookup
) -> ScoreError:
    """The error if a measure can score nothing: there is no score then, which is not the same as 0."""
    reasons = [f"{name}: {reason}" for name, reason in evaluation.skipped.items()]
    if len(reasons) < len(evaluation.names) or not reasons:
        reasons = ["no word is known"]
    more = f"; and {len(reasons) - 5} more" if len(reasons) > 5 else ""
    hint = f"; are the vectors in its language ({test_set.language})?" if lookup.missing else ""
    return ScoreError(
        f"{test_set.name}: {measure} can score nothing of it with {lookup.vectors.name} "
        f"({'; '.join(reasons[:5])}{more}){hint}"
    )


class _Reader:
    """Reads blocks once for one or several evaluations that collect the same from them."""

    def __init__(self, *evaluations: Evaluation) -> None:
        """Take the evaluations."""
        self.evaluations = evaluations
        self.kind = evaluations[0].kind
        self.begin = evaluations[0].begin
        self.add = evaluations[0].add

    def prepare(self, similarities: Similarities) -> None:
        """Prepare all of them."""
        for each in self.evaluations:
            each.prepare(similarities)


def _readers(own: _Run, known: _Run) -> list[_Reader]:
    """A reader for each evaluation, or for two of them."""
    same = {
        measure
        for measure, each in known.evaluations.items()
        if each.collects is not None and measure in own.evaluations
        if each.collects == own.evaluations[measure].collects
    }
    alone = [_Reader(each) for measure, each in known.evaluations.items() if measure not in same]
    return alone + [
        _Reader(each, known.evaluations[measure]) if measure in same else _Reader(each)
        for measure, each in own.evaluations.items()
    ]


def _passes(
    lookup: VocabularyLookup,
    readers: Sequence[_Reader],
    progress: Callable[[float], None],
    threads: int | None,
) -> dict[Evaluation, list[Any]]:
    """The states of all evaluations, from one pass over the vocabulary for each kind of similarities."""
    states: dict[Evaluation, list[Any]] = {each: [] for reader in readers for each in reader.evaluations}
    kinds: list[Kind] = list(dict.fromkeys(reader.kind for reader in readers if reader.kind is not None))
    for number, kind in enumerate(kinds):
        similarities = Similarities(lookup.queries, lookup.vocabulary_rows, lookup.vectors.matrix, kind)
        chosen = [reader for reader in readers if reader.kind == kind]
        of_each = pass_over_vocabulary(similarities, chosen, _share(progress, number, len(kinds)), threads)
        for reader, found in zip(chosen, of_each, strict=True):
            states |= dict.fromkeys(reader.evaluations, found)
    return states


def _in_test_set(
    subscores: Iterable[Subscore], test_set: TestSet, items: Mapping[str, str], settings: Settings
) -> Iterator[Subscore]:
    """Subscores with titles, the weights of categories of a hierarchy, and observations named by items."""
    titles = test_set.titles
    levels = {each.name: each.level for each in test_set.categories if settings.levels == "halved"}
    for each in subscores:
        weight = 2.0 ** -levels.get(each.name, 0)
        named = replace(each, weight=weight, title=titles.get(each.name, ""))
        yield named.of_items(items) if items else named


def _items_of_several_words(test_set: TestSet, lookup: VocabularyLookup) -> dict[str, str]:
    """The items of words that are not the only one of theirs, by normalized word."""
    found: dict[str, str] = {}
    for category in test_set.categories:
        for item in category.items:
            words = lookup.normalized_words(item.words) if len(item.words) > 1 else ()
            if len(words) > 1:
                found |= {word: item.id for word in words if word not in found}
    return found


def _share(progress: Callable[[float], None], number: int, passes: int) -> Callable[[float], None]:
    """Progress of the whole from that of one of several equal passes."""
    return lambda done: progress((number + done) / passes)
