"""The command line; its commands are loaded when it runs."""

from __future__ import annotations

import gc
import signal
import sys


def main() -> None:
    """Run the command line; Ctrl-C or SIGTERM ends it with the exit code 130, also while it starts."""
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        gc.disable()  # there is nothing to collect while modules are loaded
        from evaluator.cli.app import run

        gc.enable()
        run()
    except KeyboardInterrupt:
        sys.stderr.write("evaluator: stopped\n")
        sys.exit(130)
