"""The API: its answers, its refusals, and that its files are those of the command line."""

from __future__ import annotations

import io
import json
import re
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient
from typer.testing import CliRunner

from testgen.cli.app import app as command_line
from testgen.serve.app import create_app
from testgen.serve.provider import TestSetProvider
from testgen.serve.selection import Selection
from testgen.serve.settings import Settings
from tests.testgen.network import files
from tests.testgen.serve.test_jobs import wait_for

API = "/api/v1"


def run(command, directory):
    """The files that a command line from an answer writes."""
    words = command.replace("--source small.ttl", "").split()
    assert words[:2] == ["testgen", "generate"]
    found = CliRunner().invoke(command_line, [*words[1:], "--output", str(directory)])
    assert found.exit_code == 0, found.output
    return files(directory)


def test_the_service_says_what_it_is(client, snapshot):
    said = client.get(API).json()
    assert said["source"] == {
        "kind": "snapshot", "name": "small", "date": "2026-11-01", "endpoint": None, "retrieved": None,
        "sha256": said["source"]["sha256"], "license": None,
    }  # fmt: skip
    assert not said["live"]
    assert said["limits"] == {"classes": 2, "class_items": 7, "jobs_per_client": 3}
    assert str(snapshot.parent) not in json.dumps(said)


def test_languages_are_searched_by_name_code_and_script(client):
    codes = lambda query: [each["code"] for each in client.get(f"{API}/languages{query}").json()]  # noqa: E731
    assert codes("") == ["en", "he", "la"], "those with a test set"
    assert codes("?q=LAT") == ["la"]
    assert codes("?q=he") == ["he"]
    assert codes("?script=Hebr") == ["he"]
    assert codes("?minimum_words=10000") == []


def test_a_language_has_its_categories_and_direction(client):
    hebrew = client.get(f"{API}/languages/he").json()
    assert hebrew["direction"] == "rtl"
    country = next(part for part in hebrew["sections"] if part["name"] == "country")
    assert country["size"] == 4
    assert "צרפת" in country["sample"]
    latin = client.get(f"{API}/languages/la").json()
    pairs = next(part for part in latin["sections"] if part["kind"] == "relation")
    assert all(" – " in pair for pair in pairs["sample"])


@pytest.mark.parametrize("code", ["tlh", "xx", "fr", "..%2F..%2Fetc", "a" * 41])
def test_a_language_that_is_not_there_is_not_found(client, code):
    answer = client.get(f"{API}/languages/{code}")
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"]


def test_a_category_shows_its_query_and_languages(client):
    country = client.get(f"{API}/categories/country").json()
    assert "SELECT" in country["query"]
    assert {each["code"]: each["words"] for each in country["words"]}["la"] == 5
    assert [each["words"] for each in country["words"]] == sorted(
        (each["words"] for each in country["words"]), reverse=True
    )
    assert country["items"] == 6
    assert client.get(f"{API}/categories/nothing").status_code == 404


def test_categories_are_searched(client):
    names = lambda query: [each["name"] for each in client.get(f"{API}/categories{query}").json()]  # noqa: E731
    assert "country" in names("?q=sovereign")
    assert set(names("?kind=relation")).isdisjoint(names("?kind=category"))
    assert "weekday" in names("?topic=time")
    assert "country" not in names("?topic=time")


def test_coverage_is_filtered_and_comes_as_a_table(client):
    every = client.get(f"{API}/coverage").json()
    assert {"country", "capital"} <= set(every["categories"])
    some = client.get(f"{API}/coverage?language=la&language=he&category=country").json()
    assert {row["code"]: row["words"] for row in some["rows"]} == {"la": {"country": 5}, "he": {"country": 4}}
    enough = client.get(f"{API}/coverage?category=country&minimum_words=5").json()
    assert "he" not in [row["code"] for row in enough["rows"]]
    table = client.get(f"{API}/coverage.csv?language=la&category=country")
    assert table.text == "code,name,country\nla,Latin,5\n"
    assert "attachment" in table.headers["content-disposition"]
    for wrong in ("topic=nonsense", "category=nonsense", "language=nonsense"):
        assert client.get(f"{API}/coverage?{wrong}").status_code == 422


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?category=country",
        "?category=country&category=country-capital&case=fold&aliases=true&minimum_words=1",
        "?class=Q3624078&minimum_words=1&mul=false&slash=drop&several_words=join",
        "?minimum_items=2&minimum_words=2",
    ],
    ids=["all", "one", "policy", "class", "levels"],
)
def test_a_test_set_has_the_bytes_that_the_command_writes(client, snapshot, tmp_path, query):
    answer = client.get(f"{API}/test-sets/la.json{query}")
    assert answer.status_code == 200, answer.text
    summary = client.get(f"{API}/test-sets/la/summary{query}").json()
    folder = re.search(" --output (la-[0-9a-f]{6}) ", summary["command"])
    assert bool(folder) == bool(query), "another choice has another name"
    name = f"{folder[1] if folder else 'la'}.json"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert "--source small.ttl" in summary["command"]
    command = f"{summary['command']} --source {snapshot}"
    assert run(command, tmp_path) == {"la.json": answer.content}
    assert summary["bytes"] == len(answer.content)
    test_set = json.loads(answer.content)
    words = {word for each in test_set["categories"] for item in each["items"] for word in item["words"]}
    assert summary["words"] == len(words)
    assert summary["pairs"] == sum(len(each["pairs"]) for each in test_set["relations"])


