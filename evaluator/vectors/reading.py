"""Reading a vectors file: how each format is recognised, what reads it, and `load_vectors`."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from io import BytesIO
from operator import methodcaller
from pathlib import Path
from typing import Literal

from evaluator.errors import PluginError, VectorsError
from evaluator.execution.inputs import opened, recording
from evaluator.execution.plugins import load_formats
from evaluator.execution.remote_files import absolute, file_name, is_url, local_copy, without_file_scheme
from evaluator.vectors.files import HEAD_BYTES, LoadOptions, OpenedFile, VectorFormat, open_file
from evaluator.vectors.foreign import is_npz, layout_of
from evaluator.vectors.table import Vectors
from evaluator.vectors.text_rows import BOM, numeric_tail

Vocabulary = str | os.PathLike[str] | Vectors | Iterable[str] | None

GROUP = "evaluator.vector_formats"
"""The entry points by which other packages add formats."""

_FASTTEXT_MAGIC = struct.pack("<i", 793712314)
_NPY, _PICKLE = b"\x93NUMPY", b"\x80"  # pickles are how gensim saves models
HEADER = re.compile(rb"([+-]?[0-9]{1,18})[ \t]+([+-]?[0-9]{1,18})[ \t\r]*\n?")
FLORET_HEADER = re.compile(
    rb"([0-9]{1,10}) ([0-9]{1,7}) ([0-9]{1,3}) ([0-9]{1,3}) ([1-4]) ([0-9]{1,10}) ([!-~]+) ([!-~]+)\s*"
)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r"))
SAMPLE_LINES = 100
_SOME_LINES = 10
_FEWEST_NUMBERS = 5  # in a row of vectors without a header; rows of test sets have fewer after one word


def is_static_model(head: bytes) -> bool:
    """A safetensors file that has the embeddings of a static model."""
    return is_safetensors(head) and any(name in head for name in (b'"embeddings":', b'"embedding.weight":'))


def is_safetensors(head: bytes) -> bool:
    r"""The length of a JSON header as 8 bytes, of which the last are zero, then the header."""
    return head[4:8] == bytes(4) and head[8:9] == b"{"


def is_fasttext(head: bytes) -> bool:
    """The magic number of fastText's binary format."""
    return head.startswith(_FASTTEXT_MAGIC)


def is_spacy(head: bytes) -> bool:
    """A map in msgpack whose first key is a number of 64 bits, as in spaCy's `key2row`."""
    return re.match(rb"(?:\xde..|\xdf....|[\x81-\x8f])\xcf", head, re.DOTALL) is not None


def starts_with_header(head: bytes) -> bool:
    """A line of two whole numbers, as in both formats of word2vec."""
    return HEADER.fullmatch(head.removeprefix(BOM).partition(b"\n")[0]) is not None


def is_word2vec_binary(head: bytes) -> bool:
    """A header and no rows of text; text with errors counts as text, so that the errors are reported."""
    if not starts_with_header(head):
        return False
    header, _, body = head.removeprefix(BOM).partition(b"\n")
    rows, dimension = map(int, header.split())
    lines = list(filter(bytes.strip, body.split(b"\n")[:_SOME_LINES]))
    of_text = sum(numeric_tail(line) >= min(3, dimension) for line in lines)
    if 2 * of_text > len(lines):  # one line may look like text by chance, if rows have a number or two
        return False
    has_control = len(body.translate(None, _CONTROL)) < len(body)
    return has_control or not _is_utf8(body) or (not of_text and _has_binary_rows(body, rows, dimension))


def _has_binary_rows(body: bytes, rows: int, dimension: int) -> bool:
    """Whether a short file ends where its last row does, if all are binary."""
    position, step = 0, 1 + 4 * dimension
    for _ in range(rows):
        space = body.find(b" ", position)
        if space < 0:
            return False
        position = space + step + (body[space + step : space + step + 1] == b"\n")
    return position == len(body) < HEAD_BYTES


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(body) - 4 and error.reason == "unexpected end of data"
    return True


def is_floret(head: bytes) -> bool:
    """The numbers and marks with which a table of floret starts."""
    return FLORET_HEADER.fullmatch(head.partition(b"\n")[0]) is not None


def has_number_rows(head: bytes) -> bool:
    """A line that ends in numbers, as in GloVe's format."""
    return any(numeric_tail(line) for line in head.split(b"\n")[:SAMPLE_LINES])


