"""What language models answered to the questions of `testgen export`, from the logs of other programs."""

from __future__ import annotations

import lazy_loader

# What there is stands in __init__.pyi; a module is loaded when something of it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
