"""Files at URLs: read where the work is done, copied once, read again when they change."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("fsspec", reason="URLs need the extra [cluster]")

from evaluator.errors import CorpusError, OutputError, VectorsError
from evaluator.execution.remote_files import (
    absolute,
    check_file,
    file_name,
    local_copy,
    without_file_scheme,
)
from evaluator.text.corpus import Corpus
from evaluator.text.prepared_corpus import PreparedCorpus, fingerprint
from tests.conftest import NEEDS_GENSIM
from tests.evaluator.small_studies import TOPICS, topic_lines

over_http = pytest.mark.skipif(not find_spec("aiohttp"), reason="fsspec's http:// needs aiohttp")


class Store:
    """An object store that answers over HTTP, as much of one as is read here.

    Attributes:
        files: What it holds, by path.
        headers: What it says of all of them beside their size, such as an ETag.
        read: The paths that were read, each time.
        short: How many bytes are left out at the end of an answer.
    """

    def __init__(self):
        self.files, self.headers, self.read, self.short = {}, {}, [], 0
        self.url = ""


@contextmanager
def running(store):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self):
            self.answer()

        def do_GET(self):
            store.read.append(self.path)
            content = self.answer()
            self.wfile.write(content[: len(content) - store.short])
            self.close_connection = bool(store.short)

        def answer(self):
            content = store.files.get(self.path.partition("?")[0])
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            for name, value in store.headers.items():
                self.send_header(name, value)
            self.end_headers()
            return content or b""

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        store.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield store
        server.shutdown()
        thread.join()


@pytest.fixture
def store(cache):
    with running(Store()) as made:
        yield made


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def memory(cache):
    import fsspec

    return fsspec.filesystem("memory")


def test_names(tmp_path):
    assert local_copy("a/b.txt") == Path("a/b.txt")
    assert local_copy(f"file://{tmp_path}/b.txt") == tmp_path / "b.txt"
    assert absolute("s3://bucket/../b.txt") == "s3://bucket/../b.txt"
    assert file_name("a/b.txt?c") == "b.txt?c"
    assert file_name("s3://bucket/b.txt.gz") == "b.txt.gz"
    assert file_name(f"https://bucket.example/b.txt?signature={'x' * 300}/y") == "b.txt"


def test_a_file_url_is_a_path():
    for name in ("/a b/c#d.txt", "/a?b.txt", "c.txt"):
        for scheme in ("file", "local"):
            assert without_file_scheme(f"{scheme}://{name}") == name
            assert local_copy(f"{scheme}://{name}") == Path(name)
    assert without_file_scheme("s3://bucket/c.txt") == "s3://bucket/c.txt"


@over_http
def test_a_copy_is_used_though_no_other_could_be_made(store, cache):
    store.files["/a.txt"], store.headers = b"one", {"ETag": "1"}
    kept = local_copy(f"{store.url}/a.txt")
    lock = kept.parent.parent / ".lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()  # as in a folder that may only be read, of which root knows nothing
    assert local_copy(f"{store.url}/a.txt") == kept
    store.headers = {"ETag": "2"}
    with pytest.raises(OutputError, match=r"Is a directory.*XDG_CACHE_HOME"):
        local_copy(f"{store.url}/a.txt")


@pytest.mark.parametrize("error", [CorpusError, VectorsError])
def test_the_error_is_that_of_the_caller(memory, tmp_path, error):
    with pytest.raises(error, match=r"foo://b/a: .*foo"):
        check_file("foo://b/a", error)
    with pytest.raises(error, match=r"memory://b/nothing: .*no such file"):
        local_copy("memory://b/nothing", error)
    with pytest.raises(error, match="nothing: no such file"):
        check_file(str(tmp_path / "nothing"), error)
    memory.pipe("/folder/a.txt", b"a")
    for check in (check_file, local_copy):
        with pytest.raises(error, match=r"memory://folder: .*directory"):
            check("memory://folder", error)


@pytest.mark.skipif(bool(find_spec("s3fs")), reason="s3fs is installed")
def test_a_package_that_is_missing_is_named():
    with pytest.raises(CorpusError, match=r"s3://bucket/la\.txt: .*s3fs"):
        Corpus(("s3://bucket/la.txt",))


@over_http
@pytest.mark.parametrize("name", ["ETag", "Last-Modified"])
def test_a_file_is_copied_once_for_each_version(store, cache, name):
    for version in ("one", "two"):
        store.files["/a.txt"], store.headers[name] = version.encode(), version
        assert [local_copy(f"{store.url}/a.txt").read_text() for _ in range(2)] == [version] * 2
    assert store.read == ["/a.txt"] * 2
    (copy,) = cache.rglob("a.txt")
    copy.rename(copy.parent / ".17.a.txt")  # left by a killed process
    assert local_copy(f"{store.url}/a.txt") == copy
    assert list(copy.parent.iterdir()) == [copy]


@over_http
def test_without_a_version_a_file_is_copied_each_time_and_signatures_are_not_stored(store, cache):
    for content in (b"one", b"two"):
        store.files["/a.txt"] = content
        assert local_copy(f"{store.url}/a.txt?signature=x/y").read_bytes() == content
    assert not [path for path in cache.rglob("*") if "signature" in str(path)]


@over_http
def test_an_answer_that_breaks_off_is_no_file(store, cache):
    store.files["/a.txt"], store.headers["ETag"], store.short = b"one two", '"1"', 3
    with pytest.raises(CorpusError, match=r"a\.txt: (cannot be read|4 of 7 bytes arrived)"):
        local_copy(f"{store.url}/a.txt", CorpusError)
    assert not list(cache.rglob("*a.txt"))
    store.short = 0
    assert local_copy(f"{store.url}/a.txt").read_bytes() == b"one two"


@over_http
def test_what_cannot_be_reached_is_an_error(store):
    with pytest.raises(CorpusError, match=r"nothing\.txt: .*404"):
        Corpus((f"{store.url}/nothing.txt",))
    with pytest.raises(CorpusError, match="cannot be read"):
        Corpus(("http://127.0.0.1:9/a.txt",))


def test_a_cache_that_cannot_be_written_to_is_an_error(memory, monkeypatch):
    memory.pipe("/bucket/a.txt", b"rex")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    with pytest.raises(OutputError, match=r"/dev/null/.*XDG_CACHE_HOME"):
        local_copy("memory://bucket/a.txt")


@over_http
def test_processes_of_a_machine_share_a_copy(store):
    store.files["/a.txt"], store.headers["ETag"] = b"rex urbs\n" * 300_000, '"1"'
    program = f"""
