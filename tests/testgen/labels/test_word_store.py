"""Words by language: the same in memory and in temporary files."""

from __future__ import annotations

import gc
import random
import shutil
import tempfile
from pathlib import Path

import pytest

from testgen.labels import word_store
from testgen.labels.word_store import ItemWords, WordStore


@pytest.fixture
def temporary_folder(tmp_path, monkeypatch):
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def filled(monkeypatch, limit):
    monkeypatch.setattr(word_store, "_LIMIT", limit)
    rng, words = random.Random(1), WordStore()
    for number in range(300):
        for code in rng.sample(["la", "en", "zh-hant", "sr-ec"], 3):
            own = tuple(f"wörd {number} {code}\u2028\u0085\v{n}" for n in range(rng.randrange(3)))
            words.add(
                code,
                f"Q{number}",
                ItemWords(own, "alias" if number % 7 == 0 else "label", len(own), number % 3),
            )
    return words


@pytest.mark.parametrize("limit", [1, 2, 100, 899, 900])
def test_spilling_changes_nothing(temporary_folder, monkeypatch, limit):
    held, spilt = filled(monkeypatch, 10**9), filled(monkeypatch, limit)
    assert spilt.languages == held.languages == ["en", "la", "sr-ec", "zh-hant"]
    for code in (*held.languages, "none"):
        assert list(spilt.of(code).items()) == list(held.of(code).items())
    assert len(held.of("la")) > 200
    assert ItemWords(("wörd",), "label", 1).other_script == 0
    (directory,) = temporary_folder.iterdir()  # of the one that was spilt
    assert {file.name for file in Path(directory).iterdir()} == {"en", "la", "sr-ec", "zh-hant"}


@pytest.mark.parametrize("gone", [False, True])
def test_temporary_files_do_not_stay(temporary_folder, monkeypatch, gone):
    """A folder that somebody else removed before is no error."""
    words = filled(monkeypatch, 10)
    (directory,) = temporary_folder.iterdir()
    if gone:
        shutil.rmtree(directory)
    del words
    gc.collect()
    assert list(temporary_folder.iterdir()) == []


@pytest.mark.parametrize("limit", [901, 10**6])
def test_few_words_touch_no_disk(temporary_folder, monkeypatch, limit):
    words = filled(monkeypatch, limit)
    assert words.languages
    assert list(temporary_folder.iterdir()) == []
