"""`python -m testgen` and `python -m evaluator` are the programs of these names."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(*command):
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("package", ["testgen", "evaluator"])
def test_a_package_runs_as_its_program(package):
    program = run(
        sys.executable,
        "-c",
        f"import sys; sys.argv = ['{package}', '--version']\nfrom {package}.cli import main; main()",
    )
    module = run(sys.executable, "-m", package, "--version")
    assert (module.returncode, module.stdout, module.stderr) == (0, program.stdout, "")
    assert module.stdout.startswith(package)


@pytest.mark.parametrize("package", ["testgen", "evaluator"])
def test_an_error_has_the_exit_code_of_the_program(package):
    ended = run(sys.executable, "-m", package, "nonsense")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"{package} [OPTIONS] COMMAND" in ended.stderr
