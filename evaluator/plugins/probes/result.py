"""Learning curves of simple models on embeddings, as `evaluator probe --json` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import msgspec

from evaluator.plugins import Count, NonEmpty, ResultFile, Scores
from evaluator.plugins.probes.curves import Gap, MeanRanks, Ranks

AUC = "AUC of {}"  # the measure of the area under the curve of a model


class ProbedItems(msgspec.Struct, frozen=True, kw_only=True):
    """What was probed of one category set, section, list of pairs or set of texts.

    Attributes:
        test_set: The name of the test set.
        language: Its language code.
        task: Which probe.
        part: The name of what was probed.
        size: How many items it has.
        oov: How many items lack a vector in one of the embeddings.
        left_out: How many others were left out, by reason.
        items: How many were probed.
        skipped: Why nothing was probed.
        signature: All that is needed to get the same again from the same vectors.
        score: What scores are: `accuracy` or `spearman`; null if it was skipped.
        tests: How many items are in the test data of each split.
        headline: The model by which embeddings are ranked: the only one that learns, or the mean over several
            (`expected`); if none learns, the first.
        gaps: How much better non-linear models are, by embedding; of those that have both kinds of models.
        ranks: The ranks of the embeddings by model.
    """

    test_set: str
    language: str
    task: str
    part: str
    size: Count
    oov: Count
    left_out: Mapping[str, Count]
    items: Count
    skipped: str | None
    signature: str
    score: str | None = None
    tests: tuple[Count, ...] = ()
    headline: str | None = None
    gaps: Mapping[str, Gap] = {}
    ranks: Mapping[str, tuple[Ranks, ...]] = {}


class ProbesFile(ResultFile, frozen=True, kw_only=True, tag="probes"):
    """What `evaluator probe --json` writes, and `probe` gives.

    Attributes:
        tasks: One for each task and category set, section, list of pairs or set of texts.
        results: The learning curves: the scores of each embedding by all models after learning from a share
            of the data, means over the splits, whose scores are `seeds`. Their keys are `task`, `items`,
            `share` and `size`, how many items that is; those without a share are the areas under the curves.
        mean_ranks: The ranks of the embeddings, averaged over all tasks.
    """

    command: ClassVar[str] = "evaluator probe --json"

    version: Literal[2] = 2
    tasks: NonEmpty[ProbedItems]
    results: tuple[Scores, ...]
    mean_ranks: tuple[MeanRanks, ...]
