"""learning_curve: models on nested subsets of a corpus, each twice as large as the one before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from evaluator.datasets.testset import TestSet
from evaluator.errors import StudyError
from evaluator.execution.output_files import prepare_folder, spare_inputs
from evaluator.execution.processes import Lost
from evaluator.execution.tasks import run_each, threads_of_each
from evaluator.measures import parse_measure
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves.material import Material, gather
from evaluator.studies.curves.points import Job, Point, Task, run_point
from evaluator.studies.curves.result import LearningCurve
from evaluator.studies.curves.rooms import clear
from evaluator.studies.curves.store import Store
from evaluator.studies.curves.subsets import doubling_sizes
from evaluator.studies.tuning.corpora import PreparedCorpus
from evaluator.text.corpus import Corpus

MEASURES = ("Topk@3", "OddOneOut@3", "Analogy@1")


@dataclass(frozen=True)
class Plan:
    """Which models to train, and how to score them.

    Attributes:
        first: The smallest size, in tokens.
        last: The largest; None for the whole corpus.
        seeds: How many models of each size, each with its own order of lines.
        seeds_up_to: Beyond this size there is one model only; None for no such limit.
        workers: How many models are trained at a time, each on one thread.
        scheduler: The cluster to train on, as `run_each` takes it; None for this machine.
        parameters: The hyper-parameters of all of them; those of the paper by default.
        measures: Measures on categories, and on analogies.
        settings: What holds for the scores; case and profile are the corpus', and the seed is the first.
    """

    first: int = 2**10
    last: int | None = None
    seeds: int = 1
    seeds_up_to: int | None = None
    workers: int = 1
    scheduler: str | None = None
    parameters: Hyperparameters = field(
        default_factory=lambda: Hyperparameters(architecture="skip-gram", epochs=1)
    )
    measures: tuple[str, ...] = MEASURES
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            StudyError: Naming it.
            MeasureError: A measure's text is wrong.
        """
        for name in ("first", "last", "seeds", "seeds_up_to", "workers"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise StudyError(f"{name} is {value}; it must be 1 or more")
        if self.settings.seed + self.seeds > 2**32:
            raise StudyError(f"seed is {self.settings.seed}; all seeds must be below 2^32")
        if self.settings.oov != "wrong":
            raise StudyError("oov is 'skip'; a curve needs 'wrong', as sizes know different words")
        if not self.measures:
            raise StudyError("no measures given")
        texts = tuple(dict.fromkeys(str(parse_measure(each)) for each in self.measures))
        object.__setattr__(self, "measures", texts)

    def seeds_at(self, size: int) -> range:
        """The seeds of the models of one size."""
        many = self.seeds_up_to is None or size <= self.seeds_up_to
        return range(self.settings.seed, self.settings.seed + (self.seeds if many else 1))


def learning_curve(
    corpus: Corpus,
    folder: Path,
    test_set: TestSet | None = None,
    analogies: TestSet | None = None,
    plan: Plan | None = None,
    progress: Callable[[float], None] | None = None,
) -> LearningCurve:
    """Train models on nested random subsets of a corpus and score them: Figure 1 of the paper.

    The paper is "Evaluating Word Embeddings on Low-Resource Languages". What has no vector is a miss, and a
    category or section with too few known words counts as 0, so that all sizes are scored on the same. Models
    that were finished when a run was interrupted are not made again, nor when more sizes or seeds are wanted.

    Args:
        corpus: What to train on.
        folder: Where points and sentences are kept.
        test_set: Whose categories to score on; None to make them of the analogies.
        analogies: Whose analogies to score on; None for those of the test set, if it has any.
        plan: Which models; `Plan()` if None.
        progress: Called now and then with the share of the work that is done, from 0 to 1.

    Raises:
        CorpusError: The corpus cannot be read, or holds no word.
        StudyError: There is nothing to score; the corpus is smaller than asked for; the folder holds a curve
            of other settings, or another process is at work in it; or a process died.
        ClusterError: The cluster cannot be used, or was lost; what was finished is kept.
        OutputError: The folder cannot be written to, or the corpus would be written over.
    """
    plan = plan or Plan()
    tests = gather(test_set, analogies)
    spare_inputs(corpus.on_this_machine, folder, ["sentences.txt"])
    prepare_folder(folder)
    try:
        with FileLock(folder / ".lock", timeout=0):
            run = _Run(PreparedCorpus.of(corpus, folder), tests, plan)
            return run.run(progress or (lambda _: None))
    except Timeout as error:
        raise StudyError(
            f"{folder}: another process is at work there; wait, or name another folder"
        ) from error


@dataclass(frozen=True)
class _Run:
    """A run at work."""

    prepared: PreparedCorpus
    tests: Material
    plan: Plan

    def run(self, progress: Callable[[float], None]) -> LearningCurve:
        folder = self.prepared.folder
        store = Store(folder, self._fingerprint)
        clear(folder)
        sentences = self.prepared.prepare(lemmas=False)
        sizes = doubling_sizes(self.plan.first, self.plan.last, sentences.tokens)
        job = self._job
        tasks = [Task(size, seed, job) for size in sizes for seed in self.plan.seeds_at(size)]
        self._make(tasks, store, progress)
        points = [point for task in tasks if (point := store.find(task.size, task.seed)) is not None]
        return LearningCurve(
            self.prepared.corpus.name,
            sentences.tokens,
            self.tests,
            self.plan.parameters,
            self._settings,
            self._measures,
            points,
        )

    def _make(self, tasks: list[Task], store: Store, progress: Callable[[float], None]) -> None:
        """Make the points that are missing, the small ones first.

        Raises:
            StudyError: A process died each time.
        """
        missing = [task for task in tasks if store.find(task.size, task.seed) is None]
        whole = sum(task.size for task in tasks)
        done = whole - sum(task.size for task in missing)
        lost: list[Task] = []
        progress(done / whole)
        for task, result in run_each(run_point, missing, self.plan.workers, self.plan.scheduler):
            if isinstance(result, Lost):
                lost.append(task)
            elif isinstance(result, Point):
                store.keep(result)
            done += task.size
            progress(done / whole)
        if lost:
            raise StudyError(
                f"{lost[0].size:,} tokens, seed {lost[0].seed}: the process died, memory may be short. "
                "Other points are kept; run it again with fewer workers, or up to a smaller size"
            )

    @property
    def _job(self) -> Job:
        threads = threads_of_each(self.plan.workers, self.plan.scheduler)
        return Job(self.prepared, self.tests, self._measures, self.plan.parameters, self._settings, threads)

    @property
    def _settings(self) -> Settings:
        case, profile = self.prepared.corpus.case, self.prepared.corpus.profile
        return replace(self.plan.settings, case=case, profile=profile)  # type: ignore[arg-type]  # Settings checks

    @property
    def _measures(self) -> tuple[str, ...]:
        """Those for which there is something to score.

        Raises:
            StudyError: There are none.
        """
        asked = self.plan.measures
        found = tuple(each for each in asked if self.tests.of(parse_measure(each)) is not None)
        if not found:
            raise StudyError(f"{self.tests.analogies.name}: has nothing for {', '.join(asked)}")
        return found

    @property
    def _fingerprint(self) -> dict[str, Any]:
        """All that a point depends on beside its size and seed."""
        settings = asdict(self._settings)
        if not any(parse_measure(each).draws for each in self._measures):
            del settings["seed"]  # it is for intervals only then
        return {
            "corpus": self.prepared.sha256,
            **self.tests.fingerprint,
            "parameters": asdict(self.plan.parameters),
            "measures": list(self._measures),
            "settings": settings,
        }
