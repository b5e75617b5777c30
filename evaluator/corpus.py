"""Text corpora: words, and how frequent they are."""

from __future__ import annotations

import gzip
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import regex

from evaluator.errors import CorpusError
from evaluator.vectors import Vectors

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}\u200c\u200d]+")
_LETTER = regex.compile(r"[\p{L}\p{N}]")
_GZIP = b"\x1f\x8b"


def words_of(text: str) -> list[str]:
    r"""The words of a text: longest runs of letters, marks and digits, with the joiners U+200C and U+200D.

    Marks are what `\w` of Python's `re` leaves out, and Indic, Hebrew or Arabic words fall to pieces without.
    The text is brought into NFC.
    """
    found = _WORD.findall(unicodedata.normalize("NFC", text))
    return [word for word in found if _LETTER.search(word)]


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a text file, plain or gzip, one at a time.

    Raises:
        CorpusError: It cannot be read, or is not UTF-8.
    """
    number = 0
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
        with gzip.open(path) if packed else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path}, line {number}: not UTF-8 at byte {error.start} of the line; convert the corpus to UTF-8"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def count_words(path: Path) -> Counter[str]:
    """How often each word occurs in a text file.

    Raises:
        CorpusError: It cannot be read, is not UTF-8, or holds no word.
    """
    counts: Counter[str] = Counter()
    for line in read_lines(path):
        counts.update(words_of(line))
    if not counts:
        raise CorpusError(f"{path}: holds no word")
    return counts


def vocabulary(path: Path, least_count: int = 1) -> Vectors:
    """The vocabulary that a model trained on a corpus would have, most frequent first, with empty vectors.

    Args:
        path: A text file.
        least_count: Words that occur less often are left out, as by `min_count` of gensim.

    Raises:
        CorpusError: It cannot be read, or no word is left.
    """
    if least_count < 1:
        raise CorpusError(f"the least count is {least_count}; it must be 1 or more")
    counts = count_words(path)
    words = [word for word, count in counts.most_common() if count >= least_count]
    if not words:
        raise CorpusError(f"{path}: no word occurs {least_count} times; lower the least count")
    return Vectors(words, np.zeros((len(words), 1), dtype=np.float32), path.name)
