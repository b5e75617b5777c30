"""The categories that a search scores, and one trial: a model trained and scored, in any process."""

from __future__ import annotations

import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from msgspec import structs

from evaluator.datasets.testset import Item, TestSet, with_words
from evaluator.errors import ScoreError, StudyError, TrainingError
from evaluator.execution.machine import Machine
from evaluator.measures import Measure, parse_measure
from evaluator.measures.oddoneout import OddOneOut
from evaluator.results.score import KEYWORDS, Score
from evaluator.results.scores import Scores
from evaluator.results.tuning import CHOICE, REPORT, WHOLE, Trial
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.holdout import TestSetHalf, split_in_halves
from evaluator.studies.scoring import DEFAULT_MEASURES, Scored, score_vectors
from evaluator.studies.trainers import GensimTrainer, Trainer, check_trainer
from evaluator.studies.tuning.space import COUNTED, PAPER, SAMPLERS, AnySpace
from evaluator.text.corpus import Sentences, script_of_most
from evaluator.text.normalization import Normalizer
from evaluator.text.prepared_corpus import PreparedCorpus
from evaluator.vectors import Vectors


@dataclass(frozen=True, eq=False)
class ScorableCategories:
    """The categories of a test set of which enough words, `least`, occur `min_count` times in a corpus.

    `min_count` is the lowest of the search. With `oov="skip"`, rarer words are left out of the test set. Of
    related words, those are kept that all models of the search know, which are `common`.
    """

    test_set: TestSet
    corpus: str
    sentences: Sentences
    normalize: Normalizer
    min_count: int
    least: int
    tuning: Tuning
    common: Container[str] = frozenset()

    @cached_property
    def views(self) -> Mapping[str, TestSetHalf]:
        """The categories of each view."""
        test_set = (
            self._of_known_words(self.test_set) if self.tuning.settings.oov == "skip" else self.test_set
        )
        related = with_words(test_set.groups, lambda word: self.normalize(word) in self.common)
        test_set = replace(test_set, groups=related)
        whole = TestSetHalf(self._restricted(test_set, self._scorable(test_set)), frozenset())
        if not whole.test_set.categories:
            raise StudyError(self._why_none())
        if not self.tuning.halves:
            return {CHOICE: whole, WHOLE: whole}
        both = split_in_halves(whole.test_set, self.tuning.seed, self.normalize, self._known)
        in_both = self._scorable(both[0].test_set) & self._scorable(both[1].test_set)
        if not in_both:
            raise StudyError(
                f"{self.test_set.name}: no category has {2 * self.least} words that occur "
                f"{self.min_count} times in {self.corpus}, so there are no halves to choose a model and to "
                "judge it. Tune on the whole test set (--whole), which gives no honest number"
            )
        choice, report = (replace(half, test_set=self._restricted(half.test_set, in_both)) for half in both)
        return {CHOICE: choice, REPORT: report, WHOLE: whole}

    @property
    def left_out(self) -> dict[str, str]:
        """The categories that models are not scored on, and why."""
        kept = {category.name for category in self.views[CHOICE].test_set.categories}
        words = 2 * self.least if self.tuning.halves else self.least
        reason = (
            f"fewer than {words} of its words are in the corpus often enough, or its halves differ too much"
        )
        return {c.name: reason for c in self.test_set.categories if c.name not in kept}

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(word for word, count in self.sentences.counts.items() if count >= self.min_count)

    def _scorable(self, test_set: TestSet) -> set[str]:
        return {
            category.name
            for category in test_set.categories
            if len({self.normalize(word) for word in category.words} & self._known) >= self.least
        }

    def _of_known_words(self, test_set: TestSet) -> TestSet:

        def known(item: Item) -> Item:
            return item.with_words(word for word in item.words if self.normalize(word) in self._known)

        categories = (
            replace(each, items=tuple(item for item in map(known, each.items) if item.words))
            for each in test_set.categories
        )
        return replace(test_set, categories=tuple(each for each in categories if each.items))

    @staticmethod
    def _restricted(test_set: TestSet, names: set[str]) -> TestSet:
        """Only the categories of these names, and related words."""
        kept = tuple(category for category in test_set.categories if category.name in names)
        return TestSet(
            test_set.language,
            test_set.name,
            test_set.sha256,
            kept,
            groups=test_set.groups,
            named_in=test_set.named_in,
            inputs=test_set.inputs,
        )

    @property
    def keywords(self) -> dict[str, int]:
        """How many related words each view has."""
        return {
            name: len({self.normalize(word) for each in half.test_set.groups for word in each.words})
            for name, half in self.views.items()
        }

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The measures of the search, the one first that trials are ranked by.

        If none are named, that is the one of related words, if models can be chosen by enough of them.

        Raises:
            StudyError: It is the first that is named, and there are too few.
        """
        few, named = self.too_few, self.tuning.measures
        if named is None:
            by_keywords = () if few or not self.test_set.groups else (KEYWORDS,)
            return (*by_keywords, *DEFAULT_MEASURES["categories"])
        if few and parse_measure(named[0]).scores == "groups":
            raise StudyError(f"{self.test_set.name}: {few}; name another measure first")
        return named

    @property
    def too_few(self) -> str:
        """That there are too few related words to choose a model; "" if there are enough, or no groups."""
        least, known = parse_measure(KEYWORDS).least_choosing or 0, self.keywords[CHOICE]
        asked = self.test_set.groups or any(
            parse_measure(each).scores == "groups" for each in self.tuning.measures or ()
        )
        return (
            f"too few related words ({known:,} of {least:,}) to choose by" if asked and known < least else ""
        )

    def _why_none(self) -> str:
        words = {self.normalize(word) for category in self.test_set.categories for word in category.words}
        if not words:
            return f"{self.test_set.name}: has no categories, and models are chosen by categories only"
        if words & self.sentences.counts.keys():
            more = "about 300,000 tokens" if self.sentences.tokens < ENOUGH_TOKENS else "more text"
            return (
                f"{self.test_set.name}: nothing can be measured with {self.corpus}: no category has "
                f"{self.least} words that occur {self.min_count} times in its {self.sentences.tokens:,} "
                f"tokens. What helps: {more}, lemmas, or an orthography profile"
            )
        counts = self.sentences.counts, dict.fromkeys(words, 1)
        of_corpus, of_tests = (script_of_most(each) or "no" for each in counts)
        hint = (
            f"the corpus is in {of_corpus} script, the test set in {of_tests}"
            if of_corpus != of_tests
            else "both are in the same script: is the test set in the language of the corpus?"
        )
        return f"{self.test_set.name}: no word of the test set occurs in {self.corpus}; {hint}"


ENOUGH_TOKENS = 300_000
"""A rough size: below it, more text is the first thing that helps."""

LEAST_WORDS = 3
"""The words of a category that must be in the corpus, in each half: as many as OddOneOut@3 takes."""

SAMPLES = 1000
"""How many pairs of OddOneOut are drawn for a trial, as in the papers: all pairs take far longer."""


@dataclass(frozen=True)
class Tuning:
    """What to search, and how.

    Attributes:
        trials: The number of trials besides the default hyper-parameters.
        space: The hyper-parameters to choose from: a `Space`, or an `SvdSpace` for the `SvdTrainer`.
        sampler: `random`, the same samples for each corpus; or `tpe`, which learns from earlier trials.
        seed: For samples, training, and halves.
        epochs: The number of passes of each model over the corpus; svd has none.
        measures: Measures of categories or related words; trials are ranked by the first. If None, they are
            ranked by KeywordRank if the half that chooses has 400 related words that all models know; else by
            Topk@3. During the search, OddOneOut draws a sample of its pairs.
        settings: For the scores; case and profile are those of the corpus. With `oov="skip"`, only words that
            all models know are asked, in vocabularies of one size.
        halves: Whether models are chosen by one half of each category and judged by the other.
        seeds: With how many seeds the best model and the default are trained to be judged.
        trainer: What trains the models.
    """

    trials: int = 100
    space: AnySpace = PAPER
    sampler: str = "random"
    seed: int = 0
    epochs: int = 5
    measures: tuple[str, ...] | None = None
    settings: Settings = field(default_factory=Settings)
    halves: bool = True
    seeds: int = 1
    trainer: Trainer = field(default_factory=GensimTrainer)

    def __post_init__(self) -> None:
        if self.sampler not in SAMPLERS:
            raise StudyError(f"sampler is {self.sampler!r}; choose from {', '.join(SAMPLERS)}")
        for name in ("trials", "epochs", "seeds"):
            if getattr(self, name) < 1:
                raise StudyError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if not 0 <= self.seed <= 2**32 - self.seeds:
            raise StudyError(f"seed is {self.seed}; it must be 0 or more, and below 2^32")
        if self.measures is not None:
            object.__setattr__(self, "measures", _checked(self.measures))
        check_trainer(self.trainer, self.seeds, self.space.choices())

    @property
    def default(self) -> Hyperparameters:
        """Trial 0: the model's defaults; of what the trainer is not told, the only value of the space."""
        if self.trainer.models == COUNTED.model:
            return Hyperparameters("svd")
        told = {*self.trainer.fields, "lemmas"}
        only = {name: values[0] for name, values in self.space.choices().items() if name not in told}
        return Hyperparameters(epochs=self.epochs, **only)


