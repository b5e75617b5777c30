"""The words of a model or corpus, by which the spellings and words of a test set can be chosen."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from testgen.errors import TestSetError
from testgen.labels.word_store import ItemWords
from testgen.languages.spelling import Spelling, spelling_of
from testgen.system import read_text


@dataclass(frozen=True)
class Vocabulary:
    """The words for which a test set is chosen: name and digest of their file, and how many there are."""

    name: str
    words: int
    sha256: str
    known: tuple[str, ...] = field(repr=False, compare=False)  # the words, the most frequent first
    _by_language: dict[str, _Spellings] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """Read a list with a word in each line, the most frequent first; what follows a tab is left out."""
        path = Path(path)
        text, sha256 = read_text(path, TestSetError)
        first = (line.partition("\t")[0].strip() for line in text.splitlines())
        words = list(dict.fromkeys(filter(None, first)))
        if not words:
            raise TestSetError(f"{path}: has no words; write a word in each line, the most frequent first")
        if sum(" " in word for word in words) > len(words) / 2:
            raise TestSetError(
                f"{path}: is not a list of words: most lines hold several words or numbers; `evaluator "
                "coverage FILE --list-words` lists the words of vectors, and with --corpus those of a text"
            )
        return cls(path.name, len(words), sha256, tuple(words))

    def choose(self, named: ItemWords, language: str) -> ItemWords:
        """Those of an item's words in a language (its code in use) that are in the list, in its spelling."""
        if language not in self._by_language:
            self._by_language[language] = _Spellings(self.known, spelling_of(language))
        found = list(map(self._by_language[language].of, named.words))
        own = len({word for word in found[: named.own] if word is not None})
        words = tuple(dict.fromkeys(word for word in found if word is not None))
        origin = named.origin if own or not named.own else "alias"
        return ItemWords(words, origin, own, named.other_script)


class _Spellings:
    """The words of a list by what their spellings have in common in a language."""

    def __init__(self, words: Iterable[str], spelling: Spelling) -> None:
        self._spelling = spelling
        text = unicodedata.normalize("NFD", "\n".join(word for word in words if not word.isascii()))
        self._omits_marks = spelling.omitted is not None and not spelling.omitted.search(text)
        self._words: dict[str, list[str]] = {}
        for word in words:
            self._words.setdefault(self._bare(spelling.with_equal_letters(word)), []).append(word)

    def of(self, word: str) -> str | None:
        """The spelling of a word in the list: itself, else in other case, with equal letters, or marks."""
        equal = self._spelling.with_equal_letters(word)
        spelled = self._words.get(self._bare(equal), [])
        for form in (_composed, self._in_small_letters, self._spelling.with_equal_letters):
            found = next((each for each in spelled if form(each) == form(word)), None)
            if found is not None:
                return found
        return self._with_other_marks(equal, spelled)

    def _with_other_marks(self, word: str, spelled: Iterable[str]) -> str | None:
        """A word that has all marks of this one and others, or some of them; none if it could be several."""
        marks, found = _marks(word), dict[str, str]()
        for each in spelled:
            equal = self._spelling.with_equal_letters(each)
            of_it = _marks(equal)
            if marks <= of_it or of_it <= marks:
                found.setdefault(equal, each)
        bare = self._bare(word)
        if bare in found:
            return found[bare]
        return next(iter(found.values())) if len(found) == 1 else None

    def _bare(self, equal: str) -> str:
        return self._spelling.bare(equal, omitted=self._omits_marks)

    def _in_small_letters(self, word: str) -> str:
        return self._spelling.cased(_composed(word))


def _composed(word: str) -> str:
    return unicodedata.normalize("NFC", word)


def _marks(word: str) -> set[tuple[int, str]]:
    """The marks of a word, each with the number of the letter on which it stands."""
    found, letter = set(), 0
    for each in unicodedata.normalize("NFD", word):
        if unicodedata.category(each).startswith("M"):
            found.add((letter, each))
        else:
            letter += 1
    return found
