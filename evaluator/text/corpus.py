"""Text corpora: a stream of sentences of words, in constant memory, and how frequent the words are."""

from __future__ import annotations

import gzip
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import regex

from evaluator.errors import CorpusError
from evaluator.execution.output_files import written_beside
from evaluator.execution.remote_files import check_file, file_name, local_copy, place
from evaluator.text.lemmas import lemmatizer
from evaluator.text.normalization import Form, as_is, form_of
from evaluator.vectors import Vectors

LONGEST_SENTENCE = 10_000
"""Words in a sentence at most: gensim leaves out what comes after them, so longer ones are split."""

MIN_COUNTS = tuple(range(3, 12))
"""The least counts that the papers' search tries."""

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}\u200c\u200d]+")
_LETTER = regex.compile(r"[\p{L}\p{N}]")
_CONVERT = "convert the corpus to UTF-8, for example with `iconv`"
_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20  # of a line, in bytes: a whole corpus may stand in one line


def words_of(text: str) -> list[str]:
    r"""The words of a text: longest runs of letters, marks and digits, with the joiners U+200C and U+200D.

    Marks are what `\w` of Python's `re` leaves out, and Indic, Hebrew or Arabic words fall to pieces without.
    The text is brought into NFC.
    """
    found = _WORD.findall(unicodedata.normalize("NFC", text))
    return [word for word in found if _LETTER.search(word)]


@dataclass(frozen=True)
class CorpusStatistics:
    """What a corpus holds.

    Attributes:
        sentences: Lines with a word, those longer than `LONGEST_SENTENCE` counted once for each part.
        tokens: Words, each occurrence counted.
        types: Different words.
        types_by_count: How many different words occur at least so often, by the least count.
        scripts: What share of the tokens is in each script, the most frequent first.
    """

    sentences: int
    tokens: int
    types: int
    types_by_count: Mapping[int, int]
    scripts: Mapping[str, float]


@dataclass(frozen=True)
class Sentences:
    """A corpus as it is trained on.

    Attributes:
        path: A file with a sentence in each line, blanks between its words.
        counts: How often each word occurs.
        number: How many sentences there are.
    """

    path: Path
    counts: Mapping[str, int]
    number: int

    @property
    def tokens(self) -> int:
        """Words, each occurrence counted."""
        return sum(self.counts.values())

    def statistics(self) -> CorpusStatistics:
        """Sentences, tokens, types, and how many types are frequent enough for each usual least count."""
        return _statistics(self.counts, self.number)

    @classmethod
    def read(cls, path: Path) -> Sentences:
        """What `Corpus.write_sentences` has written."""
        with path.open(encoding="utf-8") as file:
            counts, number = _counted(path.name, map(str.split, file))
        return cls(path, counts, number)


@dataclass(frozen=True)
class Corpus:
    """Text files, and how their words are brought into the form in which they are compared.

    Attributes:
        paths: Text files in UTF-8, plain or gzip, a sentence or a document in each line: paths of this
            machine, or URLs, of which copies are kept in the user's cache.
        language: Its code, for rules of case and for lemmas.
        case: `exact`, `fold` or `upper`.
        profile: The orthography profile that words go through; "" for none.
        lemmas: Whether words are replaced by their lemmas, before profile and case.

    Raises:
        CorpusError: No file is given, or one is not there.
        ExtraError: universal-pathlib is needed for a URL.
        ScoreError: There is no such case or profile.
    """

    paths: tuple[Path | str, ...]
    language: str = "und"
    case: str = "exact"
    profile: str = ""
    lemmas: bool = False

    def __post_init__(self) -> None:
        """Refuse what is not there before any work starts."""
        form_of(self.language, self.case, self.profile)
        if not self.paths:
            raise CorpusError("no corpus given; name one or several text files")
        for path in self._places():
            check_file(path, CorpusError)

    def __getstate__(self) -> dict[str, Any]:
        """For other processes, which make the form anew: functions within functions do not travel."""
        return {name: value for name, value in self.__dict__.items() if name != "form"}

    @property
    def name(self) -> str:
        """What to call it: its first file."""
        more = len(self.paths) - 1
        return file_name(str(self.paths[0])) + (f" and {more} more" if more else "")

    @property
    def on_this_machine(self) -> list[Path]:
        """Those of its files that are not at a URL."""
        return [path for path in self._places() if isinstance(path, Path)]

    def _places(self) -> list[Path]:
        return [place(str(path), CorpusError) for path in self.paths]

    def files(self) -> Iterator[Path]:
        """Its files, each of which is copied to this machine first if it is at a URL.

        Raises:
            CorpusError: One cannot be read.
            OutputError: A copy cannot be written.
        """
        for path in self._places():
            yield local_copy(path, CorpusError)

    @cached_property
    def form(self) -> Form:
        """What brings a word of a text, or of a test set, into the form of this corpus.

        Raises:
            EvaluatorError: As `form_with`.
        """
        return self.form_with(lemmas=self.lemmas)

    def form_with(self, *, lemmas: bool) -> Form:
        """The same, whether or not this corpus is with lemmas; its files need not be there.

        Raises:
            ScoreError: There is no such profile.
            ExtraError: simplemma is needed for lemmas.
            CorpusError: It does not know the language.
        """
        form = form_of(self.language, self.case, self.profile)
        if not lemmas:
            return form
        lemma = lemmatizer(self.language)
        return lemma if form is as_is else lambda word: form(lemma(word))

    def sentences(self) -> Iterator[list[str]]:
        """The words of each line in compared form, at most `LONGEST_SENTENCE` at a time.

        Raises:
            CorpusError: A file cannot be read, or is not UTF-8.
            OutputError: A copy of what is at a URL cannot be written.
        """
        for path, file in zip(self.paths, self.files(), strict=True):
            yield from self._sentences_of(file, str(path))

    def _sentences_of(self, path: Path, name: str) -> Iterator[list[str]]:
        rest: list[str] = []
        for text, ends in _pieces(path, name):
            rest += self._in_form(words_of(text))
            while len(rest) > LONGEST_SENTENCE or (ends and rest):
                yield rest[:LONGEST_SENTENCE]
                rest = rest[LONGEST_SENTENCE:]

    def _in_form(self, words: list[str]) -> list[str]:
        if self.form is as_is:
            return words
        # A profile may drop all of a word, or put a blank into it, which would make two.
        return [word for each in words for word in self.form(each).split()]

    def counts(self) -> Counter[str]:
        """How often each word occurs.

        Raises:
            CorpusError: A file cannot be read, is not UTF-8, or there is no word at all.
        """
        return _counted(self.name, self.sentences())[0]

    def statistics(self) -> CorpusStatistics:
        """Sentences, tokens, types, and how many types are frequent enough for each usual least count.

        Raises:
            CorpusError: As `counts`.
        """
        return _statistics(*_counted(self.name, self.sentences()))

    def write_sentences(self, path: Path) -> Sentences:
        """Write a sentence in each line, blanks between its words, as gensim's `corpus_file` reads it.

        Raises:
            CorpusError: As `counts`; nothing is written then.
            OutputError: The file cannot be written.
        """
        with written_beside(path) as beside, beside.open("w", encoding="utf-8", newline="\n") as file:

            def written() -> Iterator[list[str]]:
                for words in self.sentences():
                    file.write(" ".join(words) + "\n")
                    yield words

            counts, number = _counted(self.name, written())
        return Sentences(path, counts, number)

    def vocabulary(self, min_count: int = 1) -> Vectors:
        """The vocabulary of a model trained on this corpus, most frequent first, with empty vectors.

        Args:
            min_count: Words that occur less often are left out.

        Raises:
            CorpusError: As `counts`, or no word is left.
        """
        if min_count < 1:
            raise CorpusError(f"min_count is {min_count}; it must be 1 or more")
        words = [word for word, count in self.counts().most_common() if count >= min_count]
        if not words:
            raise CorpusError(f"{self.name}: no word occurs {min_count} times; lower --min-count")
        return Vectors(words, np.zeros((len(words), 1), dtype=np.float32), self.name)


