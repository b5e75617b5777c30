"""Make the tables of docs/evidence/experiments.md from the results in docs/evidence/experiments/.

`python -m tools.experiments` writes them into the page, between `<!-- name -->` and `<!-- end -->`; a test
compares. made.json says with which version and which statistics each result was made; `python
tools.experiments curve.json` notes that this one was made with those of today.
"""

# ruff: noqa: ANN401 - JSON of any shape

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tools import tables
from tools.tables import table

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "evidence" / "experiments.md"
RESULTS = REPOSITORY / "docs" / "evidence" / "experiments"

# Table 1 of "Evaluating Word Embeddings on Low-Resource Languages": tokens and the best model.
PAPER: dict[str, tuple[str, int, str]] = {
    "latin": ("Latin", 17_777_429, "word2vec cbow, 50, 10, 0.1, 7"),
    "old_norse": ("Old Norse", 458_377, "word2vec cbow, 60, 10, 0.1, 3"),
    "sanskrit": ("Sanskrit", 4_042_204, "word2vec sg, 35, 9, 0.1, 10"),
    "hindi": ("Hindi", 587_655, "fasttext cbow, 45, 4, 0.1, 8"),
    "old_english": ("Old English", 104_011, "fasttext cbow, 425, 3, 0.1, 3"),
    "gujarati": ("Gujarati", 1_813, "fasttext sg, 80, 3, 0.1, 5"),
    "bengali": ("Bengali", 5_539, "fasttext cbow, 15, 3, 0.1, 4"),
    "malayalam": ("Malayalam", 9_235, "-"),
    "ancient_greek": ("Ancient Greek", 37_868_209, "word2vec cbow, 40, 9, 0.1, 4"),
    "biblical_hebrew": ("Biblical Hebrew", 41_378_460, "fasttext sg, 30, 4, 0.1, 3"),
}  # fmt: skip


def read(name: str) -> Any:
    """A result file."""
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


def corpora() -> str:
    """Tokens here and in the paper."""
    rows = [
        [PAPER[name][0], f"{own['tokens']:,}", f"{PAPER[name][1]:,}"]
        for name, own in read("corpora.json").items()
    ]
    return table(["corpus", "tokens", "in the paper"], rows)


def models() -> dict[str, Any]:
    """The result of each search, by corpus."""
    return {name: read(f"tuning-{name}.json") for name in PAPER if (RESULTS / f"tuning-{name}.json").exists()}


def tuning() -> str:
    """Table 1: the best model and its scores on the whole test set, beside the paper's model."""
    head = ["corpus", "trials", "epochs", "categories", "best model"]
    head += ["Topk@3", "chance · frequency", "OddOneOut@3", "chance · frequency", "Combined"]
    head += ["the paper's model"]
    rows = []
    for name, found in models().items():
        best, values = found["trials"][found["best"]], _scores(found, "best", "whole")
        rows.append(
            [
                PAPER[name][0],
                str(len(found["trials"]) - 1),
                str(best["parameters"]["epochs"]),
                str(found["categories"]["whole"]),
                _model(best),
                *(
                    cell
                    for measure in ("Topk@3", "OddOneOut@3")
                    for cell in (
                        f"{values[measure]['value']:.4f}",
                        _levels(values[measure], values[measure].get("baseline")),
                    )
                ),
                f"{values['Combined']['value']:.4f}",
                PAPER[name][2],
            ]
        )
    return table(head, rows)


def honest() -> str:
    """The best model and gensim's default on the half that no model was chosen by, by Topk@3."""
    head = ["corpus", "categories", "seeds", "best", "chance · frequency", "default", "chance · frequency"]
    head += ["best - default", "p"]
    rows = []
    for name, found in models().items():
        view = found["reported_on"]
        cells = [
            cell for each in ("best", "default") for cell in _point(_scores(found, each, view)["Topk@3"])
        ]
        difference = next(each for each in found["differences"] if each["measure"] == "Topk@3")
        halves = str(found["categories"][view]) if view == "report" else "no halves"
        rows.append([PAPER[name][0], halves, str(found["seeds"]), *cells, *_gap(difference)])
    return table(head, rows)


