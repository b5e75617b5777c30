"""tune: a search for hyper-parameters that can be interrupted, and that ends in an honest number."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from msgspec import UNSET, structs

from evaluator.datasets.reading import TestSetLike, read_testset
from evaluator.datasets.testset import TestSet
from evaluator.errors import ScoreError, StudyError
from evaluator.execution.inputs import Input
from evaluator.execution.machine import Machine
from evaluator.measures import parse_measure
from evaluator.results.scores import ModelFailure, Scores, TestedDifference
from evaluator.results.tuning import REPORT, WHOLE, Trial, TuningFile, scores_on
from evaluator.statistics.scores import differences
from evaluator.studies.resumable import Study, run_study
from evaluator.studies.scoring import DEFAULT_MEASURES, Scored, mean_of_runs
from evaluator.studies.trainers import trained_with
from evaluator.studies.tuning.space import SAMPLERS
from evaluator.studies.tuning.trial import (
    LEAST_WORDS,
    ScorableCategories,
    TrialSetup,
    TrialTask,
    Tuning,
    run_trial,
)
from evaluator.text.corpus import Corpus, dictionary_code, lemmatizer
from evaluator.text.other_languages import remark
from evaluator.text.prepared_corpus import PreparedCorpus

ONE_SEED = "one seed: intervals do not contain how scores differ between training runs; --seeds 3 adds that"


def tune(
    corpus: Corpus,
    test_set: TestSetLike,
    folder: str | Path,
    tuning: Tuning | None = None,
    machine: Machine = Machine(),
) -> TuningFile:
    """Search for the hyper-parameters that give the best vectors of a corpus.

    Half of the items of each category decide which model is best, the other half how good it is: on the items
    that chose it, the best of a hundred models looks better than it is. An interrupted search is resumed.

    Args:
        corpus: The training corpus, without lemmas; the space says whether lemmas are tried.
        test_set: Its categories are used; anything that `read_testset` takes.
        folder: For finished trials, sentences, and the best model.
        tuning: What to search, and how; `Tuning()` if None.
        machine: Where models are trained, each on one thread, and scored.

    Raises:
        CorpusError: The corpus cannot be read, or contains no word; or all samples are to have lemmas, and no
            dictionary has its language.
        TestSetError: The test set cannot be read.
        StudyError: No category has enough words in the corpus; the folder has a search with other settings or
            versions, or another process is writing it; or all trials failed.
        ClusterError: The cluster cannot be used, or was lost; finished trials are kept.
        ExtraError: Optuna is needed for `tpe`, or simplemma for lemmas.
        OutputError: The folder cannot be written to.
    """
    tuning = tuning or Tuning()
    search = _Search(corpus, read_testset(test_set), Path(folder), tuning, machine)
    return run_study(search, Path(folder), corpus, machine)


class _Search(Study[TrialTask, Trial, TuningFile]):
    file = "trials.jsonl"
    result = Trial
    written = ("sentences.txt", "sentences-lemmas.txt")
    run = staticmethod(run_trial)

    def __init__(
        self, corpus: Corpus, test_set: TestSet, folder: Path, tuning: Tuning, machine: Machine
    ) -> None:
        self.corpus, self.test_set, self.folder = corpus, test_set, folder
        if set(tuning.space.lemmas) == {True}:
            lemmatizer(corpus.language)  # refuses a language without a dictionary
        self.tuning, self.machine = tuning, machine
        self._sampler = SAMPLERS[tuning.sampler](tuning.space, tuning.trials, tuning.seed, tuning.default)

    @property
    def settings(self) -> dict[str, Any]:
        tuning, names = self.tuning, [category.name for category in self.test_set.categories]
        return {
            "format": "trials",
            "version": 4,
            "corpus": self._prepared.sha256,
            "tokens": self.corpus.tokens,
            "test set": self.test_set.sha256,
            "categories": hashlib.sha256("\n".join(names).encode()).hexdigest()[:16],
            "space": {name: list(values) for name, values in tuning.space.choices().items()},
            "sampler": tuning.sampler,
            "seed": tuning.seed,
            "epochs": tuning.epochs,
            "trainer": repr(tuning.trainer),
            "measures": list(self._scorable.measures),
            "settings": {**asdict(tuning.settings), "case": self.corpus.case, "profile": self.corpus.profile},
            "halves": tuning.halves,
            "lemmas": self._lemmas,
        }

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        texts = replace(self.corpus, lemmas=self._lemmas)
        return (*texts.inputs, *self.tuning.trainer.inputs, *self.test_set.inputs)

    def plan(self, finished: Sequence[Trial]) -> Iterator[TrialTask]:
        setup = self._setup
        if self._mixed:
            self.machine.log(self._mixed)
        if self.test_set.groups:
            few = self._scorable.too_few
            self.machine.log(f"trials are ranked by {setup.measures[0]}{f': {few}' if few else ''}")
        for number, parameters in self._sampler.untried(finished):
            yield TrialTask(number, replace(parameters, lemmas=setup.with_lemmas(parameters)), setup)

    def died(self, task: TrialTask, reason: str) -> Trial:
        return task.failure(reason)

    def share(self, finished: Sequence[Trial]) -> float:
        return len(self._wanted(finished)) / (self.tuning.trials + 1)

    def line(self, task: TrialTask, result: Trial | None) -> str:
        if result is None or result.value is None:
            found = result and result.reason
        else:
            found = f"{self._setup.measures[0]} {result.value:.4f}"
        seconds = 0.0 if result is None else sum(result.seconds)
        return f"trial {task.number}, {task.parameters}: {found} ({seconds:.0f} s)"

    def _wanted(self, finished: Sequence[Trial]) -> list[Trial]:
        """The trials of this search by number; an earlier one may have had more."""
        wanted = (each for each in finished if each.number <= self.tuning.trials)
        return sorted(wanted, key=lambda each: each.number)

    def conclude(self, finished: Sequence[Trial]) -> TuningFile:
        trials = self._wanted(finished)
        best, default = max(trials, key=lambda each: each.rank), trials[0]
        if best.value is None:
            raise StudyError(f"all {len(trials)} trials failed; the first: {default.reason}")
        setup, seeds, log = self._setup, self.tuning.seeds, self.machine.log
        results, failures = train_again(setup, best, seeds, self.folder, log)
        trained = default.vocabulary > 0
        if trained and default is not best:
            scores, more = train_again(setup, default, seeds, None, log)
            results, failures = results + scores, failures + more
        view: Literal["report", "whole"] = REPORT if self.tuning.halves else WHOLE
        scored = scores_on(results, best.number, view)
        judged = None if scored is None else scored.get(setup.measures[0])
        reasons = [each.reason for each in failures if each.keys == {"trial": best.number, "view": view}]
        return TuningFile(
            inputs=self.inputs,
            corpus=self.corpus.name,
            statistics=self._scorable.sentences.statistics(),
            test_set=self.test_set.name,
            language=self.test_set.language,
            categories={name: len(half.test_set.categories) for name, half in self._scorable.views.items()},
            keywords=self._scorable.keywords if self.test_set.groups else UNSET,
            left_out=self._scorable.left_out,
            reported_on=view,
            ranked_by=setup.measures[0],
            settings={
                **setup.tuning.settings.signature,
                "tokens": self.corpus.tokens,
                **trained_with(setup.tuning.trainer),
            },
            best=best.number,
            default=default.number if trained else None,
            seeds=seeds,
            results=tuple(each.record() for each in results),
            found=view == REPORT and judged is not None and judged.is_contender,
            differences=tuple(_differences(scores_on(results, default.number, view), scored)),
            failed=tuple(f"trial {best.number}: {reason}" for reason in reasons),
            notes=tuple(self._notes(trials, failures)),
            trials=tuple(trials),
        )

    @cached_property
    def _mixed(self) -> str:
        """That the corpus is partly in another language or script; "" if it is not."""
        words = [word for category in self.test_set.categories for word in category.words]
        return remark(self.corpus.name, self._scorable.sentences.counts, self.test_set.language, words)

    @cached_property
    def _lemmas(self) -> bool:
        return True in self.tuning.space.lemmas and dictionary_code(self.corpus.language) is not None

    @cached_property
    def _prepared(self) -> PreparedCorpus:
        return PreparedCorpus.of(self.corpus, self.folder)

    @cached_property
    def _scorable(self) -> ScorableCategories:
        tuning = self.tuning
        named = tuning.measures or DEFAULT_MEASURES["categories"]
        needed = [int(getattr(parse_measure(each), "needed", LEAST_WORDS)) for each in named]
        return ScorableCategories(
            test_set=self.test_set,
            corpus=self.corpus.name,
            sentences=self._prepared.prepare(lemmas=False),
            normalize=self._prepared.corpus.normalize,
            min_count=self._least_count,
            least=max(LEAST_WORDS, *needed),
            tuning=tuning,
            common=self._common,
        )

    @property
    def _common(self) -> frozenset[str]:
        """The normalized words that all models know: with lemmas, those that are lemmas."""
        least = max(*self.tuning.space.min_count, self.tuning.default.min_count)
        forms = {False, self._lemmas} if self.test_set.groups else set[bool]()
        every = [
            {word for word, count in self._prepared.prepare(lemmas=each).counts.items() if count >= least}
            for each in forms
        ]
        found = frozenset[str]().union(*every).intersection(*every)
        if not self._lemmas:
            return found
        lemma = self._prepared.corpus.normalizer_with(lemmas=True)
        return frozenset(word for word in found if lemma(word) == word)

    @property
    def _least_count(self) -> int:
        """How often a word occurs that is known to some model; or to all, if unknown words are left out."""
        counts = self.tuning.space.min_count
        if self.tuning.settings.oov == "skip":
            return max(*counts, self.tuning.default.min_count)
        return min(counts)

    @property
    def _vocabulary(self) -> int | None:
        if self.tuning.settings.oov != "skip":
            return None
        sentences = [self._prepared.sentences(lemmas=each) for each in {False, self._lemmas}]
        return min(sum(n >= self._least_count for n in each.counts.values()) for each in sentences)

    @cached_property
    def _setup(self) -> TrialSetup:
        tuning, views = self.tuning, self._scorable.views
        if self._lemmas:
            self._prepared.prepare(lemmas=True)
        settings = replace(tuning.settings, case=self.corpus.case, profile=self.corpus.profile)
        return TrialSetup(
            corpus=self._prepared,
            views=views,
            tuning=replace(tuning, settings=settings),
            measures=self._scorable.measures,
            vocabulary=self._vocabulary,
            machine=self.machine.for_task,
            lemmas=self._lemmas,
        )

    def _notes(self, trials: Sequence[Trial], failures: Sequence[ModelFailure]) -> list[str]:
        notes = [": ".join(each) for each in trained_with(self.tuning.trainer).items()]
        if few := self._scorable.too_few:
            notes.append(few)
        if self._mixed:
            notes.append(self._mixed)
        if self._lemmas:
            notes.append(f"lemmas: of simplemma's dictionary {dictionary_code(self.corpus.language)!r}")
        elif True in self.tuning.space.lemmas:
            notes.append(
                f"no lemmas: simplemma is not installed, or has no dictionary of {self.corpus.language}; "
                "samples with lemmas were trained without"
            )
        failed = [trial for trial in trials if trial.reason is not None]
        if failed:
            notes.append(f"{len(failed)} trials failed, for example {failed[0].number}: {failed[0].reason}")
        of_default = (each for each in failures if each.keys["trial"] == 0 and each.keys["view"] != WHOLE)
        notes += [f"default: {each.reason}" for each in of_default]
        if self.tuning.seeds == 1:
            notes.append(ONE_SEED)
        return notes


def _differences(default: Scores | None, best: Scores | None) -> Iterator[TestedDifference]:
    if default is not None and best is not None and best is not default:
        yield from differences(default, best, combined=True)


def train_again(
    setup: TrialSetup, trial: Trial, seeds: int, folder: Path | None, log: Callable[[str], None]
) -> tuple[list[Scores], list[ModelFailure]]:
    """Train a model again, first to the same vectors, then with further seeds, and score it on all views.

    The results are the means over the seeds on each view, tested against the baselines; and views on
    which something could not be scored.
    """
    runs: dict[str, list[Scored]] = {view: [] for view in setup.views}
    reasons: dict[str, str] = {}
    measures = [parse_measure(each) for each in setup.measures]
    sentences = setup.corpus.sentences(setup.with_lemmas(trial.parameters))
    for seed in range(setup.tuning.seed, setup.tuning.seed + seeds):
        to = folder if seed == setup.tuning.seed else None
        vectors = setup.tuning.trainer.train(sentences, trial.parameters, seed, to)
        log(f"trial {trial.number} trained again, seed {seed}")
        for view, of_view in runs.items():
            try:
                of_view.append(setup.score(vectors, trial.parameters, view, measures))
            except ScoreError as error:
                reasons[view] = str(error)
    results: list[Scores] = []
    failures: list[ModelFailure] = []
    for view, of_view in runs.items():
        keys: dict[str, str | int | float] = {"trial": trial.number, "view": view}
        if len(of_view) == seeds:
            mean = mean_of_runs(str(trial.parameters), of_view).scores
            results.append(structs.replace(mean, keys=keys))
            reasons |= {view: mean.failures[-1].reason} if mean.failures else {}
        if view in reasons:
            test_set = setup.views[view].test_set.name
            failures.append(ModelFailure(str(trial.parameters), test_set, reasons[view], keys))
    return results, failures
