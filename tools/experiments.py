"""Make the tables of docs/experiments.md from the results in docs/experiments/.

`python tools/experiments.py` writes them into the page, between `<!-- name -->` and `<!-- end -->`; a test
compares.
"""

# ruff: noqa: E501, ANN401 - rows of tables, and JSON of any shape

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "experiments.md"
RESULTS = REPOSITORY / "docs" / "experiments"

# Table 1 of "Evaluating Word Embeddings on Low-Resource Languages": tokens, types, the best model, Topk, OddOneOut
# and Combined, called Avg there.
PAPER: dict[str, tuple[str, int, int, str, float, float, float]] = {
    "latin": ("Latin", 17_777_429, 470_790, "word2vec cbow, 50, 10, 0.1, 7", 0.0645, 0.1527, 0.0908),
    "old_norse": ("Old Norse", 458_377, 59_186, "word2vec cbow, 60, 10, 0.1, 3", 0.0093, 0.0569, 0.0161),
    "sanskrit": ("Sanskrit", 4_042_204, 896_480, "word2vec sg, 35, 9, 0.1, 10", 0.0093, 0.1391, 0.0175),
    "hindi": ("Hindi", 587_655, 55_483, "fasttext cbow, 45, 4, 0.1, 8", 0.0038, 0.0175, 0.0064),
    "old_english": ("Old English", 104_011, 33_018, "fasttext cbow, 425, 3, 0.1, 3", 0.0005, 0.0, 0.0002),
    "gujarati": ("Gujarati", 1_813, 1_140, "fasttext sg, 80, 3, 0.1, 5", 0.0292, 0.0, 0.0002),
    "bengali": ("Bengali", 5_539, 2_323, "fasttext cbow, 15, 3, 0.1, 4", 0.0065, 0.0, 0.0002),
    "malayalam": ("Malayalam", 9_235, 5_405, "-", float("nan"), float("nan"), float("nan")),
    "ancient_greek": ("Ancient Greek", 37_868_209, 1_877_574, "word2vec cbow, 40, 9, 0.1, 4", 0.0178, 0.19, 0.0327),
    "biblical_hebrew": ("Biblical Hebrew", 41_378_460, 893_512, "fasttext sg, 30, 4, 0.1, 3", 0.0056, 0.0646, 0.0104),
}  # fmt: skip


def read(name: str) -> Any:
    """A result file."""
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def corpora() -> str:
    """Tokens and types here and in the paper."""
    counts = read("corpora.json")
    head = ["corpus", "tokens", "in the paper", "types", "in the paper", "types with count ≥ 3", "≥ 5"]
    rows = [
        [
            PAPER[name][0],
            f"{own['tokens']:,}",
            f"{PAPER[name][1]:,}",
            f"{own['types']:,}",
            f"{PAPER[name][2]:,}",
            f"{own['types_by_count']['3']:,}",
            f"{own['types_by_count']['5']:,}",
        ]
        for name, own in counts.items()
    ]
    return table(head, rows)


def models() -> dict[str, Any]:
    """The result of each search, by corpus."""
    return {name: read(f"tuning-{name}.json") for name in PAPER if (RESULTS / f"tuning-{name}.json").exists()}


def tuning() -> str:
    """Table 1: the best model by the whole test set's scores beside the paper's."""
    head = ["corpus", "trials", "epochs", "categories", "best model"]
    head += ["Topk@3", "chance · frequency", "OddOneOut@3", "chance · frequency", "Combined"]
    head += ["the paper's model", "Topk", "OddOneOut", "Combined"]
    rows = []
    for name, found in models().items():
        best = found["best"]
        values, baseline = best["estimates"]["whole"], best["baseline"]["whole"]
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
                        _levels(values[measure], baseline[measure]),
                    )
                ),
                f"{values['Combined']['value']:.4f}",
                PAPER[name][3],
                *(f"{value:.4f}" for value in PAPER[name][4:]),
            ]
        )
    return table(head, rows)


def honest() -> str:
    """The best model and gensim's default on the half that no model was chosen by, by Combined."""
    head = [
        "corpus",
        "categories",
        "seeds",
        "best: its half",
        "the other half",
        "chance · frequency",
        "found",
    ]
    head += ["default: the other half", "chance · frequency", "best - default"]
    rows = []
    for name, found in models().items():
        view = found["reported_on"]
        cells = [cell for each in ("best", "default") for cell in _judged(found[each], view)]
        rows.append(
            [
                PAPER[name][0],
                str(found["categories"][view]) if view == "report" else "no halves",
                str(found["best"]["seeds"]),
                f"{found['best']['value']:.4f}",
                *cells[:2],
                "yes" if found["found"] else "no",
                *cells[2:],
                _gap(found["differences"].get("Combined")),
            ]
        )
    return table(head, rows)


