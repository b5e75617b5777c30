"""The values that a shell completes, found without reading a source."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from testgen.cli import completion
from testgen.languages import canonical
from testgen.queries import shipped_queries


def names(completions):
    return [name for name, _ in completions]


def test_languages():
    assert ("la", "Latin") in completion.languages("l")
    assert "mul" not in names(completion.languages("m"))
    assert all(canonical(code) == code for code in names(completion.languages("")))


def test_categories_and_topics():
    titles = dict(completion.categories(""))
    assert titles == {query.name: query.title for query in shipped_queries().values()}
    assert names(completion.categories("country-cap")) == ["country-capital"]
    assert names(completion.topics("")) == sorted({query.topic for query in shipped_queries().values()})


def test_sources(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("small.ttl", "large.nt.gz", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "snapshots" / "old.ttl.gz").touch()
    assert names(completion.sources("")) == ["shipped", "wikidata", "large.nt.gz", "small.ttl", "snapshots/"]
    assert names(completion.sources("s")) == ["shipped", "small.ttl", "snapshots/"]
    assert names(completion.sources("snapshots/")) == ["snapshots/old.ttl.gz"]
    assert names(completion.sources(f"{tmp_path}/sm")) == [f"{tmp_path}/small.ttl"]
    assert names(completion.sources("none/x")) == []


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("generate --language grc", {"grc"}),
        ("generate --category weekd", {"weekday"}),
        ("generate --case f", {"fold"}),
        ("categories --topic geogra", {"geography"}),
        ("coverage --source wiki", {"wikidata"}),
        ("snapshot create --category weekd", {"weekday"}),
    ],
)
def test_a_shell_is_answered(typed, expected):
    """As bash asks the program."""
    words = f"testgen {typed}"
    asked = {"_TESTGEN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    code = "import sys; from testgen.cli import main; sys.argv[0] = 'testgen'; main()"
    answered = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | asked, capture_output=True, text=True, check=False
    )
    assert set(answered.stdout.split()) == expected, answered.stderr


def test_completion_reads_no_source_and_checks_no_query():
    code = (
        "import sys; from testgen.cli import completion as c\n"
        "c.languages(''), c.categories(''), c.topics(''), c.sources('')\n"
        "print({'pyoxigraph', 'pandas', 'requests', 'testgen.sources'} & sys.modules.keys())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
