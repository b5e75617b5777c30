"""What divides a text into words: runs of letters, white space, CLTK, or a function of the user's own."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import regex

from evaluator.errors import CorpusError
from evaluator.execution.inputs import opened

NAMES = ("letter-runs", "white-space", "cltk")
"""What divides a text; besides these, `MODULE:FUNCTION` names a function from a line to its words."""

Divide = Callable[[str], list[str]]

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}\u200c\u200d]+")
_LETTER = regex.compile(r"[\p{L}\p{N}]")
_CLTK = {
    "akk": "Akkadian",
    "ar": "Arabic",
    "enm": "MiddleEnglish",
    "frm": "MiddleFrench",
    "fro": "OldFrench",
    "gmh": "MiddleHighGerman",
    "grc": "Greek",
    "la": "Latin",
    "non": "OldNorse",
}
"""CLTK's names of the languages for which it has a tokenizer; it has one for all others."""


@lru_cache(maxsize=32)
def tokenizer(tokens: str, language: str = "und") -> Divide:
    r"""A function from a text to its words.

    `letter-runs` are longest runs of letters, marks and digits, with the joiners U+200C and U+200D: `\w` of
    Python's `re` does not match marks, which would break Indic, Hebrew and Arabic words. `white-space` is for
    a text that is tokenized already: words are all that white space divides, such as `New_York`, `mūšu_I`, or
    a full stop. `cltk` normalizes and divides as the Classical Language Toolkit does, without punctuation. A
    function of the user's own gets a line and gives its words; it may normalize them, too.

    Raises:
        CorpusError: There are no such tokens, CLTK is not installed, or what is named cannot be imported or
            is no function.
    """
    if tokens == "letter-runs":
        return lambda text: [word for word in _WORD.findall(text) if _LETTER.search(word)]
    if tokens == "white-space":
        return str.split
    if tokens == "cltk":
        return _of_cltk(language)
    if ":" in tokens:
        return _checked(tokens, _imported(tokens))
    raise CorpusError(f"tokens is {tokens!r}; choose from {', '.join(NAMES)}, or name MODULE:FUNCTION")


def words_of(text: str, tokens: str = "letter-runs", language: str = "und") -> list[str]:
    """The words of a text, which is normalized to NFC first; see `tokenizer`."""
    return tokenizer(tokens, language)(unicodedata.normalize("NFC", text))


def code_of(tokens: str) -> Path | None:
    """The file of the code of a user's own tokenizer, of which the words depend; None of others."""
    if tokens in NAMES:
        return None
    file = getattr(_module(tokens), "__file__", None)
    return None if file is None else opened("module", file)


def _of_cltk(language: str) -> Divide:
    """CLTK's normalizer of a language, if it has one, and its tokenizer."""
    if find_spec("cltk") is None:
        raise CorpusError("tokens is 'cltk', and CLTK is not installed: pip install cltk")
    try:
        processes = import_module("cltk.tokenizers.processes")
    except ImportError as error:
        raise CorpusError(
            f"tokens is 'cltk', and this CLTK has no tokenizers to import ({error}): versions from "
            "2 on divide texts by other programs; pip install 'cltk<2', or name a function as MODULE:FUNCTION"
        ) from error
    name = f"{_CLTK.get(language.partition('-')[0], 'Multilingual')}TokenizationProcess"
    # Some of its tokenizers need a file that CLTK downloads: that is said before any work.
    divide = _checked(f"CLTK's {name}", lambda text: _algorithm(processes, name).tokenize(text))
    normalize: Callable[[str], str] = str
    if language == "grc":
        normalize = import_module("cltk.alphabet.grc.grc").normalize_grc
    elif language == "la":
        normalize = import_module("cltk.alphabet.lat").normalize_lat
    return lambda text: [word for word in divide(normalize(text)) if _LETTER.search(word)]


@cache
def _algorithm(processes: ModuleType, name: str) -> Any:  # noqa: ANN401  # of CLTK
    return getattr(processes, name)().algorithm


def _imported(tokens: str) -> object:
    """What `MODULE:FUNCTION` names."""
    found: object = _module(tokens)
    try:
        for part in tokens.partition(":")[2].split("."):
            found = getattr(found, part)
    except AttributeError as error:
        raise CorpusError(f"{tokens}: {error}; name a function from a line to its words") from error
    return found


def _module(tokens: str) -> ModuleType:
    """Modules in the working directory are found, too."""
    here = str(Path.cwd())
    added = here not in sys.path and "" not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        return import_module(tokens.partition(":")[0])
    except Exception as error:  # the code of others may raise anything
        raise CorpusError(
            f"{tokens}: cannot be imported as MODULE:FUNCTION ({type(error).__name__}: {error})"
        ) from error
    finally:
        if added:
            sys.path.remove(here)


def _checked(name: str, divide: object) -> Divide:
    """Try a function on one line, so that a wrong one is refused before any work."""
    if isinstance(divide, type | str) or not callable(divide):
        raise CorpusError(f"{name}: is not a function; name one that takes a line and gives its words")

    def checked(text: str) -> list[str]:
        words = divide(text)
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise CorpusError(f"{name}: gives {words!r:.60} for a line; it must give a list of words")
        # A space within a word would make two words of it in a file of sentences.
        return [part for word in words for part in word.split()]

    try:
        checked("arma virumque cano")
    except CorpusError:
        raise
    except Exception as error:  # the code of others may raise anything
        raise CorpusError(
            f"{name}: fails on 'arma virumque cano' ({type(error).__name__}: {error})"
        ) from error
    return checked
