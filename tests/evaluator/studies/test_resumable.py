"""Files of finished results: read again whole, wherever a run was interrupted."""

from __future__ import annotations

import json

import pytest

from evaluator.errors import OutputError, StudyError
from evaluator.execution.processes import versions
from evaluator.results.base import signed_line
from evaluator.settings import Hyperparameters
from evaluator.studies.resumable import ResumableFile, locked_output

SETTINGS = {"format": "trials", "version": 1, "seed": 3}
RESULTS = [Hyperparameters(dimension=dimension) for dimension in (5, 10, 15)]


def opened(path, settings=SETTINGS):
    read = []
    file = ResumableFile(path, settings, Hyperparameters, read.append)
    return file, read


@pytest.fixture
def file(tmp_path):
    """A file with three results."""
    path = tmp_path / "trials.jsonl"
    made, _ = opened(path)
    assert not path.exists()
    for result in RESULTS:
        made.add(result)
    return path


def test_results_are_read_again(file):
    again, read = opened(file)
    assert read == RESULTS
    again.add(Hyperparameters(window=7))
    assert opened(file)[1] == [*RESULTS, Hyperparameters(window=7)]


def test_a_file_that_breaks_off_anywhere_is_mended(file):
    whole = file.read_bytes()
    for kept in range(0, len(whole), 13):
        file.write_bytes(whole[:kept])
        again, read = opened(file)
        assert read == RESULTS[: len(read)]
        assert len(read) == max(0, whole[:kept].count(b"\n") - 1)
        for result in RESULTS[len(read) :]:
            again.add(result)
        assert file.read_bytes() == whole


@pytest.mark.parametrize(
    "content",
    [
        *(b"text\n", b'"text"\n', b"5\n{}\n", b"\xff\xfe\n", b"[1]\n", b"a note", b'{"format": "testset"}\n'),
        b'{"format": "trials", "version": 1, "seed": 4',
    ],
)
def test_other_files_are_refused_and_left_alone(file, content):
    file.write_bytes(content)
    with pytest.raises(StudyError, match=r"trials\.jsonl: .*another output"):
        opened(file)
    assert file.read_bytes() == content


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_no_changed_byte_is_believed(file, every):
    whole = file.read_bytes()
    for place in range(len(whole) - 1, -1, -every):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        if place == len(whole) - 1:  # as if a killed run had not finished the line
            assert opened(file)[1] == RESULTS[:-1]
            continue
        with pytest.raises(StudyError, match=r"other settings|line \d is damaged|not a file|other versions"):
            opened(file)


@pytest.mark.parametrize(
    "line", [b"5\n", b"{}x\n", b'{"dimension": 5}\n', signed_line({"dimension": "five"})]
)
def test_a_damaged_line_is_named(file, line):
    file.write_bytes(file.read_bytes() + line)
    with pytest.raises(StudyError, match=r"trials\.jsonl: line 5 .*another output"):
        opened(file)


def test_files_that_were_joined_are_refused(file):
    file.write_bytes(2 * file.read_bytes())
    with pytest.raises(StudyError, match=r"line 5 .*join"):
        opened(file)


def test_other_settings_are_named(file):
    with pytest.raises(StudyError, match=r"more was None, is 1; seed was 3, is 4.*another output"):
        opened(file, {**SETTINGS, "seed": 4, "more": 1})


def other_versions(monkeypatch, **others):
    monkeypatch.setattr("evaluator.studies.resumable.versions", lambda: {**versions(), **others})


def test_results_of_other_versions_are_refused(file, monkeypatch):
    before = file.read_bytes()
    other_versions(monkeypatch, numpy="0.0.0")
    with pytest.raises(StudyError, match=r"numpy 0\.0\.0.*another output"):
        opened(file)
    assert file.read_bytes() == before


def test_results_of_unknown_versions_are_refused(file):
    head, rest = file.read_text(encoding="utf-8").split("\n", 1)
    content = json.loads(head)
    del content["versions"]
    file.write_text(f"{json.dumps(content)}\n{rest}", encoding="utf-8")
    with pytest.raises(StudyError, match="unknown versions"):
        opened(file)


def test_one_process_writes_at_a_time(tmp_path, file):
    for path in (tmp_path, file):
        with locked_output(path), pytest.raises(StudyError, match=r"another process.*wait"):
            locked_output(path).__enter__()


def test_a_file_that_cannot_be_read_or_written_is_an_error(tmp_path):
    with pytest.raises(OutputError, match="Is a directory"):
        opened(tmp_path)
    made, _ = opened(tmp_path / "nowhere" / "file")
    with pytest.raises(OutputError, match=r"No such file.*kept"):
        made.add(RESULTS[0])


def test_each_command_that_made_results_is_kept_once(tmp_path):
    path = tmp_path / "trials.jsonl"

    def first_line(command):
        file = ResumableFile(path, SETTINGS, Hyperparameters, lambda _: None, command=command)
        file.add(Hyperparameters())
        return json.loads(path.read_text(encoding="utf-8").splitlines()[0])

    assert "commands" not in first_line(None)
    assert first_line(["tune", "a"])["commands"] == [["tune", "a"]]
    assert first_line(["tune", "b"])["commands"] == [["tune", "a"], ["tune", "b"]]
    assert first_line(["tune", "b"])["commands"] == [["tune", "a"], ["tune", "b"]]
    assert first_line(None)["commands"] == [["tune", "a"], ["tune", "b"]]
    assert len(path.read_text(encoding="utf-8").splitlines()) == 6
