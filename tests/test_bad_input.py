"""Wrong input through both command lines: exit code 2, one message that helps, no traceback, no file."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import evaluator.cli
import testgen
import testgen.cli
from tests.testgen.conftest import TURTLE

GOOD_VECTORS = "6 2\nrex 1 0.5\nregina 1 0.25\nfilia 0.5 1\nfilius 0.25 1\nurbs -1 1\nvia 1 -1\n"
HEADER = "#+ title: T\n#+ kind: category\n#+ topic: t\n#+ summary: s\n"
GOOD_QUERY = HEADER + "SELECT ?item WHERE { ?item ?p ?o }\n"
GOOD_SET = {
    "format": "testset",
    "version": 1,
    "language": "la",
    "categories": [
        {"name": "court", "items": [{"id": "Q1", "words": ["rex"]}, {"id": "Q2", "words": ["regina"]}]},
        {"name": "child", "items": [{"id": "Q3", "words": ["filia"]}, {"id": "Q4", "words": ["filius"]}]},
    ],
}
RELATION = {
    "name": "pair",
    "items": [{"id": "Q1", "words": ["rex"]}, {"id": "Q2", "words": ["regina"]}],
    "pairs": [{"item": "Q1", "of": "Q2"}],
}


def category(*words):
    return GOOD_SET | {
        "categories": [{"name": "c", "items": [{"id": f"Q{n}", "words": [w]} for n, w in enumerate(words)]}]
    }


FILES = {
    "la.vec": GOOD_VECTORS,
    "la.json": GOOD_SET,
    "good.rq": GOOD_QUERY,
    "small.ttl": TURTLE,
    "file": "",
    # query files
    "headless.rq": "SELECT ?item WHERE { ?item ?p ?o }",
    "prose.rq": HEADER + "All the rivers, please.",
    "Q 1!.rq": GOOD_QUERY,
    "unbound.rq": HEADER + "SELECT ?item WHERE { ?x ?p ?o OPTIONAL { ?o <http://never> ?item } }",
    "nothing.rq": HEADER + "SELECT ?item WHERE { ?item <http://never> ?o }",
    "country.rq": GOOD_QUERY,
    # snapshots
    "prose.ttl": "This is no RDF.",
    "bare.ttl.gz": b"\x1f\x8b",
    # test sets
    "prose.json": "Some words.",
    "cut.json": json.dumps(GOOD_SET)[:-30],
    "oov.json": category("caesar", "brutus", "cassius"),
    "upper.json": category("REX", "REGINA", "FILIA"),
    "relations.json": GOOD_SET | {"categories": [], "relations": [RELATION]},
    # vectors
    "cut.vec": GOOD_VECTORS[: GOOD_VECTORS.index("urbs")],
    "nan.vec": GOOD_VECTORS.replace("filia 0.5 1", "filia nan 1"),
    "empty.vec": "",
    "prose.vec": "Arma virumque cano,\nTroiae qui primus ab oris\n",
    "model.zip": b"PK\x03\x04" + b"\x00" * 50,
    # results, and a folder of test sets
    "scores.json": '{"format": "scores", "version": 1, "results": []}',
    "sets/la.json": GOOD_SET,
    "sets/en.json": GOOD_SET | {"language": "en"},
}


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """The directory that holds all of them; nothing must come to it."""
    directory = tmp_path_factory.mktemp("inputs")
    for name, content in FILES.items():
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_bytes(text.encode() if isinstance(text, str) else text)
    (directory / "folder").mkdir()
    (directory / "folder.rq").mkdir()
    return directory


def contents(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.name != "out")


@pytest.fixture
def refused(inputs, monkeypatch, capsys):
    """Runs a command that must fail as an error of the user's; gives the message."""

    def refused_(program, *arguments):
        monkeypatch.chdir(inputs)
        monkeypatch.setenv("COLUMNS", "300")
        monkeypatch.setattr(sys, "argv", [program, *arguments])
        with pytest.raises(SystemExit) as ended:
            {"testgen": testgen.cli.main, "evaluator": evaluator.cli.main}[program]()
        out, err = capsys.readouterr()
        assert ended.value.code == 2
        assert out == ""
        assert contents(inputs) == sorted([*FILES, "folder", "folder.rq", "sets"])
        return err

    return refused_


