"""tune: a search for hyper-parameters that can be interrupted, and that ends in an honest number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.datasets.testset import TestSet
from evaluator.errors import StudyError
from evaluator.execution.machine import Machine
from evaluator.execution.output_files import prepare_folder, protect_inputs
from evaluator.execution.versions import mixed_notes
from evaluator.measures import parse_measure
from evaluator.results.tuning import WHOLE, Outcome
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.resumable import ResumableFile, locked_output
from evaluator.studies.trainers import GensimTrainer, Trainer, check_trainer, trained_with
from evaluator.studies.tuning.finalists import Finalist, train_finalist
from evaluator.studies.tuning.result import ONE_SEED, TuningResult
from evaluator.studies.tuning.scorable import ScorableCategories
from evaluator.studies.tuning.space import PAPER, SAMPLERS, RandomSampler, Space, TpeSampler
from evaluator.studies.tuning.trial import Trial, TrialSetup, run_trial
from evaluator.text.corpus import Corpus
from evaluator.text.lemmas import has_lemmas
from evaluator.text.prepared_corpus import PreparedCorpus

LEAST_WORDS = 3
"""The words of a category that must be in the corpus, in each half: as many as OddOneOut@3 takes."""


@dataclass(frozen=True)
class Tuning:
    """What to search, and how.

    Attributes:
        trials: The number of trials besides the default hyper-parameters.
        space: The hyper-parameters to choose from.
        sampler: `random`, the same samples for each corpus; or `tpe`, which learns from earlier trials.
        seed: For samples, training, and halves.
        epochs: The number of passes of each model over the corpus.
        measures: Measures of categories. Trials are ranked by Combined if there are a Topk and an OddOneOut,
            else by the first. During the search, OddOneOut draws a sample of its pairs.
        settings: For the scores; case and profile are those of the corpus. With `oov="skip"`, only words that
            all models know are asked, in vocabularies of one size.
        halves: Whether models are chosen by one half of each category and judged by the other.
        seeds: With how many seeds the best model and the default are trained to be judged.
        mixed_versions: Whether a search of other versions of evaluator, gensim or numpy is resumed.
        trainer: What trains the models.
    """

    trials: int = 100
    space: Space = PAPER
    sampler: str = "random"
    seed: int = 0
    epochs: int = 5
    measures: tuple[str, ...] = ("Topk@3", "OddOneOut@3")
    settings: Settings = field(default_factory=Settings)
    halves: bool = True
    seeds: int = 1
    mixed_versions: bool = False
    trainer: Trainer = field(default_factory=GensimTrainer)

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            StudyError: Naming what is wrong.
            MeasureError: The text of a measure is wrong.
        """
        if self.sampler not in SAMPLERS:
            raise StudyError(f"sampler is {self.sampler!r}; choose from {', '.join(SAMPLERS)}")
        for name in ("trials", "epochs", "seeds"):
            if getattr(self, name) < 1:
                raise StudyError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if not 0 <= self.seed <= 2**32 - self.seeds:
            raise StudyError(f"seed is {self.seed}; it must be 0 or more, and below 2^32")
        if not self.measures:
            raise StudyError("no measures given")
        measures = tuple(map(parse_measure, self.measures))
        for measure in measures:
            if measure.scores != "categories":
                raise StudyError(f"{measure}: models are chosen by measures of categories only")
        object.__setattr__(self, "measures", tuple(dict.fromkeys(map(str, measures))))
        check_trainer(self.trainer, self.seeds, self.space.choices())

    @property
    def default(self) -> Hyperparameters:
        """Trial 0: gensim's defaults; of what the trainer is not told, the only value of the space."""
        told = {*self.trainer.fields, "lemmas"}
        only = {name: values[0] for name, values in self.space.choices().items() if name not in told}
        return Hyperparameters(epochs=self.epochs, **only)


