"""The command line; its commands are loaded when it runs."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from pathlib import Path


def main() -> None:
    """Run the command line; Ctrl-C or SIGTERM ends it with the exit code 130, also while it starts."""
    try:
        if sys.getfilesystemencoding() == "ascii":
            _names_as_text()
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        gc.set_threshold(100_000)  # modules and words are many objects, and little of them is garbage
        atexit.register(gc.freeze)  # freeing them one by one would take longer than many a command
        _refuse_namesake()
        from testgen.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("testgen: stopped\n")
        sys.exit(130)


def _names_as_text() -> None:
    """Start again in Python's UTF-8 mode where the system's names of files are read as ASCII alone.

    Python does so by itself in the locales C and POSIX, unless it is told not to. Without, each other letter
    of a name would be two bytes that are no text, and a name that a result file holds could not be opened.
    """
    if "utf8" not in sys._xoptions and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606


def _refuse_namesake() -> None:
    """End if another project's package named testgen is installed, which overwrites modules of this one."""
    # importlib.metadata would take longer to import than the whole package.
    found = [path for folder in sys.path for path in Path(folder).glob("testgen-[0-9]*.dist-info")]
    if not found:
        return
    other = found[0].stem.partition("-")[2]
    sys.stderr.write(
        f"testgen: the package testgen {other} of another project is installed in this environment, and its "
        "module has the name of this one. Install testgen-evaluator into an environment of its own; or: pip "
        "uninstall testgen, then pip install --force-reinstall --no-deps testgen-evaluator\n"
    )
    sys.exit(2)
