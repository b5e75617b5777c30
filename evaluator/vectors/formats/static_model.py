"""Static models of model2vec and sentence-transformers: a word's vector is the mean of its tokens'.

A model is a folder with `model.safetensors` and `tokenizer.json`. The tensor `embeddings` (or, as
sentence-transformers calls it, `embedding.weight`) has a row for each token, or those to which `mapping`
leads; `weights` has a weight for each. Unknown tokens are left out. This is what `StaticModel.encode` of
model2vec does. Nothing in the folder is run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluator.errors import ExtraError, VectorsError
from evaluator.execution.inputs import opened
from evaluator.vectors.files import LoadOptions, OpenedFile
from evaluator.vectors.formats.encoder import Encoder, candidate_words, encoded
from evaluator.vectors.table import Matrix, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Tensor = npt.NDArray[Any]

EMBEDDINGS = ("embeddings", "embedding.weight")
_AGAIN = "Fetch the whole folder of the model again."


def read_static_model(file: OpenedFile, options: LoadOptions) -> Vectors:
    """The words that the tokenizer keeps whole, or those that are named; all other words are encoded, too."""
    if file.packed:
        raise VectorsError(f"{file.path}: a compressed safetensors file is not read. Unpack it (gunzip).")
    tensors = _tensors(file.path)
    model = StaticModel(_tokenizer(file.path), tensors, _normalizes(file.path))
    for problem in _problems(tensors, 1 + max(model.tokenizer.get_vocab().values(), default=-1)):
        raise VectorsError(f"{file.path}: {problem}. {_AGAIN}")
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
    """A static model: its tokenizer, its tensors, and whether vectors are scaled to length 1."""

    tokenizer: Tokenizer
    tensors: Mapping[str, Tensor]
    normalizes: bool

    def tokens(self, words: Iterable[str]) -> list[list[int]]:
        """The numbers of the tokens of each word, without unknown ones; of an unknown word there are none."""
        some = list(words)
        try:
            found = [each.ids for each in self.tokenizer.encode_batch_fast(some, add_special_tokens=False)]
        except Exception:  # a tokenizer without an unknown token; the library has no exception of its own
            found = list(map(self._tokens, some))
        unknown = self._unknown
        return [[token for token in ids if token != unknown] for ids in found]

    def _tokens(self, word: str) -> list[int]:
        """The numbers of the tokens of one word; none if the tokenizer does not know all of it."""
        try:
            ids: list[int] = self.tokenizer.encode(word, add_special_tokens=False).ids
        except Exception:  # as above
            return []
        return ids

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
        tokens, embeddings = self.tokens(words), self.tensors["embeddings"]
        out = np.zeros((len(words), embeddings.shape[1]), dtype=np.float32)
        known = [row for row, ids in enumerate(tokens) if ids]
        if not known:
            return out
        numbers = np.array([token for row in known for token in tokens[row]], dtype=np.int64)
        lengths = np.array([len(tokens[row]) for row in known])
        rows = self.tensors["mapping"][numbers].astype(np.int64) if "mapping" in self.tensors else numbers
        vectors = embeddings[rows].astype(np.float32)
        if "weights" in self.tensors:
            vectors = vectors * self.tensors["weights"][numbers, None].astype(np.float32)
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


def _tokenizer(path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ExtraError(f"{path}: a static model", "tokenizers", "models") from error
    beside = opened("part", path.with_name("tokenizer.json"))
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


def _tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a model, those that it has of `embeddings`, `mapping` and `weights`."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            names = set(file.keys())
            found = {
                "embeddings" if each in EMBEDDINGS else each: file.get_tensor(each)
                for each in ("weights", "mapping", *reversed(EMBEDDINGS))
                if each in names
            }
    # AttributeError: for types that numpy does not have
    except (SafetensorError, TypeError, AttributeError) as error:
        raise VectorsError(
            f"{path}: cut off, damaged, or of a type that numpy does not have ({error}). Fetch it again, or "
            "save the model as float32."
        ) from error
    if "embeddings" not in found:
        raise VectorsError(
            f"{path}: no static model; it has the tensors {', '.join(sorted(names)[:5])}. Encode words with "
            "a function of your own (module:function), as docs/vectors.md shows."
        )
    return found


def _problems(tensors: Mapping[str, Tensor], tokens: int) -> Iterator[str]:
    """What is wrong with tensors, so that no token is looked up out of bounds."""
    for name, axes, kinds in (("embeddings", 2, "fi"), ("mapping", 1, "iu"), ("weights", 1, "f")):
        tensor = tensors.get(name)
        if tensor is not None and (tensor.ndim != axes or tensor.dtype.kind not in kinds or not tensor.size):
            yield f"the tensor {name} is {tensor.dtype} of shape {tensor.shape}, which no static model has"
    if not np.isfinite(tensors.get("weights", 0)).all():
        yield "its weights hold NaN or infinity"
    rows, mapping = len(tensors["embeddings"]), tensors.get("mapping")
    if mapping is not None and not 0 <= int(mapping.min()) <= int(mapping.max()) < rows:
        row = int(mapping.min() if mapping.min() < 0 else mapping.max())
        yield f"its mapping leads to row {row}, but the embeddings have {rows} rows"
    for name in ("mapping", "weights") if mapping is not None else ("weights", "embeddings"):
        if name in tensors and len(tensors[name]) < tokens:
            yield f"{len(tensors[name])} {name} for {tokens} tokens in tokenizer.json"


def _normalizes(path: Path) -> bool:
    """Whether the model scales vectors to length 1, as config.json or modules.json beside it say."""
    for name in ("config.json", "modules.json"):
        for folder in (path.parent, path.parent.parent) if path.parent.name[:2] == "0_" else (path.parent,):
            try:
                content = json.loads(opened("part", folder / name).read_text(encoding="utf-8"))
            except FileNotFoundError:
                continue
            except (OSError, ValueError, RecursionError) as error:
                raise VectorsError(f"{folder / name}: cannot be read as JSON ({error}). {_AGAIN}") from error
            if isinstance(content, dict) and content.get("normalize") is True:
                return True
            if isinstance(content, list) and any("Normalize" in str(each) for each in content):
                return True
    return False
