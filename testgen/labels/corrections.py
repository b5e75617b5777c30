"""What people found wrong in names: items that are left out, and words that replace those of an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from testgen.errors import LanguageError, TestSetError
from testgen.labels.policy import LabelPolicy, words_of
from testgen.labels.word_store import ItemWords
from testgen.languages.codes import canonical
from testgen.sources.base import is_id
from testgen.system import read_text

_ALL = "*"


@dataclass(frozen=True)
class Corrections:
    """What a test set has otherwise than its source."""

    without: tuple[str, ...] = ()  # the ids of items that are left out in all languages, sorted
    name: str | None = None  # of the table of words
    sha256: str | None = None  # the digest of the table
    words: Mapping[tuple[str, str], list[str]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def read(cls, path: Path | None, without: Iterable[str] = ()) -> Corrections:
        """Take ids, and a table with item, language and word in each line, separated by tabs."""
        # The words of an item in a language replace those that it has; a line without a word leaves it out.
        # The language `*` means all; lines that begin with # are notes.
        ids, words = set(without), dict[tuple[str, str], list[str]]()
        path = Path(path) if path else None
        text, sha256 = read_text(path, TestSetError) if path else ("", None)
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                try:
                    code, item, word = _read_line(line)
                except (LanguageError, TestSetError) as error:
                    raise TestSetError(f"{path}: line {number}: {error}") from None
                words.setdefault((code, item), []).extend([word] if word else [])
        if not (ids or words):
            raise TestSetError(
                f"{path}: has no corrections; write item, language and word, separated by tabs"
            )
        for item in ids:
            _check_id(item)
        ids.update(item for (code, item), own in words.items() if code == _ALL and not own)
        return cls(tuple(sorted(ids)), path.name if path else None, sha256, words)

    @property
    def items(self) -> set[str]:
        """The ids of all items that are corrected."""
        return {*self.without, *(item for _, item in self.words)}

    def under(self, policy: LabelPolicy) -> Corrections:
        """The same with the words that a label policy makes of those of the table; each must give one."""
        words: dict[tuple[str, str], list[str]] = {}
        for (code, item), own in self.words.items():
            words[code, item] = []
            for word in own:
                made = words_of(word, policy, "en" if code == _ALL else code)
                if not made:
                    raise TestSetError(
                        f"{self.name}: {item}, {code}: {word!r} gives no word by the label policy; write one "
                        "word, or choose several-words and parentheses with --policy"
                    )
                words[code, item] += made
        return replace(self, words=words)

    def mended(self, language: str, words: Mapping[str, ItemWords]) -> dict[str, ItemWords]:
        """The words of items by id, as they are after all corrections for a language."""
        found = {
            item: ItemWords(tuple(dict.fromkeys(own)), "correction", len(set(own)))
            for wanted in (_ALL, language)  # a word of the language itself comes last, and wins
            for (code, item), own in self.words.items()
            if code == wanted
        }
        return {
            item: named
            for item, named in {**words, **found}.items()
            if (named.words and item not in self.without) or (named.other_script and item not in found)
        }


def _read_line(line: str) -> tuple[str, str, str]:
    """The code of a language or `*`, the id of an item, and the word, which may be empty."""
    item, language, word, *more = (each.strip() for each in f"{line}\t\t".split("\t"))
    if any(more) or not language:
        raise TestSetError("must be item, language and word, separated by tabs")
    _check_id(item)
    return language if language == _ALL else canonical(language), item, word


def _check_id(item: str) -> None:
    if not is_id(item):
        raise TestSetError(f"{item!r} is not the id of an item, such as Q142")
