"""Measures as texts and as objects: every spelling, and what is refused."""

from __future__ import annotations

import pytest

from evaluator import MeasureError, parse_measure
from evaluator.measures.analogy import Analogy
from evaluator.measures.analogyspace import AnalogySpace
from evaluator.measures.categorization import Categorization
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.outlierdetection import CategoryOutliers, OutlierDetection
from evaluator.measures.similarity import Similarity
from evaluator.measures.topk import Topk

# A text, the measure, and its own text if that is another one.
TEXTS = [
    ("Topk@10", Topk(10), None),
    ("Topk", Topk(3), "Topk@3"),
    ("OddOneOut(samples=1000)@3", OddOneOut(samples=1000), None),
    (" OddOneOut ( samples = 1000 ) @ 4 ", OddOneOut(4, samples=1000), "OddOneOut(samples=1000)@4"),
    ("OddOneOut()@2", OddOneOut(2), "OddOneOut@2"),
    ("Analogy", Analogy(), "Analogy@1"),
    ("Analogy(method=3CosMul)@5", Analogy("3CosMul", k=5), None),
    ("Analogy(inputs=included,samples=100)@1", Analogy(inputs="included", samples=100), None),
    ("AnalogySpace(method=Cos)", AnalogySpace(), "AnalogySpace"),
    ("AnalogySpace(method=N-Cos)", AnalogySpace("N-Cos"), None),
    ("Categorization", Categorization(), None),
    ("Categorization(score=V)", Categorization("V"), None),
    ("OutlierDetection(score=OPP)", OutlierDetection("OPP"), None),
    ("CategoryOutliers(out=near,size=5)", CategoryOutliers(out="near", size=5), None),
    ("CategoryOutliers(score=OPP,outliers=4)", CategoryOutliers("OPP", outliers=4), None),
    ("Similarity(correlation=spearman)", Similarity(), "Similarity"),
    ("Similarity(correlation=pearson)", Similarity("pearson"), None),
]


@pytest.mark.parametrize(("text", "measure", "own"), TEXTS, ids=[text for text, _, _ in TEXTS])
def test_text_and_measure_are_one(text, measure, own):
    assert parse_measure(text) == measure == parse_measure(str(measure))
    assert str(measure) == (own or text)
    assert hash(parse_measure(text)) == hash(measure)


def test_which_measures_depend_on_a_seed():
    for text in (
        "OddOneOut(samples=9)",
        "Analogy(samples=9)",
        "Categorization",
        "CategoryOutliers",
    ):
        assert parse_measure(text).draws, text
    for text in ("Topk", "OddOneOut", "Analogy", "AnalogySpace", "OutlierDetection", "Similarity"):
        assert not parse_measure(text).draws, text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not a measure"),
        ("Topk@", "is not a measure"),
        ("topk@3", r"unknown measure 'topk'; did you mean Topk\? The measures are Accuracy, Analogy, "),
        ("Foo@3", r"unknown measure 'Foo'\. The measures are .*OddOneOut, .*Topk, Translation\."),
        ("Topk@0", "k must be 1 or more"),
        ("Topk@-3", "k must be 1 or more"),
        ("Topk@three", "k must be a whole number, not 'three'"),
        ("Topk(samples=10)@3", "it has distance"),
        ("SynonymDetection(samples=10)@3", "none but k"),
        ("OddOneOut@1", "k must be 2 or more"),
        ("OddOneOut(samples=0)@3", "samples must be 1 or more"),
        ("OddOneOut(sample=10)@3", "has no parameter 'sample'; it has samples, out"),
        ("OddOneOut(10)@3", "is not a parameter"),
        ("OddOneOut(samples=10,samples=20)@3", "samples stands there twice; give it once"),
        ("OddOneOut(k=3)", "is not a parameter"),
        ("OddOneOut(out=near)@3", "out is 'near'; choose from any, matched"),
        ("OddOneOut(samples=9,out=matched)@3", "out=matched counts all pairs"),
        ("Analogy@0", "k must be 1 or more"),
        ("Analogy(samples=0)@1", "samples must be 1 or more"),
        ("Analogy(method=3cosadd)@1", "choose from 3CosAdd, 3CosMul, PairDirection"),
        ("AnalogySpace(method=cos)", "choose from Cos, Euc, N-Cos, N-Euc"),
        ("AnalogySpace@3", "has no parameter k; leave out @3"),
        ("Categorization(score=best)", "score is 'best'; choose from purity, V"),
        ("OutlierDetection(score=recall)", "choose from accuracy, OPP"),
        ("CategoryOutliers(out=away)", "choose from graded, near, far"),
        ("CategoryOutliers(size=1)", "size must be 2 or more"),
        ("CategoryOutliers(outliers=0)", "outliers must be 1 or more"),
        ("Similarity(correlation=kendall)", "choose from spearman, pearson"),
    ],
)
def test_wrong_texts(text, complaint):
    with pytest.raises(MeasureError, match=complaint):
        parse_measure(text)


def test_a_wrong_object_is_refused_like_its_text():
    with pytest.raises(MeasureError, match=r"^Similarity\(correlation=kendall\): .*choose"):
        Similarity("kendall")
