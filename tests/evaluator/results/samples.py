"""A small result file of each kind, as JSON values, and the pieces that files of scores are made of."""

from __future__ import annotations

import json

import msgspec
import numpy as np

from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.execution.inputs import Input
from evaluator.plugins.design.item_analysis import items as items_of
from evaluator.plugins.design.power import plan as plan_of
from evaluator.plugins.design.power import scores_of
from evaluator.plugins.inspection import map_of, neighbours
from evaluator.plugins.papers.boundaries import BoundariesFile
from evaluator.plugins.papers.mentions import Agreement, Mentions, MentionsFile
from evaluator.plugins.papers.relations import relations
from evaluator.plugins.papers.rows import papers
from evaluator.results.base import signed_line, to_json
from evaluator.results.coverage import CorpusFile, CoverageFile
from evaluator.results.models import AveragedModel, AverageFile, TrainingFile
from evaluator.results.scores import RankedModel, Ranking, Scores, TestedDifference
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.composite import compose_table
from evaluator.statistics.keep import keep
from evaluator.statistics.ranking import rankings
from evaluator.studies.coverage import coverage as coverage_of
from evaluator.studies.scoring import score
from evaluator.text.corpus import CorpusStatistics
from evaluator.vectors import Vectors
from tests.conftest import REPOSITORY
from tests.evaluator.examples import test_set, vectors

SIGNED = (
    "|norm:unit|oov:skip|candidates:0123456789ab|case:fold|vocabulary:all"
    "|test:la.json#000000000000|version:0.1.0"
)


def subscore(name="month", value=0.5, **more):
    content = {"name": name, "n": 12, "known": 9, "size": 12, "oov": 3, "chance": 0.25, "ceiling": 1.0}
    if value is not None:
        content |= {"value": value, "low": value / 2, "high": value, "hits": 1, "trials": 2}
    return {**content, **more}


def measured(measure="Topk@3", value=0.5, subscores=None):
    content = {"measure": measure, "value": value, "low": value / 2, "high": value, "chance": 0.125}
    content |= {"categories_low": value / 4, "categories_high": value * 1.5, "baseline": 0.0625}
    content |= {"n": 12, "known": 9, "hits": 1, "trials": 2, "words": "all", "unit": "words"}
    content |= {"signature": f"{measure}{SIGNED}"}
    return {**content, "subscores": subscores or [subscore(value=value)]}


def scored(model="a.vec", scores=None, combined=None, **more):
    both = {"measure": "Combined", "words": "all", "unit": "words", "n": 12, "known": 9}
    both |= {"signature": f"Topk@3{SIGNED}", **(combined or {})}
    content = {"model": model, "vocabulary": 1000, "dimension": 50, "test_set": "la.json", "language": "la"}
    content |= {"test_sha256": "ab" * 32, "multiword": {"several": 0, "words": 12}}
    content |= {"known_words": 9, "words": 12, "scores": (scores or [measured()]) + [both] * bool(combined)}
    return {**content, **more}


def tested(value, p):
    return {"low": value - 0.1, "high": value + 0.1, "p": p, "error": 0.05, "degrees": 30.0}


def change(value, p, of_categories=None):
    """A difference; of its tests, the one over categories is there from six categories on."""
    content = {"value": value, "of_categories": of_categories, "of_words": tested(value, p)}
    return {**content, "subscores": 6 if of_categories else 1, "observations": 9}


def difference(second, value, p, measure="Topk@3", first="a.vec", of_categories=None):
    content = change(value, p, of_categories)
    return {**content, "test_set": "la.json", "measure": measure, "first": first, "second": second}


def scores_file(*results, differences=()):
    """Models that are above all baselines, so that they are compared by the differences."""
    found = {"format": "scores", "version": 5, "results": list(results), "differences": list(differences)}
    found |= {"rankings": [], "kept": [], "margin": None, "failures": []}
    if not differences:
        return found
    models = msgspec.convert(results, list[Scores])
    tested = msgspec.convert(differences, list[TestedDifference])
    asked = {}
    for each in models:
        for one in each.scores:
            asked.setdefault((each.test_set, "", one.measure), {})[each.model] = one
    kept = keep(models, tested)
    ranked = rankings(tested, asked, {(each.test_set, ""): kept.contenders for each in models})
    return {**found, **json.loads(to_json({"rankings": list(ranked), "kept": [kept]}))}


