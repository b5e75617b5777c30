"""A script that runs a program, and ends it when the process that started the script ends, even by `kill -9`.

Its arguments are a temporary folder and the command. Standard input comes from that process alone, so it is
closed when that ends; then the program, all that it has started, and the folder are removed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from contextlib import suppress

_end_group = getattr(os, "killpg", os.kill)  # Windows has no process groups


def main(folder: str, *command: str) -> int:
    """Run the command; returns its exit code, or 128 and the number of the signal that ended it."""
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603
    alone = threading.Event()

    def watch() -> None:
        os.read(0, 1)
        alone.set()
        _end_group(program.pid, 9)

    threading.Thread(target=watch, daemon=True).start()
    code = program.wait()
    with suppress(OSError):  # nothing else was started
        _end_group(program.pid, 9)
    if alone.is_set():
        shutil.rmtree(folder, ignore_errors=True)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))  # without waiting for the thread
