"""Topk and OddOneOut beside gensim, the papers' library, faiss and scikit-learn, on the same vectors.

`python benchmarks/scoring.py` takes about a minute; `--full` measures everything, at up to a million words.
Results are checked against each other, and reported as ratios and as shares of what the machine's own matrix
product can do.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from common import best, table, write

import evaluator
from evaluator.scan import cores
from evaluator.testset import Category, Item, TestSet

CATEGORIES, WORDS, K = 28, 50, 3


@dataclass
class World:
    """Vectors with categories in them: members of a category lie around a middle of their own."""

    vocabulary: int
    dimension: int
    words_per_category: int = WORDS
    categories: int = CATEGORIES
    matrix: np.ndarray = field(init=False)
    rows: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        generator = np.random.default_rng(0)
        self.matrix = generator.standard_normal((self.vocabulary, self.dimension), dtype=np.float32)
        middles = generator.standard_normal((self.categories, self.dimension), dtype=np.float32)
        members = generator.permutation(self.vocabulary)[: self.categories * self.words_per_category]
        self.rows = members.reshape(self.categories, -1)
        for row, middle in zip(self.rows, middles, strict=True):
            self.matrix[row] += 0.7 * middle

    @property
    def words(self) -> list[str]:
        return [f"w{row}" for row in range(self.vocabulary)]

    def vectors(self) -> evaluator.Vectors:
        vectors = evaluator.Vectors(self.words, self.matrix, "benchmark")
        assert vectors.index  # made once, as after loading
        return vectors

    def test_set(self) -> TestSet:
        words = self.words
        return TestSet(
            "en",
            "benchmark",
            "0" * 64,
            tuple(
                Category(f"c{i}", f"c{i}", tuple(Item(f"Q{row + 1}", (words[row],)) for row in rows))
                for i, rows in enumerate(self.rows)
            ),
        )

    def gensim(self) -> Any:
        from gensim.models import KeyedVectors

        vectors = KeyedVectors(self.dimension)
        vectors.add_vectors(self.words, self.matrix)
        return vectors


def topk_hits(nearest: np.ndarray, world: World) -> int:
    """Hits from the neighbours of all test words, shape (categories·n, K)."""
    of_category = nearest.reshape(world.categories, -1)
    return sum(int(np.isin(found, rows).sum()) for found, rows in zip(of_category, world.rows, strict=True))


def ours(world: World, measures: list[str], times: int) -> tuple[float, list[int]]:
    vectors, test_set = world.vectors(), world.test_set()
    seconds, scores = best(lambda: evaluator.score(vectors, test_set, measures), times)
    return seconds, [score.hits for score in scores.values()]


def by_gensim(world: World) -> tuple[float, int]:
    model, words = world.gensim(), world.words
    model.fill_norms()

    def run() -> list[list[int]]:
        return [
            [model.key_to_index[w] for w, _ in model.most_similar(words[row], topn=K)]
            for row in world.rows.ravel()
        ]

    seconds, nearest = best(run, 1)
    return seconds, topk_hits(np.array(nearest), world)


def _without_itself(found: np.ndarray, world: World) -> np.ndarray:
    kept = [[x for x in row if x != own][:K] for row, own in zip(found, world.rows.ravel(), strict=True)]
    return np.array(kept)


def by_faiss(world: World, times: int) -> tuple[float, int]:
    import faiss

    def run() -> np.ndarray:
        unit = world.matrix / np.linalg.norm(world.matrix, axis=1, keepdims=True)
        index = faiss.IndexFlatIP(world.dimension)
        index.add(unit)
        return index.search(unit[world.rows.ravel()], K + 1)[1]

    seconds, found = best(run, times)
    return seconds, topk_hits(_without_itself(found, world), world)


def by_faiss_search_only(world: World, times: int) -> tuple[float, int]:
    import faiss

    unit = world.matrix / np.linalg.norm(world.matrix, axis=1, keepdims=True)
    index = faiss.IndexFlatIP(world.dimension)
    index.add(unit)
    seconds, found = best(lambda: index.search(unit[world.rows.ravel()], K + 1)[1], times)
    return seconds, topk_hits(_without_itself(found, world), world)


def by_sklearn(world: World, times: int) -> tuple[float, int]:
    from sklearn.neighbors import NearestNeighbors

    neighbours = NearestNeighbors(n_neighbors=K + 1, algorithm="brute", metric="cosine").fit(world.matrix)
    queries = world.matrix[world.rows.ravel()]
    seconds, found = best(lambda: neighbours.kneighbors(queries, return_distance=False), times)
    return seconds, topk_hits(_without_itself(found, world), world)


def sgemm(world: World, times: int) -> float:
    """Seconds of the bare matrix product of test words and vocabulary."""
    queries = np.ascontiguousarray(world.matrix[world.rows.ravel()])
    step = 50_000  # so that the product fits in memory
    blocks = [world.matrix[start : start + step] for start in range(0, world.vocabulary, step)]
    out = np.empty((len(queries), step), dtype=np.float32)
    return best(lambda: [np.matmul(queries, b.T, out=out[:, : len(b)]) for b in blocks], times)[0]


def papers_odd_one_out(world: World) -> tuple[float, int]:
    """The papers' library, 1000 samples a category; its crash (a tuple that is none) mended in memory."""
    from gensim_evaluations import methods

    source = inspect.getsource(methods.OddOneOut).replace(
        "in_words + (odd_one_out)", "in_words + (odd_one_out,)"
    )
    names = dict(vars(methods))
    exec(source, names)  # noqa: S102
    words = world.words
    text = "".join(f":c{i}\n{' '.join(words[row] for row in rows)}\n" for i, rows in enumerate(world.rows))
    model = world.gensim()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "categories.txt"
        path.write_text(text)
        with contextlib.redirect_stdout(io.StringIO()):
            seconds, result = best(lambda: names["OddOneOut"](str(path), model, K), 1)
    return seconds, round(result[0] * 1e4)


