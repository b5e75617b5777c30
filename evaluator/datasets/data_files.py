"""The files of a data set, one or those of a folder or archive, unpacked in memory; and their rows."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import math
import re
import tarfile
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import dropwhile, islice, takewhile
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn, TypeVar

from evaluator.datasets.testset import Reading, TestSet
from evaluator.errors import TestSetError
from evaluator.execution.inputs import DATA_ENDINGS, Input, is_data, opened_folder, seen, taken

LIMIT = 1 << 30
"""The most bytes that gzip or an archive may unpack to, and a folder may hold: kilobytes can be terabytes."""

_GZIP_MAGIC = b"\x1f\x8b"
_OTHER_PACKING = {
    b"PK\x03\x04": "a zip archive; unpack it (unzip) and give the file or folder inside",
    b"BZh": "compressed with bzip2; unpack it (bunzip2), or compress it with gzip instead",
    b"\xfd7zXZ": "compressed with xz; unpack it (unxz), or compress it with gzip instead",
    b"\x28\xb5\x2f\xfd": "compressed with zstd; unpack it (unzstd), or compress it with gzip instead",
}
_OF_LANGUAGE = r"[a-z]{2,3}(-[a-z]+)*\.json"
_SAMPLE_BYTES, _SAMPLE_LINES = 1 << 16, 200

SPACE = " "
_BETWEEN = {"\t": "a tab", ";": "a semicolon", ",": "a comma", SPACE: "a space"}
DROP = '; bad_rows="drop" (--bad-rows drop of score, best and coverage) leaves such lines out'
Kind = TypeVar("Kind", bound=TestSet)
_SPACES = re.compile(r"[ \t]+")
# `:)` and `:( :(` begin lines of words; a name begins with a letter or digit, perhaps in brackets or quotes.
_HEADER = re.compile(r":\s*([(\[{\"'«“]*\w.*)")
_JSON_OBJECT = re.compile(r"\s*\{\s*(\"|$)")
_FORMAT = re.compile(r'"format"\s*:\s*"([^"]*)"')
_COMMENT = re.compile(r"#(?:[ !]|#+(?: |$))")
_LEADING_COMMENT = re.compile(r"#[^\W\d_]")  # `#Word1`, but neither `#,word1` nor `#1`
_MOST_TAGS = 0.05  # of lines that begin with #, if the first ones are no comments but words such as `#love`
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


class BadLineError(TestSetError):
    """Something is wrong in a line, counted from 1, of a file as messages call it."""

    def __init__(self, file: str, line: int, complaint: str) -> None:
        super().__init__(f"{file}, line {line}: {complaint}")
        self.file, self.line = file, line

    def __reduce__(self) -> tuple[object, ...]:
        """For pickling, which has only the message and not the arguments."""
        return TestSetError, self.args


@dataclass(frozen=True)
class DataFile:
    """One file, unpacked.

    The path is what messages call it; within a folder or archive, its name has the folders it is in.
    """

    path: str
    name: str
    content: bytes

    @property
    def stem(self) -> str:
        """Its name without folders and suffixes, for sections and groups that have no name of their own."""
        name = PurePosixPath(self.name.removesuffix(".gz"))
        return name.stem if name.suffix.lower() in {*DATA_ENDINGS, ".json"} else name.name

    @cached_property
    def text(self) -> str:
        r"""Its text without a byte order mark, each line ended by `\n` alone."""
        try:
            text = self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.fail(self.content.count(b"\n", 0, error.start) + 1, "not UTF-8; save the file as UTF-8")
        return unix_line_ends(text)

    @cached_property
    def comments(self) -> frozenset[int]:
        """The numbers of the lines that are comments."""
        return comment_lines(self.text.split("\n"))

    @property
    def all_lines(self) -> Iterator[tuple[int, str]]:
        """Its lines with their numbers; comments are blank.

        Raises:
            TestSetError: A line holds a control character, such as ESC, which no word has.
        """
        for number, line in enumerate(self.text.split("\n"), 1):
            found = _CONTROL.search(line)
            if number in self.comments:
                yield number, ""
            elif found is not None:
                self.fail(number, f"holds the control character U+{ord(found[0]):04X}; remove it{DROP}")
            else:
                yield number, line

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """Its lines that are neither blank nor comments, with their numbers."""
        return ((number, line) for number, line in self.all_lines if line.strip())

    @cached_property
    def sample(self) -> list[str]:
        """Its first complete lines that are neither blank nor comments, to recognise the format by."""
        text = unix_line_ends(self.content[:_SAMPLE_BYTES].decode("utf-8-sig", errors="replace"))
        lines = text.split("\n")
        whole = lines[:-1] if len(self.content) > _SAMPLE_BYTES else lines
        comments = comment_lines(whole)
        found = (line for number, line in enumerate(whole, 1) if line.strip() and number not in comments)
        return list(islice(found, _SAMPLE_LINES))

    def first_row(self, separator: str | None = None) -> list[str]:
        """The fields of its first line, to recognise the format by; none if there is no line."""
        return sample_rows(self.sample[:1], separator)[0] if self.sample else []

    def fail(self, line: int, complaint: str) -> NoReturn:
        """Report what is wrong in a line."""
        raise BadLineError(self.path, line, complaint)

    def refuse_again(self, line: int, what: str, name: str, known: Container[str]) -> None:
        """Refuse a name that occurs twice."""
        if name in known:
            self.fail(line, f"{what} {name!r} occurs twice; rename one of them")

    def without_line(self, number: int) -> DataFile:
        """The same file with a line left blank, so that the others keep their numbers."""
        lines = self.text.split("\n")
        lines[number - 1] = ""
        return replace(self, content="\n".join(lines).encode())


def comment_lines(lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines that are comments: `# text` anywhere, and `#text` above everything else.

    Words may begin with #, too: `#text` is a comment only if hardly a line below begins so, and nothing
    within quotation marks is one.
    """
    below = list(dropwhile(lambda line: not line.strip() or line.startswith("#"), lines))
    tags = sum(_LEADING_COMMENT.match(line) is not None for line in below)
    leading = range(1, len(lines) - len(below) + 1) if below and tags <= _MOST_TAGS * len(below) else ()
    found, quotes = set[int](), 0
    for number, line in enumerate(lines, 1):
        if quotes % 2 == 0 and (_COMMENT.match(line) or (number in leading and _LEADING_COMMENT.match(line))):
            found.add(number)
        else:
            quotes += line.count('"')
    return frozenset(found)


