"""The page about the API, made from its OpenAPI description."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from testgen.serve.pages.rendering import render

router = APIRouter(include_in_schema=False)

_HEADINGS = {
    "service": "The service",
    "browse": "Languages, categories, coverage",
    "test sets": "Test sets",
    "jobs": "Jobs",
}
_BODY = '{"languages": ["la"], "categories": ["country"]}'


class Parameter(NamedTuple):
    """A parameter of an endpoint, or a field of its request body."""

    name: str
    where: str
    value: str
    default: str
    text: str


@router.get("/api")
def api(request: Request) -> Response:
    """All endpoints, in groups."""
    description = request.app.openapi()
    base = str(request.base_url).rstrip("/")
    found: dict[str, list[dict[str, Any]]] = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            tag = operation.get("tags", ["service"])[0]
            found.setdefault(tag, []).append(_endpoint(description, base, path, method, operation))
    groups = [(_HEADINGS.get(tag, tag.capitalize()), endpoints) for tag, endpoints in found.items()]
    return render(request, "api", groups=groups, base=base)


def _endpoint(
    description: Mapping[str, Any], base: str, path: str, method: str, operation: Mapping[str, Any]
) -> dict[str, Any]:
    """An endpoint, as the page shows it."""
    given = [each for each in operation.get("parameters", []) if each["in"] != "header"]
    parameters = [
        _parameter(
            each["name"], each["in"], each["schema"], each.get("description", ""), bool(each.get("required"))
        )
        for each in given
    ]
    content = operation.get("requestBody", {}).get("content", {})
    body = content.get("application/json", {}).get("schema", {})
    return {
        "method": method.upper(),
        "path": path,
        "text": operation.get("description", ""),
        "parameters": [*parameters, *_fields(description, body, "")],
        "answers": [(status, answer["description"]) for status, answer in operation["responses"].items()],
        "example": _example(base, path, method, given),
    }


def _parameter(name: str, where: str, schema: Mapping[str, Any], text: str, required: bool) -> Parameter:
    default = schema.get("default")
    shown = "" if default in (None, "", []) else str(default)
    shown = shown.lower() if isinstance(default, bool) else shown
    return Parameter(name, where, _kind_of_value(schema), "required" if required else shown, text)


def _kind_of_value(schema: Mapping[str, Any]) -> str:
    """The kind of a value, in a few words."""
    if "anyOf" in schema:
        return " or ".join(_kind_of_value(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if "$ref" in schema:
        return "object"
    kinds = {"integer": "whole number", "array": "list", "boolean": "true or false", "string": "text"}
    return kinds.get(str(schema.get("type")), str(schema.get("type", "anything")))


def _fields(description: Mapping[str, Any], schema: Mapping[str, Any], prefix: str) -> Iterator[Parameter]:
    """The fields of a JSON request body, including those of the policy."""
    if "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for name, each in schema.get("properties", {}).items():
        if "$ref" in each:
            yield from _fields(description, each, f"{prefix}{name}.")
        else:
            required = name in schema.get("required", ())
            yield _parameter(f"{prefix}{name}", "body", each, each.get("description", ""), required)


def _example(base: str, path: str, method: str, parameters: list[Mapping[str, Any]]) -> str:
    """A command line that calls the endpoint."""
    for each in parameters:
        if each["in"] == "path":
            value = (each["schema"].get("examples") or ["JOB"])[0]
            path = path.replace(f"{{{each['name']}}}", value)
    words = ["curl"]
    if method != "get":
        words += ["-X", method.upper()]
    if method == "post":
        words += ["--json", _BODY]
    if path.endswith(".zip"):
        words += ["-OJ"]
    return shlex.join([*words, base + path])
