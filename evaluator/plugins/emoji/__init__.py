"""Emoji vectors trained from descriptions, scored, and tuned.

Eisner et al. (2016), "emoji2vec: Learning Emoji Representations from their Description". In the order in
which the modules build on each other:

    descriptions  descriptions of emoji, their vectors, and classification by them
    model         emoji vectors trained from descriptions
    texts         labelled texts, classified by the vectors of their words and emoji
    sweep         models at many learning rates, and their scores by each measure
"""

from __future__ import annotations

from evaluator.plugins.emoji.descriptions import (
    Described,
    Descriptions,
    auc,
    classify,
    describe,
    read_descriptions,
    without_selectors,
)
from evaluator.plugins.emoji.model import EmojiHyperparameters, train_emoji, write_emoji
from evaluator.plugins.emoji.result import MEASURES, Classification
from evaluator.plugins.emoji.sweep import EmojiScores, EmojiTests, Sweep, rates_between, sweep
from evaluator.plugins.emoji.texts import EmojiTexts, emoji_texts

__all__ = [
    "MEASURES",
    "Classification",
    "Described",
    "Descriptions",
    "EmojiHyperparameters",
    "EmojiScores",
    "EmojiTests",
    "EmojiTexts",
    "Sweep",
    "auc",
    "classify",
    "describe",
    "emoji_texts",
    "rates_between",
    "read_descriptions",
    "sweep",
    "train_emoji",
    "without_selectors",
    "write_emoji",
]
