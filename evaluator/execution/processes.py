"""Independent tasks in several worker processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

ATTEMPTS = 2
"""How often a task may run while its process dies; the last attempt runs alone."""

_SECONDS_UNTIL_A_LOOK = 5.0
"""How long results are waited for before the workers are counted again."""


@dataclass(frozen=True)
class WorkerDied:
    """The outcome of a task whose worker process died at each attempt."""

    reason: str


def completed_tasks(
    submit: Callable[[Task], Future[Result]], tasks: Iterator[Task], workers: Callable[[], int]
) -> Iterator[tuple[Task, Future[Result]]]:
    """Keep all workers busy, and yield each task with its future when it is done.

    `workers` is asked again and again while nothing is done, and may raise an error that ends the waiting.
    """
    running: dict[Future[Result], Task] = {}
    while True:
        for task in islice(tasks, max(0, workers() - len(running))):
            running[submit(task)] = task
        if not running:
            return
        done, _ = wait(running, _SECONDS_UNTIL_A_LOOK, FIRST_COMPLETED)
        # Results before failures, so that no finished work is done again.
        for future in sorted(done, key=lambda each: each.cancelled() or each.exception() is not None):
            yield running.pop(future), future


def run_in_processes(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[tuple[Task, Result | WorkerDied]]:
    """See `Machine.run_each`. With one worker, everything runs in this process.

    When a worker process dies, for instance because memory ran out, each task that was running is tried again
    alone: a task that only ran beside the cause is not given up.
    """
    if workers == 1:
        for task in tasks:
            yield task, function(task)
        return
    waiting = iter(tasks)
    while True:
        unfinished: dict[int, Task] = {}
        yield from _run_until_death(function, waiting, workers, unfinished)
        if not unfinished:
            return
        for task in unfinished.values():
            yield task, _run_alone(function, task)


def _run_until_death(
    function: Callable[[Task], Result], tasks: Iterator[Task], workers: int, unfinished: dict[int, Task]
) -> Iterator[tuple[Task, Result]]:
    """Run tasks until there are no more, or a process dies; `unfinished` then has those that had started."""
    # Forking a process with threads, such as those of numba and BLAS, may hang.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_die_with_parent) as pool:

        def submit(numbered: tuple[int, Task]) -> Future[Result]:
            number, task = numbered
            unfinished[number] = task  # before submitting, which fails if a process has died meanwhile
            with _without_interrupts():
                return pool.submit(function, task)

        try:
            for (number, task), future in completed_tasks(submit, enumerate(tasks), lambda: workers):
                result = future.result()
                del unfinished[number]
                yield task, result
        except BrokenProcessPool:
            return
        except BaseException:
            for process in (pool._processes or {}).values():  # there is no public way to stop running work
                process.terminate()
            raise


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back: processes that are started meanwhile never get it, and end with this one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _die_with_parent() -> None:
    """End this process when its parent ends, even by `kill -9`.

    Without this it would finish its task, and then wait forever for the next one.
    """
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run_alone(function: Callable[[Task], Result], task: Task) -> Result | WorkerDied:
    for _ in range(ATTEMPTS - 1):
        for _, result in list(_run_until_death(function, iter([task]), 1, {})):
            return result
    return WorkerDied("its worker process died; the memory may have run out")


def versions() -> dict[str, str]:
    """Of this machine: another version may give other results from the same files and seeds."""
    names = ("testgen-evaluator", "gensim", "numpy")
    return {name: version(name) for name in names if name != "gensim" or find_spec(name)}


def told(found: Mapping[str, str]) -> str:
    """Versions in a line."""
    return ", ".join(f"{name} {number}" for name, number in found.items()) or "unknown versions"
