"""What a number depends on: each file that was read for it, and each module of code, with its SHA-256.

Whoever opens a file says so with `opened`; `recording` has the list of what was opened within it. One list
answers all questions: whether a number is still that of its files, what it is the number of, and how to get
it again.

Two digests stand beside it, as they say whether two contents are the same, and not whether a file is.
`TestSet.sha256` is equal for a folder and an archive of the same files, and is there of test sets that were
merged or made in memory; `fingerprint` of a corpus differs if words are normalized in another way. So neither
follows from the digests of files, and neither decides whether one has changed.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path, PurePath, PurePosixPath
from threading import Thread
from typing import Literal, NamedTuple, TypeVar

import msgspec

from evaluator.errors import ChangedError
from evaluator.execution.remote_files import absolute, is_url, without_query

Result = TypeVar("Result")

Role = Literal[
    "vectors",  # a file of vectors, or of a model
    "words",  # the words of its rows, in a file beside it
    "part",  # another file of the same model
    "vocabulary",  # the words that stand in for the vocabulary of a model that has none
    "module",  # Python code that encodes words
    "file",  # what such code has opened
    "test set",
    "folder",  # which files a test set that is a folder has, and not what they hold
    "corpus",
    "lemmas",  # a dictionary of lemmas
    "trainer",  # the program that trained a model, or a file that its command names
    "results",  # what another command wrote
    "memory",  # what was in no file
]

DATA_ENDINGS = (".txt", ".csv", ".tsv")
"""How the files of a folder or archive end that can be part of a test set, plain or gzip."""

ELSEWHERE = "…/"
"""What a path begins with whose folder is not told."""

_SETTLED = 2 * 10**9  # nanoseconds after which a change would have another time, on any file system
_MOST_KEPT = 1 << 16


class Input(msgspec.Struct, frozen=True):
    """A file, or what is in memory instead of one, that a number depends on.

    Attributes:
        role: What it is to the number: `vectors`, `words`, `part`, `vocabulary`, `module`, `file`,
            `test set`, `folder`, `corpus`, `lemmas`, `trainer`, `results` or `memory`.
        path: Its path, as seen from the working directory if it is below it; a URL without a query; or the
            name of what is called by a name, such as a benchmark.
        sha256: The digest of all its bytes; of a folder, that of the names of its files; "" of a file that
            would have been read, had it been there.
        bytes: How many bytes it has.
    """

    role: Role
    path: str
    sha256: str = ""
    bytes: int = 0

    @property
    def shown(self) -> str:
        """Its path as others may read it: of one outside the working directory only the name, after …/."""
        return f"{ELSEWHERE}{PurePosixPath(self.path).name}" if self.path.startswith("/") else self.path

    def now(self, found: Path | None = None) -> str | None:
        """Its digest now, at its path or where it was found; "" if it is not there, None if nobody knows."""
        if self.role == "memory" or (found is None and is_url(self.path)):
            return None
        path = Path(self.path) if found is None else found
        try:
            return _of_names(path)[0] if self.role == "folder" else digest(path)[0]
        except OSError:
            return ""


class State(NamedTuple):
    """What changes if a file does, unless the change came within the same tick of the clock."""

    device: int
    number: int
    size: int
    modified: int
    changed: int  # which nobody can set, unlike the time of modification


def state_of(file: str | Path | int) -> State | None:
    """The state of a file, or of an open one by its number; None if it is not there."""
    try:
        found = os.stat(file)  # noqa: PTH116  # of very many files
    except OSError:
        return None
    return State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


_DIGESTS: dict[State, str] = {}


def digest(path: str | Path) -> tuple[str, State | None]:
    """The SHA-256 of a file, which is read once in each process as long as its state is the same.

    Raises:
        OSError: It cannot be read.
        ChangedError: It changes while it is read.
    """
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # of very many files
        state = state_of(file.fileno())
        known = None if state is None else _DIGESTS.get(state)
        if known is None:
            known = hashlib.file_digest(file, "sha256").hexdigest()
            if state is None or state_of(file.fileno()) != state:
                raise _changed(str(path))
            if time.time_ns() - max(state.modified, state.changed) > _SETTLED:
                if len(_DIGESTS) >= _MOST_KEPT:
                    _DIGESTS.clear()
                _DIGESTS[state] = known
    return known, state


def _changed(path: str) -> ChangedError:
    return ChangedError(f"{path}: the file changed while it was read. Read it again when it is complete.")


def joined_sha256(digests: Iterable[str]) -> str:
    """The digest of several, from theirs in this order."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def identity(inputs: Sequence[Input]) -> str:
    """The digest of the only file that something is made of, or of the digests of several; "" of none."""
    digests = list(filter(None, map(attrgetter("sha256"), inputs)))
    return digests[0] if len(digests) == 1 else joined_sha256(digests) if digests else ""


def in_memory(name: str, content: bytes) -> Input:
    """What is in no file."""
    return Input("memory", name, hashlib.sha256(content).hexdigest(), len(content))


