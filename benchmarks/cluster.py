"""A search with several worker processes: speed-up, the overhead of a task, and what 64 would do.

The corpus comes with gensim. It is repeated, so that a trial takes about a second. The tables of trials are
compared byte for byte. The figures for many workers are simulated: trials with the measured times go to
whichever worker is free, each with the measured overhead.
"""

from __future__ import annotations

import heapq
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common import command_line, table, write

from evaluator.execution.machine import Machine
from tests.servers.cluster import DaskCluster
from tools.train_demo import text_folder

BIN = Path(sys.executable).parent
NOTHING = 1000
"""How many tasks that do nothing are run."""


def make(folder: Path, repeats: int) -> list[str]:
    """A corpus and a test set; returns the arguments that name them."""
    corpus = (text_folder() / "lee_background.cor").read_text(encoding="utf-8")
    (folder / "text.txt").write_text(corpus * repeats, encoding="utf-8")
    generate = [str(BIN / "testgen"), "generate", "--language", "en", "--output", str(folder)]
    subprocess.run(generate, check=True, capture_output=True)  # noqa: S603
    return [str(folder / "text.txt"), "--test", str(folder / "en.json")]


def search(arguments: Sequence[str], output: Path, trials: int, *more: str) -> tuple[float, bytes]:
    """Seconds of a search, and its table."""
    command = [
        *(str(BIN / "evaluator"), "tune", *arguments, "--trials", str(trials), "--output", str(output)),
        *("--only", "model=word2vec", "--no-figure", *more),
    ]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    return time.perf_counter() - started, (output / "trials.csv").read_bytes()


def _failed(task: str, reason: str) -> str:
    raise RuntimeError(f"{task}: {reason}")


def overhead(workers: int, scheduler: str | None) -> float:
    """Seconds of a task that does nothing, on one worker or more."""
    machine = Machine(workers, scheduler)
    list(machine.run_each(os.fspath, ["warm"] * 4, _failed))
    started = time.perf_counter()
    done = sum(1 for _ in machine.run_each(os.fspath, ["nothing"] * NOTHING, _failed))
    seconds = time.perf_counter() - started
    assert done == NOTHING
    return seconds / NOTHING


def simulated(seconds: Sequence[float], workers: int, each: float) -> float:
    """How long trials take on so many workers: each goes to the first that is free.

    The command hands out one trial after another, so that its overhead is never in parallel.
    """
    free, started = [0.0] * workers, 0.0
    heapq.heapify(free)
    for own in seconds:
        started = max(started, free[0]) + each
        heapq.heapreplace(free, started + own)
    return max(free)


def measure(trials: int, repeats: int) -> list[dict[str, Any]]:
    """Seconds of the same search in each way, and overheads."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = make(folder, repeats)
        alone, expected = search(arguments, folder / "alone", trials)
        own = json.loads((folder / "alone" / "tuning.json").read_text(encoding="utf-8"))["trials"]
        seconds = [sum(trial["seconds"]) for trial in sorted(own, key=lambda each: each["number"])]
        rows.append({"how": "one process", "seconds": alone, "speed-up": 1.0, "overhead": None})
        for workers in (2,):
            took, found = search(arguments, folder / f"p{workers}", trials, "--workers", str(workers))
            rows.append(_row(f"{workers} processes", took, alone, overhead(workers, None), found == expected))
        for workers in (1, 2):
            with DaskCluster(folder / f"dask{workers}", workers) as cluster:
                cluster.wait_for_workers()  # so that starting is no part of what is measured
                address = cluster.address
                took, found = search(arguments, folder / f"c{workers}", trials, "--workers", address)
                each = overhead(1, address)
            many = "worker" if workers == 1 else "workers"
            rows.append(_row(f"Dask, {workers} {many}", took, alone, each, found == expected))
        beside = alone - sum(seconds)  # reading, and training the best and the default again
        for workers in (2, 16, 64):
            took = beside + simulated(seconds, workers, each)
            rows.append(_row(f"simulated, {workers} workers", took, alone, each, None))
        for workers in (16, 64):
            longer = [100 * one for one in seconds]
            took = 100 * beside + simulated(longer, workers, each)
            rows.append(
                _row(f"simulated, {workers} workers, trials 100 × as long", took, 100 * alone, each, None)
            )
    return rows


def _row(how: str, took: float, alone: float, each: float, same: bool | None) -> dict[str, Any]:
    return {"how": how, "seconds": took, "speed-up": alone / took, "overhead": each, "same table": same}


def main() -> None:
    """Measure, print the table, write the figures."""
    parser = command_line(__doc__, "40 trials")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=10, help="of the corpus")
    given = parser.parse_args()
    rows = measure(40 if given.full else given.trials, given.repeats)
    heads = ["how", "seconds", "speed-up", "ms a task", "same table"]
    cells = [
        [
            row["how"],
            f"{row['seconds']:.1f}",
            f"{row['speed-up']:.2f}",
            "" if row["overhead"] is None else f"{1000 * row['overhead']:.1f}",
            {True: "yes", False: "NO", None: ""}[row.get("same table")],
        ]
        for row in rows
    ]
    write(given.output, "cluster", rows, table(heads, cells))


if __name__ == "__main__":
    main()
