"""The harmonic mean and PCE: tables worked by hand, properties, scikit-learn, and what is noted or refused.

The tables worked by hand are made of three patterns over four models, each with mean 0 and variance 1 and
each two uncorrelated, so that correlations and components can be written down:

    u = (1, 1, -1, -1)    v = (1, -1, 1, -1)    w = (1, -1, -1, 1)
"""

from __future__ import annotations

import json
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluator.errors import ResultsError, ScoreError
from evaluator.reports.sections.composite import with_pce
from evaluator.results.base import to_json
from evaluator.results.figures.matrix import matrix_figure
from evaluator.results.files import parse_results
from evaluator.statistics.composite import compose, compose_table, harmonic_mean
from evaluator.statistics.scores import combined
from tests.evaluator.results.test_score_table import run, write

U, V, W = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], dtype=float)
NAMES = "abcdefghijklmnop"


def composed(*columns, **more):
    table = np.column_stack(columns)
    return compose_table(NAMES[: len(table)], [f"t{n}" for n in range(len(columns))], table, **more)


def of(pce, key):
    """A figure of each task."""
    return tuple(getattr(each, key) for each in pce.tasks)


def near(*values):
    return pytest.approx(values, abs=1e-12)


@pytest.fixture
def two_tasks():
    """Two tasks that correlate with r = 0.6, as rates.

    The columns are 0.5 + 0.1·u and 0.5 + 0.05·(3u + 4v). Standardised they are z1 = u and
    z2 = (3u + 4v)/5, as 3² + 4² = 5². So r = z1·z2/4 = 3/5; R = [[1, r], [r, 1]] has the eigenvalues
    1 + r = 8/5 and 1 - r = 2/5 with the eigenvectors (1, 1)/√2 and (1, -1)/√2.
    PCE = (z1 + z2)/√2 = (8u + 4v)/(5√2), a multiple of 2u + v = (3, 1, -1, -3): from 0 to 1 that is
    (1, 2/3, 1/3, 0). The correlation with each task is √(8/5)/√2 = √0.8.
    Ranks by z1 alone are (1, 1, 3, 3); by z2, a multiple of (7, -1, 1, -7), they are (1, 3, 2, 4).
    Mean ranks, less their mean: (1, 1, -1, -1) and (3, -1, 1, -3)/2, so that Spearman's
    correlation is (3 - 1 - 1 + 3)/2 / √(4·5) = 1/√5.
    """
    return composed(0.5 + 0.1 * U, 0.5 + 0.05 * (3 * U + 4 * V))


def test_two_tasks_by_hand(two_tasks):
    pce = two_tasks.pce
    assert pce.scores == near(1, 2 / 3, 1 / 3, 0)
    assert pce.ranks == (1, 2, 3, 4)
    assert of(pce, "weight") == near(1 / sqrt(2), 1 / sqrt(2))
    assert of(pce, "loading") == near(sqrt(0.8), sqrt(0.8))
    assert pce.explained == near(0.8, 0.2)
    assert of(pce, "ranks_without") == ((1, 3, 2, 4), (1, 1, 3, 3))
    assert of(pce, "moves") == (1, 1)


def test_correlations_of_two_tasks_by_hand(two_tasks):
    found = two_tasks.correlations
    assert found.tasks == ("t0", "t1")
    assert found.pearson == (near(1, 0.6), near(0.6, 1))
    assert found.spearman == (near(1, 1 / sqrt(5)), near(1 / sqrt(5), 1))


def test_the_harmonic_mean_of_two_tasks_is_combined(two_tasks):
    assert two_tasks.scores[0] == near(0.6, 0.85)
    assert two_tasks.harmonic == near(*(combined(*row) for row in two_tasks.scores))


def test_three_tasks_with_unequal_weights_by_hand():
    """z1 = u and z2 = v are uncorrelated, z3 = (u + v)/2 + w/√2 has r = 1/2 with both (1/4 + 1/4 + 1/2 = 1).

    For R = [[1, 0, 1/2], [0, 1, 1/2], [1/2, 1/2, 1]] and a = (1, 1, c): Ra = (1 + c/2)·(1, 1, ·) and
    1 + c = (1 + c/2)·c, so that c² = 2. c = √2 gives λ = 1 + 1/√2, c = -√2 gives 1 - 1/√2, and (1, -1, 0)
    gives 1. The length of (1, 1, √2) is 2.
    PCE is a multiple of u + v + √2·z3 = (1 + 1/√2)(u + v) + w = (3 + √2, -1, -1, -1 - √2); its range is
    4 + 2√2, and -1 is √2 above its least: √2/(4 + 2√2) = (√2 - 1)/2.
    """
    c = sqrt(2)
    pce = composed(0.5 + 0.1 * U, 0.3 - 0.2 + 0.01 * V, 0.4 + 0.2 * ((U + V) / 2 + W / c)).pce
    assert pce.scores == near(1, (c - 1) / 2, (c - 1) / 2, 0)
    assert pce.ranks == (1, 2, 2, 4)
    assert of(pce, "weight") == near(1 / 2, 1 / 2, c / 2)
    eigenvalues = np.array([1 + 1 / c, 1, 1 - 1 / c])
    assert pce.explained == near(*eigenvalues / 3)
    assert of(pce, "loading") == near(*np.sqrt(eigenvalues[0]) * np.array([1, 1, c]) / 2)


