"""Vectors in a safetensors file, as evaluator writes it: mapped into memory, checked by a digest.

The tensor `matrix` is float32 of shape (v, d); the tensor `words` holds the vocabulary as a JSON array in
UTF-8. The metadata name the format, its version, the file that was converted, how many bad rows were dropped,
and the digest of all that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluator.errors import OutputError, VectorsError
from evaluator.execution.machine import cores
from evaluator.execution.output_files import atomic_output
from evaluator.vectors.files import LoadOptions, OpenedFile
from evaluator.vectors.table import Matrix, Vectors

FORMAT, VERSION = "evaluator vectors", "1"
CHUNK_BYTES = 1 << 22


def read_safetensors(file: OpenedFile, options: LoadOptions) -> Vectors:
    """Words, and a matrix that is mapped into memory, after a check of the digest."""
    from safetensors import SafetensorError, safe_open

    if file.packed:
        raise VectorsError(
            f"{file.path}: a compressed file cannot be mapped into memory. Unpack it (gunzip)."
        )
    try:
        with safe_open(file.path, framework="numpy") as tensors:
            metadata = tensors.metadata() or {}
            _check_origin(file.path, metadata, tensors.keys())
            shape = tensors.get_slice("matrix").get_shape()
            words: npt.NDArray[np.uint8] = tensors.get_tensor("words")
    except SafetensorError as error:
        raise VectorsError(
            f"{file.path}: cut off or damaged ({error}). Copy it again, or convert the original again."
        ) from error
    # The library would copy the matrix into memory. The header has been checked by now, and is short.
    start = 8 + int.from_bytes(file.head[:8], "little")
    start += json.loads(file.head[8:start])["matrix"]["data_offsets"][0]
    matrix = np.asarray(np.memmap(file.path, "<f4", "r", start, tuple(shape)))
    facts = {name: value for name, value in metadata.items() if name != "digest"}
    if metadata.get("digest") != _digest(words.tobytes(), matrix, facts):
        raise VectorsError(
            f"{file.path}: damaged: its content is not what was written, going by its digest. "
            "Copy it again, or convert the original again."
        )
    vocabulary = json.loads(words.tobytes())[: options.limit]
    dropped = int(metadata["dropped"])
    return Vectors(vocabulary, matrix[: options.limit], file.path.name, dropped=dropped, checked=True)


def _check_origin(path: Path, metadata: Mapping[str, str], names: list[str]) -> None:
    """Refuse files that others wrote, or a later version of this program."""
    if metadata.get("format") == FORMAT and metadata.get("version") == VERSION:
        return
    if metadata.get("format") == FORMAT:
        raise VectorsError(
            f"{path}: written by another version of evaluator ({metadata.get('version')}; this one reads "
            f"{VERSION}). Convert the original again, or update evaluator."
        )
    listed = ", ".join(sorted(names)[:5]) or "none"
    raise VectorsError(
        f'{path}: this safetensors file was not written by "evaluator convert" and is no static model: it '
        f"has the "
        f"tensors {listed}, but no vocabulary. Export words and vectors together in word2vec format; or, if "
        "this is a language model, encode words with a function of your own (module:function)."
    )


def write_safetensors(vectors: Vectors, path: Path) -> None:
    """Write vectors, without their subwords, to a file that every command opens at once.

    Raises:
        VectorsError: A word is not Unicode text.
        OutputError: The file cannot be written.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        words = json.dumps(list(vectors.words), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise VectorsError(f"{vectors.name}: a word cannot be written as UTF-8 ({error}).") from error
    matrix = np.ascontiguousarray(vectors.matrix, dtype="<f4")
    facts = {"format": FORMAT, "version": VERSION, "source": vectors.name, "dropped": str(vectors.dropped)}
    metadata = {**facts, "digest": _digest(words, matrix, facts)}
    with atomic_output(path) as beside:
        try:
            save_file({"matrix": matrix, "words": np.frombuffer(words, np.uint8)}, beside, metadata)
        except SafetensorError as error:  # such as: No space left on device
            raise OutputError(f"{path}: cannot be written: {error}") from error
        _sort_metadata(beside)


def _sort_metadata(path: Path) -> None:
    """Sort the keys of the metadata, whose order differs each time: the same vectors have the same bytes."""
    with path.open("r+b") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
        file.seek(8)
        file.write(json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode().ljust(length))


def _digest(words: bytes, matrix: Matrix, facts: Mapping[str, str]) -> str:
    """SHA-256 of the digests of all chunks of a file, which several threads read."""
    raw = matrix.data.cast("B")
    chunks = [words, *(raw[start : start + CHUNK_BYTES] for start in range(0, len(raw), CHUNK_BYTES))]
    total = hashlib.sha256(json.dumps([matrix.shape, facts], sort_keys=True).encode())
    with ThreadPoolExecutor(cores()) as pool:
        for digest in pool.map(lambda chunk: hashlib.sha256(chunk).digest(), chunks):
            total.update(digest)
    return f"sha256:{total.hexdigest()}"
