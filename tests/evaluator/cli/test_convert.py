"""`evaluator convert`."""

from __future__ import annotations

import json
import os
import stat

import numpy as np
import pytest

from tests.evaluator.cli.test_cli import OTHERS, run  # noqa: F401
from tests.evaluator.vectors import fasttext_files

MEASURES = ("-t", "ru.json", "-m", "Topk@1", "-m", "OddOneOut@2", "-m", "OddOneOut(samples=2)@2")


def test_scores_of_a_converted_file_are_the_same(run):  # noqa: F811
    assert run("convert", "ru.vec", "ru.safetensors") == "ru.safetensors: 8 words, 2 dimensions\n"
    out = run("score", "ru.vec", *MEASURES)
    assert run("score", "ru.safetensors", *MEASURES) == out.replace("ru.vec", "ru.safetensors")


def test_bad_rows_are_left_out_once_and_reported_each_time(run, tmp_path):  # noqa: F811
    (tmp_path / "bad.vec").write_text("5 2\nrex 1 2\nnix 0 0\nregina 1 3\nroma 2 1\nvia 1 1\n")
    (tmp_path / "c.txt").write_text(":c\nrex regina roma\n")
    run("convert", "bad.vec", "some.safetensors", code=2, err=None)
    said = "evaluator: bad.vec: bad rows left out: 1\n"
    run("convert", "bad.vec", "some.safetensors", "--bad-rows", "drop", "--limit", "4", err=said)
    said = said.replace("bad.vec", "some.safetensors")
    assert "\n3 words" in run("score", "some.safetensors", "-t", "c.txt", "-m", "Topk@1", err=said)


def test_an_encoding_and_a_format(run, tmp_path):  # noqa: F811
    (tmp_path / "some.vec").write_text("cliché 1 2\nrex 3 4\nroi 5 6\n", encoding="cp1252")
    run("convert", "some.vec", "some.safetensors", "--encoding", "cp1252", "--format", "glove")
    (tmp_path / "c.txt").write_text(":c\ncliché rex roi\n", encoding="utf-8")
    scores = json.loads(run("score", "some.safetensors", "-t", "c.txt", "-m", "Topk@1", "--json"))
    assert scores["results"][0]["scores"][0]["value"] == 1


def test_files_of_others_are_overwritten_only_by_force(run, tmp_path):  # noqa: F811
    path = tmp_path / "ru.safetensors"
    path.write_text("mine")
    run("convert", "ru.vec", "ru.safetensors", code=2, err=OTHERS.format("ru.safetensors"))
    assert path.read_text() == "mine"
    run("convert", "ru.vec", "ru.safetensors", "--force")
    run("convert", "ru.vec", "ru.safetensors")  # evaluator wrote that
    run("convert", "ru.safetensors", "ru.safetensors", "--force", code=2, err=None)
    run("convert", "ru.safetensors", "again.safetensors")
    assert run("score", "again.safetensors", "-t", "ru.json")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (
            ["ru.vec", "ru.txt"],
            "ru.txt: the file to write must end in .safetensors or .vec, which says its format; name it so",
        ),
        (
            ["some.safetensors", "ru.vec"],
            "ru.vec: exists, and evaluator did not write it; name another one, or overwrite it with --force",
        ),
        (["none.vec", "some.safetensors"], "none.vec: there is no such file. Check the path."),
        (
            ["ru.vec", "none/some.safetensors"],
            "none/some.safetensors: cannot be written: No such file or directory; name another file",
        ),
    ],
)
def test_names_that_cannot_be(run, names, said):  # noqa: F811
    run("convert", *names, code=2, err=f"evaluator: {said}\n")


def test_subwords_are_left_out_only_if_asked_for(run, tmp_path):  # noqa: F811
    fasttext_files.write(tmp_path / "some.bin", ["rex", "dux"], np.ones((9, 8), np.float32))
    run("convert", "some.bin", "some.safetensors", code=2, err=None)
    assert not (tmp_path / "some.safetensors").exists()
    out = run("convert", "some.bin", "some.safetensors", "--without-subwords")
    assert out == "some.safetensors: 2 words, 8 dimensions\n"


def test_others_may_read_what_is_written(run, tmp_path):  # noqa: F811
    run("convert", "ru.vec", "ru.safetensors")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "ru.safetensors").stat().st_mode) == 0o666 & ~mask


def test_a_named_format_is_believed(run, tmp_path):  # noqa: F811
    text = (tmp_path / "ru.vec").read_text(encoding="utf-8").partition("\n")[2]
    (tmp_path / "odd.vec").write_text("# a\n# b c\n# three lines\n" + text, encoding="utf-8")
    options = "odd.vec", *MEASURES
    run("score", *options, code=2, err=None)
    run("convert", "odd.vec", "odd.safetensors", "--format", "glove", "--bad-rows", "drop", err=None)
    run("score", "odd.safetensors", *MEASURES, err=None)
