"""How scores are computed, and how models are trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.errors import ScoreError, TrainingError

OOV = Literal["wrong", "skip"]
Built = Literal["unknown", "known"]
Norm = Literal["unit", "none"]
Case = Literal["exact", "fold", "upper"]
Multiword = Literal["keep", "join", "mean", "drop"]
Levels = Literal["equal", "halved"]
SmallCategories = Literal["skip", "score"]
Model = Literal["word2vec", "fasttext", "svd"]
Architecture = Literal["skip-gram", "cbow"]

MODELS = ("word2vec", "fasttext")
"""Those that are trained in epochs, by gensim or a program."""
ARCHITECTURES = ("skip-gram", "cbow")

_CHOICES = {
    "oov": OOV,
    "built": Built,
    "norm": Norm,
    "case": Case,
    "multiword": Multiword,
    "levels": Levels,
    "small_categories": SmallCategories,
}


@dataclass(frozen=True)
class Settings:
    """The settings of a run, which are the same for all its measures.

    Attributes:
        oov: `wrong` counts comparisons with OOV words as misses; `skip` leaves OOV words out.
        built: What words are whose vectors a model builds from subwords: `unknown`, so OOV, with scores of
            their own beside the others; or `known`, as in gensim.
        norm: `unit` compares directions; `none` compares raw vectors if a measure uses distances.
        case: `fold` ignores case: words are equal if their folded forms are, and of several such words of the
            vocabulary only the first is used. `exact` compares words as they are. `upper` is as in gensim:
            words are looked up by their upper case, and the whole vocabulary is used.
        vocabulary: Only this many of the most frequent words are used; None for all.
        profile: The orthography profile that normalizes test words and vocabulary; "" for none.
        multiword: How test words of several words are treated: `keep` looks for them as they are, `join` with
            `_` between the words, `mean` takes the mean of the words' unit vectors, `drop` leaves them out.
        levels: The weights of categories of a hierarchy in the mean: `equal`, or `halved` with each level
            down, 2^-level for the level of a category (0 at the top), so that higher ones have more weight.
        small_categories: `skip` leaves out categories of fewer than three words, or of fewer than k, so that
            all measures stand on the same ones. With `score`, each measure scores all that its formula can:
            Topk those of two words, OddOneOut those of k.
        seed: For measures that use random numbers, and for intervals.
    """

    oov: OOV = "wrong"
    built: Built = "unknown"
    norm: Norm = "unit"
    case: Case = "fold"
    vocabulary: int | None = None
    profile: str = ""
    multiword: Multiword = "keep"
    levels: Levels = "equal"
    small_categories: SmallCategories = "skip"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values that do not exist."""
        for name, choices in _CHOICES.items():
            allowed = get_args(choices)
            if getattr(self, name) not in allowed:
                raise ScoreError(f"{name} is {getattr(self, name)!r}; choose from {', '.join(allowed)}")
        if self.seed < 0:
            raise ScoreError(f"seed is {self.seed}; it must be 0 or more")
        if self.profile:
            from evaluator.text.normalization import parse_profile

            object.__setattr__(self, "profile", parse_profile(self.profile).name)
        if self.vocabulary is not None and self.vocabulary < 1:
            raise ScoreError(
                f"vocabulary is {self.vocabulary}; it must be 1 or more; leave it out for all words"
            )

    def weight(self, part: object) -> float:
        """That of a category, or of another part of a test set, in the mean."""
        return 2.0 ** -getattr(part, "level", 0) if self.levels == "halved" else 1.0

    @property
    def signature(self) -> dict[str, str]:
        """What the signature of a score says of the settings."""
        return {
            "norm": self.norm,
            "oov": self.oov,
            "built": self.built,
            "case": self.case,
            "vocabulary": str(self.vocabulary or "all"),
            **({"profile": self.profile} if self.profile else {}),
            **({"multiword": self.multiword} if self.multiword != "keep" else {}),
            **({"levels": self.levels} if self.levels != "equal" else {}),
            **({"small-categories": self.small_categories} if self.small_categories != "skip" else {}),
        }


GENSIM = Settings(oov="skip", case="upper", vocabulary=300_000)
"""The conventions of gensim's evaluate_word_analogies and evaluate_word_pairs, by default."""

GENSIM_EVALUATIONS = Settings(built="known", case="exact", small_categories="score")
"""The conventions of the papers' own library, gensim-evaluations 0.1.2, with `allow_oov=True`."""

PRESETS: Mapping[str, Settings] = {"gensim": GENSIM, "gensim-evaluations": GENSIM_EVALUATIONS}
"""The conventions of other programs, by their names."""


_Positive = Annotated[int, msgspec.Meta(ge=1)]

SEEDS = range(2**32)
"""The seeds of training: what gensim takes."""

