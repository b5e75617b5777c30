"""The words of a model or corpus, by which the spellings and words of a test set can be chosen."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import regex

from testgen.errors import TestSetError
from testgen.labels.word_store import ItemWords
from testgen.system import read_text

# In other scripts a mark may be a vowel.
_MARKS = regex.compile(r"(?<=[\p{Latin}\p{Greek}\p{Cyrillic}\p{Arabic}\p{Hebrew}]\p{M}*)\p{M}")
_LETTERS = str.maketrans({"j": "i", "v": "u", "æ": "ae", "œ": "oe", "ـ": ""})


@dataclass(frozen=True)
class Vocabulary:
    """The words for which a test set is chosen: name and digest of their file, and how many there are."""

    name: str
    words: int
    sha256: str
    spellings: dict[str, str] = field(repr=False, compare=False)

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
        spellings: dict[str, str] = {}
        for word in words:
            spellings.setdefault(_key(word), word)
        return cls(path.name, len(words), sha256, spellings)

    def choose(self, named: ItemWords) -> ItemWords:
        """Those of an item's words that are in the list, in its spelling."""
        found = [self.spellings.get(_key(word)) for word in named.words]
        own = len({word for word in found[: named.own] if word is not None})
        words = tuple(dict.fromkeys(word for word in found if word is not None))
        origin = named.origin if own or not named.own else "alias"
        return ItemWords(words, origin, own, named.other_script)


def _key(word: str) -> str:
    marked = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", word))
    return _MARKS.sub("", marked).casefold().translate(_LETTERS)
