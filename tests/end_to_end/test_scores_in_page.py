"""Scores that a page computes are those of evaluator and nothing is sent; a site of files needs no server."""

from __future__ import annotations

import gzip
import json
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

import evaluator
from evaluator.text.normalization import _TURKIC
from testgen.languages.spelling import TURKIC
from tests.end_to_end.test_browser import ARGUMENTS, BROWSER, TESTGEN, Watch, service
from tests.testgen.serve.conftest import WITH_HEBREW

playwright = pytest.importorskip("playwright.sync_api", reason="pages are tested with playwright")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome here")]

LANGUAGES = ("la", "tr", "de", "el", "lt", "te", "he", "ka", "hy", "ru")
FORMATS = ("vec", "vec.gz", "bin", "safetensors")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with service(tmp_path_factory.mktemp("data")) as found:
        yield found


@pytest.fixture(scope="module")
def page():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=BROWSER, args=ARGUMENTS)
        yield browser.new_page()
        browser.close()


def words_of(test_set):
    words = (
        word for category in test_set["categories"] for item in category["items"] for word in item["words"]
    )
    return list(dict.fromkeys(word for word in words if " " not in word))


def write_vectors(path, words, matrix):
    head = f"{len(words)} {matrix.shape[1]}\n".encode()
    if path.suffix == ".safetensors":
        evaluator.convert(evaluator.Vectors(words, matrix, path.name), path)
    elif path.suffix == ".bin":
        rows = (word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(words, matrix, strict=True))
        path.write_bytes(head + b"".join(rows))
    else:
        rows = (
            f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, matrix.tolist(), strict=True)
        )
        content = head + "".join(rows).encode()
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def vectors(path, test_set, seed):
    """Words in other cases, some of them twice or missing; near each other if they are in one category."""
    random = np.random.default_rng(seed)
    known = [word for word in words_of(test_set) if random.random() < 0.6]
    known = [str(random.choice([word, word.upper(), word.lower()])) for word in known]
    words = list(
        dict.fromkeys([*known, *(word.upper() for word in known[:40]), *(f"w{n}" for n in range(300))])
    )
    random.shuffle(words)
    place = {
        word: n for n, each in enumerate(test_set["categories"]) for i in each["items"] for word in i["words"]
    }
    centres = random.normal(size=(len(test_set["categories"]) + 1, 20))
    matrix = centres[[place.get(word, -1) for word in words]] + random.normal(size=(len(words), 20))
    write_vectors(path, words, matrix.astype(np.float32))


def scored(page, path):
    page.set_input_files("#file", path)
    page.wait_for_selector("#cancel", state="hidden", timeout=120_000)  # on a busy machine
    return page.inner_text("[data-status]"), json.loads(
        page.get_attribute("#scores", "data-result") or "null"
    )