def test_loadings_as_in_the_figure_of_the_paper():
    """The paper prints no table, only that PCE correlates with its three tasks by 0.77 to 0.87, and that they
    correlate less with each other. Three tasks that all correlate by 1/2 are such a case: λ = 1 + 2/2 = 2,
    and PCE correlates by √(2/3) = 0.816 with each.
    """
    found = composed(U + V, U + W, V + W)
    assert np.array(found.correlations.pearson) == pytest.approx((np.eye(3) + 1) / 2)
    assert of(found.pce, "loading") == near(*[sqrt(2 / 3)] * 3)
    assert 0.77 < of(found.pce, "loading")[0] < 0.87
    assert found.pce.explained == near(2 / 3, 1 / 6, 1 / 6)
    assert found.pce.scores == near(1, 0, 0, 0)
    assert found.pce.ranks == (1, 2, 2, 2)
    assert not any("even of random numbers" in note for note in found.notes)  # one model more than tasks


@pytest.mark.parametrize("others", [(), (0.3,), (0.2, 0.7, 0.9)])
def test_harmonic_mean_of_any_number(others):
    scores = (0.5, *others)
    expected = len(scores) / sum(1 / (x + 0.0001) for x in scores)
    assert harmonic_mean(scores) == pytest.approx(expected, rel=1e-15)
    assert harmonic_mean(scores[::-1]) == pytest.approx(expected, rel=1e-15)


def test_harmonic_mean_is_combined_for_two_and_takes_what_is_below_0_for_0():
    assert harmonic_mean((0.1527, 0.0645)) == pytest.approx(combined(0.1527, 0.0645), rel=1e-15)
    assert harmonic_mean((-0.3, 0.5)) == harmonic_mean((0, 0.5)) > 0
    assert harmonic_mean((0, 0.5), smoothing=0) == 0
    assert harmonic_mean((0.2, 0.2, 0.2), smoothing=0) == pytest.approx(0.2)


@st.composite
def tables(draw):
    """Models × tasks, in twentieths so that what is nearly equal is equal."""
    models, tasks = draw(st.integers(3, 8)), draw(st.integers(1, 5))
    column = st.lists(st.integers(0, 20), min_size=models, max_size=models)
    return np.array(draw(st.lists(column, min_size=tasks, max_size=tasks)), dtype=float).T / 20


def alike(one, other, models=slice(None)):
    """Whether two composites have the same PCE; the second one's models in another order."""
    if one.pce is None or other.pce is None:
        assert one.pce is other.pce
        return
    assert np.array(other.pce.scores) == pytest.approx(np.array(one.pce.scores)[models], abs=1e-9)
    assert np.array(other.pce.ranks).tolist() == np.array(one.pce.ranks)[models].tolist()
    assert of(other.pce, "weight") == pytest.approx(of(one.pce, "weight"), abs=1e-9)
    assert other.pce.explained == pytest.approx(one.pce.explained, abs=1e-9)


@given(tables(), st.floats(1e-3, 1e3), st.floats(-1, 1), st.integers(0, 4))
def test_pce_stays_when_a_task_is_measured_on_another_scale(table, factor, shift, column):
    other = table.copy()
    other[:, column % table.shape[1]] = other[:, column % table.shape[1]] * factor + shift
    alike(composed(*table.T), composed(*other.T))


