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
from pyoxigraph import RdfFormat, Store

from tests.servers.sparql import SparqlServer


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


def animals(end):
    words = end.all_words("la")
    return len(words) == 13 and all(word.endswith("us") for word in words)


def without_nulls(end):
    return (
        "NA" not in end.all_words("la") and "wolfus" not in end.all_words("la") and len(end.words("la")) > 5
    )


def hebrew(end):
    return end.code == 0 and len(end.all_words("he")) > 100


def states_both_ways(end):
    return end.words("la") == end.words("la", "s") and len(end.words("la")) > 100


def no_levels(end):
    return len(end.words("la")) > 100 and "not to rdflib" in end.said and "Traceback" not in end.said


def four_pairs(end):
    content = json.loads((end.folder / "o" / "la.json").read_text(encoding="utf-8"))
    (relation,) = content["relations"]
    return len(relation["pairs"]) == 4 and "unk: 1 row left out, as ?item is an unknown value" in end.said


def mammals(end):
    left_out = "values left out, as they are null or of no use: translations.code 6"
    return all(len(end.all_words(code)) == 12 for code in ("la", "fr")) and left_out in end.said


CLDF = ["snapshot import cldf md.json -o o.ttl.gz"]
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
    ("cldf-dialect", [*CLDF, "generate la --source o.ttl.gz -c animal -o o"], animals),
    ("cldf-zip", [*CLDF, "generate la --source o.ttl.gz -c animal -o o"], animals),
    ("cldf-null", [*CLDF, "generate la --source o.ttl.gz -c animal -o o --minimum-words 1"], without_nulls),
    ("old-codes", ["generate iw -c country --output o"], hebrew),
    (
        "exists-snapshot",
        [
            "snapshot create --source shipped -c exists.rq -c s_d.rq --hierarchy -o o.jsonl.gz",
            "generate la --source o.jsonl.gz -c exists.rq -o o",
            "generate la -c exists.rq -o s",
        ],
        states_both_ways,
    ),
    (
        "rdflib-traceback",
        [
            "snapshot create --source shipped -c caret.rq -o o.jsonl.gz",
            "generate la --source o.jsonl.gz -c caret.rq -o o",
            "generate la -c caret.rq --hierarchy -o h",
        ],
        no_levels,
    ),
    ("unknown-value", ["generate la --source unk.ttl -c unk.rq --minimum-words 1 -o o"], four_pairs),
    (
        "wiktextract-null",
        [
            "snapshot import wiktextract null.jsonl -o o.ttl.gz",
            "generate la fr --source o.ttl.gz -c mammal -o o",
        ],
        mammals,
    ),
]
SLOW = {"edge-punctuation", "exists-snapshot", "rdflib-traceback"}


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


def test_a_wikibase_of_ones_own(shared_data, command, tmp_path):
    source = shared_data.parent / "cases" / "testgen" / "own-wikibase"
    if not source.is_dir():
        pytest.skip(f"{source} is not there")
    store = Store()
    store.load(path=str(source / "own.ttl"), format=RdfFormat.TURTLE)
    with SparqlServer(store) as server:
        options = ["--source", server.url, "--category", source / "own-bird.rq", "--minimum-words", "1"]
        code, *_ = command("generate", "la", *options, "--output", tmp_path / "o")
    assert code == 0
    words = Outcome(tmp_path, code, "").all_words("la")
    assert words == {"anser", "aquila", "columba", "corvus", "cygnus"}


# Real numbers of dog, cat and horse below mammal, in the form of WordNet 3.0.
NOUNS = """\
01861778 05 n 01 mammal 0 000 | warm-blooded
02084071 05 n 01 dog 0 001 @ 01861778 n 0000 | it barks
02121808 05 n 01 cat 0 001 @ 01861778 n 0000 | it purrs
02374451 05 n 01 horse 0 001 @ 01861778 n 0000 | it neighs
"""


def test_a_gap_of_a_wordnet(shared_data, command, tmp_path):
    source = shared_data.parent / "cases" / "testgen" / "gap-word" / "gap.tab"
    if not source.is_file():
        pytest.skip(f"{source} is not there")
    (tmp_path / "data.noun").write_text(NOUNS, encoding="utf-8")
    made, english = tmp_path / "o.ttl", tmp_path / "data.noun"
    code, *_ = command("snapshot", "import", "wordnet", source, "--english", english, "-o", made)
    assert code == 0
    options = ["--category", "mammal", "--minimum-words", "1", "--output", tmp_path / "o"]
    assert command("generate", "it", "--source", made, *options)[0] == 0
    assert Outcome(tmp_path, 0, "").all_words("it") == {"cane"}
