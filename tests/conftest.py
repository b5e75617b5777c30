"""What all tests share."""

from __future__ import annotations

import gc
import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).parent.parent
NO_GENSIM = "gensim is not installed, which does not exist for every Python"
NEEDS_GENSIM = pytest.mark.skipif(find_spec("gensim") is None, reason=NO_GENSIM)

# Every core has a worker: threads of BLAS besides, which wait for each other busily, only take their time.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("thorough", settings.get_profile("deterministic"), max_examples=200)
settings.load_profile("deterministic")


def pytest_collection_finish():
    """Look no more for garbage among thousands of tests and their libraries: it takes a tenth of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real corpora, vectors and Wikidata entities, on machines that have them."""
    path = Path(os.environ.get("TESTGEN_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no real data at {path}; set TESTGEN_SHARED_DATA to a copy")
    return path


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """A cache of these tests alone, so that none touches the user's; their subprocesses use it too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
