"""The JSON Schemas of result files and test sets, made from the types that read and write them."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import msgspec

from evaluator.results.base import ResultFile
from evaluator.results.files import BatchFile, ScoredLine, formats, kind_of, version_of
from testgen.testset.types import VERSION, TestSet
from tools.tables import to_csv

FOLDER = Path(__file__).parent.parent / "docs" / "schemas"
KINDS = FOLDER.parent / "tables" / "report-kinds.csv"
TEST_SET = Path(__file__).parent.parent / "testgen" / "testset" / f"testset.v{VERSION}.schema.json"

_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """The schemas, as texts by the names of their files."""
    return {
        f"{name.replace(' ', '-')}.json": json.dumps(_schema(kind), ensure_ascii=False, indent=1) + "\n"
        for name in formats()
        if (kind := kind_of(name))
    }


def _schema(kind: type[ResultFile]) -> dict[str, Any]:
    """The schema of a kind; of `evaluator score --output` that of each line."""
    lines = (BatchFile, ScoredLine) if kind is BatchFile else (kind,)
    references, definitions = msgspec.json.schema_components(lines, ref_template="#/$defs/{name}")
    for name, definition in definitions.items():
        _describe(name, definition)
    if kind is BatchFile:
        for key in ("lines", "results", "differences", "failures"):
            del definitions["BatchFile"]["properties"][key]
    whole = {"anyOf": list(references)} if len(references) > 1 else references[0]
    return {"$schema": _DIALECT, "title": f"What `{kind.command}` writes", **whole, "$defs": definitions}


def test_set_schema() -> str:
    """The schema of test sets, as text."""
    (whole,), definitions = msgspec.json.schema_components((TestSet,), ref_template="#/$defs/{name}")
    for name, definition in definitions.items():
        _describe(name, definition, "testgen")
        left_out = [key for key, value in definition["properties"].items() if _is_left_out(value)]
        if name == "TestSet":
            definition["required"] = [key for key in definition["properties"] if key not in left_out]
    head = {"$schema": _DIALECT, "title": f"Test set, version {VERSION}"}
    return json.dumps({**head, **whole, "$defs": definitions}, ensure_ascii=False, indent=1) + "\n"


def _is_left_out(value: dict[str, Any]) -> bool:
    """Whether a property may be missing, as it is then null for the type, and null in no file."""
    if "default" not in value or value.pop("default") is not None:
        return False
    (stated,) = (each for each in value.pop("anyOf") if each != {"type": "null"})
    value.update(stated)
    return True


def _describe(name: str, definition: dict[str, Any], package: str = "evaluator") -> None:
    """Take the descriptions of keys out of docstrings, and require the version."""
    docstrings = [definition.pop("description", ""), *_docstrings_of_bases(name, package)]
    parts = [inspect.cleandoc(each).partition("\nAttributes:\n") for each in docstrings]
    described = {
        key: text for *_, attributes in reversed(parts) for key, text in _ATTRIBUTE.findall(attributes)
    }
    properties = definition["properties"]
    for key in properties.keys() & described.keys():
        properties[key]["description"] = " ".join(described[key].split())
    definition["description"] = " ".join(parts[0][0].split())
    if {"format", "version"} <= properties.keys():
        properties["version"].pop("default", None)
        definition["required"].insert(1, "version")


def _docstrings_of_bases(name: str, package: str) -> list[str]:
    """The docstrings of the types that a type inherits keys from."""
    classes = list(msgspec.Struct.__subclasses__())
    for each in classes:  # grows while it is gone through
        classes += each.__subclasses__()
    known = (each for each in classes if each.__module__.startswith(package))
    bases = next((each.__mro__[1:] for each in known if each.__name__ == name), ())
    return [base.__doc__ or "" for base in bases if issubclass(base, msgspec.Struct)]


def kinds() -> list[list[str]]:
    """The kinds of result files: the head and the rows of a table."""
    links = ((name, kind_of(name), f"{name.replace(' ', '-')}.json") for name in formats())
    rows = (
        [f"`{name}`", str(version_of(kind)), f"`{kind.command}`", f"[{link}](schemas/{link})"]
        for name, kind, link in links
        if kind
    )
    return [["`format`", "version", "written by", "schema"], *rows]


def write() -> None:
    """Write all schemas and the table of them, and remove those of kinds that are no more."""
    KINDS.write_text(to_csv(kinds()), encoding="utf-8", newline="")
    TEST_SET.write_text(test_set_schema(), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    texts = schemas()
    for path in FOLDER.glob("*.json"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
