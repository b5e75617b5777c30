"""The commands that create, inspect and compare snapshots."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.testgen.conftest import TURTLE
from tests.testgen.snapshots.dumps.dump_files import json_dump


@pytest.fixture
def run(command, tmp_path, monkeypatch):
    """Runs a command on snapshots in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: command("snapshot", *arguments)


def test_create_and_info(run, small):
    code, out, _ = run("create", "--source", small, "-c", "country", "-c", "capital", "-o", "s.ttl.gz")
    assert (code, out) == (0, "s.ttl.gz: 1 kB\n")
    _, out, _ = run("info", "s.ttl.gz")
    assert "names of 12 items in 4 languages\nanswers 5 of the shipped queries: capital 6, " in out
    assert json.loads(run("info", "s.ttl.gz", "--json")[1])["answers"]["country"] == 6


def test_diff(run, small, tmp_path):
    (tmp_path / "new.ttl").write_text(TURTLE.replace('"Gallia"@la', '"Francogallia"@la'))
    compare = ("diff", small, "new.ttl", "-c", "country")
    assert run(*compare)[1] == "renamed: 1 words, 1 items\ngive --language to see the words\n"
    assert "Francogallia" in run(*compare, "--language", "lat")[1]
    assert run("diff", small, small, "-c", "country")[1] == "no differences\n"
    rows = json.loads(run(*compare, "--json")[1])
    assert rows == list(csv.DictReader(io.StringIO(run(*compare, "--csv")[1])))


def test_a_dump_of_which_a_query_is_left_out(run, tmp_path):
    state, unknown = (
        {"mainsnak": snak, "rank": "normal", "type": "statement", "id": "Q1$1"}
        for snak in (
            {"snaktype": "value", "datavalue": {"type": "wikibase-entityid", "value": {"id": "Q3624078"}}},
            {"snaktype": "somevalue"},
        )
    )
    entity = {"type": "item", "id": "Q1", "labels": {}, "claims": {"P31": [state], "P36": [unknown]}}
    (tmp_path / "dump.json").write_bytes(json_dump([entity]))
    create = ("create", "--dump", "dump.json", "--workers", 1, "-c", "country")
    code, out, err = run(*create, "-c", "capital", "-o", "s.ttl")
    assert (code, out) == (1, "s.ttl: 1 kB\n")
    assert "1 entities in 0.0 MB of text read; 2 statements extracted\nleft out: " in err
    assert run(*create, "--source", "shipped", "-o", "t.ttl")[0] == 2
