"""What language models answered, from logs of other programs, and its scores: accuracy, with intervals."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeVar

import msgspec
import numpy as np

from evaluator.plugins import (
    Doubles,
    Evaluation,
    Measure,
    Reading,
    ResultsError,
    Score,
    ScoreError,
    Scores,
    ScoresFile,
    Settings,
    Subscore,
    TestSet,
    TestSetField,
    VocabularyLookup,
    compare_models,
    converted,
    loads,
    read_content,
    score_of,
)

_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_INSPECT = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's values of an answer: correct, incorrect, partly correct, none."""


class Answer(msgspec.Struct, frozen=True):
    """What a language model answered to a question."""

    model: str
    task: str  # such as odd_one_out
    metric: str  # `acc`, or `acc_norm` where the length of options does not matter
    language: str
    category: str
    topic: str  # of the category; empty if the log does not say so
    options: int  # how many words there were to choose from
    words: tuple[str, ...]  # all of the question
    right: float  # 1 or 0; the mean where the question was asked several times


class _About(msgspec.Struct):
    language: str
    category: str
    topic: str = ""
    word: str = ""  # that is asked about, if it is no option

    def answer(self, options: tuple[str, ...], right: float, model: str, task: str, metric: str) -> Answer:
        words = (*options, self.word) if self.word else options
        return Answer(
            *(model, task, metric), *(self.language, self.category, self.topic), len(options), words, right
        )


class _Doc(_About, kw_only=True):
    options: tuple[str, ...]
    id: str = ""


T = TypeVar("T")

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class _Sample(msgspec.Struct):
    doc: _Doc
    doc_id: int
    acc: _Share
    acc_norm: _Share | None = None


class _Header(msgspec.Struct):
    model: str
    task: str


class _Judged(msgspec.Struct):
    value: str | float


class _Asked(msgspec.Struct):
    choices: tuple[str, ...]
    metadata: _About
    scores: dict[str, _Judged]


class _Log(msgspec.Struct):
    eval: _Header
    status: str
    samples: tuple[_Asked, ...]


def read_logs(paths: Iterable[str | Path]) -> list[Answer]:
    """What language models answered, from `samples_*.jsonl` of lm_eval, JSON logs of Inspect, or folders."""
    found: list[Answer] = []
    seen: dict[str, Path] = {}
    for path in _files(map(Path, paths)):
        answers = list(_of_inspect(path) if path.suffix == ".json" else _of_harness(path))
        if not answers:
            raise ResultsError(f"{path}: has no answers; give the log of a run that was finished")
        for each in answers:
            asked = f"{each.model} answered {each.task} in {each.language} with {each.options} options"
            if seen.setdefault(asked, path) != path:
                raise ResultsError(f"{path}: {asked} in {seen[asked]}, too; name one of the two")
        found += answers
    return found


def _files(paths: Iterable[Path]) -> list[Path]:
    """The files, those of folders too, without summaries of samples and archives that were converted."""
    found: list[Path] = []
    for path in paths:
        own = sorted((*path.rglob("*.json*"), *path.rglob("*.eval"))) if path.is_dir() else [path]
        if not own:
            raise ResultsError(f"{path}: has no samples_*.jsonl or JSON log; give --log_samples to lm_eval")
        found += own
    known = {file.with_suffix(".eval").name for file in found if file.suffix == ".json"}
    summaries = {summary for file in found for summary in _summaries(file)}
    return [file for file in dict.fromkeys(found) if file.name not in known and file not in summaries]


def _summaries(samples: Path) -> list[Path]:
    """What lm_eval wrote beside samples at the same time: means, and the name of the model."""
    name = _SAMPLES.fullmatch(samples.name)
    return sorted(samples.parent.glob(f"*_{name[2]}.json")) if name else []


