"""The page about the API, made from its OpenAPI description."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from testgen.serve.pages.rendering import render

router = APIRouter()

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
    description, base = request.app.openapi(), str(request.base_url).rstrip("/")
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            endpoints = groups.setdefault(_HEADINGS[operation["tags"][0]], [])
            endpoints.append(_endpoint(description, base, path, method, operation))
    return render(request, "api", groups=groups.items(), base=base)


def _endpoint(
    description: Mapping[str, Any], base: str, path: str, method: str, operation: Mapping[str, Any]
) -> dict[str, Any]:
    in_url = [parameter for parameter in operation.get("parameters", []) if parameter["in"] != "header"]
    content = operation.get("requestBody", {}).get("content", {})
    body = content.get("application/json", {}).get("schema", {})
    return {
        "method": method.upper(),
        "path": path,
        "text": operation.get("description", ""),
        "parameters": [
            *(_parameter(url["name"], url["in"], url, url["required"]) for url in in_url),
            *_fields(description, body, ""),
        ],
        "answers": [(status, answer["description"]) for status, answer in operation["responses"].items()],
        "example": _command(base, path, method, in_url),
    }


def _parameter(name: str, where: str, described: Mapping[str, Any], required: bool) -> Parameter:
    schema = described.get("schema", described)
    default = schema.get("default")
    shown = "" if default in (None, "", []) else str(default)
    shown = shown.lower() if isinstance(default, bool) else shown
    text = described.get("description", "")
    return Parameter(name, where, _kind_of_value(schema), "required" if required else shown, text)


def _kind_of_value(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind_of_value(kind) for kind in schema["anyOf"] if kind.get("type") != "null")
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    kinds = {"integer": "whole number", "array": "list", "boolean": "true or false", "string": "text"}
    return kinds.get(str(schema.get("type")), str(schema.get("type", "anything")))


def _fields(description: Mapping[str, Any], schema: Mapping[str, Any], prefix: str) -> Iterator[Parameter]:
    if "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for name, field in schema.get("properties", {}).items():
        if "$ref" in field:
            yield from _fields(description, field, f"{prefix}{name}.")
        else:
            yield _parameter(f"{prefix}{name}", "body", field, name in schema.get("required", ()))


def _command(base: str, path: str, method: str, parameters: list[Mapping[str, Any]]) -> str:
    for parameter in parameters:
        if parameter["in"] == "path":
            (value, *_) = parameter["schema"].get("examples") or ["JOB"]
            path = path.replace(f"{{{parameter['name']}}}", value)
    words = ["curl"]
    if method != "get":
        words += ["-X", method.upper()]
    if method == "post":
        words += ["--json", _BODY]
    if path.endswith(".zip"):
        words += ["-OJ"]
    return shlex.join([*words, base + path])
