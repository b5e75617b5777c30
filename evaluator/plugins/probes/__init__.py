"""Data-efficiency probes: how fast simple supervised models learn from vectors.

S. Jastrzebski, D. Leśniak, W. M. Czarnecki (2017), "How to evaluate word embeddings? On importance of
data efficiency and simple supervised tasks".

>>> from evaluator.plugins.probes import gap, membership, rank_embeddings
>>> probes = {name: membership(vectors, labels) for name, vectors in embeddings.items()}
>>> rank_embeddings({name: probe.curve("svm") for name, probe in probes.items()})
>>> gap(probes["glove"])

On test sets, with the items that all embeddings know:

>>> from evaluator.plugins.probes import probe
>>> probe(list_of_vectors, test_set).mean_ranks
"""

from __future__ import annotations

from evaluator.plugins.probes.analogy import analogy as analogy
from evaluator.plugins.probes.comparison import probe as probe
from evaluator.plugins.probes.curves import Curve as Curve
from evaluator.plugins.probes.curves import CurvePoint as CurvePoint
from evaluator.plugins.probes.curves import Gap as Gap
from evaluator.plugins.probes.curves import ModelKind as ModelKind
from evaluator.plugins.probes.curves import Probe as Probe
from evaluator.plugins.probes.curves import area as area
from evaluator.plugins.probes.curves import gap as gap
from evaluator.plugins.probes.learners import SENTENCE_MODELS as SENTENCE_MODELS
from evaluator.plugins.probes.learners import SIMILARITY_MODELS as SIMILARITY_MODELS
from evaluator.plugins.probes.learners import WORD_MODELS as WORD_MODELS
from evaluator.plugins.probes.learners import Candidate as Candidate
from evaluator.plugins.probes.learners import ProbeModel as ProbeModel
from evaluator.plugins.probes.ranks import MeanRanks as MeanRanks
from evaluator.plugins.probes.ranks import Ranks as Ranks
from evaluator.plugins.probes.ranks import anova as anova
from evaluator.plugins.probes.ranks import average_ranks as average_ranks
from evaluator.plugins.probes.ranks import greedy_ranks as greedy_ranks
from evaluator.plugins.probes.ranks import rank_embeddings as rank_embeddings
from evaluator.plugins.probes.relation import RelationTraining as RelationTraining
from evaluator.plugins.probes.result import ProbedItems as ProbedItems
from evaluator.plugins.probes.result import ProbesFile as ProbesFile
from evaluator.plugins.probes.splits import SplitPlan as SplitPlan
from evaluator.plugins.probes.tasks import TASKS as TASKS
from evaluator.plugins.probes.tasks import ProbeItems as ProbeItems
from evaluator.plugins.probes.tasks import ProbeTask as ProbeTask
from evaluator.plugins.probes.vector_probes import mean_vectors as mean_vectors
from evaluator.plugins.probes.vector_probes import membership as membership
from evaluator.plugins.probes.vector_probes import sentences as sentences
from evaluator.plugins.probes.vector_probes import similarity as similarity