def _scores(found: dict[str, Any], which: str, view: str) -> dict[str, Any]:
    """The scores of the best model, or the default, on a view, by measure."""
    keys = {"trial": found[which], "view": view}
    return {
        score["measure"]: score
        for each in found["results"]
        if each["keys"] == keys
        for score in each["scores"]
    }


def _gap(each: dict[str, Any]) -> tuple[str, str]:
    test = each["of_words"]
    return f"{each['value']:+.4f} ({test['low']:+.4f} to {test['high']:+.4f})", _p(test["p"])


def _levels(found: dict[str, Any], baseline: float | None) -> str:
    return f"{_number(found['chance'])} · {_number(baseline)}"


def _model(model: dict[str, Any]) -> str:
    own = model["parameters"]
    kind = {"skip-gram": "sg", "cbow": "cbow"}[own["architecture"]]
    lemmas = ", lemmas" if own["lemmas"] else ""
    numbers = (own["dimension"], own["window"], own["learning_rate"], own["min_count"])
    return f"{own['model']} {kind}, {', '.join(map(str, numbers))}{lemmas}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _estimate(each: dict[str, float]) -> str:
    if each["value"] is None:
        return "–"
    if each["low"] is None:
        return f"{each['value']:.4f}"
    return f"{each['value']:.4f} ({each['low']:.4f} to {each['high']:.4f})"


INFERRED = ("low", "high", "categories_low", "categories_high", "p")
"""The keys of intervals and p-values."""

SMALLEST = 2**16
"""The page has the sizes from this on; below it no measure is above chance."""


def curve() -> str:
    """Figure 1 as a table: a row for each size."""
    found = read("curve.json")
    measures = found["measures"]
    scores = {
        (each["keys"]["size"], score["measure"]): score
        for each in found["results"]
        for score in each["scores"]
    }
    head = ["tokens", "words in the model"]
    head += [each for name in measures for each in (name, "chance · frequency")]
    rows = []
    for size in found["sizes"]:
        if size["size"] < SMALLEST:
            continue
        cells = [cell for name in measures for cell in _point(scores[size["size"], name])]
        words = f"{size['vocabulary']:,.0f}"
        rows.append([_power(size["size"]), words, *cells])
    return table(head, rows)


def _point(point: dict[str, Any]) -> list[str]:
    return [_estimate(point), _levels(point, point.get("baseline"))]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def onsets() -> str:
    """From which size on each measure sees something, by each definition, and the paper's ratios."""
    found = read("curve.json")
    measures = found["measures"]
    ratios = {(each["definition"], each["over"]): each for each in found["ratios"]}
    others = ("Topk@3", "OddOneOut@3")
    rows = [
        [
            meaning,
            *(_power(found["onsets"][name][definition]) for name in measures),
            *(_ratio(ratios.get((definition, name))) for name in others),
        ]
        for definition, meaning in found["definitions"].items()
    ]
    return table(
        ["onset: the first size from which on", *measures, *(f"analogies / {n}" for n in others)], rows
    )


def _power(size: int | None) -> str:
    return "never" if size is None else f"2^{size.bit_length() - 1}"


def _ratio(ratio: dict[str, Any] | None) -> str:
    if ratio is None or ratio["value"] is None:
        return "–"
    return f"{ratio['value']:g}"


def languages() -> str:
    """Figure 4: each language on each category that it can be scored on."""
    rows = []
    for scores in read("compare.json")["results"]:
        topk, odd, *_ = scores["scores"]
        if scores["keys"]["view"] == "whole":
            estimates = [text for each in (topk, odd) for text in _point(each)]
            items = (str(topk["n"]), str(topk["known"]))
            rows.append([scores["keys"]["category"], scores["language"], *items, *estimates])
    head = ["category", "language", "items", "known"]
    head += ["Topk@3", "chance · frequency", "OddOneOut@3", "chance · frequency"]
    return table(head, rows)


