"""CSLS beside faiss: P@1 of a dictionary, as MUSE computes it with faiss for the mean similarities.

Two vocabularies of random vectors, the second one the first with noise; 1,500 words are asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import best, command_line, table, write

import evaluator
from evaluator.plugins.translation import Dictionary, TranslatedItem, TranslationList, translate

ASKED, NEIGHBOURS = 1500, 10
MEASURES = ("Translation(method=CSLS)@1",)


def make(v: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of both languages."""
    generator = np.random.default_rng(0)
    source = generator.standard_normal((v, d), dtype=np.float32)
    target = 0.2 * source + generator.standard_normal((v, d), dtype=np.float32)
    return source, target


def by_faiss(source: np.ndarray, target: np.ndarray) -> float:
    """P@1 with CSLS: two exact indexes, and MUSE's sum."""
    import faiss

    source, target = source.copy(), target.copy()
    faiss.normalize_L2(source)
    faiss.normalize_L2(target)
    index = faiss.IndexFlatIP(source.shape[1])
    index.add(source)
    means = index.search(target, NEIGHBOURS)[0].mean(axis=1)
    scores = 2 * source[:ASKED] @ target.T - means  # r(x) does not change the order
    return float((scores.argmax(axis=1) == np.arange(ASKED)).mean())


def by_evaluator(source: np.ndarray, target: np.ndarray) -> float:
    """The same, from words."""
    words = [f"w{row}" for row in range(len(source))]
    vectors = [evaluator.Vectors(words, matrix, "benchmark", checked=True) for matrix in (source, target)]
    items = tuple(TranslatedItem(word, (word,), (word,)) for word in words[:ASKED])
    asked = Dictionary("und", "benchmark", "0" * 64, translations=(TranslationList("all", "all", items),))
    return translate(*vectors, asked, MEASURES)[MEASURES[0]].value


def measure(v: int, d: int) -> dict[str, Any]:
    """Seconds of both, and P@1."""
    source, target = make(v, d)
    by_evaluator(source[:2000], target[:2000])  # compiles
    ours, own = best(lambda: by_evaluator(source, target), 2)
    theirs, other = best(lambda: by_faiss(source, target), 2)
    assert abs(own - other) <= 1 / ASKED, (own, other)  # single precision may swap two words
    return {"v": v, "d": d, "evaluator": ours, "faiss": theirs, "precision": own}


def main() -> None:
    """Measure and print."""
    args = command_line(__doc__, "also 100,000 words").parse_args()
    sizes = [(20_000, 300), *([(100_000, 300)] if args.full else [])]
    results = [measure(*size) for size in sizes]
    rows = [
        [
            f"{each['v']:,} × {each['d']}",
            f"{each['evaluator']:.2f} s",
            f"{each['faiss']:.2f} s",
            f"{each['faiss'] / each['evaluator']:.2f}",
            f"{each['precision']:.4f}",
        ]
        for each in results
    ]
    head = ["words of each language", "evaluator", "faiss", "times as fast", "P@1, CSLS"]
    write(args.output, "translation", results, table(head, rows))


if __name__ == "__main__":
    main()
