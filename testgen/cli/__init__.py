"""The command line; its commands are loaded when it runs."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution


def main() -> None:
    """Run the command line; Ctrl-C ends it with the exit code 130, also while it starts."""
    try:
        _refuse_namesake()
        from testgen.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("testgen: stopped\n")
        sys.exit(130)


def _refuse_namesake() -> None:
    """End if another project's package named testgen is installed, which overwrites modules of this one."""
    try:
        other = distribution("testgen").version
    except PackageNotFoundError:
        return
    sys.stderr.write(
        f"testgen: the package testgen {other} of another project is installed in this environment, and its "
        "module has the name of this one. Install testgen-evaluator into an environment of its own; or: pip "
        "uninstall testgen, then pip install --force-reinstall --no-deps testgen-evaluator\n"
    )
    sys.exit(2)
