"""Where a wrong word is corrected: what testgen says, and what evaluator makes of it."""

from __future__ import annotations

from evaluator.reports import corrections
from evaluator.reports.corrections import address, advice
from tests.conftest import REPOSITORY


def test_both_packages_have_the_same_table():
    one, other = (REPOSITORY / each / "word_sources.tsv" for each in ("testgen/serve", "evaluator/reports"))
    assert one.read_bytes() == other.read_bytes()


def test_a_word_of_wikidata_leads_to_its_item():
    assert address(["wikidata"], "la", "Q142", "gallia") == "https://www.wikidata.org/wiki/Q142"
    assert address(["wikidata"], "la", "L7-F2", "rex") == "https://www.wikidata.org/wiki/Lexeme:L7"
    assert address(["wikidata", "cldr-48"], "la", "Q142", "gallia") == ""
    assert address(["wikidata"], "la", "core:1", "gallia") == address([], "la", "Q142", "gallia") == ""


def test_a_word_that_ships_leads_to_the_form_of_the_project(monkeypatch):
    monkeypatch.setattr(corrections, "issues_address", lambda: "https://github.com/o/p/issues")
    found = address(["cldr-48", "historical-1"], "la", "Q142", "gallia")
    assert found == "https://github.com/o/p/issues/new?template=names.yml&word=la%2C%20Q142%2C%20gallia"
    form = (REPOSITORY / ".github" / "ISSUE_TEMPLATE" / "names.yml").read_text(encoding="utf-8")
    assert "id: word" in form
    assert [*advice(["historical-1"])] == ["historical-1: Tell the project, with language, item and word"]
    monkeypatch.setattr(corrections, "issues_address", lambda: "")
    assert address(["historical-1"], "la", "Q142", "gallia") == ""
    assert "from whom you have testgen" in next(advice(["historical-1"]))