def unix_line_ends(text: str) -> str:
    r"""A text in which each line ends with `\n` alone."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True)
class DataSetSource:
    """What the reader of a format gets.

    Attributes:
        path: As the caller names it.
        files: The file, or the files of the folder or archive in the order of their names.
        is_folder: Whether it is a folder or an archive.
        language: The language that the caller names.
        sha256: Of a file's bytes as they are on disk; of a folder or archive, of the names and contents of
            its files, so that both are the same for the same files.
        chosen: The columns that the caller names, by the role of each.
    """

    path: Path
    files: tuple[DataFile, ...]
    is_folder: bool
    language: str
    sha256: str
    chosen: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What to call it in tables."""
        return self.path.name or self.path.resolve().name

    @property
    def file(self) -> DataFile:
        """The one file, for formats that are one file.

        Raises:
            TestSetError: It is a folder or an archive.
        """
        if self.is_folder:
            raise TestSetError(f"{self.path}: is a folder or archive; name a file in this format")
        return self.files[0]

    @property
    def sample(self) -> list[str]:
        """The first lines of the one file; none of a folder or archive."""
        return [] if self.is_folder else self.files[0].sample

    @property
    def columns(self) -> list[str]:
        """The fields of the first of these lines, which may name the columns of a table."""
        return [] if self.is_folder else self.files[0].first_row()

    @property
    def is_json(self) -> bool:
        """By its name, so that an error in it is reported as such; else by how a JSON object begins."""
        if self.is_folder:
            return False
        named = self.path.name.lower().removesuffix(".gz").endswith(".json")
        return named or (bool(self.sample) and _JSON_OBJECT.match(self.sample[0]) is not None)

    @property
    def states_format(self) -> str:
        """The format that JSON names in its first lines; "" if there is none."""
        if not self.is_json:
            return ""
        start = self.files[0].content[:_SAMPLE_BYTES].decode("utf-8-sig", errors="replace")
        found = _FORMAT.search("\n".join(start.split("\n")[:10]))
        return found[1] if found else ""

    def test_set(
        self,
        language: str | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        others: Mapping[str, Sequence[str]] | None = None,
        skipped: Iterable[str] = (),
        kind: type[Kind] = TestSet,  # type: ignore[assignment]  # of the type variable
        **content: Any,  # noqa: ANN401  # of TestSet
    ) -> Kind:
        """The test set that this data set is.

        Args:
            language: Its code, if the files state one; else it is the one that the caller names.
            columns: The column of each role, if it is a table; see `Reading`.
            others: The columns that would have fitted as well.
            skipped: The lines that were left out and why; comments are added by themselves.
            kind: Its type, `TestSet` or a class derived from it.
            content: What it holds; see `TestSet`.

        Raises:
            TestSetError: Two of its parts have the same name.
        """
        code = language or self.language
        listed = {role: tuple(each) for role, each in (others or {}).items() if each}
        reading = Reading("", code, columns or {}, listed, (*self._comments, *skipped))
        return kind(code, self.name, self.sha256, reading=reading, **content)

    @property
    def _comments(self) -> Iterator[str]:
        for file in () if self.is_json else self.files:
            lines = sorted(file.comments)
            if len(lines) == 1:
                yield f"{file.name}, line {lines[0]}: a comment"
            elif lines:
                yield f"{file.name}, lines {', '.join(map(str, lines))}: comments"


