"""Running independent tasks, here or on a cluster, results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from evaluator.workers.base import Lost, Result, Task
from evaluator.workers.processes import run_in_processes

__all__ = ["Lost", "run_each"]


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
    from evaluator.workers.cluster import run_on_cluster

    return run_on_cluster(function, tasks, scheduler, workers)