def test_a_file_that_the_client_has_is_not_sent_again(client):
    plain = {"Accept-Encoding": "identity"}
    first = client.get(f"{API}/test-sets/la.json", headers=plain)
    tag = first.headers["etag"]
    assert client.get(f"{API}/test-sets/la.json", headers=plain | {"If-None-Match": tag}).status_code == 304
    other = client.get(f"{API}/test-sets/la.json?case=fold", headers=plain | {"If-None-Match": tag})
    assert other.status_code == 200
    assert other.headers["etag"] != tag
    packed = client.get(f"{API}/test-sets/la.json", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["etag"] != tag
    assert packed.content == first.content
    assert int(packed.headers["content-length"]) < len(first.content)


def test_a_tag_is_the_same_when_a_file_is_made_again(client):
    headers = {"Accept-Encoding": "gzip"}
    tag = client.get(f"{API}/test-sets/la.json", headers=headers).headers["etag"]
    client.app.state.provider.reload()
    assert client.get(f"{API}/test-sets/la.json", headers=headers).headers["etag"] == tag


def test_several_tags_and_lines_of_them_are_looked_at(client):
    plain = ("Accept-Encoding", "identity")
    tag = client.get(f"{API}/test-sets/la.json", headers=[plain]).headers["etag"]
    for lines in ([f'"x", W/{tag}'], ['"x"', tag], ["*"]):
        headers = [plain, *(("If-None-Match", line) for line in lines)]
        assert client.get(f"{API}/test-sets/la.json", headers=headers).status_code == 304


def test_heads_are_those_of_the_whole(client):
    for path in (f"{API}/test-sets/la.json", API, "/"):
        head, whole = client.head(path), client.get(path)
        assert head.status_code == 200
        assert head.content == b""
        assert head.headers["content-length"] == whole.headers["content-length"]


def test_a_service_of_few_categories_names_them_in_its_commands(tmp_path):
    settings = Settings(tmp_path, categories=("month", "weekday"))
    provider = TestSetProvider(settings)
    from testgen.serve.selection import Selection

    assert provider.command(Selection(None)) == (
        "testgen generate --all-languages --category month --category weekday --keywords"
    )
    assert "--category weekday" in provider.command(Selection(("la",)))


def test_an_archive_holds_what_the_command_writes(client, snapshot, tmp_path):
    answer = client.get(f"{API}/test-sets.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        found = {name: archive.read(name) for name in archive.namelist()}
    card = found.pop("README.md").decode()
    assert "# Words by category in 3 languages\n" in card
    assert "| la | Latin |" in card
    every = "testgen generate --all-languages"
    assert found == run(f"{every} --source {snapshot}", tmp_path)
    assert client.get(f"{API}/test-sets.zip").content == answer.content
    two = client.get(f"{API}/test-sets.zip?language=la&language=en&category=country&case=lower")
    with zipfile.ZipFile(io.BytesIO(two.content)) as archive:
        assert archive.namelist() == ["en.json", "la.json", "README.md"]


def test_the_archive_of_everything_is_a_file_made_once(settings, tmp_path, monkeypatch):
    with TestClient(create_app(replace(settings, directory=tmp_path)), base_url="http://localhost") as client:
        provider = client.app.state.provider
        made = client.get(f"{API}/test-sets.zip")
        wait_for(provider.everything.exists)
        monkeypatch.setattr(provider, "archive", None)
        whole = client.get(f"{API}/test-sets.zip")
        assert whole.content == made.content
        assert whole.headers["etag"] == made.headers["etag"]
        asked = {"Range": "bytes=10-19", "If-Range": whole.headers["etag"]}
        part = client.get(f"{API}/test-sets.zip", headers=asked)
        assert (part.status_code, part.content) == (206, whole.content[10:20])
        assert part.headers["content-range"] == f"bytes 10-19/{len(whole.content)}"
        again = client.get(f"{API}/test-sets.zip", headers={"If-None-Match": whole.headers["etag"]})
        assert again.status_code == 304
        changed = provider.everything.stat().st_mtime_ns
    client.app.state.jobs._lock.release()  # it belongs to this thread
    with TestClient(create_app(replace(settings, directory=tmp_path)), base_url="http://localhost") as client:
        assert client.get(f"{API}/test-sets.zip").content == whole.content
        assert client.app.state.provider.everything.stat().st_mtime_ns == changed


def test_only_so_many_archives_are_made_at_a_time(settings, monkeypatch):
    from testgen.errors import BusyError

    provider = TestSetProvider(settings)
    begun, go_on = threading.Event(), threading.Event()
    made = provider._test_sets

    def slow(selection):
        begun.set()
        go_on.wait(10)
        return made(selection)

    monkeypatch.setattr(provider, "_test_sets", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(provider.archive, Selection())
        begun.wait(10)
        with pytest.raises(BusyError, match="archives"):
            provider.archive(Selection())
        go_on.set()
        first.result().close()
    # However slowly these are read, others can be made.
    held = [provider.archive(Selection()) for _ in range(3)]
    for file in held:
        file.close()


def test_readers_who_go_away_or_never_read_keep_nobody_from_archives(client):
    for _ in range(4):
        with client.stream("GET", f"{API}/test-sets.zip") as answer:
            next(answer.iter_raw())
    assert client.get(f"{API}/test-sets.zip").status_code == 200


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?category=nonsense", "/api/v1/categories lists them all."),
        ("?category=geography", "is a topic: /api/v1/categories?topic=geography lists its categories"),
        ("?class=Q9415%20UNION", "not the id of a class"),
        ("?class=P31", "not the id of a class"),
        ("?class=Q1&class=Q2&class=Q3", "takes up to 2 at a time"),
        ("?class=Q987654321", "no items for Q987654321"),
        ("?case=upper", "query.case"),
        ("?minimum_words=0", "minimum_words is 0"),
        ("?minimum_items=1", "query.minimum_items"),
        ("?category=country&minimum_words=1000", "too few for any category"),
        ("?category=../../etc/passwd", "unknown category"),
    ],
)
def test_what_cannot_be_made_is_refused_with_the_reason(client, query, said):
    answer = client.get(f"{API}/test-sets/la.json{query}")
    assert 400 <= answer.status_code < 500
    problem = answer.json()
    assert said in problem["detail"]
    assert problem["status"] == answer.status_code
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("/test-sets/la.json?categories=animal", "'categories'; did you mean 'category'?"),
        ("/coverage?languages=te", "did you mean 'language'?"),
        ("/test-sets/la.json?case=fold&case=keep", "case is 'fold' and 'keep'; give one of them"),
        ("/languages?language=te", "known here: q, script, minimum_words"),
        ("/languages/la?q=x", "known here: none"),
        ("/test-sets.zip?class_=Q5", "did you mean 'class'?"),
    ],
)
def test_unknown_parameters_are_refused_with_the_nearest_name(client, query, said):
    answer = client.get(f"{API}{query}")
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_unknown_fields_of_an_order_are_refused(client):
    for order in ({"category": ["country"]}, {"policy": {"cases": "fold"}}):
        answer = client.post(f"{API}/jobs", json={"languages": ["la"], **order})
        assert answer.status_code == 422, order


