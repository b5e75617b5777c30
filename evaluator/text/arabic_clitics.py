"""Arabic words without what is written together with them: particles before, the article, pronouns after.

A form is cut by a list alone, of the everyday words that testgen ships: only where what remains is one of
them and the form itself is not known as a word. Where two cuts leave different words, the form stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from evaluator.text import alphabets

# Without the article, ف and ك begin other words too often: فذهب "and went" is not gold (ذهب), and the name
# كريب not doubt (ريب). So does س, which stands before verbs, and ي and نا end them: مهدي, علمنا "we knew".
BEFORE_ARTICLE = tuple(first + second for first in ("", "و", "ف") for second in ("", "ب", "ك", "ل"))
BEFORE_WORD = ("", "و", "ب", "ل", "وب", "ول")
ARTICLE = "ال"
PRONOUNS = ("", "ه", "ها", "هم", "هن", "هما", "ك", "كم", "كن", "كما")
SHORTEST = 3
"""The letters of the shortest word that is found without the article."""


def arabic_clitics(word: str) -> str:
    """A word of the list without clitics, or the word itself; letters as `arabic` has them."""
    spelled = alphabets.arabic(word)
    whole, cut = _listed()
    if spelled in whole:
        return spelled
    found = {rest for rest in _rests(spelled) if rest in cut}
    return found.pop() if len(found) == 1 else spelled


def _rests(word: str) -> Iterator[str]:
    """What may remain of a word, by all ways of cutting it.

    The article has no pronoun after it, and is لل after ل. Before a pronoun ة is ت.
    """
    for before in BEFORE_ARTICLE:
        article = before + ("ل" if before.endswith("ل") else ARTICLE)
        if word.startswith(article) and len(word) > len(article) + 1:
            yield word.removeprefix(article)
    for before in BEFORE_WORD:
        if word.startswith(before):
            yield from _without_pronoun(word.removeprefix(before))


def _without_pronoun(word: str) -> Iterator[str]:
    for pronoun in PRONOUNS:
        rest = word.removesuffix(pronoun)
        if word.endswith(pronoun) and len(rest) >= SHORTEST:
            yield rest
            if pronoun and rest.endswith("ت"):
                yield rest.removesuffix("ت") + "ة"


@cache
def _listed() -> tuple[frozenset[str], frozenset[str]]:
    """The words that stay whole, and those of them that are found in longer forms."""
    lines = (files(__package__) / "arabic_words.tsv").read_text(encoding="utf-8").splitlines()[1:]
    table = [line.split("\t") for line in lines]
    return frozenset(word for word, _ in table), frozenset(word for word, use in table if use == "cut")
