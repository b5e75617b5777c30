"""The page on experiments shows what the result files beside it say."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter

import pytest

from tests.conftest import REPOSITORY
from tools.documents import LANGUAGES
from tools.tables import cells, rows, shown

PAGE = (REPOSITORY / "docs" / "evidence" / "experiments.md").read_text(encoding="utf-8")


def tool():
    spec = importlib.util.spec_from_file_location("experiments", REPOSITORY / "tools" / "experiments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPERIMENTS = tool()
TOPICS = ("biblical-figure", "facet-of-buddhism", "facet-of-hinduism")


@pytest.mark.parametrize("name", sorted(EXPERIMENTS.TABLES))
def test_tables_are_those_of_the_results(name):
    assert shown(EXPERIMENTS.PAGE, name) == cells(EXPERIMENTS.TABLES[name]()), (
        "run python -m tools.experiments"
    )


def test_figures_are_there():
    figures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", PAGE)
    assert figures
    assert [name for name in figures if not (REPOSITORY / "docs" / "evidence" / name).exists()] == []


def test_results_are_of_today_or_said_to_be_older():
    """The table `made` says it: it is another one as soon as the statistics are. Files say their version."""
    for name, own in EXPERIMENTS.read("made.json").items():
        content = (EXPERIMENTS.RESULTS / name).read_text(encoding="utf-8")
        assert set(re.findall(r"\|version:([^|\s\"]+)", content)) <= {own["version"]}, name


def things(items):
    """How many things the words are of, as scores count them: those with a common word are one."""
    found = {}
    for words in items:
        one = set(words).union(*(found[word] for word in words if word in found))
        found |= dict.fromkeys(one, one)
    return len({id(one) for one in found.values()})


def test_shipped_words_are_those_that_were_scored_but_for_some_and_are_counted(tmp_path):
    command = "from testgen.cli import main; main()"
    options = ["generate", "--language", "la", "--language", "grc", "--output", str(tmp_path)]
    subprocess.run([sys.executable, "-c", command, *options], check=True, capture_output=True)
    items, different, gone = {}, {}, {}
    for code in ("la", "grc"):
        categories = json.loads((tmp_path / f"{code}.json").read_text(encoding="utf-8"))["categories"]
        # The topics by which languages are compared came later.
        scored_ones = [each for each in categories if each["name"] not in TOPICS]
        words = {each["name"]: sum(len(item["words"]) for item in each["items"]) for each in scored_ones}
        for result in EXPERIMENTS.read(f"historical-{code}.json")["results"]:
            scored = Counter({part["name"]: part["size"] for part in result["scores"][0]["subscores"]})
            # Words that a reader found to mostly be another one are not asked any more.
            assert Counter(words) <= scored, f"historical-{code}.json is of other words than those that ship"
            gone[code] = scored.total() - sum(words.values())
        items[code] = things([item["words"] for each in categories for item in each["items"]])
        different[code] = len({w for each in categories for item in each["items"] for w in item["words"]})
    assert f"**{gone['la']} words of Latin and {gone['grc']} of Ancient Greek** that were scored" in PAGE
    page = (EXPERIMENTS.REPOSITORY / "docs" / "your-language.md").read_text(encoding="utf-8")
    usable = next(int(words) for code, *_, words, _ in rows(LANGUAGES) if code == "la")
    told = re.search(r"\(Latin ([\d,]+)\).*?\(([\d,]+)\).*?\(([\d,]+)\)", page, re.DOTALL)
    counts = usable, different["la"], items["la"]
    assert told.groups() == tuple(f"{each:,}" for each in counts)


def test_other_statistics_make_the_page_say_that_its_results_are_older(monkeypatch):
    monkeypatch.setattr(EXPERIMENTS, "statistics", lambda: "others")
    assert "| yes |" not in EXPERIMENTS.made()
    theirs = next(iter(EXPERIMENTS.read("made.json").values()))["statistics"]
    monkeypatch.setattr(EXPERIMENTS, "statistics", lambda: theirs)
    assert "| yes |" in EXPERIMENTS.made()


def test_statistics_are_known_by_their_numbers():
    recorded = {
        "value": 0.5,
        "low": 0.4,
        "high": 0.61234,
        "tests": [{"p": 0.03, "reading": "differ"}],
        "p": None,
    }
    assert [*EXPERIMENTS.inferred(recorded)] == ["0.4000", "0.6123", "0.0300"]


def test_each_result_file_is_of_use():
    """Each is read for a table or shown as a figure."""
    named = set(re.findall(r"\(experiments/([^)]+)\)", PAGE)) | {"corpora.json", "made.json"}
    named |= {
        path.name for path in EXPERIMENTS.RESULTS.glob("lct-*")
    }  # of docs/evidence/language-comparison.md
    named |= {"statistics.json", "disjoint-samples.json"}  # of the page on statistics
    named |= EXPERIMENTS.read("made.json").keys()
    files = {path.name for path in (REPOSITORY / "docs" / "evidence" / "experiments").iterdir()}
    assert files == named
