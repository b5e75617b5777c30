"""The program as a user starts it: how long until help stands there, and scores, and in how much memory.

Every run is a process of its own, with compiled code in its cache, as on any day but the first.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import table, write
from scoring import CATEGORIES, WORDS

EVALUATOR = [sys.executable, "-c", "from evaluator.cli import main; main()"]


def make(folder: Path, v: int, d: int) -> tuple[Path, Path]:
    """A binary file of vectors, and a test set of 28 categories of 50 of its words."""
    generator = np.random.default_rng(0)
    vectors, test_set = folder / f"{v}x{d}.bin", folder / f"{v}.json"
    with vectors.open("wb") as file:
        file.write(f"{v} {d}\n".encode())
        for start in range(0, v, 10_000):
            rows = generator.standard_normal((min(10_000, v - start), d), dtype=np.float32)
            file.write(b"".join(b"w%d %s\n" % (start + n, row.tobytes()) for n, row in enumerate(rows)))
    members = generator.permutation(v)[: CATEGORIES * WORDS].reshape(CATEGORIES, -1).tolist()
    categories = [
        {
            "name": f"c{n}",
            "title": f"c{n}",
            "items": [{"id": f"Q{row + 1}", "words": [f"w{row}"]} for row in rows],
        }
        for n, rows in enumerate(members)
    ]
    content = {"format": "testset", "version": 1, "language": "en", "categories": categories}
    test_set.write_text(json.dumps(content))
    return vectors, test_set


def run(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds, and the most memory that was taken in MB."""
    started = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603
        [*EVALUATOR, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)}: exit code {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def measure(full: bool) -> list[dict[str, Any]]:
    """Seconds and memory of each command, the best of several runs."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        environment = {**os.environ, "XDG_CACHE_HOME": name}
        sizes = [(100_000, 300)] + [(3_000_000, 100)] * full
        rows.append(_row("--help", None, [run(["--help"], environment) for _ in range(5)]))
        for v, d in sizes:
            vectors, test_set = make(Path(name), v, d)
            first = run(["score", str(vectors), "--test", str(test_set), "-m", "Topk@3"], environment)
            rows.append(_row("Topk@3, first load", (v, d), [first]))
            for measures in (["Topk@3"], ["Topk@3", "OddOneOut@3"])[: 1 if v > 1_000_000 else 2]:
                chosen = [part for each in measures for part in ("-m", each)]
                command = ["score", str(vectors), "--test", str(test_set), *chosen]
                times = 1 if v > 1_000_000 else 3
                rows.append(
                    _row(" + ".join(measures), (v, d), [run(command, environment) for _ in range(times)])
                )
            vectors.unlink()
    return rows


def _row(what: str, shape: tuple[int, int] | None, runs: list[tuple[float, float]]) -> dict[str, Any]:
    matrix = 0.0 if shape is None else 4 * shape[0] * shape[1] / 2**20
    seconds, memory = min(runs)[0], min(memory for _, memory in runs)
    return {"command": what, "shape": shape, "seconds": seconds, "memory MB": memory, "matrix MB": matrix}


def main() -> None:
    """Measure, print the table, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="three million words, too")
    parser.add_argument("--output", type=Path, help="the folder for the figures")
    arguments = parser.parse_args()

    rows = measure(arguments.full)
    cells = [
        [
            f"`{row['command']}`",
            "-" if row["shape"] is None else f"{row['shape'][0]:,} × {row['shape'][1]}",
            f"{row['seconds']:.2f}",
            f"{row['memory MB']:.0f}",
            f"{row['matrix MB']:.0f}",
        ]
        for row in rows
    ]
    write(
        arguments.output,
        "programs",
        rows,
        table(["command", "v × d", "s", "memory MB", "of it mapped MB"], cells),
    )


if __name__ == "__main__":
    main()
