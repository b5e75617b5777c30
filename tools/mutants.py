"""Change the code that matters a little, and count the changes that the tests of its module notice.

`make mutants` draws a sample of cosmic-ray's mutations of measures, statistics, words, labels and sources,
applies each to a copy of the repository, runs the tests of the module, and prints those that no test notices.
It takes any folder or module as well, and with `--changed` the lines that differ from the branch main.
Some mutations change nothing that a test could see, so a person judges the list, and the exit code is 0
whatever is in it; tests that fail without any change stop the run with 1.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import unified_diff
from itertools import islice
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from parso.tree import NodeOrLeaf

from tools.changed_tests import indexed_tests, named_tests, read_index

ROOT = Path(__file__).parent.parent
PACKAGES = ("evaluator/*.py", "testgen/*.py")
GROUPS = {
    "measures": (
        [
            "evaluator/measures",
            *(f"evaluator/engine/{each}.py" for each in ("clusterings", "similarities")),
        ],
        ["tests/evaluator/measures", "tests/evaluator/engine"],
    ),
    "statistics": (["evaluator/statistics"], ["tests/evaluator/statistics"]),
    "words": (
        [
            "testgen/labels/words.py",
            *(f"testgen/generation/{each}.py" for each in ("collection", "assembly", "test_sets")),
        ],
        [
            "tests/testgen/test_generation.py",
            "tests/testgen/test_lexemes.py",
            "tests/testgen/test_hierarchy.py",
        ],
    ),
    "labels": (["testgen/labels/policy.py", "testgen/labels/word_store.py"], ["tests/testgen/labels"]),
    "sources": (["testgen/sources"], ["tests/testgen/sources"]),
}
"""Modules, and their own tests."""

# Annotations are full of `|`, and are not evaluated; two need arguments; `== None` says what `is None` does.
_LEFT_OUT = ("BitOr", "Variable", "RemoveDecorator", "_Is_Eq", "_IsNot_NotEq", "_Eq_Is", "_NotEq_IsNot")


def group_of(name: str) -> tuple[list[str], list[str]]:
    """The modules of a group, folder or module, and their tests: the folder of its name, else files."""
    if name in GROUPS:
        return GROUPS[name]
    places = [Path("tests", each) for each in (Path(name), *Path(name).parents)]
    folders = [str(each) for each in places if each != Path("tests") and (ROOT / each).is_dir()]
    module = name.removesuffix(".py").replace("/", ".")
    own = [*folders, *named_tests(ROOT, module)][:1]
    return [name], own + indexed_tests(module, read_index(ROOT)["modules"])


def changed_lines(since: str) -> dict[str, set[int]]:
    """The lines of each module that differ from a commit."""
    command = ["git", "diff", "--merge-base", since, "--unified=0", "--diff-filter=d", "--", *PACKAGES]
    found: dict[str, set[int]] = {}
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603
    for line in shown.splitlines():
        if line.startswith("+++ b/"):
            lines = found.setdefault(line.removeprefix("+++ b/"), set())
        elif place := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            lines |= set(range(int(place[1]), int(place[1]) + int(place[2] or 1)))
    return {path: lines for path, lines in found.items() if lines}


def mutations(path: Path, lines: Container[int] | None = None) -> Iterator[tuple[str, int]]:
    """The operators of cosmic-ray that can change a module, or these lines, with the number of the place.

    Not in decorators (sizes of caches, `slots`), nor `*` and `/` between parameters.
    """
    tree = get_ast(path.read_text(encoding="utf-8"))
    for name in operator_names():
        if not any(each in name for each in _LEFT_OUT):
            operator = get_operator(name)()
            places = [node for node in ast_nodes(tree) for _ in operator.mutation_positions(node)]
            for place, node in enumerate(places):
                if _runs(node) and (lines is None or node.start_pos[0] in lines):
                    yield name, place


def _runs(node: NodeOrLeaf) -> bool:
    in_parameters = node.parent is not None and node.parent.type in {"parameters", "param"}
    return not (in_parameters and node.type == "operator") and node.search_ancestor("decorator") is None


def mutants(
    paths: Sequence[Path], seed: int, lines: Mapping[Path, Container[int]]
) -> Iterator[tuple[Path, str]]:
    """Modules and their changed texts in random order, without those that Python refuses or warns of."""
    every = [(path, *each) for path in paths for each in mutations(path, lines.get(path))]
    for path, operator, place in random.Random(seed).sample(every, len(every)):  # noqa: S311
        text = mutate_code(path.read_text(encoding="utf-8"), get_operator(operator)(), place)
        with warnings.catch_warnings(action="error"), suppress(SyntaxError):
            compile(text, path, "exec")
            yield path, text


def passes(folder: Path, tests: list[str], seconds: float) -> bool:
    """Whether the tests pass in so many seconds."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, timeout=seconds, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 0


def survivors(
    name: str, number: int, seed: int, folder: Path, lines: Mapping[str, Container[int]]
) -> tuple[int, list[str]]:
    """How many mutations of a group were tried, and the differences that no test noticed."""
    modules, tests = group_of(name)
    paths = sorted(path for each in modules for path in _modules(folder / each))
    of_path = {folder / path: own for path, own in lines.items()}
    chosen = list(islice(mutants(paths, seed, of_path), number))
    started = time.monotonic()
    if chosen and not passes(folder, tests, 600):
        sys.exit(f"{name}: the tests fail without any change")
    seconds, found = 3 * (time.monotonic() - started) + 10, []
    for path, after in chosen:
        before = path.read_text(encoding="utf-8")
        path.write_text(after, encoding="utf-8")
        if passes(folder, tests, seconds):
            lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
            found.append("\n".join([str(path.relative_to(folder)), *list(lines)[2:]]))
        path.write_text(before, encoding="utf-8")
    return len(chosen), found


def _modules(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))


def _copy(folder: Path) -> None:
    """The files of the repository that tests need."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in ("evaluator", "testgen", "queries", "cache", "tests", "tools", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "Makefile"):
        shutil.copy(ROOT / name, folder / name)


def main() -> None:
    """Try a sample of each group."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", help=f"some of {', '.join(GROUPS)}; or folders or modules")
    parser.add_argument("--changed", action="store_true", help="the lines that differ from the branch main")
    parser.add_argument("--number", type=int, default=40, help="how many mutations of each group")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as temporary:
        _copy(Path(temporary))
        lines = changed_lines("main") if given.changed else {}
        for name in given.groups or lines or GROUPS:
            tried, left = survivors(name, given.number, given.seed, Path(temporary), lines)
            print(
                "\n\n".join([*left, f"{name}: {tried - len(left)} of {tried} mutations noticed"]), flush=True
            )


if __name__ == "__main__":
    main()
