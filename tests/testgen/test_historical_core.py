"""The core of historical languages in cache/: its tables, the evidence, whether it can be rebuilt."""

import csv
import gzip
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import regex

import testgen
from testgen.languages.codes import languages
from testgen.queries import shipped_queries
from testgen.sources import open_source

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "tools" / "historical"
SHARED = Path(os.environ.get("TESTGEN_SHARED_DATA", ROOT.parent / "shared" / "data"))
CODES = sorted({path.stem for path in TABLES.glob("*.tsv")} - {"categories", "concepts", "facts", "sources"})
CORPORA = {
    "ang": "old_english.txt",
    "grc": "ancient_greek.txt.gz",
    "hbo": "biblical_hebrew.txt.gz",
    "la": "latin.txt.gz",
    "non": "old_norse.txt.gz",
    "sa": "sanskrit.txt.gz",
}
ISO = {"cu": ("chu",), "got-latn": ("got",), "la": ("lat",), "sa": ("san",), "syc": ("syc", "arc")}
# Letters of Cyrillic that editions choose differently.
ALIKE = ("оу ѹ ꙋ у", "ꙑ ы", "є ѥ е", "ѕ ꙁ з", "ꙗ я", "шт щ", "ѩ ѧ", "ѭ ѫ", "ї і ѵ и", "ъ ь")
EVIDENCE = re.compile(r"iecor|wikt|corpus:[1-9]\d*|dict:[a-z][a-z0-9-]*")


def rows(name):
    with (TABLES / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def words(code):
    """Each word of a language, with its concept and its evidence."""
    for row in rows(code):
        pairs = zip(row["words"].split(" | "), row["evidence"].split(" | "), strict=True)
        for word, evidence in pairs:
            yield row["concept"], word, evidence.split()


def test_items_are_wikidatas_where_that_is_sure_and_else_our_own():
    table = rows("concepts")
    for key in ("concept", "item"):
        assert [each for each, count in Counter(row[key] for row in table).items() if count > 1] == []
    known = {row["category"] for row in rows("categories")}
    for row in table:
        pattern = r"Q[1-9]\d*" if row["evidence"] else r"core:[a-z-]+"
        assert re.fullmatch(pattern, row["item"]), row
        assert set(row["category"].split()) <= known, row


def test_every_concept_is_in_a_category_of_a_shipped_query():
    source = open_source("shipped")
    queries = [query for query in shipped_queries().values() if query.kind == "category" and not query.worded]
    found = {item for query in queries for (item,) in source.answer(query).rows}
    named = {concept for code in CODES for concept, _, _ in words(code)}
    things = [row for row in rows("concepts") if not row["concept"].startswith("class/")]
    assert [row["concept"] for row in things if row["item"] not in found] == [
        row["concept"] for row in things if row["concept"] not in named
    ]


def test_facts_are_about_the_concepts_and_each_stands_once():
    known = {row["concept"] for row in rows("concepts")}
    facts = [(row["concept"], row["property"], row["value"]) for row in rows("facts")]
    assert len(facts) == len(set(facts)) > 300
    assert {each for one, _, other in facts for each in (one, other)} <= known
    assert {property_ for _, property_, _ in facts} == {"P156", "P186", "P2283", "P361", "P366", "P461"}


@pytest.mark.parametrize("code", CODES)
def test_a_table_is_well_formed(code):
    assert code in languages()
    order = {row["concept"]: number for number, row in enumerate(rows("concepts"))}
    numbers = [order[row["concept"]] for row in rows(code)]
    assert numbers == sorted(set(numbers))
    sources = {f"dict:{row['id']}" for row in rows("sources")}
    for concept, word, evidence in words(code):
        assert regex.fullmatch(r"[\p{L}\p{M}\u200c\u200d'’-]+", word), (concept, word)
        assert unicodedata.is_normalized("NFC", word), (concept, word)
        assert languages()[code].has_letters_of(word), (concept, word)
        assert evidence, (concept, word)
        assert [each for each in evidence if not EVIDENCE.fullmatch(each)] == [], (concept, word)
        assert {each for each in evidence if each.startswith("dict:")} <= sources, (concept, word)
        # A word that only texts attest may be another word of the same spelling.
        assert len(evidence) > 1 or not evidence[0].startswith("corpus:") or int(evidence[0][7:]) >= 3, word
        if code == "la":
            assert not set(unicodedata.normalize("NFD", word)) & {"\u0304", "\u0306"}, word


@pytest.mark.parametrize("code", CODES)
def test_a_word_stands_once_in_a_category(code):
    categories = {row["concept"]: row["category"].split() for row in rows("concepts")}
    times = Counter((name, word) for concept, word, _ in words(code) for name in categories[concept])
    assert [each for each, count in times.items() if count > 1] == []


def test_every_source_is_used():
    used = {each for code in CODES for _, _, evidence in words(code) for each in evidence}
    table = rows("sources")
    assert [row["id"] for row in table if f"dict:{row['id']}" not in used] == []
    assert all(row["title"] and row["address"] and row["licence"] for row in table)


def folded(word, code):
    """Case and marks aside; in Devanagari marks are vowels."""
    text = unicodedata.normalize("NFD", word.lower()).replace("ς", "σ")
    for *others, letter in map(str.split, ALIKE if code == "cu" else ()):
        for each in others:
            text = text.replace(each, letter)
    return text if code == "sa" else "".join(each for each in text if unicodedata.category(each)[0] != "M")


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        code if code in ("ang", "hbo", "non") else pytest.param(code, marks=pytest.mark.slow)
        for code in sorted(CORPORA)
    ],
)
def test_words_stand_in_the_corpus_as_often_as_the_table_says(code):
    path = SHARED / "corpora" / CORPORA[code]
    if not path.exists():
        pytest.skip(f"no corpus at {path}; set TESTGEN_SHARED_DATA")
    counts = Counter()
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            counts.update(folded(run, code) for run in regex.findall(r"[\p{L}\p{M}\p{N}\u200c\u200d]+", line))
    stated = {
        (word, int(each[7:]))
        for _, word, evidence in words(code)
        for each in evidence
        if each.startswith("corpus:")
    }
    assert [(word, number) for word, number in stated if counts[folded(word, code)] != number] == []


