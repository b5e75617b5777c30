"""Draw words at random for a reader, who marks each as right, wrong or unsure, with a reason.

    python tools/reading_sheet.py non te > sheet.tsv
    python tools/reading_sheet.py te ur --today > sheet-today.tsv

A language's words are those of its table in `historical/`; with `--today`, those of its shipped test set,
beside the English words of the same thing. The same seed draws the same words. A second reader is given the
sheet alone, not the marks of the first.
"""

from __future__ import annotations

import argparse
import random

import build_historical as core

import testgen

Drawn = list[tuple[str, str, str]]
"""Language, thing and word."""


def of_core(code: str) -> Drawn:
    """The words that are asked of a core."""
    others = core.aliases(code)
    return [(code, row["concept"], word) for row in core.rows(code) for word in core.usual_words(row, others)]


def of_today(codes: list[str]) -> list[Drawn]:
    """The words of shipped test sets, and what the thing is in English."""
    sets = {each.language: each for each in testgen.build_test_sets(testgen.TestSetRequest(["en", *codes]))}
    english = sets["en"]
    names = {
        item.id: f"{category.name}/{item.words[0]}"
        for category in english.categories
        for item in category.items
    }
    return [
        [
            (found.language, names.get(item.id, f"{category.name}/{item.id}"), word)
            for category in found.categories
            for item in category.items
            for word in item.words
        ]
        for found in (sets[code] for code in codes)
    ]


def sheet(words: Drawn, number: int, seed: int) -> Drawn:
    """So many different words, in the order in which they are drawn."""
    different = sorted(
        {(language, word): (language, thing, word) for language, thing, word in words}.values()
    )
    return random.Random(seed).sample(different, min(number, len(different)))  # noqa: S311  # no secret


def main() -> None:
    """Print the sheet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("codes", nargs="+")
    parser.add_argument("--today", action="store_true", help="words of the shipped test sets")
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=57)
    arguments = parser.parse_args()
    tables = of_today(arguments.codes) if arguments.today else map(of_core, arguments.codes)
    print("language\tthing\tword\tmark\treason")
    for words in tables:
        for language, thing, word in sheet(words, arguments.number, arguments.seed):
            print(f"{language}\t{thing}\t{word}\t\t")


if __name__ == "__main__":
    main()
