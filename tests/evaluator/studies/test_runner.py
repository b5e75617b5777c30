"""The runner of studies: what is left is run, results are kept, and plans may follow results."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from evaluator.errors import CorpusError, OutputError, StudyError
from evaluator.execution.machine import Machine
from evaluator.studies.resumable import Study, run_study
from evaluator.text.corpus import Corpus


@dataclass(frozen=True)
class Square:
    number: int
    value: int


def square(number):
    if number < 0:
        raise KeyboardInterrupt
    return Square(number, number * number)


class Squares(Study):
    """Squares of some numbers; each is the next after those that are finished."""

    file = "squares.jsonl"
    result = Square
    written = ("notes.txt",)
    run = staticmethod(square)

    def __init__(self, numbers, seed=0):
        self.numbers, self.seed, self.seen = numbers, seed, []

    @property
    def settings(self):
        return {"format": "squares", "version": 1, "seed": self.seed}

    inputs = ()

    def plan(self, finished):
        known = {each.number for each in finished}
        for number in self.numbers:
            if number not in known:
                self.seen.append(len(finished))
                yield number

    def died(self, task, reason):
        return None

    def share(self, finished):
        return len(finished) / len(self.numbers)

    def line(self, task, result):
        return f"{task}: {result.value if result else 'died'}"

    def conclude(self, finished):
        return sum(each.value for each in finished)


def run(study, folder, machine=None, path=__file__):
    return run_study(study, folder, Corpus((path,)), machine or Machine())


def test_tasks_are_run_and_concluded_from(tmp_path):
    shares, lines = [], []
    study = Squares([1, 2, 3])
    machine = Machine(progress=shares.append, log=lines.append)
    assert run(study, tmp_path / "out", machine) == 14
    assert shares == [0, 1 / 3, 2 / 3, 1]
    assert lines == ["1: 1", "2: 4", "3: 9"]
    assert study.seen == [0, 1, 2]  # a plan sees the results so far


def test_an_interrupted_study_is_resumed(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(Squares([1, 2, -1]), tmp_path)
    study, shares = Squares([1, 2, 3]), []
    assert run(study, tmp_path, Machine(progress=shares.append)) == 14
    assert study.seen == [2]
    assert shares == [2 / 3, 1]


def test_what_died_is_not_kept(tmp_path, monkeypatch):
    def all_die(machine, function, tasks, died):
        yield from ((task, died(task, "it died")) for task in tasks)

    lines = []
    with monkeypatch.context() as patched:
        patched.setattr(Machine, "run_each", all_die)
        assert run(Squares([2]), tmp_path, Machine(log=lines.append)) == 0
    assert lines == ["2: died"]
    assert run(Squares([2]), tmp_path) == 4


def test_other_settings_versions_and_inputs_are_refused(tmp_path, monkeypatch):
    run(Squares([1]), tmp_path)
    with pytest.raises(StudyError, match="seed was 0, is 1"):
        run(Squares([1], seed=1), tmp_path)
    (tmp_path / "notes.txt").write_text("words")
    with pytest.raises(OutputError, match=r"notes\.txt"):
        run(Squares([1]), tmp_path, path=tmp_path / "notes.txt")
    with pytest.raises(CorpusError, match=r"of type str; give Corpus\("):
        run_study(Squares([1]), tmp_path, "notes.txt", Machine())
    monkeypatch.setattr("evaluator.studies.resumable.versions", lambda: {"numpy": "0.0.0"})
    with pytest.raises(StudyError, match="versions"):
        run(Squares([1]), tmp_path)