GENERATE = {
    "-l la -c countri": r"unknown category 'countri'.* did you mean .*country",
    "-l la -c xyzzyxyzzy": r"unknown category 'xyzzyxyzzy'.*`testgen categories` lists them all",
    "-l latim": r"unknown language code 'latim'.*did you mean la \(Latin\)",
    "-l qqq": r"unknown language code 'qqq'",
    "-l l@": r"'l@' is not a language code\. Codes look like 'la'",
    "-l mul": r"'mul' is not a language",
    "-l la -c geography": r"'geography' is a topic: `testgen categories --topic geography` lists its",
    "-l la -c 9415": r"'9415' is not the id of a class: it must be Q and a number, such as Q9415",
    "-l la -c Q09": r"'Q09' is not the id of a class",
    "-l la -c Q1|Q2": r"'Q1\|Q2' is not the id of a class",
    "-l la -c none.rq": r"none\.rq: cannot be read: No such file",
    "-l la -c folder.rq": r"folder\.rq: cannot be read: Is a directory",
    "-l la -c headless.rq": r"headless\.rq: the header lacks `#\+ title: …`.*one line per key",
    "-l la -c prose.rq": r"prose\.rq: not a SPARQL 1\.1 query",
    "-l la -c 'Q 1!.rq'": r"Q 1!\.rq: the file's name becomes .* use letters, digits and hyphens",
    "-l la --source small.ttl -c unbound.rq": r"query 'unbound' binds .item to .*, which is not a Wiki",
    "-l la --source small.ttl -c nothing.rq": r"small has no items for nothing",
    "-l la -c country -c country.rq": r"two different queries are called 'country'; rename one",
    "-l la --policy case=upper": r"label policy: case cannot be 'upper'; choose from keep, lower, fold",
    "-l la --policy aliases=true": r"label policy: aliases cannot be 'true'; choose from yes, no",
    "-l la --policy casing=fold": r"there is no choice 'casing=fold'; choose from .*case=keep\|lower\|fold",
    "-l la --policy none.json": r"none\.json: cannot be read: No such file",
    "-l la -c country --source none.ttl": r"none\.ttl: cannot be read: No such file",
    "-l la -c country --source prose.ttl": r"prose\.ttl: is not Turtle, or cut off",
    "-l la -c country --source bare.ttl.gz": r"bare\.ttl\.gz: the gzip file is cut off or damaged",
    "-l la -c country --source folder": r"folder: not a source",
    "-l ru -c country --source small.ttl": r"ru \(Russian\): small has usable names for 2 of the items",
    "-l de -c country --source small.ttl": r"de \(German\): small has usable names for",
    "-l la -c country -o file": r"file: cannot be written to: Not a directory; choose another --output",
    "-l de -c country -o new/folder": r"de \(German\): small has usable names for",
    "-l la -c country -o file/deeper": r"file/deeper: cannot be written to: Not a directory; choose another",
    "-l la -c country -o /proc/nope": r"/proc/nope: cannot be written to: .*; choose another --output",
}

ONE_HYPHEN = {
    "testgen generate la -output sets": r"-output: write it with two hyphens, --output$",
    "testgen generate la -output=sets": r"-output=sets: write it with two hyphens, --output=sets$",
    "testgen generate -language la": r"-language: write it with two hyphens, --language$",
    "testgen generate la -category country": r"-category: write it with two hyphens, --category$",
    "evaluator score la.vec -test la.json": r"-test: write it with two hyphens, --test$",
    "evaluator score la.vec --test la.json -measure Topk@1": r"-measure: write .* --measure$",
    "evaluator score la.vec --test la.json -output out.json": r"-output: write .* --output$",
}

