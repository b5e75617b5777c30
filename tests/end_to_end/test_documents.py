"""The README and the pages in docs/ show what really happens."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer.main

import evaluator.cli.app
import testgen.cli.app
from tools.documents import LANGUAGES, REPOSITORY, language_table, pages, run_page, same, with_options
from tools.tables import rows


@pytest.mark.slow
@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_everything_shown_was_run(page, tmp_path):
    assert_shown(page.read_text(encoding="utf-8"), tmp_path)


def test_what_the_readme_shows_before_it_trains_was_run(tmp_path):
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert_shown(text[: text.index("tools/train_demo.py")].rpartition("```console")[0], tmp_path)


def assert_shown(text, folder):
    now = run_page(text, folder)
    assert same(text, now), "run `make docs` and look at what changed:\n" + now


@pytest.mark.slow
def test_what_the_pages_show_of_python_has_types(tmp_path):
    """All blocks of all pages in one run, as people who check their types would have it."""
    blocks = [
        (page, block)
        for page in pages()
        for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    ]
    for number, (page, block) in enumerate(blocks):
        (tmp_path / f"{page.stem.replace('-', '_')}_{number}.py").write_text(block, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(tmp_path)]
    checked = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (len(blocks) > 10, checked.stdout) == (True, "")


def commands(command, name):
    """Every command of a command line by its whole name, those of groups included."""
    for sub, each in getattr(command, "commands", {}).items():
        yield f"{name} {sub}", each
        yield from commands(each, f"{name} {sub}")


@pytest.mark.parametrize("package", ["testgen", "evaluator"])
def test_every_command_and_option_is_documented(package):
    page = with_options((REPOSITORY / "docs" / f"cli-{package}.md").read_text(encoding="utf-8"), package)
    app = {"testgen": testgen.cli.app.app, "evaluator": evaluator.cli.app.app}[package]
    sections = dict(re.findall(r"^#{2,4} `([\w -]+)`\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    known = dict(commands(typer.main.get_command(app), package))
    assert sections.keys() == known.keys()
    for name, command in known.items():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                shorter, flag = ["-", *sorted(parameter.opts, key=len)][-2:]
                assert re.search(rf"`[^`]*{flag}[ `,]", sections[name]), f"{name} {flag}"
                assert f"`{shorter}" in page, f"{name} {shorter}"


@pytest.mark.slow
def test_the_table_of_languages_has_what_ships():
    assert rows(LANGUAGES) == language_table(), "run `make docs`"


def test_links_between_pages_lead_somewhere():
    for page in pages():
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_what_a_page_leaves_running_ends_also_if_a_later_block_fails(tmp_path):
    started = "```console\n$ sleep 600 > /dev/null 2>&1 & echo $! > pid\n```\n"
    text = f"{started}\n```python\nraise SystemExit(1)\n```\n"
    with pytest.raises(subprocess.CalledProcessError):
        run_page(text, tmp_path)
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(pid)


def is_running(pid):
    """Whether a process runs; one that has ended may be listed until its parent has read its status."""
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_comparison_notices_changes():
    assert same("score 0.1234\n", "score  0.1300\n")
    assert not same("score 0.1234", "score 0.5234")
    assert not same("score 0.1234", "skore 0.1234")
    assert not same("words 12", "words 13")
