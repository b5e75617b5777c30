"""Running independent tasks on a Dask cluster (extra `[cluster]`)."""

from __future__ import annotations

import logging
import platform
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from evaluator.errors import ClusterError, EvaluatorError, ExtraError
from evaluator.execution.processes import Lost, Result, Task

if TYPE_CHECKING:
    from distributed import Client, Future

_PATIENCE = 30.0
"""Seconds to wait for a scheduler, and for the first of its workers; a queueing system may take its time."""

_ADDRESS = re.compile(r"(tcp|tls|ucx|ucxx|ws|wss)://(\[[^][/\s]+\]|[^][:/@\s]+):0*([1-9][0-9]{0,4})/?")
_CHATTER = ("distributed", "distributed.client", "asyncio")
"""Loggers that print tracebacks of connections that end; what there is to say of them is in an error."""

_QUEUES = {"slurm": "SLURMCluster", "pbs": "PBSCluster"}


def run_on_cluster(
    function: Callable[[Task], Result], tasks: Iterable[Task], scheduler: str, workers: int
) -> Iterator[tuple[Task, Result | Lost]]:
    """See `run_each`.

    Args:
        function: Of a module that the workers have installed.
        tasks: What to run it on.
        scheduler: The address of a Dask scheduler, as in `tcp://10.0.0.1:8786`; or `slurm:` or `pbs:` and
            settings for dask-jobqueue, as in `slurm:cores=1,memory=4GB,walltime=02:00:00`.
        workers: With these: how many jobs to submit.

    Raises:
        ClusterError: The cluster cannot be used, or was lost.
        ExtraError: Dask, or dask-jobqueue, is not installed.
    """
    from distributed import CancelledError, KilledWorker, as_completed
    from distributed.comm.core import CommClosedError

    with _connected(scheduler, workers) as client:
        waiting, completed = iter(tasks), as_completed(loop=client.loop)  # type: ignore[no-untyped-call]
        running: dict[Future[Result], Task] = {}

        def begin() -> None:
            free = max(1, sum(client.nthreads().values())) - len(running)  # type: ignore[no-untyped-call]
            for task in islice(waiting, max(0, free)):
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message="Sending large graph")
                    future = client.submit(_guarded, function, task, _version(), pure=False)
                running[future] = task
                completed.add(future)  # type: ignore[no-untyped-call]

        try:
            begin()
            for future in completed:
                task = running.pop(future)
                yield task, _result(future, KilledWorker)
                begin()
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise ClusterError(f"{scheduler}: the scheduler is gone; run the same command again") from error
        finally:
            client.cancel(list(running))  # type: ignore[no-untyped-call]


def _result(future: Future[Result], killed: type[Exception]) -> Any:  # noqa: ANN401 - of whatever was run
    try:
        return future.result()
    except killed:
        return Lost("its worker died each time it was tried; memory may have run out")
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"a worker lacks {error.name}; install the same version of testgen-evaluator, with the same "
            "extras, on all of them"
        ) from error


def _guarded(function: Callable[[Task], Result], task: Task, expected: str) -> Result:
    """Run a task where the worker has the same version: another one might give other results."""
    if _version() != expected:
        raise ClusterError(
            f"a worker has testgen-evaluator {_version()}, this is {expected}; install the same on all"
        )
    try:
        return function(task)
    except EvaluatorError as error:
        error.args = (f"{error} (said by the worker on {platform.node()})",)
        raise


def _version() -> str:
    return version("testgen-evaluator")


@contextmanager
def _connected(scheduler: str, workers: int) -> Iterator[Client]:
    """A client of a cluster that has a worker."""
    if find_spec("distributed") is None:
        raise ExtraError("a cluster", "Dask", "cluster")
    with _address(scheduler, workers) as address, _quiet():
        patience = _PATIENCE if address == scheduler else None
        try:
            client = _client(address)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise ClusterError(
                f"{scheduler}: no Dask scheduler answers there ({error}); begin one with `dask scheduler`"
            ) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=patience)
            except TimeoutError as error:
                raise ClusterError(
                    f"{scheduler}: no worker has joined within {_PATIENCE:.0f} seconds; begin some with "
                    f"`dask worker ADDRESS --nthreads 1`"
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

    return Closed(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]


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
    kind, _, settings = scheduler.partition(":")
    if kind not in _QUEUES:
        known = _ADDRESS.fullmatch(scheduler)
        if known is None or int(known[3]) > 65535:
            raise ClusterError(
                f"{scheduler!r} is no cluster: give the address of a Dask scheduler (tcp://host:8786), or "
                f"{' or '.join(f'{each}:' for each in _QUEUES)} and settings for dask-jobqueue "
                "(slurm:cores=1,memory=4GB)"
            )
        yield scheduler
        return
    if find_spec("dask_jobqueue") is None:
        raise ExtraError(f"{kind}:", "dask-jobqueue", "cluster")
    import dask_jobqueue

    try:
        cluster = getattr(dask_jobqueue, _QUEUES[kind])(
            **_settings(kind, settings),
            # A dashboard would be open to the whole network; and of a fixed port there is but one.
            scheduler_options={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
        )
    except (TypeError, ValueError) as error:
        raise ClusterError(f"{scheduler}: dask-jobqueue refuses these settings: {error}") from error
    except (OSError, RuntimeError) as error:
        raise ClusterError(f"{scheduler}: no scheduler could be begun on this machine: {error}") from error
    with cluster:
        cluster.scale(jobs=workers)
        yield cluster


def _settings(kind: str, text: str) -> dict[str, str | int]:
    """Settings such as `cores=1,memory=4GB` by name; whole numbers as such."""
    found: dict[str, str | int] = {}
    for each in filter(None, text.split(",")):
        name, equals, value = each.partition("=")
        if not equals:
            raise ClusterError(f"{kind}:{text}: {each!r} is no setting; they look like cores=1,memory=4GB")
        found[name.strip()] = int(value) if value.strip().isdecimal() else value.strip()
    return found
