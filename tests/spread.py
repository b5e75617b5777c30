"""Of many cases that are much alike, some are run each time, and all by `make test-slow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def spread(cases: Iterable[Any], every: int) -> list[Any]:
    """Cases for `pytest.mark.parametrize`: one in so many is run each time, and the others are slow.

    Several arguments of a case are a tuple. Of lists that were combined, the last is varied first: each value
    of the others is among the cases that are run if `every` is below its length and no divisor of it.
    """
    params = [each if hasattr(each, "marks") else _param(each) for each in cases]
    return [each if number % every == 0 else _slow(each) for number, each in enumerate(params)]


def _param(case: Any) -> Any:
    return pytest.param(*case) if isinstance(case, tuple) else pytest.param(case)


def _slow(param: Any) -> Any:
    return pytest.param(*param.values, id=param.id, marks=[*param.marks, pytest.mark.slow])
