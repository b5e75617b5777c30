"""Tables of CSV as their metadata describe them: the rules of CSV on the Web that word lists use.

Dialects (delimiter, quotes, header, comments, encoding), what stands for no value, default values, and
separators of several values in a cell; a table may be packed: `forms.csv.zip` where metadata say `forms.csv`.

Tennison and Kellogg (2015), Model for Tabular Data and Metadata on the Web; CLDF 1.2 for packed tables.
"""

from __future__ import annotations

import codecs
import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import UNSET, Struct, UnsetType

from testgen.errors import SourceError
from testgen.system import open_unpacked, read_bytes, reading

_PACKED = (".zip", ".gz")


class Dialect(Struct, rename="camel"):
    """How a table is written; the names are those of CSVW."""

    delimiter: str = ","
    quote_char: str | None = '"'
    double_quote: bool = True
    comment_prefix: str | None = "#"
    encoding: str = "utf-8"
    header: bool = True
    header_row_count: int | None = None
    skip_rows: int = 0
    skip_columns: int = 0
    skip_initial_space: bool = False
    trim: bool | Literal["true", "false", "start", "end"] | None = None

    def format(self) -> dict[str, Any]:
        """The arguments of `csv.reader`."""
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote_char or None,
            "quoting": csv.QUOTE_MINIMAL if self.quote_char else csv.QUOTE_NONE,
            "doublequote": self.double_quote,
            "escapechar": None if self.double_quote else "\\",
            "skipinitialspace": self.skip_initial_space,
        }

    @property
    def header_rows(self) -> int:
        """How many rows name the columns."""
        return int(self.header) if self.header_row_count is None else self.header_row_count

    def trimmed(self, text: str) -> str:
        """A cell without the space around it that does not count."""
        if self.trim in (True, "true"):
            return text.strip()
        return text.lstrip() if self.trim == "start" else text.rstrip() if self.trim == "end" else text


class _Inherited(Struct, rename="camel"):
    """What a column has from its table, and a table from the group, unless it states its own."""

    null: str | list[str] | UnsetType | None = UNSET
    default: str | UnsetType | None = UNSET
    separator: str | UnsetType | None = UNSET


class _Column(_Inherited, rename="camel"):
    name: str | None = None
    titles: Any = None
    property_url: str | None = None
    virtual: bool = False

    @property
    def names(self) -> list[str]:
        """What its header may be: its name, else one of its titles, in any language."""
        of_language = self.titles.values() if isinstance(self.titles, dict) else [self.titles]
        titles = [title for each in of_language for title in (each if isinstance(each, list) else [each])]
        return [name for name in (self.name, *titles) if isinstance(name, str)]


class _Schema(_Inherited, rename="camel"):
    columns: list[_Column] = []


class TableDescription(_Inherited, rename="camel", kw_only=True):
    """A table in metadata."""

    url: str
    table_schema: _Schema = msgspec.field(default_factory=_Schema)
    dialect: Dialect | None = None
    conforms_to: Any = msgspec.field(name="dc:conformsTo", default=None)


class Metadata(_Inherited, rename="camel", kw_only=True):
    """Metadata of a group of tables."""

    tables: list[TableDescription]
    dialect: Dialect | None = None
    conforms_to: Any = msgspec.field(name="dc:conformsTo", default=None)
    title: Any = msgspec.field(name="dc:title", default=None)
    license: Any = msgspec.field(name="dc:license", default=None)


def read_metadata(path: Path) -> Metadata:
    """Read a metadata file.

    Raises:
        SourceError: It cannot be read, or is none.
    """
    with reading(path, SourceError):
        content = read_bytes(path, unpacked=True)
    try:
        return msgspec.json.decode(content.removeprefix(codecs.BOM_UTF8), type=Metadata)
    except msgspec.ValidationError as error:
        raise SourceError(f"{path}: not the metadata of tables (CSVW): {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: not JSON: {error}; give the metadata file of a CLDF word list") from error


