"""The vectors of spaCy, in the folder of a pipeline or in its `vocab`: a matrix, and the row of each word.

`key2row` has the rows by the numbers of words, `strings.json` the words, `vectors.cfg` the mode. The number
of a word is its MurmurHash64A, or a small one for the names of spaCy's own labels. In the mode floret there
are no words: see `floret`. spaCy is not needed.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from evaluator.errors import VectorsError
from evaluator.execution.inputs import opened
from evaluator.vectors.files import LoadOptions, OpenedFile, open_file
from evaluator.vectors.formats.arrays import Array, read_array
from evaluator.vectors.formats.encoder import Encoder, candidate_words, encoded
from evaluator.vectors.formats.fasttext import MURMUR_SEED, NgramRule, NgramVectors
from evaluator.vectors.table import Vectors, check_rows

_log = logging.getLogger(__name__)

_SEED = 1  # of the hashes of words
_TEXT = 65  # the words themselves are encoded, not their lower case or norm
_T = TypeVar("_T")

_LABELS = {
    64: "ID ORTH LOWER NORM SHAPE PREFIX SUFFIX LENGTH CLUSTER LEMMA POS TAG DEP",
    79: "HEAD",
    81: "SPACY PROB LANG ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ "
    "SYM VERB X EOL SPACE",
    380: "PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT",
    389: "LANGUAGE LAW DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL acomp advcl advmod agent "
    "amod appos attr aux auxpass cc ccomp complm conj cop csubj csubjpass dep det dobj expl "
    "hmod hyph infmod intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num number oprd "
    "obj obl parataxis partmod pcomp pobj poss possessive preconj prep prt punct quantmod relcl "
    "rcmod root xcomp acl",
    453: "MORPH",
    455: "IDX _",
}
"""The labels that are words, too, by the number of the first of some that follow each other."""


class _Config(msgspec.Struct):
    """`vectors.cfg`; of the default mode it has no more than the mode."""

    mode: str = "default"
    minn: int = 0
    maxn: int = 0
    hash_count: int = 1
    hash_seed: int = MURMUR_SEED
    bow: str = "<"
    eow: str = ">"
    attr: int = _TEXT


def read_spacy(file: OpenedFile, options: LoadOptions) -> Vectors:
    """The words that have a row, in the order in which spaCy keeps them."""
    folder = file.path.parent
    rows = _decoded(msgspec.msgpack.Decoder(dict[int, int]), file, file.stream.read())
    config = _Config()
    if (folder / "vectors.cfg").is_file():
        config = _beside(folder / "vectors.cfg", msgspec.json.Decoder(_Config))
    else:  # before version 3.2; it would be read if it were there
        opened("part", folder / "vectors.cfg")
    with open_file(folder / "vectors", "part") as data:
        matrix = read_array(data.stream, str(data.path), data.size)
    if matrix.ndim != 2 or matrix.dtype.kind != "f" or not matrix.size:
        raise VectorsError(
            f"{folder / 'vectors'}: an array of {matrix.dtype}, shape {matrix.shape}, and no vectors: this "
            "pipeline has none. Give one whose name ends in _md or _lg."
        )
    if config.mode == "floret":
        return _floret(folder, config, matrix, options)
    strings = _beside(folder / "strings.json", msgspec.json.Decoder(list[str]))
    found = _words(folder, strings, rows)
    if not all(0 <= row < len(matrix) for row in found.values()):
        raise VectorsError(
            f"{file.path}: a row beyond the {len(matrix)} of the matrix. Fetch the folder again."
        )
    words = list(found)[: options.limit]
    chosen = matrix[np.fromiter(found.values(), np.int64, len(found))[: options.limit]]
    return check_rows(Vectors(words, chosen, _name(folder)), str(folder), drop=options.drop)


def _words(folder: Path, strings: Sequence[str], rows: dict[int, int]) -> dict[str, int]:
    """The row of each word."""
    from evaluator.vectors.loops import hash_texts

    encoded_words = [word.encode(errors="surrogatepass") for word in strings]
    ends = np.cumsum([0, *map(len, encoded_words)], dtype=np.int64)
    numbers = hash_texts(np.frombuffer(b"".join(encoded_words), np.uint8), ends, _SEED)
    word_of = dict(zip(numbers.tolist(), strings, strict=True))
    for first, labels in _LABELS.items():
        word_of.update(enumerate(labels.split(), first))
    found = {word_of[number]: row for number, row in rows.items() if word_of.get(number)}
    if not found:
        raise VectorsError(
            f"{folder}: none of the {len(rows)} vectors has a word in strings.json. Fetch it again."
        )
    if len(found) < len(rows):
        _log.warning(
            "%s: %d vectors without a word in strings.json are left out", folder, len(rows) - len(found)
        )
    return found


def _floret(folder: Path, config: _Config, matrix: Array, options: LoadOptions) -> Vectors:
    """The words that are named, encoded by their n-grams; all other words are encoded, too."""
    if config.attr != _TEXT or not 2 <= config.minn <= config.maxn or not 1 <= config.hash_count <= 4:
        raise VectorsError(
            f"{folder / 'vectors.cfg'}: only words as they stand, with n-grams of 2 characters and more "
            "and 1 to 4 hashes, are encoded here. Let spaCy do it: a function that gives "
            "nlp.vocab.get_vector(word) for each word, as module:function."
        )
    words, source = candidate_words(options, _name(folder))
    rule = NgramRule(config.minn, config.maxn, config.hash_count, config.hash_seed, config.bow, config.eow)
    table = np.ascontiguousarray(matrix, dtype=np.float32)
    ngrams = NgramVectors({}, table[:0], table, rule)
    return encoded(Encoder(ngrams.encode, _name(folder)), words, drop=options.drop, candidates=source)


def _name(folder: Path) -> str:
    """That of the pipeline, if these are its vectors."""
    whole = folder.resolve()
    return whole.parent.name if whole.name == "vocab" else whole.name


def _beside(path: Path, decoder: msgspec.json.Decoder[_T]) -> _T:
    """What a JSON file of the same folder has."""
    with open_file(path, "part") as file:
        return _decoded(decoder, file, file.stream.read())


def _decoded(
    decoder: msgspec.json.Decoder[_T] | msgspec.msgpack.Decoder[_T], file: OpenedFile, data: bytes
) -> _T:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise VectorsError(
            f"{file.path}: not as spaCy writes it ({error}). Fetch the folder again, or save it again "
            "(nlp.to_disk)."
        ) from error
