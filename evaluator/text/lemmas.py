"""Lemmas: the forms of words that a dictionary lists, found by simplemma (extra `[lemmas]`)."""

from __future__ import annotations

from importlib.util import find_spec

from evaluator.errors import CorpusError, ExtraError
from evaluator.text.normalization import Normalizer


def has_lemmas(language: str) -> bool:
    """Whether simplemma is installed and has a dictionary of a language."""
    return find_spec("simplemma") is not None and _simplemma_code(language) is not None


def lemmatizer(language: str) -> Normalizer:
    """A function from a word to its lemma; a word that the dictionary lacks stays unchanged.

    A word is looked up as written, then in lower case, and only then guessed (Barbaresi, "simplemma": a
    dictionary, with rules for all other words).
    """
    if find_spec("simplemma") is None:
        raise ExtraError("lemmatization", "simplemma", "lemmas")
    code = _simplemma_code(language)
    if code is None:
        raise CorpusError(f"simplemma has no dictionary of the language {language!r}; train without lemmas")
    import simplemma

    known: dict[str, str] = {}

    def lemma(word: str) -> str:
        if word not in known:
            # A lemma of several words would become several tokens; such entries are errors of the dictionary.
            found = simplemma.lemmatize(word, lang=code)
            known[word] = found if found and not any(c.isspace() for c in found) else word
        return known[word]

    return lemma


def _simplemma_code(language: str) -> str | None:
    """The language code that simplemma uses: Wikidata's, or its first part."""
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    code = language.lower().partition("-")[0]
    return code if code in SUPPORTED_LANGUAGES else None
