"""Scores of a world straight from the definitions: slow, in double precision, without evaluator's code.

Where two values are so near each other that single precision cannot tell whether they are equal, a comparison
is right or wrong; so a score is the least and the greatest value that it can have. Almost always both are
equal.
Measures that draw random numbers draw them here as evaluator does, which no definition says; how words are
clustered is not defined either.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from evaluator.datasets.outlier_groups import outlier_groups  # which says what is drawn
from evaluator.settings import PRESETS, Settings
from evaluator.text.normalization import parse_profile
from tests.worlds.generate import Array, World
from tests.worlds.sources import in_memory

TURKIC = ("tr", "az")  # of the languages that worlds have
CELL = 2.0**-40  # cosines are equal if they are when rounded to so much
UNSURE_CELL = 0.02  # of a cell: what sums in double precision may differ by
TIE = 2.0**-20  # in single precision, sums of two cosines that differ by less are equal
UNSURE = 0.6 * TIE  # what single precision may be wrong by
OF_DIMENSIONS = 45  # up to which that holds; of more, it is in proportion
EXACT_TIE = 2.0**-40
SINGLE = 2.0**-23  # of a vector's length: what rounding to single precision may change
MOST_PAIRS = 400_000  # a category of more pairs is not compared with its definition

Bounds = tuple[float, float]
"""The least and the greatest value."""


@dataclass(frozen=True)
class Expected:
    """What a measure says of a world.

    Attributes:
        value: The score; None if nothing can be scored.
        parts: The score of each category, section or group by name; None for those that are skipped.
    """

    value: Bounds | None
    parts: Mapping[str, Bounds | None]


def settings_of(world: World) -> Settings:
    """All settings of a world."""
    return replace(PRESETS[world.preset] if world.preset else Settings(), **world.settings)


def refused(world: World) -> bool:
    """Whether the vectors cannot be used."""
    with np.errstate(over="ignore"):
        matrix = world.matrix.astype(np.float32)
    return not (np.isfinite(matrix).all() and matrix.any(axis=1).all())


class Known:
    """The vocabulary of a world in the form in which words are compared, and the vectors of test words."""

    def __init__(self, world: World, settings: Settings, blur: float = 0.0) -> None:
        self.settings, self.blur = settings, blur
        self.language = world.test_set.get("named_in") or world.test_set["language"]
        most = settings.vocabulary or len(world.words)
        keys = [self.form(word) for word in world.words[:most]]
        matrix = world.matrix[:most].astype(np.float32).astype(np.float64)
        self.index: dict[str, int] = {}
        kept = []
        for row, key in enumerate(keys):
            if settings.case == "upper" or key not in self.index:
                self.index.setdefault(key, len(kept))
                kept.append(row)
        self.keys, self.matrix = [keys[row] for row in kept], matrix[kept]
        self.units = _unit(self.matrix)
        angles = np.pi / 2 * np.log1p(kept) / np.log1p(len(world.words))
        self._similar: dict[str, Array] = {}
        self.circle = np.column_stack((np.cos(angles), np.sin(angles)))
        self.rarest_is_odd = False
        self.unsure = UNSURE * max(1, matrix.shape[1] / OF_DIMENSIONS)
        self.model: Known | None = None

    def of_frequency(self, *, rarest_is_odd: bool = False) -> Known:
        """The same words of a model that knows only how frequent they are."""
        other = object.__new__(Known)
        other.__dict__ |= self.__dict__ | {"matrix": self.circle, "units": self.circle, "_similar": {}}
        other.__dict__.pop("longest", None)
        other.blur, other.rarest_is_odd, other.unsure = 1e-6, rarest_is_odd, UNSURE
        other.model = self
        return other

    @property
    def size(self) -> int:
        """v."""
        return len(self.keys)

    def form(self, word: str) -> str:
        """The form in which a word is compared."""
        settings = self.settings
        if settings.profile:
            word = parse_profile(settings.profile)(word)
        if settings.case == "exact":
            return word
        if settings.case == "upper":
            return word.upper()
        for capital in ("İ", "I\u0307", "i\u0307"):
            word = word.replace(capital, "i")
        return (word.replace("I", "ı") if self.language in TURKIC else word).casefold()

    def forms(self, words: Iterable[str]) -> list[str]:
        """Those of test words, each once, without those that are left out."""
        found = {}
        for word in words:
            parts = word.split()
            if len(parts) < 2 or self.settings.multiword != "drop":
                joined = len(parts) > 1 and self.settings.multiword == "join"
                found[self.form("_".join(parts) if joined else word)] = None
        return list(found)

    def vector(self, form: str) -> Array | None:
        """That of a test word that the model knows, of its own length; None for one that has none."""
        if self.model is not None and self.model.vector(form) is None:
            return None
        if form in self.index:
            return np.asarray(self.matrix[self.index[form]])
        parts = form.split()
        if self.settings.multiword == "mean" and len(parts) > 1 and all(each in self.index for each in parts):
            mean = np.asarray(np.mean([self.units[self.index[each]] for each in parts], axis=0))
            return mean if np.linalg.norm(mean) > 2.0**-20 else None
        return None

    def unit(self, form: str) -> Array | None:
        """The same of length 1; zeros stay."""
        vector = self.vector(form)
        return None if vector is None else _unit(vector[None])[0]

    def row(self, form: str) -> int:
        """The place of a test word in the vocabulary; -1 for those that are not in it."""
        return self.index.get(form, -1)

    @cached_property
    def longest(self) -> float:
        """The length of the longest vector, beside which raw ones are compared."""
        most = np.abs(self.matrix).max()
        return float(np.linalg.norm(self.matrix / most, axis=1).max() * most)

    def similar(self, form: str) -> Array:
        """How similar a test word is to all words of the vocabulary, where OddOneOut compares sums."""
        if form not in self._similar:
            if self.settings.norm == "unit":
                self._similar[form] = self.units @ self.unit(form)
            else:
                apart = (self.matrix - self.vector(form)) / self.longest
                self._similar[form] = -(apart**2).sum(axis=1) / 2
        return self._similar[form]

    def similarity(self, one: str, other: str) -> float:
        """The same of two test words."""
        if other in self.index:
            return float(self.similar(one)[self.index[other]])
        return float(self.unit(one) @ self.unit(other))  # built ones are compared with unit vectors alone

    def found(self, words: Iterable[str]) -> tuple[list[str], list[str]]:
        """The forms of test words that have a vector, and the others."""
        forms = self.forms(words)
        return [f for f in forms if self.vector(f) is not None], [f for f in forms if self.vector(f) is None]


def _unit(matrix: Array) -> Array:
    longest = np.abs(matrix).max(axis=1, keepdims=True, initial=0)
    scaled = matrix / np.where(longest == 0, 1, longest)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(scaled / np.where(lengths == 0, 1, lengths))


def expected(world: World, measure: str, known: Known) -> Expected | None:
    """What a measure must say; None if that is not defined here."""
    name, options, k = _parsed(measure)
    if name == "Topk":
        return _over_categories(world, known, max(k, 3), 2, lambda words, _: _topk(words, known, k))
    if name == "OddOneOut":
        return _odd_one_out(world, known, k, options)
    if name == "CategoryOutliers":
        return _category_outliers(world, known, options)
    if name == "SynonymDetection":
        return _synonyms(world, known, k)
    if name == "Analogy":
        return _analogies(world, known, k, options)
    if name == "AnalogySpace":
        return _analogy_space(world, known, options.get("method", "Cos"))
    return _ranks(world, name, options, known)


def _ranks(world: World, name: str, options: Mapping[str, str], known: Known) -> Expected | None:
    """What KeywordRank and PairRank must say; None of other measures."""
    if name == "KeywordRank":
        families = world.test_set.get("groups", ())
        return _mean({each["name"]: _keywords(each, known, options.get("value", "MRR")) for each in families})
    if name == "PairRank":
        return _pair_ranks(world, known, options)
    return None


def baseline(world: World, measure: str, known: Known) -> Bounds | None:
    """The score of who knows only how frequent words are; None if it is not defined here.

    Of OddOneOut of all words outside, it is the higher one: by nearness in rank, or of the rarest word.
    """
    near = expected(world, measure, known.of_frequency())
    if near is None:
        return None
    low, high = near.value or (0.0, 0.0)
    if measure.startswith("OddOneOut") and "out=matched" not in measure:
        rare = expected(world, measure, known.of_frequency(rarest_is_odd=True))
        if rare is not None and rare.value is not None:
            return max(low, rare.value[0]), max(high, rare.value[1])
    return low, high


def _parsed(measure: str) -> tuple[str, dict[str, str], int]:
    found = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(\d+))?", measure)
    assert found is not None
    options = dict(each.split("=") for each in found[2].split(",")) if found[2] else {}
    return found[1], options, int(found[3] or 3)


def _mean(parts: Mapping[str, Bounds | None], weights: Mapping[str, float] | None = None) -> Expected:
    """The mean of what is not skipped."""
    counted = {name: each for name, each in parts.items() if each is not None}
    if not counted:
        return Expected(None, parts)
    weight = {name: (weights or {}).get(name, 1.0) for name in counted}
    low, high = (
        math.fsum(weight[name] * each[end] for name, each in counted.items()) / math.fsum(weight.values())
        for end in (0, 1)
    )
    return Expected((low, high), parts)


def _over_categories(world: World, known: Known, needed: int, least: int, score: Any) -> Expected | None:
    """The mean over categories: small ones are skipped; `score` says what the others have."""
    if not world.test_set["categories"]:
        return Expected(None, {})
    settings = known.settings
    parts: dict[str, Bounds | None] = {}
    for category in world.test_set["categories"]:
        have, lack = known.found(_words(category))
        words = have + lack if settings.oov == "wrong" else have
        if len(words) < (needed if settings.small_categories == "skip" else least):
            parts[category["name"]] = None
        elif (found := score(words, category["name"])) is None:
            return None
        else:
            parts[category["name"]] = found
    return _mean(parts, _weights(world, settings))


def _weights(world: World, settings: Settings) -> dict[str, float]:
    """How much each category counts."""
    step = 2.0 if settings.levels == "halved" else 1.0
    return {each["name"]: step ** -each.get("level", 0) for each in world.test_set["categories"]}


def _words(category: Mapping[str, Any]) -> Iterator[str]:
    yield from dict.fromkeys(word for item in category["items"] for word in item["words"])


def _topk(words: Sequence[str], known: Known, k: int) -> Bounds:
    """Equation 1."""
    have = [word for word in words if known.vector(word) is not None]
    if len(have) < 2 or k >= known.size:
        return 0.0, 0.0
    members = {known.row(word) for word in have} - {-1}
    low = high = 0
    for word in have:
        own = known.row(word)
        cosines = known.units @ known.unit(word)
        for member in members - {own}:
            sure, maybe = _ahead(cosines, member, own, known.blur)
            low += maybe < k
            high += sure < k
    return low / (len(words) * k), high / (len(words) * k)


def _ahead(values: Array, which: int, own: int, blur: float) -> tuple[int, int]:
    """How many words are surely nearer than one of them, and how many may be."""
    if blur:
        sure, maybe = values > values[which] + blur, values > values[which] - blur
    else:
        cells = values / CELL
        low, high = np.rint(cells - UNSURE_CELL), np.rint(cells + UNSURE_CELL)
        before = np.arange(len(values)) < which
        sure = (low > high[which]) | ((low == high[which]) & before)
        maybe = (high > low[which]) | ((high == low[which]) & before)
    others = np.arange(len(values)) != which
    if own >= 0:
        others[own] = False
    return int((sure & others).sum()), int((maybe & others).sum())


def _odd_one_out(world: World, known: Known, k: int, options: Mapping[str, str]) -> Expected | None:
    matched = options.get("out") == "matched"
    order = k + 1 if matched else k
    samples = int(options["samples"]) if "samples" in options else None

    def score(words: Sequence[str], name: str) -> Bounds | None:
        have = [word for word in words if known.vector(word) is not None]
        members = {known.row(word) for word in have} - {-1}
        outside = [row for row in range(known.size) if row not in members]
        if len(have) < order or not outside:
            return 0.0, 0.0
        if known.settings.norm == "none" and any(known.row(word) < 0 for word in have):
            return None  # a mean of unit vectors among raw ones decides what the longest vector is
        if samples is not None and samples < math.comb(len(words), k) * len(outside):
            if known.rarest_is_odd:
                return None  # of pairs that are drawn, nearness in rank is the only baseline
            return _sampled(words, outside, known, k, samples, name)
        if math.comb(len(have), k) * len(outside) * (10 if matched else 1) > MOST_PAIRS:
            return None
        return _matched(words, members, known, k) if matched else _every_pair(words, outside, known, k)

    return _over_categories(world, known, max(order, 3), order, score)


def _every_pair(words: Sequence[str], outside: Sequence[int], known: Known, k: int) -> Bounds:
    """P: a pair whose subset has an OOV word is a miss."""
    have = [word for word in words if known.vector(word) is not None]
    found = [_odd(subset, outside, known) for subset in itertools.combinations(have, k)]
    pairs = math.comb(len(words), k) * len(outside)
    return sum(int(each.sum()) for each, _ in found) / pairs, sum(
        int(each.sum()) for _, each in found
    ) / pairs


def _matched(words: Sequence[str], members: set[int], known: Known, k: int) -> Bounds:
    """Q: the odd word is one next in rank to a word of the category, which it replaces."""
    low = high = trials = 0
    for replaced in words:
        near = _next_in_rank(known.row(replaced), members, known.size)
        trials += math.comb(len(words) - 1, k) * len(near)
        others = [word for word in words if word != replaced and known.vector(word) is not None]
        for subset in itertools.combinations(others if known.vector(replaced) is not None else (), k):
            sure, maybe = _odd(subset, near, known)
            low, high = low + int(sure.sum()), high + int(maybe.sum())
    return low / trials, high / trials


def _next_in_rank(row: int, members: set[int], size: int) -> list[int]:
    """M(r): the 10 words outside the category next in rank."""
    row = size if row < 0 else row
    above = [each for each in range(row - 1, -1, -1) if each not in members]
    below = [each for each in range(row, size) if each not in members]
    more = max(0, 5 - len(above)), max(0, 5 - len(below))
    return above[: 5 + more[1]] + below[: 5 + more[0]]


def _odd(subset: Sequence[str], outside: Sequence[int], known: Known) -> tuple[Array, Array]:
    """Beside some words, which of others are surely the odd one, and which may be: equations 3 to 7."""
    if known.rarest_is_odd:
        vectors = np.array([*known.matrix[outside], *map(known.vector, subset)])
        angles = np.arctan2(*vectors.T[::-1])  # which grow with the rank
        rarer = angles[: len(outside)] - angles[len(outside) :].max()
        return rarer > known.blur, rarer > -known.blur
    across = np.array([known.similar(word)[outside] for word in subset])
    inner = np.array([[known.similarity(one, other) for other in subset] for one in subset])
    within = inner.sum(axis=1) - inner.diagonal()
    margin = (within[:, None] - (across.sum(axis=0) - across)).min(axis=0) / (len(subset) - 1)
    raw = known.settings.norm == "none"
    tie, unsure = (EXACT_TIE, EXACT_TIE / 4) if raw else (TIE, known.unsure)
    return margin > tie + max(unsure, known.blur), margin > tie - max(unsure, known.blur)


def _sampled(
    words: Sequence[str], outside: Sequence[int], known: Known, k: int, samples: int, name: str
) -> Bounds | None:
    """Of pairs that are drawn: subsets are numbered in the order of their last word, its last but one, …"""
    subsets = math.comb(len(words), k)
    if subsets > MOST_PAIRS:
        return None
    generator, drawn = random.Random(f"{known.settings.seed} {name}"), {}
    while len(drawn) < samples:
        drawn[generator.randrange(subsets * len(outside))] = None
    numbered = sorted(itertools.combinations(range(len(words)), k), key=lambda subset: subset[::-1])
    low = high = 0
    for pair in drawn:
        subset = [words[each] for each in numbered[pair % subsets]]
        if all(known.vector(word) is not None for word in subset):
            sure, maybe = _odd(subset, [outside[pair // subsets]], known)
            low, high = low + int(sure[0]), high + int(maybe[0])
    return low / samples, high / samples


def _category_outliers(world: World, known: Known, options: Mapping[str, str]) -> Expected:
    """Those of groups that are drawn."""
    if not world.test_set["categories"]:
        return Expected(None, {})
    size, out = int(options.get("size", 8)), options.get("out", "graded")
    groups = outlier_groups(in_memory(world), size, 8, known.settings.seed, out)  # type: ignore[arg-type]
    listed = [(group.name, group.members, group.outliers) for group in groups]
    return groups_expected(listed, known, opp=options.get("score") == "OPP")


def groups_expected(
    groups: Sequence[tuple[str, Sequence[str], Sequence[str]]], known: Known, *, opp: bool
) -> Expected:
    """Equation 1 of Camacho-Collados & Navigli, on groups: name, members, outliers."""
    skip = known.settings.oov == "skip"
    low = high = 0.0
    trials = 0
    parts: dict[str, Bounds | None] = {}
    any_scored = False
    for name, own, others in groups:
        members = known.forms(own)
        of_outliers = [known.forms([each]) for each in others]
        outliers = [each[0] for each in of_outliers if each and each[0] not in members]
        have = [each for each in members if known.vector(each) is not None]
        usable = [each for each in outliers if known.vector(each) is not None]
        if not outliers or (len(have) if skip else len(members)) < 2 or (skip and not usable):
            parts[name] = None
            continue
        any_scored = True
        n = len(have) if skip else len(members)
        trials += len(usable) if skip else len(outliers)
        if len(have) < 2:
            continue
        for outlier in usable:
            below, above = _position(have, outlier, known)
            if opp:
                low, high = low + below[0] / n, high + below[1] / n
            else:
                low, high = low + (above[0] == n), high + (above[1] == n)
    whole = (low / trials, high / trials) if any_scored else None
    return Expected(whole, {**({"all groups": whole} if any_scored else {}), **parts})


def _position(members: Sequence[str], outlier: str, known: Known) -> tuple[Bounds, Bounds]:
    """OP with ties as halves, and without them: the least and the greatest."""
    points = np.array([known.unit(each) for each in (*members, outlier)])
    similar = points @ points.T
    of_each = similar.sum(axis=1) - similar.diagonal()
    ahead, tie = of_each[:-1] - of_each[-1], EXACT_TIE * len(members)
    unsure = max(tie / 4, known.blur * len(members))
    win = ahead > tie + unsure, ahead > tie - unsure
    draw = ahead >= -tie + unsure, ahead >= -tie - unsure
    halves = (win[0].sum() + draw[0].sum()) / 2, (win[1].sum() + draw[1].sum()) / 2
    return halves, (win[0].sum(), win[1].sum())


def _synonyms(world: World, known: Known, k: int) -> Expected:
    """How often a word's synonym is nearer than k other words."""
    parts = {each["name"]: _synonyms_of(each, known, k) for each in world.test_set["categories"]}
    return _mean(parts, _weights(world, known.settings))


