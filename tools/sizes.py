"""How large the project is, beside its last release: lines, modules, options, names, words of pages.

`make release` prints the table for a person to judge. No number in it is a limit.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
PACKAGES = ("testgen", "evaluator")
COLUMNS = ("lines", "modules", "options", "public names", "words")

Sizes = dict[str, Counter[str]]
"""The numbers of each folder, by the names of COLUMNS."""

_OFFERED = """
import importlib, json, sys
import typer.main
def options(command):
    below = getattr(command, "commands", {})
    own = [each for each in command.params if each.param_type_name == "option"]
    return sum(options(below[name]) for name in below) if below else len(own)
package = sys.argv[1]
app = importlib.import_module(f"{package}.cli.app").app
names = importlib.import_module(package).__all__
print(json.dumps({"options": options(typer.main.get_command(app)), "public names": len(names)}))
"""


def _git(repository: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603


def last_release(repository: Path) -> tuple[str, str] | None:
    """The version and the commit of the release before the newest heading of CHANGELOG.md.

    The commit is that of the tag, or else the newest one that wrote the heading; None if there is neither.
    """
    text = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^(## (\S+).*)$", text, re.MULTILINE)
    if len(headings) < 2:
        return None
    heading, version = headings[1]
    tag = f"v{version}"
    if tag in _git(repository, "tag", "--list", tag).decode().split():
        return version, tag
    command = ("log", "-1", "--format=%H", f"-S{heading}", "--", "CHANGELOG.md")
    commit = _git(repository, *command).decode().strip()
    return (version, commit) if commit else None


def sizes_at(repository: Path, commit: str) -> Sizes:
    """The sizes of all files as they are in a commit."""
    with tempfile.TemporaryDirectory() as temporary:
        with zipfile.ZipFile(BytesIO(_git(repository, "archive", "--format=zip", commit))) as archive:
            archive.extractall(temporary)
        return sizes(Path(temporary))


def sizes(folder: Path) -> Sizes:
    """The sizes of all files in a folder that holds the project and nothing else."""
    found: Sizes = {}
    for path in sorted(folder.rglob("*")):
        counted = _counted(path)
        if counted:
            for name in _rows(path.relative_to(folder).parts):
                found.setdefault(name, Counter()).update(counted)
    for package in PACKAGES:
        if package in found:
            offered = _offered(folder, package)
            found[package].update(offered)
            found["all"].update(offered)
    return found


def _counted(path: Path) -> dict[str, int]:
    if path.suffix == ".py":
        return {"lines": len(path.read_bytes().splitlines()), "modules": 1}
    return {"words": len(path.read_text(encoding="utf-8").split())} if path.suffix == ".md" else {}


def _rows(parts: Sequence[str]) -> list[str]:
    """The rows of the table in which a file counts: folders of a package have one of their own."""
    if len(parts) == 1:
        return ["all", "."]
    return ["all", parts[0], *(["/".join(parts[:2])] if parts[0] in PACKAGES and len(parts) > 2 else [])]


def _offered(folder: Path, package: str) -> dict[str, int]:
    """The options of all commands and the public names of a package, asked in a process of its own.

    The entry points are those of the folder: of distributions with one name, the first on the path counts.
    """
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    written = folder / "size-0.dist-info"
    written.mkdir(exist_ok=True)
    (written / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0\n")
    points = project.get("entry-points", {}).items()
    lines = (f"[{key}]\n" + "".join(f"{name} = {at}\n" for name, at in each.items()) for key, each in points)
    (written / "entry_points.txt").write_text("".join(lines), encoding="utf-8")
    command = [sys.executable, "-c", _OFFERED, package]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)  # noqa: S603
    if run.returncode:
        print(f"The options of {package} cannot be counted:\n{run.stderr.decode()[-500:]}", file=sys.stderr)
        return {}
    return dict(json.loads(run.stdout))


def table(now: Sizes, before: Sizes) -> str:
    """The sizes of each folder, with the difference to those before in parentheses."""
    folders = {*now, *before} - {"all", "."}
    names = sorted(folders, key=lambda name: (name.partition("/")[0] not in PACKAGES, name))
    rows = [["", *COLUMNS]]
    for name in [*names, ".", "all"]:
        new, old = now.get(name, Counter()), before.get(name, Counter())
        rows.append([name, *(_cell(new[column], old[column]) for column in COLUMNS)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _cell(now: int, before: int) -> str:
    if now == before:
        return f"{now:,}" if now else ""
    return f"{now:,} ({now - before:+,})"


def beside_last_release(repository: Path) -> str:
    """The table of the newest commit, with the differences to the last release if there was one."""
    now, released = sizes_at(repository, "HEAD"), last_release(repository)
    if released is None:
        return f"Sizes (no earlier release is known):\n{table(now, now)}"
    version, commit = released
    return f"Sizes, and how they differ from version {version}:\n{table(now, sizes_at(repository, commit))}"


def main() -> None:
    """Print the table of the newest commit beside the last release."""
    print(beside_last_release(REPOSITORY))


if __name__ == "__main__":
    main()
