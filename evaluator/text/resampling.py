"""Resampled corpora: lines or documents drawn with replacement, to see what depends on the texts at hand."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal

import msgspec
import numpy as np

from evaluator.errors import CorpusError
from evaluator.execution.output_files import atomic_output
from evaluator.text.corpus import Corpus, Sentences, counted

Drawn = Literal["lines", "documents"]
"""What is drawn: a line of text, or a document, which ends at an empty line and at the end of a file."""

_ADVICE: dict[Drawn, str] = {
    "lines": "Put a sentence or a document in each line",
    "documents": "Divide documents by empty lines, or resample lines",
}


class Resampled(msgspec.Struct, frozen=True):
    """How a corpus was resampled.

    Attributes:
        drawn: `lines`, or `documents`: the text between empty lines, or ends of files.
        number: How many with a word the corpus has; as many were drawn with replacement.
        different: How many different ones were drawn.
        seed: Of the draw.
    """

    drawn: Drawn
    number: int
    different: int
    seed: int

    def __str__(self) -> str:
        what = "documents (text between empty lines)" if self.drawn == "documents" else "lines"
        return (
            f"{self.number:,} {what} drawn with replacement, {self.different:,} of them different, "
            f"with seed {self.seed}"
        )


def write_resampled(corpus: Corpus, path: Path, unit: Drawn, seed: int) -> tuple[Sentences, Resampled]:
    """Write the sentences of as many lines or documents as a corpus has, drawn with replacement.

    This is the setting BOOTSTRAP of Antoniak and Mimno (2018), "Evaluating the Stability of Embedding-based
    Word Similarities", https://aclanthology.org/Q18-1008/: models of resampled documents differ by what
    happens to be in the corpus, models of other seeds alone do not.

    Raises:
        CorpusError: There are fewer than two lines or documents, or the corpus cannot be read.
        OutputError: The file cannot be written.
    """
    whole = path.with_name(f"whole-{path.name}")
    starts = _write_whole(corpus, whole, unit)
    number = len(starts) - 1
    if number < 2:
        raise CorpusError(
            f"{corpus.name}: has fewer than two {unit} with words, so none can be drawn. {_ADVICE[unit]}."
        )
    drawn = np.random.default_rng(seed).integers(number, size=number)
    with (
        whole.open("rb") as source,
        atomic_output(path) as temporary,
        temporary.open("wb") as file,
    ):
        sentences = counted(corpus.name, _copied(source, file, starts, drawn.tolist()))
    whole.unlink()
    return Sentences(path, *sentences), Resampled(unit, number, len(np.unique(drawn)), seed)


def _write_whole(corpus: Corpus, path: Path, unit: Drawn) -> array[int]:
    """Write all sentences; where each line or document begins in the file, and where the last one ends."""
    starts, before = array("q"), -1
    with atomic_output(path) as temporary, temporary.open("wb") as file:
        for words, line, document in corpus.numbered_sentences():
            own = line if unit == "lines" else document
            if own != before:
                starts.append(file.tell())
                before = own
            file.write(f"{' '.join(words)}\n".encode())
        starts.append(file.tell())
    return starts


def _copied(source: IO[bytes], file: IO[bytes], starts: array[int], drawn: list[int]) -> Iterator[list[str]]:
    """Copy what was drawn; its sentences."""
    for each in drawn:
        source.seek(starts[each])
        while source.tell() < starts[each + 1]:
            sentence = source.readline()
            file.write(sentence)
            yield sentence.decode().split()
