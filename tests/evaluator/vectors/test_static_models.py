from __future__ import annotations

import json
import random
from contextlib import suppress

import numpy as np
import pytest
from safetensors.numpy import save_file

from evaluator.errors import ExtraError, VectorsError
from evaluator.vectors import load_vectors

tokenizers = pytest.importorskip("tokenizers", reason="needs the extra [models]")

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "rex", "reg", "##ina", "dux", "ro", "##ma", "pax", ".", "a", "##mor"]
WORDS = ["rex", "regina", "dux", "roma", "pax", "amor", "Rex", "a.", "Ποσειδῶν", "rexΠ"]


def tokenizer():
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({token: n for n, token in enumerate(TOKENS)}, unk_token="[UNK]")  # noqa: S106
    )
    made.normalizer = tokenizers.normalizers.BertNormalizer()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.decoder = tokenizers.decoders.WordPiece()
    made.add_special_tokens(["[PAD]", "[UNK]", "[CLS]"])
    made.enable_truncation(1)
    made.enable_padding(length=9)
    return made


def table(rows=13):
    return np.random.default_rng(3).normal(size=(rows, 4)).astype(np.float32)


def save(folder, tensors=None, **config):
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"embeddings": table()} if tensors is None else tensors, folder / "model.safetensors")
    tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_a_word_is_the_mean_of_its_tokens(tmp_path):
    vectors = load_vectors(save(tmp_path / "model"))
    rows = table()
    assert vectors.name == "model"
    assert list(vectors.words) == ["rex", "reg", "dux", "ro", "pax", ".", "a"]
    assert vectors.candidates == ""
    assert vectors.matrix.tolist() == rows[[3, 4, 6, 7, 9, 10, 11]].tolist()
    assert vectors.subword("regina") == pytest.approx((rows[4] + rows[5]) / 2)
    assert vectors.subword("Ποσειδῶν") is None
    assert vectors.subword("rex Π") == pytest.approx(rows[3])


def test_the_file_itself_can_be_named(tmp_path):
    path = save(tmp_path) / "model.safetensors"
    assert load_vectors(path).words == load_vectors(tmp_path).words
    assert load_vectors(path, format="static-model", limit=2).words == ["rex", "reg"]


def test_mapping_and_weights_are_honoured(tmp_path):
    mapping = np.arange(len(TOKENS)) % 3
    weights = np.linspace(0.1, 1, len(TOKENS), dtype=np.float32)
    vectors = load_vectors(
        save(tmp_path, {"embeddings": table(3), "mapping": mapping, "weights": weights}, normalize=True)
    )
    mean = (table(3)[mapping[4]] * weights[4] + table(3)[mapping[5]] * weights[5]) / 2
    assert vectors.subword("regina") == pytest.approx(mean / np.linalg.norm(mean), rel=1e-6)


def test_a_vocabulary_of_words_that_the_model_knows(tmp_path):
    (tmp_path / "words.txt").write_text("roma\t12\nΠ\t9\n\nregina\t7\nroma\t1\n", encoding="utf-8")
    vectors = load_vectors(save(tmp_path / "model"), vocabulary=tmp_path / "words.txt")
    assert list(vectors.words) == ["roma", "regina"]
    assert vectors.candidates.startswith("words.txt#")
    with pytest.raises(VectorsError, match="none"):
        load_vectors(tmp_path / "model", vocabulary=["Π"])


def test_sentence_transformers_folders(tmp_path):
    nested = save(tmp_path / "0_StaticEmbedding", {"embedding.weight": table()})
    (nested / "config.json").unlink()
    plain = load_vectors(tmp_path, vocabulary=WORDS)
    modules = [{"type": "sentence_transformers.models.Normalize", "path": "1_Normalize"}]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    unit = load_vectors(tmp_path, vocabulary=WORDS)
    assert plain.matrix[0].tolist() == table()[3].tolist()
    assert np.linalg.norm(unit.matrix, axis=1) == pytest.approx(1)


@pytest.mark.parametrize("kind", ["plain", "normalized", "mapped", "float16", "int8"])
def test_vectors_are_those_of_model2vec(tmp_path, kind):
    model2vec = pytest.importorskip("model2vec", reason="compares with model2vec, which is not installed")
    rows, more = table(), {"normalize": kind == "normalized"}
    if kind == "mapped":
        rows = table(5)
        more |= {"token_mapping": np.arange(len(TOKENS)) % 5, "weights": np.linspace(0, 2, len(TOKENS))}
    if kind in {"float16", "int8"}:
        rows = (20 * rows).astype(kind)
    model = model2vec.StaticModel(rows, tokenizer(), max_length=512, **more)
    model.save_pretrained(tmp_path)
    vectors = load_vectors(tmp_path, vocabulary=["rex"])
    expected = model.encode(WORDS)
    found = [vectors.subword(word) for word in WORDS]
    assert [each is None for each in found] == [not row.any() for row in expected]
    found = np.array([np.zeros(4) if each is None else each for each in found])
    assert found == pytest.approx(expected, rel=2e-3 if kind == "float16" else 1e-6)


