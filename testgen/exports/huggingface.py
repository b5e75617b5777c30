"""Test sets as a data set for the Hugging Face hub: Parquet files, a card and Croissant metadata."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from testgen.exports.card import (
    DataSet,
    Summary,
    citation,
    license_pages,
    origins,
    prepared,
    tag_of,
    template,
    write_data_set,
)
from testgen.exports.questions import QuestionMaker
from testgen.labels.word_store import Origin
from testgen.testset.types import Section, TestSet
from testgen.testset.writing import read_test_sets

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


_CROISSANT, _EVALUATION = "croissant.json", "eval.yaml"
_MOST_QUESTIONS = 100  # for each category

_MEANINGS = {
    "categories": "an item of a category in a language, and its words",
    "levels": "an item of a class within a category, such as Romance languages within languages",
    "relations": "a pair: `item` is the capital of `of`",
    "groups": "a symbol, such as an emoji, and its words, which are related",
    "queries": "a category or relation, and the query that chose its items",
    "odd_one_out": "a question: which of four words does not belong with the others?",
    "neighbours": "a question: which of four words is nearest in meaning to another?",
}
_ODD_ONE_OUT = "Which of these words does not belong with the others?"
_QUESTIONS = ("odd_one_out", "neighbours")  # tables that are tasks for language models
_TERMS = """
annotation arrayShape citeAs column containedIn equivalentProperty excludes extract field fileObject
fileProperty fileSet format includes isArray isLiveDataset jsonPath key md5 parentField path readLines
recordSet references regex repeated replace samplingRate sdVersion separator source subField transform
unArchive value
"""
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: {"@container": "@language"} for term in ("name", "description")},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}


def export_huggingface(
    test_sets: str | Path | Iterable[str | Path], output: str | Path, *, force: bool = False
) -> pd.DataFrame:
    """Write test sets as a data set that `datasets.load_dataset` and the Hugging Face hub read.

    Args:
        test_sets: One or several files that testgen wrote, of different languages.
        output: The folder for the files; it is created if missing.
        force: Whether to overwrite files that testgen did not write.

    Returns:
        A row for each language: language, categories, words, relations, pairs. `attrs["deleted"]` are the
        names of files of an earlier export that were deleted.

    Raises:
        TestSetError: A file is no test set.
        OutputError: The folder cannot be written to, or has such files that testgen did not write.
    """
    import pandas as pd

    folder, read = Path(output), read_test_sets(test_sets)
    tables = {name: table for name, table in _tables(read).items() if table.height}
    paths = {name: f"{name}.parquet" for name in tables}
    with prepared(folder, [*paths.values(), _CROISSANT, _EVALUATION], force=force):
        files = {}
        for name, table in tables.items():
            table.write_parquet(buffer := io.BytesIO())
            files[paths[name]] = buffer.getvalue()
        summaries = [Summary.of(test_set) for test_set in read]
        described = "".join(
            f"| `{name}` | {table.height:,} | {_MEANINGS[name]} | `{'`, `'.join(table.columns)}` |\n"
            for name, table in tables.items()
        )
        about = template("words.md").format(
            folder=folder.name,
            first=next(iter(tables)),
            language=read[0].language,
            origins=", ".join(f"`{origin}`" for origin in get_args(Origin)),
            tables=f"| configuration | rows | a row is | columns |\n|---|---:|---|---|\n{described}",
        )
        rows = sum(table.height for table in tables.values())
        splits = {name: {"test": path} for name, path in paths.items()}
        data = DataSet("Words by category", about, "feature-extraction", summaries, rows, splits)
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        fields = {paths[name]: dict(table.schema) for name, table in tables.items()}
        metadata = json.dumps(croissant(data, fields, digests), indent=1, ensure_ascii=False)
        frame = pd.DataFrame([{"language": summary.language, **summary.size} for summary in summaries])
        frame = frame.fillna(0).astype(dict.fromkeys(frame.columns[1:], int))
        files[_CROISSANT] = f"{metadata}\n".encode()
        if asked := [name for name in _QUESTIONS if name in tables]:
            files[_EVALUATION] = _evaluation(data, asked).encode()
        frame.attrs["deleted"] = write_data_set(folder, data, files)
    return frame


def _evaluation(data: DataSet, names: Iterable[str]) -> str:
    tasks = [
        {
            "id": name,
            "config": name,
            "split": "test",
            "field_spec": {
                "input": "question",
                "target": "answer",
                "choices": "options",
                "id": "id",
                "metadata": ["language", "named_in", "category", "topic", "word"],
            },
            "solvers": [{"name": "multiple_choice"}],
            "scorers": [{"name": "choice"}],
        }
        for name in names
    ]
    known = {"name": data.title, "evaluation_framework": "inspect-ai", "tasks": tasks}
    return json.dumps(known, indent=1, ensure_ascii=False) + "\n"  # JSON is YAML


def _tables(test_sets: Sequence[TestSet]) -> dict[str, pl.DataFrame]:
    import polars as pl

    text, texts = pl.String, pl.List(pl.String)
    head = {"language": text, "named_in": text, "name": text, "title": text, "topic": text}
    item = {"item": text, "words": texts, "origin": text}
    asked = ("id", "language", "named_in", "category", "topic", "word", "question")
    question = {**dict.fromkeys(asked, text), "options": texts, "answer": pl.Int64}
    schemas: dict[str, dict[str, Any]] = {
        "categories": {**head, **item},
        "levels": {**head, "level": pl.Int64, "within": text, "class": text, **item},
        "relations": {**head, "item": text, "of": text, "item_words": texts, "of_words": texts},
        "groups": {"language": text, "name": text, "title": text, "symbol": text, "words": texts},
        "queries": {"kind": text, "name": text, "title": text, "topic": text, "query": text, "sha256": text},
        "odd_one_out": question,
        "neighbours": question,
    }
    maker = QuestionMaker(test_sets, _MOST_QUESTIONS, 0)
    rows = {
        "categories": _items(test_sets, levels=False),
        "levels": _items(test_sets, levels=True),
        "relations": _pairs(test_sets),
        "groups": (
            (test_set.language, family.name, family.title, group.id, group.words)
            for test_set in test_sets
            for family in test_set.groups
            for group in family.items
        ),
        "queries": _queries(test_sets),
        "odd_one_out": (
            (*head, each.category, each.topic, "", _ODD_ONE_OUT, each.options, each.answer)
            for test_set in test_sets
            for each in maker.questions(test_set, 3)
            for head in [(each.id, each.language, each.named_in)]
        ),
        "neighbours": (each for test_set in test_sets for each in maker.neighbours(test_set)),
    }
    return {name: pl.DataFrame(list(rows[name]), schema, orient="row") for name, schema in schemas.items()}


def _head(test_set: TestSet, section: Section) -> tuple[str, ...]:
    language = test_set.language
    return language, section.named_in or language, section.name, section.title, section.topic


def _items(test_sets: Sequence[TestSet], *, levels: bool) -> Iterator[tuple[Any, ...]]:
    for test_set in test_sets:
        for section in test_set.categories:
            if bool(section.level) == levels:
                above = (section.level, section.within, section.class_id) if levels else ()
                head = (*_head(test_set, section), *above)
                yield from ((*head, item.id, item.words, item.origin) for item in section.items)


def _pairs(test_sets: Sequence[TestSet]) -> Iterator[tuple[Any, ...]]:
    for test_set in test_sets:
        for section in test_set.relations:
            words, head = {item.id: item.words for item in section.items}, _head(test_set, section)
            yield from (
                (*head, pair.item, pair.of, words[pair.item], words[pair.of]) for pair in section.pairs
            )


def _queries(test_sets: Sequence[TestSet]) -> list[tuple[str, ...]]:
    """Each query once; test sets from different sources may have different ones of the same name."""
    queries = (
        (kind, section.name, section.title, section.topic, section.query, section.sha256)
        for test_set in test_sets
        for kind, sections in (("category", test_set.categories), ("relation", test_set.relations))
        for section in sections
    )
    return sorted(set(queries))


def croissant(
    data: DataSet, columns: Mapping[str, Mapping[str, pl.DataType]], digests: Mapping[str, str]
) -> dict[str, Any]:
    """The metadata as JSON, from the type of each column by file, and the SHA-256 of the files."""
    dates = [each.date for each in origins(data.summaries) if each.date]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": data.title,
        "description": data.about.partition("\n\n")[0],
        **({"license": pages} if (pages := license_pages(data.summaries)) else {}),
        "creator": {"@type": "Organization", "name": f"testgen {version('testgen-evaluator')}"},
        "citeAs": citation(data.summaries),
        "version": "1.0.0",
        **({"datePublished": max(dates)} if dates else {}),
        "inLanguage": [tag_of(each.language) for each in data.summaries],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "contentUrl": file,
                "encodingFormat": "application/x-parquet",
                "sha256": digests[file],
            }
            for splits in data.files.values()
            for file in splits.values()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "field": [_field(name, file, column, kind) for column, kind in columns[file].items()],
            }
            for name, splits in data.files.items()
            for file in splits.values()
        ],
    }


def _field(name: str, file: str, column: str, kind: pl.DataType) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{name}/{column}",
        "name": column,
        "dataType": "sc:Integer" if kind.is_integer() else "sc:Text",
        "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
        **({"isArray": True, "arrayShape": "-1"} if kind.is_nested() else {}),
    }
