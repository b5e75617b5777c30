"""Topk and OddOneOut beside gensim, the papers' library, faiss and scikit-learn, on the same vectors.

`python benchmarks/scoring.py` takes about a minute; `--full` measures everything, at up to a million words.
Results are checked against each other, and reported as ratios and as shares of what the machine's own matrix
product can do. The digest of the vectors, which a record has and no peer makes, is not timed.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from common import best, command_line, table, with_processor, write

import evaluator
from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.execution.inputs import beside
from evaluator.execution.machine import cores
from evaluator.studies import scoring
from evaluator.studies.scoring import score

CATEGORIES, WORDS, K = 28, 50, 3
PAUSE = 0.1
"""Seconds between runs: threads of OpenBLAS and OpenMP wait busily for a while when their work is done."""
FEW = 20_000
"""Vocabularies of up to so many words are timed five times as often."""


@dataclass
class World:
    """Random vectors in which the words of each category are close to a vector of their own."""

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

    def test_set(self, *, unknown: int = 0) -> TestSet:
        """Its categories; or with so many more words in each that no vectors have."""
        words = self.words
        return TestSet(
            "en",
            "benchmark",
            "0" * 64,
            tuple(
                Category(
                    f"c{i}",
                    f"c{i}",
                    (
                        *(Item(f"Q{row + 1}", (words[row],)) for row in rows),
                        *(Item(f"L{i * unknown + n + 1}", (f"unknown{i}n{n}",)) for n in range(unknown)),
                    ),
                )
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


Run = Callable[[], tuple[float, int]]
"""One timed run: seconds, and what it found (hits, or a score in ten thousandths)."""


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = run()
    return time.perf_counter() - started, result


def ours(world: World, measures: list[str], *, context: bool = False, unknown: int = 0) -> Run:
    vectors, test_set = world.vectors(), world.test_set(unknown=unknown)
    inputs = beside(lambda: (vectors.in_memory(),))

    def run() -> tuple[float, int]:
        seconds, scores = timed(lambda: score(vectors, test_set, measures, context=context, inputs=inputs))
        return seconds, scores[measures[-1]].hits

    inputs.result()  # which is not timed

    return run


def by_gensim(world: World) -> Run:
    model, words = world.gensim(), world.words
    model.fill_norms()

    def nearest() -> list[list[int]]:
        return [
            [model.key_to_index[w] for w, _ in model.most_similar(words[row], topn=K)]
            for row in world.rows.ravel()
        ]

    return lambda: _hits(*timed(nearest), world)


def _hits(seconds: float, found: Any, world: World) -> tuple[float, int]:
    kept = [[x for x in row if x != own][:K] for row, own in zip(found, world.rows.ravel(), strict=True)]
    return seconds, topk_hits(np.array(kept), world)


def by_faiss(world: World, *, index_is_timed: bool) -> Run:
    import faiss

    def indexed() -> tuple[Any, np.ndarray]:
        unit = world.matrix / np.linalg.norm(world.matrix, axis=1, keepdims=True)
        index = faiss.IndexFlatIP(world.dimension)
        index.add(unit)
        return index, unit[world.rows.ravel()]

    def search(index: Any, queries: np.ndarray) -> np.ndarray:
        return index.search(queries, K + 1)[1]

    made = None if index_is_timed else indexed()
    return lambda: _hits(*timed(lambda: search(*(made or indexed()))), world)


def by_sklearn(world: World) -> Run:
    from sklearn.neighbors import NearestNeighbors

    neighbours = NearestNeighbors(n_neighbors=K + 1, algorithm="brute", metric="cosine").fit(world.matrix)
    queries = world.matrix[world.rows.ravel()]
    return lambda: _hits(*timed(lambda: neighbours.kneighbors(queries, return_distance=False)), world)


def sgemm(world: World) -> Run:
    """The bare matrix product of test words and vocabulary."""
    queries = np.ascontiguousarray(world.matrix[world.rows.ravel()])
    step = 50_000  # so that the product fits in memory
    blocks = [world.matrix[start : start + step] for start in range(0, world.vocabulary, step)]
    out = np.empty((len(queries), step), dtype=np.float32)

    def run() -> tuple[float, int]:
        return timed(lambda: [np.matmul(queries, b.T, out=out[:, : len(b)]) for b in blocks])[0], 0

    return run


def papers_odd_one_out(world: World) -> Run:
    """The papers' library, 1000 samples a category; its crash (a missing comma) is fixed in memory."""
    from gensim_evaluations import methods

    source = inspect.getsource(methods.OddOneOut).replace(
        "in_words + (odd_one_out)", "in_words + (odd_one_out,)"
    )
    names = dict(vars(methods))
    exec(source, names)  # noqa: S102
    words = world.words
    text = "".join(f":c{i}\n{' '.join(words[row] for row in rows)}\n" for i, rows in enumerate(world.rows))
    model = world.gensim()

    def run() -> tuple[float, int]:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "categories.txt"
            path.write_text(text)
            with contextlib.redirect_stdout(io.StringIO()):
                seconds, result = timed(lambda: names["OddOneOut"](str(path), model, K))
        return seconds, round(result[0] * 1e4)

    return run


