"""The tutorial, docs/tutorial.ipynb, shows what really happens."""

from __future__ import annotations

import ast
import base64

import pytest

import evaluator
import testgen
from tools.documents import NOTEBOOK, run_notebook, same, shown_text, source_digest

nbformat = pytest.importorskip("nbformat", reason="needs nbclient and ipykernel, of the extra [dev]")


@pytest.fixture(scope="module")
def stored():
    return nbformat.read(NOTEBOOK, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.slow
def test_it_shows_what_its_cells_give(stored, tmp_path):
    pytest.importorskip("nbclient")
    now = run_notebook(tmp_path)
    assert same(shown_text(stored), shown_text(now)), "run `make docs`:\n" + shown_text(now)


def test_its_outputs_are_those_of_its_code(stored):
    assert stored.metadata["executed_source"] == source_digest(stored), "run `make docs`"
    assert [cell.execution_count for cell in code_cells(stored)] == [*range(1, len(code_cells(stored)) + 1)]
    shown = [output for cell in code_cells(stored) for output in cell.outputs]
    assert all(output.output_type != "error" and output.get("name") != "stderr" for output in shown)


def test_it_is_short_and_small(stored):
    assert len(code_cells(stored)) <= 17
    assert NOTEBOOK.stat().st_size < 600_000
    shown = [output.data for cell in code_cells(stored) for output in cell.outputs if "data" in output]
    figures = [base64.b64decode(data["image/png"]) for data in shown if "image/png" in data]
    assert len(figures) == 2
    assert all(len(figure) < 100_000 for figure in figures)


def test_it_uses_public_names_only(stored):
    used = set()
    for cell in code_cells(stored):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.add((node.value.id, node.attr))
            elif isinstance(node, ast.ImportFrom):
                assert node.module.partition(".")[0] not in {"evaluator", "testgen"}
    for package in (evaluator, testgen):
        named = {name for module, name in used if module == package.__name__}
        assert named
        assert named <= {*package.__all__, "__file__"}


def test_its_links_lead_somewhere(stored):
    text = "\n".join(cell.source for cell in stored.cells if cell.cell_type == "markdown")
    links = {each.partition(")")[0] for each in text.split("](")[1:]}
    assert links
    assert all((NOTEBOOK.parent / link).is_file() for link in links)
