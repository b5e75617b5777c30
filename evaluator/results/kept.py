"""Which model to keep, and the sentence that says so everywhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from evaluator.engine.vocabulary_lookup import FEW
from evaluator.measures.base import Count
from evaluator.results.numbers import first_few
from evaluator.results.score import measure_named

_NAMED = 3  # models in a sentence
_MATCHED = "OddOneOut(out=matched)@3"  # of words that are as frequent
_MODELS = {"none": (0, 0), "only": (1, 1), "best": (1, 1), "equal": (2, math.inf), "disagree": (2, 2)}
_BY = {"none": (0, 0), "only": (0, 1), "best": (0, math.inf), "equal": (0, 0), "disagree": (2, 2)}


class Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which of the models of a test set to keep, by all measures together; its text is a sentence.

    Attributes:
        test_set: The name of the test set.
        language: Its language code.
        kind: `none` is shown to be above all baselines; `only` one is; one is `best`, as it beats all others;
            two beat each other by different measures, which `disagree`; or the models are `equal`: they
            cannot be told apart.
        measures: By one of which a model must be shown to be above all baselines.
        chosen_by: By which contenders were compared; empty if by all of these.
        related: How many related words all models know, where these are too few to choose by them.
        related_needed: How many are needed.
        models: The model to keep; those that cannot be told apart; or the two on which measures disagree.
        by: Of `only`, the measures by which it is shown to be above all baselines. Of `best`, those by which
            it beats all others; or, if there are none, those by which it beats one of them, for each. Of two
            that `disagree`, those by which either is better.
        above: Of `only`, what the model is shown to be above by each of these measures: chance, and the
            baselines that there are.
        contenders: The models shown to be above chance, frequency and spelling by at least one measure, the
            best one first.
        lacking: What each of the others is not shown to be above, by measure; baselines are no models.
        known_words: How many test words are known to the model that knows most of them.
        built_words: How many others it builds from subwords.
        words: How many test words there are.
        few: Whether there is no interval by any measure.
        why_few: What there is too little of for one, and how much is needed.
        trainable: Whether they are vectors, which may be trained in another way.
        same: Models that have the same bytes under several names, together.
    """

    test_set: str
    language: str
    kind: Literal["none", "only", "best", "equal", "disagree"]
    measures: tuple[str, ...] = ()
    chosen_by: tuple[str, ...] = ()
    related: Count | None = None
    related_needed: Count = 0
    models: tuple[str, ...] = ()
    by: tuple[tuple[str, ...], ...] = ()
    above: Mapping[str, tuple[str, ...]] = {}
    contenders: tuple[str, ...] = ()
    lacking: Mapping[str, Mapping[str, tuple[str, ...]]] = {}
    known_words: Count = 0
    built_words: Count = 0
    words: Count = 0
    few: bool = False
    why_few: str = ""
    trainable: bool = True
    same: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        """Refuse an answer that names too many models, or too few."""
        least, most = _MODELS[self.kind]
        fewest, ways = _BY[self.kind]
        if not (least <= len(self.models) <= most and fewest <= len(self.by) <= ways):
            raise ValueError(f"models: {len(self.models)} cannot be the answer {self.kind!r}")

    def is_of(self, test_set: str, language: str) -> bool:
        """Whether it is of the models on a test set."""
        return (self.test_set, self.language) == (test_set, language)

    @property
    def best(self) -> str | None:
        """The model to keep; None if none can be named."""
        return self.models[0] if self.kind in ("only", "best") else None

    @property
    def number(self) -> int:
        """How many models there are."""
        return len(self.contenders) + len(self.lacking)

    def __str__(self) -> str:
        copies = map("{} are copies of one model.".format, map(listed, self.same))
        return " ".join(filter(None, (self._answer, self._too_few, *copies)))

    @property
    def _too_few(self) -> str:
        """That it was not chosen by related words, and why."""
        if self.related is None:
            return ""
        return f"There are too few related words ({self.related:,} of {self.related_needed:,}) to choose by."

    @property
    def _answer(self) -> str:
        number, several = self.number, len(self.measures) > 1
        if self.kind == "none" and not self.measures:
            return "No model is chosen: none of these measures chooses one."
        if self.kind == "none":
            missing = f"shown to be {self._missing}.{f' {self._advice}' if self.trainable else ''}"
            if number > 1:
                return f"Keep none by this: none of the {number} models is {missing}"
            return (
                f"Do not keep this model by {'these tests' if several else 'this test'}: it is not {missing}"
            )
        if self.kind == "only":
            which = f"the only one of {number} models that is" if number > 1 else "it is"
            return f"Keep {self.models[0]}: {which} shown to be {self._shown}."
        if self.kind == "best":
            others = [each for each in self.contenders if each != self.models[0]]
            worse = ", and worse by none" if len(self._compared_by) > 1 else ""
            return f"Keep {self.models[0]}: it is better than {listed(others)}{self._by}{worse}."
        if self.kind == "disagree":
            one, two = (
                f"{model} is better by {listed(own)}" for model, own in zip(self.models, self.by, strict=True)
            )
            return (
                f"The measures disagree: {one}, {two}. For groups of words go by OddOneOut, for nearest "
                "neighbours by Topk."
            )
        which = "either" if len(self.models) < 3 else "any of them"
        by = f" by {listed(self._compared_by, 'or')}" if self._compared_by else ""
        together = ", with the tests of all measures corrected together" if len(self._compared_by) > 1 else ""
        return f"Keep {which}: {listed(self.models)} cannot be told apart{by}{together}{self._mean}."

    @property
    def _mean(self) -> str:
        """What else can be done with equal vectors; those of several languages are several files each.

        The mean of copies is the same vectors again.
        """
        copied = any(len({*group} & {*self.models}) > 1 for group in self.same)
        able = self.trainable and self.language != "mul" and not copied
        return "; or average them: `evaluator average`" if able else ""

    @property
    def _compared_by(self) -> tuple[str, ...]:
        return self.chosen_by or self.measures

    @property
    def _by(self) -> str:
        """By which measures the best model wins."""
        every = " or ".join(map(listed, self.by))
        return f", by {every}" if every else ""

    @property
    def _missing(self) -> str:
        """What no model is shown to be above, and by which measures."""
        lacks: dict[str, list[set[str]]] = {}
        for own in self.lacking.values():
            for measure, levels in own.items():
                lacks.setdefault(measure, []).append({*levels})
        by: dict[str, list[str]] = {}
        for measure, of_models in lacks.items():
            every, shared = sorted(set.union(*of_models)), sorted(set.intersection(*of_models))
            together = f"{'both' if len(every) == 2 else 'all of'} {listed(every)}"
            what = "chance" if "chance" in shared else " or ".join(shared) or together
            by.setdefault(what, []).append(measure)
        return _above(by, "or")

    @property
    def _shown(self) -> str:
        """What the only contender is above, and by which measures."""
        by: dict[str, list[str]] = {}
        for measure in (*self.by, ())[0]:
            levels = self.above.get(measure, ("chance", "all baselines that there are"))
            by.setdefault(listed(levels), []).append(measure)
        return _above(by, "and")

    @property
    def _advice(self) -> str:
        """What to do next, from the numbers at hand."""
        if self.few:
            asked = [each for each in map(measure_named, self.measures) if each is not None]
            every = "" if all(each.known_only for each in asked) else ", or score with `--oov wrong`"
            why = self.why_few or "too few known words or categories"
            return f"There are {why}: take a larger test set (see `evaluator plan`){every}."
        if self.known_words < FEW * self.words:
            built = f" ({self.built_words:,} others are built from subwords, which is not knowing them)"
            return (
                f"Only {self.known_words:,} of {self.words:,} test words are known"
                f"{built if self.built_words else ''}: train on more text, lower the minimum count, or see "
                "what `evaluator coverage` advises."
            )
        lacks = [own for of_model in self.lacking.values() for own in of_model.values()]
        nearest = min(lacks, key=len, default=("chance",))  # of what lacks least
        if "frequency" in nearest and "chance" not in nearest and _MATCHED not in self.measures:
            scored = {each.scores for each in map(measure_named, self.measures) if each is not None}
            if "categories" in scored:
                return f"Train for more epochs, or score by {_MATCHED}, where frequency is no help."
        if "chance" in nearest or "frequency" in nearest:
            return "Train for more epochs, or on more text."
        return "Train word2vec, which does not see letters, or train on more text."


def _above(by: Mapping[str, Iterable[str]], last: str) -> str:
    """What is told of levels, each with the measures of which it is true."""
    told = []
    for levels, measures in by.items():
        told.append(f"above {levels} by {listed(measures, last)}")
    return f", {last} ".join(told) or "above chance"


def listed(names: Iterable[str], last: str = "and") -> str:
    """The first of some names, and how many more there are, in a sentence."""
    shown = first_few(list(names), _NAMED, "{} more")
    return f" {last} ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))
