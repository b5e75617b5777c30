"""The folder of a spaCy model, or of its vectors: a table, and the words of its rows; or hashed, as floret's.

A spaCy model has strings, the keys that are their hashes (MurmurHash64A, seed 1; Austin Appleby, public
domain), and the row of each key. Several words can share a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError
from evaluator.vectors.files import LoadOptions, OpenedFile
from evaluator.vectors.formats.arrays import read_array
from evaluator.vectors.formats.encoder import candidate_words
from evaluator.vectors.formats.floret import Settings, hashed
from evaluator.vectors.reading import is_npy
from evaluator.vectors.row_checks import BadRowError, check_rows
from evaluator.vectors.table import Vectors

_AGAIN = "Install the spaCy model again."
_T = TypeVar("_T")


def read_spacy(file: OpenedFile, options: LoadOptions) -> Vectors:
    """Vectors of the mode default, with the words in the order of their rows; or of the mode floret.

    Raises:
        VectorsError: A file is missing or damaged, the mode is another one, (for floret) no vocabulary is
            named, or (unless dropped) a row is bad.
    """
    path = file.path.with_name("vectors.cfg")
    content = _decoded(path, msgspec.json.decode, dict[str, Any]) if path.exists() else {}
    mode = content.get("mode", "default")
    if mode == "default":
        return _with_words(_table(file), file, options)
    if mode != "floret":
        raise VectorsError(f"{path}: the spaCy vectors are of the mode {mode!r}, which is not known here.")
    settings = _floret_settings(path, content)
    words, source = candidate_words(options, str(file.path))
    return hashed(_table(file).astype(np.float32), settings, file, words, source, options)


def _decoded(path: Path, decode: Any, kind: type[_T]) -> _T:  # noqa: ANN401  # of msgspec
    try:
        found: _T = decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise VectorsError(f"{path}: cannot be read ({error.strerror}). {_AGAIN}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise VectorsError(f"{path}: damaged ({error}). {_AGAIN}") from error
    return found


def _floret_settings(path: Path, content: Mapping[str, Any]) -> Settings:
    try:
        settings = msgspec.convert(content, Settings)
    except msgspec.ValidationError as error:
        raise VectorsError(f"{path}: damaged ({error}). {_AGAIN}") from error
    settings.check(str(path))
    return settings


def _table(file: OpenedFile) -> npt.NDArray[Any]:
    """The table, real numbers of shape (rows, d)."""
    if not is_npy(file.head):
        raise VectorsError(f"{file.path}: this is not a numpy array. {_AGAIN}")
    table = read_array(file.stream, str(file.path), file.size)
    if table.ndim != 2 or not table.size or table.dtype.kind != "f":
        raise VectorsError(
            f"{file.path}: an array of {table.dtype} of shape {table.shape} is no table of vectors. If the "
            "spaCy model has no vectors, install a larger one (…_md, …_lg)."
        )
    return table


def _with_words(table: npt.NDArray[Any], file: OpenedFile, options: LoadOptions) -> Vectors:
    """The vectors of all keys, by row, and those of one row in the order in which the file has them."""
    from evaluator.vectors.hashing import murmur64

    keys = file.path.with_name("key2row")
    rows = _decoded(keys, msgspec.msgpack.decode, dict[int, int])
    outside = next((row for row in rows.values() if not 0 <= row < len(table)), None)
    if outside is not None:
        raise VectorsError(f"{keys}: leads to row {outside}, but the table has {len(table)} rows. {_AGAIN}")
    strings = _decoded(file.path.with_name("strings.json"), msgspec.json.decode, list[str])
    texts = (np.frombuffer(each.encode("utf-8", "surrogatepass"), dtype=np.uint8) for each in strings)
    names = {int(murmur64(text)): each for text, each in zip(texts, strings, strict=True)}
    ordered = sorted(rows, key=rows.__getitem__)[: options.limit]
    nameless = BadRowError("strings.json has no word of this key")
    unknown = {row: nameless for row, key in enumerate(ordered) if key not in names}
    matrix = table[[rows[key] for key in ordered]]
    vectors = Vectors([names.get(key, "") for key in ordered], matrix, file.path.name)
    return check_rows(vectors, str(file.path), drop=options.drop, known=unknown)
