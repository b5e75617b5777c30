"""Emoji vectors trained from descriptions, scored, and tuned.

Eisner et al. (2016), "emoji2vec: Learning Emoji Representations from their Description". In the order in
which the modules build on each other:

    model  descriptions of emoji, vectors trained from them, and classification by them
    texts  a downstream task: labels of texts with emoji
    sweep  models at many learning rates, and their scores by each measure
"""

from __future__ import annotations

import lazy_loader

# What there is stands in __init__.pyi; a module is loaded when something of it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
