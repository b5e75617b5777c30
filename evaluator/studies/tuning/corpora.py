"""A corpus as the trials of a study train on it: written once, without lemmas and with them."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from evaluator.errors import CorpusError
from evaluator.execution.output_files import write_text
from evaluator.execution.remote_files import absolute, cache_folder, locked
from evaluator.text.corpus import Corpus, Sentences
from evaluator.text.normalization import Form


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

    @classmethod
    def of(cls, corpus: Corpus, folder: Path) -> PreparedCorpus:
        """A corpus and a folder as other processes find them, which have another working directory.

        Raises:
            CorpusError: The corpus cannot be read.
        """
        paths = tuple(absolute(str(path)) for path in corpus.paths)
        whole = replace(corpus, paths=paths, lemmas=False)
        return cls(whole, folder.resolve(), fingerprint(whole))

    def prepare(self, lemmas: bool) -> Sentences:
        """Write the sentences unless they are there, of the same corpus in the same form.

        Raises:
            CorpusError: The corpus cannot be read, holds no word, or changes meanwhile.
            ExtraError: simplemma is needed.
            OutputError: They cannot be written.
        """
        return self.written(lemmas) or _read(self._path(lemmas))

    def written(self, lemmas: bool) -> Sentences | None:
        """The same without reading the sentences that are there: None for these."""
        path, mark = self._path(lemmas), self._mark(lemmas)
        corpus = replace(self.corpus, lemmas=lemmas)
        digest = fingerprint(corpus)
        if path.exists() and _marked(mark) == digest:
            return None
        mark.unlink(missing_ok=True)
        sentences = corpus.write_sentences(path)
        if fingerprint(corpus) != digest:
            raise CorpusError(f"{corpus.name}: has changed while it was read; run it again")
        write_text(mark, f"{digest}\n")
        return sentences

    def sentences(self, lemmas: bool) -> Sentences:
        """What `prepare` has written; a machine that does not see the folder prepares the corpus for itself.

        Raises:
            CorpusError: It is not the same corpus there, or is not there at all.
            OutputError: Its sentences cannot be written there.
        """
        return _read(self.file(lemmas))

    def file(self, lemmas: bool) -> Path:
        """Where the sentences are, for this machine.

        Raises:
            CorpusError: As `sentences`.
            OutputError: As `sentences`.
        """
        path = self._path(lemmas)
        known = self.sha256 is None or _marked(self._mark(lemmas=False)) == self.sha256
        if known and path.exists():
            return path
        found = _elsewhere(self, lemmas)
        if not found.exists():  # somebody has cleared the cache
            _elsewhere.cache_clear()
            found = _elsewhere(self, lemmas)
        return found

    def form(self, lemmas: bool) -> Form:
        """What brings a word into the form of the sentences."""
        return self.corpus.form_with(lemmas=lemmas)

    def _path(self, lemmas: bool) -> Path:
        return self.folder / ("sentences-lemmas.txt" if lemmas else "sentences.txt")

    def _mark(self, lemmas: bool) -> Path:
        """Says of which corpus the sentences are."""
        return self._path(lemmas).with_suffix(".sha256")


@lru_cache(maxsize=2)
def _elsewhere(prepared: PreparedCorpus, lemmas: bool) -> Path:
    """Where sentences are in the cache of this machine's user, written unless they are there."""
    corpus = prepared.corpus
    try:
        own = fingerprint(corpus)
    except CorpusError as error:
        raise CorpusError(f"{error}; let all workers see the corpus") from error
    if prepared.sha256 not in (None, own):
        raise CorpusError(
            f"{corpus.name}: on {platform.node()} it is another corpus; let all workers see the same"
        )
    here = PreparedCorpus(corpus, cache_folder("corpora", own))
    with locked(here.folder):
        here.written(lemmas)
    return here._path(lemmas)


def fingerprint(corpus: Corpus) -> str:
    """SHA-256 of a corpus' files, wherever they are, and of the form that its words are brought into.

    Raises:
        CorpusError: One cannot be read.
        OutputError: A copy of what is at a URL cannot be written.
    """
    digest = hashlib.sha256(f"{corpus.language} {corpus.case} {corpus.profile} {corpus.lemmas}".encode())
    for path in corpus.files():
        try:
            seen = path.stat()
            digest.update(_sha256(path, seen.st_mtime_ns, seen.st_size))
        except OSError as error:
            raise CorpusError(f"{path}: cannot be read: {error.strerror or error}") from error
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _sha256(path: Path, _written: int, _size: int) -> bytes:
    """Once in each process, while the file is the same."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _marked(mark: Path) -> str | None:
    return mark.read_text(encoding="utf-8").removesuffix("\n") if mark.exists() else None


def _read(path: Path) -> Sentences:
    return _read_once(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=2)
def _read_once(path: Path, _written: int) -> Sentences:
    """In each process, while the file is the same."""
    return Sentences.read(path)
