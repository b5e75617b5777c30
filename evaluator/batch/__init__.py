"""Scoring many models, here or on a cluster: all at once, or each written down when it is finished."""

from __future__ import annotations

from evaluator.batch.model import Model, ScoredModel, score_model, score_models
from evaluator.batch.pairing import pairs
from evaluator.batch.run import Batch, score_many
from evaluator.batch.unit import Reading, Unit, score_unit

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
