"""Code of others that gives vectors: which modules it consists of, and which files it opens."""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from evaluator.execution.inputs import Opened, seen, taken

# What a process has imported, and what was opened then, it does not read again, whatever the files hold now.
_MODULES: dict[str, list[Opened]] = {}
_FILES: defaultdict[str, dict[str, Opened]] = defaultdict(dict)
# The thread in which code runs now, and whether it has only read each of the files that it has opened.
_WATCHED: list[tuple[int, dict[str, bool]]] = []


@contextmanager
def watched(name: str) -> Iterator[None]:
    """Take down what the code of a module depends on, which is imported and run within this.

    These are the module, those that its files import besides Python's own and installed ones, and the files
    that they open for reading. What a library opens that is not written in Python is not seen.
    """
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # Python trusts it by time and size
    try:
        with files_read() as files:
            yield
    finally:
        sys.dont_write_bytecode = writes
        modules = _MODULES.get(name) or [
            Opened("module", Path(file), seen(file), at_once=True) for file in modules_of(name)
        ]
        _MODULES[name] = modules
        _FILES[name] |= {file: Opened("file", Path(file), seen(file), at_once=True) for file in files}
        for each in (*modules, *_FILES[name].values()):
            taken(each)


@contextmanager
def files_read() -> Iterator[list[str]]:
    """Afterwards the files that Python code has opened to read; none that it wrote or removed, no code."""
    _hook()
    opened: dict[str, bool] = {}
    _WATCHED.append((threading.get_ident(), opened))
    found: list[str] = []
    try:
        yield found
    finally:
        _WATCHED.pop()
        found += sorted(file for file, is_read in opened.items() if is_read and Path(file).is_file())


def modules_of(name: str) -> list[str]:
    """The file of a module, and those of modules that it imports, except Python's own and installed ones."""
    left, known, files = [name], {name}, []
    while left:
        module = left.pop()
        file = getattr(sys.modules.get(module), "__file__", None)
        if file is None or (_is_installed(file) and module != name):
            continue
        files.append(file)
        new = {*_imported_by(module, file), module.rpartition(".")[0]} - known
        left += new
        known |= new
    return sorted(files)


def _imported_by(module: str, file: str) -> Iterator[str]:
    """The names of modules that a file of Python imports; others, that no module has, may be among them."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):  # such as a library in C
        return
    package = getattr(sys.modules[module], "__package__", "") or ""
    for each in ast.walk(tree):
        if isinstance(each, ast.Import):
            yield from (alias.name for alias in each.names)
        elif isinstance(each, ast.ImportFrom):
            start = package.split(".")[: len(package.split(".")) - each.level + 1] if each.level else []
            whole = ".".join([*start, *([each.module] if each.module else [])])
            yield from (whole, *(f"{whole}.{alias.name}" for alias in each.names))


@cache
def _hook() -> None:
    sys.addaudithook(_audited)


def _audited(event: str, arguments: tuple[object, ...]) -> None:
    """Keep the name of a file that is opened to be read by code that is watched."""
    if event != "open" or not _WATCHED or _WATCHED[-1][0] != threading.get_ident():
        return
    path, _, flags = arguments
    if not isinstance(path, str | bytes):
        return
    reads = isinstance(flags, int) and flags & os.O_ACCMODE == os.O_RDONLY
    file = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  # links are not followed
    if not file.endswith((".py", ".pyc")) and not _is_installed(file):
        opened = _WATCHED[-1][1]
        opened[file] = reads and opened.get(file, True)


def _is_installed(file: str) -> bool:
    """Whether a file is of Python, of an installed package, of evaluator or of the system."""
    return file.startswith(_installed())


@cache
def _installed() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {*map(sysconfig.get_path, names), *map(os.path.realpath, map(sysconfig.get_path, names))}
    own = str(Path(__file__).parent.parent)
    return tuple(os.path.join(each, "") for each in (*folders, own, "/dev", "/proc", "/sys", "/etc"))  # noqa: PTH118