def _synonyms_of(category: Mapping[str, Any], known: Known, k: int) -> Bounds | None:
    item_of: dict[str, str] = {}
    for item in category["items"]:
        for form in known.forms(item["words"]):
            item_of.setdefault(form, item["id"])
    if known.settings.oov == "skip":
        item_of = {form: item for form, item in item_of.items() if known.vector(form) is not None}
    asked = [item for item in dict.fromkeys(item_of.values()) if list(item_of.values()).count(item) > 1]
    sizes = [list(item_of.values()).count(item) for item in asked]
    if len(asked) < 2 or len(item_of) - max(sizes) < k:
        return None
    low, high = [], []
    for item in asked:
        own = [form for form in item_of if item_of[form] == item]
        others = [form for form in item_of if item_of[form] != item]
        shares = [
            _share_of_choices(one, other, others, known, k) for one, other in itertools.permutations(own, 2)
        ]
        low.append(np.mean([each[0] for each in shares]))
        high.append(np.mean([each[1] for each in shares]))
    return float(np.mean(low)), float(np.mean(high))


def _share_of_choices(word: str, synonym: str, others: Sequence[str], known: Known, k: int) -> Bounds:
    of_word, of_synonym = known.unit(word), known.unit(synonym)
    if of_word is None or of_synonym is None:
        return 0.0, 0.0
    near = float(of_word @ of_synonym)
    values = [float(unit @ of_word) for each in others if (unit := known.unit(each)) is not None]
    unsure = max(EXACT_TIE / 4, known.blur)
    sure = sum(value < near - EXACT_TIE - unsure for value in values)
    maybe = sum(value < near - EXACT_TIE + unsure for value in values)
    every = math.comb(len(others), k)
    return math.comb(sure, k) / every, math.comb(maybe, k) / every