def tune(
    corpus: Corpus,
    test_set: TestSet,
    folder: Path,
    tuning: Tuning | None = None,
    machine: Machine = Machine(),
) -> TuningResult:
    """Search for the hyper-parameters that give the best vectors of a corpus.

    Half of the items of each category decide which model is best, the other half how good it is: on the items
    that chose it, the best of a hundred models looks better than it is. An interrupted search is resumed.

    Args:
        corpus: The training corpus, without lemmas; the space says whether lemmas are tried.
        test_set: Its categories are used.
        folder: For finished trials, sentences, and the best model.
        tuning: What to search, and how; `Tuning()` if None.
        machine: Where models are trained, each on one thread, and scored.

    Raises:
        CorpusError: The corpus cannot be read, or contains no word.
        StudyError: No category has enough words in the corpus; the folder has a search with other settings or
            versions, or another process is writing it; or all trials failed.
        ClusterError: The cluster cannot be used, or was lost; finished trials are kept.
        ExtraError: Optuna is needed for `tpe`, or simplemma for lemmas.
        OutputError: The folder cannot be written to.
    """
    tuning = tuning or Tuning()
    search = _Search(corpus, test_set, folder, tuning, machine)
    sampler = SAMPLERS[tuning.sampler](tuning.space, tuning.trials, tuning.seed, tuning.default)
    protect_inputs(corpus.local_paths, folder, ["sentences.txt", "sentences-lemmas.txt"])
    prepare_folder(folder)
    finished: list[Outcome] = []

    with locked_output(folder):
        file = ResumableFile(
            folder / "trials.jsonl",
            search.file_settings,
            Outcome,
            finished.append,
            mixed_versions=tuning.mixed_versions,
        )
        search.run(sampler, finished, file)
        result = search.result(finished)
        return replace(result, notes=[*result.notes, *mixed_notes(file.versions)])


