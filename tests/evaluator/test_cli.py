"""The command line of evaluator: what each command prints, on stdout and on stderr."""

from __future__ import annotations

import json
import sys

import pytest

from evaluator.cli import main
from evaluator.measures import measure_classes
from evaluator.vectors import load
from tests.evaluator.test_testset import GOLDEN

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
def run(tmp_path, monkeypatch, capsys):
    """Runs a command in a directory with vectors and test sets; gives stdout, having seen the exit code."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ru.vec").write_text(VECTORS, encoding="utf-8")
    (tmp_path / "ru.json").write_bytes(GOLDEN.read_bytes())
    (tmp_path / "two.txt").write_text(":a\nИталия Франция Россия\n:b\nКандида 茸 nix\n", encoding="utf-8")

    def run_(*arguments, code=0, err=""):
        monkeypatch.setattr(sys, "argv", ["evaluator", *arguments])
        monkeypatch.setenv("COLUMNS", "110")
        with pytest.raises(SystemExit) as ended:
            main()
        out, said = capsys.readouterr()
        assert (ended.value.code or 0) == code, said
        assert said == err or (err is None and said.startswith("evaluator: ") and said.count("\n") == 1)
        return out

    return run_


def table(out):
    """The rows of the table, without its first line (what was scored) and what follows it."""
    return [line.split() for line in out.splitlines()[1:] if line and "|" not in line and ":" not in line]


def test_score(run):
    out = run("score", "ru.vec", "ru.json", "-m", "Topk@1", "-m", "OddOneOut@2")
    assert out.startswith("ru.vec (8 words, 2 dimensions) on ru.json (ru)\n")
    header, country, fungus, mean, combined = table(out)
    assert header == ["category", "words", "OOV", "Topk@1", "OddOneOut@2"]
    assert country[:4] == ["country", "6", "2", "0.6667"]
    assert fungus[:4] == ["fungus", "3", "1", "0.6667"]
    assert mean[:4] == ["all", "9", "3", "0.6667"]
    assert combined[0] == "Combined"
    signatures = [line for line in out.splitlines() if "|" in line]
    assert [line.partition("|")[0] for line in signatures] == ["Topk@1", "OddOneOut@2"]


def test_the_measures_of_the_papers_are_the_default(run):
    out = run("score", "ru.vec", "ru.json")
    assert table(out)[0] == ["category", "words", "OOV", "Topk@3", "OddOneOut@3"]


def test_what_is_skipped_is_named(run):
    out = run("score", "ru.vec", "two.txt", "-m", "OddOneOut@3")
    assert "b, OddOneOut@3: 2 of 3 words in the vocabulary, 3 needed" in out
    assert ["b", "3", "1", "-"] in table(out)


def test_json(run):
    (found,) = json.loads(run("score", "ru.vec", "ru.json", "-m", "Topk@1", "--json"))
    assert (found["vectors"], found["test_set"], found["language"]) == ("ru.vec", "ru.json", "ru")
    (topk,) = found["scores"]
    assert topk["measure"] == "Topk@1"
    assert topk["value"] == pytest.approx(2 / 3)
    assert [(part["name"], part["size"], part["oov"]) for part in topk["parts"]] == [
        ("country", 6, 2),
        ("fungus", 3, 1),
    ]


def test_several_test_sets_in_one_call(run):
    found = json.loads(run("score", "ru.vec", "ru.json", "two.txt", "--json", "--measure", "Topk@1"))
    assert [(each["test_set"], each["language"]) for each in found] == [("ru.json", "ru"), ("two.txt", "und")]
    out = run("score", "ru.vec", "ru.json", "two.txt", "-m", "Topk@1")
    assert out.count("ru.vec (8 words") == 2


def test_the_settings_reach_the_score(run):
    settings = {"oov": "skip", "norm": "none", "case": "fold", "vocabulary": "7", "seed": "5"}
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    out = run("score", "ru.vec", "ru.json", "-m", "OddOneOut(samples=2)@2", "--json", *options)
    (found,) = json.loads(out)
    signature = found["scores"][0]["signature"]
    assert signature.startswith(
        "OddOneOut(samples=2)@2|norm:none|oov:skip|case:fold|vocabulary:7|seed:5|test:ru.json#"
    )


def test_names_with_the_signs_of_markup_are_printed_as_they_are(run, tmp_path):
    (tmp_path / "[b].vec").write_text(VECTORS, encoding="utf-8")
    (tmp_path / "[red].txt").write_text(":c [/b] :smile:\nИталия Франция\n:d\nrex nix\n", encoding="utf-8")
    out = run("score", "[b].vec", "[red].txt", "-m", "Topk@1")
    assert out.startswith("[b].vec (8 words, 2 dimensions) on [red].txt (und)\n")
    assert "\nc [/b] :smile:  " in out
    assert "d, Topk@1: 1 of 2 words in the vocabulary, 2 needed" in out


def test_a_hint_where_case_keeps_words_apart(run, tmp_path):
    (tmp_path / "upper.txt").write_text(":c\nИТАЛИЯ франция Россия Германия nix\n", encoding="utf-8")
    said = "evaluator: upper.txt: 2 of 3 words without a vector have one in another case: try --case fold\n"
    exact = json.loads(run("score", "ru.vec", "upper.txt", "-m", "Topk@1", "--json", err=said))
    folded = json.loads(run("score", "ru.vec", "upper.txt", "-m", "Topk@1", "--json", "--case", "fold"))
    assert [each[0]["scores"][0]["parts"][0]["oov"] for each in (exact, folded)] == [3, 1]


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


def test_export(run, tmp_path):
    assert run("export", "ru.json", "categories.txt") == ""
    assert (tmp_path / "categories.txt").read_text(encoding="utf-8").splitlines() == [
        ":country",
        "Италия Франция Россия РФ Германия ФРГ",
        ":fungus",
        "Кандида सूक्ष्म 茸",
    ]
    one, two = (
        json.loads(run("score", "ru.vec", name, "-m", "Topk@1", "--json"))[0]
        for name in ("ru.json", "categories.txt")
    )
    assert one["scores"][0]["parts"] == two["scores"][0]["parts"]


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize(
    "command",
    [[], ["score"], ["measures"], ["export"], ["cache"], ["cache", "info"], ["cache", "clear"]],
    ids=" ".join,
)
def test_help(run, command, option):
    assert "Usage: " in run(*command, option)


def test_bad_rows_can_be_dropped(run, tmp_path):
    (tmp_path / "bad.vec").write_text("3 2\nrex 1 2\nnix 0 0\nregina 1 3\n")
    (tmp_path / "c.txt").write_text(":c\nrex regina\n")
    said = "evaluator: bad.vec: bad rows left out: 1\n"
    out = run("score", "bad.vec", "c.txt", "-m", "Topk@1", "--bad-rows", "drop", err=said)
    assert "(2 words" in out


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """A cache of one test alone, in which small files are copied too; gives its folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(load, "SMALLEST_BYTES", 0)
    return tmp_path / "cache" / "evaluator" / "vectors"


