"""The reference table, made of synthetic vectors at the addresses of published ones, on loopback."""

import dataclasses
import gzip
import hashlib
import io
import json
import struct
import subprocess
import sys
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import evaluator
from evaluator.datasets.names import by_name
from tools import reference

GREMLIN = "/huggingface.co/DFKI/glove-la-cc100/resolve/main/la_embeddings.txt"
FASTTEXT = "/dl.fbaipublicfiles.com/fasttext/vectors-crawl/cc.la.300.vec.gz"
GLOVE = "/nlp.stanford.edu/data/wordvecs/glove.2024.wikigiga.300d.zip"
BPEMB = "/nlp.h-its.org/bpemb/en/en.wiki.bpe.vs200000.d300.w2v.bin.tar.gz"
NLPL = "/vectors.nlpl.eu/repository/20/56.zip"
WIKILANGS = "/huggingface.co/wikilangs/la/resolve/main/models/embeddings/monolingual/la_32d.bin"
WIKI = "/dl.fbaipublicfiles.com/fasttext/vectors-wiki/wiki.la.vec"


def model_named(name):
    return next(each for each in reference.models() if each.name == name)


@pytest.fixture(scope="module")
def rows():
    """Words of the shipped Latin test set, and vectors that know their categories; their order does not."""
    generator, found = np.random.default_rng(4), {}
    for category in evaluator.read_testset(by_name("la")[0]).categories:
        centre = generator.normal(size=8)
        for item in category.items:
            found.setdefault(item.words[0], centre + generator.normal(size=8))
    words = list(found)
    return {words[place]: found[words[place]] for place in generator.permutation(len(words))}


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


def zipped(content, name="vectors.txt", beside=()):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for each in beside:
            archive.writestr(each, "{}")
        archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture
def served(rows):
    """The address of a server, its files by path, and the paths that were asked for."""
    files = {
        FASTTEXT: gzip.compress(text(rows, 0.1)),
        GREMLIN: text(rows, 9.0, header=False),
        "/dl.fbaipublicfiles.com/fasttext/vectors-crawl/cc.te.300.vec.gz": b"broken",
    }
    asked, without_length = [], files.setdefault("without length", [])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            content = files.get(self.path)
            self.send_response(404 if content is None else 200)
            if content not in without_length:
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
    found = [model_named("fasttext"), model_named("gremlin")]
    monkeypatch.setattr(reference, "models", lambda: found)
    return found


