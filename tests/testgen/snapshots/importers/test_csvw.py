"""Tables of CSV as their metadata describe them."""

from __future__ import annotations

import gzip
import json
import zipfile

import pytest

from testgen import SourceError
from testgen.snapshots.importers.csvw import Table, read_metadata, rows_of_table

PLAIN = "ID,Form\n1,canis\n2,felis\n"


@pytest.fixture
def table(tmp_path):
    """A table of two columns, written with a dialect; columns, table and group may state more."""

    def make(content, dialect=None, column=(), *, of_table=(), group=(), url="forms.csv", name="forms.csv"):
        described = {
            "url": url,
            "tableSchema": {"columns": [{"name": "ID"}, {"name": "Form", **dict(column)}]},
        }
        metadata = {"tables": [described | dict(of_table)], **dict(group)}
        if dialect is not None:
            metadata["dialect"] = dialect
        path = tmp_path / "metadata.json"
        path.write_text("\ufeff" + json.dumps(metadata), encoding="utf-8")
        if content is not None:
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        read = read_metadata(path)
        return Table(path, read, read.tables[0])

    return make


def values(table):
    return [(id_, form) for id_, form in table.rows("ID", "Form")]


EXPECTED = [(["1"], ["canis"]), (["2"], ["felis"])]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (PLAIN, None),
        ("\ufeff" + PLAIN, {}),
        (PLAIN.replace("\n", "\r\n"), {}),
        (PLAIN.replace(",", "\t"), {"delimiter": "\t"}),
        ("ID,Form\n1,'canis'\n'2','felis'\n", {"quoteChar": "'"}),
        ("made by hand\nID,Form\n1,canis\n2,felis\n", {"skipRows": 1}),
        ("1,canis\n2,felis\n", {"header": False}),
        ("ID,Form\nnumber,word\n1,canis\n2,felis\n", {"headerRowCount": 2}),
        ("x,ID,Form\ny,1,canis\ny,2,felis\n", {"skipColumns": 1}),
        ("ID,Form\n1,  canis\n2, felis\n", {"skipInitialSpace": True}),
        ("ID,Form\n1, canis \n2,felis\t\n", {"trim": True}),
        ("ID,Form\n1, canis\n2,felis\n", {"trim": "start"}),
        ("ID,Form\n%1,lupus\n1,canis\n\n2,felis\n", {"commentPrefix": "%"}),
        ("ID,Form\n# 1,lupus\n1,canis\n2,felis\n", None),
        (PLAIN.encode("utf-16"), {"encoding": "utf-16"}),
    ],
)
def test_dialects(table, text, dialect):
    assert values(table(text, dialect)) == EXPECTED


def test_the_dialect_of_a_table_goes_before_that_of_the_group(table):
    made = table(PLAIN.replace(",", ";"), {"delimiter": "\t"}, of_table={"dialect": {"delimiter": ";"}})
    assert values(made) == EXPECTED


def test_quotes_are_letters_where_there_are_none(table):
    text = 'ID,Form\n1,"canis\n2,fe""lis\n'
    assert values(table(text, {"quoteChar": None})) == [(["1"], ['"canis']), (["2"], ['fe""lis'])]
    text = 'ID,Form\n1,"ca\\"nis"\n'
    assert values(table(text, {"doubleQuote": False})) == [(["1"], ['ca"nis'])]


def test_comments_are_counted_with_their_lines(table):
    made = table('ID,Form\n# don\'t\n1,"ca\nnis"\n#2,x\n', {"commentPrefix": "#"})
    assert values(made) == values(made) == [(["1"], ["ca\nnis"])]
    assert made.comments == [2, 5]
    made = table("ID,Form\n#1,canis\n", {"commentPrefix": None})
    assert (values(made), made.comments) == ([(["#1"], ["canis"])], [])


