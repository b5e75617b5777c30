"""A result is said once: a terminal, a page, a notebook and CSV show the same words and numbers of it."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from evaluator.cli.output import console
from evaluator.cli.terminal import print_section
from evaluator.errors import ResultsError
from evaluator.reports.build import InputFile, make_report
from evaluator.reports.cells import INTERVAL
from evaluator.reports.page import Cell, Column, Fact, Facts, Fold, Notes, Section, Table, Text
from evaluator.reports.render import Page, inline, render
from evaluator.reports.renderers import latex, notebook
from evaluator.reports.sections import section_of
from evaluator.results.base import ResultFile
from evaluator.results.files import parse_results
from tests.evaluator.reports.html_pages import Element, parse
from tests.evaluator.results.samples import LINES, SAMPLES, jsonl

ALL = {**SAMPLES, "batch": LINES}
INLINE = {"bdi", "wbr", "span", "code", "small"}
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?%?(?![\w.])")


def result_of(name):
    content = ALL[name]
    raw = jsonl(content) if isinstance(content, list) else json.dumps(content, ensure_ascii=False).encode()
    return InputFile(f"{name}.json", raw, parse_results(raw, name))


def printed(section, *, width=10_000, details=False):
    out = Console(width=width, file=io.StringIO(), highlight=False, markup=False, emoji=False)
    print_section(section, out, details=details)
    return out.file.getvalue()


def words(text):
    return {word.strip(":,") for word in text.split()} - {""}


def shown(element):
    """The text of a page, in which cells and paragraphs stand apart."""
    pieces = (
        each if isinstance(each, str) else shown(each) if each.tag in INLINE else f" {shown(each)} "
        for each in element.children
        if not (isinstance(each, Element) and each.tag == "style")
    )
    return "".join(pieces)


@pytest.mark.parametrize("name", sorted(ALL))
def test_all_words_of_the_terminal_are_on_the_page_and_in_the_notebook(name, monkeypatch):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("evaluator.reports.render.MOST_FIGURES", 0)
    file = result_of(name)
    section = section_of(file.result)
    told = words(printed(section, details=True))
    assert len(told) > 20
    assert told - words(shown(parse(make_report([file])))) == set()
    assert told - words(shown(parse(file.result._repr_html_()))) == set()


@pytest.mark.parametrize("name", sorted(ALL))
def test_what_a_terminal_shows_at_first_is_a_part_of_all(name):
    section = section_of(result_of(name).result)
    first = re.sub(r"and \d+ more, which --details shows|: --details shows this", "", printed(section))
    assert words(first) <= words(printed(section, details=True))


@pytest.mark.parametrize("name", sorted(ALL))
def test_numbers_of_tables_are_those_of_csv(name):
    tables = [block for block in section_of(result_of(name).result).walk() if isinstance(block, Table)]
    assert tables
    for table in tables:
        _, *rows = csv.reader(io.StringIO(table.as_csv()))
        for cells, row in zip(table.rows, rows, strict=True):
            values = iter(row)
            for column, cell in zip(table.columns, cells, strict=True):
                own = [next(values) for _ in cell.data]
                if column.kind == "number":
                    assert all(
                        any(rounded(one, text) for one in own) for text in NUMBER.findall(cell.text)
                    ), cell


def rounded(value, text):
    """Whether a text is a number of CSV, with the digits that people are shown."""
    plain = text.replace(",", "").strip("+%")
    if not value:
        return False
    number = float(value) * (100 if text.endswith("%") else 1)
    digits = len(plain.partition(".")[2].partition("e")[0])
    form = "e" if "e" in plain else "f"
    return f"{number:.{digits}{form}}" == plain or abs(number) < 10.0**-digits


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize("width", [pytest.param(80, marks=pytest.mark.slow), 50])
def test_no_number_is_broken_in_a_narrow_terminal(name, width):
    section = section_of(result_of(name).result)
    narrow = printed(section, width=width)
    for block in section.blocks:
        if isinstance(block, Table) and not block.detail:
            numbers = {cell.text for row in block.rows for cell in row if NUMBER.fullmatch(cell.text)}
            assert all(number in narrow for number in numbers)
    lines = [line for line in narrow.splitlines() if "|" not in line]
    assert max(map(len, lines)) <= width


def test_details_are_shown_only_if_asked_for():
    table = Table(
        "Names", [Column("name", kind="name")], [[Cell(f"n{i}", (f"n{i}",))] for i in range(5)], first=2
    )
    section = Section(
        "Title",
        [
            Text("essential"),
            Text("explanation", detail=True),
            Notes("Remarks", ["one"]),
            Fold("closed", [Text("inside")]),
            Fold("opened", [Text("unfolded")], open=True),
            Facts([Fact("Term", ["value"])]),
            table,
        ],
        [Section("Sub", [Text("of sub")]), Section("Detail", [Text("of detail")], detail=True)],
        [Fact("Settings", ["oov wrong"]), Fact("Signatures", ["Topk@3|x"], code=True)],
    )
    assert printed(section).splitlines() == [
        *("Title", "essential", "Remarks:", "  one", "closed: --details shows this", "opened:"),
        "unfolded",
        *("Term: value", "Names:", "name", "n0  ", "n1  ", "and 3 more, which --details shows"),
        *("", "Sub", "of sub"),
    ]
    everything = printed(section, details=True)
    assert {"explanation", "inside", "n4", "of", "detail", "oov", "wrong"} <= words(everything)
    assert "--details" not in everything


@pytest.mark.parametrize("name", sorted(ALL))
def test_latex_has_the_tables_that_a_terminal_shows_at_first(name):
    section = section_of(result_of(name).result)
    tables = [block for block in section.walk(details=False) if isinstance(block, Table)]
    text = latex(section)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == len(tables)
    for table, found in zip(
        tables, text.split(r"\midrule" + "\n", 1)[1].split(r"\end{tabular}"), strict=False
    ):
        shown = table.without_details(but=INTERVAL).rows
        assert all(
            cell.text in found for row in shown for cell in row if re.fullmatch(r"0\.\d{4}", cell.text)
        )


def test_names_are_text_in_latex_and_html():
    table = Table(
        "T", [Column("a_b", kind="name"), Column("n")], [[Cell("50% \\ {x}", ("",)), Cell("1", (1,))]]
    )
    section = Section("<script>x</script>", [table])
    assert r"a\_b & n \\" in latex(section)
    assert r"50\% \textbackslash{} \{x\} & 1 \\" in latex(section)
    assert not parse(notebook(section)).all("script")
    assert parse(notebook(section)).one("h4").text == "<script>x</script>"


def test_headings_are_no_wider_than_what_is_below():
    columns = [
        Column("name", kind="name"),
        Column("frequency baseline", group="Topk@3"),
        Column("p", group="Topk@3"),
    ]
    cells = [Cell("a.vec", ("a.vec",)), Cell("0.1000", (0.1,), "best"), Cell("0.5000", (0.5,))]
    lines = printed(Section("T", [Table("C", columns, [cells])])).splitlines()
    assert [line.rstrip() for line in lines[2:]] == [
        "            Topk@3",
        "         frequency",
        "name      baseline       p",
        "a.vec  0.1000 best  0.5000",
    ]


def test_a_kind_of_result_without_a_section_is_named():
    class Lonely(ResultFile, frozen=True, kw_only=True, tag="lonely"):
        """Of a package that registers no function."""

    with pytest.raises(ResultsError, match="'lonely'"):
        section_of(Lonely())


@pytest.mark.parametrize("name", ["batch", "scores", "translation"])
def test_numbers_of_scores_are_those_of_the_one_long_table(name):
    result = result_of(name).result
    values = {float(each) for each in result.frame().select_dtypes("number").to_numpy(float).ravel()}
    columns = ("model", "measure", "category")  # not differences, which are of two scores
    tables = [block for block in section_of(result).walk() if isinstance(block, Table)]
    shown = [
        (cell.text, number)
        for table in tables
        if table.columns[0].title in columns
        for row in table.rows
        for cell in row[1:]
        for number in NUMBER.findall(cell.text)
    ]
    assert len(shown) > 10
    assert [text for text, number in shown if not any(rounded(value, number) for value in values)] == []


def test_commands_print_what_their_records_say(evaluator, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"w{n} 1 {0.1 * n}\n" for n in range(9))
    (tmp_path / "a.vec").write_text(f"9 2\n{rows}", encoding="utf-8")
    (tmp_path / "b.vec").write_text(f"9 2\n{rows.replace('1 0.', '0.5 0.')}", encoding="utf-8")
    (tmp_path / "words.txt").write_text(": one\nw0 w1 w2 x\n: two\nw3 w4 w5\n", encoding="utf-8")
    (tmp_path / "en-it.txt").write_text("w0 w1\nw2 w3\nw4 w4\n", encoding="utf-8")
    for command in (
        ("score", "a.vec", "--test", "words.txt"),
        ("score", "a.vec", "b.vec", "--test", "words.txt"),
        ("translate", "a.vec", "b.vec", "--dictionary", "en-it.txt"),
    ):
        record = parse_results(evaluator(*command, "--json").out.encode(), "record")
        for more in ((), ("--details",)):
            said = evaluator(*command, *more)
            assert said.code == 0, said.err
            assert said.out == printed(section_of(record), details=bool(more))


@pytest.mark.parametrize("name", ["[cbow] a.vec", "*a.vec", "[1cm]", "*"])
def test_a_row_of_latex_does_not_begin_with_what_the_last_row_takes_for_an_argument(name):
    columns = [Column(name, kind="name"), Column("[x]")]
    rows = [[Cell(each, (each,)), Cell("1", (1,), strong=True)] for each in ("m.vec", name, name)]
    text = latex(Section("", [Table("A table", columns, rows)]))
    for line in text.splitlines():
        assert not line.startswith(("[", "*"))
    assert text.count(f"{{{name[0]}}}{name[1:]} &") == 3
    assert text.count(r"& [x] \\") == 1


def test_no_renderer_shows_a_name_raw():
    name = "a\n\u202eb\x1b\u2069c"
    blocks = [
        Text(name),
        Notes(name, [name]),
        Facts([Fact(name, [name], code=True), Fact(name, [name])]),
        Table(name, [Column(name, kind="name"), Column(name, group=name)], [[Cell(name, (name,))] * 2]),
        Fold(name, [Text(name)]),
    ]
    section = Section(name, blocks, [Section(name, [Text("", detail=True)])], [Fact(name, [name])])
    shown = r"a\u000a\u202eb\u001b\u2069c"
    out = console()
    out.file = io.StringIO()
    print_section(section, out, details=True)
    for text in (
        out.file.getvalue(),
        notebook(section),
        latex(section).replace(r"\textbackslash{}", "\\"),
        blocks[3].as_csv(),
        render(Page(name, [section])).replace("<wbr>", ""),
    ):
        assert shown in text
        assert not {"\u202e", "\x1b", "\u2069"} & set(text)
        assert "a\n" not in text


SVG = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"
     width="9pt" height="9pt" version="1.1">
 <metadata>made by x</metadata>
 <defs>
  <style type="text/css">*{stroke-linejoin: round}</style>
 </defs>
 <path id="shape" d="M 1.23456 7 L 0.5 2"/>
 <path id="unused" style="fill: #ffffff; stroke: #000000; font: 9px 'X'"/>
 <clipPath id="p1"/>
 <use xlink:href="#shape" clip-path="url(#p1)" transform="rotate(-0 1 2)"/>
 <text x="1.5">two
  words<tspan>more</tspan> after</text>
</svg>"""


def test_a_figure_is_put_in_the_page_without_what_it_does_not_need():
    found = ET.fromstring(inline(SVG, "what it shows", "f1-"))  # noqa: S314 - our own
    assert found.attrib == {
        "viewBox": "0 0 9 9",
        "width": "9pt",
        "height": "9pt",
        "role": "img",
        "aria-label": "what it shows",
    }
    names = [each.tag for each in found.iter()]
    assert names == ["svg", "defs", "path", "path", "clipPath", "use", "text", "tspan"]
    _, defs, shape, unused, clip, use, text, tspan = found.iter()
    assert (shape.get("id"), clip.get("id"), unused.get("id")) == ("f1-shape", "f1-p1", None)
    assert (use.get("href"), use.get("clip-path")) == ("#f1-shape", "url(#f1-p1)")
    assert "transform" not in use.attrib
    assert shape.get("d") == "M 1.23 7 L 0.5 2"
    assert unused.get("style").startswith("fill: var(--page); stroke: currentColor")
    assert (text.text, tspan.text, tspan.tail) == ("two\n  words", "more", " after")
    assert [each.tail for each in (defs, shape, unused, clip, use, text)] == [None] * 6
    assert (found.text, defs.text) == (None, None)
