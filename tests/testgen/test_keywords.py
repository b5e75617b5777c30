"""Keywords of symbols: the groups in test sets, the files that have them, and the tools that write these."""

from __future__ import annotations

import json
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import date

import pytest

import testgen
from testgen import LabelPolicy, TestSetRequest
from testgen.errors import SourceError
from testgen.generation.keywords import keyword_groups
from testgen.labels.vocabulary import Vocabulary
from testgen.snapshots.creation import create
from testgen.sources import RdfSource, Snapshot, open_source
from testgen.sources.keywords import KeywordFile, united_keywords
from tools.documents import REPOSITORY

sys.path.append(str(REPOSITORY / "tools"))
from build_historical import keyword_tables
from snapshot import keywords as tool

WORDS = {
    "de": {"🐕": ["Hund", "Haustier"], "🐈": ["Katze", "Haustier", "(Mieze)", "его"], "⌚": ["Uhr", "3"]},
    "de-at": {"🐕": ["Hund", "Haustier"], "🐈": ["Katze", "Haustier", "(Mieze)", "его"], "⌚": ["Uhr", "3"]},
    "en": {"🐕": ["dog", "pet"], "🐈": ["cat", "pet"]},
    "fr": {"🐕": ["chien", "CHIEN"]},
}


@pytest.fixture
def source(small, tmp_path):
    """A file of RDF with keywords beside it."""
    path = tmp_path / "own.ttl"
    path.write_bytes(small.read_bytes())
    tool.write(tmp_path / "own.keywords.zip", WORDS, "own keywords", date(2026, 11, 1), "CC0")
    return RdfSource(path)


def groups(source, code, **options):
    """The words of each symbol in a language, and the family."""
    families = keyword_groups(code, source, TestSetRequest(**options))
    return ({group.id: group.words for group in family.items} for family in families), families


def test_words_of_a_symbol_are_a_group(source):
    (words,), (family,) = groups(source, "de")
    assert words == {"🐈": ("Haustier", "Katze", "Mieze"), "🐕": ("Haustier", "Hund")}
    assert (family.too_few, family.other_script, family.common) == (1, 1, ())
    assert (family.source.name, family.source.license) == ("own keywords", "CC0")


def test_a_variety_has_those_of_its_language(source):
    assert [*groups(source, "de-ch")[0]] == [*groups(source, "de")[0]]
    assert keyword_groups("la", source, TestSetRequest()) == ()


def test_the_policy_makes_the_words_and_a_vocabulary_chooses_them(source, tmp_path):
    (words,), _ = groups(source, "de", policy=LabelPolicy(case="lower", any_script=True))
    assert words["🐈"] == ("haustier", "katze", "mieze", "его")
    (words,), _ = groups(source, "fr")
    assert words == {"🐕": ("CHIEN", "chien")}
    assert keyword_groups("fr", source, TestSetRequest(policy=LabelPolicy(case="lower"))) == ()
    (tmp_path / "words.txt").write_text("hund\nhaustier\nkatze\n", encoding="utf-8")
    (words,), (family,) = groups(source, "de", vocabulary=Vocabulary.read(tmp_path / "words.txt"))
    assert words == {"🐈": ("haustier", "katze"), "🐕": ("haustier", "hund")}
    assert family.size == 3


@pytest.mark.parametrize(("symbols", "common"), [(60, ()), (61, ("face",))])
def test_a_word_of_more_than_60_symbols_is_left_out(small, tmp_path, symbols, common):
    path = tmp_path / "own.ttl"
    path.write_bytes(small.read_bytes())
    words = {chr(0x1F600 + number): ["face", f"a{number}", f"b{number}"] for number in range(symbols)}
    tool.write(tmp_path / "own.keywords.zip", {"en": words}, "own", date(2026, 11, 1), "CC0")
    _, (family,) = groups(RdfSource(path), "en")
    assert family.common == common
    assert ("face" in family.words) == (not common)


