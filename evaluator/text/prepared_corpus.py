"""A corpus prepared for training: its sentences are written once on each machine, with or without lemmas."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from evaluator.errors import CorpusError
from evaluator.execution.inputs import State, digest, recording, state_of
from evaluator.execution.output_files import write_text
from evaluator.execution.processes import versions
from evaluator.execution.remote_files import absolute, cache_folder, locked
from evaluator.text.corpus import Corpus, Sentences, opened_dictionary


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
        corpus, own = replace(self.corpus, lemmas=lemmas), fingerprint(self.corpus)
        if self._is_written(lemmas, own):
            return None
        # It shows whose the sentences are, should this run end before them.
        write_text(record, "unfinished\n")
        sentences = corpus.write_sentences(path)
        if fingerprint(self.corpus) != own:
            raise CorpusError(f"{corpus.name}: changed while it was read; run it again")
        write_text(record, self._record_of(lemmas, own))
        return sentences

    def _is_written(self, lemmas: bool, sha256: str | None) -> bool:
        """Whether the file has, byte for byte, what this version wrote of a corpus with a fingerprint."""
        try:
            recorded = self._record(lemmas).read_text(encoding="utf-8")
            return sha256 is not None and recorded == self._record_of(lemmas, sha256)
        except (OSError, UnicodeDecodeError):
            return False

    def _record_of(self, lemmas: bool, sha256: str) -> str:
        """The digests of the corpus, of a dictionary and of the file of sentences, and the version of all."""
        with recording() as record:
            if lemmas:
                opened_dictionary(self.corpus.language)
        digests = sha256, *(each.sha256 for each in record.inputs), digest(self._path(lemmas))[0]
        return f"{' '.join(digests)} {versions()['testgen-evaluator']}\n"

    def _path(self, lemmas: bool) -> Path:
        return self.folder / ("sentences-lemmas.txt" if lemmas else "sentences.txt")

    def _record(self, lemmas: bool) -> Path:
        """The file that says what was written, with `_record_of`."""
        return self._path(lemmas).with_suffix(".sha256")


@lru_cache(maxsize=2)
def _cached(prepared: PreparedCorpus, lemmas: bool) -> PreparedCorpus:
    """The corpus in the user's cache on this machine, with its sentences, which are written if need be."""
    corpus = prepared.corpus
    try:
        own = fingerprint(corpus)
    except CorpusError as error:
        raise CorpusError(f"{error}; all workers must see the corpus") from error
    if prepared.sha256 not in (None, own):
        raise CorpusError(
            f"{corpus.name}: is another corpus on {platform.node()}; all workers must see the same one"
        )
    cached = PreparedCorpus(corpus, cache_folder("corpora", own), own)
    with locked(cached.folder):
        cached._write(lemmas)
    return cached


def fingerprint(corpus: Corpus) -> str:
    """SHA-256 of the contents of a corpus, and of how its words are normalized."""
    words = f"{corpus.language} {corpus.case} {corpus.profile} {corpus.lemmas} {corpus.tokens}"
    found = hashlib.sha256(words.encode())
    for path in corpus.files():
        try:
            found.update(bytes.fromhex(digest(path)[0]))
        except OSError as error:
            raise CorpusError(f"{path}: cannot be read: {error.strerror or error}") from error
    return found.hexdigest()


def _read(path: Path) -> Sentences:
    return _read_once(path, state_of(path))


@lru_cache(maxsize=2)
def _read_once(path: Path, _state: State | None) -> Sentences:
    """Read once in each process, as long as the file is unchanged."""
    return Sentences.read(path)