def are_vectors(head: bytes) -> bool:
    """Whether a file certainly holds vectors; without a header, two rows must be a word and numbers."""
    certain = (is_safetensors, is_npz, is_fasttext, starts_with_header, is_floret)
    if head.startswith((_NPY, _PICKLE)) or any(found(head) for found in certain):
        return True
    rows = head.split(b"\n")[:2]
    return all(_FEWEST_NUMBERS <= numeric_tail(row) == len(row.split()) - 1 for row in rows)


def _read(module: str, function: str, file: OpenedFile, options: LoadOptions) -> Vectors:
    """Read a file with a function of `evaluator.vectors.formats`, whose modules are loaded when needed."""
    read = getattr(import_module(f"evaluator.vectors.formats.{module}"), function)
    vectors: Vectors = read(file, options)
    return vectors


def _format(
    name: str, looks_like: Callable[[bytes], bool], module: str, *inside: str, rank: int
) -> VectorFormat:
    read = partial(_read, module, f"read_{name.replace('-', '_')}")
    return VectorFormat(name, rank, looks_like, read, inside)


_SPACY = ("vocab/key2row", "key2row")  # of a pipeline, and of what it has in its folder vocab
_STATIC = ("model.safetensors", "0_StaticEmbedding/model.safetensors")

FORMATS = {
    each.name: each
    for each in (
        _format("static-model", is_static_model, "static_model", *_STATIC, rank=4),
        _format("safetensors", is_safetensors, "safetensors", rank=5),
        _format("npy", methodcaller("startswith", _NPY), "arrays", rank=6),
        _format("npz", is_npz, "arrays", rank=7),
        _format("fasttext", is_fasttext, "fasttext", rank=10),
        _format("gensim", methodcaller("startswith", _PICKLE), "gensim", rank=20),
        _format("word2vec-binary", is_word2vec_binary, "word2vec", rank=30),
        _format("word2vec-text", starts_with_header, "word2vec", rank=40),
        _format("floret", is_floret, "floret", rank=45),
        _format("spacy", is_spacy, "spacy", *_SPACY, rank=46),
        _format("glove", has_number_rows, "word2vec", rank=50),
    )
}
"""Evaluator's own formats by name, in the order in which they are tried."""


@cache
def vector_formats() -> Mapping[str, VectorFormat]:
    """All formats by name, in the order in which they are tried: our own and those of other packages."""
    formats = {**FORMATS, **load_formats(GROUP, FORMATS, "vector_format")}
    return dict(sorted(formats.items(), key=lambda entry: entry[1].rank))


def find_format(name: str, file: OpenedFile) -> VectorFormat:
    """The format with a name, or for "auto" the first one that a file looks like."""
    if name != "auto":
        found = FORMATS.get(name) or vector_formats().get(name)
        if found is None:
            raise VectorsError(
                f"{file.path}: there is no format {name!r}. Use auto, {', '.join(vector_formats())}."
            )
        return found
    problem: PluginError | None = None
    try:
        candidates = vector_formats()
    except PluginError as error:  # a broken package does not disturb anything else
        problem, candidates = error, FORMATS
    for candidate in candidates.values():
        if candidate.looks_like(file.head):
            return candidate
    if problem is not None:
        raise problem
    if layout := layout_of(file.head):
        raise VectorsError(f"{file.path}: not vectors as any format here has them: {layout}.")
    raise VectorsError(
        f"{file.path}: not recognised as vectors; it starts with {file.head[:40]!r}. "
        "Are vectors and test set swapped? If it is in one of these formats, name it (evaluator convert "
        f"--format): {', '.join(vector_formats())}."
    )


def file_in(folder: Path) -> tuple[Path, str]:
    """The file that is opened of a model that is a folder, and the name of its format."""
    for each in vector_formats().values():
        for name in each.inside:
            if (folder / name).is_file():
                return folder / name, each.name
            opened("vectors", folder / name)  # which would be read if it were there
    endings = [each.suffix for each in folder.iterdir() if each.suffix]
    like = max(endings, key=endings.count, default=".vec")
    raise VectorsError(
        f"{folder}: this is a directory. Give a vectors file inside it, or all of them as a quoted pattern, "
        f"'{folder}/{{model}}{like}', or '{folder}/{{model}}.{{language}}{like}' if names end in a language."
    )


_ENCODER = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)")


def encoder_parts(path: str) -> tuple[str, str] | None:
    """The names of module and object, if a text names an encoder as `module:object`; None for a file."""
    found = _ENCODER.fullmatch(path)
    return None if found is None or os.path.lexists(path) else (found[1], found[2])


