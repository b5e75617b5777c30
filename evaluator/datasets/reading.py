"""Reading a data set: what a format is, which one a file is in, and `read_testset`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from itertools import groupby
from operator import attrgetter
from pkgutil import iter_modules
from typing import Literal

import msgspec

from evaluator.datasets import formats
from evaluator.datasets.data_files import DROP, BadLineError, DataSetSource, open_source
from evaluator.datasets.testset import Reading, TestSet, categories_of
from evaluator.errors import TestSetError
from evaluator.execution.inputs import in_memory, opened, recording
from evaluator.execution.plugins import load_formats
from evaluator.execution.remote_files import is_url, local_copy, without_query

GROUP = "evaluator.dataset_formats"  # the entry points by which other packages add formats

TestSetLike = TestSet | str | os.PathLike[str] | Mapping[str, Iterable[str]]
"""A test set; or the path, URL or name of one; or the words of each category by its name."""

_UNSURE = 3  # the rank of formats that look like others

MOST_DROPPED = 100  # how many bad lines may be dropped: a file with more is something else than its format


@dataclass(frozen=True)
class DataSetFormat:
    """A format of data sets: its name, how to recognise it, how to read it.

    Attributes:
        name: The value of the argument `format` that asks for it.
        rank: How sure `looks_like` is: 0 if the file's name says so, 1 if nothing else looks like this, 2 if
            it is very likely, 3 otherwise. A file is in the format of the lowest rank that it looks like; if
            there are several of this rank, it is ambiguous.
        looks_like: Whether a file, folder or archive is in this format, judged by its first lines.
        read: Reads it.
        roles: The roles of columns that a caller may choose, such as `word1`.
        what: What files in it are, for messages about files that look like several formats.
    """

    name: str
    rank: int
    looks_like: Callable[[DataSetSource], bool] = field(repr=False)
    read: Callable[[DataSetSource], TestSet] = field(repr=False)
    roles: tuple[str, ...] = ()
    what: str = ""


def dataset_format(
    name: str,
    *,
    rank: int,
    looks_like: Callable[[DataSetSource], bool],
    roles: Iterable[str] = (),
    what: str = "",
) -> Callable[[Callable[[DataSetSource], TestSet]], DataSetFormat]:
    """Turn a function that reads a data set into a format; see `DataSetFormat` for the arguments."""
    return partial(DataSetFormat, name, rank, looks_like, roles=tuple(roles), what=what)


@cache
def own_formats() -> Mapping[str, DataSetFormat]:
    """The formats in the modules of `evaluator.datasets.formats`, by name."""
    modules = [each.name for each in iter_modules(formats.__path__)]
    return {name: each for module in modules for name, each in _formats_in(module).items()}


def _formats_in(module: str) -> dict[str, DataSetFormat]:
    members = vars(import_module(f"{formats.__name__}.{module}")).values()
    return {each.name: each for each in members if isinstance(each, DataSetFormat)}


@cache
def dataset_formats() -> Mapping[str, DataSetFormat]:
    """All formats by name: evaluator's own and those of other packages."""
    return {**own_formats(), **load_formats(GROUP, own_formats(), "dataset_format")}


def find_format(name: str, source: DataSetSource) -> DataSetFormat:
    """The format with a name, or for "auto" the one that a file, folder or archive looks like.

    If columns are chosen, only formats that have all their roles are looked at.
    """
    if name != "auto":
        found = own_formats().get(name) or dataset_formats().get(name)
        if found is None:
            names = ", ".join(sorted(dataset_formats()))
            raise TestSetError(f"{source.path}: there is no format {name!r}. Use auto, {names}.")
        if not source.chosen.keys() <= set(found.roles):
            raise TestSetError(f"{source.path}: {_no_such_role(source, [found])}")
        return found
    if source.is_json and not source.chosen:
        recognised = _recognised(_formats_in("testset_json"), source)  # without loading the others
        if recognised is not None:
            return recognised
    return _by_content(source)


def _by_content(source: DataSetSource) -> DataSetFormat:
    known = dataset_formats()
    fitting = {key: each for key, each in known.items() if source.chosen.keys() <= set(each.roles)}
    if not fitting:
        raise TestSetError(f"{source.path}: {_no_such_role(source, known.values())}")
    if len(fitting) == 1:
        return next(iter(fitting.values()))
    # Unsure ones are tried together, sure ones of other packages where none of evaluator's own fits.
    own = own_formats()
    sure = {key: each for key, each in fitting.items() if key in own and each.rank < _UNSURE}
    recognised = _recognised(sure, source) or _recognised(fitting, source)
    if recognised is not None:
        return recognised
    from evaluator.datasets.unknown import not_recognised

    raise TestSetError(not_recognised(source, sorted(known)))


def _no_such_role(source: DataSetSource, formats_: Iterable[DataSetFormat]) -> str:
    known = "; ".join(f"{each.name}: {', '.join(each.roles)}" for each in formats_ if each.roles)
    asked = ", ".join(source.chosen)
    return (
        f"columns= (--columns) names {asked}, which no format has together. The roles are: {known or 'none'}"
    )


def _recognised(candidates: Mapping[str, DataSetFormat], source: DataSetSource) -> DataSetFormat | None:
    in_order = sorted(candidates.values(), key=attrgetter("rank", "name"))
    for _, of_rank in groupby(in_order, attrgetter("rank")):
        alike = [each.name for each in of_rank if each.looks_like(source)]
        if len(alike) == 1:
            return candidates[alike[0]]
        if alike:
            ways = (f"{each} ({what})" if (what := candidates[each].what) else each for each in alike)
            raise TestSetError(
                f"{source.path}: its content can be read in several ways: {', '.join(ways)}; "
                f'name the right one, such as format="{alike[0]}" (score and tune: --test-format {alike[0]})'
            )
    return None


