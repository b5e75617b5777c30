"""Independent tasks on a Dask cluster (extra `[cluster]`)."""

from __future__ import annotations

import logging
import platform
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from evaluator.errors import ClusterError, EvaluatorError, ExtraError
from evaluator.execution.processes import Result, Task, WorkerDied, completed_tasks, told, versions

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE = 30.0
"""Seconds to wait for a scheduler, and for its first worker."""

_PATIENCE_WITHOUT_WORKERS = 300.0
"""Seconds to wait for a new worker when all have ended: those of a queue may come back."""

_ADDRESS = re.compile(r"(tcp|tls|ucx|ucxx|ws|wss)://(\[[^][/\s]+\]|[^][:/@\s]+):0*([1-9][0-9]{0,4})/?")
_NOISY_LOGGERS = ("distributed", "distributed.client", "asyncio")
"""Loggers that print tracebacks of closed connections; our errors say what matters of them."""


def run_on_cluster(
    function: Callable[[Task], Result], tasks: Iterable[Task], scheduler: str
) -> Iterator[tuple[Task, Result | WorkerDied]]:
    """See `Machine.run_each`; the workers must have the module of the function installed."""
    with _connected(scheduler) as client:
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]

        def submit(task: Task) -> Future[Result]:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Sending large graph")
                return executor.submit(_run_checked, function, task, versions())  # type: ignore[no-any-return]

        gone = f"{scheduler}: the scheduler is gone; run the same command again"

        ended_at: float | None = None

        def threads() -> int:
            nonlocal ended_at
            try:
                number = sum(client.nthreads().values())  # type: ignore[no-untyped-call]
            except OSError as error:  # it died while nothing was waited for
                raise ClusterError(gone) from error
            now = time.monotonic()
            ended_at = None if number else now if ended_at is None else ended_at
            if ended_at is not None and now - ended_at > _PATIENCE_WITHOUT_WORKERS:
                raise ClusterError(
                    f"{scheduler}: all workers have ended, and none joined within "
                    f"{_PATIENCE_WITHOUT_WORKERS:.0f} seconds; their memory may have run out. Start some "
                    f"with `dask worker ADDRESS --nthreads 1`, and run the same command again"
                )
            return max(1, number)

        try:
            for task, future in completed_tasks(submit, iter(tasks), threads):
                outcome = _result(future, KilledWorker)
                yield task, outcome
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise ClusterError(gone) from error
        finally:
            executor.shutdown(wait=False)


def _result(future: Future[Result], killed: type[Exception]) -> Result | WorkerDied:
    try:
        return future.result()
    except killed:
        return WorkerDied("its worker died at each attempt; the memory may have run out")
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"a worker lacks {error.name}; install the same version of testgen-evaluator, with the same "
            "extras, on all of them"
        ) from error


def _run_checked(function: Callable[[Task], Result], task: Task, expected: dict[str, str]) -> Result:
    """Run a task if the worker has the expected versions; others might give other results."""
    own = versions()
    if own != expected:
        raise ClusterError(
            f"a worker has {told(own)}; this machine has {told(expected)}. Install the same versions on all"
        )
    try:
        return function(task)
    except EvaluatorError as error:
        error.args = (f"{error} (reported by the worker on {platform.node()})",)
        raise


@contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    if find_spec("distributed") is None:
        raise ExtraError("a cluster", "Dask", "cluster")
    match = _ADDRESS.fullmatch(scheduler)
    if match is None or int(match[3]) > 65535:
        raise ClusterError(
            f"{scheduler!r} is not a cluster: give the address of a Dask scheduler, such as tcp://host:8786"
        )
    with _quiet():
        try:
            client = _client(scheduler)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise ClusterError(
                f"{scheduler}: no Dask scheduler answers ({error}); start one with `dask scheduler`"
            ) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=_PATIENCE)
            except TimeoutError as error:
                raise ClusterError(
                    f"{scheduler}: no worker joined within {_PATIENCE:.0f} seconds; start some with "
                    f"`dask worker ADDRESS --nthreads 1`"
                ) from error
            yield client


def _client(address: str) -> Client:
    """A client that closes itself if it finds no scheduler; else the program would wait for it at its end."""
    from distributed import Client

    class SelfClosingClient(Client):
        def start(self, **kwargs: Any) -> None:  # noqa: ANN401 - whatever Dask passes
            try:
                super().start(**kwargs)  # type: ignore[no-untyped-call]
            except BaseException:
                with suppress(TimeoutError):
                    self.close(timeout=1)  # type: ignore[no-untyped-call]
                raise

    return SelfClosingClient(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep tracebacks of closed connections off the terminal."""
    import distributed  # noqa: F401 - it sets the levels when it is imported

    loggers = [logging.getLogger(name) for name in _NOISY_LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
