"""Jobs: long work that clients ask for, done one after another and stored on disk.

Each is a folder: `job.json`, and `result`, which gets its name when it is complete. An unfinished job starts
again with the service; the answers that a remote source gave until then are in its cache.
"""

from __future__ import annotations

import logging
import multiprocessing
import secrets
import shutil
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from filelock import FileLock, Timeout
from pydantic import Field

from testgen.errors import (
    BusyError,
    NotFoundError,
    OutputError,
    RefusedError,
    SourceError,
    TestgenError,
    TooManyJobsError,
    UnfinishedJobError,
)
from testgen.generation.test_sets import generate
from testgen.serve.selection import Selection
from testgen.serve.settings import Settings
from testgen.sources import RemoteSource, open_source
from testgen.system import atomic_write, end_with_parent, timestamp

State = Literal["queued", "running", "done", "failed", "cancelled"]
FINISHED: tuple[State, ...] = ("done", "failed", "cancelled")

_AFTER_REFUSAL, _HOUR = 600.0, 3600.0  # seconds
_CANCELLED_KEPT = 100  # jobs, which have no result: their pages say that they were cancelled
_FILE, _RESULT = "job.json", "result"
_UNFINISHED = "result.part"  # the folder to which a process writes, in the folder of the job
_FAULT = "the service failed; the reason is in its operator's log"
_ITEMS = 100  # of a query of which nobody knows how many it has
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FileSize:
    """The size of a test set: bytes, different words of its categories, pairs of its relations."""

    bytes: int
    words: int
    pairs: int


@dataclass(frozen=True)
class Job:
    """The current state of a job."""

    # As in `job.json`. Nobody can guess its id: everybody who knows it may see and cancel the job.

    id: str
    selection: Annotated[Selection, Field(description="What it makes.")]
    source: Annotated[str, Field(description="Where the words are from.")]
    command: Annotated[str, Field(description="The command line that makes the same test sets.")]
    state: State
    created: Annotated[str, Field(description="A time in UTC, as the next one.")]
    finished: str | None = None
    doing: Annotated[str, Field(description="The current request to the source.")] = ""
    left: Annotated[int, Field(description="Requests that are expected to follow.")] = 0
    asked: Annotated[int, Field(description="Requests sent so far.")] = 0
    share: Annotated[float, Field(description="The share of them that is done; it never falls.")] = 0.0
    seconds: Annotated[int | None, Field(description="How long the rest may take; null if not known.")] = None
    files: Annotated[Mapping[str, FileSize], Field(description="Sizes of the test sets, by file name.")] = (
        field(default_factory=dict)
    )
    error: str | None = None


@dataclass(frozen=True)
class JobOutcome:
    """How a job ended; `refused` if a server refused more requests."""

    state: Literal["done", "failed"]
    error: str | None = None
    files: Mapping[str, FileSize] = field(default_factory=dict)
    refused: bool = False


_DIED = JobOutcome("failed", "the job's process died, perhaps for lack of memory; ask for fewer items")


class JobProcess:
    """A process that runs one job: it delays no answers to requests, and can be stopped."""

    def __init__(self, settings: Settings, selection: Selection, folder: Path) -> None:
        # Forking a process with threads may hang.
        context = multiprocessing.get_context("spawn")
        self._receiver, sender = context.Pipe(duplex=False)
        sent = (settings, selection, folder / _UNFINISHED, sender)
        self._process = context.Process(target=_run, args=sent, name="job", daemon=True)
        self._process.start()
        sender.close()  # the process has its own copy; with this one open, `recv` would never end

    def messages(self) -> Iterator[Mapping[str, Any] | JobOutcome]:
        """The progress of the job as attributes of `Job`, and last, unless the process dies, its outcome."""
        with self._receiver:
            with suppress(EOFError):
                while True:
                    yield self._receiver.recv()
            self._process.join()

    def stop(self) -> None:
        """Stop the process at once."""
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
        sender.send(JobOutcome("failed", _FAULT))


def _make(settings: Settings, selection: Selection, folder: Path, sender: Connection) -> JobOutcome:
    source, request = open_source(settings.source), selection.request(settings.categories)
    report = None
    if isinstance(source, RemoteSource):
        plan = source.plan(request.chosen_queries(source), selection.languages)
        # With requests for the names of items that the queries have yet to find.
        items = plan.items + sum(query.about or _ITEMS for query in plan.queries)
        report = _report_requests(source, replace(plan, items=items).requests, sender)
    shutil.rmtree(folder, ignore_errors=True)  # from an earlier attempt
    made = generate(folder, request, source=source)
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