@dataclass(frozen=True)
class _Search:
    """A search in progress."""

    corpus: Corpus
    test_set: TestSet
    folder: Path
    tuning: Tuning
    machine: Machine

    @cached_property
    def file_settings(self) -> dict[str, Any]:
        """Everything that trials depend on."""
        tuning, names = self.tuning, [category.name for category in self.test_set.categories]
        return {
            "format": "trials",
            "version": 2,
            "corpus": self._prepared.sha256,
            "tokens": self.corpus.tokens,
            "test set": self.test_set.sha256,
            "categories": hashlib.sha256("\n".join(names).encode()).hexdigest()[:16],
            "space": {name: list(values) for name, values in tuning.space.choices().items()},
            "sampler": tuning.sampler,
            "seed": tuning.seed,
            "epochs": tuning.epochs,
            "trainer": repr(tuning.trainer),
            "measures": list(tuning.measures),
            "settings": {**asdict(tuning.settings), "case": self.corpus.case, "profile": self.corpus.profile},
            "halves": tuning.halves,
            "lemmas": self._lemmas,
        }

    def run(
        self,
        sampler: RandomSampler | TpeSampler,
        finished: list[Outcome],
        file: ResumableFile[Outcome],
    ) -> None:
        """Run the trials that are not finished, and add them to the file and to the list."""
        tuning, setup = self.tuning, self._setup
        wanted = tuning.trials + 1

        def untried() -> Iterator[Trial]:
            for number, parameters in sampler.untried(finished):
                yield Trial(number, replace(parameters, lemmas=setup.with_lemmas(parameters)), setup)

        before = sum(each.number < wanted for each in finished)
        self.machine.progress(before / wanted)
        outcomes = self.machine.run_each(run_trial, untried(), Trial.failure)
        for done, (_, outcome) in enumerate(outcomes, before + 1):
            sampler.tell(outcome)
            file.add(outcome)
            finished.append(outcome)
            self.machine.progress(done / wanted)
            self.machine.log(_line(outcome, setup.ranked_by))

    def result(self, finished: list[Outcome]) -> TuningResult:
        """The table of trials, with the best of them and the default trained again."""
        wanted = [each for each in finished if each.number <= self.tuning.trials]
        outcomes = sorted(wanted, key=lambda each: each.number)
        best, default = max(outcomes, key=lambda each: each.rank), outcomes[0]
        if best.value is None:
            raise StudyError(f"all {len(outcomes)} trials failed; the first: {default.reason}")
        setup, seeds = self._setup, self.tuning.seeds
        chosen = train_finalist(setup, best, seeds, self.folder, self.machine.log)
        beside = None if default.reason and not default.vocabulary else chosen
        if beside and default is not best:
            beside = train_finalist(setup, default, seeds, None, self.machine.log)
        return TuningResult(
            self.corpus.name,
            self._scorable.sentences.statistics(),
            self.test_set.name,
            self.test_set.language,
            {view: len(half.test_set.categories) for view, half in self._scorable.views.items()},
            self._scorable.left_out,
            outcomes,
            setup.ranked_by,
            {**setup.settings.signature, "tokens": self.corpus.tokens, **trained_with(setup.trainer)},
            chosen,
            beside,
            self._notes(outcomes, beside),
        )

    @cached_property
    def _lemmas(self) -> bool:
        return True in self.tuning.space.lemmas and has_lemmas(self.corpus.language)

    @cached_property
    def _prepared(self) -> PreparedCorpus:
        return PreparedCorpus.of(self.corpus, self.folder)

    @cached_property
    def _scorable(self) -> ScorableCategories:
        tuning = self.tuning
        needed = [int(getattr(parse_measure(each), "needed", LEAST_WORDS)) for each in tuning.measures]
        return ScorableCategories(
            self.test_set,
            self.corpus.name,
            self._prepared.prepare(lemmas=False),
            self._prepared.corpus.normalize,
            self._least_count,
            max(LEAST_WORDS, *needed),
            tuning.halves,
            tuning.seed,
            known_to_all=tuning.settings.oov == "skip",
        )

    @property
    def _least_count(self) -> int:
        """How often a word occurs that is known to some model; or to all, if unknown words are left out."""
        counts = self.tuning.space.min_count
        if self.tuning.settings.oov == "skip":
            return max(*counts, self.tuning.default.min_count)
        return min(counts)

    @property
    def _vocabulary(self) -> int | None:
        """How many words of each model are used."""
        if self.tuning.settings.oov != "skip":
            return None
        sentences = [self._prepared.sentences(lemmas=each) for each in {False, self._lemmas}]
        return min(sum(n >= self._least_count for n in each.counts.values()) for each in sentences)

    @cached_property
    def _setup(self) -> TrialSetup:
        tuning, views = self.tuning, self._scorable.views
        if self._lemmas:
            self._prepared.prepare(lemmas=True)
        case, profile = self.corpus.case, self.corpus.profile
        settings = replace(tuning.settings, case=case, profile=profile)  # type: ignore[arg-type]  # Settings checks
        return TrialSetup(
            *(self._prepared, views, tuning.measures, settings, self._vocabulary),
            *(tuning.seed, self.machine.for_task, self._lemmas, tuning.trainer),
        )

    def _notes(self, outcomes: list[Outcome], default: Finalist | None) -> list[str]:
        notes = [": ".join(each) for each in trained_with(self.tuning.trainer).items()]
        if True in self.tuning.space.lemmas and not self._lemmas:
            notes.append(
                f"no lemmas: simplemma is not installed, or has no dictionary of {self.corpus.language}; "
                "samples with lemmas were trained without"
            )
        failed = [outcome for outcome in outcomes if outcome.reason is not None]
        if failed:
            notes.append(f"{len(failed)} trials failed, for example {failed[0].number}: {failed[0].reason}")
        if default is not None:
            notes += [f"default: {reason}" for view, reason in default.reasons.items() if view != WHOLE]
        if self.tuning.seeds == 1:
            notes.append(ONE_SEED)
        return notes


def _line(outcome: Outcome, ranked_by: str) -> str:
    """What came of a trial, in a line."""
    found = outcome.reason if outcome.value is None else f"{ranked_by} {outcome.value:.4f}"
    return f"trial {outcome.number}, {outcome.parameters}: {found} ({sum(outcome.seconds):.0f} s)"
