"""The package of docs/extending.md, installed into a virtual environment and used from the command line."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv

import pytest

from tools.documents import REPOSITORY, same

PAGE = (REPOSITORY / "docs" / "extending.md").read_text(encoding="utf-8")
PLUGIN = REPOSITORY / "docs" / "plugin"


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def shown():
    """The commands of the page and the output that it shows, without that of pip."""
    for block in blocks("text"):
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            if not command.startswith("pip "):
                yield command, output


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A folder whose virtual environment sees evaluator and its libraries, with the packages installed."""
    folder = tmp_path_factory.mktemp("plugin")
    package = folder / "package"
    shutil.copytree(PLUGIN, package)
    venv.create(folder / "venv")
    scripts = folder / "venv" / "bin"
    (packages,) = (folder / "venv").glob("lib/*/site-packages")
    seen = [path for path in sys.path if path.endswith("site-packages")]
    lines = [str(REPOSITORY), *(f"import site; site.addsitedir({path!r})" for path in seen)]
    (packages / "development.pth").write_text("\n".join([*lines, ""]), encoding="utf-8")
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", str(package)]
    subprocess.run([sys.executable, "-m", "pip", "--python", scripts / "python", *install], check=True)
    program = scripts / "evaluator"
    program.write_text(f"#!{scripts / 'python'}\nfrom evaluator.cli import main\nmain()\n", encoding="utf-8")
    program.chmod(0o755)
    shutil.copytree(PLUGIN / "samples", folder, dirs_exist_ok=True)
    return folder


def run(environment, command):
    program, *arguments = shlex.split(command)
    ran = subprocess.run(
        [environment / "venv" / "bin" / program, *arguments],
        cwd=environment,
        env={**os.environ, "COLUMNS": "110"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return ran.stdout + ran.stderr


@pytest.mark.parametrize(("command", "output"), list(shown()))
def test_what_the_page_shows_is_what_happens(environment, command, output):
    found = run(environment, command)
    beginning = output.removesuffix("…\n").splitlines()
    assert same("\n".join(beginning), "\n".join(found.splitlines()[: len(beginning)])), found


@pytest.mark.slow
def test_the_measure_is_listed_and_has_an_interval(environment):
    listed = run(environment, "evaluator measures")
    assert re.search(r"^Cohesion@3\n +The mean cosine of each word", listed, re.MULTILINE)
    found = run(environment, "evaluator score la.vec la.jsonl --test court.json --measure Cohesion")
    row = r"la\.vec +0\.\d{3} +0\.\d{3} to [01]\.\d{3} .* frequency\n"
    assert re.search(rf"Cohesion@3, ranks of contenders tested over 3 words:\n(.*\n)+{row}", found), found
    assert re.search(r"Cohesion@3 +\+0.0000 .* the same scores", found), found


@pytest.mark.slow
def test_an_unknown_name_lists_those_of_other_packages(environment):
    assert (
        "The measures are Accuracy, Analogy, AnalogySpace, Categorization, CategoryOutliers, Cohesion,"
        in run(environment, "evaluator score la.vec --test court.json --measure Nothing@3")
    )
    assert "named-lists" in run(environment, "evaluator score la.vec --test court.json --test-format nothing")


def test_the_command_has_the_options_and_the_renderers_of_every_command(environment):
    assert re.search(r"lengths +Show the longest vectors", run(environment, "evaluator --help"))
    assert "--most" in run(environment, "evaluator lengths --help")
    found = json.loads(run(environment, "evaluator lengths la.vec --most 1 --json"))
    assert found["arguments"] == ["la.vec", "--most", "1"]
    assert found["format"] == "lengths"


@pytest.mark.slow
def test_a_report_has_the_section_of_the_kind_of_result(environment):
    written = run(environment, "evaluator lengths la.vec --json")
    (environment / "lengths.json").write_text(written, encoding="utf-8")
    assert run(environment, "evaluator report lengths.json -o page.html") == ""
    page = (environment / "page.html").read_text(encoding="utf-8")
    assert "The longest vectors" in page
    assert "evaluator lengths la.vec" in page
    (environment / "wrong.json").write_text(written.replace("9.1", '"9.1"', 1), encoding="utf-8")
    assert "wrong.json: " in run(environment, "evaluator report wrong.json -o wrong.html")


def test_the_package_imports_only_what_is_stable():
    text = "".join(path.read_text(encoding="utf-8") for path in PLUGIN.glob("*.py"))
    assert set(re.findall(r"^(?:from|import) (evaluator[\w.]*)", text, re.MULTILINE)) == {"evaluator.plugins"}


def test_the_page_shows_and_names_what_is_in_the_package():
    text = "".join(path.read_text(encoding="utf-8") for path in PLUGIN.glob("*.py"))
    assert all(block in text for block in blocks("py"))
    assert all(f"(plugin/{path.name})" in PAGE for path in PLUGIN.iterdir() if path.is_file())
