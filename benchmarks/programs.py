"""The programs as a user starts them: how long until help, test sets and scores are there, and memory.

Every run is a process of its own; all but the first scores find compiled code in numba's cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import command_line, table, write
from scoring import CATEGORIES, WORDS

from evaluator import convert
from evaluator.vectors import load_vectors

SMALL = (3_300, 100)


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


def run(arguments: list[str], environment: dict[str, str], program: str = "evaluator") -> tuple[float, float]:
    """Seconds, and the most memory that was taken in MB."""
    command = [sys.executable, "-c", f"from {program}.cli import main; main()", *arguments]
    started = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)}: exit code {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def first_runs(folder: Path, environment: dict[str, str]) -> list[dict[str, Any]]:
    """A score of a small text file, with nothing compiled yet.

    An installer such as pip compiles libraries to bytecode, uv does not unless it is told to; numba compiles
    what it has to when it is used.
    """
    vectors, test_set = make(folder, *SMALL)
    text = folder / "small.vec"
    read = load_vectors(vectors)
    with text.open("w") as file:
        file.write(f"{SMALL[0]} {SMALL[1]}\n")
        for word, row in zip(read.words, read.matrix, strict=True):
            file.write(f"{word} {' '.join(f'{value:.6f}' for value in row)}\n")
    command = ["score", str(text), "--test", str(test_set)]
    numba, bytecode = {"NUMBA_CACHE_DIR": "numba"}, {"PYTHONPYCACHEPREFIX": "bytecode"}
    kinds = {"first score": numba, "first score, no bytecode": {**numba, **bytecode}, "later score": {}}
    rows = []
    for kind, names in kinds.items():
        runs = []
        for number in range(3):
            empty = {name: str(folder / f"{kind} {number} {value}") for name, value in names.items()}
            runs.append(run(command, {**environment, **empty}))
        rows.append(_row(f"{kind} of {text.stat().st_size / 1e6:.0f} MB of text", SMALL, runs))
    return rows


def starts(folder: Path, environment: dict[str, str]) -> list[dict[str, Any]]:
    """Help of both programs, and test sets of one language and of all."""
    rows = [
        _row(f"{program} --help", None, [run(["--help"], environment, program) for _ in range(5)])
        for program in ("testgen", "evaluator")
    ]
    command = ["generate", "--language", "la", "--output", str(folder / "testsets")]
    first, *later = [run(command, environment, "testgen") for _ in range(4)]
    return [*rows, _row("first generate -l la", None, [first]), _row("later generate -l la", None, later)]


def trial(folder: Path, environment: dict[str, str]) -> list[dict[str, Any]]:
    """A trial of tune with fastText on half a million tokens: how long it trains, and scores."""
    from tools.train_demo import read

    text, output = folder / "demo.txt", folder / "tuned"
    text.write_text("\n".join(read()))
    run(["generate", "--language", "en", "--output", str(folder / "testsets")], environment, "testgen")
    command = ["tune", str(text), "--test", str(folder / "testsets/en.json"), "--output", str(output)]
    run([*command, "--trials", "1", "--only", "model=fasttext", "--no-figure"], environment)
    last = json.loads((output / "trials.jsonl").read_text().splitlines()[-1])
    each = zip(("training", "scoring"), last["seconds"], strict=True)
    return [_row(f"a trial with fastText: {what}", None, [(seconds, 0)]) for what, seconds in each]


def measure(full: bool) -> list[dict[str, Any]]:
    """Seconds and memory of each command, the best of several runs."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        environment = {**os.environ, "XDG_CACHE_HOME": name}
        rows += starts(Path(name), environment)
        rows += trial(Path(name), environment)
        rows += first_runs(Path(name), environment)
        for v, d in [(100_000, 300)] + [(3_000_000, 100)] * full:
            vectors, test_set = make(Path(name), v, d)
            converted = vectors.with_suffix(".safetensors")
            convert(load_vectors(vectors), converted)
            measures = ["Topk@3"] if v > 1_000_000 else ["Topk@3", "OddOneOut@3"]
            commands = [(vectors, ["Topk@3"]), (converted, ["Topk@3"]), (converted, measures)]
            for file, chosen in commands[: 2 if v > 1_000_000 else 3]:
                by = [part for each in chosen for part in ("-m", each)]
                command = ["score", str(file), "--test", str(test_set), *by]
                runs = [run(command, environment) for _ in range(1 if v > 1_000_000 else 3)]
                kind = "binary" if file == vectors else "converted"
                rows.append(_row(f"{' + '.join(chosen)}, {kind}", (v, d), runs))
            vectors.unlink()
            converted.unlink()
    return rows


def _row(what: str, shape: tuple[int, int] | None, runs: list[tuple[float, float]]) -> dict[str, Any]:
    matrix = 0.0 if shape is None else 4 * shape[0] * shape[1] / 2**20
    seconds, memory = min(runs)[0], min(memory for _, memory in runs)
    return {"command": what, "shape": shape, "seconds": seconds, "memory MB": memory, "matrix MB": matrix}


def main() -> None:
    """Measure, print the table, write the figures."""
    arguments = command_line(__doc__, "three million words, too").parse_args()
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
        table(["command", "v × d", "s", "memory MB", "matrix MB"], cells),
    )


if __name__ == "__main__":
    main()
