"""Logs of language models: samples of lm-evaluation-harness, and those of Inspect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from evaluator.errors import ResultsError
from evaluator.results.files import converted, loads, read_content

_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_INSPECT = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's values of an answer: correct, incorrect, partly correct, none."""

T = TypeVar("T")


class Answer(msgspec.Struct, frozen=True):
    """What a language model answered to a question.

    Attributes:
        model: The name of the model.
        task: The name of the task, such as odd_one_out.
        metric: How the answer was judged: `acc`, or `acc_norm` where the length of options does not matter.
        language: The code of the question's language.
        category: The category of the question.
        topic: What the category is about; empty if the log does not say so.
        options: How many words there were to choose from.
        words: All words of the question.
        right: 1 if the answer was right, 0 if not; the mean where the question was asked several times.
    """

    model: str
    task: str
    metric: str
    language: str
    category: str
    topic: str
    options: int
    words: tuple[str, ...]
    right: float


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


class _Sample(msgspec.Struct):
    doc: _Doc
    acc: float
    acc_norm: float | None = None


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
    """What language models answered.

    Args:
        paths: `samples_*.jsonl` of `lm_eval --log_samples`, JSON logs of Inspect, and folders of such.

    Raises:
        ResultsError: A file cannot be read, holds something else, or not the answers to exported questions.
    """
    found: list[Answer] = []
    seen: dict[tuple[str, str], Path] = {}
    for path in (file for each in paths for file in _files(Path(each))):
        answers = list(_of_inspect(path) if path.suffix == ".json" else _of_harness(path))
        for asked in {(answer.model, answer.task) for answer in answers}:
            if asked in seen:
                raise ResultsError(
                    f"{path}: {asked[0]} answered {asked[1]} in {seen[asked]}, too; name one of the two"
                )
            seen[asked] = path
        found += answers
    return found


def _files(path: Path) -> Sequence[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(each for each in path.rglob("*.json*") if not each.name.startswith("results_"))
    archives = sorted(path.rglob("*.eval"))
    if not files and not archives:
        raise ResultsError(f"{path}: has no samples_*.jsonl and no JSON log; give --log_samples to lm_eval")
    return files or archives


def _of_harness(path: Path) -> Iterator[Answer]:
    """The samples of lm-evaluation-harness, which names task and time in the name of the file."""
    name = _SAMPLES.fullmatch(path.name)
    if path.suffix == ".eval":
        raise ResultsError(f"{path}: convert it: inspect log convert {path} --to json --output-dir FOLDER")
    if name is None:
        raise ResultsError(f"{path}: is not called samples_TASK_TIME.jsonl, as lm_eval calls its samples")
    model = _model_of(path, name[2])
    for number, line in enumerate(read_content(path).splitlines(), 1):
        sample = _decoded(line, _Sample, f"{path}: line {number}")
        for metric in ("acc", "acc_norm"):
            right = getattr(sample, metric)
            if right is not None:
                yield sample.doc.answer(sample.doc.options, right, model, name[1], metric)


def _model_of(path: Path, time: str) -> str:
    """The model, of which the results beside its samples say more than the name of the folder."""
    results = path.with_name(f"results_{time}.json")
    known = loads(results.read_text(encoding="utf-8"), str(results)) if results.exists() else {}
    return str(known.get("model_name") or path.absolute().parent.name)


def _of_inspect(path: Path) -> Iterator[Answer]:
    if path.name.startswith("results_"):
        raise ResultsError(f"{path}: has means alone; give the samples_*.jsonl of `lm_eval --log_samples`")
    log = _decoded(read_content(path), _Log, str(path))
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


def _decoded(content: bytes, kind: type[T], where: str) -> T:
    return converted(loads(content.decode(errors="replace"), where), kind, where)
