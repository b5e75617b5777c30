"""Scoring many models, here or on a cluster: all at once, or each written down when it is finished."""

from __future__ import annotations

from evaluator.studies.batch.model import Model, ScoredModel, score_model, score_models
from evaluator.studies.batch.pairing import pairs
from evaluator.studies.batch.run import Batch, score_many
from evaluator.studies.batch.unit import Reading, Unit, score_unit

__all__ = [
    "Batch",
    "Model",
    "Reading",
    "ScoredModel",
    "Unit",
    "pairs",
    "score_many",
    "score_model",
    "score_models",
    "score_unit",
]
