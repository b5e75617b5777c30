"""Results as notebooks show them: a table as HTML, and a line or two as text."""

from __future__ import annotations

from dataclasses import replace

from msgspec.structs import replace as replace_field

from evaluator.measures.topk import Topk
from evaluator.results.base import Tested
from evaluator.statistics.inference import difference
from evaluator.studies.scoring import score
from tests.evaluator.examples import test_set, vectors
from tests.evaluator.reports.html_pages import parse

WORDS = test_set(one=["w0", "w1", "w2", "w3"], two=["w4", "w5", "w6", "x"])


def scored(name="test vectors"):
    rows = [[1, 0.1 * n, 0.01 * n * n] for n in range(9)]
    return score(replace(vectors(rows), name=name), WORDS, ["Topk@2", "OddOneOut@2"])


def test_scores():
    found = scored()
    page = parse(found._repr_html_())
    (overview,) = (
        table for table in page.all("table") if "Topk@2" in table.text and "Combined" in table.text
    )
    rows = {row[0]: row[1:] for row in overview.rows()}
    topk = found["Topk@2"]
    low, high = topk.interval
    assert rows["Topk@2"][:4] == ["8", "7", f"{topk.value:.4f}", f"{low:.4f} to {high:.4f}"]
    assert rows["Combined"][2] == f"{found['Combined'].value:.4f}"
    assert f"{found['OddOneOut@2'].subscores[1].value:.4f}" in page.text
    assert topk.signature in page.text


def test_scores_as_text():
    found = scored()
    lines = repr(found).splitlines()
    assert len(lines) == 5
    assert lines[0] == f"{repr(found['Topk@2'])[:-1]}, test vectors on test.json>"
    assert lines[0].startswith(f"<Topk@2: {found['Topk@2'].value:.4f} (")
    assert [line.partition(":")[0] for line in lines[2:4]] == ["<Combined", "<Above chance"]
    assert lines[4] == str(found.kept), "which model to keep is said last"


def test_names_are_text():
    shown = parse(scored("<script>x</script>")._repr_html_())
    assert not shown.all("script")
    assert "<script>x</script> on" in shown.text


def test_a_difference():
    subscores = scored()["Topk@2"].subscores
    same = difference(Topk(2), subscores, subscores)
    assert repr(same) == "<second minus first: the same scores>"
    found = replace_field(same, value=0.25)
    of_words = f"and p 1.0000 over {found.observations} words>"
    assert repr(found).startswith("<second minus first: +0.2500, paired t-tests: ")
    assert repr(found).endswith(of_words)
    of_categories = Tested(low=-0.25, high=0.5, p=0.5, error=0.2, degrees=5)
    both = repr(replace_field(found, of_categories=of_categories, subscores=6))
    assert "paired t-tests: -0.2500 to +0.5000 and p 0.5000 over 6 categories; " in both
    assert both.endswith(of_words)
