"""The rules of the house: who may import whom, what is loaded when, what is shipped."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

# The modules in the order in which they can be read: a module imports only from the lines above its own. A
# name that ends in .* stands for all other modules of one sort, so that a new measure, format or source needs
# no line here; they may build on each other, though not in a circle.
ORDER = {
    "testgen": [
        "testgen.errors",
        "testgen.files",
        "testgen.config",
        "testgen.store",
        "testgen.languages",
        "testgen.labels",
        "testgen.queries",
        "testgen.statements",
        "testgen.hierarchy",
        "testgen.sources.base",
        "testgen.sources.*",
        "testgen.sources",
        "testgen.levels",
        "testgen.words",
        "testgen.testset",
        "testgen.emoji",
        "testgen.generate",
        "testgen.snapshots",
        "testgen.dumps",
        "testgen.dumps.conditions",
        "testgen.dumps.steps",
        "testgen.dumps.needs",
        "testgen.dumps.subjects",
        "testgen.dumps.values",
        "testgen.dumps.sieve",
        "testgen.dumps.jsonlines",
        "testgen.dumps.triples",
        "testgen.dumps.streams",
        "testgen.dumps.bzip2",
        "testgen.dumps.dumpfile",
        "testgen.dumps.blocks",
        "testgen.dumps.cluster",
        "testgen.dumps.parallel",
        "testgen.dumps.pieces",
        "testgen.dumps.spill",
        "testgen.dumps.source",
        "testgen.dumps.make",
        "testgen",
        "testgen.serve.settings",
        "testgen.serve.archive",
        "testgen.serve.catalogue",
        "testgen.serve.choices",
        "testgen.serve.work",
        "testgen.serve.jobs",
        "testgen.serve.library",
        "testgen.serve.problems",
        "testgen.serve.models",
        "testgen.serve.views",
        "testgen.serve.api",
        "testgen.serve.pages.*",
        "testgen.serve.pages",
        "testgen.serve.safety",
        "testgen.serve.app",
        "testgen.serve.server",
        "testgen.serve",
        "testgen.cli.*",
        "testgen.cli",
    ],
    "evaluator": [
        "evaluator.errors",
        "evaluator.files",
        "evaluator.places",
        "evaluator.figures",
        "evaluator.figures.style",
        "evaluator.figures.dots",
        "evaluator.figures.probes",
        "evaluator.orthography.alphabets",
        "evaluator.orthography.sanskrit",
        "evaluator.orthography.profile",
        "evaluator.orthography",
        "evaluator.case",
        "evaluator.testset",
        "evaluator.datasets.source",
        "evaluator.datasets.registry",
        "evaluator.datasets.*",
        "evaluator.datasets.formats.*",
        "evaluator.datasets.formats",
        "evaluator.datasets.read",
        "evaluator.datasets",
        "evaluator.outliers",
        "evaluator.vectors.words",
        "evaluator.vectors.table",
        "evaluator.vectors.stores",
        "evaluator.vectors.source",
        "evaluator.vectors.registry",
        "evaluator.vectors.header",
        "evaluator.vectors.rows",
        "evaluator.vectors.compiled",
        "evaluator.vectors.lines",
        "evaluator.vectors.fields",
        "evaluator.vectors.textrows",
        "evaluator.vectors.models",
        "evaluator.vectors.formats.*",
        "evaluator.vectors.formats",
        "evaluator.vectors.cached.record",
        "evaluator.vectors.cached.folder",
        "evaluator.vectors.cached.opening",
        "evaluator.vectors.cached.making",
        "evaluator.vectors.cached",
        "evaluator.vectors.load",
        "evaluator.vectors",
        "evaluator.forms",
        "evaluator.lemmas",
        "evaluator.corpus",
        "evaluator.settings",
        "evaluator.lookup",
        "evaluator.similarities",
        "evaluator.kernels",
        "evaluator.nearest",
        "evaluator.subsets",
        "evaluator.bands",
        "evaluator.probes.results",
        "evaluator.probes.splits",
        "evaluator.probes.models",
        "evaluator.probes.learning",
        "evaluator.probes.classification",
        "evaluator.probes.similarity",
        "evaluator.probes.relation",
        "evaluator.probes.analogy",
        "evaluator.probes.shared",
        "evaluator.probes.tasks",
        "evaluator.probes.ranks",
        "evaluator.probes.gap",
        "evaluator.probes.comparison",
        "evaluator.probes",
        "evaluator.measures.base",
        "evaluator.measures.on_categories",
        "evaluator.measures.*",
        "evaluator.measures",
        "evaluator.notebook",
        "evaluator.resampling",
        "evaluator.scan",
        "evaluator.combine",
        "evaluator.scoring",
        "evaluator.jsonvalue",
        "evaluator.results",
        "evaluator.pce",
        "evaluator.composite",
        "evaluator.coverage",
        "evaluator.baseline",
        "evaluator.epochs",
        "evaluator.workers.base",
        "evaluator.workers.processes",
        "evaluator.workers.cluster",
        "evaluator.workers",
        "evaluator.halves",
        "evaluator.training",
        "evaluator.loading",
        "evaluator.batch.model",
        "evaluator.batch.pairing",
        "evaluator.batch.lines",
        "evaluator.batch.unit",
        "evaluator.batch.run",
        "evaluator.batch",
        "evaluator.tuning.space",
        "evaluator.tuning.corpora",
        "evaluator.tuning.trial",
        "evaluator.tuning.study",
        "evaluator.tuning.result",
        "evaluator.tuning.search",
        "evaluator.tuning",
        "evaluator.figures.tuning",
        "evaluator.curves.subsets",
        "evaluator.curves.material",
        "evaluator.curves.rooms",
        "evaluator.curves.points",
        "evaluator.curves.store",
        "evaluator.curves.onset",
        "evaluator.curves.result",
        "evaluator.curves.run",
        "evaluator.curves",
        "evaluator.figures.curve",
        "evaluator.emoji.descriptions",
        "evaluator.emoji.classification",
        "evaluator.emoji.adam",
        "evaluator.emoji.model",
        "evaluator.emoji.sweep",
        "evaluator.emoji",
        "evaluator.figures.emoji",
        "evaluator.languages.entries",
        "evaluator.languages.known",
        "evaluator.languages.aligned",
        "evaluator.languages.rows",
        "evaluator.languages.work",
        "evaluator.languages.differences",
        "evaluator.languages.compare",
        "evaluator.languages",
        "evaluator.figures.languages",
        "evaluator.report.page",
        "evaluator.report.cells",
        "evaluator.report.commands",
        "evaluator.report.source",
        "evaluator.report.scores_file",
        "evaluator.report.summary",
        "evaluator.report.differences",
        "evaluator.report.scores",
        "evaluator.report.coverage",
        "evaluator.report.tuning",
        "evaluator.report.curve",
        "evaluator.report.comparison",
        "evaluator.report.emoji_file",
        "evaluator.report.emoji",
        "evaluator.report.probes",
        "evaluator.report.composite",
        "evaluator.report.build",
        "evaluator.report.svg",
        "evaluator.report.links",
        "evaluator.report.render",
        "evaluator.report.write",
        "evaluator.report",
        "evaluator",
        "evaluator.cli.*",
        "evaluator.cli",
    ],
}

# What only some commands need, so that the others start without it.
HEAVY = [
    *("distributed", "fastapi", "gensim", "jinja2", "matplotlib", "numpy", "optuna", "pandas", "pyoxigraph"),
    *("rich.progress", "scipy", "sklearn", "uvicorn"),
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


EACH = pytest.mark.parametrize("package", ORDER)


def imports(tree):
    """Everything a module imports, within functions and for type checkers too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute here"
            # `from testgen import labels` is of the module testgen.labels.
            package = node.module.partition(".")[0]
            known = modules(package) if package in ORDER else ()
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module


