"""All readers, each with small files that it can read."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import testgen
from evaluator import convert, load_vectors, read_results, read_testset
from evaluator.errors import EvaluatorError
from evaluator.text.corpus import Corpus
from evaluator.vectors import Vectors
from testgen.errors import TestgenError
from testgen.exports.huggingface import export_huggingface
from testgen.queries import read_query
from testgen.snapshots.importers.cldf import read_cldf
from testgen.snapshots.importers.openfoodfacts import read_openfoodfacts
from testgen.snapshots.importers.wiktextract import read_wiktextract
from testgen.snapshots.importers.wordnet import read_wordnet
from testgen.sources import RdfSource
from tests.evaluator.datasets.test_formats import KNOWN
from tests.evaluator.datasets.test_testset import GOLDEN
from tests.evaluator.results import samples
from tests.evaluator.vectors import fasttext_files, test_floret, test_spacy, vector_files
from tests.testgen.conftest import TURTLE
from tests.testgen.exports import made
from tests.testgen.snapshots.importers import test_cldf, test_openfoodfacts, test_wiktextract, test_wordnet

WORDS = ["rex", "regina", "Ποσειδῶν", "x"]
MATRIX = np.array([[0.1, -2e-7, 3], [4, 5.5, -6], [1e30, 0, 1e-40], [7, 8, 9]], dtype=np.float32)
EXPORTED = made.content(
    "la",
    [made.section("bird", ["aquila", "corvus"]), made.section("bird/Q1", ["corvus"], level=1, within="bird")],
    [made.section("of", ["a", "b"], pairs=[{"item": "Qof-a", "of": "Qof-b"}])],
)
QUERIES = testgen.choose(["country", "noun-plural"])


@dataclass(frozen=True)
class Reader:
    """A reader, and a file that it reads.

    Attributes:
        path: The file that is changed; others may stand beside it.
        read: Reads it.
        error: What it may raise.
    """

    path: Path
    read: Callable[[], object]
    error: type[Exception]


def _vectors(path: Path, **options: object) -> None:
    for bad_rows in ("refuse", "drop"):
        found = load_vectors(path, bad_rows=bad_rows, **options)
        assert found.matrix.shape == (len(found.words), found.dimension)
        assert np.isfinite(found.matrix).all()
        assert len(set(found.words)) == len(found.words)


def _vectors_files(folder: Path) -> Iterator[tuple[str, Path, Callable[[], object]]]:
    contents = {
        "word2vec-text": vector_files.text(WORDS, MATRIX),
        "word2vec-binary": vector_files.binary(WORDS, MATRIX, newlines=True),
        "word2vec-binary-alike": vector_files.binary(
            WORDS, MATRIX[[1, 3, 1, 3]]
        ),  # so that rows can be dropped
        "word2vec-text.gz": gzip.compress(vector_files.text(WORDS, MATRIX), mtime=0),
        "glove": vector_files.text(WORDS, MATRIX, header=False),
    }
    for name, content in contents.items():
        path = folder / name
        path.write_bytes(content)
        yield name, path, partial(_vectors, path)
    np.save(folder / "some.npy", MATRIX)
    (folder / "some.txt").write_text("\n".join(WORDS), encoding="utf-8")
    yield "npy", folder / "some.npy", partial(_vectors, folder / "some.npy")
    yield "npy-words", folder / "some.txt", partial(_vectors, folder / "some.npy")
    np.savez(folder / "some.npz", vocab=np.array(WORDS), vectors=MATRIX)
    yield "npz", folder / "some.npz", partial(_vectors, folder / "some.npz")
    convert(Vectors(WORDS, MATRIX, "some.vec"), folder / "some.safetensors")
    yield "safetensors", folder / "some.safetensors", partial(_vectors, folder / "some.safetensors")
    path = fasttext_files.write(folder / "some.bin", WORDS, np.vstack([MATRIX, MATRIX]))
    yield "fasttext", path, partial(_vectors, path)
    yield from _floret(folder)
    for config in (test_spacy.CONFIG, test_spacy.FLORET):
        pipeline = test_spacy.save(folder / config["mode"], test_spacy.ROWS, config=config)
        for part in ("key2row", "vectors", "vectors.cfg", "strings.json"):
            read = partial(_vectors, pipeline, vocabulary=WORDS)
            yield f"spacy-{config['mode']}-{part}", pipeline / "vocab" / part, read
    yield from _gensim(folder)


def _floret(folder: Path) -> Iterator[tuple[str, Path, Callable[[], object]]]:
    """Models of both modes, and a table, which has vectors for any words."""
    rows = np.vstack([MATRIX, MATRIX])
    path = fasttext_files.write(folder / "floret-words.bin", WORDS, rows, floret=(1, 1))
    yield "floret-fasttext-mode", path, partial(_vectors, path)
    path = fasttext_files.write(folder / "floret.bin", WORDS, rows, floret=(2, 2))
    yield "floret-bin", path, partial(_vectors, path, vocabulary=WORDS)
    path = test_floret.save(folder)
    yield "floret-table", path, partial(_vectors, path, vocabulary=WORDS)


def _gensim(folder: Path) -> Iterator[tuple[str, Path, Callable[[], object]]]:
    """A pickle, as gensim itself saves it; none where gensim does not exist."""
    if find_spec("gensim") is None:
        return
    from gensim.models import KeyedVectors

    model = KeyedVectors(MATRIX.shape[1])
    model.add_vectors(WORDS, MATRIX)
    model.save(str(folder / "some.kv"))
    yield "gensim-kv", folder / "some.kv", partial(_vectors, folder / "some.kv")


def _static_models(folder: Path) -> Iterator[tuple[str, Path, Callable[[], object]]]:
    from tests.evaluator.vectors import test_static_models

    test_static_models.save(folder / "static")
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        yield f"static-model-{name}", folder / "static" / name, partial(_vectors, folder / "static")


def _data_sets(folder: Path) -> Iterator[tuple[str, Path, Callable[[], object]]]:
    def both(path: Path, language: str) -> None:
        for bad_rows in ("refuse", "drop"):
            read_testset(path, language=language, bad_rows=bad_rows)

    for number, (name, (files, *_)) in enumerate(KNOWN.items()):
        place = folder / f"set{number}"
        for file, content in files.items():
            path = place / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        whole = path if len(files) == 1 else place
        yield (
            f"data-set-{re.sub('[ ,]+', '-', name)}",
            path,
            partial(both, whole, "FRA" if "simlex" in name else "fr"),
        )
    path = folder / "testset.json"
    path.write_bytes(GOLDEN.read_bytes())
    yield "testset", path, partial(both, path, "ru")


def _other_files(folder: Path) -> Iterator[tuple[str, Path, Callable[[], object]]]:
    corpus = folder / "corpus.txt"
    corpus.write_text("arma virumque cano\n" * 3, encoding="utf-8")
    yield "corpus", corpus, lambda: list(Corpus((corpus,), "la").sentences())
    for name, sample in samples.SAMPLES.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(sample() if callable(sample) else sample), encoding="utf-8")
        yield f"results-{name}", path, partial(read_results, path)


def _table(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def _of_testgen(folder: Path) -> Iterator[tuple[str, Path, Callable[[], object]]]:
    turtle = _table(folder, "small.ttl", TURTLE.encode())
    zipped = _table(folder, "zipped.ttl.gz", gzip.compress(TURTLE.encode(), mtime=0))
    for name, path in (("snapshot", turtle), ("snapshot.gz", zipped)):
        yield name, path, partial(_read_snapshot, path)
    query = _table(folder, "own.rq", QUERIES[0].text.encode())
    yield "query", query, partial(read_query, query)
    yield from _imported(folder)
    test_set = _table(folder, "export.json", json.dumps(EXPORTED).encode())
    yield "export", test_set, lambda: export_huggingface([test_set], folder / "export", force=True)


def _read_snapshot(path: Path) -> None:
    source = RdfSource(path)
    answer = source.answer(QUERIES[0])
    list(source.names(answer.unnamed))


def _imported(folder: Path) -> Iterator[tuple[str, Path, Callable[[], object]]]:
    foods = _table(folder, "ingredients.txt", test_openfoodfacts.TAXONOMY.encode())
    yield "openfoodfacts", foods, lambda: read_openfoodfacts([foods])
    english = _table(folder, "data.noun", test_wordnet.DATA_NOUN.encode())
    latin = _table(folder, "wn-wikt-lat.tab", test_wordnet.LATIN.encode())
    lmf = _table(folder, "english.xml", test_wordnet.LMF.format("omw-en-").encode())
    zipped = _table(folder, "wn-wikt-lat.tab.gz", gzip.compress(test_wordnet.LATIN.encode(), mtime=0))
    yield "wordnet-tab.gz", zipped, lambda: read_wordnet([zipped], [english])
    lmf_zipped = _table(folder, "english.xml.gz", gzip.compress(lmf.read_bytes(), mtime=0))
    yield "wordnet-lmf.gz", lmf_zipped, lambda: read_wordnet([latin], [lmf_zipped])
    yield "wordnet-english", english, lambda: read_wordnet([latin], [english])
    yield "wordnet-tab", latin, lambda: read_wordnet([latin], [english])
    yield "wordnet-lmf", lmf, lambda: read_wordnet([latin], [lmf])
    entries = [json.dumps(each).encode() for each in (test_wiktextract.DOG, test_wiktextract.EQUUS)]
    words = _table(folder, "words.jsonl", b"\n".join(entries))
    yield "wiktextract", words, lambda: read_wiktextract([words])
    for name, content in test_cldf.FILES.items():
        _table(folder, name, content.encode())
    tables = [
        {
            "dc:conformsTo": f"{test_cldf.TERMS}{kind}Table",
            "url": url,
            "tableSchema": {
                "columns": [
                    {"name": own, "propertyUrl": test_cldf.TERMS + term} for own, term in columns.items()
                ]
            },
        }
        for kind, (url, columns) in test_cldf.TABLES.items()
    ]
    content = {"dc:title": "Made up", "dc:license": "CC0", "tables": tables}
    metadata = _table(folder, "cldf-metadata.json", json.dumps(content).encode())
    yield "cldf", metadata, lambda: read_cldf(metadata)
    for name in test_cldf.FILES:
        yield f"cldf-{name}", folder / name, lambda: read_cldf(metadata)


def readers(folder: Path) -> dict[str, Reader]:
    """All readers by name, with their files in a folder."""
    found = {}
    for error, files in (
        (EvaluatorError, (_vectors_files, _static_models, _data_sets, _other_files)),
        (TestgenError, (_of_testgen,)),
    ):
        for each in files:
            for name, path, read in each(folder):
                found[name] = Reader(path, read, error)
    return found
