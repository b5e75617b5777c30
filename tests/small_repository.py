"""A small repository, for tests of tools that ask git; and a copy of this one, in which tests may write."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.conftest import REPOSITORY

NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def git(folder, *arguments):
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *settings, *arguments], check=True, capture_output=True)


def commit(folder, files, subject="more"):
    """Write files, and commit all of them; makes the repository with the first."""
    if not (folder / ".git").exists():
        git(folder, "init", "--initial-branch", "main")
    write(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "--message", subject)


def copy_repository(folder):
    """Copy this repository, without what was built in it."""
    # Compiled files are copied, but for those that are being written: kernels take ten seconds to compile.
    left_out = shutil.ignore_patterns(
        *(".git", ".venv*", "build", "dist", "demo", "*.pyc.*", "*.tmp.*", ".hypothesis", ".*_cache")
    )
    shutil.copytree(REPOSITORY, folder, ignore=left_out)
