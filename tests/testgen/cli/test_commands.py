"""The command line of testgen: what each command prints, and the files it writes."""

from __future__ import annotations

import json
import sys

import pytest

from testgen.cli import main

QUERY = """\
#+ title: Capitals
#+ kind: category
#+ topic: test
#+ summary: Capitals of all that has one.
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT DISTINCT ?item WHERE { ?of wdt:P36 ?item } ORDER BY ?item
"""


@pytest.fixture
def run(small, tmp_path, monkeypatch, capsys):
    """Runs a command on the small snapshot; gives stdout, having seen exit code and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_(command, *arguments):
        monkeypatch.setattr(sys, "argv", ["testgen", command, "--source", str(small), *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert not ended.value.code, err
        assert err == ""
        return out

    return run_


def test_generate(run, tmp_path):
    out = run("generate", "--language", "la", "-l", "en", "-o", "out", "-c", "country")
    header, english, latin, *_ = (line.split() for line in out.splitlines())
    assert header == ["language", "categories", "words", "relations", "pairs", "file"]
    assert english == ["en", "1", "5", "0", "0", "out/en.json"]
    assert latin == ["la", "1", "5", "0", "0", "out/la.json"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["en.json", "la.json"]


def test_what_was_asked_for_and_is_nowhere_is_named(small, tmp_path, monkeypatch, capsys):
    asked = ["--source", str(small), "-l", "la", "-c", "country", "-c", "river", "-o", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["testgen", "generate", *asked])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    said = "testgen: in no test set, for want of items or usable words: river\n"
    assert capsys.readouterr().err == said


def test_generate_json(run):
    rows = json.loads(run("generate", "-l", "la", "--json", "-c", "country", "-c", "country-capital"))
    assert [row["name"] for row in rows] == ["country", "country-capital"]
    assert rows[0] == {
        "language": "la",
        "kind": "category",
        "name": "country",
        "size": 5,
        "items": 5,
        "file": "testsets/la.json",
    }


def test_all_languages(run, tmp_path):
    run("generate", "--all-languages", "-c", "country", "--minimum-words", "2")
    assert sorted(path.stem for path in (tmp_path / "testsets").iterdir()) == ["en", "la", "ru"]


def test_the_policy_reaches_the_file(run, tmp_path):
    run("generate", "-l", "la", "-c", "country", "--case", "lower", "--several-words", "join", "--aliases")
    made = json.loads((tmp_path / "testsets" / "la.json").read_text(encoding="utf-8"))
    assert made["policy"] == {
        "normalization": "NFC",
        "case": "lower",
        "several_words": "join",
        "parentheses": "strip",
        "comma": "strip",
        "slash": "split",
        "aliases": True,
        "mul": True,
        "minimum_words": 4,
    }
    words = [word for item in made["categories"][0]["items"] for word in item["words"]]
    assert "civitates_foederatae" in words
    assert "francia" in words


def test_a_query_and_a_class_of_ones_own(run, tmp_path):
    (tmp_path / "seat.rq").write_text(QUERY)
    rows = json.loads(run("generate", "-l", "la", "--json", "--query", "seat.rq", "--class", "Q3624078"))
    assert [(row["name"], row["size"]) for row in rows] == [("Q3624078", 6), ("seat", 5)]


def test_categories(run):
    out = run("categories")
    assert out.splitlines()[0].split() == ["topic", "name", "kind", "items", "summary"]
    rows = {row["name"]: row for row in json.loads(run("categories", "--json"))}
    assert rows["country"].keys() == {"topic", "name", "kind", "items", "summary"}
    assert (rows["country"]["items"], rows["country"]["kind"]) == (6, "category")
    assert rows["country-capital"]["kind"] == "relation"
    assert len(out.splitlines()) == len(rows) + 1


def test_languages(run):
    rows = json.loads(run("languages", "--json", "-c", "country"))
    assert [row["language"] for row in rows] == ["en", "la", "ru"]
    assert rows[1] == {"language": "la", "name": "Latin", "scripts": "Latn", "words": 5, "categories": 1}
    few = run("languages", "--min-words", "5", "-c", "country").splitlines()
    assert [line.split()[0] for line in few] == ["language", "en", "la"]


def test_coverage(run):
    rows = json.loads(run("coverage", "--json", "-l", "ru", "-l", "la", "-c", "country"))
    assert rows == [
        {"language": "la", "words": {"country": 5}},
        {"language": "ru", "words": {"country": 2}},
    ]
    wide = run("coverage", "-l", "la", "-c", "country", "-c", "country-capital").splitlines()
    assert [line.split() for line in wide] == [["category", "la"], ["country", "5"], ["country-capital", "4"]]
    long = run("coverage", "-c", "country").splitlines()
    assert [line.split() for line in long] == [["code", "country"], ["en", "5"], ["la", "5"], ["ru", "2"]]


def test_coverage_of_the_category_called_language(monkeypatch, capsys):
    for arguments, begins in [([], "code "), (["--json"], "[")]:
        monkeypatch.setattr(sys, "argv", ["testgen", "coverage", "-c", "language", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        assert capsys.readouterr().out.startswith(begins)


def test_a_directory_called_wikidata_is_not_taken_for_the_source(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TESTGEN_CONTACT", "test@example.org")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("TESTGEN_WIKIDATA_QUERY", "http://127.0.0.1:9/sparql")
    (tmp_path / "wikidata").mkdir()
    monkeypatch.setattr(
        sys, "argv", ["testgen", "generate", "--source", "wikidata", "-l", "la", "-c", "country", "--offline"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "offline: the answer to query 'country' is not in the cache" in capsys.readouterr().err


def test_names_with_the_signs_of_markup_are_printed_as_they_are(run):
    assert "[/b] :smile:/la.json" in run("generate", "-l", "la", "-c", "country", "-o", "[/b] :smile:")


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("command", [[], ["generate"], ["categories"], ["languages"], ["coverage"]])
def test_help(monkeypatch, capsys, command, option):
    monkeypatch.setattr(sys, "argv", ["testgen", *command, option])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert "Usage: " in capsys.readouterr().out
