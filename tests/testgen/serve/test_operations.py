"""What operators use: health, numbers, the access log, a path of its own, and answers that are kept."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from testgen.serve.app import create_app
from testgen.serve.pages import coverage
from tests.testgen.serve.test_pages import ALL, Page

API = "/api/v1"
PAGES = ("/", "/coverage", "/languages", "/languages/la", "/categories/country", "/build?language=la", "/api")
READS = ("", "/languages", "/languages/la", "/categories", "/coverage", "/coverage.csv")


@pytest.fixture(scope="module")
def below(settings, tmp_path_factory):
    """A service below a path of its host."""
    made = replace(settings, directory=tmp_path_factory.mktemp("below"), root_path="/testgen")
    with TestClient(create_app(made), base_url="http://localhost", follow_redirects=False) as client:
        yield client


def value(client, name):
    """The value of a metric."""
    (found,) = re.findall(rf"^{re.escape(name)} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    return float(found)


def test_a_service_that_ends_is_not_healthy(settings, tmp_path):
    app = create_app(replace(settings, directory=tmp_path))
    with TestClient(app, base_url="http://10.0.0.1:8000") as client:
        assert client.get("/healthz").text == "ok\n"
        assert client.get("/metrics").status_code == 421
        app.state.is_stopping = lambda: True
        assert client.get("/healthz").status_code == 503


def test_requests_are_counted_by_route(client):
    name = 'testgen_requests_total{method="GET",route="/languages/{code}",status="%s"}'
    for path in ("/languages/la", "/languages/la", "/languages/zz"):
        client.get(path)
    assert value(client, name % 200) == 2
    assert value(client, name % 404) == 1
    client.head("/languages/la")
    assert value(client, 'testgen_requests_total{method="HEAD",route="/languages/{code}",status="200"}') == 1
    assert value(client, 'testgen_request_seconds_count{route="/languages/{code}"}') == 4
    assert value(client, 'testgen_jobs{state="running"}') == 0
    assert value(client, "testgen_requests_in_progress") == 1
    client.get("/somewhere/else")
    assert value(client, 'testgen_requests_total{method="GET",route="other",status="404"}') >= 1


def test_metrics_are_as_prometheus_reads_them(client):
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    (about,) = families["testgen_info"].samples
    assert about.labels["source"] == "small"
    assert families["testgen_request_seconds"].type == "histogram"
    assert families["testgen_jobs"].documentation == "Jobs that are stored."


def test_connections_and_streams_are_counted_now(client, monkeypatch):
    streams = client.app.state.streams
    assert value(client, "testgen_event_streams") == 0
    assert streams.take("one")
    assert value(client, "testgen_event_streams") == 1
    streams.release("one")
    monkeypatch.setattr(streams, "refused", 3)
    assert value(client, "testgen_event_streams_refused_total") == 3
    assert value(client, "testgen_connections") == 0


def test_robots_are_kept_from_what_has_no_end(client, below):
    assert "Disallow: /api/\n" in client.get("/robots.txt").text
    assert "Disallow: /testgen/api/\n" in below.get("/testgen/robots.txt").text


@pytest.mark.parametrize("prefix", ["", "/testgen"], ids=["removed by the proxy", "kept by the proxy"])
@pytest.mark.parametrize("address", ALL)
def test_all_links_are_below_the_root_path(below, prefix, address):
    answer = below.get(prefix + address)
    page = Page(answer.text)
    for _, attributes in page.all:
        for name in ("href", "src", "action", "formaction", "data-from"):
            if attributes.get(name, "").startswith("/"):
                assert attributes[name].startswith("/testgen/"), attributes
    assert page.each("html")[0]["data-root"] == "/testgen"
    assert [each for each in page.each("a") if each["href"] == "/testgen/"]


def test_files_redirects_and_jobs_are_below_the_root_path_too(below):
    page = Page(below.get("/testgen/coverage").text)
    for each in [*page.each("script"), *page.each("link")]:
        assert below.get(each.get("src") or each["href"]).status_code == 200
    assert below.get("/testgen/languages/lat").headers["location"] == "/testgen/languages/la"
    download = below.get("/testgen/build/download?language=la").headers["location"]
    assert download == "/testgen/api/v1/test-sets/la.json"
    assert below.get(download).status_code == 200
    job = below.post("/testgen/api/v1/jobs", json={"languages": ["la"]})
    assert job.headers["location"] == f"/testgen/api/v1/jobs/{job.json()['id']}"
    assert below.get("/testgen/nowhere").status_code == 404
    assert below.get("/testgen/api/v1/nowhere").json()["status"] == 404
    assert below.get("/testgen/api/v1/openapi.json").json()["servers"][0]["url"] == "/testgen"


@pytest.mark.parametrize("path", [*PAGES, *(API + each for each in READS)])
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_what_follows_from_the_snapshot_is_not_sent_twice(client, path, encoding):
    headers = {"Accept-Encoding": encoding}
    first, second = client.get(path, headers=headers), client.get(path, headers=headers)
    assert first.status_code == 200
    assert first.content == second.content
    assert first.headers == second.headers
    assert first.headers["cache-control"] == "no-cache"
    assert "Accept-Encoding" in first.headers["vary"]
    again = client.get(path, headers={**headers, "If-None-Match": f'"x", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert client.head(path, headers=headers).headers["content-length"] == first.headers["content-length"]


def test_a_page_is_made_once_until_there_is_new_content(client, monkeypatch):
    made, render = [], coverage.render
    monkeypatch.setattr(coverage, "render", lambda *args, **values: made.append(1) or render(*args, **values))
    client.app.state.provider.reload()
    for _ in range(3):
        assert client.get("/coverage").status_code == 200
    assert made == [1]
    client.app.state.provider.reload()
    assert client.get("/coverage").status_code == 200
    assert made == [1, 1]


@pytest.mark.parametrize("path", ["/jobs/x", f"{API}/jobs/x", "/healthz", "/metrics"])
def test_what_changes_is_not_stored(client, path):
    answer = client.get(path)
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers
