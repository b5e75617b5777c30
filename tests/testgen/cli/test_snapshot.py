"""The commands that create, inspect and compare snapshots."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

from testgen.cli import main
from tests.testgen.conftest import TURTLE
from tests.testgen.snapshots.dumps.dump_files import json_dump
from tests.testgen.snapshots.dumps.small_dump import ENTITIES


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command and gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_(*arguments):
        monkeypatch.setattr(sys, "argv", ["testgen", "snapshot", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return run_


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


@pytest.mark.parametrize("name", ["s.ttl", "s.ttl.gz"])
def test_only_snapshots_are_overwritten_without_force(run, small, tmp_path, name):
    create = ("create", "--source", small, "-c", "country", "-o", name)
    (tmp_path / name).write_text("mine")
    code, _, err = run(*create)
    assert (code, "testgen did not write it" in err) == (2, True)
    (tmp_path / "dump.json").write_bytes(json_dump(ENTITIES))
    assert run("create", "--dump", "dump.json", "-c", "country", "-o", name)[0] == 2
    assert (tmp_path / name).read_text() == "mine"
    assert run(*create, "--force")[0] == 0
    assert run(*create)[0] == 0


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
