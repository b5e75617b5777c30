"""The pages and the API of results, for any names."""

from __future__ import annotations

import csv
import io

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from starlette.testclient import TestClient

from testgen.serve.app import create_app
from testgen.serve.settings import Settings
from tests.testgen.serve.results.examples import comparison, record, score, scores
from tests.testgen.serve.test_pages import Page, get

EVIL = "<script>alert(1)</script>.vec"
API = "/api/v1"


@pytest.fixture(scope="module")
def site(snapshot, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    sub = {"name": "month", "title": "<b>Months", "value": 0.5, "n": 12, "known": 10}
    combined = {"value": 0.2, "low": 0.1, "high": 0.3, "chance": 0.01}
    first = record(
        EVIL,
        combined=combined | {"known": 3, "n": 10},
        scores=[score(low=0.2, high=0.6, chance=0.1, known=3, n=10, subscores=[sub])],
    )
    other = [record("b.vec", scores=[score(value=0.9)]), record("=1+1.vec", "xx", digest="f" * 64)]
    (folder / "one.json").write_bytes(scores(first, *other))
    (folder / "skip.json").write_bytes(scores(record("b.vec", scores=[score(settings="oov:skip|common:1")])))
    (folder / "compare.json").write_bytes(comparison())
    (folder / "broken<i>.json").write_text("{")
    settings = Settings(folder / "data", str(snapshot), results=folder)
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as made:
        yield made


def addresses(site, start="/results?measure=Topk@3"):
    links = [each["href"] for each in get(site, start).each("a")]
    return sorted({each for each in links if each.startswith(("/results/", "?"))})


def test_every_page_is_sound_and_its_links_lead_to_pages(site):
    found = addresses(site)
    assert {each.split("/")[2] for each in found if each.startswith("/")} == {"models", "languages"}
    for address in ["/results", *(f"/results{each}" if each[0] == "?" else each for each in found)]:
        text = site.get(address).text
        page = get(site, address)
        assert len(page.each("h1")) == 1
        assert len(page.each("caption")) == len(page.each("table"))
        assert page.each("style") == []
        assert not any("style" in attributes for _, attributes in page.all)
        ids = [attributes["id"] for _, attributes in page.all if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert "<script>alert" not in text
        assert "<b>Months" not in text


def test_the_table_says_score_interval_chance_and_what_was_known(site):
    table = get(site, "/results").text("table")
    assert "0.2000 knows 30%" in table
    assert "0.1000–0.3000" in table
    assert "chance 0.0100" in table


def test_the_table_is_sorted_without_a_script(site):
    page = get(site, "/results?measure=Topk@3&language=la")
    by_score = [each["href"] for each in page.each("a") if "/results/models/" in each["href"]]
    assert [each["aria-sort"] for each in page.each("th") if "aria-sort" in each].count("descending") == 1
    turned = get(site, "/results?measure=Topk@3&language=la&sort=model")
    names = [each["href"] for each in turned.each("a") if "/results/models/" in each["href"]]
    assert sorted(names) == sorted(by_score)
    assert names != by_score


def test_it_is_said_what_is_compared_with_nothing_else(site):
    main = get(site, "/results?measure=Topk@3").text("main")
    assert "Why a language has several columns" in main
    assert "unknown words are left out" in main
    assert "oov:skip" not in main
    assert "broken<i>.json: not a complete result file" in main


def test_what_can_be_compared_between_languages_is_said(site):
    query = "/results?measure=Topk@3&of=Months"
    assert "can be compared" in get(site, f"{query} (the same items in la, el)").text("main")
    assert "can be compared" not in get(site, query).text("main")


def test_the_page_of_a_model_has_its_categories(site):
    address = next(
        each for each in addresses(site) if "/models/" in each and EVIL in get(site, each).text("h1")
    )
    main = get(site, address).text("main")
    assert "<b>Months" in main
    assert "83% 10 of 12" in main


def test_the_page_of_a_language_has_a_table_for_each_way_of_scoring(site):
    page = get(site, "/results/languages/la")
    assert len(page.each("table")) == 2
    assert "Single categories" in page.text("main")
    links = [each["href"] for each in page.each("a") if "?of=" in each["href"]]
    assert "/results?of=Months&language=la" in links
    model = next(each for each in addresses(site, "/results?measure=Topk@3&of=Months") if "/models/" in each)
    assert "/results?of=Months" in [each["href"] for each in get(site, model).each("a")]


def test_the_api_has_the_same_table_as_json_and_csv(site):
    query = "measure=Topk@3&of=&language=la"
    found = site.get(f"{API}/results?{query}").json()
    assert next((each["model"], each["value"]) for each in found["results"]) == ("b.vec", 0.9)
    assert [each["file"] for each in found["left_out"]] == ["broken<i>.json"]
    rows = list(csv.DictReader(io.StringIO(site.get(f"{API}/results.csv?{query}").text)))
    assert [float(each["value"]) for each in rows] == [each["value"] for each in found["results"]]
    everything = site.get(f"{API}/results.csv").text
    assert "\n'=1+1.vec," in everything, "spreadsheets must not run it"
    assert site.get(f"{API}/results?limit=1&offset=1").json()["results"][0] != found["results"][0]
    assert site.get(f"{API}/results").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "address",
    ["/results/models/0123456789", "/results/languages/..%2f..%2fetc", "/results/languages/zz"],
)
def test_what_is_not_there_is_not_found(site, address):
    assert site.get(address).status_code == 404


def test_a_service_without_results_says_how_to_show_them(client):
    assert "/results" not in [each["href"] for each in Page(client.get("/").text).each("a")]
    for address in ("/results", f"{API}/results", f"{API}/results.csv", "/results/languages/la"):
        assert "--results FOLDER" in client.get(address).text.replace("&#39;", "'")
        assert client.get(address).status_code == 404