def aligned(name: str = "compare.json") -> str:
    """The same things in all languages, and which languages differ."""
    found = read(name)["differences"]
    cells: dict[tuple[str, ...], list[str]] = {}
    for each in found:
        cells.setdefault((each["category"], str(each["observations"])), []).extend(
            (_gap(each)[0], _p(each["p_holm"]))
        )
    difference = f"{found[0]['second']} - {found[0]['first']}"
    head = [
        "category",
        "items",
        f"Topk@3: {difference}",
        "p (Holm)",
        f"OddOneOut@3: {difference}",
        "p (Holm)",
    ]
    return table(head, [[*row, *tests] for row, tests in cells.items()])


def historical() -> str:
    """Vectors of Latin and Ancient Greek on the test sets that ship."""
    rows = []
    for name in ("historical-la.json", "historical-grc.json"):
        for scores in read(name)["results"]:
            topk, odd, *_ = scores["scores"]
            language = PAPER[{"la": "latin", "grc": "ancient_greek"}[scores["language"]]][0]
            rows.append([
                language, scores["model"], f"{odd['known']} of {odd['n']}", str(len(odd["subscores"])),
                *(
                    text
                    for each in (topk, odd)
                    for text in (_estimate(each), _levels(each, each["baseline"]))
                ),
                *(_p(odd["over_baseline"][of]["p"]) for of in ("of_words", "of_categories")),
            ])  # fmt: skip
    head = ["corpus", "model", "items known", "categories", "Topk@3", "chance · frequency"]
    head += ["OddOneOut@3", "chance · frequency", "p (other words)", "p (other categories)"]
    return table(head, rows)


def emoji() -> str:
    """Figure 3 as a table: means over the models of a learning rate; every third rate and the best ones."""
    found = read("emoji.json")
    names = ("Topk@3", "OddOneOut@3", "Accuracy", "AUC")
    by_rate: dict[float, dict[str, list[float]]] = {}
    for scores in found["results"]:
        if "rate" in scores["keys"] and scores["keys"]["on"] != "held-out":
            values = by_rate.setdefault(scores["keys"]["rate"], {})
            for each in scores["scores"]:
                values.setdefault(each["measure"], []).append(each["value"])
    means = {
        rate: [sum(values[name]) / len(values[name]) for name in names] for rate, values in by_rate.items()
    }
    best = [max(values) for values in zip(*means.values(), strict=True)]
    rows = [
        [
            f"{rate:.2e}",
            *(f"**{v:.4f}**" if v == top else f"{v:.4f}" for v, top in zip(values, best, strict=True)),
        ]
        for number, (rate, values) in enumerate(means.items())
        if number % 3 == 0 or any(map(float.__eq__, values, best))
    ]
    return table(["learning rate", "Topk@3", "OddOneOut@3", "accuracy", "AUC"], rows)


def statistics() -> str:
    """The first digits of the SHA-256 of recorded intervals and p-values: others if the statistics change."""
    recorded = json.loads((REPOSITORY / "tests" / "golden" / "models.json").read_text(encoding="utf-8"))
    found = " ".join(inferred(recorded["models/two"]))
    return hashlib.sha256(found.encode()).hexdigest()[:12]


def inferred(value: Any) -> Iterator[str]:
    """All intervals and p-values in a result."""
    if isinstance(value, dict):
        yield from (f"{value[key]:.4f}" for key in INFERRED if value.get(key) is not None)
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from inferred(each)


def made() -> str:
    """With which version each result was made, and whether with the statistics of today."""
    now, rows = statistics(), []
    for name, own in read("made.json").items():
        again = "yes" if own["statistics"] == now else "**no**: not run again"
        rows.append([own["what"], f"`{name}`", own["version"], again])
    return table(["result", "file", "version", "with the statistics of today"], rows)


TABLES = {
    "made": made,
    "corpora": corpora,
    "tuning": tuning,
    "honest": honest,
    "curve": curve,
    "onsets": onsets,
    "languages": languages,
    "aligned": aligned,
    "aligned_latin": lambda: aligned("compare-latin.json"),
    "historical": historical,
    "emoji": emoji,
}


def main() -> None:
    """Note which results are new, and write the tables into the page."""
    notes = read("made.json")
    for name in sys.argv[1:]:
        notes[name] |= {"version": version("testgen-evaluator"), "statistics": statistics()}
    (RESULTS / "made.json").write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")
    tables.write(PAGE, TABLES)


if __name__ == "__main__":
    main()
