"""Neither program loads a library that it does not need, least of all the other's."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "IPython", "SPARQLWrapper", "diskcache", "fastapi", "gensim", "llvmlite", "matplotlib", "numba", "numpy",
    "optuna", "pandas", "pyoxigraph", "rdflib", "requests", "scipy", "sklearn",
}  # fmt: skip
OF_TESTGEN = {"diskcache", "numpy", "pandas", "pyoxigraph"}
OF_EVALUATOR = {"llvmlite", "numba", "numpy", "scipy"}


def loaded(program, *arguments, missing=frozenset()):
    """Which heavy libraries a run of a program loads, while others cannot be imported."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({sorted(missing)!r}))\n"
        f"from {program}.cli import main; sys.argv = {[program, *map(str, arguments)]!r}\n"
        "try: main()\n"
        "except SystemExit as ended: assert not ended.code, ended.code\n"
        "print(*{name.partition('.')[0] for name, module in sys.modules.items() if module is not None})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return HEAVY & set(ran.stdout.splitlines()[-1].split())


def test_generate_and_score(tmp_path):
    made = "generate", "--language", "la", "--category", "country", "--output", tmp_path
    assert loaded("testgen", *made, missing=HEAVY - OF_TESTGEN) <= OF_TESTGEN
    (tmp_path / "la.vec").write_text("4 2\nfrancia 1 0\nitalia 1 1\ngermania 1 2\net 0 1\n", encoding="utf-8")
    scored = "score", tmp_path / "la.vec", "--test", tmp_path / "la.json", "--measure", "Topk@1"
    assert loaded("evaluator", *scored, missing=HEAVY - OF_EVALUATOR) <= OF_EVALUATOR


def test_pairs_are_scored_without_kernels(tmp_path):
    """They are loaded before the vectors are read only where a test set needs them."""
    (tmp_path / "en.vec").write_text("4 2\na 1 0\nb 1 1\nc 1 2\nd 0 1\n", encoding="utf-8")
    (tmp_path / "en.txt").write_text("a\tb\t3\na\tc\t2\na\td\t1\n", encoding="utf-8")
    scored = "score", tmp_path / "en.vec", "--test", tmp_path / "en.txt"
    assert loaded("evaluator", *scored, missing={"numba", "llvmlite"}) <= OF_EVALUATOR - {"numba", "llvmlite"}


def test_the_extra_of_a_missing_library_is_named(tmp_path):
    exported = "export", "la.json", "--format", "huggingface", str(tmp_path)
    code = f"import sys; sys.modules['polars'] = None; sys.argv = {['testgen', *exported]!r}\n"
    code += "from testgen.cli import main; main()"
    (tmp_path / "la.json").touch()
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "testgen-evaluator[publish]" in ran.stderr


@pytest.mark.parametrize("package", ["evaluator", "testgen"])
def test_modules_are_not_freed_one_by_one_at_the_end(package):
    """It took a fifth of the time that a score of a small model takes."""
    program = (
        "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
        f"from {package}.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nTrue\n")
