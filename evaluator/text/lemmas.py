"""Lemmas: the form under which a dictionary has a word, by simplemma (extra `[lemmas]`)."""

from __future__ import annotations

from importlib.util import find_spec

from evaluator.errors import CorpusError, ExtraError
from evaluator.text.normalization import Form


def has_lemmas(language: str) -> bool:
    """Whether simplemma is installed and has a dictionary of a language."""
    return find_spec("simplemma") is not None and _code(language) is not None


def lemmatizer(language: str) -> Form:
    """From a word to its lemma; a word that the dictionary lacks stays as it is.

    A word is looked up as it is written, in lower case where that finds nothing, and only then guessed at
    (Barbaresi, "simplemma": a dictionary with rules for the rest).

    Raises:
        ExtraError: simplemma is not installed.
        CorpusError: It has no dictionary of the language.
    """
    if find_spec("simplemma") is None:
        raise ExtraError("lemmatization", "simplemma", "lemmas")
    code = _code(language)
    if code is None:
        raise CorpusError(f"simplemma has no dictionary of the language {language!r}; train without lemmas")
    import simplemma

    known: dict[str, str] = {}

    def lemma(word: str) -> str:
        if word not in known:
            # A lemma of several words would fall into several tokens; such entries are noise.
            found = simplemma.lemmatize(word, lang=code)
            known[word] = found if found and not any(c.isspace() for c in found) else word
        return known[word]

    return lemma


def _code(language: str) -> str | None:
    """The code by which simplemma knows a language: that of Wikidata, or its first part."""
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    code = language.lower().partition("-")[0]
    return code if code in SUPPORTED_LANGUAGES else None
