"""Running independent tasks, here or on a cluster, results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from evaluator.errors import ClusterError, ScoreError
from evaluator.execution.processes import Lost, Result, Task, cores, run_in_processes


def run_each(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int = 1, scheduler: str | None = None
) -> Iterator[tuple[Task, Result | Lost]]:
    """Run a function on each task and hand over results in the order in which they come.

    Tasks are taken one by one as workers are free, so that a later one may depend on earlier results. A task
    whose process or machine dies is tried again elsewhere; no result is lost for another's sake, and none is
    handed over twice.

    Args:
        function: Of a module, so that other processes find it.
        tasks: What to run it on; they and results travel between processes. Files are named in them and read
            where the work is done.
        workers: How many processes; on a cluster whose scheduler starts workers, how many of these.
        scheduler: Where a cluster is asked for, as `--scheduler` says it; None for processes of this machine.

    Raises:
        ClusterError: The cluster cannot be used, or was lost.
        ExtraError: A library for it is not installed.
    """
    if scheduler is None:
        return run_in_processes(function, tasks, workers)
    from evaluator.execution.cluster import run_on_cluster

    return run_on_cluster(function, tasks, scheduler, workers)


def run_all(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    workers: int = 1,
    scheduler: str | None = None,
    finished: Callable[[Task], None] = lambda _: None,
) -> list[Result]:
    """Run a function on each task; the results are in the order of the tasks.

    Args:
        function: As of `run_each`, and so are all others but the last.
        tasks: What to run it on.
        workers: How many at a time.
        scheduler: The cluster, if one is asked for.
        finished: Called with each task that is done.

    Raises:
        ScoreError: A process died each time that a task was tried.
        ClusterError: The cluster cannot be used, or was lost.
        ExtraError: A library for it is not installed.
    """
    left, found = list(enumerate(tasks)), dict[int, Result]()
    for task, result in run_each(function, tasks, workers, scheduler):
        if isinstance(result, Lost):
            raise ScoreError(f"{task}: {result}; run it again, with fewer workers or more memory for each")
        place = next(place for place, (_, each) in enumerate(left) if each is task)
        found[left.pop(place)[0]] = result
        finished(task)
    return [found[number] for number in range(len(tasks))]


def threads_of_each(workers: int, scheduler: str | None = None) -> int:
    """How many threads each of several workers may use.

    Raises:
        ClusterError: There are no workers.
    """
    if workers < 1:
        raise ClusterError(f"workers is {workers}; it must be 1 or more")
    return 1 if scheduler else max(1, cores() // workers)
