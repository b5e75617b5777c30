"""The pages in a real browser: what people do on them, and whether everybody can."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from typer.testing import CliRunner

from testgen.cli.app import app as command_line
from tests.servers import faults
from tests.servers.entities import EntityServer, small_entities
from tests.servers.proxy import FaultProxy, always, scripted
from tests.servers.rdf import store_from_entities
from tests.servers.sparql import SparqlServer
from tests.testgen.network import CONTACT

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")
playwright = pytest.importorskip("playwright.sync_api", reason="pages are tested with playwright")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome here")]

TESTGEN = str(Path(sys.executable).with_name("testgen"))
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
expect = playwright.expect
expect.set_options(timeout=30_000)  # a job starts a process, which takes seconds on a busy machine


@contextmanager
def service(data, *options, **environment):
    """The address of a service of one's own."""
    command = [TESTGEN, "serve", "--port", "0", "--data", str(data), *options]
    environment = {**os.environ, **environment}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        said = []
        for line in process.stderr:
            said.append(line)
            if found := re.match(r"testgen: (http://127\.0\.0\.1:\d+)/", line):
                break
        else:
            pytest.fail("".join(said))
        reader = threading.Thread(target=lambda: said.extend(process.stderr))
        reader.start()
        try:
            yield found[1]
        finally:
            process.send_signal(signal.SIGINT)
            reader.join()
    assert "Traceback" not in "".join(said)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """A service with the snapshot that ships."""
    with service(tmp_path_factory.mktemp("shipped")) as address:
        yield address


