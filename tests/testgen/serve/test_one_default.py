"""The test set of a language is one file, whoever makes it: program, service, site and evaluator."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from typer.testing import CliRunner

from evaluator.datasets.names import by_name
from testgen.cli.app import app as command_line
from testgen.generation.sizes import size_of
from testgen.queries import shipped_queries
from testgen.serve.provider import TestSetProvider
from testgen.serve.selection import Selection
from testgen.serve.settings import Settings

LANGUAGES = ("la", "en", "non", "zh", "ar", "kk-cyrl")
OTHERS = (
    Selection(("la",), ("country", "month")),
    Selection(("la",), minimum_items=3),
    Selection(("la",), keywords=False),
    Selection(("la",), classes=("Q3624078",)),
)


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    return TestSetProvider(Settings(tmp_path_factory.mktemp("data")))


def written(command, folder, monkeypatch):
    """The files that a command line writes, by their paths in a folder that is empty before."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    program, *words = shlex.split(command)
    assert program == "testgen"
    found = CliRunner().invoke(command_line, words)
    assert found.exit_code == 0, found.output
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.json")}


@pytest.mark.slow
@pytest.mark.parametrize("code", LANGUAGES)
def test_all_roads_give_the_same_bytes(provider, tmp_path, monkeypatch, code):
    selection = Selection((code,))
    file = provider.file(selection)
    folder = tmp_path / "out"
    assert written(f"testgen generate {code}", folder, monkeypatch) == {f"testsets/{code}.json": file.content}
    assert provider.command(selection) == f"testgen generate --language {code}"
    assert selection.file_name == f"{code}.json"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path, _ = by_name(code)
    assert Path(path).read_bytes() == file.content
    queries = shipped_queries()
    sections = {queries[each.name]: each for each in file.test_set.sections}
    assert provider.in_memory.in_file[code] == size_of(sections), "pages tell the size of this file"


@pytest.mark.slow
@pytest.mark.parametrize("selection", OTHERS, ids=["categories", "levels", "without keywords", "class"])
def test_another_choice_has_another_name_and_its_command_gives_the_file(
    provider, tmp_path, monkeypatch, selection
):
    file = provider.file(selection)
    folder, _, suffix = selection.file_name.partition(".")
    assert (folder == "la", suffix) == (False, "json")
    found = written(provider.command(selection), tmp_path / "out", monkeypatch)
    assert found == {f"{folder}/la.json": file.content}
