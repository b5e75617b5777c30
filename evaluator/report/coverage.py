"""The section of a file of coverage: what a vocabulary knows of test sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.report.cells import count, name, words
from evaluator.report.commands import again, command, repeated
from evaluator.report.page import Block, Cell, Column, Facts, Notes, Section, Table, Text
from evaluator.report.source import Source, origin
from evaluator.results.jsonvalue import JsonValue
from evaluator.studies.coverage import Coverage, PartCoverage


def read_coverage(file: JsonValue) -> list[Coverage]:
    """Read what `evaluator coverage --json` wrote: a list, one element for each test set.

    Raises:
        ResultsError: It is something else, or lacks something.
    """
    elements = file.elements() or file.fail("is empty; did `evaluator coverage --json` write this?")
    return [each.read(Coverage) for each in elements]


def coverage_section(source: Source, found: Sequence[Coverage]) -> Section:
    """All that a file of coverage says."""
    parts = [
        Section(f"{each.vocabulary} on {each.test_set} ({each.language})", list(_blocks(each)))
        for each in found
    ]
    lines = [
        command("coverage", vocabulary, repeated("--test", tests)) + " --json"
        for vocabulary, tests in _by_vocabulary(found).items()
    ]
    remark = (
        "A file of coverage does not say with which options words were looked up, nor whether a corpus was "
        "read (--corpus); add what was given. Put the paths where the files are."
    )
    parts.append(Section("How to get this coverage again", [Facts([*again(lines, remark), origin(source)])]))
    return Section(f"Coverage: {source.name}", [], parts)


def _by_vocabulary(found: Sequence[Coverage]) -> dict[str, list[str]]:
    tests: dict[str, list[str]] = {}
    for each in found:
        tests.setdefault(each.vocabulary, []).append(each.test_set)
    return tests


def _blocks(found: Coverage) -> Iterator[Block]:
    columns = [
        Column("part", kind="name"),
        Column("kind", kind="text"),
        Column("words"),
        Column("known"),
        Column("share"),
        Column("lacks, for example", ("lacks",), kind="prose"),
    ]
    rows = [_row(part, found.language) for part in found.parts]
    total = [name("all"), name(""), count(found.words), count(found.found)]
    rows.append([*total, _share(found.found, found.words), Cell("", ("",))])
    caption = f"What {found.vocabulary} knows of {found.test_set}"
    yield Table(caption, columns, rows, "coverage.csv", totals=1)
    if any(part.kind == "category" for part in found.parts):
        yield Text(f"Topk can score {found.topk} categories, OddOneOut@3 {found.odd_one_out}.")
    if found.detectable is not None:
        yield Text(
            f"Two models must differ by about {found.detectable:.2f} to be told apart "
            "(80% power, 5% level); a guide, and no promise."
        )
    if found.advice:
        lines = [
            f"{each.option} finds {each.found} words more"
            + ("" if each.share is None else f" ({each.share:+.0%})")
            for each in found.advice
        ]
        yield Notes("What would find more words", lines)


def _row(part: PartCoverage, language: str) -> list[Cell]:
    return [
        name(part.name),
        name(part.kind),
        count(part.words),
        count(part.found),
        _share(part.found, part.words),
        words(part.missing[:5], language),
    ]


def _share(found: int, of: int) -> Cell:
    share = min(max(found / of, 0.0), 1.0) if of else 0.0
    return Cell(f"{share:.0%}", (share,), share=share)