from evaluator.execution.remote_files import local_copy
print(local_copy("{store.url}/a.txt").stat().st_size)
"""
    command = [sys.executable, "-c", program]
    begun = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [each.communicate()[0] for each in begun] == ["2700000\n"] * 3
    assert store.read == ["/a.txt"]


# Corpora.


def test_a_corpus_at_a_url_is_the_same_corpus(memory, tmp_path):
    text = b"Rex, urbs!\nvia\n"
    for name, content in (("a.txt", text), ("b.txt.gz", gzip.compress(text, mtime=0))):
        (tmp_path / name).write_bytes(content)
        memory.pipe(f"/bucket/{name}", content)
    here = Corpus((tmp_path / "a.txt", tmp_path / "b.txt.gz"), case="fold")
    there = Corpus(("memory://bucket/a.txt", "memory://bucket/b.txt.gz"), case="fold")
    assert list(there.sentences()) == list(here.sentences()) == [["rex", "urbs"], ["via"]] * 2
    assert fingerprint(there) == fingerprint(here)
    assert there.name == here.name == "a.txt and 1 more"
    assert there.local_paths == []
    assert Corpus((f"file://{tmp_path}/a.txt",)).local_paths == [tmp_path / "a.txt"]
    assert pickle.loads(pickle.dumps(there)) == there  # noqa: S301


def test_complaints_name_the_url(memory):
    memory.pipe("/bucket/a.txt", b"via\n\xff\n")
    with pytest.raises(CorpusError, match=r"^memory://bucket/a\.txt, line 2: .*UTF-8"):
        Corpus(("memory://bucket/a.txt",)).counts()


@over_http
def test_a_corpus_that_changes_while_it_is_read_is_refused(store, tmp_path):
    """No version is told, and each answer is another."""
    store.files["/a.txt"] = b"one"
    prepared = PreparedCorpus(Corpus((f"{store.url}/a.txt",)), tmp_path)

    class Changing(dict):
        def get(self, path):
            return f"word{len(store.read)}".encode()

    store.files = Changing()
    with pytest.raises(CorpusError, match=r"a\.txt: .*changed"):
        prepared.prepare(lemmas=False)
    assert (tmp_path / "sentences.sha256").read_text() == "unfinished\n"


@pytest.fixture
def corpus(store, tmp_path):
    """The corpus of topics, in a file and at a URL, and a test set."""
    text = gzip.compress(("\n".join(topic_lines()) + "\n").encode(), mtime=0)
    (tmp_path / "text.txt.gz").write_bytes(text)
    store.files["/bucket/text.txt.gz"], store.headers["ETag"] = text, '"1"'
    topics = (f":{name}\n{' '.join(words)}\n" for name, words in TOPICS.items())
    (tmp_path / "topics.txt").write_text("".join(topics), encoding="utf-8")
    return f"{store.url}/bucket/text.txt.gz"


@NEEDS_GENSIM
@over_http
def test_commands_read_corpora_at_urls(store, corpus, tmp_path, monkeypatch, evaluator, two_workers):
    """One process with a file writes the same as several with the URL."""
    monkeypatch.chdir(tmp_path)
    options = ("--test", "topics.txt", "--from", "256", "--to", "512", "--no-figure")
    options += ("--only", "dimension=8", "--only", "min_count=2", "--epochs", "5")
    runs = (("here", "text.txt.gz", 1), ("there", corpus, two_workers), ("there", corpus, 1))
    for output, where, workers in runs:
        ended = evaluator("curve", where, *options, "--workers", workers, "--output", output)
        assert ended.code == 0, ended.err
    for name in ("curve.csv", "sentences.txt"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    here, there = (json.loads((tmp_path / each / "curve.json").read_bytes()) for each in ("here", "there"))
    for key in ("arguments", "sha256", "inputs"):
        assert here.pop(key) != there.pop(key)  # the address of the corpus
    assert here == there
    assert ended.out.startswith("Learning curve: text.txt.gz, ")
    assert store.read == ["/bucket/text.txt.gz"]


@over_http
def test_a_worker_that_does_not_see_the_folder_reads_the_url_itself(store, corpus, tmp_path):
    """A process of another machine, as far as that is a cache of its own: the contents do not travel."""
    prepared = PreparedCorpus.of(Corpus((corpus,)), tmp_path / "nowhere")
    task = pickle.dumps(prepared)
    assert len(task) < 1000
    program = """
