"""The requests that the service refuses at once, and the headers for browsers."""

from __future__ import annotations

import pytest

API = "/api/v1"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "169.254.169.254", "[::2]"])
def test_foreign_names_are_refused(client, host):
    answer = client.get(API, headers={"Host": host})
    assert answer.status_code == 421
    assert "--settings" in answer.json()["detail"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000"])
def test_names_of_this_machine_are_not(client, host):
    assert client.get(API, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=["origin", "null", "another port", "malformed", "cross-site", "same-site"],
)
def test_pages_of_other_sites_change_nothing(client, headers):
    assert client.post(f"{API}/jobs", json={}, headers=headers).status_code == 403
    assert client.delete(f"{API}/jobs/{'a' * 22}", headers=headers).status_code == 403
    assert client.get(API, headers=headers).status_code == 200


def test_a_category_is_never_read_as_a_file(client, tmp_path):
    path = tmp_path / "own.rq"
    path.write_text("#+ title: T", encoding="utf-8")
    answer = client.get(f"{API}/test-sets/la.json", params={"category": str(path)})
    assert answer.status_code == 422
    assert "unknown category" in answer.text
    assert client.post(f"{API}/jobs", json={"categories": [str(path)]}).status_code == 422


def test_bodies_are_short_and_say_how_long(client):
    large = client.post(f"{API}/jobs", content=b"x" * 1_000_001, headers={"Content-Type": "application/json"})
    assert large.status_code == 413
    chunked = client.post(f"{API}/jobs", content=iter([b"{}"]), headers={"Content-Type": "application/json"})
    assert chunked.status_code == 413
    lying = client.post(f"{API}/jobs", content=b"{}", headers={"Content-Length": "-1"})
    assert lying.status_code == 413


@pytest.mark.parametrize("path", [API, f"{API}/nothing", f"{API}/test-sets/la.json", "/"])
def test_browsers_are_told_to_be_strict(client, path):
    headers = client.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


@pytest.mark.parametrize(
    "order",
    [
        {"languages": []},
        {"languages": ["la"], "query": "SELECT * WHERE { ?s ?p ?o }"},
        {"languages": ["la"], "source": "https://evil.example/sparql"},
        {"languages": ["la; DROP"]},
        {"classes": ["Q1> . ?x ?y ?z"]},
        {"classes": ["Q1", "Q2", "Q3"]},
        {"categories": ["/etc/passwd"]},
        {"policy": {"case": "upper"}},
        {"policy": {"minimum_words": 0}},
        {"policy": {"minimum_words": 10**30}},
        {"policy": {"query": "SELECT"}},
        {"minimum_items": 1},
        [],
    ],
    ids=str,
)
def test_orders_carry_neither_queries_nor_addresses(client, order):
    answer = client.post(f"{API}/jobs", json=order)
    assert answer.status_code == 422
    assert answer.json()["detail"]


@pytest.mark.parametrize("name", ["%2e%2e", "a" * 22 + "/../x", "a" * 21, "a" * 21 + "%00", "x" * 22])
def test_names_of_jobs_reach_no_other_file(client, name):
    for path in ("", "/result", "/events"):
        answer = client.get(f"{API}/jobs/{name}{path}")
        assert answer.status_code == 404
        assert "there is" in answer.json()["detail"]
