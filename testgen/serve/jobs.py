"""Jobs: what takes a while, asked for by clients and done one after another; kept on disk.

Each job is a folder: `job.json`, which is replaced whole when the job is asked for and when it ends, and
`result`, which gets its name when everything in it is there. What was not finished when the service ended is
begun anew at its next start; answers that a remote source has given by then are in its cache.
"""

from __future__ import annotations

import json
import logging
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

import regex
from filelock import FileLock, Timeout

from testgen.errors import OutputError, TestgenError
from testgen.files import written_whole
from testgen.labels import LabelPolicy
from testgen.serve.choices import Choice, queries_of
from testgen.serve.settings import Settings
from testgen.serve.work import FAULT, PART, Child, Outcome

State = Literal["queued", "running", "done", "failed", "cancelled"]
FINISHED: tuple[State, ...] = ("done", "failed", "cancelled")

_AFTER_REFUSAL = 600.0  # seconds
_ID = regex.compile(r"[A-Za-z0-9_-]{22}")
_FILE, _RESULT = "job.json", "result"
_log = logging.getLogger(__name__)


class UnknownJobError(TestgenError):
    """There is no such job."""


class UnfinishedJobError(TestgenError):
    """A job has no result, or none yet."""


class TooManyJobsError(TestgenError):
    """A client has as many unfinished jobs as it may have."""


@dataclass(frozen=True)
class Job:
    """A job as it stands.

    Attributes:
        id: Its name, which nobody can guess: who knows it may see and cancel the job.
        choice: What is to be made.
        source: Of what it is asked, as clients may know it.
        command: The command line that makes the same.
        state: `queued`, `running`, `done`, `failed` or `cancelled`.
        created: When it was asked for, in UTC, as in 2026-11-20T18:03:00Z.
        finished: When it came to its end.
        doing: What is being asked of the source, for people.
        left: How many requests are known to follow.
        asked: How many requests have been sent.
        files: The sizes in bytes of the test sets that it made, by name.
        error: Why it failed.
    """

    id: str
    choice: Choice
    source: str
    command: str
    state: State
    created: str
    finished: str | None = None
    doing: str = ""
    left: int = 0
    asked: int = 0
    files: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None