def load_vectors(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",  # noqa: A002 (the word the command line uses too)
    bad_rows: Literal["refuse", "drop"] = "refuse",
    limit: int | None = None,
    encoding: str = "utf-8",
    vocabulary: Vocabulary = None,
) -> Vectors:
    """Load word vectors from a file, plain or gzip, or from the folder of a model.

    A bad row has the wrong number of columns, a value that is not a number, NaN or infinity, only zeros, a
    word that occurred before, an empty word, or one that is not in the file's encoding.

    Args:
        path: The file, its URL, or a folder; or `module:object`, a function or model of your own that encodes
            words. Its module is imported, which runs its code.
        format: The name of a format, as in docs/vectors.md; "auto" recognises it by the content.
        bad_rows: "refuse" a file with a bad row or with more or fewer rows than its header says; or "drop"
            bad rows, count them in `dropped`, and read the others.
        limit: Read the first `limit` rows of the file only, bad ones included; None for all.
        encoding: The encoding of the words, for files that are not UTF-8; one that extends ASCII.
        vocabulary: The words of a model that can encode any word and has no vocabulary of its own, the most
            frequent first: a file with a word in each line, other vectors, or the words. Other models keep
            their own.

    Returns:
        The vectors, raw as in the file, as float32 of shape (v, d), in the file's order. The matrix of a file
        that `convert` or `evaluator convert` wrote is mapped into memory and cannot be written to.

    Raises:
        VectorsError: The file cannot be read, or must be refused; the message says where in the file, and
            what to do.
        PluginError: What another package registers as a format cannot be used.
        ExtraError: They are at a URL, and a library for that is not installed.
    """
    if not isinstance(path, str | os.PathLike):
        raise VectorsError(f"this is of type {type(path).__name__}, not a path; `as_vectors` takes others.")
    local, name = local_copy(os.fspath(path)), os.fspath(path)
    options = LoadOptions(format, bad_rows, encoding, limit, words_or_path(vocabulary))
    options.check(local)
    with recording() as record:
        vectors = _load(local, name if is_url(without_file_scheme(name)) else None, options)
    return vectors.loaded_from(record)


def _load(path: Path, url: str | None, options: LoadOptions) -> Vectors:
    if encoder_parts(str(path)) is not None:
        return _read("encoder", "read_encoder", OpenedFile(path, BytesIO(), b"", 0), options)
    if path.is_dir():
        inside, own = file_in(path)
        with open_file(inside) as file:
            named = own if options.format == "auto" else options.format
            vectors = _read_as(named, file, options, folder=path)
            return replace(vectors, name=path.resolve().name)
    with open_file(path, name=url) as file:
        return _read_as(options.format, file, options)


def _read_as(name: str, file: OpenedFile, options: LoadOptions, folder: Path | None = None) -> Vectors:
    """Read a file in a format; one of another package may open further files, which are inputs, too.

    These are what it opens in Python, and all files of the folder, if that is the model.
    """
    found = find_format(name, file)
    if found.name in FORMATS:
        return found.read(file, options)
    from evaluator.execution.code import files_below, files_read

    with files_read() as files:
        vectors = found.read(file, options)
    others = [] if folder is None else [each for each in files_below(folder) if each != str(file.path)]
    for each in dict.fromkeys([*files, *others]):
        opened("part", each)
    return vectors


def words_or_path(vocabulary: Vocabulary) -> str | tuple[str, ...] | None:
    """The words of `LoadOptions.vocabulary`: a path, or the words of what is in memory."""
    if vocabulary is None or isinstance(vocabulary, str):
        return vocabulary
    if isinstance(vocabulary, os.PathLike):
        return str(Path(vocabulary))
    return tuple(vocabulary.words if isinstance(vocabulary, Vectors) else vocabulary)


@dataclass(frozen=True)
class VectorsFile:
    """The path of a vectors file, and how to load it.

    Attributes:
        path: A path, or a URL.
        options: How it is read.
        given_name: What to call the vectors; the file's name if None.
    """

    path: str
    options: LoadOptions = field(default_factory=LoadOptions)
    given_name: str | None = None

    @property
    def name(self) -> str:
        """What messages call the vectors."""
        return self.given_name or file_name(self.path)

    def for_others(self) -> VectorsFile:
        """The same for other processes, whatever their working directory."""
        words = self.options.vocabulary
        options = (
            replace(self.options, vocabulary=absolute(words)) if isinstance(words, str) else self.options
        )
        path = self.path if encoder_parts(self.path) else absolute(self.path)
        return replace(self, path=path, options=options)

    def load(self) -> Vectors:
        """Load the vectors; the errors are those of `load_vectors`."""
        loaded = load_vectors(self.path, **asdict(self.options))
        if self.given_name is None:
            return loaded
        return replace(loaded, name=self.given_name).loaded_from(loaded.recording)