PAPERS = "papers' library, 28,000 samples"
PEERS: dict[str, Callable[[World], Run]] = {
    "faiss flat": partial(by_faiss, index_is_timed=False),
    "faiss flat, index made": partial(by_faiss, index_is_timed=True),
    "gensim": by_gensim,
    "scikit-learn": by_sklearn,
    PAPERS: papers_odd_one_out,
}
ONCE = {"scikit-learn", PAPERS}
"""Peers that take minutes; they are timed in the first round only."""


def measure(world: World, rounds: int) -> dict[str, Any]:
    """All figures for one size; each run once in every round, so that a slow moment affects all of them."""
    topk, odd = f"Topk@{K}", f"OddOneOut@{K}"
    runs = {"sgemm": sgemm(world), "topk": ours(world, [topk])}
    runs |= {"odd": ours(world, [odd]), "both": ours(world, [topk, odd])}
    runs["screen"] = ours(world, [topk, odd], context=True)
    runs["both, a third unknown"] = ours(world, [topk, odd], unknown=WORDS // 2)
    runs["screen, a third unknown"] = ours(world, [topk, odd], context=True, unknown=WORDS // 2)
    for name, make in PEERS.items():
        with contextlib.suppress(ImportError):
            runs[name] = make(world)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    found: dict[str, int] = {}
    runs["sgemm"]()  # which makes the product's memory
    for i in range(rounds):
        for name, run in runs.items():
            if i == 0 or name not in ONCE:
                time.sleep(PAUSE)
                taken, found[name] = run()
                seconds[name].append(taken)
    flops = 2 * world.rows.size * world.vocabulary * world.dimension
    pairs = sum(math.comb(len(rows), K) * (world.vocabulary - len(rows)) for rows in world.rows)
    return {
        "v": world.vocabulary,
        "d": world.dimension,
        "rounds": rounds,
        "pairs": pairs,
        "score": found["odd"] / pairs,
        "seconds": seconds,
        "sgemm GFLOP/s": [flops / each / 1e9 for each in seconds["sgemm"]],
        "topk of sgemm": ratios(seconds["sgemm"], seconds["topk"]),
        "pairs per second and core": [pairs / each / cores() for each in seconds["odd"]],
        "both to odd one out": ratios(seconds["both"], seconds["odd"]),
        "screen to both": ratios(seconds["screen"], seconds["both"]),
        "screen to both, a third unknown": ratios(
            seconds["screen, a third unknown"], seconds["both, a third unknown"]
        ),
        "times ours": {
            name: ratios(seconds[name], seconds["odd" if name == PAPERS else "topk"])
            for name in PEERS
            if name in runs
        },
        "same": {
            # Words that tie to the last bit of single precision may be told apart differently.
            name: abs(found[name] / 1e4 - found["odd"] / pairs) < 0.02
            if name == PAPERS
            else abs(found[name] - found["topk"]) <= 1e-3 * found["topk"]
            for name in PEERS
            if name in runs
        },
    }


def ratios(some: list[float], others: list[float]) -> list[float]:
    """The ratio in each round that both have."""
    return [one / other for one, other in zip(some, others, strict=False)]


def spread(values: list[float], form: str) -> str:
    """The median; with the smallest and largest value, if there are several."""
    middle = format(float(np.median(values)), form)
    return middle if len(values) == 1 else f"{middle} ({min(values):{form}}–{max(values):{form}})"


def markdown(results: list[dict[str, Any]]) -> str:
    """A row for each size: medians and ranges of the rounds; for peers, the multiple of our time."""
    head = ["v × d", "sgemm GFLOP/s", "Topk s", "of sgemm", "OddOneOut s", "10⁹ pairs/s/core", "both / odd"]
    head += ["screen / both", "the same, a third unknown"]
    rows = [
        [
            f"{result['v']:,} × {result['d']}",
            spread(result["sgemm GFLOP/s"], ".0f"),
            spread(result["seconds"]["topk"], ".2f"),
            spread(result["topk of sgemm"], ".2f"),
            spread(result["seconds"]["odd"], ".1f"),
            spread([each / 1e9 for each in result["pairs per second and core"]], ".1f"),
            spread(result["both to odd one out"], ".2f"),
            spread(result["screen to both"], ".2f"),
            spread(result["screen to both, a third unknown"], ".2f"),
            *(_times(result, name) for name in PEERS),
        ]
        for result in results
    ]
    return table([*head, *(f"{name} ×" for name in PEERS)], rows)


def _times(result: dict[str, Any], name: str) -> str:
    if name not in result["times ours"]:
        return "-"
    return spread(result["times ours"][name], ".2f") + ("" if result["same"][name] else " (differs!)")


def approximate(world: World, rounds: int) -> dict[str, Any]:
    """What exact neighbours cost: beside those of an approximate index (HNSW) that is there already."""
    from usearch.index import Index

    unit = world.matrix / np.linalg.norm(world.matrix, axis=1, keepdims=True)
    queries = unit[world.rows.ravel()]
    exact = np.argsort(-(queries[:200] @ unit.T), axis=1)[:, : K + 1]
    index = Index(ndim=world.dimension, metric="ip")
    made, _ = timed(lambda: index.add(np.arange(len(unit)), unit, threads=cores()))
    seconds: dict[str, list[float]] = {"search": [], "ours": []}
    run = ours(world, [f"Topk@{K}"])
    for _ in range(rounds):
        taken, found = timed(lambda: index.search(queries, K + 1, threads=cores()))
        seconds["search"].append(taken)
        seconds["ours"].append(run()[0])
    same = np.mean([np.isin(a, b).mean() for a, b in zip(exact, found.keys[:200], strict=True)])
    return {"v": world.vocabulary, "d": world.dimension, "index": made, **seconds, "recall": float(same)}


def approximate_markdown(rows: list[dict[str, Any]]) -> str:
    """A row for each size."""
    head = ["v × d", "Topk s, exact", "usearch, search s", "usearch, making the index s", "neighbours found"]
    cells = [
        [
            f"{row['v']:,} × {row['d']}",
            *(spread(row[name], ".3f") for name in ("ours", "search")),
            f"{row['index']:.1f}",
            f"{row['recall']:.2f}",
        ]
        for row in rows
    ]
    return table(head, cells)


def spelling(world: World, rounds: int) -> dict[str, Any]:
    """What the spelling baseline costs, beside the two measures and all else that is shown.

    Processor time is that of all threads, and depends less on what else the machine does.
    """
    run, parts = ours(world, [f"Topk@{K}", f"OddOneOut@{K}"], context=True), list[float]()
    own = scoring._by_spelling

    def timed_part(*args: Any) -> Any:
        started = time.process_time()
        found = own(*args)
        parts.append(time.process_time() - started)
        return found

    every = list[float]()
    with patch.object(scoring, "_by_spelling", timed_part):
        for _ in range(rounds):
            started = time.process_time()
            run()
            every.append(time.process_time() - started)
    return {"v": world.vocabulary, "d": world.dimension, "all": every, "spelling": parts}


def spelling_markdown(rows: list[dict[str, Any]]) -> str:
    """A row for each size."""
    head = ["v × d", "processor s without it", "of the spelling baseline", "share"]
    cells = []
    for row in rows:
        others = [every - part for every, part in zip(row["all"], row["spelling"], strict=True)]
        cells.append(
            [
                f"{row['v']:,} × {row['d']}",
                *(spread(each, ".2f") for each in (others, row["spelling"])),
                spread(ratios(row["spelling"], others), ".0%"),
            ]
        )
    return table(head, cells)


RELATED = "KeywordRank", "KeywordRank(value=MAP)", "PairRank"


def related(known: int, rounds: int, size: tuple[int, int] = (200_000, 300)) -> dict[str, Any]:
    """What related words and pairs cost beside Topk on 28 categories of 50 words, and alone.

    Related words and pairs are those of the English default test set, of which random vectors know so many
    words. Processor time is that of all threads, with baselines and tests; the digest is not timed, and
    normalizing the vocabulary is in the time of every score.
    """
    with tempfile.TemporaryDirectory() as folder:
        generate = [Path(sys.executable).with_name("testgen"), "generate", "--language", "en"]
        subprocess.run([*generate, "--output", folder], check=True, capture_output=True)  # noqa: S603
        english = evaluator.read_testset(f"{folder}/en.json")
    world = World(*size)
    test_set = replace(english, categories=world.test_set().categories)
    pairs = [pair for part in english.sections for pair in part.pairs]
    own = [word for part in english.groups for item in part.items for word in item.words]
    own += [word for first, answers in pairs for word in (first, *answers)]
    words = sorted({word.casefold() for word in own if " " not in word})
    generator, vocabulary = np.random.default_rng(0), world.words
    others = np.setdiff1d(np.arange(world.vocabulary), world.rows)
    rows = generator.permutation(others)[: min(known, len(words))]
    for row, word in zip(rows.tolist(), generator.permutation(words).tolist(), strict=False):
        vocabulary[row] = word
    vectors = evaluator.Vectors(vocabulary, world.matrix, "benchmark")
    inputs = beside(lambda: (vectors.in_memory(),))
    inputs.result()
    asked = [["Topk@3"], *([each] for each in RELATED), *(["Topk@3", each] for each in RELATED)]
    seconds: dict[str, list[float]] = {" ".join(each): [] for each in asked}
    for number in range(rounds + 1):
        for each in asked:
            started = time.process_time()
            score(vectors, test_set, each, inputs=inputs)
            if number:  # the first one compiles
                seconds[" ".join(each)].append(time.process_time() - started)
    return {"v": world.vocabulary, "d": world.dimension, "known": len(rows), "seconds": seconds}


def related_markdown(rows: list[dict[str, Any]]) -> str:
    """A row for each measure and number of known words."""
    head = ["v × d", "known words", "measure", "Topk@3, processor s", "alone / Topk", "beside / Topk"]
    cells = []
    for row in rows:
        topk = row["seconds"]["Topk@3"]
        for name in RELATED:
            alone, both = row["seconds"][name], row["seconds"][f"Topk@3 {name}"]
            more = [each - other for each, other in zip(both, topk, strict=True)]
            shown = (spread(topk, ".2f"), *(spread(ratios(each, topk), ".2f") for each in (alone, more)))
            cells.append([f"{row['v']:,} × {row['d']}", f"{row['known']:,}", name, *shown])
    return table(head, cells)


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
            inputs = beside(lambda own=vectors: (own.in_memory(),))
            inputs.result()
            seconds = {}
            for measure in (f"Topk@{each['k']}", f"OddOneOut@{each['k']}"):
                run = partial(
                    score,
                    vectors,
                    test_set,
                    measure,
                    machine=evaluator.Machine(threads=each["threads"]),
                    inputs=inputs,
                )
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
    parser = command_line(__doc__, "all sizes, up to a million words")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed (default 3)")
    parser.add_argument(
        "--without-avx512",
        action="store_true",
        help="code for processors that have AVX2 alone; only the two largest sizes",
    )
    parser.add_argument("--spelling", action="store_true", help="only what the spelling baseline costs")
    parser.add_argument(
        "--related",
        action="store_true",
        help="only what related words and pairs cost, of which 1,500 words are known, and all",
    )
    arguments = parser.parse_args()
    with_processor(avx512=not arguments.without_avx512)
    sizes = [(20_000, 100), (5_000, 200), (200_000, 300), (1_000_000, 100)]
    evaluator.score(World(2000, 8).vectors(), World(2000, 8).test_set())  # compile
    if arguments.spelling:
        sizes = (20_000, 100), (100_000, 100), (200_000, 300)
        own = [spelling(World(*size), arguments.rounds) for size in sizes]
        write(arguments.output, "scoring-spelling", own, spelling_markdown(own))
        return
    if arguments.related:
        own = [related(known, arguments.rounds) for known in (1_500, 10_000)]
        write(arguments.output, "scoring-related", own, related_markdown(own))
        return
    results = []
    chosen = sizes if arguments.full else sizes[:1]
    for v, d in sizes[-2:] if arguments.without_avx512 else chosen:
        # What takes a tenth of a second varies more.
        results.append(measure(World(v, d), arguments.rounds * (5 if v <= FEW else 1)))
        print(markdown(results[-1:]), flush=True)
    write(
        arguments.output,
        "scoring-without-avx512" if arguments.without_avx512 else "scoring",
        results,
        markdown(results),
    )
    if arguments.without_avx512:
        return
    around = [
        approximate(World(v, d), arguments.rounds)
        for v, d in ([(20_000, 100), (100_000, 100)] if arguments.full else sizes[:1])
    ]
    write(arguments.output, "scoring-approximate", around, approximate_markdown(around))
    rows = scaling(arguments.full)
    write(arguments.output, "scaling", rows, scaling_markdown(rows))


if __name__ == "__main__":
    main()
