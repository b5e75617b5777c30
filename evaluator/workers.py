"""Running independent tasks in several processes, results as they come."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

ATTEMPTS = 2
"""How often a task may be running while a process dies before it is given up: it is likely to be the cause."""


class Lost(Exception):  # noqa: N818 - a result and not an error: it is handed over, never raised
    """What stands for the result of a task whose process died each time."""


def run_each(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[tuple[Task, Result | Lost]]:
    """Run a function on each task and hand over results in the order in which they come.

    Tasks are taken one by one as workers are free, so that a later one may depend on earlier results. Where a
    process dies, memory for instance having run out, what it and its like were doing is tried again.

    Args:
        function: Of a module, so that other processes find it.
        tasks: What to run it on; they and results travel between processes.
        workers: How many processes; with one, everything is run in this process.
    """
    if workers == 1:
        for task in tasks:
            yield task, function(task)
        return
    waiting = iter(tasks)
    again: list[tuple[Task, int]] = []
    while True:
        running: dict[Future[Result], tuple[Task, int]] = {}
        # Forking a process that has threads, as numba's and BLAS's, may hang.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            try:
                while True:
                    chosen = [again.pop() for _ in range(min(len(again), workers - len(running)))]
                    chosen += [(task, 1) for task in islice(waiting, workers - len(running) - len(chosen))]
                    for task, attempt in chosen:
                        running[pool.submit(function, task)] = task, attempt
                    if not running:
                        return
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        result = future.result()
                        yield running.pop(future)[0], result
            except BrokenProcessPool:
                pass
            except BaseException:
                for process in (pool._processes or {}).values():  # no public way to stop work begun
                    process.terminate()
                raise
        for task, attempt in running.values():
            if attempt < ATTEMPTS:
                again.append((task, attempt + 1))
            else:
                yield task, Lost("its process died; the memory may have run out")