SCORE = {
    "missing.vec la.json": r"missing\.vec: there is no such file\. Check the path",
    "lat.vec la.json": r"lat\.vec: there is no such file\. Did you mean la\.vec\?",
    "folder la.json": r"folder: this is a directory",
    "empty.vec la.json": r"empty\.vec: the file is empty",
    "cut.vec la.json": r"cut\.vec, line 1: the header says 6 rows, but only 4 follow",
    "nan.vec la.json": r"nan\.vec, line 4, word 'filia': number 1 of 2 is NaN",
    "model.zip la.json": r"model\.zip: this is a zip archive\. Unpack it",
    "la.vec la.json --vocabulary 0": r"vocabulary is 0; it must be 1 or more",
    "la.vec none.json": r"none\.json: cannot be read: No such file or directory$",
    "la.vec grc.json": r"No such file or directory\. `testgen generate grc --output '\.'` makes it",
    "la.vec 'my sets/uz-latn.json'": r"`testgen generate uz-latn --output 'my sets'` makes it",
    "la.vec folder": r"folder: holds no file that ends in \.txt",
    "la.vec la.vec": r"la\.vec: holds vectors, not a test set. Are arguments swapped",
    "la.json la.json": r"la\.json: holds a test set, not vectors. Are .* Test sets are named with --test",
    "scores.json la.json": r"scores\.json: holds results of evaluator, not vectors.*evaluator report",
    "prose.vec la.json": r"prose\.vec: holds a text, not vectors.*evaluator train. trains",
    "la.vec scores.json": r"scores\.json: holds results of evaluator, not a test set",
    "la.vec 'none/*.json'": r"none/\*\.json: no such file; name test sets",
    "la.vec sets": r"sets/\{language\}\.json: which language\? .* --language CODE; there are en, la",
    "la.vec sets --language grc": r"no test set of grc is there; there are en, la",
    "la.vec la.json --language grc": r"la\.json is of the language 'la', not 'grc': leave out --language",
    "la.vec prose.json": r"prose\.json: not JSON: Expecting value: line 1 column 1",
    "la.vec cut.json": r"cut\.json: not JSON: .*; is the file complete\?",
    "la.vec relations.json": r"relations\.json: has no categories, which Topk@1 scores",
    "la.vec oov.json --oov skip": r"oov\.json: Topk@1 can score nothing .* 0 are known.*language \(la\)",
    "la.vec la.json -m Topk@0": r"Topk@0: k must be 1 or more",
    "la.vec la.json -m Topk@3": r"Topk@3 can score nothing .*court: 2 words, 3 needed",
    "la.vec la.json -m Topk@6": r"child: 2 words, 6 needed\)\n$",
    "la.vec la.json -m OddOneOut@3": r"court: 2 words, 3 needed",
    "la.vec la.json -m OddOneOut@1": r"OddOneOut@1: k must be 2 or more",
    "la.vec la.json -m topk@1": r"unknown measure 'topk'; did you mean Topk\?",
    "la.vec la.json -m Topk@one": r"k must be a whole number, not 'one'",
    "la.vec la.json --profile latn": r"unknown orthography profile 'latn'; did you mean latin\?",
    "la.vec la.json --preset gensim --oov skip": r"--preset gensim decides --oov; leave out one or",
    "la.vec la.json --preset gensim-evaluations --multiword keep": r"decides --multiword",
    "la.vec la.json -m Similarity": r"has no rated pairs, which Similarity scores",
    "la.vec la.json -m Analogy@0": r"k must be 1 or more",
}

UNKNOWN = {
    "la.vec oov.json": r"la\.vec: oov\.json: no word is known$",
    "la.vec upper.json --case exact": r"no word is known; with --case fold, 3 words are known instead of 0$",
}

USAGE = {
    "testgen generate": r"which languages\? Name them, as in `testgen generate la`, or ask for --all",
    "testgen generate -l la --all-languages": r"ask for --all-languages, not both",
    "testgen generate -l la --minimum-words four": r"'--minimum-words': .*valid integer",
    "testgen generate -l la --minimum-words 0": r"Invalid value for '--minimum-words'",
    "testgen generate -l la --colour red": r"No such option",
    "testgen list": r"No such command 'list'\. `testgen coverage la` shows",
    "testgen generat": r"Did you mean 'generate'\? `testgen coverage la`",
    "testgen languages la": r"unexpected extra argument\(s\) \(la\)\. `testgen coverage la` shows",
    "testgen dictionary la en": r"Missing option '--from'\. Write `testgen dictionary --from la",
    "testgen snapshot list": r"No such command 'list'\. +│",
    "testgen snapshot import words.tsv": r"No such command 'words\.tsv'.* Name the kind of the file first",
    "testgen export la.json --format lm-eval": r"Missing argument 'TESTSET'\. Name files",
    "evaluator score la.vec": r"Missing option",
    "evaluator coverage la.json la.vec": r"unexpected extra argument.*\. A test set is named with",
    "evaluator score la.vec --test la.json --seed x": r"'--seed': .*valid integer",
    "evaluator plan none.vec --test la.json --difference 2": r"'--difference': .*(than or equal to 1|<=1)",
    "evaluator plan none.vec --test la.json --difference -1": r"'--difference': .*( or equal to 0|0<=)",
    "evaluator score la.vec --test la.json -m": r"Option '-m' requires an argument",
    "evaluator score la.vec --test la.json --case lower": r"'lower' is not one of 'exact', 'fold', 'upper'",
    "evaluator score la.vec --test la.json --oov ignore": r"'ignore' is not one of 'wrong', 'skip'",
    "evaluator score la.vec --test la.json --bad-rows keep": r"'keep' is not one of 'refuse', 'drop'",
    "evaluator score la.vec --test la.json --preset word2vec": r"'word2vec' is not 'gensim'|one of 'gensim'",
    "evaluator score la.vec --test la.json --json --csv": r"choose --json or --csv",
}


def one_message(message, program, expected):
    """Whether a message is one line of the program's own that says what is expected."""
    assert message.startswith(f"{program}: "), message
    assert message.count("\n") == 1 or "not Turtle" in message or "not a SPARQL" in message, message
    assert re.search(expected, message, re.IGNORECASE), message
    assert "Traceback" not in message


