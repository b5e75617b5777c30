"""Dumps are unpacked from any offset on; damaged and truncated ones are recognised."""

from __future__ import annotations

import bz2
import gzip
import random
from contextlib import closing

import pytest
import zstandard

from testgen.errors import SourceError
from testgen.snapshots.dumps import unpacking
from testgen.snapshots.dumps.dump_file import DumpFile
from testgen.snapshots.dumps.unpacking import DumpText, EntryPoint
from testgen.sources import Snapshot
from tests.testgen.snapshots.dumps.small_dump import COMPRESS, JSON, QUERIES, create, write

TEXT = "".join(f"{random.Random(number).random()} {number % 7}\n" for number in range(60_000)).encode()  # noqa: S311
COMPRESSIONS = {
    "none": bytes,
    "gzip": gzip.compress,
    "bzip2": lambda text: bz2.compress(text, 1),
    "zstd": lambda text: zstandard.ZstdCompressor(write_checksum=True).compress(text),
}

START = EntryPoint()


def streams(compress, size):
    """A file of several streams, as of pigz, bgzip, pbzip2 and pzstd."""
    return b"".join(compress(TEXT[at : at + size]) for at in range(0, len(TEXT), size))


def dump(folder, content, compression):
    path = write(folder, "dump", content)
    return DumpFile(path, "JSON", compression, len(content), in_brackets=False)


def read(file, offset=0, entry=START, workers=2):
    """The text from an offset on, the fault at its end, and what there is to resume at after each read."""
    buffer, found, points = bytearray(50_000), [], []
    with closing(DumpText(file, offset, entry, workers)) as text:
        while count := text.readinto(memoryview(buffer)):
            found.append(bytes(buffer[:count]))
            points.append((offset + sum(map(len, found)), text.entry))
        return b"".join(found), text.fault, points


@pytest.mark.parametrize("size", [len(TEXT), 300_000, 65_280])
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_files_of_one_stream_and_of_many_are_read_from_any_offset(tmp_path, monkeypatch, compression, size):
    monkeypatch.setattr(unpacking, "_BZIP2_SECTION", 100_000)
    file = dump(tmp_path, streams(COMPRESSIONS[compression], size), compression)
    text, fault, points = read(file)
    assert (text == TEXT, fault) == (True, None)
    assert (len({entry for _, entry in points}) > 3) == (compression == "bzip2")
    for offset, entry in [(77, START), points[0], points[-2], points[len(points) // 2]]:
        assert read(file, offset, entry)[:2] == (TEXT[offset:], None)


def test_more_workers_have_more_threads_for_the_same_text(tmp_path):
    for compression in ("gzip", "bzip2"):
        file = dump(tmp_path, COMPRESSIONS[compression](TEXT), compression)
        assert [read(file, workers=workers)[:2] for workers in (1, 8)] == [(TEXT, None)] * 2


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "zstd"])
def test_truncated_and_damaged_files_have_a_fault(tmp_path, compression):
    """rapidgzip by itself takes many truncated gzip files for whole ones."""
    whole, rng = COMPRESSIONS[compression](TEXT), random.Random(0)  # noqa: S311
    faulty = [whole[:length] for length in [*rng.sample(range(200, len(whole)), 25), len(whole) - 1]]
    damaged = {
        at: bytes([whole[at] ^ 1 << rng.randrange(8)]) for at in rng.sample(range(200, len(whole)), 10)
    }
    faulty += [whole[:at] + byte + whole[at + 1 :] for at, byte in damaged.items()]
    for content in faulty:
        text, fault, _ = read(dump(tmp_path, content, compression))
        assert fault is not None
        assert fault.startswith("the file is damaged or cut off near its byte ")
        assert text != TEXT or len(content) < len(whole)


@pytest.mark.parametrize("cut", [5, 30, 1000, -4])
def test_all_text_before_the_damage_of_a_gzip_file_is_read(tmp_path, cut):
    text = TEXT
    whole, second = gzip.compress(text), gzip.compress(text[::-1])
    file = dump(tmp_path, whole + second[:cut], "gzip")
    with closing(DumpText(file, 0, START, 1)) as found:
        buffer = memoryview(bytearray(4 * len(text)))
        count = found.readinto(buffer)
        assert found.fault is not None
    assert bytes(buffer[: len(text)]) == text
    assert bytes(buffer[len(text) : count]) == text[::-1][: count - len(text)]
    assert count == 2 * len(text) if cut == -4 else count >= len(text)


def test_zeros_after_a_gzip_file_are_no_damage(tmp_path):
    text = TEXT
    file = dump(tmp_path, gzip.compress(text) + bytes(512), "gzip")
    with closing(DumpText(file, 0, START, 1)) as found:
        assert found.readinto(memoryview(bytearray(2 * len(text)))) == len(text)
        assert found.fault is None


@pytest.mark.parametrize("ending", COMPRESS)
def test_a_truncated_dump_is_refused_unless_allowed(tmp_path, ending):
    half = len(JSON) // 2
    content = COMPRESS[ending](JSON[:half]) + COMPRESS[ending](JSON[half:])
    path = write(tmp_path, f"d.{ending}", content[: len(content) * 3 // 4])
    with pytest.raises(SourceError, match=f"d.{ending} is incomplete: .*--allow-truncated"):
        create(tmp_path, path)
    assert not (tmp_path / "s.ttl").exists()
    report = create(tmp_path, path, allow_truncated=True)
    assert report.counts.missing_ends
    assert Snapshot(report.path).answer(QUERIES[0]).rows


def test_a_whole_gzip_file_of_half_a_dump_is_incomplete_too(tmp_path):
    path = write(tmp_path, "d.json.gz", gzip.compress(JSON.rpartition(b"]")[0]))
    with pytest.raises(SourceError, match=r"its last line is not \]; .* bytes of text were read"):
        create(tmp_path, path)
