"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).parent.parent

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("deterministic")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real corpora, vectors and Wikidata entities, on machines that have them."""
    path = Path(os.environ.get("TESTGEN_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no real data at {path}; set TESTGEN_SHARED_DATA to a copy")
    return path
