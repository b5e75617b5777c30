"""One number for each model from its scores on several tasks, as `evaluator compose --json` writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from evaluator.measures.base import Number
from evaluator.results.base import NonEmpty, ResultFile, frame_with_names

if TYPE_CHECKING:
    import pandas as pd

Rows = tuple[tuple[Number, ...], ...]


class Correlations(msgspec.Struct, frozen=True):
    """How much tasks agree on models.

    Attributes:
        tasks: The rows and the columns.
        pearson: The linear correlation of each two tasks.
        spearman: The correlation of the ranks; equals share their mean rank.
    """

    tasks: tuple[str, ...]
    pearson: Rows
    spearman: Rows

    def __post_init__(self) -> None:
        for key, rows in (("pearson", self.pearson), ("spearman", self.spearman)):
            _check_table(key, rows, len(self.tasks), len(self.tasks))

    def frame(self, kind: Literal["pearson", "spearman"] = "pearson") -> pd.DataFrame:
        """Tasks × tasks."""
        import pandas as pd

        return pd.DataFrame(getattr(self, kind), index=list(self.tasks), columns=list(self.tasks))


class TaskWeight(msgspec.Struct, frozen=True):
    """How much a task counts in PCE.

    Attributes:
        task: The task.
        weight: Its element of the unit eigenvector a₁ of the correlation matrix (equation 1).
        loading: The correlation of PCE with the task: a₁·√λ₁ (figure 1).
        ranks_without: The ranks of the models if the task is left out; null where there is no PCE then.
        moves: The number of ranks that a model moves by at most if the task is left out.
    """

    task: str
    weight: Number
    loading: Number
    ranks_without: tuple[int, ...] | None
    moves: int | None


class Pce(msgspec.Struct, frozen=True):
    """The first principal component, and how far it can be trusted.

    Attributes:
        scores: Of each model, from 0 for the lowest of these models to 1 for the highest.
        ranks: Of each model, 1 for the best; equals share the better rank.
        explained: The share of the variance that each component explains, PCE's first: λ/p.
        tasks: Those it is made of.
    """

    scores: tuple[Number, ...]
    ranks: tuple[int, ...]
    explained: tuple[Number, ...]
    tasks: tuple[TaskWeight, ...]

    def frame(self) -> pd.DataFrame:
        """A row for each task; columns are weight, loading and moves."""
        import pandas as pd

        rows = [(each.weight, each.loading) for each in self.tasks]
        frame = pd.DataFrame(rows, [each.task for each in self.tasks], ["weight", "loading"])
        frame["moves"] = pd.Series([each.moves for each in self.tasks], frame.index, dtype="Int64")
        return frame


class Composite(ResultFile, frozen=True, kw_only=True, tag="composite"):
    """Models × tasks, and one number for each model; what `evaluator compose --json` writes.

    Attributes:
        models: The rows.
        tasks: The columns.
        scores: Of each model on each task.
        harmonic: The harmonic mean of each model's scores.
        pce: The first principal component; null where the scores do not determine it, and a note says why.
        correlations: Of the tasks on which models differ; null if these are fewer than two.
        notes: What to know before believing any of it.
    """

    command: ClassVar[str] = "evaluator compose --json"

    version: Literal[1] = 1
    models: NonEmpty[str]
    tasks: NonEmpty[str]
    scores: Rows
    harmonic: tuple[Number, ...]
    pce: Pce | None
    correlations: Correlations | None
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        models = len(self.models)
        _check_table("scores", self.scores, models, len(self.tasks))
        of_pce = (("pce.scores", self.pce.scores), ("pce.ranks", self.pce.ranks)) if self.pce else ()
        for key, values in (("harmonic", self.harmonic), *of_pce):
            if len(values) != models:
                raise ValueError(f"{key}: must be a list of {models}")

    def frame(self) -> pd.DataFrame:
        """A row for each model; columns are the tasks, harmonic, pce, and rank by PCE.

        Those of the tasks of PCE are in `pce.frame()`, and their correlations in `correlations.frame()`.
        """
        import pandas as pd

        none = [None] * len(self.models)
        of_pce, ranks = (self.pce.scores, self.pce.ranks) if self.pce else (none, none)
        frame = frame_with_names(self.scores, index=list(self.models), columns=list(self.tasks))
        frame["harmonic"] = self.harmonic
        frame["pce"] = pd.Series(of_pce, frame.index, dtype="float64")
        frame["rank"] = pd.Series(ranks, frame.index, dtype="Int64")
        return frame


def _check_table(key: str, rows: Rows, number: int, width: int) -> None:
    if len(rows) != number or any(len(row) != width for row in rows):
        raise ValueError(f"{key}: must be {number} lists of {width}")
