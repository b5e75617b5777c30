"""What a file holds, told from its first bytes, so that swapped arguments are recognised."""

from __future__ import annotations

import re
import zlib
from itertools import chain
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
_HEADER = re.compile(rb"\d+ (\d+)\r?\n")
_FASTTEXT = (793712314).to_bytes(4, "little")
_LEAST = 5  # dimensions of vectors without a header; rows of test sets have fewer numbers


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
    if _is_stored(start) or _is_table(start, text):
        return "vectors"
    return "a text" if _is_prose(start, text) else None


def _kind_of_json(text: str) -> Kind | None:
    from evaluator.results.files import KINDS, format_of

    named = _FORMAT.search(text)
    name = named[1] if named else ""
    if name == "testset":
        return "a test set"
    return "results of evaluator" if name in map(format_of, KINDS) else None


def _is_stored(start: bytes) -> bool:
    """Whether these are vectors of fastText or in safetensors, whose header is JSON after its length."""
    safetensors = start[8:10] == b'{"' and int.from_bytes(start[:8], "little") < 1 << 40
    return safetensors or start.startswith(_FASTTEXT)


def _is_table(start: bytes, text: str) -> bool:
    """Whether there is a header of word2vec and such a row, or two rows of a word and numbers."""
    lines = [line.split() for line in text.splitlines()[:3]]
    if header := _HEADER.match(start):
        return b"\0" in start or (len(lines) > 1 and _is_row(lines[1], int(header[1])))
    dimension = len(lines[0]) - 1 if len(lines) > 2 else 0
    return dimension >= _LEAST and all(_is_row(line, dimension) for line in lines[:2])


def _is_row(fields: list[str], dimension: int) -> bool:
    return len(fields) > dimension > 0 and all(map(_is_number, fields[-dimension:]))


def _is_prose(start: bytes, text: str) -> bool:
    """Whether there are words and no number in the first lines."""
    if text.startswith("["):  # JSON
        return False
    fields = list(chain.from_iterable(line.split() for line in text.splitlines()[:3]))
    return bool(fields) and b"\0" not in start and not any(map(_is_number, fields))


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
