"""What language models answered to the questions of `testgen export`, from the logs of other programs.

In the order in which the modules build on each other:

    logs     samples of lm-evaluation-harness and logs of Inspect
    answers  scores of the answers, with intervals and tests over the words of the questions
"""

from __future__ import annotations

import lazy_loader

# What there is stands in __init__.pyi; a module is loaded when something of it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
