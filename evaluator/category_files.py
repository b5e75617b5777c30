"""The category text files of gensim-evaluations: `:name` on a line, its words on the next."""

from __future__ import annotations

import contextlib
import hashlib
import re
from pathlib import Path

from evaluator.errors import OutputError, TestSetError
from evaluator.testset import Category, Item, TestSet

# `:)` and `:( :(` begin lines of words; a name begins with a letter or digit, perhaps in brackets or quotes.
_HEADER = re.compile(r":\s*([(\[{\"'«“]*\w.*)")


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
            words[name] += [word.strip() for word in line.split(" ") if word.strip()]
    return words


def write_category_file(test_set: TestSet, path: str | Path) -> None:
    """Write the categories of a test set as a category file; white space within a word becomes `_`.

    Raises:
        OutputError: The file cannot be written, the test set has no categories to write, or one of them
            would be read as something else, such as words that begin like a header.
    """
    path = Path(path)
    if not test_set.categories:
        raise OutputError(f"{test_set.name}: has no categories, and a category file holds nothing else")
    if not path.name:
        raise OutputError(f"{path}: is a directory; name a file")
    text = "".join(_lines(path, category) for category in test_set.categories)
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def _lines(path: Path, category: Category) -> str:
    words = list(dict.fromkeys("_".join(word.split()) for word in category.words))
    lines = f":{category.name}\n{' '.join(words)}\n"
    try:
        read = _words_by_name(path, lines)
    except TestSetError:
        read = {}
    if read != {category.name: words}:
        raise OutputError(
            f"{path}: category {category.name!r} cannot be written so that it is read as it is: its name, "
            f"or its first word {words[0] if words else ''!r}, has a special meaning in a category file"
        )
    return lines
