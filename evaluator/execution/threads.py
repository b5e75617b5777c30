"""One thread for libraries that compute, where more would compete, or would change the last bits of sums."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Literal

from threadpoolctl import ThreadpoolController


def one_thread(user_api: Literal["blas", "openmp"] | None = None) -> AbstractContextManager[object]:
    """A context in which BLAS, OpenMP or both use one thread."""
    limited: AbstractContextManager[object] = _controller(len(sys.modules)).limit(limits=1, user_api=user_api)
    return limited


@lru_cache(maxsize=1)  # looking for libraries takes as long as scoring a few words
def _controller(modules: int) -> ThreadpoolController:  # noqa: ARG001 - a module may have loaded a library
    return ThreadpoolController()
