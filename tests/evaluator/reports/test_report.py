"""Reports: what is on the page, what is refused, and that the page needs nothing beside it."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import itertools
import json
import os
import re
import time
from itertools import product

import pytest

from evaluator.errors import ExtraError, ResultsError
from evaluator.execution.output_files import visible
from evaluator.execution.plugins import plugin_names
from evaluator.reports import sections as all_sections
from evaluator.reports.build import InputFile, make_report, read_inputs, report_page, write_report
from evaluator.reports.cells import signed
from evaluator.reports.page import Cell, Column, Figure, Notes, Table, Text
from evaluator.reports.render import LONGEST_LINK, fits_page
from evaluator.reports.renderers import as_latex
from evaluator.reports.sections.differences import differences_of
from evaluator.results import files
from evaluator.results.base import builtins_of
from evaluator.results.files import parse_results
from evaluator.results.scores import COLUMNS, RankedModel, Ranking
from evaluator.studies.scoring import score
from tests.evaluator.examples import test_set, vectors
from tests.evaluator.reports.html_pages import parse, table
from tests.evaluator.results.samples import (
    LINES,
    SAMPLES,
    SIGNED,
    composite,
    difference,
    in_languages,
    jsonl,
    measured,
    scored,
    scores_file,
    subscore,
)
from tests.spread import spread

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

HOSTILE = '<script>alert("1")</script> & $\\frac{$ \u202e\x00\x1b _x'


def source(content, name="scores.json"):
    """A result file, of JSON or of the lines of a batch."""
    raw = jsonl(content) if isinstance(content, list) else json.dumps(content, ensure_ascii=False).encode()
    return InputFile(name, raw, parse_results(raw, name))


FIGURES = "evaluator.reports.render.MOST_FIGURES"


@pytest.fixture(autouse=True)
def no_figures(monkeypatch):
    """The page of `everything` has all figures, and takes as long to draw as the rest of these tests."""
    monkeypatch.setattr(FIGURES, 0)


@pytest.fixture(scope="module")
def everything():
    """A page of files of all sorts, and its text."""
    files = [source(content, f"{name}.json") for name, content in SAMPLES.items()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FIGURES, 8)
        text = make_report([*files, source(LINES, "batch.jsonl")], "All")
    return parse(text), text


def page(*contents):
    return parse(make_report([source(each, f"{number}.json") for number, each in enumerate(contents)]))


def csv_rows(link):
    """The rows of a table that a page holds for download."""
    return list(csv.reader(io.StringIO(base64.b64decode(link.partition(",")[2]).decode())))


def sections(content, name="x.json"):
    """What a report says of a file, without drawing it."""
    return report_page([source(content, name)], "title").sections


def paths(content, path=()):
    """The path of everything in a JSON value; of long lists the first elements only."""
    first = enumerate(content[:1]) if isinstance(content, list) else ()
    for key, value in content.items() if isinstance(content, dict) else first:
        yield (*path, key)
        yield from paths(value, (*path, key))


def changed(content, path, change):
    """A copy with something changed at a path."""
    copy = json.loads(json.dumps(content))
    parent = copy
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return copy


def test_the_page_needs_nothing_beside_it(everything):
    found, text = everything
    policy = found.one("meta", **{"http-equiv": "Content-Security-Policy"})["content"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    forbidden = {"script", "link", "img", "iframe", "object", "base", "form"}
    assert not {each.tag for each in found.walk()} & forbidden
    for each in found.walk():
        for name, value in each.attributes.items():
            assert not name.startswith("on")
            if name in ("src", "href", "xlink:href", "action", "data", "poster"):
                assert value.startswith(("#", "data:")), value
    assert not re.search(r"https?:|@import|url\(h", text)


def test_ids_are_of_one_element_each_and_references_lead_to_them(everything):
    found, _ = everything
    ids = [each["id"] for each in found.walk() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    wanted = {each["href"][1:] for each in found.walk() if each.attributes.get("href", "").startswith("#")}
    wanted |= {each["aria-labelledby"] for each in found.walk() if "aria-labelledby" in each.attributes}
    for each in found.walk():
        for value in each.attributes.values():
            wanted |= set(re.findall(r"url\(#([^)]+)\)", value or ""))
    assert wanted <= set(ids)
    assert len(found.all("svg")) >= 8


def test_headings_tables_and_figures_are_told_to_those_who_cannot_see_them(everything):
    found, _ = everything
    assert found.one("html")["lang"] == "en"
    assert found.one("h1").text == found.one("title").text == "All"
    levels = [int(each.tag[1]) for each in found.walk() if re.fullmatch(r"h\d", each.tag)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    for each in found.all("table"):
        assert each.one("caption").text
        assert all(cell["scope"] in ("col", "row", "colgroup") for cell in each.all("th"))
        widths = [
            sum(int(c.attributes.get("colspan", 1)) for c in row.children if hasattr(c, "tag"))
            for row in each.all("tr")
        ]
        assert len(set(widths)) == 1
    labels = [
        each["aria-label"] for each in found.all("div", role="region") if "aria-label" in each.attributes
    ]
    captions = [each.text for each in found.all("caption")]
    assert (
        len({*labels, *captions})
        == len(labels) + len(captions)
        == len(found.all("div", role="region", tabindex="0"))
    )
    for each in found.all("svg"):
        assert each["role"] == "img"
        assert each["aria-label"]
    assert all(each.one("figcaption").text for each in found.all("figure"))


def test_contents_lead_to_all_sections(everything):
    found, _ = everything
    links = {link["href"][1:]: link.text for link in found.one("nav").all("a")}
    headings = {each["id"]: each.one("h2").text for each in found.all("section")}
    assert headings.items() <= links.items()
    assert next(iter(headings.values())) == "Summary"
    assert list(headings.values())[-2:] == ["Files", "What the words mean"]


def test_the_same_files_give_the_same_bytes():
    files = [source(SAMPLES[name], f"{name}.json") for name in ("scores", "probes")]
    assert make_report(files) == make_report(files)


def test_scores_are_on_the_page():
    why = "1 of 7 words in the vocabulary, 2 needed"
    parts = [subscore("month", 0.1234), subscore("weekday", None, skipped=why)]
    combined = {"value": 0.2, "low": 0.1, "high": 0.3}
    found = page(scores_file(scored(scores=[measured(value=0.3456, subscores=parts)], combined=combined)))
    rows = table(found, "a.vec on la.json, category by category").rows()
    assert rows == [
        ["month", "12", "9", "0.1234", "0.0617 to 0.1234", "0.2500"],
        ["weekday", "12", "9", "–", "–", "0.2500"],
    ]
    assert table(found, "a.vec on la.json").rows()[0][:5] == [
        "Topk@3",
        "12",
        "9",
        "0.3456",
        "0.1728 to 0.3456",
    ]
    summary = table(found, "Models and test sets").rows()
    assert summary == [
        ["a.vec", "la.json (la)", "Topk@3", "0.3456", "0.1728 to 0.3456", "0.1250", "0.0625", "–"],
        ["a.vec", "la.json (la)", "Combined", "0.2000", "0.1000 to 0.3000", "–", "–", "–"],
    ]
    text = found.one("main").text
    assert f"weekday, Topk@3: {why}" in text
    assert f"Topk@3{SIGNED}" in text
    assert "ab" * 32 in text
    assert "The file does not say how it was made. `evaluator score --json` writes such files." in text


def test_what_score_gives_is_shown():
    words = test_set(one=["w0", "w1", "w2", "w3"], two=["w4", "w5", "w6", "x"])
    scores = score(vectors([[1, 0.1 * n, 0.01 * n * n] for n in range(9)]), words, ["Topk@2", "OddOneOut@2"])
    found = page(scores_file(builtins_of(scores.record())))
    rows = {row[0]: row[1:] for row in table(found, "test vectors on test.json, category by category").rows()}
    for each in ("one", "two"):
        expected = [
            f"{part.value:.4f}" for one in scores.measured for part in one.subscores if part.name == each
        ]
        assert [rows[each][2], rows[each][6]] == expected, "after those of known words alone"
    assert f"{scores['Topk@2'].value:.4f}" in found.one("main").text
    assert f"{scores['Combined'].value:.4f}" in found.one("main").text


def test_what_a_batch_wrote_is_on_the_page(everything):
    found, _ = everything
    rows = table(found, "b.vec on la.json, category by category (2)").rows()
    assert rows[0] == ["month", "12", "9", "0.2500", "0.1250 to 0.2500", "0.2500"]
    text = found.one("main").text
    assert "/models/c.vec: line 2 is broken" in text
    assert "evaluator score a.vec b.vec --test la.json --oov skip --output batch.jsonl" in text


def test_what_score_could_not_score_is_on_the_page():
    lacks = scored("b.vec") | {
        "failures": [{"measure": "Analogy@1", "reason": "la.json: it has no sections"}]
    }
    failure = {"model": "c.vec", "test_set": "la.json", "reason": "no word is known"}
    found = page(
        scores_file(scored("a.vec", [measured(), measured("Analogy@1")]), lacks) | {"failures": [failure]}
    )
    text = found.one("main").text
    assert "b.vec: la.json: it has no sections" in text
    assert "c.vec on la.json: no word is known" in text
    rows = table(found, "Models and test sets").rows()
    assert [(row[0], row[2]) for row in rows] == [
        *(("a.vec", "Topk@3"), ("b.vec", "Topk@3"), ("a.vec", "Analogy@1"), ("b.vec", "Analogy@1"))
    ]
    assert rows[3][-4:] == ["–", "–", "–", "–"]


def test_differences_are_corrected_for_the_number_of_models():
    runs = [scored("a.vec"), scored("b.vec"), scored("c.vec")]
    found = page(
        scores_file(*runs, differences=[difference("b.vec", 0.2, 0.03), difference("c.vec", -0.1, 0.02)])
    )
    rows = table(found, "Differences between models").rows()
    assert [row[0] for row in rows] == ["b.vec", "c.vec"]
    assert [row[7] for row in rows] == ["0.0400", "0.0400"]
    assert [row[9] for row in rows] == ["b.vec is better", "a.vec is better"]


def test_the_same_scores_have_no_interval_that_suggests_a_difference():
    same = difference("b.vec", 0.0, 1.0)
    same["of_words"]["error"] = 1 / same["observations"]
    found = page(scores_file(scored("a.vec"), scored("b.vec"), differences=[same]))
    (row,) = table(found, "Differences, b.vec minus a.vec").rows()
    assert row[-2:] == ["the same scores", "the same scores"]
    assert "–" in row
    assert not any(" to " in cell for cell in row)


def test_the_model_to_keep_is_bold_and_no_other():
    runs = [scored("a.vec", [measured(value=0.6)]), scored("b.vec", [measured(value=0.4)])]
    for p, bold in ((0.001, 1), (0.5, 0)):
        found = scores_file(*runs, differences=[difference("b.vec", -0.2, p)])
        printed = as_latex(parse_results(json.dumps(found).encode(), "scores.json"))
        assert printed.count("\\textbf{a.vec}") == bold
        assert printed.count("\\textbf") == bold


def test_groups_of_many_models_are_a_detail():
    """Words of sixty letters say nothing; ranks do."""
    for letters in ("ab", "abcdefghi", ""):
        models = tuple(RankedModel(model=each, value=0.2, letters=letters, best=1, worst=2) for each in "mn")
        ranking = Ranking(test_set="la.json", measure="Topk@3", over="7 categories", models=models)
        record = {**scores_file(scored("m"), scored("n")), "rankings": [builtins_of(ranking)]}
        found = as_latex(parse_results(json.dumps(record).encode(), "scores.json"))
        assert ("rank & group &" in found, "rank & score &" in found) == (letters == "ab", letters != "ab")


@pytest.mark.parametrize(
    ("letters", "p", "said"),
    [
        (("a", "ab"), 0.001, "only the scores of a.vec and b.vec by Topk@3 differ."),
        (("a", "b"), 0.5, "only the lifts of a.vec and b.vec by Topk@3 differ."),
        (("a1", "a"), 0.5, "only the lifts of a.vec and b.vec by Topk@3 differ."),
        (("a", "b"), 0.001, ""),
        (("a", "a"), 0.5, ""),
        (("a", ""), 0.001, ""),  # the second is no contender
    ],
)
def test_where_ranks_and_differences_do_not_agree_it_is_said_why(letters, p, said):
    models = tuple(
        RankedModel(model=f"{name}.vec", value=0.2, letters=own, best=1, worst=2)
        for name, own in zip("ab", letters, strict=True)
    )
    ranking = Ranking(test_set="la.json", measure="Topk@3", over="7 categories", models=models)
    record = scores_file(scored("a.vec"), scored("b.vec"), differences=[difference("b.vec", -0.2, p)])
    record["rankings"] = [builtins_of(ranking)]
    blocks = differences_of(parse_results(json.dumps(record).encode(), "scores.json"))
    texts = [each.text for each in blocks if isinstance(each, Text) and "lifts" in each.text]
    assert len(texts) == bool(said)
    assert all(each.endswith(f"Here {said}") for each in texts)


def test_differences_say_of_which_language_they_are_and_are_drawn_from_the_first_model():
    pairs = [("a.vec", "b.vec"), ("a.vec", "c.vec"), ("b.vec", "c.vec")]
    models = [each for pair in pairs for each in pair]
    found = scores_file(
        *map(scored, dict.fromkeys(models)),
        differences=[
            {**difference(second, 0.2, 0.03, first=first), "language": language}
            for language in ("la", "grc")
            for first, second in pairs
        ],
    )
    *_, drawn = differences_of(parse_results(json.dumps(found).encode(), "scores.json"))
    assert [mark.row for mark in drawn.draw.args[0]] == [
        f"{second}, {language} la.json" for language in ("la", "grc") for _, second in pairs[:2]
    ]
    assert "The line is a.vec" in drawn.caption
    rows = table(page(found), "Differences between models").rows()
    assert [row[:4] for row in rows[2:4]] == [
        ["c.vec", "b.vec", "la", "la.json"],
        ["b.vec", "a.vec", "grc", "la.json"],
    ]


@pytest.mark.parametrize(
    ("models", "differences", "marked", "said"),
    [
        (
            {"a": 0.6, "b": 0.4},
            [difference("b", -0.2, 0.001, first="a")],
            "a",
            "Keep a: it is better than b, by Topk@3.",
        ),
        (
            {"a": 0.4, "b": 0.6},
            [difference("b", 0.2, 0.001, first="a")],
            "b",
            "Keep b: it is better than a, by Topk@3.",
        ),
        ({"a": 0.6, "b": 0.5}, [difference("b", -0.1, 0.06, first="a")], "", "a and b cannot be told apart"),
        ({"a": 0.6, "b": 0.5}, [], "", "2 models were not compared"),
        ({"a": 0.5, "b": 0.5}, [difference("b", 0.0, 1.0, first="a")], "", "a and b cannot be told apart"),
        (
            {"a": 0.6, "b": 0.3, "c": 0.4},  # Holm: 0.03 is 0.09
            [
                difference("b", -0.4, 0.03, first="a"),
                difference("c", -0.3, 0.03, first="a"),
                difference("c", 0.1, 0.5, first="b"),
            ],
            "",
            "a, c and b cannot be told apart",
        ),
        (
            {"a": 0.6, "b": 0.1},  # its interval is not above chance
            [difference("b", -0.5, 0.001, first="a")],
            "a",
            "Keep a: the only one of 2 models that is shown to be above chance and frequency by Topk@3.",
        ),
        ({"a": 0.1, "b": 0.05}, [difference("b", -0.05, 0.001, first="a")], "", "Keep none by this"),
    ],
)
def test_the_model_to_keep_is_marked_only_where_that_is_more_than_luck(models, differences, marked, said):
    runs = [scored(name, [measured(value=value)]) for name, value in models.items()]
    summary = sections(scores_file(*runs, differences=differences))[0]
    (found,) = [block for block in summary.blocks if isinstance(block, Table)]
    assert [row[0].text for row in found.rows if row[0].badge == "keep"] == ([marked] if marked else [])
    assert said in "; ".join(found_in(summary))


def found_in(section):
    return [
        item
        for block in section.blocks
        if isinstance(block, Notes) and block.title == "Found"
        for item in block.items
    ]


def test_versions_of_a_test_set_are_not_mixed_silently():
    runs = [
        scored("a", [measured(value=0.6)]),
        scored("b", [measured(value=0.2)]) | {"test_sha256": "0" * 64},
    ]
    said = found_in(sections(scores_file(*runs))[0])
    assert sum("is here in 2 versions" in line for line in said) == 1
    assert not any("versions" in line for line in found_in(sections(scores_file(runs[0]))[0]))


def test_a_report_opens_with_what_was_found():
    low = measured("OddOneOut@3", 0.2) | {"low": 0.15, "baseline": 0.17}
    runs = [scored("a", [measured(value=0.6), low]), scored("b", [measured(value=0.2)])]
    summary = sections(scores_file(*runs, differences=[difference("b", -0.4, 0.001, first="a")]))[0]
    (said,) = found_in(summary)
    assert said.startswith("la.json (la): Keep a: the only one of 2 models ")
    assert any(
        "Topk@3 stays above chance from 65,536 tokens on" in line
        for line in found_in(sections(SAMPLES["curve"])[0])
    )
    (first, *_) = found_in(sections(SAMPLES["compare"])[0])
    differ = sum(each["reading"] == "differ" for each in SAMPLES["compare"]["differences"])
    several = len(SAMPLES["compare"]["differences"])
    assert first.startswith(f"{differ} of {several} differences between two languages on the same items")


def test_the_answer_and_the_figure_stand_before_contents_and_tables(everything):
    summary = sections(scores_file(scored("a"), scored("b")))[0]
    kinds = [type(block).__name__ for block in summary.blocks]
    assert kinds[:3] == ["Notes", "Figure", "Table"]
    _, text = everything
    places = [text.index(each) for each in ("<h2", "<figure", '<nav aria-label="Contents"', 'id="s2-title"')]
    assert places == sorted(places)


def test_of_many_languages_there_is_a_line_for_each_and_one_for_all():
    summary = sections(in_languages())[0]
    (said,) = found_in(summary)
    assert said.startswith("all languages: Keep a.vec")
    found = next(block for block in summary.blocks if isinstance(block, Table))
    assert [[cell.text for cell in row[:2]] for row in found.rows] == [
        ["la", "a.vec"],
        ["de", "a.vec"],
        ["all languages", "a.vec"],
    ]
    assert found.totals == 1
    assert [type(block).__name__ for block in summary.blocks] == ["Notes", "Figure", "Table", "Fold", "Text"]
    (figure,) = (block for block in summary.blocks if isinstance(block, Figure))
    with figure.draw() as drawn:
        assert {"la", "de"} <= {each.get_text() for each in drawn.axes[0].get_yticklabels()}


def test_words_are_defined_in_a_sentence_each(everything):
    found, _ = everything
    terms = {each.text for each in found.all("dt")}
    assert terms >= {
        "Topk@k",
        "OddOneOut@k",
        "Combined",
        "OOV",
        "Chance level",
        "Frequency baseline",
        "Units",
    }


def test_categories_are_called_by_their_titles():
    content = scores_file(scored(scores=[measured(subscores=[subscore(title="Months of the year")])]))
    assert table(page(content), "a.vec on la.json, category by category").rows()[0][0] == "Months of the year"


def test_figures_have_the_colours_of_the_page(everything):
    _, text = everything
    assert not re.search(r'style="[^"]*#(000000|ffffff|dddddd)', text)
    assert "var(--page)" in text
    assert "background: #ffffff" not in text


def test_models_of_two_files_were_not_tested():
    values = {"a": 0.5, "b": 0.1}
    files = [
        source(scores_file(scored(name, [measured(value=value)])), name) for name, value in values.items()
    ]
    told = "2 models are in 2 files, and models of several files are not compared"
    assert any(told in item for item in found_in(report_page(files, "").sections[0]))


def test_no_model_is_best_if_each_was_asked_other_words():
    contents = (json.dumps(scores_file(scored(name))) for name in "ab")
    plain = (json.loads(each.replace("|candidates:0123456789ab", "")) for each in contents)
    (said,) = found_in(
        report_page([source(each, f"{n}.json") for n, each in enumerate(plain)], "").sections[0]
    )
    assert said.startswith(
        "la.json (la): Topk@3: 2 models were not compared, as each was asked words of its own"
    )


def test_scores_with_other_settings_stay_apart():
    other = json.loads(json.dumps(scored()).replace("case:fold", "case:exact"))
    rows = table(page(scores_file(scored()), scores_file(other)), "Models and test sets").rows()
    assert [row[1] for row in rows] == ["la.json (la; case fold)", "la.json (la; case exact)"]


def values_of(content, measure):
    scores = (score for each in content["results"] for score in each["scores"])
    return [score["value"] for score in scores if score["measure"] == measure]


def test_a_learning_curve_is_on_the_page(everything):
    found, _ = everything
    content = SAMPLES["curve"]
    rows = table(found, "Scores of models of english_wikipedia.txt.gz by size").rows()
    assert [row[0] for row in rows] == [f"{each['size']:,}" for each in content["sizes"]]
    assert [row[3] for row in rows] == [f"{value:.4f}" for value in values_of(content, "Topk@3")]
    rows = table(found, "Scores of models of english_wikipedia.txt.gz by size (4)").rows()
    analogies = [row[-5] for row in rows]
    assert analogies[:2] == ["–", "–"]
    assert analogies[-1] == f"{values_of(content, 'Analogy@1')[-1]:.4f}"
    onsets = {row[0]: row[1:] for row in table(found, "Onsets, in tokens").rows()}
    assert onsets["above chance"] == ["65,536", "262,144", "262,144", "131,072"]
    assert len(table(found, "Categories at the largest size").rows()) == len(content["made_of"])


@pytest.mark.parametrize("name", ["tuning-biblical_hebrew", "tuning-old_norse"])
def test_a_search_is_on_the_page(name):
    content = SAMPLES[name]
    found = page(content)
    view = content["reported_on"]
    (best, default) = table(found, "The best model and the default hyper-parameters").rows()
    shown = {each["keys"]["trial"]: each for each in content["results"] if each["keys"]["view"] == view}
    for row, which in ((best, "best"), (default, "default")):
        (value,) = values_of({"results": [shown[content[which]]]}, "Topk@3")
        assert row[1] == f"{value:.4f}"
    trials = table(found, f"All {len(content['trials'])} trials, the best first").rows()
    assert trials[0][0].split() == [str(content["best"]), "best"]
    assert {row[0].split()[0] for row in trials} == {str(each["number"]) for each in content["trials"]}
    text = found.one("main").text
    assert ("by which no model was chosen" in text) == (view == "report")
    nothing = f"The best of the search, trial {content['best']}, is not shown to be above " in text
    assert nothing == (view == "report" and not content["found"])


def test_a_comparison_of_languages_is_on_the_page(everything):
    found, _ = everything
    content = SAMPLES["compare"]
    rows = table(found, "Languages on the same items").rows()
    aligned = [each for each in content["results"] if each["keys"]["view"] == "aligned"]
    values = sorted(f"{score['value']:.4f}" for each in aligned for score in each["scores"])
    assert sorted(row[5] for row in rows) == values
    readings = [row[-1] for row in table(found, "Differences between languages on the same items").rows()]
    assert readings == [each["reading"] for each in content["differences"]]
    detects = [row[-2] for row in table(found, "Differences between languages on the same items").rows()]
    real = [each["detects"] for each in content["differences"]]
    assert detects == [f"{each:.2f}" if each <= 1 else "more than 1" for each in real]
    assert max(real) > 1 > min(real)
    word = content["concepts"][0]["words"]["hbo"][0]
    assert [each.text for each in found.all("bdi", lang="hbo")].count(word) == 1


def test_a_sweep_of_emoji_is_on_the_page(everything):
    found, _ = everything
    content = SAMPLES["emoji"]
    rows = table(found, "Measures by learning rate, 3 models at each").rows()
    assert len(rows) == len({each["keys"]["rate"] for each in content["results"]})
    highest = [row for row in rows if "highest" in row[1]]
    at_best = [each for each in content["results"] if each["keys"]["rate"] == content["best"]["Topk@3"]]
    topk = [each["scores"][0]["value"] for each in at_best if each["keys"]["on"] == "categories"]
    assert highest[0][1].split()[0] == f"{sum(topk) / len(topk):.4f}"


def test_one_number_for_each_model_is_on_the_page(everything):
    found, _ = everything
    rows = table(found, "Models and tasks").rows()
    frame = composite().frame()
    assert [row[4] for row in rows] == [f"{value:.4f}" for value in frame["pce"]]
    assert [row[5] for row in rows] == [str(value) for value in frame["rank"]]


def test_probes_are_on_the_page(everything):
    found, _ = everything
    (one,) = [
        each for each in found.all("table") if ": accuracy on all of la.json" in each.one("caption").text
    ]
    assert one.rows() == [["svm", "0.5000", "0.7500", "0.6250"]]
    means = table(found, "Mean ranks, with their standard deviation over the tasks").rows()
    assert means[0] == ["a.vec", "0.00 ± 0.00", "0.50 ± 0.25", "0.00 ± 0.00", "0.50", "1"]


def test_coverage_is_on_the_page(everything):
    found, _ = everything
    rows = table(found, "What test vectors knows of test.json").rows()
    assert rows == [
        ["month", "category", "4", "2", "50%", "x Q3, y Q4"],
        ["day", "category", "2", "1", "50%", "z Q2"],
        ["all", "", "6", "3", "50%", ""],
    ]


def test_names_are_text_whatever_they_hold(monkeypatch):
    monkeypatch.setattr(FIGURES, 40)
    parts = [
        subscore(HOSTILE),
        subscore("</title><style>*{display:none}</style>", None, skipped=HOSTILE),
        subscore("_y"),
    ]
    runs = [
        scored(HOSTILE, [measured(HOSTILE, subscores=parts)], test_set=HOSTILE),
        scored("b", [measured(HOSTILE, subscores=parts)]),
    ]
    files = [
        source(scores_file(*runs, differences=[difference("b", 0.1, 0.5, HOSTILE, HOSTILE)]), "<b>.json"),
        *(
            source(json.loads(json.dumps(SAMPLES[name]).replace(was, now).replace("capital-world", "<u>$")))
            for name, was, now in (
                ("curve", "Topk@3", "_$x$ <i>"),
                ("probes", "a.vec", "<b>_$"),
                ("compare", "biblical-figure", "</svg><script>"),
                ("coverage", '"en"', '"<x>"'),
            )
        ),
    ]
    text = make_report(files, HOSTILE)
    found = parse(text)
    assert not found.all("script")
    assert not {"b", "i", "u"} & {each.tag for each in found.walk()}
    assert len(found.all("style")) == len(found.all("h1")) == 1
    shown = visible(HOSTILE)
    assert found.one("h1").text == shown
    assert shown in [each.text for each in found.all("th", scope="row")]
    assert not {"\x00", "\x1b", "\u202e"} & set(text)
    assert not any("<" in each.attributes.get("lang", "") for each in found.walk())


def test_input_files_and_tables_are_held_by_the_page(everything):
    found, _ = everything
    links = {each["download"]: each["href"] for each in found.all("a") if "download" in each.attributes}
    for name, content in SAMPLES.items():
        held = base64.b64decode(links[f"{name}.json"].partition("base64,")[2])
        assert json.loads(held) == json.loads(json.dumps(content))
        assert hashlib.sha256(held).hexdigest() in found.one("main").text
    assert {"tuning-models.csv", "tuning-models-2.csv"} <= links.keys()
    head, *rows = csv_rows(links["curve.csv"])
    values = [float(row[head.index("Topk@3 score")]) for row in rows]
    assert values == values_of(SAMPLES["curve"], "Topk@3")
    head, *rows = csv_rows(links["scores.csv"])
    assert tuple(head) == COLUMNS
    shown = [[row[head.index(name)] for name in ("model", "measure", "part", "value")] for row in rows]
    assert shown == [
        *(["a.vec", "Topk@3", part, "0.5"] for part in ("all", "month")),
        ["a.vec", "Combined", "all", "0.5"],
        *(["b.vec", "Topk@3", part, "0.5"] for part in ("all", "month")),
    ]


def test_names_do_not_run_as_formulas_in_a_spreadsheet():
    names = ["=1+1", "+cmd", "-x", "@sum", "\t=1", "fine", "-0.5"]
    runs = [scored(each, [measured(value=0.5)]) for each in names]
    composed = json.loads(json.dumps(builtins_of(composite())).replace("Topk@3", "=task"))
    found = parse(make_report([source(scores_file(*runs)), source(composed)]))
    held = {each["download"]: each["href"] for each in found.all("a") if "download" in each.attributes}
    tables = [csv_rows(link) for name, link in held.items() if name.endswith(".csv")]
    cells = {cell for rows in tables for row in rows for cell in row}
    assert {"'=1+1", "'+cmd", "'-x", "'@sum", r"\u0009=1", "fine", "-0.5"} <= cells
    assert [cell for cell in cells if cell.startswith(("=", "+", "@", "\t"))] == []
    assert "=1+1" in [each.text for each in found.all("th", scope="row")], "the page shows it as it is"
    negative = Table("", [Column("x")], [[signed(-0.5)]]).as_csv()
    assert negative == "x\n-0.5\n"


def test_a_table_that_is_too_wide_is_cut_between_groups_and_each_part_names_the_rows():
    measures = [Column(f"{title}{n}", group=f"measure {n}") for n in range(9) for title in "abc"]
    cells = [signed(0.1 * number) for number in range(27)]
    whole = Table("Wide", [Column("model", kind="name"), *measures], [[Cell("a.vec", ("a.vec",)), *cells]])
    parts = whole.parts(fits_page)
    assert len(parts) == 3
    assert [column for part in parts for column in part.columns[1:]] == measures
    assert [cell for part in parts for cell in part.rows[0][1:]] == cells
    for part in parts:
        assert part.rows[0][0].text == "a.vec"
        assert len({column.group for column in part.columns[1:]}) * 3 == len(part.columns) - 1
    narrow = Table("Narrow", whole.columns[:7], [whole.rows[0][:7]])
    assert [part.columns for part in narrow.parts(fits_page)] == [narrow.columns]


def test_long_names_in_tables_may_be_broken_where_people_would():
    found = page(scores_file(scored("cc.en.300_word2vec-skipgram.vec")))
    cell = table(found, "Models and test sets").one("tbody").all("th")[0]
    assert cell.text == "cc.en.300_word2vec-skipgram.vec"
    assert len(cell.all("wbr")) == 4


def many(models=100, categories=60):
    parts = [subscore(f"category-{number}", number / categories) for number in range(categories)]
    runs = [scored(f"model-{number}.vec", [measured(subscores=parts)]) for number in range(models)]
    return scores_file(
        *runs,
        differences=[difference(f"model-{n}.vec", 0.1, 0.5, first="model-0.vec") for n in range(1, models)],
    )


@pytest.mark.parametrize("models", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_many_models_and_categories_make_a_page_that_can_be_used(monkeypatch, models):
    monkeypatch.setattr(FIGURES, 1)
    monkeypatch.setattr("evaluator.reports.render.LONGEST_LINK", LONGEST_LINK * models // 100)
    began = time.perf_counter()
    content = many(models)
    text = make_report([source(content)])
    assert time.perf_counter() - began < 60
    found = parse(text)
    assert len(table(found, "Models and test sets").rows()) == models
    folds = found.all("details")
    assert len(folds) == models
    assert ["open" in each.attributes for each in folds] == [True] + [False] * (models - 1)
    assert len(text) < 12_000_000
    (packed,) = [each for each in found.all("a") if each.attributes.get("download") == "scores.json.gz"]
    held = gzip.decompress(base64.b64decode(packed["href"].partition("base64,")[2]))
    assert json.loads(held) == content


def test_a_page_has_only_so_many_figures(monkeypatch):
    monkeypatch.setattr(FIGURES, 2)
    found = page(SAMPLES["scores"], SAMPLES["curve"], SAMPLES["compare"])
    assert len(found.all("svg")) == 2
    assert "A page has only so many figures" in found.one("main").text


def remove(parent, key):
    del parent[key]


def blank(parent, key):
    parent[key] = None


def empty(parent, key):
    parent[key] = type(parent[key])() if isinstance(parent[key], (list, dict)) else "x"


def huge(parent, key):
    parent[key] = 10**400 if type(parent[key]) is int else parent[key]


@pytest.mark.parametrize("number", [12, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "change"),
    spread(product(sorted(SAMPLES.keys() - {"tuning-biblical_hebrew"}), [remove, blank, empty, huge]), 3),
    ids=lambda each: getattr(each, "__name__", each),
)
def test_whatever_is_missing_or_wrong_nothing_breaks(name, change, number):
    """Each of so many values is removed, null, of another kind or huge: it is refused, or shown."""
    refused, every = [], list(paths(SAMPLES[name]))
    for path in every[:: max(1, len(every) // number)]:
        content = changed(SAMPLES[name], path, change)
        try:
            if content != SAMPLES[name]:
                sections(content)
        except ResultsError as error:
            refused.append(str(error))
    assert len(refused) > 1 or change is huge
    assert [message for message in refused if not re.match(r"x\.json: (key in )?\$", message)] == []


def test_a_report_has_a_section_for_each_kind_of_file():
    assert list(all_sections.SECTIONS) == list(files.KINDS)
    assert plugin_names(all_sections.GROUP) == plugin_names(files.GROUP)


@pytest.mark.parametrize("library", ["jinja2", "matplotlib"])
def test_a_library_that_is_missing_is_named(monkeypatch, library, tmp_path):
    monkeypatch.setattr("evaluator.reports.render.find_spec", lambda name: None if name == library else name)
    with pytest.raises(
        ExtraError, match=rf"^a report needs {library}: pip install 'testgen-evaluator\[report\]'$"
    ):
        write_report([source(SAMPLES["scores"])], tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def command(tmp_path, monkeypatch, evaluator):
    """Runs a command in a folder with results, vectors and a test set; gives stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    for name in ("scores", "coverage"):
        (tmp_path / f"{name}.json").write_text(json.dumps(SAMPLES[name]), encoding="utf-8")
    words = "\n".join(f"w{n} 1 {0.1 * n:.1f} {0.01 * n * n:.2f}" for n in range(9))
    (tmp_path / "a.vec").write_text(f"9 3\n{words}\n", encoding="utf-8")
    (tmp_path / "b.vec").write_text(f"9 3\n{words.replace('1 0.', '2 0.')}\n", encoding="utf-8")
    (tmp_path / "words.txt").write_text(":one\nw0 w1 w2 w3\n:two\nw4 w5 w6 w7\n", encoding="utf-8")

    def command_(*arguments, code=0):
        out, said, ended = evaluator(*arguments)
        assert ended == code, said
        return out, said

    return command_


