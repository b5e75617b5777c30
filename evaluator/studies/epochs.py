"""Scores after every epoch of a training by gensim."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evaluator.datasets.testset import TestSet
from evaluator.errors import ScoreError
from evaluator.measures import Measure
from evaluator.settings import Settings
from evaluator.studies.scoring import Scores, score
from evaluator.vectors import from_gensim

if TYPE_CHECKING:
    import pandas as pd


class EpochScores:
    """A callback for gensim's Word2Vec and FastText that scores a test set after every epoch.

    Give it as `callbacks=[EpochScores(test_set)]` and look at `scores` or `frame()` afterwards.

    Attributes:
        scores: Those after each epoch, None after epochs whose vectors could not be scored.
    """

    def __init__(
        self,
        test_set: TestSet,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        settings: Settings | None = None,
        threads: int | None = None,
    ) -> None:
        """Take what `score` takes.

        Args:
            test_set: On what to score.
            measures: By what; the usual ones for what the test set holds if None.
            settings: What holds for the scores; `Settings()` if None.
            threads: How many share the work; as many as there are cores if None.
        """
        self._test_set, self._settings, self._threads = test_set, settings, threads
        self._measures = measures if measures is None or isinstance(measures, str | Measure) else [*measures]
        self.scores: list[Scores | None] = []

    def on_train_begin(self, model: object) -> None:  # noqa: ARG002 - gensim's signature
        """Forget the scores of an earlier training."""
        self.scores = []

    def on_train_end(self, model: object) -> None:
        """Do nothing."""

    def on_epoch_begin(self, model: object) -> None:
        """Do nothing."""

    def on_epoch_end(self, model: Any) -> None:  # noqa: ANN401 - gensim has no types
        """Score the vectors as they are now."""
        if hasattr(model.wv, "adjust_vectors"):
            model.wv.adjust_vectors()  # fastText makes vectors of words from those of n-grams at the end only
        vectors = from_gensim(model, f"epoch {len(self.scores) + 1}")
        try:
            found = score(vectors, self._test_set, self._measures, self._settings, threads=self._threads)
        except ScoreError:
            found = None
        self.scores.append(found)

    def frame(self) -> pd.DataFrame:
        """A table with a row for each epoch, from 1, and a column for each measure."""
        import pandas as pd

        rows = [{name: own.value for name, own in (each or {}).items()} for each in self.scores]
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="epoch"))
