"""Text corpora: a stream of sentences in constant memory, and word counts."""

from __future__ import annotations

import gzip
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Literal, cast

import numpy as np

from evaluator.errors import CorpusError, ExtraError
from evaluator.execution.inputs import Input, opened, recording
from evaluator.execution.output_files import atomic_output
from evaluator.execution.remote_files import (
    check_file,
    file_name,
    is_url,
    local_copy,
    without_file_scheme,
)
from evaluator.text.normalization import Normalizer, normalizer, unchanged, usual_code
from evaluator.text.tokenizers import code_of, tokenizer, words_of
from evaluator.vectors import Vectors

LONGEST_SENTENCE = 10_000
"""The most words of a sentence: gensim ignores what follows them, so longer sentences are split."""

LONGEST_WORD, LONGEST_LINE = 1 << 20, 1 << 30
"""In bytes, more than in any text: beyond, a file is not text, or a small archive of something huge."""

MIN_COUNTS = tuple(range(3, 12))
"""The minimum counts that the papers' search tries."""

_CONVERT = "convert the corpus to UTF-8, for example with `iconv`"
_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20  # bytes of a line that are read at a time: a whole corpus may be one line


def can_be_token(word: str, tokens: str, language: str = "und") -> bool:
    """Whether a text of such tokens can have a word: one with a hyphen is two letter runs."""
    return words_of(word, tokens, language) == [unicodedata.normalize("NFC", word)]


@dataclass(frozen=True)
class CorpusStatistics:
    """The size of a corpus, and its scripts.

    Attributes:
        sentences: The number of lines with a word; those that are too long count once for each piece.
        tokens: The number of words, each occurrence counted.
        types: The number of different words.
        types_by_count: For each minimum count, the number of different words that occur at least so often.
        scripts: The share of tokens in each script, the most frequent script first.
    """

    sentences: int
    tokens: int
    types: int
    types_by_count: Mapping[int, int]
    scripts: Mapping[str, float]


@dataclass(frozen=True)
class Sentences:
    """A corpus in the format that gensim trains on.

    The file has one sentence per line and spaces between words.
    """

    path: Path
    counts: Mapping[str, int]
    number: int

    @property
    def tokens(self) -> int:
        """The number of words, each occurrence counted."""
        return sum(self.counts.values())

    def statistics(self) -> CorpusStatistics:
        """The size of the corpus, and its scripts."""
        return statistics_of(self.counts, self.number)

    @classmethod
    def read(cls, path: Path) -> Sentences:
        """Read a file that `Corpus.write_sentences` wrote."""
        with path.open(encoding="utf-8") as file:
            counts, number = counted(path.name, map(str.split, file))
        return cls(path, counts, number)