Pair = tuple[str, tuple[str, ...]]


def _sections(world: World, known: Known, reverse: bool) -> Iterator[tuple[str, list[Pair]]]:
    """The pairs of each relation, none twice: a word, and its accepted answers."""
    for relation in world.test_set.get("relations", ()):
        words = {item["id"]: list(dict.fromkeys(item["words"])) for item in relation["items"]}
        asked = [(each["item"], each["of"]) for each in relation["pairs"]]
        raw = [(words[one][0], words[of]) for one, of in asked]
        if reverse:
            joined: dict[str, dict[str, None]] = {}
            for one, of in asked:
                joined.setdefault(words[of][0], {}).update(dict.fromkeys(words[one]))
            raw = [(words[of][0], list(joined[words[of][0]])) for _, of in asked]
        pairs = [(known.forms([word]), tuple(known.forms(answers))) for word, answers in raw]
        yield relation["name"], list(dict.fromkeys((one[0], other) for one, other in pairs if one and other))


def _analogies(world: World, known: Known, k: int, options: Mapping[str, str]) -> Expected:
    method, included = options.get("method", "3CosAdd"), options.get("inputs") == "included"
    parts: dict[str, Bounds | None] = {}
    for name, pairs in _sections(world, known, options.get("direction") == "reversed"):
        every = list(itertools.permutations(range(len(pairs)), 2))
        samples = int(options.get("samples", len(every)))
        if samples < len(every):
            generator, drawn = random.Random(f"{known.settings.seed} {name}"), {}
            while len(drawn) < samples:
                drawn[generator.randrange(len(every))] = None
            every = [every[each] for each in sorted(drawn)]
        found = [_question(pairs[i], pairs[j], known, k, method, included) for i, j in every]
        usable = [each for each in found if each is not None]
        counted = len(usable) if known.settings.oov == "skip" else len(every)
        if not counted or k + 3 > known.size:
            parts[name] = None
        else:
            parts[name] = sum(each[0] for each in usable) / counted, sum(each[1] for each in usable) / counted
    return _mean(parts)


