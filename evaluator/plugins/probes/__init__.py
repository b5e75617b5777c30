"""Data-efficiency probes: how fast simple supervised models learn from vectors.

Measures that read the learning curves, and files of results, are not here but in `evaluator.measures` and
`evaluator.results`.

S. Jastrzebski, D. Leśniak, W. M. Czarnecki (2017), "How to evaluate word embeddings? On importance of
data efficiency and simple supervised tasks".

>>> from evaluator.plugins.probes import gap, membership, rank_embeddings
>>> probes = {name: membership(vectors, labels) for name, vectors in embeddings.items()}
>>> rank_embeddings({name: probe.curve("svm") for name, probe in probes.items()})
>>> gap(probes["glove"])

On test sets, with the items that all embeddings know:

>>> from evaluator.plugins.probes import mean_ranks, probe
>>> compared = probe(list_of_vectors, test_set)
>>> mean_ranks(compared)
"""

from __future__ import annotations

from evaluator.plugins.probes.analogy import analogy
from evaluator.plugins.probes.comparison import ProbeComparison, mean_ranks, probe, tasks_of
from evaluator.plugins.probes.curves import Curve, CurvePoint, Gap, ModelKind, Probe, area, gap
from evaluator.plugins.probes.learners import (
    SENTENCE_MODELS,
    SIMILARITY_MODELS,
    WORD_MODELS,
    Candidate,
    ProbeModel,
)
from evaluator.plugins.probes.ranks import (
    MeanRanks,
    Ranks,
    anova,
    average_ranks,
    greedy_ranks,
    rank_embeddings,
)
from evaluator.plugins.probes.relation import RelationTraining
from evaluator.plugins.probes.splits import SplitPlan
from evaluator.plugins.probes.tasks import TASKS, ProbeItems, ProbeTask
from evaluator.plugins.probes.vector_probes import (
    draw_negatives,
    mean_vectors,
    membership,
    sentences,
    sequences,
    similarity,
)

__all__ = [
    "SENTENCE_MODELS",
    "SIMILARITY_MODELS",
    "TASKS",
    "WORD_MODELS",
    "Candidate",
    "Curve",
    "CurvePoint",
    "Gap",
    "MeanRanks",
    "ModelKind",
    "Probe",
    "ProbeComparison",
    "ProbeItems",
    "ProbeModel",
    "ProbeTask",
    "Ranks",
    "RelationTraining",
    "SplitPlan",
    "analogy",
    "anova",
    "area",
    "average_ranks",
    "draw_negatives",
    "gap",
    "greedy_ranks",
    "mean_ranks",
    "mean_vectors",
    "membership",
    "probe",
    "rank_embeddings",
    "sentences",
    "sequences",
    "similarity",
    "tasks_of",
]
