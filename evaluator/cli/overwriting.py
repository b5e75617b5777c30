"""Files that evaluator did not write are not overwritten, except with --force."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from evaluator.cli.inputs import kind_of
from evaluator.errors import OutputError


def check_file(path: Path, *, force: bool, is_ours: Callable[[Path], bool]) -> None:
    """Refuse a file that is there and that evaluator did not write."""
    if path.is_file() and not force and path.stat().st_size and not is_ours(path):
        raise OutputError(
            f"{path}: exists, and evaluator did not write it; name another one, or overwrite it with --force"
        )


def check_folder(folder: Path, *, force: bool, marks: Iterable[str], written: Iterable[str]) -> None:
    """Refuse a folder with files that would be overwritten and that evaluator did not write.

    That one of the files `marks` is in it shows that evaluator wrote into it before.
    """
    is_ours = any(_is_mark(folder / name) for name in marks)
    for name in written:
        check_file(folder / name, force=force, is_ours=lambda _: is_ours)


def figures(*names: str) -> list[str]:
    """The names of the files of figures."""
    return [f"{name}.{ending}" for name in names for ending in ("svg", "pdf", "png")]


def _is_mark(path: Path) -> bool:
    return path.exists() and (path.suffix != ".json" or kind_of(path) == "results of evaluator")
