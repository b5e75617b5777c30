"""Running independent tasks in several processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import count, islice
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

ATTEMPTS = 2
"""How often a task may be running while a process dies before it is given up; the last time it runs alone."""


class Lost(Exception):  # noqa: N818 - a result and not an error: it is handed over, never raised
    """What stands for the result of a task whose process died each time."""


def cores() -> int:
    """How many threads may run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_in_processes(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[tuple[Task, Result | Lost]]:
    """See `run_each`. With one worker, everything is run in this process.

    Where a process dies, memory for instance having run out, each task that was running is tried again alone,
    so that what merely ran beside the cause is not given up with it.
    """
    if workers == 1:
        for task in tasks:
            yield task, function(task)
        return
    waiting = iter(tasks)
    while True:
        unfinished: dict[int, Task] = {}
        yield from _together(function, waiting, workers, unfinished)
        if not unfinished:
            return
        for task in unfinished.values():
            yield task, _alone(function, task)


def _together(
    function: Callable[[Task], Result], waiting: Iterator[Task], workers: int, unfinished: dict[int, Task]
) -> Iterator[tuple[Task, Result]]:
    """Run tasks until there are no more, or a process dies; what has been begun by then is unfinished."""
    running: dict[Future[Result], int] = {}
    numbers = count()
    # Forking a process that has threads, as numba's and BLAS's, may hang.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_die_with_parent) as pool:
        try:
            while True:
                for number, task in zip(numbers, islice(waiting, workers - len(running)), strict=False):
                    unfinished[number] = task  # before submit, which fails if a process has died meanwhile
                    running[pool.submit(function, task)] = number
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                # Results before deaths, so that nothing that is finished is done again.
                for future in sorted(done, key=_died):
                    result = future.result()
                    yield unfinished.pop(running.pop(future)), result
        except BrokenProcessPool:
            return
        except BaseException:
            for process in (pool._processes or {}).values():  # no public way to stop work begun
                process.terminate()
            raise


def _die_with_parent() -> None:
    """See to it that this process ends when the one that began it does, be it by `kill -9`.

    It would go on with its task, and then wait for the next one for ever.
    """
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _died(future: Future[Result]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)


def _alone(function: Callable[[Task], Result], task: Task) -> Result | Lost:
    """Run a task whose process died once more, in a process of its own."""
    for _ in range(ATTEMPTS - 1):
        for _, result in list(_together(function, iter([task]), 1, {})):
            return result
    return Lost("its process died; the memory may have run out")
