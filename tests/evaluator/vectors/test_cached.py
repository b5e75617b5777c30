"""Copies of vectors files in the cache."""

from __future__ import annotations

import errno
import gzip
import json
import logging
import os
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluator.vectors
from evaluator.errors import VectorsError
from evaluator.vectors import cache_info, clear_cache, load, load_vectors, registry, stores
from evaluator.vectors.cached import folder, opening, record
from evaluator.vectors.cached.folder import cache_folder
from evaluator.vectors.table import Vectors
from tests.evaluator.vectors.test_formats import LAYOUTS, MATRIX, WORDS, check, save, tables
from tests.evaluator.vectors.vector_files import binary, text

ROOT = Path(evaluator.vectors.__file__).parents[2]


@pytest.fixture(autouse=True, scope="module")
def small_files_too():
    """Small files are copied too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "SMALLEST_BYTES", 0)
        yield


@pytest.fixture(autouse=True)
def empty_cache():
    clear_cache()
    yield
    clear_cache()


@pytest.fixture
def reads(monkeypatch):
    """How often files were really read."""
    count = []

    def counted(read):
        def reader(source, options):
            count.append(source.path)
            return read(source, options)

        return reader

    formats = {
        name: registry.Format(entry.name, entry.rank, entry.looks_like, counted(entry.read))
        for name, entry in registry._FORMATS.items()
    }
    monkeypatch.setattr(registry, "_FORMATS", formats)
    return count


@pytest.fixture
def old(monkeypatch):
    """Files need not lie still before their times are trusted."""
    monkeypatch.setattr(record, "SETTLED_NS", -(10**18))


def is_mapped(matrix):
    """Whether a matrix is a plain view of a file."""
    return type(matrix) is np.ndarray and isinstance(matrix.base, np.memmap)


def only(pattern):
    (found,) = cache_folder().glob(pattern)
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_second_time_the_copy_is_opened(tmp_path, reads, layout, packed):
    path = save(tmp_path, gzip.compress(LAYOUTS[layout]) if packed else LAYOUTS[layout])
    for _ in range(3):
        vectors = load_vectors(path)
        check(vectors)
        assert is_mapped(vectors.matrix)
        assert not vectors.matrix.flags.writeable
        assert (vectors.name, vectors.subword, vectors.dropped) == ("some.vec", None, 0)
    assert len(reads) == 1


@given(tables("\n "), st.booleans())
def test_copies_hold_any_words(table, newlines):
    words, matrix = table
    path = save(cache_folder().parent, binary(words, matrix, newlines=newlines))
    for _ in range(2):
        check(load_vectors(path, format="word2vec-binary"), words, matrix)


def test_a_word_with_a_newline(tmp_path, reads):
    path = save(tmp_path, binary(["a\nb", "c\x00"], MATRIX[:2]))
    for _ in range(2):
        check(load_vectors(path, format="word2vec-binary"), ["a\nb", "c\x00"], MATRIX[:2])
    assert len(reads) == 1


def test_no_copy_unless_wanted(tmp_path, reads):
    path = save(tmp_path, LAYOUTS["glove"])
    for _ in range(2):
        vectors = load_vectors(path, cache=False)
        check(vectors)
        assert not is_mapped(vectors.matrix)
    assert len(reads) == 2
    assert cache_info().copies == ()


def test_everything_that_decides_what_is_read_has_its_own_copy(tmp_path, reads):
    path = save(tmp_path, b"3 2\nrex 1 2\nbad 0 0\nregina 3 4\n")
    many = [{"bad_rows": "drop"}, {"limit": 1}, {"bad_rows": "drop", "limit": 2}]
    many += [{"bad_rows": "drop", "encoding": "latin-1"}, {"bad_rows": "drop", "format": "word2vec-text"}]
    for _ in range(2):
        found = [load_vectors(path, **options) for options in many]
        assert [(list(v.words), v.dropped) for v in found] == [
            (["rex", "regina"], 1), (["rex"], 0), (["rex"], 1), (["rex", "regina"], 1), (["rex", "regina"], 1)
        ]  # fmt: skip
    assert len(reads) == 4


def test_a_file_that_changed_is_read_again(tmp_path, reads, old, caplog):
    path = save(tmp_path, b"1 1\nrex 1\n")
    assert load_vectors(path).matrix[0, 0] == 1
    before = only("*.json").read_text()
    save(tmp_path, b"1 1\nrex 2\n")
    os.utime(path, ns=(1, 2))
    with caplog.at_level(logging.INFO, "evaluator"):
        assert load_vectors(path).matrix[0, 0] == 2
    assert "has changed" in caplog.text
    assert load_vectors(path).matrix[0, 0] == 2
    assert len(reads) == 2
    assert only("*.json").read_text() != before
    assert len(list(cache_folder().iterdir())) == 2


def test_a_change_that_keeps_size_and_time_is_seen(tmp_path, reads, old):
    path = save(tmp_path, b"1 1\nrex 1\n")
    os.utime(path, ns=(1, 10**18))
    assert load_vectors(path).matrix[0, 0] == 1
    time.sleep(0.02)
    save(tmp_path, b"1 1\nrex 2\n")
    os.utime(path, ns=(1, 10**18))
    assert load_vectors(path).matrix[0, 0] == 2


def test_a_change_within_one_tick_of_the_clock_is_seen(tmp_path):
    for number in range(1, 6):
        path = save(tmp_path, b"1 1\nrex %d\n" % number)
        os.utime(path, ns=(1, time.time_ns()))
        assert load_vectors(path).matrix[0, 0] == number


def test_a_file_that_was_only_touched_is_not_read_again(tmp_path, reads, old, monkeypatch):
    path = save(tmp_path, LAYOUTS["glove"])
    load_vectors(path)
    os.utime(path, ns=(1, 2))
    check(load_vectors(path))
    assert len(reads) == 1
    monkeypatch.setattr(opening, "checksum", None)  # and its new times are known now
    check(load_vectors(path))


def test_with_a_limit_only_what_was_read_counts(tmp_path, reads):
    words = [f"w{i}" for i in range(30_000)]
    matrix = np.ones((30_000, 100), np.float32)
    path = save(tmp_path, binary(words, matrix))
    load_vectors(path, limit=10)
    with path.open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"\0\0\0\0")
    check(load_vectors(path, limit=10), words[:10], matrix[:10])
    assert len(reads) == 1


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def flip(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def lengthen(path):
    path.write_bytes(path.read_bytes() + b"\0")


def change_record(path, **fields):
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def empty(path):
    path.write_bytes(b"")


PARTS = ["*/matrix.npy", "*/words.txt", "*/words.table"]
DAMAGES = [
    *((pattern, change) for pattern in PARTS for change in (cut, flip, lengthen, empty)),
    ("*/matrix.npy", lambda path: np.save(path, np.ones((4, 3)))),
    ("*/matrix.npy", lambda path: np.save(path, np.ones((5, 3), np.float32))),
    ("*/matrix.npy", lambda path: np.save(path, np.array([{}], dtype=object), allow_pickle=True)),
    ("*.json", cut),
    ("*.json", lambda path: path.write_bytes(b"[1]")),
    ("*.json", lambda path: path.write_bytes(b"\xff")),
    ("*.json", lambda path: path.write_text(json.dumps({"version": record.VERSION}))),
    ("*.json", lambda path: change_record(path, version=1)),
    ("*.json", lambda path: change_record(path, rows=5)),
]


@pytest.mark.parametrize("damage", range(len(DAMAGES)))
def test_a_damaged_copy_is_made_again_with_a_note(tmp_path, reads, caplog, damage):
    pattern, change = DAMAGES[damage]
    path = save(tmp_path, LAYOUTS["word2vec-text"])
    load_vectors(path)
    change(only(pattern))
    check(load_vectors(path))
    assert "cached copy cannot be used, so the file itself is read (" in caplog.text
    caplog.clear()
    check(load_vectors(path))
    assert not caplog.records
    assert len(reads) == 2


@pytest.mark.parametrize("pattern", PARTS)
def test_a_copy_of_which_a_part_is_gone_is_made_again(tmp_path, reads, pattern):
    path = save(tmp_path, LAYOUTS["glove"])
    load_vectors(path)
    only(pattern).unlink()
    for _ in range(2):
        check(load_vectors(path))
    assert len(reads) == 2


def test_a_cache_that_is_no_folder(tmp_path, caplog, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(save(tmp_path, b"", "no folder")))
    check(load_vectors(save(tmp_path, LAYOUTS["glove"])))
    assert "no cached copy is made in" in caplog.text
    assert "--no-cache" in caplog.text


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do everything")
@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_folder_without_permission(tmp_path, caplog, monkeypatch, mode):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cache_folder().mkdir(parents=True)
    cache_folder().chmod(mode)
    check(load_vectors(save(tmp_path, LAYOUTS["glove"])))
    cache_folder().chmod(0o700)
    assert "no cached copy is made in" in caplog.text
    assert "Permission denied" in caplog.text


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_disk_that_is_full(tmp_path, caplog, monkeypatch, after):
    words = [f"w{i}" for i in range(4000)]
    matrix = np.random.default_rng(5).normal(size=(4000, 600)).astype(np.float32)
    path = save(tmp_path, binary(words, matrix))
    written, write = [], stores.FileStore._write

    def full(self, data, at=None):
        written.append(at)
        if len(written) > after:
            write(self, memoryview(data).cast("B")[:1000])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, data, at)

    monkeypatch.setattr(stores.FileStore, "_write", full)
    vectors = load_vectors(path)
    check(vectors, words, matrix)
    assert len(written) == after + 1
    assert "No space left on device" in caplog.text
    assert cache_info().bytes == 0


def test_a_copy_of_the_layout_before_is_made_again_with_a_note(tmp_path, reads, caplog):
    path = save(tmp_path, LAYOUTS["glove"])
    load_vectors(path)
    change_record(only("*.json"), version=record.VERSION - 1)
    check(load_vectors(path))
    assert "it is of another version" in caplog.text
    check(load_vectors(path))
    assert len(reads) == 2


@pytest.mark.parametrize(
    ("words", "why"), [(["rex", "rex"], "comes twice"), (["rex", "\ud83d"], "surrogates")]
)
def test_words_that_a_copy_cannot_hold(tmp_path, monkeypatch, caplog, words, why):
    """No reader hands on such words today."""

    def read(source, options):
        store = options.store(1, 2)
        store.append(np.ones((2, 1), np.float32))
        return registry.Loaded(words, store.finish())

    monkeypatch.setattr(registry, "_FORMATS", {"odd": registry.Format("odd", 1, lambda head: True, read)})
    for _ in range(2):
        vectors = load_vectors(save(tmp_path, b"rex 1\nrex 1\n"))
        assert list(vectors.words) == words
    assert "no cached copy is made in" in caplog.text
    assert why in caplog.text
    assert cache_info().bytes == 0
    if words[0] == words[1]:
        with pytest.raises(VectorsError, match=r"some\.vec: the word 'rex' comes twice"):
            vectors.index  # noqa: B018


def test_a_few_words_are_found_without_memory_for_all(tmp_path):
    words = [f"w{row}" for row in range(50_000)]
    path = save(tmp_path, binary(words, np.ones((50_000, 1), np.float32)))
    load_vectors(path)
    tracemalloc.start()
    try:
        vectors = load_vectors(path)
        assert [vectors.index[word] for word in words[::100]] == list(range(0, 50_000, 100))
        assert "nix" not in vectors.restrict(40_000).index
        assert words[-1] not in vectors.restrict(40_000).index
        assert sum(1 for _ in vectors.words) == 50_000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2_500_000  # the strings alone take 2.7 MB, and half of that is a block of them


def test_too_little_room_is_seen_before(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(stores, "SPARE_BYTES", 1 << 60)
    check(load_vectors(save(tmp_path, LAYOUTS["glove"])))
    assert "No space left" in caplog.text


def test_refused_files_leave_nothing_behind(tmp_path):
    for data in (b"2 1\nrex 1\nrex 2\n", b"1 1\nrex 0\n"):
        with pytest.raises(VectorsError):
            load_vectors(save(tmp_path, data))
    assert list(cache_folder().iterdir()) == []


class Changing:
    """A stream whose file gets longer while it is read."""

    def __init__(self, path):
        self.path = path

    def __call__(self, source, options):
        with self.path.open("ab") as file:
            file.write(b"more 1 2 3\n")
        return registry._FORMATS["glove"].read(source, options)


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("data", [b"rex 1 2 3\n", b"rex 1 2 3\nbad 0 0 0\n"], ids=["good", "bad"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, cache, data):
    path = save(tmp_path, data)
    changing = registry.Format("changing", 1, lambda head: True, Changing(path))
    monkeypatch.setattr(registry, "_FORMATS", {**registry._FORMATS, "changing": changing})
    with pytest.raises(VectorsError, match=r"some\.vec: the file changed while it was read. Load it again"):
        load_vectors(path, cache=cache)
    assert cache_info().copies == ()


def test_a_file_that_is_replaced_while_it_is_read_has_no_copy(tmp_path, monkeypatch):
    path = save(tmp_path, LAYOUTS["glove"])
    read = registry._FORMATS["glove"].read

    def replacing(source, options):
        save(tmp_path, b"other 1 2\n", "other").replace(path)
        return read(source, options)

    glove = registry.Format("glove", 1, lambda head: True, replacing)
    monkeypatch.setattr(registry, "_FORMATS", {"glove": glove})
    check(load_vectors(path))
    assert cache_info().copies == ()


def test_small_files_are_read_and_not_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(load, "SMALLEST_BYTES", 1000)
    small, large = save(tmp_path, b"rex 1\n" + b"\n" * 993), save(tmp_path, b"rex 1\n" + b"\n" * 994, "large")
    assert not is_mapped(load_vectors(small).matrix)
    assert not cache_folder().exists() or list(cache_folder().iterdir()) == []
    assert is_mapped(load_vectors(large).matrix)


def test_a_copy_outlives_the_cache_it_was_in(tmp_path, reads):
    """Clearing the cache harms neither who has opened a copy nor who is making one."""
    path = save(tmp_path, LAYOUTS["glove"])
    made, opened = load_vectors(path), load_vectors(path)
    clear_cache()
    check(made)
    check(opened)
    read = registry._FORMATS["glove"].read

    def clearing(source, options):
        loaded = read(source, options)
        clear_cache()
        return loaded

    registry._FORMATS["glove"] = registry.Format("glove", 1, lambda head: True, clearing)
    check(load_vectors(path))
    assert cache_info().copies == ()


def test_a_file_that_grows_beyond_a_limit_it_did_not_reach(tmp_path, old):
    path = save(tmp_path, b"rex 1\nregina 2\n")
    assert len(load_vectors(path, limit=3)) == 2
    save(tmp_path, b"rex 1\nregina 2\nfilia 3\n")
    assert len(load_vectors(path, limit=3)) == 3


def used(path, nanoseconds):
    """Makes the copy of a file one that was used then."""
    for each in cache_folder().glob("*.json"):
        if json.loads(each.read_text())["path"] == str(path.resolve()):
            os.utime(each, ns=(nanoseconds, nanoseconds))


def kept():
    return [copy.path.name for copy in cache_info().copies]


def test_the_least_recently_used_copies_make_room(tmp_path, monkeypatch):
    paths = [save(tmp_path, LAYOUTS["glove"], name) for name in "abcd"]
    for place, path in enumerate(paths[:3]):
        load_vectors(path)
        used(path, place * 10**9)
    monkeypatch.setattr(folder, "LIMIT_BYTES", cache_info().bytes + 100)
    load_vectors(paths[0])  # "b" is the oldest now
    load_vectors(paths[3])
    assert kept() == ["a", "c", "d"]
    monkeypatch.setattr(folder, "LIMIT_BYTES", cache_info().bytes // 3 + 100)
    load_vectors(paths[1])
    assert kept() == ["b"]
    assert cache_info().bytes <= folder.LIMIT_BYTES
    assert len(list(cache_folder().iterdir())) == 2


def test_a_copy_larger_than_the_limit_is_not_kept(tmp_path, caplog, monkeypatch):
    small, large = save(tmp_path, b"rex 1\n", "small"), save(tmp_path, LAYOUTS["glove"], "large")
    load_vectors(small)
    monkeypatch.setattr(folder, "LIMIT_BYTES", 128 + 50)
    check(load_vectors(large))
    assert "all copies together may take 178" in caplog.text
    assert kept() == ["small"]


def test_copies_of_files_that_are_gone_are_removed(tmp_path):
    first, second = (save(tmp_path, LAYOUTS["glove"], name) for name in ("first", "second"))
    load_vectors(first)
    first.unlink()
    load_vectors(second)
    assert [copy.path for copy in cache_info().copies] == [second.resolve()]
    assert len(list(cache_folder().iterdir())) == 2


def test_what_stopped_programs_left_behind_is_removed_a_day_later(tmp_path):
    fresh, stale = (cache_folder() / name for name in ("key.fresh", "key.stale"))
    for left in (fresh, stale):
        left.mkdir(parents=True)
        save(left, b"x", "matrix.npy")
    other_version = save(cache_folder(), b'{"version": 0}', "other.json")
    for left in (stale, other_version):
        os.utime(left, (1, 1))
    load_vectors(save(tmp_path, LAYOUTS["glove"]))
    assert fresh.exists()
    assert not stale.exists()
    assert not other_version.exists()


def test_info_and_clear(tmp_path):
    assert (cache_info().copies, cache_info().bytes) == ((), 0)
    path = save(tmp_path, LAYOUTS["glove"])
    vectors = load_vectors(path, limit=3)
    info = cache_info()
    assert info.folder == cache_folder()
    (copy,) = info.copies
    assert (copy.path, copy.rows, copy.dimension) == (path.resolve(), 3, 3)
    assert (copy.options["format"], copy.options["limit"]) == ("glove", 3)
    assert copy.bytes == info.bytes > 4 * 9
    assert clear_cache() == info
    assert (cache_info().copies, cache_info().bytes) == ((), 0)
    check(vectors, WORDS[:3], MATRIX[:3])


def test_the_cache_is_never_outside_its_folder(tmp_path, reads):
    path = save(tmp_path, LAYOUTS["glove"])
    load_vectors(path)
    precious = tmp_path / "precious"
    precious.mkdir()
    for name in (str(precious), "..", ".", ""):
        json_file = only("*.json")
        json_file.write_text(json.dumps({**json.loads(json_file.read_text()), "folder": name}))
        assert cache_info().copies == ()
        check(load_vectors(path))
    assert precious.exists()
    assert len(reads) == 5


PROGRAM = """
import sys
from evaluator.vectors import load, load_vectors
load.SMALLEST_BYTES = 0
for _ in range(5):
    vectors = load_vectors(sys.argv[1])
    print(vectors.matrix.sum(dtype="float64"), len(vectors.words), vectors.words[-1])
