"""The command line by `python -m evaluator`."""

from __future__ import annotations

from evaluator.cli import main

main()
