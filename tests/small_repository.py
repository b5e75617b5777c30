"""A small repository, for tests of tools that ask git."""

from __future__ import annotations

import shutil
import subprocess

import pytest

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
