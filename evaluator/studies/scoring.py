"""Scoring vectors on a test set: one score for each measure, with its subscores, interval and signature."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from itertools import chain, starmap
from operator import attrgetter, methodcaller
from typing import Any

from msgspec import structs

from evaluator.datasets.testset import TestSet, refuse_other_use
from evaluator.engine.similarities import Kind, Similarities, pass_over_vocabulary
from evaluator.engine.spelling import SpellingSimilarities, spelled
from evaluator.engine.vocabulary_lookup import BASELINE_OF, Candidates, Circle, KnownWords, VocabularyLookup
from evaluator.errors import ScoreError
from evaluator.execution.inputs import Input, beside, identity
from evaluator.execution.machine import Machine, cores, one_thread
from evaluator.measures import Evaluation, Measure, Subscore, parse_measure
from evaluator.measures.base import TestSetField
from evaluator.results.numbers import first_few
from evaluator.results.score import HEADLINE, KEYWORDS, PAIRS, Failure, Score, Words
from evaluator.results.scores import Scores
from evaluator.settings import Settings
from evaluator.statistics.inference import Varying, having
from evaluator.statistics.scores import (
    Missing,
    beside_known,
    mean_over_runs,
    remembering,
    score_of,
    with_baselines,
)
from evaluator.vectors import Vectors

Measures = str | Measure | Iterable[str | Measure] | None
"""Texts of measures, or measures; None for the usual ones."""

DEFAULT_MEASURES: Mapping[TestSetField, tuple[str, ...]] = {
    "categories": (HEADLINE, "OddOneOut@3"),
    "groups": (KEYWORDS,),
    "sections": ("Analogy@1",),
    "rated_pairs": ("Similarity",),
    "outlier_groups": ("OutlierDetection",),
    "synonym_questions": ("SynonymChoice",),
}
"""The measures that are used if none are named, by the first of these that a test set has."""

_version = cache(version)  # to read it takes as long as to score a few words


def default_measures(test_set: TestSet) -> tuple[str, ...]:
    """The measures that are used for a test set if none are named.

    Beside categories, related words are scored, which may choose between models; and pairs, if there are
    enough for ranks by them.
    """
    if test_set.categories:
        more = DEFAULT_MEASURES["groups"] if test_set.groups else ()
        enough = sum(len(each.pairs) for each in test_set.sections) >= parse_measure(PAIRS).least_ranked
        return (*DEFAULT_MEASURES["categories"], *more, *((PAIRS,) if enough else ()))
    for kind, measures in DEFAULT_MEASURES.items():
        if getattr(test_set, kind):
            return measures
    if test_set.labelled_texts:
        raise ScoreError(f"{test_set.name}: labelled texts are for `evaluator probe --task sentences`")
    raise ScoreError(f"{test_set.name}: has nothing that can be scored")


@dataclass(frozen=True, eq=False)
class Scored:
    """A model on a test set: its scores, those of its baselines, and what it knows if asked for."""

    scores: Scores
    frequency: Scores | None = None
    spelling: Scores | None = None
    known: KnownWords | None = None


def score_vectors(
    vectors: Vectors,
    test_set: TestSet,
    measures: Measures = None,
    settings: Settings | None = None,
    announce: Callable[[int], None] | None = None,
    *,
    machine: Machine = Machine(),
    context: bool = True,
    candidates: Candidates | None = None,
    inputs: Future[tuple[Input, ...]] | None = None,
    unknown: bool = False,
    by_item: bool = False,
    compared: bool = False,
) -> Scored:
    """Score vectors on a test set; all measures share one pass over the vocabulary.

    Scores have all that they are judged by: known words alone, chance, the baselines of frequency and
    spelling, tests against them, and verdicts; and those with words that are built from subwords.

    Args:
        vectors: What is scored.
        test_set: What it is scored on.
        measures: See `evaluator.score`, as of settings, announce and machine.
        settings: For all measures.
        announce: Called once before the pass.
        machine: How many threads.
        context: Whether known words alone, built words and the baselines are scored as well.
        candidates: The words among which neighbours and odd words are looked for; None for the vocabulary.
        inputs: What the vectors were loaded from; None of vectors in memory, which are an input themselves.
        unknown: Whether a measure by which no word is known has the score 0 and a reason, and is no failure;
            only where OOV words are wrong.
        by_item: Whether observations are called by the ids of items, which models of other languages, or of
            lemmas, share; else by words.
        compared: Whether the result has what the model knows.
    """
    settings = settings or Settings()
    chosen = _chosen(measures, test_set)
    of_known = chosen if context else []
    by_frequency = [measure for measure in of_known if measure.by_frequency]
    inputs = inputs or beside(lambda: (vectors.in_memory(),))
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings, candidates)
    how = test_set, settings, candidates, unknown, by_item
    runs = _run(lookup, (chosen, of_known), *how, machine, announce)
    if not runs[0].subscores:
        advice = _advice(vectors, test_set, settings) if lookup.missing else ""
        raise ScoreError(f"{'; '.join(runs[0].failures.values())}{advice}")
    varying = remembering()
    scores, frequency, spelling = _scores(runs, inputs.result(), varying), None, None
    if by_frequency and lookup.counts[0]:
        alone = Machine(threads=machine.threads)
        of_frequency = _run(lookup.by_frequency(), (by_frequency, by_frequency), *how, alone)
        # It knows no word if all vectors are means of several words.
        frequency = _scores(of_frequency, inputs.result(), varying) if of_frequency[0].subscores else None
        del of_frequency  # which has an array of the whole vocabulary
        spelling = _by_spelling(lookup, by_frequency, how, alone, inputs.result(), varying)
    scores = judged(scores, frequency, spelling, varying, verdicts=context)
    if not scores.known_words:
        reason = f"{test_set.name}: no word is known{_advice(vectors, test_set, settings)}"
        found = tuple(structs.replace(each, reason=reason) for each in scores)
        scores = structs.replace(scores, scores=found)
    return Scored(scores, frequency, spelling, lookup.known if compared else None)


def score(*args: Any, **more: Any) -> Scores:  # noqa: ANN401  # those of score_vectors
    """The scores that `score_vectors` gives."""
    return score_vectors(*args, **more).scores


def mean_of_runs(model: str, runs: Sequence[Scored | None], missing: Missing = "left out") -> Scored:
    """A model of 1 to n training runs: the means of their scores, beside those of the baselines.

    A run that could not be scored is left out; or it counts as `zero`, as `mean_over_runs` says of measures.
    At least one run has scores.

    Raises:
        ScoreError: Nothing was scored in all of them, or they differ in dimension.
    """
    kept = [each for each in runs if each is not None or missing == "zero"]
    first = kept[0]
    if len(kept) == 1 and first is not None:
        level = first.frequency and structs.replace(first.frequency, model=f"{BASELINE_OF}{model}")
        return replace(first, scores=structs.replace(first.scores, model=model), frequency=level)
    mean = mean_over_runs(model, [None if each is None else each.scores for each in kept], missing)
    frequency, spelling = (
        _mean_level(model, [None if each is None else getattr(each, name) for each in kept], name, missing)
        for name in ("frequency", "spelling")
    )
    return Scored(judged(mean, frequency, spelling), frequency, spelling)


def _mean_level(model: str, levels: Sequence[Scores | None], name: str, missing: Missing) -> Scores | None:
    """The mean of a baseline over the same training runs; None if they do not all have it."""
    if any(levels) and (missing == "zero" or all(levels)):
        with suppress(ScoreError):  # no category is known in all of them
            return mean_over_runs(f"{name} baseline of {model}", levels, missing)
    return None


def judged(
    scores: Scores,
    frequency: Scores | None = None,
    spelling: Scores | None = None,
    varying: Varying | None = None,
    *,
    verdicts: bool = True,
) -> Scores:
    """Scores and Combined beside those of the baselines, and what they say."""
    found = with_baselines(scores, frequency, spelling, varying)
    return found.with_verdicts() if verdicts else found


_ODD_WORDS = 1024
"""So many words outside a category stand for all of them, of the spelling baseline."""


def _by_spelling(
    lookup: VocabularyLookup,
    measures: Sequence[Measure],
    how: tuple[TestSet, Settings, Candidates | None, bool, bool],
    machine: Machine,
    inputs: tuple[Input, ...],
    varying: Varying,
) -> Scores | None:
    """The scores of somebody who knows only the letters of the same words; None where there is no way."""
    found: list[Score] = []
    first: Scores | None = None
    for most, kinds in (
        (None, {"neighbours", "matched words", "test words"}),
        (_ODD_WORDS, {"odd words"}),
    ):
        own = [each for each in measures if each.asks in kinds]
        runs = _run(lookup.of_letters(most), (own, own), *how, machine) if own else None
        if runs is not None and runs[0].subscores:
            first = _scores(runs, inputs, varying)
            found += first.measured
    return first and structs.replace(first, scores=tuple(found), failures=())


def _run(
    lookup: VocabularyLookup,
    measures: tuple[Sequence[Measure], Sequence[Measure]],
    test_set: TestSet,
    settings: Settings,
    candidates: Candidates | None,
    unknown: bool,
    by_item: bool,
    machine: Machine,
    announce: Callable[[int], None] | None = None,
) -> tuple[_Run, _Run, _Run]:
    """By all words, by known words alone, and with words whose vectors are built."""
    # Several threads read the vocabulary; threads of BLAS within them would only compete for the same cores.
    with one_thread("blas"):
        own = _Run(test_set, lookup, settings, candidates, unknown and settings.oov == "wrong")
        own.begin(measures[0])
        known = _Run(test_set, lookup, replace(settings, oov="skip"), candidates)
        if settings.oov == "wrong" and lookup.missing:
            known.begin(each for each in measures[1] if not each.known_only)
        built = _Run(test_set, lookup.knowing_built(), replace(settings, built="known"), candidates)
        if lookup.built and not lookup.with_built and not lookup.letters:
            built.begin(measures[1])
        if announce is not None:
            announce(sum(evaluation.comparisons for evaluation in own.evaluations.values()))
        states = _passes(lookup, _by_kind(own, known, built), machine)
        items = _items(test_set, lookup, all_words=by_item)
        own.finish(states, items)
        known.finish(states, items)
        built.finish(states, items)
    return own, known, built


def _advice(vectors: Vectors, test_set: TestSet, settings: Settings) -> str:
    """What would make words known, as the end of a sentence; empty if nothing was found."""
    from evaluator.studies.coverage import hint  # which most scores need not load

    found = hint(vectors, test_set, settings, share=0)
    return f"; {found}" if found else ""


def _scores(runs: tuple[_Run, _Run, _Run], inputs: tuple[Input, ...], varying: Varying) -> Scores:
    test_set, lookup = runs[0].test_set, runs[0].lookup
    return Scores(
        model=lookup.vectors.name,
        model_sha256=identity(inputs),
        vocabulary=len(lookup.vectors),
        dimension=lookup.vectors.dimension,
        test_set=test_set.name,
        language=test_set.language,
        named_in=test_set.named_in or "",
        test_sha256=test_set.sha256,
        inputs=(*inputs, *test_set.inputs),
        reading=test_set.reading,
        known_words=lookup.counts[0],
        words=lookup.counts[1],
        multiword=dict(zip(("several", "words"), lookup.multiword, strict=True)),
        built_words=0 if lookup.with_built else len(lookup.built),
        scores=beside_known(*map(methodcaller("scores", varying), runs)),
        failures=tuple(starmap(Failure, runs[0].failures.items())),
    )


def known_words(
    vectors: Vectors,
    test_set: TestSet,
    measures: Measures = None,
    settings: Settings | None = None,
) -> KnownWords:
    """What vectors know of a test set, without scoring them."""
    settings = settings or Settings()
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    _Run(test_set, lookup, settings).begin(_chosen(measures, test_set))
    return lookup.known


@dataclass(frozen=True, eq=False)
class _Run:
    """One way of scoring vectors on a test set by several measures; subscores are there after `finish`."""

    test_set: TestSet
    lookup: VocabularyLookup
    settings: Settings
    candidates: Candidates | None = None
    unknown: bool = False
    evaluations: dict[Measure, Evaluation] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    subscores: dict[Measure, list[Subscore]] = field(default_factory=dict)

    def begin(self, measures: Iterable[Measure]) -> None:
        """Look up the words of all measures; those last that measures compare with each other alone.

        So they come after the words that are compared with the vocabulary, and are not compared with it.
        """
        measures = list(measures)
        begun = {}
        for last in (False, True):
            for measure in measures:
                if (measure.asks == "test words") is last:
                    begun[measure] = self._begun(measure)
        for measure in measures:
            found = begun[measure]
            if isinstance(found, str):
                self.failures[str(measure)] = found
            else:
                self.evaluations[measure] = found

    def _begun(self, measure: Measure) -> Evaluation | str:
        """The evaluation of a measure; or why it can score nothing."""
        if not getattr(self.test_set, measure.scores, ()):
            what = measure.scores.replace("_", " ")
            return f"{self.test_set.name}: has no {what}, which {measure} scores"
        self.lookup.reached = 0
        try:
            found = measure.evaluation(self.test_set, self.lookup, self.settings)
        except ScoreError as error:
            return str(error)
        if len(found.skipped) == len(found.names) or not (found.known or self.unknown):
            return self._nothing_scored(measure, found.skipped, len(found.names))
        found.reached = self.lookup.reached
        return found

    def finish(self, states: Mapping[Evaluation, Sequence[Any]], items: Mapping[str, str]) -> None:
        """Take the subscores from states that together have seen the whole vocabulary."""
        for measure, evaluation in self.evaluations.items():
            try:
                found = evaluation.subscores(states.get(evaluation, ()))
            except ScoreError as error:
                self.failures[str(measure)] = str(error)
                continue
            if not having(found):
                reasons = {each.name: each.skipped or "" for each in found}
                self.failures[str(measure)] = self._nothing_scored(measure, reasons, len(found))
                continue
            own = {} if measure.known_only else items  # whose words are as they stand in its definition
            self.subscores[measure] = list(_in_test_set(found, self.test_set, own, self.settings))

    def _nothing_scored(self, measure: Measure, skipped: Mapping[str, str], number: int) -> str:
        """Why, if a measure can score nothing: there is no score then, which is not the same as 0."""
        reasons = [f"{name}: {reason}" for name, reason in skipped.items()]
        if len(reasons) < number or not reasons:
            reasons = ["no word is known"]
        unknown = self.lookup.missing and not self.lookup.counts[0]
        hint = f"; are the vectors in its language ({self.test_set.language})?" if unknown else ""
        return (
            f"{self.test_set.name}: {measure} can score nothing of it with {self.lookup.vectors.name} "
            f"({'; '.join(first_few(reasons, 5))}){hint}"
        )

    def scores(self, varying: Varying) -> list[Score]:
        shared = None if self.candidates is None else self.candidates.digest
        own = self.lookup.vectors.candidates
        found = []
        for measure, subscores in self.subscores.items():
            evaluation = self.evaluations[measure]
            signature = signature_of(
                measure,
                self.settings,
                self.test_set,
                shared=None if evaluation.asked and evaluation.kind is None else shared,
                candidates=own,
                asked=evaluation.asked,
            )
            words: Words = "known" if self.settings.oov == "skip" or measure.known_only else "all"
            found.append(score_of(measure, subscores, signature, words=words, varying=varying))
        return found


def signature_of(
    measure: Measure,
    settings: Settings,
    test_set: TestSet,
    *,
    shared: str | None = None,
    candidates: str = "",
    asked: Sequence[str] = (),
    alignment: Mapping[str, str] | None = None,
) -> str:
    """All that is needed to get a score again from the same vectors."""
    fields = {
        **settings.signature,
        "seed": str(settings.seed) if measure.draws else None,
        "candidates": shared,
        "words": _digest(asked) if asked else None,
        "vocabulary-from": candidates or None,
        **(alignment or {}),
        "test": f"{test_set.name}#{test_set.sha256[:12]}",
        "read": test_set.reading.signature if test_set.reading is not None else None,
        "version": _version("testgen-evaluator"),
    }
    return "|".join([str(measure), *(f"{key}:{value}" for key, value in fields.items() if value is not None)])


def _digest(words: Iterable[str]) -> str:
    """The first 12 digits of a SHA-256 of some words, in any order."""
    listed = "\n".join(sorted(words)).encode(errors="surrogatepass")
    return hashlib.sha256(listed).hexdigest()[:12]


def parsed(measures: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """One measure or several, each once."""
    several = measures if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
    return list(dict.fromkeys(map(parse_measure, several)))


def _chosen(measures: Measures, test_set: TestSet) -> list[Measure]:
    refuse_other_use(test_set)
    chosen = parsed(default_measures(test_set) if measures is None else measures)
    if not chosen:
        raise ScoreError(f"{test_set.name}: no measures given")
    return chosen


_Groups = dict[Evaluation, list[Evaluation]]
"""The evaluations that collect the same from the vocabulary, by the one that does so for all."""


def _by_kind(own: _Run, known: _Run, built: _Run) -> dict[Kind, _Groups]:
    """The evaluations that need similarities, by kind."""
    groups = {each: [each] for each in (*own.evaluations.values(), *built.evaluations.values())}
    for measure, each in known.evaluations.items():
        other = own.evaluations.get(measure)
        if other is not None and each.collects is not None and each.collects == other.collects:
            groups[other].append(each)
        else:
            groups[each] = [each]
    found: dict[Kind, _Groups] = {}
    for first, group in groups.items():
        if first.kind is not None:
            found.setdefault(first.kind, {})[first] = group
    return found


def _passes(
    lookup: VocabularyLookup, by_kind: Mapping[Kind, _Groups], machine: Machine
) -> dict[Evaluation, Sequence[Any]]:
    """The states of all evaluations, from one pass over the vocabulary for each kind of similarities."""
    states: dict[Evaluation, Sequence[Any]] = {}
    if not by_kind:
        return states
    every = chain(*map(chain.from_iterable, map(dict.values, by_kind.values())))
    asked = max(map(attrgetter("reached"), every), default=0)
    letters = spelled(lookup, asked, machine.threads or cores()) if lookup.letters else None
    queries, vocabulary_rows = lookup.queries[:asked], lookup.vocabulary_rows[:asked]
    for number, (kind, groups) in enumerate(by_kind.items()):
        similarities: Similarities = letters or Similarities(
            queries, vocabulary_rows, lookup.vectors.matrix, kind
        )
        for each in chain(*groups.values()):
            each.prepare(similarities)
        baseline: Circle | SpellingSimilarities | None = letters
        if lookup.angles is not None:
            baseline = Circle.of(lookup.angles, queries, vocabulary_rows)
        for first, group in groups.items():
            at_once = None if baseline is None else first.of_baseline(baseline)
            if at_once is not None:  # without a pass
                states |= dict.fromkeys(group, (at_once,))
        left = [first for first in groups if first not in states]
        part = machine.part(number / len(by_kind), (number + 1) / len(by_kind))
        of_each = pass_over_vocabulary(similarities, left, part) if left else []
        for first, collected in zip(left, of_each, strict=True):
            states |= dict.fromkeys(groups[first], collected)
    return states


def _in_test_set(
    subscores: Iterable[Subscore], test_set: TestSet, items: Mapping[str, str], settings: Settings
) -> Iterator[Subscore]:
    parts = test_set.by_name
    halved = settings.levels == "halved" and bool(test_set.categories)
    for each in subscores:
        part = parts.get(each.name)
        title = part.title if part is not None and part.title != part.name else ""
        weight = settings.weight(part) * each.weight if halved else each.weight
        topic = getattr(part, "topic", None) or ""
        named = structs.replace(each, title=title, topic=topic, weight=weight)
        yield of_items(named, items) if items else named


def of_items(subscore: Subscore, items: Mapping[str, str]) -> Subscore:
    """The same with the item of a word as its observation, so that words of one item vary together."""
    if subscore.observations is None:
        return subscore
    found = subscore.observations.of_items(items)
    return structs.replace(subscore, observations=found, n=len(found.influences), known=found.known)


def _items(test_set: TestSet, lookup: VocabularyLookup, *, all_words: bool) -> dict[str, str]:
    """The items of words, by normalized word: of all, or of those that are not the only one of theirs.

    Of several items of a word, the one whose id is first in the alphabet, so that the order of the test set
    does not matter.
    """
    found: dict[str, str] = {}
    for category in test_set.categories:
        for item in category.items:
            words = lookup.normalized_words(item.words) if all_words or len(item.words) > 1 else ()
            if all_words or len(words) > 1:
                found |= {word: min(item.id, found.get(word, item.id)) for word in words}
    return found
