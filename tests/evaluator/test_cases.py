"""Files of real reports of bugs, as commands: each has the right value, or is refused with the reason.

A folder for each stands beside the real data; `numba-cache-*` need an installation that cannot be written to.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import evaluator as library
from evaluator.errors import VectorsError
from tests.conftest import NO_GENSIM

MEMBERS = {"wordlevel": (6, 7), "unigram": (0, 7)}


@pytest.fixture
def case(shared_data, tmp_path, monkeypatch):
    """A copy of a case's folder, which is the current folder then."""

    def copied(name):
        source = shared_data.parent / "cases" / "evaluator" / name
        if not source.is_dir():
            pytest.skip(f"{source} is not there")
        folder = tmp_path / name
        shutil.copytree(source, folder)
        folder.chmod(0o755)
        monkeypatch.chdir(folder)
        return folder

    return copied


@pytest.fixture
def scored(evaluator):
    """Runs `evaluator score --json`, and gives values by model and measure, and what was said."""

    def run(*arguments):
        ended = evaluator("score", *arguments, "--json")
        assert ended.code == 0, ended.err
        found = json.loads(ended.out)["results"]
        values = {(of["model"], each["measure"]): each["value"] for of in found for each in of["scores"]}
        return values, ended.err

    return run


def test_the_row_of_the_end_of_lines_is_fasttext_s_own(case):
    folder = case("fasttext-eos-row")
    binary, text = (
        library.load_vectors(folder / f"crime-and-punishment.{ending}") for ending in ("bin", "vec")
    )
    assert list(binary.words) == list(text.words)
    assert np.abs(binary.matrix - text.matrix).max() < 1e-5
    assert binary.matrix[binary.index["</s>"]] == pytest.approx(
        [0.19648, 0.14884, 0.06931, 0.03630, -0.09718], abs=1e-5
    )


def test_a_figure_with_boxes_says_so(case, evaluator):
    folder = case("figure-missing-glyphs")
    shutil.copy("漢字.vec", "other.vec")
    ended = evaluator("score", "漢字.vec", "other.vec", "-t", "en.json", "--figure", "f.png", "--csv")
    assert ended.code == 0, ended.err
    assert (folder / "f.png").stat().st_size
    from matplotlib.font_manager import fontManager

    has = any("CJK" in each.name or "Han" in each.name for each in fontManager.ttflist)
    assert has or "f.png: no installed font has 字 漢, in 漢字.vec" in ended.err


@pytest.mark.parametrize("name", ["floret-bin/floret.bin", "floret-bin-fasttext-mode/fasttext.bin"])
def test_models_of_floret_are_read(case, evaluator, name):
    floret = pytest.importorskip("floret", reason="compares with floret, which is not installed")
    place, file = name.split("/")
    folder = case(place)
    assert evaluator("convert", file, "x.safetensors", "--without-subwords").code == 0
    found, model = library.load_vectors(folder / "x.safetensors"), floret.load_model(file)
    expected = np.array([model.get_word_vector(word) for word in found.words])
    assert found.matrix == pytest.approx(expected, abs=1e-5)


def test_questions_which_word_does_not_fit_are_no_analogies(case, evaluator):
    folder = case("four-fields-read-as-analogies")
    (folder / "m.vec").write_text("2 1\nAugust 1\nApril 2\n")
    ended = evaluator("score", "m.vec", "--test", "doesntfit.txt")
    assert ended.code == 2
    assert "which word does not fit, not analogies" in ended.err


@pytest.mark.parametrize("kind", ["mm", "npstr", "p3"])
def test_every_pickle_of_gensim_4_is_read(case, evaluator, kind):
    folder = case(f"gensim-{kind}-kv")
    assert evaluator("convert", f"{kind}.kv", "x.safetensors").code == 0
    found = library.load_vectors(folder / "x.safetensors")
    assert found.matrix.shape == (8, 16)
    keyed = pytest.importorskip("gensim.models", reason=NO_GENSIM).KeyedVectors.load(f"{kind}.kv")
    assert list(found.words) == list(keyed.index_to_key)
    assert np.array_equal(found.matrix, keyed.vectors)


