"""Learning curves, as `evaluator curve` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.measures.base import Count, Number
from evaluator.results.base import Estimate, NonEmpty, ResultFile
from evaluator.settings import Hyperparameters

Tokens = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]


class SizeScore(msgspec.Struct, frozen=True):
    """A measure's score at one size of the corpus, over all seeds; null where nothing could be scored.

    Attributes:
        size: In tokens.
        value: The mean over the seeds; a seed that could not be scored counts as 0 if another could.
        low: The lower end of the 95% confidence interval, had other test words and other seeds been drawn.
        high: The upper end of the interval.
        least: The lowest score of a seed.
        most: The highest score of a seed.
        chance: The chance level with the words that are known, the mean over the seeds.
        baseline: The score of the frequency baseline with the same words, the mean over the seeds.
        seeds: How many seeds.
    """

    size: Tokens
    value: Number | None
    low: Number | None
    high: Number | None
    least: Number | None
    most: Number | None
    chance: Number | None
    baseline: Number | None
    seeds: Count

    @property
    def above_chance(self) -> bool:
        """Whether the whole interval is above the chance level."""
        return self.low is not None and self.low > (self.chance or 0.0)

    @property
    def above_baseline(self) -> bool:
        """Whether it is above the frequency baseline as well."""
        return self.above_chance and self.low is not None and self.low > (self.baseline or 0.0)


class Ratio(msgspec.Struct, frozen=True):
    """How many times as much text one measure needs as another.

    Attributes:
        definition: That of the onset.
        measure: The measure on analogies.
        over: The measure on categories.
        value: The onset of `measure` divided by that of `over`; null if one of them has none.
    """

    definition: str
    measure: str
    over: str
    value: Number | None

    def __str__(self) -> str:
        """For tables."""
        return "–" if self.value is None else f"{self.value:.4g}"


class CategoryScores(msgspec.Struct, frozen=True):
    """The scores on one category at the largest size.

    Attributes:
        name: The category.
        section: The section of analogies that it was made of; null if it is from a test set.
        values: The mean over the seeds by measure, if it was scored; of measures on analogies, that on the
            section.
        title: The category for people; not there if it is the name.
        intervals: The 95% confidence interval of each value, had other test words and other seeds been drawn;
            of categories with too few words there is none; not there in older files.
        chances: The chance level of each value, the mean over the seeds; not there in older files.
    """

    name: str
    section: str | None
    values: Mapping[str, Number]
    title: str | UnsetType = UNSET
    intervals: Mapping[str, tuple[Number, Number]] | UnsetType = UNSET
    chances: Mapping[str, Number] | UnsetType = UNSET

    def estimate(self, measure: str) -> Estimate | None:
        """The score by a measure; None if there is none."""
        if measure not in self.values:
            return None
        low, high = (self.intervals or {}).get(measure, (None, None))
        return Estimate(self.values[measure], low, high, (self.chances or {}).get(measure))

    @property
    def heading(self) -> str:
        """What people are shown."""
        return self.title or self.name


class SizeVocabulary(msgspec.Struct, frozen=True):
    """How many words the models of one size have.

    Attributes:
        size: In tokens.
        vocabulary: The mean over the seeds.
    """

    size: Tokens
    vocabulary: Number


class CurveFile(ResultFile, frozen=True, kw_only=True, tag="curve"):
    """What `evaluator curve` writes.

    Attributes:
        corpus: The name of the corpus.
        tokens: How many tokens it has.
        test_set: The name of the test set whose categories were scored.
        analogies: The name of the test set whose analogies were scored.
        parameters: The hyper-parameters of all models.
        settings: The settings of the scores, as in signatures, what the words of the corpus are, and what
            trained the models if not gensim.
        sizes: The sizes of the training corpora, the smallest first.
        curves: The scores by measure and size.
        definitions: What the definitions of an onset mean.
        onsets: By measure and definition, in tokens; null where there is none.
        ratios: The onsets of measures on analogies, divided by those of measures on categories.
        categories: The scores of each category at the largest size.
        failed: What could not be trained or scored at all, and why.
        notes: What else there is to know.
    """

    command: ClassVar[str] = "evaluator curve"

    version: Literal[2] = 2
    corpus: str
    tokens: Count
    test_set: str
    analogies: str
    parameters: Hyperparameters
    settings: Mapping[str, str]
    sizes: NonEmpty[SizeVocabulary]
    curves: Annotated[Mapping[str, tuple[SizeScore, ...]], msgspec.Meta(min_length=1)]
    definitions: Mapping[str, str]
    onsets: Mapping[str, Mapping[str, int | None]]
    ratios: tuple[Ratio, ...]
    categories: tuple[CategoryScores, ...]
    failed: tuple[str, ...] = ()
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that all curves have all sizes."""
        sizes = [each.size for each in self.sizes]
        for measure, scores in self.curves.items():
            if [each.size for each in scores] != sizes:
                raise ValueError(f"curves: {measure} must have the sizes that `sizes` names")
            if measure not in self.onsets:
                raise ValueError(f"onsets: {measure} is missing")
