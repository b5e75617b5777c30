"""Independent tasks on a Dask cluster (extra `[cluster]`)."""

from __future__ import annotations

import logging
import platform
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.errors import ClusterError, EvaluatorError, ExtraError
from evaluator.execution.processes import Result, Task, WorkerDied, completed_tasks
from evaluator.execution.versions import told, versions

if TYPE_CHECKING:
    from distributed import Client, Security

_PATIENCE = 30.0
"""Seconds to wait for a scheduler, and for its first worker; queueing systems may take longer."""

_ADDRESS = re.compile(r"(tcp|tls|ucx|ucxx|ws|wss)://(\[[^][/\s]+\]|[^][:/@\s]+):0*([1-9][0-9]{0,4})/?")
_NOISY_LOGGERS = ("distributed", "distributed.client", "asyncio")
"""Loggers that print tracebacks of closed connections; our errors say what matters of them."""

_QUEUES = {"slurm": "SLURMCluster", "pbs": "PBSCluster"}


def run_on_cluster(
    function: Callable[[Task], Result], tasks: Iterable[Task], scheduler: str, workers: int
) -> Iterator[tuple[Task, Result | WorkerDied]]:
    """See `run_each`.

    Args:
        function: Of a module that the workers have installed.
        tasks: The tasks.
        scheduler: The address of a Dask scheduler, such as `tcp://10.0.0.1:8786`; or `slurm:` or `pbs:` with
            settings for dask-jobqueue, such as `slurm:cores=1,memory=4GB,walltime=02:00:00`.
        workers: With dask-jobqueue, how many jobs to submit.

    Raises:
        ClusterError: The cluster cannot be used, or was lost.
        ExtraError: Dask, or dask-jobqueue, is not installed.
    """
    with _connected(scheduler, workers) as client:
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]

        def submit(task: Task) -> Future[Result]:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Sending large graph")
                return executor.submit(_run_checked, function, task, versions())  # type: ignore[no-any-return]

        gone = f"{scheduler}: the scheduler is gone; run the same command again"

        def threads() -> int:
            try:
                return max(1, sum(client.nthreads().values()))  # type: ignore[no-untyped-call]
            except OSError as error:  # it died while nothing was waited for
                raise ClusterError(gone) from error

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
def _connected(scheduler: str, workers: int) -> Iterator[Client]:
    """A client of a cluster that has at least one worker."""
    if find_spec("distributed") is None:
        raise ExtraError("a cluster", "Dask", "cluster")
    with _address(scheduler, workers) as address, _quiet():
        patience = _PATIENCE if address == scheduler else None
        try:
            client = _client(address)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise ClusterError(
                f"{scheduler}: no Dask scheduler answers ({error}); start one with `dask scheduler`"
            ) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=patience)
            except TimeoutError as error:
                raise ClusterError(
                    f"{scheduler}: no worker joined within {_PATIENCE:.0f} seconds; start some with "
                    f"`dask worker ADDRESS --nthreads 1`"
                ) from error
            yield client


def _client(address: Any) -> Client:  # noqa: ANN401 - an address, or a cluster of dask-jobqueue
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


@contextmanager
def _address(scheduler: str, workers: int) -> Iterator[Any]:
    """What a client connects to; jobs submitted to a queueing system end with it."""
    kind, _, settings = scheduler.partition(":")
    if kind in _QUEUES:
        with _submitted_jobs(kind, settings, workers) as cluster:
            yield cluster
        return
    match = _ADDRESS.fullmatch(scheduler)
    if match is None or int(match[3]) > 65535:
        raise ClusterError(
            f"{scheduler!r} is not a cluster: give the address of a Dask scheduler (tcp://host:8786), or "
            f"{' or '.join(f'{each}:' for each in _QUEUES)} and settings for dask-jobqueue "
            "(slurm:cores=1,memory=4GB)"
        )
    yield scheduler


@contextmanager
def _submitted_jobs(kind: str, settings: str, workers: int) -> Iterator[Any]:
    """A cluster of dask-jobqueue, with a scheduler on this machine.

    Whoever reaches a scheduler can run code in it, so only who has the certificate of this run is let in.
    """
    for module, library in (("dask_jobqueue", "dask-jobqueue"), ("cryptography", "cryptography")):
        if find_spec(module) is None:
            raise ExtraError(f"{kind}:", library, "cluster")
    import dask_jobqueue

    given = _parsed_settings(kind, settings)
    if given.pop("protocol", "tls://") != "tls://" or "security" in given:
        raise ClusterError(
            f"{kind}:{settings}: connections are always tls://, with a certificate made for the run; leave "
            "out protocol and security"
        )
    shared = str(given.pop("shared_temp_directory", ""))
    with ExitStack() as stack:
        try:
            cluster = getattr(dask_jobqueue, _QUEUES[kind])(
                **given,
                protocol="tls://",
                security=stack.enter_context(_certificate(Path(shared).expanduser())),
                # A dashboard would be open to the whole network, and a fixed port may be taken.
                scheduler_options={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            )
        except (TypeError, ValueError) as error:
            raise ClusterError(f"{kind}:{settings}: dask-jobqueue refuses these settings: {error}") from error
        except (OSError, RuntimeError) as error:
            raise ClusterError(
                f"{kind}:{settings}: no scheduler could be started on this machine: {error}"
            ) from error
        stack.enter_context(cluster).scale(jobs=workers)
        yield cluster


@contextmanager
def _certificate(shared: Path) -> Iterator[Security]:
    """A certificate for one run: its files are in a folder that only the user can read.

    Args:
        shared: A folder that all machines see.
    """
    from distributed import Security

    with tempfile.TemporaryDirectory(prefix=".certificate-", dir=shared.absolute()) as folder:
        made = Security.temporary().get_tls_config_for_role("client")  # type: ignore[no-untyped-call]
        files = {name: str(Path(folder, f"{name}.pem")) for name in ("cert", "key")}
        for name, path in files.items():
            Path(path).write_text(made[name], encoding="ascii")
        roles = {
            f"tls_{role}_{name}": path
            for role in ("scheduler", "worker", "client")
            for name, path in files.items()
        }
        yield Security(require_encryption=True, tls_ca_file=files["cert"], **roles)  # type: ignore[no-untyped-call]


def _parsed_settings(kind: str, text: str) -> dict[str, str | int]:
    """Settings such as `cores=1,memory=4GB` by name; whole numbers become integers."""
    settings: dict[str, str | int] = {}
    for each in filter(None, text.split(",")):
        name, equals, value = each.partition("=")
        if not equals:
            raise ClusterError(f"{kind}:{text}: {each!r} is not a setting; write them as cores=1,memory=4GB")
        settings[name.strip()] = int(value) if value.strip().isdecimal() else value.strip()
    return settings
