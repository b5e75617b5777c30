from __future__ import annotations

import gzip

import pytest

from testgen.queries import choose
from testgen.sources import open_source, snapshot
from testgen.sources.snapshot import Snapshot, shipped_snapshots


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches"


@pytest.fixture
def small(tmp_path):
    """The first items of the shipped snapshot."""
    path = tmp_path / "small.ttl"
    with gzip.open(shipped_snapshots()[0], "rt", encoding="utf-8") as file:
        lines = file.readlines()[:600]
    path.write_text("".join(lines).rpartition(" .\n")[0] + " .\n", encoding="utf-8")
    return path


def _answers(source, languages=None):
    queries = choose()
    items = [f"Q{number}" for number in range(1, 2000)]
    names = {each.item: each for each in source.names(items, languages)}
    return source.provenance, [source.answer(each, languages) for each in queries], names


def test_the_same_answers_and_the_second_time_nothing_is_loaded(small, own_folder, monkeypatch):
    expected = _answers(Snapshot(small))
    assert any(answer.rows for answer in expected[1])
    assert expected[2]
    assert _answers(Snapshot(small, cached=True)) == expected
    monkeypatch.setattr(snapshot, "_load", lambda *_: pytest.fail("it was loaded"))
    assert _answers(Snapshot(small, cached=True)) == expected


def test_another_file_is_not_answered_from_the_cache_of_the_first(small, own_folder):
    first = _answers(Snapshot(small, cached=True))
    text = small.read_text(encoding="utf-8").replace('"Afrika"@af', '"Afrikaa"@af')
    small.write_text(text, encoding="utf-8")
    second = _answers(Snapshot(small, cached=True))
    assert second[2]["Q15"].labels["af"] == "Afrikaa" != first[2]["Q15"].labels["af"]
    assert second[0].sha256 != first[0].sha256


def test_a_cache_that_cannot_be_used_is_not_needed(small, own_folder):
    own_folder.write_text("a file where a folder should be", encoding="utf-8")
    assert _answers(Snapshot(small, cached=True)) == _answers(Snapshot(small))


def test_the_shipped_snapshot_is_cached():
    assert open_source("shipped")._cache is not None
    assert open_source(shipped_snapshots()[0])._cache is None
