"""In a browser: no table of a report is wider than a page of 1,100 pixels, and no page than its window."""

from __future__ import annotations

import json
import shutil

import pytest

from evaluator.reports.build import InputFile, make_report
from evaluator.results.files import parse_results
from tests.evaluator.results.samples import SAMPLES, change, difference, measured, scored, scores_file

playwright = pytest.importorskip("playwright.sync_api", reason="pages are tested with playwright")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome here")]

LONG = "cc.english.300.word2vec-skipgram-window5-mincount5-lowercased.vec"
MEASURES = ("Topk@3", "OddOneOut@3", "OddOneOut(use=matched)@3", "Categorization", "Analogy@1")
TOO_WIDE = """[...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth)
    .map(each => each.innerText)"""


def long_names():
    """Scores by many measures of models with long names, and how they differ."""
    scores = [measured(each) for each in MEASURES]
    files = [LONG, f"second.{LONG}"]
    found = [difference(files[1], 0.1, 0.5, measure=each, first=LONG) for each in MEASURES]
    named = [{**each, "test_set": "en.wikidata-2026-11-01.english.testset.json"} for each in found]
    both = change(0.1, 0.5, {"low": 0.0, "high": 0.2, "p": 0.5, "error": 0.05, "degrees": 30.0})
    return scores_file(*(scored(each, scores) for each in files), differences=[{**e, **both} for e in named])


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        yield started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])


@pytest.mark.parametrize("name", [*SAMPLES, "long names"])
def test_no_table_is_wider_than_the_page(name, browser, tmp_path):
    content = json.dumps(SAMPLES.get(name) or long_names()).encode()
    path = tmp_path / "report.html"
    path.write_text(make_report([InputFile("x.json", content, parse_results(content, "x"))]), "utf-8")
    page = browser.new_page(viewport={"width": 1100, "height": 900}, bypass_csp=True)
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate(TOO_WIDE) == []
    for width in (1100, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.close()