def test_report(command, tmp_path):
    assert command("report", "scores.json", "coverage.json", "-o", "x.html", "--title", "Latin") == ("", "")
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert text == make_report(read_inputs([tmp_path / "scores.json", tmp_path / "coverage.json"]), "Latin")
    assert parse(text).one("h1").text == "Latin"


def test_files_of_the_same_name_are_told_apart(command, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "scores.json").write_bytes((tmp_path / "scores.json").read_bytes())
    command("report", "scores.json", "in/scores.json", "-o", "x.html")
    found = parse((tmp_path / "x.html").read_text(encoding="utf-8"))
    assert [row[0] for row in table(found, "Result files that this page was made of").rows()] == [
        "scores.json",
        "in/scores.json",
    ]


def test_names_that_are_no_utf8_are_shown_with_their_bytes(command, tmp_path):
    odd = os.fsdecode(b"in\xff.json")
    (tmp_path / odd).write_bytes((tmp_path / "scores.json").read_bytes())
    command("report", odd, "-o", "x.html", "--title", os.fsdecode(b"Latin\xff"))
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert parse(text).one("h1").text == r"Latin\udcff"
    assert r"in\udcff.json" in text
    vectors = os.fsdecode(b"\xff.vec")
    (tmp_path / vectors).write_bytes((tmp_path / "a.vec").read_bytes())
    command("score", vectors, "--test", "words.txt", "-m", "Topk@2", "--report", "y.html")
    command("report", odd, "-o", os.fsdecode(b"\xff.html"))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["none.json", "-o", "x.html"], "none.json: cannot be read: No such file"),
        (["scores.json", "scores.json", "-o", "x.html"], "scores.json: given twice"),
        (
            ["scores.json", "-o", "scores.json"],
            "scores.json: is an input; results would overwrite it. Name another output",
        ),
        (["scores.json", "-o", "none/x.html"], "none/x.html: cannot be written: No such file"),
        (["scores.json", "-o", "."], ".: is a folder; name a file"),
        (["scores.json", "-o", "x.pdf"], "x.pdf: a report ends in .html; tables end in .tex or .csv"),
        (["scores.json", "words.txt", "-o", "x.html"], "words.txt: holds a text, not results of evaluator"),
    ],
)
def test_what_cannot_be_reported_is_refused(command, tmp_path, arguments, complaint):
    before = sorted(tmp_path.iterdir())
    out, said = command("report", *arguments, code=2)
    assert said.startswith(f"evaluator: {complaint}")
    assert said.count("\n") == 1
    assert not out
    assert sorted(tmp_path.iterdir()) == before


