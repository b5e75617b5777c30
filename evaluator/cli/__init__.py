"""The command line; its commands are loaded when it runs."""

from __future__ import annotations

import atexit
import gc
import signal
import sys


def main() -> None:
    """Run the command line; Ctrl-C or SIGTERM ends it with the exit code 130, also while it starts."""
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        gc.set_threshold(300_000)  # modules are many objects, and little of them is garbage
        atexit.register(gc.freeze)  # freeing them one by one would take longer than many a command
        from evaluator.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("evaluator: stopped\n")
        sys.exit(130)
