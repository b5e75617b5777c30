"""Draw words at random for a reader, who marks each, with a reason; and count the marks of two readers.

    python tools/reading_sheet.py non te > sheet.tsv
    python tools/reading_sheet.py te ur --today > sheet-today.tsv
    python tools/reading_sheet.py --tally

A language's words are those of its table in `historical/`; with `--today`, those of its shipped test set,
beside the English words of the same thing. The same seed draws the same words. A second reader is given the
sheet alone, not the marks of the first.

`readings.tsv` has the marks: `wrong`, `another` (the word is right, but in texts it mostly is another word of
its spelling) and `doubtful` (wider, narrower or unsure). Words without a row were marked as right. The sheets
were drawn before what was found was mended. Rows without a seed are of words that were all read; of these,
words that mostly are another one stand in `historical/homographs.tsv` and in the evidence, if not replaced.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import build_historical as core

import testgen

Drawn = list[tuple[str, str, str]]
"""Language, thing and word."""

TODAY = ["en", "es", "id", "km", "ru", "so", "sw", "te", "tr", "ur", "yo", "zh"]
"""The languages of today whose shipped test sets were read."""
MARKS = ("wrong", "another", "doubtful")
EACH = 100
"""So many words of a language are on a sheet."""
AGAIN = ["ar", "bn", "cop", "fro", "hbo", "non"]
"""The cores of which another sheet was read after what had been found was mended."""
WHOLE = ["akk", "gmh", "got", "grc", "gu", "hi", "la", "sa"]
"""The cores of which the third reader read every word."""
COLUMNS = (
    ("cores", "57", "first"),
    ("cores", "57", "second"),
    ("cores", "58", "second"),
    ("cores", "59", "second"),
)
"""The sheets of cores: what was drawn, with which seed, and who read it."""


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


def readings() -> list[core.Row]:
    """The marks of the readers that are not "right"."""
    with Path(__file__).with_name("readings.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def tally() -> str:
    """Tables in Markdown: the marks of each language, and how far the readers of one sheet agree."""
    marked = Counter(
        (row["words"], row["seed"], row["reader"], row["language"], row["mark"]) for row in readings()
    )

    def cell(sheet: tuple[str, str, str], code: str) -> str:
        return " / ".join(str(marked[*sheet, code, mark]) for mark in MARKS)

    cores = [code for code in core.languages() if code != "got-latn"]
    lines = [
        "| core | first reader | second reader, the same words | other words | after mending | every word |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for code in cores:
        cells = [cell(each, code) for each in COLUMNS[:3]]
        cells.append(cell(COLUMNS[3], code) if code in AGAIN else "–")
        cells.append(of_all(every_word(code)) if code in WHOLE else "–")
        lines.append(f"| `{code}` | {' | '.join(cells)} |")
    sums = [
        " / ".join(str(sum(marked[*sheet, code, mark] for code in cores)) for mark in MARKS)
        for sheet in COLUMNS
    ]
    sums.append(of_all([sum(column) for column in zip(*map(every_word, WHOLE), strict=True)]))
    lines.append(f"| all | {' | '.join(sums)} |")
    lines += ["", "| shipped test set | second reader |", "|---|---:|"]
    lines += [f"| `{code}` | {cell(('today', '58', 'second'), code)} |" for code in TODAY]
    lines += ["", agreement(len(cores) * EACH)]
    return "\n".join(lines)


def every_word(code: str) -> tuple[int, ...]:
    """The words of a core that was read as a whole, as they are marked, and of how many."""
    marked = Counter(
        row["mark"]
        for row in readings()
        if (row["words"], row["seed"], row["reader"], row["language"]) == ("cores", "", "third", code)
    )
    others = core.aliases(code)
    table = core.rows(code)
    words = [word for row in table for word in core.words(row) if not core.POINTS.search(word)]
    marked["another"] += len(words) - sum(len(core.usual_words(row, others)) for row in table)
    return (*(marked[mark] for mark in MARKS), len(words))


def of_all(numbers: Sequence[int]) -> str:
    """A cell of the marks, and of how many words they are."""
    *marked, words = numbers
    return f"{' / '.join(map(str, marked))} of {words:,}"


def agreement(read: int) -> str:
    """Of the words that both read, how many they mark alike: as right, or as not right."""
    (first, second) = (
        {
            (row["language"], row["thing"], row["word"])
            for row in readings()
            if (row["words"], row["seed"], row["reader"]) == sheet and row["mark"] in ("wrong", "doubtful")
        }
        for sheet in COLUMNS[:2]
    )
    both = len(first & second)
    alike = read - len(first ^ second)
    expected = sum(
        len(one) * len(other)
        for one, other in ((first, second), (range(read - len(first)), range(read - len(second))))
    )
    kappa = (alike * read - expected) / (read * read - expected)
    return (
        f"Of the {read:,} words that both read, the first marked {len(first)} as wrong or unsure, the second "
        f"{len(second)}, both {both}: they agree on {alike / read:.1%}, with κ = {kappa:.2f}."
    )


def main() -> None:
    """Print the sheet, or the marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("codes", nargs="*")
    parser.add_argument("--tally", action="store_true", help="count the marks in readings.tsv")
    parser.add_argument("--today", action="store_true", help="words of the shipped test sets")
    parser.add_argument("--number", type=int, default=EACH)
    parser.add_argument("--seed", type=int, default=57)
    arguments = parser.parse_args()
    if arguments.tally:
        print(tally())
        return
    tables = of_today(arguments.codes) if arguments.today else map(of_core, arguments.codes)
    print("language\tthing\tword\tmark\treason")
    for words in tables:
        for language, thing, word in sheet(words, arguments.number, arguments.seed):
            print(f"{language}\t{thing}\t{word}\t\t")


if __name__ == "__main__":
    main()
