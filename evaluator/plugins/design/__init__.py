"""Which words and categories a test set needs, and how many.

    item_analysis  words and categories that tell good models from bad ones, and those that do not
    power          how small a difference between two models is found, and how many words a smaller one needs

>>> from evaluator.plugins.design import items, plan
>>> items(evaluator.score(["a.vec", "b.vec"], "la.json")).frame()
>>> plan(evaluator.score("a.vec", "la.json"), difference=0.05).frame()
"""

from __future__ import annotations

import lazy_loader

# What there is stands in __init__.pyi; a module is loaded when something of it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
