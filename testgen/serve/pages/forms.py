"""What forms send: fields that are left empty are sent all the same."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field


def _filled(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


Least = Annotated[Annotated[int, Field(ge=1, le=1_000_000)] | None, BeforeValidator(_filled)]
"""A least number of words; None if the field is empty."""

LeastItems = Annotated[Annotated[int, Field(ge=2, le=1_000_000)] | None, BeforeValidator(_filled)]
"""A least number of items; None if the field is empty."""