def test_unused_places_of_gensim_are_refused():
    models = pytest.importorskip("gensim.models", reason=NO_GENSIM)
    with pytest.raises(VectorsError, match="the key None is not a word"):
        library.as_vectors(models.KeyedVectors(16, count=20))


def test_a_row_of_latex_may_begin_with_a_bracket(case, evaluator):
    folder = case("latex-row-starts-with-bracket")
    shutil.copy("m.vec", "[cbow] a.vec")
    ended = evaluator("score", "m.vec", "[cbow] a.vec", "-t", "en.json", "--latex", "t.tex")
    assert ended.code == 0, ended.err
    lines = (folder / "t.tex").read_text(encoding="utf-8").splitlines()
    assert not any(line.startswith(("[", "*")) for line in lines)
    assert any(line.startswith("{[}cbow] a.vec & ") for line in lines)


def test_a_pointer_of_git_lfs_is_named(case, evaluator):
    case("lfs-pointer-vectors")
    ended = evaluator("score", "model.bin", "--test", "la")
    assert ended.code == 2
    assert "Git LFS pointer, not the file" in ended.err
    assert "git lfs pull" in ended.err


def test_numbers_before_the_words_of_a_list_are_no_words(case, evaluator):
    case("npy-list-with-index")
    ended = evaluator("convert", "x.npy", "x.safetensors")
    assert ended.code == 2
    assert "x.txt, line 1: starts with a number" in ended.err


@pytest.mark.parametrize(
    ("name", "file", "column"),
    [
        ("annotator-before-average", "anno.tsv", "Average"),
        ("count-before-mean", "num_ratings.csv", "mean_rating"),
        ("frequencies-before-human", "freq.csv", "human"),
        ("sd-before-score", "sd_first.csv", "score"),
    ],
)
def test_the_rating_is_the_column_of_the_surest_name(case, scored, name, file, column):
    case(f"pairs-{name}")
    values, said = scored("m.vec", "--test", file)
    assert values["m.vec", "Similarity"] == pytest.approx(0.9762, abs=5e-5)
    assert f"rating in '{column}'" in said or not said


@pytest.mark.parametrize(
    ("name", "file", "pairs", "options"),
    [
        ("comment-lines-gensim", "wordsim353.tsv", 353, ("--preset", "gensim")),
        ("incomplete-last-row", "wordsim353-sim.csv", 203, ()),
        ("score-before-words", "simverb-3500.csv", 3500, ()),
    ],
)
def test_all_pairs_are_read(case, scored, name, file, pairs, options):
    folder = case(f"pairs-{name}")
    (rated,) = library.read_testset(folder / file).rated_pairs
    assert len(rated.pairs) in (pairs, pairs - 1)
    words = dict.fromkeys(word for pair in rated.pairs for word in pair[:2])
    draw = np.random.default_rng(0).normal(size=(len(words), 5))
    rows = (f"{word} {' '.join(map(str, row))}" for word, row in zip(words, draw, strict=True))
    (folder / "m.vec").write_text("\n".join([f"{len(words)} 5", *rows]) + "\n", encoding="utf-8")
    values, _ = scored("m.vec", "--test", file, *options)
    assert ("m.vec", "Similarity") in values


def test_a_translated_set_is_scored_on_the_words_of_the_language(case, scored):
    case("pairs-two-languages")
    values, said = scored("m.vec", "--test", "la.csv", "--language", "la")
    assert values["m.vec", "Similarity"] == pytest.approx(0.9762, abs=5e-5)
    assert "words in 'Latin1', 'Latin2'" in said


