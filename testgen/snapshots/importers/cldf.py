"""Word lists in the Cross-Linguistic Data Formats (CLDF): NorthEuraLex, IDS and others.

The metadata (JSON) names the tables (CSV) and, by the terms of CLDF, their columns. Concepts have ids of
Concepticon, whose own table says to which semantic field each belongs ("Motion"), and of which kind it is.

Forkel et al. (2018), Cross-Linguistic Data Formats. List et al. (2016), Concepticon.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import regex

from testgen.errors import SourceError
from testgen.languages.codes import from_iso639_3, languages
from testgen.snapshots.importers.content import (
    Imported,
    categories,
    concepticon_items,
    lines_of,
    semantic_fields,
)
from testgen.snapshots.importers.transcriptions import (
    ALTERNATIVES,
    TRANSCRIPTIONS,
    Written,
    words_as_spelled,
)

_PREFIX = "concepticon"
_CONCEPTICON = ("ID", "SEMANTICFIELD", "ONTOLOGICAL_CATEGORY")
_SPELLING, _NATIVE = "Orthography", "native_script"
_SUBTAG = regex.compile(r"[a-z0-9]{1,8}")  # of BCP 47
_TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"


def read_cldf(metadata: Path, column: str | None = None, concepticon: Path | None = None) -> Imported:
    """Read the words of a word list, and their categories; with Concepticon's table, also by field."""
    # The column is `Orthography`, else `native_script` for each language of which most words have it, else
    # the forms themselves, or where these are phonetic transcriptions, values that are spelled.
    dataset = _metadata(metadata)
    tables = {kind: _Table(metadata, dataset, kind) for kind in ("Language", "Parameter", "Form")}
    license_ = str(dataset.get("dc:license") or "no licence stated")
    files = dict.fromkeys((metadata, *(table.path for table in tables.values())))
    found = Imported(str(dataset.get("dc:title") or metadata.parent.name), license_, files)
    codes = _codes(tables["Language"], found)
    parameters = tables["Parameter"]
    rows = parameters.rows(parameters.column("id"), parameters.column("concepticonReference"))
    concepts = {row[0]: row[1] for row in rows}
    _add_words(tables["Form"], column, codes, concepts, found)
    for category in categories().values():
        found.members[category] = set(map(_item_id, category.concepticon))
    if concepticon is not None:
        found.files[concepticon] = "Concepticon, CC BY 4.0"
        for concept, field, kind in _read_table(concepticon, _CONCEPTICON, "\t"):
            if of_field := semantic_fields().get((field, kind)):
                found.members.setdefault(of_field, set()).add(_item_id(concept))
    return found


def _item_id(concept: str) -> str:
    return concepticon_items().get(concept) or f"{_PREFIX}:{concept}"


def _codes(table: _Table, found: Imported) -> dict[str, str]:
    """The code of each language: that of ISO 639-3 or of its English name, or a private one."""
    columns = [table.column("id"), table.column("iso639P3code")]
    columns += [table.column("name", columns[0]), table.column("glottocode", columns[0])]
    by_name = {language.name: language.code for language in languages().values() if not language.replaced_by}
    codes = {}
    for id_, iso, name, glottocode in table.rows(*columns):
        codes[id_] = from_iso639_3(iso) or by_name.get(name, "")
        if not codes[id_]:
            codes[id_] = "-".join(("mis-x", *_SUBTAG.findall((glottocode or iso or name).lower())))
            found.private_codes[codes[id_]] = name
    return codes


def _add_words(
    forms: _Table,
    column: str | None,
    codes: Mapping[str, str],
    concepts: Mapping[str, str],
    found: Imported,
) -> None:
    if column is not None and column not in forms.names:
        raise SourceError(f"{forms.path}: no column {column!r}; the columns are {', '.join(forms.names)}")
    words = column or (_SPELLING if _SPELLING in forms.names else forms.column("form"))
    native = words if column or words == _SPELLING or _NATIVE not in forms.names else _NATIVE
    references = forms.column("languageReference"), forms.column("parameterReference")
    rows = list(forms.rows(*references, words, native))
    if words == forms.column("form") and not column:
        rows = _spelled(forms, rows, codes, found)
    have = Counter(language for language, _, _, in_script in rows if in_script.strip())
    every = Counter(language for language, *_ in rows)
    for language, concept, word, in_script in rows:
        code, concept_id = codes.get(language), concepts.get(concept, "")
        if code is None:
            found.unknown_languages.add(language)
        elif concept_id.isdigit():
            is_native = 2 * have[language] > every[language]
            found.add(_item_id(concept_id), code, [(in_script if is_native else word).strip()])


