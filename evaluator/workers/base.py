"""What all ways of running tasks have in common."""

from __future__ import annotations

from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class Lost(Exception):  # noqa: N818 - a result and not an error: it is handed over, never raised
    """What stands for the result of a task whose process died each time."""
