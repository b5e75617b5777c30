"""Small vectors files for tests, and where the real ones are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

Floats = npt.NDArray[np.float32]

DATA = Path(
    os.environ.get("TESTGEN_SHARED_DATA") or Path(__file__).resolve().parents[3].parent / "shared" / "data"
)


def real(name: str) -> Path:
    """A real vectors file; skips the test where it is not there."""
    path = DATA / "vectors" / name
    if not path.exists():
        pytest.skip(f"{path} is not there; set TESTGEN_SHARED_DATA to the folder with the real data")
    return path


def text(words: Sequence[str], matrix: Floats, *, header: bool = True, end: str = "\n") -> bytes:
    """Vectors as text, each number with all its digits."""
    lines = [f"{len(words)} {matrix.shape[1]}{end}"] if header else []
    lines += [
        f"{word} {' '.join(repr(float(value)) for value in row)}{end}"
        for word, row in zip(words, matrix, strict=True)
    ]
    return "".join(lines).encode()


def binary(words: Sequence[str], matrix: Floats, *, newlines: bool = False) -> bytes:
    """Vectors in word2vec's binary format."""
    rows = [
        word.encode() + b" " + row.astype("<f4").tobytes() + (b"\n" if newlines else b"")
        for word, row in zip(words, matrix, strict=True)
    ]
    return f"{len(words)} {matrix.shape[1]}\n".encode() + b"".join(rows)
