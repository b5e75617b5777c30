"""Test sets for word embeddings in hundreds of languages, from Wikidata.

>>> import testgen
>>> frame = testgen.generate("testsets", testgen.TestSetRequest(["la", "grc"], categories=["country"]))
"""

from __future__ import annotations

import lazy_loader

# The package's names are listed in __init__.pyi; each module is loaded when one of its names is first used,
# so that the command line starts quickly.
_lazy, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """A public name; or the version, which takes a moment to find out."""
    if name == "__version__":
        from importlib.metadata import version

        return version("testgen-evaluator")
    return _lazy(name)