@given(tables(), st.randoms(use_true_random=False))
def test_pce_stays_when_models_come_in_another_order(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    alike(composed(*table.T), composed(*table[order].T), order)


@given(tables())
def test_what_holds_for_every_pce(table):
    found = composed(*table.T)
    if found.pce is None:
        return
    pce, tasks = found.pce, len(found.pce.tasks)
    assert min(pce.scores) == 0
    assert max(pce.scores) == pytest.approx(1)
    assert min(pce.ranks) == 1
    assert sum(pce.explained) == pytest.approx(1)
    assert list(pce.explained) == sorted(pce.explained, reverse=True)
    assert pce.explained[0] >= 1 / min(tasks, len(table) - 1) - 1e-9, "what the notes say is the least"
    assert sum(x * x for x in of(pce, "weight")) == pytest.approx(1)
    assert sum(of(pce, "loading")) >= -1e-9, "in sum PCE correlates positively with the tasks"
    usable = [table[:, found.tasks.index(task)] for task in of(pce, "task")]
    assert of(pce, "loading") == near(*(np.corrcoef(pce.scores, column)[0, 1] for column in usable))


@pytest.mark.parametrize("seed", range(5))
def test_pce_and_correlations_as_of_scikit_learn_and_scipy(seed):
    decomposition = pytest.importorskip("sklearn.decomposition")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(seed)
    table = random.random((9, 1)) * random.random(5) + 0.3 * random.random((9, 5)).round(1)
    found = composed(*table.T)
    pca = decomposition.PCA().fit(preprocessing.StandardScaler().fit_transform(table))
    sign = np.sign(pca.components_[0].sum())
    assert of(found.pce, "weight") == near(*sign * pca.components_[0])
    assert found.pce.explained == near(*pca.explained_variance_ratio_)
    first = sign * pca.transform(preprocessing.StandardScaler().fit_transform(table))[:, 0]
    assert found.pce.scores == near(*preprocessing.minmax_scale(first))
    assert found.pce.ranks == tuple(stats.rankdata(-first, "min").astype(int))
    assert np.array(found.correlations.pearson) == pytest.approx(np.corrcoef(table.T))
    assert np.array(found.correlations.spearman) == pytest.approx(stats.spearmanr(table).statistic)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=12))
def test_equal_scores_share_their_ranks_in_correlations(pairs):
    stats = pytest.importorskip("scipy.stats")
    first, second = zip(*pairs, strict=True)
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    found = composed(first, second).correlations.spearman[0][1]
    assert found == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)


def test_one_model_has_a_harmonic_mean_and_no_pce():
    found = composed([0.2], [0.4])
    assert found.harmonic == (combined(0.2, 0.4),)
    assert found.pce is found.correlations is None
    assert found.notes == ("there is one model: PCE compares models, so there is no PCE",)


def test_two_models_are_warned_about():
    """The columns standardised are all (1, -1) or (-1, 1): the first component counts tasks."""
    found = composed([0.9, 0.1], [0.41, 0.40], [0.2, 0.3])
    assert found.pce.scores == near(1, 0)
    assert found.pce.explained == near(1, 0, 0)
    assert any(note.startswith("there are two models") for note in found.notes)
    assert "the tasks contradict each other: a better score lowers PCE for t2" in found.notes


def test_a_constant_task_is_left_out_and_named(two_tasks):
    tasks = np.array(two_tasks.scores).T
    found = composed(tasks[0], [0.1 + 0.2, 0.3, 0.3, 0.3], tasks[1])
    assert of(found.pce, "task") == found.correlations.tasks == ("t0", "t2")
    assert found.pce.scores == two_tasks.pce.scores
    assert found.notes[0] == "t1: all models have the same score; it does not count in PCE"
    assert found.harmonic != two_tasks.harmonic


def test_tasks_that_are_all_constant_give_no_pce():
    found = composed([0.1, 0.1, 0.1], [0, 0, 0])
    assert found.pce is found.correlations is None
    assert len(found.notes) == 2


def test_very_small_differences_are_differences():
    found = composed([1e-170, 2e-170, 3e-170], [0.1, 0.2, 0.3])
    assert found.pce.scores == near(0, 0.5, 1)


def test_a_single_task_is_pce_on_another_scale():
    found = composed([0.2, 0.1, 0.3])
    assert found.pce.scores == near(0.5, 0, 1)
    assert found.pce.ranks == (2, 3, 1)
    assert of(found.pce, "ranks_without") == of(found.pce, "moves") == (None,)
    assert found.notes == ("only t0 tells the models apart: PCE is that score on another scale",)


def test_uncorrelated_tasks_have_no_first_component():
    """R is the identity: every direction explains as much."""
    found = composed(U, V)
    assert found.pce is None
    assert found.correlations.pearson == (near(1, 0), near(0, 1))
    assert found.notes[-1].startswith("two components explain equally much of the variance")


