"""A corpus as the trials of a study train on it: written once, without lemmas and with them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from evaluator.corpus import Corpus, Sentences
from evaluator.files import write_text
from evaluator.forms import Form


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus, and the folder in which its sentences are kept.

    Attributes:
        corpus: Without lemmas.
        folder: Of the study.
    """

    corpus: Corpus
    folder: Path

    def prepare(self, lemmas: bool) -> Sentences:
        """Write the sentences unless they are there, of the same corpus in the same form.

        Raises:
            CorpusError: The corpus cannot be read, or holds no word.
            ExtraError: simplemma is needed.
            OutputError: They cannot be written.
        """
        path, mark = self._path(lemmas), self._path(lemmas).with_suffix(".sha256")
        corpus = replace(self.corpus, lemmas=lemmas)
        digest = f"{fingerprint(corpus)}\n"
        if path.exists() and mark.exists() and mark.read_text(encoding="utf-8") == digest:
            return self.sentences(lemmas)
        mark.unlink(missing_ok=True)
        written = corpus.write_sentences(path)
        write_text(mark, digest)
        return written

    def sentences(self, lemmas: bool) -> Sentences:
        """What `prepare` has written."""
        return _read(self._path(lemmas))

    def form(self, lemmas: bool) -> Form:
        """What brings a word into the form of the sentences."""
        return replace(self.corpus, lemmas=lemmas).form

    def _path(self, lemmas: bool) -> Path:
        return self.folder / ("sentences-lemmas.txt" if lemmas else "sentences.txt")


def fingerprint(corpus: Corpus) -> str:
    """SHA-256 of a corpus' files and of the form that its words are brought into."""
    digest = hashlib.sha256(f"{corpus.language} {corpus.case} {corpus.profile} {corpus.lemmas}".encode())
    for path in corpus.paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


@lru_cache(maxsize=2)
def _read(path: Path) -> Sentences:
    """Once in each process."""
    return Sentences.read(path)
