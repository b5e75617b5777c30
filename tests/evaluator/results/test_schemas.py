"""The schemas in docs/schemas are those of the types, and describe what is written."""

from __future__ import annotations

import json

import jsonschema
import pytest

from tests.evaluator.results.samples import LINES, SAMPLES
from tools.schemas import FOLDER, KINDS, kinds, schemas
from tools.tables import rows


@pytest.fixture(scope="module")
def made():
    return schemas()


def test_the_schemas_are_those_of_the_types(made):
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    assert written == made, "run `make docs`"


@pytest.mark.parametrize(
    "content", [*SAMPLES.values(), *LINES], ids=lambda content: content.get("format", "line")
)
def test_what_is_written_fits_its_schema(made, content):
    name = content.get("format", "score lines").replace(" ", "-")
    validator = jsonschema.Draft202012Validator(json.loads(made[f"{name}.json"]))
    validator.check_schema(validator.schema)
    assert [error.message for error in validator.iter_errors(content)] == []


def test_each_key_is_described(made):
    for name, text in made.items():
        for title, definition in json.loads(text)["$defs"].items():
            for key, described in definition["properties"].items():
                assert key in ("format", "version") or described.get("description"), f"{name}: {title}.{key}"


def test_the_page_lists_all_kinds():
    assert rows(KINDS) == kinds(), "run `make docs`"
