"""Test sets by name: made by testgen, or fetched from a server on loopback."""

from __future__ import annotations

import gzip
import hashlib
import threading
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evaluator import TestSetError, read_testset, score
from evaluator.datasets import names
from evaluator.datasets.names import benchmarks, by_name

PAIRS = b"rex\tregina\t7.5\nurbs\tvia\t3\ndux\trex\t5\n"


@contextmanager
def serving(content, status=200):
    """The address of a server that answers with some bytes, and the paths that were asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/pairs.txt", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def one_benchmark(monkeypatch, tmp_path):
    """A function that leaves one benchmark, at an address."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def put(address):
        digest = hashlib.sha256(PAIRS).hexdigest()
        known = replace(benchmarks()["simlex999"], address=address, sha256=digest, language="la")
        monkeypatch.setattr(names, "benchmarks", lambda: {"simlex999": known})
        return known

    return put


@pytest.mark.parametrize("spelled", ["simlex999", "SimLex-999"])
def test_a_benchmark_is_fetched_once_checked_and_said(one_benchmark, caplog, spelled):
    with serving(PAIRS) as (address, asked):
        known = one_benchmark(address)
        assert by_name(spelled) == by_name(spelled) == (str(known.path), "la")
    assert asked == ["/pairs.txt"]
    (said,) = caplog.messages
    assert all(each in said for each in (address, known.licence, known.cite, str(known.path)))
    vectors = {"rex": [1, 0], "regina": [1, 1], "urbs": [0, 1], "via": [-1, 1], "dux": [2, 1]}
    assert score(vectors, "simlex999").language == "la"


def test_what_is_not_the_file_that_was_checked_is_refused(one_benchmark):
    with serving(PAIRS + b"more\tlines\t1\n") as (address, _):
        known = one_benchmark(address)
        with pytest.raises(TestSetError, match="checked"):
            by_name("simlex999")
    assert not known.path.exists()
    known.path.write_bytes(b"other\twords\t1\n")
    with pytest.raises(TestSetError, match="remove it"):
        by_name("simlex999")


def test_without_a_network_it_says_what_to_download_to_where(one_benchmark):
    with serving(b"gone", 404) as (address, _):
        known = one_benchmark(address)
        with pytest.raises(TestSetError, match=r"404.*http.*simlex999\.txt"):
            by_name("simlex999")
    with pytest.raises(TestSetError, match="no answer"):  # the server is gone, too
        by_name("simlex999")
    known.path.write_bytes(PAIRS)
    assert by_name("simlex999") == (str(known.path), "la")


def test_a_file_or_folder_of_that_name_wins(one_benchmark, tmp_path):
    one_benchmark("http://127.0.0.1:9/nowhere.txt")
    for name in ("simlex999", "la"):
        (tmp_path / name).write_bytes(PAIRS)
        assert by_name(name) is None
    assert all(by_name(each) is None for each in ("la.json", "testsets/la", "s3://la", "{language}", "*"))


def test_a_language_is_its_shipped_test_set_made_once(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    path, code = by_name("Latin")
    assert code is None
    assert read_testset(path).language == "la"
    assert "made with testgen" in caplog.text
    caplog.clear()
    assert by_name("Latin") == (path, None)
    assert not caplog.messages
    by_name("Greek")
    assert caplog.messages[-1] == "testgen: Greek is el; Ancient Greek is grc"


def test_what_is_nothing_says_what_was_tried(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TestSetError, match=r"simlex999\?.*language"):
        by_name("SimLex-998")


@pytest.mark.slow
def test_each_benchmark_is_the_file_that_was_read_here(shared_data):
    """Those on this machine are the originals; their readers find something to score."""
    found = {}
    for path in filter(Path.is_file, (shared_data / "benchmarks").rglob("*.*")):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found[hashlib.sha256(content).hexdigest()] = path
    for each in benchmarks().values():
        read = read_testset(found[each.sha256], language=each.language)
        assert read.categories or read.sections or read.rated_pairs or read.outlier_groups, each.name


def test_the_command_lists_them(evaluator):
    out = evaluator("benchmarks")[0]
    for each in benchmarks().values():
        assert all(each_field in out for each_field in vars(each).values() if each_field != each.sha256)
        assert len(each.sha256) == 64
