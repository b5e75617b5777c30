"""Change the code that matters a little, and count the changes that the tests of its module notice.

`make mutants` draws a sample of cosmic-ray's mutations of measures, statistics, words, labels and sources,
applies each to a copy of the repository, runs the tests of the module, and prints those that no test notices.
It takes any folder or module as well, and with `--changed` the lines that differ from the branch main.
`--everywhere` draws one sample over both packages, runs the test files where people look for the tests of the
module (`make test CHANGED=1` finds them so too), and prints each verdict at once; `--from N` leaves out the
first N mutations of the sample, which were tried before.
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
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from difflib import unified_diff
from itertools import islice
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from parso.tree import NodeOrLeaf

from tools.changed_tests import indexed_tests, named_tests, own_tests, read_index

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


def mutations(
    path: Path, lines: Container[int] | None = None
) -> dict[tuple[Path, int, int], list[tuple[str, int]]]:
    """The operators of cosmic-ray that can change a module, or these lines, by line and column of the place.

    Each has the number by which it knows the place. Not in decorators (sizes of caches, `slots`), nor `*` and
    `/` between parameters.
    """
    nodes = list(ast_nodes(get_ast(path.read_text(encoding="utf-8"))))
    replaced: dict[str, list[NodeOrLeaf]] = {}  # places of an operator, which several replace
    found: dict[tuple[Path, int, int], list[tuple[str, int]]] = {}
    for name in operator_names():
        if not any(each in name for each in _LEFT_OUT):
            operator = get_operator(name)()
            kind = name.rpartition("_")[0] if "BinaryOperator" in name else name
            if kind not in replaced:
                replaced[kind] = [node for node in nodes for _ in operator.mutation_positions(node)]
            for number, node in enumerate(replaced[kind]):
                if _runs(node) and (lines is None or node.start_pos[0] in lines):
                    found.setdefault((path, *node.start_pos), []).append((name, number))
    return found


def _runs(node: NodeOrLeaf) -> bool:
    in_parameters = node.parent is not None and node.parent.type in {"parameters", "param"}
    return not (in_parameters and node.type == "operator") and node.search_ancestor("decorator") is None


def mutants(
    paths: Sequence[Path], seed: int, lines: Mapping[Path, Container[int]]
) -> Iterator[tuple[Path, int, str]]:
    """Modules, changed lines and changed texts: places in random order, with one change of each.

    Those that Python refuses or warns of are left out.
    """
    of_place = {place: each for path in paths for place, each in mutations(path, lines.get(path)).items()}
    chosen = random.Random(seed)  # noqa: S311
    for path, line, column in chosen.sample(list(of_place), len(of_place)):
        operator, number = chosen.choice(of_place[path, line, column])
        text = mutate_code(path.read_text(encoding="utf-8"), get_operator(operator)(), number)
        with warnings.catch_warnings(action="error"), suppress(SyntaxError):
            compile(text, path, "exec")
            yield path, line, text


def noticed_by(folder: Path, tests: Sequence[str], seconds: float = 600) -> str:
    """The test that fails first or takes more than so many seconds; "" where all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    try:
        run = subprocess.run(  # noqa: S603
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return f"more than {seconds:.0f} s"
    if run.returncode == 5:  # all of them take long
        return noticed_by(folder, ["-m", "slow or not slow", *tests], seconds)
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", run.stdout, re.MULTILINE)
    return failed[1] if failed else "pytest itself" if run.returncode else ""


def survivors(
    name: str, number: int, seed: int, folder: Path, lines: Mapping[str, Container[int]]
) -> tuple[int, list[str]]:
    """How many mutations of a group were tried, and the differences that no test noticed."""
    modules, tests = group_of(name)
    paths = sorted(path for each in modules for path in _modules(folder / each))
    of_path = {folder / path: own for path, own in lines.items()}
    chosen = list(islice(mutants(paths, seed, of_path), number))
    started = time.monotonic()
    if chosen and noticed_by(folder, tests):
        sys.exit(f"{name}: the tests fail without any change")
    seconds, found = 3 * (time.monotonic() - started) + 10, []
    for path, _, after in chosen:
        before = path.read_text(encoding="utf-8")
        if not _failure(folder, path, after, tests, seconds):
            found.append("\n".join([str(path.relative_to(folder)), *_difference(before, after)]))
    return len(chosen), found


def _failure(folder: Path, path: Path, after: str, tests: Sequence[str], seconds: float = 600) -> str:
    before, state = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(after, encoding="utf-8")
    try:
        return noticed_by(folder, tests, seconds)
    finally:
        path.write_text(before, encoding="utf-8")
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))  # what was compiled of it is used again


def _difference(before: str, after: str) -> list[str]:
    return list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))[2:]


def everywhere(first: int, number: int, seed: int, folders: Sequence[Path]) -> Iterator[tuple[str, bool]]:
    """Each mutation of a sample over both packages, with its verdict, and whether a test noticed it.

    The sample is `number` mutations less the `first` ones.

    As many run at a time as there are copies of the repository. A test that fails counts if it passes without
    the change; else the mutation is left out.
    """
    index, free = read_index(ROOT), list(folders)
    paths = sorted(path for each in ("evaluator", "testgen") for path in _modules(ROOT / each))

    def tried(mutant: tuple[Path, int, str]) -> tuple[str, bool]:
        path, line, after = mutant
        name, folder = path.relative_to(ROOT).as_posix(), free.pop()
        tests = list(own_tests(ROOT, name, index)) or group_of(name)[1]
        started = time.monotonic()
        test = _failure(folder, folder / name, after, tests, 300)
        seconds = time.monotonic() - started
        wrong = "::" in test and noticed_by(folder, [test])
        free.append(folder)
        verdict = f"fails without it: {test}" if wrong else f"noticed by {test}" if test else "NOT NOTICED"
        difference = _difference(path.read_text(encoding="utf-8"), after)
        shown = [f"{name}:{line} ({seconds:.0f} s, {' '.join(tests)}): {verdict}", *difference]
        return "\n".join(shown), bool(test) and not wrong

    with ThreadPoolExecutor(len(folders)) as pool:
        chosen = list(islice(mutants(paths, seed, {}), first, number))
        for future in as_completed([pool.submit(tried, each) for each in chosen]):
            yield future.result()


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
    parser.add_argument("--everywhere", action="store_true", help="one sample over both packages")
    parser.add_argument("--number", type=int, default=40, help="how many mutations of each group")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--from", type=int, default=0, dest="first", help="where to begin, with --everywhere")
    parser.add_argument("--processes", type=int, default=1, help="at a time, with --everywhere")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    if given.everywhere:
        with ExitStack() as stack:
            copies = [tempfile.TemporaryDirectory() for _ in range(given.processes)]
            folders = [Path(stack.enter_context(each)) for each in copies]
            for each in folders:
                _copy(each)
            noticed = 0
            for verdict, was_noticed in everywhere(given.first, given.number, given.seed, folders):
                noticed += was_noticed
                print(f"{verdict}\n", flush=True)
            print(f"{noticed} of {given.number - given.first} mutations noticed")
        return
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
