"""Run what the README and the pages in docs/ show, and write its output into them.

The blocks of a page are run in order in one fresh directory: ```console blocks command by command, the
lines after `$ ` (and `> `, where a command continues) being commands and the lines between their output, and
```python blocks as programs that must succeed. The notebook is executed in the same way. With
`python tools/documents.py` the pages are rewritten; a test runs them and compares.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tools import schemas, tables

if TYPE_CHECKING:
    from nbformat import NotebookNode

REPOSITORY = Path(__file__).parent.parent
LANGUAGES = REPOSITORY / "docs" / "languages.csv"
NOTEBOOK = REPOSITORY / "docs" / "tutorial.ipynb"
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"^\* `.*", re.MULTILINE)
_NAME = re.compile(r"^\* `(?:-\w, )?([^ `]+)")
_REQUIRED = "  [required]"
_SHORTER: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"^\*\*Usage\*\*:\n\n```.*?^```\n", re.MULTILINE | re.DOTALL), ""),
    (re.compile(r"^\*\*Commands\*\*:\n\n(\* .*\n)*", re.MULTILINE), ""),
    (re.compile(r"^\*\*\w+\*\*:\n|^\* `--(?:help|\w+-completion)`: .*\n", re.MULTILINE), ""),
    (re.compile(r"^(\* `[^-`]\S*) <[^`]*`(.*?)(?:  \[required\])?$", re.MULTILINE), r"\1`\2"),  # arguments
    (re.compile(r"^For example: (.*)\n(?:(\S.*)\n)?", re.MULTILINE), r"`\1 \2`\n"),
    (re.compile(r" `\n"), "`\n"),
    (re.compile(r"^(`.*`\n)(?:\n`.*`\n)+", re.MULTILINE), r"\1"),  # one example
    (re.compile(r"^(\* `[^`]+)`(.*) May be repeated\.", re.MULTILINE), r"\1…`\2"),
    (re.compile(r"  \[x>=\d\]|; x>=\d(?=\])"), ""),
    (re.compile(r"\[default: "), "["),
    (re.compile(r"\n{3,}"), "\n\n"),
    (re.compile(r"(?<=\n)(\* .*\n)\n(?=\* )"), r"\1"),
]
"""What is left out of the help texts, or written shorter."""
_ELSEWHERE = "[The page of testgen](cli-testgen.md) says what exit codes, dots and brackets mean."
_ROW = re.compile(r"^\* (`[^`]+`(?: \(required\))?|\[shared\]\(#shared-options\)): (.*)\n?", re.MULTILINE)
"""An option or argument in a page."""
_NUMBER = re.compile(r"\d+\.\d+")


def pages() -> list[Path]:
    """The pages whose blocks are run."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def run_page(text: str, directory: Path) -> str:
    """The page with the output that its commands have now; what they leave running is ended."""
    with _shell(directory) as run:
        return _BLOCK.sub(lambda block: _run_block(block[1], block[2], directory, run), text)


def _run_block(language: str, block: str, directory: Path, run: Callable[[str], str]) -> str:
    if language == "python":
        subprocess.run([sys.executable, "-c", block], cwd=directory, check=True)  # noqa: S603  # our own pages
        return f"```python\n{block}```"
    commands = re.findall(r"^\$ (.*(?:\n> .*)*)", block, re.MULTILINE)
    ran = ("$ " + command + "\n" + run(command.replace("\n> ", "\n")) for command in commands)
    return f"```console\n{''.join(ran)}```"


def run_notebook(directory: Path) -> NotebookNode:
    """The notebook with the outputs that its cells have now, and a digest of the cells that gave them."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": str(directory)}}
    client = NotebookClient(notebook, timeout=300, resources=where, record_timing=False)
    client.execute(env=os.environ | {"TMPDIR": str(directory)})
    notebook.metadata = {"language_info": {"name": "python"}, "executed_source": source_digest(notebook)}
    return notebook


def source_digest(notebook: NotebookNode) -> str:
    """The SHA-256 of the code of a notebook."""
    code = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    return hashlib.sha256(code.encode()).hexdigest()


def shown_text(notebook: NotebookNode) -> str:
    """What a notebook shows as text; of a figure, that there is one."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "\n".join(map(_output_text, outputs))