class JobQueue:
    """The queue of jobs, and the thread that runs them. Several threads may use it at the same time."""

    def __init__(self, settings: Settings, on_end: Callable[[], None]) -> None:
        """Read the jobs on disk; none is run before `start`. `on_end` is called before each ends."""
        self._settings, self._on_end = settings, on_end
        self._directory = settings.directory / "jobs"
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self._directory / ".lock", timeout=0)
            self._lock.acquire()
        except Timeout as error:
            raise OutputError(
                f"{self._directory}: another service uses this folder for its jobs; choose another --data"
            ) from error
        except OSError as error:
            raise OutputError(
                f"{self._directory}: cannot be used: {error.strerror}; choose another --data"
            ) from error
        self._changed = threading.Condition()
        self._jobs = {job.id: job for job in self._read_all()}
        # Only in memory: no address of a client is stored.
        self._clients: dict[str, str] = {}
        self._started: deque[tuple[float, str]] = deque()
        self._process: JobProcess | None = None
        self._stopping, self._not_before = False, 0.0
        self._thread = threading.Thread(target=self._run_all, name="jobs", daemon=True)

    def start(self) -> None:
        """Start to run the jobs that are waiting."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the job that is running; it starts again with the service."""
        with self._changed:
            self._stopping = True
            if self._process is not None:
                self._process.stop()
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        self._lock.release()

    def add(self, selection: Selection, client: str) -> Job:
        """Queue a job."""
        with self._changed:
            self._check_client(client)
            self._make_room()
            settings = self._settings
            command = selection.command(settings, settings.categories)
            name = secrets.token_urlsafe(16)
            job = Job(name, selection, settings.source_name, command, "queued", _now())
            self._store(job)
            self._clients[job.id] = client
            self._started.append((time.monotonic(), client))
            return job

    def _check_client(self, client: str) -> None:
        limits = self._settings.limits
        unfinished = sum(self._clients.get(job.id) == client for job in self._unfinished())
        if unfinished >= limits.jobs_per_client:
            raise TooManyJobsError(
                f"you have {unfinished} unfinished jobs, and {limits.jobs_per_client} are allowed; wait "
                "until one is finished, or cancel one"
            )
        an_hour_ago = time.monotonic() - _HOUR
        while self._started and self._started[0][0] <= an_hour_ago:
            self._started.popleft()
        starts = [moment for moment, starter in self._started if starter == client]
        if len(starts) >= limits.jobs_per_hour:
            wait = int(starts[0] - an_hour_ago) + 1
            raise TooManyJobsError(
                f"you have started {len(starts)} jobs within an hour, and no more are allowed; try again in "
                f"{-(-wait // 60)} minutes",
                wait,
            )

    def _make_room(self) -> None:
        limits, kept = self._settings.limits, self._ended("done", "failed")
        before = timestamp(datetime.now(UTC) - timedelta(days=limits.days_kept))
        while len(kept) + len(self._unfinished()) >= limits.jobs_kept:
            if not kept or (kept[0].finished or "") > before:
                raise BusyError(
                    f"the service stores {limits.jobs_kept} jobs already, and deletes none that are younger "
                    f"than {limits.days_kept:g} days; use testgen on your own machine, or try again tomorrow"
                )
            self._delete(kept.pop(0))

    @property
    def alive(self) -> bool:
        """Whether jobs are run: not before `start`, not after `stop`."""
        return self._thread.is_alive()

    def counts(self) -> dict[State, int]:
        """How many jobs are stored, by state."""
        with self._changed:
            counts = Counter(job.state for job in self._jobs.values())
        return {state: counts[state] for state in ("queued", "running", *FINISHED)}

    def get(self, job_id: str) -> Job:
        """The current state of a job."""
        with self._changed:
            if job_id not in self._jobs:
                raise NotFoundError(
                    f"there is no job {job_id!r}; if there was one, it was deleted to make room for later "
                    "ones: start it again"
                )
            return self._jobs[job_id]

    @property
    def _seconds_paused(self) -> float:  # none if negative
        return self._not_before - time.monotonic()

    @property
    def pause(self) -> str:
        """Why no job may start at the moment; empty if jobs may start."""
        minutes = self._seconds_paused / 60
        if minutes <= 0:
            return ""
        return f"the source has refused requests; no more are sent for another {minutes:.0f} minutes"

    def ahead(self, job: Job) -> int:
        """How many jobs are run before a job that is waiting."""
        with self._changed:
            return sum(
                other.created < job.created or other.state == "running" for other in self._unfinished()
            )

    def cancel(self, job_id: str) -> Job:
        """Cancel an unfinished job; of a job that is done, delete the result."""
        with self._changed:
            job = self.get(job_id)
            if job.state == "failed":
                return job
            cancelled = replace(job, state="cancelled", finished=_now(), files={}, doing="", left=0)
            self._set(cancelled)  # before anything that can fail, so that it is not run again
            if job.state == "running" and self._process is not None:
                self._process.stop()
            shutil.rmtree(self._directory / job_id / _RESULT, ignore_errors=True)
            self._store(cancelled)
            self._delete_oldest(job_id)
            return cancelled

    def result(self, job_id: str) -> list[Path]:
        """The test set files of a job, in order."""
        job = self.get(job_id)
        if job.state != "done":
            raise UnfinishedJobError(f"the job is {job.state}; only a job that is done has a result")
        return [self._directory / job_id / _RESULT / name for name in sorted(job.files)]

    def _unfinished(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state not in FINISHED]

    def _run_all(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._end(job.id, self._outcome(job))
            except Exception:  # the other jobs must be run all the same
                _log.exception("job %s", job.id)
                with self._changed:
                    self._process = None
                    self._set(replace(self._jobs[job.id], state="failed", finished=_now(), error=_FAULT))

    def _next(self) -> Job | None:
        """Wait for a job that can be run; None when the service stops."""
        with self._changed:
            while not self._stopping and (self._seconds_paused > 0 or not self._unfinished()):
                self._changed.wait(self._seconds_paused if self._unfinished() else None)
            return None if self._stopping else self._unfinished()[0]

    def _outcome(self, job: Job) -> JobOutcome:
        outcome = _DIED
        with self._changed:
            if self._stopping or self._jobs[job.id].state != "queued":
                return outcome
            self._set(replace(job, state="running"))
            self._process = JobProcess(self._settings, job.selection, self._directory / job.id)
        for message in self._process.messages():
            if isinstance(message, JobOutcome):
                outcome = message
                continue
            with self._changed:
                if self._jobs[job.id].state == "running":
                    self._set(replace(self._jobs[job.id], **message))
        return outcome

    def _end(self, job_id: str, outcome: JobOutcome) -> None:
        # First: who sees a finished job looks at what it fetched, also if it failed or was cancelled.
        if not self._stopping:
            self._on_end()
        with self._changed:
            self._process = None
            job = self._jobs[job_id]
            if job.state != "running":  # cancelled
                self._delete_oldest(job_id)
                return
            if outcome is _DIED and self._stopping:
                self._set(replace(job, state="queued", doing="", left=0))
                return
            if outcome.refused:
                # After a refusal, no job may ask the source again at once.
                self._not_before = time.monotonic() + _AFTER_REFUSAL
            if outcome.state == "done":
                folder = self._directory / job_id
                # There is one if a service was killed at this point.
                shutil.rmtree(folder / _RESULT, ignore_errors=True)
                (folder / _UNFINISHED).replace(folder / _RESULT)
            ended = replace(job, state=outcome.state, finished=_now(), doing="", left=0)
            self._store(replace(ended, files=outcome.files, error=outcome.error))
            self._delete_oldest(job_id)

    def _delete_oldest(self, job_id: str) -> None:
        clients, ended = self._clients, self._ended("done", "failed")
        of_client = [job for job in ended if job_id in clients and clients.get(job.id) == clients[job_id]]
        displaced = of_client[: -self._settings.limits.jobs_kept_per_client]
        if self._process is None:  # which may be that of a cancelled job
            displaced += self._ended("cancelled")[:-_CANCELLED_KEPT]
        for job in displaced:
            self._delete(job)

    def _ended(self, *states: State) -> list[Job]:
        ended = (job for job in self._jobs.values() if job.state in states)
        return sorted(ended, key=lambda job: job.finished or "")

    def _delete(self, job: Job) -> None:
        del self._jobs[job.id]
        self._clients.pop(job.id, None)
        shutil.rmtree(self._directory / job.id, ignore_errors=True)

    def _set(self, job: Job) -> None:
        self._jobs[job.id] = job
        self._changed.notify_all()

    def _store(self, job: Job) -> None:
        with atomic_write(self._directory / job.id / _FILE) as temporary:
            temporary.write_bytes(msgspec.json.format(msgspec.json.encode(job), indent=1) + b"\n")
        self._set(job)

    def _read_all(self) -> list[Job]:
        jobs = []
        for path in self._directory.glob(f"*/{_FILE}"):
            try:
                job = msgspec.json.decode(path.read_bytes(), type=Job)
                if job.id != path.parent.name:
                    raise ValueError("its id is not the name of its folder")  # noqa: TRY301 - as msgspec does
                jobs.append(self._resumed(job))
            except (OSError, ValueError, TestgenError) as error:  # msgspec's errors are ValueErrors
                _log.warning("%s: left out, since it cannot be read: %s", path, error)
        return sorted(jobs, key=lambda job: (job.created, job.id))

    def _resumed(self, job: Job) -> Job:
        """A job of an earlier run of the service; queued again if unfinished, unless its source changed."""
        if job.state in FINISHED:
            return job
        if job.source != self._settings.source_name:
            error = (
                f"it is for {job.source}, and the source of the service is {self._settings.source_name} now"
            )
            return replace(job, state="failed", finished=_now(), error=error)
        return replace(job, state="queued")


def _now() -> str:
    return timestamp(datetime.now(UTC))
