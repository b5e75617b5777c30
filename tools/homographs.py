"""Words of the core that are so frequent in texts that they may mostly be another word of their spelling.

Old English *is* is "ice", and far more often "is". Where no text is lemmatized, the frequency of a word says
whether it should be looked at. With s(w) the share of w among all tokens of core words of a text,

    A(w) = log10 s(w) − m(concept) − median over the language's concepts c of (log10 s(c) − m(c)),

where m(c) is the median of log10 s(c) over the other languages, and s(c) is that of all words of a concept.
Words with A of 1 or more are flagged: ten times as frequent as expected. The test flags also what a text is
simply about, so it never drops a word: `historical/homographs.tsv` says of each flagged word why it is
`kept`, or that it is an `alias`, which test sets do not ask by default.

`python tools/homographs.py la=latin.txt.gz non=old_norse.txt.gz …`, with three texts or more, prints the
flagged words that have no line there; `--all` prints all of them.
"""

from __future__ import annotations

import argparse
import math
import re
import unicodedata
from collections import defaultdict
from pathlib import Path
from statistics import median

import build_historical as core

FLAGGED = 1.0
"""The least A of a flagged word."""
OTHERS = 3
"""A concept's frequency is known from so many other languages."""

HEBREW_MARKS = re.compile("[\u0591-\u05bd\u05bf-\u05c7]")

Words = dict[tuple[str, str], int]
"""How often the words of a language stand in its text, by concept and word."""


def unpointed(word: str) -> str:
    """A word as models of a text are asked for it: in small letters, with its marks, but Hebrew points."""
    small = unicodedata.normalize("NFC", word.lower())
    return HEBREW_MARKS.sub("", small)


def counted(code: str, path: Path) -> Words:
    """The counts of the words that a text has."""
    counts = core.counts(path, unpointed)
    found = {
        (row["concept"], word): counts[unpointed(word)]
        for row in core.rows(code)
        for word in core.usual_words(row)
    }
    return {key: number for key, number in found.items() if number}


def excess(languages: dict[str, Words]) -> dict[tuple[str, str, str], float]:
    """A of each word, by language, concept and word; without words of concepts that few others have."""
    shares = {code: _log_shares(words) for code, words in languages.items()}
    found: dict[tuple[str, str, str], float] = {}
    for code, words in languages.items():
        usual = {}
        for concept in shares[code]:
            others = [each[concept] for other, each in shares.items() if other != code and concept in each]
            if len(others) >= OTHERS:
                usual[concept] = median(others)
        middle = median(shares[code][concept] - share for concept, share in usual.items()) if usual else 0.0
        total = sum(words.values())
        found |= {
            (code, concept, word): math.log10(number / total) - usual[concept] - middle
            for (concept, word), number in words.items()
            if concept in usual and number >= core.KNOWN
        }
    return found


def _log_shares(words: Words) -> dict[str, float]:
    """The logarithm of each concept's share, of all its words together."""
    numbers: dict[str, int] = defaultdict(int)
    for (concept, _), number in words.items():
        numbers[concept] += number
    total = sum(numbers.values())
    return {concept: math.log10(number / total) for concept, number in numbers.items()}


def flagged(languages: dict[str, Words]) -> dict[tuple[str, str, str], float]:
    """The words with A of 1 or more, the most excessive first."""
    found = excess(languages)
    return {
        key: found[key] for key in sorted(found, key=lambda key: (-found[key], key)) if found[key] >= FLAGGED
    }


def main() -> None:
    """Print the flagged words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", metavar="CODE=FILE", nargs="+")
    parser.add_argument("--all", action="store_true", help="also those that have a line")
    arguments = parser.parse_args()
    pairs = (corpus.partition("=") for corpus in arguments.corpora)
    languages = {code: counted(code, Path(path)) for code, _, path in pairs}
    told = {(row["language"], row["concept"], row["word"]) for row in core.rows("homographs")}
    for key, value in flagged(languages).items():
        if arguments.all or key not in told:
            code, concept, word = key
            print(f"{code}\t{concept}\t{word}\t{value:.2f}\t{languages[code][concept, word]}")


if __name__ == "__main__":
    main()
