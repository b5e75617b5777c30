"""Files of vectors, written: safetensors for evaluator, word2vec text for every other program."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from evaluator.errors import OutputError, VectorsError
from evaluator.execution.output_files import atomic_output
from evaluator.vectors.formats.safetensors import write_safetensors
from evaluator.vectors.sources import VectorsLike, as_vectors
from evaluator.vectors.table import Vectors

_ROWS = 1000  # that are written at a time
_SPLIT = re.compile(
    r"[ \t\n\r]|\A\ufeff|\A\Z"
)  # what a reader would take for the end of a word, or leave out


def convert(source: VectorsLike, path: str | os.PathLike[str], *, without_subwords: bool = False) -> Vectors:
    """Write vectors to a file whose ending says the format; an existing one is replaced.

    A `.safetensors` file is opened by every command at once. A `.vec` file is word2vec text, for other
    programs; its numbers have nine digits, which give the same float32 again.

    Args:
        source: Anything that `as_vectors` takes.
        path: The file to write.
        without_subwords: Whether to leave out the subwords of a fastText model, which the file cannot hold.

    Returns:
        The vectors that were written.

    Raises:
        VectorsError: There are no usable vectors, they have subwords, a word is not Unicode text, or in text
            has white space.
        OutputError: The file has another ending, or cannot be written.
    """
    path = Path(path)
    check_ending(path)
    vectors = as_vectors(source)
    vectors = replace(vectors, subword=None) if without_subwords else vectors
    if vectors.subword is not None:
        raise VectorsError(
            f"{vectors.name}: has subwords, from which it builds vectors of words outside its vocabulary; a "
            f"{path.suffix} file cannot hold them. Leave them out (--without-subwords), or use the model "
            "itself."
        )
    _WRITERS[path.suffix](vectors, path)
    return vectors


def write_text(vectors: Vectors, path: Path) -> None:
    """Write vectors in word2vec's text format: a header, and a word and its numbers in each line.

    Raises:
        VectorsError: A word has white space, or is not Unicode text.
        OutputError: The file cannot be written.
    """
    split = next((word for word in vectors.words if _SPLIT.search(word)), None)
    if split is not None:
        raise VectorsError(
            f"{vectors.name}: the word {split!r} has white space, which divides words from numbers in text. "
            "Write a .safetensors file, or join the word with _."
        )
    layout = " ".join(["%.9g"] * vectors.dimension)
    try:
        with atomic_output(path) as beside, beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(f"{len(vectors)} {vectors.dimension}\n")
            for start in range(0, len(vectors), _ROWS):
                words, rows = (
                    vectors.words[start : start + _ROWS],
                    vectors.matrix[start : start + _ROWS].tolist(),
                )
                file.writelines(
                    f"{word} {layout % tuple(row)}\n" for word, row in zip(words, rows, strict=True)
                )
    except UnicodeEncodeError as error:
        raise VectorsError(f"{vectors.name}: a word cannot be written as UTF-8 ({error}).") from error


_WRITERS: Mapping[str, Callable[[Vectors, Path], None]] = {
    ".safetensors": write_safetensors,
    ".vec": write_text,
}
"""The function that writes a file, by its ending."""


def check_ending(path: Path) -> None:
    """Refuse a file of another ending, whose format would be a guess."""
    if path.suffix not in _WRITERS:
        raise OutputError(
            f"{path}: the file to write must end in {' or '.join(_WRITERS)}, which says its format; name "
            "it so"
        )