def _checked(measures: Sequence[str]) -> tuple[str, ...]:
    """The texts of measures, each once."""
    if not measures:
        raise StudyError("no measures given")
    found = tuple(map(parse_measure, measures))
    for measure in found:
        if measure.scores not in ("categories", "groups"):
            raise StudyError(f"{measure}: models are chosen by measures of categories or related words only")
    return tuple(dict.fromkeys(map(str, found)))


@dataclass(frozen=True)
class TrialSetup:
    """What all trials of a search have in common.

    A view is a test set or its half. Trials are ranked by the first of the measures. If there are no
    `lemmas`, trials with lemmas are trained without.
    """

    corpus: PreparedCorpus
    views: Mapping[str, TestSetHalf]
    tuning: Tuning
    measures: tuple[str, ...]
    vocabulary: int | None
    machine: Machine
    lemmas: bool

    def with_lemmas(self, parameters: Hyperparameters) -> bool:
        """Whether a model is trained on lemmas."""
        return parameters.lemmas and self.lemmas

    def half(self, view: str, parameters: Hyperparameters) -> TestSetHalf:
        """The test set of a view, in lemmas if the model is."""
        half = self.views[view]
        if self.with_lemmas(parameters):
            return normalized(half, self.corpus.corpus.normalizer_with(lemmas=True))
        return half

    def score(
        self, vectors: Vectors, parameters: Hyperparameters, view: str, measures: Sequence[Measure]
    ) -> Scored:
        """What a model reaches on a view; observations are items, which models of lemmas share."""
        half = self.half(view, parameters)
        settings = self.tuning.settings
        if self.vocabulary is not None:
            settings = replace(settings, vocabulary=max(1, self.vocabulary - len(half.excluded)))
        # All at once: fastText builds the vectors of unknown words again for each call.
        found = score_vectors(
            *(half.vocabulary(vectors), half.test_set, measures, settings),
            machine=self.machine,
            by_item=True,
        )
        return replace(found, scores=structs.replace(found.scores, model=str(parameters), inputs=()))


