"""What commands read: test sets and corpora, as their options say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from evaluator.cli.file_kinds import expect
from evaluator.errors import CorpusError, TestSetError, VectorsError

if TYPE_CHECKING:
    from evaluator.datasets.testset import TestSet
    from evaluator.text.corpus import Corpus


def check_there(paths: Iterable[str]) -> None:
    """Refuse paths of this machine where there is nothing.

    Raises:
        VectorsError: Naming the first.
    """
    from evaluator.execution.remote_files import is_url, without_file_scheme

    for each in map(without_file_scheme, paths):
        if not is_url(each) and not Path(each).exists():
            raise VectorsError(f"{each}: there is no such file. Check the path.")


def tell_dropped(name: str, dropped: int) -> None:
    """Say how many rows of a vectors file were left out, if any were."""
    if dropped:
        typer.echo(f"evaluator: {name}: bad rows left out: {dropped}", err=True)


def read_tests(patterns: Sequence[str], language: str = "und", test_format: str = "auto") -> list[TestSet]:
    """Read the test sets of one language.

    Args:
        patterns: Files, URLs, folders, or patterns with `{language}` or `*`.
        language: Its code, also of three letters; `und` if it is not known.
        test_format: The name of their format; `auto` recognises it.

    Raises:
        TestSetError: One cannot be read, or there are several languages to choose from.
    """
    from evaluator.datasets import read_testset
    from evaluator.execution.remote_files import local_copy
    from evaluator.studies.batch.pairing import of_language

    found = of_language(patterns, None if language == "und" else language)
    for path, _ in found:
        expect(path, "a test set", TestSetError)
    return [read_testset(local_copy(path, TestSetError), test_format, code or "und") for path, code in found]


def read_corpus(
    paths: Sequence[str], language: str, case: str, profile: str, *, lemmas: bool = False
) -> Corpus:
    """A corpus whose words are compared as options say; its text is not read yet.

    Raises:
        CorpusError: A file is not there, or holds something else.
        ScoreError: There is no such profile.
    """
    from evaluator.text.corpus import Corpus
    from evaluator.text.languages import usual_code

    for path in paths:
        expect(path, "a text", CorpusError)
    return Corpus(tuple(paths), usual_code(language), case, profile, lemmas)


def with_categories(test_set: TestSet, names: Sequence[str] | None) -> TestSet:
    """A test set with some of its categories only; all of it if None.

    Raises:
        TestSetError: It has no category of a name.
    """
    if not names:
        return test_set
    known = {category.name for category in test_set.categories}
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        listed = ", ".join(sorted(known)) or "none"
        raise TestSetError(f"{test_set.name}: has no category {unknown!r}; it has {listed}")
    return replace(test_set, categories=tuple(c for c in test_set.categories if c.name in names))