@pytest.mark.parametrize("number", range(10))
def test_scores_of_a_file_are_those_of_evaluator_and_nothing_is_sent(number, address, page, tmp_path):
    code, kind = LANGUAGES[number], FORMATS[number % 4]
    watch = Watch(page, address)
    file, test = tmp_path / f"own.{kind}", tmp_path / f"{code}.json"
    test.write_bytes(page.request.get(f"{address}/api/v1/test-sets/{code}.json").body())
    vectors(file, json.loads(test.read_bytes()), number)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    for most in (200_000, 250):
        page.goto(f"{address}/score?language={code}")
        page.wait_for_load_state("networkidle")
        requests.clear()
        page.fill("#most", str(most))
        said, found = scored(page, file)
        assert said == "Done."
        same = evaluator.score(
            file, test, measures=["Topk@3", "OddOneOut@3"], settings=evaluator.Settings(vocabulary=most)
        )
        topk, odd = same["Topk@3"], same["OddOneOut@3"]
        assert found["topk"] == pytest.approx(topk.value, abs=1e-5)
        assert found["oddOneOut"] == pytest.approx(odd.value, abs=1e-5)
        assert (found["topkChance"], found["oddOneOutChance"]) == pytest.approx((topk.chance, odd.chance))
        assert (found["known"], found["words"]) == (same.known_words, same.words)
        assert found["closing"] == str(same.kept) == page.inner_text("#scores > .note >> nth=0")
        for each, score in zip(found["measures"], (topk, odd), strict=True):
            shown = [each[key] for key in ("low", "high", "frequency", "spelling")]
            assert shown == pytest.approx([score.low, score.high, score.baseline, score.spelling], abs=1e-4)
            assert each["verdict"] == score.verdict
        assert topk.value > 2 * topk.chance
        assert requests == watch.trouble == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.vec", b"1000000 1000\na 1", "4.0 GB"),
        ("a.vec", b"hello\n", "first line must be"),
        ("a.vec", b"3 2\na 1 2\nb 1 2\n", "ends after 2 of 3"),
        ("a.vec", b"2 2\na 1 2\nb 0 0\n", "Row 2"),
        ("a.vec", b"1 3\na 1 2\n", "fewer than 3 numbers"),
        ("a.vec.gz", b"2 2\na 1 2\nb 1 2\n", "cannot be unpacked"),
        ("a.safetensors", b"\x02\0\0\0\0\0\0\0{}", "no tensors"),
        ("a.npy", b"", ".safetensors"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_refused_with_the_reason(name, content, said, address, page, tmp_path):
    (tmp_path / name).write_bytes(content)
    page.goto(f"{address}/score?language=la")
    page.fill("#most", "1000000")
    status, found = scored(page, tmp_path / name)
    assert found is None
    assert said in status


def test_a_run_can_be_cancelled_and_another_one_follows(address, page, tmp_path):
    words = [f"w{number}" for number in range(60_000)]
    write_vectors(tmp_path / "large.vec", words, np.ones((60_000, 40), np.float32))
    write_vectors(tmp_path / "small.vec", words[:10], np.ones((10, 2), np.float32))
    page.goto(f"{address}/score?language=la")
    page.set_input_files("#file", tmp_path / "large.vec")
    page.click("#cancel")
    assert page.inner_text("[data-status]") == "Cancelled."
    assert scored(page, tmp_path / "small.vec")[0] == "Done."


def test_the_language_is_that_of_the_file_or_is_asked_for(address, page, tmp_path):
    words = [f"w{number}" for number in range(30)]
    for name in ("own.vec", "wiki.la.vec", "te.la.vec", "he.vec"):
        write_vectors(tmp_path / name, words, np.eye(30, dtype=np.float32))
    page.goto(address)
    page.get_by_role("navigation").get_by_role("link", name="Score").click()
    page.wait_for_selector("#file")
    assert page.input_value("#language") == "", "no language is taken for granted"
    said, found = scored(page, tmp_path / "own.vec")
    assert (said.startswith("Which language? The file’s name has no code"), found) == (True, None)
    assert "Telugu (te) and Latin (la) stand in" in scored(page, tmp_path / "te.la.vec")[0]
    said, found = scored(page, tmp_path / "wiki.la.vec")
    assert (said, found["language"]) == ("Done.", "la")
    text = page.inner_text("#scores")
    assert "Scored as Latin (la), by the file’s name." in text
    assert "know few words of Latin" in text
    page.select_option("#language", "la")
    _, found = scored(page, tmp_path / "he.vec")
    assert found["language"] == "la"
    assert "The file’s name says Hebrew (he), and the test set is of Latin (la)." in page.inner_text(
        "#scores"
    )


def test_case_is_folded_by_the_rules_of_evaluator():
    assert TURKIC == _TURKIC


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    (folder / "small.ttl").write_text(WITH_HEBREW, encoding="utf-8")
    command = [TESTGEN, "site", str(folder / "words"), "--source", str(folder / "small.ttl")]
    subprocess.run(command, check=True)
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/words"
        server.shutdown()


def test_a_site_of_files_is_searched_narrowed_and_sorted_without_a_service(site, page):
    watch = Watch(page, site)
    page.goto(f"{site}/index.html")
    page.fill("#q", "hebrw")
    page.wait_for_selector("#results h2")
    assert page.inner_text("#results h2") == "Nothing is called “hebrw”. Did you mean one of these?"
    assert page.inner_text("#results a") == "Hebrew"
    page.fill("#q", "hebr")
    page.wait_for_selector("#results h2 >> text=“hebr”")
    page.click("#results a")
    assert page.url == f"{site}/languages/he.html"
    page.goto(f"{site}/categories/country.html?language=Hebrew")
    page.wait_for_selector("th[data-code=he]")
    assert "צרפת" in page.inner_text("table.items")
    page.goto(f"{site}/coverage.html")
    page.fill("#language", "heb")
    page.wait_for_selector("[data-headline] >> text=1 language")
    assert page.locator("tbody tr:visible").count() == 1
    page.fill("#language", "")
    page.click("th[data-column=country] .sort")
    page.wait_for_selector("th[data-column=country][aria-sort=descending]")
    column = page.locator("th[data-column=country]").evaluate("each => each.cellIndex") + 1
    shown = page.locator(f"tbody tr td:nth-child({column})").all_inner_texts()
    assert shown == sorted(shown, key=lambda text: -int(text or 0))
    assert watch.trouble == []
