"""Where and how work is done: worker processes or a cluster, threads, and who is told of progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal, NoReturn, TypeVar

from threadpoolctl import ThreadpoolController

from evaluator.errors import ClusterError, ScoreError

Task = TypeVar("Task")
Result = TypeVar("Result")


def cores() -> int:
    """The number of threads that can run at the same time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_thread(user_api: Literal["blas", "openmp"] | None = None) -> AbstractContextManager[object]:
    """A context in which BLAS, OpenMP or both use one thread: several may change the last bits of sums."""
    limited: AbstractContextManager[object] = _controller(len(sys.modules)).limit(limits=1, user_api=user_api)
    return limited


@lru_cache(maxsize=1)  # looking for libraries takes as long as scoring a few words
def _controller(modules: int) -> ThreadpoolController:  # noqa: ARG001 - a module may have loaded a library
    return ThreadpoolController()


def _ignored(_: object) -> None:
    pass


@dataclass(frozen=True)
class Machine:
    """Where and how work is done. No result depends on it.

    Attributes:
        workers: How many tasks run at a time, each in a process of its own if several.
        scheduler: The address of a Dask scheduler, whose workers run the tasks; None for this machine.
        threads: How many threads share the work of a task; None for as many as its worker may use.
        progress: Called now and then with the finished share of the work, from 0 to 1.
        log: Called with a line for each finished task.

    Raises:
        ClusterError: There are no workers or threads.
    """

    workers: int = 1
    scheduler: str | None = None
    threads: int | None = None
    progress: Callable[[float], None] = _ignored
    log: Callable[[str], None] = _ignored

    def __post_init__(self) -> None:
        for name, number in (("workers", self.workers), ("threads", self.threads)):
            if number is not None and number < 1:
                raise ClusterError(f"{name} is {number}; it must be 1 or more")

    @property
    def in_this_process(self) -> bool:
        """Whether no other process takes part."""
        return self.workers == 1 and self.scheduler is None

    @property
    def for_task(self) -> Machine:
        """What each of the tasks that run at the same time may use; it tells nobody of progress."""
        of_worker = 1 if self.scheduler else max(1, cores() // self.workers)
        return Machine(threads=self.threads or of_worker)

    def part(self, start: float, end: float) -> Machine:
        """The same for a part of the work, from one share of the whole to another."""
        return replace(self, progress=lambda done: self.progress(start + (end - start) * done))

    def run_each(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        died: Callable[[Task, str], Result],
    ) -> Iterator[tuple[Task, Result]]:
        """Run a function on each task, and yield results in the order in which they are finished.

        Tasks are taken one by one as workers become free, so a later task may depend on earlier results. A
        task whose process or machine dies is tried again elsewhere. No other task is lost with it, and no
        result is yielded twice.

        Args:
            function: Of a module, so that other processes find it.
            tasks: The tasks; they and the results travel between processes. They name files, which are read
                where the task runs.
            died: Called with a task whose process died at each attempt, and the reason; returns its result,
                or raises an error.

        Raises:
            ClusterError: The cluster cannot be used, or was lost.
            ExtraError: A library for it is not installed.
        """
        from evaluator.execution.processes import WorkerDied, run_in_processes

        if self.scheduler is None:
            results = run_in_processes(function, tasks, self.workers)
        else:
            from evaluator.execution.cluster import run_on_cluster

            results = run_on_cluster(function, tasks, self.scheduler)
        for task, result in results:
            yield task, died(task, result.reason) if isinstance(result, WorkerDied) else result

    def run_all(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Run a function on each task, and return the results in the order of the tasks; see `run_each`.

        Raises:
            ScoreError: The process of a task died at each attempt.
            ClusterError: The cluster cannot be used, or was lost.
            ExtraError: A library for it is not installed.
        """
        results = dict[int, Result]()
        for (number, _), result in self.run_each(partial(_run, function), list(enumerate(tasks)), _fail):
            results[number] = result
            self.progress(len(results) / len(tasks))
        return [results[number] for number in range(len(tasks))]


def _run(function: Callable[[Task], Result], numbered: tuple[int, Task]) -> Result:
    return function(numbered[1])


def _fail(numbered: tuple[int, object], reason: str) -> NoReturn:
    raise ScoreError(f"{numbered[1]}: {reason}; run it again, with fewer workers or more memory for each")