def test_tasks_that_cancel_out_give_a_sign_that_is_fixed_and_noted():
    """With r = -0.6 the weights are (1, -1)/√2: PCE holds one task for bad. The first counts as good."""
    for first, second in permutations([0.5 + 0.1 * U, 0.5 - 0.05 * (3 * U + 4 * V)]):
        found = composed(first, second)
        assert of(found.pce, "weight") == near(1 / sqrt(2), -1 / sqrt(2))
        assert "the tasks contradict each other: a better score lowers PCE for t1" in found.notes
        assert "the weights cancel out: which end of PCE is the good one is arbitrary" in found.notes


def test_a_task_against_the_others_is_named():
    found = composed(U + V, U + W, -(V + W))
    assert of(found.pce, "weight")[2] < 0 < of(found.pce, "weight")[1]
    assert "the tasks contradict each other: a better score lowers PCE for t2" in found.notes


def test_more_tasks_than_models_allow_are_noted():
    found = composed([0.1, 0.2, 0.4], [0.3, 0.2, 0.5], [0.2, 0.3, 0.9])
    assert found.notes[0] == (
        "there are 3 models for 3 tasks: the first component explains at least 50% of the variance, "
        "even of random numbers"
    )


def test_ranks_that_hang_on_one_task_are_noted(two_tasks):
    assert two_tasks.notes == ("ranks by PCE depend on single tasks: without t0, some model moves by 1",)


def test_scores_off_the_usual_range_are_noted():
    found = composed([-0.1, 0.2, 0.3, -0.2], [0.1, 0.2, 0.3, 2])
    assert found.notes[:2] == (
        "t0: 2 of 4 scores are below 0; they count as 0 in the harmonic mean",
        "some scores are above 1; the harmonic mean is meant for scores that are 1 at best",
    )


@pytest.mark.parametrize("bad", [[[0.1, 0.2]], [[]], [0.1], [[np.nan]], [[np.inf]]])
def test_a_table_that_is_none_is_refused(bad):
    with pytest.raises(ScoreError, match="1 models × 1 tasks"):
        compose_table(["a"], ["t"], bad)


def test_frames(two_tasks):
    frame = two_tasks.frame()
    assert list(frame.columns) == ["t0", "t1", "harmonic", "pce", "rank"]
    assert list(frame.index) == ["a", "b", "c", "d"]
    assert frame.loc["b", "pce"] == pytest.approx(2 / 3)
    assert list(frame["rank"]) == [1, 2, 3, 4]
    of_tasks = two_tasks.pce.frame()
    assert list(of_tasks.columns) == ["weight", "loading", "moves"]
    assert list(of_tasks.index) == ["t0", "t1"]
    assert two_tasks.correlations.frame().loc["t0", "t1"] == pytest.approx(0.6)
    assert two_tasks.correlations.frame("spearman").loc["t1", "t0"] == pytest.approx(1 / sqrt(5))


def test_frames_where_there_is_no_pce():
    frame = composed([0.2], [0.4]).frame()
    assert frame["pce"].isna().all()
    assert frame["rank"].isna().all()
    assert composed([1, 2, 3]).pce.frame()["moves"].isna().all()


def test_what_is_written_is_read_back(two_tasks):
    for found in (two_tasks, composed([0.2], [0.4])):
        assert parse_results(to_json(found).encode(), "x.json") == found
    content = json.loads(to_json(two_tasks))
    assert content["pce"]["tasks"][1]["ranks_without"] == [1, 1, 3, 3]


def test_files_are_composed_and_their_order_does_not_matter(tmp_path, two_tasks):
    paths = [
        write(tmp_path / f"{name}.json", run(name, one=row[0], two=row[1]))
        for name, row in zip(two_tasks.models, two_tasks.scores, strict=True)
    ]
    found = compose(paths)
    assert found.models == ("a", "b", "c", "d")
    assert found.tasks == ("one", "two")
    assert found.scores == two_tasks.scores
    assert found.pce.scores == two_tasks.pce.scores
    for order in permutations(paths):
        assert compose(order) == found, "to the last bit"


def test_results_that_cannot_be_compared_are_refused(tmp_path):
    with pytest.raises(ResultsError, match="two scores"):
        compose([write(tmp_path / "r.json", run(one=0.1), run(one=0.2))])


@pytest.fixture
def gaps(tmp_path):
    """c lacks one of the tasks."""
    runs = (run("a", one=0.1, two=0.5), run("b", one=0.2, two=0.4), run("c", one=0.4), run("d", one=0, two=0))
    return [write(tmp_path / "r.json", *runs)]


def test_a_missing_score_is_refused_and_named(gaps):
    with pytest.raises(ScoreError, match=r"^c .*two la\.json"):
        compose(gaps)


