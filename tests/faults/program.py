"""Runs commands of both programs, each in a fork of this process that has their modules already.

Each line of standard input is a JSON object: `argv`, and `log`, a file for what the command prints on stderr.
Beside it are the modules that the command has imported. The exit code is printed.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

SECONDS = 120


def run(argv: list[str], log: Path) -> int:
    """Run a command in this process.

    Returns:
        Its exit code.
    """
    signal.alarm(SECONDS)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(descriptor, 2)
    sys.argv = argv
    code = 0
    try:
        importlib.import_module(f"{argv[0]}.cli").main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    log.with_suffix(".modules").write_text("\n".join(sys.modules))
    return code


def main() -> None:
    """Read and run."""
    for line in sys.stdin:
        asked = json.loads(line)
        log = Path(asked["log"])
        child = os.fork()
        if not child:
            sys.exit(run(asked["argv"], log))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        modules = log.with_suffix(".modules")
        for name in modules.read_text().split() if modules.exists() else ():
            with suppress(Exception):
                importlib.import_module(name)
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
