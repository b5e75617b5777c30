"""The runs whose results are recorded: one table of names and command lines.

A line is what a person would type in the folder of the inputs, which `inputs.py` makes. Options stand in
braces, as `{case}`: `OPTIONS` says how each is spelled, so that one that is renamed is edited once. `{data}`
is the folder of real vectors and data sets. Every run names its case, whatever the default is: see `cased`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

OPTIONS = {
    "each": "--each-test-set",
    "analogies": "--analogies",
    "badrows": "--bad-rows",
    "baseline": "--baseline",
    "case": "--case",
    "category": "--category",
    "choose": "--choose",
    "code": "--language",
    "corpus": "--corpus",
    "descriptions": "--descriptions",
    "dev": "--dev",
    "epochs": "--epochs",
    "first": "--from",
    "held": "--held-out",
    "json": "--json",
    "k": "--k",
    "last": "--to",
    "leave": "--leave-out",
    "levels": "--levels",
    "measure": "--measure",
    "mincount": "--min-count",
    "model": "--model",
    "multiword": "--multiword",
    "nofigure": "--no-figure",
    "norm": "--norm",
    "only": "--only",
    "oov": "--oov",
    "output": "--output",
    "own": "--own-vocabulary",
    "preset": "--preset",
    "profile": "--profile",
    "rate": "--rate",
    "sampler": "--sampler",
    "seed": "--seed",
    "seeds": "--seeds",
    "seedsupto": "--seeds-up-to",
    "splits": "--splits",
    "task": "--task",
    "test": "--test",
    "testformat": "--test-format",
    "tokens": "--tokens",
    "topic": "--topic",
    "trials": "--trials",
    "vocabulary": "--vocabulary",
    "whole": "--whole",
    "words": "--words",
}


@dataclass(frozen=True)
class Run:
    """A command and what of its results is recorded.

    Attributes:
        name: The file in which the result is recorded, a slash, and what the run is called there.
        line: The command line, without the program.
        result: The file that holds the result; what is printed if there is none. The result of a name that
            ends in .json or .jsonl is JSON, and so is what a line with `{json}` prints.
        trained: Whether vectors are trained.
        summary: Whether what is said of each part of a test set is left out.
        before: Lines to run first; each ends in `> FILE`, which keeps what is printed.
        exit_code: How the command ends; 1 where something cannot be scored.
    """

    name: str
    line: str
    result: str = ""
    trained: bool = False
    summary: bool = False
    before: tuple[str, ...] = ()
    exit_code: int = 0

    @property
    def group(self) -> str:
        """The file in which the result is recorded."""
        return self.name.partition("/")[0]

    @property
    def close(self) -> bool:
        """Whether so many pairs are compared in single precision that the last digit decides of some.

        So it is in exact OddOneOut over large categories, with hundreds of millions of pairs; and with the
        frequency baseline, whose words lie on a line.
        """
        return any(each in self.line for each in ("testsets", "{baseline}", "compare ", "{data}"))

    @property
    def real(self) -> bool:
        """Whether the run needs real data."""
        return "{data}" in self.line


def arguments(line: str, data: str) -> list[str]:
    """A command line as a list.

    Args:
        line: As in the table.
        data: The folder of real data.
    """
    return [each.format(data=data, **OPTIONS) for each in shlex.split(line)]


def _each_measure() -> tuple[Run, ...]:
    """Every measure with every parameter that matters, on invented vectors with both ways with OOV words."""
    measures = {
        "lists": {
            "topk": "Topk@1 Topk@3 Topk@10",
            "oddoneout": "OddOneOut@2 OddOneOut@3 OddOneOut@5 OddOneOut(out=matched)@3",
            "oddoneout-samples": "OddOneOut(samples=200)@3 OddOneOut(samples=60)@2",
            "categorization": "Categorization Categorization(score=V)",
        },
        "topics": {
            "categoryoutliers": "CategoryOutliers CategoryOutliers(score=OPP) CategoryOutliers(out=near)",
            "categoryoutliers-far": "CategoryOutliers(out=far,size=5,outliers=4)",
            "relations": "Analogy@1 AnalogySpace(method=Euc) Analogy(method=3CosMul,samples=50)@3",
        },
        "questions": {
            "analogy": "Analogy@1 Analogy(method=3CosMul)@1 Analogy(method=PairDirection)@1 Analogy@5",
            "analogy-inputs": "Analogy(inputs=included)@1 Analogy(method=3CosMul,inputs=included)@2",
            "analogy-samples": "Analogy(samples=15)@1",
            "analogyspace": "AnalogySpace AnalogySpace(method=Euc)",
            "analogyspace-n": "AnalogySpace(method=N-Cos) AnalogySpace(method=N-Euc)",
        },
        "pairs": {
            "similarity": "Similarity Similarity(correlation=pearson)",
        },
        "groups": {"outlierdetection": "OutlierDetection OutlierDetection(score=OPP)"},
    }
    files = {"lists": "lists.txt", "topics": "world.json", "questions": "questions.txt"}
    files |= {"pairs": "pairs.tsv", "groups": "groups"}
    return tuple(
        Run(
            f"measures/{name}{suffix}",
            f"score world.vec {{test}} {files[kind]} {_measures(texts)} {more} {{json}}",
        )
        for kind, named in measures.items()
        for name, texts in named.items()
        for suffix, more in (("", ""), ("-skip", "{oov} skip {seed} 3"))
    )


def _measures(texts: str) -> str:
    return " ".join(f"{{measure}} '{each}'" for each in texts.split())


_USUAL = _measures("Topk@3 OddOneOut@3 Analogy")
_MOST = _measures("Topk@3 OddOneOut@3 OddOneOut(samples=100)@2 Analogy@1 AnalogySpace CategoryOutliers")

_SETTINGS = {
    "plain": "",
    "skip": "{oov} skip",
    "norm": "{norm} none",
    "norm-skip": "{norm} none {oov} skip",
    "fold": "{case} fold",
    "upper": "{case} upper",
    "vocabulary": "{vocabulary} 150",
    "join": "{multiword} join",
    "mean": "{multiword} mean",
    "drop": "{multiword} drop",
    "halved": "{levels} halved",
    "seed": "{seed} 11",
    "profile": "{profile} strip-marks+fold {oov} skip",
    "all": "{oov} skip {norm} none {case} fold {vocabulary} 250 {multiword} mean {levels} halved {seed} 5",
}

_LANGUAGE_SETTINGS = {
    "en": ("", "{case} fold", "{case} upper {oov} skip", "{preset} gensim"),
    "la": ("", "{profile} latin", "{profile} latin+fold {oov} skip"),
    "de": ("{case} fold", "{profile} fold"),
    "tr": ("{case} fold", "{profile} turkish", "{case} upper"),
    "ru": ("{case} fold {oov} skip", "{profile} strip-marks"),
}

_SETTING_RUNS = (
    *(
        Run(f"settings/{name}", f"score world.vec {{test}} world.json {_MOST} {more} {{json}}")
        for name, more in _SETTINGS.items()
    ),
    *(
        Run(
            f"languages/{code}-{number}",
            f"score {code}.vec {{test}} testsets/{code}.json {_USUAL} {more} {{json}}",
        )
        for code, several in _LANGUAGE_SETTINGS.items()
        for number, more in enumerate(several)
    ),
    *(
        Run(
            f"settings/ties-{number}",
            f"score ties.vec {{test}} {file} {{measure}} {measure} {{norm}} {norm} {{json}}",
        )
        for number, (file, measure, norm) in enumerate(
            (
                ("lists.txt", "Topk@3", "unit"),
                ("lists.txt", "OddOneOut@3", "unit"),
                ("lists.txt", "OddOneOut@3", "none"),
                ("lists.txt", "'OddOneOut(samples=300)@3'", "none"),
                ("questions.txt", "Analogy@1", "unit"),
                ("questions.txt", "'Analogy(method=3CosMul)@3'", "unit"),
                ("pairs.tsv", "Similarity", "unit"),
                ("groups", "'OutlierDetection(score=OPP)'", "unit"),
            )
        )
    ),
)

_MODELS = (
    Run("models/default", "score world.vec {test} world.json {json}"),
    Run("models/text", "score world.vec {test} world.json {oov} skip"),
    Run("models/baseline", "score world.vec {baseline} {test} lists.txt {json}"),
    Run(
        "models/baseline-skip",
        "score en.vec {baseline} {test} testsets/en.json {case} fold {oov} skip {json}",
    ),
    Run("models/two", "score world.vec world2.vec {test} lists.txt {test} pairs.tsv {json}"),
    Run("models/two-skip", "score en.vec en2.vec {test} testsets/en.json {oov} skip {json}"),
    Run(
        "models/four",
        "score world.vec world2.vec world3.vec world4.vec {baseline} {test} world.json {test} questions.txt "
        "{test} groups {seed} 2 {json}",
    ),
    Run(
        "models/four-text",
        "score world.vec world2.vec world3.vec world4.vec {test} lists.txt {test} questions.txt",
    ),
    Run("models/glove", "score world.glove.gz {test} lists.txt {json}"),
    Run("models/binary", "score world.bin {test} lists.txt {json}"),
    Run("models/bad-rows", "score broken.vec {badrows} drop {test} lists.txt {json}"),
    Run(
        "models/test-format",
        "score world.vec {test} lists.txt {testformat} categories {code} tr {case} fold {json}",
    ),
)

_BATCH = (
    Run(
        "batch/languages",
        "score 'models/{{language}}.vec' {test} 'testsets/{{language}}.json' {output} languages.jsonl",
        "languages.jsonl",
    ),
    Run(
        "batch/settings",
        "score world.vec world2.vec broken.vec {test} world.json {test} lists.txt {measure} Topk@2 "
        "{measure} Analogy {oov} wrong {case} fold {vocabulary} 300 {multiword} mean {seed} 1 "
        "{output} batch.jsonl",
        "batch.jsonl",
        exit_code=1,  # one of the models is broken
    ),
)

_COMPARE = (
    Run("compare/two", "compare la=la.vec de=de.vec {test} testsets {case} fold {json}"),
    Run(
        "compare/four",
        "compare en=en.vec la=la.vec de=de.vec tr=tr.vec {test} testsets {category} month "
        "{category} continent {topic} geography {k} 2 {oov} skip {case} fold {seed} 4 {json}",
    ),
    Run(
        "compare/own-vocabulary",
        "compare en=en.vec la=la.vec {test} testsets {own} {category} country {vocabulary} 400 "
        "{profile} la=latin+fold {profile} fold {json}",
    ),
    Run("compare/text", "compare la=la.vec de=de.vec {test} testsets {category} month {case} fold"),
)

_CURVE = (
    Run(
        "curve/defaults",
        "curve corpus.txt {test} topics.txt {analogies} topic-questions.txt {first} 2^9 {last} 2^12 "
        "{seeds} 2 {seedsupto} 2^11 {only} dimension=10 {epochs} 5 {nofigure} {output} curve",
        "curve/curve.json",
        trained=True,
    ),
    Run(
        "curve/fasttext",
        "curve corpus.txt {analogies} topic-questions.txt {first} 2^10 {last} 2^11 {only} model=fasttext "
        "{only} architecture=cbow {only} dimension=8 {only} min_count=3 {epochs} 4 "
        "{measure} Topk@1 {measure} 'Analogy@3' {case} exact {seed} 3 {nofigure} "
        "{output} curve-fasttext {json}",
        trained=True,
    ),
)

_TUNE = (
    Run(
        "tune/random",
        "tune corpus.txt {test} topics.txt {trials} 4 {only} model=word2vec {only} dimension=5,10 "
        "{only} lemmas=no {only} min_count=3,4 {epochs} 4 {nofigure} {output} tune",
        "tune/tuning.json",
        trained=True,
    ),
    Run(
        "tune/tpe",
        "tune corpus.txt {test} topics.txt {trials} 3 {sampler} tpe {only} dimension=5,8 {only} lemmas=no "
        "{epochs} 2 {category} topic0 {category} topic1 {measure} Topk@2 {measure} OddOneOut@2 {oov} skip "
        "{case} exact {seed} 6 {seeds} 2 {whole} {nofigure} {output} tune-tpe {json}",
        trained=True,
    ),
    Run(
        "tune/measure",
        "tune corpus.txt {test} topics.txt {trials} 2 {measure} 'OddOneOut(out=matched)' "
        "{tokens} white-space {only} model=word2vec {only} dimension=5 {only} lemmas=no {nofigure} "
        "{output} tune-matched {json}",
        trained=True,
    ),
    Run(
        "tune/lemmas",
        "tune lee.txt {test} testsets/en.json {category} weekday {category} month {trials} 2 "
        "{only} model=fasttext {only} dimension=10 {only} lemmas=yes {epochs} 1 {nofigure} "
        "{output} tune-lemmas {json}",
        trained=True,
    ),
)

_TO_COMPOSE = tuple(
    f"score {name}.vec {{test}} {tests} {{case}} exact {{json}} > {name}-scores.json"
    for name, tests in (
        ("world", "lists.txt {test} pairs.tsv {test} questions.txt"),
        ("world2", "lists.txt {test} pairs.tsv {test} questions.txt"),
        ("world3", "lists.txt {test} pairs.tsv {test} questions.txt"),
        ("world4", "lists.txt {test} pairs.tsv"),
    )
)
_COMPOSED = "world-scores.json world2-scores.json world3-scores.json"

_COMPOSE = (
    Run("compose/three", f"compose {_COMPOSED} {{json}}", before=_TO_COMPOSE),
    Run("compose/each", f"compose {_COMPOSED} {{each}} {{json}}", before=_TO_COMPOSE),
    Run(
        "compose/leave-out-models",
        f"compose {_COMPOSED} world4-scores.json {{leave}} models {{json}}",
        before=_TO_COMPOSE,
    ),
    Run(
        "compose/leave-out-tasks",
        f"compose {_COMPOSED} world4-scores.json {{leave}} tasks {{json}}",
        before=_TO_COMPOSE,
    ),
    Run("compose/text", f"compose {_COMPOSED}", before=_TO_COMPOSE),
)

_PROBE = (
    Run(
        "probe/membership",
        "probe world.vec world2.vec {test} few.txt {model} logistic {model} svm {splits} 3 {json}",
    ),
    Run(
        "probe/similarity",
        "probe world.vec world3.vec {test} pairs.tsv {model} svr {splits} 3 {seed} 1 {json}",
    ),
    Run("probe/relation", "probe world.vec {test} world.json {task} relation {splits} 2 {json}"),
    Run("probe/sentences", "probe world.vec world2.vec {test} texts.tsv {model} logistic {splits} 3 {json}"),
    Run(
        "probe/settings",
        "probe en.vec {test} testsets/en.json {case} fold {vocabulary} 300 {model} knn {splits} 2 {json}",
    ),
    Run("probe/text", "probe world.vec world2.vec {test} few.txt {model} logistic {splits} 3"),
)

_COVERAGE = (
    Run(
        "coverage/world", "coverage world.vec {test} world.json {test} pairs.tsv {test} questions.txt {json}"
    ),
    Run("coverage/groups", "coverage world.vec {test} groups {test} texts.tsv {multiword} join {json}"),
    Run("coverage/language", "coverage la.vec {test} testsets/la.json {profile} latin {vocabulary} 300"),
    Run("coverage/corpus", "coverage lee.txt {corpus} {mincount} 3 {test} testsets/en.json {case} fold"),
    Run("coverage/corpus-topics", "coverage corpus.txt {corpus} {test} topics.txt {json}"),
)

_OTHERS = (
    Run("corpus/lee", "coverage lee.txt {corpus} {json}"),
    Run("corpus/profile", "coverage corpus.txt {corpus} {profile} strip-marks+fold {json}"),
    Run("corpus/text", "coverage corpus.txt {corpus} {case} fold"),
    Run(
        "emoji/sweep",
        "emoji {descriptions} train.txt {dev} dev.txt {held} held-out.txt {words} emoji-words.vec "
        "{test} emoji.json {rate} 0.001 {rate} 0.03 {rate} 0.3 {epochs} 8 "
        "{seeds} 2 {choose} auc {output} emoji {json}",
        trained=True,
    ),
)

_ENGLISH = "{data}/vectors/en/googlenews_top8000_300d.bin.gz"


def _real(name: str, vectors: str, files: str, measures: str, more: str = "{oov} skip") -> Run:
    """Real vectors on real data sets; only whole scores, for the subscores would be too many."""
    tests = " ".join(f"{{test}} {each}" for each in files.split())
    return Run(f"real/{name}", f"score {vectors} {tests} {_measures(measures)} {more} {{json}}", summary=True)


def _sets(kind: str, *names: str) -> str:
    return " ".join(f"{{data}}/benchmarks/{kind}/{name}" for name in names)


_REAL = (
    _real(
        "similarity",
        _ENGLISH,
        _sets("similarity/en", "EN-WS-353-ALL.txt", "EN-MEN-TR-3k.txt", "EN-SIMLEX-999.txt", "EN-RG-65.txt"),
        "Similarity Similarity(correlation=pearson)",
        "{preset} gensim",
    ),
    _real(
        "similarity-wrong", _ENGLISH, _sets("similarity/en", "EN-SIMLEX-999.txt"), "Similarity", "{case} fold"
    ),
    _real(
        "similarity-language",
        _ENGLISH,
        _sets("similarity", "multi_simlex"),
        "Similarity Similarity(correlation=pearson)",
        "{code} en {oov} skip",
    ),
    _real(
        "analogy",
        _ENGLISH,
        _sets("analogy/en", "google_questions-words.txt", "msr_syntactic.txt"),
        "Analogy@1 Analogy(method=3CosMul)@1 Analogy(samples=100,method=PairDirection)@1 AnalogySpace "
        "AnalogySpace(method=N-Euc)",
        "{preset} gensim",
    ),
    _real(
        "outliers",
        _ENGLISH,
        _sets("outlier/en", "8-8-8.csv", "50-8-8-EN.tar.gz", "wiki-sem-500-en.tar.gz"),
        "OutlierDetection OutlierDetection(score=OPP)",
    ),
    _real(
        "categories",
        _ENGLISH,
        _sets("categorization/en", "ap.csv", "bless.csv", "essli-2008.csv"),
        "Topk@3 OddOneOut@3 OddOneOut(out=matched)@3 OddOneOut(samples=1000)@3 CategoryOutliers",
    ),
    _real("clusters", _ENGLISH, _sets("categorization/en", "essli-2008.csv"), "Categorization"),
    _real("wikidata", _ENGLISH, "testsets/en.json", "Topk@3 OddOneOut@3 Topk@10 Analogy", "{case} fold"),
    _real("wikidata-skip", _ENGLISH, "testsets/en.json", "Topk@3 OddOneOut@3 CategoryOutliers"),
    _real(
        "several",
        f"{_ENGLISH} {{data}}/vectors/en/tweets_emoji_prediction_29508_10d.vec.gz",
        _sets("categorization/en", "ap.csv") + " " + _sets("similarity/en", "EN-SIMLEX-999.txt"),
        "",
        "{case} fold",
    ),
    _real(
        "subwords",
        "{data}/vectors/russian/crime-and-punishment.ft.bin",
        "testsets/ru.json",
        "Topk@3 OddOneOut@3 AnalogySpace",
        "{case} fold",
    ),
    _real(
        "dropped-rows",
        "{data}/vectors/swedish/word2vec_1065_300d.txt.gz",
        "testsets/sv.json",
        "Topk@3 OddOneOut@3",
        "{badrows} drop {case} fold",
    ),
    _real("emoji", "{data}/vectors/emoji/emoji2vec.bin.gz", "emoji.json", "Topk@3 OddOneOut@3"),
    Run(
        "real/corpus",
        "coverage {data}/corpora/old_english.txt {corpus} {case} fold {json}",
    ),
)


def cased(run: Run) -> Run:
    """A run that names its case: if it names none, folded where vectors are trained, and exact elsewhere."""
    command = run.line.partition(" ")[0]
    if command in ("compose", "emoji") or "{case}" in run.line or "{preset}" in run.line:
        return run
    case = "fold" if command in ("curve", "tune") else "exact"
    return replace(run, line=f"{run.line} {{case}} {case}")


_ALL = (
    *_each_measure(),
    *_SETTING_RUNS,
    *_MODELS,
    *_BATCH,
    *_COMPARE,
    *_CURVE,
    *_TUNE,
    *_COMPOSE,
    *_PROBE,
    *_COVERAGE,
    *_OTHERS,
    *_REAL,
)

RUNS = tuple(map(cased, _ALL))
