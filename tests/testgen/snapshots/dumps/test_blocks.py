"""Dumps are unpacked in blocks of whole lines; damaged and truncated ones are recognised."""

from __future__ import annotations

import bz2
import gzip
import random

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from testgen.errors import SourceError
from testgen.snapshots.dumps import dump_file
from testgen.snapshots.dumps.dump_file import BlockReader, DumpFile
from testgen.sources import Snapshot
from tests.testgen.snapshots.dumps.small_dump import COMPRESS, JSON, QUERIES, create, write

DRAW = random.Random(0)
TEXT = "".join(f"{DRAW.random()} {number % 7}}}\n" for number in range(30_000)).encode()
COMPRESSIONS = {
    "none": bytes,
    "gzip": gzip.compress,
    "bzip2": lambda text: bz2.compress(text, 1),
    "zstd": lambda text: zstandard.ZstdCompressor(write_checksum=True).compress(text),
}


def dump(folder, content, compression):
    return DumpFile(write(folder, "dump", content), compression, len(content), in_brackets=False)


def read(file, workers=2, size=50_000):
    """The blocks, and the fault at the end."""
    reader = BlockReader(file, workers, size)
    return list(reader), reader.fault


@given(st.lists(st.sampled_from([b"{}\n", b"{12}\n", b"\n"]), min_size=1), st.booleans(), st.integers(1, 40))
def test_blocks_hold_whole_lines(tmp_path_factory, lines, cut, size):
    text = b"".join(lines)[: -1 if cut else None]
    found, _ = read(dump(tmp_path_factory.mktemp("t"), text, "none"), size=size)
    assert b"".join(found) == text
    assert all(block.endswith(b"\n") for block in found[:-1])
    assert all(len(block) <= size + 5 for block in found)


def test_a_file_without_lines_is_not_a_dump(tmp_path, monkeypatch):
    monkeypatch.setattr(dump_file, "_LONGEST", 100)
    with pytest.raises(SourceError, match="more than 100 bytes without an end: not a dump"):
        read(dump(tmp_path, b"[" * 1000, "none"), size=10)


@pytest.mark.parametrize("workers", [1, 8])
@pytest.mark.parametrize("size", [len(TEXT), 300_000, 65_280])
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_files_of_one_stream_and_of_many_are_read(tmp_path, compression, size, workers):
    """Files of several streams are those of pigz, bgzip, pbzip2 and pzstd."""
    streams = (COMPRESSIONS[compression](TEXT[at : at + size]) for at in range(0, len(TEXT), size))
    found, fault = read(dump(tmp_path, b"".join(streams), compression), workers)
    assert (b"".join(found) == TEXT, fault) == (True, None)


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "zstd"])
def test_truncated_and_damaged_files_have_a_fault(tmp_path, compression):
    """rapidgzip by itself takes many truncated gzip files for whole ones."""
    whole, rng = COMPRESSIONS[compression](TEXT), random.Random(0)
    faulty = [whole[:length] for length in [*rng.sample(range(200, len(whole)), 10)]]
    damaged = {at: bytes([whole[at] ^ 1 << rng.randrange(8)]) for at in rng.sample(range(200, len(whole)), 5)}
    faulty += [whole[:at] + byte + whole[at + 1 :] for at, byte in damaged.items()]
    for content in faulty:
        found, fault = read(dump(tmp_path, content, compression))
        assert fault is not None
        assert fault.startswith(
            ("the file is damaged or cut off near its byte ", "its last line is incomplete")
        )
        assert b"".join(found) != TEXT or len(content) < len(whole)


@pytest.mark.parametrize("cut", [5, 30, 1000, -4])
def test_all_text_before_the_cut_of_a_gzip_file_is_read(tmp_path, cut):
    whole, second = gzip.compress(TEXT), gzip.compress(TEXT[::-1])
    found, fault = read(dump(tmp_path, whole + second[:cut], "gzip"))
    text = b"".join(found)
    assert fault is not None
    assert text == (TEXT + TEXT[::-1])[: len(text)]
    assert len(text) == 2 * len(TEXT) if cut == -4 else len(text) >= len(TEXT)


def test_zeros_after_a_gzip_file_are_no_damage(tmp_path):
    found, fault = read(dump(tmp_path, gzip.compress(TEXT) + bytes(512), "gzip"))
    assert (b"".join(found) == TEXT, fault) == (True, None)


@pytest.mark.parametrize("ending", COMPRESS)
def test_a_truncated_dump_is_refused_unless_allowed(tmp_path, ending):
    half = len(JSON) // 2
    content = COMPRESS[ending](JSON[:half]) + COMPRESS[ending](JSON[half:])
    path = write(tmp_path, f"d.{ending}", content[: len(content) * 3 // 4])
    with pytest.raises(SourceError, match=f"d.{ending} is incomplete: .*--allow-truncated"):
        create(tmp_path, path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert create(tmp_path, path, allow_truncated=True).missing_ends
    assert Snapshot(tmp_path / "s.ttl").answer(QUERIES[0]).rows


def test_a_whole_gzip_file_of_half_a_dump_is_incomplete_too(tmp_path):
    path = write(tmp_path, "d.json.gz", gzip.compress(JSON.rpartition(b"]")[0]))
    with pytest.raises(SourceError, match=r"d.json.gz is incomplete: its last line is not \]"):
        create(tmp_path, path)
