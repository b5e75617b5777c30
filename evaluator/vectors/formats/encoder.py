"""Models that can encode any word and have no vocabulary: the words of a file or list stand in for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.errors import VectorsError
from evaluator.execution.code import watched
from evaluator.execution.inputs import identity, in_memory, recording, taken
from evaluator.execution.remote_files import file_name, is_url, local_copy
from evaluator.vectors.files import LoadOptions, OpenedFile, open_file
from evaluator.vectors.reading import are_vectors, encoder_parts, load_vectors
from evaluator.vectors.table import BadRowError, Matrix, Vectors, check_rows, decode_word
from evaluator.vectors.text_rows import BOM, NUMBER, numeric_tail

Encode = Callable[[list[str]], Any]
"""From n words to their vectors: an array of shape (n, d), or what numpy makes one of."""

AT_A_TIME = 1024
_SAMPLE = 100


@dataclass(frozen=True, eq=False)
class Encoder:
    """The `subword` function of a model that encodes words."""

    encode: Encode
    name: str
    _prepared: dict[str, Matrix] = field(default_factory=dict, repr=False)

    def __call__(self, word: str) -> Matrix | None:
        """The vector of a word, float32 of shape (d,); None if it is zero, NaN or infinite."""
        vector = self._prepared.get(word)
        if vector is None:
            vector = self.rows([word])[0]
        return vector if np.isfinite(vector).all() and vector.any() else None

    def prepare(self, words: Iterable[str]) -> None:
        """Encode several words at once, which is faster than one after another, and keep the vectors."""
        new = [word for word in dict.fromkeys(words) if word not in self._prepared]
        if new:
            self._prepared.update(zip(new, self.rows(new), strict=True))

    def rows(self, words: Sequence[str]) -> Matrix:
        """The vectors of words, float32 of shape (n, d), where n is at least 1."""
        found = [
            self._rows(list(words[start : start + AT_A_TIME])) for start in range(0, len(words), AT_A_TIME)
        ]
        widths = {rows.shape[1] for rows in found}
        if len(widths) > 1:
            listed = " and ".join(map(str, sorted(widths)))
            raise VectorsError(f"{self.name}: it gives vectors of {listed} numbers. All must have as many.")
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _rows(self, words: list[str]) -> Matrix:
        try:
            found = np.asarray(self.encode(words))
        except Exception as error:  # the code of others may raise anything
            raise VectorsError(
                f"{self.name}: it cannot encode words, for example {words[0]!r}: "
                f"{type(error).__name__}: {error}"
            ) from error
        if found.ndim != 2 or len(found) != len(words) or not found.shape[1] or found.dtype.kind not in "fiu":
            raise VectorsError(
                f"{self.name}: for {len(words)} words it gives an array of {found.dtype} of shape "
                f"{found.shape}. It must take a list of words, and give a row of numbers for each."
            )
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(found, dtype=np.float32)


def encoded(encoder: Encoder, words: Sequence[str], *, drop: bool = False, candidates: str = "") -> Vectors:
    """Vectors of an encoder: a vocabulary of some words; any other word is encoded when it is looked up."""
    if not words:
        raise VectorsError(f"{encoder.name}: the list of words to encode is empty. Give at least one word.")
    matrix = encoder.rows(words)
    vectors = Vectors(words, matrix, encoder.name, encoder, candidates=candidates)
    return check_rows(vectors, encoder.name, drop=drop)


def candidate_words(options: LoadOptions, name: str) -> tuple[list[str], str]:
    """The words that stand in for the vocabulary of a model that has none, and where they are from."""
    given = options.vocabulary
    if given is None:
        raise VectorsError(
            f"{name}: a model that can encode any word has no vocabulary to search for neighbours. Name one "
            "with vocabulary=… (--vocabulary-from FILE): a list of words, a line each, the most frequent "
            "first; or vectors, whose words are taken."
        )
    with recording("vocabulary") as record:
        words = _given(given) if isinstance(given, tuple) else read_words(given)
    words = list(dict.fromkeys(words))[: options.limit]
    called = f"{len(words)} words" if isinstance(given, tuple) else file_name(given)
    return words, f"{called}#{identity(record.inputs)[:12]}"


def _given(words: tuple[str, ...]) -> list[str]:
    """The words of a list in memory, which is an input like a file."""
    taken(in_memory(f"{len(words)} words", "\n".join(words).encode(errors="surrogatepass")))
    return list(words)


def read_words(path: str) -> list[str]:
    """The words of a vectors file, or of a text file with a word in each line.

    What follows a tab in a line of text, such as a count, is left out, and so are blank lines.
    """
    local = local_copy(path)
    if local.is_dir():
        return list(load_vectors(local).words)
    with open_file(local, name=path if is_url(path) else None) as file:
        if not are_vectors(file.head):
            return [word for _, word in lines_of(file.stream, local, "utf-8") if word]
    return list(load_vectors(path).words)


def lines_of(stream: Iterable[bytes], path: Path, encoding: str) -> Iterator[tuple[int, str]]:
    """The words of a text file, a line each, with the numbers of the lines; a blank line is an empty word."""
    counted = indexed = number = 0
    for number, raw in enumerate(stream, 1):
        line, _, rest = (raw.removeprefix(BOM) if number == 1 else raw).rstrip(b"\r\n").partition(b"\t")
        if number <= _SAMPLE:
            counted += numeric_tail(line) > 0
            indexed += line.isdigit() and rest.strip() != b"" and not NUMBER.match(rest.strip())
        if number == _SAMPLE and counted > number / 2:
            raise VectorsError(
                f"{path}, line {number}: ends in a number, as most lines before it. Write a word in each "
                "line; a count may follow after a tab."
            )
        try:
            yield number, decode_word(line, encoding) if line.strip() else ""
        except BadRowError as bad:
            raise bad.located(str(path), f"line {number}", encoding) from bad
    if number and indexed == min(number, _SAMPLE):
        raise VectorsError(
            f"{path}, line 1: starts with a number, and a word follows after the tab, as in the others. "
            "Write the words first; a count may follow after a tab."
        )


def read_encoder(file: OpenedFile, options: LoadOptions) -> Vectors:
    """The vectors of a model of the user's own, named `module:object`; importing the module runs its code."""
    path = str(file.path)
    words, source = candidate_words(options, path)
    with watched(path.partition(":")[0]):
        encoder = Encoder(encode_function(_imported(path), path), path)
        return encoded(encoder, words, drop=options.drop, candidates=source)


def encode_function(model: object, name: str) -> Encode:
    """The function by which a model encodes words: its `encode`, or the model itself."""
    function = getattr(model, "encode", None) or model
    if isinstance(model, type | str | bytes) or not callable(function):
        what = f"the class {model.__name__}" if isinstance(model, type) else f"of type {type(model).__name__}"
        raise VectorsError(
            f"{name}: this is {what}. Name a function that takes a list of words and gives a row of numbers "
            "for each, or an object with such a method `encode`."
        )
    return function  # type: ignore[no-any-return]


def _imported(path: str) -> object:
    """The object that `module:object` names; modules in the working directory are found, too."""
    module, attribute = encoder_parts(path) or (path, "")
    here = str(Path.cwd())
    added = here not in sys.path and "" not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        found: object = import_module(module)
        for each in attribute.split("."):
            found = getattr(found, each)
    except Exception as error:  # the code of others may raise anything
        raise VectorsError(
            f"{path}: there is no such file, and it cannot be imported as module:object "
            f"({type(error).__name__}: {error}). Check the path, or the names of module and object."
        ) from error
    finally:
        if added:
            sys.path.remove(here)
    return found
