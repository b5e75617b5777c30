"""Words by language and item: in memory, or in temporary files when there are many."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

Origin = Literal["label", "lexeme", "alias", "variant", "mul", "query", "correction"]

_LIMIT = 400_000  # items in memory, about 120 MB


@dataclass(frozen=True, slots=True)
class ItemWords:
    """The words of an item in one language."""

    words: tuple[str, ...]  # distinct, those of the label first; empty if a label gives no word
    origin: Origin  # the kind of name that gave the first word
    own: int  # how many of the words are from the label; the rest are from aliases
    other_script: int = 0  # how many words were left out since no letter is in a script of the language


_LINES = msgspec.json.Decoder(tuple[str, ItemWords])  # of the files


class WordStore:
    """Takes words item by item, in all languages, and returns them language by language."""

    def __init__(self) -> None:
        self._words: dict[str, dict[str, ItemWords]] = {}
        self._count = 0
        self._directory: Path | None = None

    @property
    def languages(self) -> list[str]:
        """All languages that have words, sorted."""
        return sorted(self._words)

    def add(self, language: str, item: str, words: ItemWords) -> None:
        """Add the words of an item in a language; a pair of item and language must be added only once."""
        self._words.setdefault(language, {})[item] = words
        self._count += 1
        if self._count >= _LIMIT:
            self._move_to_files()

    def of(self, language: str) -> dict[str, ItemWords]:
        """The words of all items in a language, in the order in which they were added."""
        words: dict[str, ItemWords] = {}
        if self._directory is not None and (self._directory / language).exists():
            words |= _LINES.decode_lines((self._directory / language).read_bytes())
        return words | self._words.get(language, {})

    def _move_to_files(self) -> None:
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="testgen-"))
            weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
        for language, words in self._words.items():
            if words:
                with (self._directory / language).open("ab") as file:
                    file.write(msgspec.json.Encoder().encode_lines(words.items()))
                words.clear()
        self._count = 0
