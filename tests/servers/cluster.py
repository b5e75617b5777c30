"""A Dask cluster of separate processes, each in a folder of its own, that can be killed one by one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

_SECONDS = 60
_CONFIG = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "3s",  # how long a worker may be silent
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
    "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "false",
}


class DaskCluster:
    """A scheduler and workers of one thread each; `address` is the scheduler's."""

    def __init__(self, directory: Path, workers: int, python_path: str = "") -> None:
        self._directory, self._number = directory, workers
        self._environment = {**os.environ, **_CONFIG, "PYTHONPATH": python_path}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        self.begin_scheduler()
        for _ in range(self._number):
            self.begin_worker()
        return self

    def begin_scheduler(self) -> None:
        self.scheduler = self._begin(
            "scheduler", ["scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"]
        )
        end = time.monotonic() + _SECONDS
        while True:
            with socket.socket() as connection:
                if connection.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert time.monotonic() < end, "no scheduler has come up"
            time.sleep(0.05)

    def begin_worker(self) -> subprocess.Popen[bytes]:
        name = f"worker{len(self.workers)}"
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60", "--name", name]
        self.workers.append(self._begin(name, ["worker", self.address, *options]))
        return self.workers[-1]

    def _begin(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        folder = self._directory / name
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "log").open("ab") as log:
            return subprocess.Popen(
                [str(Path(sys.executable).with_name("dask")), *command],
                cwd=folder,
                env={**self._environment, "XDG_CACHE_HOME": str(folder / "cache")},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in [*self.workers, self.scheduler]:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