def differences() -> str:
    """How much better the best is than the default, by each test."""
    head = ["corpus", "measure", "best above both", "default above both", "best - default", "p", "over"]
    rows = []
    for name, found in models().items():
        for measure, each in found["differences"].items():
            above = [
                "yes" if _above(found[model], found["reported_on"], measure) else "no"
                for model in ("best", "default")
            ]
            tests = [
                (f"{each['subscores']} categories", each["of_categories"]),
                (f"{each['observations']} words", each["of_words"]),
            ]
            rows += [
                [PAPER[name][0], measure, *above, _gap({**each, "of_words": test}), _p(test["p"]), over]
                for over, test in tests
                if test is not None
            ]
    return table(head, rows)


def _above(model: dict[str, Any], view: str, measure: str) -> bool:
    found = model["estimates"][view].get(measure)
    return found is not None and found["low"] > max(found["chance"] or 0.0, model["baseline"][view][measure])


def _judged(model: dict[str, Any] | None, view: str) -> tuple[str, str]:
    found = model and model["estimates"][view].get("Combined")
    return (_estimate(found), _levels(found, model["baseline"][view]["Combined"])) if found else ("-", "-")


def _gap(each: dict[str, Any] | None) -> str:
    if each is None:
        return "-"
    test = each["of_words"]
    return f"{each['value']:+.4f} ({test['low']:+.4f} to {test['high']:+.4f})"


def _levels(found: dict[str, Any], baseline: float) -> str:
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


def curve() -> str:
    """Figure 1 as a table: a row for each size."""
    found = read("curve.json")
    measures = list(found["curves"])
    head = ["tokens", "words in the model", "models"]
    head += [each for name in measures for each in (name, "chance · frequency")]
    rows = []
    for number, size in enumerate(found["sizes"]):
        points = [found["curves"][name][number] for name in measures]
        cells = [cell for point in points for cell in _point(point)]
        words = f"{size['vocabulary']:,.0f}"
        rows.append([f"2^{size['size'].bit_length() - 1}", words, str(points[0]["seeds"]), *cells])
    return table(head, rows)


def _point(point: dict[str, Any]) -> list[str]:
    return [_estimate(point), _levels(point, point["baseline"])]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def onsets() -> str:
    """From which size on each measure sees something, by each definition, and the ratios."""
    found = read("curve.json")
    measures = list(found["curves"])
    ratios = {(each["definition"], each["over"]): each for each in found["ratios"]}
    others = [name for name in measures if name != "Analogy@1"]
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
    scored = (each for each in read("compare.json")["rows"] if each["skipped"] is None)
    return table(
        ["category", "language", "words", "OOV", "measure", "score", "chance", "baseline"],
        [_row(each) for each in scored if each["measure"] != "Combined"],
    )


def aligned(name: str = "compare.json") -> str:
    """The same things in all languages, and which languages differ."""
    found = read(name)["differences"]
    rows = [
        [
            each["category"],
            each["measure"],
            str(each["items"]),
            f"{each['value']:+.4f} ({each['low']:+.4f} to {each['high']:+.4f})",
            _p(each["p_holm"]),
            each["reading"],
        ]
        for each in found
    ]
    difference = f"{found[0]['second']} - {found[0]['first']}"
    return table(["category", "measure", "items", difference, "p (Holm)", "reading"], rows)


def _row(each: dict[str, Any]) -> list[str]:
    score = _estimate(each)
    cells = (str(each[name]) for name in ("category", "language", "n", "oov", "measure"))
    return [*cells, score, _number(each["chance"]), _number(each["baseline"])]


def emoji() -> str:
    """Figure 3 as a table: means over the models of each learning rate."""
    found = read("emoji.json")
    names = ("topk", "oddoneout", "combined", "accuracy", "auc")
    by_rate: dict[float, list[dict[str, Any]]] = {}
    for run in found["runs"]:
        by_rate.setdefault(run["rate"], []).append(run)
    means = {
        rate: [sum(run[name] for run in runs) / len(runs) for name in names] for rate, runs in by_rate.items()
    }
    best = [max(values) for values in zip(*means.values(), strict=True)]
    rows = [
        [
            f"{rate:.2e}",
            *(f"**{v:.4f}**" if v == top else f"{v:.4f}" for v, top in zip(values, best, strict=True)),
        ]
        for rate, values in means.items()
    ]
    return table(["learning rate", "Topk@3", "OddOneOut@3", "Combined", "accuracy", "AUC"], rows)


TABLES = {
    "corpora": corpora,
    "tuning": tuning,
    "honest": honest,
    "differences": differences,
    "curve": curve,
    "onsets": onsets,
    "languages": languages,
    "aligned": aligned,
    "aligned_latin": lambda: aligned("compare-latin.json"),
    "emoji": emoji,
}


def filled(page: str) -> str:
    """The page with its tables made anew."""

    def block(found: re.Match[str]) -> str:
        return f"<!-- {found[1]} -->\n{TABLES[found[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", block, page, flags=re.DOTALL)


def main() -> None:
    """Write the tables into the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
