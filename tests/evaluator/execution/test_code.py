"""The modules and files that code of the user consists of."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from evaluator.datasets.reading import DataSetFormat, read_testset
from evaluator.datasets.testset import categories_of
from evaluator.execution.code import files_read, is_script, modules_of_script, modules_run
from evaluator.vectors import Vectors, load_vectors
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
def user_module(tmp_path, monkeypatch, request):
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


def test_its_modules_and_the_files_that_it_opens_are_inputs(user_module, tmp_path):
    for _ in range(2):
        found = load_vectors(f"{user_module}:encode", vocabulary="words.txt").inputs
        assert {(each.role, each.path) for each in found} == {
            ("vocabulary", "words.txt"),
            ("module", f"{user_module}.py"),
            ("module", f"helper_of_{user_module}.py"),
            ("module", f"package_of_{user_module}/__init__.py"),
            ("module", f"package_of_{user_module}/inner.py"),
            ("file", "sizes.json"),
            ("file", "factor.txt"),
        }
    assert not list(tmp_path.rglob("*.pyc")), "Python trusts it by time and size"


def test_what_was_imported_is_what_it_was_then(user_module, tmp_path):
    first = load_vectors(f"{user_module}:encode", vocabulary="words.txt").inputs
    (tmp_path / f"{user_module}.py").write_text("changed")
    (tmp_path / "factor.txt").write_text("4")
    second = load_vectors(f"{user_module}:encode", vocabulary="words.txt").inputs
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


def test_all_files_of_a_models_folder_are_read_with_its_settings(tmp_path):
    """As Hugging Face's libraries do: what is beside config.json is opened in Rust."""
    for name in (
        "model/config.json",
        "model/tokenizer.json",
        "model/1_Pooling/x.json",
        "model/.git/HEAD",
        "other",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    with files_read() as files:
        (tmp_path / "model/config.json").read_text()
    read = [Path(each).relative_to(tmp_path / "model").as_posix() for each in files]
    assert read == ["1_Pooling/x.json", "config.json", "tokenizer.json"]


SCRIPT = """
import json, missing_module
from inner import number
def later():
    import helper
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A script that imports what is beside it."""
    monkeypatch.chdir(tmp_path)
    for name, content in (
        ("some/train.py", SCRIPT),
        ("some/helper.py", ""),
        ("some/unused.py", ""),
        ("some/inner/__init__.py", "from .part import number"),
        ("some/inner/part.py", "number = 1"),
        ("some/inner/__main__.py", "from . import part"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path / "some" / "train.py"


def test_the_modules_beside_a_script_that_it_imports(script):
    found = [Path(each).relative_to(script.parent).as_posix() for each in modules_of_script(script)]
    assert found == ["helper.py", "inner/__init__.py", "inner/part.py"]


def test_a_script_that_is_wrong_says_so_when_it_runs(script):
    script.write_text("import inner\nx = = 1")
    assert modules_of_script(script) == []


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("helper", ["helper.py"]),
        ("inner", ["inner/__init__.py", "inner/__main__.py", "inner/part.py"]),
        ("inner.part", ["inner/__init__.py", "inner/part.py"]),
        ("json.tool", []),
    ],
)
def test_the_files_of_a_module_that_is_run(script, monkeypatch, name, files):
    monkeypatch.chdir(script.parent)
    assert [Path(each).relative_to(script.parent).as_posix() for each in modules_run(name)] == files


@pytest.mark.parametrize(
    ("name", "start", "is_python"),
    [
        ("a.py", "", True),
        ("a", "#!/usr/bin/env python3\n", True),
        ("a", "#!/bin/sh\n", False),
        ("a", "\x7fELF", False),
    ],
)
def test_what_is_a_script_of_python(tmp_path, name, start, is_python):
    (tmp_path / name).write_text(start)
    assert is_script(tmp_path / name) == is_python


def test_a_folder_of_a_format_of_another_package_is_an_input_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = VectorFormat(
        "other", 0, lambda _: True, lambda *_: Vectors(["a"], np.ones((1, 2), np.float32), "other"), ("main",)
    )
    monkeypatch.setattr("evaluator.vectors.reading.vector_formats", lambda: {**FORMATS, "other": other})
    for name in ("model/main", "model/more/data.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    found = load_vectors("model", format="other").inputs
    names = {(each.role, each.path) for each in found if each.sha256}
    assert names == {("vectors", "model/main"), ("part", "model/more/data.parquet")}


def test_a_data_set_format_of_another_package_may_open_files_beside_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(source):
        return source.test_set(categories=categories_of({"c": Path("beside.txt").read_text().split()}))

    other = DataSetFormat("other", 0, lambda _: True, read)
    monkeypatch.setattr("evaluator.datasets.reading.dataset_formats", lambda: {"other": other})
    (tmp_path / "beside.txt").write_text("a b")
    (tmp_path / "file.txt").write_text("other")
    found = read_testset("file.txt", "other").inputs
    assert [(each.role, each.path) for each in found] == [
        ("test set", "file.txt"),
        ("test set", "beside.txt"),
    ]


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