def _spelled(
    forms: _Table, rows: Sequence[tuple[str, ...]], codes: Mapping[str, str], found: Imported
) -> list[tuple[str, ...]]:
    """The rows with words as they are spelled, in languages of which the forms are phonetic."""
    value = forms.column("value", "")
    named = [name for name in (value, ALTERNATIVES, TRANSCRIPTIONS) if name in forms.names]
    of_language: dict[str, dict[int, Written]] = {}
    for number, (row, cells) in enumerate(zip(rows, forms.rows(*named, required=False), strict=True)):
        cell = dict(zip(named, cells, strict=True))
        lists = (cell.get(name, "").split(";") for name in (ALTERNATIVES, TRANSCRIPTIONS))
        alternatives, kinds = (list(filter(None, each)) for each in lists)
        form = Written(row[2], cell.get(value, ""), alternatives, kinds)
        of_language.setdefault(row[0], {})[number] = form
    words: dict[int, str] = {}
    for language, own in of_language.items():
        code = codes.get(language)
        spelled = words_as_spelled([*own.values()], code) if code else [each.form for each in own.values()]
        words |= zip(own, spelled, strict=True)
        if code and spelled != [each.form for each in own.values()]:
            found.of_values.add(code)
    return [
        (*row[:2], words[number], words[number] if row[3] == row[2] else row[3])
        for number, row in enumerate(rows)
    ]


def _metadata(path: Path) -> dict[str, Any]:
    try:
        dataset = json.loads("\n".join(lines_of(path)))
        json.dumps(dataset, ensure_ascii=False).encode()  # escapes of half characters cannot be written
    except ValueError as error:
        raise SourceError(f"{path}: not JSON: {error}; give the metadata file of a CLDF word list") from error
    if not isinstance(dataset, dict) or not isinstance(dataset.get("tables"), list):
        raise SourceError(f"{path}: not the metadata of a CLDF word list: it names no tables")
    return dataset


class _Table:
    def __init__(self, metadata: Path, dataset: Mapping[str, Any], kind: str) -> None:
        of_kind = f"{_TERMS}{kind}Table"
        try:
            (table,) = (each for each in dataset["tables"] if each.get("dc:conformsTo") == of_kind)
            self.path = metadata.parent / str(table["url"])
            columns = table["tableSchema"]["columns"]
            self.names = [str(each["name"]) for each in columns]
            self._by_term = {str(each.get("propertyUrl")): str(each["name"]) for each in columns}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SourceError(
                f"{metadata}: not the metadata of a CLDF word list: it names no {kind}Table, or no columns"
            ) from error

    def column(self, term: str, other: str | None = None) -> str:
        """The name of the column with a term of CLDF, else another one."""
        name = self._by_term.get(_TERMS + term, other)
        if name is None:
            raise SourceError(f"{self.path}: the metadata names no column for {term}")
        return name

    def rows(self, *columns: str, required: bool = True) -> Iterator[tuple[str, ...]]:
        yield from _read_table(self.path, columns, required=required)


def _read_table(
    path: Path, columns: Sequence[str], delimiter: str = ",", *, required: bool = True
) -> Iterator[tuple[str, ...]]:
    lines = (f"{line}\n" for line in lines_of(path))
    reader = csv.DictReader(lines, restval="", delimiter=delimiter)
    try:
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing and required:
            raise SourceError(f"{path}: lacks the columns {', '.join(missing)}, which such a table has")
        yield from (tuple(row.get(name, "") for name in columns) for row in reader)
    except csv.Error as error:
        at = f"{path}, line {reader.line_num + 1}"
        raise SourceError(f"{at}: not CSV: {error}; write it again, with line ends as in Unix") from error
