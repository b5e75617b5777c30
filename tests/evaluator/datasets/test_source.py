"""What data sets are read from: files, gzip, folders and archives, and all that can be wrong with these."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile

import pytest

from evaluator import TestSetError, read_testset
from evaluator.datasets import data_files

GROUPS = {
    "a/x.txt": "rex\nregina\n\nurbs\n",
    "a/y.txt": "via\nforum\n\nfilia\n",
    "b/z.txt": "unus\nduo\n\nrex\n",
}


def folder(path, files):
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def archive(path, files, mode="w:gz", **header):
    """A tar archive; a header field of all members can be set."""
    with tarfile.open(path, mode) as out:
        for name, text in files.items():
            content = text if isinstance(text, bytes) else text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in header.items():
                setattr(member, key, value)
            out.addfile(member, io.BytesIO(content))
    return path


def complaint(path, *arguments):
    with pytest.raises(TestSetError) as raised:
        read_testset(path, *arguments)
    message = str(raised.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


def names(test):
    return [group.name for group in test.outlier_groups]


def test_gzip_is_seen_by_the_content_and_hashed_as_it_is(tmp_path):
    path = tmp_path / "categories.txt"
    path.write_bytes(gzip.compress(b":a\nrex regina\n"))
    test = read_testset(path)
    assert test.categories[0].words == ("rex", "regina")
    assert test.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(("name", "mode"), [("x.tar.gz", "w:gz"), ("x.tgz", "w:gz"), ("x.tar", "w")])
def test_an_archive_is_read_as_the_folder_it_unpacks_to(tmp_path, name, mode):
    packed = read_testset(
        archive(tmp_path / name, {f"set/{each}": text for each, text in GROUPS.items()}, mode)
    )
    loose = read_testset(folder(tmp_path / "set", GROUPS))
    assert names(packed) == names(loose) == ["x", "y", "z"]
    assert packed.outlier_groups == loose.outlier_groups
    assert packed.sha256 == loose.sha256
    assert (packed.name, loose.name) == (name, "set")
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([name, "set"])


def test_the_hash_of_a_folder_is_of_names_and_contents(tmp_path):
    def sha256(name, files):
        return read_testset(folder(tmp_path / name, files), "outliers").sha256

    first = sha256("one", GROUPS)
    assert sha256("two", dict(reversed(GROUPS.items()))) == first
    assert sha256("hidden", GROUPS | {".git/x.txt": "", "LICENSE": "MIT", "._x.txt": "?"}) == first
    assert sha256("renamed", {name.replace("z", "w"): text for name, text in GROUPS.items()}) != first
    assert sha256("changed", GROUPS | {"b/z.txt": "unus\nduo\n\nregina\n"}) != first


def test_a_folder_is_called_by_its_name_wherever_it_is_read_from(tmp_path, monkeypatch):
    monkeypatch.chdir(folder(tmp_path / "set", GROUPS))
    assert read_testset(".").name == "set"


def test_gzip_within_a_folder(tmp_path):
    files = {"x.txt.gz": gzip.compress(b"rex\nregina\n\nurbs\n")}
    assert names(read_testset(folder(tmp_path / "set", files))) == ["x"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(tmp_path, end):
    path = tmp_path / "pairs.txt"
    path.write_bytes(f"\ufeffrex\tregina\t7.5{end}urbs\tvia\t3{end}".encode())
    assert read_testset(path).rated_pairs[0].pairs == (("rex", "regina", 7.5), ("urbs", "via", 3.0))


BAD = {
    "empty": (b"", ": the file is empty; fetch or write it again"),
    "blank": (b"\n \n", ": the file is empty"),
    "latin-1": (b"rex\tregina\t5\nr\xe9x\tregina\t5\n", ", line 2: not UTF-8; save the file as UTF-8"),
    "utf-16": ("rex\tregina\t5\n".encode("utf-16"), ", line 1: not UTF-8"),
    "noise": (b"\x00\x01\x02\x03", ": not recognised as a data set"),
    "cut gzip": (gzip.compress(b":a\nrex regina\n" * 9)[:-12], ": the gzip data is incomplete or damaged"),
    "zip": (b"PK\x03\x04....", ": is a zip archive; unpack it"),
    "bzip2": (b"BZh91AY", ": is compressed with bzip2"),
}


@pytest.mark.parametrize("kind", BAD)
def test_files_that_are_refused(tmp_path, kind):
    content, expected = BAD[kind]
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    assert complaint(path).startswith(expected)


def test_a_missing_file_and_a_folder_without_data(tmp_path):
    assert complaint(tmp_path / "none.txt") == ": cannot be read: No such file or directory"
    (tmp_path / "README.md").write_text("text")
    assert (
        complaint(tmp_path)
        == ": holds no file that ends in .txt, .csv, .tsv; give one that does, or one file"
    )


@pytest.mark.parametrize("format_", ["testset", "categories", "questions", "rated-pairs", "fasttext"])
def test_a_folder_for_a_format_of_one_file(tmp_path, format_):
    assert complaint(folder(tmp_path / "set", GROUPS), format_) == (
        ": is a folder or archive; name a file in this format"
    )


def test_archives_that_are_refused(tmp_path):
    whole = archive(tmp_path / "whole.tar", GROUPS, "w").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[:1030])
    assert ": the archive is incomplete, or is not an archive" in complaint(tmp_path / "cut.tar")
    (tmp_path / "no.tar.gz").write_bytes(gzip.compress(b"rex\nregina\n\nurbs\n"))
    assert ": the archive is incomplete, or is not an archive" in complaint(tmp_path / "no.tar.gz")
    (tmp_path / "bad.tar").write_bytes(b"?" + whole[1:])
    assert ": the archive is damaged" in complaint(tmp_path / "bad.tar")
    link = archive(tmp_path / "link.tar", {"x.txt": ""}, "w", type=tarfile.SYMTYPE, linkname="/etc/passwd")
    assert complaint(link) == ": x.txt: is a link or device; make the archive again from regular files"
    with tarfile.open(tmp_path / "twice.tar", "w") as out:
        for _ in range(2):
            out.addfile(tarfile.TarInfo("x.txt"))
    assert complaint(tmp_path / "twice.tar").startswith(": x.txt: is there twice")


def test_names_in_an_archive_that_lead_elsewhere_are_only_names(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    path = archive(inside / "x.tar", {"../up.txt": "a\nb\n\nc\n", "/root.txt": "a\nb\n\nc\n"}, "w")
    assert names(read_testset(path)) == ["up", "root"]
    assert [each.name for each in tmp_path.iterdir()] == ["inside"]


def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(data_files, "LIMIT", 10_000)
    path = tmp_path / "x.txt"
    path.write_bytes(gzip.compress(b":a\n" + b"rex " * 3000))
    assert complaint(path) == ": unpacks to more than 10,000 bytes; is it a data set?"
    path.write_bytes(gzip.compress(b":a\n" + b"rex " * 1000))
    assert read_testset(path).categories
    path.write_bytes(b":a\n" + b"rex " * 3000)
    assert complaint(path) == ": is larger than 10,000 bytes; is it a data set?"
    files = {f"{n}.txt": "rex\nregina\n\n" + "urbs\n" * 600 for n in range(4)}
    assert ": its files are larger than 10,000 bytes" in complaint(folder(tmp_path / "set", files))
    assert ": unpacks to more than 10,000 bytes" in complaint(archive(tmp_path / "x.tar.gz", files))
    assert ": is larger than 10,000 bytes" in complaint(archive(tmp_path / "x.tar", files, "w"))


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("", []),
        ("#one\n#two", []),
        ("# one\n#two\nrex", [1, 2]),
        ("\n#one\n\n# two\nrex\n# three\nlex", [2, 4, 6]),
        ("rex\n#one\n# two", [3]),
        ("#rex\n#lex\nroma\n#dux\n#pax", []),
        ('"a\n# no comment\nb"\n# a comment', [4]),
    ],
)
def test_what_is_a_comment(text, comments):
    assert sorted(data_files.comment_lines(text.split("\n"))) == comments
