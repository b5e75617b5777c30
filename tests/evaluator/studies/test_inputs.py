"""No number outlives its files: each input of a command is changed by a byte, and that is always noticed.

What a command opens is found out by an audit hook of Python, and not by what it says. One byte of each file
is changed so that size and time of modification stay the same: `verify` must say so, and lines must be scored
again, or a study refuse to go on.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from evaluator import convert
from evaluator.execution.inputs import Input, digest
from evaluator.studies.inputs import are_same, check, differences
from tests.conftest import NO_GENSIM
from tests.evaluator.studies.test_trainers import COUNTS, FIELDS
from tests.evaluator.vectors import fasttext_files, vector_files
from tests.golden import inputs as golden_inputs
from tests.golden.commands import RUNS, arguments

MARK = "changeme"
"""A word that all files of texts have; its last letter is what is changed in them."""

TOPICS = {name: [f"{name}{number}" for number in range(7)] for name in ("king", "tree")}
TOPICS["tree"][3] = MARK
WORDS = [word for topic in TOPICS.values() for word in topic]
ENCODER = """
from pathlib import Path
import numpy as np
from helper import scale  # changeme
SHIFT = float(Path("shift.txt").read_text().split()[0])
def encode(words):
    return np.array([[len(each) + SHIFT, ord(each[0]) - 95.5, ord(each[-1]) % 7] for each in words]) * scale
