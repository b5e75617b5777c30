"""How fast vectors files are loaded, beside gensim, on the same files, and in how much memory.

200,000 × 300, which are 572 MB of text. Every result is compared with the vectors that were written.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from common import best, command_line, table, write
from gensim.models import KeyedVectors

from evaluator import convert
from evaluator.vectors import Vectors, load_vectors

GOALS = {"text": 25, "binary": 3, "converted": 100}
"""How many times as fast as gensim each kind of file must be loaded; a converted one, as gensim the text."""

MEMORY_GOAL = 2.2
"""How many times the matrix the whole process may take that loads text."""

PEAK = """
import re, sys
from pathlib import Path
from evaluator.vectors import load_vectors

vectors = load_vectors(sys.argv[1])
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) << 10
print(peak / vectors.matrix.nbytes)
"""


def make_vectors(words: int, dimension: int) -> Vectors:
    """Random vectors that six decimals say exactly, and words in two scripts."""
    raw = np.random.default_rng(1).normal(scale=0.3, size=(words, dimension))
    matrix = np.round(raw, 6).astype(np.float32)
    return Vectors([f"{'λόγος' if row % 3 else 'word'}{row}" for row in range(words)], matrix, "random")


def write_files(folder: Path, vectors: Vectors) -> dict[str, Path]:
    """Write the same vectors as text with six decimals, packed text, binary, and converted."""
    names = {"text": "v.vec", "text, gzip": "v.vec.gz", "binary": "v.bin", "converted": "v.safetensors"}
    paths = {kind: folder / name for kind, name in names.items()}
    layout = " ".join(["%.6f"] * vectors.dimension)
    header = f"{len(vectors)} {vectors.dimension}\n"
    with paths["text"].open("w", encoding="utf-8") as text, paths["binary"].open("wb") as binary:
        text.write(header)
        binary.write(header.encode())
        for word, row in zip(vectors.words, vectors.matrix, strict=True):
            text.write(f"{word} {layout % tuple(row.tolist())}\n")
            binary.write(word.encode() + b" " + row.tobytes())
    with paths["text"].open("rb") as source, gzip.open(paths["text, gzip"], "wb", 1) as target:
        shutil.copyfileobj(source, target)
    convert(vectors, paths["converted"])
    return paths


def by_gensim(path: Path) -> Vectors:
    """gensim's loader."""
    loaded = KeyedVectors.load_word2vec_format(str(path), binary=path.suffix == ".bin")
    return Vectors(loaded.index_to_key, loaded.vectors, "gensim")


def by_polars(path: Path) -> Vectors:
    """polars, as a table of text without quotes."""
    import polars as pl

    frame = pl.read_csv(
        path, separator=" ", has_header=False, skip_rows=1, quote_char=None, infer_schema_length=1000
    )
    words, *numbers = frame.columns
    matrix = frame.select(pl.col(numbers).cast(pl.Float32)).to_numpy(order="c")
    return Vectors(frame[words].to_list(), matrix, "polars")


def by_pyarrow(path: Path) -> Vectors:
    """pyarrow, as a table of text without quotes."""
    from pyarrow import csv

    found = csv.read_csv(
        path,
        csv.ReadOptions(skip_rows=1, autogenerate_column_names=True),
        csv.ParseOptions(delimiter=" ", quote_char=False),
    )
    matrix = np.empty((len(found), found.num_columns - 1), dtype=np.float32)
    for number in range(matrix.shape[1]):
        matrix[:, number] = found.column(number + 1)
    return Vectors(found.column(0).to_pylist(), matrix, "pyarrow")


TABLES: dict[str, Callable[[Path], Vectors]] = {"polars": by_polars, "pyarrow": by_pyarrow}
"""Readers of tables, which read no word with a space, and check nothing."""


def measure(paths: dict[str, Path], expected: Vectors, repeat: int) -> Iterator[dict[str, Any]]:
    """Time both with every file; gensim, which takes longest, fewer times.

    Raises:
        SystemExit: A result is wrong by more than rounding can explain.
    """
    by_kind: dict[str, float] = {}
    for kind, path in paths.items():
        readers: dict[str, tuple[Callable[[Path], Vectors], int]] = {"evaluator": (load_vectors, 3 * repeat)}
        if kind != "converted":
            readers = {"gensim": (by_gensim, repeat), **readers}
        if kind == "text":
            readers |= {name: (read, repeat) for name, read in TABLES.items()}
        for name, (read, times) in readers.items():
            seconds, got = best(lambda read=read, path=path: read(path), times)
            if list(got.words) != expected.words or not np.allclose(got.matrix, expected.matrix, 1e-6, 1e-7):
                raise SystemExit(f"{name} reads something else from the {kind} file")
            print(f"{kind}: {name} {seconds:.3f} s", file=sys.stderr)
            by_kind.setdefault(kind, seconds)
            of_gensim = by_kind["text" if kind == "converted" else kind]
            yield {
                "file": kind,
                "bytes": path.stat().st_size,
                "reader": name,
                "seconds": seconds,
                "times gensim": of_gensim / seconds,
                "goal": GOALS.get(kind) if name == "evaluator" else None,
                "to the last bit": bool(np.array_equal(got.matrix, expected.matrix)),
            }


def memory(path: Path) -> float:
    """How many times the matrix a process takes, at most, that loads a file and does nothing else."""
    command = [sys.executable, "-c", PEAK, str(path)]
    return float(subprocess.check_output(command, text=True))  # noqa: S603


def markdown(results: list[dict[str, Any]], ratio: float) -> str:
    """A row for each file and reader, and a line on memory."""
    rows = []
    for each in results:
        same = "yes" if each["to the last bit"] else "no"
        speed = [f"{each['seconds']:.3f}", f"{each['times gensim']:.1f}"]
        rows.append([each["file"], each["reader"], *speed, str(each["goal"] or ""), same])
    head = ["file", "reader", "seconds", "× gensim", "goal", "to the last bit"]
    return (
        f"{table(head, rows)}\n\n"
        f"The process that loads the text takes {ratio:.2f} times the matrix (goal: at most {MEMORY_GOAL})."
    )


def main() -> None:
    """Measure, print the table, write the figures."""
    parser = command_line(__doc__, "gensim three times, evaluator nine times")
    parser.add_argument("--words", type=int, default=200_000, help="how many; the goals are for the default")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loading-") as name:
        vectors = make_vectors(arguments.words, 300)
        paths = write_files(Path(name), vectors)
        results = list(measure(paths, vectors, 3 if arguments.full else 1))
        ratio = memory(paths["text"])
    figures = {"loading": results, "memory of text / matrix": ratio}
    write(arguments.output, "loading", figures, markdown(results, ratio))


if __name__ == "__main__":
    main()
