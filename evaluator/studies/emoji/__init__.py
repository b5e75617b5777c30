"""Emoji vectors out of descriptions, and what they are good for.

Eisner et al. (2016), "emoji2vec: Learning Emoji Representations from their Description". In the order in
which the modules build on each other:

    descriptions    descriptions of emoji, and their vectors: sums of word vectors
    classification  how well emoji vectors tell whether a description fits: accuracy, AUC
    model           emoji vectors learnt from descriptions
    sweep           models at many learning rates, and what each measure says of them
"""

from __future__ import annotations

from evaluator.results.emoji import MEASURES, Classification
from evaluator.studies.emoji.classification import auc, classify
from evaluator.studies.emoji.descriptions import (
    Described,
    Descriptions,
    describe,
    read_descriptions,
    without_selectors,
)
from evaluator.studies.emoji.model import Plan, train_emoji, write_emoji
from evaluator.studies.emoji.sweep import Judge, Run, Sweep, rates_between, sweep

__all__ = [
    "MEASURES",
    "Classification",
    "Described",
    "Descriptions",
    "Judge",
    "Plan",
    "Run",
    "Sweep",
    "auc",
    "classify",
    "describe",
    "rates_between",
    "read_descriptions",
    "sweep",
    "train_emoji",
    "without_selectors",
    "write_emoji",
]