def _question(one: Pair, other: Pair, known: Known, k: int, method: str, included: bool) -> Bounds | None:
    """Whether an accepted word is among the k best, surely and perhaps; None with OOV words."""
    answers = [form for form in one[1] if known.vector(form) is not None]
    accepted = {known.row(form) for form in other[1]} - {-1}
    if known.vector(one[0]) is None or known.vector(other[0]) is None or not answers or not accepted:
        return None
    asked = [one[0], answers[0], other[0]]
    a, b, c = (known.unit(form) for form in asked)
    to_a, to_b, to_c = (known.units @ each for each in (a, b, c))
    if method == "3CosAdd":
        values = to_b - to_a + to_c
    elif method == "3CosMul":
        values = (1 + to_b) / 2 * (1 + to_c) / 2 / ((1 + to_a) / 2 + 1e-6)
    else:
        lengths = np.linalg.norm(known.units - c, axis=1), np.linalg.norm(b - a)
        far = (lengths[0] > 1e-6) & (lengths[1] > 1e-6)
        values = (known.units - c) @ (b - a) / np.where(far, lengths[0] * lengths[1], np.inf)
    inputs = {known.row(form) for form in asked} - {-1}
    sure, maybe = _best(values, known, set() if included else inputs, accepted, k, method)
    return float(sure), float(maybe)


