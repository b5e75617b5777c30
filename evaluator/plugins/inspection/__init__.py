"""What vectors say of single words: their nearest neighbours, and a map of the words of a test set.

Nothing here is a score. In the order in which the modules build on each other:

    neighbours  the nearest words of a word, and in how many training runs they are the same
    maps        the words of a test set in two dimensions
    sections    what is shown of both
    page        the map as a page in which one can point at words

>>> from evaluator.plugins.inspection import neighbours
>>> neighbours("rex", ["la.vec"]).lists[0].neighbours[0].word
"""

from __future__ import annotations

import lazy_loader

# What there is stands in __init__.pyi; a module is loaded when something of it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