"""


def test_several_processes_at_the_same_time(tmp_path):
    words = [f"w{i}" for i in range(3000)]
    matrix = np.random.default_rng(5).normal(size=(3000, 30)).astype(np.float32)
    path = save(tmp_path, text(words, matrix))
    command = [sys.executable, "-c", PROGRAM, path]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    expected = f"{matrix.sum(dtype='float64')} 3000 w2999\n"
    assert [process.communicate()[0] for process in running] == [expected * 5] * 4
    assert len(cache_info().copies) == 1
    assert len(list(cache_folder().iterdir())) == 2


FROM_CACHE = """
import sys
from evaluator.vectors import load, load_vectors
load.SMALLEST_BYTES = 0
vectors = load_vectors(sys.argv[1])
assert len(vectors.words) == 10_000
assert [vectors.index.get(f"w{row}") for row in (0, 77, 9_999, 10_000)] == [0, 77, 9_999, None]
print(*{"numba", "gensim", "pandas", "scipy"} & set(sys.modules))
"""


def test_a_copy_is_opened_without_a_compiler(tmp_path):
    words = [f"w{i}" for i in range(10_000)]
    path = save(tmp_path, binary(words, np.ones((10_000, 60), np.float32)))
    load_vectors(path)
    command = [sys.executable, "-c", FROM_CACHE, path]
    assert subprocess.check_output(command, cwd=ROOT, text=True).split() == []


MEMORY = """
import re, sys
from pathlib import Path
import numpy as np
from evaluator.vectors import load_vectors
from evaluator.vectors.compiled import parse_lines, split_binary

