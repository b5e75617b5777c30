"""Does the sentence that names a model to keep err? Worlds with models that know nothing, beside others.

`python -m tools.keep_worlds --worlds 200` prints, for each company of models and each command that names
one, how often the right answer was given, none, or a wrong one. Words are made of syllables; categories may
share an ending, as words of a kind do; a model is a mixture of meaning (the centre of a word's category or
topic), spelling (random vectors of its n-grams, as fastText has) and noise.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from evaluator.datasets.reading import read_testset
from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import unit_rows
from evaluator.execution.machine import Machine
from evaluator.results.score import HEADLINE, Score
from evaluator.results.scores import Scores
from evaluator.settings import Settings
from evaluator.statistics.holdout import TestSetHalf, split_in_halves
from evaluator.statistics.ranking import readings
from evaluator.studies.curves.run import onsets
from evaluator.studies.languages import Language, compare
from evaluator.studies.models import score
from evaluator.vectors import Vectors
from evaluator.vectors.formats.fasttext import NgramRule, NgramVectors
from tools.experiments import table

_DIMENSION, _BUCKETS = 32, 20_000
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvz", "aeiou"


class World:
    """Categories of words, and a text's vocabulary with some of them."""

    def __init__(self, seed: int, categories: int = 8, size: int = 12, others: int = 1200) -> None:
        """Draw words; in each category four of ten share an ending, in half of the categories."""
        self._random, self.seed = np.random.default_rng(seed), seed
        self._used = set[str]()
        endings = [self._syllables(1) for _ in range(12)]
        self.categories: dict[str, list[str]] = {}
        for number in range(categories):
            ending = self._syllables(2) if self._random.random() < 0.5 else ""
            self.categories[f"c{number}"] = [
                self._word(ending if self._random.random() < 0.4 else "") for _ in range(size)
            ]
        self.kind = {word: name for name, words in self.categories.items() for word in words}
        background = [
            self._word(endings[self._random.integers(12)] if self._random.random() < 0.5 else "")
            for _ in range(others)
        ]
        self.kind |= {word: f"topic {self._random.integers(60)}" for word in background}
        self.words = [*self.kind]
        self._random.shuffle(self.words)
        self._alone: dict[str, Scores] = {}

    def _syllables(self, number: int) -> str:
        drawn = self._random
        return "".join(
            drawn.choice([*_CONSONANTS])
            + drawn.choice([*_VOWELS])
            + (drawn.choice([*_CONSONANTS]) if drawn.random() < 0.3 else "")
            for _ in range(number)
        )

    def _word(self, ending: str) -> str:
        while True:
            word = self._syllables(int(self._random.integers(2, 4))) + ending
            if word not in self._used:
                self._used.add(word)
                return word

    @cached_property
    def test_set(self) -> TestSet:
        """Its categories."""
        return read_testset(self.categories, language="en")

    def alone(self, model: Vectors) -> Scores:
        """The scores of a model by itself."""
        if model.name not in self._alone:
            self._alone[model.name] = score(model, self.test_set, machine=_MACHINE)
        return self._alone[model.name]

    def known(self, share: float) -> list[str]:
        """The words of a text that has a share of the test words."""
        tests = {word for words in self.categories.values() for word in words}
        return [word for word in self.words if word not in tests or self._random.random() < share]

    def model(
        self, name: str, words: Sequence[str], meaning: float, spelling: float, *, subwords: bool, seed: int
    ) -> Vectors:
        """A model of words; with subwords, it builds vectors for all other words of the world."""
        drawn, every = np.random.default_rng([self.seed, seed]), dict.fromkeys((*words, *self.kind))
        grams = drawn.standard_normal((_BUCKETS, _DIMENSION)).astype(np.float32)
        nothing = np.zeros((len(every), _DIMENSION), dtype=np.float32)
        letters = NgramVectors.of_rows([*every], nothing, grams, NgramRule(3, 6)).matrix.astype(np.float64)
        centres = {kind: drawn.standard_normal(_DIMENSION) for kind in dict.fromkeys(self.kind.values())}
        of_kind = np.array([centres[self.kind[word]] for word in every])
        noise = drawn.standard_normal((len(every), _DIMENSION))
        mixed = meaning * unit_rows(of_kind) + spelling * unit_rows(letters) + unit_rows(noise)
        rows = dict(zip(every, mixed.astype(np.float32), strict=True))
        built = _Built(rows) if subwords else None
        return Vectors(tuple(words), mixed[: len(words)].astype(np.float32), name, built)


