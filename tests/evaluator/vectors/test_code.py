"""The modules and files that code of the user consists of."""

from __future__ import annotations

import sys

import pytest

from evaluator.vectors import load_vectors

MODULE = """
import json, numpy as np
from pathlib import Path
import helper_of_{0}
from package_of_{0}.inner import scale
SIZES = json.loads(Path("sizes.json").read_text())
def encode(words):
    factor = float(Path("factor.txt").read_text())
    return np.array([[len(each), 1 + ord(each[0])] for each in words], float) * factor * scale
"""


@pytest.fixture
def code(tmp_path, monkeypatch, request):
    """The name of a module that imports others and opens files."""
    name = f"code_{abs(hash(request.node.name))}"
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"package_of_{name}").mkdir()
    (tmp_path / f"package_of_{name}" / "__init__.py").touch()
    (tmp_path / f"package_of_{name}" / "inner.py").write_text("scale = 2.0\n")
    (tmp_path / f"helper_of_{name}.py").write_text("import json\n")
    (tmp_path / f"{name}.py").write_text(MODULE.format(name))
    for file, content in (("sizes.json", "[1]"), ("factor.txt", "3"), ("words.txt", "a\nb\n")):
        (tmp_path / file).write_text(content)
    yield name
    for each in [each for each in sys.modules if name in each]:
        del sys.modules[each]


def test_its_modules_and_the_files_that_it_opens_are_inputs(code, tmp_path):
    for _ in range(2):
        found = load_vectors(f"{code}:encode", vocabulary="words.txt").inputs
        assert {(each.role, each.path) for each in found} == {
            ("vocabulary", "words.txt"),
            ("module", f"{code}.py"),
            ("module", f"helper_of_{code}.py"),
            ("module", f"package_of_{code}/__init__.py"),
            ("module", f"package_of_{code}/inner.py"),
            ("file", "sizes.json"),
            ("file", "factor.txt"),
        }
    assert not list(tmp_path.rglob("*.pyc")), "Python trusts it by time and size"


def test_what_was_imported_is_what_it_was_then(code, tmp_path):
    first = load_vectors(f"{code}:encode", vocabulary="words.txt").inputs
    (tmp_path / f"{code}.py").write_text("changed")
    (tmp_path / "factor.txt").write_text("4")
    second = load_vectors(f"{code}:encode", vocabulary="words.txt").inputs
    assert {each.path for each in first if each not in second} == {"factor.txt"}
