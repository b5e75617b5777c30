"""Inputs: what is opened is recorded with its digest, which time and size never stand for."""

from __future__ import annotations

import hashlib
import os
import pickle

import pytest

from evaluator.errors import ChangedError
from evaluator.execution import inputs
from evaluator.execution.inputs import (
    Input,
    digest,
    identity,
    in_memory,
    joined_sha256,
    opened,
    opened_folder,
    recorded,
    recording,
    seen,
    taken,
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def sha256(content):
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("at_once", [False, True])
def test_what_is_opened_is_listed_once_in_order(tmp_path, at_once):
    (tmp_path / "a").write_bytes(b"one")
    with recording(at_once=at_once) as outer:
        with recording() as inner:
            opened("vectors", tmp_path / "a")
            assert opened("words", "b").name == "b"
        opened("vectors", "a")
    assert inner.inputs == outer.inputs == (Input("vectors", "a", sha256(b"one"), 3), Input("words", "b"))
    assert recorded().inputs == (), "nothing is recorded outside"
    assert pickle.loads(pickle.dumps(outer)).inputs == outer.inputs  # noqa: S301


def test_an_outer_recording_may_have_it_in_another_role_or_not_at_all(tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    with recording() as outer:
        with recording("vocabulary"):
            opened("vectors", "a")
        with recording(kept=False):
            opened("vectors", "temporary")
        taken(in_memory("words", b"x"))
        found = outer.but([Input("vocabulary", "a")])
    assert found == (Input("memory", "words", sha256(b"x"), 1),)
    assert [each.role for each in outer.inputs] == ["vocabulary", "memory"]


def test_a_file_that_changes_after_it_was_opened_has_no_digest(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"one")
    with recording() as record:
        opened("vectors", path)
    path.write_bytes(b"more than one")
    with pytest.raises(ChangedError, match=r"a: the file changed while it was read"):
        assert record.inputs


def test_a_digest_is_of_the_content_whatever_size_and_time_say(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"one")
    state = path.stat()
    assert digest(path)[0] == sha256(b"one")
    for content in (b"two", b"six"):
        path.write_bytes(content)
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert digest(path)[0] == sha256(content)


def test_a_file_is_read_once_in_a_process(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"one")
    monkeypatch.setattr(inputs, "_SETTLED", -(10**12))  # as if it had been written long ago
    first = digest(path)
    monkeypatch.setattr(inputs.hashlib, "file_digest", None)
    os.link(path, tmp_path / "link")  # which is another time of change
    with pytest.raises(TypeError):
        digest(path)
    monkeypatch.undo()
    assert digest(path)[0] == first[0]


def test_the_identity_of_one_file_is_its_digest_and_of_several_that_of_theirs():
    one, two, lacking = Input("vectors", "a", "1f"), Input("words", "b", "2f"), Input("words", "c")
    assert identity([]) == ""
    assert identity([one, lacking]) == "1f"
    assert identity([one, two]) == joined_sha256(["1f", "2f"]) != identity([two, one])


def test_a_folder_is_the_names_of_its_files(tmp_path):
    def names():
        with recording() as record:
            opened_folder(tmp_path)
        (found,) = record.inputs
        return found

    for name in ("b.txt", "a.csv.gz", ".hidden.txt", "licence"):
        (tmp_path / name).write_bytes(b"")
    before = names()
    assert (before.role, before.sha256) == ("folder", sha256(b"a.csv.gz\nb.txt\n"))
    assert before.now(tmp_path) == before.sha256
    (tmp_path / "c.tsv").touch()
    assert names().sha256 == before.now(tmp_path) != before.sha256


def test_paths_are_seen_from_the_working_directory(tmp_path):
    assert seen(tmp_path / "x" / "a") == seen("x/a") == "x/a"
    (tmp_path.parent / "a").touch()
    outside = str(tmp_path.parent / "a")
    assert seen("../a") == seen(outside) == outside
    assert (Input("vectors", "x/a").shown, Input("vectors", outside).shown) == ("x/a", "…/a")


def test_what_an_input_is_now(tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    assert Input("vectors", "a").now() == sha256(b"one")
    assert Input("vectors", "b").now() == ""
    assert Input("memory", "a").now() is None
    assert Input("vectors", "s3://bucket/a").now() is None
    assert Input("vectors", "s3://bucket/a").now(tmp_path / "a") == sha256(b"one")