def measure(world: World, times: int) -> dict[str, Any]:
    """All figures for one size."""
    flops = 2 * world.rows.size * world.vocabulary * world.dimension
    pairs = sum(math.comb(len(rows), K) * (world.vocabulary - len(rows)) for rows in world.rows)
    product = sgemm(world, times)
    topk, (hits,) = ours(world, [f"Topk@{K}"], times)
    odd, (odd_hits,) = ours(world, [f"OddOneOut@{K}"], times)
    both, _ = ours(world, [f"Topk@{K}", f"OddOneOut@{K}"], times)
    result: dict[str, Any] = {
        "v": world.vocabulary,
        "d": world.dimension,
        "sgemm": {"seconds": product, "gflops": flops / product / 1e9},
        "topk": {"seconds": topk, "share of sgemm": product / topk},
        "odd one out, all pairs": {
            "seconds": odd,
            "pairs": pairs,
            "pairs per second and core": pairs / odd / cores(),
            "score": odd_hits / pairs,
        },
        "both": {"seconds": both, "to odd one out": both / odd},
        "peers": {},
    }
    peers: dict[str, Callable[[], tuple[float, int]]] = {
        "faiss flat": lambda: by_faiss_search_only(world, times),
        "faiss flat, index made": lambda: by_faiss(world, times),
        "scikit-learn": lambda: by_sklearn(world, 1),
        "gensim": lambda: by_gensim(world),
    }
    for name, run in peers.items():
        result["peers"][name] = compare(run, topk, hits)
    result["peers"]["papers' library, 28,000 samples"] = compare_papers(world, odd, odd_hits / pairs)
    return result


def compare(run: Callable[[], tuple[float, int]], own: float, hits: int) -> dict[str, Any]:
    """A peer's seconds, how many times as long as ours, and whether it found the same."""
    try:
        seconds, found = run()
    except ImportError as error:
        return {"missing": str(error)}
    # Words that tie to the last bit of single precision may be told apart differently.
    return {"seconds": seconds, "times ours": seconds / own, "same": abs(found - hits) <= 1e-3 * hits}


def compare_papers(world: World, own: float, score: float) -> dict[str, Any]:
    try:
        seconds, found = papers_odd_one_out(world)
    except ImportError as error:
        return {"missing": str(error)}
    return {"seconds": seconds, "times ours": seconds / own, "same": abs(found / 1e4 - score) < 0.02}