class Table:
    """A table of a data set: its columns by name or by property, and its cells."""

    def __init__(self, metadata: Path, group: Metadata, table: TableDescription) -> None:
        self._columns = [each for each in table.table_schema.columns if not each.virtual]
        self._above = (table.table_schema, table, group)
        self._dialect = table.dialect or group.dialect or Dialect()
        self._where = metadata
        self.path = _file(metadata, table.url)
        self.names = [names[0] if (names := each.names) else "" for each in self._columns]
        self.comments: list[int] = []  # the numbers of the lines that were comments, once it is read

    def column(self, property_url: str, other: str = "") -> str:
        """The name of the column with a property; else another one.

        Raises:
            SourceError: Several columns have it.
        """
        found = [
            name
            for name, each in zip(self.names, self._columns, strict=True)
            if each.property_url == property_url
        ]
        if len(found) > 1:
            term = property_url.rpartition("#")[2]
            raise SourceError(f"{self._where}: {' and '.join(found)} are both the {term} of {self.path.name}")
        return found[0] if found else other

    def rows(self, *names: str) -> Iterator[tuple[list[str], ...]]:
        """The values in some columns, row by row; of a cell without a value none, of a list several.

        Raises:
            SourceError: It cannot be read, or lacks one of the columns.
        """
        self.comments.clear()
        columns = [
            self._columns[self.names.index(name)] if name and name in self.names else _Column()
            for name in names
        ]
        readers = [_CellReader([column, *self._above], self._dialect) for column in columns]
        rows = _rows(self.path, self._dialect, self.comments)
        places = self._places(names, columns, rows)
        for row in rows:
            yield tuple(
                read(row[place] if place is not None and place < len(row) else "")
                for read, place in zip(readers, places, strict=True)
            )

    def _places(
        self, names: Sequence[str], columns: Sequence[_Column], rows: Iterator[list[str]]
    ) -> list[int | None]:
        if not self._dialect.header_rows:
            return [self.names.index(name) if name and name in self.names else None for name in names]
        header = next(rows, [])
        for _ in range(self._dialect.header_rows - 1):
            next(rows, None)
        return _found_in(header, names, [each.names for each in columns], self.path)


def _found_in(
    header: Sequence[str], names: Sequence[str], also: Sequence[Sequence[str]], path: Path
) -> list[int | None]:
    """The place of each column in a header; an empty name is that of no column."""
    called = {name: {name, *others} for name, others in zip(names, also, strict=True)}
    places = {
        name: [at for at, each in enumerate(header) if each in called[name]] for name in filter(None, names)
    }
    if missing := [name for name, at in places.items() if not at]:
        raise SourceError(f"{path}: lacks the columns {', '.join(missing)}, which such a table has")
    if twice := [name for name, at in places.items() if len(at) > 1]:
        raise SourceError(f"{path}: has two columns {twice[0]}; remove or rename one")
    return [places[name][0] if name else None for name in names]


class _CellReader:
    """Reads a cell of one column: see Tennison and Kellogg (2015), section 6.4."""

    def __init__(self, levels: Sequence[_Inherited], dialect: Dialect) -> None:
        null = _stated(levels, "null", "")
        self._null = set(null) if isinstance(null, list) else {null}
        self._default = _stated(levels, "default", "") or ""
        self._separator = _stated(levels, "separator", None)
        self._trimmed = dialect.trimmed

    def __call__(self, cell: str) -> list[str]:
        text = self._trimmed(cell) or self._default
        parts = map(str.strip, text.split(self._separator)) if self._separator else [text]
        return [part for part in parts if part and part not in self._null]


def _stated(levels: Sequence[_Inherited], name: str, other: Any) -> Any:  # noqa: ANN401  # as metadata have it
    values = (getattr(level, name) for level in levels)
    return next((value for value in values if value is not UNSET), other)