"""


# What a command opens


@dataclass
class Watch:
    """The files that this process opens for reading while it is on, and those that its programs are given."""

    on: bool = False
    read: set[Path] = field(default_factory=set)
    written: set[Path] = field(default_factory=set)

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        if not self.on:
            return
        if event == "open" and isinstance(given[0], str | bytes):
            reads = isinstance(given[2], int) and given[2] & os.O_ACCMODE == os.O_RDONLY
            (self.read if reads else self.written).add(Path(os.fsdecode(given[0])).absolute())
        elif event == "subprocess.Popen" and isinstance(given[1], Sequence):
            self.read |= {Path(str(each)).absolute() for each in given[1] if Path(str(each)).is_file()}

    @contextmanager
    def below(self, folder: Path) -> Iterator[set[Path]]:
        """Afterwards the files in a folder that were read, and that were there before."""
        before = {path for path in folder.rglob("*") if path.is_file()}
        found: set[Path] = set()
        self.read, self.written, self.on = set(), set(), True
        try:
            yield found
        finally:
            self.on = False
            found |= before & self.read - self.written


WATCH = Watch()
sys.addaudithook(WATCH)


@contextmanager
def changed_by_a_byte(path: Path) -> Iterator[None]:
    """Change a byte of a file, which has the same size and time of modification then, and put it back."""
    before, state = path.read_bytes(), path.stat()
    content = bytearray(before)
    if before.startswith(b"\x1f\x8b"):
        content[4] ^= 1  # the time in the header of gzip
    elif MARK.encode() in before:
        content[before.rindex(MARK.encode()) + len(MARK) - 1] = ord("a")
    elif path.suffix in (".npy", ".bin", ".safetensors"):
        content[-4] ^= 1  # the least bits of the last number
    else:
        at = max(number for number, each in enumerate(before) if chr(each).isalnum())
        content[at] = ord("3") if content[at] != ord("3") else ord("4")
    assert bytes(content) != before
    _write(path, bytes(content), state)
    try:
        yield
    finally:
        _write(path, before, state)


def _write(path: Path, content: bytes, state: os.stat_result) -> None:
    path.write_bytes(content)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def assert_noticed(evaluator, opened, results):
    """`verify` says of each file that was opened that it is another one."""
    assert opened
    assert evaluator("verify", *results).code == 0
    for path in sorted(opened):
        with changed_by_a_byte(path):
            ended = evaluator("verify", *results)
            assert ended.code == 1, f"{path} was changed, and verify says {ended.out}"
            assert path.name in ended.err
            assert "changed" in ended.err


def assert_scored_again(evaluator, opened, command, output):
    """The same command scores again if a file is another one, and does not if none is."""
    content = output.read_bytes()
    assert "nothing to do" in evaluator(*command).out
    for path in sorted(opened):
        with changed_by_a_byte(path):
            ended = evaluator(*command)
            assert "nothing to do" not in ended.out, f"{path} was changed"
            assert ended.code == 2 or "scored again" in ended.err
        output.write_bytes(content)


# Models and test sets of all kinds


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Test sets, words, a corpus; and the working directory."""
    monkeypatch.chdir(tmp_path)
    lines = [f": {name}\n" + "\n".join(words) for name, words in TOPICS.items()]
    (tmp_path / "topics.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "words.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return tmp_path


def matrix(dimension=3, seed=0):
    return np.random.default_rng(seed).normal(size=(len(WORDS), dimension)).astype(np.float32)


def text(path):
    path.write_bytes(vector_files.text(WORDS, matrix()))
    return path, [path]


def array(path):
    file = path.with_suffix(".npy")
    np.save(file, matrix())
    return file, [file, path.with_name("words.txt")]


def encoder(path):
    path.with_name("encoder.py").write_text(ENCODER)
    path.with_name("helper.py").write_text("scale = 2.0  # changeme\n")
    path.with_name("shift.txt").write_text("0.25 changeme")
    return "encoder:encode", map(path.with_name, ("encoder.py", "helper.py", "shift.txt", "words.txt"))


def binary(path):
    file = path.with_suffix(".bin")
    file.write_bytes(vector_files.binary(WORDS, matrix()))
    return file, [file]


def packed(path):
    file = path.with_suffix(".gz")
    file.write_bytes(gzip.compress(vector_files.text(WORDS, matrix())))
    return file, [file]


def converted(path):
    file = path.with_suffix(".safetensors")
    convert((WORDS, matrix()), file)
    return file, [file]


def fasttext(path):
    rows = np.random.default_rng(1).normal(size=(len(WORDS) + 8, 3)).astype(np.float32)
    file = path.with_suffix(".bin")
    fasttext_files.write(file, WORDS, rows)
    return file, [file]


def gensim(path):
    models = pytest.importorskip("gensim.models", reason=NO_GENSIM)
    vectors = models.KeyedVectors(3)
    vectors.add_vectors(WORDS, matrix())
    vectors.save(str(path), separately=["vectors"])
    return path, [path, path.with_name(f"{path.name}.vectors.npy")]


def static(path):
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra [models]")
    path.mkdir()
    model = tokenizers.models.WordLevel({word: row for row, word in enumerate(WORDS)}, unk_token="king0")  # noqa: S106
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.save(str(path / "tokenizer.json"))
    save_file({"embeddings": matrix()}, path / "model.safetensors")
    (path / "config.json").write_text('{"changeme": 1}')
    names = ("model.safetensors", "tokenizer.json", "config.json", "../words.txt")
    return path, [(path / name).resolve() for name in names]


MODELS = (text, array, encoder, binary, packed, converted, fasttext, gensim, static)


def one_file(folder):
    return folder / "topics.txt", [folder / "topics.txt"]


def several_files(folder):
    (folder / "groups").mkdir()
    for name, other in (("king", "tree"), ("tree", "king")):
        lines = [*TOPICS[name][:5], "", *TOPICS[other][:3]]
        (folder / "groups" / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return folder / "groups", (folder / "groups").glob("*.txt")


def archive(folder):
    with tarfile.open(folder / "groups.tar", "w") as made:
        for file in several_files(folder)[1]:
            made.add(file, file.name)
    return folder / "groups.tar", [folder / "groups.tar"]


def table(folder):
    rows = (f"{one}\t{other}\t{len(one + other)}\n" for one, other in pairwise(WORDS))
    (folder / "pairs.tsv").write_text("".join(rows))
    return folder / "pairs.tsv", [folder / "pairs.tsv"]


TESTS = (one_file, several_files, archive, table)


@pytest.mark.parametrize(
    ("model", "test"),
    [
        *((model, one_file) for model in (text, array, encoder)),
        (text, several_files),
        *(pytest.param(model, one_file, marks=pytest.mark.slow) for model in MODELS[3:]),
        *(pytest.param(text, test, marks=pytest.mark.slow) for test in TESTS[2:]),
    ],
)
def test_a_score_depends_on_all_files_of_a_model_and_a_test_set(evaluator, folder, model, test):
    """And the command opens none besides those that are named here."""
    (given, files), (tested, others) = model(folder / "model"), test(folder)
    command = ["score", given, "--test", tested]
    command += ["--vocabulary-from", "words.txt"] if model in (encoder, static) else []
    with WATCH.below(folder) as opened:
        ended = evaluator(*command, "--json")
    assert ended.code == 0, ended.err
    assert opened == {*files, *others}
    (folder / "scores.json").write_text(ended.out, encoding="utf-8")
    ended = evaluator(*command, "--output", "lines.jsonl")
    assert ended.code == 0, ended.err
    assert_noticed(evaluator, opened, ["scores.json", "lines.jsonl"])
    assert_scored_again(evaluator, opened, [*command, "--output", "lines.jsonl"], folder / "lines.jsonl")


def test_another_file_is_noticed_where_there_was_none(evaluator, folder):
    """One that would be read in place of another, and one more of a folder."""
    (model, _), (tests, _) = array(folder / "model"), several_files(folder)
    command = ["score", model, "--test", tests, "--output", "lines.jsonl"]
    assert evaluator(*command).code == 0
    for new in (folder / "model.txt", folder / "groups" / "z.txt"):
        shutil.copy(folder / ("words.txt" if new.stem == "model" else "groups/king.txt"), new)
        ended = evaluator("verify", "lines.jsonl")
        assert ended.code == 1
        assert (new.name if new.stem == "model" else "groups has changed") in ended.err
        assert "scored again" in evaluator(*command).err
        assert evaluator("verify", "lines.jsonl").code == 0


def test_a_report_lists_all_inputs(evaluator, folder):
    pytest.importorskip("jinja2")
    (model, files), (tests, others) = array(folder / "model"), several_files(folder)
    content = evaluator("score", model, "--test", tests, "--json").out
    (folder / "scores.json").write_text(content, encoding="utf-8")
    assert evaluator("report", "scores.json", "--output", "report.html").code == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    for each in (*files, *others):
        assert f"{each.relative_to(folder)}, sha256 {digest(each)[0]}" in page


def test_two_orders_of_words_are_two_models(evaluator, folder):
    (model, _), digests = array(folder / "model"), set()
    for words in (WORDS, WORDS[::-1]):
        (folder / "words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        ended = evaluator("score", model, "--test", "topics.txt", "--json")
        digests.add(json.loads(ended.out)["results"][0]["model_sha256"])
    assert len(digests) == 2


def test_what_becomes_of_an_input(folder, monkeypatch):
    (folder / "a").write_bytes(b"one")
    now = Input("vectors", "a").now()
    expected = {
        Input("vectors", "a", now): "same",
        Input("vectors", "a", "0"): "changed",
        Input("vectors", "a"): "changed",  # there was none
        Input("vectors", "b", now): "missing",
        Input("vectors", "b"): "same",
        Input("memory", "a", now): "unknown",
        Input("vectors", "s3://bucket/a", now): "unknown",
        Input("trainer", "…/sh", now): "missing",
        Input("trainer", "sh", Input("trainer", shutil.which("sh")).now()): "same",
    }
    assert {each: check(each) for each in expected} == expected
    monkeypatch.setattr("evaluator.studies.inputs.by_name", {"called": (str(folder / "a"), "en")}.get)
    assert check(Input("test set", "called", now)) == "same"
    assert check(Input("test set", "b", now)) == "missing"
    assert differences(expected) == (["a"], ["b", "…/sh"])
    assert not are_same([], {})
    assert are_same([each for each, found in expected.items() if found in ("same", "unknown")], expected)
    assert not are_same(list(expected), expected)


# Studies


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tune", "curve"])
def test_a_study_depends_on_corpus_test_set_and_trainer(evaluator, folder, name):
    lines = np.random.default_rng(0).choice(list(TOPICS.values()), size=(300, 8))
    (folder / "text.txt").write_text("\n".join(map(" ".join, lines.reshape(-1, 7).tolist())) + "\n")
    (folder / "counts.py").write_text(f"import helper\n{COUNTS}")
    (folder / "helper.py").write_text("MARK = 'changeme'\n")
    command = [name, "text.txt", "--test", "topics.txt", "--output", "study", "--no-figure"]
    command += ["--trainer", f"{shlex.quote(sys.executable)} counts.py {FIELDS}"]
    few = ("dimension=8", "window=4", "min_count=2", "model=fasttext", "architecture=cbow", "lemmas=no")
    of_tune = ["--trials", "1", *(word for each in (*few, "learning_rate=0.1") for word in ("--only", each))]
    command += of_tune if name == "tune" else ["--from", "512", "--to", "1024", "--only", "min_count=2"]
    with WATCH.below(folder) as opened:
        ended = evaluator(*command)
    assert ended.code == 0, ended.err
    assert {each.name for each in opened} == {"text.txt", "topics.txt", "counts.py", "helper.py"}
    assert_noticed(evaluator, opened, ["study"])
    for path in sorted(opened):
        with changed_by_a_byte(path):
            ended = evaluator(*command)
            assert (ended.code, "was started with other settings" in ended.err) == (2, True)
            assert f"{path.name} has changed" in ended.err
    assert evaluator(*command).code == 0


# All commands


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The inputs of the recorded commands."""
    made = tmp_path_factory.mktemp("world")
    golden_inputs.make(made)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    "run", [each for each in RUNS if "{data}" not in each.line], ids=lambda run: run.name
)
def test_results_of_a_command_depend_on_all_that_it_opens(evaluator, world, tmp_path, monkeypatch, run):
    """For every recorded command whose result is a file or JSON."""
    copy = tmp_path / "world"
    shutil.copytree(world, copy)
    monkeypatch.chdir(copy)
    for line in run.before:
        command, _, kept = line.partition(" > ")
        (copy / kept).write_text(evaluator(*arguments(command, "")).out, encoding="utf-8")
    with WATCH.below(copy) as opened:
        ended = evaluator(*arguments(run.line, ""))
    assert ended.code == run.exit_code, ended.err
    result = run.result or "printed.json"
    if not run.result:
        if "{json}" not in run.line:
            pytest.skip("prints no result that can be verified")
        (copy / result).write_text(ended.out, encoding="utf-8")
    if result.endswith(".jsonl"):  # what could not be scored is tried again anyway
        lines = map(json.loads, (copy / result).read_text(encoding="utf-8").splitlines())
        opened -= {copy / line["vectors"] for line in lines if line.get("reason")}
    assert_noticed(evaluator, opened, [result])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("model", MODELS)
def test_the_system_sees_no_other_file(folder, model):
    """Libraries that are not written in Python open files of which Python hears nothing."""
    given, _ = model(folder / "model")
    program = Path(sys.executable).with_name("evaluator")
    command = [str(program), "score", str(given), "--test", "topics.txt", "--json"]
    command += ["--vocabulary-from", "words.txt"] if model in (encoder, static) else []
    trace = ["strace", "-f", "-qq", "-e", "trace=open,openat", "-e", "signal=none", "-o", "trace", *command]
    ended = subprocess.run(trace, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    calls = (folder / "trace").read_text(errors="replace").splitlines()
    found = (re.search(r'"([^"]+)", O_RDONLY(?!.*O_DIRECTORY)', each) for each in calls)
    below = {folder / each[1] for each in found if each is not None}
    opened = {each for each in below if each.is_relative_to(folder) and each.is_file()}
    content = json.loads(ended.stdout)
    inputs = (*content.get("inputs", ()), *content["results"][0]["inputs"])
    assert opened == {folder / each["path"] for each in inputs if each["sha256"]}
