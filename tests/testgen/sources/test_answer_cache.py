"""The cache: what it returns is complete, fresh enough and harmless."""

from __future__ import annotations

import errno
import os
import pickle
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import diskcache
import pytest

from testgen.errors import CacheError
from testgen.sources import AnswerCache, answer_cache
from testgen.sources.json_disk import JSONOnlyDisk
from tests.testgen.network import NOON, open_cache

URL = "https://example.org/sparql"
SMALL, LARGE = [URL, "query", "small"], [URL, "query", "large"]
# Not compressible: it gets a file of its own.
VALUES = {"small": [{"item": "Q1"}], "large": [f"{number * 7919:x}" for number in range(60_000)]}


@pytest.fixture
def directory(tmp_path):
    """A cache with a small answer, in the database, and a large one, in a file."""
    with open_cache(tmp_path / "cache") as cache:
        cache.put_all([(SMALL, VALUES["small"]), (LARGE, VALUES["large"])])
    return tmp_path / "cache"


def value_files(directory):
    return list(directory.rglob("*.val"))


def change(directory, text, *values):
    with closing(sqlite3.connect(directory / "cache.db")) as database, database:
        return database.execute(text, values).fetchall()


def test_what_is_kept_is_there_the_next_time(directory):
    with open_cache(directory) as cache:
        assert cache.get(SMALL).value == VALUES["small"]
        assert cache.get(LARGE).value == VALUES["large"]
        assert cache.get([URL, "query", "other"]) is None
    assert len(value_files(directory)) == 1


def test_times_are_to_the_second(tmp_path, monkeypatch):
    monkeypatch.setattr(answer_cache, "_now", lambda: NOON + timedelta(microseconds=1))
    with open_cache(tmp_path) as cache:
        assert cache.put_all([(SMALL, 1)]) == "2026-11-20T12:00:00Z"
        assert cache.get(SMALL).retrieved == "2026-11-20T12:00:00Z"


class TestFreshness:
    @pytest.fixture
    def old(self, tmp_path, monkeypatch):
        monkeypatch.setattr(answer_cache, "_now", lambda: NOON - timedelta(days=3))
        with open_cache(tmp_path) as cache:
            cache.put_all([(SMALL, "old")])
        monkeypatch.setattr(answer_cache, "_now", lambda: NOON)
        return tmp_path

    @pytest.mark.parametrize(("days", "there"), [(None, True), (3, True), (2.9, False), (0, False)])
    def test_max_age(self, old, days, there):
        age = None if days is None else timedelta(days=days)
        with open_cache(old, max_age=age) as cache:
            assert (cache.get(SMALL) is not None) == there

    def test_an_age_of_0_counts_what_this_run_has_retrieved(self, old):
        with open_cache(old, max_age=timedelta(0)) as cache:
            assert cache.get(SMALL) is None
            cache.put_all([(SMALL, "new")])
            assert cache.get(SMALL).value == "new"

    def test_an_age_of_0_in_the_same_second(self, old, monkeypatch):
        with open_cache(old) as cache:
            cache.put_all([(SMALL, "a moment ago")])
        monkeypatch.setattr(answer_cache, "_now", lambda: NOON + timedelta(milliseconds=1))
        with open_cache(old, max_age=timedelta(0)) as cache:
            assert cache.get(SMALL) is None

    def test_an_answer_of_the_future_is_asked_for_again_if_age_counts(self, old, monkeypatch):
        monkeypatch.setattr(answer_cache, "_now", lambda: NOON - timedelta(days=4))
        with open_cache(old, max_age=timedelta(days=1)) as cache:
            assert cache.get(SMALL) is None
        with open_cache(old) as cache:
            assert cache.get(SMALL).value == "old"

    def test_offline_takes_what_there_is(self, old):
        with open_cache(old, offline=True, max_age=timedelta(0)) as cache:
            assert cache.get(SMALL).value == "old"


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (Path(self.path),)