def open_source(
    path: Path, language: str, chosen: Mapping[str, str] | None = None, name: str | None = None
) -> DataSetSource:
    """Read a file, folder or archive into memory; archives are never unpacked to disk.

    It is an input by its name, if the user calls it by one, or by a URL.
    """
    try:
        if path.is_dir():
            return _folder(path, _in_folder(path), language, chosen)
        content = _content(path, name or seen(path))
    except OSError as error:
        lacks = isinstance(error, FileNotFoundError) and re.fullmatch(_OF_LANGUAGE, path.name)
        advice = f". `testgen generate {path.stem} --output '{path.parent}'` makes it" if lacks else ""
        raise TestSetError(f"{path}: cannot be read: {error.strerror or error}{advice}") from error
    if len(content) > LIMIT:
        raise TestSetError(f"{path}: is larger than {LIMIT:,} bytes; is it a data set?")
    unpacked = _unpacked(str(path), content)
    if _is_archive(path, unpacked):
        return _folder(path, _in_archive(path, unpacked), language, chosen)
    if not unpacked.strip():
        raise TestSetError(f"{path}: the file is empty; fetch or write it again")
    file = DataFile(str(path), path.name, unpacked)
    sha256 = hashlib.sha256(content).hexdigest()
    return DataSetSource(path, (file,), False, language, sha256, chosen or {})


def _content(path: Path, shown: str) -> bytes:
    """The bytes of a file, which becomes an input."""
    with path.open("rb") as opened:
        content = opened.read(LIMIT + 1)
    taken(Input("test set", shown, hashlib.sha256(content).hexdigest(), len(content)))
    return content


def _folder(
    path: Path, files: tuple[DataFile, ...], language: str, chosen: Mapping[str, str] | None
) -> DataSetSource:
    if not files:
        endings = ", ".join(DATA_ENDINGS)
        raise TestSetError(f"{path}: holds no file that ends in {endings}; give one that does, or one file")
    return DataSetSource(path, files, True, language, _sha256(files), chosen or {})


def _in_folder(path: Path) -> tuple[DataFile, ...]:
    files = opened_folder(path)
    if sum(each.stat().st_size for each in files) > LIMIT:
        raise TestSetError(
            f"{path}: its files are larger than {LIMIT:,} bytes; name the file or folder of one data set"
        )
    return _data_files(
        (str(each), each.relative_to(path).as_posix(), _unpacked(str(each), _content(each, seen(each))))
        for each in files
    )


def _is_archive(path: Path, content: bytes) -> bool:
    packed_or_not = path.name.lower().removesuffix(".gz")
    return content[257:262] == b"ustar" or packed_or_not.endswith((".tar", ".tgz"))


def _in_archive(path: Path, content: bytes) -> tuple[DataFile, ...]:
    if content[-2 * tarfile.BLOCKSIZE :].strip(b"\0"):
        # tarfile reads an incomplete archive without an error.
        raise TestSetError(f"{path}: the archive is incomplete, or is not an archive; fetch it again")
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            return _data_files(_members(path, archive))
    except (tarfile.TarError, EOFError) as error:
        raise TestSetError(f"{path}: the archive is damaged ({error}); fetch it again") from error


def _members(path: Path, archive: tarfile.TarFile) -> Iterator[tuple[str, str, bytes]]:
    """Path, name and content of each file; the size that a header states is not trusted."""
    left, seen = LIMIT, set()
    for member in archive:
        if member.isdir() or not is_data(PurePosixPath(member.name)):
            continue
        member_path = f"{path}: {member.name}"
        stream = archive.extractfile(member) if member.isreg() else None
        if stream is None or member.name in seen:
            what = "is there twice" if stream else "is a link or device"
            raise TestSetError(f"{member_path}: {what}; make the archive again from regular files")
        seen.add(member.name)
        content = stream.read(left + 1)
        left -= len(content)
        if left < 0:
            raise TestSetError(
                f"{member_path}: the archive unpacks to more than {LIMIT:,} bytes; is it a data set?"
            )
        yield member_path, member.name, _unpacked(member_path, content)


