"""The IANA registry of language tags (BCP 47), without the languages that the table of languages has."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table that ships with testgen."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def _subtags(kind: str) -> Mapping[str, Mapping[str, str]]:
    rows = rows_of(Path(__file__).parent / "registry.tsv")
    return {row["code"]: row for row in rows if row["kind"] == kind}


@cache
def registered_names() -> Mapping[str, str]:
    """The names of registered languages, retired ones too, by their codes."""
    return {code: row["name"] for code, row in _subtags("language").items()}


@cache
def groups() -> Mapping[str, str]:
    """The names of groups of languages by their codes, such as `gmq`: with `-x-…`, a tag may begin so."""
    return {code: row["name"] for code, row in _subtags("group").items()}


@cache
def retired() -> Mapping[str, str]:
    """For each retired code that another one replaced, this one: `he` of `iw`."""
    return {code: row["replaced_by"] for code, row in _subtags("language").items() if row["replaced_by"]}


def are_variants(subtags: list[str]) -> bool:
    """Whether all subtags that look like variants (`1996`, `rozaj`) are registered."""
    return all(each in _subtags("variant") for each in subtags if len(each) > 4 or each[:1].isdigit())
