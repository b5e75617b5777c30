"""What the page says of a file is what `evaluator score` says, with verdicts and the closing line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import evaluator
from evaluator.cli.app import app
from evaluator.datasets.columns import codes_in
from evaluator.results.numbers import short
from tests.spread import spread
from tests.worlds.routes import Browser
from tools.keep_worlds.worlds import NOTHING, Model, World, write_vectors

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")

MODELS = {
    "good.bin": Model("good", 1.5, 0.3, luck=1),
    "weak.bin": Model("weak", 0.4, 0.3, luck=2),
    **{f"{each.name.replace(' ', '-')}.bin": each for each in NOTHING},
}
NUMBERS = [0.0, 0.0004, 0.0005, *(number / 16 for number in range(17)), 1 / 3, 0.0625001]
DEGREES = [1.0, 2.5, 7.0, 40.0, 1500.0]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    found = Browser(NODE, tmp_path_factory.mktemp("page"))
    yield found
    found.close()


def content_of(world):
    """Categories: two of one topic, two that share a word, one has an item of two words, one a new word."""
    categories = [
        {
            "name": name,
            "title": name.upper(),
            "items": [{"id": f"Q{name}{number}", "words": [word]} for number, word in enumerate(words)],
        }
        for name, words in world.categories.items()
    ]
    categories[0]["topic"] = categories[1]["topic"] = "one"
    categories[2]["items"].append(categories[3]["items"][0])
    first, second, *others = categories[4]["items"]
    categories[4]["items"] = [{**first, "words": [*first["words"], *second["words"]]}, *others]
    categories[5]["items"].append({"id": "Q0", "words": ["Notthere"]})
    return {"format": "testset", "version": 2, "language": "en", "categories": categories, "relations": []}


def test_the_language_of_a_file_is_the_one_that_evaluator_finds_in_its_name():
    names = [
        "la.vec",
        "wiki.la-300.vec",
        "cc.te.300.vec.gz",
        "vec.bin",
        "LA_small.txt",
        "te-la.vec",
        "grc la.bin",
    ]
    names += ["model.vec", "zh-hant.vec", "latin.vec", "a.safetensors", "la.la.vec"]
    known = [code for name in names for code in codes_in(name)]
    module = (Path(__file__).parents[3] / "testgen/serve/static/file-language.js").as_uri()
    code = (
        f"import {{ codesIn }} from {json.dumps(module)};"
        f"const known = new Set({json.dumps(known)});"
        f"console.log(JSON.stringify({json.dumps(names)}.map((name) => codesIn(name, known))));"
    )
    ended = subprocess.run(
        [NODE, "--input-type=module", "--eval", code], capture_output=True, text=True, check=True
    )
    assert json.loads(ended.stdout) == [list(codes_in(name)) for name in names]
    assert codes_in("la.vec") == ("la",)
    assert codes_in("te-la.vec") == ("te", "la")


def judged(name, found):
    given = json.dumps({"name": name, "found": found, "degrees": DEGREES, "numbers": NUMBERS})
    script = Path(__file__).with_name("run_inference.mjs")
    ended = subprocess.run([NODE, script], input=given, capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)


def both(page, folder, name, others=700, seed=3):
    """What the page and the program say of a model."""
    world = World(seed, others=others)
    path, test = folder / name, folder / "en.json"
    vectors = world.vectors(MODELS[name])
    path.write_bytes(b"".join(write_vectors(vectors)))
    test_set = content_of(world)
    test.write_text(json.dumps(test_set), encoding="utf-8")
    answer = page.score(path, test_set, 200_000, 1)
    same = evaluator.score(path, test, ["Topk@3", "OddOneOut@3"])
    return judged(name, answer["result"]), same


@pytest.mark.parametrize("name", spread(MODELS, 3))
def test_a_model_is_judged_as_by_the_program(page, tmp_path, name):
    found, same = both(page, tmp_path, name)
    for each in found["scores"]:
        score = same[each["measure"]]
        expected = [score.value, score.low, score.high, score.chance, score.baseline, score.spelling]
        shown = [each[key] for key in ("value", "low", "high", "chance", "frequency", "spelling")]
        assert shown == pytest.approx(expected, abs=2e-5)
        assert (each["verdict"], tuple(each["lacking"])) == (score.verdict, score.lacking)
    assert found["closing"] == str(same.kept)
    assert found["closing"].startswith("Keep ") == (name in ("good.bin", "weak.bin"))


def text_of(html):
    """The text of HTML."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


@pytest.mark.parametrize("name", ["weak.bin", "text-shuffled.bin"])
def test_terminal_page_and_report_have_the_same_text(page, tmp_path, name):
    found, _ = both(page, tmp_path, name)
    given = [str(tmp_path / name), "--test", str(tmp_path / "en.json"), "--report", str(tmp_path / "r.html")]
    measures = ["--measure", "Topk@3", "--measure", "OddOneOut@3"]
    terminal = CliRunner(env={"COLUMNS": "300"}).invoke(app, ["score", *given, *measures]).stdout.splitlines()
    report = (tmp_path / "r.html").read_text(encoding="utf-8")
    rows = [
        [*map(text_of, re.findall(r"<(?:th|td)\b.*?</(?:th|td)>", row, re.DOTALL))]
        for row in re.findall(r"<tr>.*?</tr>", report, re.DOTALL)
    ]
    for line in found["lines"]:
        assert line in [re.split(r"\s{2,}", each.strip()) for each in terminal]
        assert line in rows
    assert found["closing"] == terminal[-1]
    assert found["closing"] in [*map(text_of, re.findall(r"<p\b.*?</p>", report, re.DOTALL))]
    assert found["digits"] == [*map(short, NUMBERS)]


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.slow) for seed in range(20)])
def test_other_worlds_are_judged_so_too(page, tmp_path, seed):
    for name in ("good.bin", "weak.bin", "text-shuffled.bin"):
        found, same = both(page, tmp_path, name, others=2500 if seed % 2 else 300, seed=seed)
        for each in found["scores"]:
            score = same[each["measure"]]
            shown = [each[key] for key in ("low", "high", "frequency", "spelling")]
            assert shown == pytest.approx([score.low, score.high, score.baseline, score.spelling], abs=1e-4)
            assert each["verdict"] == score.verdict
        assert found["closing"] == str(same.kept)


def test_students_t_is_that_of_scipy(page, tmp_path):
    found, _ = both(page, tmp_path, "tiny.bin", others=300)
    expected = [[stats.t.ppf(0.975, each), 2 * stats.t.sf(2.5, each)] for each in DEGREES]
    assert np.array(found["t"]) == pytest.approx(np.array(expected), rel=1e-8)
