"""The options that several commands share: each has one name, one help text and one default."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from evaluator import settings
from evaluator.cli import completion
from evaluator.cli.file_kinds import expect
from evaluator.errors import CorpusError, TestSetError, VectorsError
from evaluator.settings import Settings

if TYPE_CHECKING:
    from evaluator.datasets.testset import TestSet
    from evaluator.text.corpus import Corpus
    from evaluator.vectors import LoadOptions, Vectors
    from evaluator.vectors.vectors_file import VectorsFile

SCORED, MATCHED, COMPUTED = "What to score", "How words are matched", "How scores are computed"
READ, TRAINED = "How vectors are read", "How models are trained"
OUTPUT, MACHINE = "Output", "Machine"


def option(panel: str, text: str, *names: str, **more: Any) -> Any:  # noqa: ANN401  # as typer.Option
    """An option of a command.

    Args:
        panel: The title of the group in which the help shows it.
        text: Its help text.
        names: How it is spelled; made of the parameter's name if there are none.
        more: What else `typer.Option` takes.
    """
    return typer.Option(*names, help=text, rich_help_panel=panel, **more)


VectorFiles = Annotated[
    list[str], typer.Argument(metavar="VECTORS…", help="Vectors: paths, or URLs.", show_default=False)
]
Corpora = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS…",
        help="Text in UTF-8, plain or gzip, with a sentence or a document in each line: paths, or URLs.",
    ),
]
TEST = option(
    SCORED,
    "A test set: a file, a URL, a folder of test sets, or a quoted pattern such as "
    "'testsets/{language}.json'. May be repeated.",
    "--test",
    "-t",
    metavar="FILE",
)
Tests = Annotated[list[str], TEST]
TestFormat = Annotated[
    str,
    option(
        SCORED,
        "The format of the test sets; auto finds it out.",
        metavar="NAME",
        autocompletion=completion.test_formats,
    ),
]
Language = Annotated[
    str,
    option(
        SCORED,
        "The language, such as la or lat: chooses among test sets, and is that of sets that name none.",
        metavar="CODE",
        autocompletion=completion.languages,
    ),
]
Measures = Annotated[
    list[str] | None,
    option(
        SCORED,
        "A measure, such as Topk@3. May be repeated. By default those that are usual for the test set.",
        "--measure",
        "-m",
        metavar="TEXT",
        autocompletion=completion.measures,
    ),
]
Categories = Annotated[
    list[str] | None,
    option(
        SCORED,
        "Only this category. May be repeated.",
        "--category",
        metavar="NAME",
        autocompletion=completion.categories,
    ),
]
K = Annotated[int, option(SCORED, "The k of Topk and OddOneOut.", "--k", "-k", metavar="N")]
Case = Annotated[
    settings.Case,
    option(MATCHED, "Whether words match in another case: fold says yes, exact no; upper is gensim's way."),
]
Profile = Annotated[
    str,
    option(
        MATCHED,
        "An orthography profile, such as latin or greek+fold.",
        metavar="NAME",
        autocompletion=completion.profiles,
    ),
]
Multiword = Annotated[settings.Multiword, option(MATCHED, "How test words of several words are looked up.")]
Vocabulary = Annotated[
    int | None, option(MATCHED, "Use only the N most frequent words of the vectors.", metavar="N")
]
Oov = Annotated[
    settings.OOV, option(COMPUTED, "Whether a word without a vector counts as a miss, or is left out.")
]
Norm = Annotated[
    settings.Norm, option(COMPUTED, "Whether OddOneOut compares vectors of length 1, or vectors as they are.")
]
Levels = Annotated[
    settings.Levels,
    option(COMPUTED, "Whether all levels of a hierarchy weigh the same, or each half of the one above."),
]
Seed = Annotated[int, option(COMPUTED, "The seed of all random numbers.", metavar="N")]
MinCount = Annotated[
    int, option(TRAINED, "Leave out words of the corpus that occur less often.", metavar="N")
]
OUTPUT_FOLDER = option(OUTPUT, "The folder of the results.", "--output", "-o", metavar="FOLDER")
Output = Annotated[Path, OUTPUT_FOLDER]
OutputFile = Annotated[Path, option(OUTPUT, "The file of the results.", "--output", "-o", metavar="FILE")]
NoFigure = Annotated[bool, option(OUTPUT, "Draw no figures.", "--no-figure")]
Force = Annotated[bool, option(OUTPUT, "Overwrite files that evaluator did not write.", "--force")]
Json = Annotated[bool, option(OUTPUT, "Print the results as JSON.", "--json")]
Csv = Annotated[bool, option(OUTPUT, "Print the results as CSV.", "--csv")]
Workers = Annotated[
    int,
    option(MACHINE, "How many worker processes; with slurm: or pbs:, how many jobs.", min=1, metavar="N"),
]
Scheduler = Annotated[
    str | None,
    option(
        MACHINE,
        "A Dask cluster: tcp://host:8786, or slurm: or pbs: with settings for dask-jobqueue.",
        metavar="ADDRESS",
    ),
]
VectorFormat = Annotated[
    str,
    option(
        READ,
        "The format of the vectors; auto finds it out.",
        "--format",
        metavar="NAME",
        autocompletion=completion.vector_formats,
    ),
]
BadRows = Annotated[
    Literal["refuse", "drop"], option(READ, "Whether to refuse vectors with bad rows, or leave these out.")
]
Encoding = Annotated[str, option(READ, "The encoding of the words of the vectors.", metavar="NAME")]
UnsafePickle = Annotated[
    bool, option(READ, "Load gensim's own format, a pickle, which can run any code.", "--unsafe-pickle")
]


@dataclass(frozen=True)
class TestOptions:
    """The test sets of a command for one language, and how they are read."""

    __test__ = False  # pytest would otherwise collect a class named Test…

    test: Tests
    test_format: TestFormat = "auto"
    language: Language = "und"

    def read(self) -> list[TestSet]:
        """Read all of them, before any work starts.

        Raises:
            TestSetError: One cannot be read, or there are several languages to choose from.
        """
        return read_tests(self.test, self.language, self.test_format)


@dataclass(frozen=True)
class WordOptions:
    """How test words are looked up."""

    case: Case = "fold"
    profile: Profile = ""
    multiword: Multiword = "keep"


@dataclass(frozen=True)
class VocabularyOptions(WordOptions):
    """How test words are looked up in vectors."""

    vocabulary: Vocabulary = None


@dataclass(frozen=True)
class ScoreOptions(VocabularyOptions):
    """All that holds for scores: the fields of `Settings`."""

    oov: Oov = "wrong"
    norm: Norm = "unit"
    levels: Levels = "equal"
    seed: Seed = 0

    def settings(self) -> Settings:
        """The same for the library.

        Raises:
            ScoreError: A setting is wrong.
        """
        return Settings(**vars(self))


@dataclass(frozen=True)
class MachineOptions:
    """Where the work is done."""

    workers: Workers = 1
    scheduler: Scheduler = None

    @property
    def in_this_process(self) -> bool:
        """Whether no other process takes part."""
        return self.workers == 1 and self.scheduler is None


@dataclass(frozen=True)
class ResultOptions:
    """How results are printed."""

    as_json: Json = False
    as_csv: Csv = False

    def __post_init__(self) -> None:
        """Refuse both."""
        if self.as_json and self.as_csv:
            raise typer.BadParameter("choose --json or --csv, not both")


@dataclass(frozen=True)
class VectorOptions:
    """How vectors files are read."""

    vector_format: VectorFormat = "auto"
    bad_rows: BadRows = "refuse"
    encoding: Encoding = "utf-8"
    unsafe_pickle: UnsafePickle = False

    def for_loading(self) -> LoadOptions:
        """The same for the library."""
        from evaluator.vectors import LoadOptions

        return LoadOptions(self.vector_format, self.bad_rows, self.encoding, self.unsafe_pickle)

    def file(self, path: str | Path, name: str | None = None) -> VectorsFile:
        """A vectors file that is not loaded yet.

        Args:
            path: Its path, or a URL.
            name: What to call the vectors; the name of the file if None.

        Raises:
            VectorsError: It is something else: a test set, results, a text.
        """
        from evaluator.vectors.vectors_file import VectorsFile

        expect(path, "vectors", VectorsError)
        return VectorsFile(str(path), self.for_loading(), name)

    def files(self, paths: Sequence[str | Path]) -> list[VectorsFile]:
        """Several of them; those of the same name are told apart by their paths.

        Raises:
            VectorsError: One is given twice, or is something else.
        """
        from evaluator.execution.remote_files import file_name, is_url, without_file_scheme, without_query

        given = [without_file_scheme(str(each)) for each in paths]
        given = [each if is_url(each) else str(Path(each)) for each in given]
        short = [without_query(each) for each in given]  # in a query there may be a token
        long = short if len(set(short)) == len(short) else given
        names = [file_name(each) for each in given]
        seen: set[str] = set()
        for each in given:
            resolved = each if is_url(each) else str(Path(each).resolve())
            if resolved in seen:
                raise VectorsError(f"{each}: given twice. Name each vectors file once.")
            seen.add(resolved)
        return [
            self.file(each, whole if names.count(name) > 1 else None)
            for each, name, whole in zip(given, names, long, strict=True)
        ]

    def load(self, vectors: VectorsFile | str | Path) -> Vectors:
        """Load a vectors file, and say on stderr how many bad rows were left out.

        Raises:
            VectorsError: It cannot be loaded.
        """
        file = self.file(vectors) if isinstance(vectors, str | Path) else vectors
        loaded = file.load()
        tell_dropped(loaded.name, loaded.dropped)
        return loaded


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """A command of a function some of whose parameters are groups of options, such as `WordOptions`.

    Typer sees each field of a group as an option of its own; the function gets the groups.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    @wraps(function)
    def command(**values: Any) -> None:  # noqa: ANN401  # each option has its own type
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        function(**values)

    flat = [
        option
        for parameter in inspect.signature(function).parameters.values()
        for option in _options(parameter.replace(annotation=hints[parameter.name]))
    ]
    command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]  # inspect reads it
    command.__annotations__ = {each.name: each.annotation for each in flat}
    return command


def _options(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """The options that a parameter stands for: itself, or the fields of a group."""
    group = parameter.annotation
    if not is_dataclass(group):
        return [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


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
        test_format: The name of their format; `auto` finds it out.

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