def read_testset(
    path: TestSetLike,
    format: str = "auto",  # noqa: A002 (the word load_vectors and the command line use too)
    language: str = "und",
    bad_rows: Literal["refuse", "drop"] = "refuse",
    columns: Mapping[str, str] | None = None,
) -> TestSet:
    """Read a test set or another data set of the field.

    Args:
        path: A file or its URL, plain or gzip, in UTF-8; for formats of several files a folder or an archive
            (.tar, .tar.gz), of which the .txt, .csv and .tsv files are read; a name such as `la` or
            `simlex999`; or a dict of the words of each category. A test set is returned as it is.
        format: The name of the format, as in docs/datasets.md; "auto" recognises it by the content.
        language: The language code to give the test set if the file does not state its own; for sets of
            several languages, which of them to read.
        bad_rows: Whether to "refuse" a file with a bad line, or to "drop" such lines, which `reading.skipped`
            of the test set names. Headers of categories and sections are never dropped.
        columns: Of a table the columns to read, by their roles: {"word1": "Latin1", "word2": "Latin2",
            "rating": "mean"}. A column is called by its name in the first line, or by its number from 1 on.
            Those that are not named are found by names and content; docs/datasets.md has the roles.

    Returns:
        What the file holds; what a format cannot hold is empty. `reading` says what the file was taken for.

    Raises:
        TestSetError: The path cannot be read, its format or which column is which is not clear, or something
            in it is wrong; the message names the file with the line or JSON path, and what to do. Or it is no
            path of one test set, but a list, vectors, or something else.
        PluginError: What another package registers as a format cannot be used.
    """
    if isinstance(path, TestSet):
        return path
    if isinstance(path, Mapping):
        return _of_categories(path, language)
    if not isinstance(path, str | os.PathLike):
        raise TestSetError(
            f"this is of type {type(path).__name__}, not a test set. Give the path or name of one (testgen "
            "writes files), evaluator's TestSet or a dict of the words of each category; `evaluator.score` "
            "takes a list of several"
        )
    with recording() as record:
        found = _read_file(os.fspath(path), format, language, bad_rows, columns)
    return replace(found, inputs=record.inputs)


def _read_file(
    given: str,
    form: str,
    language: str,
    bad_rows: Literal["refuse", "drop"],
    columns: Mapping[str, str] | None,
) -> TestSet:
    named = None
    if not os.path.lexists(given):
        from evaluator.datasets.names import by_name

        named = by_name(given)
    file, own = named or (given, None)
    called = without_query(given) if named or is_url(given) else None
    source = open_source(local_copy(file, TestSetError), own or language, columns, called)
    if not source.is_json:
        from evaluator.datasets.unknown import refuse_other_content

        refuse_other_content(source)
    kind = find_format(form, source)
    is_own = kind.read.__module__.startswith(f"{formats.__name__}.")  # without loading all of them
    with nullcontext(()) if is_own else _files_read() as files:
        if bad_rows == "drop":
            found = _without_bad_lines(kind, source)
        else:
            found = _with_reading(kind, kind.read(source))
    for each in files:
        opened("test set", each)
    return found


def _files_read() -> AbstractContextManager[Iterable[str]]:
    from evaluator.execution.code import files_read

    return files_read()


def _with_reading(form: DataSetFormat, found: TestSet, dropped: Iterable[str] = ()) -> TestSet:
    """A test set that says in which format it was read, and which bad lines were left out."""
    reading = found.reading or Reading("", found.language)
    skipped = (*reading.skipped, *dropped)
    own = msgspec.structs.replace(reading, format=form.name, language=found.language, skipped=skipped)
    return replace(found, reading=own)


def _of_categories(words: Mapping[str, Iterable[str]], language: str) -> TestSet:
    listed: dict[str, list[str]] = {}
    for name, own in words.items():
        listed[name] = [] if isinstance(own, str) or not isinstance(own, Iterable) else list(own)
        if not listed[name] or not all(isinstance(word, str) for word in (name, *listed[name])):
            raise TestSetError(
                f"the category {name!r} is {own!r:.60}; give a list of words, and text as its name"
            )
    if not listed:
        raise TestSetError("the dict has no categories; give some, as in {'animals': ['cat', 'dog']}")
    found = in_memory("words", json.dumps(listed, ensure_ascii=False).encode())
    return TestSet(language, "words", found.sha256, categories_of(listed), inputs=(found,))


def _without_bad_lines(form: DataSetFormat, source: DataSetSource) -> TestSet:
    """What is left without the bad lines, with what is wrong with them."""
    dropped: list[str] = []
    while True:
        try:
            return _with_reading(form, form.read(source), dropped)
        except BadLineError as error:
            file = next(each for each in source.files if each.path == error.file)
            said = str(error).removesuffix(DROP)  # that advice is followed already
            if len(dropped) == MOST_DROPPED:
                raise TestSetError(f"{said}; and {MOST_DROPPED} lines before it are bad, too") from error
            if file.text.split("\n")[error.line - 1].startswith(":"):
                raise TestSetError(f"{said}; headers are never dropped") from error
            dropped.append(f"{file.name}{said.removeprefix(file.path)}")
            rest = tuple(each.without_line(error.line) if each is file else each for each in source.files)
            source = replace(source, files=rest)
