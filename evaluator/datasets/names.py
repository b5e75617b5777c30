"""Test sets by name: the shipped one of a language, which testgen makes, and those of `benchmarks.tsv`.

These are fetched when they are named for the first time. Nothing is fetched or made without a line that says
so.
"""

from __future__ import annotations

import difflib
import hashlib
import logging
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from evaluator.datasets.data_files import letters_of
from evaluator.errors import TestSetError
from evaluator.execution.output_files import atomic_output
from evaluator.execution.remote_files import cache_folder, is_url, locked

_log = logging.getLogger(__name__)

_NAME = re.compile(r"\w[\w' ()-]*")
_TESTGEN = "from testgen.cli import main; main()"
_SECONDS = 30  # without a byte from a server


@dataclass(frozen=True)
class Benchmark:
    """A public data set."""

    name: str
    language: str
    address: str
    sha256: str
    licence: str
    cite: str

    @property
    def path(self) -> Path:
        """Where its file is kept."""
        return cache_folder("benchmarks", self.name) / f"{self.name}{PurePosixPath(self.address).suffix}"


@cache
def benchmarks() -> Mapping[str, Benchmark]:
    """All benchmarks, by their names."""
    _, *rows = (files(__package__) / "benchmarks.tsv").read_text(encoding="utf-8").splitlines()
    return {each.name: each for each in (Benchmark(*row.split("\t")) for row in rows)}


def by_name(text: str) -> tuple[str, str | None] | None:
    """The path of a test set that is named, and its language code if the file does not state it.

    A name is that of a benchmark in any spelling, such as `SimLex-999`; or the code or name of a language,
    such as `la` or `latin`. None for a path, a URL or a pattern; a file of that name wins.
    """
    if is_url(text) or Path(text).exists() or not _NAME.fullmatch(text):
        return None
    named = {letters_of(name): each for name, each in benchmarks().items()}
    benchmark = named.get(letters_of(text))
    if benchmark is None:
        return _shipped(text, difflib.get_close_matches(letters_of(text), named, n=1)), None
    with locked(benchmark.path.parent):
        if not benchmark.path.exists():
            _fetch(benchmark)
    if hashlib.sha256(benchmark.path.read_bytes()).hexdigest() != benchmark.sha256:
        raise TestSetError(f"{benchmark.path}: is not the file that was checked for {text}; remove it")
    return str(benchmark.path), benchmark.language


def language_of_file(name: str) -> str | None:
    """The language code of a benchmark's file by its name, such as SimLex-999.txt; None if it is none."""
    letters = letters_of(PurePosixPath(name).stem)
    return next((each.language for key, each in benchmarks().items() if letters_of(key) == letters), None)


def _fetch(benchmark: Benchmark) -> None:
    import requests

    try:
        answer = requests.get(benchmark.address, timeout=_SECONDS)
        answer.raise_for_status()
    except requests.RequestException as error:
        reason = "no answer" if error.response is None else f"HTTP status {error.response.status_code}"
        raise TestSetError(
            f"{benchmark.name}: cannot be fetched ({reason}). Download {benchmark.address} where there is a "
            f"network, and save it as {benchmark.path}"
        ) from error
    content = answer.content
    if hashlib.sha256(content).hexdigest() != benchmark.sha256:
        raise TestSetError(
            f"{benchmark.name}: what {benchmark.address} has now is not the file that was checked; get the "
            f"original ({benchmark.cite}), and name its file with --test"
        )
    with atomic_output(benchmark.path) as temporary:
        temporary.write_bytes(content)
    _log.warning(
        "%s: fetched from %s; kept in %s. Licence: %s. Cite: %s",
        *(benchmark.name, benchmark.address, benchmark.path, benchmark.licence, benchmark.cite),
    )


def _shipped(language: str, near: list[str]) -> str:
    """The path of the shipped test set of a language, made by a program of the same distribution."""
    folder = cache_folder("testsets", hashlib.sha256(f"{language}{_newest_data()}".encode()).hexdigest())
    with locked(folder):
        if not any(folder.glob("*.json")):
            asked = ["generate", f"--language={language}", f"--output={folder}"]
            command = [sys.executable, "-c", _TESTGEN, *asked]
            made = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)  # noqa: S603
            if not any(folder.glob("*.json")):
                meant = f" (did you mean {near[0]}?)" if near else ""
                raise TestSetError(
                    f"{language}: no such file, and no benchmark of `evaluator benchmarks`{meant}. As a "
                    f"language: {made.stderr.strip().removeprefix('testgen: ')}"
                )
            _log.warning("%s: test set made with testgen of what ships with it, in %s", language, folder)
            for line in made.stderr.splitlines():  # as that another language is called so, too
                _log.warning("%s", line)
    return str(next(folder.glob("*.json")))


def _newest_data() -> int:
    """The time of the last change of what ships with testgen, in nanoseconds."""
    spec = find_spec("testgen")
    package = Path(spec.origin).parent if spec is not None and spec.origin else Path()
    folders = (package, package / "cache", package / "queries", package.with_name("cache"))
    found = (each for folder in folders if folder.is_dir() for each in (folder, *folder.iterdir()))
    return max((each.stat().st_mtime_ns for each in found), default=0)
