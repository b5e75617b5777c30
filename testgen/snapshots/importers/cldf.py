"""Word lists in the Cross-Linguistic Data Formats (CLDF): NorthEuraLex, IDS and others.

The metadata (JSON) names the tables and, by the terms of CLDF, their columns; the tables are CSV. Concepts
have ids of Concepticon, and languages codes of ISO 639-3.

Forkel et al. (2018), Cross-Linguistic Data Formats, advancing data sharing and re-use in comparative
linguistics.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from testgen.errors import SourceError
from testgen.languages.iso639 import from_iso639_3
from testgen.snapshots.importers.categories import categories
from testgen.snapshots.importers.content import Imported, lines_of

_PREFIX = "concepticon"
_TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"


def read_cldf(metadata: Path, column: str | None = None) -> Imported:
    """Read the words of a word list, and their categories.

    Args:
        metadata: The metadata file, such as `cldf-metadata.json`.
        column: The column of the words in the table of forms. If None, `Orthography` if there is one, else
            the forms themselves, which in some word lists are phonetic transcriptions.

    Raises:
        SourceError: A file cannot be read, or is not of such a word list.
    """
    dataset = _metadata(metadata)
    tables = {kind: _Table(metadata, dataset, kind) for kind in ("Language", "Parameter", "Form")}
    license_ = str(dataset.get("dc:license") or "no licence stated")
    found = Imported(str(dataset.get("dc:title") or metadata.parent.name), license_, {})
    for path in (metadata, *(table.path for table in tables.values())):
        found.files[path] = None
    languages = tables["Language"].mapping("id", "iso639P3code")
    concepts = tables["Parameter"].mapping("id", "concepticonReference")
    _add_words(tables["Form"], column, languages, concepts, found)
    for category in categories().values():
        found.members[category] = {f"{_PREFIX}:{concept}" for concept in category.concepticon}
    return found


def _add_words(
    forms: _Table,
    column: str | None,
    languages: Mapping[str, str],
    concepts: Mapping[str, str],
    found: Imported,
) -> None:
    words = forms.word_column(column)
    references = forms.column("languageReference"), forms.column("parameterReference")
    for language, concept, word in forms.rows(*references, words):
        iso, concept_id = languages.get(language, ""), concepts.get(concept, "")
        code = from_iso639_3(iso)
        if code is None:
            found.unknown_languages.add(iso or language)
        elif concept_id.isdigit():
            found.add(f"{_PREFIX}:{concept_id}", code, [word.strip()])


def _metadata(path: Path) -> dict[str, Any]:
    try:
        dataset = json.loads("\n".join(lines_of(path)))
    except ValueError as error:
        raise SourceError(f"{path}: not JSON: {error}; give the metadata file of a CLDF word list") from error
    if not isinstance(dataset, dict) or not isinstance(dataset.get("tables"), list):
        raise SourceError(f"{path}: not the metadata of a CLDF word list: it names no tables")
    return dataset


class _Table:
    """A table of a data set, and its columns by the terms of CLDF."""

    def __init__(self, metadata: Path, dataset: Mapping[str, Any], kind: str) -> None:
        of_kind = f"{_TERMS}{kind}Table"
        try:
            (table,) = (each for each in dataset["tables"] if each.get("dc:conformsTo") == of_kind)
            self.path = metadata.parent / str(table["url"])
            columns = table["tableSchema"]["columns"]
            self._names = [str(each["name"]) for each in columns]
            self._by_term = {str(each.get("propertyUrl")): str(each["name"]) for each in columns}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SourceError(
                f"{metadata}: not the metadata of a CLDF word list: it names no {kind}Table, or no columns"
            ) from error

    def column(self, term: str) -> str:
        """The name of the column with a term of CLDF."""
        try:
            return self._by_term[_TERMS + term]
        except KeyError:
            raise SourceError(f"{self.path}: the metadata names no column for {term}") from None

    def word_column(self, chosen: str | None) -> str:
        """The name of the column of the words."""
        if chosen is not None and chosen not in self._names:
            raise SourceError(f"{self.path}: no column {chosen!r}; the columns are {', '.join(self._names)}")
        return chosen or ("Orthography" if "Orthography" in self._names else self.column("form"))

    def mapping(self, key: str, value: str) -> dict[str, str]:
        """The values in the column of one term by those in the column of another."""
        return {row[0]: row[1] for row in self.rows(self.column(key), self.column(value))}

    def rows(self, *columns: str) -> Iterator[tuple[str, ...]]:
        """The values of some columns, row by row."""
        reader = csv.DictReader([f"{line}\n" for line in lines_of(self.path)], restval="")
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing:
            raise SourceError(
                f"{self.path}: lacks the columns {', '.join(missing)}, which its metadata names"
            )
        yield from (tuple(row[name] for name in columns) for row in reader)
