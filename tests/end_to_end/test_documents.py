"""The README and the pages in docs/ show what really happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
import tomllib
from functools import cache
from importlib.util import find_spec
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


APPS = {"testgen": testgen.cli.app.app, "evaluator": evaluator.cli.app.app}


@cache
def known_commands(package):
    """The program and all its commands, by their whole names."""
    program = typer.main.get_command(APPS[package])
    return {package: program, **dict(commands(program, package))}


@pytest.mark.parametrize("package", ["testgen", "evaluator"])
def test_every_command_and_option_is_documented(package):
    page = with_options((REPOSITORY / "docs" / f"cli-{package}.md").read_text(encoding="utf-8"), package)
    sections = dict(re.findall(r"^#{2,4} `([\w -]+)`\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    known = {name: command for name, command in known_commands(package).items() if name != package}
    assert sections.keys() == known.keys()
    for name, command in known.items():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                shorter, flag = ["-", *sorted(parameter.opts, key=len)][-2:]
                assert re.search(rf"`[^`]*{flag}[ `,]", sections[name]), f"{name} {flag}"
                assert f"`{shorter}" in page, f"{name} {shorter}"


BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IN_LINE = re.compile(r"(?<!`)`((?:testgen|evaluator|make|python) [^`]+)`(?!`)")


def written_commands(text):
    """The words of each command that a page names in a line or shows in a block `sh`, which is not run."""
    blocks = [block for kind, block in BLOCK.findall(text) if kind == "sh"]
    for shown in (*blocks, *(each.replace("\n", " ") for each in IN_LINE.findall(BLOCK.sub("", text)))):
        yield from words_of_commands(re.sub(r"\\\n|(?<!\S)# .*", "", shown))


def words_of_commands(text):
    """The words of each command of a shell, without where its input and output go."""
    words = shlex.shlex(text, posix=True, punctuation_chars=";|&<>\n")
    words.whitespace, words.whitespace_split, words.commenters = " \t", True, ""
    found, redirected = [[]], False
    for word in words:
        if set(word) <= set(";|&\n"):
            found.append([])
            redirected = False
        else:
            redirected |= set(word) <= set("<>")
            found[-1] += [] if redirected or word == "!" else [word]
    return filter(None, found)


def fault(words):
    """What is wrong with a command of ours, make, Python or pip; None if nothing is, or it is another's."""
    if words[:2] == ["uvx", "--from"]:
        words = words[3:]
    program, *given = [Path(words[0]).name, *words[1:]]
    if program in {"testgen", "evaluator"}:
        return fault_of_ours(program, given)
    check = {"make": fault_of_make, "python": fault_of_python, "pip": fault_of_pip}.get(program)
    return check(given) if check else None


def fault_of_ours(name, given):
    known = known_commands(name)
    while given and hasattr(known[name], "commands"):
        name, given = f"{name} {given[0]}", given[1:]
        if name not in known:
            return f"there is no {name}"
    try:
        if given:
            known[name].make_context(name, list(given))
    except Exception as error:
        said = error.format_message()  # of click, which some versions of Typer include
        names_an_option = given[-1].startswith("--") and said.endswith("requires an argument.")
        return None if names_an_option or said.startswith("Missing") else said
    return None


def fault_of_make(given):
    files = [REPOSITORY / "Makefile", REPOSITORY / "tools" / "maintain.mk"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    targets = set(re.findall(r"^([\w-]+):", text, re.MULTILINE))
    variables = {f"{name}=" for name in re.findall(r"\$\((?:or \$\()?([A-Z_]+)", text)}
    unknown = {re.sub("=.*", "=", each) for each in given} - targets - variables
    return f"make knows no {', '.join(unknown)}" if unknown else None


def fault_of_python(given):
    if given[0] == "-c":
        compile(given[1], "-c", "exec")
        return None
    if given[0] == "-m":
        found = find_spec(given[1])
        path, options = Path(found.origin) if found else None, given[2:] if "tools" in given[1] else []
    else:
        path, options = REPOSITORY / given[0].removeprefix("$REPOSITORY/"), given[1:]
    if path is None or not path.exists():
        return "there is no such module or file"
    if path.name == "__init__.py":
        path = path.with_name("__main__.py")
    text = path.read_text(encoding="utf-8")
    unknown = [each for each in options if each.startswith("--") and f'"{each}"' not in text]
    return f"{path.name} knows no {', '.join(unknown)}" if unknown else None


def fault_of_pip(given):
    known = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {each for word in given for each in re.findall(r"\[(.*)\]", word) for each in each.split(",")}
    unknown = extras - known["optional-dependencies"].keys()
    return f"there is no extra {', '.join(unknown)}" if unknown else None


def test_commands_that_pages_name_exist_with_their_options():
    found, number = [], 0
    for page in (*pages(), REPOSITORY / "CONTRIBUTING.md", REPOSITORY / "cache" / "README.md"):
        for words in written_commands(page.read_text(encoding="utf-8")):
            number += 1
            wrong = fault(words)
            found += [f"{page.name}: {shlex.join(words)}: {wrong}"] if wrong else []
    assert (found, number > 200) == ([], True)


RIGHT = """
evaluator best
evaluator score --test  # the name of an option
evaluator verify one.json two.json > said.txt; make test CHANGED=1
uvx --from testgen-evaluator testgen generate la
"""
WRONG = """
testgen genrate la
testgen generate --langage la
testgen snapshot inform a.jsonl.gz
uvx --from testgen-evaluator evaluator scores
evaluator score la.vec --oov left
make demos
make papers CORPUS=corpora
python -m tools.enuogh
python tools/no.py
python -m tools.choosing work --text en-0
pip install 'testgen-evaluator[figure]'
"""


def test_a_command_that_does_not_exist_is_noticed():
    for commands_of, number in ((RIGHT, 0), (WRONG, 11)):
        faults = [fault(words) for words in written_commands(f"```sh\n{commands_of}```\n")]
        assert len([each for each in faults if each]) == number, faults
    (words,) = written_commands("In a line, `evaluator score\nla.vec --teste la` is wrong, too.")
    assert "--teste" in fault(words)


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