def in_languages():
    """Two models in two languages, with their means."""
    cells = [("la", "la.json", 0.5), ("de", "de.json", 0.25), ("mul", "all languages", 0.375)]
    results, ranked, kept = [], [], []
    for language, test, best in cells:
        own = {"a.vec": best, "b.vec": best / 2}
        results += [
            scored(model, [measured(value=value)], language=language, test_set=test)
            for model, value in own.items()
        ]
        models = [
            {"model": model, "value": value, "letters": "ab"[rank], "best": rank + 1, "worst": rank + 1}
            for rank, (model, value) in enumerate(own.items())
        ]
        of = {"test_set": test, "language": language, "measure": "Topk@3", "over": "20 categories"}
        ranked.append({**of, "models": models})
        answer = {
            "kind": "best",
            "measures": ["Topk@3"],
            "models": ["a.vec"],
            "contenders": ["a.vec", "b.vec"],
        }
        kept.append({"test_set": test, "language": language, **answer})
    return {**scores_file(*results[:4]), "totals": results[4:], "rankings": ranked, "kept": kept}


def score_lines(*models):
    """The lines of a batch, as JSON values."""
    settings = {"oov": "skip", "norm": "unit", "case": "fold", "vocabulary": None, "profile": ""}
    settings |= {"multiword": "keep", "levels": "equal", "seed": 0}
    head = {"format": "score lines", "version": 7, "measures": None, "settings": settings}
    commands = [["a.vec", "b.vec", "--test", "la.json", "--oov", "skip"]]
    return [{**head, "reading": {"vectors": "auto", "tests": "auto"}, "commands": commands}, *models]


def model_line(path, value, test="/tests/la.json", language="la", **more):
    """A model with the score of one measure on one test set."""
    name, test_set = (each.rpartition("/")[2] for each in (path, test))
    score = measured(value=value, subscores=[subscore(value=value), subscore("weekday", None, skipped="few")])
    scores = scored(name, [score], test_set=test_set, language=language, **more)
    return {"vectors": path, "test": test, "scores": scores}


FAILED = [
    {"vectors": "/models/c.vec", "reason": "/models/c.vec: line 2 is broken"},
    {"vectors": "/models/d.vec", "test": "/tests/la.json", "reason": "nothing to score"},
]


def composite():
    return compose_table(
        ["a.vec", "b.vec", "c.vec"], ["Topk@3", "Analogy@1"], [[0.1, 0.2], [0.3, 0.25], [0.4, 0.9]]
    )


def coverage():
    words = test_set(month=["w0", "w1", "x", "y"], day=["w2", "z"])
    return CoverageFile(results=(coverage_of(vectors([[1, n] for n in range(5)]), words),))


def corpus():
    scripts = {"Latin": 0.75, "Greek": 0.25}
    return CorpusFile(corpus="a.txt", sentences=3, tokens=12, types=8, types_by_count={3: 1}, scripts=scripts)


def probed(measure, value, **keys):
    of = {"words": "known", "n": 33, "known": 33, "unit": "words", "signature": "membership|models:svm"}
    score = {"measure": measure, "value": value, "seeds": [value, value], **of}
    content = {"model": "a.vec", "test_set": "la.json", "language": "la", "scores": [score]}
    return {**content, "keys": {"task": "membership", "items": "all", **keys}}


def items():
    asked = test_set(month=["w0", "w1", "x"])
    return items_of(score(vectors([[1, n], [n, 1], [1, 1], [0, n]]), asked, "Topk@1") for n in (2, 3))


def plan():
    """From what a vocabulary knows, where the score is assumed; there is nothing over categories."""
    return plan_of([scores_of(coverage().results[0], 0.1, ["Topk@1"])], 0.4)


PROBES = {
    "format": "probes",
    "version": 2,
    "tasks": [
        {
            "test_set": "la.json",
            "language": "la",
            "task": "membership",
            "part": "all",
            "size": 40,
            "oov": 7,
            "left_out": {},
            "items": 33,
            "skipped": None,
            "score": "accuracy",
            "tests": [7, 8],
            "signature": "membership|models:svm|test:la.json#0",
            "headline": "svm",
            "gaps": {},
            "ranks": {"svm": [{"name": "a.vec", "start": 0, "end": 0, "auc": 0}]},
        }
    ],
    "results": [
        probed("svm", 0.5, share=0.1, size=3),
        probed("svm", 0.75, share=1.0, size=30),
        probed("AUC of svm", 0.625),
    ],
    "mean_ranks": [
        {
            "name": "a.vec",
            "tasks": 1,
            "start": [0.0, 0.0],
            "end": [0.5, 0.25],
            "auc": [0.0, 0.0],
            "change": 0.5,
        }
    ],
}


def experiment(name):
    """What an experiment found, without its digest: tests change it."""
    found = json.loads(
        (REPOSITORY / "docs" / "evidence" / "experiments" / f"{name}.json").read_text(encoding="utf-8")
    )
    return {key: value for key, value in found.items() if key != "sha256"}


def search(name):
    """A search, with differences that are easy to recognise."""
    found = experiment(name)
    found["differences"] = [
        {**each, **change(0.25, 0.125, of_categories=tested(0.25, 0.5))} for each in found["differences"]
    ]
    return found


