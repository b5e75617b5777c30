"""What a file holds, told from its first bytes, so that swapped arguments are recognised."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from evaluator.errors import EvaluatorError

Kind = Literal["vectors", "a test set", "results of evaluator", "a text"]

_HINTS: dict[Kind, str] = {
    "vectors": "Vectors stand without an option before them",
    "a test set": "Test sets are named with --test",
    "results of evaluator": "`evaluator report` and `evaluator compose` read results",
    "a text": "`evaluator tune` trains vectors on a text; `evaluator coverage` takes one with --corpus",
}
_START = 1 << 14  # bytes; a row of 1,000 dimensions fits
_FORMAT = re.compile(r'"format"\s*:\s*"([^"]*)"')
_LEAST = 5  # dimensions of vectors without a header; rows of test sets have fewer numbers after one word


def expect(path: str | Path, kind: Kind, error: type[EvaluatorError]) -> None:
    """Refuse a file that holds something else, as when arguments are swapped.

    Args:
        path: A file. What is at a URL, is not there, or is not recognised is not refused.
        kind: What it should hold.
        error: What to raise.

    Raises:
        EvaluatorError: As given.
    """
    found = kind_of(Path(path))
    if found is None or found == kind or (found == "a text" and kind == "a test set"):
        return
    raise error(f"{path}: holds {found}, not {kind}. Are arguments swapped? {_HINTS[found]}")


def kind_of(path: Path) -> Kind | None:
    """What a file holds; None if it is not there, or is not recognised for certain."""
    try:
        with path.open("rb") as file:
            start = file.read(_START)
        if start.startswith(b"\x1f\x8b"):
            start = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(start, _START)
    except (OSError, zlib.error):
        return None
    text = start.decode("utf-8", errors="ignore").lstrip("\ufeff \n")
    if text.startswith("{"):
        return _kind_of_json(text)
    if _are_vectors(start):
        return "vectors"
    return "a text" if _is_prose(start) else None


def _kind_of_json(text: str) -> Kind | None:
    from evaluator.results.files import KINDS, format_of

    named = _FORMAT.search(text)
    name = named[1] if named else ""
    if name == "testset":
        return "a test set"
    return "results of evaluator" if name in map(format_of, KINDS) else None


def _are_vectors(start: bytes) -> bool:
    """Whether a file begins as in a format of vectors; in GloVe's, with two rows of a word and numbers."""
    from evaluator.vectors.careful_parser import numeric_tail
    from evaluator.vectors.reading import own_formats

    if any(each.looks_like(start) for name, each in own_formats().items() if name != "glove"):
        return True
    rows = start.split(b"\n")[:2]
    return all(_LEAST <= numeric_tail(row) == len(row.split()) - 1 for row in rows)


def _is_prose(start: bytes) -> bool:
    """Whether the first lines hold words, do not end in numbers, and are not JSON."""
    from evaluator.vectors.careful_parser import numeric_tail

    rows = start.split(b"\n")[:3]
    words = start.strip() and b"\0" not in start and not start.startswith(b"[")
    return bool(words) and not any(map(numeric_tail, rows))