def _counted(name: str, sentences: Iterable[list[str]]) -> tuple[Counter[str], int]:
    """How often each word occurs, and how many sentences there are."""
    counts: Counter[str] = Counter()
    number = 0
    for words in sentences:
        counts.update(words)
        number += 1
    if not counts:
        raise CorpusError(f"{name}: holds no word")
    return counts, number


def _statistics(counts: Mapping[str, int], sentences: int) -> CorpusStatistics:
    tokens = sum(counts.values())
    frequency = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    by_count = {least: int((frequency >= least).sum()) for least in MIN_COUNTS}
    shares = {script: count / tokens for script, count in scripts_of(counts).most_common()}
    return CorpusStatistics(sentences, tokens, len(counts), by_count, shares)


def scripts_of(counts: Mapping[str, int]) -> Counter[str]:
    """How many tokens are in each script, by the script of a word's first letter; digits count as none."""
    scripts: Counter[str] = Counter()
    for word, count in counts.items():
        script = script_of(word)
        if script is not None:
            scripts[script] += count
    return scripts


def script_of(word: str) -> str | None:
    """The script of a word's first letter as Unicode names it, such as Devanagari; None without a letter."""
    letter = next((c for c in word if c.isalpha()), None)
    return None if letter is None else unicodedata.name(letter, "unknown").partition(" ")[0].capitalize()


def _pieces(path: Path, name: str) -> Iterator[tuple[str, bool]]:
    """The text of a file, a line or a part of a long line at a time, and whether the line ends there.

    Args:
        path: Where it is on this machine.
        name: What to call it, its path or its URL.

    Raises:
        CorpusError: It cannot be read, or is not UTF-8.
    """
    number, before, text = 1, 0, b""
    try:
        with _opened(path) as file:
            for piece in iter(lambda: file.readline(_PIECE), b""):
                # Stray zeros occur in real corpora; at the start of UTF-16 they are every other byte or so.
                if number == 1 and piece.count(b"\0") > len(piece) // 4:
                    raise CorpusError(f"{name}, line {number}: not UTF-8 but UTF-16, or no text: {_CONVERT}")
                ends = piece.endswith(b"\n")
                text, rest = _cut(text + piece, ends)
                yield text.decode(), ends
                number, before = (number + 1, 0) if ends else (number, before + len(text))
                text = rest
            yield text.decode(), True
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{name}, line {number}: not UTF-8 at byte {before + error.start} of the line; {_CONVERT}"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb")


def _cut(text: bytes, ends: bool) -> tuple[bytes, bytes]:
    """A part of a line up to its last blank, so that no word is cut, and what is left of it."""
    place = len(text) if ends else max(text.rfind(b" "), text.rfind(b"\t")) + 1
    return text[:place], text[place:]
