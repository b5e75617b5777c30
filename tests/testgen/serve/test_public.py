"""The API for everybody: pages of other sites, generated clients, licences."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from testgen.serve.app import create_app
from testgen.serve.settings import LOOPBACK, Settings
from testgen.sources.shipped import unicode_notice

API = "/api/v1"
PUBLIC = "tests.example.org"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """A public service with two categories of the shipped snapshot."""
    settings = Settings(
        tmp_path_factory.mktemp("shipped"), categories=("continent", "weekday"), hosts=(*LOOPBACK, PUBLIC)
    )
    with TestClient(create_app(settings), base_url=f"https://{PUBLIC}") as client:
        yield client


def test_other_sites_read_a_public_service(shipped):
    answer = shipped.get(f"{API}/languages", headers={"Origin": "https://other.example"})
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    asked = {"Origin": "https://other.example", "Access-Control-Request-Method": "GET"}
    preflight = shipped.options(f"{API}/languages", headers=asked)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-headers"] == "If-None-Match"
    assert preflight.headers["access-control-allow-methods"] == "GET, HEAD"


def test_other_sites_change_nothing_and_show_no_pages(shipped):
    headers = {"Origin": "https://other.example"}
    refused = shipped.post(f"{API}/jobs", json={}, headers=headers)
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers
    assert "access-control-allow-origin" not in shipped.get("/", headers=headers).headers


@pytest.mark.parametrize("host", LOOPBACK)
def test_other_sites_do_not_read_a_service_on_their_visitors_machine(shipped, host):
    name = f"[{host}]:8000" if ":" in host else f"{host}:8000"
    answer = shipped.get(f"{API}/languages", headers={"Host": name, "Origin": "https://other.example"})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_operations_have_names_for_people(shipped):
    paths = shipped.get(f"{API}/openapi.json").json()["paths"]
    names = [operation["operationId"] for path in paths.values() for operation in path.values()]
    assert sorted(names) == sorted(
        [
            "getService", "getLanguages", "getLanguage", "getCategories", "getCategory",
            "getWords", "getCoverage", "getCoverageCsv", "getTestSet", "getSummary", "getArchive",
            "addJob", "getJob", "cancelJob", "getEvents", "getResult",
        ]
    )  # fmt: skip
    for path in paths.values():
        for operation in path.values():
            assert {"403", "413", "421", "422", "503"} <= operation["responses"].keys()


def test_the_description_names_licence_and_server(shipped, client):
    described = shipped.get(f"{API}/openapi.json").json()
    assert described["info"]["license"] == {
        "name": "UNICODE LICENSE V3 and https://creativecommons.org/licenses/by/4.0/"
    }
    assert described["servers"] == [{"url": "/", "description": "This service"}]
    assert "stated by the source" in client.get(f"{API}/openapi.json").json()["info"]["license"]["name"]


def test_the_licence_goes_with_every_copy(shipped, client):
    notice = unicode_notice()
    assert "Copyright © 2004-2026 Unicode, Inc." in notice
    test_set = shipped.get(f"{API}/test-sets/br.json")
    parts = json.loads(test_set.content)["source"]["sources"]
    assert [part["name"].partition("-")[0] for part in parts] == ["cldr", "historical"]
    assert parts[0]["license"] == notice
    with zipfile.ZipFile(io.BytesIO(shipped.get(f"{API}/test-sets.zip?language=br").content)) as archive:
        assert archive.read("LICENSE").decode() == notice  # all Breton words are from CLDR
        assert archive.read("br.json") == test_set.content
    for code in ("de", "la"):  # the words for classes, and all
        content = shipped.get(f"{API}/test-sets.zip?language={code}").content
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert archive.read("LICENSE").decode() == f"{notice}\n\n{parts[1]['license']}"
    assert "Unicode, Inc." in shipped.get("/about").text
    assert "states no licence" in client.get("/about").text
    in_each = "the files: it is in each of them."
    assert in_each in shipped.get("/").text
    assert in_each not in client.get("/").text


def test_an_archive_that_the_client_has_is_not_made_again(shipped, monkeypatch):
    url = f"{API}/test-sets.zip?language=de"
    tag = shipped.get(url).headers["etag"]
    other = shipped.get(f"{url}&case=fold").headers["etag"]
    provider = shipped.app.state.provider
    monkeypatch.setattr(provider, "archive", None)
    again = shipped.get(url, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert other != tag


def test_a_live_source_has_new_tags_when_it_is_read_again(small_world, tmp_path, monkeypatch):
    monkeypatch.setenv("TESTGEN_WIKIDATA_QUERY", small_world.sparql.url)
    monkeypatch.setenv("TESTGEN_WIKIDATA_API", small_world.api.url)
    monkeypatch.setenv("TESTGEN_CONTACT", "tests@example.org")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    app = create_app(replace(Settings(tmp_path / "data"), source="wikidata", categories=("country",)))
    provider = app.state.provider
    before = provider.archive_tag("x")
    provider.reload()
    assert provider.archive_tag("x") != before
    app.state.jobs.stop()
