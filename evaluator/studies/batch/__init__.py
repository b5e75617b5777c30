"""Scoring many models, here or on a cluster: with intervals, or each written to a file when it is done."""

from __future__ import annotations

from evaluator.studies.batch.models import ModelToScore, ScoredModel, score_model, score_models
from evaluator.studies.batch.pairing import pairs
from evaluator.studies.batch.run import BatchSummary, score_many

__all__ = [
    "BatchSummary",
    "ModelToScore",
    "ScoredModel",
    "pairs",
    "score_many",
    "score_model",
    "score_models",
]
