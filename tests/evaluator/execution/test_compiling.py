"""Compiled code where it cannot be stored, or what was stored cannot be read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from tests.evaluator.vectors.vector_files import text

PROGRAM = """
import sys
from evaluator import score
found = score(sys.argv[1], {"a": ["w0", "w1", "w2", "w3"], "b": ["w4", "w5", "w6", "w7"]}, ["Topk@3"])
print([each.value for each in found.scores])
"""
NOWHERE = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "NUMBA_CACHE_DIR": ""}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("compiling") / "some.vec"
    matrix = np.random.default_rng(1).normal(size=(60, 5)).astype(np.float32)
    path.write_bytes(text([f"w{row}" for row in range(60)], matrix))
    return path


def run(vectors, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(vectors)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def compiled(vectors, tmp_path_factory):
    """The folder of stored code, and what is printed with it: to compile takes seconds."""
    folder = tmp_path_factory.mktemp("compiled")
    printed, silent = run(vectors, NUMBA_CACHE_DIR=str(folder))
    assert silent == ""
    return folder, printed


def test_nowhere_to_store_compiled_code(vectors, compiled):
    """As in an installation that is read-only, without a home."""
    _, expected = compiled
    found, said = run(vectors, **NOWHERE)
    assert found == expected
    assert said.count("compiled code cannot be stored") == 1
    assert "NUMBA_CACHE_DIR" in said
    assert "Traceback" not in said


def test_damaged_code_is_compiled_again(vectors, compiled, tmp_path):
    folder, expected = compiled
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    files = [path for path in tmp_path.rglob("*") if path.suffix in {".nbi", ".nbc"}]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:40])
    found, said = run(vectors, NUMBA_CACHE_DIR=str(tmp_path))
    assert found == expected
    assert said.count("compiled code cannot be stored") == 1
