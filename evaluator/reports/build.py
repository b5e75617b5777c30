"""Reports: from result files to one HTML file."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from evaluator.errors import OutputError, ResultsError
from evaluator.execution.output_files import write_text
from evaluator.reports.cells import columns, count, name
from evaluator.reports.page import Cell, Column, Downloads, Fact, Facts, Link, Section, Table
from evaluator.reports.render import Page, render
from evaluator.reports.sections import section_of
from evaluator.reports.sections.summary import summary_section
from evaluator.reports.words import terms_section
from evaluator.results.base import ResultFile, format_of, to_json
from evaluator.results.files import formats, parse_results, read_content
from evaluator.results.score_lines import BatchFile
from evaluator.results.scores import ScoresFile
from evaluator.statistics.score_lines import compared


@dataclass(frozen=True)
class InputFile:
    """A result file."""

    name: str
    content: bytes
    result: ResultFile

    @property
    def sha256(self) -> str:
        """The digest of the content."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def origin(self) -> Fact:
        """Which file numbers are from."""
        return Fact("Result file", [f"{self.name}, sha256 {self.sha256}"])


def read_inputs(given: Sequence[str | os.PathLike[str] | ResultFile]) -> list[InputFile]:
    """Read result files; those of the same name are told apart by their paths."""
    if not given:
        raise ResultsError("no result files given; name files that evaluator wrote")
    paths = [Path(each) for each in given if isinstance(each, str | os.PathLike)]
    resolved = [path.resolve() for path in paths]
    again = next((path for path in paths if resolved.count(path.resolve()) > 1), None)
    if again is not None:
        raise ResultsError(f"{again}: given twice; name each result file once")
    names = [path.name for path in paths]
    return [_input(each, names) for each in given]


def _input(given: str | os.PathLike[str] | ResultFile, names: Sequence[str]) -> InputFile:
    if isinstance(given, ResultFile):
        lines = compared(given) if isinstance(given, BatchFile) else given
        return input_of(lines, f"{given.command.split()[1]}.json")
    content, path = read_content(given), Path(given)
    name = path.as_posix() if names.count(path.name) > 1 else path.name
    result = parse_results(content, str(path))
    return InputFile(name, content, compared(result) if isinstance(result, BatchFile) else result)


def input_of(result: ResultFile, name: str) -> InputFile:
    """Results that are in no file yet, as if they were in one."""
    return InputFile(name, f"{to_json(result)}\n".encode(errors="replace"), result)


TITLE = "Word embeddings, evaluated"


def report(
    results: str | os.PathLike[str] | ResultFile | Sequence[str | os.PathLike[str] | ResultFile],
    output: str | os.PathLike[str],
    title: str = TITLE,
) -> None:
    """Write one HTML page of results, as `evaluator.report("scores.json", "report.html")`.

    Args:
        results: One or several result files; or what studies give; or `record()` of the scores of a list of
            models.
        output: The HTML file to write.
        title: The heading.

    Raises:
        ResultsError: A file cannot be read, or holds no results.
        ExtraError: Jinja2 or matplotlib is not installed.
        OutputError: The file does not end in .html, or cannot be written.
    """
    check_ending(Path(output))
    several = results if isinstance(results, Sequence) and not isinstance(results, str) else [results]
    write_report(read_inputs(several), Path(output), title)


def check_ending(path: Path) -> None:
    """Refuse a file that does not end as a report does: it may be one of the user's own."""
    if path.suffix.lower() not in ("", ".html", ".htm"):
        raise OutputError(f"{path}: a report ends in .html; tables end in .tex or .csv")


def write_report(files: Sequence[InputFile], path: Path, title: str = TITLE) -> None:
    """Write a report."""
    write_text(path, make_report(files, title))


def make_report(files: Sequence[InputFile], title: str = TITLE) -> str:
    """A report as HTML; the same files give the same text."""
    return render(report_page(files, title))


def report_page(files: Sequence[InputFile], title: str) -> Page:
    """The sections of a report, which say all that the files say."""
    scored = [each.result for each in files if isinstance(each.result, ScoresFile)]
    sections = [summary_section(scored)] if any(each.results for each in scored) else []
    kinds = formats()
    ordered = sorted(files, key=lambda each: kinds.index(format_of(type(each.result))))
    sections += [_with_origin(section_of(each.result), each) for each in ordered]
    return Page(title, [*sections, _files(files), terms_section()])


def _with_origin(section: Section, file: InputFile) -> Section:
    again = Section(
        "How to get these numbers again",
        [Facts([*_commands(file), *section.origin, *_inputs(file.result), file.origin])],
    )
    return replace(section, subsections=[*section.subsections, again])


def _commands(file: InputFile) -> list[Fact]:
    """The commands that wrote a result file, as they were given; or that none did."""
    lines = commands(file)
    if not lines:
        return [
            Fact(
                "Note", [f"The file does not say how it was made. `{file.result.command}` writes such files."]
            )
        ]
    note = "Run it in the same folder. Where a path was absolute, only the name is here; put in the path."
    return [Fact("Run it again", lines, code=True), Fact("Note", [note])]


def commands(file: InputFile) -> list[str]:
    """The commands that write a result file again; none if no command wrote it."""
    base, result = file.result.command, file.result
    given = [result.arguments] if isinstance(result.arguments, tuple) else []
    output = PurePosixPath(file.name).stem
    if isinstance(result, BatchFile):
        given, output = list(result.commands), file.name
    is_printed = base.endswith(" --json")
    end = f"--json > {shlex.quote(file.name)}" if is_printed else shlex.join(["--output", output])
    return [f"{base.partition(' --')[0]} {shlex.join(each)} {end}" for each in given]


def _inputs(result: ResultFile) -> list[Fact]:
    """Each file that the results depend on."""
    lines = [
        f"{each.role}: {each.shown}, sha256 {each.sha256}" if each.sha256 else f"{each.role}: no {each.shown}"
        for each in result.all_inputs
    ]
    return [Fact("Inputs", lines)] if lines else []


def _files(files: Sequence[InputFile]) -> Section:
    headings = [*columns("file", kind="name"), *columns("made by", kind="text"), Column("bytes")]
    headings += columns("sha256", kind="text")
    rows: list[list[Cell]] = [
        [name(each.name), name(each.result.command), count(len(each.content)), name(each.sha256)]
        for each in files
    ]
    made_by = Fact("This page", [f"made by evaluator report {version('testgen-evaluator')}"])
    links = [Link(each.name, each.content, "application/json") for each in files]
    return Section(
        "Files",
        [
            Table("Result files that this page was made of", headings, rows),
            Downloads(links),
            Facts([made_by]),
        ],
    )
