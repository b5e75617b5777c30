"""The options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evaluator.errors import TestSetError, VectorsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluator.datasets.testset import TestSet
    from evaluator.vectors import Vectors
    from evaluator.vectors.vectors_file import VectorsFile

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Tests = Annotated[
    list[Path],
    typer.Option(
        "--test", "--testset", "-t", metavar="FILE", help="A test set or another data set; may be repeated."
    ),
]
TestFormat = Annotated[
    str, typer.Option(metavar="NAME", help="The format of the test sets, if it is not guessed.")
]
Language = Annotated[
    str, typer.Option(metavar="CODE", help="The language of a test set that does not say it.")
]
Oov = Annotated[str, typer.Option(metavar="wrong|skip", help="What has no vector is a miss, or left out.")]
Norm = Annotated[
    str, typer.Option(metavar="unit|none", help="Compare directions, or raw vectors in OddOneOut.")
]
Case = Annotated[
    str, typer.Option(metavar="exact|fold|upper", help="Whether words must agree in case; upper as gensim.")
]
Vocabulary = Annotated[
    int | None, typer.Option(metavar="N", help="Use only the N most frequent words of the vectors.")
]
Profile = Annotated[
    str, typer.Option(metavar="NAME", help="An orthography profile, such as latin or greek+fold.")
]
Multiword = Annotated[
    str,
    typer.Option(metavar="keep|join|mean|drop", help="What becomes of test words of several words."),
]
Levels = Annotated[
    str, typer.Option(metavar="equal|halved", help="How much lower levels of a hierarchy weigh in the mean.")
]
Seed = Annotated[int, typer.Option(metavar="N", help="For what is drawn: samples, and intervals.")]
VectorFormat = Annotated[
    str, typer.Option("--format", metavar="NAME", help="The format of the vectors, if it is not guessed.")
]
BadRows = Annotated[
    str, typer.Option(metavar="refuse|drop", help="What to do with rows of a vectors file that are wrong.")
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="The encoding of the words of vectors, if it is not UTF-8.")
]
UnsafePickle = Annotated[
    bool, typer.Option("--unsafe-pickle", help="Load gensim's own format, which can run any code.")
]
Workers = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="Processes at work at a time; with slurm: or pbs:, jobs to submit."
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A Dask cluster to work on: tcp://host:8786, or slurm: or pbs: and settings for dask-jobqueue.",
    ),
]


@dataclass(frozen=True)
class Loader:
    """How vectors files are loaded."""

    vector_format: str
    bad_rows: str
    encoding: str
    unsafe_pickle: bool
    limit: int | None = None

    def file(self, where: str | Path, name: str | None = None) -> VectorsFile:
        """Vectors that are not looked for yet."""
        from evaluator.vectors import LoadOptions
        from evaluator.vectors.vectors_file import VectorsFile

        bad_rows: Any = self.bad_rows  # load_vectors checks it
        how = LoadOptions(self.vector_format, bad_rows, self.encoding, self.unsafe_pickle, self.limit)
        return VectorsFile(str(where), how, name)

    def files(self, places: Sequence[str | Path]) -> list[VectorsFile]:
        """Several of them; those of the same name are told apart by their paths.

        Raises:
            VectorsError: One is given twice.
        """
        from evaluator.execution.remote_files import file_name, is_url, without_file_scheme, without_query

        given = [without_file_scheme(str(each)) for each in places]
        given = [each if is_url(each) else str(Path(each)) for each in given]
        short = [without_query(each) for each in given]  # in a query there may be a token
        long = short if len(set(short)) == len(short) else given
        names = [file_name(each) for each in given]
        seen: set[str] = set()
        for each in given:
            where = each if is_url(each) else str(Path(each).resolve())
            if where in seen:
                raise VectorsError(f"{each}: given twice. Name each vectors file once.")
            seen.add(where)
        return [
            self.file(each, whole if names.count(name) > 1 else None)
            for each, name, whole in zip(given, names, long, strict=True)
        ]

    def load_each(self, paths: Sequence[Path]) -> Iterator[Vectors]:
        """Load vectors files one by one.

        Raises:
            VectorsError: One cannot be loaded, or is given twice, which is found out before any is loaded.
        """
        return map(self.load, self.files(paths))

    def load(self, vectors: VectorsFile | str | Path) -> Vectors:
        """Load a vectors file.

        Raises:
            VectorsError: It cannot be loaded.
        """
        file = self.file(vectors) if isinstance(vectors, str | Path) else vectors
        loaded = file.load()
        tell_dropped(loaded.name, loaded.dropped)
        return loaded


def check_there(places: Iterable[str]) -> None:
    """Refuse paths of this machine where there is nothing.

    Raises:
        VectorsError: Naming the first.
    """
    from evaluator.execution.remote_files import is_url, without_file_scheme

    for each in map(without_file_scheme, places):
        if not is_url(each) and not Path(each).exists():
            raise VectorsError(f"{each}: there is no such file. Check the path.")


def tell_dropped(name: str, dropped: int) -> None:
    """Say how many rows of a vectors file were left out, if any were."""
    if dropped:
        typer.echo(f"evaluator: {name}: bad rows left out: {dropped}", err=True)


def read_tests(paths: list[Path], test_format: str, language: str) -> list[TestSet]:
    """Read all test sets, before any work starts.

    Raises:
        TestSetError: One cannot be read.
    """
    from evaluator.datasets import read_testset

    return [read_testset(path, test_format, language) for path in paths]


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
