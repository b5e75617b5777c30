"""What all tests share."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from importlib import import_module
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

# joblib, of scikit-learn, warns where there is no program `lscpu`, as in small images of Debian.
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=8)
settings.register_profile("thorough", settings.get_profile("deterministic"), max_examples=200)
settings.load_profile("deterministic")


def pytest_collection():
    """Let each worker compile a share of the tests first; of the others it then finds the compiled files.

    Until all are collected there is hardly any garbage, and to look for it takes a seventh of that time.
    """
    gc.disable()
    number, workers = (os.environ.get(f"PYTEST_XDIST_{name}", "") for name in ("WORKER", "WORKER_COUNT"))
    if number:
        files = sorted((REPOSITORY / "tests").rglob("test_*.py"))
        first = int(number.removeprefix("gw")) * len(files) // int(workers)
        for path in files[first : first + len(files) // int(workers)]:
            with suppress(Exception, pytest.skip.Exception):  # these are told of when the file is collected
                import_module(".".join(path.relative_to(REPOSITORY).with_suffix("").parts))


def pytest_collection_finish():
    """Look no more for garbage among thousands of tests and their libraries: it takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.enable()


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
