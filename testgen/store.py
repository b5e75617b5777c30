"""Words by language and item: in memory while they are few, in temporary files when they are many."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

Origin = Literal["label", "alias", "mul", "query"]

_LIMIT = 500_000  # entries in memory, some 100 MB


@dataclass(frozen=True, slots=True)
class ItemWords:
    """The words of an item in one language.

    Attributes:
        words: Different words, those of the label first. None, if there is a label that gives no word.
        origin: What the first of them is taken from.
        own: How many of them are the label's; those after them are aliases'.
    """

    words: tuple[str, ...]
    origin: Origin
    own: int


class WordStore:
    """Takes words item by item in all languages, gives them back language by language."""

    def __init__(self, languages: Collection[str] = ()) -> None:
        """Begin with nothing.

        Args:
            languages: Languages that are there even if nothing is added in them.
        """
        self._entries: dict[str, list[str]] = {code: [] for code in languages}
        self._count = 0
        self._directory: Path | None = None

    @property
    def languages(self) -> list[str]:
        """All languages, sorted."""
        return sorted(self._entries)

    def add(self, language: str, item: str, words: ItemWords) -> None:
        """Add the words of an item in a language; each pair is added once."""
        # No word holds a tab or a line feed: they part words.
        self._entries.setdefault(language, []).append(
            "\t".join((item, words.origin, str(words.own), *words.words))
        )
        self._count += 1
        if self._count >= _LIMIT:
            self._spill()

    def of(self, language: str) -> dict[str, ItemWords]:
        """The words of all items in a language, in the order in which they were added."""
        lines = self._entries.get(language, [])
        if self._directory is not None:
            file = self._directory / language
            if file.exists():
                lines = file.read_text(encoding="utf-8").split("\n")[:-1] + lines
        words: dict[str, ItemWords] = {}
        for line in lines:
            item, origin, own, *texts = line.split("\t")
            words[item] = ItemWords(tuple(texts), cast("Origin", origin), int(own))
        return words

    def _spill(self) -> None:
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="testgen-"))
            weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
        for language, lines in self._entries.items():
            if lines:
                with (self._directory / language).open("a", encoding="utf-8", newline="\n") as file:
                    file.writelines(f"{line}\n" for line in lines)
                lines.clear()
        self._count = 0
