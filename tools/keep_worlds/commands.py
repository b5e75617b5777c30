"""What each command names of models of which the truth is known.

What commands have in common is computed once in a world: models scored by themselves and among the same
candidates, and parts of `compare`. All of this depends only on what it is given, so answers are the same.
"""

# ruff: noqa: ANN401 - what is remembered is of any type

from __future__ import annotations

import dataclasses
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeVar
from unittest.mock import patch

from msgspec.structs import replace

import evaluator
from evaluator.execution.machine import Machine
from evaluator.results.score import HEADLINE, Score
from evaluator.results.score_lines import BatchFile
from evaluator.results.scores import Scores, ScoresFile
from evaluator.settings import Settings
from evaluator.statistics.holdout import TestSetHalf, split_in_halves
from evaluator.statistics.ranking import readings
from evaluator.statistics.score_lines import compared
from evaluator.studies.curves.run import onsets
from evaluator.studies.languages import Language, compare
from evaluator.studies.models import ScoringResult, ScoringTask, score_and_compare, score_model
from evaluator.vectors import Vectors
from tools.keep_worlds.companies import COMPANIES, Company
from tools.keep_worlds.worlds import NOTHING, Model, World, write_vectors

_MACHINE, _USUAL = Machine(threads=1), Settings()
_Found = TypeVar("_Found")


class Bench:
    """A world, with what is computed once for all companies and commands."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._memo: dict[Any, Any] = {}
        self._halves = split_in_halves(world.test_set)

    def once(self, key: object, compute: Callable[[], _Found]) -> _Found:
        """What was computed for a key, or is now."""
        if key not in self._memo:
            self._memo[key] = compute()
        found: _Found = self._memo[key]
        return found

    def vectors(self, model: Model) -> Vectors:
        """A model's vectors."""
        return self.once(model, lambda: self.world.vectors(model))

    def run(self, tasks: Sequence[ScoringTask]) -> list[ScoringResult]:
        """Score models; of one without subwords, the setting of built words changes nothing."""
        found = []
        for task in tasks:
            candidates = task.candidates[0].digest if task.candidates and task.candidates[0] else ""
            builds = isinstance(task.file, Vectors) and task.file.subword is not None
            key = "scored", id(task.file), candidates, task.settings.built if builds else ""
            found.append(self.once(key, lambda task=task: score_model(_comparable(task))))  # type: ignore[misc]
        return found

    def score(self, company: Company, settings: Settings = _USUAL) -> ScoresFile:
        """`evaluator score` of all models together."""
        tasks = [self._task(model, settings) for model in company.models]
        with self._differences_once():
            return score_and_compare([(tasks, [None] * len(tasks))], self.run, _MACHINE)

    def _task(self, model: Model, settings: Settings = _USUAL) -> ScoringTask:
        return ScoringTask(self.vectors(model), (self.world.test_set,), None, settings, compared=True)

    def alone(self, model: Model) -> Scores:
        """`evaluator score` of one model."""
        scored = self.run([self._task(model)])[0].scored[0]
        if scored is None:
            raise ValueError(f"{model.name} was not scored")
        return scored.scores

    def on_half(self, number: Literal[0, 1], model: Model) -> Score:
        """The score that `tune` chooses by on one half of the words, or judges by on the other."""
        half: TestSetHalf = self._halves[number]
        vectors = half.vocabulary(self.vectors(model))
        return self.once(
            ("half", number, model),
            lambda: evaluator.score(vectors, half.test_set, HEADLINE, machine=_MACHINE)[HEADLINE],
        )

    def lines(self, models: Sequence[Model]) -> BatchFile:
        """What `evaluator score --output` writes of models, in files without built words."""
        return self.once("lines", lambda: self._written(models))

    def _written(self, models: Sequence[Model]) -> BatchFile:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            test, output = folder / "words.txt", folder / "scores.jsonl"
            lists = (f":{title}\n{' '.join(words)}\n" for title, words in self.world.categories.items())
            test.write_text("".join(lists), encoding="utf-8")
            paths = {folder / f"{number}.bin": model for number, model in enumerate(models)}
            for path, model in paths.items():
                path.write_bytes(b"".join(write_vectors(self.vectors(model))))
            evaluator.batch([*map(str, paths)], str(test), output, machine=_MACHINE)
            found = evaluator.read_results(output)[0]
        if not isinstance(found, BatchFile):
            raise TypeError(f"not score lines: {found}")
        named = {path.name: model.name for path, model in paths.items()}
        return replace(
            found, lines=tuple(replace(each, vectors=named[Path(each.vectors).name]) for each in found.lines)
        )

    def compare(self, models: Sequence[Model]) -> Iterator[tuple[str, str]]:
        """The pairs that `evaluator compare` says to differ, the better one first.

        Each model is as if of a language of its own; all have the same items.
        """
        with self._parts_of_compare_once():
            found = compare([self._language(model) for model in models], machine=_MACHINE)
        named = {self._language(model).code: model.name for model in models}
        for each in found.differences:
            if each.reading == "differ":
                pair = (each.second, each.first) if each.value > 0 else (each.first, each.second)
                yield named[pair[0]], named[pair[1]]

    def _language(self, model: Model) -> Language:
        code = f"x{chr(ord('a') + model.luck)}"
        return self.once(
            ("language", model),
            lambda: Language(code, self.vectors(model), self.world.in_language(code)),
        )

    @contextmanager
    def _differences_once(self) -> Iterator[None]:
        module = import_module("evaluator.statistics.scores")
        with patch.object(module, "difference", self._remembering(module.difference, _of_subscores)):
            yield

    @contextmanager
    def _parts_of_compare_once(self) -> Iterator[None]:
        module = import_module("evaluator.studies.languages.compare")
        parts = {
            "score_vectors": _of_words,
            "_on_group": _of_group,
            "hint": _of_model,
            "difference": _of_subscores,
        }
        with patch.multiple(
            module,
            **{name: self._remembering(getattr(module, name), key) for name, key in parts.items()},
        ):
            yield

    def _remembering(
        self, function: Callable[..., Any], key: Callable[..., tuple[object, ...]]
    ) -> Callable[..., Any]:
        def called(*args: Any, **more: Any) -> Any:
            # What is given is remembered too, so that the key of another object is another key.
            found, _ = self.once(
                (function.__name__, *key(*args, **more)), lambda: (function(*args, **more), args)
            )
            return found

        return called


