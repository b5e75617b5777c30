"""Doing the same with many things on a Dask cluster (extra `[cluster]`); the results come in order."""

from __future__ import annotations

import logging
import platform
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from testgen.errors import ConfigError, SourceError, TestgenError

if TYPE_CHECKING:
    from distributed import Client, Future

Task = TypeVar("Task")
Result = TypeVar("Result")

PATIENCE = 30.0
"""Seconds to wait for a scheduler, and for its first worker; a queueing system may take its time."""

_AHEAD = 2  # tasks that wait for each worker; their results stay in its memory until their turn
_ADDRESS = re.compile(r"(tcp|tls|ucx|ucxx|ws|wss)://(\[[^][/\s]+\]|[^][:/@\s]+):0*([1-9][0-9]{0,4})/?")
_CHATTER = ("distributed", "distributed.client", "asyncio")
"""Loggers that print tracebacks of connections that end; what there is to say of them is in an error."""

_QUEUES = {"slurm": "SLURMCluster", "pbs": "PBSCluster"}


def on_cluster(
    function: Callable[[Task], Result], tasks: Iterable[Task], scheduler: str, workers: int
) -> Iterator[tuple[Task, Result]]:
    """Each task with what a function makes of it, in order; see `testgen.dumps.parallel.run_each`.

    Args:
        function: What to do, of a module that the workers have installed.
        tasks: They are taken as they are needed.
        scheduler: The address of a Dask scheduler; or `slurm:` or `pbs:` and settings for dask-jobqueue.
        workers: With these: how many jobs to submit.

    Raises:
        ConfigError: The cluster cannot be used.
        SourceError: It was lost, or a task has ended one worker after another.
    """
    from distributed import CancelledError, KilledWorker
    from distributed.comm.core import CommClosedError

    waiting: deque[tuple[Task, Future[Result]]] = deque()
    with _connected(scheduler, workers) as client:
        try:
            for task in tasks:
                future = client.submit(_guarded, function, task, _version(), pure=False)
                waiting.append((task, future))
                threads = sum(client.nthreads().values())  # type: ignore[no-untyped-call]
                while len(waiting) > _AHEAD * max(1, threads):
                    yield _done(*waiting.popleft())
            while waiting:
                yield _done(*waiting.popleft())
        except KilledWorker as error:
            raise SourceError(
                "a part of the dump has ended one worker after another, perhaps for lack of memory; run the "
                "same command again, with workers that have more, and it goes on where it stopped"
            ) from error
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise SourceError(
                f"{scheduler}: the scheduler is gone; run the same command again, and it goes on where it "
                "stopped"
            ) from error
        finally:
            client.cancel([future for _, future in waiting])  # type: ignore[no-untyped-call]


def _done(task: Task, future: Future[Result]) -> tuple[Task, Result]:
    return task, future.result()


def _guarded(function: Callable[[Task], Result], task: Task, expected: str) -> Result:
    """Do a task where the worker has the same version: another one might find something else."""
    if _version() != expected:
        raise ConfigError(
            f"a worker has testgen-evaluator {_version()}, this is {expected}; install the same on all"
        )
    try:
        return function(task)
    except TestgenError as error:
        error.args = (f"{error} (said by the worker on {platform.node()})",)
        raise


def _version() -> str:
    return version("testgen-evaluator")


@contextmanager
def _connected(scheduler: str, workers: int) -> Iterator[Client]:
    """A client of a cluster that has a worker; results do not come by way of the scheduler."""
    if find_spec("distributed") is None:
        raise ConfigError("a cluster needs Dask: pip install 'testgen-evaluator[cluster]'")
    with _address(scheduler, workers) as address, _quiet():
        try:
            client = _client(address)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise ConfigError(
                f"{scheduler}: no Dask scheduler answers there ({error}); begin one with `dask scheduler`"
            ) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=PATIENCE if address == scheduler else None)
            except TimeoutError as error:
                raise ConfigError(
                    f"{scheduler}: no worker has joined within {PATIENCE:.0f} seconds; begin some with "
                    "`dask worker ADDRESS --nthreads 1`"
                ) from error
            yield client


def _client(address: Any) -> Client:  # noqa: ANN401 - an address, or a cluster of dask-jobqueue
    """A client; one that finds no scheduler is closed at once, or the end of the program waits for it."""
    from distributed import Client

    class Closed(Client):
        def start(self, **kwargs: Any) -> None:  # noqa: ANN401 - of whatever Dask calls it with
            try:
                super().start(**kwargs)  # type: ignore[no-untyped-call]
            except BaseException:
                with suppress(TimeoutError):
                    self.close(timeout=1)  # type: ignore[no-untyped-call]
                raise

    return Closed(address, timeout=PATIENCE, set_as_default=False, direct_to_workers=True)  # type: ignore[no-untyped-call]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep tracebacks of the connection off the terminal."""
    import distributed  # noqa: F401 - it sets the levels when it is imported

    loggers = [logging.getLogger(name) for name in _CHATTER]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _address(scheduler: str, workers: int) -> Iterator[Any]:
    """What a client connects to; a cluster that a queueing system is asked for ends with the work."""
    kind, _, text = scheduler.partition(":")
    if kind not in _QUEUES:
        known = _ADDRESS.fullmatch(scheduler)
        if known is None or int(known[3]) > 65535:
            raise ConfigError(
                f"{scheduler!r} is no cluster: give the address of a Dask scheduler (tcp://host:8786), or "
                "slurm: or pbs: and settings for dask-jobqueue (slurm:cores=1,memory=4GB)"
            )
        yield scheduler
        return
    if find_spec("dask_jobqueue") is None:
        raise ConfigError(f"{kind}: needs dask-jobqueue: pip install 'testgen-evaluator[cluster]'")
    import dask_jobqueue

    settings: dict[str, str | int] = {}
    for each in filter(None, text.split(",")):
        name, equals, value = each.partition("=")
        if not equals:
            raise ConfigError(f"{scheduler}: {each!r} is no setting; they look like cores=1,memory=4GB")
        settings[name.strip()] = int(value) if value.strip().isdecimal() else value.strip()
    try:
        # A dashboard would be open to the whole network; and of a fixed port there is but one.
        options = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
        cluster = getattr(dask_jobqueue, _QUEUES[kind])(**settings, scheduler_options=options)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{scheduler}: dask-jobqueue refuses these settings: {error}") from error
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"{scheduler}: no scheduler could be begun on this machine: {error}") from error
    with cluster:
        cluster.scale(jobs=max(1, workers))
        yield cluster
