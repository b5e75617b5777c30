"""`make release` shows how the project grew since the release before."""

from __future__ import annotations

from tests.small_repository import NEEDS_GIT, commit, git
from tools.sizes import beside_last_release, last_release

APP = """
import typer
app = typer.Typer()
@app.command()
def one(name: str = "", size: int = 1) -> None: ...
@app.command()
def two(name: str = "") -> None: ...
"""
BEFORE = {
    "pyproject.toml": '[project]\nname = "testgen-evaluator"\n',
    "CHANGELOG.md": "# Changelog\n\n## 1.0.0 - 2026-01-02\n",
    "testgen/__init__.py": '__all__ = ["one"]\n',
    "testgen/cli/app.py": APP,
    "docs/page.md": "Three short words\n",
}
AFTER = {
    "CHANGELOG.md": "# Changelog\n\n## 1.1.0 - 2026-02-03\n\n## 1.0.0 - 2026-01-02\n",
    "testgen/__init__.py": '__all__ = ["one", "two"]\n',
    "testgen/cli/app.py": APP.replace("size: int = 1", "size: int = 1, other: int = 2"),
    "testgen/labels/words.py": "one\ntwo\n",
    "docs/page.md": "Two words\n",
}


@NEEDS_GIT
def test_each_folder_is_beside_what_it_was(tmp_path):
    commit(tmp_path, BEFORE)
    commit(tmp_path, {"docs/page.md": "This is written after the release.\n"})
    commit(tmp_path, AFTER)
    (tmp_path / "testgen" / "uncommitted.py").touch()
    lines = beside_last_release(tmp_path).splitlines()
    assert lines[0] == "Sizes, and how they differ from version 1.0.0:"
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in lines[2:]}
    assert rows["testgen"] == "10 (+2) 3 (+1) 4 (+1) 2 (+1)"
    assert rows["testgen/cli"] == "7 1"
    assert rows["testgen/labels"] == "2 (+2) 1 (+1)"
    assert rows["docs"] == "2 (-1)"
    assert rows["all"] == "10 (+2) 3 (+1) 4 (+1) 2 (+1) 12 (+3)"


@NEEDS_GIT
def test_a_tag_says_which_commit_the_last_release_is(tmp_path):
    commit(tmp_path, BEFORE)
    assert last_release(tmp_path) is None
    assert beside_last_release(tmp_path).startswith("Sizes (no earlier release is known):\n")
    commit(tmp_path, AFTER)
    assert last_release(tmp_path)[0] == "1.0.0"
    assert len(last_release(tmp_path)[1]) == 40
    git(tmp_path, "tag", "v1.0.0", "HEAD~1")
    assert last_release(tmp_path) == ("1.0.0", "v1.0.0")
