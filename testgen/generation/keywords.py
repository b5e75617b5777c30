"""Groups of related words: those that stand under one symbol, as dog and pet under 🐕."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import regex

from testgen.generation.request import TestSetRequest
from testgen.labels.policy import words_of_label
from testgen.labels.word_store import ItemWords
from testgen.languages.codes import languages
from testgen.sources import Source
from testgen.testset.types import Group, GroupFamily

NAME, TITLE = "keywords", "Keywords of symbols"
MOST_SYMBOLS = 60  # of more, a word says little: face, animal, with

_EDGES = regex.compile(r"^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}\u200C\u200D]+$")


def keyword_groups(code: str, source: Source, request: TestSetRequest) -> tuple[GroupFamily, ...]:
    """The keywords of a source in a language as groups of words; none if there are none, or none are wanted.

    Names and keywords are divided at their spaces, and the label policy makes words of each piece. A word of
    more than 60 symbols is left out, and then a symbol of fewer than two words; with a vocabulary, also words
    that it does not have.
    """
    stated = source.keywords(code) if request.with_keywords else None
    if stated is None:
        return ()
    words = _words(stated.words, code, request)
    times = Counter(word for own in words.values() for word in own)
    language, any_script = languages()[code], request.label_policy.any_script
    common = {word for word, number in times.items() if number > MOST_SYMBOLS}
    foreign = {word for word in times if not any_script and language.is_in_other_script(word)}
    kept = {word: _chosen(word, request) for word in times.keys() - common - foreign}
    related = {symbol: {each for word in own for each in kept.get(word, ())} for symbol, own in words.items()}
    groups = ((symbol, sorted(own)) for symbol, own in sorted(related.items()) if len(own) > 1)
    items = tuple(Group(symbol, tuple(own), "keyword") for symbol, own in groups)
    family = GroupFamily(
        name=NAME,
        title=TITLE,
        source=stated.source,
        common=tuple(sorted(common)),
        too_few=len(words) - len(items),
        other_script=len(foreign),
        items=items,
    )
    return (family,) if items else ()


def _words(stated: Mapping[str, Sequence[str]], code: str, request: TestSetRequest) -> dict[str, set[str]]:
    """The words of each symbol by the label policy; a piece of a text, which symbols share, is read once."""
    policy = request.label_policy
    made = {
        piece: words_of_label(_EDGES.sub("", piece), policy, code)
        for piece in {piece for own in stated.values() for piece in own}
    }
    return {symbol: {word for piece in own for word in made[piece]} for symbol, own in stated.items()}


def _chosen(word: str, request: TestSetRequest) -> tuple[str, ...]:
    """The word; with a vocabulary, as this has it, if it does."""
    if request.vocabulary is None:
        return (word,)
    return request.vocabulary.choose(ItemWords((word,), "label", 1)).words