def _best(
    values: Array, known: Known, inputs: set[int], accepted: set[int], k: int, method: str
) -> tuple[bool, bool]:
    """Whether one of the accepted words is among the k best, surely and perhaps."""
    spelled = [known.index[key] for key in known.keys]
    # In single precision values differ by more where the denominators are small.
    near = max(2.0**-35, known.blur) * np.maximum(1, np.abs(values)) * (1 if method == "3CosAdd" else 64)
    own = [row for row in range(len(values)) if spelled[row] not in inputs]
    found = []
    for row in (each for each in own if spelled[each] in accepted):
        equal = np.abs(values - values[row]) < (0 if known.blur else 1e-13)
        unsure = ~equal & (np.abs(values - values[row]) < near)
        above = (values > values[row]) & ~equal & ~unsure
        above |= equal & (np.arange(len(values)) < row)
        unsure[row] = False
        sure = sum(bool(above[each]) for each in own)
        maybe = sure + sum(bool(unsure[each]) for each in own)
        found.append((maybe < k, sure < k))
    return any(each[0] for each in found), any(each[1] for each in found)


def _analogy_space(world: World, known: Known, method: str) -> Expected:
    parts: dict[str, Bounds | None] = {}
    for name, pairs in _sections(world, known, reverse=False):
        values, unsure, questions = [], [], 0
        for one, other in itertools.permutations(pairs, 2):
            questions += 1
            rows = [
                _first(known, [one[0]]),
                _first(known, one[1]),
                _first(known, [other[0]]),
                _first(known, other[1]),
            ]
            if all(row is not None for row in rows):
                ends = [_unit(row[None])[0] if method[0] == "N" else row for row in rows]
                values.append(_alike(method, *ends))
                unsure.append(_rounded(ends) if known.blur else 0.0)
        counted = len(values) if known.settings.oov == "skip" else questions
        mean = math.fsum(values) / counted if counted else 0.0
        away = 1e-6 + math.fsum(unsure) / max(1, counted)
        parts[name] = (mean - away, mean + away) if counted else None
    return _mean(parts)


