"""Writing categories as a category file of gensim-evaluations."""

from __future__ import annotations

import contextlib
from pathlib import Path

from evaluator.datasets.formats.categories import words_by_name
from evaluator.datasets.source import DataFile
from evaluator.datasets.testset import Category, TestSet
from evaluator.errors import OutputError, TestSetError


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
        read = words_by_name(DataFile(str(path), path.name, lines.encode()))
    except TestSetError:
        read = {}
    if read != {category.name: words}:
        raise OutputError(
            f"{path}: category {category.name!r} cannot be written so that it is read as it is: its name, "
            f"or its first word {words[0] if words else ''!r}, has a special meaning in a category file"
        )
    return lines