# The library wants a token for each letter, and fails at a word with another.
UNIGRAMS = [("rex", -1.0), ("reg", -2.0), ("ina", -2.0), *((letter, -9.0) for letter in "rexgina")]
WITHOUT_UNKNOWN = {
    "WordLevel": lambda: tokenizers.models.WordLevel({"rex": 0, "reg": 1, "ina": 2, "dux": 3, "a": 4}),
    "Unigram": lambda: tokenizers.models.Unigram(UNIGRAMS, None, False),
    "BPE": lambda: tokenizers.models.BPE(
        {"r": 0, "e": 1, "x": 2, "re": 3, "rex": 4}, [("r", "e"), ("re", "x")]
    ),
}


@pytest.mark.parametrize("kind", WITHOUT_UNKNOWN)
def test_a_tokenizer_without_an_unknown_token(tmp_path, kind):
    """A word that it does not know is out of vocabulary; the others are encoded."""
    save(tmp_path, {"embeddings": table(10)})
    made = tokenizers.Tokenizer(WITHOUT_UNKNOWN[kind]())
    made.save(str(tmp_path / "tokenizer.json"))
    vectors = load_vectors(tmp_path)
    assert "rex" in vectors.words
    rows = dict(zip(vectors.words, vectors.matrix, strict=True))
    assert vectors.subword("rex").tolist() == rows["rex"].tolist()
    assert vectors.subword("novus") is None
    assert (vectors.subword("regina") is None) == (kind == "WordLevel")
    vectors.subword.prepare(["rex", "novus", "Ω"])
    assert vectors.subword("novus") is None
    chosen = load_vectors(tmp_path, vocabulary=["novus", "rex"])
    assert list(chosen.words) == ["rex"]


def short(name, length):
    return {"embeddings": table(), name: np.zeros(length, np.int64 if name == "mapping" else np.float32)}


DAMAGED = {
    "a row too few": ({"embeddings": table(len(TOKENS) - 1)}, "12 embeddings for 13 tokens"),
    "a mapping beyond": (
        {"embeddings": table(3), "mapping": np.full(len(TOKENS), 3)},
        "leads to row 3, but the embeddings have 3 rows",
    ),
    "a mapping before": ({"embeddings": table(3), "mapping": np.full(len(TOKENS), -1)}, "row -1"),
    "a short mapping": (short("mapping", 12), "12 mapping for 13 tokens"),
    "short weights": (short("weights", 5), "5 weights for 13 tokens"),
    "weights of NaN": (
        {"embeddings": table(), "weights": np.full(len(TOKENS), np.nan, np.float32)},
        "NaN or infinity",
    ),
    "weights of two axes": (
        {"embeddings": table(), "weights": table()},
        r"weights is float32 of shape \(13, 4\)",
    ),
    "a mapping of fractions": ({"embeddings": table(), "mapping": table()[0]}, "mapping is float32"),
    "embeddings of one axis": ({"embeddings": table()[0]}, r"embeddings is float32 of shape \(4,\)"),
    "a transformer": ({"embeddings.word_embeddings.weight": table()}, "module:function"),
    "NaN": ({"embeddings": np.full((13, 4), np.nan, np.float32)}, "row 1, word 'rex': number 1 of 4 is NaN"),
    "zeros": ({"embeddings": np.zeros((13, 4), np.float32)}, "row 1, word 'rex': all numbers are zero"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_parts_that_do_not_fit(tmp_path, kind):
    tensors, problem = DAMAGED[kind]
    with pytest.raises(VectorsError, match=problem):
        load_vectors(save(tmp_path, tensors))


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("tokenizer.json", None, "not beside it"),
        ("tokenizer.json", b"{}", "not a tokenizer"),
        ("tokenizer.json", b"\xff\xfe", "not a tokenizer"),
        ("config.json", b"{", "cannot be read as JSON"),
        ("model.safetensors", b"", "is empty"),
    ],
)
def test_damaged_files(tmp_path, name, content, problem):
    save(tmp_path)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(VectorsError, match=problem):
        load_vectors(tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_any_damage_gives_a_message(tmp_path, name):
    """A byte changed, or the file cut off: the model is refused, or read as something that makes sense."""
    whole = (save(tmp_path) / name).read_bytes()
    generator = random.Random(name)
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[generator.randrange(len(whole) if name != "model.safetensors" else 200)] = (
            generator.randrange(256)
        )
        (tmp_path / name).write_bytes(
            damaged[: generator.choice([len(whole), generator.randrange(len(whole))])]
        )
        with suppress(VectorsError):
            load_vectors(tmp_path)


def test_half_precision_of_other_kinds_is_told(tmp_path):
    header = {"embeddings": {"dtype": "BF16", "shape": [13, 4], "data_offsets": [0, 104]}}
    raw = json.dumps(header).encode()
    save(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(104))
    with pytest.raises(VectorsError, match="float32"):
        load_vectors(tmp_path)


def test_without_the_library(tmp_path, monkeypatch):
    save(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(ExtraError, match=r"testgen-evaluator\[models\]"):
        load_vectors(tmp_path)
