"""Words by language and item: in memory, or in temporary files when there are many."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

Origin = Literal["label", "lexeme", "alias", "variant", "mul", "query", "correction"]

_LIMIT = 500_000  # items in memory, about 100 MB


@dataclass(frozen=True, slots=True)
class ItemWords:
    """The words of an item in one language."""

    words: tuple[str, ...]  # distinct, those of the label first; empty if a label gives no word
    origin: Origin  # the kind of name that gave the first word
    own: int  # how many of the words are from the label; the rest are from aliases
    other_script: int = 0  # how many words were left out since no letter is in a script of the language


class WordStore:
    """Takes words item by item, in all languages, and returns them language by language."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}
        self._count = 0
        self._directory: Path | None = None

    @property
    def languages(self) -> list[str]:
        """All languages that have words, sorted."""
        return sorted(self._lines)

    def add(self, language: str, item: str, words: ItemWords) -> None:
        """Add the words of an item in a language; a pair of item and language must be added only once."""
        # No word holds a tab or a line feed: these separate words.
        self._lines.setdefault(language, []).append(
            "\t".join((item, words.origin, str(words.own), str(words.other_script), *words.words))
        )
        self._count += 1
        if self._count >= _LIMIT:
            self._move_to_files()

    def of(self, language: str) -> dict[str, ItemWords]:
        """The words of all items in a language, in the order in which they were added."""
        lines = self._lines.get(language, [])
        if self._directory is not None:
            file = self._directory / language
            if file.exists():
                lines = file.read_text(encoding="utf-8").split("\n")[:-1] + lines
        words: dict[str, ItemWords] = {}
        for line in lines:
            item, origin, own, other, *texts = line.split("\t")
            words[item] = ItemWords(tuple(texts), cast("Origin", origin), int(own), int(other))
        return words

    def _move_to_files(self) -> None:
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="testgen-"))
            weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
        for language, lines in self._lines.items():
            if lines:
                with (self._directory / language).open("a", encoding="utf-8", newline="\n") as file:
                    file.writelines(f"{line}\n" for line in lines)
                lines.clear()
        self._count = 0
