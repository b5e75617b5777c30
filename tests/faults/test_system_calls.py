"""System calls that fail in every command that writes: nothing is half-written, and the next run is right.

The n-th write, rename, fsync or open below the folder of outputs and cache fails, as on a full or broken
disk, or as if a signal came. Of the calls of each kind three are tried; FAULTS=1000 tries all.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from evaluator.results.base import is_unchanged
from tests.conftest import NO_GENSIM, REPOSITORY
from tests.end_to_end import test_full_disk
from tests.end_to_end.test_full_disk import PROGRESS, inputs, writing_commands
from tests.evaluator.plugins.emoji import test_emoji
from tests.evaluator.vectors.vector_files import text
from tests.fuzz.readers import readers
from tests.servers.entities import EntityServer
from tests.servers.sparql import SparqlServer
from tests.servers.world import big_world
from tests.testgen.network import CONTACT

pytestmark = pytest.mark.slow
__all__ = ["inputs"]

TRIED = int(os.environ.get("FAULTS", "3"))
"""How many calls of each kind."""

FULL, BROKEN, SIGNAL = (errno.ENOSPC, True), (errno.EIO, False), (errno.EINTR, False)
KINDS = {
    "write": (0, [FULL, BROKEN, SIGNAL]),
    "rename": (1, [BROKEN, FULL]),
    "fsync": (2, [BROKEN, FULL]),
    "open": (3, [FULL, BROKEN, SIGNAL]),
}
"""The number of each kind in the library; the errors in turn, and whether all later calls fail as well."""

COMMANDS = {
    **test_full_disk.COMMANDS,
    "testgen generate: live": "--all-languages --category Q300000001 --source wikidata --output {1}",
    "testgen snapshot create: live": "--category Q300000001 --source wikidata --output {1}/s.jsonl",
    "testgen snapshot import wordnet": "{0}/samples/wn-wikt-lat.tab --english {0}/samples/data.noun "
    "--output {1}/s.ttl",
    "testgen snapshot import openfoodfacts": "{0}/samples/ingredients.txt --output {1}/s.ttl",
    "testgen snapshot import cldf": "{0}/samples/cldf-metadata.json --output {1}/s.ttl",
    "testgen snapshot import wiktextract": "{0}/samples/words.jsonl --output {1}/s.ttl",
    "testgen config contact": "someone@example.org",
    "evaluator score: report": "{0}/la0.vec --test {0}/la.json --report {1}/r.html --figure {1}/f.pdf "
    "--latex {1}/t.tex",
    "evaluator average": "{0}/la0.vec {0}/la1.vec --output {1}/mean.vec",
    "evaluator train": "{0}/text.txt --only dimension=4 --only min_count=2 --output {1}/model.vec",
    "evaluator emoji": "--descriptions {0}/train.txt --dev {0}/dev.txt --held-out {0}/held-out.txt "
    "--words {0}/words.vec --test {0}/emoji.txt --rate 0.01 --epochs 1 --seeds 1 --output {1}",
}
CHANGING = {"seconds", "sha256", "retrieved", "date", "versions"}
"""Keys whose values differ from run to run."""

NOW = re.compile(rb'"20[0-9-]+T[0-9:]+Z"')
ASKING = ("testgen: asking for ", "testgen: names of ")

IN_LINES = {"trials.jsonl", "points.jsonl", "scores.jsonl"}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs Linux and a C compiler, cc")
    path = tmp_path_factory.mktemp("library") / "failing_calls.so"
    source = Path(__file__).with_name("failing_calls.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True)
    return path


@pytest.fixture(scope="module")
def more_inputs(inputs):
    (inputs / "samples").mkdir()
    readers(inputs / "samples")
    pairs = list(test_emoji.labelled_pairs())
    for name, own in (("train", test_emoji.true_pairs()), ("dev", pairs), ("held-out", pairs[::-1])):
        (inputs / f"{name}.txt").write_text(test_emoji.lines(own), encoding="utf-8")
    (inputs / "words.vec").write_bytes(text(list(test_emoji.WORDS), test_emoji.word_vectors().matrix))
    kinds = (f":{name}\n{' '.join(emoji)}\n" for name, emoji in test_emoji.CATEGORIES.items())
    (inputs / "emoji.txt").write_text("".join(kinds), encoding="utf-8")
    return inputs


@pytest.fixture(scope="module")
def addresses():
    world = big_world(120, 2, 3)
    with SparqlServer(world.store) as sparql, EntityServer(world.entities) as api:
        yield {
            "TESTGEN_WIKIDATA_QUERY": sparql.url,
            "TESTGEN_WIKIDATA_API": api.url,
            "TESTGEN_CONTACT": CONTACT,
        }


class Program:
    """A process that runs a command again and again, with calls that fail below a folder."""

    def __init__(self, name: str, folder: Path, inputs: Path, environment: dict[str, str]) -> None:
        """Start it."""
        self.folder, self._log, self._control = folder / "run", folder / "log", folder / "control"
        self.output = self.folder / "out"
        program, *command = name.partition(":")[0].split()
        self._argv = [program, *command, *COMMANDS[name].format(inputs, self.output).split()]
        self._in_folder = "{1}/" in COMMANDS[name]
        self._control.write_bytes(bytes(40))
        own = {f"XDG_{each.upper()}_HOME": str(self.folder / each) for each in ("cache", "config")}
        own |= {"FAULTS_FOLDER": str(self.folder), "FAULTS_CONTROL": str(self._control)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.program"],
            cwd=REPOSITORY,
            env={**os.environ, **environment, **own, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, kind: int = 0, error: int = 0, at: int = 0, *, later: bool = False
    ) -> tuple[int, list[str]]:
        """Run the command once: its exit code, and what it said besides progress."""
        if self._in_folder:
            self.output.mkdir(parents=True, exist_ok=True)
        self._control.write_bytes(struct.pack("5q", kind, error, at, later, 0))
        print(json.dumps({"argv": self._argv, "log": str(self._log)}), file=self.process.stdin, flush=True)
        code = int(self.process.stdout.readline())
        said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        return code, [
            each for each in said if each and not PROGRESS.match(each) and not each.startswith(ASKING)
        ]

    @property
    def calls(self) -> int:
        """How many calls of the kind the last run made."""
        return struct.unpack("5q", self._control.read_bytes())[4]

    def files(self) -> dict[str, Path]:
        """What is there to see, but for the cache."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        named = {path.relative_to(self.folder).as_posix(): path for path in found}
        return {
            name: path for name, path in named.items() if "/." not in name and not name.startswith("cache/")
        }


