"""Files of real reports of bugs, as commands of testgen: each gives the right words, or says why not.

A folder for each stands beside the real data. A row is: the name of the folder, the commands that are run in
a copy of it, one after another (`{data}` is the folder of the real data), and what must hold then.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Outcome:
    """What the commands left: the current folder, the exit status, and all that was printed."""

    folder: Path
    code: int
    said: str

    def words(self, language, folder="o"):
        """All words of the categories of a test set by id, each with its place in the item's words."""
        content = json.loads((self.folder / folder / f"{language}.json").read_text(encoding="utf-8"))
        items = (item for category in content["categories"] for item in category["items"])
        return {item["id"]: item["words"] for item in items}

    def all_words(self, language, folder="o"):
        """The same words, as a set."""
        return {word for words in self.words(language, folder).values() for word in words}


def tibetan(end):
    words = end.all_words("bo")
    return len(words) > 100 and not any(word[-1] in "།་༎༏༐༑༔" for word in words)


def persian(end):
    listed = (end.folder / "fa.txt").read_text(encoding="utf-8").split()
    return end.all_words("fa") == {*listed} - {"چكي"}  # the snapshot's Czechia is چک


def vietnamese(end):
    expected = {"Q144": ["chó"], "Q146": ["mèo"], "Q152": ["cá"], "Q780": ["gà"], "Q787": ["lợn"]}
    found = end.words("vi")
    return {item: found[item] for item in expected} == expected


def without_stress(end):
    russian = end.all_words("ru")
    return len(russian) == 12 and {"собака", "кошка"} <= russian and not any("\u0301" in w for w in russian)


def ethiopic(end):
    return len(end.all_words("gez")) > 200 and not any("\u1361" in word for word in end.all_words("gez"))


CASES: list[tuple[str, list[str], Callable[[Outcome], bool]]] = [
    ("for-equal-letters", ["generate fa -c country --for fa.txt --minimum-words 1 -o o"], persian),
    ("for-other-word", ["generate vi -c animal -c mammal --for vi.txt --minimum-words 1 -o o"], vietnamese),
    (
        "stress-marks",
        [
            "snapshot import wiktextract stress.jsonl -o o.ttl.gz",
            "generate ru --source o.ttl.gz -c mammal -o o",
        ],
        without_stress,
    ),
    ("word-separators", ["generate gez -o o"], ethiopic),
    (
        "edge-punctuation",
        ["generate bo --source {data}/wikidata/slice.nt.gz --policy aliases=yes -o o"],
        tibetan,
    ),
]
SLOW = {"edge-punctuation"}


@pytest.mark.parametrize(
    ("name", "commands", "holds"),
    [pytest.param(*case, id=case[0], marks=[pytest.mark.slow] * (case[0] in SLOW)) for case in CASES],
)
def test_case(shared_data, command, tmp_path, monkeypatch, name, commands, holds):
    source = shared_data.parent / "cases" / "testgen" / name
    if not source.is_dir():
        pytest.skip(f"{source} is not there")
    folder = tmp_path / name
    shutil.copytree(source, folder)
    folder.chmod(0o755)
    monkeypatch.chdir(folder)
    said, code = "", 0
    for each in commands:
        code, out, err = command(*each.format(data=shared_data).split())
        said += out + err
    assert holds(Outcome(folder, code, said)), said