class _Built:
    """What a model of n-grams gives for any word of the world."""

    def __init__(self, rows: Mapping[str, np.ndarray]) -> None:
        self._rows = rows

    def __call__(self, word: str) -> np.ndarray | None:
        return self._rows.get(word)


@dataclass(frozen=True)
class Company:
    """Models that are scored together, and which answers are right."""

    name: str
    models: Callable[[World, list[str]], Iterator[Vectors]]
    right: tuple[str, ...] = ()


def nothing(world: World, words: list[str]) -> Iterator[Vectors]:
    """Models that know nothing of meaning."""
    yield world.model("random", words, 0, 0, subwords=False, seed=1)
    yield world.model("random n-grams", words, 0, 5, subwords=True, seed=2)
    yield world.model("random n-grams as text", words, 0, 5, subwords=False, seed=3)
    shuffled = world.model("shuffled", words, 1.5, 0.5, subwords=False, seed=4)
    order = np.random.default_rng(5).permutation(len(words))
    yield Vectors(shuffled.words, shuffled.matrix[order], "shuffled")
    yield world.model("tiny", words[:60], 0, 1, subwords=True, seed=6)


Trained = tuple[str, float, float, bool, float]
"""Name, meaning, spelling, subwords and share of words of a model."""


def _with(*models: Trained, others: bool = True) -> Callable[[World, list[str]], Iterator[Vectors]]:
    return partial(_trained, models=models, others=others)


def _trained(world: World, words: list[str], models: Sequence[Trained], others: bool) -> Iterator[Vectors]:
    """Some trained models, and those that know nothing."""
    for number, (name, meaning, spelling, subwords, share) in enumerate(models):
        own = words[: round(share * len(words))] if share < 1 else words
        yield world.model(name, own, meaning, spelling, subwords=subwords, seed=10 + number)
    if others:
        yield from nothing(world, words)


_A, _B, _C = (("ABC"[place], meaning, 0.3, False, 1.0) for place, meaning in enumerate((1.2, 0.5, 0.9)))
COMPANIES = (
    Company("models that know nothing", nothing, ("",)),
    Company("A, a good model, and nothing", _with(_A), ("A",)),
    Company("F, a good fastText, and nothing", _with(("F", 1.2, 1.0, True, 1.0)), ("F",)),
    Company("A better than B", _with(_A, _B, others=False), ("A",)),
    Company("A better than B, and nothing", _with(_A, _B), ("A",)),
    Company("A a little better than C", _with(_A, _C, others=False), ("A",)),
    Company("A a little better than C, and nothing", _with(_A, _C), ("A",)),
    Company("A and its equal, and nothing", _with(_A, ("A2", 1.2, 0.3, False, 1.0)), ("",)),
    Company("A, A of 40% of the words, and nothing", _with(_A, ("A40", 1.2, 0.3, False, 0.4)), ("A",)),
)
"""Which models stand beside each other; "" is right where none may be named."""


Answer = Literal["right", "none named", "wrong", "knows nothing"]


def answer_of(named: Collection[str], company: Company) -> Answer:
    """What the models that are named mean in a company."""
    if not named:
        return "right" if "" in company.right else "none named"
    if set(named) & {*_NOTHING}:
        return "knows nothing"
    return "right" if set(named) <= {*company.right} else "wrong"


def by_score(models: Sequence[Vectors], world: World, company: Company) -> Answer:
    """`evaluator score` of all models together."""
    best = score(models, world.test_set, machine=_MACHINE).best
    return answer_of([best] if best else [], company)


def alone(models: Sequence[Vectors], world: World, company: Company) -> Answer:
    """`evaluator score` of each model by itself: whoever knows something is to be kept."""
    named = {best for each in models if (best := world.alone(each).best)}
    return answer_of(named, _any_trained(models, company))


def _any_trained(models: Sequence[Vectors], company: Company) -> Company:
    """The company, if each trained model may be named."""
    trained = tuple(each.name for each in models if each.name not in _NOTHING)
    return replace(company, right=trained or ("",))


def by_tune(models: Sequence[Vectors], world: World, company: Company) -> Answer:
    """`evaluator tune`: the highest score on one half of the words, which the other half judges."""
    choice, report = split_in_halves(world.test_set)

    def on(half: TestSetHalf, model: Vectors) -> Score:
        return score(half.vocabulary(model), half.test_set, HEADLINE, machine=_MACHINE)[HEADLINE]

    chosen = max(models, key=lambda each: on(choice, each).value)
    one_is_better = company.right != ("",)  # of equal ones, either is right
    own = company if one_is_better else _any_trained(models, company)
    return answer_of([chosen.name] if on(report, chosen).is_contender else [], own)


