"""Test sets for word embeddings in hundreds of languages, from Wikidata.

>>> import testgen
>>> frame = testgen.generate("testsets", languages=["la", "grc"], categories=["country"])
"""

from __future__ import annotations

import lazy_loader

# The package's names are listed in __init__.pyi; each module is loaded when one of its names is first used,
# so that the command line starts quickly.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