def test_words_stand_in_the_word_lists():
    path = SHARED / "lexicons" / "historical-words.tsv"
    if not path.exists():
        pytest.skip(f"no word lists at {path}; set TESTGEN_SHARED_DATA")
    forms = defaultdict(set)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            kind = "iecor" if row["source"].startswith("iecor") else "wikt"
            for form in re.split(r"[ ,;/≠]+", f"{row['form']} {row['native_script']}"):
                forms[row["iso639_3"], kind].add(form.strip("*-\u200e"))
    for code in CODES:
        for kind in ("iecor", "wikt"):
            listed = {folded(form, code) for iso in ISO.get(code, (code,)) for form in forms[iso, kind]}
            stated = {folded(word, code) for _, word, evidence in words(code) if kind in evidence}
            assert stated - listed == set(), (code, kind)


def test_rebuilding_gives_the_same_text(tmp_path):
    rebuilt = tmp_path / "rebuilt.ttl.gz"
    script = ROOT / "tools" / "build_historical.py"
    subprocess.run([sys.executable, script, "--output", rebuilt], check=True, capture_output=True)
    (shipped,) = (ROOT / "cache").glob("historical-*.ttl.gz")
    # Compressed bytes may differ between versions of zlib; the text may not.
    assert gzip.decompress(rebuilt.read_bytes()) == gzip.decompress(shipped.read_bytes())


def test_the_page_says_what_is_in_it():
    script = [sys.executable, ROOT / "tools" / "build_historical.py", "--report"]
    table = subprocess.run(script, check=True, capture_output=True, encoding="utf-8").stdout
    assert table in (ROOT / "cache" / "README.md").read_text(encoding="utf-8")


def test_synonyms_are_words_and_pointed_words_aliases():
    (hebrew,) = testgen.build_test_sets(testgen.TestSetRequest(["hbo"], categories=["mammal"]))
    assert ("סוס",) in [item.words for item in hebrew.categories[0].items]
    (latin,) = testgen.build_test_sets(testgen.TestSetRequest(["la"], categories=["person"]))
    assert max(len(item.words) for item in latin.categories[0].items) > 1


@pytest.mark.slow
def test_no_name_of_today_stands_in_for_a_language_of_the_core():
    (norse,) = testgen.build_test_sets(testgen.TestSetRequest(["non"]))
    assert norse.named_in is None
    assert not {"electronics", "country"} & {category.name for category in norse.categories}