def markdown(results: list[dict[str, Any]]) -> str:
    """A row for each size: ours, and how many times as long the others take."""
    names = list(results[0]["peers"])
    head = ["v × d", "sgemm GFLOP/s", "Topk s", "of sgemm", "OddOneOut s", "10⁹ pairs/s/core", "both / odd"]
    rows = []
    for result in results:
        odd = result["odd one out, all pairs"]
        rows.append(
            [
                f"{result['v']:,} × {result['d']}",
                f"{result['sgemm']['gflops']:.0f}",
                f"{result['topk']['seconds']:.3f}",
                f"{result['topk']['share of sgemm']:.2f}",
                f"{odd['seconds']:.2f}",
                f"{odd['pairs per second and core'] / 1e9:.1f}",
                f"{result['both']['to odd one out']:.2f}",
                *(_times(result["peers"].get(name, {})) for name in names),
            ]
        )
    return table([*head, *names], rows)


def _times(peer: dict[str, Any]) -> str:
    if "seconds" not in peer:
        return "-"
    return f"{peer['times ours']:.2f}×{'' if peer['same'] else ' (differs!)'}"


def scaling(full: bool) -> list[dict[str, Any]]:
    """Seconds of Topk and OddOneOut along one axis at a time: v, d, n, k, threads."""
    v, d = (100_000, 100) if full else (20_000, 100)
    axes: dict[str, list[dict[str, int]]] = {
        "v": [{"v": v // 4}, {"v": v // 2}, {"v": v}, {"v": 2 * v}],
        "d": [{"d": 50}, {"d": 100}, {"d": 200}, {"d": 400}],
        "n": [{"n": 25}, {"n": 50}, {"n": 100}] + [{"n": 500, "categories": 1}] * full,
        "k": [{"k": 2}, {"k": 3}] + [{"k": 4, "categories": 2}] * full,
        "threads": [{"threads": threads} for threads in range(1, cores() + 1)],
    }
    rows = []
    for axis, points in axes.items():
        for point in points:
            each = {"v": v, "d": d, "n": WORDS, "k": K, "categories": CATEGORIES, "threads": cores(), **point}
            world = World(each["v"], each["d"], each["n"], each["categories"])
            vectors, test_set = world.vectors(), world.test_set()
            seconds = {}
            for measure in (f"Topk@{each['k']}", f"OddOneOut@{each['k']}"):
                run = partial(evaluator.score, vectors, test_set, measure, threads=each["threads"])
                seconds[measure.partition("@")[0]], _ = best(run, 1)
            pairs = each["categories"] * math.comb(each["n"], each["k"]) * each["v"]
            rows.append({"axis": axis, **each, **seconds, "pairs": pairs})
    return rows


def scaling_markdown(rows: list[dict[str, Any]]) -> str:
    """A row for each point, grouped by what varies."""
    names = ["axis", "v", "d", "n", "k", "categories", "threads"]
    head = [*names, "Topk s", "OddOneOut s", "10⁹ pairs/s/core"]
    return table(
        head,
        [
            [
                *(str(row[name]) for name in names),
                f"{row['Topk']:.3f}",
                f"{row['OddOneOut']:.3f}",
                f"{row['pairs'] / row['OddOneOut'] / row['threads'] / 1e9:.1f}",
            ]
            for row in rows
        ],
    )


def main() -> None:
    """Measure, print the tables, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="all sizes, up to a million words")
    parser.add_argument("--output", type=Path, help="the folder for the figures")
    arguments = parser.parse_args()
    sizes = [(100_000, 100), (100_000, 300), (1_000_000, 100), (1_000_000, 300)]
    evaluator.score(World(2000, 8).vectors(), World(2000, 8).test_set())  # compile
    results = []
    for v, d in sizes if arguments.full else [(20_000, 100)]:
        results.append(measure(World(v, d), 3 if v <= 100_000 else 2))
        print(markdown(results[-1:]), flush=True)
    write(arguments.output, "scoring", results, markdown(results))
    rows = scaling(arguments.full)
    write(arguments.output, "scaling", rows, scaling_markdown(rows))


if __name__ == "__main__":
    main()
