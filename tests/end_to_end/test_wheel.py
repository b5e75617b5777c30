"""The built wheel, in a clean virtual environment and outside the checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import PathDistribution, distribution

import pytest
from packaging.requirements import Requirement

from tools.documents import REPOSITORY


def run(*command, cwd):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    path = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", path, REPOSITORY, cwd=path)
    (built,) = path.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel, tmp_path_factory):
    """The programs of a virtual environment that holds the wheel and the libraries that it requires."""
    path = tmp_path_factory.mktemp("clean")
    venv.create(path / "venv")
    scripts = path / "venv" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", scripts / "python"]
    run(*pip, "install", "--quiet", "--no-compile", "--no-deps", wheel, cwd=path)
    (packages,) = (path / "venv").glob("lib/python*/site-packages")
    (metadata,) = packages.glob("testgen_evaluator-*.dist-info")
    for library in libraries(PathDistribution(metadata).requires):
        for name in {file.parts[0] for file in distribution(library).files} - {".."}:
            if not (packages / name).exists():
                (packages / name).symlink_to(distribution(library).locate_file(name))
    return scripts


def libraries(requirements, extras=()):
    """The names of all libraries that pip would install for these requirements."""
    needed = [
        each
        for each in map(Requirement, requirements or ())
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]
    further = (libraries(distribution(each.name).requires, each.extras) for each in needed)
    return {each.name for each in needed}.union(*further)


@pytest.mark.slow
def test_wheel_holds_all_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {
        f"testgen/queries/{path.parent.name}/{path.name}" for path in REPOSITORY.glob("queries/*/*.rq")
    }
    shipped |= {f"testgen/cache/{path.name}" for path in (REPOSITORY / "cache").iterdir()}
    shipped |= {
        "testgen/languages/languages.tsv",
        "testgen/snapshots/importers/categories.tsv",
        "testgen/testset/testset.v2.schema.json",
        "testgen/generation/dictionary.v1.schema.json",
        "testgen/py.typed",
        "evaluator/py.typed",
    }
    assert shipped <= names
    assert not [name for name in names if name.startswith(("tests/", "tools/", "queries/", "cache/"))]


@pytest.mark.slow
def test_a_package_index_can_show_its_readme(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
    assert "# testgen and evaluator" in text
    assert re.findall(r"\]\((?!https:)[^)]*\)", text) == []


@pytest.mark.slow
def test_another_project_of_the_same_name_is_named(scripts, tmp_path):
    """It would overwrite modules of ours, and nothing would say why nothing works."""
    (packages,) = scripts.parent.glob("lib/python*/site-packages")
    other = packages / "testgen-9.9.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: testgen\nVersion: 9.9\n")
    try:
        ended = subprocess.run(
            [scripts / "testgen", "--version"],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    finally:
        shutil.rmtree(other)
    assert ended.returncode == 2
    assert "the package testgen 9.9 of another project" in ended.stderr


@pytest.mark.slow  # as `make wheel`
def test_from_query_to_score(scripts, tmp_path):
    made = run(scripts / "testgen", "generate", "-l", "la", "-o", "out", "--json", cwd=tmp_path)
    assert {part["name"] for part in json.loads(made.stdout)} >= {"country", "month"}
    months = ["Ianuarius", "Februarius", "Martius", "Aprilis", "Roma", "arma", "virumque", "cano"]
    rows = [f"{word} {number < 4:d} {number >= 4:d} 0.{number}" for number, word in enumerate(months, 1)]
    (tmp_path / "la.vec").write_text("\n".join(["8 3", *rows]) + "\n", encoding="utf-8")
    asked = ("la.vec", "-t", "out/la.json", "-m", "Topk@3")  # of related words the model knows too few
    scored = run(scripts / "evaluator", "score", *asked, "--json", cwd=tmp_path)
    (scores,) = json.loads(scored.stdout)["results"]
    by_name = {part["name"]: part for part in scores["scores"][0]["subscores"]}
    assert by_name["month"]["value"] > 0
