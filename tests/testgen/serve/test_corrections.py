"""Where people are sent with a wrong word: to the source that it is from."""

from __future__ import annotations

from email.message import Message

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from testgen.serve import corrections
from testgen.serve.corrections import are_on_wikidata, issues_address, places
from testgen.sources import Provenance

CLDR = Provenance("snapshot", "cldr-48", None, languages=("te", "zh-hant", "ar"))
CORE = Provenance("snapshot", "historical-1", None, languages=("la", "ar"))
BOTH = Provenance("combined", "cldr-48 + historical-1", None, parts=(CLDR, CORE))


def of_project(monkeypatch, *lines):
    found = Message()
    for line in lines:
        found["Project-URL"] = line
    monkeypatch.setattr(corrections, "metadata", lambda _: found)


def test_a_word_is_corrected_where_it_is_from(monkeypatch):
    of_project(monkeypatch)
    assert [each.source for each in places(BOTH, "te")] == ["cldr-48"]
    assert [each.source for each in places(BOTH, "ar")] == ["cldr-48", "historical-1"]
    (latin,) = places(BOTH, "la")
    assert (latin.source, latin.address) == ("historical-1", "")
    assert "from whom you have testgen" in latin.advice
    (chinese,) = places(CLDR, "zh-hant")
    assert chinese.address == "https://st.unicode.org/cldr-apps/v#/zh_Hant//"
    (own,) = places(Provenance("snapshot", "mine", None), "la")
    assert (own.source, own.address) == ("mine", "")
    (live,) = places(Provenance("wikidata", "wikidata", None), "la")
    assert "wikidata.org" in live.address
    assert "wikidata.org" in live.items


def test_words_are_on_wikidata_if_all_sources_are():
    live = Provenance("wikidata", "wikidata", None)
    assert are_on_wikidata(live)
    assert not are_on_wikidata(BOTH)
    assert not are_on_wikidata(Provenance("combined", "cldr-48 + wikidata", None, parts=(CLDR, live)))


def test_the_address_of_the_project_is_that_of_its_metadata(monkeypatch):
    of_project(monkeypatch, "Homepage, https://example.org", "Issues, https://example.org/issues")
    assert issues_address() == "https://example.org/issues"
    assert [each.address for each in places(CORE, "la")] == ["https://example.org/issues"]
    of_project(monkeypatch, "Homepage, https://example.org")
    assert issues_address() == ""