def without(value):
    if isinstance(value, dict):
        return {key: without(each) for key, each in value.items() if key not in CHANGING}
    return list(map(without, value)) if isinstance(value, list) else value


def content_of(path):
    """What a run has to give again."""
    content = path.read_bytes()
    if path.name in IN_LINES:
        lines = content.splitlines(keepends=True)
        assert all(map(is_unchanged, lines)), path
        return sorted(json.dumps(without(json.loads(line)), sort_keys=True) for line in lines)
    return without(json.loads(content)) if path.suffix == ".json" else NOW.sub(b"", content)


def check_left(program, expected):
    """Each file that is there is whole, or says that it is not."""
    for name, path in program.files().items():
        content = path.read_bytes()
        if path.name in IN_LINES:
            assert all(map(is_unchanged, content.splitlines(keepends=True)[:-1])), name
        elif content != b"unfinished\n" and b"This export is unfinished" not in content:
            assert content_of(path) == expected[name], name


def faults(program: Program, expected) -> Iterator[tuple[str, int, int, int, bool]]:
    """Which calls fail, and how."""
    for name, (kind, errors) in KINDS.items():
        shutil.rmtree(program.folder)
        assert program.run(kind)[0] == 0
        assert {each: content_of(path) for each, path in program.files().items()} == expected
        chosen = np.unique(np.linspace(1, max(program.calls, 1), TRIED).astype(int)).tolist()
        for at, (error, later) in zip(chosen, itertools.cycle(errors), strict=False):
            yield name, kind, error, at, later


@pytest.mark.parametrize("name", COMMANDS)
def test_calls_that_fail(name, library, more_inputs, addresses, tmp_path):
    if name in ("evaluator tune", "evaluator curve"):
        pytest.importorskip("gensim", reason=NO_GENSIM)
    program = Program(name, tmp_path, more_inputs, {**addresses, "LD_PRELOAD": str(library)})
    with program.process:
        code, said = program.run()
        assert code == 0, said
        whole = tmp_path / "whole"
        program.folder.rename(whole)
        shutil.copytree(whole, program.folder)
        expected = {each: content_of(path) for each, path in program.files().items()}
        assert expected
        for number, (call, kind, error, at, later) in enumerate(faults(program, expected)):
            shutil.rmtree(program.folder)
            if number % 2:  # older results are there
                shutil.copytree(whole, program.folder)
            else:
                program.folder.mkdir()
            code, said = program.run(kind, error, at, later=later)
            where = f"{call} {at} fails with {errno.errorcode[error]}: exit code {code}, {said}"
            assert code in (0, 1, 2), where
            assert code == 0 or (len(said) == 1 and "Traceback" not in said[0]), where
            check_left(program, expected)
            if not code:
                assert {each: content_of(path) for each, path in program.files().items()} == expected, where
            again = program.run()
            assert again[0] == 0, (where, again)
            assert {each: content_of(path) for each, path in program.files().items()} == expected, where
            left = [path.name for path in program.folder.rglob(".part.*")]
            assert not left, (where, left)
        program.process.stdin.close()


def test_no_command_that_writes_is_forgotten():
    own = {"testgen config contact"}
    assert {name.partition(":")[0] for name in COMMANDS} == writing_commands() | own