class TestPlanted:
    """Reading a cache from somebody else runs no code."""

    def test_the_trap_works(self, tmp_path):
        pickle.loads(pickle.dumps(Trap(tmp_path / "sprung")))  # noqa: S301
        assert (tmp_path / "sprung").exists()

    def test_pickled_value_in_the_database(self, directory, tmp_path):
        trap = pickle.dumps(Trap(tmp_path / "sprung"))
        change(directory, "UPDATE Cache SET mode = 4, filename = NULL, value = ?", trap)
        self.nothing_happens(directory, tmp_path)

    def test_pickled_value_in_a_file(self, directory, tmp_path):
        (file,) = value_files(directory)
        file.write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
        change(directory, "UPDATE Cache SET mode = 4, value = NULL")
        self.nothing_happens(directory, tmp_path)

    def test_pickled_key(self, directory, tmp_path):
        trap = pickle.dumps(Trap(tmp_path / "sprung"))
        change(directory, "UPDATE Cache SET key = ?, raw = 0 WHERE rowid = 1", trap)
        self.nothing_happens(directory, tmp_path, there=[LARGE])

    def nothing_happens(self, directory, tmp_path, there=()):
        with open_cache(directory) as cache:
            assert [key for key in (SMALL, LARGE) if cache.get(key)] == list(there)
            cache.put_all([(SMALL, "new"), (LARGE, "new")])
            assert cache.get(SMALL).value == cache.get(LARGE).value == "new"
            cache.clear()
        assert not (tmp_path / "sprung").exists()

    @pytest.mark.parametrize("place", ["../secret", "{tmp_path}/secret", "aa/../../secret"])
    def test_a_place_outside_is_neither_read_nor_removed(self, directory, tmp_path, place):
        secret = tmp_path / "secret"
        secret.write_bytes(zlib.compress(b'{"key": ["x"], "answer": 1, "retrieved": "2026"}'))
        change(directory, "UPDATE Cache SET mode = 2, filename = ?", place.format(tmp_path=tmp_path))
        with open_cache(directory) as cache:
            assert cache.get(LARGE) is None
            cache.put_all([(LARGE, "new")])
            assert cache.get(LARGE).value == "new"
            cache.clear()
        assert secret.exists()

    def test_nothing_of_ours_is_pickled(self, directory):
        assert change(directory, "SELECT DISTINCT raw, mode IN (1, 2) FROM Cache") == [(1, 1)]


def flipped(place):
    def flip(file):
        content = bytearray(file.read_bytes())
        content[place] ^= 0xFF
        file.write_bytes(content)

    return flip


class TestDamage:
    @pytest.mark.parametrize(
        "damage",
        [
            *map(flipped, [0, 1, 100, 5000, -1]),
            *(lambda file, length=length: os.truncate(file, length) for length in (0, 1, 1000)),
            Path.unlink,
            lambda file: (file.unlink(), file.mkdir()),
        ],
        ids=[*(f"flip {at}" for at in (0, 1, 100, 5000, -1)), "empty", "cut", "cut late", "gone", "folder"],
    )
    def test_a_file_that_is_damaged_or_gone(self, directory, damage):
        damage(value_files(directory)[0])
        with open_cache(directory) as cache:
            assert cache.get(LARGE) is None
            assert cache.get(SMALL).value == VALUES["small"]
            cache.put_all([(LARGE, VALUES["large"])])
            assert cache.get(LARGE).value == VALUES["large"]

    def test_flipped_bytes_in_a_row(self, directory):
        ((value,),) = change(directory, "SELECT value FROM Cache WHERE filename IS NULL")
        for place in range(0, len(value), 12):
            flipped = bytearray(value)
            flipped[place] ^= 0x10
            change(directory, "UPDATE Cache SET value = ? WHERE filename IS NULL", bytes(flipped))
            with open_cache(directory) as cache:
                entry = cache.get(SMALL)
                assert entry is None or entry.value == VALUES["small"]

    @pytest.mark.parametrize("value", [None, 17, 1.5, "text", b"", zlib.compress(b"[1]")])
    def test_another_value_in_a_row(self, directory, value):
        change(directory, "UPDATE Cache SET value = ? WHERE filename IS NULL", value)
        with open_cache(directory) as cache:
            assert cache.get(SMALL) is None

    def test_the_answer_to_something_else(self, directory):
        with open_cache(directory) as cache:
            cache.put_all([([URL, "query", "third"], "third")])
        ((third,),) = change(directory, "SELECT value FROM Cache ORDER BY rowid DESC LIMIT 1")
        change(directory, "UPDATE Cache SET value = ? WHERE rowid = 1", third)
        with open_cache(directory) as cache:
            assert cache.get(SMALL) is None

    @pytest.mark.parametrize("content", [b"no database at all" * 300, b"SQLite format 3\0" + b"\xff" * 8000])
    def test_a_database_that_is_none(self, directory, content):
        for file in directory.glob("cache.db*"):
            file.unlink()
        (directory / "cache.db").write_bytes(content)
        with pytest.raises(CacheError, match="delete the folder"):
            AnswerCache(directory)

    def test_a_database_damaged_in_the_middle(self, directory):
        with open_cache(directory) as cache:
            cache.put_all(([URL, "names", f"Q{number}"], number) for number in range(3000))
        change(directory, "PRAGMA wal_checkpoint(TRUNCATE)")
        database = directory / "cache.db"
        content = bytearray(database.read_bytes())
        for place in range(40_000, len(content) - 100, 20_000):
            content[place : place + 100] = os.urandom(100)
        database.write_bytes(content)
        wrong = []
        try:
            with open_cache(directory) as cache:
                found = {number: cache.get([URL, "names", f"Q{number}"]) for number in range(3000)}
                wrong = [number for number, entry in found.items() if entry and entry.value != number]
        except CacheError as error:
            assert "delete the folder" in str(error)  # noqa: PT017
        assert wrong == []


