"""Compiling loops with numba, and storing the compiled code where that can be done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit
from numba.core.caching import FunctionCache

_log = logging.getLogger(__name__)

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_said: list[str] = []


def compiled(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Compile a function at its first call, without the interpreter's lock.

    The compiled code is stored for later runs: in NUMBA_CACHE_DIR, beside the module, or in the home folder.
    Where none of these can be written to, it is compiled in each run, and a warning says so once.
    """
    made: Any = njit(nogil=True)(function)
    try:
        made._cache = _Cache(function)  # type: ignore[no-untyped-call]
    except RuntimeError as error:  # no folder can be written to
        _say(str(error))
    return cast("Callable[_Arguments, _Result]", made)


class _Cache(FunctionCache):
    """Numba's store, with which a full disk or a damaged file is no reason to stop."""

    def load_overload(self, sig: object, target_context: object) -> object:
        """Load compiled code; None if there is none that can be read."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception as error:  # what a damaged pickle raises can be anything
            _say(f"{type(error).__name__}: {error}")
            return None

    def save_overload(self, sig: object, data: object) -> None:
        """Store compiled code if that is possible."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except Exception as error:  # as above: it reads the index first
            _say(f"{type(error).__name__}: {error}")


def _say(reason: str) -> None:
    """Say once why compiled code is not stored."""
    if not _said:
        _said.append(reason)
        _log.warning(
            "compiled code cannot be stored, so each run compiles it again, which takes some seconds (%s). "
            "Set NUMBA_CACHE_DIR to a folder that can be written to.",
            reason,
        )
