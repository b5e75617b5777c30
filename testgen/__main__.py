"""The command line by `python -m testgen`."""

from __future__ import annotations

from testgen.cli import main

main()
