"""Writing and reading test sets: JSON with one item or pair per line, in a fixed order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import Any

import msgspec

from testgen.errors import TestSetError
from testgen.system import atomic_write, read_bytes
from testgen.testset.types import FORMAT, VERSION, TestSet

_MADE = "name a file that `testgen generate` wrote, such as testsets/la.json"
_HEAD = (
    *("name", "title", "topic", "shared", "level", "within", "class", "named_in", "common", "too_few"),
    *("other_script", "query", "sha256", "source"),
)
_LISTS = ("categories", "relations", "groups")
json_text = json.JSONEncoder(ensure_ascii=False).encode


def serialize(test_set: TestSet) -> str:
    """The text of the file, with one item or pair per line; the same test set gives the same text."""
    content = msgspec.to_builtins(test_set) | {"policy": test_set.policy.as_dict()}
    return file_text({key: value for key, value in content.items() if value is not None})


def file_text(content: Mapping[str, Any]) -> str:
    """The text of a file with categories, relations or groups, which have items of their own."""
    values = (
        _array(map(section_text, value), "  ") if key in _LISTS else json_text(value)
        for key, value in content.items()
    )
    lines = ",\n".join(f"  {json_text(key)}: {text}" for key, text in zip(content, values, strict=True))
    return f"{{\n{lines}\n}}\n"


def section_text(section: Mapping[str, Any]) -> str:
    """The JSON of a category, relation or family: what it is on one line, then its items and its pairs."""
    head = json_text({key: section[key] for key in _HEAD if key in section}).removesuffix("}")
    rows = "".join(
        f', "{key}": {_array(map(_row_text, section[key]), "    ")}'
        for key in ("items", "pairs")
        if key in section
    )
    return f"    {head}{rows}}}"


def _row_text(row: Mapping[str, str | Sequence[str]]) -> str:
    """The JSON of an item or a pair. There are hundreds of thousands, and an encoder takes twice as long."""
    fields = (
        f'"{key}": {quoted(value)}'
        if isinstance(value, str)
        else f'"{key}": [{", ".join(map(quoted, value))}]'
        for key, value in row.items()
    )
    return f"      {{{', '.join(fields)}}}"


def _array(elements: Iterable[str], indent: str) -> str:
    lines = ",\n".join(elements)
    return f"[\n{lines}\n{indent}]" if lines else f"[\n{indent}]"


def is_test_set(head: bytes) -> bool:
    """Whether testgen wrote the test set file that begins with these bytes."""
    return b'"format": "testset",' in head and b'"generator": "testgen ' in head


def write(test_set: TestSet, path: Path) -> None:
    """Write the file; an older one stays unchanged until the new one is complete."""
    with atomic_write(path) as temporary:
        temporary.write_text(serialize(test_set), encoding="utf-8", newline="\n")


class _Head(msgspec.Struct):
    format: str = ""
    version: int = 0


def read_test_sets(paths: str | Path | Iterable[str | Path]) -> list[TestSet]:
    """Read test set files of different languages, and sort them by language."""
    by_language: dict[str, tuple[Path, TestSet]] = {}
    for path in map(Path, [paths] if isinstance(paths, str | Path) else paths):
        try:
            test_set = parse_test_set(read_bytes(path))
        except OSError as error:
            there = f"name the files in it, as in {path}/*.json"
            advice = f"; {there if path.is_dir() else _MADE}"
            raise TestSetError(f"{path}: cannot be read: {error.strerror or error}{advice}") from error
        except TestSetError as error:
            raise TestSetError(f"{path}: {error}") from error
        other, _ = by_language.setdefault(test_set.language, (path, test_set))
        if other != path:
            raise TestSetError(f"{other} and {path} are of the same language; name one of them")
    if not by_language:
        raise TestSetError("no test set is named; `testgen generate` makes test sets")
    return [test_set for _, (_, test_set) in sorted(by_language.items())]


def parse_test_set(content: bytes | str) -> TestSet:
    """The test set in the text of a file."""
    try:
        head = msgspec.json.decode(content, type=_Head)
        if head.format == "dictionary":
            raise TestSetError("is a bilingual dictionary, not a test set; `evaluator translate` reads it")
        if (head.format, head.version) != (FORMAT, VERSION):
            raise TestSetError(
                f'"format" and "version" are not "{FORMAT}" and {VERSION}; is this a test set that '
                "`testgen generate` of this version wrote?"
            )
        return msgspec.json.decode(content, type=TestSet)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TestSetError(f"is no test set, or is damaged; {_MADE}, or make it again ({error})") from error
