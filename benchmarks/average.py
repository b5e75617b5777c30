"""How long `evaluator average` takes of five models of 200,000 × 300, and in how much memory.

The models are random views of the same hidden vectors, with noise. The cosines of the mean are compared, for
random pairs of words, with the mean of z-scored cosines that they stand for; and so are those of other
reductions to the same dimension: a model alone, the same SVD after centring, and a random projection.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from common import command_line, table, write

from evaluator import Vectors, convert, load_vectors

MODELS, DIMENSION, HIDDEN = 5, 300, 400
SECONDS, GIGABYTES = 120, 4.0
"""The goals at 200,000 words."""

Floats = npt.NDArray[np.float64]


def make_models(folder: Path, words: int, ending: str) -> list[Path]:
    """Models that are views of hidden vectors; their cosines differ in mean and spread."""
    random = np.random.default_rng(1)
    decay = np.arange(1, HIDDEN + 1) ** -0.4
    hidden = (random.normal(size=(words, HIDDEN)) * decay).astype(np.float32)
    names, paths = [f"word{row}" for row in range(words)], []
    for number in range(MODELS):
        view = random.normal(size=(HIDDEN, DIMENSION)).astype(np.float32) / np.float32(DIMENSION**0.5)
        noise = random.normal(size=(words, DIMENSION)).astype(np.float32) * np.float32(0.02 * (number + 1))
        matrix = hidden @ view + noise + np.float32(0.04 * number)
        paths.append(folder / f"model{number}{ending}")
        convert(Vectors(names, matrix, "random"), paths[-1])
    return paths


def run(paths: list[Path], output: Path) -> tuple[float, float]:
    """The seconds and the gigabytes, at most, of the command."""
    command = [Path(sys.executable).with_name("evaluator"), "average", *paths, "--output", output]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    return time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6


def cosines(matrix: npt.NDArray[Any], pairs: npt.NDArray[np.int64]) -> Floats:
    """The cosines of pairs of words, shape (2, n)."""
    one, other = (matrix[each].astype(np.float64) for each in pairs)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.einsum("nd,nd->n", one, other) / lengths


def kept(paths: list[Path], output: Path, pairs: int) -> dict[str, float]:
    """How well the cosines of random pairs agree with the mean of z-scored cosines, as Pearson's r."""
    models = [load_vectors(path) for path in paths]
    random = np.random.default_rng(2)
    drawn = random.integers(len(models[0]), size=(2, pairs))
    drawn = drawn[:, drawn[0] != drawn[1]]
    own = [cosines(each.matrix, drawn) for each in models]
    exact = np.mean([(each - each.mean()) / each.std() for each in own], axis=0)
    # For the others, some words are enough.
    rows = np.unique(drawn[:, :4000])
    places = np.searchsorted(rows, drawn[:, :4000])
    unit = [each.matrix[rows].astype(np.float64) for each in models]
    side = np.hstack(
        [
            m / np.linalg.norm(m, axis=1, keepdims=True) / c.std() ** 0.5
            for m, c in zip(unit, own, strict=True)
        ]
    )
    centred = side - side.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, -DIMENSION:]
    projection = random.normal(size=(side.shape[1], DIMENSION))
    few = exact[:4000]
    return {
        "average": float(np.corrcoef(exact, cosines(load_vectors(output).matrix, drawn))[0, 1]),
        "best model alone": max(float(np.corrcoef(exact, each)[0, 1]) for each in own),
        "with centring": float(np.corrcoef(few, cosines(centred @ axes, places))[0, 1]),
        "random projection": float(np.corrcoef(few, cosines(side @ projection, places))[0, 1]),
    }


def main() -> None:
    """Measure, print the table, write the figures."""
    parser = command_line(__doc__, "also from text to text")
    parser.add_argument("--words", type=int, default=200_000, help="how many; the goals are for the default")
    arguments = parser.parse_args()
    rows: list[list[str]] = []
    figures: list[dict[str, Any]] = []
    for ending in [".safetensors", *([".vec"] if arguments.full else [])]:
        with tempfile.TemporaryDirectory(prefix="average-") as name:
            paths, output = make_models(Path(name), arguments.words, ending), Path(name, f"mean{ending}")
            seconds, memory = run(paths, output)
            agreement = kept(paths, output, 200_000)
        figures.append({"files": ending, "seconds": seconds, "gigabytes": memory, **agreement})
        rows.append(
            [ending, f"{seconds:.1f}", f"{memory:.2f}", *(f"{each:.4f}" for each in agreement.values())]
        )
    head = ["files", f"seconds (goal {SECONDS})", f"GB (goal {GIGABYTES:g})", *list(agreement)]
    text = f"{MODELS} models of {arguments.words:,} × {DIMENSION}; r with the mean of z-scored cosines:\n\n"
    write(arguments.output, "average", figures, text + table(head, rows))


if __name__ == "__main__":
    main()
