"""The JSON Schema of test sets is the one that the types give."""

from __future__ import annotations

from tools import schemas


def test_the_schema_is_that_of_the_types():
    """If not: `make docs` writes it again."""
    assert schemas.TEST_SET.read_text(encoding="utf-8") == schemas.test_set_schema()