class TestWriting:
    def test_all_or_nothing(self, directory):
        def some():
            yield [URL, "names", "Q1"], "first"
            yield SMALL, "changed"
            raise RuntimeError

        with open_cache(directory) as cache:
            with pytest.raises(RuntimeError):
                cache.put_all(some())
            assert cache.get([URL, "names", "Q1"]) is None
            assert cache.get(SMALL).value == VALUES["small"]

    @pytest.mark.parametrize(
        "fault",
        [
            OSError(errno.ENOSPC, "No space left on device"),
            sqlite3.OperationalError("database or disk is full"),
        ],
    )
    def test_a_full_disk(self, directory, monkeypatch, fault):
        store, calls = JSONOnlyDisk.store, []

        def full(self, *arguments, **options):
            calls.append(1)
            if len(calls) > 1:
                raise fault
            return store(self, *arguments, **options)

        with open_cache(directory) as cache:
            with monkeypatch.context() as patch:
                patch.setattr(JSONOnlyDisk, "store", full)
                with pytest.raises(CacheError, match=r"full|No space"):
                    cache.put_all([([URL, "names", "Q1"], "first"), (LARGE, "changed")])
            assert cache.get([URL, "names", "Q1"]) is None
            assert cache.get(LARGE).value == VALUES["large"]
            cache.put_all([(LARGE, "later")])
            assert cache.get(LARGE).value == "later"

    def test_a_database_that_is_full(self, directory):
        with open_cache(directory) as cache:
            ((pages,),) = cache._cache._sql("PRAGMA page_count").fetchall()
            cache._cache._sql(f"PRAGMA max_page_count = {pages + 5}")
            many = [([URL, "names", f"Q{number}"], number) for number in range(5000)]
            with pytest.raises(CacheError, match="free some space"):
                cache.put_all(many)
            assert [cache.get(key) for key, _ in many if cache.get(key)] == []
            assert cache.get(SMALL).value == VALUES["small"]

    def test_read_only(self, directory):
        with open_cache(directory) as cache:
            cache._cache._sql("PRAGMA query_only = 1")
            for write in (lambda: cache.put_all([(SMALL, 1)]), cache.clear):
                with pytest.raises(CacheError):
                    write()
            assert cache.get(SMALL).value == VALUES["small"]

    def test_another_program_holds_the_database(self, directory, monkeypatch):
        monkeypatch.setattr(diskcache.Cache.__init__, "__defaults__", (None, 0.1, diskcache.Disk))
        with open_cache(directory) as cache, closing(sqlite3.connect(directory / "cache.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(CacheError, match="locked"):
                cache.put_all([(SMALL, 1)])
            assert cache.get(SMALL).value == VALUES["small"]

    def test_no_directory_can_be_made(self, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(CacheError):
            AnswerCache(tmp_path / "file" / "cache")


def test_two_processes_share_it(tmp_path):
    program = (
        "import sys; from pathlib import Path; from testgen.sources import AnswerCache\n"
        "cache, mine = AnswerCache(Path(sys.argv[1])), sys.argv[2]\n"
        "for number in range(200):\n"
        "    own = ['u', 'names', f'{mine}{number}']\n"
        "    cache.put_all([(own, mine * 100), (['u', 'shared'], mine * 500)])\n"
        "    shared = cache.get(['u', 'shared']).value\n"
        "    assert shared in ('a' * 500, 'b' * 500), shared\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name]) for name in "ab"]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    with open_cache(tmp_path) as cache:
        assert cache.clear() == 401


def test_clear(directory, monkeypatch):
    monkeypatch.setattr(answer_cache, "_now", lambda: NOON)
    with open_cache(directory) as cache:
        cache.clear()
        cache.put_all([(SMALL, 1), (["https://example.com/api.php", "names", "Q1"], 2)])
        assert cache.clear() == 2
        assert cache.get(SMALL) is None


def test_the_usual_place_is_the_platform_s(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = AnswerCache()
    cache.close()
    assert cache.directory == answer_cache.default_directory()
    assert cache.directory.is_dir()
    if sys.platform == "linux":
        assert cache.directory.is_relative_to(tmp_path)
