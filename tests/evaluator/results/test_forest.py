"""Figures and tables of one score, for papers."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from evaluator.errors import ScoreError
from evaluator.results.figures.forest import COLUMN, MOST_SERIES, Mark, forest_axes, forest_figure
from evaluator.results.scores import ScoresFile
from evaluator.studies.scoring import score
from tests.evaluator.examples import test_set, vectors

pytest.importorskip("matplotlib")

WORDS = {"one": ["w0", "w1", "w2"], "two": ["w3", "w4", "w5"], "none": ["x", "y"]}


@pytest.fixture(scope="module")
def scores():
    model = vectors([[1, 0.1 * n, 0.01 * n * n] for n in range(9)])
    return score(model, test_set(**WORDS), ["Topk@2", "OddOneOut@2"])


@pytest.fixture
def axes():
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def lines(axes):
    """The positions of the marks by the label in the legend."""
    return {each.get_label(): each.get_xydata().tolist() for each in axes.get_lines()}


def test_scores_are_drawn_with_interval_chance_and_baseline_and_no_row_without_a_value(scores, axes):
    assert scores.plot(axes) is axes
    assert [each.get_text() for each in axes.get_yticklabels()] == ["one", "two", "all"]
    drawn = lines(axes)
    table = scores.frame()
    for measure in ("Topk@2", "OddOneOut@2"):
        rows = table[(table.measure == measure) & (table.words == "all") & table.value.notna()]
        assert sorted(x for x, _ in drawn[measure]) == sorted(rows["value"])
        assert set(rows["chance"]) <= {x for x, _ in drawn["chance"]}
        assert set(rows["baseline"]) <= {x for x, _ in drawn["frequency baseline"]}
        assert set(rows["spelling"]) <= {x for x, _ in drawn["spelling baseline"]}
    spans = [each for label, each in drawn.items() if label.startswith("_")]
    assert [scores["Topk@2"].interval[0], scores["Topk@2"].interval[1]] in [
        [x for x, _ in each] for each in spans
    ]
    legend = [each.get_text() for each in axes.get_legend().get_texts()]
    assert legend == [
        "Topk@2",
        "OddOneOut@2",
        "Combined",
        "chance",
        "frequency baseline",
        "spelling baseline",
    ]


def test_titles_stand_for_names(axes):
    marks = [Mark("Subregions of the United Nations", "Topk@3", 0.5), Mark("", "Topk@3", 0.5)]
    forest_axes(marks, axes)
    labels = [each.get_text() for each in axes.get_yticklabels()]
    assert labels == ["Subregions of the United Nations", "all"]


def test_only_the_named_measures(scores, axes):
    scores.plot(axes, ["Topk@2"])
    assert {"Topk@2"} == {label for label in lines(axes) if "@" in label}


def test_a_new_figure_is_of_pyplot(scores):
    from matplotlib import pyplot as plt

    axes = scores.plot()
    assert plt.gcf().axes == [axes]
    plt.close("all")


def test_a_notebook_goes_on_showing_figures(scores, monkeypatch):
    """Its backend switches the interactive mode on with the first figure."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    made = plt.figure
    monkeypatch.setattr(plt, "figure", lambda *args, **named: mpl.interactive(True) or made(*args, **named))
    with mpl.rc_context():
        mpl.interactive(False)
        scores.plot()
        assert mpl.is_interactive()
    plt.close("all")


@pytest.mark.parametrize(
    ("marks", "problem"),
    [
        ([], "there are no scores to draw"),
        ([Mark("", str(n), 0.1) for n in range(MOST_SERIES + 1)], f"a figure shows {MOST_SERIES} series"),
    ],
)
def test_what_cannot_be_drawn_is_refused(marks, problem):
    with pytest.raises(ScoreError, match=problem), forest_figure(marks):
        pass


def test_several_test_sets_are_refused(scores):
    other = score(vectors([[1, n] for n in range(9)]), test_set(**WORDS), ["Topk@2"])
    other = replace(other, test_set="other.json")
    with pytest.raises(ScoreError, match=r"one test set, and not 2: test\.json, other\.json"):
        ScoresFile(results=(scores, other)).plot()


def test_latex_has_the_interval(scores):
    low, high = scores["Topk@2"].interval
    assert re.search(
        rf"^Topk@2 & {scores['Topk@2'].value:.3f} & {low:.3f} to {high:.3f} & ", scores.latex(), re.M
    )


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"w{n} 1 {0.1 * n}\n" for n in range(9))
    (tmp_path / "a.vec").write_text(f"9 2\n{rows}", encoding="utf-8")
    (tmp_path / "b.vec").write_text(f"9 2\n{rows.replace('1 0.', '0.5 0.')}", encoding="utf-8")
    (tmp_path / "words.txt").write_text(": one\nw0 w1 w2\n: two\nw3 w4 w5\n", encoding="utf-8")
    return tmp_path


def test_the_command_draws_vector_fonts_and_writes_latex(files, evaluator):
    command = ("score", "a.vec", "b.vec", "--test", "words.txt", "--figure", "out.pdf")
    ended = evaluator(*command, "--latex", "out.tex")
    assert (ended.code, ended.err) == (0, "")
    latex = (files / "out.tex").read_text(encoding="utf-8")
    assert len(re.findall("^a.vec & ", latex, re.M)) == 2, "Topk and OddOneOut"
    pdf = (files / "out.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert b"/Type3" not in pdf
    assert b"/Type42" in pdf or b"/TrueType" in pdf or b"/CIDFontType2" in pdf
    again = evaluator(*command)
    assert (again.code, again.out) == (0, ended.out)
    assert (files / "out.pdf").read_bytes() == pdf


@pytest.mark.parametrize(
    ("name", "problem"),
    [("out.jpg", "a figure ends in .svg, .pdf, .png"), ("mine.pdf", "evaluator did not write it")],
)
def test_the_command_refuses_before_it_scores(files, evaluator, name, problem):
    (files / "mine.pdf").write_text("my own", encoding="utf-8")
    ended = evaluator("score", "missing.vec", "--test", "words.txt", "--figure", name)
    assert (ended.code, ended.out) == (2, "")
    assert problem in ended.err


def test_a_figure_for_a_column_of_a_paper_fits_on_its_page():
    def height(rows, width):
        with forest_figure([Mark(f"{n}", "Topk@3", 0.5) for n in range(rows)], width=width) as drawn:
            return float(drawn.get_size_inches()[1])

    assert height(3, None) == height(3, COLUMN) < height(60, COLUMN) == height(100, COLUMN) < height(60, None)
    assert height(60, None) < height(100, None)
