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
    head = ["corpus", "trials", "categories", "best model"]
    head += [
        "Topk@3 (chance)",
        "OddOneOut@3 (chance)",
        "Combined",
        "the paper's model",
        "Topk",
        "OddOneOut",
        "Combined",
    ]
    rows = []
    for name, found in models().items():
        values = found["best"]["estimates"]["whole"]
        rows.append(
            [
                PAPER[name][0],
                str(len(found["trials"]) - 1),
                str(found["categories"]["whole"]),
                _model(found["best"]),
                *(
                    f"{values[measure]['value']:.4f} ({_number(values[measure].get('chance'))})"
                    for measure in ("Topk@3", "OddOneOut@3")
                ),
                f"{values['Combined']['value']:.4f}",
                PAPER[name][3],
                *(f"{value:.4f}" for value in PAPER[name][4:]),
            ]
        )
    return table(head, rows)


def honest() -> str:
    """The best model and gensim's default on the half that no model was chosen by."""
    head = ["corpus", "categories", "best: its half", "the other half", "chance"]
    head += ["default: the other half", "chance", "best - default", "Topk@3, p", "OddOneOut@3, p"]
    rows = []
    for name, found in models().items():
        view = found["reported_on"]
        models_ = [found["best"], found["default"]]
        chosen = found["best"]["values"]["choice"]["Combined"]
        difference = found["combined_difference"]
        rows.append(
            [
                PAPER[name][0],
                str(found["categories"][view]) if view == "report" else "no halves",
                f"{chosen:.4f}",
                *(cell for model in models_ for cell in _with_chance(model["estimates"][view]["Combined"])),
                f"{difference['value']:+.4f} ({difference['low']:+.4f} to {difference['high']:+.4f})",
                *(
                    f"{found['differences'][measure]['value']:+.4f}, {_p(found['differences'][measure]['p'])}"
                    for measure in ("Topk@3", "OddOneOut@3")
                ),
            ]
        )
    return table(head, rows)


def _model(model: dict[str, Any]) -> str:
    own = model["parameters"]
    kind = {"skip-gram": "sg", "cbow": "cbow"}[own["architecture"]]
    lemmas = ", lemmas" if own["lemmas"] else ""
    numbers = (own["dimension"], own["window"], own["learning_rate"], own["min_count"])
    return f"{own['model']} {kind}, {', '.join(map(str, numbers))}{lemmas}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _with_chance(each: dict[str, float]) -> tuple[str, str]:
    return _estimate(each), _number(each.get("chance"))


def _estimate(each: dict[str, float]) -> str:
    return f"{each['value']:.4f} ({each['low']:.4f} to {each['high']:.4f})"


def curve() -> str:
    """Figure 1 as a table: a row for each size."""
    found = read("curve.json")
    measures = list(found["curves"])
    head = ["tokens", "words in the model", "models"]
    head += [each for name in measures for each in (name, "chance", "baseline")]
    rows = []
    for number, size in enumerate(found["sizes"]):
        points = [found["curves"][name][number] for name in measures]
        cells = [cell for point in points for cell in _point(point)]
        words = f"{size['vocabulary']:,.0f}"
        rows.append([f"2^{size['size'].bit_length() - 1}", words, str(points[0]["seeds"]), *cells])
    return table(head, rows)


def _point(point: dict[str, Any]) -> list[str]:
    return [_estimate(point), *(_number(point[name]) for name in ("chance", "baseline"))]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


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
        return "-"
    return f"{'≥ ' if ratio['bound'] else ''}{ratio['value']:g}"


def languages() -> str:
    """Figure 4: each language on each category that it can be scored on."""
    found = read("compare.json")
    return table(
        ["category", "language", "words", "OOV", "measure", "score", "chance", "baseline"],
        [_row(each) for each in found["rows"] if each["skipped"] is None],
    )


def aligned(name: str = "compare.json") -> str:
    """The same things in all languages, and which languages differ."""
    found = read(name)
    names = ["category", "measure", "first", "second"]
    rows = [
        [
            *(str(each[name]) for name in names),
            "-" if each["items"] is None else str(each["items"]),
            *(["-", "-"] if each["value"] is None else [f"{each['value']:+.4f}", f"{each['p_holm']:.4f}"]),
            each["reading"],
        ]
        for each in found["differences"]
    ]
    return table([*names, "items", "second - first", "p (Holm)", "reading"], rows)


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
