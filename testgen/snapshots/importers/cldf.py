"""Word lists in the Cross-Linguistic Data Formats (CLDF): NorthEuraLex, IDS and others.

The metadata (JSON) names the tables (CSV) and, by the terms of CLDF, their columns. Concepts have ids of
Concepticon, whose own table says to which semantic field each belongs ("Motion"), and of which kind it is.

Forkel et al. (2018), Cross-Linguistic Data Formats. List et al. (2016), Concepticon.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from testgen.errors import SourceError
from testgen.snapshots.importers.content import Imported, categories, concepticon_items, semantic_fields
from testgen.snapshots.importers.csvw import Metadata, Table, read_metadata, rows_of_table
from testgen.snapshots.importers.transcriptions import (
    ALTERNATIVES,
    TRANSCRIPTIONS,
    Written,
    words_as_spelled,
)
from testgen.snapshots.importers.varieties import Variety, codes_of

_PREFIX = "concepticon"
_CONCEPTICON = ("ID", "SEMANTICFIELD", "ONTOLOGICAL_CATEGORY")
_REPLACEMENT = "REPLACEMENT_ID"
_SPELLING, _NATIVE = "Orthography", "native_script"
_TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"


def read_cldf(metadata: Path, column: str | None = None, concepticon: Path | None = None) -> Imported:
    """Read the words of a word list, and their categories; with Concepticon's table, also by field."""
    # The column is `Orthography`, else `native_script` for each language of which most words have it, else
    # the forms themselves, or where these are phonetic transcriptions, values that are spelled.
    dataset = read_metadata(metadata)
    languages, parameters, forms = (
        _table(metadata, dataset, kind) for kind in ("Language", "Parameter", "Form")
    )
    if forms is None or parameters is None:
        raise SourceError(f"{metadata}: {_other_kind(dataset, forms)}")
    license_ = str(dataset.license or "no licence stated")
    tables = [parameters, forms, *([languages] if languages else [])]
    files = dict.fromkeys((metadata, *(each.path for each in tables)))
    found = Imported(str(dataset.title or metadata.parent.name), license_, files)
    table = (
        []
        if concepticon is None
        else list(rows_of_table(concepticon, _CONCEPTICON, delimiter="\t", optional=[_REPLACEMENT]))
    )
    current = {concept: replacement for concept, _, _, replacement in table if replacement}
    concepts = _concepts(parameters, current)
    _add_words(forms, column, _codes(languages, forms, found), concepts, found)
    for each in tables:
        for line in each.comments:
            found.ignore(each.path, line)
    for category in categories().values():
        found.members[category] = {_item_id(current.get(each, each)) for each in category.concepticon}
    if concepticon is not None:
        found.files[concepticon] = "Concepticon, CC BY 4.0"
    for concept, field, kind, _ in table:
        if of_field := semantic_fields().get((field, kind)):
            found.members.setdefault(of_field, set()).add(_item_id(current.get(concept, concept)))
    return found


def _other_kind(dataset: Metadata, forms: Table | None) -> str:
    """What a data set is that is no word list with concepts."""
    kind = str(dataset.conforms_to or "").rpartition("#")[2]
    if forms is None:
        of_kind = f"a CLDF {kind}" if kind not in ("", "Wordlist") else "not the metadata of a word list"
        return f"{of_kind}: it names no FormTable, so there are no words of concepts in it"
    return "it names no ParameterTable, so no concept has an id of Concepticon"


def _item_id(concept: str) -> str:
    return concepticon_items().get(concept) or f"{_PREFIX}:{concept}"


def _concepts(parameters: Table, current: Mapping[str, str]) -> dict[str, str]:
    """The id of Concepticon of each concept that has one; a retired id is the one that replaced it."""
    reference = parameters.column(_TERMS + "concepticonReference")
    rows = parameters.rows(_required(parameters, "id"), reference)
    found = {id_: current.get(concept, concept) for (id_, *_), (concept, *_) in filter(all, rows)}
    found = {id_: concept for id_, concept in found.items() if concept.isdigit()}
    if not found:
        raise SourceError(
            f"{parameters.path}: no concept has an id of Concepticon (a column for concepticonReference), by "
            "which testgen knows what the words mean"
        )
    return found


