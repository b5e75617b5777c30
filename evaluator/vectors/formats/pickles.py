"""The pickles of gensim, read so that no program can run: nothing is made but words, numbers and attributes.

A pickle names classes and functions, and has them called. Here each name that vectors of gensim have stands
for a class below that keeps what is needed; a pickle that names anything else is refused.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np


class _Inert(dict[Any, Any]):
    """An object that is not needed, such as a generator of random numbers; nothing of its class runs."""

    def __init__(self, *_: object) -> None:
        super().__init__()

    def __setstate__(self, state: object) -> None:
        """Of all that was saved, keep attributes."""
        if isinstance(state, dict):
            self.update(state)

    def __hash__(self) -> int:  # type: ignore[override]  # as the sets in which it may stand want
        return id(self)


class Attributes(_Inert):
    """A model, or its vectors, as a dict of its attributes."""


class FastTextAttributes(Attributes):
    """The vectors of a FastText, which saves those of words without their n-grams."""


class _Dtype:
    """A type of numbers or text; any other has no arrays."""

    def __init__(self, name: object, *_: object) -> None:
        self.name, self.order = str(name), "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Keep the byte order, and of text the length."""
        self.order = state[1]

    def numbers(self, content: object) -> Any:  # noqa: ANN401  # an array, or None
        """The numbers that some bytes are; None if this is no type of fractions, or these are no bytes."""
        if self.name not in ("f2", "f4", "f8") or self.order not in ("<", ">", "="):
            return None
        if not isinstance(content, bytes | bytearray):
            return None
        return np.frombuffer(content, np.dtype(self.order + self.name))


class Array:
    """An array of numbers, made of bytes: numpy would believe a wrong size, and numbers for addresses."""

    def __init__(self, *_: object) -> None:
        self.values: Any = None

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Take the bytes as numbers; there are as many as shape and type need."""
        _, shape, dtype, by_column, content = state[:5]  # a memmap has its attributes after these
        self._take(content, dtype, shape, "F" if by_column else "C")

    def _take(self, content: object, dtype: _Dtype, shape: Any, order: Any) -> None:  # noqa: ANN401
        numbers = dtype.numbers(content)
        self.values = None if numbers is None else numbers.reshape(shape, order=order)


def _from_buffer(content: object, dtype: _Dtype, shape: object, order: object) -> Array:
    """An array, as protocol 5 of pickles has it."""
    made = Array()
    made._take(content, dtype, shape, order)
    return made


def _scalar(dtype: _Dtype, content: object = b"") -> object:
    """A number or text of numpy: of text, the text; numbers are not needed."""
    if dtype.name.startswith("U") and isinstance(content, bytes):
        return content.decode("utf-32-be" if dtype.order == ">" else "utf-32-le").rstrip("\0")
    return _Inert()


def _bytes(text: object, encoding: object) -> bytes:
    """Bytes, which protocol 2 of pickles has as text."""
    if type(text) is not str or encoding not in ("latin1", "latin-1"):
        raise pickle.UnpicklingError("it names _codecs.encode for something that is no bytes")
    return text.encode("latin-1")


def _named(modules: tuple[str, ...], *names: str) -> list[str]:
    return [f"{module}.{name}" for module in modules for name in names]


_NUMPY = ("numpy.core", "numpy._core")
_NAMES: Mapping[str, Callable[..., object]] = {
    "gensim.models.fasttext.FastTextKeyedVectors": FastTextAttributes,
    **dict.fromkeys(
        _named(
            ("gensim.models",),
            *("keyedvectors.KeyedVectors", "word2vec.Word2Vec", "fasttext.FastText", "doc2vec.Doc2Vec"),
        ),
        Attributes,
    ),
    **dict.fromkeys(_named(_NUMPY, "multiarray._reconstruct", "memmap.memmap"), Array),
    **dict.fromkeys(_named(("numpy",), "ndarray", "memmap"), Array),
    **dict.fromkeys(_named(_NUMPY, "multiarray.scalar"), _scalar),
    **dict.fromkeys(_named(_NUMPY, "numeric._frombuffer"), _from_buffer),
    "numpy.dtype": _Dtype,
    "_codecs.encode": _bytes,
    **dict.fromkeys(
        (
            *_named(("builtins", "__builtin__"), "hash", "int", "long", "set", "frozenset"),
            *_named(("gensim",), "utils.call_on_class_only", "models.word2vec.Heapitem"),
            "collections.defaultdict",
        ),
        _Inert,
    ),
}
"""What a pickle may name, and what stands for it: all that is made are objects of these classes, or text."""

_OLDER = {
    f"gensim.models.{module}.{name}"
    for module, names in {
        "keyedvectors": ("Vocab", "Word2VecKeyedVectors", "FastTextKeyedVectors", "EuclideanKeyedVectors"),
        "word2vec": ("Vocab", "Word2VecVocab", "Word2VecTrainables"),
        "fasttext": ("FastTextVocab", "FastTextTrainables"),
    }.items()
    for name in names
}
"""Classes of gensim before version 4."""

_REFUSED = {pickle.EXT1, pickle.EXT2, pickle.EXT4}  # names by number


class ForeignPickleError(Exception):
    """A pickle that is not of gensim 4: what it is, and what to do."""


class Unpickler(pickle._Unpickler):  # the one in Python: a file cannot make it set memory aside
    """Reads pickles of gensim 4; what it raises for others may be anything, or a ForeignPickleError."""

    dispatch: ClassVar = {
        key: load for key, load in pickle._Unpickler.dispatch.items() if bytes([key]) not in _REFUSED
    }

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401  # as pickle's own
        """What stands for a name: nothing that is not listed, apart from generators of random numbers."""
        if module.startswith("numpy.random."):
            return _Inert
        if (found := _NAMES.get(f"{module}.{name}")) is None:
            raise ForeignPickleError(*_foreign(module, name))
        return found

    def load_bytearray8(self) -> None:
        """Bytes that can be changed, as others: pickle's own sets aside as much memory as they claim."""
        size = int.from_bytes(self.read(8), "little")  # type: ignore[attr-defined]
        self.append(self.read(size))  # type: ignore[attr-defined]

    dispatch[pickle.BYTEARRAY8[0]] = load_bytearray8  # type: ignore[assignment]


def _foreign(module: str, name: str) -> tuple[str, str]:
    """What a pickle is that names something that is not listed, and what to do."""
    if module.startswith("gensim.models.deprecated") or f"{module}.{name}" in _OLDER:
        return OLD
    if module.partition(".")[0] == "gensim":
        return f"it is a {name} of gensim, which holds no word vectors that are read here", EXPORT_IF
    if module.partition(".")[0] == "torch":
        return TORCH
    return (
        f"it names {module}.{name}, which no vectors of gensim do, and a pickle can run any program",
        EXPORT_IF,
    )


EXPORT = "model.wv.save_word2vec_format('m.vec')."
OLD = (
    "it was saved by a gensim before version 4",
    f"Load it where gensim 4 is, with the class that saved it, and save it again, or export it: {EXPORT}",
)
EXPORT_IF = f"If it has word vectors, export them with the library that wrote it; with gensim: {EXPORT}"
TORCH = (
    "it is a pickle of PyTorch",
    "Load it there, and save words and matrix: np.savez('m.npz', words=np.array(words), matrix=matrix).",
)