def _of_subscores(
    measure: Any, first: Any, second: Any, floors: Any = ({}, {}), **_: Any
) -> tuple[object, ...]:
    lifts = (tuple(each.items()) for each in floors)
    return str(measure), tuple(map(id, first)), tuple(map(id, second)), *lifts


def _of_words(vectors: Any, test_set: Any, *_: Any, **__: Any) -> tuple[object, ...]:
    asked = tuple((each.name, tuple(item.id for item in each.items)) for each in test_set.categories)
    return vectors.name, test_set.language, tuple(vectors.words), asked


def _of_model(vectors: Any, *_: Any) -> tuple[object, ...]:
    return (vectors.name,)


def _of_group(language: Any, view: str, group: Any, scored: Any, *_: Any) -> tuple[object, ...]:
    return language.code, view, group.name, tuple(map(id, scored))


def _comparable(task: ScoringTask) -> ScoringTask:
    """With what the model knows, as if no other command had asked for it."""
    return dataclasses.replace(task, compared=True)


Answer = Literal["right", "none named", "another", "knows nothing"]
"""What was named: the better model; none; one that knows something, but is not better; one that does not."""

ANSWERS: tuple[Answer, ...] = ("right", "none named", "another", "knows nothing")
"""In the order of the tables."""

_NOTHING = {each.name for each in NOTHING}


def answer_of(named: Collection[str], right: Collection[str]) -> Answer:
    """What the models that are named mean, where only some may be."""
    if {*named} & _NOTHING:
        return "knows nothing"
    if not named:
        return "none named" if right else "right"
    return "right" if {*named} <= {*right} else "another"


def _better(company: Company) -> list[str]:
    return [] if company.better is None else [company.better]


def _trained(company: Company) -> list[str]:
    return [each.name for each in company.trained]


def by_score(bench: Bench, company: Company) -> Answer:
    """`evaluator score` of all models together."""
    best = bench.score(company).best
    return answer_of([] if best is None else [best], _better(company))


