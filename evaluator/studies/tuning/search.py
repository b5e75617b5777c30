"""tune: a search for hyper-parameters that can be interrupted, and that ends in an honest number."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from evaluator.datasets.testset import TestSet
from evaluator.errors import StudyError
from evaluator.execution.output_files import prepare_folder, spare_inputs
from evaluator.execution.processes import Lost
from evaluator.execution.tasks import run_each, threads_of_each
from evaluator.measures import parse_measure
from evaluator.results.tuning import CHOICE, REPORT, WHOLE, Outcome
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.holdout import Half, halves
from evaluator.studies.scoring import Score
from evaluator.studies.training import trained_model, write_model
from evaluator.studies.tuning.corpora import PreparedCorpus
from evaluator.studies.tuning.result import Model, TuningResult, all_skipped, with_skipped
from evaluator.studies.tuning.space import PAPER, Space
from evaluator.studies.tuning.study import SAMPLERS, Sampler, Study, require_optuna
from evaluator.studies.tuning.trial import Job, Trial, run_trial
from evaluator.text.corpus import Corpus, Sentences, scripts_of
from evaluator.text.lemmas import has_lemmas
from evaluator.vectors import from_gensim

LEAST_WORDS = 3
"""Words of a category that must be in the corpus, in each half, at least: as many as OddOneOut@3 takes."""


@dataclass(frozen=True)
class Tuning:
    """What to search, and how.

    Attributes:
        trials: How many, the default hyper-parameters not counted.
        space: What hyper-parameters are sampled from.
        sampler: `random`, the same samples for every corpus; or `tpe`, which depends on earlier trials.
        seed: Of the samples, of training, and of the halves.
        epochs: How often each model goes through the corpus.
        workers: How many models are trained at a time, each on one thread.
        scheduler: The cluster to train on, as `run_each` takes it; None for this machine.
        measures: A Topk and an OddOneOut, of which Combined is made.
        settings: What holds for the scores; case and profile are the corpus'.
        halves: Whether models are chosen by one half of each category and judged by the other.
    """

    trials: int = 100
    space: Space = PAPER
    sampler: Sampler = "random"
    seed: int = 0
    epochs: int = 5
    workers: int = 1
    scheduler: str | None = None
    measures: tuple[str, str] = ("Topk@3", "OddOneOut@3")
    settings: Settings = field(default_factory=Settings)
    halves: bool = True

    def __post_init__(self) -> None:
        """Refuse what does not exist.

        Raises:
            StudyError: Naming it.
            MeasureError: A measure is wrong.
        """
        if self.sampler not in SAMPLERS:
            raise StudyError(f"sampler is {self.sampler!r}; choose from {', '.join(SAMPLERS)}")
        for name in ("trials", "workers", "epochs"):
            if getattr(self, name) < 1:
                raise StudyError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if not 0 <= self.seed < 2**32:
            raise StudyError(f"seed is {self.seed}; it must be 0 or more, and below 2^32")
        if [type(parse_measure(each)).__name__ for each in self.measures] != ["Topk", "OddOneOut"]:
            raise StudyError(f"measures are {', '.join(self.measures)}; give a Topk and an OddOneOut")


def tune(
    corpus: Corpus,
    test_set: TestSet,
    folder: Path,
    tuning: Tuning | None = None,
    progress: Callable[[float], None] | None = None,
) -> TuningResult:
    """Search for the hyper-parameters that make the best vectors of a corpus.

    Half of the items of each category say which model is best, the other half how good it is: the best of a
    hundred is better by chance alone on what it was chosen by. Trials that were finished when a run was
    interrupted are not made again.

    Args:
        corpus: What to train on, without lemmas; the space says whether they are tried.
        test_set: Whose categories to score models on.
        folder: Where the study is kept, its sentences, and the best model.
        tuning: What to search, and how; `Tuning()` if None.
        progress: Called now and then with the share of trials that are done, from 0 to 1.

    Raises:
        CorpusError: The corpus cannot be read, or holds no word.
        StudyError: No category has enough words in the corpus; the folder holds a study of other settings, or
            another process is at work in it; all trials failed.
        ClusterError: The cluster cannot be used, or was lost; what was finished is kept.
        ExtraError: Optuna, or simplemma, is not installed.
        OutputError: The folder cannot be written to.
    """
    tuning = tuning or Tuning()
    require_optuna()
    spare_inputs(corpus.on_this_machine, folder, ["sentences.txt", "sentences-lemmas.txt"])
    prepare_folder(folder)
    try:
        with FileLock(folder / ".lock", timeout=0):
            return _Search(corpus, test_set, folder, tuning).run(progress or (lambda _: None))
    except Timeout as error:
        raise StudyError(
            f"{folder}: another process is at work there; wait, or name another folder"
        ) from error


_Views = dict[str, tuple[Score, ...]]


@dataclass
class _Search:
    """A search at work."""

    corpus: Corpus
    test_set: TestSet
    folder: Path
    tuning: Tuning

    def run(self, progress: Callable[[float], None]) -> TuningResult:
        tuning = self.tuning
        study = Study(self.folder, self._fingerprint, tuning.sampler, tuning.seed)
        job = self._job
        default = Hyperparameters(epochs=tuning.epochs)
        samples = self.tuning.space.samples(tuning.trials, tuning.seed) if tuning.sampler == "random" else []
        study.enqueue([default, *samples])
        wanted = tuning.trials + 1
        done = len(study.outcomes())

        def trials() -> Iterator[Trial]:
            for number, parameters in study.trials(self.tuning.space, wanted, tuning.epochs):
                yield Trial(number, replace(parameters, lemmas=job.with_lemmas(parameters)), job)

        progress(done / wanted)
        for trial, result in run_each(run_trial, trials(), tuning.workers, tuning.scheduler):
            study.tell(_lost(trial, result) if isinstance(result, Lost) else result)
            done += 1
            progress(done / wanted)
        return self._result([each for each in study.outcomes() if each.number < wanted])

    @cached_property
    def _lemmas(self) -> bool:
        return True in self.tuning.space.lemmas and has_lemmas(self.corpus.language)

    @cached_property
    def _prepared(self) -> PreparedCorpus:
        return PreparedCorpus.of(self.corpus, self.folder)

    @cached_property
    def _sentences(self) -> Sentences:
        return self._prepared.prepare(lemmas=False)

    @cached_property
    def _job(self) -> Job:
        if self._lemmas:
            self._prepared.prepare(lemmas=True)
        settings = replace(
            self.tuning.settings,
            case=self.corpus.case,  # type: ignore[arg-type]  # checked by Settings
            profile=self.corpus.profile,
        )
        threads = threads_of_each(self.tuning.workers, self.tuning.scheduler)
        return Job(
            self._prepared,
            self._views,
            self.tuning.measures,
            settings,
            self.tuning.seed,
            threads,
            self._lemmas,
        )

    @property
    def _least(self) -> int:
        """Words of a category that must be in the corpus, in each half."""
        return max(LEAST_WORDS, int(vars(parse_measure(self.tuning.measures[1]))["k"]))

    @cached_property
    def _known(self) -> frozenset[str]:
        """Words of the corpus that the model with the lowest min count has."""
        least = min(self.tuning.space.min_count)
        return frozenset(word for word, count in self._sentences.counts.items() if count >= least)

    @cached_property
    def _views(self) -> Mapping[str, Half]:
        form = self._prepared.form(lemmas=False)
        whole = Half(_with_words(self.test_set, self._counted(self.test_set)), frozenset())
        if not whole.test_set.categories:
            raise StudyError(self._nothing_known())
        if not self.tuning.halves:
            return {CHOICE: whole, WHOLE: whole}
        choice, report = halves(whole.test_set, self.tuning.seed, form, self._known)
        in_both = self._counted(choice.test_set) & self._counted(report.test_set)
        if not in_both:
            raise StudyError(
                f"{self.test_set.name}: no category has {2 * self._least} words that occur "
                f"{min(self.tuning.space.min_count)} times in {self.corpus.name}, so there are no halves "
                "to choose a model by and to judge it by. Tune on the whole test set (--whole), which gives "
                "no honest number"
            )
        kept = (replace(half, test_set=_with_words(half.test_set, in_both)) for half in (choice, report))
        return dict(zip((CHOICE, REPORT), kept, strict=True)) | {WHOLE: whole}

    def _counted(self, test_set: TestSet) -> set[str]:
        """The names of categories with enough words in the corpus."""
        form = self._prepared.form(lemmas=False)
        return {
            category.name
            for category in test_set.categories
            if len({form(word) for word in category.words} & self._known) >= self._least
        }

    def _nothing_known(self) -> str:
        """Why no category can be scored."""
        form = self._prepared.form(lemmas=False)
        words = {form(word): 1 for category in self.test_set.categories for word in category.words}
        if not words:
            return f"{self.test_set.name}: has no categories, and models are chosen by those alone"
        least = min(self.tuning.space.min_count)
        if words.keys() & self._sentences.counts.keys():
            return (
                f"{self.test_set.name}: no category has {self._least} words that occur {least} times in "
                f"{self.corpus.name}. A larger corpus, --case fold or an orthography profile may help"
            )
        own, others = _script(self._sentences.counts), _script(words)
        differ = (
            f"the corpus is {own} script, the test set {others}"
            if own != others
            else ("both are in the same script: is the test set in the language of the corpus?")
        )
        return f"{self.test_set.name}: no word of the test set occurs in {self.corpus.name}; {differ}"

    @cached_property
    def _fingerprint(self) -> dict[str, Any]:
        """All that trials depend on."""
        tuning = self.tuning
        return {
            "corpus": self._prepared.sha256,
            "test set": self.test_set.sha256,
            "categories": _digest([category.name for category in self.test_set.categories]),
            "space": {name: list(values) for name, values in tuning.space.choices().items()},
            "sampler": tuning.sampler,
            "seed": tuning.seed,
            "epochs": tuning.epochs,
            "measures": list(tuning.measures),
            "settings": {**asdict(tuning.settings), "case": self.corpus.case, "profile": self.corpus.profile},
            "halves": tuning.halves,
            "lemmas": self._lemmas,
        }

    def _result(self, outcomes: list[Outcome]) -> TuningResult:
        best, default = max(outcomes, key=lambda each: each.rank), outcomes[0]
        if best.reason is not None:
            raise StudyError(f"all {len(outcomes)} trials failed; the first: {outcomes[0].reason}")
        models = self._models(best, default)
        return TuningResult(
            self.corpus.name,
            self._sentences.statistics(),
            self.test_set.name,
            self.test_set.language,
            {view: len(half.test_set.categories) for view, half in self._views.items()},
            self._left_out(),
            outcomes,
            models[best.number],
            models.get(default.number),
            self._notes(outcomes),
        )

    def _models(self, best: Outcome, default: Outcome) -> dict[int, Model]:
        """The best and the default, unless it failed, by the number of their trials."""
        outcomes = {each.number: each for each in (best, default) if each.values}
        scores = {number: self._again(each, keep=each is best) for number, each in outcomes.items()}
        if any(not any(view in own for own in scores.values()) for view in self._views):
            raise StudyError(
                f"{self.test_set.name}: neither the best model nor the default knows {self._least} words of "
                "any category of each half. More trials, or lower min counts (--only min_count=3), may help"
            )
        return {
            number: Model(each, self._with_skipped(str(each.parameters), scores[number], scores[other]))
            for (number, each), other in zip(outcomes.items(), reversed(outcomes), strict=True)
        }

    def _again(self, outcome: Outcome, *, keep: bool) -> _Views:
        """Train the model of a trial once more, to the same vectors, and score it with all its units."""
        sentences = self._prepared.sentences(self._job.with_lemmas(outcome.parameters))
        model = trained_model(sentences, outcome.parameters, self.tuning.seed)
        vectors = from_gensim(model, str(outcome.parameters))
        if keep:
            written = write_model(model, self.folder)
            for old in {"model.vec", "model.bin"} - {written.name}:  # of a best model with fewer trials
                (self.folder / old).unlink(missing_ok=True)
        found = {view: self._job.scores(vectors, outcome.parameters, view) for view in self._views}
        return {view: scores for view, scores in found.items() if scores is not None}

    def _with_skipped(self, name: str, own: _Views, other: _Views) -> _Views:
        """Scores of a model with categories that were skipped counted as 0, by the other model's units."""
        found = {}
        for view in self._views:
            scores = own.get(view) or tuple(all_skipped(each, name) for each in other[view])
            likes = other.get(view, scores)
            found[view] = tuple(with_skipped(a, b) for a, b in zip(scores, likes, strict=True))
        return found

    def _left_out(self) -> dict[str, str]:
        """Categories that are not in the view that counts, and why."""
        view = REPORT if self.tuning.halves else WHOLE
        kept = {category.name for category in self._views[view].test_set.categories}
        words = 2 * self._least if self.tuning.halves else self._least
        reason = (
            f"fewer than {words} of its words are in the corpus often enough, or its halves differ too much"
        )
        return {c.name: reason for c in self.test_set.categories if c.name not in kept}

    def _notes(self, outcomes: list[Outcome]) -> list[str]:
        notes = []
        if True in self.tuning.space.lemmas and not self._lemmas:
            notes.append(
                f"no lemmas: simplemma is not installed or has no dictionary of {self.corpus.language}; "
                "samples with lemmas were trained without"
            )
        failed = [outcome for outcome in outcomes if outcome.reason is not None]
        if failed:
            notes.append(f"{len(failed)} trials failed, for example {failed[0].number}: {failed[0].reason}")
        return notes


def _lost(trial: Trial, lost: Lost) -> Outcome:
    return Outcome(trial.number, trial.parameters, {}, 0, (0.0, 0.0), str(lost))


def _with_words(test_set: TestSet, names: set[str]) -> TestSet:
    """Only the categories of these names, and nothing but categories."""
    kept = tuple(category for category in test_set.categories if category.name in names)
    return TestSet(test_set.language, test_set.name, test_set.sha256, kept, named_in=test_set.named_in)


def _script(counts: Mapping[str, int]) -> str:
    return next((script for script, _ in scripts_of(counts).most_common(1)), "no")


def _digest(names: list[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]