_Rate = Annotated[float, msgspec.Meta(gt=0, le=10)]
_Shift = Annotated[float, msgspec.Meta(ge=1)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

_TRAINED: Mapping[str, object] = {"architecture": "cbow", "learning_rate": 0.025, "epochs": 5}
_COUNTED: Mapping[str, object] = {
    "dynamic_window": True,
    "shift": 1.0,
    "smoothing": 0.75,
    "eigenvalues": 0.5,
    "add_contexts": False,
}
_OWN: Mapping[str, Mapping[str, object]] = {"word2vec": _TRAINED, "fasttext": _TRAINED, "svd": _COUNTED}
"""The hyper-parameters that only some models have, with their defaults."""


@dataclass(frozen=True)
class Hyperparameters:
    """What a model is trained with; the defaults of word2vec and fastText are gensim's own.

    A hyper-parameter that the model does not have is UNSET; one that is not given has the model's default.

    Attributes:
        model: `word2vec` (Mikolov et al. 2013); `fasttext` with its subwords (Bojanowski et al. 2017); or
            `svd` of positive PMI (Levy, Goldberg and Dagan 2015).
        architecture: `skip-gram` or `cbow`.
        dimension: d of the vectors.
        window: How many words to either side are context, at most.
        learning_rate: The first one; it falls linearly to gensim's `min_alpha`, 0.0001.
        min_count: Words that occur less often are left out.
        lemmas: Whether the corpus is lemmatized first.
        epochs: How often the corpus is read.
        dynamic_window: Of svd: whether near words count more, the word at a distance of n
            ``(window - n + 1) / window`` times.
        shift: k of svd: log k is taken from all PMI, as by k negative samples; 1 takes nothing.
        smoothing: Of svd: the exponent of the counts of contexts, cds in the paper; 1 does not smooth.
        eigenvalues: Of svd: the exponent p of the singular values; 0 leaves them out.
        add_contexts: Of svd: whether the vector of a word as context is added, w + c in the paper.
    """

    model: Model = "word2vec"
    architecture: Architecture | UnsetType = UNSET
    dimension: _Positive = 100
    window: _Positive = 5
    learning_rate: _Rate | UnsetType = UNSET
    min_count: _Positive = 5
    lemmas: bool = False
    epochs: _Positive | UnsetType = UNSET
    dynamic_window: bool | UnsetType = UNSET
    shift: _Shift | UnsetType = UNSET
    smoothing: _Share | UnsetType = UNSET
    eigenvalues: _Share | UnsetType = UNSET
    add_contexts: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Refuse values that do not exist, and take the defaults of the model."""
        if self.model not in _OWN:
            raise TrainingError(f"model is {self.model!r}; choose from {', '.join(_OWN)}")
        for name in {**_TRAINED, **_COUNTED}:
            given = getattr(self, name) is not UNSET
            if given and name not in _OWN[self.model]:
                own = ", ".join(self.names(self.model))
                raise TrainingError(f"{name} is no hyper-parameter of {self.model}; these are: {own}")
            if not given:
                object.__setattr__(self, name, _OWN[self.model].get(name, UNSET))
        self._check_ranges()

    def _check_ranges(self) -> None:
        own = self.own
        if own.get("architecture", "cbow") not in ARCHITECTURES:
            raise TrainingError(
                f"architecture is {self.architecture!r}; choose from {', '.join(ARCHITECTURES)}"
            )
        for name in ("dimension", "window", "min_count", "epochs", "shift"):
            if own.get(name, 1) < 1:
                raise TrainingError(f"{name} is {own[name]}; it must be 1 or more")
        if not math.isfinite(own.get("shift", 1)):
            raise TrainingError(f"shift is {self.shift}; it must be a finite number")
        for name in ("smoothing", "eigenvalues"):
            if not 0 <= own.get(name, 0) <= 1:
                raise TrainingError(f"{name} is {own[name]}; it must be from 0 to 1")
        if not 0 < own.get("learning_rate", 1) <= 10:
            raise TrainingError(f"learning_rate is {self.learning_rate}; it must be above 0, and 10 at most")

    @classmethod
    def names(cls, model: str) -> tuple[str, ...]:
        """The hyper-parameters that a model has."""
        others = {**_TRAINED, **_COUNTED}.keys() - _OWN[model].keys()
        return tuple(each.name for each in fields(cls) if each.name not in others)

    @property
    def own(self) -> dict[str, Any]:
        """Those that the model has, by their names."""
        return {name: getattr(self, name) for name in self.names(self.model)}

    def __str__(self) -> str:
        """For tables."""
        if self.model != "svd":
            return (
                f"{self.model} {self.architecture}, dimension {self.dimension}, window {self.window}, "
                f"rate {self.learning_rate:g}, min count {self.min_count}{', lemmas' if self.lemmas else ''}"
            )
        window = f"{'dynamic ' if self.dynamic_window else ''}window {self.window}"
        return (
            f"svd, dimension {self.dimension}, {window}, shift {self.shift:g}, smoothing {self.smoothing:g}, "
            f"eigenvalues {self.eigenvalues:g}{', contexts added' if self.add_contexts else ''}, "
            f"min count {self.min_count}{', lemmas' if self.lemmas else ''}"
        )
