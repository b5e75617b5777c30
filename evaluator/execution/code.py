"""Code of others: which modules it consists of, and which files it opens.

What Python code opens is seen by a hook. What a library in another language opens is not, but often it is
known where that is: in the folder of a model whose settings, in JSON, are read in Python.
"""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from modulefinder import ModuleFinder
from pathlib import Path

from evaluator.execution.inputs import Opened, seen, taken

# What a process has imported, and what was opened then, it does not read again, whatever the files hold now.
_MODULES: dict[str, list[Opened]] = {}
_FILES: defaultdict[str, dict[str, Opened]] = defaultdict(dict)
_SETTINGS = {"config.json", "modules.json", "tokenizer_config.json"}
"""Files of a model's folder that Hugging Face's libraries read in Python, and the others in Rust."""
# The thread in which code runs now, and whether it has only read each of the files that it has opened.
_WATCHED: list[tuple[int, dict[str, bool]]] = []


@contextmanager
def watched(name: str) -> Iterator[None]:
    """Take down what the code of a module depends on, which is imported and run within this.

    These are the module, those that its files import besides Python's own and installed ones, and the files
    that they open for reading.
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
    """Afterwards the files that Python code has opened to read; none that it wrote or removed, no code.

    With a file of settings these are all files of the model's folder.
    """
    _hook()
    opened: dict[str, bool] = {}
    _WATCHED.append((threading.get_ident(), opened))
    found: list[str] = []
    try:
        yield found
    finally:
        _WATCHED.pop()
        read = {file for file, is_read in opened.items() if is_read and Path(file).is_file()}
        folders = {Path(file).parent for file in read if Path(file).name in _SETTINGS}
        found += sorted(read.union(*map(files_below, folders)))


def files_below(folder: Path) -> list[str]:
    """The files of a folder and those in it, in the order of their paths; none that is hidden."""
    found = (each for each in folder.rglob("*") if each.is_file())
    hidden = ((each, each.relative_to(folder).parts) for each in found)
    return sorted(str(each) for each, parts in hidden if not any(part.startswith(".") for part in parts))


def modules_of_script(script: Path) -> list[str]:
    """The files of the modules beside a script of Python that it, or one of them, imports; sorted."""
    return _found_in(os.path.dirname(os.path.realpath(script)), lambda finder: finder.run_script(str(script)))  # noqa: PTH120


def modules_run(name: str) -> list[str]:
    """The files of a module below the working directory, run by `python -m`, and of those that it imports."""
    folder = os.getcwd()  # noqa: PTH109
    package = Path(folder, *name.split("."), "__main__.py").is_file()
    return _found_in(folder, lambda finder: finder.import_hook(f"{name}.__main__" if package else name))


def _found_in(folder: str, load: Callable[[ModuleFinder], object]) -> list[str]:
    """The files of modules in a folder that are found when one is loaded, but not run."""
    finder = ModuleFinder(path=[folder])
    with suppress(ImportError, SyntaxError, ValueError, OSError):  # Python says so when it runs
        load(finder)
    files = (getattr(each, "__file__", None) for name, each in finder.modules.items() if name != "__main__")
    return sorted(file for file in files if file is not None)


def is_script(file: Path) -> bool:
    """Whether a file is a script of Python, by its ending or first line."""
    if file.suffix == ".py":
        return True
    with file.open("rb") as opened:
        first = opened.readline(128)
    return first.startswith(b"#!") and b"python" in first


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
