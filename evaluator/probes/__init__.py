"""Data-efficiency probes: how fast simple supervised models learn from vectors.

S. Jastrzebski, D. Leśniak, W. M. Czarnecki (2017), "How to evaluate word embeddings? On importance of
data efficiency and simple supervised tasks".

>>> from evaluator.probes import gap, membership, rank_embeddings
>>> probes = {name: membership(vectors, labels) for name, vectors in embeddings.items()}
>>> rank_embeddings({name: probe.curve("svm") for name, probe in probes.items()})
>>> gap(probes["glove"])

Of test sets, with the items that all embeddings know:

>>> from evaluator.probes import compare, mean_ranks
>>> compared = compare(list_of_vectors, test_set)
>>> mean_ranks(compared)
"""

from __future__ import annotations

from evaluator.probes.analogy import analogy
from evaluator.probes.comparison import ProbeComparison, compare, mean_ranks, tasks_of
from evaluator.probes.curves import Curve, Gap, Kind, Point, Probe, area, gap
from evaluator.probes.learners import SENTENCE_MODELS, SIMILARITY_MODELS, WORD_MODELS, Candidate, Model
from evaluator.probes.ranks import MeanRanks, Ranks, anova, average_ranks, greedy_ranks, rank_embeddings
from evaluator.probes.relation import Training
from evaluator.probes.splits import SplitPlan
from evaluator.probes.tasks import TASKS, ProbeItems, ProbeTask
from evaluator.probes.vector_probes import draw_negatives, mean_vectors, membership, sentences, similarity

__all__ = [
    "SENTENCE_MODELS",
    "SIMILARITY_MODELS",
    "TASKS",
    "WORD_MODELS",
    "Candidate",
    "Curve",
    "Gap",
    "Kind",
    "MeanRanks",
    "Model",
    "Point",
    "Probe",
    "ProbeComparison",
    "ProbeItems",
    "ProbeTask",
    "Ranks",
    "SplitPlan",
    "Training",
    "analogy",
    "anova",
    "area",
    "average_ranks",
    "compare",
    "draw_negatives",
    "gap",
    "greedy_ranks",
    "mean_ranks",
    "mean_vectors",
    "membership",
    "rank_embeddings",
    "sentences",
    "similarity",
    "tasks_of",
]
