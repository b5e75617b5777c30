"""A corpus as the trials of a study train on it: written once, without lemmas and with them."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import platformdirs
from filelock import FileLock

from evaluator.corpus import Corpus, Sentences
from evaluator.errors import CorpusError
from evaluator.files import write_text
from evaluator.forms import Form


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus, and the folder in which its sentences are kept.

    Attributes:
        corpus: Without lemmas.
        folder: Of the study.
        sha256: The `fingerprint` that the corpus must have on a machine that does not see the folder; None if
            it is not known.
    """

    corpus: Corpus
    folder: Path
    sha256: str | None = None

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
        """What `prepare` has written; a machine that does not see the folder prepares the corpus for itself.

        Raises:
            CorpusError: It is not the same corpus there.
        """
        path = self._path(lemmas)
        if path.exists():
            return _read(path)
        own = fingerprint(self.corpus)
        if self.sha256 not in (None, own):
            raise CorpusError(
                f"{self.corpus.name}: on {platform.node()} it is another corpus; let all workers see the same"
            )
        folder = platformdirs.user_cache_path("evaluator") / "corpora" / own
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            return PreparedCorpus(self.corpus, folder).prepare(lemmas)

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
