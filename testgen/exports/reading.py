"""Reading the test set files that testgen wrote, of any source."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from testgen.errors import TestSetError
from testgen.system import read_bytes
from testgen.testset.types import FORMAT, VERSION, TestSet


class _Head(msgspec.Struct):
    format: str = ""
    version: int = 0


def read_test_sets(paths: Iterable[Path]) -> list[TestSet]:
    """Read test set files of different languages, and sort them by language."""
    by_language: dict[str, tuple[Path, TestSet]] = {}
    for path in paths:
        try:
            test_set = parse_test_set(read_bytes(path))
        except OSError as error:
            raise TestSetError(f"{path}: cannot be read: {error.strerror or error}") from error
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
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at ")
        raise TestSetError(f"{place.strip('`') or '$'}: {problem}; make the test set again") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TestSetError(f"not JSON in UTF-8: {error}; is the file complete?") from error