def peak():
    # Not ru_maxrss, which a process inherits from the one that started it.
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) << 10

parse_lines(np.frombuffer(bytearray(b"a 1\\n"), np.uint8), 1)
split_binary(np.frombuffer(b"a", np.uint8), 1, 9)
before = peak()
vectors = load_vectors(sys.argv[1], cache=sys.argv[2] == "True")
words = sys.getsizeof(vectors.words) + sum(map(sys.getsizeof, vectors.words))
print((peak() - before - words) / vectors.matrix.nbytes)
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs Linux to tell the memory of a process"
)
@pytest.mark.parametrize(
    ("kind", "cache"), [("text", False), ("glove", True), ("binary", True), ("gzip", False)]
)
def test_loading_takes_little_more_memory_than_the_matrix(tmp_path, kind, cache):
    words = [f"w{i}" for i in range(60_000)]
    matrix = np.ones((60_000, 300), np.float32)
    if kind == "binary":
        data = binary(words, matrix)
    else:
        row = " ".join(["0.987654"] * 300)
        data = ("60000 300\n" * (kind != "glove") + "".join(f"{word} {row}\n" for word in words)).encode()
    path = save(tmp_path, gzip.compress(data, 1) if kind == "gzip" else data)
    command = [sys.executable, "-c", MEMORY, path, str(cache)]
    ratio = float(subprocess.check_output(command, cwd=ROOT, text=True))
    assert ratio < 1.3


def test_vectors_of_a_copy_can_be_restricted_and_folded(tmp_path):
    path = save(tmp_path, LAYOUTS["glove"])
    load_vectors(path)
    vectors = load_vectors(path)
    assert isinstance(vectors, Vectors)
    assert vectors.index == {word: row for row, word in enumerate(WORDS)}
    few = vectors.restrict(2)
    assert (few.matrix.shape, few.index) == ((2, 3), {"rex": 0, "regina": 1})
    assert "😀" not in few.words
    assert list(vectors.fold(str.upper).words) == ["REX", "REGINA", "ΠΟΣΕΙΔῶΝ".upper(), "😀"]
