"""The process that does a job: it makes test sets and tells how far it is, and can be stopped at any time.

In a process of its own a job takes no time from the answers to requests, and stopping it is safe: what a
remote source has answered is in the cache, and the result gets its name when it is complete.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

from testgen.errors import RefusedError, TestgenError
from testgen.generate import write_test_sets
from testgen.serve.choices import Choice, queries_of
from testgen.serve.settings import Settings
from testgen.sources import Remote, open_source

PART = "result.part"
"""The folder that a process writes to, in that of the job."""

FAULT = "the service failed over it; its operator can see why"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """How far a job is: what is being asked, how many requests follow, how many have been sent."""

    doing: str
    left: int
    asked: int


@dataclass(frozen=True)
class Outcome:
    """How a job ended; `stopped` if its process was, `refused` if a server wants no more requests."""

    state: Literal["done", "failed", "stopped"]
    error: str | None = None
    files: Mapping[str, int] = field(default_factory=dict)
    refused: bool = False


class Child:
    """A process that does one job."""

    def __init__(self, settings: Settings, choice: Choice, folder: Path) -> None:
        """Prepare it.

        Args:
            settings: Those of the service.
            choice: What to make.
            folder: The job's own.
        """
        # Forking a process that has threads may hang.
        context = multiprocessing.get_context("spawn")
        self._receiver, self._sender = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_work, args=(settings, choice, folder / PART, self._sender), name="job", daemon=True
        )
        self._stopped = False
        self.outcome = Outcome("stopped")
        """How it ended, once it has."""

    def run(self) -> Iterator[Progress]:
        """Do the job; say how far it is until it has ended."""
        if self._stopped:
            return
        self._process.start()
        self._sender.close()  # the process has its own; ours would keep us waiting for more
        if self._stopped:
            self._process.terminate()
        while True:
            try:
                message = self._receiver.recv()
            except EOFError:
                break
            if isinstance(message, Progress):
                yield message
            else:
                self.outcome = message
        self._process.join()
        if self.outcome.state == "stopped" and not self._stopped:
            self.outcome = Outcome(
                "failed", "its process died; the memory may have run out. Ask for fewer items"
            )
        self._receiver.close()

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._stopped = True
        if self._process.pid is not None:
            self._process.terminate()


def _work(settings: Settings, choice: Choice, folder: Path, sender: Connection) -> None:
    """Do a job, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which stops this process
    _die_with_parent()
    try:
        sender.send(_made(settings, choice, folder, sender))
    except TestgenError as error:
        sender.send(Outcome("failed", str(error), refused=isinstance(error, RefusedError)))
    except Exception:
        _log.exception("a job failed")
        sender.send(Outcome("failed", FAULT))


def _made(settings: Settings, choice: Choice, folder: Path, sender: Connection) -> Outcome:
    asked = open_source(settings.source)
    say = _reporting(asked, sender) if isinstance(asked, Remote) else None
    shutil.rmtree(folder, ignore_errors=True)  # of an earlier attempt
    write_test_sets(
        folder,
        queries_of(choice, settings),
        choice.languages,
        source=asked,
        policy=choice.policy,
        minimum_items=choice.minimum_items,
        keep_going=not choice.categories and not choice.classes,
    )
    if say is not None:
        say("", 0)
    return Outcome("done", files={path.name: path.stat().st_size for path in sorted(folder.iterdir())})


def _reporting(remote: Remote, sender: Connection) -> Callable[[str, int], None]:
    """Have everything that is asked, and every wait, told to the service; returns what tells it."""

    def say(doing: str, left: int) -> None:
        sender.send(Progress(doing, left, sum(web.asked for web in remote.webs)))

    remote.notify = lambda what, left: say(f"asking for {what}", left)
    for web in remote.webs:
        web.notify = lambda reason, seconds: say(f"{reason}; waiting {seconds:.0f} seconds", 0)
    return say


def _die_with_parent() -> None:
    """See to it that this process ends when the service does, be it by `kill -9`."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