@pytest.mark.parametrize("text", GENERATE)
def test_generate(refused, text):
    asked = [*shlex.split(text), *([] if " -o " in text else ["-o", "out"])]
    asked += [] if "--source" in text else ["--source", "small.ttl"]
    one_message(refused("testgen", "generate", *asked), "testgen", GENERATE[text])


@pytest.mark.parametrize("text", ONE_HYPHEN)
def test_a_name_after_one_hyphen_is_not_read_as_letter_and_value(refused, text):
    program, *asked = shlex.split(text)
    one_message(refused(program, *asked), program, ONE_HYPHEN[text])


@pytest.mark.parametrize("command", ["categories", "languages", "coverage"])
def test_other_commands_of_testgen(refused, command):
    one_message(refused("testgen", command, "--source", "prose.ttl"), "testgen", r"prose\.ttl: is not Turtle")


@pytest.mark.parametrize("text", SCORE)
def test_score(refused, text):
    vectors, *rest = shlex.split(text)
    options = next((place for place, each in enumerate(rest) if each.startswith("-")), len(rest))
    tests = [part for each in rest[:options] for part in ("--test", each)]
    measure = [] if " -m" in text else ["-m", "Topk@1"]
    arguments = [vectors, *tests, *measure, *rest[options:]]
    one_message(refused("evaluator", "score", *arguments), "evaluator", SCORE[text])


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_model_that_knows_no_word_has_0_and_is_said(inputs, monkeypatch, capsys, text):
    """As in Python; it is asked the same questions as other models."""
    monkeypatch.chdir(inputs)
    vectors, *rest = shlex.split(text)
    arguments = [vectors, "--test", *rest, "-m", "Topk@1"]
    monkeypatch.setattr(sys, "argv", ["evaluator", "score", *arguments])
    with pytest.raises(SystemExit) as ended:
        evaluator.cli.main()
    out, _ = capsys.readouterr()
    assert ended.value.code == 1
    assert "\nTopk@1   0.000 " in out
    assert re.search(
        UNKNOWN[text], " ".join(out.split("What could not be scored")[1].split("\n\n")[0].split())
    )


@pytest.mark.parametrize(
    "where",
    [
        "{ ?item <http://example.org/#p> ?service . ?service ?p ?o }",
        "{ ?item ?p ?o } # SERVICE",
        '{ ?item ?p \'a SERVICE\', "the \\" SERVICE"@en }',
        "{ ?item <http://example.org/SERVICE> ?o }",
    ],
)
def test_the_word_service_is_refused_only_where_it_is_a_keyword(tmp_path, where):
    (tmp_path / "fine.rq").write_text(f"{HEADER}SELECT ?item WHERE {where}\n")
    testgen.read_query(tmp_path / "fine.rq")
    (tmp_path / "not.rq").write_text(
        f"{HEADER}SELECT ?item WHERE {{ SERVICE<http://e.org/#s>{{ ?item ?p 1 }} }}\n"
    )
    with pytest.raises(testgen.QueryError, match="SERVICE is not allowed"):
        testgen.read_query(tmp_path / "not.rq")


@pytest.mark.parametrize(
    "call", ["SERVICE:x { ?item ?p ?o }", "?item ?p 5service <http://e.org/> { ?a ?b ?c }"]
)
def test_no_spelling_of_service_slips_through(tmp_path, call):
    path = tmp_path / "not.rq"
    path.write_text(f"{HEADER}PREFIX : <http://127.0.0.1:9/>\nSELECT ?item WHERE {{ {call} }}\n")
    with pytest.raises(testgen.QueryError, match="SERVICE is not allowed"):
        testgen.read_query(path)


@pytest.mark.parametrize("text", USAGE)
def test_usage(refused, text):
    message = refused(*shlex.split(text))
    assert "─ Error ─" in message
    assert re.search(USAGE[text], message), message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("testgen generate", "Usage: testgen generate"),
        ("evaluator score nan.vec --test la.json", "evaluator: nan.vec, line 4"),
    ],
)
def test_the_programs_as_they_are_installed(inputs, text, expected):
    program, *rest = text.split(" ")
    installed = Path(sys.executable).parent / program
    if not installed.exists():
        pytest.skip(f"{program} is not installed beside this Python; run `make test`")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [installed, *rest], cwd=inputs, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(expected)
    assert "Traceback" not in done.stderr
    assert contents(inputs) == sorted([*FILES, "folder", "folder.rq", "sets"])


def test_a_broken_pipe_is_no_traceback():
    """As in `evaluator measures | head -1`."""
    program = "from evaluator.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", program, "measures"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        running.stdout.close()
        assert running.stderr.read() == b""
