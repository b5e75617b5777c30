"""Compiled code where it cannot be stored, or what was stored cannot be read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from tests.evaluator.vectors.vector_files import text

SCORE = """
import sys
from evaluator import score
found = score(sys.argv[1], {"a": ["w0", "w1", "w2", "w3"], "b": ["w4", "w5", "w6", "w7"]}, ["Topk@3"])
print([each.value for each in found.scores])
"""
LOOP = """
from evaluator.execution.compiling import compiled

@compiled
def twice(number):
    return 2 * number
"""
TWICE = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[1]).parent))
from loop import twice
print(twice(2))
"""
NOWHERE = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "NUMBA_CACHE_DIR": ""}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("compiling") / "some.vec"
    matrix = np.random.default_rng(1).normal(size=(60, 5)).astype(np.float32)
    path.write_bytes(text([f"w{row}" for row in range(60)], matrix))
    path.with_name("loop.py").write_text(LOOP, encoding="utf-8")
    return path


def run(program, vectors, **environment):
    done = subprocess.run(
        [sys.executable, "-c", program, str(vectors)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


@pytest.fixture(
    scope="module", params=[TWICE, pytest.param(SCORE, marks=pytest.mark.slow)], ids=["a function", "a score"]
)
def program(request):
    """One small function, or all that a score needs, which takes seconds to compile."""
    return request.param


@pytest.fixture(scope="module")
def compiled(program, vectors, tmp_path_factory):
    """The folder of stored code, and what is printed with it."""
    folder = tmp_path_factory.mktemp("compiled")
    printed, silent = run(program, vectors, NUMBA_CACHE_DIR=str(folder))
    assert silent == ""
    return folder, printed


def test_nowhere_to_store_compiled_code(program, vectors, compiled):
    """As in an installation that is read-only, without a home."""
    _, expected = compiled
    found, said = run(program, vectors, **NOWHERE)
    assert found == expected
    assert said.count("compiled code cannot be stored") == 1
    assert "NUMBA_CACHE_DIR" in said
    assert "Traceback" not in said


def test_damaged_code_is_compiled_again(program, vectors, compiled, tmp_path):
    folder, expected = compiled
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    files = [path for path in tmp_path.rglob("*") if path.suffix in {".nbi", ".nbc"}]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:40])
    found, said = run(program, vectors, NUMBA_CACHE_DIR=str(tmp_path))
    assert found == expected
    assert said.count("compiled code cannot be stored") == 1