class Opened:
    """A file that was opened as it was then; its digest is computed when it is asked for, or at once."""

    def __init__(self, role: Role, path: Path, shown: str, *, at_once: bool = False) -> None:
        self.role, self.path = role, shown
        self._file, self._state = path, state_of(path)
        self._digest = beside(partial(digest, path)) if at_once and self._state else None

    def input(self, role: Role) -> Input:
        """What it is as an input, in a role."""
        if self._state is None:
            return Input(role, self.path)
        try:
            found, state = self._digest.result() if self._digest else digest(self._file)
        except OSError as error:  # such as one that was removed, or that nobody may read
            raise _changed(self.path) from error
        if state != self._state:
            raise _changed(self.path)
        return Input(role, self.path, found, self._state.size)


@dataclass(eq=False)
class Recording:
    """The files that were opened while something was made, each once, in this order."""

    at_once: bool = False
    _opened: dict[tuple[Role, str], Opened | Input] = field(default_factory=dict, init=False)
    _inputs: tuple[Input, ...] | None = field(default=None, init=False)

    def add(self, opened: Opened | Input) -> None:
        """Take something down, once."""
        self._opened.setdefault((opened.role, opened.path), opened)

    def extend(self, other: Recording, role: Role | None) -> None:
        """Take down all that another one has."""
        for (own, path), opened in other._opened.items():
            self._opened.setdefault((role or own, path), opened)

    def but(self, others: Iterable[Input]) -> tuple[Input, ...]:
        """The inputs without some that are listed elsewhere, whose digests are then not needed."""
        listed = {(each.role, each.path) for each in others}
        found = list[Input]()
        for (role, path), each in self._opened.items():
            if (role, path) not in listed:
                found.append(each if isinstance(each, Input) else each.input(role))
        return tuple(found)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What was opened, with the digests.

        Raises:
            ChangedError: A file has changed since it was opened.
        """
        if self._inputs is None:
            self._inputs = self.but(())
        return self._inputs

    def __reduce__(self) -> tuple[Callable[..., Recording], tuple[tuple[Input, ...]]]:
        return _recorded, (self.inputs,)


def _recorded(inputs: tuple[Input, ...]) -> Recording:
    found = Recording()
    for each in inputs:
        found.add(each)
    return found


_RECORDING: ContextVar[Recording | None] = ContextVar("_RECORDING", default=None)


@contextmanager
def recording(role: Role | None = None, *, at_once: bool = False, kept: bool = True) -> Iterator[Recording]:
    """Record what is opened within it; an outer recording has it, too.

    Args:
        role: What all of it is to the outer recording; as it was opened if None.
        kept: Whether an outer recording has it at all, which does not want temporary files.
        at_once: Whether digests are computed while the work goes on, because they will be asked for.
    """
    outer = _RECORDING.get()
    own = Recording(at_once=at_once or (outer is not None and outer.at_once))
    before = _RECORDING.set(own)
    try:
        yield own
    finally:
        _RECORDING.reset(before)
        if outer is not None and kept:
            outer.extend(own, role)


def recorded() -> Recording:
    """The recording within which this is called; an empty one if there is none."""
    return _RECORDING.get() or Recording()


def opened(role: Role, path: str | os.PathLike[str], name: str | None = None) -> Path:
    """Say that a file is opened, or would be if it were there; call it before, and open what it returns.

    Args:
        role: What the file is; see `Input`.
        path: Its path on this machine.
        name: What the user calls it, if that is a URL or a name; its path if None.
    """
    record, file = _RECORDING.get(), Path(path)
    if record is not None:
        shown = seen(path) if name is None else without_query(name)
        record.add(Opened(role, file, shown, at_once=record.at_once))
    return file


def taken(found: Input | Opened) -> None:
    """Say that something is used that was read before, or is in memory."""
    record = _RECORDING.get()
    if record is not None:
        record.add(found)


def seen(path: str | os.PathLike[str]) -> str:
    """A path as it is seen from the working directory, if it is below it; else the whole path."""
    whole, here = absolute(str(path)), os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
    return whole.removeprefix(here)


def is_data(name: PurePath) -> bool:
    """Whether a file of a folder or archive can be part of a test set: nothing hidden, no licence."""
    hidden = any(part.startswith(".") and part != ".." for part in name.parts)
    named = name.name.lower().removesuffix(".gz")
    return not hidden and "__MACOSX" not in name.parts and named.endswith(DATA_ENDINGS)


def data_files(folder: Path) -> list[Path]:
    """The files of a folder that can be part of a test set, in the order of their names."""
    return sorted(each for each in folder.rglob("*") if is_data(each.relative_to(folder)) and each.is_file())


def opened_folder(folder: Path) -> list[Path]:
    """The same, and say so: another file would be another test set."""
    taken(Input("folder", seen(folder), *_of_names(folder)))
    return data_files(folder)


def _of_names(folder: Path) -> tuple[str, int]:
    """The digest of the names of the files in a folder, and how many bytes these are."""
    names = "".join(f"{each.relative_to(folder).as_posix()}\n" for each in data_files(folder))
    content = names.encode(errors="surrogateescape")
    return (hashlib.sha256(content).hexdigest() if content else ""), len(content)


def beside(function: Callable[[], Result]) -> Future[Result]:
    """What a function gives, computed in a thread that does not keep a program from ending."""
    found: Future[Result] = Future()

    def work() -> None:
        try:
            found.set_result(function())
        except BaseException as error:  # raised where the result is asked for
            found.set_exception(error)

    Thread(target=work, daemon=True).start()
    return found