def rows_of_table(
    path: Path, names: Sequence[str], *, delimiter: str = ",", optional: Sequence[str] = ()
) -> Iterator[tuple[str, ...]]:
    """The cells in some columns of a table without metadata; those in optional columns may be empty.

    Raises:
        SourceError: It cannot be read, or lacks one of the columns.
    """
    rows = _rows(path, Dialect(delimiter=delimiter, comment_prefix=None), [])
    header = next(rows, [])
    asked = [*names, *(name if name in header else "" for name in optional)]
    places = _found_in(header, asked, [()] * len(asked), path)
    for row in rows:
        yield tuple(row[at] if at is not None and at < len(row) else "" for at in places)


def _file(metadata: Path, url: str) -> Path:
    """The file of a table: as it is named, or packed beside it."""
    if urlsplit(url).scheme:
        raise SourceError(
            f"{metadata}: the table {url} is elsewhere; download it, and name the file in `url`"
        )
    path = metadata.parent / unquote(url)
    packed = [beside for end in _PACKED if (beside := path.with_name(path.name + end)).exists()]
    return packed[0] if packed and not path.exists() else path


def _rows(path: Path, dialect: Dialect, comments: list[int]) -> Iterator[list[str]]:
    """The rows of a file, header first, without those that the dialect leaves out; notes its comments."""
    with _lines(path, dialect) as lines:
        for _ in range(dialect.skip_rows):
            next(lines, None)
        read: list[str] = []  # the lines of the row that is being read
        number = dialect.skip_rows + 1
        for row in _csv_rows(path, _noted(lines, read), dialect):
            if dialect.comment_prefix and read[0].startswith(dialect.comment_prefix):
                comments.append(number)
            elif row:
                yield row[dialect.skip_columns :]
            number += len(read)
            read.clear()


def _noted(lines: Iterator[str], read: list[str]) -> Iterator[str]:
    for line in lines:
        read.append(line)
        yield line


def _csv_rows(path: Path, lines: Iterator[str], dialect: Dialect) -> Iterator[list[str]]:
    rows = _reader(path, lines, dialect)
    try:
        yield from rows
    except csv.Error as error:
        at = f"{path}, line {dialect.skip_rows + rows.line_num + 1}"
        raise SourceError(f"{at}: not CSV: {error}; write it again, with line ends as in Unix") from error


def _reader(path: Path, lines: Iterator[str], dialect: Dialect) -> Any:  # noqa: ANN401  # its type has no name
    try:
        return csv.reader(lines, **dialect.format())
    except (TypeError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read with the dialect in its metadata: {error}") from error


@contextmanager
def _lines(path: Path, dialect: Dialect) -> Iterator[Iterator[str]]:
    """The lines of a file, with their ends, unpacked."""
    try:
        encoding = codecs.lookup(dialect.encoding).name
    except LookupError as error:
        raise SourceError(f"{path}: the metadata name an unknown encoding, {dialect.encoding!r}") from error
    try:
        with reading(path, SourceError), _opened(path) as raw:
            encoding = "utf-8-sig" if encoding == "utf-8" else encoding
            yield iter(io.TextIOWrapper(raw, encoding=encoding, newline=""))
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not {dialect.encoding.upper()}: {error.reason}") from error


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    if path.suffix != ".zip":
        with open_unpacked(path) as file:
            yield file
        return
    try:
        with zipfile.ZipFile(path) as packed:
            names = [name for name in packed.namelist() if not name.endswith("/")]
            wanted = [name for name in names if PurePosixPath(name).name == path.stem] or names
            if len(wanted) != 1:
                raise SourceError(f"{path}: must hold one file, {path.stem}; it holds {len(names)}")
            with packed.open(wanted[0]) as file:
                yield file
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:  # RuntimeError: a password
        raise SourceError(f"{path}: cannot be unpacked: {error}; unzip it") from error
