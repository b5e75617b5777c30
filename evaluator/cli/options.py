"""The options that several commands share: each has one name, one help text and one default."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer
from typer.models import ArgumentInfo

from evaluator import settings
from evaluator.cli.inputs import expect, read_tests, tell_dropped
from evaluator.cli.output import GIVEN, Progress
from evaluator.errors import TestSetError, VectorsError
from evaluator.execution.inputs import recording
from evaluator.execution.machine import Machine
from evaluator.execution.remote_files import is_url, without_query

if TYPE_CHECKING:
    from evaluator.datasets.testset import TestSet
    from evaluator.vectors import LoadOptions, Vectors
    from evaluator.vectors.reading import VectorsFile

SCORED, MATCHED, COMPUTED = "What to score", "How words are matched", "How scores are computed"
READ, TRAINED = "How files are read", "How models are trained"
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


def argument(metavar: str, text: str) -> Any:  # noqa: ANN401  # as typer.Argument
    """An argument of a command, which is given without a name."""
    return typer.Argument(metavar=metavar, help=text)


def number(panel: str, text: str, *names: str, **more: Any) -> Any:  # noqa: ANN401  # as typer.Option
    """An option whose value is a number."""
    return option(panel, text, *names, metavar="N", **more)


VectorFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="VECTORS…",
        help="Vectors: paths, URLs, or quoted patterns such as 'models/{model}.{language}.vec'; or "
        "module:object, a function or model of yours that encodes words. Its module is imported, which runs "
        "its code.",
    ),
]
Corpora = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS…",
        help="Text in UTF-8, plain or gzip, with a sentence or a document in each line: paths, or URLs.",
    ),
]
ResultFiles = Annotated[
    list[Path],
    typer.Argument(metavar="FILES…", help="What programs wrote of their results, or folders of such files."),
]
TEST = option(
    SCORED,
    "A test set: a language (la), a benchmark (simlex999; `evaluator benchmarks` lists them), a file, a URL, "
    "a folder of test sets, or a quoted pattern, such as 'sets/{language}.json' where {language} is the code "
    "of any language. May be repeated.",
    *("--test", "-t"),
    metavar="FILE",
)
Tests = Annotated[list[str], TEST]
Tokens = Annotated[
    str,
    option(
        MATCHED,
        "What the words of a text are: letter-runs; white-space, if it is tokenized already; cltk, by the "
        "Classical Language Toolkit, if that is installed; or what your own function gives of a line, as "
        "module:function.",
        metavar="NAME",
    ),
]


def _code(text: str) -> str:
    """Refuse the name of a language: rules of case and names of files are by its code."""
    if not re.fullmatch(r"[a-z]{2,3}([-_]\w+)*", text, re.IGNORECASE):
        raise typer.BadParameter(f"{text!r} is not the code of a language, such as la, lat or zh-hant")
    return text.lower()


Language = Annotated[
    str,
    option(
        SCORED,
        "The language, such as la or lat: chooses from a folder or pattern; holds for sets that name none.",
        metavar="CODE",
        callback=_code,
    ),
]
Measures = Annotated[
    list[str] | None,
    option(
        SCORED,
        "A measure; of categories, Topk@3 is the one to report. By default, the usual ones. May be repeated.",
        *("--measure", "-m"),
        metavar="TEXT",
    ),
]
Categories = Annotated[
    list[str] | None, option(SCORED, "Only this category. May be repeated.", metavar="NAME")
]
K = Annotated[int, number(SCORED, "The k of Topk and OddOneOut.", "--k", "-k")]
Case = Annotated[
    settings.Case,
    option(MATCHED, "The case of words: fold ignores it, exact does not, upper is gensim's way."),
]
Profile = Annotated[
    str, option(MATCHED, "An orthography profile, such as latin or greek+fold.", metavar="NAME")
]
Multiword = Annotated[
    settings.Multiword,
    option(
        MATCHED,
        "Test words of several words: keep their spaces, join them with _, take the mean of their vectors, "
        "or drop them.",
    ),
]
BadRows = Annotated[
    Literal["refuse", "drop"],
    option(READ, "Refuse vectors and test sets with bad rows, or drop these rows."),
]
Vocabulary = Annotated[int | None, number(MATCHED, "Use only the N most frequent words of the vectors.")]
Oov = Annotated[
    settings.OOV,
    option(COMPUTED, "A word without a vector: wrong counts it as a miss, skip leaves it out."),
]
Seed = Annotated[
    int, number(COMPUTED, "The seed of all random numbers.", min=settings.SEEDS[0], max=settings.SEEDS[-1])
]
MinCount = Annotated[int, number(TRAINED, "Leave out words of the corpus that occur less often.")]
TrainerCommand = Annotated[
    str | None,
    option(
        TRAINED,
        "What trains: gensim; svd, the truncated SVD of positive PMI, which needs nothing else; or a "
        "program: 'PROGRAM {corpus} {output} {dimension} …'. By default gensim; svd of `train`.",
        metavar="NAME|COMMAND",
    ),
]
OUTPUT_FOLDER = option(OUTPUT, "The folder of the results.", "--output", "-o", metavar="FOLDER")
Output = Annotated[Path, OUTPUT_FOLDER]
OUTPUT_VECTORS = option(
    OUTPUT,
    "The file to write, whose ending says the format: .safetensors, or .vec for text. A file beside it, with "
    ".json after its name, says how it was made.",
    *("--output", "-o"),
    metavar="FILE",
)
OutputVectors = Annotated[Path, OUTPUT_VECTORS]
NoFigure = Annotated[bool, option(OUTPUT, "Draw no figures.", "--no-figure")]
Force = Annotated[bool, option(OUTPUT, "Also overwrite files that evaluator did not write.", "--force")]
Details = Annotated[
    bool,
    option(OUTPUT, "Show everything: all categories, Combined, signatures.", "--details"),
]
Json = Annotated[bool, option(OUTPUT, "Print the results as JSON.", "--json")]


@dataclass(frozen=True)
class TestOptions:
    """The test sets of a command for one language, and how they are read."""

    __test__ = False  # pytest would otherwise collect a class named Test…

    test: Tests
    language: Language = "und"

    def read(
        self,
        test_format: str = "auto",
        bad_rows: Literal["refuse", "drop"] = "refuse",
        columns: Mapping[str, str] | None = None,
    ) -> list[TestSet]:
        """Read all of them, before any work starts."""
        return read_tests(self.test, self.language, test_format, bad_rows, columns)


@dataclass(frozen=True)
class FormatOptions(TestOptions):
    """The test sets of a command that reads formats which cannot be recognised, too."""

    test_format: Annotated[
        str, option(SCORED, "The format of the test sets; auto recognises it.", metavar="NAME")
    ] = "auto"
    columns: Annotated[
        str | None,
        option(
            SCORED,
            "Which columns of test sets to read, by their roles: word1=Latin1,word2=Latin2,rating=mean.",
            metavar="ROLE=NAME,…",
        ),
    ] = None

    @property
    def chosen(self) -> dict[str, str]:
        """The columns by their roles.

        Raises:
            TestSetError: They are not written so.
        """
        found = dict[str, str]()
        for each in filter(str.strip, (self.columns or "").split(",")):
            role, _, column = map(str.strip, each.partition("="))
            if not role or not column:
                raise TestSetError(
                    f"--columns {self.columns}: give a name or number to each role, as in "
                    "word1=Latin1,rating=3"
                )
            if found.setdefault(role, column) != column:
                raise TestSetError(
                    f"--columns {self.columns}: {role} is {found[role]} and {column}; give one of them"
                )
        return found


@dataclass(frozen=True)
class SpellingOptions:
    """When two spellings are one word."""

    case: Case = "fold"
    profile: Profile = ""


@dataclass(frozen=True)
class WordOptions(SpellingOptions):
    """How test words are looked up."""

    multiword: Multiword = "keep"


@dataclass(frozen=True)
class VocabularyOptions(WordOptions):
    """How test words are looked up in vectors."""

    vocabulary: Vocabulary = None


@dataclass(frozen=True)
class ScoreOptions(VocabularyOptions):
    """What holds for scores: fields of `Settings`."""

    oov: Oov = "wrong"
    seed: Seed = 0
    norm: Annotated[
        settings.Norm,
        option(COMPUTED, "The vectors in OddOneOut: unit scales them to length 1, none does not."),
    ] = "unit"
    levels: Annotated[
        settings.Levels,
        option(COMPUTED, "The weight of a level of a hierarchy: equal for all, or half of the level above."),
    ] = "equal"


def _workers(text: str) -> str:
    """A number of processes, or the address of a scheduler."""
    is_number = text.isascii() and text.isdigit() and int(text) > 0
    if not (is_number or "://" in text):
        raise typer.BadParameter(f"{text!r} is no number from 1 on, nor an address such as tcp://host:8786")
    return text


@dataclass(frozen=True)
class MachineOptions:
    """Where the work is done."""

    workers: Annotated[
        str,
        option(
            MACHINE,
            "How many worker processes; or the scheduler of a Dask cluster, whose workers are used: "
            "tcp://host:8786 or tls://….",
            metavar="N|ADDRESS",
            parser=_workers,
        ),
    ] = "1"

    @property
    def scheduler(self) -> str | None:
        """The address of the scheduler; None for processes on this machine."""
        return None if self.workers.isdigit() else self.workers

    def machine(self, bar: Progress | None = None) -> Machine:
        """The same for the library; it tells a progress bar what is done."""
        machine = Machine(1 if self.scheduler else int(self.workers), self.scheduler)
        return machine if bar is None else replace(machine, progress=bar, log=bar.log)


@dataclass(frozen=True)
class ResultOptions:
    """How results are printed."""

    as_json: Json = False
    details: Details = False


@dataclass(frozen=True)
class TableOptions(ResultOptions):
    """How scores are printed; `evaluator report` makes such tables of all other results."""

    as_csv: Annotated[bool, option(OUTPUT, "Print the results as CSV.", "--csv")] = False

    def __post_init__(self) -> None:
        if self.as_json and self.as_csv:
            raise typer.BadParameter("choose --json or --csv, which both print the results")


@dataclass(frozen=True)
class FileOptions:
    """How vectors files are read. What needs more than this is read by `evaluator convert`."""

    bad_rows: BadRows = "refuse"

    def for_loading(self) -> LoadOptions:
        """The same for the library."""
        from evaluator.vectors import LoadOptions

        return LoadOptions(bad_rows=self.bad_rows)

    def file(self, path: str | Path, name: str | None = None) -> VectorsFile:
        """A vectors file that is not loaded yet."""
        from evaluator.vectors.reading import VectorsFile

        options = self.for_loading()
        if options.format == "auto":
            expect(path, "vectors", VectorsError)
        return VectorsFile(str(path), options, name)

    def files(self, paths: Sequence[str | Path]) -> list[VectorsFile]:
        """Several of them; those of the same name are told apart by their paths."""
        from evaluator.execution.remote_files import file_name, without_file_scheme

        given, resolved = list[str](), set[str]()
        for path in map(without_file_scheme, map(str, paths)):
            whole = path if is_url(path) else str(Path(path).resolve())
            given.append(path if is_url(path) else str(Path(path)))
            if whole in resolved:
                raise VectorsError(f"{given[-1]}: given twice. Name each vectors file once.")
            resolved.add(whole)
        names = list(map(file_name, given))
        short = list(map(without_query, given))  # in a query there may be a token
        long = short if len(set(short)) == len(short) else given
        return [
            self.file(each, whole if names.count(name) > 1 else None)
            for each, name, whole in zip(given, names, long, strict=True)
        ]

    def load(self, vectors: VectorsFile | str | Path) -> Vectors:
        """Load a vectors file, and say on stderr how many bad rows were left out."""
        file = self.file(vectors) if isinstance(vectors, str | Path) else vectors
        loaded = file.load()
        tell_dropped(loaded.name, loaded.dropped)
        return loaded


@dataclass(frozen=True)
class VectorOptions(FileOptions):
    """How vectors are read, of files or of models that can encode any word."""

    vocabulary_from: Annotated[
        str | None,
        option(
            READ,
            "The words among which neighbours are searched, for models that encode any word: a file with a "
            "word in each line, or vectors.",
            metavar="FILE",
        ),
    ] = None

    def for_loading(self) -> LoadOptions:
        """The same for the library."""
        return replace(super().for_loading(), vocabulary=self.vocabulary_from)


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """A command of a function some of whose parameters are groups of options, such as `WordOptions`."""
    # Typer sees each field of a group as an option of its own; the function gets the groups.
    flat, groups, annotations = dict[str, inspect.Parameter](), dict[str, Any](), dict[str, Any]()
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        several, types = {name: parameter}, hints
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            several = dict(inspect.signature(hints[name]).parameters)
            types = get_type_hints(hints[name], include_extras=True)
        for own, each in several.items():
            flat[own] = each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=types[own])
            annotations[own] = types[own]

    @wraps(function)
    def command(**values: Any) -> None:  # noqa: ANN401  # each option has its own type
        GIVEN.set(tuple(chain.from_iterable(map(_given, flat.values(), map(values.__getitem__, flat)))))
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        with recording():
            function(**values)

    command.__signature__ = inspect.Signature(list(flat.values()))  # type: ignore[attr-defined]  # inspect reads it
    command.__annotations__ = annotations
    return command


def _given(parameter: inspect.Parameter, value: Any) -> list[str]:  # noqa: ANN401  # of any option
    """An argument or option as it is given on the command line; nothing if results do not depend on it."""
    info = getattr(parameter.annotation, "__metadata__", (None,))[-1]
    own = getattr(info, "rich_help_panel", None) in (OUTPUT, MACHINE)
    if info is None or own or value in (None, parameter.default):
        return []
    values = list(map(_portable, map(str, value if isinstance(value, list) else [value])))
    if isinstance(info, ArgumentInfo):
        return values
    named = (info.default, *(info.param_decls or ()), f"--{parameter.name.replace('_', '-')}")
    spelled = next(each for each in named if isinstance(each, str) and each.startswith("--"))
    if isinstance(value, bool):  # --on/--off
        return [spelled.partition("/")[0 if value else 2]]
    return [word for each in values for word in (spelled, each)]


def _portable(value: str) -> str:
    """A value without what others should not see or do not have: the folders of an absolute path, a token."""
    if is_url(value):
        return without_query(value)
    if "{corpus}" in value and " " in value:  # the command of a trainer
        return " ".join(map(_portable, value.split(" ")))
    name, equals, path = ("", "", value) if Path(value).is_absolute() else value.rpartition("=")
    return f"{name}{equals}{Path(path).name if Path(path).is_absolute() else path}"
