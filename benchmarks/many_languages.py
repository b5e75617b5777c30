"""One model of each of many languages, scored with all that a first screen shows, ranked and reported.

Vectors are drawn at random for a third of the words of each test set from the shipped snapshot, about as many
as the model of `make demo` knows, and for other words: as binary word2vec files, and converted by `evaluator
convert`. gensim loads one of them and finds the three nearest words of each test word, which is Topk alone.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from batch import make
from common import command_line, table, write

from evaluator import convert
from evaluator.datasets.reading import read_testset
from tests.servers.cluster import DaskCluster

BIN = Path(sys.executable).parent


@contextmanager
def most_memory() -> Iterator[list[float]]:
    """The most memory in MB that all processes of a command have together, looked at ten times a second."""
    most, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            used = 0.0
            for process in psutil.Process().children(recursive=True):
                try:
                    used += process.memory_full_info().uss / 1e6
                except psutil.Error:
                    continue
            most[0] = max(most[0], used)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        done.set()
        watcher.join()


def run(folder: Path, ending: str, *more: str) -> tuple[float, float]:
    """Seconds and MB of one command that scores, ranks and reports all languages."""
    command = [
        *(str(BIN / "evaluator"), "score", f"{folder}/models/{{language}}/{{model}}.{ending}"),
        *("--test", f"{folder}/testsets", "--report", f"{folder}/report.html", "--force", *more),
    ]
    started = time.perf_counter()
    with most_memory() as memory:
        process = psutil.Popen(command, stdout=-3, stderr=-3)
        if process.wait():
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return time.perf_counter() - started, memory[0]


def gensim_seconds(folder: Path, language: str) -> float:
    """Seconds in which gensim loads a model and finds the neighbours of all test words."""
    from gensim.models import KeyedVectors

    test_set = read_testset(folder / "testsets" / f"{language}.json")
    started = time.perf_counter()
    vectors = KeyedVectors.load_word2vec_format(folder / "models" / language / "0.bin", binary=True)
    for category in test_set.categories:
        for word in category.words:
            if word in vectors:
                vectors.most_similar(word, topn=3)
    return time.perf_counter() - started


def measure(languages: int, words: int, dimension: int) -> list[dict[str, Any]]:
    """Seconds and memory of each way."""
    rows: list[dict[str, Any]] = []

    def add(how: str, number: int, seconds: float, memory: float | None) -> None:
        each = seconds / number
        rows.append({"how": how, "languages": number, "seconds": seconds, "each": each, "memory MB": memory})
        print(rows[-1], file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found, _ = make(folder, languages, 1, words, dimension, of=3)
        add("binary, 2 processes", found, *run(folder, "bin", "--workers", "2"))
        first = min(path.stem for path in (folder / "testsets").iterdir())
        add("gensim, Topk alone, binary", 1, gensim_seconds(folder, first), None)
        for path in sorted(folder.glob("models/*/0.bin")):
            convert(path, path.with_suffix(".safetensors"))
            path.unlink()
        add("converted, 2 processes", found, *run(folder, "safetensors", "--workers", "2"))
        with DaskCluster(folder / "dask", 2) as cluster:
            cluster.wait_for_workers()
            add(
                "converted, Dask, 2 workers",
                found,
                *run(folder, "safetensors", "--workers", cluster.address),
            )
        shutil.rmtree(folder / "models")
    return rows


def main() -> None:
    """Measure, print the table, write the figures."""
    parser = command_line(__doc__, "157 languages, 38 GB of vectors")
    parser.add_argument("--languages", type=int, help="instead of 4, or of 157")
    parser.add_argument("--words", type=int, default=200_000, help="in each vocabulary")
    parser.add_argument("--dimension", type=int, default=300)
    given = parser.parse_args()
    rows = measure(given.languages or (157 if given.full else 4), given.words, given.dimension)
    cells = [
        [
            row["how"],
            f"{row['languages']}",
            f"{row['seconds']:.0f}",
            f"{row['each']:.2f}",
            "" if row["memory MB"] is None else f"{row['memory MB']:,.0f}",
        ]
        for row in rows
    ]
    heads = ["how", "languages", "seconds", "seconds a language", "memory MB"]
    write(given.output, "many_languages", rows, table(heads, cells))


if __name__ == "__main__":
    main()
