"""Test sets as wordnets in WN-LMF 1.1: a lexicon for each language, whose synsets are items.

The format is the Global WordNet Association's (McCrae et al. 2021, The GlobalWordNet formats). An item's
Wikidata id is in the id of its synset and in `dc:identifier`. `ili` is empty: that index has ids of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import msgspec

from testgen.errors import TestSetError
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
from testgen.languages.codes import languages
from testgen.testset.types import Section, TestSet
from testgen.testset.writing import read_test_sets

if TYPE_CHECKING:
    import pandas as pd

_FILE = "wordnet.xml"
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">\n'
)
_DUBLIN_CORE = "https://globalwordnet.github.io/schemas/dc/"
_PART_OF_SPEECH = "u"  # unknown: names of items may be nouns, adjectives (colours) or numerals
_NO_NAME = re.compile(r"[^A-Za-z0-9-]")


def export_wn_lmf(
    test_sets: str | Path | Iterable[str | Path], output: str | Path, *, force: bool = False
) -> pd.DataFrame:
    """Write test sets as a file of wordnets.

    Words of another language, which stand in for those of a test set's, are left out, and so are groups of
    related words, which are of no item.

    Args:
        test_sets: One or several files that testgen wrote, of different languages.
        output: The folder for the file and its card; it is created if missing.
        force: Whether to overwrite files that testgen did not write.

    Returns:
        A row for each language: language, words, synsets, relations (between two synsets), left_out
        (categories and relations in the words of another language). `attrs["deleted"]` are the names of files
        of an earlier export that were deleted.

    Raises:
        TestSetError: A file is no test set, or no test set has words of its own language.
        OutputError: The folder cannot be written to, or has such files that testgen did not write.
    """
    import pandas as pd

    folder, read = Path(output), read_test_sets(test_sets)
    with prepared(folder, [_FILE], force=force):
        made = {test_set.language: _lexicon(test_set) for test_set in read}
        lexicons = {code: lexicon for code, lexicon in made.items() if len(lexicon)}
        if not lexicons:
            raise TestSetError("all words of these test sets are of other languages; name other test sets")
        root = ET.Element("LexicalResource", {"xmlns:dc": _DUBLIN_CORE})
        root.extend(lexicons.values())
        ET.indent(root, " ")
        rows, summaries = [], []
        for test_set in (each for each in read if each.language in lexicons):
            lexicon = lexicons[test_set.language]
            size = {
                "words": len(lexicon.findall("LexicalEntry")),
                "synsets": len(lexicon.findall("Synset")),
                "relations": len(lexicon.findall("Synset/SynsetRelation")),
            }
            left_out = sum(each.named_in is not None for each in test_set.sections)
            rows.append({"language": test_set.language, **size, "left_out": left_out})
            summaries.append(replace(Summary.of(test_set), size=size, stand_ins=(), related=()))
        frame = pd.DataFrame(rows)
        about = template("wordnet.md").format(lexicon=next(iter(lexicons.values())).get("id"), file=_FILE)
        data = DataSet("Wordnets of words by category", about, "feature-extraction", summaries)
        content = f"{_HEAD}{ET.tostring(root, 'unicode')}\n".encode()
        frame.attrs["deleted"] = write_data_set(folder, data, {_FILE: content})
    return frame


def _lexicon(test_set: TestSet) -> ET.Element:
    """The lexicon of a test set; empty if all its words are of other languages."""
    id_ = f"testgen-{test_set.language}"
    lexicon, words, senses = ET.Element("Lexicon", _about(test_set, id_)), _words(test_set), {}
    items = [(word, item) for item, of_item in words.items() for word in of_item]
    for number, word in enumerate(sorted({word for word, _ in items}), 1):
        entry = ET.SubElement(lexicon, "LexicalEntry", {"id": f"{id_}-w{number}"})
        ET.SubElement(entry, "Lemma", {"writtenForm": word, "partOfSpeech": _PART_OF_SPEECH})
        senses[word] = entry
    for word, item in items:
        entry = senses[word]
        sense = f"{entry.get('id')}-{_name(item)}"
        ET.SubElement(entry, "Sense", {"id": sense, "synset": f"{id_}-{_name(item)}"})
    subjects, relations = _subjects(test_set), _relations(test_set)
    for item, of_item in words.items():
        synset = ET.SubElement(
            lexicon,
            "Synset",
            {
                "id": f"{id_}-{_name(item)}",
                "ili": "",
                "partOfSpeech": _PART_OF_SPEECH,
                "members": " ".join(f"{senses[word].get('id')}-{_name(item)}" for word in of_item),
                "dc:identifier": item,
                **({"dc:subject": "; ".join(subjects[item])} if item in subjects else {}),
            },
        )
        for relation, of in relations.get(item, ()):
            named = {"relType": "other", "target": f"{id_}-{_name(of)}", "dc:type": relation}
            ET.SubElement(synset, "SynsetRelation", named)
    return lexicon


def _about(test_set: TestSet, id_: str) -> dict[str, str]:
    summaries = [replace(Summary.of(test_set), related=())]
    code = test_set.language
    name = languages()[code].name if code in languages() else code
    pages = [each if isinstance(each, str) else each["name"] for each in license_pages(summaries)]
    dates = [date for each in origins(summaries) if (date := each.date or each.retrieved)]
    digest = hashlib.sha256(msgspec.json.encode(test_set)).hexdigest()[:8]
    return {
        "id": id_,
        "label": f"Words by category in {name}",
        "language": tag_of(code),
        "email": "",  # required, and a test set has none
        "license": " ".join(pages) or "unknown",
        "version": "-".join([*([max(dates)[:10]] if dates else []), digest]),
        "citation": citation(summaries),
    }


def _own(test_set: TestSet) -> list[Section]:
    """Categories and relations in the words of the language itself."""
    return [section for section in test_set.sections if section.named_in is None]


def _words(test_set: TestSet) -> dict[str, list[str]]:
    """The words of each item, the first one first."""
    found: dict[str, dict[str, None]] = {}
    for section in _own(test_set):
        for item in section.items:
            found.setdefault(item.id, {}).update(dict.fromkeys(item.words))
    return {item: list(words) for item, words in sorted(found.items())}


def _subjects(test_set: TestSet) -> Mapping[str, list[str]]:
    """The names of the categories of each item, without classes within categories."""
    found: dict[str, list[str]] = {}
    for category in test_set.categories:
        if not category.level and category.named_in is None:
            for item in category.items:
                found.setdefault(item.id, []).append(category.name)
    return found


def _relations(test_set: TestSet) -> Mapping[str, list[tuple[str, str]]]:
    """Of each item the relations to others: the name of each, and the other item."""
    found: dict[str, list[tuple[str, str]]] = {}
    for relation in test_set.relations:
        if relation.named_in is None:
            for pair in relation.pairs:
                found.setdefault(pair.item, []).append((relation.name, pair.of))
    return found


def _name(item: str) -> str:
    """An item's id as a part of a name in XML: other signs than letters, digits and hyphens as numbers."""
    return _NO_NAME.sub(lambda sign: f".{ord(sign[0]):x}.", item)