@dataclass(frozen=True)
class TrialTask:
    """One set of hyper-parameters to try; number 0 has the default ones."""

    number: int
    parameters: Hyperparameters
    setup: TrialSetup

    def failure(self, reason: str) -> Trial:
        """The result if the model cannot be trained."""
        return Trial(self.number, self.parameters, reason=reason)


def run_trial(task: TrialTask) -> Trial:
    """Train a model and score it; that it cannot be trained is a result too."""
    setup, parameters, started = task.setup, task.parameters, time.perf_counter()
    try:
        sentences = setup.corpus.sentences(setup.with_lemmas(parameters))
        vectors = setup.tuning.trainer.train(sentences, parameters, setup.tuning.seed, None)
    except TrainingError as error:
        return task.failure(str(error))
    trained, value, scores, reason = time.perf_counter(), None, None, None
    measures = [sampled(parse_measure(each)) for each in setup.measures]
    try:
        scores = _in_short(setup.score(vectors, parameters, CHOICE, measures).scores, task.number)
    except ScoreError as error:
        reason = str(error)
    else:
        ranking = scores.get(str(measures[0]))
        value = None if ranking is None else ranking.value
        reason = scores.failures[-1].reason if scores.failures else None
    seconds = round(trained - started, 3), round(time.perf_counter() - trained, 3)
    return Trial(task.number, parameters, len(vectors), seconds, value, scores, reason)


def _in_short(scores: Scores, number: int) -> Scores:
    return structs.replace(
        scores,
        keys={"trial": number, "view": CHOICE},
        scores=tuple(_without_parts(each) for each in scores),
    )


def _without_parts(score: Score) -> Score:
    """A score without those of each category, which are too many to keep of all trials."""
    known, built = (each and _without_parts(each) for each in (score.of_known, score.with_built))
    return structs.replace(score, subscores=(), of_known=known, with_built=built)


def sampled(measure: Measure) -> Measure:
    """An OddOneOut over all pairs as one over a sample; all other measures as they are."""
    if isinstance(measure, OddOneOut) and measure.samples is None and measure.out == "any":
        return replace(measure, samples=SAMPLES)
    return measure


def normalized(half: TestSetHalf, normalize: Normalizer) -> TestSetHalf:
    """A half with its words normalized once more, for instance to lemmas."""
    categories = tuple(
        replace(
            category,
            items=tuple(item.with_words(map(normalize, item.words)) for item in category.items),
        )
        for category in half.test_set.categories
    )
    own = {word for category in categories for word in category.words}
    excluded = frozenset(map(normalize, half.excluded)) - own
    return TestSetHalf(replace(half.test_set, categories=categories), excluded)