import pickle, sys
print(pickle.load(sys.stdin.buffer).sentences(lemmas=False).path)
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        input=task,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "worker")},
        capture_output=True,
        check=True,
    )
    written = Path(run.stdout.decode().strip())
    assert written.is_relative_to(tmp_path / "worker")
    assert written.read_text(encoding="utf-8") == "\n".join(topic_lines()) + "\n"
    assert len(store.read) == 2
    assert not (tmp_path / "nowhere").exists()


def test_sentences_that_were_written_anew_are_read_anew(tmp_path):
    for text in ("rex", "via urbs"):
        (tmp_path / "a.txt").write_text(text, encoding="utf-8")
        prepared = PreparedCorpus.of(Corpus((tmp_path / "a.txt",)), tmp_path)
        prepared.prepare(lemmas=False)
        assert set(prepared.sentences(lemmas=False).counts) == set(text.split())


@over_http
def test_statistics_of_a_corpus_at_a_url(corpus, tmp_path, monkeypatch, evaluator):
    monkeypatch.chdir(tmp_path)
    here, there = (evaluator("coverage", where, "--corpus").out for where in ("text.txt.gz", corpus))
    assert there == here
    assert [path.name for path in (tmp_path / "cache" / "evaluator").iterdir()] == ["copies"]


@over_http
@pytest.mark.parametrize(
    "command",
    [*(pytest.param(name, marks=NEEDS_GENSIM) for name in ("tune", "curve")), "coverage"],
)
def test_a_url_without_a_file_is_refused_before_any_work(corpus, tmp_path, monkeypatch, evaluator, command):
    monkeypatch.chdir(tmp_path)
    options = ["--test", "topics.txt", "--no-figure", "--output", "out"]
    options = ["--corpus"] if command == "coverage" else options
    ended = evaluator(command, corpus + "x", *options)
    assert ended.code == 2
    assert ended.err.startswith(f"evaluator: {corpus}x: cannot be read: no such file")
    assert not (tmp_path / "out").exists()
