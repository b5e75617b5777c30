"""How scores are computed, and how models are trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from evaluator.errors import ScoreError, TrainingError
from evaluator.text.orthography import parse_profile

OOV = Literal["wrong", "skip"]
Norm = Literal["unit", "none"]
Case = Literal["exact", "fold", "upper"]
Multiword = Literal["keep", "join", "mean", "drop"]
Levels = Literal["equal", "halved"]
Model = Literal["word2vec", "fasttext"]
Architecture = Literal["skip-gram", "cbow"]

MODELS = ("word2vec", "fasttext")
ARCHITECTURES = ("skip-gram", "cbow")

_CHOICES = {
    "oov": ("wrong", "skip"),
    "norm": ("unit", "none"),
    "case": ("exact", "fold", "upper"),
    "multiword": ("keep", "join", "mean", "drop"),
    "levels": ("equal", "halved"),
}


@dataclass(frozen=True)
class Settings:
    """What holds for all measures of a run.

    Attributes:
        oov: `wrong` counts what has no vector as a miss; `skip` takes it out.
        norm: `unit` compares directions; `none` compares raw vectors where a measure uses distances.
        case: `fold` ignores case; of several words of the vocabulary that become the same, only the first
            stays. `exact` compares words as they are. `upper` is gensim's way: words are looked up by their
            upper case, and all of the vocabulary stays.
        vocabulary: Only this many of the most frequent words exist; None for all.
        profile: The orthography profile that test words and vocabulary go through; "" for none.
        multiword: What becomes of test words of several words: `keep` looks for them as they are, `join` with
            `_` between the words, `mean` takes the mean of the words' unit vectors, `drop` leaves them out.
        levels: How much categories of a hierarchy weigh in the mean: all the same, or `halved` with each
            level down, 2^-level for the level of a category (0 at the top), so that higher ones weigh more.
        seed: For measures that draw samples, and for intervals.
    """

    oov: OOV = "wrong"
    norm: Norm = "unit"
    case: Case = "fold"
    vocabulary: int | None = None
    profile: str = ""
    multiword: Multiword = "keep"
    levels: Levels = "equal"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values that do not exist.

        Raises:
            ScoreError: Naming the setting and the choices.
        """
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ScoreError(f"{name} is {getattr(self, name)!r}; choose from {', '.join(allowed)}")
        if self.seed < 0:
            raise ScoreError(f"seed is {self.seed}; it must be 0 or more")
        if self.profile:
            object.__setattr__(self, "profile", parse_profile(self.profile).name)
        if self.vocabulary is not None and self.vocabulary < 1:
            raise ScoreError(f"vocabulary is {self.vocabulary}; use 1 or more, or None for all words")

    @property
    def signature(self) -> dict[str, str]:
        """What belongs in the signature of a score."""
        return {
            "norm": self.norm,
            "oov": self.oov,
            "case": self.case,
            "vocabulary": str(self.vocabulary or "all"),
            **({"profile": self.profile} if self.profile else {}),
            **({"multiword": self.multiword} if self.multiword != "keep" else {}),
            **({"levels": self.levels} if self.levels != "equal" else {}),
        }


GENSIM = Settings(oov="skip", case="upper", vocabulary=300_000)
"""The conventions of gensim's evaluate_word_analogies and evaluate_word_pairs, by default."""


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
        """Refuse values that do not exist.

        Raises:
            TrainingError: Naming the hyper-parameter.
        """
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
            f"{self.model} {self.architecture}, d={self.dimension}, window={self.window}, "
            f"rate={self.learning_rate:g}, min count={self.min_count}{', lemmas' if self.lemmas else ''}"
        )
