"""The pages as the service sends them: valid HTML that is complete without scripts, for any names."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from starlette.testclient import TestClient

from testgen.labels import LabelPolicy
from testgen.serve.app import create_app
from testgen.serve.pages.rendering import LEVELS, level, wikidata
from testgen.serve.selection import Selection
from testgen.serve.settings import Settings
from tests.testgen.serve.conftest import WITH_HEBREW

EVIL = "<script>alert(1)</script>"
HOSTILE = rf"""{WITH_HEBREW}
wd:Q7001 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q7002 ;
  rdfs:label "<img src=x onerror=alert(1)>"@en, "\"><b>Malum</b>"@la .
wd:Q7002 rdfs:label "O\"Hara & <i>Sons</i>\u202E\u001B"@en, "Bonum"@la .
wd:Q142 rdfs:label "France"@en-gb . wd:Q38 rdfs:label "Italy"@en-gb .
"""
VOID = {"meta", "link", "input", "br", "hr", "img", "wbr"}
FIELDS = {"input", "select", "textarea"}


class Page(HTMLParser):
    """A parsed page, and whether its tags match."""

    def __init__(self, text):
        super().__init__()
        self.all, self.open, self.labelled, self.texts = [], [], set(), []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), f"an attribute twice: {attrs}"
        if tag in FIELDS and any(each == "label" for each, _ in self.open):
            self.labelled.add(len(self.all))
        self.all.append((tag, attributes))
        if tag not in VOID:
            self.open.append((tag, attributes))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.texts.append(([each for each, _ in self.open], self.open[-1][1] if self.open else {}, data))

    def each(self, tag):
        return [attributes for each, attributes in self.all if each == tag]

    def text(self, tag):
        return " ".join("".join(data for path, _, data in self.texts if tag in path).split())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    (folder / "small.ttl").write_text(HOSTILE, encoding="utf-8")
    settings = Settings(folder / "data", str(folder / "small.ttl"))
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as made:
        yield made


def get(site, address, status=200):
    answer = site.get(address)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Page(answer.text)


ALL = [
    "/", "/coverage", "/languages", "/languages/he", "/languages/la",
    "/categories", "/categories/country", "/categories/country-capital", "/categories/emotion",
    "/build", "/build?language=la&language=he&category=country&several_words=keep",
    "/build?all_languages=true", "/build?language=latin", "/api", "/about", "/scores",
    "/use?language=la&category=country", "/use?language=la&language=he", "/use?all_languages=true",
    "/nowhere", "/languages/zz",
    "/jobs/short",
]  # fmt: skip


@pytest.mark.parametrize("address", ALL)
def test_every_page_is_sound(site, address):
    answer = site.get(address)
    page = Page(answer.text)
    assert page.all[0][0] == "html"
    assert page.each("html")[0]["lang"] == "en"
    assert len(page.each("h1")) == 1
    assert page.text("h1")
    assert page.text("title").endswith("testgen")
    assert [tag for tag, _ in page.all if tag in ("header", "main", "footer")] == ["header", "main", "footer"]
    assert page.each("a")[0] == {"class": "skip", "href": "#main"}
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("address", ALL)
def test_nothing_is_inline_and_nothing_comes_from_elsewhere(site, address):
    page = Page(site.get(address).text)
    assert page.each("style") == []
    for tag, attributes in page.all:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        if tag in ("script", "img", "iframe", "source", "object", "embed") or tag == "link":
            assert re.match(r"/static/[a-z.-]+\?v=[0-9a-f]{12}$", attributes.get("src") or attributes["href"])
        if tag == "form":
            assert attributes.get("action", "#").startswith(("/", "#"))
    assert all(data.strip() == "" for path, _, data in page.texts if path and path[-1] == "script")


@pytest.mark.parametrize("address", ALL)
def test_fields_have_labels_and_references_lead_somewhere(site, address):
    page = Page(site.get(address).text)
    ids = [attributes["id"] for _, attributes in page.all if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {attributes.get("for") for attributes in page.each("label")}
    for place, (tag, attributes) in enumerate(page.all):
        if tag in FIELDS:
            assert place in page.labelled or attributes.get("id") in named, attributes
        for name in ("for", "aria-describedby", "aria-labelledby", "list", "form", "data-copies"):
            for target in attributes.get(name, "").split():
                assert target in ids, f"{name}={target}"
    assert len(page.each("caption")) == len(page.each("table"))


def test_every_file_that_pages_ask_for_is_there(site):
    asked = set()
    for address in ALL:
        page = Page(site.get(address).text)
        asked |= {each["src"] for each in page.each("script")} | {each["href"] for each in page.each("link")}
    assert {each.partition("?")[0].rpartition(".")[2] for each in asked} == {"js", "css", "svg"}
    for each in asked:
        answer = site.get(each)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        again = site.get(each.partition("?")[0], headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304
    icon = site.get("/favicon.ico")
    assert icon.headers["content-type"] == "image/svg+xml"
    assert icon.content.startswith(b"<svg")


@pytest.mark.slow
def test_links_lead_to_pages(site):
    seen, coming = set(), ["/"]
    while coming:
        address = coming.pop()
        seen.add(address)
        answer = site.get(address)
        assert answer.status_code == 200, address
        if answer.headers["content-type"].startswith("text/html"):
            links = [each["href"].partition("#")[0] for each in Page(answer.text).each("a")]
            inner = [f"{address.partition('?')[0]}{link}" if link.startswith("?") else link for link in links]
            coming += {each for each in inner if each.startswith("/")} - seen - set(coming)
    assert {"/languages/he", "/categories/country", "/build?category=country", "/api/v1/openapi.json"} <= seen


def test_what_people_type_is_shown_and_not_run(site):
    for address in (f"/build?language={EVIL}&class={EVIL}", f"/build/preview?language={EVIL}"):
        text = site.get(address).text
        assert EVIL not in text
        assert "&lt;script&gt;" in text
    assert EVIL not in get(site, f"/{EVIL}", 404).text("main")


def test_a_query_that_only_the_script_reads_changes_nothing(site):
    for address in ("/", "/coverage", "/languages", "/categories", "/categories/country"):
        whole = site.get(address)
        asked = site.get(f"{address}?q={EVIL}&language={EVIL}&sort={EVIL}&page=x")
        assert (asked.content, asked.headers["etag"]) == (whole.content, whole.headers["etag"])


def test_names_from_the_source_are_shown_and_not_run(site):
    page = get(site, "/categories/country")
    assert page.each("img") == []
    assert "<img src=x onerror=alert(1)>" in page.text("table")
    page = get(site, "/languages/la")
    assert page.each("b") == []
    assert "><b>Malum<" in page.text("main"), "a slash separates words"
    table = get(site, "/categories/country-capital").text("table")
    assert r'O"Hara & <i>Sons</i>\u202e\u001b' in table
    assert not {"\u202e", "\x1b"} & set(table)


def test_words_have_their_language_and_direction(site):
    page = get(site, "/languages/he")
    samples = [each for each in page.each("p") if each.get("class") == "sample"]
    assert samples
    assert all((each["lang"], each["dir"]) == ("he", "rtl") for each in samples)
    assert "right to left" in page.text("dl")
    assert {"class": "word", "lang": "en", "dir": "ltr"} in get(site, "/categories/country").each("span")
    hebrew = site.get("/languages/he/names.json").json()
    assert (hebrew["name"], hebrew["tag"], hebrew["direction"]) == ("Hebrew", "he", "rtl")
    assert "Q108" not in hebrew["names"], "the file has it"
    assert hebrew["names"]["Q142"] == [0, "צרפת"], "in a category that the file leaves out"
    items = site.get(hebrew["file"]).json()["categories"][0]["items"]
    assert ("Q108", ["ינואר"]) in [(item["id"], item["words"]) for item in items]


def test_the_start_page_says_how_much_there_is(site):
    page = get(site, "/")
    numbers = page.text("dl")
    assert "source, 2026-11-01" in numbers
    assert "small" in numbers
    answered = site.get("/api/v1").json()
    everything = answered["categories"] + answered["relations"]
    assert f"of {everything} categories and relations have words{answered['answered']}" in numbers
    assert 0 < answered["answered"] < everything
    assert {"/coverage", "/build", "/build/download?all_languages=true"} <= {
        each["href"] for each in page.each("a")
    }


def test_the_index_of_the_search_has_all_names(site):
    index = site.get("/search.json").json()
    latin = next(each for each in index["languages"] if each["key"] == "la")
    assert {"Latin", "la", "lat"} <= {*latin["names"], *latin["exact"]}
    assert latin["words"] > 0
    said = [each["code"] for each in site.get("/api/v1/languages").json()]
    assert [each["key"] for each in index["languages"] if each["words"]] == said
    assert {each["key"]: each["languages"] for each in index["categories"]} == {
        each["name"]: each["languages"] for each in site.get("/api/v1/categories").json()
    }
    assert all("no usable words" in each["lacking"] for each in index["lacking"])
    assert "te" in [each["key"] for each in index["lacking"]]


def test_scripts_have_their_english_names(site):
    for address in ("/languages", "/coverage"):
        assert "Hebrew (Hebr)" in get(site, address).text("option")
    for address in ("/languages", "/languages/he"):
        page = get(site, address)
        assert "Hebr" in [each.get("title") for each in page.each("span")]
        assert "Hebrew" in page.text("span")


def rows(page):
    return [each["data-code"] for each in page.each("tr") if "data-code" in each]


def columns(page):
    return {each["data-column"]: each["aria-sort"] for each in page.each("th") if "data-column" in each}


def test_the_map_has_the_counts_of_the_api(site):
    text = site.get("/coverage").text
    page = Page(text)
    counts = site.get("/api/v1/coverage").json()
    assert {*columns(page)} == {"_name", "_total", *counts["categories"]}
    assert columns(page)["_name"] == "ascending"
    assert {*rows(page)} == {row["code"] for row in counts["rows"]}
    shown = re.findall(r"<td[^>]*>([^<]*)</td>", re.search('<tr data-code="la".*?</tr>', text)[0])
    words = next(row["words"] for row in counts["rows"] if row["code"] == "la")
    assert shown[1:] == [str(words[name]) if name in words else "" for name in counts["categories"]]
    latin = next(each for each in site.get("/api/v1/languages").json() if each["code"] == "la")
    assert shown[0] == str(latin["words"]), "different words: a sum would count some of them twice"
    links = {each["id"]: each["href"] for each in page.each("a") if "id" in each}
    assert site.get(links["csv"]).text.startswith("code,name,")
    assert site.get(links["json"]).json() == counts


def test_a_language_with_two_codes_is_one_entry_with_its_variants(site):
    assert "en-gb" in [each["code"] for each in site.get("/api/v1/languages").json()]
    (variant,) = (each for each in get(site, "/coverage").each("tr") if each.get("data-code") == "en-gb")
    assert variant["data-whole"] == "en"
    assert "hidden" in variant
    for address in ("/languages", "/languages/en"):
        links = [each["href"] for each in get(site, address).each("a") if each.get("title")]
        assert "/languages/en-gb" in links
    heads = [each["href"] for each in get(site, "/languages").each("a") if not each.get("title")]
    assert "/languages/en" in heads
    assert "/languages/en-gb" not in heads


def test_a_language_with_too_few_words_offers_no_file(site):
    page = get(site, "/languages/ru")
    text = page.text("main")
    assert "Is it enough? No: it has too few words for a test set." in text
    assert "it leaves out categories of fewer than 10 words. When you build one, you can choose" in text
    links = [each.get("href", "") for each in page.each("a")]
    assert "/build?language=ru" in links
    assert not [link for link in links if "download" in link or link.endswith("/use")]


def test_a_language_says_where_vectors_are_with_their_licences(site):
    page = get(site, "/languages/la")
    assert "https://fasttext.cc/docs/en/crawl-vectors.html" in [each.get("href") for each in page.each("a")]
    assert "Learning Word Vectors for 157 Languages. Licence: CC BY-SA 3.0." in page.text("main")
    assert "The files were not fetched" in page.text("main")
    assert "They are for the whole language" not in page.text("main")
    variant = get(site, "/languages/en-gb")
    assert "Where are vectors of English?" in variant.text("summary")
    assert "They are for the whole language" in variant.text("main")


@pytest.mark.parametrize(
    ("count", "colour"), [(0, 0), (1, 1), (3, 1), (4, 2), (299, 5), (300, 6), (10**6, 6)]
)
def test_colours_go_by_the_count(count, colour):
    assert level(count) == colour
    assert len(LEVELS) == 6


def test_other_spellings_of_a_language_lead_to_it(site):
    answer = site.get("/languages/LA?x=1", follow_redirects=False)
    assert answer.headers["location"] == "/languages/la"


def test_a_category_shows_its_query_and_its_items(site):
    page = get(site, "/categories/country-capital")
    assert [each["id"] for each in page.each("h2")] == ["in-languages", "items", "query"]
    assert "SELECT" in page.text("pre")
    links = [each["href"] for each in page.each("a")]
    assert "https://www.wikidata.org/wiki/Q90" in links
    assert any(link.startswith("https://query.wikidata.org/#") and "SELECT" in link for link in links)
    table = page.text("table")
    for each in ("Paris", "France", "English"):
        assert each in table
    assert "left out: several words" in get(site, "/categories/country").text("thead")
    assert "small has nothing for it" in get(site, "/categories/emotion").text("main")


def test_many_items_stand_on_several_pages(site, monkeypatch):
    monkeypatch.setattr("testgen.serve.pages.browse._ITEMS_ON_A_PAGE", 3)
    provider = site.app.state.provider
    provider.reload()
    items = [row[0] for row in provider.in_memory.answers[provider.offered["country"]].rows]
    found, address = [], "/categories/country"
    while address:
        page = get(site, address)
        found += [each["href"].rpartition("/")[2] for each in page.each("a") if "/Q" in each.get("href", "")]
        address = next((each["href"] for each in page.each("a") if each.get("rel") == "next"), "").partition(
            "#"
        )[0]
    assert found == items
    assert "has no page 9" in get(site, "/categories/country/9", 404).text("main")
    provider.reload()


@pytest.mark.parametrize(
    ("item", "place"),
    [
        ("Q142", "Q142"),
        ("Q142-P1549", "Q142#P1549"),
        ("L7", "Lexeme:L7"),
        ("L7-S1", "Lexeme:L7#S1"),
        ("L7-F12", "Lexeme:L7#F12"),
    ],
)
def test_ids_lead_to_wikidata(item, place):
    assert wikidata(item) == f"https://www.wikidata.org/wiki/{place}"


@pytest.mark.parametrize("item", ["U+2764-FE0F", "omw:02084071-n", "", "javascript:alert(1)", "Q1 "])
def test_other_ids_lead_nowhere(item):
    assert wikidata(item) is None


def test_the_form_is_as_it_was_sent(site):
    page = get(
        site, "/build?language=la&language=Hebrew&category=country&case=lower&mul=false&minimum_items=3"
    )
    checked = {(each["name"], each.get("value")) for each in page.each("input") if "checked" in each}
    assert {("language", "la"), ("language", "he"), ("category", "country")} <= checked
    selected = {each["value"] for each in page.each("option") if "selected" in each}
    assert {"lower", "false", "drop", "strip"} <= selected
    assert next(each["value"] for each in page.each("input") if each["name"] == "minimum_items") == "3"


def test_the_form_begins_with_the_usual_choices(site):
    page = get(site, "/build")
    usual = {name: str(value).lower() if isinstance(value, bool) else str(value)
             for name, value in LabelPolicy().as_dict().items()}  # fmt: skip
    by_name = {each["name"]: each for tag, each in page.all if tag in ("select", "input") and "name" in each}
    selected = [each["value"] for each in page.each("option") if "selected" in each]
    assert usual.keys() <= by_name.keys()
    assert sorted(selected) == sorted(value for name, value in usual.items() if name != "minimum_words")
    assert by_name["minimum_words"]["value"] == ""
    assert by_name["minimum_words"]["placeholder"] == "10, or 4"
    assert "If you give no number, it is 10; and 4 if you choose categories." in page.text("p")


def test_a_language_says_whether_models_can_be_compared_and_what_to_do_with_a_wrong_word(site):
    page = get(site, "/languages/la")
    assert "It has 0 categories of everyday words." in page.text("main")
    assert "6 are needed" in page.text("main")
    assert "small: Correct it in the file from which this snapshot was made." in page.text("main")
    assert "Q142\tla\tWORD" in site.get("/languages/la").text
    assert "--corrections corrections.tsv" in page.text("pre")


def test_a_link_beside_each_word_leads_to_what_to_do_if_it_is_wrong(site):
    page = get(site, "/categories/country-capital")
    links = [each for tag, each in page.all if tag == "a" and each.get("class") == "wrong"]
    assert {each["href"] for each in links} == {"/languages/en#wrong"}
    labels = {each["data-item"]: each["aria-label"] for each in links}
    assert labels["Q142"] == "France: wrong?"
    assert labels["Q90"] == "Paris: wrong?"
    page = get(site, "/languages/en")
    assert any(each.get("id") == "wrong" for _, each in page.all)
    after = [
        (each["data-item"], each["aria-label"], page.all[number - 1][0])
        for number, (tag, each) in enumerate(page.all)
        if tag == "a" and each.get("class") == "wrong"
    ]
    (samples, sections) = (page.text("bdi"), site.get("/api/v1/languages/en").json()["sections"])
    assert len(after) == sum(len(text.split(" – ")) for each in sections for text in each["sample"])
    assert {("Q142", "France: wrong?", "bdi"), ("Q90", "Paris: wrong?", "bdi")} <= {*after}
    assert "France" in samples, "the word stands before its link, whose script takes it along"


def test_the_preview_says_how_large_a_test_set_is(site):
    summary = site.get("/api/v1/test-sets/la/summary?category=country").json()
    for address in ("/build", "/build/preview"):
        text = " ".join(site.get(f"{address}?language=la&category=country").text.split())
        assert f"{summary['words']} words, 0 pairs, " in text
        assert "/api/v1/test-sets/la.json?category=country" in text
    page = get(site, "/build/preview?language=la&category=country")
    assert page.text("pre").startswith(summary["command"])
    several = get(site, "/build/preview?language=la, en&category=country&minimum_words=2")
    assert "2 languages" in several.text("p")
    assert "Latin" in several.text("table")
    assert "--all-languages" in get(site, "/build/preview?all_languages=true").text("pre")
    assert "Choose a language" in get(site, "/build/preview?language=&category=country").text("p")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("language=latin-ish", "nknown language code"),
        ("language=la&category=emotion", "mall has no items for emotion"),
        ("language=la&category=nonsense", "nonsense"),
        ("language=la&class=Q1%20Q2%20x", "o class of small is called"),
        ("language=la&class=Q9415", "There are no instances of Q9415 in small."),
        ("language=la&class=9415", "There are no instances of Q9415 in small."),
        ("language=la&minimum_words=1000", "Latin (la): there are too few words"),
    ],
)
def test_the_preview_says_what_is_wrong(site, query, said):
    page = get(site, f"/build/preview?{query}")
    problem = next(data for _, attributes, data in page.texts if attributes.get("class") == "problem")
    assert said in problem
    assert "`testgen" not in problem, "whoever reads this may have no terminal"
    back = site.get(f"/build/download?{query}", follow_redirects=False)
    assert back.headers["location"] == f"/build?{query}"
    assert get(site, f"/build?{query}")


def test_a_class_is_named_by_name_or_number(site):
    sizes = lambda text: get(site, f"/build/preview?language=la&class={text}").text("table")  # noqa: E731
    assert "Instances of Q3624078" in sizes("Q3624078")
    assert "Instances of Q3624078" in sizes("sovereign state"), "the title of the category that asks for it"
    offered = get(site, "/build").text("datalist")
    assert "Q3624078" in offered
    unknown = get(site, "/build/preview?language=la&class=Q9415")
    assert any(
        each["href"].startswith("https://query.wikidata.org/#") and "Q9415" in each["href"]
        for each in unknown.each("a")
    )


def test_the_words_are_shown_before_the_download(site):
    table = get(site, "/build/preview?language=la&category=country").text("table")
    assert "Sovereign states" in table
    assert "Hispania · " in table
    sample = site.get("/api/v1/test-sets/la/summary?category=country").json()["sections"][0]["sample"]
    assert sample[0] in table
    several = get(site, "/build/preview?language=la&language=en&category=country")
    assert "Spain" in several.text("details")
    assert "Hispania" in several.text("details")


def test_few_steps_lead_to_the_download(site):
    page = get(site, "/build?language=la&category=country")
    stops = [
        (tag, attributes)
        for tag, attributes in page.all
        if (tag in FIELDS | {"button"} or (tag == "a" and "href" in attributes))
        and "hidden" not in attributes
    ]
    place = next(at for at, (_, each) in enumerate(stops) if each.get("formaction") == "/build/download")
    assert place < 14, "it stood behind all check boxes"
    assert {"class": "skip", "href": "#preview"} in page.each("a")


def test_the_form_downloads_without_a_script(site):
    one = site.get("/build/download?language=Latin&category=country&class=&minimum_items=&several_words=keep")
    assert one.content == site.get("/api/v1/test-sets/la.json?category=country&several_words=keep").content
    assert re.fullmatch(r'attachment; filename="la-[0-9a-f]{6}\.json"', one.headers["content-disposition"])
    several = site.get("/build/download?language=la&language=en,&category=country")
    assert several.content[:2] == b"PK"
    assert site.get("/build/download?all_languages=true").content[:2] == b"PK"
    assert site.get("/build/download", follow_redirects=False).headers["location"] == "/build?"


def test_addresses_say_only_what_is_unusual():
    assert Selection(("la",)).download_path == "/api/v1/test-sets/la.json"
    assert Selection(None).download_path == "/api/v1/test-sets.zip"
    chosen = Selection(("en", "la"), ("country",), ("Q5",), LabelPolicy(mul=False, case="fold"), 3)
    rest = "category=country&class=Q5&case=fold&mul=false&minimum_items=3"
    assert chosen.download_path == f"/api/v1/test-sets.zip?language=en&language=la&{rest}"
    assert chosen.form_query == f"language=en&language=la&{rest}"


def test_a_page_that_is_not_there_names_those_that_are_near(site):
    near = lambda address: [each["href"] for each in get(site, address, 404).each("a")]  # noqa: E731
    assert "/languages/la" in near("/languages/latim")
    assert "/categories/country" in near("/categories/countri")
    assert "/languages/he" in near("/hebrew")
    assert get(site, "/languages/zz", 404).text("h1") == "There is no such page"


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/categories/country/0", 422),
        ("/jobs/aaaaaaaaaaaaaaaaaaaaaa", 404),
        ("/build?case=upper", 422),
        ("/static/nothing.css", 404),
    ],
)
def test_errors_are_pages_that_say_what_to_do(site, address, status):
    page = get(site, address, status)
    assert page.text("h1")
    assert "/" in [each["href"] for each in page.each("a")]


def test_a_failure_is_no_stack_trace(site, monkeypatch):
    monkeypatch.setattr("testgen.serve.responses.all_languages", lambda *_: 1 / 0)
    site.app.state.provider.reload()
    page = get(site, "/languages", 500)
    assert "Something went wrong here" in page.text("h1")
    assert "ZeroDivisionError" not in page.text("main")


def test_a_viewer_shows_the_description_of_the_api(site):
    page = get(site, "/api")
    assert "curl http://localhost/api/v1/languages/la" in page.text("pre")
    (description,) = (each["data-description"] for each in page.each("div") if "data-description" in each)
    assert site.get(description).json()["paths"]["/api/v1/languages"]["get"]["summary"].startswith("All lang")
    assert all(site.get(each["src"]).status_code == 200 for each in page.each("script"))


def test_a_job_is_begun_shown_and_cancelled_by_forms(site):
    answer = site.post("/jobs?language=la&category=country", follow_redirects=False)
    assert answer.status_code == 303
    place = answer.headers["location"]
    page = get(site, place)
    assert "--language la --category country" in page.text("pre")
    state = lambda: site.get(f"/api/v1{place}").json()["state"]  # noqa: E731
    gone = site.post(f"{place}/cancel", follow_redirects=False)
    assert gone.headers["location"] == place
    assert state() in ("cancelled", "done")
    assert get(site, place).text("h1") in ("Cancelled", "Ready")
    assert get(site, place).each("meta")[-1]["name"] == "color-scheme", (
        "what is finished is not asked for again"
    )
    assert site.post("/jobs").status_code == 422
    assert site.post("/jobs?language=la", headers={"Origin": "http://elsewhere.example"}).status_code == 403


def test_after_a_download_the_commands_name_the_file(site):
    downloads = get(site, "/build?language=la&category=country")
    assert "/use?language=la&category=country" in [each["href"] for each in downloads.each("a")]
    page = get(site, "/use?language=la&category=country&case=fold")
    name = re.fullmatch(r"You have (la-[0-9a-f]{6}\.json)\. What now\?", page.text("h1"))[1]
    assert f"evaluator score my.vec --test {name} --report report.html" in page.text("pre")
    assert f'evaluator.score("my.vec", "{name}")' in page.text("pre")
    assert get(site, "/languages/la/use").text("h1") == "You have la.json. What now?"
    assert "'http://localhost/api/v1/test-sets/la.json?category=country&case=fold'" in page.text("pre")
    assert (
        site.get("/use?category=country", follow_redirects=False).headers["location"]
        == "/build?category=country"
    )
    several = get(site, "/use?language=la&language=he").text("main")
    assert "unzip test-sets.zip" in several
    assert "la.json?" not in several


@pytest.mark.parametrize("address", ["/use?language=zzz", "/use?category=nothing"])
def test_what_to_do_with_a_file_that_cannot_be_is_not_said(site, address):
    assert site.get(address).status_code == 422


@pytest.fixture(scope="module")
def with_small_category(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    europe = 'wd:Q46 wdt:P31 wd:Q5107 ; rdfs:label "Europe"@en, "Europa"@la, "אירופה"@he .\n'
    (folder / "small.ttl").write_text(WITH_HEBREW + europe, encoding="utf-8")
    with TestClient(
        create_app(Settings(folder / "data", str(folder / "small.ttl"))), base_url="http://localhost"
    ) as made:
        yield made


@pytest.mark.parametrize("code", ["en", "he", "la"])
def test_counts_are_those_of_the_file_behind_the_button(code, with_small_category):
    client = with_small_category
    page = client.get(f"/languages/{code}").text
    download = next(
        each["href"] for each in Page(page).each("a") if "/build/download?" in each.get("href", "")
    )
    answer = client.get(download)
    test_set = answer.json()
    sections = [*test_set["categories"], *test_set["relations"]]
    words = {word for each in test_set["categories"] for item in each["items"] for word in item["words"]}
    pairs = sum(len(each["pairs"]) for each in test_set["relations"])
    assert "Europe" in page or "Continents" in page
    assert page.count("<h4>") > len(sections), "what has too few words is shown, and not counted"
    assert f"<dt>Words in the file</dt><dd>{len(words)}<" in page
    assert f"<dt>Categories and relations in the file</dt><dd>{len(sections)}<" in page
    row = re.search(f'<tr data-code="{code}".*?</tr>', client.get("/coverage").text)[0]
    assert f'class="total">{len(words)}<' in row
    assert f'data-categories="{len(sections)}"' in row
    preview = client.get("/build", params={"language": code}).text
    assert f"{len(words)} words, {pairs} pairs, {len(answer.content) / 1000:.0f} kB" in preview
    assert preview.count('<tr><th scope="row">') == len(sections)