def _data_files(found: Iterable[tuple[str, str, bytes]]) -> tuple[DataFile, ...]:
    """Sorted by name, without the folders that all names begin with: unpacking may add or drop some."""
    files = sorted(found, key=lambda each: each[1])
    folders = [PurePosixPath(name).parent.parts for _, name, _ in files]
    shared = len([*takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))])
    return tuple(
        DataFile(path, "/".join(PurePosixPath(name).parts[shared:]), content) for path, name, content in files
    )


def _unpacked(path: str, content: bytes) -> bytes:
    """The content, decompressed if its first bytes are those of gzip."""
    for magic, what in _OTHER_PACKING.items():
        if content.startswith(magic):
            raise TestSetError(f"{path}: is {what}")
    if not content.startswith(_GZIP_MAGIC):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            unpacked = stream.read(LIMIT + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TestSetError(
            f"{path}: the gzip data is incomplete or damaged ({error}); fetch it again"
        ) from error
    if len(unpacked) > LIMIT:
        raise TestSetError(f"{path}: unpacks to more than {LIMIT:,} bytes; is it a data set?")
    return unpacked


def _sha256(files: Iterable[DataFile]) -> str:
    digest = hashlib.sha256()
    for file in files:
        # With the lengths, no other names and contents give the same bytes.
        digest.update(f"{file.name}\0{len(file.content)}\0".encode())
        digest.update(file.content)
    return digest.hexdigest()


def rows(file: DataFile, separator: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file that are not empty, each with its line number, white space stripped from its fields.

    The separator is a tab, semicolon, comma, or SPACE for any number of spaces; or if None, what
    `separator_of` finds.
    """
    separator = separator or separator_of(file.sample)
    found = (
        _quoted_rows(file, separator)
        if separator in ",;"
        else ((number, fields(line, separator)) for number, line in file.lines)
    )
    empty = True
    for number, row in found:
        if any(row):
            empty = False
            yield number, row
    if empty:
        raise TestSetError(f"{file.path}: all rows are empty; fetch or write the file again")


def two_fields(
    file: DataFile, line_number: int, line: str, what: str, separator: str = "\t"
) -> tuple[str, str]:
    """The two fields of a line, with a tab or another separator between."""
    pair = fields(line, separator)
    if len(pair) != 2 or not all(pair):
        between = _BETWEEN[separator]
        file.fail(line_number, f"{len(pair)} fields; a word, {between} and its {what} are needed{DROP}")
    return pair[0], pair[1]


def _quoted_rows(file: DataFile, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((f"{line}\n" for _, line in file.all_lines), delimiter=separator, strict=True)
    last = 0
    try:
        for row in reader:
            start, last = last + 1, reader.line_num
            yield start, [field.strip() for field in row]
    except csv.Error as error:
        file.fail(
            last + 1, f"cannot be split at {separator!r}: {error}; is a closing quotation mark missing?"
        )


def sample_rows(lines: Iterable[str], separator: str | None = None) -> list[list[str]]:
    """The rows of the first lines of a file, to recognise its format by."""
    lines = list(lines)
    separator = separator or separator_of(lines)
    if separator not in ",;":
        return [fields(line, separator) for line in lines]
    return [[field.strip() for field in row] for row in csv.reader(lines, delimiter=separator)]


def separator_of(lines: list[str]) -> str:
    """The first of tab, semicolon and comma that more than half of the lines contain, else SPACE."""
    return next((each for each in "\t;," if most(each in line for line in lines)), SPACE)


def fields(line: str, separator: str) -> list[str]:
    """The fields of a line without quoted fields."""
    found = _SPACES.split(line.strip(" \t")) if separator == SPACE else line.split(separator)
    return [field.strip() for field in found]


def number(text: str) -> float | None:
    """The value of a decimal number such as `-3.5` or `1e3`; None for other text, such as `nan` or `3,5`."""
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def most(conditions: Iterable[bool]) -> bool:
    """Whether more than half are true."""
    answers = list(conditions)
    return 2 * sum(answers) > len(answers)


def category_header(line: str) -> str | None:
    """The name, if a line is a header `:name`."""
    found = _HEADER.fullmatch(line.strip())
    return found[1] if found else None


def letters_of(name: str) -> str:
    """The letters and digits of a name, in lower case."""
    return "".join(letter for letter in name.lower() if letter.isalnum())
