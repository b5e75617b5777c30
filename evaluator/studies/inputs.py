"""Whether the files that a number depends on are still what they were when it was computed."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from evaluator.datasets.names import by_name
from evaluator.errors import EvaluatorError
from evaluator.execution.inputs import ELSEWHERE, Input
from evaluator.execution.machine import cores
from evaluator.execution.remote_files import cached_copy, is_url

Found = Literal["same", "changed", "missing", "unknown"]


def check(each: Input) -> Found:
    """What has become of an input, by its digest and never by time and size.

    It is unknown of what was in memory, and of a URL that cannot be reached or was read elsewhere only.
    """
    if each.path.startswith(ELSEWHERE):
        return "missing"
    try:
        now = each.now(_place(each))
    except EvaluatorError:  # it changes at this moment, or a name leads nowhere
        return "changed"
    if now is None:
        return "unknown"
    return "same" if now == each.sha256 else "changed" if now else "missing"


def _place(each: Input) -> Path | None:
    """Where an input is, if not at its path."""
    if is_url(each.path):
        return cached_copy(each.path)
    if Path(each.path).exists():
        return None
    if each.role == "test set":
        named = by_name(each.path)
        return None if named is None else Path(named[0])
    program = shutil.which(each.path) if each.role == "trainer" else None
    return None if program is None else Path(program)


def check_all(inputs: Iterable[Input]) -> dict[Input, Found]:
    """What has become of inputs, several at a time; each is read once."""
    different = list(dict.fromkeys(inputs))
    shares = [different[number :: cores()] for number in range(cores())]  # not one task for each small file
    with ThreadPoolExecutor(cores()) as pool:
        found = pool.map(lambda share: [(each, check(each)) for each in share], shares)
        return dict(each for share in found for each in share)


def are_same(inputs: Sequence[Input], found: Mapping[Input, Found]) -> bool:
    """Whether no file of a number is another one now, as far as can be known; false if its files are not."""
    return bool(inputs) and all(found[each] in ("same", "unknown") for each in inputs)


def differences(inputs: Iterable[Input]) -> tuple[list[str], list[str]]:
    """Those that are others now, and those that are not here, by their paths."""
    paths: dict[Found, set[str]] = {}
    for each, found in check_all(inputs).items():
        paths.setdefault(found, set()).add(each.path)
    return sorted(paths.get("changed", ())), sorted(paths.get("missing", ()))
