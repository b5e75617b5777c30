"""Learning curves of simple models on embeddings, as `evaluator probe --json` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal

import msgspec

from evaluator.plugins import Count, NonEmpty, Number, ResultFile
from evaluator.plugins.probes import Gap, MeanRanks, ModelKind, ProbeComparison, Ranks, mean_ranks


class CurveRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The learning curves of one model, one for each split.

    Attributes:
        model: The name of the model.
        kind: Whether it is constant, linear or non-linear.
        shares: The shares of the training data, ascending.
        sizes: How many items each share is.
        scores: For each split, the score on its test data after learning from each share.
        means: The mean over the splits for each share.
        auc: The mean over the splits of the area under the curve.
    """

    model: str
    kind: ModelKind
    shares: NonEmpty[Number]
    sizes: tuple[Count, ...]
    scores: tuple[tuple[Number, ...], ...]
    means: tuple[Number, ...]
    auc: Number

    def __post_init__(self) -> None:
        """Check the lengths."""
        if not len(self.shares) == len(self.sizes) == len(self.means):
            raise ValueError("must have as many sizes and means as shares")


class EmbeddingRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the models of one task find in one embedding.

    Attributes:
        name: The name of the vectors.
        task: `membership`, `sentences`, `similarity` or `analogy`.
        score: What the scores are: `accuracy` or `spearman`.
        items: How many labelled items there are: words, sentences or pairs.
        tests: How many of them are in the test data of each split.
        seed: Decides the splits and what is random in the models.
        curves: One for each model, and `expected`, the mean over the models that learn.
        gap: How much better non-linear models are; null if all models are of one kind.
    """

    name: str
    task: str
    score: str
    items: Count
    tests: tuple[Count, ...]
    seed: int
    curves: NonEmpty[CurveRecord]
    gap: Gap | None


class ProbeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What embeddings know of one category, section, list of pairs or set of texts.

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
        embeddings: One for each embedding; none if it was skipped.
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
    embeddings: tuple[EmbeddingRecord, ...]
    ranks: Mapping[str, tuple[Ranks, ...]]


class ProbesFile(ResultFile, frozen=True, kw_only=True, tag="probes"):
    """What `evaluator probe --json` writes.

    Attributes:
        tasks: One for each task and category, section, list of pairs or set of texts.
        mean_ranks: The ranks of the embeddings, averaged over all of these.
    """

    command: ClassVar[str] = "evaluator probe --json"

    version: Literal[1] = 1
    tasks: NonEmpty[ProbeRecord]
    mean_ranks: tuple[MeanRanks, ...]


def probes_file(compared: Iterable[ProbeComparison]) -> ProbesFile:
    """What the result file of some probes holds."""
    several = list(compared)
    return ProbesFile(tasks=tuple(_probe(each) for each in several), mean_ranks=mean_ranks(several))


def _probe(found: ProbeComparison) -> ProbeRecord:
    return ProbeRecord(
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
        embeddings=tuple(_embedding(found, name) for name in found.probes),
        ranks=found.ranks,
    )


def _embedding(found: ProbeComparison, name: str) -> EmbeddingRecord:
    probe = found.probes[name]
    return EmbeddingRecord(
        name=name,
        task=probe.task,
        score=probe.score,
        items=probe.items,
        tests=probe.tests,
        seed=probe.seed,
        curves=msgspec.convert(
            tuple(found.curves(name).values()), tuple[CurveRecord, ...], from_attributes=True
        ),
        gap=found.gap(name),
    )
