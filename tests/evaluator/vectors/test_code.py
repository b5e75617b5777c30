"""The modules and files that code of the user consists of."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from evaluator.vectors import Vectors, load_vectors
from evaluator.vectors.code import files_read
from evaluator.vectors.files import VectorFormat
from evaluator.vectors.reading import FORMATS

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


def test_what_is_read_by_python_code(tmp_path):
    (tmp_path / "read").write_text("x")
    (tmp_path / "removed").write_text("x")
    with files_read() as files:
        for name in ("read", "removed"):
            (tmp_path / name).read_text()
        (tmp_path / "removed").unlink()
        (tmp_path / "written").write_text("x")
        (tmp_path / "written").read_text()
    assert files == [str(tmp_path / "read")]


def test_a_format_of_another_package_may_open_files_beside_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(file, options):
        words = Path("beside.txt").read_text().split()
        return Vectors(words, np.ones((len(words), 2), np.float32), file.path.name)

    other = VectorFormat("other", 0, lambda head: head.startswith(b"other"), read)
    monkeypatch.setattr("evaluator.vectors.reading.vector_formats", lambda: {**FORMATS, "other": other})
    (tmp_path / "beside.txt").write_text("a b")
    (tmp_path / "file").write_text("other")
    found = load_vectors("file", format="other").inputs
    assert [(each.role, each.path) for each in found] == [("vectors", "file"), ("part", "beside.txt")]
