"""How many of a form's occurrences in a lemmatized text are the word that is meant.

    python tools/lemma_shares.py gmh=text.txt.gz=lemmas.txt.gz --profile middle-high-german --write

The two files have the same words in the same order, one with the lemma of each. A form is counted as the
profile makes it, as texts differ in marks of length: *îs*, "ice", is *is* in many, and there mostly "is".
A lemma is the word if it is spelled as the word, but for doubled letters and those at the end, or is named
in `historical/headwords.tsv`, where the headword is spelled otherwise. Words of one headword are not told
apart: of these a reader decides (`historical/homographs.tsv`). Prints the words below 0.8; `--write` puts
`lemma:0.93` into the evidence of each word that the text has five times or more.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import unicodedata
from collections import Counter, defaultdict
from itertools import zip_longest
from pathlib import Path

import build_historical as core

from evaluator.text.normalization import Normalizer, parse_profile, unchanged

SHOWN = 0.8
"""Words of a smaller share are printed."""
STATED = re.compile(r" lemma:\S+")


def lemmas_of_forms(text: Path, lemmas: Path, respell: Normalizer) -> dict[str, Counter[str]]:
    """How often each form of a text, respelled, is each lemma.

    Raises:
        ValueError: A line of one file has not as many words as that of the other.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    with gzip.open(text, "rt", encoding="utf-8") as forms, gzip.open(lemmas, "rt", encoding="utf-8") as own:
        for number, (line, other) in enumerate(zip_longest(forms, own, fillvalue=""), 1):
            if len(line.split()) != len(other.split()):
                raise ValueError(f"line {number} of {text} and {lemmas} must have the same number of words")
            for form, lemma in zip(line.lower().split(), other.lower().split(), strict=True):
                found[respell(form)][unicodedata.normalize("NFC", lemma)] += 1
    return found


def shares(code: str, found: dict[str, Counter[str]], respell: Normalizer) -> dict[str, float]:
    """The share of each word of a core, for words that the text has often enough."""
    named = {
        row["word"]: set(row["headwords"].split(" | "))
        for row in core.rows("headwords")
        if row["language"] == code
    }
    told = {}
    for word in {word for row in core.rows(code) for word in core.words(row)}:
        lemmas = found.get(respell(word.lower()), Counter())
        own = named.get(word) or {lemma for lemma in lemmas if _end(lemma) == _end(word)}
        if lemmas.total() >= core.KNOWN:
            told[word] = sum(lemmas[lemma] for lemma in own) / lemmas.total()
    return told


def _end(word: str) -> str:
    """A word with its last letters as they are spoken: voiceless and simple, and without w."""
    word = re.sub(r"(.)\1", r"\1", word.lower().removesuffix("w")).replace("ck", "k")
    return word[:-1] + word[-1:].translate(str.maketrans("bdgvc", "ptkfk"))


def write(code: str, told: dict[str, float]) -> None:
    """Put the shares into the evidence of a language's table."""
    path = core.TABLES / f"{code}.tsv"
    table = core.rows(code)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, table[0], delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n")
        rows.writeheader()
        for row in table:
            evidence = [STATED.sub("", each) for each in row["evidence"].split(" | ")]
            share = [f" lemma:{told[word]:.2f}" if word in told else "" for word in core.words(row)]
            row["evidence"] = " | ".join(map("".join, zip(evidence, share, strict=True)))
            rows.writerow(row)


def main() -> None:
    """Print the words of small shares, or write all shares into the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", metavar="CODE=TEXT=LEMMAS")
    parser.add_argument("--profile", type=parse_profile, default=unchanged)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    code, text, lemmas = arguments.corpus.split("=")
    found = lemmas_of_forms(Path(text), Path(lemmas), arguments.profile)
    told = shares(code, found, arguments.profile)
    for word, share in sorted(told.items(), key=lambda each: (each[1], each[0])):
        if share < SHOWN:
            lemmas_there = found[arguments.profile(word.lower())].most_common(4)
            common = ", ".join(f"{lemma} {number}" for lemma, number in lemmas_there)
            print(f"{code}\t{word}\t{share:.2f}\t{common}")
    if arguments.write:
        write(code, told)


if __name__ == "__main__":
    main()
