"""Croissant metadata: what is in the files of a data set, for programs (MLCommons Croissant 1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from testgen.exports.card import DataSet, citation, hub_license, origins, tag_of

if TYPE_CHECKING:
    import polars as pl

_TERMS = """
citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes
isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace
samplingRate separator source subField transform
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
    **{term: f"cr:{term}" for term in _TERMS.split()},
}


def croissant(
    data: DataSet, columns: Mapping[str, Mapping[str, pl.DataType]], digests: Mapping[str, str]
) -> dict[str, Any]:
    """The metadata as JSON, from the type of each column by file, and the SHA-256 of the files."""
    dates = [each.date for each in origins(data.summaries) if each.date]
    licence = hub_license(data.summaries)
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": data.title,
        "description": data.about.partition("\n\n")[0],
        "license": licence.get("license_name") or licence["license"],
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
            for file in data.files.values()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "field": [_field(name, file, column, kind) for column, kind in columns[file].items()],
            }
            for name, file in data.files.items()
        ],
    }


def _field(name: str, file: str, column: str, kind: pl.DataType) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{name}/{column}",
        "name": column,
        "dataType": "sc:Integer" if kind.is_integer() else "sc:Text",
        "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
        **({"repeated": True} if kind.is_nested() else {}),
    }
