"""What people mean when they search: languages and categories by any of their names, also misspelled ones."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

import regex

from testgen.languages import Language

EXACT, PREFIX, WITHIN, IN_TEXT, SIMILAR = range(5)
"""How well a text fits, the best first: it is a name, begins words of it, is within it, or within a
description; or no name has it, and this is one of the most similar names."""

_WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_FILLERS = frozenset({"a", "all", "and", "in", "list", "name", "of", "the", "word"})
_LEAST = 4  # letters: shorter texts are within too many names
_CUTOFF, _MOST = 0.75, 4  # of similar names


@lru_cache(maxsize=20_000)
def plain(text: str) -> tuple[str, ...]:
    """The words of a text without accents, capitals, English plurals, and words such as "names of"."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    words = [_singular(word) for word in _WORDS.findall(regex.sub(r"[\u0300-\u036f]", "", folded))]
    return tuple(word for word in words if word not in _FILLERS) or tuple(words)


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def ranks(sought: str, names: Mapping[str, Iterable[str]], texts: Mapping[str, str]) -> dict[str, int]:
    """How well a text fits what has these names and descriptions; if nothing, the most `SIMILAR` names."""
    words = plain(sought)
    if not words:
        return {}
    known = {key: [plain(name) for name in of_key if name] for key, of_key in names.items()}
    rank = {key: _rank(words, of_key, plain(texts.get(key, ""))) for key, of_key in known.items()}
    fitting = {key: best for key, best in rank.items() if best < SIMILAR}
    return fitting or _similar(words, known)


def _rank(words: tuple[str, ...], names: Iterable[tuple[str, ...]], text: tuple[str, ...]) -> int:
    best = SIMILAR
    for name in names:
        if name == words:
            return EXACT
        if _begins(words, name):
            best = PREFIX
        elif len("".join(words)) >= _LEAST and " ".join(words) in " ".join(name):
            best = min(best, WITHIN)
    if best == SIMILAR and _begins(words, text):
        return IN_TEXT
    return best


def _begins(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return all(any(part.startswith(word) for part in name) for word in words)


def _similar(words: tuple[str, ...], names: Mapping[str, Iterable[tuple[str, ...]]]) -> dict[str, int]:
    of_name: dict[str, list[str]] = {}
    for key, of_key in names.items():
        for name in of_key:
            of_name.setdefault(" ".join(name), []).append(key)
    near = difflib.get_close_matches(" ".join(words), of_name, _MOST, _CUTOFF)
    return {key: SIMILAR for name in near for key in of_name[name]}


def names_of_language(language: Language) -> list[str]:
    """Everything by which a language may be asked for: names and codes."""
    return [language.name, language.code, language.iso639_3 or "", *language.tags, *language.also]
