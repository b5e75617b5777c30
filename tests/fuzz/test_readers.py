"""Every reader, on files with small changes, and on those that once were too much for one.

`make fuzz` tries more, and writes what is found to `corpus/`, where it stays as a test. The name of a file
there is that of the reader, two dashes, and what is wrong with it.
"""

from __future__ import annotations

import hashlib
import os
import random
import time
from pathlib import Path

import pytest

from tests.fuzz.mutation import mutated
from tests.fuzz.readers import readers

CORPUS = Path(__file__).with_name("corpus")
FINDINGS = sorted(CORPUS.iterdir())
MANY = int(os.environ.get("FUZZ_RUNS", "0"))
RUNS = MANY or 8
"""How many changed files each reader is given."""

PARTS = 8

LONGEST = 20
"""Seconds that no small file may take."""


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    return readers(tmp_path_factory.mktemp("files"))


def complaint(reader, content):
    """What is wrong with how a reader takes a content; None if it reads it, or refuses it as it should."""
    whole, started = reader.path.read_bytes(), time.monotonic()
    try:
        reader.path.write_bytes(content)
        reader.read()
    except reader.error as error:
        if "\n" in str(error):
            return f"more than one line: {error}"
    except Exception as error:  # that is what is looked for
        return f"{type(error).__name__}: {error}"
    finally:
        reader.path.write_bytes(whole)
    return "takes too long" if time.monotonic() - started > LONGEST else None


def test_all_files_can_be_read(every):
    for name, reader in every.items():
        try:
            reader.read()
        except reader.error as error:
            pytest.fail(f"{name}: {error}")


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.name)
def test_what_was_found_before(every, path):
    assert complaint(every[path.name.partition("--")[0]], path.read_bytes()) is None


@pytest.mark.parametrize("part", range(PARTS))
def test_changed_files(every, part):
    found = []
    for name in sorted(every)[part::PARTS]:
        generator, whole = random.Random(f"{MANY} {name}"), every[name].path.read_bytes()
        for number in range(RUNS):
            content = mutated(whole, generator)
            wrong = complaint(every[name], content)
            if wrong is not None:
                found.append(f"{name}, {number}: {wrong}")
                if MANY:
                    digest = hashlib.sha256(content).hexdigest()[:8]
                    (CORPUS / f"{name}--{digest}").write_bytes(content)
    assert not found, "\n".join(found)