TOPK = ("ru.vec", "ru.json", "-m", "Topk@1")


def test_scores_are_the_same_from_a_copy(run, cached):
    both = ("-m", "OddOneOut@2", "-m", "OddOneOut(samples=2)@2")
    first, again, without = (run("score", *TOPK, *both, *more) for more in ((), (), ("--no-cache",)))
    assert first == again == without


def test_no_copy_is_kept_with_no_cache(run, cached):
    run("score", *TOPK, "--no-cache")
    assert not cached.exists()
    run("score", *TOPK)
    assert len(list(cached.iterdir())) == 2


def test_cache_info_and_clear(run, cached, tmp_path):
    assert run("cache", "info") == f"{cached}: 0 copies, 0.0 MiB, of at most 20.0 GiB\n"
    run("score", *TOPK)
    first, header, row = run("cache", "info").splitlines()
    assert first.startswith(f"{cached}: 1 copy, 0.0 MiB")
    assert header.split() == ["file", "rows", "×", "dimension", "size"]
    assert row.split() == [str(tmp_path / "ru.vec"), "8", "×", "2", "0.0", "MiB"]
    assert run("cache", "clear") == "1 copy, 0.0 MiB removed\n"
    assert list(cached.iterdir()) == []
    assert run("cache", "clear") == "0 copies, 0.0 MiB removed\n"


def test_cache_info_as_json(run, cached, tmp_path):
    run("score", *TOPK)
    found = json.loads(run("cache", "info", "--json"))
    (copy,) = found.pop("copies")
    size = sum(path.stat().st_size for path in cached.rglob("*") if path.is_file())
    assert found == {"folder": str(cached), "bytes": size, "limit": 20 << 30}
    options = {"format": "word2vec-text", "drop": False, "limit": None, "encoding": "utf-8"}
    expected = {"path": str(tmp_path / "ru.vec"), "rows": 8, "dimension": 2, "bytes": size}
    assert copy == {**expected, "options": options}


def test_a_damaged_copy_is_told_of_and_the_file_read(run, cached):
    out = run("score", *TOPK)
    (matrix,) = cached.glob("*/matrix.npy")
    matrix.write_bytes(b"")
    path = cached.parents[2] / "ru.vec"
    note = f"{path}: its cached copy cannot be used, so the file itself is read ({matrix} is empty)"
    assert run("score", *TOPK, err=f"evaluator: {note}\n") == out
    assert run("score", *TOPK) == out


@pytest.mark.parametrize("command", ["info", "clear"])
def test_a_cache_that_is_no_folder(run, cached, command):
    cached.parent.mkdir(parents=True)
    cached.touch()
    assert run("cache", command, code=2, err=None) == ""
