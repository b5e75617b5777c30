"""Tasks that worker processes import, without the libraries of tests."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """What a process is to do.

    Attributes:
        name: What it gives back.
        seconds: How long that takes.
        deaths: A file that tells how often the process dies first; it gets shorter by a byte each time.
    """

    name: str
    seconds: float = 0
    deaths: str = ""


def work(task):
    time.sleep(task.seconds)
    if task.deaths and (left := os.path.getsize(task.deaths)):  # noqa: PTH202
        os.truncate(task.deaths, left - 1)
        os._exit(9)
    if task.name == "fails":
        raise ValueError("as it does in this process")
    return task.name.upper()