def test_a_column_of_counts_is_no_coordinate():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(np.random.default_rng(0).normal(size=(6, 4)), index=list("abcdef"))
    with pytest.raises(VectorsError, match="column 'count'"):
        library.as_vectors(table.assign(count=[900, 500, 300, 200, 100, 50]))


def test_a_comment_before_the_first_header_is_no_question(case, scored):
    case("questions-before-first-header")
    for file in ("q.txt", "without.txt"):
        values, said = scored("m.vec", "--test", file)
        assert values["m.vec", "Analogy@1"] == 1
        assert ("left out: q.txt, line 1: a comment" in said) == (file == "q.txt")


@pytest.mark.parametrize("kind", MEMBERS)
def test_words_that_a_tokenizer_cannot_take_are_unknown(case, evaluator, kind):
    pytest.importorskip("tokenizers")
    case(f"static-{kind}-without-unk")
    ended = evaluator("score", ".", "--test", "la.json", "--json")
    found = json.loads(ended.out)["results"][0]
    assert (found["known_words"], found["words"]) == MEMBERS[kind]
    assert ended.code == (not found["known_words"])


def test_outliers_of_vecto_are_no_members(case, scored):
    case("vecto-outliers-read-as-categories")
    for file in ("outl.csv", "groups.csv"):
        values, _ = scored("o.vec", "--test", file)
        assert values == {("o.vec", "OutlierDetection"): 1}


@pytest.mark.parametrize("options", [(), ("--bad-rows", "drop")])
@pytest.mark.parametrize("kind", ["drop", "silent"])
def test_words_with_spaces_of_binary_files_are_whole(case, evaluator, kind, options):
    folder = case(f"w2v-binary-space-{kind}")
    assert evaluator("convert", "m.bin", "m.safetensors", *options).code == 0
    found = library.load_vectors(folder / "m.safetensors")
    assert list(found.words) == ["the", "new york", "rex", "dux"]
    assert np.abs(found.matrix).max() < 100
    if kind == "silent":
        assert found.matrix.tolist() == [[1, 0], [0.5, 0.5], [0, 1], [1, 2]]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="mounting takes the superuser")
@pytest.mark.parametrize("command", ["score", "convert"])
def test_where_nothing_can_be_written_compiled_code_runs(case, tmp_path, command):
    """A container with --read-only: installation and home cannot be written to."""
    folder = case("numba-cache-readonly")
    rows = np.random.default_rng(0).normal(size=(9, 3))
    content = "".join(f"w{n} {' '.join(map(str, row))}\n" for n, row in enumerate(rows))
    (folder / "some.vec").write_text(f"9 3\n{content}", encoding="utf-8")
    arguments = {
        "score": "score m.vec --test en.json --json",
        "convert": "convert some.vec x.safetensors",
    }
    code, environment = Path(library.__file__).parents[1], Path(sys.prefix)
    read_only = " && ".join(
        f"mount --bind {each} {each} && mount -o remount,ro,bind {each}" for each in (code, environment)
    )
    program = f"HOME=/proc/nope XDG_CACHE_HOME=/proc/nope {sys.executable} -m evaluator"
    ended = subprocess.run(
        ["unshare", "-m", "sh", "-c", f"{read_only} && {program} {arguments[command]}"],
        capture_output=True, text=True, check=False, cwd=folder,
        env={key: value for key, value in os.environ.items() if not key.startswith("NUMBA")},
    )  # fmt: skip
    if "unshare: " in ended.stderr or "mount: " in ended.stderr:
        pytest.skip("nothing can be mounted here")
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    if command == "score":
        values = {each["measure"]: each["value"] for each in json.loads(ended.stdout)["results"][0]["scores"]}
        assert values["Topk@3"] == pytest.approx(0.8175, abs=5e-5)
        assert values["OddOneOut@3"] == pytest.approx(0.9796, abs=5e-5)
        assert ended.stderr.count("\n") == ended.stderr.count("NUMBA_CACHE_DIR") == 1, "said once"