def test_models_with_a_missing_score_can_be_left_out(gaps):
    found = compose(gaps, leave_out="models")
    assert found.models == ("a", "b", "d")
    assert len(found.tasks) == 2
    assert found.notes[0] == "c: left out; has no score for a task"


def test_tasks_with_a_missing_score_can_be_left_out(gaps):
    found = compose(gaps, leave_out="tasks")
    assert found.models == ("a", "b", "c", "d")
    assert found.tasks == ("one",)
    assert found.notes[0] == "two la.json: left out; a model has no score for it"


@pytest.mark.parametrize("leave_out", ["models", "tasks"])
def test_if_nothing_is_left_it_is_an_error(tmp_path, leave_out):
    path = write(tmp_path / "r.json", run("a", one=0.1), run("b", two=0.2))
    with pytest.raises(ScoreError, match=r"\ba .*two la\.json.*1 more"):
        compose([path], leave_out=leave_out)


def test_nothing_is_left_out_where_nothing_is_missing(tmp_path):
    path = write(tmp_path / "r.json", run("a", one=0.1), run("b", one=0.2))
    assert compose([path], leave_out="models") == compose([path], leave_out="tasks") == compose([path])


def test_the_test_sets_of_a_measure_are_averaged_as_in_the_paper(tmp_path):
    runs = [
        each
        for number, name in enumerate("abc")
        for each in (
            run(name, "x.json", one=0.1 * number, two=0.3),
            run(name, "y.json", one=0.4),
        )
    ]
    path = write(tmp_path / "r.json", *runs)
    assert compose([path], leave_out="tasks", each_test_set=True).tasks == (
        "one x.json",
        "one y.json",
        "two x.json",
    )
    found = compose([path])
    assert found.tasks == ("one", "two")
    assert np.array(found.scores) == pytest.approx(np.array([[0.2, 0.3], [0.25, 0.3], [0.3, 0.3]]))
    assert found.pce.scores == near(0, 0.5, 1)


def of_paper(tmp_path, **scores):
    """A file of three models on two test sets, on the second of which each has 0.1 more."""
    runs = [
        run(model, f"{more}.json", **{measure: own[row] + more for measure, own in scores.items()})
        for row, model in enumerate("abc")
        for more in (0, 0.1)
    ]
    return write(tmp_path / "r.json", *runs)


PAPER = {
    "Similarity": (0.1, 0.2, 0.4),
    "Analogy(method=3CosAdd)@1": (0.1, 0.3, 0.2),
    "Analogy(method=3CosMul)@1": (0.3, 0.3, 0.2),
    "Categorization": (0.5, 0.2, 0.3),
}


def test_the_preset_of_the_paper_takes_its_tasks_and_the_mean_of_each(tmp_path):
    path = of_paper(tmp_path, **PAPER, **{"Topk@3": (0.9, 0.1, 0.5)})
    found = compose(path, preset="pce")
    assert set(found.tasks) == {"Similarity", "Analogy", "Categorization"}
    first = dict(zip(found.tasks, found.scores[0], strict=True))
    assert first == pytest.approx({"Similarity": 0.15, "Analogy": 0.25, "Categorization": 0.55})
    assert "Topk@3: left out; it is no task of the paper on PCE" in found.notes


def test_synonyms_are_a_fourth_task(tmp_path):
    found = compose(of_paper(tmp_path, **PAPER, SynonymChoice=(0.5, 0.4, 0.9)), preset="pce")
    assert "Synonyms" in found.tasks
    assert len(found.tasks) == 4


def test_a_task_that_the_preset_lacks_is_named(tmp_path):
    path = of_paper(tmp_path, Similarity=(0.1, 0.2, 0.3), Categorization=(0.1, 0.2, 0.1))
    with pytest.raises(ScoreError, match="needs scores by Analogy"):
        compose(path, preset="pce")
    with pytest.raises(ScoreError, match="leave out --each-test-set"):
        compose(path, preset="pce", each_test_set=True)


def test_the_figure_of_correlations_has_pce_and_all_tasks(two_tasks):
    names, rows = with_pce(two_tasks)
    assert names == ["PCE", "t0", "t1"]
    assert np.array(rows) == pytest.approx(
        np.array([[1, sqrt(0.8), sqrt(0.8)], [sqrt(0.8), 1, 0.6], [sqrt(0.8), 0.6, 1]])
    )
    with matrix_figure(names, rows, "r") as drawn:
        texts = {text.get_text() for text in drawn.axes[0].texts}
    assert texts == {"1.00", "0.89", "0.60"}
