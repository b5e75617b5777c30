"""The command line of evaluator: what each command prints, on stdout and on stderr."""

from __future__ import annotations

import csv
import json
import re
from importlib.metadata import version

import pytest

from evaluator.measures import measure_classes
from evaluator.results.scores import COLUMNS
from tests.conftest import NEEDS_GENSIM
from tests.evaluator.cli.test_options import ALL
from tests.evaluator.datasets.test_testset import GOLDEN

OTHERS = (
    "evaluator: {}: exists, and evaluator did not write it; name another one, or overwrite it with --force\n"
)
TOPK = ("ru.vec", "-t", "ru.json", "-m", "Topk@1")
VECTORS = """\
8 2
Италия 1 0
Франция 1 0.1
Россия 1 0.2
Германия 1 0.3
Кандида 0 1
茸 0.1 1
rex -1 -1
[/bold] -1 -0.9
"""


@pytest.fixture
def run(tmp_path, monkeypatch, evaluator):
    """Runs a command in a directory with vectors and test sets; gives stdout, having seen the exit code."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ru.vec").write_text(VECTORS, encoding="utf-8")
    (tmp_path / "ru.json").write_bytes(GOLDEN.read_bytes())
    (tmp_path / "two.txt").write_text(":a\nИталия Франция Россия\n:b\nКандида 茸 nix\n", encoding="utf-8")

    def run_(*arguments, code=0, err=""):
        monkeypatch.setenv("COLUMNS", "110")
        out, said, ended = evaluator(*arguments)
        assert ended == code, said
        said = re.sub(r"^evaluator: [ \d]{3}% .*\n", "", said, flags=re.MULTILINE)  # progress
        assert said == err or (err is None and said.startswith("evaluator: ") and said.count("\n") == 1)
        return out

    return run_


def table(out):
    """The rows of the tables, without captions and remarks, and what there is of these without a colon."""
    return [line.split() for line in out.splitlines()[1:] if line and "|" not in line and ":" not in line]


def test_score(run):
    first = run("score", "ru.vec", "-t", "ru.json", "-m", "Topk@1", "-m", "OddOneOut@2")
    out = run("score", "ru.vec", "-t", "ru.json", "-m", "Topk@1", "-m", "OddOneOut@2", "--details")
    assert out.startswith(first[: first.index("Intervals are")])
    assert (
        "Do not keep this model by these tests: it is not shown to be above chance by Topk@1 or OddOneOut@2."
        in first
    )
    assert ["Topk@1", "0.667", "0.173", "to", "0.950", "0.190"] in [row[:6] for row in table(first)]
    assert "|" not in first
    what, sizes, *_ = out.splitlines()
    assert what == "Scores: ru.vec on ru.json (ru)"
    known = "6 of 6 items known (100%) in 2 categories; unknown words count as misses."
    assert sizes == f"8 words, 2 dimensions, {known}"
    rows = {row[0]: row for row in table(out)[1:] if row != ["Topk@1", "OddOneOut@2"]}
    assert " ".join(rows["measure"]) == "measure n known score other words chance baseline baseline"
    assert rows["Topk@1"][:4] == ["Topk@1", "6", "6", "0.6667"], "two items have two words"
    assert rows["Topk@1"][4].startswith("0.1732")
    assert ["known,", "of", "1", "4", "4", "1.0000"] in [row[:6] for row in table(out)]
    assert {"OddOneOut@2", "Combined", "Above"} <= rows.keys()
    assert rows["Countries"][:4] == ["Countries", "4", "4", "0.6667"]
    assert rows["Fungi"][:4] == ["Fungi", "2", "2", "0.6667"]
    signatures = [line for line in out.splitlines() if "|" in line]
    assert [line.partition("|")[0] for line in signatures] == ["Topk@1", "OddOneOut@2"]


def test_the_measures_of_the_papers_are_the_default(run):
    rows = {row[0] for row in table(run("score", "ru.vec", "-t", "ru.json"))}
    assert {"Topk@3", "OddOneOut@3"} <= rows


def test_what_is_skipped_is_named(run, tmp_path):
    (tmp_path / "short.txt").write_text(":a\nИталия Франция Россия\n:b\nКандида 茸\n", encoding="utf-8")
    out = run("score", "ru.vec", "-t", "short.txt", "-m", "OddOneOut@3")
    assert "Not in the mean: 1 of 2: --details shows this" in out
    out = run("score", "ru.vec", "-t", "short.txt", "-m", "OddOneOut@3", "--details")
    assert ["b", "2", "2", "–"] in [row[:4] for row in table(out)]
    assert "  b, OddOneOut@3: 2 words, 3 needed" in out


def test_a_category_of_which_a_model_knows_too_little_counts_as_0_where_unknown_words_are_misses(run):
    rows = table(run("score", "ru.vec", "-t", "two.txt", "-m", "OddOneOut@3", "--details"))
    (whole,) = (row[3] for row in rows if row[0] == "a")
    assert ["b", "3", "2", "0.0000"] in [row[:4] for row in rows]
    (mean,) = (row[3] for row in rows if row[:2] == ["OddOneOut@3", "6"])
    assert mean == f"{float(whole) / 2:.4f}"
    out = run("score", "ru.vec", "-t", "two.txt", "-m", "OddOneOut@3", "--oov", "skip", "--details")
    assert "  b, OddOneOut@3: of its 3 words 2 are known, 3 needed" in out
    assert ["OddOneOut@3", "3", "3", whole] in [row[:4] for row in table(out)]


def test_json(run):
    read = json.loads(run("score", "ru.vec", "-t", "ru.json", "-m", "Topk@1", "--json"))
    assert (read["format"], read["version"], read["differences"]) == ("scores", 5, [])
    (found,) = read["results"]
    assert (found["model"], found["test_set"], found["language"]) == ("ru.vec", "ru.json", "ru")
    (topk,) = found["scores"]
    assert topk["measure"] == "Topk@1"
    assert topk["value"] == pytest.approx(2 / 3)
    assert [(part["name"], part["size"], part["oov"]) for part in topk["subscores"]] == [
        ("country", 6, 2),
        ("fungus", 3, 1),
    ]


def test_several_test_sets_in_one_call(run):
    found = json.loads(
        run("score", "ru.vec", "-t", "ru.json", "-t", "two.txt", "--json", "--measure", "Topk@1")
    )["results"]
    assert [(each["test_set"], each["language"]) for each in found] == [("ru.json", "ru"), ("two.txt", "und")]
    out = run("score", "ru.vec", "-t", "ru.json", "-t", "two.txt", "-m", "Topk@1")
    assert out.count("8 words, 2 dimensions") == 2


def test_the_settings_reach_the_score(run):
    settings = {"oov": "skip", "norm": "none", "case": "fold", "vocabulary": "7", "seed": "5"}
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    out = run("score", "ru.vec", "-t", "ru.json", "-m", "OddOneOut(samples=2)@2", "--json", *options)
    (found,) = json.loads(out)["results"]
    signature = found["scores"][0]["signature"]
    assert signature.startswith(
        "OddOneOut(samples=2)@2|norm:none|oov:skip|built:unknown|case:fold|vocabulary:7|seed:5|test:ru.json#"
    )


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [(("score", "ru.vec"), "a language (--test la)"), (("ru.vec",), "`evaluator score VECTORS --test la`")],
)
def test_what_is_missing_says_how_to_go_on(run, evaluator, monkeypatch, arguments, advice):
    monkeypatch.setenv("COLUMNS", "300")
    found = evaluator(*arguments)
    assert (found.code, advice in found.err) == (2, True)


def test_names_with_the_signs_of_markup_are_printed_as_they_are(run, tmp_path):
    (tmp_path / "[b].vec").write_text(VECTORS, encoding="utf-8")
    (tmp_path / "[red].txt").write_text(":c [/b] :smile:\nИталия Франция Россия\n:d\nrex\n", encoding="utf-8")
    out = run("score", "[b].vec", "-t", "[red].txt", "-m", "Topk@1", "--details")
    assert out.startswith("Scores: [b].vec on [red].txt (und)\n")
    assert "\n8 words, 2 dimensions, 3 of 3 items known" in out
    assert "\nc [/b] :smile:  " in out


def test_a_hint_where_case_keeps_words_apart(run, tmp_path):
    (tmp_path / "upper.txt").write_text(":c\nИТАЛИЯ франция Россия Германия nix\n", encoding="utf-8")
    said = "evaluator: upper.txt: with --case fold, 4 words are known instead of 2\n"
    command = ("score", "ru.vec", "-t", "upper.txt", "-m", "Topk@1", "--json")
    exact = json.loads(run(*command, "--case", "exact", err=said))
    folded = json.loads(run(*command))
    assert [each["results"][0]["scores"][0]["subscores"][0]["oov"] for each in (exact, folded)] == [3, 1]


def test_measures(run):
    out = run("measures")
    blocks = out.split("\n\n")
    headings = [line for line in out.splitlines() if line and not line.startswith(" ")]
    assert headings == [str(measure()) for measure in measure_classes().values()]
    assert {"OddOneOut@3", "Topk@3"} <= set(headings)
    assert any(block.startswith("OddOneOut@3\n    The share of pairs") for block in blocks)
    assert all(line == line.rstrip() for line in out.splitlines())
    assert "samples: How many pairs to draw" in out
    assert out.endswith("\n")
    assert not out.endswith("\n\n")


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("command", ["", *(name.removeprefix("evaluator ") for name in ALL)])
def test_help(run, command, option):
    assert "Usage: " in run(*command.split(), option)


def test_bad_rows_can_be_dropped(run, tmp_path):
    (tmp_path / "bad.vec").write_text("4 2\nrex 1 2\nnix 0 0\nregina 1 3\nfilia 2 1\n")
    (tmp_path / "c.txt").write_text(":c\nrex regina filia\n")
    said = "evaluator: bad.vec: bad rows left out: 1\n"
    out = run("score", "bad.vec", "-t", "c.txt", "-m", "Topk@1", "--bad-rows", "drop", err=said)
    assert "\n3 words" in out


def test_several_models_are_compared_with_the_first(run, tmp_path):
    worse = VECTORS.replace("1 0.1", "0 1").replace("1 0.2", "-1 0")
    (tmp_path / "worse.vec").write_text(worse, encoding="utf-8")
    both = ("score", "ru.vec", "worse.vec", "-t", "ru.json", "-m", "Topk@1")
    out = run(*both)
    assert out.startswith("Scores: ru.json (ru)\n6 items in 2 categories; unknown words count as misses.\n")
    ranked = [row for row in table(out) if row[:1] in (["ru.vec"], ["worse.vec"])]
    assert [row[0] for row in ranked[:2]] == ["ru.vec", "worse.vec"]
    assert "Keep none by this: none of the 2 models is shown to be above chance by Topk@1." in out
    (row,) = (line for line in table(out) if line[:1] == ["Topk@1"] and line[-1] == "words")
    (found,) = json.loads(run(*both, "--json"))["differences"]
    assert (found["first"], found["second"], found["subscores"]) == ("ru.vec", "worse.vec", 2)
    test = found["of_words"]
    assert found["of_categories"] is None, "two categories are too few"
    assert row[-2:] == [str(found["observations"]), "words"]
    assert found["value"] < 0
    assert test["low"] <= found["value"] <= test["high"]
    assert float(row[1]) == pytest.approx(found["value"], abs=1e-4)
    assert 0 < test["p"] <= 1
    assert (test["p"] < 0.05) == (test["high"] < 0)


def test_the_baseline_is_one_more_model(run):
    read = json.loads(run("score", "ru.vec", "--baseline", "-t", "ru.json", "-m", "Topk@1", "--json"))
    assert [each["model"] for each in read["results"]] == ["ru.vec", "frequency baseline of ru.vec"]
    assert len(read["differences"]) == 1
    assert [*read["kept"][0]["lacking"]] == ["ru.vec"], "a baseline is no model to choose"


def test_a_model_twice_is_refused(run):
    said = "evaluator: ru.vec: given twice. Name each vectors file once.\n"
    run("score", "ru.vec", "./ru.vec", "-t", "ru.json", code=2, err=said)


def test_gensims_conventions(run, tmp_path):
    (tmp_path / "pairs.tsv").write_text(
        "италия\tфранция\t9\nроссия\tкандида\t1\nrex\tгермания\t0\nitalia\trex\t3\n", encoding="utf-8"
    )
    out = run("score", "ru.vec", "-t", "pairs.tsv", "--preset", "gensim", "--details")
    assert ["pairs", "4", "1", "0.8660"] in table(out) or "case:upper|vocabulary:300000" in out
    assert "oov:skip|built:unknown|case:upper|vocabulary:300000" in out


def test_coverage(run, tmp_path):
    (tmp_path / "upper.txt").write_text(":c\nИТАЛИЯ франция Россия Германия nix\n", encoding="utf-8")
    exact = ("coverage", "ru.vec", "-t", "upper.txt", "--case", "exact")
    out = run(*exact)
    assert out.startswith("Coverage: ru.vec\n")
    assert "What ru.vec knows of upper.txt:\n" in out
    assert ["c", "category", "5", "2", "40%", "ИТАЛИЯ,", "франция,", "nix"] in table(out)
    assert "--case fold finds 2 words more (+100%)." in out
    (found,) = json.loads(run(*exact, "--json"))["results"]
    assert (found["words"], found["found"], found["scorable"]) == (5, 2, 0)
    assert "in several parts" not in out
    (tmp_path / "upper.txt").write_text(":c\nиталия франция\n:d\nиталия\n", encoding="utf-8")
    out = run("coverage", "ru.vec", "-t", "upper.txt")
    assert ["all", "3", "3", "100%"] in table(out)
    assert "A word that is in several parts counts in each of them" in out


@pytest.mark.parametrize(
    "command",
    [
        ("score", "ru.vec"),
        ("coverage", "ru.vec"),
        ("probe", "ru.vec"),
        pytest.param(("tune", "text.txt", "--output", "out"), marks=NEEDS_GENSIM),
        pytest.param(("curve", "text.txt", "--output", "out"), marks=NEEDS_GENSIM),
        ("score", "ru.vec", "--output", "out"),
    ],
)
@pytest.mark.parametrize("name", ["la-te.json", "la-te.txt"])
def test_a_dictionary_is_refused_with_the_command_that_reads_it(run, tmp_path, command, name):
    item = '{"id": "Q1", "words": ["rex"], "translations": ["raja"]}'
    lists = f'[{{"name": "a", "items": [{item}]}}]'
    (tmp_path / "la-te.json").write_text(
        f'{{"format": "dictionary", "version": 1, "language": "la", "target": "te", "categories": {lists}}}'
    )
    (tmp_path / "la-te.txt").write_text("rex raja\n")
    (tmp_path / "text.txt").write_text("rex dux urbs\n")
    refusal = (
        f"{name}: is a bilingual dictionary, not a test set; "
        "`evaluator translate` scores vectors on it, with --dictionary"
    )
    if command[0] == "score" and "--output" in command:
        assert "1 error" in run(*command, "--test", name, code=1, err=None)
        assert refusal in (tmp_path / "out").read_text()
    else:
        run(*command, "--test", name, code=2, err=f"evaluator: {refusal}\n")


def test_items(run, tmp_path):
    models = ("ru.vec", "two.vec")
    rows = (tmp_path / "ru.vec").read_text(encoding="utf-8").splitlines()
    (tmp_path / "two.vec").write_text("\n".join([rows[0], *rows[:0:-1]]) + "\n", encoding="utf-8")
    out = run("items", *models, "-t", "ru.json", "-m", "Topk@1")
    assert "Words to look at:" in out
    (tmp_path / "scores.json").write_text(run("score", *models, "-t", "ru.json", "--json"), encoding="utf-8")
    assert "Scores in files do not say which words were right" in run("items", "scores.json")


def test_plan(run, tmp_path):
    """From a model, from a file of its scores, and from coverage."""
    out = run("plan", "ru.vec", "-t", "ru.json", "-m", "OddOneOut@3", "--difference", "0.3")
    assert "A difference of 0.3000 needs " in out
    assert "correlation of 0.30, which is assumed" in out
    scores = run("score", "ru.vec", "-t", "ru.json", "-m", "OddOneOut@3", "--json")
    (tmp_path / "scores.json").write_text(scores, encoding="utf-8")
    assert "The worse model has " in run("plan", "scores.json")
    refused = "evaluator: --score is for a file of coverage; what is given here has scores of its own\n"
    run("plan", "scores.json", "--score", "0.5", code=2, err=refused)
    covered = run("coverage", "ru.vec", "-t", "ru.json", "--json")
    (tmp_path / "coverage.json").write_text(covered, encoding="utf-8")
    assert "The worse model has 0.0500." in run("plan", "coverage.json", "--score", "0.05")


def test_coverage_of_a_corpus(run, tmp_path):
    (tmp_path / "corpus.txt").write_text("Италия, Россия! Италия\nИталия? Россия.\n", encoding="utf-8")
    (found,) = json.loads(
        run("coverage", "corpus.txt", "--corpus", "--min-count", "2", "-t", "ru.json", "--json")
    )["results"]
    assert (found["vocabulary"], found["found"]) == ("corpus.txt", 3)
    said = "evaluator: corpus.txt: no word occurs 9 times; lower --min-count\n"
    run("coverage", "corpus.txt", "--corpus", "--min-count", "9", "-t", "ru.json", code=2, err=said)


def test_words_are_listed_for_testgen(run, tmp_path):
    (tmp_path / "corpus.txt").write_text("rex dux rex\nurbs rex dux\n", encoding="utf-8")
    assert run("coverage", "ru.vec", "--list-words").splitlines()[:2] == ["Италия", "Франция"]
    corpus = ("coverage", "corpus.txt", "--corpus", "--min-count", "2", "--list-words")
    assert run(*corpus) == "rex\ndux\n"


def test_a_test_set_for_one_vocabulary_compares_no_others(run, tmp_path):
    content = json.loads((tmp_path / "ru.json").read_text(encoding="utf-8"))
    content["chosen_for"] = {"name": "words.txt", "words": 9, "sha256": "0" * 64}
    (tmp_path / "own.json").write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "b.vec").write_text(VECTORS.replace("0.2", "0.7"), encoding="utf-8")
    run("score", "ru.vec", "-t", "own.json", "-m", "Topk@1")
    said = (
        "evaluator: own.json: its words were chosen for words.txt; models of other vocabularies are at a "
        "disadvantage on it, so do not compare them by it\n"
    )
    run("score", "ru.vec", "b.vec", "-t", "own.json", "-m", "Topk@1", err=said)


def test_coverage_says_what_can_never_be_a_token(run, tmp_path):
    (tmp_path / "corpus.txt").write_text("New_York Rom , New_York\n", encoding="utf-8")
    (tmp_path / "c.txt").write_text(":c\nNew_York\nRom\nAix-en-Provence\n", encoding="utf-8")
    corpus = ("coverage", "corpus.txt", "--corpus", "--min-count", "1", "-t", "c.txt")
    assert (
        "2 words can never be a token of a text whose words are runs of letters: New_York, Aix-en-Provence"
    ) in run(*corpus)
    split = ("--tokens", "white-space")
    (found,) = json.loads(run(*corpus, *split, "--json"))["results"]
    assert (found["tokens"], found["never"], found["found"]) == ("white-space", [], 2)
    vectors = ("coverage", "ru.vec", "-t", "c.txt")
    script = "evaluator: c.txt: the vectors are of words in Cyrillic, and the test set has words in Latin\n"
    assert "never" not in run(*vectors, err=script)
    assert "can never be a token" in run(*vectors, "--tokens", "letter-runs", err=script)
    (tmp_path / "spaces.json").write_text(
        '{"format": "testset", "version": 1, "language": "en", "categories": [{"name": "c", "items": '
        '[{"id": "Q1", "words": ["New York"]}, {"id": "Q2", "words": ["Rom"]}]}]}',
        encoding="utf-8",
    )
    spaces = ("coverage", "corpus.txt", "--corpus", "--min-count", "1", "-t", "spaces.json", "--json")
    for multiword, never in (("keep", ["New York"]), ("join", []), ("mean", [])):
        (found,) = json.loads(run(*spaces, *split, "--multiword", multiword))["results"]
        assert found["never"] == never


def test_compose(run, tmp_path):
    for name, change in {"a": "1 0.1", "b": "0.5 1", "c": "-1 0.3"}.items():
        (tmp_path / f"{name}.vec").write_text(VECTORS.replace("1 0.1", change), encoding="utf-8")
        measures = ("-m", "Topk@1", "-m", "OddOneOut@2")
        out = run("score", f"{name}.vec", "-t", "ru.json", *measures, "--json")
        (tmp_path / f"{name}.json").write_text(out, encoding="utf-8")
    read = json.loads(run("compose", "a.json", "b.json", "c.json", "--json"))
    assert (read["format"], read["models"]) == ("composite", ["a.vec", "b.vec", "c.vec"])
    out = run("compose", "a.json", "b.json", "c.json")
    assert "harmonic" in out
    assert "Share of the variance that each component explains: " in out
    assert "Spearman's correlation of tasks" not in out
    assert "Spearman's correlation of tasks" in run("compose", "a.json", "b.json", "c.json", "--details")
    run("compose", "ru.vec", code=2, err=None)


def test_what_can_be_scored_is_scored_and_the_rest_is_named(run, tmp_path):
    (tmp_path / "cut.vec").write_text(VECTORS[:40], encoding="utf-8")
    (tmp_path / "oov.txt").write_text(":c\nx y z\n", encoding="utf-8")
    both = ("-t", "oov.txt", "-t", "ru.json", "-m", "Topk@1", "--json")
    read = json.loads(run("score", "ru.vec", *both, code=1, err=None))
    assert {each["test_set"]: each["scores"][0]["value"] > 0 for each in read["results"]} == {
        "oov.txt": False,
        "ru.json": True,
    }
    assert "no word is known" in read["results"][0]["scores"][0]["reason"]
    assert "failures" not in read or not read["failures"]
    arguments = ("score", "cut.vec", "ru.vec", "-t", "ru.json", "-m", "Topk@1", "--json")
    read = json.loads(run(*arguments, code=1, err=None))
    assert [each["model"] for each in read["results"]] == ["ru.vec"]
    assert read["differences"] == []
    assert [(each["model"], each["test_set"]) for each in read["failures"]] == [("cut.vec", None)]
    out = run(*arguments[:-1], code=1)
    assert "\nWhat could not be scored\nWhy:\n  cut.vec" in out
    read = json.loads(
        run("score", "ru.vec", "-t", "ru.json", "-m", "Topk@1", "-m", "Similarity", "--json", code=1)
    )
    (found,) = read["results"]
    assert [each["measure"] for each in found["scores"]] == ["Topk@1"]
    (failure,) = found["failures"]
    assert failure == {
        "measure": "Similarity",
        "reason": "ru.json: has no rated pairs, which Similarity scores",
    }
    out = run("score", "ru.vec", "-t", "oov.txt", "-m", "Topk@1", code=1)
    assert "Topk@1   0.000 " in out
    assert "\nWhat could not be scored\nWhy:\n  ru.vec: oov.txt: no word is known" in out


def test_a_batch_in_which_a_model_fails_ends_with_1(run, tmp_path):
    (tmp_path / "cut.vec").write_text(VECTORS[:40], encoding="utf-8")
    for models, results in ((["cut.vec"], 1), (["cut.vec", "ru.vec"], 2)):
        failed = f"evaluator: {results}.jsonl says why 1 could not be scored\n"
        out = run("score", *models, "-t", "ru.json", "-o", f"{results}.jsonl", "--json", code=1, err=failed)
        assert json.loads(out)["failed"] == 1
        assert json.loads(out)["results"] == results


def test_results_as_csv(run, tmp_path):
    out = run("score", "ru.vec", "-t", "ru.json", "-m", "Topk@1", "--csv").splitlines()
    assert tuple(out[0].split(",")) == COLUMNS
    rows = list(csv.DictReader(out))
    assert {(row["model"], row["language"], row["test_set"], row["measure"]) for row in rows} == {
        ("ru.vec", "ru", "ru.json", "Topk@1")
    }
    assert rows[1]["title"] == "Countries"
    assert [(row["part"], row["n"], row["known"]) for row in rows] == [
        *(("all", "6", "6"), ("country", "4", "4"), ("fungus", "2", "2")),
        *(("all", "4", "4"), ("country", "4", "4"), ("fungus", "3", "2")),  # skipped, and so of words
    ]
    assert [row["words"] for row in rows] == ["all"] * 3 + ["known"] * 3


def test_names_that_a_spreadsheet_takes_for_formulas_are_written_as_text_and_said(run, tmp_path):
    (tmp_path / "=1+1.vec").write_text(VECTORS, encoding="utf-8")
    said = "evaluator: =1+1.vec: in CSV '=1+1.vec, for spreadsheets and terminals; JSON has it as it is\n"
    found = run("score", "=1+1.vec", "-t", "ru.json", "-m", "Topk@1", "--csv", err=said)
    assert found.splitlines()[1].startswith("'=1+1.vec,")


def test_a_report_as_csv_or_latex_has_the_scores_of_files(run, tmp_path):
    for name in ("score", "coverage"):
        found = run(name, "ru.vec", "-t", "ru.json", *(("-m", "Topk@1") if name == "score" else ()), "--json")
        (tmp_path / f"{name}.json").write_text(found, encoding="utf-8")
    assert run("report", "score.json", "--output", "out.csv") == ""
    csv = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert csv == run("score", "ru.vec", "-t", "ru.json", "-m", "Topk@1", "--csv")
    run("report", "score.json", "coverage.json", "-o", "out.tex")
    latex = (tmp_path / "out.tex").read_text(encoding="utf-8")
    run("score", "ru.vec", "-t", "ru.json", "-m", "Topk@1", "--latex", "score.tex")
    assert latex.startswith((tmp_path / "score.tex").read_text(encoding="utf-8").partition("\n")[2])
    assert latex.count(r"\begin{tabular}") > 1
    run("report", "coverage.json", "-o", "none.csv", code=2, err=None)
    run("report", "score.json", "-o", "out.csv", code=2, err=OTHERS.format("out.csv"))
    run("report", "score.json", "-o", "out.csv", "--force")
    assert not (tmp_path / "none.csv").exists()


def test_the_version(run):
    assert run("--version") == f"evaluator {version('testgen-evaluator')}\n"


def test_test_sets_of_a_folder_are_chosen_by_language(run, tmp_path):
    (tmp_path / "sets").mkdir()
    for code in ("ru", "la"):
        (tmp_path / "sets" / f"{code}.json").write_bytes(GOLDEN.read_bytes())
    for tests in ("sets", "sets/{language}.json", str(tmp_path / "sets")):
        for code in ("ru", "rus"):
            out = run("score", "ru.vec", "--test", tests, "--language", code, "-m", "Topk@1", "--json")
            assert json.loads(out)["results"][0]["test_set"] == "ru.json"
    out = run("score", "ru.vec", "--test", "sets/*.json", "-m", "Topk@1", "--json")
    assert [each["test_set"] for each in json.loads(out)["results"]] == ["la.json", "ru.json"]


def test_files_of_others_are_not_overwritten(run, tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.reports.render.MOST_FIGURES", 0)
    (tmp_path / "notes.html").write_text("my notes\n", encoding="utf-8")
    run("score", *TOPK, "--report", "notes.html", code=2, err=OTHERS.format("notes.html"))
    assert (tmp_path / "notes.html").read_text(encoding="utf-8") == "my notes\n"
    run("score", *TOPK, "--report", "notes.html", "--force")
    run("score", *TOPK, "--report", "notes.html")  # it is a report now


def test_compose_takes_the_lines_of_a_batch(run, tmp_path):
    for name, change in {"a": "1 0.1", "b": "0.5 1"}.items():
        (tmp_path / f"{name}.vec").write_text(VECTORS.replace("1 0.1", change), encoding="utf-8")
    measures = ("-m", "Topk@1", "-m", "OddOneOut@2")
    run("score", "a.vec", "b.vec", "-t", "ru.json", *measures, "-o", "results.jsonl")
    (tmp_path / "a.json").write_text(
        run("score", "a.vec", "-t", "ru.json", *measures, "--json"), encoding="utf-8"
    )
    (tmp_path / "coverage.json").write_text(
        run("coverage", "a.vec", "-t", "ru.json", "--json"), encoding="utf-8"
    )
    out = run("compose", "results.jsonl", "a.json", "coverage.json")
    rows = [row[0] for row in table(out)]
    assert rows[rows.index("model") + 1 :][:2] == ["a.vec", "b.vec"]
    said = "coverage.json: holds no scores of models on tasks; `evaluator coverage --json` wrote it"
    assert said in out
    what = "name a file that `evaluator score --json` or `evaluator score --output` wrote"
    run("compose", "coverage.json", code=2, err=f"evaluator: {said}; {what}\n")


def test_training_runs_of_one_model_are_a_row(run, tmp_path):
    for seed, change in enumerate(("1 0.1", "0.9 0.1", "1 0.2")):
        (tmp_path / f"b.{seed}.vec").write_text(VECTORS.replace("1 0.1", change), encoding="utf-8")
    command = ("score", "ru.vec", "b=b.*.vec", "-t", "ru.json", "-m", "Topk@1")
    out = run(*command)
    rows = [row[0] for row in table(out)]
    assert rows[rows.index("model") + 1 :][:2] == ["ru.vec", "b"]
    first, second = json.loads(run(*command, "--json"))["results"]
    assert (first["model"], second["model"]) == ("ru.vec", "b")
    assert ("seeds" in first["scores"][0], len(second["scores"][0]["seeds"])) == (False, 3)
    assert "Means over training runs: b (3)" in run("score", "b=b.*.vec", "-t", "ru.json", "-m", "Topk@1")
    (tmp_path / "b.9.vec").write_bytes((tmp_path / "b.1.vec").read_bytes())
    said = "evaluator: b: b.1.vec and b.9.vec are copies of one training run. Name one of them.\n"
    run(*command, code=2, err=said)
    said = "evaluator: c=c.*.vec: there is no file of the pattern 'c.*.vec'. Check the path.\n"
    run("score", "c=c.*.vec", "-t", "ru.json", code=2, err=said)


def test_several_models_are_asked_the_words_that_all_know(run, tmp_path, two_workers):
    small = "\n".join(["7 2", *VECTORS.splitlines()[1:8], ""])
    (tmp_path / "small.vec").write_text(small, encoding="utf-8")
    command = ("score", "ru.vec", "small.vec", "-t", "ru.json", "-m", "Topk@1", "--oov", "skip")
    out = run(*command)
    assert "words that all models know in 2 categories; neighbours are looked for among 7 words.\n" in out
    results = json.loads(run(*command, "--json"))["results"]
    assert [each["vocabulary"] for each in results] == [7, 7]
    assert len({each["scores"][0]["signature"] for each in results}) == 1
    assert "do not compare with scores of other vocabularies" in run(*command[:2], *command[3:])
    assert run(*command, "--workers", two_workers) == out


def test_a_measure_that_one_of_several_models_has_no_score_for_is_named(run, tmp_path):
    (tmp_path / "two.vec").write_text(VECTORS.replace("Италия", "x"), encoding="utf-8")
    out = run("score", "ru.vec", "two.vec", "-t", "ru.json", "-m", "Topk@1", "-m", "Similarity", code=1)
    assert "  ru.vec: ru.json: has no rated pairs, which Similarity scores\n" in out


@pytest.mark.parametrize("command", ["tune", "curve", "train"])
@pytest.mark.parametrize("epochs", [(), ("--epochs", "3")])
def test_svd_takes_no_epochs(evaluator, tmp_path, monkeypatch, command, epochs):
    monkeypatch.chdir(tmp_path)
    test = () if command == "train" else ("--test", "none.json")
    ended = evaluator(command, "none.txt", *test, "--trainer", "svd", *epochs, "--output", "out")
    assert (ended.code, "svd counts the corpus once, and has no epochs" in ended.err) == (2, bool(epochs))
    assert epochs or re.search(r"none\.(txt|json)|must end in", ended.err)
