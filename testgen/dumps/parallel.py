"""Doing the same with many things, on several cores; the results come in the order of the things.

A task and its result are plain values that can be sent anywhere, a task says by itself where its data is (see
`testgen.dumps.blocks`), and no task depends on another; so a cluster can do them as well.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from testgen.errors import SourceError

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD = 2  # tasks that wait for each worker; more would fill the memory


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_each(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int, scheduler: str | None = None
) -> Iterator[tuple[Task, Result]]:
    """Each task with what a function makes of it, in order.

    Args:
        function: What to do; it can be pickled, and so can tasks and results, if there are several workers.
        tasks: They are taken as they are needed, never many at once.
        workers: How many processes work on them; with 1, this one does.
        scheduler: The cluster to work on; None for this machine.

    Raises:
        SourceError: A worker died, or the cluster was lost.
        ConfigError: The cluster cannot be used.
    """
    if scheduler is not None:
        from testgen.dumps.cluster import on_cluster

        yield from on_cluster(function, tasks, scheduler, workers)
        return
    if workers == 1:
        yield from ((task, function(task)) for task in tasks)
        return
    waiting: deque[tuple[Task, Future[Result]]] = deque()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            for task in tasks:
                waiting.append((task, pool.submit(function, task)))
                if len(waiting) > _AHEAD * workers:
                    yield _done(*waiting.popleft())
            while waiting:
                yield _done(*waiting.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _done(task: Task, future: Future[Result]) -> tuple[Task, Result]:
    try:
        return task, future.result()
    except BrokenProcessPool as error:
        raise SourceError(
            "a process that read the dump was ended from outside, perhaps for lack of memory; run the same "
            "command again, with fewer --workers, and it goes on where it stopped"
        ) from error
