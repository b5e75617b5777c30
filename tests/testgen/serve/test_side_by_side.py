"""Words in several languages side by side: as the files have them, and why some are left out."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from testgen.errors import LanguageError
from testgen.labels import LabelPolicy
from testgen.serve.pages.browse import Cell, NamesInLanguage
from testgen.serve.provider import TestSetProvider
from testgen.serve.selection import Selection
from testgen.serve.settings import Settings
from tests.testgen.serve.conftest import WITH_HEBREW

MORE = f"""{WITH_HEBREW}
wd:Q7001 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q7002 ; rdfs:label "Gaul"@en, "Gallia"@la, "Gaul"@he .
wd:Q7002 rdfs:label "Gaul"@en, "Bibracte (oppidum)"@la .
"""


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    folder = tmp_path_factory.mktemp("beside")
    (folder / "small.ttl").write_text(MORE, encoding="utf-8")
    return TestSetProvider(Settings(folder / "data", str(folder / "small.ttl")))


def by_item(provider, name, code):
    query = provider.offered[name]
    found = NamesInLanguage(provider, code).column(query)
    return found, dict(zip(provider.in_memory.answers[query].rows, found.cells, strict=True))


def test_a_word_is_there_or_a_reason(provider):
    latin, cells = by_item(provider, "country", "la")
    assert cells["Q142",] == Cell([("Gallia",)])
    assert cells["Q30",] == Cell([["Civitates Foederatae"]], "several words")
    assert cells["Q7001",] == Cell([["Gallia"]], "the word of another item")
    assert (latin.size, latin.left_out) == (5, [("several words", 1), ("the word of another item", 1)])
    _, hebrew = by_item(provider, "country", "he")
    assert hebrew["Q7001",] == Cell([["Gaul"]], "another script")
    assert hebrew["Q32",] == Cell([[]], "no name")


def test_a_pair_is_there_or_a_reason(provider):
    _, latin = by_item(provider, "country-capital", "la")
    assert latin["Q90", "Q142"] == Cell([("Lutetia",), ("Gallia",)])
    assert latin["Q1842", "Q32"] == Cell([["Luxemburgum"], ["Luxemburgum"]], "the same word twice")
    assert latin["Q61", "Q30"].why == "no name, several words"
    _, english = by_item(provider, "country-capital", "en")
    assert english["Q2807", "Q29"] == Cell([("Madrid",), ("Spain",)]), "the name that all languages share"


@pytest.mark.parametrize("name", ["country", "country-capital", "capital"])
@pytest.mark.parametrize("code", ["en", "la", "he", "ru"])
def test_they_are_those_of_the_file(provider, name, code):
    found, cells = by_item(provider, name, code)
    shown = {word for cell in found.cells if not cell.why for side in cell.texts for word in side}
    try:
        file = provider.file(Selection((code,), (name,), policy=LabelPolicy(minimum_words=1)))
    except LanguageError:
        assert shown == set()
        return
    content = json.loads(file.content)
    (section,) = [*content["categories"], *content["relations"]]
    assert shown == {word for item in section["items"] for word in item["words"]}
    assert found.size == len(section.get("pairs", shown))
    assert all(cell.why or all(cell.texts) for cell in cells.values())