def test_a_class_may_have_so_many_items(settings):

    from testgen.errors import QueryError

    provider = TestSetProvider(replace(settings, limits=replace(settings.limits, class_items=6)))
    with pytest.raises(QueryError, match=r"\b7 items.*\b6\b"):
        provider.file(Selection(("la",), classes=("Q3624078",)))


def test_an_unforeseen_error_is_an_answer_without_a_trace(client, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret: /home/somebody")

    monkeypatch.setattr(client.app.state.provider, "file", fail)
    answer = client.get(f"{API}/test-sets/la.json?case=fold&slash=drop")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "secret" in caplog.text


def test_the_description_holds_every_end_point(client):
    described = client.get(f"{API}/openapi.json").json()
    assert set(described["paths"]) == {
        f"{API}{path}"
        for path in (
            "", "/languages", "/languages/{code}", "/categories", "/categories/{name}",
            "/words", "/coverage", "/coverage.csv",
            "/test-sets/{code}.json", "/test-sets/{code}/summary", "/test-sets.zip",
            "/jobs", "/jobs/{job_id}", "/jobs/{job_id}/events", "/jobs/{job_id}/result",
        )
    }  # fmt: skip
    for path in described["paths"].values():
        for operation in path.values():
            assert operation["description"]
    assert "Problem" in described["components"]["schemas"]
