"""Files of commands: what holds something else is not read, and what others wrote is not overwritten."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evaluator.cli.output import tell
from evaluator.errors import (
    CorpusError,
    EvaluatorError,
    OutputError,
    ScoreError,
    TestSetError,
    VectorsError,
)
from evaluator.execution.plugins import plugin_names

if TYPE_CHECKING:
    from evaluator.datasets.testset import TestSet
    from evaluator.settings import Case
    from evaluator.text.corpus import Corpus

Kind = Literal["vectors", "a test set", "results of evaluator", "a text"]

_HINTS: dict[Kind, str] = {
    "vectors": "`evaluator score` takes vectors without an option, and test sets with --test",
    "a test set": "Test sets are named with --test",
    "results of evaluator": "`evaluator report` and `evaluator compose` read results",
    "a text": "`evaluator train` trains vectors on a text; `evaluator coverage` takes one with --corpus",
}
_START = 1 << 14  # bytes; a row of 1,000 dimensions fits
_FORMAT = re.compile(r'"format"\s*:\s*"([^"]*)"')


def check_there(paths: Iterable[str]) -> None:
    """Refuse paths of this machine where there is nothing."""
    from evaluator.execution.remote_files import is_url, without_file_scheme
    from evaluator.vectors.files import no_such_file
    from evaluator.vectors.reading import encoder_parts

    for each in map(without_file_scheme, paths):
        if each == "-":
            raise VectorsError(
                "-: vectors are not read from standard input, as results name the file that they depend on. "
                "Write them to a file, and name it: `… > la.vec`."
            )
        if not is_url(each) and not Path(each).exists() and not encoder_parts(each):
            if each.endswith(".json"):
                raise VectorsError(f"{each}: there is no such file. After --json, write `> {each}`.")
            raise no_such_file(Path(each))


def named_tests(vectors: Sequence[str], language: str = "und") -> list[str]:
    """The languages that vectors are named after, as names of their shipped test sets; said on stderr.

    Raises:
        TestSetError: A name holds no code of a language, or several; or files are of several languages, and
            no pattern says so.
    """
    from evaluator.datasets.columns import codes_in, language_name
    from evaluator.studies.patterns import LANGUAGE, languages_in

    if language != "und":
        return [language]
    found = {code: each for each in vectors if LANGUAGE in each for code in languages_in(each)}
    named = dict[str, str]()
    for path in training_runs([each for each in vectors if LANGUAGE not in each])[1]:
        codes = codes_in(Path(path).name)
        if len(codes) != 1:
            which = f"{' and '.join(codes)} stand in its name" if codes else "its name has no code of one"
            raise TestSetError(f"{path}: which language? {which}. Name it: --test la")
        named.setdefault(codes[0], path)
    if len(named) > 1:
        raise TestSetError(
            f"{' and '.join(named.values())} are of several languages; write {LANGUAGE} in place of their "
            f"codes, in quotes: 'models/{LANGUAGE}.vec'"
        )
    for code, path in (found | named).items():
        tell(f"{path}: read as {language_name(code)} ({code}), by its name; --test names another language")
    return [*found, *named]


def training_runs(given: Sequence[str]) -> tuple[list[str | None], list[str]]:
    """The files of models: those of patterns, and NAME=PATTERN for several training runs of one model.

    The names are None for files that are given by themselves.
    """
    from evaluator.execution.remote_files import is_url
    from evaluator.studies.patterns import refuse_other_places
    from evaluator.vectors.reading import file_in

    refuse_other_places(given)
    names: list[str | None] = []
    paths: list[str] = []
    for each in given:
        if Path(each).is_dir():
            file_in(Path(each))  # refused before test sets are read
        name, equals, pattern = each.partition("=")
        alone = not equals or not name or is_url(each) or "/" in name or Path(each).exists()
        pattern = each if alone else pattern
        as_is = is_url(each) or Path(each).exists() or not set(pattern) & set("*?[")
        found = [each] if alone and as_is else _files_of(pattern)
        if not found:
            raise VectorsError(f"{each}: there is no file of the pattern {pattern!r}. Check the path.")
        names += [None if alone else name] * len(found)
        paths += found
    return names, paths


def _files_of(pattern: str) -> list[str]:
    from glob import glob

    found = glob(str(Path(pattern).expanduser()), recursive=True) if pattern else []  # noqa: PTH207
    return sorted(each for each in found if Path(each).is_file())


def refuse_same_names(names: Iterable[str | None], files: Iterable[str]) -> None:
    """Refuse a model of several training runs that is called like a file."""
    taken = set(files)
    for name in names:
        if name in taken:
            raise VectorsError(f"{name}=…: there is a file of that name as well. Choose another name.")


def tell_dropped(name: str, dropped: int) -> None:
    """Say how many rows of a vectors file were left out, if any were."""
    if dropped:
        tell(f"{name}: bad rows left out: {dropped}")


def profiles_of(given: Sequence[str], codes: Sequence[str]) -> dict[str, str]:
    """The orthography profile of each language; one that is given without a code is that of all others.

    Raises:
        ScoreError: One is for another language, or a language has two.
    """
    from evaluator.text.normalization import usual_code

    pairs = [(usual_code(code), name) for code, _, name in (text.rpartition("=") for text in given)]
    for code, number in Counter(code for code, _ in pairs).items():
        if code and code not in codes:
            raise ScoreError(f"--profile for {code!r}, which is not compared; there are {', '.join(codes)}")
        if number > 1:
            raise ScoreError(
                f"--profile: {number} for {code or 'all languages'}; join them with +: latin+fold"
            )
    names = dict(pairs)
    return {code: names.get(code, names.get("", "")) for code in codes}


def read_tests(
    patterns: Sequence[str],
    language: str = "und",
    test_format: str = "auto",
    bad_rows: Literal["refuse", "drop"] = "refuse",
    columns: Mapping[str, str] | None = None,
    *,
    any_use: bool = False,
) -> list[TestSet]:
    """Read the test sets of one language; say what was left out, and what was read of several columns.

    Those that `score` does not take are refused, unless they are asked for by `any_use`.
    """
    from evaluator.studies.patterns import of_language, refuse_other_places
    from evaluator.text.normalization import spellings

    refuse_other_places(patterns)
    if not all(patterns):
        raise TestSetError("--test: the name is empty. Name a file, a folder or a pattern.")
    found = of_language(patterns, None if language == "und" else language)
    read = read_found(found, test_format, bad_rows, columns, any_use=any_use)
    for each in read if language != "und" else ():
        if each.language not in ("und", *spellings(language)):
            raise TestSetError(
                f"{each.name} is of the language {each.language!r}, not {language!r}: leave out --language, "
                "or name another test set"
            )
    return read


def read_found(
    found: Sequence[tuple[str, str | None]],
    test_format: str = "auto",
    bad_rows: Literal["refuse", "drop"] = "refuse",
    columns: Mapping[str, str] | None = None,
    *,
    any_use: bool = False,
) -> list[TestSet]:
    """Read test sets of known paths, each with the code of its language or None; see `read_tests`."""
    from evaluator.datasets.reading import read_testset
    from evaluator.datasets.testset import reading_notes, refuse_other_use

    for path, _ in found if test_format == "auto" else ():
        expect(path, "a test set", TestSetError)
    read = [read_testset(path, test_format, code or "und", bad_rows, columns) for path, code in found]
    for each in () if any_use else read:
        refuse_other_use(each)
    for each in read:
        tell(*reading_notes(each))
    return read


def read_corpus(
    paths: Sequence[str], language: str, case: Case, profile: str, tokens: str = "letter-runs"
) -> Corpus:
    """A corpus whose words are compared as options say; its text is not read yet."""
    from evaluator.text.corpus import Corpus

    for path in paths:
        expect(path, "a text", CorpusError)
    return Corpus(tuple(paths), language, case, profile, tokens=tokens)


def with_categories(test_set: TestSet, names: Sequence[str] | None) -> TestSet:
    """A test set with some of its categories only; all of it if None."""
    if not names:
        return test_set
    known = {category.name for category in test_set.categories}
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        listed = ", ".join(sorted(known)) or "none"
        raise TestSetError(f"{test_set.name}: has no category {unknown!r}; it has {listed}")
    return replace(test_set, categories=tuple(c for c in test_set.categories if c.name in names))


def expect(path: str | Path, kind: Kind, error: type[EvaluatorError]) -> None:
    """Refuse a file that holds something else for certain, as when arguments are swapped."""
    found = kind_of(Path(path))
    if found is None or found == kind or (found == "a text" and kind == "a test set"):
        return
    raise error(f"{path}: holds {found}, not {kind}. Are arguments swapped? {_HINTS[found]}")


def kind_of(path: Path) -> Kind | None:
    """What a file holds; None if it is not there, or is not recognised for certain."""
    try:
        with path.open("rb") as file:
            start = file.read(_START)
        if start.startswith(b"\x1f\x8b"):
            start = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(start, _START)
    except (OSError, zlib.error):
        return None
    text = start.decode("utf-8", errors="ignore").lstrip("\ufeff \n")
    if text.startswith("{"):
        return _kind_of_json(text)
    from evaluator.vectors.reading import are_vectors

    if are_vectors(start) and not _is_verse(start):
        return "vectors"
    return "a text" if _is_prose(start) else None


def _is_verse(start: bytes) -> bool:
    """Whether a line of text follows a first one of two numbers, as in a corpus of numbered verses."""
    second = start.split(b"\n", 2)[1:2]
    try:
        float(second[0].decode("utf-8").split()[-1])
    except UnicodeDecodeError:
        return False
    except (IndexError, ValueError):
        return True
    return False


def _kind_of_json(text: str) -> Kind | None:
    named = _FORMAT.search(text)
    name = named[1] if named else ""
    from evaluator.datasets.reading import GROUP

    if name == "testset" or name in plugin_names(GROUP):
        return "a test set"
    from evaluator.results.files import formats

    return "results of evaluator" if name in formats() else None


def _is_prose(start: bytes) -> bool:
    from evaluator.vectors.foreign import layout_of
    from evaluator.vectors.text_rows import numeric_tail

    if layout_of(start):  # such as a table with commas, of which its reader says what to do
        return False
    rows = start.split(b"\n")[:3]
    words = start.strip() and b"\0" not in start and not start.startswith(b"[")
    return bool(words) and not any(map(numeric_tail, rows))


def check_file(path: Path, *, force: bool, is_ours: Callable[[Path], bool]) -> None:
    """Refuse a file that is there and that evaluator did not write."""
    if path.is_file() and not force and path.stat().st_size and not is_ours(path):
        raise OutputError(
            f"{path}: exists, and evaluator did not write it; name another one, or overwrite it with --force"
        )


def prepare_vectors(path: Path, inputs: Iterable[str], *, force: bool, described: bool = False) -> None:
    """Check that vectors can be written to a file, before any work: its ending, and what is there.

    Args:
        path: The file.
        inputs: Files that must not be overwritten: paths, or URLs.
        force: Whether to overwrite files of others.
        described: Whether a file beside it says how they were made.
    """
    from evaluator.execution.output_files import prepare_file
    from evaluator.execution.remote_files import is_url, without_file_scheme
    from evaluator.results.models import beside
    from evaluator.vectors.writing import check_ending

    check_ending(path)
    local = [Path(each) for each in map(without_file_scheme, inputs) if not is_url(each)]
    prepare_file(path, local)
    check_file(path, force=force, is_ours=_are_our_vectors)
    if described:
        prepare_file(beside(path), local)
        check_file(beside(path), force=force, is_ours=lambda each: kind_of(each) == "results of evaluator")


def _are_our_vectors(path: Path) -> bool:
    """Whether evaluator wrote a file of vectors: it says so itself, or the file beside it does."""
    from evaluator.studies.model_files import is_model
    from evaluator.vectors.formats.safetensors import FORMAT

    with path.open("rb") as file:
        if f'"format":"{FORMAT}"'.encode() in file.read(1 << 12):
            return True
    return is_model(path)


def check_folder(folder: Path, *, force: bool, marks: Iterable[str], written: Iterable[str]) -> None:
    """Refuse to overwrite files in a folder in which no file of `marks` shows that evaluator wrote there."""
    is_ours = any(
        path.exists() and (path.suffix != ".json" or kind_of(path) == "results of evaluator")
        for path in map(folder.joinpath, marks)
    )
    for name in written:
        check_file(folder / name, force=force, is_ours=lambda _: is_ours)


def figure_files(*names: str) -> list[str]:
    """The names of the files of figures."""
    return [f"{name}.{ending}" for name in names for ending in ("svg", "pdf", "png")]
