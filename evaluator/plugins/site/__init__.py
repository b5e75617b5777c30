"""Static pages of a group's results: tables of all models, a page for each column and each result file.

>>> from pathlib import Path
>>> from evaluator.plugins.site import write_site
>>> write_site([Path("results")], Path("pages"))
"""

from __future__ import annotations

import lazy_loader

# What there is stands in __init__.pyi; a module is loaded when something of it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
