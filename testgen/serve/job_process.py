"""The process that runs a job: it delays no answers to requests, reports its progress, and can be stopped."""

from __future__ import annotations

import logging
import multiprocessing
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from testgen.errors import RefusedError, SourceError, TestgenError
from testgen.generation.test_sets import generate
from testgen.serve.selection import Selection, Settings
from testgen.sources import RemoteSource, open_source
from testgen.system import end_with_parent

UNFINISHED = "result.part"  # the folder to which a process writes, in the folder of the job
FAULT = "the service failed; the reason is in its operator's log"
_ITEMS = 100  # of a query of which nobody knows how many it has
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FileSize:
    """The size of a test set: bytes, different words of its categories, pairs of its relations."""

    bytes: int
    words: int
    pairs: int


@dataclass(frozen=True)
class JobOutcome:
    """How a job ended; `stopped` if its process was stopped, `refused` if a server refused more requests."""

    state: Literal["done", "failed", "stopped"]
    error: str | None = None
    files: Mapping[str, FileSize] = field(default_factory=dict)
    refused: bool = False


class JobProcess:
    """A process that runs one job."""

    def __init__(self, settings: Settings, selection: Selection, folder: Path) -> None:
        # Forking a process with threads may hang.
        context = multiprocessing.get_context("spawn")
        self._receiver, self._sender = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_run,
            args=(settings, selection, folder / UNFINISHED, self._sender),
            name="job",
            daemon=True,
        )
        self._stopped = False
        self.outcome = JobOutcome("stopped")  # how the job ended, once it has

    def run(self) -> Iterator[Mapping[str, Any]]:
        """Run the job, and give its progress until it ends, as attributes of `Job`."""
        if self._stopped:
            return
        self._process.start()
        self._sender.close()  # the process has its own copy; with this one open, `recv` would never end
        if self._stopped:
            self._process.terminate()
        while True:
            try:
                message = self._receiver.recv()
            except EOFError:
                break
            if isinstance(message, JobOutcome):
                self.outcome = message
            else:
                yield message
        self._process.join()
        if self.outcome.state == "stopped" and not self._stopped:
            self.outcome = JobOutcome(
                "failed", "the job's process died, perhaps for lack of memory; ask for fewer items"
            )
        self._receiver.close()

    def stop(self) -> None:
        """Stop the process at once."""
        self._stopped = True
        if self._process.pid is not None:
            self._process.terminate()


def _run(settings: Settings, selection: Selection, folder: Path, sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the service, which stops this process
    end_with_parent()
    try:
        sender.send(_make(settings, selection, folder, sender))
    except TestgenError as error:
        sender.send(JobOutcome("failed", str(error), refused=isinstance(error, RefusedError)))
    except Exception:
        _log.exception("a job failed")
        sender.send(JobOutcome("failed", FAULT))


def _make(settings: Settings, selection: Selection, folder: Path, sender: Connection) -> JobOutcome:
    source, queries = open_source(settings.source), selection.queries(settings)
    report = None
    if isinstance(source, RemoteSource):
        plan = source.plan(queries, selection.languages)
        # With requests for the names of items that the queries have yet to find.
        items = plan.items + sum(query.about or _ITEMS for query in plan.queries)
        expected = sum(plan.queries.values()) + -(-items // plan.batch_size)
        report = _report_requests(source, expected, sender)
    shutil.rmtree(folder, ignore_errors=True)  # from an earlier attempt
    made = generate(folder, selection.request(queries), source=source)
    if made.attrs["failed"] and (selection.categories or selection.classes):  # somebody waits for each
        raise SourceError("\n".join(made.attrs["failed"].values()))
    if report is not None:
        report("", 0)
    words = made.attrs["words"]
    pairs = made[made["kind"] == "relation"].groupby("language")["size"].sum()
    files = {
        path.name: FileSize(path.stat().st_size, words.get(path.stem, 0), int(pairs.get(path.stem, 0)))
        for path in sorted(folder.iterdir())
    }
    return JobOutcome("done", files=files)


def _report_requests(source: RemoteSource, expected: int, sender: Connection) -> Callable[[str, int], None]:
    """Report every request and every wait to the service; returns the function that reports."""
    begun, share, last = time.monotonic(), 0.0, expected

    def report(doing: str, left: int) -> None:
        nonlocal share, last
        last, asked = left, sum(server.asked for server in source.servers)
        share = max(share, asked / (asked + left)) if asked else share
        seconds = round((time.monotonic() - begun) * (1 - share) / share) if share else None
        sender.send({"doing": doing, "left": left, "asked": asked, "share": share, "seconds": seconds})

    def report_request(what: str, follow: int) -> None:
        of_names = what.startswith("names of")  # all that are missing are asked for in one go
        asked = sum(server.asked for server in source.servers)
        report(f"asking for {what}", follow + 1 if of_names else max(follow + 1, expected - asked))

    source.notify = report_request
    for server in source.servers:
        server.notify = lambda reason, seconds: report(f"{reason}; waiting {seconds:.0f} seconds", last)
    return report
