"""The search of the site finds what scholars and visitors ask; `make site` runs this."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

lunr = pytest.importorskip("lunr", reason="the extra `site` is not installed")

pytestmark = pytest.mark.slow

ANSWERS = {
    "cite": ("publishing.html#cite", "testgen cite"),
    "licence": ("publishing.html#licences", "CC BY 4.0"),
    "CC0": ("publishing.html#licences", "Wikidata (CC0)"),
    "wrong word": ("publishing.html#a-wrong-word", "--without"),
    "minimum size": ("questions.html#minimum-size", "6 categories"),
    "which measure": ("read-a-score.html#which-measure-to-report", "Report Topk@3"),
    "reproduce": ("snapshots.html#reproduce-numbers-freeze-the-words", "Publish the snapshot"),
    "stand-in": ("sources.html#stand-ins", "--stand-in"),
    "ethics": ("publishing.html#ethics-names-of-people-and-peoples", "living people"),
    "coverage": ("datasets.html#coverage", "evaluator coverage"),
    "seeds": ("tune.html#seeds", "--seeds 3"),
    "several models": ("read-a-score.html#several-models", "corrects the tests"),
    "my language": ("your-language.html", "testgen generate CODE"),
    "mail address": ("sources.html#wikidata-wants-your-mail-address", "testgen config contact"),
    "delete": ("sources.html#the-cache-keep-or-delete-answers", "testgen cache clear"),
    "0.002": ("questions.html#my-score-is-0002-what-now", "evaluator coverage"),
    "how much text": ("questions.html#how-much-text-is-enough", "300,000 words"),
    "fastText or word2vec": ("questions.html#fasttext-or-word2vec", "Train both"),
    "Topk and OddOneOut disagree": ("questions.html#topk-and-oddoneout-disagree", "go by OddOneOut"),
    "unknown words": ("read-a-score.html#unknown-words", "is a miss"),
    "which model to keep": ("read-a-score.html#which-model-to-keep", "contenders"),
    "nearest neighbours": ("look.html#nearest-neighbours", "place by frequency"),
    "map of words": ("look.html#a-map-of-the-words", "Point at a dot"),
    "compare languages": ("compare.html", "evaluator compare"),
    "learning curve": ("curve.html", "evaluator curve"),
    "trust": ("evidence/trust.html", "Nobody has tested"),
    "install": ("index.html#install-elsewhere", "pip install"),
    "keywords": ("labels.html#keywords", "symbols"),
    "emoji": ("emoji.html", "emoji vectors"),
    "API": ("serve.html#the-api", "openapi.json"),
}
"""Where the answer is, and words of it: questions of scholars, then of visitors."""


@pytest.fixture(scope="module")
def sections(tmp_path_factory):
    """The sections of the site as its search knows them, by their addresses; its pages load nothing else."""
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", site]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(REPOSITORY)}
    subprocess.run(command, cwd=REPOSITORY, env=environment, check=True)
    loaded = re.compile(r'<(?:script|img|iframe)[^>]* src="?https?:|<link[^>]*stylesheet[^>]*https?:')
    assert [page for page in site.rglob("*.html") if loaded.search(page.read_text(encoding="utf-8"))] == []
    found = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    return {
        each["location"]: each | {"text": " ".join(re.sub(r"<[^>]+>", " ", each["text"]).split())}
        for each in found
    }


@pytest.fixture(scope="module")
def index(sections):
    """What the theme builds in the browser: titles count a thousand times as much as text."""
    fields = [{"field_name": "title", "boost": 1000}, "text"]
    boosted = [(each, {"boost": each.get("boost", 1)}) for each in sections.values()]
    return lunr.lunr(ref="location", fields=fields, documents=boosted)


@pytest.mark.parametrize("question", ANSWERS)
def test_the_first_hit_answers(question, sections, index):
    where, words = ANSWERS[question]
    first = index.search(question)[0]["ref"]
    assert first == where
    assert words in sections[first]["text"]


def test_tables_in_files_are_shown(sections):
    assert "Zulu" in " ".join(
        each["text"] for each in sections.values() if "your-language" in each["location"]
    )
    assert "--trials" in sections["cli-evaluator.html#evaluator-tune"]["text"]
