"""Questions for lm-evaluation-harness."""

from __future__ import annotations

import json
import random
import sys

import jinja2
import pytest
import yaml

from testgen.errors import TestSetError
from testgen.exports.lm_eval import by_k, export_lm_eval
from tests.testgen.exports.made import content, section, written

RANDOM = random.Random(5)
WORDS = ["".join(RANDOM.choices("abcdefghij", k=6)) for _ in range(80)]


@pytest.fixture
def paths(tmp_path):
    whole = content("la", [section("bird", WORDS[:40]), section("fish", WORDS[40:])])
    other = content("grc", [section("bird", WORDS[:30]), section("fish", WORDS[40:70])])
    few = content("eo", [section("bird", WORDS[:4]), section("fish", WORDS[40:44])])
    return written(tmp_path, whole, other, few)


@pytest.fixture
def folder(paths, tmp_path):
    made = export_lm_eval(paths, tmp_path / "odd", k=(5, 3, 3))
    assert made[["language", "k", "questions"]].to_numpy().tolist() == [
        ["grc", 3, 60],
        ["grc", 5, 60],
        ["la", 3, 80],
        ["la", 5, 80],
    ]
    assert made.attrs["left_out"] == ["eo"]
    three, five = by_k(made)
    assert (three["k"], three["questions"], three["chance"]) == (3, 140, 0.25)
    assert (five["k"], five["questions"], five["chance"]) == (5, 140, 1 / 6)
    assert three["guessed"] == pytest.approx(0.25, abs=0.1)
    assert three["highest"] == made.loc[made["k"] == 3, "guessed"].max() >= three["guessed"]
    return tmp_path / "odd"


def lines(folder):
    return [
        json.loads(line) for line in (folder / "odd_one_out.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def task(folder):
    """The task, with the names of its functions in their place."""
    loader = type("Loader", (yaml.SafeLoader,), {})
    loader.add_constructor("!function", lambda loader, node: node.value)
    return yaml.load((folder / "odd_one_out.yaml").read_text(encoding="utf-8"), loader)  # noqa: S506


def test_the_task_asks_what_the_lines_hold(folder):
    (line, *_), known = lines(folder), task(folder)
    about = ["id", "language", "named_in", "category", "topic", "k"]
    assert list(line) == [*about, "options", "answer", "items", "odd_category"]
    assert (known["task"], known["output_type"]) == ("odd_one_out", "multiple_choice")
    assert known["custom_dataset"] == "odd_one_out.questions"
    shown = jinja2.Template(known["doc_to_text"]).render(line)
    assert shown == (
        f"Which of these words does not belong with the others: {', '.join(line['options'])}?\nAnswer:"
    )
    assert {known["doc_to_choice"], known["doc_to_target"]} <= set(line)


def test_the_task_filters_by_language_and_k(folder, tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "odd_one_out", raising=False)
    import odd_one_out

    assert odd_one_out.questions(version=1.0)["test"].num_rows == 280
    chosen = odd_one_out.questions(language="la", k="5", version=1.0)["test"]
    assert chosen.to_list() == [each for each in lines(folder) if each["language"] == "la" and each["k"] == 5]
    with pytest.raises(ValueError, match="language='eo'"):
        odd_one_out.questions(language="eo")


def test_the_card_states_what_can_be_guessed(folder, paths):
    card = (folder / "README.md").read_text(encoding="utf-8")
    three = by_k(export_lm_eval(paths, folder, k=(3, 5)))[0]
    assert f"| 3 | 140 | 0.250 | {three['guessed']:.3f} | {three['highest']:.3f} (" in card
    assert "| la | Latin | 80 | 80 |\n" in card
    assert "names in as many of the 3 languages" in card
    assert (
        yaml.safe_load(card.split("---\n")[1])["configs"][0]["data_files"][0]["path"] == "odd_one_out.jsonl"
    )


def test_too_few_questions(paths, tmp_path):
    with pytest.raises(TestSetError, match="500 questions"):
        export_lm_eval(paths, tmp_path / "odd", minimum=500)