class Jobs:
    """The queue of jobs, and the thread that sees to them. May be used from several threads at a time."""

    def __init__(self, settings: Settings, done: Callable[[], None]) -> None:
        """Read what is on disk; nothing is begun before `start`.

        Args:
            settings: Where jobs are kept, and how many.
            done: Called after each job that has been done.

        Raises:
            OutputError: The folder cannot be used, or another service uses it.
        """
        self._settings, self._done = settings, done
        self._directory = settings.directory / "jobs"
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self._directory / ".lock", timeout=0)
            self._lock.acquire()
        except Timeout as error:
            raise OutputError(
                f"{self._directory}: another service keeps its jobs there; choose another --data"
            ) from error
        except OSError as error:
            raise OutputError(
                f"{self._directory}: cannot be used: {error.strerror}; choose another --data"
            ) from error
        self._changed = threading.Condition()
        self._jobs = {job.id: job for job in sorted(self._read_all(), key=lambda job: (job.created, job.id))}
        self._clients: dict[str, str] = {}
        self._child: Child | None = None
        self._stopping, self._not_before = False, 0.0
        self._thread = threading.Thread(target=self._see_to_all, name="jobs", daemon=True)

    def start(self) -> None:
        """Begin with what is waiting."""
        self._thread.start()

    def stop(self) -> None:
        """Break off what is being done, to be begun again at the next start."""
        with self._changed:
            self._stopping = True
            if self._child is not None:
                self._child.stop()
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        self._lock.release()

    def add(self, choice: Choice, client: str) -> Job:
        """Queue a job.

        Raises:
            TooManyJobsError: The client has too many that are not finished.
            OutputError: It cannot be kept.
        """
        with self._changed:
            most = self._settings.limits.jobs_per_client
            theirs = [job for job in self._unfinished() if self._clients.get(job.id) == client]
            if len(theirs) >= most:
                raise TooManyJobsError(
                    f"you have {len(theirs)} jobs that are not finished, and may have {most}; wait for one, "
                    "or cancel one"
                )
            settings = self._settings
            command = choice.command(settings, queries_of(choice, settings))
            name = secrets.token_urlsafe(16)
            job = Job(name, choice, settings.source_name, command, "queued", _now())
            self._keep(job)
            self._clients[job.id] = client
            self._changed.notify_all()
            return job

    def get(self, job_id: str) -> Job:
        """A job as it stands.

        Raises:
            UnknownJobError: There is none of this name.
        """
        with self._changed:
            if job_id not in self._jobs:
                raise UnknownJobError(
                    "there is no such job; it may have been deleted to make room for later ones"
                )
            return self._jobs[job_id]

    @property
    def pause(self) -> str:
        """Why nothing is begun at the moment; nothing if something is."""
        minutes = (self._not_before - time.monotonic()) / 60
        if minutes <= 0:
            return ""
        return f"the source has refused requests; nothing is asked of it for another {minutes:.0f} minutes"

    def ahead(self, job: Job) -> int:
        """How many jobs come before a job that is waiting."""
        with self._changed:
            return sum(each.created < job.created or each.state == "running" for each in self._unfinished())

    def cancel(self, job_id: str) -> Job:
        """Cancel a job that is not finished; of one that is done, the result is deleted.

        Raises:
            UnknownJobError: There is none of this name.
        """
        with self._changed:
            job = self.get(job_id)
            if job.state == "failed":
                return job
            cancelled = replace(job, state="cancelled", finished=_now(), files={}, doing="", left=0)
            self._note(cancelled)  # before anything that can fail, so that it is not begun again
            if job.state == "running" and self._child is not None:
                self._child.stop()
            shutil.rmtree(self._directory / job_id / _RESULT, ignore_errors=True)
            self._keep(cancelled)
            self._make_room()
            return cancelled

    def result(self, job_id: str) -> list[Path]:
        """The test set files of a job, in order.

        Raises:
            UnknownJobError: There is none of this name.
            UnfinishedJobError: It is not done.
        """
        job = self.get(job_id)
        if job.state != "done":
            raise UnfinishedJobError(f"the job is {job.state}; there is a result only of one that is done")
        return [self._directory / job_id / _RESULT / name for name in sorted(job.files)]

    def _unfinished(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state not in FINISHED]

    def _see_to_all(self) -> None:
        while True:
            with self._changed:
                while not self._stopping and (held := self._held()) != 0:
                    self._changed.wait(held)
                if self._stopping:
                    return
                job = self._unfinished()[0]
                self._note(replace(job, state="running"))
            try:
                with self._changed:
                    self._child = Child(self._settings, job.choice, self._directory / job.id)
                self._see_to(job.id, self._child)
            except Exception:  # the next job is to be seen to all the same
                _log.exception("job %s", job.id)
                with self._changed:
                    self._child = None
                    self._note(replace(self._jobs[job.id], state="failed", finished=_now(), error=FAULT))

    def _held(self) -> float | None:
        """Seconds until the next job may be begun; None if none is waiting."""
        return max(0.0, self._not_before - time.monotonic()) if self._unfinished() else None

    def _see_to(self, job_id: str, child: Child) -> None:
        for progress in child.run():
            with self._changed:
                job = self._jobs[job_id]
                if job.state == "running":
                    self._note(replace(job, doing=progress.doing, left=progress.left, asked=progress.asked))
        self._end(job_id, child.outcome)

    def _end(self, job_id: str, outcome: Outcome) -> None:
        with self._changed:
            self._child = None
            job = self._jobs[job_id]
            if job.state != "running":  # cancelled
                self._make_room()
                return
            if outcome.state == "stopped":
                self._note(replace(job, state="queued", doing="", left=0))
                return
            if outcome.refused:
                # What has been refused is not asked again at once, whoever asks for it.
                self._not_before = time.monotonic() + _AFTER_REFUSAL
            if outcome.state == "done":
                folder = self._directory / job_id
                shutil.rmtree(folder / _RESULT, ignore_errors=True)  # of a service that was killed here
                (folder / PART).replace(folder / _RESULT)
            ended = replace(job, state=outcome.state, finished=_now(), doing="", left=0)
            self._keep(replace(ended, files=outcome.files, error=outcome.error))
            self._make_room()
        if outcome.state == "done":
            self._done()

    def _make_room(self) -> None:
        finished = [job for job in self._jobs.values() if job.state in FINISHED]
        for job in sorted(finished, key=lambda job: job.finished or "")[: -self._settings.limits.jobs_kept]:
            del self._jobs[job.id]
            self._clients.pop(job.id, None)
            shutil.rmtree(self._directory / job.id, ignore_errors=True)

    def _note(self, job: Job) -> None:
        self._jobs[job.id] = job
        self._changed.notify_all()

    def _keep(self, job: Job) -> None:
        """Write a job down, then show it."""
        with written_whole(self._directory / job.id / _FILE) as beside:
            beside.write_text(json.dumps(asdict(job), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        self._note(job)

    def _read_all(self) -> list[Job]:
        jobs = []
        for folder in self._directory.iterdir():
            if _ID.fullmatch(folder.name) and (folder / _FILE).is_file():
                try:
                    jobs.append(self._taken_up(_read(folder / _FILE)))
                except (OSError, ValueError, TypeError, KeyError, AttributeError, TestgenError) as error:
                    _log.warning("%s: left out, for it cannot be read: %s", folder / _FILE, error)
        return jobs

    def _taken_up(self, job: Job) -> Job:
        """A job of an earlier service; what was not finished is to be done, if the source is the same."""
        if job.state in FINISHED:
            return job
        if job.source != self._settings.source_name:
            error = f"it was asked of {job.source}, and the service has {self._settings.source_name} now"
            return replace(job, state="failed", finished=_now(), error=error)
        return replace(job, state="queued")


def _read(path: Path) -> Job:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    choice = content.pop("choice")
    languages = choice.pop("languages")
    content["choice"] = Choice(
        None if languages is None else tuple(languages),
        tuple(choice["categories"]),
        tuple(choice["classes"]),
        LabelPolicy(**choice["policy"]),
        choice["minimum_items"],
    )
    job = Job(**content)
    if job.id != path.parent.name:
        raise ValueError("it has another name than its folder")
    if job.state not in get_args(State):
        raise ValueError(f"its state is {job.state!r}, which is none")
    return job


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