def _of_harness(path: Path) -> Iterator[Answer]:
    """The samples of lm-evaluation-harness, which names task and time in the name of the file."""
    name = _SAMPLES.fullmatch(path.name)
    if path.suffix == ".eval":
        raise ResultsError(f"{path}: convert it: inspect log convert {path} --to json --output-dir FOLDER")
    content = read_content(path)
    if name is None:
        first = loads(content.split(b"\n", 1)[0].decode(errors="replace"), f"{path}: line 1")
        raise ResultsError(
            f"{path}: is not called samples_TASK_TIME.jsonl, as lm_eval calls its samples; it holds "
            f"{_kind_of(first)}"
        )
    model, seen = _model_of(path), dict[str | int, int]()
    for number, line in enumerate(content.splitlines(), 1):
        where = f"{path}: line {number}"
        sample = _converted(loads(line.decode(errors="replace"), where), _Sample, where)
        question = sample.doc.id or sample.doc_id
        if seen.setdefault(question, number) != number:
            raise ResultsError(f"{where}: question {question} is in line {seen[question]}, too; delete one")
        for metric, right in (("acc", sample.acc), ("acc_norm", sample.acc_norm)):
            if right is not None:
                yield sample.doc.answer(sample.doc.options, right, model, name[1], metric)


def _converted(value: object, kind: type[T], where: str) -> T:
    """Convert what was logged; where something is missing, say what it is instead."""
    try:
        return converted(value, kind, where)
    except ResultsError as error:
        missing = str(error).endswith("is missing") or not isinstance(value, dict)
        raise ResultsError(f"{error}; it holds {_kind_of(value)}" if missing else str(error)) from error


def _kind_of(value: object) -> str:
    """What a log holds that is none of the questions of `testgen export`."""
    keys = set(value) if isinstance(value, dict) else set()
    if {"doc"} <= keys or {"eval", "samples"} <= keys or "sample_id" in keys:
        return "answers to other questions than odd-one-out, which `testgen export --format lm-eval` writes"
    return "no log of answers to single questions; give samples_*.jsonl of lm_eval, or a JSON log of Inspect"


def _model_of(samples: Path) -> str:
    """The model, of which the summary beside its samples says more than the name of the folder."""
    known = (loads(read_content(path).decode(errors="replace"), str(path)) for path in _summaries(samples))
    return next(
        (str(name) for each in known if (name := each.get("model_name"))), samples.absolute().parent.name
    )


def _of_inspect(path: Path) -> Iterator[Answer]:
    value = loads(read_content(path).decode(errors="replace"), str(path))
    if isinstance(value, dict) and "results" in value and "eval" not in value:
        raise ResultsError(
            f"{path}: has means alone; give the samples_*.jsonl of `lm_eval --log_samples` in its place"
        )
    log = _converted(value, _Log, str(path))
    if log.status != "success":
        raise ResultsError(f"{path}: the evaluation ended with {log.status!r}; run it to its end")
    task = log.eval.task.rpartition("/")[2]
    rights: dict[Answer, list[float]] = {}
    for number, each in enumerate(log.samples):
        where = f"{path}: $.samples[{number}].scores"
        if len(each.scores) != 1:
            raise ResultsError(f"{where}: must be those of one scorer")
        value = next(iter(each.scores.values())).value
        right = _INSPECT.get(value, -1) if isinstance(value, str) else value
        if not 0 <= right <= 1:
            raise ResultsError(f"{where}: {value!r} is not a judgement, such as C or I")
        answer = each.metadata.answer(each.choices, 0.0, log.eval.model, task, "acc")
        rights.setdefault(answer, []).append(right)
    for answer, several in rights.items():  # of several epochs the mean
        yield msgspec.structs.replace(answer, right=sum(several) / len(several))


_LEAST_APART = 0.25  # where more pairs of questions share a word, they tell no more of how words vary


@dataclass(frozen=True)
class Accuracy(Measure):
    """The share of questions of which a language model chose the right one of k options; chance is 1/k.

    Questions that share words do not vary independently. So the observation is the word, and the variance is
    the sum of ψ_p·ψ_q over all pairs of questions that share a word, with ψ the influence of a question
    (clusters in several ways; Cameron, Gelbach & Miller 2011, equation 2.8). Task and metric are those of
    `Answer`.
    """

    scores: ClassVar[TestSetField] = "categories"
    least_k: ClassVar[int] = 2

    task: str = "odd_one_out"
    metric: str = "acc"
    k: int = 4

    # A question has k words, of which others have some, too; by simulation.
    trials_of_a_word: ClassVar[float] = 2.0

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:  # noqa: ARG002
        """Refuse vectors."""
        raise ScoreError(f"{self} scores answers of language models: `evaluator lm-results`")


