"""Static models of model2vec and sentence-transformers: a word's vector is the mean of its tokens'.

A model is a folder with `model.safetensors` and `tokenizer.json`. The tensor `embeddings` (or, as
sentence-transformers calls it, `embedding.weight`) has a row for each token. Where there is a tensor
`mapping`, it says which row a token has; where there are `weights`, each token's vector is multiplied by its
weight. Unknown tokens are left out. This is what `StaticModel.encode` of model2vec does. Nothing in the
folder is run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluator.errors import ExtraError, VectorsError
from evaluator.vectors.files import LoadOptions, OpenedFile
from evaluator.vectors.formats.encoder import Encoder, candidate_words, encoded
from evaluator.vectors.table import Matrix, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

EMBEDDINGS = ("embeddings", "embedding.weight")


def read_static_model(file: OpenedFile, options: LoadOptions) -> Vectors:
    """The words that the tokenizer keeps whole, or those that are named; all other words are encoded, too."""
    if file.gzipped:
        raise VectorsError(f"{file.path}: a compressed safetensors file is not read. Unpack it (gunzip).")
    model = StaticModel(_tokenizer(file.path), *_tensors(file.path), _normalizes(file.path))
    model.check(str(file.path))
    if options.vocabulary is None:
        words, source = model.whole_words()[: options.limit], ""
    else:
        words, source = candidate_words(options, str(file.path))
    known = [word for word, ids in zip(words, model.tokens(words), strict=True) if ids]
    if not known:
        raise VectorsError(
            f"{file.path}: of {len(words)} words, the model knows none. Name a vocabulary in its language "
            "(--vocabulary-from)."
        )
    encoder = Encoder(model.encode, file.path.name)
    return encoded(encoder, known, drop=options.drop, candidates=source)


@dataclass(frozen=True, eq=False)
class StaticModel:
    """A static model.

    Attributes:
        tokenizer: Divides words into tokens.
        embeddings: Shape (rows, d).
        mapping: The row of each token; None if it is the token's number. Shape (tokens,).
        weights: The weight of each token; None for 1. Shape (tokens,).
        normalizes: Whether the mean is scaled to length 1.
    """

    tokenizer: Tokenizer
    embeddings: npt.NDArray[Any]
    mapping: npt.NDArray[np.int64] | None
    weights: Matrix | None
    normalizes: bool

    def check(self, file: str) -> None:
        """Refuse parts that do not fit together, so that no token is looked up out of bounds."""
        tokens = 1 + max(self.tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
        rows = len(self.embeddings)
        if self.mapping is not None and len(self.mapping):
            low, high = int(self.mapping.min()), int(self.mapping.max())
            if low < 0 or high >= rows:
                raise VectorsError(
                    f"{file}: its mapping leads to row {low if low < 0 else high}, but the embeddings have "
                    f"{rows} rows. {_AGAIN}"
                )
        for name, each in (("mapping", self.mapping), ("weights", self.weights)):
            if each is not None and len(each) < tokens:
                raise VectorsError(
                    f"{file}: {len(each)} {name} for {tokens} tokens in tokenizer.json. {_AGAIN}"
                )
        if self.mapping is None and rows < tokens:
            raise VectorsError(f"{file}: {rows} embeddings for {tokens} tokens in tokenizer.json. {_AGAIN}")

    def tokens(self, words: Iterable[str]) -> list[list[int]]:
        """The numbers of the tokens of each word, without unknown ones."""
        found = self.tokenizer.encode_batch_fast(list(words), add_special_tokens=False)
        unknown = self._unknown
        return [[token for token in each.ids if token != unknown] for each in found]

    @property
    def _unknown(self) -> int | None:
        token = getattr(self.tokenizer.model, "unk_token", None)
        if token is not None:
            found: int | None = self.tokenizer.token_to_id(token)
            return found
        number: int | None = json.loads(self.tokenizer.to_str())["model"].get("unk_id")
        return number

    def encode(self, words: list[str]) -> Matrix:
        """The vectors of words, shape (n, d); zeros for words without a known token."""
        tokens = self.tokens(words)
        out = np.zeros((len(words), self.embeddings.shape[1]), dtype=np.float32)
        known = [row for row, ids in enumerate(tokens) if ids]
        if not known:
            return out
        numbers = np.array([token for row in known for token in tokens[row]], dtype=np.int64)
        lengths = np.array([len(tokens[row]) for row in known])
        rows = numbers if self.mapping is None else self.mapping[numbers]
        vectors = self.embeddings[rows].astype(np.float32)
        if self.weights is not None:
            vectors = vectors * self.weights[numbers, None]
        sums = np.add.reduceat(vectors, np.cumsum(lengths) - lengths, axis=0)
        out[known] = sums / lengths[:, None].astype(np.float32)
        if self.normalizes:
            out /= np.linalg.norm(out, axis=1, keepdims=True) + np.float32(1e-32)
        return out

    def whole_words(self) -> list[str]:
        """The words that are one token, in the order of the tokens' numbers.

        Tokens are numbered roughly by frequency: model2vec itself takes their order for it (its Zipf
        weighting).
        """
        special = set(self.tokenizer.get_added_tokens_decoder())
        numbers = sorted(set(self.tokenizer.get_vocab().values()) - special)
        words = [self.tokenizer.decode([number]).strip() for number in numbers]
        kept = {
            word: None
            for word, number, own in zip(words, numbers, self.tokens(words), strict=True)
            if word and own == [number]
        }
        return list(kept)


_AGAIN = "Fetch the whole folder of the model again."


def _tokenizer(path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ExtraError(f"{path}: a static model", "tokenizers", "models") from error
    beside = path.with_name("tokenizer.json")
    try:
        tokenizer = Tokenizer.from_str(beside.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise VectorsError(
            f"{path}: a static model has its words in tokenizer.json, which is not beside it. {_AGAIN}"
        ) from error
    except OSError as error:
        raise VectorsError(
            f"{beside}: cannot be read ({error.strerror or error}). Check its mode."
        ) from error
    except Exception as error:  # the library has no exception of its own
        raise VectorsError(f"{beside}: damaged, or not a tokenizer ({error}). {_AGAIN}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _tensors(path: Path) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64] | None, Matrix | None]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            names = set(file.keys())
            found = {
                each: file.get_tensor(each) for each in (*EMBEDDINGS, "mapping", "weights") if each in names
            }
    except (
        SafetensorError,
        TypeError,
        AttributeError,
    ) as error:  # the last for types that numpy does not have
        raise VectorsError(
            f"{path}: cut off, damaged, or of a type that numpy does not have ({error}). Fetch it again, or "
            "save the model as float32."
        ) from error
    embeddings = next((found[each] for each in EMBEDDINGS if each in found), None)
    if embeddings is None:
        raise VectorsError(
            f"{path}: no static model; it has the tensors {', '.join(sorted(names)[:5])}. Encode words with "
            "a function of your own (module:function), as docs/vectors.md shows."
        )
    _check_tensor(path, "embeddings", embeddings, 2, "fi")
    return embeddings, _whole_numbers(path, found), _weights(path, found)


def _whole_numbers(path: Path, found: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.int64] | None:
    if "mapping" not in found:
        return None
    _check_tensor(path, "mapping", found["mapping"], 1, "iu")
    return found["mapping"].astype(np.int64)


def _weights(path: Path, found: Mapping[str, npt.NDArray[Any]]) -> Matrix | None:
    if "weights" not in found:
        return None
    _check_tensor(path, "weights", found["weights"], 1, "f")
    weights = found["weights"].astype(np.float32)
    if not np.isfinite(weights).all():
        raise VectorsError(f"{path}: its weights hold NaN or infinity. {_AGAIN}")
    return weights


def _check_tensor(path: Path, name: str, tensor: npt.NDArray[Any], axes: int, kinds: str) -> None:
    if tensor.ndim != axes or tensor.dtype.kind not in kinds or not tensor.size:
        raise VectorsError(
            f"{path}: the tensor {name} is {tensor.dtype} of shape {tensor.shape}, which no static model "
            f"has. {_AGAIN}"
        )


def _normalizes(path: Path) -> bool:
    """Whether the model scales vectors to length 1, as config.json or modules.json beside it say."""
    for name in ("config.json", "modules.json"):
        for folder in (path.parent, path.parent.parent) if path.parent.name[:2] == "0_" else (path.parent,):
            try:
                content = json.loads((folder / name).read_text(encoding="utf-8"))
            except FileNotFoundError:
                continue
            except (OSError, ValueError, RecursionError) as error:
                raise VectorsError(f"{folder / name}: cannot be read as JSON ({error}). {_AGAIN}") from error
            if isinstance(content, dict) and content.get("normalize") is True:
                return True
            if isinstance(content, list) and any("Normalize" in str(each) for each in content):
                return True
    return False