def command_line(arguments):
    command = [Path(sys.executable).with_name("evaluator"), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.slow
def test_a_language_is_fetched_scored_shown_and_not_asked_for_again(rows, served, listed, tmp_path, capsys):
    address, files, asked = served
    files[GREMLIN] = text(rows, 1.0, header=False)
    listed.append(
        dataclasses.replace(listed[1], name="noise", address=f"https:/{WIKI}", languages={"la": "la"})
    )
    files[WIKI] = text(rows, 99.0)
    run = ["la", "te", "--output", str(tmp_path / "out"), "--mirror", address]
    assert reference.main(run) == 1
    assert [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()[-2:]] == [
        "te, fasttext",
        "te, gremlin",
    ]
    page = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| language | fasttext | gremlin | noise |" in page
    (row,) = [line for line in page.splitlines() if line.startswith("| la |")]
    shown = [cell.rpartition(")")[2].strip() for cell in row.removesuffix(" |").split(" | ")[1:]]
    assert shown == ["a", "b", "not above chance"]
    assert "CC BY-SA 4.0" in page
    kept = json.loads((tmp_path / "out" / "results" / "la.json").read_text(encoding="utf-8"))
    assert all(len(each["model_sha256"]) == 64 for each in kept["results"])
    assert (tmp_path / "out" / "site" / "index.html").exists()
    assert "Topk@3" in (tmp_path / "out" / "scores.csv").read_text(encoding="utf-8")
    assert not (tmp_path / "out" / "vectors").exists()
    (tmp_path / "own.vec").write_bytes(text(rows, 0.5))
    command = [
        "score",
        tmp_path / "own.vec",
        "--test",
        "la",
        "--beside",
        tmp_path / "out" / "results" / "la.json",
    ]
    own = command_line([*command, "--vocabulary", str(reference.VOCABULARY)])
    assert "\nTopk@3: own.vec is above 2 of 3 published Latin vectors (shown to be above: 1).\n" in own.stdout
    assert "KeywordRank: own.vec is above" not in own.stdout  # models were asked other words
    other = command_line(command)
    assert (other.returncode, "vocabulary:200000 there, vocabulary:all here" in other.stderr) == (2, True)
    asked.clear()
    assert reference.main(run) == 1
    assert {path for path in asked if "la" in path.rpartition("/")[2]} == set()
    assert asked


@pytest.mark.usefixtures("listed")
def test_more_than_the_disk_may_have_is_not_fetched(served, tmp_path, capsys):
    assert reference.main(["la", "--output", str(tmp_path), "--mirror", served[0], "--disk", "0.000001"]) == 1
    assert "more than --disk allows" in capsys.readouterr().err
    assert list((tmp_path / "results").iterdir()) == []


@pytest.fixture
def compared(monkeypatch):
    """The names of the files that would be scored, for each time."""
    found = []
    monkeypatch.setattr(
        reference, "_score", lambda _, files, target: found.append([each.name for each in files]) or ()
    )
    return found


@pytest.mark.parametrize(
    "wrong", [None, b"<!doctype html><p>moved", b"9 8\nrex"], ids=["missing", "a page", "cut off"]
)
def test_the_others_are_scored_if_a_model_cannot_be_had(served, tmp_path, compared, wrong):
    address, files, _ = served
    files[FASTTEXT] = wrong
    folder = reference.Folder(tmp_path / "vectors", 10**9, address)
    problems = reference.score("la", reference.models()[:2], tmp_path, folder)
    assert [each.partition(": ")[0] for each in problems] == ["la, fasttext"]
    assert compared == [["gremlin.txt"]]
    assert list(folder.path.iterdir()) == []


def test_models_without_a_result_are_fetched_first_and_no_result_is_lost(
    served, tmp_path, compared, monkeypatch
):
    address, files, asked = served
    monkeypatch.setattr(reference, "scored", lambda path: {"fasttext"})
    folder, models = reference.Folder(tmp_path / "vectors", 10**9, address), reference.models()[:2]
    assert [language for language, _ in reference.todo(models, ["la"], tmp_path)] == ["la"]
    gremlin = files.pop(GREMLIN)
    assert len(reference.score("la", models, tmp_path, folder)) == 1
    assert (asked, compared) == ([GREMLIN], [])
    files[GREMLIN], fasttext = gremlin, files.pop(FASTTEXT)
    assert len(reference.score("la", models, tmp_path, folder)) == 1
    assert compared == []
    files[FASTTEXT] = fasttext
    assert reference.score("la", models, tmp_path, folder) == []
    assert compared == [["fasttext.vec.gz", "gremlin.txt"]]
    monkeypatch.setattr(reference, "scored", lambda path: {"fasttext", "gremlin"})
    assert list(reference.todo(models, ["la"], tmp_path)) == []


@pytest.mark.slow
@pytest.mark.usefixtures("listed")
def test_a_model_that_is_found_damaged_when_it_is_scored_is_tried_again(served, tmp_path, capsys):
    address, files, _ = served
    known = files[GREMLIN]
    files[GREMLIN] += b"rex 1 2\n"
    run, result = ["la", "--output", str(tmp_path), "--mirror", address], tmp_path / "results" / "la.json"
    assert reference.main(run) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("la, gremlin: gremlin.txt, line ")
    assert reference.scored(result) == {"fasttext"}
    files[GREMLIN] = known
    assert reference.main(run) == 0
    assert reference.scored(result) == {"fasttext", "gremlin"}


def test_files_of_a_model_that_are_missing_after_a_stop_are_fetched(served, tmp_path):
    address, files, asked = served
    potion = model_named("potion-32M")
    paths = [f"/huggingface.co/minishlab/potion-base-32M/resolve/main/{name}" for name in potion.files]
    files |= dict.fromkeys(paths[:1], b"x")
    folder = reference.Folder(tmp_path, 10**9, address)
    with pytest.raises(OSError, match="404"):
        folder.vectors(potion, "en")
    (tmp_path / potion.name / f"{potion.files[1]}.part").write_bytes(b"of a run that was killed")
    files |= dict.fromkeys(paths[1:], b"y")
    asked.clear()
    assert {each.name for each in folder.vectors(potion, "en").iterdir()} == {*potion.files}
    assert asked == paths[1:]


def test_a_file_is_there_only_when_it_is_complete(tmp_path):
    folder = reference.Folder(tmp_path, 10**9)

    def broken():
        yield b"begun"
        assert [each.name for each in tmp_path.iterdir()] == ["la.txt.part"]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        folder._write(broken(), tmp_path / "la.txt")
    with pytest.raises(OSError, match="5 of 6 bytes"):
        folder._write([b"begun"], tmp_path / "la.txt", 6)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "path"), [("glove-2024", GLOVE), ("bpemb", BPEMB)])
def test_what_takes_more_room_unpacked_than_the_disk_may_have_is_not_unpacked(
    rows, served, tmp_path, name, path
):
    address, files, _ = served
    zeros = dict.fromkeys(rows, np.zeros(8))
    files[path] = zipped(text(zeros, 0)) if name == "glove-2024" else pieces(zeros)
    model = model_named(name)
    with pytest.raises(OSError, match="--disk"):
        reference.Folder(tmp_path, len(files[path]) + 1000, address).vectors(model, "en")
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) == len(files[path])


def test_bytes_of_an_unknown_number_are_counted_as_they_arrive(served, tmp_path):
    address, files, _ = served
    gremlin = model_named("gremlin")
    files["without length"].append(files[GREMLIN])
    assert reference.Folder(tmp_path, 10**9, address).vectors(gremlin, "la").read_bytes() == files[GREMLIN]
    with pytest.raises(OSError, match="--disk"):
        reference.Folder(tmp_path, len(files[GREMLIN]) + 1000, address).vectors(
            dataclasses.replace(gremlin, name="second"), "la"
        )
    assert [each.name for each in tmp_path.iterdir()] == ["gremlin.txt"]


