"""TestSetContent of a test set from plain words."""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.datasets.testset import AnalogySection, Category, Item


def category(name: str, words: Iterable[str]) -> Category:
    """A category whose items have no ids: each word is its own; a word that comes again counts once."""
    return Category(name, name, tuple(Item(word, (word,)) for word in dict.fromkeys(words)))


def alternatives(text: str) -> tuple[str, ...]:
    """The words that `a/b/c` names, none twice; a lone slash is a word."""
    return tuple(dict.fromkeys(part for part in map(str.strip, text.split("/")) if part)) or (text,)


def section(name: str, questions: Iterable[tuple[str, str, str, str]]) -> AnalogySection:
    """A section of questions a : b :: c : d, each pair kept once; b and d may name alternatives (`b/b2`)."""
    positions: dict[tuple[str, tuple[str, ...]], int] = {}

    def position(word: str, answers: str) -> int:
        return positions.setdefault((word, alternatives(answers)), len(positions))

    asked = tuple((position(a, b), position(c, d)) for a, b, c, d in questions)
    return AnalogySection(name, name, tuple(positions), asked)
