"""Learning curves of simple models on embeddings, as `evaluator probe --json` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import ClassVar, Literal

import msgspec

from evaluator.plugins import Count, NonEmpty, ResultFile, Score, Scores
from evaluator.plugins.probes import Gap, MeanRanks, ProbeComparison, Ranks, mean_ranks

AUC = "AUC of {}"
"""The measure of the area under the curve of a model."""


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
        headline: The model by which embeddings are ranked; see `ProbeComparison`.
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
    """What `evaluator probe --json` writes.

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


def probes_file(compared: Iterable[ProbeComparison]) -> ProbesFile:
    """What the result file of some probes holds."""
    several = list(compared)
    return ProbesFile(
        tasks=tuple(_items(each) for each in several),
        results=tuple(scores for each in several for scores in _scores(each)),
        mean_ranks=mean_ranks(several),
    )


def _items(found: ProbeComparison) -> ProbedItems:
    first = next(iter(found.probes.values()), None)
    return ProbedItems(
        test_set=found.test_set,
        language=found.language,
        task=found.task.name,
        part=found.items.name,
        size=found.items.size,
        oov=found.items.oov,
        left_out=found.items.left_out,
        items=len(found.items.words),
        skipped=found.items.skipped,
        signature=found.signature,
        score=first.score if first else None,
        tests=first.tests if first else (),
        headline=found.headline if first else None,
        gaps={name: gap for name in found.probes if (gap := found.gap(name))},
        ranks=found.ranks,
    )


def _scores(found: ProbeComparison) -> Iterator[Scores]:
    """The scores of each embedding at each share, and the areas under its curves."""
    for name in found.probes:
        curves = found.curves(name).values()
        first = next(iter(curves))
        for number, (share, size) in enumerate(zip(first.shares, first.sizes, strict=True)):
            values = {curve.model: [split[number] for split in curve.scores] for curve in curves}
            yield _of_embedding(found, name, values, share=share, size=size)
        yield _of_embedding(found, name, {AUC.format(curve.model): curve.at("auc") for curve in curves})


def _of_embedding(
    found: ProbeComparison, name: str, values: Mapping[str, Sequence[float]], **keys: float
) -> Scores:
    items = len(found.items.words)
    return Scores(
        model=name,
        test_set=found.test_set,
        language=found.language,
        keys={"task": found.task.name, "items": found.items.name, **keys},
        scores=tuple(
            Score(
                measure=model,
                words="known",
                value=fmean(of_splits),
                n=items,
                known=items,
                unit=found.task.counted,
                signature=found.signature,
                seeds=tuple(of_splits),
            )
            for model, of_splits in values.items()
        ),
    )
