"""The points of a curve that are finished, one small file each, so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from evaluator.errors import StudyError
from evaluator.execution.output_files import prepare_folder, write_text
from evaluator.results.base import to_json
from evaluator.studies.curves.points import Point

_SETTINGS = "settings.json"
_AGAIN = "remove it, and it is made again"


class Store:
    """A folder of points, all made with the same settings."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        """Open the points of a folder, or begin.

        Args:
            folder: Where they are; it must be there.
            settings: All that a point depends on beside its size and seed.

        Raises:
            StudyError: The folder is of other settings, or a file in it is damaged.
            OutputError: It cannot be written to.
        """
        self._folder = folder / "points"
        path, given = folder / _SETTINGS, json.loads(json.dumps(settings))
        if path.exists():
            _check(path, _read(path, "name another folder"), given)
        prepare_folder(self._folder)
        write_text(path, json.dumps(given, ensure_ascii=False, indent=1) + "\n")

    def find(self, size: int, seed: int) -> Point | None:
        """A finished point; None if it is still to be made.

        Raises:
            StudyError: Its file is damaged.
        """
        path = self._path(size, seed)
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=Point)
        except (ValueError, OSError) as error:
            raise StudyError(f"{path}: damaged; {_AGAIN}") from error

    def keep(self, point: Point) -> None:
        """Keep a point.

        Raises:
            OutputError: It cannot be written.
        """
        write_text(self._path(point.size, point.seed), to_json(point, indent=None) + "\n")

    def _path(self, size: int, seed: int) -> Path:
        return self._folder / f"{size}-{seed}.json"


def _read(path: Path, advice: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise StudyError(f"{path}: damaged; {advice}") from error


def _check(path: Path, own: Any, given: Mapping[str, Any]) -> None:  # noqa: ANN401 - JSON
    if own == given:
        return
    if not isinstance(own, dict):
        raise StudyError(f"{path}: is not of a learning curve; name another folder")
    names = sorted(name for name in own.keys() | given.keys() if own.get(name) != given.get(name))
    changed = "; ".join(f"{name} was {own.get(name)}, is {given.get(name)}" for name in names)
    raise StudyError(
        f"{path}: the curve was begun with other settings ({changed}). Name another folder, or use the same "
        "settings"
    )
