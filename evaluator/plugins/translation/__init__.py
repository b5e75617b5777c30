"""Two sets of vectors, of two languages, scored on bilingual dictionaries: is a translation near a word?

A. Conneau, G. Lample, M. Ranzato, L. Denoyer, H. Jégou (2018), "Word Translation Without Parallel Data". In
the order in which the modules build on each other:

    dictionary  dictionaries, and the JSON of testgen
    muse        dictionaries in the format of MUSE
    measure     shares and ranks of right translations
    ranks       the nearest words of another language, and the map between the spaces of two languages
    study       two sets of vectors scored on a dictionary

>>> from evaluator.plugins.translation import translate
>>> translate("la.vec", "te.vec", "la-te.json", align="procrustes")["Translation@1"].value
"""

from __future__ import annotations

import lazy_loader

# What there is stands in __init__.pyi; a module is loaded when something of it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
