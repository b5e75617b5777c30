from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

import testgen
from testgen.queries import choose
from testgen.sources import RdfSource, open_source, rdf
from testgen.sources.answers import Answers
from testgen.sources.shipped import ANSWERS, shipped_snapshots
from testgen.system import sha256_of
from tools.build_answers import build

BUILD = "run `python -m tools.build_answers`"


@pytest.fixture(scope="module")
def first_items(tmp_path_factory):
    """A file of the first items of the shipped snapshot, its answers as they are kept, and those it gives."""
    path = tmp_path_factory.mktemp("first") / "small.ttl"
    with gzip.open(shipped_snapshots()[0], "rt", encoding="utf-8") as file:
        lines = file.readlines()[:600]
    aliases = '\nwd:Q15 <http://www.w3.org/2004/02/skos/core#altLabel> "Alkebulan"@af, "Alkebulan"@la .\n'
    path.write_text("".join(lines).rpartition(" .\n")[0] + f" .{aliases}", encoding="utf-8")
    kept = path.with_name(ANSWERS)
    build(kept, path)
    return path, kept.read_bytes(), _answers(RdfSource(path))


@pytest.fixture
def small(tmp_path, first_items):
    return Path(shutil.copy(first_items[0], tmp_path))


@pytest.fixture
def kept(first_items, tmp_path):
    path = tmp_path / ANSWERS
    path.write_bytes(first_items[1])
    return path


def _answers(source, languages=None):
    items = [f"Q{number}" for number in range(1, 2000)]
    names = {each.item: each for each in source.names(items, languages)}
    return source.provenance, [source.answer(each, languages) for each in choose()], names


def test_answers_are_the_same_and_nothing_is_loaded(first_items, small, kept, monkeypatch):
    everything, french = first_items[2], _answers(RdfSource(small), ["fr"])
    assert any(answer.rows for answer in everything[1])
    assert french[2]
    assert everything[2]["Q15"].aliases == {"af": ["Alkebulan"], "la": ["Alkebulan"]}
    monkeypatch.setattr(rdf, "_load", lambda *_: pytest.fail("it was loaded"))
    assert _answers(RdfSource(small, answers=kept)) == everything
    assert _answers(RdfSource(small, answers=kept), ["fr"]) == french


@pytest.mark.parametrize("number", range(6))
def test_answers_about_a_changed_file_are_not_used(small, kept, number):
    """Whatever its digest is."""
    small.write_text(f"{small.read_text(encoding='utf-8')}# {number}", encoding="utf-8")
    assert RdfSource(small, answers=kept).provenance.sha256 == sha256_of(small)
    assert RdfSource(small, answers=kept)._answers is None


def test_answers_about_another_file_are_not_used(small, kept):
    text = small.read_text(encoding="utf-8").replace('"Afrika"@af', '"Afrikaa"@af')
    small.write_text(text, encoding="utf-8")
    assert _answers(RdfSource(small, answers=kept))[2]["Q15"].labels["af"] == "Afrikaa"


@pytest.mark.parametrize("content", [b"no gzip", b"{}", b"[" * 50])
def test_a_file_of_answers_that_cannot_be_read_is_not_needed(first_items, small, kept, content):
    kept.write_bytes(content if content.startswith(b"no") else gzip.compress(content))
    assert _answers(RdfSource(small, answers=kept)) == first_items[2]


def test_the_shipped_answers_are_to_the_shipped_queries_and_of_the_shipped_files():
    shipped = Answers.read(shipped_snapshots()[0].with_name(ANSWERS))
    assert [query.name for query in choose() if not shipped.holds(query)] == [], BUILD
    digests = [sha256_of(path) for path in shipped_snapshots()]
    assert [part.sha256 for part in shipped.source.parts] == digests, BUILD


@pytest.mark.slow
def test_the_shipped_answers_are_those_of_the_shipped_files(tmp_path):
    build(tmp_path / ANSWERS, *shipped_snapshots())
    shipped = shipped_snapshots()[0].with_name(ANSWERS)
    made, expected = (gzip.decompress(path.read_bytes()) for path in (tmp_path / ANSWERS, shipped))
    assert made == expected, BUILD


def test_nothing_is_loaded_for_the_shipped_test_sets(tmp_path, monkeypatch):
    monkeypatch.setattr(rdf, "_load", lambda *_: pytest.fail("it was loaded"))
    testgen.generate(tmp_path, testgen.TestSetRequest(["la", "th"]), source=open_source("shipped"))