def _first(known: Known, forms: Iterable[str]) -> Array | None:
    return next((vector for form in forms if (vector := known.vector(form)) is not None), None)


def _rounded(ends: Sequence[Array]) -> float:
    """How much `_alike` can differ if all vectors are rounded: an offset turns by up to rounding / length."""
    turned = [
        SINGLE * sum(map(np.linalg.norm, pair)) / max(np.linalg.norm(pair[1] - pair[0]), np.finfo(float).tiny)
        for pair in (ends[:2], ends[2:])
    ]
    return min(2.0, 2 * sum(turned)) if max(turned) < 0.5 else 2.0  # shorter ones have any direction, or none


def _alike(method: str, a: Array, b: Array, c: Array, d: Array) -> float:
    one, other = b - a, d - c
    for offset, ends in ((one, (a, b)), (other, (c, d))):
        if np.linalg.norm(offset) <= EXACT_TIE * sum(map(np.linalg.norm, ends)):
            offset[:] = 0
    lengths = np.linalg.norm(one), np.linalg.norm(other)
    if not all(lengths):
        return 0.0
    if method.endswith("Cos"):
        return float(one / lengths[0] @ (other / lengths[1]))
    return float(1 - np.linalg.norm(one - other) / sum(lengths))


def _keywords(family: Mapping[str, Any], known: Known, value: str) -> Bounds | None:
    """(M-c)/(1-c) of the known words of some groups."""
    groups = [known.found(item["words"])[0] for item in family["items"]]
    words = sorted({word for group in groups for word in group})
    unlike = {
        word: {each for each in words if each != word and not _spelled_alike(word, each)} for word in words
    }
    related = {
        word: {each for group in groups if word in group for each in group} & unlike[word] for word in words
    }
    if len(words) < 3 or not any(related.values()) or related == unlike:
        return None
    vectors = np.array([known.unit(word) for word in words])
    vectors -= vectors.mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1)
    if ((lengths > CELL / 4) & (lengths < max(4 * CELL, known.blur))).any():
        return -1.0, 1.0  # rounding decides whether these are the mean
    vectors = np.where(lengths[:, None] > CELL, vectors / np.maximum(lengths, CELL)[:, None], 0.0)
    unsure = max(UNSURE_CELL * CELL, known.blur) / min(1.0, lengths[lengths > CELL].min(initial=1.0))
    asked = [number for number, word in enumerate(words) if related[word]]
    low = high = chance = 0.0
    for number in asked:
        own = [place for place, word in enumerate(words) if word in related[words[number]]]
        wrong = [
            place for place, word in enumerate(words) if word in unlike[words[number]] and place not in own
        ]
        before = [_before(vectors @ vectors[number], each, wrong, unsure) for each in own]
        most = 1 if value == "MRR" else len(own)
        for k, (fewest, greatest) in enumerate(
            itertools.islice(zip(*map(sorted, zip(*before, strict=True)), strict=True), most), 1
        ):
            low, high = low + k / (k + greatest) / most, high + k / (k + fewest) / most
        chance += _expected_precision(len(own), len(unlike[words[number]]), most)
    scale = len(asked) - chance
    return max((low - chance) / scale, -1.0), max((high - chance) / scale, -1.0)