def written(name):
    """A file of vectors that was written."""
    return Input("vectors", name, "cd" * 32, 1234)


def averaged():
    """The best two of three models."""
    models = [RankedModel(model=name, value=value, letters="a", best=1, worst=3) for name, value in BY_VALUE]
    own = (AveragedModel("a.vec", 900, 50, 0.125, 0.625), AveragedModel("b.bin", 800, 40, 0.25, 0.375, True))
    ranking = Ranking(test_set="la.json", measure="Topk@3", over="9 words", models=tuple(models))
    output = written("mean.vec")
    return AverageFile(output=output, words=700, dimension=50, models=own, kept=0.875, ranking=ranking)


BY_VALUE = (("a.vec", 0.5), ("b.bin", 0.25), ("c.vec", 0.125))


def trained():
    """A model that was counted."""
    return TrainingFile(
        output=written("la.vec"),
        words=700,
        dimension=50,
        corpus="a.txt",
        statistics=CorpusStatistics(3, 12, 8, {3: 1}, {"Latin": 1.0}),
        parameters=Hyperparameters("svd", dimension=50),
        settings={"case": "fold", "trained with": "svd"},
    )


MENTIONS = Mentions(
    category="month",
    title="Months",
    language="la",
    corpus="la.txt",
    tokens=1000,
    items=12,
    mentioned=2,
    mentions=5,
    per_million=5000,
    most="maius",
    share_of_most=0.6,
    scores={"Topk@3": 0.25},
)
ROWS = vectors([[1, 0], [1, 1], [0, 1]])
AGREEMENT = Agreement(category="month", measure="Topk@3", languages=4, correlation=0.8)


def boundaries():
    found = msgspec.convert(scored(scores=[measured("Boundaries(logistic)")]), Scores)
    return BoundariesFile(corpus="la.txt", share=0.05, train=2000, test=2000, results=(found,))


def related():
    words = ["rex", "regina", "urbs", "urbes", "vir", "femina", "via", "viae"]
    rows = [[(row * column) % 5 - 2.0 for column in range(1, 5)] for row in range(1, 9)]
    pairs = {
        "sex": (("rex", ("regina",)), ("vir", ("femina",))),
        "number": (("urbs", ("urbes",)), ("via", ("viae",))),
    }
    sections = tuple(AnalogySection(name, name, own) for name, own in pairs.items())
    found = TestSet("la", "analogies.txt", "0" * 64, analogies=sections)
    return relations(Vectors(words, np.array(rows, np.float32), "a.vec"), found, Settings())


SAMPLES = {
    "scores": scores_file(
        scored(combined={"value": 0.5, "low": 0.25, "high": 0.75}),
        scored("b.vec"),
        differences=[difference("b.vec", 0.2, 0.01)],
    ),
    "languages": in_languages(),
    "translation": {
        **scores_file(scored("a.vec to b.vec", [measured("Translation@1"), measured("MRR")])),
        "format": "translation",
        "version": 3,
    },
    "answers": {
        **scores_file(scored("gpt", [measured("Accuracy@4")])),
        "format": "answers",
        "version": 2,
    },
    "composite": json.loads(to_json(composite())),
    "coverage": json.loads(to_json(coverage())),
    "corpus": json.loads(to_json(corpus())),
    "average": json.loads(to_json(averaged())),
    "training": json.loads(to_json(trained())),
    "items": json.loads(to_json(items())),
    "plan": json.loads(to_json(plan())),
    "papers": json.loads(to_json(papers())),
    "mentions": json.loads(to_json(MentionsFile(mentions=(MENTIONS,), agreements=(AGREEMENT,)))),
    "boundaries": json.loads(to_json(boundaries())),
    "neighbours": json.loads(
        to_json(neighbours("w0", {"m": [ROWS, vectors([[2, 0], [2, 2], [0, 2]])]}, k=2))
    ),
    "map": json.loads(
        to_json(
            map_of(
                ROWS,
                test_set(
                    animal=["w0", "w1", "w9"],
                    plant=["w2"],
                    month=["w1", "w8"],
                    number=["w2", "w7"],
                    tree=["w0"],
                ),
            )
        )
    ),
    "relations": json.loads(to_json(related())),
    "probes": PROBES,
    **{name: experiment(name) for name in ("curve", "emoji")},
    "compare": experiment("compare"),
    **{name: search(name) for name in ("tuning-old_norse", "tuning-biblical_hebrew")},
}
"""By name; of `evaluator score --output` there are `LINES`."""

LINES = score_lines(model_line("/models/a.vec", 0.5), model_line("/models/b.vec", 0.25), *FAILED)


def jsonl(lines):
    """Lines of JSON with their digests, in bytes."""
    return b"".join(map(signed_line, lines))
