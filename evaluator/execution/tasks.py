"""Independent tasks on this machine or on a cluster; the one place that decides which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NoReturn

from evaluator.errors import ClusterError, ScoreError
from evaluator.execution.processes import Result, Task, WorkerDied, cores, run_in_processes


def run_each(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    died: Callable[[Task, str], Result],
    workers: int = 1,
    scheduler: str | None = None,
) -> Iterator[tuple[Task, Result]]:
    """Run a function on each task, and yield results in the order in which they are finished.

    Tasks are taken one by one as workers become free, so a later task may depend on earlier results. A task
    whose process or machine dies is tried again elsewhere. No other task is lost with it, and no result is
    yielded twice.

    Args:
        function: Of a module, so that other processes find it.
        tasks: The tasks; they and the results travel between processes. They name files, which are read
            where the task runs.
        died: Called with a task whose process died at each attempt, and the reason; returns its result, or
            raises an error.
        workers: How many processes of this machine.
        scheduler: The address of a Dask scheduler, whose workers run the tasks; None for this machine.

    Raises:
        ClusterError: The cluster cannot be used, or was lost.
        ExtraError: A library for it is not installed.
    """
    for task, result in _results(function, tasks, workers, scheduler):
        yield task, died(task, result.reason) if isinstance(result, WorkerDied) else result


def _results(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int, scheduler: str | None
) -> Iterator[tuple[Task, Result | WorkerDied]]:
    if scheduler is None:
        return run_in_processes(function, tasks, workers)
    from evaluator.execution.cluster import run_on_cluster

    return run_on_cluster(function, tasks, scheduler)


def run_all(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    workers: int = 1,
    scheduler: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> list[Result]:
    """Run a function on each task, and return the results in the order of the tasks.

    Args:
        function: As in `run_each`.
        tasks: The tasks.
        workers: How many processes.
        scheduler: The cluster, if any.
        progress: Called after each task with the share of tasks that are done, from 0 to 1.

    Raises:
        ScoreError: The process of a task died at each attempt.
        ClusterError: The cluster cannot be used, or was lost.
        ExtraError: A library for it is not installed.
    """
    results, numbered = dict[int, Result](), list(enumerate(tasks))
    for (number, _), result in run_each(partial(_run, function), numbered, _fail, workers, scheduler):
        results[number] = result
        progress(len(results) / len(tasks))
    return [results[number] for number in range(len(tasks))]


def _run(function: Callable[[Task], Result], numbered: tuple[int, Task]) -> Result:
    return function(numbered[1])


def _fail(numbered: tuple[int, object], reason: str) -> NoReturn:
    raise ScoreError(f"{numbered[1]}: {reason}; run it again, with fewer workers or more memory for each")


def threads_per_worker(workers: int, scheduler: str | None = None) -> int:
    """How many threads each of several workers may use.

    Raises:
        ClusterError: There are no workers.
    """
    if workers < 1:
        raise ClusterError(f"workers is {workers}; it must be 1 or more")
    return 1 if scheduler else max(1, cores() // workers)