def test_score_writes_a_report_of_its_scores(command, tmp_path):
    arguments = ["score", "a.vec", "b.vec", "--test", "words.txt", "-m", "Topk@2"]
    plain, _ = command(*arguments)
    out, said = command(*arguments, "--report", "x.html")
    assert (out, said) == (plain, "")
    as_json, _ = command(*arguments, "--json")
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == make_report(
        [InputFile("scores.json", as_json.encode(), parse_results(as_json.encode(), "x"))]
    )


def test_batch_writes_a_report_of_its_scores(command, tmp_path):
    arguments = ("score", "*.vec", "--test", "words.txt", "-m", "Topk@2", "--output", "b.jsonl")
    command(*arguments, "--report", "x.html")
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert text == make_report(read_inputs([tmp_path / "b.jsonl"]))
    assert len(table(parse(text), "Models and test sets").rows()) == 2
    for path in ("b.jsonl", "words.txt"):
        _, said = command(*arguments, "--report", path, code=2)
        assert said.startswith(f"evaluator: {path}: ")


def test_only_one_way_of_printing_results_is_taken(command):
    _, said = command("score", "a.vec", "--test", "words.txt", "--json", "--csv", code=2)
    assert "choose --json or --csv" in said


def test_combined_has_baselines(command):
    arguments = ("score", "a.vec", "--test", "words.txt", "-m", "Topk@2", "-m", "OddOneOut@2")
    content = json.loads(command(*arguments, "--json")[0])
    levels = {
        each["measure"]: [each[name] for name in ("baseline", "spelling")]
        for each in content["results"][0]["scores"]
    }
    assert all(0 < level < 1 for level in levels["Combined"])
    rows = {row[2]: row for row in table(page(content), "Models and test sets").rows()}
    assert rows["Combined"][-2:] == [f"{level:.4f}" for level in levels["Combined"]]
    rows = {row[0]: row[-2:] for row in table(page(content), "a.vec on words.txt").rows()}
    for each in ("Combined", "Above chance"):
        assert rows[each] == [f"{level:.4f}" for level in levels[each]]


@pytest.mark.parametrize("path", ["none/x.html", "a.vec", "words.txt"])
def test_score_refuses_a_report_that_cannot_be_written_before_it_works(command, monkeypatch, path):
    monkeypatch.setattr(
        "evaluator.vectors.reading.VectorsFile.load", lambda *_: pytest.fail("vectors were loaded")
    )
    _, said = command("score", "a.vec", "--test", "words.txt", "--report", path, code=2)
    assert said.startswith(f"evaluator: {path}: ")
