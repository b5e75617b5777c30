"""How scores are computed, and how models are trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import msgspec

from evaluator.errors import ScoreError, TrainingError

OOV = Literal["wrong", "skip"]
Built = Literal["unknown", "known"]
Norm = Literal["unit", "none"]
Case = Literal["exact", "fold", "upper"]
Multiword = Literal["keep", "join", "mean", "drop"]
Levels = Literal["equal", "halved"]
SmallCategories = Literal["skip", "score"]
Model = Literal["word2vec", "fasttext"]
Architecture = Literal["skip-gram", "cbow"]

MODELS = ("word2vec", "fasttext")
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
            raise ScoreError(f"vocabulary is {self.vocabulary}; use 1 or more, or None for all words")

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


@dataclass(frozen=True)
class Hyperparameters:
    """What a model is trained with; the defaults are gensim's own.

    Attributes:
        model: `word2vec` (Mikolov et al. 2013), or `fasttext` with its subwords (Bojanowski et al. 2017).
        architecture: `skip-gram` or `cbow`.
        dimension: d of the vectors.
        window: How many words to either side are context, at most.
        learning_rate: The first one; it falls linearly to gensim's `min_alpha`, 0.0001.
        min_count: Words that occur less often are left out.
        lemmas: Whether the corpus is lemmatized first.
        epochs: How often the corpus is read.
    """

    model: Model = "word2vec"
    architecture: Architecture = "cbow"
    dimension: _Positive = 100
    window: _Positive = 5
    learning_rate: Annotated[float, msgspec.Meta(gt=0, le=10)] = 0.025
    min_count: _Positive = 5
    lemmas: bool = False
    epochs: _Positive = 5

    def __post_init__(self) -> None:
        """Refuse values that do not exist."""
        for name, choices in (("model", MODELS), ("architecture", ARCHITECTURES)):
            if getattr(self, name) not in choices:
                raise TrainingError(f"{name} is {getattr(self, name)!r}; choose from {', '.join(choices)}")
        for name in ("dimension", "window", "min_count", "epochs"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if not 0 < self.learning_rate <= 10:
            raise TrainingError(f"learning_rate is {self.learning_rate}; it must be above 0, and 10 at most")

    def __str__(self) -> str:
        """For tables."""
        return (
            f"{self.model} {self.architecture}, dimension {self.dimension}, window {self.window}, "
            f"rate {self.learning_rate:g}, min count {self.min_count}{', lemmas' if self.lemmas else ''}"
        )