def test_archives_are_unpacked(rows, served, tmp_path):
    address, files, _ = served
    folder = reference.Folder(tmp_path, 10**9, address)
    files[BPEMB] = pieces(rows)
    files[GLOVE] = zipped(text(rows, 0, header=False))
    for name in ("bpemb", "glove-2024"):
        found = evaluator.load_vectors(folder.vectors(model_named(name), "en"))
        assert list(found.words) == list(rows)
        assert np.allclose(found.matrix, np.array(list(rows.values()), dtype=np.float32), atol=1e-5)


@pytest.mark.parametrize("member", ["model.txt", "model.bin"])
def test_vectors_of_nlpl_are_those_beside_their_description(rows, served, tmp_path, member):
    address, files, _ = served
    content = text(rows, 0)
    if member == "model.bin":
        content = f"{len(rows)} 8\n".encode()
        content += b"".join(f"{word} ".encode() + struct.pack("8f", *row) for word, row in rows.items())
    files[NLPL] = zipped(content, member, ["meta.json", "README"])
    found = evaluator.load_vectors(
        reference.Folder(tmp_path, 10**9, address).vectors(model_named("nlpl"), "la")
    )
    assert list(found.words) == list(rows)
    assert [each.suffix for each in tmp_path.iterdir()] == [member[-4:]]
    files[NLPL] = zipped(content, "others.txt", ["meta.json"])
    with pytest.raises(OSError, match=r"model\.bin or model\.txt"):
        reference.Folder(tmp_path, 10**9, address).vectors(model_named("nlpl"), "la")


@pytest.mark.slow
def test_a_model_of_ngrams_has_the_words_of_the_first_model(served, tmp_path):
    """In floret's files, as spaCy writes them, there are no words."""
    address, files, _ = served
    floret = model_named("latincy-floret-md")
    table = io.BytesIO()
    np.save(table, np.random.default_rng(2).normal(size=(50, 8)).astype(np.float32))
    settings = {"mode": "floret", "minn": 4, "maxn": 5, "hash_count": 2, "hash_seed": 2166136261}
    contents = {
        "vocab/key2row": b"\x80",
        "vocab/vectors": table.getvalue(),
        "vocab/vectors.cfg": json.dumps(settings).encode(),
    }
    at = floret.address.format(language="la").partition("/")[2]
    files |= {f"{at}/{name}": content for name, content in contents.items()}
    folder = reference.Folder(tmp_path / "vectors", 10**9, address)
    assert reference.score("la", [model_named("fasttext"), floret], tmp_path, folder) == []
    assert reference.scored(tmp_path / "la.json") == {"fasttext", floret.name}
    found, encoded = evaluator.read_results(tmp_path / "la.json")[0].results
    assert "|vocabulary-from:fasttext.vec.gz#" in encoded.get("Topk@3").signature
    assert "vocabulary-from:" not in found.get("Topk@3").signature
    page = reference.page({"la": evaluator.read_results(tmp_path / "la.json")[0]}, [floret])
    assert "those of the first model of the language" in page


def test_addresses_licences_and_digests_of_files_are_recorded(rows, served, tmp_path):
    address, files, _ = served
    files |= {WIKI: text(rows, 0), WIKILANGS: b"of fastText"}
    record = tmp_path / "fetched.tsv"
    folder = reference.Folder(tmp_path / "vectors", 10**9, address, record)
    for name in ("fasttext-wiki", "wikilangs-32", "fasttext-wiki"):
        assert (
            folder.vectors(model_named(name), "la").read_bytes()
            == files[WIKI if name[0] == "f" else WIKILANGS]
        )
    lines = [line.split("\t") for line in record.read_text("utf-8").splitlines()]
    assert lines == [
        ["language", "model", "address", "licence", "bytes", "sha256"],
        *(
            [
                "la",
                name,
                f"https:/{path}",
                licence,
                str(len(files[path])),
                hashlib.sha256(files[path]).hexdigest(),
            ]
            for name, path, licence in (
                ("fasttext-wiki", WIKI, "CC BY-SA 3.0"),
                ("wikilangs-32", WIKILANGS, "MIT"),
            )
        ),
    ]
    files[WIKI] += b"\n"  # the publisher changed it
    folder.vectors(model_named("fasttext-wiki"), "la")
    assert len(record.read_text("utf-8").splitlines()) == 4


def test_codes_of_the_authors_stand_for_those_of_test_sets():
    fasttext = reference.models()[0]
    assert len(fasttext.languages) > 150
    assert (fasttext.languages["la"], fasttext.languages["gsw"], fasttext.languages["nb"]) == (
        "la",
        "als",
        "no",
    )
    assert {each.licence for each in reference.models()} >= {"CC BY-SA 3.0", "MIT"}