def by_compare(models: Sequence[Vectors], world: World, company: Company) -> Answer:
    """`evaluator compare`, as if each model were of a language of its own: which are better than another.

    A model that knows more than one that knows nothing is named rightly.
    """
    codes = {f"x{letter}": each for letter, each in zip("abcdefgh", models, strict=False)}
    of = [Language(code, each, read_testset(world.categories, language=code)) for code, each in codes.items()]
    wins = set[tuple[str, str]]()
    for each in compare(of, machine=_MACHINE).differences:
        if each.reading == "differ":
            pair = each.second, each.first
            better, other = (codes[code].name for code in (pair if each.value > 0 else pair[::-1]))
            wins.add((better, other))
    if any(better in _NOTHING for better, _ in wins):
        return "knows nothing"
    if any(other not in _NOTHING and better not in company.right for better, other in wins):
        return "wrong"
    return "right" if wins or "" in company.right else "none named"


def by_curve(models: Sequence[Vectors], world: World, company: Company) -> Answer:
    """`evaluator curve`: which models, each as the only size of a curve, are above the baselines."""
    named = {
        model.name
        for model in models
        for each in world.alone(model).measured
        if onsets([1], [each])["above baseline"] is not None
    }
    return answer_of(named, _any_trained(models, company))


def before(models: Sequence[Vectors], world: World, company: Company) -> Answer:
    """The rule of version 0.3.0: better than all others by one measure, and above chance and frequency.

    Words that are built from subwords count as known there, and spelling is no baseline.
    """
    found = score(models, world.test_set, settings=Settings(built="known"), machine=_MACHINE)
    better = defaultdict[str, set[tuple[str, str]]](set)
    for each, tests in readings(found.differences).items():
        _, _, reading = tests[0]
        if reading.endswith(("better", "worse")):
            pair = each.second, each.first
            better[each.measure].add(pair if reading.endswith("better") else pair[::-1])
    able = {
        (each.model, own.measure)
        for each in found
        for own in each.measured
        if not {*own.lacking} - {"spelling"}
    }
    named = {
        model
        for model, measure in able
        if all((model, other.name) in better[measure] for other in models if other.name != model)
    }
    return answer_of(named, company)


Command = Callable[[Sequence[Vectors], World, Company], Answer]
COMMANDS: Mapping[str, Command] = {
    "score": by_score,
    "score of each alone": alone,
    "tune": by_tune,
    "compare": by_compare,
    "curve": by_curve,
    "score, by the rule of 0.3.0": before,
}
"""What names models, or says that one is better than another."""


def answers(
    company: Company, worlds: int, seed: int = 0, others: int = 1200, command: Command = by_score
) -> Counter[Answer]:
    """How often the answer was right, a trained model was named that is not, or one that knows nothing.

    Args:
        company: Which models are scored.
        worlds: In how many worlds.
        seed: The seed of the first one; each has the next.
        others: How many words a world has beside those of its categories.
        command: What names models.
    """
    return every_answer(company, worlds, seed, others, {"": command})[""]


def every_answer(
    company: Company,
    worlds: int,
    seed: int = 0,
    others: int = 1200,
    commands: Mapping[str, Command] = COMMANDS,
) -> dict[str, Counter[Answer]]:
    """The same of several commands."""
    found = {name: Counter[Answer]() for name in commands}
    for number in range(worlds):
        world = World(seed + number, others=others)
        models = list(company.models(world, world.known(0.6)))
        for name, command in commands.items():
            if number % _EACH.get(command, 1) == 0:
                found[name][command(models, world, company)] += 1
    return found


_EACH: Mapping[Command, int] = dict.fromkeys((alone, by_tune, by_compare, by_curve), 5)
"""In each of so many worlds a command is tried."""

_NOTHING = ("random", "random n-grams", "random n-grams as text", "shuffled", "tiny")
_MACHINE = Machine(threads=1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    kinds: tuple[Answer, ...] = ("right", "none named", "wrong", "knows nothing")
    head = ["company", "command", "worlds", "right", "none named"]
    head += ["another trained model", "one that knows nothing"]
    rows = []
    with ProcessPoolExecutor(given.processes) as pool:
        run = partial(every_answer, worlds=given.worlds, seed=given.seed)
        for company, found in zip(COMPANIES, pool.map(run, COMPANIES), strict=True):
            for name, counts in found.items():
                worlds = counts.total()
                shares = (f"{counts[kind] / worlds:.3f}" for kind in kinds)
                rows.append([company.name, name, str(worlds), *shares])
                print(rows[-1], flush=True)
    print(table(head, rows))


if __name__ == "__main__":
    main()