def _output_text(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return output.text if output.name == "stdout" else ""
    return "[figure]" if "image/png" in output.data else output.data["text/plain"]


@contextmanager
def _shell(directory: Path) -> Iterator[Callable[[str], str]]:
    """Give a function that runs a command and returns its output; processes left in the background are ended.

    So a service that a page starts ends as well if a later block fails, and never ends it itself.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # A home of its own, so that the pages show a newcomer's machine and leave this one's alone.
    home = {
        "HOME": str(directory),
        "XDG_CONFIG_HOME": f"{directory}/.config",
        "XDG_CACHE_HOME": f"{directory}/.cache",
    }
    environment = {**os.environ, **home, "PATH": path, "REPOSITORY": str(REPOSITORY), "COLUMNS": "110"}
    environment.pop("TESTGEN_CONTACT", None)
    started: list[subprocess.Popen[str]] = []

    def run(command: str) -> str:
        process = subprocess.Popen(  # noqa: S602  # the commands are the pages' own
            command,
            shell=True,
            cwd=directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,  # one group for all that it starts
        )
        started.append(process)
        lines = (line.rstrip() for line in process.communicate()[0].replace(str(directory), "~").splitlines())
        return "".join(f"{line}\n" for line in lines)

    try:
        yield run
    finally:
        for process in started:
            with process, suppress(ProcessLookupError):  # nothing of it is left
                os.killpg(process.pid, signal.SIGKILL)


def same(one: str, other: str, tolerance: float = 0.1) -> bool:
    """Whether texts agree but for decimals that differ a little: training is not the same everywhere."""
    if " ".join(_NUMBER.sub("#", one).split()) != " ".join(_NUMBER.sub("#", other).split()):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= tolerance for a, b in pairs)


def build_cli_pages() -> None:
    """Write the reference of both command lines from their help texts: commands as pages, options as data."""
    for package in ("testgen", "evaluator"):
        page = REPOSITORY / "docs" / f"cli-{package}.md"
        command = [sys.executable, "-m", "typer", f"{package}.cli.app", "utils", "docs", "--name", package]
        text = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout  # noqa: S603
        text = told_once(html.unescape(text))
        if package == "evaluator":
            text = re.sub(r"^Exit codes: .*\n\n.*", _ELSEWHERE, text, flags=re.MULTILINE)
        page.write_text(without_options(text, package), encoding="utf-8")
        _options_file(package).write_text(tables.to_csv(options(text)), encoding="utf-8", newline="")


def _options_file(package: str) -> Path:
    return REPOSITORY / "docs" / "tables" / f"cli-{package}-options.csv"


def options(text: str) -> list[list[str]]:
    """The options and arguments of all commands of a page, by the command's heading."""
    sections = re.split(r"^(?=#{1,4} )", text, flags=re.MULTILINE)
    found = ([_heading(section), *row] for section in sections for row in _ROW.findall(section))
    return [["command", "option", "what it does"], *found]


def without_options(text: str, package: str) -> str:
    """A page without its options, and with the link to them."""
    link = f'[All options, by command](tables/{_options_file(package).name} "table")'
    left = re.sub(r"^## Shared options\n", f"\\g<0>\n{link}\n", _ROW.sub("", text), flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", left).rstrip() + "\n"


def with_options(page: str, package: str) -> str:
    """A page with its options below each command, as the site has it."""
    found = tables.rows(_options_file(package))[1:]
    sections = re.split(r"^(?=#{1,4} )", tables.LINKED.sub("", page), flags=re.MULTILINE)
    shown = []
    for section in filter(None, sections):
        own = (f"* {name}: {text}" for command, name, text in found if command == _heading(section))
        shown.append("\n".join([section.rstrip(), "", *own, "", ""]))
    return "".join(shown)


def _heading(section: str) -> str:
    return section.partition("\n")[0].strip("# `")


def told_once(text: str) -> str:
    """The page with everything told once: what several commands have stands before the first command.

    Patterns of use are left out, since examples and arguments show the same, and lists of commands, which
    are the headings.
    """
    for pattern, replacement in _SHORTER:
        text = pattern.sub(replacement, text)
    top, *sections = re.split(r"^(?=#{2,4} `)", text, flags=re.MULTILINE)
    rows = Counter(row for section in sections for row in {*map(_optional, _OPTION.findall(section))})
    shared = sorted((row for row, number in rows.items() if number > 1), key=_sort_key)

    def own(section: str) -> str:
        lines = section.rstrip().splitlines()
        known = [line for line in lines if _optional(line) in shared]
        names = (f"`{_NAME.findall(line)[0]}`{' (required)' * (_REQUIRED in line)}" for line in known)
        link = [f"* [shared](#shared-options): {', '.join(names)}"] if known else []
        return "\n".join([*(line for line in lines if line not in known), *link, "", ""])

    head = "Each command has an example and `--help`. What ends in … may be repeated; brackets have defaults."
    lines = "\n".join(shared)
    return f"{top}{head}\n\n## Shared options\n\n{lines}\n\n{''.join(map(own, sections))}".rstrip()


def _optional(line: str) -> str:
    return line.removesuffix(_REQUIRED)


def _sort_key(line: str) -> str:
    return line.lstrip("*` -").lower()


def language_table() -> list[list[str]]:
    """What ships for each language: the head and the rows."""
    command = [sys.executable, "-c", "from testgen.cli import main; main()", "languages", "--json"]
    listed = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout  # noqa: S603
    keys = ("name", "categories", "everyday", "words", "stand_in")
    head = ["code", "language", "categories", "everyday", "words", "stand-in"]
    return [head, *([str(each[key]) for key in ("language", *keys)] for each in json.loads(listed))]


def build_language_table() -> None:
    """Write what ships for each language."""
    LANGUAGES.write_text(tables.to_csv(language_table()), encoding="utf-8", newline="")


def build_notebook() -> None:
    """Execute the notebook, and write it if its code or what it shows has changed."""
    import nbformat

    before = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as directory:
        after = run_notebook(Path(directory))
    unchanged = before.metadata.get("executed_source") == after.metadata["executed_source"]
    if not (unchanged and same(shown_text(before), shown_text(after), tolerance=0.02)):
        nbformat.write(after, NOTEBOOK)
        print(f"{NOTEBOOK}: rewritten")


def main() -> None:
    """Rebuild all pages, and the schemas of result files."""
    build_cli_pages()
    build_language_table()
    schemas.write()
    for page in pages():
        before = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as directory:
            after = run_page(before, Path(directory))
        if not same(before, after, tolerance=0.02):
            page.write_text(after, encoding="utf-8")
            print(f"{page}: rewritten")
    build_notebook()


if __name__ == "__main__":
    main()