def _spelled_alike(one: str, other: str) -> bool:
    """Whether two words share half of the trigrams of `<word>` or more: forms of one word."""
    first, second = (Counter(f"<{word}>"[at : at + 3] for at in range(len(word))) for word in (one, other))
    return 4 * sum(first[each] * second[each] for each in first) ** 2 >= len(one) * len(other)


def _before(values: Array, which: int, others: Sequence[int], unsure: float) -> Bounds:
    """How many of other values are greater than one of them; equal ones are halves."""
    least, most = np.rint((values - unsure) / CELL), np.rint((values + unsure) / CELL)
    sure = (least[others] > most[which]).sum() + (least[others] >= most[which]).sum()
    maybe = (most[others] > least[which]).sum() + (most[others] >= least[which]).sum()
    return sure / 2, maybe / 2


def _expected_precision(m: int, n: int, most: int) -> float:
    """The mean of k/r, for the first k up to `most` of m words at random ranks r of n."""
    orders = sum(
        k / r * math.comb(r - 1, k - 1) * math.comb(n - r, m - k)
        for k in range(1, most + 1)
        for r in range(k, n + 1)
    )
    return orders / math.comb(n, m) / most


def _pair_ranks(world: World, known: Known, options: Mapping[str, str]) -> Expected:
    """(E-L)/(E-B) of each relation, at least -1, with the weight √n·(E-B)."""
    both = options.get("direction") == "both"
    ranks = _before_in_vocabulary if options.get("candidates") == "vocabulary" else _before_in_range
    parts: dict[str, Bounds | None] = {}
    weights: dict[str, float] = {}
    for name, every in _sections(world, known, reverse=False):
        first = [
            (one, next((each for each in other if known.vector(each) is not None), one))
            for one, other in every
        ]
        pairs = {pair for pair in first if pair[0] != pair[1] and known.vector(pair[0]) is not None}
        parts[name] = None
        if len(pairs) < 8 or len({b for _, b in pairs}) < 4:
            continue
        ways = [pairs, {(b, a) for a, b in pairs}][: 2 if both and len({a for a, _ in pairs}) > 3 else 1]
        low, high, best = map(
            math.fsum, zip(*(_ranks_above_chance(way, known, ranks) for way in ways), strict=True)
        )
        if best > 1e-9:
            parts[name], weights[name] = (
                (max(low / best, -1), max(high / best, -1)),
                math.sqrt(len(pairs)) * best,
            )
    return _mean(parts, weights)


