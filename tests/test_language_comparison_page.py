"""The page on the language comparison shows its results; `make papers` skips what is missing."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY
from tools import papers
from tools.tables import cells, shown

PAGE = (REPOSITORY / "docs" / "evidence" / "language-comparison.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", papers.TABLES)
def test_tables_are_those_of_the_results(name):
    assert shown(papers.PAGE, name) == cells(papers.TABLES[name]()), "run python -m tools.papers --page"


def test_figures_are_there():
    figures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", PAGE)
    assert len(figures) >= len(papers.TOPICS)
    assert [name for name in figures if not (REPOSITORY / "docs" / "evidence" / name).exists()] == []


def test_what_is_missing_is_skipped_with_the_reason(tmp_path):
    command = [sys.executable, "-m", "tools.papers", "--build", str(tmp_path / "build")]
    before = papers.PAGE.read_bytes()
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, encoding="utf-8", check=True)
    assert "skipped: figures 4 to 6, table 1: name the folder of the corpora with CORPORA=" in done.stderr
    assert "skipped: figure 3" in done.stderr
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [*command, "--corpora", str(tmp_path / "empty")],
        cwd=REPOSITORY,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stderr.count("there is no") >= len(papers.LANGUAGES)
    assert papers.PAGE.read_bytes() == before


def test_languages_are_those_of_the_topics():
    wanted = {code for _, codes in papers.TOPICS.values() for code in codes}
    assert wanted <= papers.CODES.keys()


def test_a_search_goes_on_if_more_trials_are_asked_for(tmp_path, monkeypatch):
    corpus = tmp_path / papers.CODES["gu"].corpus
    corpus.write_text("x", encoding="utf-8")
    asked = []
    monkeypatch.setattr(papers, "run", lambda arguments, *_: asked.append(arguments))
    monkeypatch.setattr(papers, "LANGUAGES", (papers.CODES["gu"],))
    folder = tmp_path / "table1-gu"
    folder.mkdir()
    (folder / "tuning.json").write_text(
        json.dumps({"trials": [{}] * 4}), encoding="utf-8"
    )  # one is the default
    papers.search(tmp_path, tmp_path, 3)
    assert asked == []
    papers.search(tmp_path, tmp_path, 4)
    assert [each[each.index("--trials") + 1] for each in asked] == ["4"]


def test_a_step_that_fails_does_not_stop_the_others(tmp_path, monkeypatch, capsys):
    ran = []

    def fails(*_):
        ran.append("figures")
        raise papers.StepError("evaluator compare: it is broken")

    monkeypatch.setattr(papers, "figures", fails)
    monkeypatch.setattr(papers, "search", lambda *_: ran.append("table1"))
    monkeypatch.setattr(papers, "keep", lambda *_: None)
    monkeypatch.setattr(papers.tables, "write", lambda *_: None)
    command = ["papers", "--corpora", str(tmp_path), "--build", str(tmp_path / "build")]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit, match="failed: figures; run the same command again to resume"):
        papers.main()
    assert ran == ["figures", "table1"]
    assert "figures failed: evaluator compare: it is broken" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", [*command, "--step", "table1"])
    papers.main()
    assert ran[2:] == ["table1"]


def test_the_best_model_is_the_sample_with_the_highest_combined():
    def trial(number, value):
        scores = {"scores": [{"measure": "Topk@3", "value": 1.0}, {"measure": "Combined", "value": value}]}
        return {"number": number, "scores": None if value is None else scores}

    found = {
        "default": 0,
        "trials": [trial(0, 0.9), trial(1, 0.2), trial(2, None), trial(3, 0.5), trial(4, 0.5)],
    }
    assert papers.best_trial(found)["number"] == 3
