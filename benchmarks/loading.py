"""How fast vectors files are loaded, beside gensim, on the same files.

20,000 × 300 take under a minute; `--full` is 200,000 × 300, 572 MB of text.

Every result is compared with the vectors that were written. The cache is one of its own: nobody's copies are
touched.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from common import best, table, write
from gensim.models import KeyedVectors

from evaluator.vectors import Vectors, clear_cache, load_vectors


def make_vectors(words: int, dimension: int) -> Vectors:
    """Random vectors that six decimals say exactly, and words in two scripts."""
    raw = np.random.default_rng(1).normal(scale=0.3, size=(words, dimension))
    matrix = np.round(raw, 6).astype(np.float32)
    return Vectors([f"{'λόγος' if row % 3 else 'word'}{row}" for row in range(words)], matrix, "random")


def write_files(folder: Path, vectors: Vectors) -> dict[str, Path]:
    """Writes the same vectors as text with six decimals, packed text, and binary."""
    paths = {"text": folder / "v.vec", "text, gzip": folder / "v.vec.gz", "binary": folder / "v.bin"}
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
    return paths


def by_gensim(path: Path) -> Vectors:
    """gensim's loader."""
    loaded = KeyedVectors.load_word2vec_format(str(path), binary=path.suffix == ".bin")
    return Vectors(loaded.index_to_key, loaded.vectors, "gensim")


def first_load(path: Path) -> Vectors:
    """Without a copy in the cache, which is made on the way."""
    clear_cache()
    return load_vectors(path)


READERS: dict[str, Callable[[Path], Vectors]] = {
    "gensim": by_gensim,
    "evaluator, no cache": lambda path: load_vectors(path, cache=False),
    "evaluator, no cache, one thread": lambda path: load_vectors(path, cache=False, threads=1),
    "evaluator, making the copy": first_load,
    "evaluator, from the copy": load_vectors,
}


def measure(paths: dict[str, Path], expected: Vectors, repeat: int) -> Iterator[dict[str, Any]]:
    """Times every reader with every file.

    Raises:
        SystemExit: a result is wrong by more than rounding can explain.
    """
    for kind, path in paths.items():
        of_gensim = 0.0
        for name, read in READERS.items():
            seconds, got = best(lambda read=read, path=path: read(path), repeat)
            of_gensim = of_gensim or seconds
            if list(got.words) != expected.words or not np.allclose(got.matrix, expected.matrix, 1e-6, 1e-7):
                raise SystemExit(f"{name} reads something else from the {kind} file")
            print(f"{kind}: {name} {seconds:.3f} s", file=sys.stderr)
            yield {
                "file": kind,
                "bytes": path.stat().st_size,
                "reader": name,
                "seconds": seconds,
                "times gensim": of_gensim / seconds,
                "to the last bit": bool(np.array_equal(got.matrix, expected.matrix)),
            }


def markdown(results: list[dict[str, Any]]) -> str:
    """A row for each file and reader."""
    rows = []
    for each in results:
        same = "yes" if each["to the last bit"] else "no"
        speed = [f"{each['seconds']:.3f}", f"{each['times gensim']:.1f}"]
        rows.append([each["file"], each["reader"], *speed, same])
    return table(["file", "reader", "seconds", "× gensim", "to the last bit"], rows)


def main() -> None:
    """Measure, print the table, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="200,000 words; gensim takes a minute")
    parser.add_argument("--output", type=Path, help="the folder for the figures")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loading-") as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        for path in write_files(folder, make_vectors(1000, 300)).values():
            load_vectors(path, cache=False)  # compile
        vectors = make_vectors(200_000 if arguments.full else 20_000, 300)
        results = list(measure(write_files(folder, vectors), vectors, 1 if arguments.full else 3))
    write(arguments.output, "loading", results, markdown(results))


if __name__ == "__main__":
    main()
