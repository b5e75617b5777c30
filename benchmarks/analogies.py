"""Analogies beside gensim's evaluate_word_analogies, and beside analogy space: 19,544 questions.

Questions are as many as in questions-words.txt, in 14 sections; relations are planted in random vectors.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from common import best, command_line, table, write

import evaluator

QUESTIONS, SECTIONS = 19_544, 14
METHODS = ("3CosAdd", "3CosMul", "PairDirection")


def make(folder: Path, v: int, d: int) -> tuple[list[str], np.ndarray, Path, int]:
    """Words, vectors, the file of questions, and how many there are."""
    generator = np.random.default_rng(0)
    matrix = generator.standard_normal((v, d), dtype=np.float32)
    words = [f"w{row}" for row in range(v)]
    rows = iter(generator.permutation(v).tolist())
    path = folder / "questions.txt"
    asked = 0
    with path.open("w") as file:
        for section in range(SECTIONS):
            file.write(f": section-{section}\n")
            offset = 0.6 * generator.standard_normal(d, dtype=np.float32)
            pairs = []
            for _ in range(38):
                left, right = next(rows), next(rows)
                matrix[right] = 0.7 * matrix[left] + 0.7 * matrix[right] + offset
                pairs.append((words[left], words[right]))
            for (a, b), (c, e) in itertools.permutations(pairs, 2):
                if asked < QUESTIONS * (section + 1) // SECTIONS:
                    file.write(f"{a} {b} {c} {e}\n")
                    asked += 1
    return words, matrix, path, asked


def measure(v: int, d: int) -> dict[str, Any]:
    """Ours and gensim's seconds, and how many each answers right."""
    from gensim.models import KeyedVectors

    with tempfile.TemporaryDirectory() as folder:
        words, matrix, path, asked = make(Path(folder), v, d)
        vectors = evaluator.Vectors(words, matrix, "benchmark")
        test_set = evaluator.read_testset(path)
        model = KeyedVectors(d)
        model.add_vectors(words, matrix)
        model.fill_norms()
        settings = evaluator.Settings(oov="skip", case="upper")
        result: dict[str, Any] = {"v": v, "d": d, "questions": asked}
        for method in METHODS:
            text = f"Analogy(method={method})@1"
            seconds, scores = best(lambda text=text: evaluator.score(vectors, test_set, text, settings), 2)
            result[method] = {"seconds": seconds, "right": scores[text].hits}
        seconds, _ = best(lambda: evaluator.score(vectors, test_set, "AnalogySpace", settings), 2)
        result["AnalogySpace"] = {"seconds": seconds, "saves": 1 - seconds / result["3CosAdd"]["seconds"]}
        seconds, (_, found) = best(
            lambda: model.evaluate_word_analogies(str(path), restrict_vocab=v, case_insensitive=True), 1
        )
        result["gensim"] = {"seconds": seconds, "right": len(found[-1]["correct"])}
        result["same"] = result["gensim"]["right"] == result["3CosAdd"]["right"]
        result["times"] = seconds / result["3CosAdd"]["seconds"]
    return result


def main() -> None:
    """Measure, print the table, write the figures."""
    arguments = command_line(__doc__, "100,000 words and more").parse_args()
    sizes = [(100_000, 100), (100_000, 300)] if arguments.full else [(20_000, 100)]
    results = [measure(v, d) for v, d in sizes]
    head = ["v × d", "questions", *(f"{method} s" for method in METHODS), "gensim 3CosAdd s", "times", "same"]
    head += ["AnalogySpace s", "saves"]
    rows = [
        [
            f"{each['v']:,} × {each['d']}",
            f"{each['questions']:,}",
            *(f"{each[method]['seconds']:.2f}" for method in METHODS),
            f"{each['gensim']['seconds']:.1f}",
            f"{each['times']:.0f}×",
            "yes" if each["same"] else "NO",
            f"{each['AnalogySpace']['seconds']:.2f}",
            f"{each['AnalogySpace']['saves']:.0%}",
        ]
        for each in results
    ]
    write(arguments.output, "analogies", results, table(head, rows))


if __name__ == "__main__":
    main()