Ranks = tuple[int, list[Bounds]]
"""How many candidates a word has, and how many of them stand before each of its partners."""


def _ranks_above_chance(pairs: set[tuple[str, str]], known: Known, ranks: Any) -> tuple[float, float, float]:
    """The least and the greatest E-L, and E-B."""
    found = []
    for a in {a for a, _ in pairs}:
        partners = [b for one, b in pairs if one == a]
        number, before = ranks(known, a, partners, {b for _, b in pairs} - {a})
        chance, best = (math.lgamma(each + 1) / each for each in (number, len(partners)))
        least, most = np.log1p(before).mean(axis=0)
        found.append((chance - most, chance - least, chance - best))
    low, high, best = np.mean(found, axis=0)
    return float(low), float(high), float(best)


def _before_in_range(known: Known, a: str, partners: Sequence[str], others: set[str]) -> Ranks:
    """Among the second words of a relation, in double precision."""
    words = sorted(others)
    cosines = np.array([known.unit(word) for word in words]) @ known.unit(a)
    unsure, places = max(UNSURE_CELL * CELL, known.blur), [words.index(b) for b in partners]
    return len(words), [
        _before(cosines, b, [each for each in range(len(words)) if each != b], unsure) for b in places
    ]


def _before_in_vocabulary(known: Known, a: str, partners: Sequence[str], _: set[str]) -> Ranks:
    """Among all words, in single precision."""
    cosines, unsure, found = known.units @ known.unit(a), max(known.unsure, known.blur), []
    for b in partners:
        apart = np.delete(
            cosines - known.unit(b) @ known.unit(a), sorted({known.row(a), known.row(b)} - {-1})
        )
        least, most = (
            ((apart > TIE + by).sum() + (apart >= -TIE + by).sum()) / 2 for by in (unsure, -unsure)
        )
        found.append((least, most))
    return known.size - (known.row(a) >= 0), found
