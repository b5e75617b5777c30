"""Pages of a folder: what can be compared is in one column, damaged files are named, links lead somewhere."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from evaluator.cli.app import app
from evaluator.errors import OutputError, ResultsError
from evaluator.plugins.site.pages import write_site
from tests.conftest import REPOSITORY
from tests.evaluator.reports.html_pages import parse, table
from tests.evaluator.results.samples import SAMPLES, in_languages, jsonl, measured, scored, scores_file

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

HOSTILE = '<script>alert("1")</script> & $\\frac{$ \u202e\x00\x1b _x'
TOPK = "Topk@3 of models, with 95% intervals for other words and chance levels"
ENGLISH = {"language": "en", "test_set": "en.json", "test_sha256": "ef" * 32}
SORT = """
const cell = (text, kind) => ({
  textContent: text, className: kind, childNodes: [text], attributes: {}, append() {},
  getAttribute(name) { return this.attributes[name] ?? null; },
  setAttribute(name, value) { this.attributes[name] = value; },
  removeAttribute(name) { delete this.attributes[name]; },
});
const rows = ROWS.map((row) => ({ cells: row.map((text) => cell(text, "")) }));
const body = { rows, append(...sorted) { this.rows = sorted; } };
const heads = [cell("model", "name"), cell("score", "number")];
const buttons = [];
globalThis.document = {
  querySelectorAll: () => [{ tBodies: [body], tHead: { rows: [{ cells: heads }] } }],
  createElement: () => { const made = { append() {}, addEventListener(_, run) { this.run = run; } };
    buttons.push(made); return made; },
};
SCRIPT
for (const number of CLICKS) buttons[number].run();
const names = body.rows.map((row) => row.cells[0].textContent);
console.log(JSON.stringify([names, heads[CLICKS.at(-1)].attributes]));
"""


FIGURES = "evaluator.reports.render.MOST_FIGURES"


@pytest.fixture(autouse=True)
def no_figures(monkeypatch):
    """To draw them takes longer than all else."""
    monkeypatch.setattr(FIGURES, 0)


@pytest.fixture
def folder(tmp_path):
    """A folder of results."""
    (tmp_path / "results").mkdir()
    return tmp_path / "results"


def put(folder, name, *models):
    (folder / name).write_text(json.dumps(scores_file(*models)), encoding="utf-8")


def site(folder, name="index.html"):
    """The pages of a folder, and one of them."""
    output = folder.with_name("site")
    skipped = write_site([folder], output)
    return skipped, parse((output / name).read_text(encoding="utf-8"))


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def headings(page, caption=TOPK):
    return [
        cell.text for cell in table(page, caption).one("thead").all("th") if cell.attributes.get("colspan")
    ]


def test_models_whose_names_differ_by_language_are_one_row_with_a_column_for_each_test_set(folder):
    put(folder, "en.json", scored("cc.en.vec", [measured(value=0.25)], **ENGLISH))
    put(folder, "la.json", scored("cc.la.vec"), scored("other.vec", [measured(value=0.75)]))
    _, page = site(folder)
    assert headings(page) == ["en en.json", "la la.json"]
    assert table(page, TOPK).rows() == [
        ["cc.{language}.vec", "0.250", "0.125 to 0.250", "0.125", "0.500", "0.250 to 0.500", "0.125"],
        ["other.vec", "–", "–", "–", "0.750", "0.375 to 0.750", "0.125"],
    ]


def test_two_versions_of_a_test_set_are_two_columns_and_the_page_says_so(folder):
    put(folder, "old.json", scored())
    put(folder, "new.json", scored(test_sha256="cd" * 32))
    _, page = site(folder)
    assert headings(page) == ["la la.json, version abababab", "la la.json, version cdcdcdcd"]
    assert "la la.json: abababab, cdcdcdcd" in {item.text for item in page.all("li")}


def test_other_settings_are_another_column_and_another_name_of_the_file_is_not(folder):
    put(folder, "a.json", scored())
    put(folder, "renamed.json", scored("b.vec", test_set="latin.json"))
    score = measured(value=0.25)
    score["signature"] = score["signature"].replace("norm:unit", "norm:none")
    put(folder, "c.json", scored("c.vec", [score]))
    _, page = site(folder)
    assert headings(page) == ["la la.json, way 1", "la la.json, way 2"]
    assert [[row[0], row[1], row[4]] for row in table(page, TOPK).rows()] == [
        ["a.vec", "–", "0.500"],
        ["b.vec", "–", "0.500"],
        ["c.vec", "0.250", "–"],
    ]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"one.json": [scored()]}, {"a.vec": "0.500"}),
        (
            {"one.json": [scored(scores=[measured(value=0.25)])]},
            {"a.vec (one.json)": "0.250", "a.vec (results.json)": "0.500"},
        ),
        (
            {"one.json": [scored(model_sha256="12" * 32)], "two.json": [scored(model_sha256="34" * 32)]},
            {f"a.vec ({name}.json)": "0.500" for name in ("one", "results", "two")},
        ),
        (
            {"results.json": [scored(), scored(scores=[measured(value=0.25)])]},
            {"a.vec (results.json)": "0.500", "a.vec (results.json) (2)": "0.250"},
        ),
    ],
    ids=["the same score twice", "another score", "another model", "another score in one file"],
)
def test_scores_of_one_name_that_differ_are_all_shown(folder, others, expected):
    put(folder, "results.json", scored())
    for name, models in others.items():
        put(folder, name, *models)
    _, page = site(folder)
    assert {row[0]: row[1] for row in table(page, TOPK).rows()} == expected


def test_a_column_has_a_page_with_the_highest_score_first(folder, monkeypatch):
    monkeypatch.setattr(FIGURES, 1)
    put(folder, "r.json", scored("a.vec"), scored("b.vec", [measured(value=0.75)]))
    _, index = site(folder)
    (link,) = [link for link in index.all("a") if link["href"].startswith("columns/")]
    page = parse((folder.with_name("site") / link["href"]).read_text(encoding="utf-8"))
    rows = table(page, "Topk@3 on la la.json").rows()
    best = [
        "b.vec",
        "r.json",
        "12",
        "9",
        "0.750",
        "0.375 to 0.750",
        "0.188 to 1.125",
        "0.125",
        "0.062",
        "–",
    ]
    assert (rows[0], rows[1][0]) == (best, "a.vec")
    assert len(page.all("svg")) == 1, "one figure, and so one axis"
    assert "score, with its 95% interval" in {text.text.strip() for text in page.all("text")}


def test_models_that_were_compared_have_the_letters_of_their_ranking(folder):
    (folder / "r.json").write_text(json.dumps(in_languages()), encoding="utf-8")
    _, page = site(folder)
    assert [row[1] for row in table(page, TOPK).rows()] == ["0.250 a", "0.125 b"]
    kept = {each["test_set"]: each for each in in_languages()["kept"]}
    (link, *_) = [link["href"] for link in page.all("a") if link["href"].startswith("columns/")]
    column = parse((folder.with_name("site") / link).read_text(encoding="utf-8"))
    said = [text.text.strip() for text in column.all("p") if text.text.strip().startswith("Keep ")]
    assert len(said) == 1, "which to keep, or why none"
    assert any(model in said[0] for model in kept["la.json"]["models"])
    put(folder, "other.json", scored("c.vec", language="de", test_set="de.json"))
    _, page = site(folder)
    shown = [row[1] for row in table(page, TOPK).rows()]
    assert shown == ["0.250", "0.125", "0.500"], "letters of two files would say what nobody compared"
    texts = {
        parse(path.read_text(encoding="utf-8")).text
        for path in (folder.with_name("site") / "columns").glob("*.html")
    }
    assert any("No model is named, as they were not compared" in text for text in texts)


def test_every_link_leads_to_a_page_and_nothing_is_loaded(folder):
    for name, content in SAMPLES.items():
        path = folder / f"{name}.json"
        path.write_bytes(jsonl(content) if isinstance(content, list) else json.dumps(content).encode())
    skipped, _ = site(folder)
    assert skipped == {}
    output = folder.with_name("site").resolve()
    pages = sorted(output.rglob("*.html"))
    reached = {output / "index.html"}
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r'(?:src|href)="(?:https?:)?//', text)
        page = parse(text)
        for script in page.all("script"):
            digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
            assert f"script-src 'sha256-{digest}'" in text
        for link in page.all("a"):
            if not link["href"].startswith(("#", "data:")):
                target = (path.parent / link["href"]).resolve()
                assert target.is_file(), link["href"]
                reached.add(target)
    assert reached == set(pages)


def test_damaged_and_hostile_files_are_named_and_the_others_are_shown(folder, monkeypatch):
    monkeypatch.setattr(FIGURES, 1)
    put(folder, "good.json", scored(HOSTILE, test_set=HOSTILE, language=HOSTILE))
    (folder / "broken.json").write_text('{"format": "scores"', encoding="utf-8")
    (folder / "testset.json").write_text('{"format": "testset", "version": 1}', encoding="utf-8")
    (folder / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    (folder / "empty.jsonl").touch()
    put(folder, "large.json", scored(scores=[{**measured(), "low": -1e308, "high": 1e308}]))
    (folder / "notes.txt").write_text("left alone", encoding="utf-8")
    (folder / ".part.json").write_text("left alone too", encoding="utf-8")
    (folder / "trials.jsonl").write_text("{}\n{}\n", encoding="utf-8")
    skipped, page = site(folder)
    assert set(skipped) == {"broken.json", "testset.json", "deep.json", "empty.jsonl", "large.json"}
    listed = {item.text for item in page.all("li")}
    assert {f"{file}: {reason}" for file, reason in skipped.items()} <= listed
    for path in folder.with_name("site").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        parse(text)


def test_the_command_ends_with_1_if_a_file_was_skipped(folder):
    put(folder, "good.json", scored())
    arguments = ["site", str(folder.with_name("site")), str(folder), "--title", "Our group"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    (folder / "broken.json").write_text("{", encoding="utf-8")
    run = CliRunner().invoke(app, arguments)
    assert (run.exit_code, "broken.json is skipped: not JSON" in run.stderr) == (1, True)
    page = parse((folder.with_name("site") / "index.html").read_text(encoding="utf-8"))
    assert page.one("h1").text == "Our group"


def test_without_any_results_no_page_is_written(folder):
    (folder / "broken.json").write_text("{", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"^broken\.json: "):
        write_site([folder], folder.with_name("site"))
    assert not folder.with_name("site").exists()


def test_pages_are_replaced_whole_and_the_same_results_give_the_same_bytes(folder, monkeypatch):
    put(folder, "a.json", scored())
    put(folder, "b.json", scored("b.vec"))
    output = folder.with_name("site")
    write_site([folder], output)
    before = files(output)
    (folder / "b.json").unlink()
    with monkeypatch.context() as patch:
        patch.setattr("evaluator.plugins.site.pages._index", None)
        with pytest.raises(TypeError):
            write_site([folder], output)
    assert files(output) == before
    write_site([folder], output)
    assert len(files(output)) == len(before) - 1
    put(folder, "b.json", scored("b.vec"))
    write_site([folder], output)
    assert files(output) == before
    assert sorted(path.name for path in folder.parent.iterdir()) == ["results", "site"]


@pytest.mark.parametrize("name", ["thesis.tex", "index.html"])
def test_a_folder_with_other_files_is_not_replaced(folder, name):
    put(folder, "a.json", scored())
    output = folder.with_name("site")
    output.mkdir()
    (output / name).write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="name a new folder"):
        write_site([folder], output)
    assert files(output) == {name: b"mine"}


def test_progress_only_grows(folder):
    put(folder, "a.json", scored())
    put(folder, "b.json", scored("b.vec", **ENGLISH))
    told = []
    write_site([folder], folder.with_name("site"), progress=told.append)
    assert told == [0, 0.25, 0.5, 0.75]


def test_a_folder_without_results_is_refused_before_anything_is_written(folder):
    with pytest.raises(ResultsError, match=r"no \.json or \.jsonl files"):
        write_site([folder], folder.with_name("site"))
    assert not folder.with_name("site").exists()


@pytest.mark.skipif(shutil.which("node") is None, reason="the script is run with node")
@pytest.mark.parametrize(
    ("clicks", "expected", "order"),
    [
        ([1], "bcad", "descending"),
        ([1, 1], "acbd", "ascending"),
        ([1, 0], "abcd", "ascending"),
        ([0, 0], "dcba", "descending"),
    ],
)
def test_the_script_sorts_numbers_and_names_with_missing_numbers_last(clicks, expected, order):
    script = (REPOSITORY / "evaluator" / "reports" / "templates" / "sort.js").read_text(encoding="utf-8")
    rows = [["c", "0.5"], ["d", "–"], ["b", "1,000"], ["a", "-0.25"]]
    program = (
        SORT.replace("SCRIPT", script).replace("ROWS", json.dumps(rows)).replace("CLICKS", json.dumps(clicks))
    )
    run = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [list(expected), {"aria-sort": order}]
