"""The category text files of gensim-evaluations: `:name` on a line, its words on the next."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from evaluator.errors import OutputError, TestSetError
from evaluator.testset import Category, Item, TestSet

# `:)` begins a line of words; a name begins with a letter, a digit or an opening bracket.
_HEADER = re.compile(r":\s*([\w(\[{\"'«“].*)")


def read_category_file(path: str | Path, language: str = "und") -> TestSet:
    """Read a category file.

    Only spaces part words (labels may hold other white space). A category may go on over several lines,
    words that are repeated count once, and a category without words stays, to be named as skipped.

    Args:
        path: The file, in UTF-8, with or without a byte order mark.
        language: The language code to give the test set.

    Raises:
        TestSetError: It cannot be read, is not UTF-8, has words before the first header, has a name twice, or
            has no category at all; the message names the line.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise TestSetError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise TestSetError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
    words = _words_by_name(path, text)
    if not words:
        raise TestSetError(f"{path}: no category in it; a category is a line `:name` and a line of words")
    categories = tuple(
        Category(name, name, tuple(Item(word, (word,)) for word in dict.fromkeys(of_name)))
        for name, of_name in words.items()
    )
    return TestSet(language, path.name, hashlib.sha256(content).hexdigest(), categories)


def _words_by_name(path: Path, text: str) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    name: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.fullmatch(line.strip())
        if header:
            name = header[1]
            if name in words:
                raise TestSetError(
                    f"{path}, line {number}: category {name!r} occurs twice; rename one of them"
                )
            words[name] = []
        elif line.strip():
            if name is None:
                raise TestSetError(
                    f"{path}, line {number}: words before any category; add a line `:name` first"
                )
            words[name] += [word for word in line.strip("\r").split(" ") if word.strip()]
    return words


def write_category_file(test_set: TestSet, path: str | Path) -> None:
    """Write the categories of a test set as a category file; white space within a word becomes `_`.

    Raises:
        OutputError: The file cannot be written, or the test set has no categories to write.
    """
    path = Path(path)
    if not test_set.categories:
        raise OutputError(f"{test_set.name}: has no categories, and a category file holds nothing else")
    lines = []
    for category in test_set.categories:
        lines += [f":{category.name}", " ".join("_".join(word.split()) for word in category.words)]
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
