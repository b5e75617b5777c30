"""Emoji vectors trained from descriptions, scored, and tuned.

Eisner et al. (2016), "emoji2vec: Learning Emoji Representations from their Description". In the order in
which the modules build on each other:

    descriptions  descriptions of emoji, their vectors, and classification by them
    model         emoji vectors trained from descriptions
    sweep         models at many learning rates, and their scores by each measure
"""

from __future__ import annotations

from evaluator.plugins.emoji.descriptions import Described as Described
from evaluator.plugins.emoji.descriptions import Descriptions as Descriptions
from evaluator.plugins.emoji.descriptions import auc as auc
from evaluator.plugins.emoji.descriptions import classify as classify
from evaluator.plugins.emoji.descriptions import describe as describe
from evaluator.plugins.emoji.descriptions import read_descriptions as read_descriptions
from evaluator.plugins.emoji.descriptions import without_selectors as without_selectors
from evaluator.plugins.emoji.model import EmojiHyperparameters as EmojiHyperparameters
from evaluator.plugins.emoji.model import train_emoji as train_emoji
from evaluator.plugins.emoji.model import write_emoji as write_emoji
from evaluator.plugins.emoji.sweep import EmojiTests as EmojiTests
from evaluator.plugins.emoji.sweep import Sweep as Sweep
from evaluator.plugins.emoji.sweep import rates_between as rates_between
from evaluator.plugins.emoji.sweep import sweep as sweep
