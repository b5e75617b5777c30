"""Names in figures: signs that the common font lacks are taken from another, or said."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from evaluator.results.figures import write_figure
from evaluator.results.figures.forest import Mark, forest_axes, forest_figure

pytest.importorskip("matplotlib")

ONLY_IN_STIX = "ᶎ"  # a letter that DejaVu lacks


@pytest.fixture(autouse=True)
def own_fonts(monkeypatch):
    """The fonts that come with matplotlib, so that every machine has the same."""
    import matplotlib as mpl
    from matplotlib.font_manager import fontManager

    own = [each for each in fontManager.ttflist if Path(each.fname).is_relative_to(mpl.get_data_path())]
    monkeypatch.setattr(fontManager, "ttflist", own)


@pytest.fixture
def written(tmp_path, caplog):
    """Writes a figure of models of some names, and gives what was said."""

    def write(names, *files):
        marks = [Mark("a row", name, 0.5, 0.4, 0.6) for name in names]
        caplog.clear()
        with caplog.at_level(logging.WARNING, "evaluator"):
            write_figure(forest_figure(marks), *(tmp_path / each for each in files))
        return [each.getMessage() for each in caplog.records if each.name.startswith("evaluator")]

    return write


def test_a_name_whose_signs_no_font_has_is_said_once_with_them(written):
    (said,) = written(["漢字.vec", "b.vec"], "f.svg", "f.pdf", "f.png")
    assert said.startswith("f.pdf, f.png: no installed font has 字 漢, in 漢字.vec;")
    assert "b.vec" not in said


def test_a_file_that_takes_the_fonts_of_its_reader_has_no_boxes(written, tmp_path):
    assert written(["漢字.vec"], "f.svg") == []
    assert "漢字.vec" in (tmp_path / "f.svg").read_text(encoding="utf-8")


def test_another_installed_font_is_taken(written, tmp_path):
    assert written([f"{ONLY_IN_STIX}.vec"], "f.pdf") == []
    assert b"STIXGeneral" in (tmp_path / "f.pdf").read_bytes()
    written(["rex.vec"], "g.pdf")
    assert b"STIXGeneral" not in (tmp_path / "g.pdf").read_bytes()


@pytest.mark.parametrize("name", ["a\n\u202eb\x1b", "שלום", "_x$y$", "e\u0301", "a b"])
def test_signs_that_nobody_sees_lack_no_font(written, name):
    assert written([name], "f.png") == []


def test_a_figure_of_pyplot_says_it_too(caplog):
    from matplotlib import pyplot as plt

    forest_axes([Mark("a row", "漢字.vec", 0.5)])
    plt.close("all")
    assert any("in 漢字.vec" in each.getMessage() for each in caplog.records)


def test_names_are_visible_in_a_figure(written, tmp_path):
    written(["a\u202eb\n"], "f.svg")
    text = (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert r"a\u202eb\u000a" in text
    assert "\u202e" not in text
