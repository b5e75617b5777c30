from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import evaluator
import testgen
from evaluator.results.files import read_results

COMMANDS = (
    "score",
    "tune",
    "curve",
    "compare",
    "batch",
    "report",
    "compose",
    "coverage",
    "items",
    "plan",
    "convert",
    "translate",
)
"""What the command line does, by the names of its commands."""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_a_function(name):
    assert callable(getattr(evaluator, name))
    assert name in dir(evaluator)


def test_every_public_name_can_be_loaded():
    for name in evaluator.__all__:
        assert getattr(evaluator, name) is not None, name


def test_versions():
    assert evaluator.__version__ == testgen.__version__ == version("testgen-evaluator")
    with pytest.raises(AttributeError):
        evaluator.nothing  # noqa: B018


def test_from_vectors_to_a_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_text(":near\na b c d\n:far\ne f g h\n")
    rows = np.random.default_rng(0).normal(size=(2, 26, 4))
    models = {
        name: dict(zip("abcdefghijklmnopqrstuvwxyz", rows[n], strict=True)) for n, name in enumerate("mn")
    }
    found = evaluator.score(models, ["t.txt"])
    evaluator.report([found.record()], "report.html", "Two models")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Two models" in page
    written = evaluator.convert(models["m"], "m.safetensors")
    assert len(evaluator.load_vectors("m.safetensors")) == len(written) == 26
    summary = evaluator.batch(["m.safetensors"], ["t.txt"], Path("out.jsonl"))
    assert summary.models == 1
    assert evaluator.coverage(models["n"], evaluator.read_testset("t.txt")).found == 8
    evaluator.report("out.jsonl", "batch.html")
    assert len(read_results("out.jsonl")) == 1