@dataclass(frozen=True)
class Corpus:
    """Text files, and how their words are normalized.

    Attributes:
        paths: Text files in UTF-8, plain or gzip, with a sentence or a document per line: paths of this
            machine, or URLs, of which local copies are cached.
        language: Its code, for rules of case and for lemmas.
        case: `exact`, `fold` or `upper`.
        profile: The orthography profile; "" for none.
        lemmas: Whether words are replaced by their lemmas, before profile and case.
        tokens: What its words are: `letter-runs`; `white-space` for a text that is tokenized already; `cltk`;
            or `MODULE:FUNCTION`. See `tokenizer`.

    Raises:
        CorpusError: No file is given, or one does not exist; or there are no such tokens. Where its text is
            needed: a file cannot be read, is not UTF-8, or there is no word at all. There is no dictionary
            of lemmas of the language.
        ExtraError: fsspec is needed for a URL, or simplemma for lemmas.
        OutputError: Sentences, or a copy of a file at a URL, cannot be written.
        ScoreError: The case or the profile does not exist.
    """

    paths: tuple[Path | str, ...]
    language: str = "und"
    case: Literal["exact", "fold", "upper"] = "exact"
    profile: str = ""
    lemmas: bool = False
    tokens: str = "letter-runs"

    def __post_init__(self) -> None:
        """Check everything before any work starts."""
        object.__setattr__(self, "language", usual_code(self.language))
        normalizer(self.language, self.case, self.profile)
        tokenizer(self.tokens, self.language)
        if isinstance(self.paths, str) or not isinstance(self.paths, Sequence) or not self.paths:
            raise CorpusError(
                f"paths is {self.paths!r}; name one or several text files, as in ('latin.txt',)"
            )
        for number, path in enumerate(self.paths):
            check_file(str(path), CorpusError)
            if path in self.paths[:number]:
                raise CorpusError(f"{path}: given twice; name each file once")

    def __getstate__(self) -> dict[str, Any]:
        """For other processes, without the cached normalizer: a nested function cannot be pickled."""
        return {name: value for name, value in self.__dict__.items() if name != "normalize"}

    @property
    def name(self) -> str:
        """Its first file, and the number of others."""
        more = len(self.paths) - 1
        return file_name(str(self.paths[0])) + (f" and {more} more" if more else "")

    @property
    def local_paths(self) -> list[Path]:
        """Those of its files that are not at a URL."""
        texts = [without_file_scheme(str(path)) for path in self.paths]
        return [Path(text) for text in texts if not is_url(text)]

    def files(self) -> Iterator[Path]:
        """Its files; those at URLs are copied to this machine first."""
        for path in map(str, self.paths):
            yield opened("corpus", local_copy(path, CorpusError), path if is_url(path) else None)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Its files, and the dictionary of lemmas if there are any."""
        with recording() as record:
            list(self.files())
            code_of(self.tokens)
            if self.lemmas:
                opened_dictionary(self.language)
        return record.inputs

    @cached_property
    def normalize(self) -> Normalizer:
        """Normalizes a word of a text, or of a test set, as this corpus does."""
        return self.normalizer_with(lemmas=self.lemmas)

    def normalizer_with(self, *, lemmas: bool) -> Normalizer:
        """The same with or without lemmas; the files need not exist."""
        normalize = normalizer(self.language, self.case, self.profile)
        if not lemmas:
            return normalize
        lemma = lemmatizer(self.language)
        return lemma if normalize is unchanged else lambda word: normalize(lemma(word))

    def sentences(self) -> Iterator[list[str]]:
        """The normalized words of each line, at most `LONGEST_SENTENCE` at a time."""
        return (words for words, _, _ in self.numbered_sentences())

    def numbered_sentences(self) -> Iterator[tuple[list[str], int, int]]:
        """The same, each with the number of its line and of its document.

        A document ends at an empty line, and at the end of a file. Numbers of what has no word are left out.
        """
        line = document = 0
        for path, file in zip(self.paths, self.files(), strict=True):
            rest, is_empty = list[str](), True
            for text, ends in _pieces(file, str(path)):
                rest += self._normalized(words_of(text, self.tokens, self.language))
                is_empty = is_empty and not text.strip()
                while len(rest) > LONGEST_SENTENCE or (ends and rest):
                    yield rest[:LONGEST_SENTENCE], line, document
                    rest = rest[LONGEST_SENTENCE:]
                if ends:
                    line, document, is_empty = line + 1, document + is_empty, True
            document += 1

    def lines(self) -> Iterator[str]:
        """Its text as it is, with punctuation, line by line; a long line in pieces between words."""
        for path, file in zip(self.paths, self.files(), strict=True):
            yield from (text for text, _ in _pieces(file, str(path)))

    def _normalized(self, words: list[str]) -> list[str]:
        if self.normalize is unchanged:
            return words
        # A profile may remove all of a word, or insert a space, which makes two words.
        return [word for each in words for word in self.normalize(each).split()]

    def counted(self) -> tuple[Counter[str], int]:
        """The count of each word, and the number of sentences."""
        return counted(self.name, self.sentences())

    def counts(self) -> Counter[str]:
        """The count of each word."""
        return self.counted()[0]

    def statistics(self) -> CorpusStatistics:
        """The size of the corpus, and its scripts."""
        return statistics_of(*self.counted())

    def write_sentences(self, path: Path) -> Sentences:
        """Write one sentence per line, with spaces between words, as gensim's `corpus_file` reads it."""
        with atomic_output(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:

            def written() -> Iterator[list[str]]:
                for words in self.sentences():
                    file.write(" ".join(words) + "\n")
                    yield words

            counts, number = counted(self.name, written())
        return Sentences(path, counts, number)

    def vocabulary(self, min_count: int = 1) -> Vectors:
        """The vocabulary that a model trained on this corpus has, most frequent first, with empty vectors.

        Args:
            min_count: Words that occur less often are left out.
        """
        if min_count < 1:
            raise CorpusError(f"min_count is {min_count}; it must be 1 or more")
        words = [word for word, count in self.counts().most_common() if count >= min_count]
        if not words:
            raise CorpusError(f"{self.name}: no word occurs {min_count} times; lower --min-count")
        return Vectors(words, np.zeros((len(words), 1), dtype=np.float32), self.name)


def counted(name: str, sentences: Iterable[list[str]]) -> tuple[Counter[str], int]:
    """The count of each word, and the number of sentences; refused if there is no word."""
    counts: Counter[str] = Counter()
    number = 0
    for words in sentences:
        counts.update(words)
        number += 1
    if not counts:
        raise CorpusError(f"{name}: contains no word")
    return counts, number


def statistics_of(counts: Mapping[str, int], sentences: int) -> CorpusStatistics:
    """The size of a corpus, and its scripts, from the counts of its words."""
    tokens = sum(counts.values())
    frequency = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    by_count = {least: int((frequency >= least).sum()) for least in MIN_COUNTS}
    shares = {script: count / tokens for script, count in scripts_of(counts).most_common()}
    return CorpusStatistics(sentences, tokens, len(counts), by_count, shares)


def scripts_of(counts: Mapping[str, int]) -> Counter[str]:
    """The number of tokens in each script; a word has the script of its first letter, digits have none."""
    scripts: Counter[str] = Counter()
    for word, count in counts.items():
        script = script_of(word)
        if script is not None:
            scripts[script] += count
    return scripts


def script_of_most(counts: Mapping[str, int]) -> str | None:
    """The script of most tokens; None if no word has a letter."""
    return next((script for script, _ in scripts_of(counts).most_common(1)), None)


def script_of(word: str) -> str | None:
    """The script of a word's first letter as Unicode names it, such as Devanagari; None without a letter."""
    letter = next((c for c in word if c.isalpha()), None)
    return None if letter is None else unicodedata.name(letter, "unknown").partition(" ")[0].capitalize()


def _pieces(path: Path, name: str) -> Iterator[tuple[str, bool]]:
    """The text of a file, by lines or pieces of long lines, and whether a line ends with the piece."""
    number, before, text = 1, 0, b""
    try:
        with _opened(path) as file:
            for piece in _lines(file, name):
                # Real corpora have single zero bytes; at the start of UTF-16 about every second byte is zero.
                if number == 1 and piece.count(b"\0") > len(piece) // 4:
                    raise CorpusError(f"{name}, line {number}: UTF-16 and not UTF-8, or not text; {_CONVERT}")
                ends = piece.endswith(b"\n")
                text, rest = _cut(text + piece, ends)
                yield text.decode(), ends
                number, before = (number + 1, 0) if ends else (number, before + len(text))
                text = rest
                _check_length(f"{name}, line {number}", before, len(text))
            yield text.decode(), True
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{name}, line {number}: not UTF-8 at byte {before + error.start} of the line; {_CONVERT}"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _lines(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Lines, or pieces of long ones; those of old Macs, which end in CR, as if they ended in LF."""
    piece = file.readline(_PIECE)
    if piece.endswith(b"\n") or b"\r" not in piece[:-1]:  # the last byte may be half of CR LF
        while piece:
            yield piece
            piece = file.readline(_PIECE)
    rest = b""
    while piece:
        if b"\n" in piece:
            raise CorpusError(f"{name}: lines end in CR at first, and later in LF; end all of them in LF")
        *lines, rest = (rest + piece).split(b"\r")
        yield from (line + b"\n" for line in lines)
        if len(rest) > _PIECE:
            yield rest
            rest = b""
        piece = file.read(_PIECE)
    if rest:
        yield rest


def _check_length(where: str, before: int, word: int) -> None:
    """Check the length of a line up to its last space, and of the word after it, in bytes."""
    said = ""
    if word > LONGEST_WORD:
        said = f"a word of more than {LONGEST_WORD:,} bytes, at byte {before:,} of the line"
    elif before > LONGEST_LINE:
        said = f"longer than {LONGEST_LINE:,} bytes"
    if said:
        raise CorpusError(f"{where}: {said}; is this text? Put a sentence or a document in each line")


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb")


def _cut(text: bytes, ends: bool) -> tuple[bytes, bytes]:
    """A piece of a line up to its last space, so that no word is cut, and the rest."""
    end = len(text) if ends else max(text.rfind(b" "), text.rfind(b"\t")) + 1
    return text[:end], text[end:]


def lemmatizer(language: str) -> Normalizer:
    """A function from a word to its lemma; a word that the dictionary lacks stays unchanged.

    A word is looked up as written, then in lower case, and only then guessed (Barbaresi, "simplemma": a
    dictionary, with rules for all other words).

    Raises:
        ExtraError: simplemma is not installed.
        CorpusError: It has no dictionary of the language; that of a related one would give other words.
    """
    if find_spec("simplemma") is None:
        raise ExtraError("lemmatization", "simplemma", "lemmas")
    opened_dictionary(language)
    code = dictionary_code(language)
    if code is None:
        raise CorpusError(
            f"simplemma has no dictionary of {language!r}; train without lemmas, as with --only lemmas=no"
        )
    import simplemma

    known: dict[str, str] = {}

    def lemma(word: str) -> str:
        if word not in known:
            # A lemma of several words would become several tokens; such entries are errors of the dictionary.
            found = simplemma.lemmatize(word, lang=code)
            known[word] = found if found and not any(c.isspace() for c in found) else word
        return known[word]

    return lemma


def opened_dictionary(language: str) -> None:
    """Say that the dictionary of lemmas of a language is opened, if there is one."""
    code = dictionary_code(language)
    if code is not None:
        data = files("simplemma.strategies.dictionaries") / "data" / f"{code}.plzma"
        opened("lemmas", Path(str(data)))


def dictionary_code(language: str) -> str | None:
    """The code of simplemma's dictionary of a language; None if it has none, or is not installed.

    A region or a script (pt-br) leaves the language as it is; a private part names another language: fr-x-nrm
    is Norman, jv-x-bms is Banyumasan.
    """
    if find_spec("simplemma") is None:
        return None
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    code, *parts = language.lower().split("-")
    return code if code in SUPPORTED_LANGUAGES and "x" not in parts else None
