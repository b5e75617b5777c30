"""Scoring many models on many test sets, here or on a cluster, results written as they come."""

from __future__ import annotations

from evaluator.batch.pairing import pairs
from evaluator.batch.run import Batch, score_many
from evaluator.batch.unit import Reading, Unit, score_unit

__all__ = ["Batch", "Reading", "Unit", "pairs", "score_many", "score_unit"]