def test_they_are_made_unless_something_is_named(source, tmp_path):
    few = LabelPolicy(minimum_words=1)
    for name, asked in (
        ("default", TestSetRequest(["en"], policy=few)),
        ("wanted", TestSetRequest(["en"], ["country"], policy=few, keywords=True)),
        ("named", TestSetRequest(["en"], ["country"], policy=few)),
        ("unwanted", TestSetRequest(["en"], policy=few, keywords=False)),
    ):
        frame = testgen.generate(tmp_path / name, asked, source=source)
        content = json.loads((tmp_path / name / "en.json").read_text(encoding="utf-8"))
        has_groups = name not in ("named", "unwanted")
        assert [each["name"] for each in content["groups"]] == ["keywords"] * has_groups
        assert frame[frame["kind"] == "groups"]["size"].tolist() == [3] * has_groups
    assert TestSetRequest(core=True).with_keywords


def test_a_snapshot_keeps_them(source, tmp_path):
    queries = testgen.choose(["country"])
    create(tmp_path / "s.jsonl", queries, source, keywords=True)
    kept = Snapshot(tmp_path / "s.jsonl")
    assert kept.keyword_languages == ("de", "de-at", "en", "fr")
    for code in ("de", "de-ch", "fr", "la"):
        assert keyword_groups(code, kept, TestSetRequest()) == keyword_groups(code, source, TestSetRequest())
    create(tmp_path / "without.jsonl", queries, source)
    assert Snapshot(tmp_path / "without.jsonl").keyword_languages == ()


def test_those_of_several_sources_are_united(source):
    one = source.keywords("fr")
    other = replace(one, source=open_source().keywords("fr").source, words={"🐕": ["toutou"], "🐈": ["chat"]})
    both = united_keywords([one, None, other])
    assert both.words == {"🐕": ["chien", "CHIEN", "toutou"], "🐈": ["chat"]}
    assert [part.name for part in both.source.parts] == ["own keywords", "cldr-48 keywords"]
    assert united_keywords([one, one]).source == one.source


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off"])
def test_a_damaged_file_is_named(tmp_path, content):
    (tmp_path / "x.keywords.zip").write_bytes(content)
    with pytest.raises(SourceError, match=r"x\.keywords\.zip: not a file of keywords, or damaged"):
        KeywordFile(tmp_path / "x.keywords.zip").keywords("en")
    with zipfile.ZipFile(tmp_path / "x.keywords.zip", "w") as file:
        file.writestr("contents.json", "{}")
    with pytest.raises(SourceError, match="not a file of keywords"):
        _ = KeywordFile(tmp_path / "x.keywords.zip").languages


def test_the_same_words_give_the_same_bytes(tmp_path):
    again = {tag: dict(reversed(words.items())) for tag, words in reversed(WORDS.items())}
    for name, words in (("a", WORDS), ("b", again)):
        tool.write(tmp_path / name, words, "own", date(2026, 11, 1), "CC0")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with zipfile.ZipFile(tmp_path / "a") as file:
        assert file.namelist() == ["contents.json", "de.json", "en.json", "fr.json"]


def test_keywords_of_a_core_need_evidence(tmp_path):
    table = tmp_path / "la.tsv"
    table.write_text(
        "symbol\twords\tevidence\n🐕\tcanis | animal\tdict:lewis-short | corpus:17\n", encoding="utf-8"
    )
    assert keyword_tables(tmp_path) == {"la": {"🐕": ["canis", "animal"]}}
    table.write_text("symbol\twords\tevidence\n🐕\tcanis | animal\tcorpus:17\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="🐕 must have evidence for each word"):
        keyword_tables(tmp_path)


def test_what_ships():
    """Keywords of symbols in so many languages, and of no flag, letter, digit, or tone of skin."""
    source = open_source()
    assert len(source.keyword_languages) >= 160
    stated = source.keywords("en")
    assert {"dog", "pet", "animal"} <= set(stated.words["🐕"])
    assert not {"🇫🇷", "1️⃣", "a", "👋🏻", "①"} & stated.words.keys()
    (family,) = keyword_groups("en", source, TestSetRequest())
    assert set(family.common) == {"face", "animal", "man", "woman", "arrow", "with", "person"}
    times = Counter(word for group in family.items for word in group.words)
    assert max(times.values()) <= 60
    assert all(len(set(group.words)) > 1 for group in family.items)
    assert "UNICODE LICENSE" in family.source.license
