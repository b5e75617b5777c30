"""Many models in many languages in one command: the time for a category, and for a large plan.

Vectors are drawn at random for the words of each test set from the shipped snapshot, and for other words. The
time of the plan (600 languages, 60 categories, 100 models of each language) follows from the time for a
category of a model with a measure, loading included.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from common import command_line, table, write

from evaluator.datasets.reading import read_testset

BIN = Path(sys.executable).parent
SAMPLED, EXACT = "OddOneOut(samples=1000)@3", "OddOneOut@3"
WAYS = ((1, SAMPLED), (2, SAMPLED), (1, EXACT))
PLAN = {"languages": 600, "categories": 60, "models": 100, "measures": 2}


def make(
    folder: Path, languages: int, models: int, words: int, dimension: int, *, of: int = 1
) -> tuple[int, int]:
    """Test sets, and models of each language that know one test word of so many.

    Returns:
        How many languages and categories there are.
    """
    generate = [str(BIN / "testgen"), "generate", "--all-languages", "--output", str(folder / "all")]
    subprocess.run(generate, check=True, capture_output=True)  # noqa: S603
    (folder / "testsets").mkdir()
    # Those with the most words: languages with corpora have many.
    found = sorted((folder / "all").glob("*.json"), key=lambda path: -path.stat().st_size)[:languages]
    generator, categories = np.random.default_rng(0), 0
    for path in found:
        shutil.copy(path, folder / "testsets")
        test_set = read_testset(path)
        categories += len(test_set.categories)
        own = list(dict.fromkeys(word for each in test_set.categories for word in each.words))[::of]
        own += [f"other{number}" for number in range(words - len(own))]
        for model in range(models):
            file = folder / "models" / path.stem / f"{model}.bin"
            file.parent.mkdir(parents=True, exist_ok=True)
            rows = generator.standard_normal((len(own), dimension), dtype=np.float32)
            lines = (
                f"{word.replace(' ', '_')} ".encode() + row.tobytes()
                for word, row in zip(own, rows, strict=True)
            )
            file.write_bytes(f"{len(own)} {dimension}\n".encode() + b"\n".join(lines) + b"\n")
    return len(found), categories


def run(folder: Path, workers: int, models: str, *measures: str) -> tuple[float, float]:
    """Seconds of the command, and the most memory of any of its processes in MB."""
    command = [
        *(str(BIN / "evaluator"), "score", f"{folder}/models/{{language}}/{models}.bin"),
        *(
            "--test",
            f"{folder}/testsets/{{language}}.json",
            "--output",
            f"{folder}/{workers}-{measures[-1]}.jsonl",
        ),
        *("--workers", str(workers), *(word for each in measures for word in ("--measure", each))),
    ]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    return time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def measure(
    languages: int, models: int, words: int, dimension: int, ways: Sequence[tuple[int, str]]
) -> list[dict[str, Any]]:
    """Seconds for each number of workers and each OddOneOut, in all and per score; and to run it again."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found, categories = make(folder, languages, models, words, dimension)
        for workers, odd in ways:
            # All pairs take so much longer that one model of each language must do.
            of_each = 1 if odd == EXACT else models
            models_of_each = "0" if odd == EXACT else "*"
            seconds, memory = run(folder, workers, models_of_each, "Topk@3", odd)
            again, _ = run(folder, workers, models_of_each, "Topk@3", odd)
            scores = categories * of_each * PLAN["measures"]
            planned = PLAN["languages"] * PLAN["models"] * PLAN["categories"] * PLAN["measures"]
            rows.append(
                {
                    "OddOneOut": "exact" if odd == EXACT else "1,000 samples",
                    "workers": workers,
                    "languages": found,
                    "models": found * of_each,
                    "scores": scores,
                    "seconds": seconds,
                    "ms a score": 1000 * seconds / scores,
                    "ms a model, scored before": 1000 * again / (found * of_each),
                    "memory MB": memory,
                    "plan, hours": seconds / scores * planned / 3600,
                }
            )
    return rows


def _shown(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"


def main() -> None:
    """Measure, print the table, write the figures."""
    parser = command_line(__doc__, "20 languages and 10 models of each")
    parser.add_argument("--languages", type=int, help="instead of 2, or of 20; at most all of the snapshot")
    parser.add_argument("--models", type=int, help="of each language, instead of 3, or of 10")
    parser.add_argument("--sampled", action="store_true", help="leave out all pairs, which take long")
    parser.add_argument("--words", type=int, default=20_000, help="in each vocabulary")
    parser.add_argument("--dimension", type=int, default=100)
    given = parser.parse_args()
    languages, models = (20, 10) if given.full else (2, 3)
    size = (given.languages or languages, given.models or models, given.words, given.dimension)
    rows = measure(*size, WAYS[:2] if given.sampled else WAYS)
    heads = list(rows[0])
    cells: list[list[str]] = [[_shown(row[key]) for key in heads] for row in rows]
    write(given.output, "batch-sampled" if given.sampled else "batch", rows, table(heads, cells))


if __name__ == "__main__":
    main()
