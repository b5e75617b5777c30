"""Run the tests of what differs from the branch main: committed or not, and new files too.

`make test CHANGED=1` runs it. Tests of a module are those of its name beside or above its place under tests/,
what tests/index.toml names, and those that import it. For other files, tests/index.toml says which tests read
them. Options that are not known here go to pytest.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

REPOSITORY = Path(__file__).parent.parent


def changed_files(repository: Path, since: str) -> list[str]:
    """The files that differ from the commit where a branch left another one, new files included."""
    differing = _git(repository, "diff", "--name-only", "--no-renames", "-z", "--merge-base", since)
    new = _git(repository, "ls-files", "--others", "--exclude-standard", "-z")
    return sorted({*differing.split("\0"), *new.split("\0")} - {""})


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout  # noqa: S603


def selected_tests(repository: Path, changed: Iterable[str]) -> list[str]:
    """The test files, or folders of them, to be run after a change of these files."""
    index = read_index(repository)
    importers = _importers(repository / "tests")
    found: set[str] = set()
    for path in changed:
        found |= {
            test for pattern, tests in index["files"].items() if fnmatch(path, pattern) for test in tests
        }
        found |= set(own_tests(repository, path, index))
        found |= {each for each in _reached(_module(path), importers) if _is_test(each)}
    return sorted(each for each in found if (repository / each).exists())


def read_index(repository: Path) -> dict[str, dict[str, list[str]]]:
    """The tables of tests/index.toml: tests of `modules` and `packages` by name, of `files` by pattern."""
    tables = tomllib.loads((repository / "tests" / "index.toml").read_text(encoding="utf-8"))
    return {
        name: {key: [tests] if isinstance(tests, str) else tests for key, tests in table.items()}
        for name, table in tables.items()
    }


def named_tests(repository: Path, module: str) -> list[str]:
    """The test files of the name of a module or its folders, beside or above its place, nearest first."""
    parts = module.split(".")
    places = (
        PurePosixPath("tests", *parts[:depth], f"test_{parts[number]}.py")
        for number in range(len(parts) - 1, 0, -1)
        for depth in range(number + 1, 0, -1)
    )
    return [str(place) for place in places if (repository / place).exists()]


def indexed_tests(module: str, index: dict[str, list[str]]) -> list[str]:
    """What tests/index.toml says of a module, or of the nearest of its folders."""
    keys = sorted((key for key in index if f"{module}.".startswith(f"{key}.")), key=len)
    return index[keys[-1]] if keys else []


def own_tests(repository: Path, path: str, index: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    """The test file of the name of a changed file, and what tests/index.toml says of it.

    The line of a folder counts for files without a test file of their name and without a line of their own,
    the line of a package for all of its modules.
    """
    first = path.partition("/")[0]
    if first in {"testgen", "evaluator"}:
        module = _module(path) if path.endswith(".py") else _module(str(PurePosixPath(path).parent))
        named = named_tests(repository, module)[:1]
        modules = index["modules"]
        yield from [*named, *modules.get(module, ())] if named else indexed_tests(module, modules)
        yield from index["packages"].get(first, ())
    elif _is_test(path):
        yield path
    elif first == "tests" and "/" in path and (path.endswith("conftest.py") or not path.endswith(".py")):
        folders = (str(each) for each in PurePosixPath(path).parents if str(each) not in {".", "tests"})
        yield from [each for each in folders if list((repository / each).glob("test_*.py"))][:1]


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_test(path: str) -> bool:
    return PurePosixPath(path).match("test_*.py")


def _importers(folder: Path) -> dict[str, set[str]]:
    """The files of the tests that import a module, by its name."""
    found: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            for name in names:
                found.setdefault(name, set()).add(path.relative_to(folder.parent).as_posix())
    return found


def _reached(module: str, importers: dict[str, set[str]]) -> set[str]:
    """What imports a module, or what imports a helper of the tests that does."""
    found: set[str] = set()
    left = [module]
    while left:
        new = importers.get(left.pop(), set()) - found
        found |= new
        left += [_module(each) for each in new if not _is_test(each)]
    return found


def _base(given: str | None) -> str:
    """The branch that is compared with: main, or that of the remote where there is no local one."""
    for name in [given] if given else ["main", "origin/main"]:
        command = ["git", "-C", str(REPOSITORY), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:  # noqa: S603
            return name
    sys.exit(f"git knows no {given or 'branch main'}: name what to compare with by --since COMMIT")


def main() -> None:
    """Say which tests are run, and run them."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--since", metavar="COMMIT", help="compare with this in place of main")
    given, options = parser.parse_known_args()
    base = _base(given.since)
    changed = changed_files(REPOSITORY, base)
    tests = selected_tests(REPOSITORY, changed)
    if not tests:
        print(f"No tests belong to what differs from {base}: {' '.join(changed) or 'nothing does'}.")
        return
    print(f"{len(changed)} files differ from {base}. Their tests: {' '.join(tests)}", flush=True)
    command = [sys.executable, "-m", "pytest", *options, *tests]
    code = subprocess.run(command, cwd=REPOSITORY, check=False).returncode  # noqa: S603
    if code == 5:  # pytest found no test that is not marked as slow
        print("All of these tests take long: pytest -m slow runs them.")
    sys.exit(0 if code == 5 else code)


if __name__ == "__main__":
    main()
