"""The rules of the house: who may import whom, what is loaded when, what is shipped."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tools.changed_tests import indexed_tests, named_tests, read_index

PACKAGES = ("testgen", "evaluator")

MOST_FILES = 35
"""From a file of vectors to a number, a reader opens no more files than this."""

MOST_MODULES = 64
"""`evaluator score` loads no more modules of its own."""

# What only some commands need, so that the others start without it.
HEAVY = [
    *("IPython", "SPARQLWrapper", "diskcache", "distributed", "fastapi", "gensim", "jinja2", "llvmlite"),
    *("matplotlib", "numba", "numpy", "optuna", "pandas", "pyoxigraph", "rdflib", "requests"),
    *("rich.progress", "safetensors", "scipy", "sklearn", "uvicorn"),
]


@cache
def modules(package):
    """The syntax tree of each module of a package, by its name."""
    found = {}
    for path in sorted((REPOSITORY / package).rglob("*.py")):
        parts = path.relative_to(REPOSITORY).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return found


@cache
def imported(package):
    """What each module of a package imports, by its name."""
    return {name: list(imports(tree)) for name, tree in modules(package).items()}


EACH = pytest.mark.parametrize("package", PACKAGES)


def imports(tree):
    """Everything a module imports, within functions and for type checkers too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute here"
            # `from testgen import labels` is of the module testgen.labels.
            package = node.module.partition(".")[0]
            known = modules(package) if package in PACKAGES else ()
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module


@EACH
def test_neither_package_imports_the_other(package):
    (other,) = {*PACKAGES} - {package}
    for name, names in imported(package).items():
        assert [each for each in names if each.partition(".")[0] == other] == [], name


@pytest.mark.parametrize(
    ("package", "library", "only"),
    [
        ("evaluator", "gensim", "evaluator.vectors.formats.gensim"),
        ("testgen", "SPARQLWrapper", "testgen.sources.sparql"),
        ("testgen", "diskcache", "testgen.sources.json_disk"),
    ],
)
def test_one_module_imports_a_library_that_may_have_to_be_replaced(package, library, only):
    importing = {
        name
        for name, names in imported(package).items()
        if library in {each.partition(".")[0] for each in names}
    }
    assert importing == {only}


def test_data_flows_one_way():
    """The layers and their order are in pyproject.toml, under `tool.importlinter`."""
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
    checked = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


@EACH
def test_a_folder_has_a_subject_and_no_more_than_fifteen_entries(package):
    beside = {
        "__pycache__",
        "__init__.pyi",
        "__main__.py",
        "py.typed",
    }  # say nothing that __init__.py does not
    top = [each for each in (REPOSITORY / package).iterdir() if each.name not in beside]
    assert len(top) <= 15, sorted(each.name for each in top)
    for path in (REPOSITORY / package).rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_every_module_has_tests_where_people_look_for_them():
    """Beside or above its place under tests/, or where tests/index.toml says."""
    index = read_index(REPOSITORY)
    named = [*index["modules"].values(), *index["files"].values()]
    assert [test for tests in named for test in tests if not (REPOSITORY / test).exists()] == []
    known = index["modules"]
    of_name = {name: named_tests(REPOSITORY, name)[:1] for name in known}
    assert [name for name in known if {*of_name[name]} & {*known[name]}] == [], "named twice"
    assert [name for name in known if len([*of_name[name], *known[name]]) > 3] == [], "too many to look into"
    for name in (name for package in PACKAGES for name in modules(package)):
        is_folder = REPOSITORY.joinpath(*name.split(".")).is_dir()
        assert is_folder or named_tests(REPOSITORY, name) or indexed_tests(name, known), name


@EACH
def test_modules_import_each_other_in_no_circle(package):
    """Within functions and for type checkers neither."""
    known = modules(package)
    graph = {name: {each for each in names if each in known} for name, names in imported(package).items()}
    TopologicalSorter(graph).prepare()  # a CycleError names the circle


MOST_FUNCTIONS = 741
"""The first screen of a score enters no more functions, bodies of classes and generators included."""

