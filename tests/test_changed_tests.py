"""`make test CHANGED=1` runs the tests of what a branch changed, and no others."""

from __future__ import annotations

import pytest

from tests.conftest import REPOSITORY
from tests.small_repository import NEEDS_GIT, commit, git, write
from tools import changed_tests
from tools.changed_tests import changed_files, selected_tests

FILES = {
    "testgen/labels/words.py": "",
    "testgen/labels/rules.tsv": "",
    "testgen/cli/output.py": "",
    "evaluator/engine.py": "",
    "docs/labels.md": "",
    "tests/index.toml": (
        '[modules]\n"testgen.cli" = "tests/testgen/test_commands.py"\n'
        '"testgen.labels.words" = ["tests/testgen/test_labels.py"]\n'
        '[packages]\n"testgen" = "tests/testgen/test_defaults.py"\n'
        '[files]\n"testgen/*" = "tests/test_house.py"\n"*.md" = "tests/test_documents.py"\n'
    ),
    "tests/test_house.py": "",
    "tests/test_documents.py": "",
    "tests/helpers.py": "import evaluator.engine\n",
    "tests/testgen/test_defaults.py": "",
    "tests/testgen/test_labels.py": "",
    "tests/testgen/test_commands.py": "",
    "tests/testgen/labels/test_words.py": "",
    "tests/evaluator/test_far_away.py": "from tests import helpers\n",
    "tests/fuzz/test_fuzz.py": "",
    "tests/fuzz/corpus/broken": "",
}


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        (
            "testgen/labels/words.py",
            [
                "tests/test_house.py",
                "tests/testgen/labels/test_words.py",
                "tests/testgen/test_defaults.py",
                "tests/testgen/test_labels.py",
            ],
        ),
        (
            "testgen/labels/rules.tsv",
            ["tests/test_house.py", "tests/testgen/test_defaults.py", "tests/testgen/test_labels.py"],
        ),
        (
            "testgen/cli/output.py",
            ["tests/test_house.py", "tests/testgen/test_commands.py", "tests/testgen/test_defaults.py"],
        ),
        ("evaluator/engine.py", ["tests/evaluator/test_far_away.py"]),
        ("tests/helpers.py", ["tests/evaluator/test_far_away.py"]),
        ("tests/testgen/test_labels.py", ["tests/testgen/test_labels.py"]),
        ("tests/testgen/test_gone.py", []),
        ("tests/fuzz/corpus/broken", ["tests/fuzz"]),
        ("docs/labels.md", ["tests/test_documents.py"]),
        ("LICENSE", []),
    ],
)
def test_a_file_has_its_tests(tmp_path, path, tests):
    write(tmp_path, FILES)
    assert selected_tests(tmp_path, [path]) == tests


def test_files_of_the_project_have_tests():
    found = selected_tests(REPOSITORY, ["tests/golden/tune.json", "evaluator/measures/oddoneout.py"])
    assert {"tests/golden", "tests/evaluator/measures/test_oddoneout.py"} <= set(found)


@NEEDS_GIT
def test_what_a_branch_changed_is_what_main_did_not_have_when_it_began(tmp_path):
    commit(tmp_path, {"kept": "", "edited": "a", "removed": "", "moved": "long enough to be found again"})
    git(tmp_path, "switch", "--create", "branch")
    commit(tmp_path, {"committed": ""})
    git(tmp_path, "switch", "main")
    commit(tmp_path, {"of main": ""})
    git(tmp_path, "switch", "branch")
    git(tmp_path, "mv", "moved", "there")
    (tmp_path / "removed").unlink()
    write(tmp_path, {"edited": "b", "größe": "", "ignored": "", ".gitignore": "ignored\n"})
    expected = [".gitignore", "committed", "edited", "größe", "moved", "removed", "there"]
    assert changed_files(tmp_path, "main") == expected


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project on a branch that has not changed anything."""
    monkeypatch.setattr(changed_tests, "REPOSITORY", tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take longer to load than these tests
    commit(tmp_path, FILES | {"pyproject.toml": "[tool.pytest.ini_options]\nmarkers = ['slow']\n"})
    git(tmp_path, "switch", "--create", "branch")
    return tmp_path


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["changed_tests", *arguments])
    try:
        changed_tests.main()
    except SystemExit as end:
        return end.code
    return 0


@NEEDS_GIT
def test_a_branch_without_changes_has_nothing_to_test(project, monkeypatch, capsys):
    assert run(monkeypatch) == 0
    assert capsys.readouterr().out == "No tests belong to what differs from main: nothing does.\n"


@NEEDS_GIT
def test_the_tests_of_a_change_are_named_and_run(project, monkeypatch, capfd):
    write(project, {"tests/testgen/test_labels.py": "def test_a(): pass\ndef test_b(): assert False\n"})
    assert run(monkeypatch, "-q") == 1
    out = capfd.readouterr().out
    assert "1 files differ from main. Their tests: tests/testgen/test_labels.py" in out
    assert "1 failed, 1 passed" in out
    assert run(monkeypatch, "-q", "-k", "test_a") == 0


@NEEDS_GIT
def test_tests_that_take_long_are_left_to_others(project, monkeypatch, capfd):
    text = "import pytest\n@pytest.mark.slow\ndef test_a(): assert False\n"
    write(project, {"tests/testgen/test_labels.py": text})
    assert run(monkeypatch, "-m", "not slow") == 0
    assert "pytest -m slow" in capfd.readouterr().out


@NEEDS_GIT
def test_a_branch_that_is_not_there_is_named(project, monkeypatch):
    assert "git knows no other: " in run(monkeypatch, "--since", "other")