class AnswersFile(ScoresFile, frozen=True, kw_only=True, tag="answers"):
    """What `evaluator lm-results --json` writes: the scores of language models."""

    command: ClassVar[str] = "evaluator lm-results --json"

    version: Literal[2] = 2  # type: ignore[assignment]  # of this format


def score_answers(answers: Iterable[Answer]) -> AnswersFile:
    """The accuracy of language models by language and category, and which are better than which."""
    by_language: dict[str, dict[str, dict[Accuracy, list[Answer]]]] = {}
    for each in answers:
        measure = Accuracy(each.task, each.metric, each.options)
        by_language.setdefault(each.language, {}).setdefault(each.model, {}).setdefault(measure, []).append(
            each
        )
    if not by_language:
        raise ResultsError("the logs hold no answers; give those of a run that was finished")
    cells = [
        [_scores(language, model, asked) for model, asked in models.items()]
        for language, models in by_language.items()
    ]
    for of_language in cells:
        _check_same(of_language)
    results = tuple(sorted((each for own in cells for each in own), key=lambda each: each.model))
    compared = compare_models([(own, None) for own in cells], languages=len(cells))
    return AnswersFile(results=results, **compared)


def _check_same(several: Sequence[Scores]) -> None:
    first: dict[str, tuple[str, str]] = {}
    for each in several:
        for score in each:
            model, signature = first.setdefault(score.measure, (each.model, score.signature))
            if signature != score.signature:
                raise ResultsError(
                    f"{each.model} and {model} answered different questions of {each.language} by "
                    f"{score.measure}; give both the same files, and the same --limit"
                )


def _scores(language: str, model: str, asked: Mapping[Accuracy, Sequence[Answer]]) -> Scores:
    words = {word for answers in asked.values() for each in answers for word in each.words}
    return Scores(
        model=model,
        test_set="questions",
        language=language,
        reading=Reading("lm-eval-samples", language),
        known_words=len(words),
        words=len(words),
        scores=tuple(_score(measure, answers) for measure, answers in asked.items()),
    ).with_verdicts()


def _score(measure: Accuracy, answers: Sequence[Answer]) -> Score:
    questions = sorted((each.category, *each.words) for each in answers)
    digest = hashlib.sha256(repr(questions).encode()).hexdigest()
    by_category: dict[str, list[Answer]] = {}
    for each in answers:
        by_category.setdefault(each.category, []).append(each)
    subscores = [_subscore(name, each, measure) for name, each in by_category.items()]
    return score_of(measure, subscores, f"{measure}|questions:{len(questions)}#{digest[:12]}")


def _subscore(name: str, answers: Sequence[Answer], measure: Accuracy) -> Subscore:
    words = list(dict.fromkeys(word for each in answers for word in each.words))
    right = np.array([each.right for each in answers])
    return Subscore.of(
        name,
        len(words),
        0,
        float(right.mean()),
        words,
        right.mean()
        + math.sqrt(len(words) * (len(words) - 1))
        * _influences(right, [each.words for each in answers], words),
        topic=answers[0].topic,
        chance=1 / measure.k,
        hits=round(right.sum()) if set(right.tolist()) <= {0.0, 1.0} else None,
        trials=len(answers),
    )


def _influences(right: Doubles, questions: Sequence[Sequence[str]], words: Sequence[str]) -> Doubles:
    """What the share of right answers owes to each of m words, so that squares sum to its variance."""
    n, place = len(right), {word: number for number, word in enumerate(words)}
    has = np.zeros((n, len(words)))
    for number, question in enumerate(questions):
        has[number, [place[word] for word in question]] = 1
    shared = np.minimum(has @ has.T, 1)
    own = (right - right.mean()) / n
    # Deviations from the mean of the same questions are too small by the share of pairs that share a word.
    variance = float(own @ shared @ own) / max(1 - float(shared.mean()), _LEAST_APART)
    variance = max(variance, float(own @ own))
    sums = own @ has
    sums -= sums.mean()
    squares = float(sums @ sums)
    return np.asarray(sums * np.sqrt(variance / squares) if squares > 0 else sums)
