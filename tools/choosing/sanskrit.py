"""Sanskrit pairs of words with their degree of relatedness, from the thesaurus Amarakośa (EvalSan)."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from evaluator.datasets.testset import RatedPairs, TestSet

_LETTERS = dict(zip("kKgGfcCjJFtTdDNwWxXnpPbBmyrlvSRsh", "कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह", strict=True))
_VOWELS = dict(zip("aAiIuUqeEoO", "अआइईउऊऋएऐओऔ", strict=True))
_SIGNS = dict(zip("AiIuUqeEoO", "ािीुूृेैोौ", strict=True))
_MARKS = {"M": "ं", "H": "ः", "z": "ँ"}


def devanagari(word: str) -> str:
    """A word in the letters of WX as one in Devanagari."""
    found, open_ = "", False  # whether the last letter is a consonant without a vowel yet
    for letter in word:
        if letter in _LETTERS:
            found += ("्" if open_ else "") + _LETTERS[letter]
            open_ = True
        elif letter in _VOWELS:
            found += _SIGNS.get(letter, "") if open_ else _VOWELS[letter]
            open_ = False
        else:
            found, open_ = found + _MARKS.get(letter, letter), False
    return found + ("्" if open_ else "")


def relatedness(data: Path, known: Mapping[str, int]) -> TestSet:
    """The pairs of the Amarakośa with their degrees; stems as their commonest forms in a vocabulary."""

    def form(stem: str) -> str:
        word = devanagari(stem)
        forms = [word + ending for ending in ("", "ः", "ं", "म्") if word + ending in known]
        return min(forms, key=lambda each: known[each], default=word)

    pairs = []
    for part in ("dev", "test"):
        path = data / "benchmarks" / "similarity" / "sanskrit" / f"automated_relatedness_AK_{part}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            pairs += [(form(one), form(other), float(degree)) for one, other, degree in csv.reader(file)]
    return TestSet("sa", "Amarakośa", "", rated_pairs=(RatedPairs("AK", "AK", tuple(pairs)),))