class Held:
    """A server that answers when it is let."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.open = threading.Event()
        self.open.set()

    def respond(self, request):
        while not self.open.wait(0.02) and not self.stopping.is_set():
            pass
        return super().respond(request)


class Queries(Held, SparqlServer):
    """The query service."""


class Names(Held, EntityServer):
    """The entity API."""


class Live:
    """A service that asks a Wikidata of its own, and programs with the same cache."""

    def __init__(self, folder, queries, proxy, names):
        self.folder, self.queries, self.proxy, self.names, self.address = folder, queries, proxy, names, ""
        self.environment = {
            "TESTGEN_WIKIDATA_QUERY": proxy.url,
            "TESTGEN_WIKIDATA_API": names.url,
            "TESTGEN_CONTACT": CONTACT,
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_CONFIG_HOME": str(folder / "config"),
        }


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    entities, folder = small_entities(), tmp_path_factory.mktemp("live")
    store = store_from_entities(entities.values())
    with Queries(store) as queries, FaultProxy(queries.url) as proxy, Names(entities) as names:
        found = Live(folder, queries, proxy, names)
        with service(folder / "data", "--source", "wikidata", **found.environment) as address:
            found.address = address
            yield found


def generated(directory, *options, **environment):
    """The bytes that the command line writes, by name."""
    command = ["generate", "--output", str(directory), *options]
    found = CliRunner(env=environment).invoke(command_line, command)
    assert found.exit_code == ("testgen: left out" in found.output), found.output
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=BROWSER, args=ARGUMENTS)
        yield browser
        browser.close()


class Watch:
    """What goes wrong in a page without being seen: complaints, failures, requests to other hosts."""

    def __init__(self, page, *services):
        self.trouble = []
        self._hosts = {urlsplit(address).netloc for address in services}
        page.on("console", self._complaint)
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("request", self._request)
        page.on("requestfailed", self._failure)

    def _complaint(self, message):
        if message.type in ("error", "warning"):
            self.trouble.append(f"{message.text} ({message.location['url']})")

    def _request(self, request):
        if not request.url.startswith("data:") and urlsplit(request.url).netloc not in self._hosts:
            self.trouble.append(f"asked elsewhere: {request.url}")

    def _failure(self, request):
        # What is broken off was on its way when its page was left, or became a download.
        if request.failure != "net::ERR_ABORTED":
            self.trouble.append(f"failed: {request.url} {request.failure}")


@pytest.fixture
def services(request):
    wanted = [name for name in ("shipped", "live") if name in request.fixturenames]
    made = [request.getfixturevalue(name) for name in wanted]
    return [getattr(each, "address", each) for each in made]


@pytest.fixture
def page(browser, services):
    context = browser.new_context(viewport=DESKTOP, permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.watch = Watch(page, *services)
    yield page
    context.close()
    assert page.watch.trouble == []


def downloaded(page, press):
    """Name and bytes of what a press gives."""
    with page.expect_download() as download:
        press()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_search_as_one_types(page, shipped):
    page.goto(shipped)
    page.get_by_label("Search languages and categories").press_sequentially("arab")
    expect(page.get_by_role("link", name="Arabic", exact=True)).to_be_visible()
    assert page.url == f"{shipped}/?q=arab"
    expect(page.get_by_role("status")).to_contain_text("“arab”")
    page.get_by_label("Search languages and categories").fill("<b>zzzz")
    expect(page.get_by_role("heading", level=2).first).to_have_text(
        "0 languages, 0 categories and relations for “<b>zzzz”"
    )
    page.get_by_label("Search languages and categories").fill("कनाडा")
    expect(page.get_by_role("heading", level=2).first).to_have_text("“कनाडा” is a word")
    expect(page.locator("#results")).to_contain_text("Canada in ")
    page.get_by_label("Search languages and categories").fill("Sumerian")
    expect(page.locator(".problem")).to_contain_text("Wiktionary")
    page.get_by_label("Search languages and categories").fill("hebrw")
    expect(page.get_by_role("heading", level=2).first).to_contain_text("Did you mean")
    page.get_by_label("Search languages and categories").fill("Telugu months")
    expect(page.get_by_role("link", name="Telugu", exact=True)).to_be_visible()
    page.get_by_role("link", name="Months", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Months")
    page.go_back()
    expect(page.get_by_role("link", name="Telugu", exact=True)).to_be_visible()


def test_from_the_search_to_a_language_with_the_keyboard_alone(page, shipped):
    page.goto(shipped)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Search languages and categories")).to_be_focused()
    page.keyboard.type("hebrew")
    link = page.get_by_role("link", name="Hebrew", exact=True)
    expect(link).to_be_visible()
    for _ in range(3):
        page.keyboard.press("Tab")
        if link.evaluate("each => each === document.activeElement"):
            break
    page.wait_for_timeout(500)  # the field that was left tells of its change
    expect(link).to_be_focused()
    assert link.evaluate("each => getComputedStyle(each).outlineStyle") == "solid", (
        "where the focus is, is seen"
    )
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hebrew")


def test_words_run_from_right_to_left(page, shipped):
    page.goto(f"{shipped}/languages/he")
    sample = page.locator(".sample").first
    assert sample.evaluate("each => getComputedStyle(each).direction") == "rtl"
    first, second = (sample.locator("bdi").nth(place).bounding_box() for place in (0, 1))
    assert first["x"] > second["x"]
    page.goto(f"{shipped}/languages/la")
    assert page.locator(".sample").first.evaluate("each => getComputedStyle(each).direction") == "ltr"


def test_after_a_download_there_is_a_way_on(page, shipped):
    page.goto(f"{shipped}/build?language=te")
    name, _ = downloaded(page, page.get_by_role("button", name="Download te.json").click)
    page.get_by_role("link", name="What now?").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    page.get_by_role("button", name="Copy command for a terminal").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "evaluator score my.vec --test te.json --report report.html"
    page.locator("main").get_by_role("link", name="What do the scores mean?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What do the scores mean?")


def fetched(address):
    """What a service answers."""
    return requests.get(address, timeout=60).content


def shown(page):
    """The codes of the languages in the map, from top to bottom."""
    return page.locator("tbody tr").evaluate_all("all => all.filter(r => !r.hidden).map(r => r.dataset.code)")


def test_the_map_is_filtered(page, shipped):
    page.goto(f"{shipped}/coverage")
    everything = shown(page)
    assert len(everything) > 250
    page.get_by_role("searchbox", name="Language").fill("german")
    expect(page.get_by_role("status")).to_contain_text(re.compile(r"^\d+ languages, "))
    page.wait_for_url("**language=german")
    assert "de" in shown(page)
    assert len(shown(page)) < 10
    page.get_by_role("searchbox", name="Category").fill("calendar months")
    expect(page.get_by_role("columnheader")).to_contain_text(["Language", "Words", "Months"])
    page.get_by_role("searchbox", name="Category").fill("")
    page.get_by_text("More filters").click()
    page.get_by_label("Topic").select_option("time")
    expect(page.locator("th[data-column=country]")).to_be_hidden()
    of_time = page.locator("th[data-topic=time]")
    assert of_time.locator("visible=true").count() > 2
    expect(page.get_by_role("columnheader")).to_have_count(2 + of_time.locator("visible=true").count())
    page.get_by_role("searchbox", name="Category").fill("months of the year")
    page.get_by_label("Fewest words").fill("8")
    expect(page.get_by_role("columnheader")).to_have_count(3)
    name, table = downloaded(page, page.get_by_role("link", name="CSV").click)
    assert name == "coverage.csv"
    query = "&".join(f"language={code}" for code in shown(page)) + "&category=month&minimum_words=8"
    assert table == fetched(f"{shipped}/api/v1/coverage.csv?{query}")
    _, same = downloaded(page, page.get_by_role("link", name="JSON").click)
    assert json.loads(same) == json.loads(fetched(f"{shipped}/api/v1/coverage?{query}"))
    lines = table.decode().splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == sorted(shown(page))
    page.reload()
    expect(page.get_by_role("columnheader")).to_have_count(3)
    assert len(shown(page)) == len(lines) - 1
    page.get_by_label("Fewest words").fill("1")
    page.get_by_label("Topic").select_option("")
    page.get_by_role("searchbox", name="Category").fill("")
    page.get_by_role("searchbox", name="Language").fill("")
    expect(page.get_by_role("status")).to_contain_text(f"{len(everything)} languages")
    assert shown(page) == everything
    page.get_by_label("Variants").check()
    expect(page.locator("tr[data-code=kk-cyrl]")).to_be_visible()
    page.get_by_label("Script").select_option("Hebr")
    expect(page.locator("tr[data-code=kk-cyrl]")).to_be_hidden()
    assert {"he", "yi"} <= {*shown(page)}
    page.get_by_label("Kind").select_option("relation")
    expect(page.locator("th[data-column=country]")).to_be_hidden()
    expect(page.locator("th[data-column=country-capital]")).to_be_visible()


def test_the_map_says_whether_there_is_enough(page, shipped):
    page.goto(shipped)
    page.get_by_label("Your languages").fill("te, Sanskrit, bo, xx, Sumerian")
    page.get_by_label("Your languages").press("Enter")
    enough = page.get_by_role("region", name="Is it enough?")
    said = json.loads(fetched(f"{shipped}/api/v1/languages?q=te,sa,bo"))
    for each in said:
        sizes = f"{each['pairs']:,} related pairs, {each['words']:,} words"
        verdict = "It shows" if each["difference"] <= 0.08 else "No: it shows only"
        line = f"{each['name']}. {verdict} differences of {each['difference']:.3f} or more. "
        expect(enough).to_contain_text(f"{line}{each['everyday']} everyday categor")
        line = sizes
        expect(enough).to_contain_text(line)
    problems = page.locator("#problems")
    expect(problems).to_contain_text("No language is called “xx”")
    expect(problems).to_contain_text("Sumerian (sux)")


def test_lists_are_narrowed(page, shipped):
    page.goto(f"{shipped}/languages")
    rows = page.locator("tbody tr:visible")
    page.get_by_label("Name or code").fill("english")
    expect(page.get_by_role("status")).to_contain_text(" of ")
    expect(rows.first).to_contain_text("en-gb")
    assert rows.count() < 10
    page.get_by_label("Name or code").fill("")
    page.get_by_label("Script").select_option("Hebr")
    page.get_by_label("Fewest words").fill("300")
    page.wait_for_url("**/languages?script=Hebr&minimum_words=300")
    assert {"Hebrew", "Yiddish"} <= {*rows.get_by_role("rowheader").all_inner_texts()}
    page.goto(f"{shipped}/categories?topic=time")
    titles = page.locator(".sections h3:visible")
    expect(titles.get_by_role("link", name="Months", exact=True)).to_be_visible()
    page.get_by_label("Kind").select_option("relation")
    expect(titles.get_by_role("link", name="Months", exact=True)).to_be_hidden()
    page.get_by_label("Kind").select_option("")
    page.get_by_label("Topic").select_option("")
    page.get_by_label("Text").fill("nations")
    expect(page.get_by_role("status")).to_contain_text(" of ")
    expect(titles.get_by_role("link", name="Sovereign states", exact=True)).to_be_visible()
    expect(titles.get_by_role("link", name="Months", exact=True)).to_be_hidden()


def test_the_map_is_sorted(page, shipped):
    page.goto(f"{shipped}/coverage")
    link = page.get_by_role("link", name="Sort by Sovereign states", exact=True)
    head = page.locator("th[data-column=country]")
    place = page.locator("thead th").evaluate_all("all => all.findIndex(h => h.dataset.column === 'country')")
    counts = f"all => all.filter(r => !r.hidden).map(r => Number(r.cells[{place}].textContent))"
    link.click()
    expect(head).to_have_attribute("aria-sort", "descending")
    found = page.locator("tbody tr").evaluate_all(counts)
    assert found == sorted(found, reverse=True)
    link.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert page.url == f"{shipped}/coverage?sort=-country"
    assert page.locator("tbody tr").evaluate_all(counts) == sorted(found)
    page.get_by_label("Sort by").select_option("month")
    expect(page.locator("th[data-column=month]")).to_have_attribute("aria-sort", "descending")
    page.get_by_label("Sort by").select_option("country-continent")
    expect(page.locator("th[data-column=country-continent]")).to_have_attribute("aria-sort", "descending")


def test_a_test_set_is_built_and_is_that_of_the_command_line(page, shipped, tmp_path):
    page.goto(f"{shipped}/build")
    page.get_by_label("Add a language").fill("telugu")
    page.get_by_label("Add a language").press("Enter")
    expect(page.get_by_label("Telugu")).to_be_checked()
    preview = page.get_by_role("complementary")
    expect(preview.get_by_role("button", name="Download te.json")).to_be_visible()
    page.locator("summary", has_text="Time").click()
    page.get_by_role("button", name="All of time").click()
    page.locator("summary", has_text="Geography").click()
    page.get_by_role("checkbox", name="Sovereign states", exact=True).check()
    page.get_by_label("Capital letters").select_option("lower")
    expect(preview).to_contain_text("Sovereign states")
    expect(preview).to_contain_text("--policy case=lower")
    preview.get_by_text("For programs").click()
    preview.get_by_role("button", name="Copy command line").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    shape = r"testgen generate --output (te-[0-9a-f]{6}) (--language te --category country .+)"
    command = re.fullmatch(shape, copied)
    name, content = downloaded(page, preview.get_by_role("button", name="Download te-").click)
    assert name == f"{command[1]}.json", "another choice, another name"
    assert {"te.json": content} == generated(tmp_path / "out", *command[2].split())
    file = json.loads(content)
    found = {each["name"]: each["title"] for each in (*file["categories"], *file["relations"])}
    assert {"country", "month", "weekday"} <= {*found}
    titles = preview.get_by_role("rowheader")
    expect(titles).to_contain_text(list(found.values())[:6])  # the first ones, before "more categories"
    chosen = re.findall(r"--category (\S+)", command[2])
    absent = ", ".join(name for name in chosen if name not in found)
    expect(preview).to_contain_text(f"Left out, with too few words: {absent}.")
    page.reload()
    expect(page.get_by_label("Capital letters")).to_have_value("lower")
    expect(titles).to_contain_text(list(found.values())[:6])


def test_scripts_below_a_root_path(browser, tmp_path):
    context = browser.new_context(viewport=DESKTOP)
    context.set_default_timeout(10_000)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    (tmp_path / "s.toml").write_text('root_path = "/testgen"', encoding="utf-8")
    with service(tmp_path / "data", "--settings", tmp_path / "s.toml") as address:
        page.watch, root = Watch(page, address), f"{address}/testgen/"
        page.goto(root)
        page.get_by_label("Search languages and categories").press_sequentially("month")
        month = page.get_by_role("link", name="Months", exact=True)
        expect(month).to_be_visible()
        month.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Months")
        page.goto(f"{root}build?category=month")
        page.get_by_label("Add a language").fill("telugu")
        page.get_by_label("Add a language").press("Enter")
        preview = page.get_by_role("complementary")
        expect(preview).to_contain_text("--category month")
        _, content = downloaded(page, preview.get_by_role("button", name="Download te-").click)
        page.goto(f"{root}coverage")
        page.get_by_role("searchbox", name="Languages").fill("latin")
        page.wait_for_url(f"{root}coverage?language=latin")
        context.close()
    assert {"te.json": content} == generated(tmp_path / "out", "-l", "te", "-c", "month")
    assert [url for url in asked if not url.startswith((root, "data:"))] == []
    assert page.watch.trouble == []


def test_the_api_is_shown_without_another_host(page, shipped):
    page.goto(f"{shipped}/api")
    page.get_by_role("button", name="get /api/v1/coverage.csv", exact=False).first.click()
    expect(page.get_by_text("Whether variants, such as kk-cyrl of kk, have rows")).to_be_visible()


def test_several_languages_come_in_a_zip_file(page, shipped, tmp_path):
    page.goto(f"{shipped}/build?language=la&category=month")
    page.get_by_label("Add a language").fill("ar, grc-nonsense")
    page.get_by_role("button", name="Add", exact=True).click()
    preview = page.get_by_role("complementary")
    expect(preview).to_contain_text("Unknown language code 'grc-nonsense'.")
    page.get_by_label("grc-nonsense").click()
    expect(preview).to_contain_text("2 languages")
    expect(preview).to_contain_text("--category month")
    name, content = downloaded(page, preview.get_by_role("button", name="Download test-sets-").click)
    assert re.fullmatch(r"test-sets-[0-9a-f]{6}\.zip", name)
    (tmp_path / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / name) as archive:
        found = {each: archive.read(each) for each in archive.namelist()}
    assert "UNICODE LICENSE" in found.pop("LICENSE").decode()
    assert "| la | Latin |" in found.pop("README.md").decode()
    assert found == generated(tmp_path / "out", "-l", "la", "-l", "ar", "-c", "month")


def test_everything_works_without_scripts(browser, shipped, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(shipped)
    page.get_by_role("navigation").get_by_role("link", name="Coverage").click()
    expect(page.locator("tbody tr:visible").first).to_be_visible()
    assert page.locator("form:visible").count() == 0, "none that nothing would answer"
    page.get_by_role("navigation").get_by_role("link", name="Languages").click()
    page.get_by_role("link", name="Latin", exact=True).click()
    page.get_by_role("link", name="Build a test set").click()
    page.locator("summary", has_text="Time").click()
    page.get_by_label("Months", exact=True).check()
    page.get_by_role("button", name="Show the preview").first.click()
    expect(page.get_by_role("complementary")).to_contain_text("12 words, 0 pairs")
    name, content = downloaded(page, page.get_by_role("button", name="Download la-").click)
    assert re.fullmatch(r"la-[0-9a-f]{6}\.json", name)
    assert {"la.json": content} == generated(tmp_path / "out", "-l", "la", "-c", "month")
    context.close()


def test_the_download_is_within_reach(page, shipped):
    page.goto(f"{shipped}/build?language=te")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the download")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    button = page.get_by_role("button", name="Download te.json")
    expect(button).to_be_focused()
    page.set_viewport_size(PHONE)
    for place in ("0", "document.body.scrollHeight"):
        page.evaluate(f"scrollTo(0, {place})")
        expect(button).to_be_in_viewport(ratio=1)


def test_words_stand_side_by_side(page, shipped):
    page.goto(f"{shipped}/categories/country")
    page.get_by_label("Second language").fill("Telegu")
    page.get_by_label("Third language").fill("kn")
    page.get_by_label("Fourth language").fill("qqqq")
    page.get_by_label("Third language").press("Enter")
    expect(page.get_by_label("Second language")).to_have_value("Telugu")
    heads = page.locator("table.items").get_by_role("columnheader")
    expect(heads).to_contain_text(["English", "Telugu", "Kannada", "Wikidata"])
    expect(page.locator("#meanings")).to_contain_text("“Telegu” → Telugu, te")
    expect(page.locator("#meanings")).to_contain_text("No language is called “qqqq”")
    expect(page.locator(".left-out").first).to_contain_text("several words")
    telugu = json.loads(fetched(f"{shipped}/api/v1/test-sets/te.json?category=country"))["categories"][0]
    words = {item["id"]: " · ".join(item["words"]) for item in telugu["items"]}
    kept = (
        "all => all.filter(r => !r.cells[1].className).map(r => [r.cells[3].innerText, r.cells[1].innerText])"
    )
    assert dict(page.locator("table.items tbody tr").evaluate_all(kept)) == words
    page.goto(f"{shipped}/categories/country-capital?language=he&language=ar")
    heads = page.locator("table.items").get_by_role("columnheader")
    expect(heads).to_contain_text(["Hebrew", "Arabic", "Wikidata"])
    cell = page.locator("table.items tbody tr", has_text="Q142").locator("td").first
    assert cell.inner_text().count(" – ") == 1
    assert cell.locator(".word").first.evaluate("each => getComputedStyle(each).direction") == "rtl"
    page.get_by_role("link", name="Build a test set of it").click()
    expect(page.get_by_label("Arabic", exact=True)).to_be_checked()


def test_a_wrong_word_is_corrected(page, shipped, tmp_path):
    page.goto(f"{shipped}/categories/country?language=te")
    row = page.locator("table.items tbody tr", has=page.get_by_role("link", name="Q142", exact=True))
    cell = row.locator("td").nth(1)
    word = cell.locator(".word").inner_text()
    link = cell.get_by_role("link", name=f"{word}: wrong?")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Telugu")
    expect(page.get_by_text(f"The word is {word}, item Q142, in Telugu (te).")).to_be_in_viewport()
    line = page.get_by_role("region", name="line of a file of corrections")
    expect(line).to_have_text(f"Q142\tte\t{word}")
    page.get_by_label("The right word").fill("ఫ్రాన్సు")
    page.get_by_role("button", name="Copy line of a file of corrections").click()
    (tmp_path / "own.tsv").write_text(page.evaluate("navigator.clipboard.readText()"), encoding="utf-8")
    made = generated(
        tmp_path / "out", "-l", "te", "-c", "country", "--corrections", str(tmp_path / "own.tsv")
    )
    (section,) = json.loads(made["te.json"])["categories"]
    assert [item["words"] for item in section["items"] if item["id"] == "Q142"] == [["ఫ్రాన్సు"]]
    page.goto(f"{shipped}/languages/te")
    month = page.locator("#sections").get_by_role("link", name=re.compile("ఏప్రిల్: wrong")).first
    expect(month).to_be_hidden()
    page.get_by_text("A word is wrong").click()
    month.click()
    expect(page.get_by_text("The word is ఏప్రిల్, item Q118, in Telugu (te).")).to_be_in_viewport()
    page.goto(f"{shipped}/languages/te?item=Q%20142&word=x")  # not an id
    expect(page.get_by_text("The word is x")).to_be_hidden()


def test_a_wrong_word_has_a_way_on_without_scripts(browser, shipped):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{shipped}/categories/month")
    page.get_by_role("link", name="January: wrong?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("English")
    expect(page.get_by_role("link", name="Correct it in CLDR’s survey tool")).to_be_visible()
    context.close()


def test_a_wrong_address_says_what_to_do(page, shipped):
    page.goto(f"{shipped}/languages/lattin")
    page.get_by_role("link", name="Latin (la)").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Latin")
    assert page.watch.trouble.pop().startswith(
        "Failed to load resource: the server responded with a status of 404"
    )


def asked_for(page, live, name):
    """Have the words of a category fetched; the page of the job."""
    page.goto(f"{live.address}/build?language=la&category={name}&minimum_words=1")
    expect(page.get_by_role("complementary")).to_contain_text("Not available yet")
    page.get_by_role("button", name="Fetch them").click()
    page.wait_for_url("**/jobs/*")
    return page.url


def test_a_job_shows_how_far_it_is_until_the_download(page, live, tmp_path):
    live.names.open.clear()
    place = asked_for(page, live, "country")
    expect(page.get_by_role("heading", level=1)).to_have_text("Fetching")
    expect(page.get_by_role("status")).to_contain_text("Asking for")
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator("#asked")).not_to_have_text("0")
    live.names.open.set()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ready")
    assert page.url == place
    name, content = downloaded(page, page.get_by_role("link", name="Download la-").click)
    assert re.fullmatch(r"la-[0-9a-f]{6}\.json", name)
    options = ["--source", "wikidata", "-l", "la", "-c", "country", "--minimum-words", "1"]
    assert {"la.json": content} == generated(tmp_path / "out", *options, **live.environment)
    page.goto(f"{live.address}/languages/la")
    assert "Gallia" in page.content() or "Francogallia" in page.content(), (
        "what was fetched is offered at once"
    )
    assert json.loads(content)["source"]["kind"] == "wikidata"
    page.goto(f"{live.address}/categories/country?language=la&language=en")
    expect(page.get_by_role("columnheader").first).to_contain_text("Latin")
    row = page.locator("table.items tbody tr", has=page.get_by_role("link", name="Q142", exact=True))
    addresses = row.get_by_role("link").evaluate_all("all => all.map(each => each.href)")
    assert addresses == ["https://www.wikidata.org/wiki/Q142"] * 3, "of both words, and the id"


def test_a_job_is_cancelled(page, live):
    live.queries.open.clear()
    asked_for(page, live, "country-in-europe")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cancelled")
    live.queries.open.set()
    page.get_by_role("link", name="Back to your choices").click()
    expect(page.get_by_label("Countries in Europe")).to_be_checked()
    expect(page.get_by_role("button", name="Fetch them")).to_be_visible()


def test_a_job_that_fails_says_why(page, live):
    live.proxy.plan = always(faults.CAPTIVE_PORTAL)
    try:
        asked_for(page, live, "un-subregion")
        expect(page.get_by_role("heading", level=1)).to_have_text("This did not work")
        assert "is the URL right" in page.get_by_role("main").inner_text()
    finally:
        live.proxy.plan = scripted()


def test_a_job_is_followed_where_events_do_not_come_through(open_page, live):
    open_page.route("**/events", lambda route: None)  # never answered
    live.queries.open.clear()
    asked_for(open_page, live, "continent")
    expect(open_page.get_by_role("heading", level=1)).to_have_text("Fetching")
    live.queries.open.set()
    expect(open_page.get_by_role("heading", level=1)).to_have_text("Ready", timeout=10_000)


def unfit(page, axe):
    """What axe-core finds wrong with a page, and where the page is wider than the window."""
    found = []
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate(axe)
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append((page.url, size["width"], "wider than the window"))
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            only = ", runOnly: 'color-contrast'" if scheme == "dark" else ""  # nothing else is other
            run = f"axe.run({{resultTypes: ['violations']{only}}}).then(found => found.violations)"
            for violation in page.evaluate(run):
                nodes = [node["html"][:150] for node in violation["nodes"][:3]]
                found.append((page.url, size["width"], scheme, violation["id"], violation["help"], nodes))
    return found


@pytest.fixture
def open_page(browser):
    """A page in which axe-core may run."""
    context = browser.new_context(bypass_csp=True)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def axe():
    found = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with it")
    return found.Axe().axe_script


@pytest.mark.parametrize(
    "place",
    [
        "/", "/about", "/scores", "/use?language=ar",
        "/use?language=ar&language=la",
        "/?q=arab", "/coverage?language=arab", "/languages?q=arab", "/languages/ar", "/categories",
        "/categories/common-country-capital?language=ar", "/build?language=ar&language=la",
        "/build?language=ar", "/build?language=zzz", "/build?language=ar&class=Q9415", "/?q=Telegu",
        "/categories/country?language=ar&language=la&language=te",
        "/coverage?category=country+names", "/languages/kk", "/api", "/languages/arabik",
    ],
)  # fmt: skip
def test_everybody_can_use_a_page(open_page, shipped, axe, place):
    open_page.goto(f"{shipped}{place}")
    assert unfit(open_page, axe) == []


def test_everybody_can_use_the_page_of_a_job(open_page, live, axe):
    live.queries.open.clear()
    asked_for(open_page, live, "capital")
    expect(open_page.get_by_role("status")).to_contain_text("Asking for")
    running = unfit(open_page, axe)
    live.queries.open.set()
    expect(open_page.get_by_role("heading", level=1)).to_have_text("Ready")
    assert running + unfit(open_page, axe) == []


def reached(page, target):
    """Press Tab until an element has the focus; what has it is seen, and no bar lies over it."""
    for _ in range(400):
        page.keyboard.press("Tab")
        if target.evaluate("each => each === document.activeElement"):
            break
    expect(target).to_be_focused()
    expect(target).to_be_in_viewport()
    over = """each => { const box = each.getBoundingClientRect();
        const top = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height / 2, 8));
        return each === top || each.contains(top) || top?.contains(each); }"""
    assert target.evaluate(over), "something lies over it"


def begun(page, address, size):
    page.set_viewport_size(size)
    page.goto(address)


BOTH_SIZES = pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])


@BOTH_SIZES
def test_a_test_set_is_got_with_the_keyboard_alone(page, shipped, size):
    begun(page, shipped, size)
    reached(page, page.get_by_label("Search languages and categories"))
    page.keyboard.type("latin")
    link = page.get_by_role("link", name="Latin", exact=True)
    expect(link).to_be_visible()
    reached(page, link)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Latin")
    reached(page, page.get_by_role("link", name="Download la.json"))
    name, content = downloaded(page, lambda: page.keyboard.press("Enter"))
    assert (name, json.loads(content)["language"]) == ("la.json", "la")


@BOTH_SIZES
def test_a_model_is_scored_with_the_keyboard_alone(page, shipped, size, tmp_path):
    file = tmp_path / "la.vec"
    file.write_text("3 2\nrex 1 0\naqua 0 1\nvia 1 1\n", encoding="utf-8")
    begun(page, shipped, size)
    reached(page, page.get_by_role("navigation").get_by_role("link", name="Score"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Score your vectors")
    field = page.locator("#file")
    reached(page, field)
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(file)
    expect(page.locator("#scores")).to_contain_text("Scored as Latin (la)", timeout=120_000)
    reached(page, page.get_by_role("region", name="Table of scores"))


@BOTH_SIZES
def test_a_word_is_looked_up_with_the_keyboard_alone(page, shipped, size):
    begun(page, f"{shipped}/languages/la", size)
    reached(page, page.get_by_label("Find a category or a word"))
    page.keyboard.type("ianuarius")
    expect(page.get_by_role("heading", name="Months")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text=" of ")).to_be_visible()
    link = page.get_by_role("link", name="Months", exact=True)
    reached(page, link)
    page.keyboard.press("Enter")
    reached(page, page.get_by_label("Find a word"))
    page.keyboard.type("januar")
    expect(page.locator("table.items tbody tr:visible")).to_have_count(1)


@BOTH_SIZES
def test_two_languages_are_compared_with_the_keyboard_alone(page, shipped, size):
    begun(page, f"{shipped}/categories/month", size)
    for label, language in (("Second language", "Latin"), ("Third language", "te")):
        reached(page, page.get_by_label(label))
        page.keyboard.type(language)
    page.keyboard.press("Enter")
    heads = page.locator("table.items").get_by_role("columnheader")
    expect(heads).to_contain_text(["English", "Latin", "Telugu", "Wikidata"])
    reached(page, page.locator("#words"))


@BOTH_SIZES
def test_whether_it_is_enough_is_asked_with_the_keyboard_alone(page, shipped, size):
    begun(page, shipped, size)
    reached(page, page.get_by_label("Your languages"))
    page.keyboard.type("la, te")
    page.keyboard.press("Enter")
    enough = page.get_by_role("region", name="Is it enough?")
    expect(enough).to_contain_text(
        re.compile(r"Latin\. It shows differences of .*Telugu\. It shows differences of ", re.S)
    )
    expect(enough).to_be_in_viewport()
    reached(page, enough.get_by_role("link", name="Telugu"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Telugu")


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("/", ".numbers dd"), ("/languages", "tbody td.figure"), ("/coverage", "tbody td.total"),
        ("/languages/la", ".facts dd"), ("/categories", "[data-headline]"), ("/score", "#file"),
        ("/build?language=la", ".headline"), ("/categories/country", ".facts dd"),
    ],
)  # fmt: skip
def test_the_first_screen_of_a_phone_shows_the_main_number(page, shipped, place, shown):
    begun(page, f"{shipped}{place}", PHONE)
    expect(page.locator(shown).first).to_be_in_viewport(ratio=1)


AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


@pytest.mark.skipif(not AXE.exists(), reason="no axe here: npm install --no-save axe-core")
@BOTH_SIZES
@pytest.mark.parametrize(
    "place",
    [
        "/", "/languages", "/languages/la", "/languages/la/use",
        "/categories", "/categories/country?language=ar", "/coverage?language=te",
        "/score", "/scores", "/build?language=la&language=te", "/about",
    ],
)  # fmt: skip
def test_axe_finds_nothing(page, shipped, place, size):
    begun(page, f"{shipped}{place}", size)
    page.wait_for_load_state("networkidle")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    assert not [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in found]
