"""All that a report says of the samples is as recorded: words, numbers, their order, what is a detail.

`python -m tests.evaluator.reports.test_recorded` records it again: look at the difference before you
commit it.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from operator import add
from pathlib import Path

import pytest

from evaluator.reports.build import InputFile, report_page
from evaluator.reports.page import Cell, Figure, Table
from evaluator.results.files import parse_results
from evaluator.results.score_lines import BatchFile
from evaluator.statistics.score_lines import compared
from tests.evaluator.results.samples import LINES, SAMPLES, in_languages, jsonl, scored, scores_file

FOLDER = Path(__file__).parent / "recorded"
SOME, LONG = 4, 400  # rows at both ends of a table; characters of a text


def lines(value, figures, name="", depth=0):
    """A line for each value that is not the default one of its field, below what has it; collects figures."""
    start = "  " * depth + (f"{name}: " if name else "")
    if isinstance(value, Table):
        yield f"{start}Table"
        yield from fields(dataclasses.replace(value, rows=(), columns=()), figures, depth + 1)
        columns = [
            f"{each.group} {each.title} <{' '.join(each.names)}> {each.kind}" for each in value.columns
        ]
        hidden = [" detail" if each.detail else "" for each in value.columns]
        yield f"{'  ' * depth}  {' | '.join(map(add, columns, hidden))}"
        rows = [f"{'  ' * depth}  | {' | '.join(map(cell, row))}" for row in value.rows]
        yield from rows if len(rows) <= 2 * SOME else [*rows[:SOME], f"({len(rows)} rows)", *rows[-SOME:]]
    elif dataclasses.is_dataclass(value) and not isinstance(value, Sequence):
        yield f"{start}{type(value).__name__}"
        yield from fields(value, figures, depth + 1)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for each in value:
            yield from lines(each, figures, name, depth)
    else:
        yield start + plain(value)


def fields(value, figures, depth):
    for field in dataclasses.fields(value):
        found = getattr(value, field.name)
        if not callable(found) and found != field.default:
            yield from lines(found, figures, field.name, depth)
    if isinstance(value, Figure):
        figures.append(value)


def drawing(axes):
    """What is written and drawn on the axes of a figure."""
    texts = [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
    texts += [each.get_text() for each in [*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]]
    texts = [each for each in texts if any(map(str.isalpha, each))]  # other ticks depend on the library
    yield " / ".join(texts)
    for each in axes.lines:
        x, y = (list(map(plain, found)) for found in each.get_data())
        if len(x) <= 20:
            marks = each.get_label(), each.get_linestyle(), each.get_marker(), plain(each.get_markersize())
            yield f"line {' '.join(map(str, marks))} {' '.join(x)}; {' '.join(y)}"


def cell(found: Cell) -> str:
    """A cell with all that is not as usual."""
    own = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    data = " ".join(map(plain, own.pop("data")))
    more = [f"{name}={plain(own[name])}" for name in list(own)[1:] if own[name] not in ("", (), None, False)]
    return " ".join([f"{found.text} <{data}>", *more])


def plain(value) -> str:
    """A value, with as many digits as any machine computes."""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = re.sub(r"\b\d+\.\d+\.\d+\b", "VERSION", str(value))
    return text if len(text) <= LONG else f"{text[:LONG]}… ({len(text)} characters)"


def reports():
    """The contents of the files of each report, by name."""
    both = in_languages()
    alone = [{**both, "results": both["results"][:1], "totals": []}, scores_file(scored("c.vec"))]
    of_several = {"several-apart": alone, "several": [both, *alone]}
    return {**{name: [content] for name, content in SAMPLES.items()}, "batch": [LINES], **of_several}


def file_of(content, name):
    raw = jsonl(content) if isinstance(content, list) else json.dumps(content, ensure_ascii=False).encode()
    result = parse_results(raw, name)
    return InputFile(name, raw, compared(result) if isinstance(result, BatchFile) else result)


def report_of(name, contents):
    files = [file_of(each, f"{name}-{number}.json") for number, each in enumerate(contents)]
    page = report_page(files, "title")
    sections = page.sections if name == "scores" else page.sections[:-2]  # what all reports end with, once
    sections = page.sections[:1] if len(contents) > 1 else sections
    figures: list[Figure] = []
    found = list(lines(sections, figures))
    for figure in figures[:1]:  # to draw takes long
        with figure.draw() as drawn:
            found += [f"{figure.file}: {plain(drawn.get_size_inches().tolist())}"]
            found += [line for axes in drawn.axes for line in drawing(axes)]
    return "\n".join(found) + "\n"


@pytest.mark.parametrize("name", reports())
def test_a_report_says_what_was_recorded(name):
    pytest.importorskip("matplotlib")
    told = report_of(name, reports()[name])
    assert told.splitlines() == (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    for key, value in reports().items():
        (FOLDER / f"{key}.txt").write_text(report_of(key, value), encoding="utf-8")
