"""Learning curves, as `evaluator curve` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from evaluator.measures.base import Count, Number
from evaluator.results.base import NonEmpty, ResultFile
from evaluator.results.score import Score
from evaluator.results.scores import ModelFailure, Scores, frame_of
from evaluator.settings import Hyperparameters

if TYPE_CHECKING:
    import pandas as pd

SIZES = "sizes"
"""The setting that says what sizes are in, where it is not tokens."""

Tokens = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]


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
        return "–" if self.value is None else f"{self.value:.4g}"


class CurveSize(msgspec.Struct, frozen=True):
    """The models of one size.

    Attributes:
        size: In tokens, or in `unit` of the file.
        seeds: How many models there are, each with its own seed.
        vocabulary: How many words they have, the mean over the seeds.
    """

    size: Tokens
    seeds: Count
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
        measures: The measures of the curves.
        sizes: The sizes of the training corpora, the smallest first.
        results: The scores of each size on categories and on analogies, with the key `size`: the means over
            the seeds. A seed that could not be scored counts as 0 if another could; where none could, there
            are no scores.
        failures: What could not be scored of models.
        definitions: What the definitions of an onset mean.
        onsets: By measure and definition, in tokens; null where there is none.
        ratios: The onsets of measures on analogies, divided by those of measures on categories.
        made_of: For each category that was made of a section of analogies, the name of the section.
        failed: What could not be trained or scored at all, and why.
        notes: What else there is to know.
    """

    command: ClassVar[str] = "evaluator curve"

    version: Literal[3] = 3
    corpus: str
    tokens: Count
    test_set: str
    analogies: str
    parameters: Hyperparameters
    settings: Mapping[str, str]
    measures: NonEmpty[str]
    sizes: NonEmpty[CurveSize]
    results: tuple[Scores, ...]
    failures: tuple[ModelFailure, ...] = ()
    definitions: Mapping[str, str]
    onsets: Mapping[str, Mapping[str, int | None]]
    ratios: tuple[Ratio, ...]
    made_of: Mapping[str, str] = {}
    failed: tuple[str, ...] = ()
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        sizes = {each.size for each in self.sizes}
        for row, scores in enumerate(self.results):
            if scores.keys.get("size") not in sizes:
                raise ValueError(f"results[{row}].keys: must have a size that `sizes` names")
        for measure in self.measures:
            if measure not in self.onsets:
                raise ValueError(f"onsets: {measure} is missing")

    @property
    def unit(self) -> str:
        """What sizes are in: `tokens` or `types`."""
        return self.settings.get(SIZES, "tokens")

    def score(self, measure: str, size: int) -> Score | None:
        """The score by a measure at one size; None where nothing could be scored."""
        of_size = (scores.get(measure) for scores in self.results if scores.keys["size"] == size)
        return next((score for score in of_size if score is not None), None)

    def frame(self) -> pd.DataFrame:
        """A table of all scores, as `Scores.frame`, with the further column `size`.

        What could not be scored of a model has a row with the reason.
        """
        return frame_of(self.results, self.failures)

    def curve(self, measure: str) -> list[Score | None]:
        """The scores by a measure, the smallest size first."""
        return [self.score(measure, each.size) for each in self.sizes]

    def __repr__(self) -> str:
        first, last = self.sizes[0].size, self.sizes[-1].size
        sizes = f"{first:,} to {last:,} {self.unit}"
        return f"<learning curve of {self.corpus}: {sizes}, {', '.join(self.measures)}>"