def by_output(bench: Bench, company: Company) -> Answer:
    """`evaluator score --output`: a file has lines of all models; those of the company are read."""
    lines = bench.lines(_EVERY)
    names = {each.name for each in company.models}
    kept = tuple(each for each in lines.lines if each.vectors in names)
    best = compared(replace(lines, lines=kept, results=(), failures=())).best
    named = [line.vectors for line in kept if best is not None and line.scores and line.scores.model == best]
    return answer_of(named, _better(company))


def by_itself(bench: Bench, company: Company) -> Answer:
    """`evaluator score` of each model by itself: whichever knows something may be named."""
    named = {best for each in company.models if (best := bench.alone(each).best)}
    return answer_of(named, _trained(company))


def by_tune(bench: Bench, company: Company) -> Answer:
    """`evaluator tune`: the highest score on one half of the words, which the other half judges.

    Of equal ones, either is right.
    """
    chosen = max(company.models, key=lambda each: bench.on_half(0, each).value)
    named = [chosen.name] if bench.on_half(1, chosen).is_contender else []
    return answer_of(named, _better(company) or _trained(company))


def by_compare(bench: Bench, company: Company) -> Answer:
    """`evaluator compare`, but for the tiny vocabulary: no item is known in all languages beside it.

    A model that knows more than one that knows nothing is named rightly.
    """
    return _compared(bench, company, [each for each in company.models if each.name != "tiny"])


def by_compare_beside_tiny(bench: Bench, company: Company) -> Answer:
    """The same with it."""
    return _compared(bench, company, company.models)


def _compared(bench: Bench, company: Company, models: Sequence[Model]) -> Answer:
    wins = {*bench.compare(models)} if len(models) > 1 else set()
    found = {
        answer_of([better], _trained(company) if other in _NOTHING else _better(company))
        for better, other in wins
    }
    worst: Sequence[Answer] = ("knows nothing", "another", "right")
    return next((each for each in worst if each in found), "none named" if company.better else "right")


def by_curve(bench: Bench, company: Company) -> Answer:
    """`evaluator curve`: which models, each as the only size of a curve, are above the baselines."""
    named = {
        model.name
        for model in company.models
        for each in bench.alone(model).measured
        if onsets([1], [each])["above baseline"] is not None
    }
    return answer_of(named, _trained(company))


def before(bench: Bench, company: Company) -> Answer:
    """The rule of version 0.3.0: the model that is shown to be better than all others by Topk or OddOneOut.

    It is named if any of the models is shown to be above chance, and any above frequency. Words that are
    built from subwords count as known there, and spelling is no baseline.
    """
    found = bench.score(company, Settings(built="known"))
    named = set()
    for measure in {each.measure for each in found.differences}:
        own = [score for each in found if (score := each.get(measure)) and not score.is_baseline]
        chance, frequency = (
            any(name not in score.lacking for score in own) for name in ("chance", "frequency")
        )
        if chance and frequency:
            named |= {*_better_than_all(found, measure, len(company.models) - 1)}
    return answer_of(named, _better(company))


def _better_than_all(found: ScoresFile, measure: str, others: int) -> Iterator[str]:
    worse = defaultdict[str, set[str]](set)
    for each, tests in readings([own for own in found.differences if own.measure == measure]).items():
        _, _, reading = tests[0]
        if reading.endswith("better"):
            worse[each.second].add(each.first)
        if reading.endswith("worse"):
            worse[each.first].add(each.second)
    return (model for model, beaten in worse.items() if len(beaten) == others)


Command = Callable[[Bench, Company], Answer]
COMMANDS: Mapping[str, Command] = {
    "score": by_score,
    "score --output": by_output,
    "score of each alone": by_itself,
    "tune": by_tune,
    "compare": by_compare,
    "compare, with a tiny vocabulary": by_compare_beside_tiny,
    "curve": by_curve,
    "score, by the rule of 0.3.0": before,
}
"""What names models, or says that one is better than another."""

_EVERY = tuple(dict.fromkeys(model for company in COMPANIES for model in company.models))

POWER: Mapping[str, Command] = {"score": by_score, "rule of 0.3.0": before}
"""What is compared in the table of power."""
