"""A folder of result files: what is read, when, and what is left alone."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from testgen.serve.results import folder as module
from testgen.serve.results.folder import ResultsFolder
from tests.testgen.serve.results.examples import record, score, scores


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "results").mkdir()
    return tmp_path / "results"


def test_new_changed_and_removed_files_are_seen(folder):
    shown = ResultsFolder(folder)
    assert shown.leaderboard().rows == {}
    (folder / "one.json").write_bytes(scores(record()))
    assert [*shown.leaderboard().rows] == ["a.vec"]
    (folder / "sub").mkdir()
    (folder / "sub" / "two.json").write_bytes(scores(record("b.vec")))
    assert [*shown.leaderboard().rows] == ["a.vec", "b.vec"]
    (folder / "one.json").write_bytes(scores(record("changed.vec")))
    assert [*shown.leaderboard().rows] == ["changed.vec", "b.vec"]
    (folder / "one.json").unlink()
    assert [*shown.leaderboard().rows] == ["b.vec"]


def test_files_are_read_once(folder, monkeypatch):
    for name in ("one", "two"):
        (folder / f"{name}.json").write_bytes(scores(record(name)))
    shown, read = ResultsFolder(folder), []
    parse = module.parse
    monkeypatch.setattr(module, "parse", lambda content, name: read.append(name) or parse(content, name))
    first = shown.leaderboard()
    assert shown.leaderboard() is first
    assert read == ["one.json", "two.json"]
    os.utime(folder / "two.json", (1, 1))
    shown.leaderboard()
    assert read == ["one.json", "two.json", "two.json"]


def test_what_cannot_be_shown_is_named_and_the_rest_is_shown(folder, monkeypatch):
    (folder / "good.json").write_bytes(scores(record()))
    (folder / "half.json").write_bytes(scores(record())[:50])
    (folder / "other.json").write_text('{"format": "coverage", "version": 3}')
    (folder / "large.json").write_bytes(b" " * 5000)
    monkeypatch.setattr(module, "MOST_BYTES", 4000)
    found = ResultsFolder(folder).leaderboard()
    assert [*found.rows] == ["a.vec"]
    assert found.left_out.keys() == {"half.json", "other.json", "large.json"}
    assert "coverage" in found.left_out["other.json"]


def test_only_so_many_files_are_read(folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_FILES", 1)
    for name in "ab":
        (folder / f"{name}.json").write_bytes(scores(record(name)))
    found = ResultsFolder(folder).leaderboard()
    assert ([*found.rows], [*found.left_out]) == (["a"], ["b.json"])


def test_links_and_hidden_files_are_not_followed(folder):
    outside = folder.parent / "secret.json"
    outside.write_bytes(scores(record("secret.vec")))
    (folder / "link.json").symlink_to(outside)
    (folder / "up").symlink_to(folder.parent, target_is_directory=True)
    (folder / ".hidden.json").write_bytes(scores(record("hidden.vec")))
    shown = ResultsFolder(folder)
    assert shown.leaderboard().rows == {}
    assert shown.with_categories("../secret.json") == []
    assert shown.with_categories("link.json") == []


def test_a_folder_that_has_gone_is_empty(folder):
    shown = ResultsFolder(folder / "nowhere")
    assert shown.leaderboard().rows == {}


def test_the_scores_of_categories_are_read_again(folder):
    sub = {"name": "month", "value": 0.5}
    (folder / "one.json").write_bytes(scores(record(scores=[score(subscores=[sub])])))
    shown = ResultsFolder(folder)
    shown.leaderboard()
    (found,) = shown.with_categories("one.json")
    assert [each.name for each in found.categories] == ["month"]
    (folder / "one.json").unlink()
    assert shown.with_categories("one.json") == []
