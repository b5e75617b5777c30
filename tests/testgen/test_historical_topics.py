"""The topics of the language comparison in cache/: their tables, the evidence, and the test sets."""

import csv
import gzip
import re
import subprocess
import sys
import unicodedata
from collections import Counter

import pytest
import regex

import testgen
from testgen.languages.codes import languages
from tests.testgen.test_historical_core import CORPORA, ROOT, SHARED, TABLES, folded

TOPICS = TABLES / "topics"
OTHERS = {"categories", "concepts", "facts", "sources"}
CODES = sorted({path.stem for path in TOPICS.glob("*.tsv")} - OTHERS)
EVIDENCE = re.compile(r"label|corpus:[1-9]\d*|(dict|form):[a-z][a-z0-9-]*|core:hi")
INDIAN = {"bn", "gu", "hi", "ml", "mr", "pa", "te"}
LEAST = 40
"""So many items a topic has in a language whose texts have the topic, but for Buddhism in Punjabi."""
TEXTS_HAVE = {
    "biblical-figure": {"ang", "ar", "gmh", "grc", "hbo", "la", *INDIAN},
    "facet-of-buddhism": {"sa", *INDIAN},
    "facet-of-hinduism": {"sa", *INDIAN},
}


def rows(name, folder=TOPICS):
    with (folder / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def words(code):
    """Each word of a language, with its concept and its evidence."""
    for row in rows(code):
        for word, evidence in zip(row["words"].split(" | "), row["evidence"].split(" | "), strict=True):
            yield row["concept"], word, evidence.split()


def test_items_are_not_those_of_the_core():
    table, core = rows("concepts"), rows("concepts", TABLES)
    items = [row["item"] for row in [*table, *core]]
    assert [item for item, count in Counter(items).items() if count > 1] == []
    for row in table:
        assert re.fullmatch(r"Q[1-9]\d*" if row["evidence"] else r"core:[a-z-]+", row["item"]), row
        assert set(row["category"].split()) <= set(TEXTS_HAVE), row


@pytest.mark.parametrize("code", CODES)
def test_a_table_is_well_formed(code):
    order = {row["concept"]: number for number, row in enumerate(rows("concepts"))}
    numbers = [order[row["concept"]] for row in rows(code)]
    assert numbers == sorted(set(numbers))
    sources = {row["id"] for row in [*rows("sources"), *rows("sources", TABLES)]}
    categories = {row["concept"]: row["category"].split() for row in rows("concepts")}
    times = Counter((name, word) for concept, word, _ in words(code) for name in categories[concept])
    assert [each for each, count in times.items() if count > 1] == []
    for concept, word, evidence in words(code):
        assert regex.fullmatch(r"[\p{L}\p{M}\u200c\u200d:]+", word), (concept, word)
        assert unicodedata.is_normalized("NFC", word), (concept, word)
        assert languages()[code].has_letters_of(word), (concept, word)
        assert evidence, (concept, word)
        assert all(EVIDENCE.fullmatch(each) for each in evidence), (concept, word)
        assert {each[5:] for each in evidence if each[:5] in ("dict:", "form:")} <= sources
        # A word that only texts attest may be another word of the same spelling.
        assert len(evidence) > 1 or not evidence[0].startswith("corpus:") or int(evidence[0][7:]) >= 3, word


def test_every_source_is_used():
    used = {each[5:] for code in CODES for _, _, evidence in words(code) for each in evidence}
    assert [row["id"] for row in rows("sources") if row["id"] not in used] == []
    assert all(row["title"] and row["address"] and row["licence"] for row in rows("sources"))


@pytest.mark.slow
@pytest.mark.parametrize("code", sorted(CODES & CORPORA.keys()))
def test_words_stand_in_the_corpus_as_often_as_the_table_says(code):
    path = SHARED / "corpora" / CORPORA[code]
    if not path.exists():
        pytest.skip(f"no corpus at {path}; set TESTGEN_SHARED_DATA")
    counts = Counter()
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            counts.update(folded(run, code) for run in regex.findall(r"[\p{L}\p{M}\p{N}\u200c\u200d]+", line))
    stated = [(word, int(e[7:])) for _, word, evidence in words(code) for e in evidence if e[:7] == "corpus:"]
    assert [(word, number) for word, number in stated if counts[folded(word, code)] != number] == []


@pytest.mark.parametrize("topic", sorted(TEXTS_HAVE))
def test_a_topic_is_made_without_a_network(topic):
    request = testgen.TestSetRequest(sorted(TEXTS_HAVE[topic]), categories=[topic])
    sizes = {each.language: len(each.categories[0].items) for each in testgen.build_test_sets(request)}
    assert sizes.keys() == TEXTS_HAVE[topic]
    few = {"pa"} if topic == "facet-of-buddhism" else set()
    assert {code for code, size in sizes.items() if size < LEAST} == few


def test_fathers_and_their_children_are_a_relation():
    request = testgen.TestSetRequest(["la"], categories=["biblical-figure-father"])
    (latin,) = testgen.build_test_sets(request)
    pairs = {(pair.item, pair.of) for pair in latin.relations[0].pairs}
    assert ("core:biblical-adam", "core:biblical-cain") in pairs
    assert len(pairs) >= 25


def test_the_page_says_what_is_in_it():
    script = [sys.executable, ROOT / "tools" / "build_historical.py", "--topics"]
    table = subprocess.run(script, check=True, capture_output=True, encoding="utf-8").stdout
    assert table in (ROOT / "cache" / "README.md").read_text(encoding="utf-8")