def _required(table: Table, term: str) -> str:
    """The name of the column with a term of CLDF."""
    if name := table.column(_TERMS + term):
        return name
    raise SourceError(f"{table.path}: the metadata name no column for {term}")


def _codes(table: Table | None, forms: Table, found: Imported) -> dict[str, str]:
    """The code of each language, as its row has it; without a table of languages, as forms name it."""
    if table is None:
        rows = forms.rows(_required(forms, "languageReference"))
        varieties = [Variety.named(each) for each in dict.fromkeys(id_ for (ids,) in rows for id_ in ids)]
    else:
        terms = ("iso639P3code", "name", "glottocode")
        columns = [_required(table, "id"), *(table.column(_TERMS + term) for term in terms)]
        varieties = [Variety(*("".join(each[:1]) for each in row)) for row in table.rows(*columns)]
    codes, found.private_codes = codes_of(varieties)
    return codes


def _add_words(
    forms: Table,
    column: str | None,
    codes: Mapping[str, str],
    concepts: Mapping[str, str],
    found: Imported,
) -> None:
    rows = _rows(forms, column, codes, found)
    if not rows:
        raise SourceError(f"{forms.path}: has no forms")
    have = Counter(language for languages, _, _, in_script in rows if in_script for language in languages)
    every = Counter(language for languages, *_ in rows for language in languages)
    for languages, ids, in_list, in_script in rows:
        for language in languages:
            code = codes.get(language)
            if code is None:
                found.unknown_languages.add(language)
                continue
            is_native = 2 * have[language] > every[language]
            of_row = in_script if is_native else in_list
            if in_list and not of_row:  # other words of the language are in its own script
                found.left_out[f"form without {_NATIVE}"] += 1
            for concept in filter(None, map(concepts.get, ids)):
                found.add(_item_id(concept), code, map(str.strip, of_row))


_Row = tuple[list[str], list[str], list[str], list[str]]
"""Languages, concepts, and words: in the list's own spelling, and in the native script."""


def _rows(forms: Table, column: str | None, codes: Mapping[str, str], found: Imported) -> list[_Row]:
    if column is not None and column not in forms.names:
        raise SourceError(f"{forms.path}: no column {column!r}; the columns are {', '.join(forms.names)}")
    words = column or (_SPELLING if _SPELLING in forms.names else _required(forms, "form"))
    native = words if column or words == _SPELLING or _NATIVE not in forms.names else _NATIVE
    references = _required(forms, "languageReference"), _required(forms, "parameterReference")
    if column or words == _SPELLING:
        return [(of, ids, word, word) for of, ids, word in forms.rows(*references, words) if of]
    others = [forms.column(_TERMS + "value"), ALTERNATIVES, TRANSCRIPTIONS]
    others = [name if name in forms.names else "" for name in others]
    named = (*references, words, native, *others)
    rows = [row for row in forms.rows(*named, optional=others) if row[0]]
    of_language: dict[str, dict[int, Written]] = {}
    for number, (of, _, form, _, value, more, kinds) in enumerate(rows):
        of_language.setdefault(of[0], {})[number] = Written(
            "".join(form[:1]), "".join(value[:1]), more, kinds
        )
    spelled: dict[int, str] = {}
    for language, own in of_language.items():
        code, written = codes.get(language), [*own.values()]
        if code and (chosen := words_as_spelled(written, code)) != [each.form for each in written]:
            found.of_values.add(code)
            spelled |= zip(own, chosen, strict=True)
    made: list[_Row] = []
    for number, (of, ids, form, in_script, *_) in enumerate(rows):
        word = [spelled[number]] if number in spelled else form
        made.append((of, ids, word, word if native == words else in_script))
    return made


def _table(metadata: Path, dataset: Metadata, kind: str) -> Table | None:
    """The table of a kind, if there is one."""
    of_kind = [each for each in dataset.tables if each.conforms_to == f"{_TERMS}{kind}Table"]
    if len(of_kind) > 1:
        names = " and ".join(each.url for each in of_kind)
        raise SourceError(f"{metadata}: {names} are both called the {kind}Table; leave one")
    return Table(metadata, dataset, of_kind[0]) if of_kind else None