ENTERED = """
import sys, threading
from pathlib import Path
entered = set()
def profile(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_name != "<module>" and f"{{sep}}evaluator{{sep}}" in code.co_filename:
        entered.add({1})
from os import sep
threading.setprofile(profile)
sys.setprofile(profile)
{0}
sys.setprofile(None)
print(len(entered), file=sys.stderr)
"""

LOADED = """
import sys
sys.argv[1:] = ["score", "la.vec", "--test", "la.json"]
from evaluator.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
print(sum(name.partition(".")[0] == "evaluator" for name in sys.modules), file=sys.stderr)
"""


def counted_by(code, folder):
    """The number that a program prints last on stderr."""
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return int(run.stderr.split()[-1])


@pytest.fixture(scope="module")
def small_files(tmp_path_factory):
    """A folder with vectors, la.vec, and a test set, la.json."""
    folder = tmp_path_factory.mktemp("small")
    words = ["rex", "regina", "dux", "urbs", "via", "oppidum"]
    rows = (f"{word} {number // 3} {number % 3} 1" for number, word in enumerate(words))
    (folder / "la.vec").write_text("6 3\n" + "\n".join(rows) + "\n", encoding="utf-8")
    items = [{"id": f"Q{number}", "words": [word]} for number, word in enumerate(words)]
    categories = [{"name": "ruler", "title": "Rulers", "items": items[:3]}]
    categories.append({"name": "place", "title": "Places", "items": items[3:]})
    content = {"format": "testset", "version": 1, "language": "la", "categories": categories}
    (folder / "la.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_a_reader_opens_few_files_from_vectors_to_a_score(small_files):
    code = 'import evaluator\nevaluator.score("la.vec", "la.json", "Topk@2")["Topk@2"].value'
    assert counted_by(ENTERED.format(code, "code.co_filename"), small_files) <= MOST_FILES


def test_the_first_screen_enters_few_functions(small_files):
    """Counted again if there are more: where no compiled code is stored, the first run also stores it."""
    counts = (counted_by(ENTERED.format(LOADED, "code"), small_files) for _ in range(2))
    assert any(count <= MOST_FUNCTIONS for count in counts)


def test_few_modules_are_loaded_for_a_score(small_files):
    assert counted_by(LOADED, small_files) <= MOST_MODULES


@EACH
def test_library_code_never_prints(package):
    for name, tree in modules(package).items():
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        printed = [call.lineno for call in calls if isinstance(call, ast.Name) and call.id == "print"]
        assert printed == [], name


@EACH
def test_only_the_command_line_writes_to_the_terminal(package):
    for name, names in imported(package).items():
        if not name.startswith(f"{package}.cli"):
            assert not {"typer", "rich"} & {each.partition(".")[0] for each in names}, name


@EACH
def test_every_library_that_is_imported_is_declared(package):
    declared = {re.match(r"[\w-]+", each)[0].lower() for each in project()["dependencies"]}
    extras = project()["optional-dependencies"]
    declared |= {
        re.match(r"[\w-]+", each)[0].lower() for key in extras if key != "dev" for each in extras[key]
    }
    declared |= {each.replace("-", "_") for each in declared}
    names = {"scikit-learn": "sklearn"}
    declared |= {names[each] for each in names.keys() & declared}
    for name, libraries in imported(package).items():
        used = {each.partition(".")[0] for each in libraries} - {*sys.stdlib_module_names, *PACKAGES}
        assert {each.lower() for each in used} - declared == set(), name


def pyproject():
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


def project():
    return pyproject()["project"]


@pytest.mark.parametrize("folder", ["queries", "cache"])
def test_folders_of_data_are_no_packages(folder):
    assert list((REPOSITORY / folder).rglob("*.py")) == []


def test_each_file_of_data_is_in_the_wheel():
    """`only-include` with `sources`: an editable install sees the folders themselves and no stale copy."""
    wheel = pyproject()["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(wheel["only-include"]) == {"testgen", "evaluator", "queries", "cache"}
    assert wheel["sources"] == {"queries": "testgen/queries", "cache": "testgen/cache"}
    assert "force-include" not in wheel
    if not (REPOSITORY / ".git").exists():
        pytest.skip("no checkout, so that nobody knows which files belong to it")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    shipped = {path for path in listed.stdout.split("\0") if path.partition("/")[0] in wheel["only-include"]}
    data = [path for folder in wheel["only-include"] for path in (REPOSITORY / folder).rglob("*")]
    names = {str(path.relative_to(REPOSITORY)) for path in data if path.is_file()}
    left_out = {name for name in names - shipped if "__pycache__" not in name}
    assert left_out == set(), "git ignores these, and so does the wheel"
    for needed in (
        "testgen/testset/testset.v2.schema.json",
        "testgen/languages/languages.tsv",
        "testgen/py.typed",
    ):
        assert needed in shipped
    assert any(name.startswith("cache/") and name.endswith(".ttl.gz") for name in shipped)


def loaded_by(code):
    """The heavy libraries that a program has loaded at its end."""
    program = (
        f"import sys\n{code}\nprint(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return run.stderr.split()


HELP = """
sys.argv = ["{0}", "--help"]
from {0}.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        (HELP.format("testgen"), set()),
        (HELP.format("evaluator"), set()),
        ("import evaluator.studies.scoring", {"numpy"}),
        ("from evaluator.plugins.probes import probe", {"numpy"}),
    ],
    ids=["help of testgen", "help of evaluator", "scoring", "probes"],
)
def test_heavy_libraries_are_loaded_when_they_are_used(code, allowed):
    assert set(loaded_by(code)) <= allowed


def test_nothing_depends_on_the_plugins_that_ship_with_evaluator():
    """That no other module imports them is checked with the layers; the package itself is no layer."""
    stub = (REPOSITORY / "evaluator" / "__init__.pyi").read_text(encoding="utf-8")
    assert "plugins" not in stub
    code = "import sys, evaluator.plugins; sys.stderr.write(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [each for each in run.stderr.split() if each.startswith("evaluator.plugins.")] == []


def test_what_a_package_offers_exists():
    import evaluator
    import testgen

    for package in (testgen, evaluator):
        assert len(set(package.__all__)) == len(package.__all__)
        assert all(hasattr(package, name) for name in package.__all__)


def called_targets(workflow):
    """The targets of make that a workflow calls."""
    calls = re.findall(r"run: make ([a-z -]*\b)(?!=)", workflow.read_text(encoding="utf-8"))
    return {*" ".join(calls).split()}


def test_the_workflow_runs_what_a_person_runs():
    workflows = REPOSITORY / ".github" / "workflows"
    text = (workflows / "tests.yml").read_text(encoding="utf-8")
    files = [REPOSITORY / "Makefile", REPOSITORY / "tools" / "maintain.mk"]
    made = "\n".join(path.read_text(encoding="utf-8") for path in files)
    targets = {path.stem: called_targets(path) for path in workflows.glob("*.yml")}
    assert {"demo", "style", "test", "test-lowest", "test-slow", "wheel", "site"} <= targets["tests"]
    assert {"check", "sbom", "release"} <= targets["publish"]
    assert all(re.search(rf"^{each}:", made, re.MULTILINE) for each in set().union(*targets.values()))
    assert text.count('python: ["3.11", "3.12", "3.13", "3.14", "3.15"]') == 2, "of tests and of the wheel"


def test_the_source_distribution_has_what_make_and_the_tests_read():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = set(project["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"])
    assert {"Makefile", "mkdocs.yml", ".github/workflows", "tests", "docs", "tools", "benchmarks"} <= shipped
    assert all((REPOSITORY / each).exists() for each in shipped)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_an_environment_that_could_not_be_made_is_not_kept(tmp_path):
    """As where Debian's python3-venv is not installed."""
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nmkdir -p "$3/bin"\ntouch "$3/bin/python"\necho no ensurepip >&2\nexit 1\n')
    python.chmod(0o755)
    (tmp_path / "pyproject.toml").touch()
    command = ["make", "--file", REPOSITORY / "Makefile", "demo", f"PYTHON={python}"]
    for _ in range(2):
        made = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
        assert made.returncode
        assert "no ensurepip" in made.stderr
    assert not (tmp_path / ".venv").exists()