def inner(package):
    """What each module imports of its own package, by its name."""
    return {
        name: {each for each in names if each.partition(".")[0] == package}
        for name, names in imported(package).items()
    }


def place(package, name):
    places = [number for number, pattern in enumerate(ORDER[package]) if fnmatchcase(name, pattern)]
    exact = [number for number in places if ORDER[package][number] == name]
    assert places, f"{name} has no place yet in the order of {package} in {Path(__file__).name}"
    return (exact or places)[0]


@EACH
def test_neither_package_imports_the_other(package):
    (other,) = ORDER.keys() - {package}
    for name, names in imported(package).items():
        assert [each for each in names if each.partition(".")[0] == other] == [], name


@EACH
def test_data_flows_one_way(package):
    for name, names in inner(package).items():
        own = place(package, name)
        upwards = [each for each in names if place(package, each) > own or each == name]
        assert upwards == [], f"{name} imports what comes after it"


@EACH
def test_no_module_imports_itself_by_way_of_others(package):
    assert set(graphlib.TopologicalSorter(inner(package)).static_order()) == modules(package).keys()


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


def test_every_place_in_the_order_is_somebodys():
    for package, order in ORDER.items():
        for pattern in order:
            assert any(fnmatchcase(name, pattern) for name in modules(package)), f"{pattern} is gone"


@EACH
def test_every_library_that_is_imported_is_declared(package):
    declared = {re.match(r"[\w-]+", each)[0].lower() for each in project()["dependencies"]}
    extras = project()["optional-dependencies"]
    declared |= {
        re.match(r"[\w-]+", each)[0].lower() for key in extras if key != "dev" for each in extras[key]
    }
    declared |= {each.replace("-", "_") for each in declared}
    names = {"scikit-learn": "sklearn", "universal-pathlib": "upath"}
    declared |= {names[each] for each in names.keys() & declared}
    for name, libraries in imported(package).items():
        used = {each.partition(".")[0] for each in libraries} - {*sys.stdlib_module_names, *ORDER}
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
    for needed in ("testgen/testset.v1.schema.json", "testgen/languages.tsv", "testgen/py.typed"):
        assert needed in shipped
    assert any(name.startswith("cache/") and name.endswith(".ttl.gz") for name in shipped)


def loaded_by(code):
    """The heavy libraries that a program has loaded at its end."""
    program = (
        f"import sys\n{code}\nprint(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return run.stderr.split()


@pytest.mark.parametrize("code", ["import testgen", "import testgen.cli"])
def test_testgen_starts_light(code):
    assert loaded_by(code) == []


@pytest.mark.parametrize("code", ["import evaluator", "import evaluator.cli", "import evaluator.scoring"])
def test_evaluator_starts_with_numpy_at_most(code):
    assert set(loaded_by(code)) <= {"numpy"}


@pytest.mark.parametrize("program", ["testgen", "evaluator"])
def test_help_is_light(program):
    code = f"""
sys.argv = ["{program}", "--help"]
from {program}.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""
    assert set(loaded_by(code)) <= {"numpy"}


def test_what_a_package_offers_exists():
    import evaluator
    import testgen

    for package in (testgen, evaluator):
        assert len(set(package.__all__)) == len(package.__all__)
        assert all(hasattr(package, name) for name in package.__all__)
