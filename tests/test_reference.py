"""The reference table, made of synthetic vectors at the addresses of published ones, on loopback."""

import gzip
import io
import json
import struct
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import evaluator
from evaluator.datasets.names import by_name
from tools import reference


@pytest.fixture(scope="module")
def rows():
    """Words of the shipped Latin test set, and vectors that know their categories."""
    generator, found = np.random.default_rng(4), {}
    for category in evaluator.read_testset(by_name("la")[0]).categories:
        centre = generator.normal(size=8)
        for item in category.items:
            found.setdefault(item.words[0], centre + generator.normal(size=8))
    return found


def text(rows, noise, header=True):
    generator = np.random.default_rng(9)
    lines = [
        f"{word} {' '.join(map(str, row + noise * generator.normal(size=8)))}\n" for word, row in rows.items()
    ]
    return ((f"{len(rows)} 8\n" if header else "") + "".join(lines)).encode()


def pieces(rows):
    """An archive of word2vec's binary format, as BPEmb's."""
    content = f"{len(rows) + 1} 8\n".encode() + b"ing " + struct.pack("8f", *range(8)) + b"\n"
    for word, row in rows.items():
        content += f"▁{word} ".encode() + struct.pack("8f", *row) + b"\n"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("data/la/la.bin")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def zipped(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("vectors.txt", content)
    return packed.getvalue()


@pytest.fixture
def served(rows):
    """The address of a server, its files by path, and the paths that were asked for."""
    files = {
        "/dl.fbaipublicfiles.com/fasttext/vectors-crawl/cc.la.300.vec.gz": gzip.compress(text(rows, 0.1)),
        "/huggingface.co/DFKI/glove-la-cc100/resolve/main/la_embeddings.txt": text(rows, 9.0, header=False),
        "/dl.fbaipublicfiles.com/fasttext/vectors-crawl/cc.te.300.vec.gz": b"broken",
    }
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            content = files.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", files, asked
        server.shutdown()


@pytest.fixture
def listed(monkeypatch):
    """The models that the server has."""
    found = [each for each in reference.models() if each.name in ("fasttext", "gremlin")]
    monkeypatch.setattr(reference, "models", lambda: found)


@pytest.mark.slow
@pytest.mark.usefixtures("listed")
def test_a_language_is_fetched_scored_shown_and_not_asked_for_again(served, tmp_path, capsys):
    address, _, asked = served
    run = ["la", "te", "--output", str(tmp_path / "out"), "--mirror", address]
    assert reference.main(run) == 1
    assert "te: " in capsys.readouterr().err.splitlines()[-1]
    page = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| language | fasttext | gremlin |" in page
    (row,) = [line for line in page.splitlines() if line.startswith("| la |")]
    assert [cell.split()[-1] for cell in row.removesuffix(" |").split(" | ")[1:]] == ["a", "b"]
    assert "CC BY-SA 4.0" in page
    kept = json.loads((tmp_path / "out" / "results" / "la.json").read_text(encoding="utf-8"))
    assert all(len(each["model_sha256"]) == 64 for each in kept["results"])
    assert (tmp_path / "out" / "site" / "index.html").exists()
    assert "Topk@3" in (tmp_path / "out" / "scores.csv").read_text(encoding="utf-8")
    assert not (tmp_path / "out" / "vectors").exists()
    asked.clear()
    assert reference.main(run) == 1
    assert {path for path in asked if "la" in path.rpartition("/")[2]} == set()
    assert asked


@pytest.mark.usefixtures("listed")
def test_more_than_the_disk_may_have_is_not_fetched(served, tmp_path, capsys):
    assert reference.main(["la", "--output", str(tmp_path), "--mirror", served[0], "--disk", "0.000001"]) == 1
    assert "more than --disk allows" in capsys.readouterr().err
    assert list((tmp_path / "results").iterdir()) == []


def test_archives_are_unpacked(rows, served, tmp_path):
    address, files, _ = served
    by_name = {each.name: each for each in reference.models()}
    folder = reference.Folder(tmp_path, 10**9, address)
    files["/nlp.h-its.org/bpemb/en/en.wiki.bpe.vs200000.d300.w2v.bin.tar.gz"] = pieces(rows)
    files["/nlp.stanford.edu/data/wordvecs/glove.2024.wikigiga.300d.zip"] = zipped(
        text(rows, 0, header=False)
    )
    for name in ("bpemb", "glove-2024"):
        found = evaluator.load_vectors(folder.vectors(by_name[name], "en"))
        assert list(found.words) == list(rows)
        assert np.allclose(found.matrix, np.array(list(rows.values()), dtype=np.float32), atol=1e-5)


def test_codes_of_the_authors_stand_for_those_of_test_sets():
    fasttext = reference.models()[0]
    assert len(fasttext.languages) > 150
    assert (fasttext.languages["la"], fasttext.languages["gsw"], fasttext.languages["nb"]) == (
        "la",
        "als",
        "no",
    )
    assert {each.licence for each in reference.models()} >= {"CC BY-SA 3.0", "MIT"}
