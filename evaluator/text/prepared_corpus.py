"""A corpus prepared for training: its sentences are written once on each machine, with or without lemmas."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from evaluator.errors import CorpusError
from evaluator.execution.output_files import write_text
from evaluator.execution.processes import versions
from evaluator.execution.remote_files import absolute, cache_folder, locked
from evaluator.text.corpus import Corpus, Sentences


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus without lemmas, and the folder that its sentences are written to."""

    corpus: Corpus
    folder: Path
    sha256: str | None = None  # the `fingerprint` it must have where the folder is not seen, if known

    @classmethod
    def of(cls, corpus: Corpus, folder: Path) -> PreparedCorpus:
        """A corpus and a folder with absolute paths, for processes with other working directories."""
        paths = tuple(absolute(str(path)) for path in corpus.paths)
        whole = replace(corpus, paths=paths, lemmas=False)
        return cls(whole, folder.resolve(), fingerprint(whole))

    def prepare(self, lemmas: bool) -> Sentences:
        """Write the sentences, unless the folder has those of the same corpus, normalized in the same way."""
        return self._write(lemmas) or _read(self._path(lemmas))

    def sentences(self, lemmas: bool) -> Sentences:
        """The sentences that `prepare` wrote; a machine that does not see the folder writes its own."""
        return _read(self.file(lemmas))

    def file(self, lemmas: bool) -> Path:
        """The file of the sentences on this machine."""
        if self._is_written(lemmas, self.sha256):
            return self._path(lemmas)
        cached = _cached(self, lemmas)
        if not cached._is_written(lemmas, cached.sha256):  # removed or damaged meanwhile
            _cached.cache_clear()
            cached = _cached(self, lemmas)
        return cached._path(lemmas)

    def _write(self, lemmas: bool) -> Sentences | None:
        """Write the sentences; None if they exist."""
        path, record = self._path(lemmas), self._record(lemmas)
        corpus, digest = replace(self.corpus, lemmas=lemmas), fingerprint(self.corpus)
        if self._is_written(lemmas, digest):
            return None
        # It shows whose the sentences are, should this run end before them.
        write_text(record, "unfinished\n")
        sentences = corpus.write_sentences(path)
        if fingerprint(self.corpus) != digest:
            raise CorpusError(f"{corpus.name}: changed while it was read; run it again")
        write_text(record, _record_of(path, digest))
        return sentences

    def _is_written(self, lemmas: bool, sha256: str | None) -> bool:
        """Whether the file has, byte for byte, what this version wrote of a corpus with a fingerprint."""
        try:
            recorded = self._record(lemmas).read_text(encoding="utf-8")
            return sha256 is not None and recorded == _record_of(self._path(lemmas), sha256)
        except (OSError, UnicodeDecodeError):
            return False

    def _path(self, lemmas: bool) -> Path:
        return self.folder / ("sentences-lemmas.txt" if lemmas else "sentences.txt")

    def _record(self, lemmas: bool) -> Path:
        """The file that says what was written; see `_record_of`."""
        return self._path(lemmas).with_suffix(".sha256")


@lru_cache(maxsize=2)
def _cached(prepared: PreparedCorpus, lemmas: bool) -> PreparedCorpus:
    """The corpus in the user's cache on this machine, with its sentences, which are written if need be."""
    corpus = prepared.corpus
    try:
        digest = fingerprint(corpus)
    except CorpusError as error:
        raise CorpusError(f"{error}; all workers must see the corpus") from error
    if prepared.sha256 not in (None, digest):
        raise CorpusError(
            f"{corpus.name}: is another corpus on {platform.node()}; all workers must see the same one"
        )
    cached = PreparedCorpus(corpus, cache_folder("corpora", digest), digest)
    with locked(cached.folder):
        cached._write(lemmas)
    return cached


def fingerprint(corpus: Corpus) -> str:
    """SHA-256 of the contents of a corpus, and of how its words are normalized."""
    words = f"{corpus.language} {corpus.case} {corpus.profile} {corpus.lemmas} {corpus.tokens}"
    digest = hashlib.sha256(words.encode())
    for path in corpus.files():
        try:
            status = path.stat()
            digest.update(_sha256(path, status.st_mtime_ns, status.st_size))
        except OSError as error:
            raise CorpusError(f"{path}: cannot be read: {error.strerror or error}") from error
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _sha256(path: Path, _modified: int, _size: int) -> bytes:
    """Computed once in each process, as long as the file is unchanged."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _record_of(path: Path, sha256: str) -> str:
    """The fingerprints of the corpus and of the file of its sentences, and the version that wrote it."""
    status = path.stat()
    written = _sha256(path, status.st_mtime_ns, status.st_size).hex()
    return f"{sha256} {written} {versions()['testgen-evaluator']}\n"


def _read(path: Path) -> Sentences:
    return _read_once(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=2)
def _read_once(path: Path, _modified: int) -> Sentences:
    """Read once in each process, as long as the file is unchanged."""
    return Sentences.read(path)