@pytest.mark.parametrize(
    ("cell", "column", "expected"),
    [
        ("", {}, []),
        ("NA", {"null": ["NA", "-"]}, []),
        ("-", {"null": ["NA", "-"]}, []),
        ("NA", {"null": "NA"}, []),
        ("NA", {"null": None}, ["NA"]),
        ("", {"default": "nihil"}, ["nihil"]),
        ("", {"default": "NA", "null": "NA"}, []),
        ("canis; felis", {"separator": ";"}, ["canis", "felis"]),
        ("canis;NA;;felis", {"separator": ";", "null": "NA"}, ["canis", "felis"]),
        ("", {"separator": ";"}, []),
    ],
)
def test_cells(table, cell, column, expected):
    assert values(table(f"ID,Form\n1,{cell}\n", column=column)) == [(["1"], expected)]
    inherited = table(f"ID,Form\n1,{cell}\n", group=column)
    assert [form for _, form in values(inherited)] == [expected]


def test_a_column_may_be_called_by_a_title_and_a_virtual_one_is_not_in_the_file(table):
    made = table("ID,word\n1,canis\n2,felis\n", column={"titles": {"en": ["Word", "word"]}})
    assert values(made) == EXPECTED
    columns = [{"name": "v", "virtual": True}, {"name": "ID"}, {"name": "Form"}]
    made = table("1,canis\n2,felis\n", {"header": False}, of_table={"tableSchema": {"columns": columns}})
    assert values(made) == EXPECTED


def test_packed_tables(table, tmp_path):
    with zipfile.ZipFile(tmp_path / "forms.csv.zip", "w") as packed:
        packed.writestr("readme.txt", "x")
        packed.writestr("cldf/forms.csv", PLAIN)
    made = table(None)
    assert values(made) == EXPECTED
    assert made.path == tmp_path / "forms.csv.zip"
    assert values(table(None, url="forms.csv.zip")) == EXPECTED
    (tmp_path / "forms.csv.zip").unlink()
    assert values(table(gzip.compress(PLAIN.encode()), name="forms.csv.gz")) == EXPECTED
    (tmp_path / "forms.csv.gz").unlink()
    assert values(table(PLAIN, url="a%20list.csv", name="a list.csv")) == EXPECTED


@pytest.mark.parametrize("files", [{}, {"a.csv": PLAIN, "b.csv": PLAIN}])
def test_a_packed_table_must_be_one(table, tmp_path, files):
    with zipfile.ZipFile(tmp_path / "forms.csv.zip", "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    with pytest.raises(SourceError, match=rf"must hold one file, forms\.csv; it holds {len(files)}"):
        values(table(None))
    (tmp_path / "forms.csv.zip").write_bytes(b"PK")
    with pytest.raises(SourceError, match=r"forms\.csv\.zip: cannot be unpacked"):
        values(table(None))


@pytest.mark.parametrize(
    ("text", "dialect", "message"),
    [
        (PLAIN, {"delimiter": "::"}, "cannot be read with the dialect"),
        (PLAIN, {"encoding": "klingon"}, "unknown encoding, 'klingon'"),
        (b"ID,Form\n1,\xff\n", None, r"forms\.csv: not UTF-8"),
        ("ID,Wort\n1,canis\n", None, "lacks the columns Form"),
        ("ID,Form,Form\n1,canis,felis\n", None, "has two columns Form"),
        ("", None, "lacks the columns ID, Form"),
        (None, None, r"forms\.csv: cannot be read"),
    ],
)
def test_what_is_wrong_is_named(table, text, dialect, message):
    with pytest.raises(SourceError, match=message):
        values(table(text, dialect))


def test_a_table_elsewhere_is_not_fetched(table):
    with pytest.raises(SourceError, match=r"https://example\.org/f\.csv is elsewhere"):
        table(None, url="https://example.org/f.csv")


def test_a_table_without_metadata(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('ID\tGLOSS\n1\t"a""b"\n# 2\tc\n', encoding="utf-8")
    rows = rows_of_table(path, ["ID", "GLOSS"], delimiter="\t", optional=["MORE"])
    assert list(rows) == [("1", 'a"b', ""), ("# 2", "c", "")]
