"""The core of historical languages in cache/: its tables, the evidence, whether it can be rebuilt."""

import csv
import gzip
import importlib
import math
import os
import re
import subprocess
import sys
import tarfile
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
OTHER_TABLES = {"categories", "concepts", "facts", "headwords", "homographs", "sources", "targets"}
CODES = sorted({path.stem for path in TABLES.glob("*.tsv")} - OTHER_TABLES)
CORPORA = {
    "ang": "old_english.txt",
    "gmh": "middle_high_german.txt.gz",
    "grc": "ancient_greek.txt.gz",
    "hbo": "biblical_hebrew.txt.gz",
    "hi": "hindi.txt.gz",
    "la": "latin.txt.gz",
    "non": "old_norse.txt.gz",
    "sa": "sanskrit.txt.gz",
}
INDIAN = ("bn", "gu", "hi", "ml", "mr", "pa", "te")
IECOR = {"bn": "10", "gmq-x-osw": "157", "hi": "35", "mr": "50", "pa": "266"}
"""The varieties of IE-CoR that are not told apart by ISO codes, or are of today."""
WIKTIONARY = {
    "ar": "arb",
    "bn": "ben",
    "gu": "guj",
    "hi": "hin",
    "ml": "mal",
    "mr": "mar",
    "pa": "pan",
    "te": "tel",
}
ISO = {"cu": ("chu",), "got-latn": ("got",), "la": ("lat",), "sa": ("san",), "syc": ("syc", "arc")}
# Letters of Cyrillic that editions choose differently.
ALIKE = ("оу ѹ ꙋ у", "ꙑ ы", "є ѥ е", "ѕ ꙁ з", "ꙗ я", "шт щ", "ѩ ѧ", "ѭ ѫ", "ї і ѵ и", "ъ ь")
EVIDENCE = re.compile(r"iecor|wikt|corpus:[1-9]\d*|(dict|form):[a-z][a-z0-9-]*|core:hi|lemma:[01]\.\d\d")
NEW = {"ar", "bn", "gmh", "gmq-x-osw", "gu", "hi", "ml", "mr", "pa", "te"}
"""The languages each of whose words has two kinds of evidence, or is a synonym of one that has."""
# Spellings of one word in editions and lists, by language: what is replaced, in the order given.
GMH = (
    "sch 5",
    "ch h",
    "ck k",
    "nd nt",
    "th t",
    "ec$ ic",
    "c k",
    "v f",
    "ph f",
    r"(.)\1 \1",
    "b$ p",
    "d$ t",
    "g$ k",
)
INDIC = ("\u093c ", "\u0901 \u0902", "[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u0939]) \u0902")
VARIANTS = {
    "ar": ("^\u0627\u0644(?=.{3}) ", "[\u0621\u0640] ", "\u0671 \u0627", "\u0649 \u064a"),
    "gmh": GMH,
    "gmq-x-osw": (
        *("[þð] d", "æ a", "ø o", "t?dh|th d", "gh g", "hv v", "qv kv", "[qc] k", "w v", "[jy] i"),
        *("z s", "ph f", "f v", r"(.)\1 \1"),
    ),
    "hi": INDIC,
    # Final consonants are letters of their own since Unicode 5.1, before with a joiner.
    "ml": (
        *(f"{old}\u0d4d\u200d {new}" for old, new in zip("ണനരലള", "ൺൻർൽൾ", strict=True)),
        "[\u200c\u200d] ",
    ),
    "mr": (*INDIC, "\u0940 \u093f", "\u0942 \u0941", "\u0902$ "),
    "pa": ("[\u0a71\u0a3c] ", "[\u0a70\u0a01] \u0a02", "[\u0a41\u0a3f]$ "),
    "te": (
        "\u0c01 ",
        "\u0c31 \u0c30",
        "(\u0c02\u0c2c\u0c41|\u0c2e\u0c41|\u0c02)$ \u0c2e\u0c41",
        "\u0c33\u0c4d\u0c33 \u0c33\u0c4d\u0c32",
    ),
}


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
        named = {each.replace("form:", "dict:") for each in evidence if each[:5] in ("dict:", "form:")}
        assert named <= sources, (concept, word)
        # A word that only texts attest may be another word of the same spelling.
        assert len(evidence) > 1 or not evidence[0].startswith("corpus:") or int(evidence[0][7:]) >= 3, word
        if code == "la":
            assert not set(unicodedata.normalize("NFD", word)) & {"\u0304", "\u0306"}, word


@pytest.mark.parametrize("code", CODES)
def test_a_word_stands_once_in_a_category(code):
    categories = {row["concept"]: row["category"].split() for row in rows("concepts")}
    times = Counter((name, word) for concept, word, _ in words(code) for name in categories[concept])
    assert [each for each, count in times.items() if count > 1] == []


def symbols_and_words(code):
    """The words of each symbol in a table of keywords, with their evidence."""
    for row in rows(f"keywords/{code}"):
        pairs = zip(row["words"].split(" | "), row["evidence"].split(" | "), strict=True)
        yield row["symbol"], {word: evidence.split() for word, evidence in pairs}


@pytest.mark.parametrize("code", ["grc", "la"])
def test_a_keyword_is_of_the_core_or_has_two_kinds_of_evidence_or_a_dictionary_has_one_beside_it(code):
    core, found = {word for _, word, _ in words(code)}, dict(symbols_and_words(code))
    assert len(found) == len(rows(f"keywords/{code}")) > 400
    assert found.keys() <= open_source().keywords("en").words.keys()
    for symbol, own in found.items():
        assert len(own) > 1, symbol
        told = any(not each.startswith("corpus:") for evidence in own.values() for each in evidence)
        for word, evidence in own.items():
            assert regex.fullmatch(r"\p{L}+", word), (symbol, word)
            assert unicodedata.is_normalized("NFC", word), (symbol, word)
            assert languages()[code].has_letters_of(word), (symbol, word)
            assert [each for each in evidence if not EVIDENCE.fullmatch(each)] == [], (symbol, word)
            kinds = {*evidence} - {"corpus:1", "corpus:2"}
            alone = kinds and kinds == {each for each in kinds if each.startswith("corpus:")}
            assert word in core or len(kinds) > 1 or (alone and told), (symbol, word)
    (test_set,) = testgen.build_test_sets(testgen.TestSetRequest([code]))
    (family,) = test_set.groups
    assert len({word for group in family.items for word in group.words}) > 600


def test_words_for_classes_are_single_words_of_their_languages():
    table = {row["language"]: row for row in rows("../class_words")}
    assert len(table) > 60
    assert {*next(iter(table.values()))} - {"language"} <= {row["concept"] for row in rows("concepts")}
    for code, row in table.items():
        for concept, word in row.items():
            if concept != "language" and word:
                assert regex.fullmatch(r"[\p{L}\p{M}\u200cʻʼ'-]+", word), (code, word)
                assert unicodedata.is_normalized("NFC", word), (code, word)
                assert languages()[code].has_letters_of(word), (code, word)
                assert list(row.values()).count(word) <= 2, (code, word)


@pytest.mark.parametrize(
    ("code", "pairs"),
    [
        ("en", {("dog", "animal"), ("cherries", "fruit"), ("hammer", "tool")}),
        ("la", {("canis", "animal"), ("triticum", "frumentum"), ("aurum", "metallum")}),
        ("ang", {("hund", "deor"), ("æsc", "treow"), ("sweord", "wæpen")}),
    ],
)
def test_things_stand_beside_the_word_for_their_class(code, pairs):
    (found,) = testgen.build_test_sets(testgen.TestSetRequest([code], categories=["thing-class"]))
    (relation,) = found.relations
    named = relation.words_by_id
    made = {(one, other) for pair in relation.pairs for one in named[pair.item] for other in named[pair.of]}
    assert pairs <= made


def test_every_source_is_used():
    used = {each for code in CODES for _, _, evidence in words(code) for each in evidence}
    table = rows("sources")
    assert [row["id"] for row in table if not {f"dict:{row['id']}", f"form:{row['id']}"} & used] == []
    assert all(row["title"] and row["address"] and row["licence"] for row in table)


@pytest.mark.parametrize("code", sorted(NEW))
def test_a_word_has_evidence_of_two_kinds_or_is_a_synonym_in_texts(code):
    for row in rows(code):
        evidence = [each.split() for each in row["evidence"].split(" | ")]
        kinds = [
            len({kind for kind in each if kind[:6] != "lemma:"} - {"corpus:1", "corpus:2"})
            for each in evidence
        ]
        # At least one word of a thing is there with its meaning; a list of forms has none.
        meant = [
            any(not kind.startswith(("form:", "corpus:", "lemma:")) for kind in each) for each in evidence
        ]
        in_texts = [any(re.fullmatch(r"corpus:([3-9]|\d\d+)", kind) for kind in each) for each in evidence]
        assert all(
            number >= 2 or (text and any(meant)) for number, text in zip(kinds, in_texts, strict=True)
        ), row


def folded(word, code):
    """Case and marks aside; in Devanagari marks are vowels, and in Middle High German some letters alike."""
    text = unicodedata.normalize("NFD", word.lower()).replace("ς", "σ")
    for *others, letter in map(str.split, ALIKE if code == "cu" else ()):
        for each in others:
            text = text.replace(each, letter)
    if code == "gmh":
        text = "".join(
            each for each in text if each in "\u0302\u0308" or unicodedata.category(each)[0] != "M"
        )
        return variant(unicodedata.normalize("NFC", text), code)
    if code in ("hi", "sa"):
        return text
    return "".join(each for each in text if unicodedata.category(each)[0] != "M")


def alike(word, code):
    """A spelling that is the same for all spellings of a word in lists."""
    if code == "gmh":
        return folded(unicodedata.normalize("NFD", word).replace("\u0304", "\u0302"), code)
    if code in INDIAN:
        return variant(unicodedata.normalize("NFD", word), code)
    return variant(folded(word, code), code)


def variant(text, code):
    """The spelling that stands for all spellings of a word."""
    for rule in VARIANTS.get(code, ()):
        pattern, _, replacement = rule.partition(" ")
        text = re.sub(pattern, replacement, text)
    return text


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


def listed(text):
    """The forms in a cell of a word list."""
    return {form.strip("*-\u200e") for form in re.split(r"[ ,;/≠]+", text)}


def word_lists():
    """The forms of each word list, by language and kind of evidence."""
    forms = defaultdict(set)
    lexicons = SHARED / "lexicons"
    codes = {iso: code for code in CODES if code != "got-latn" for iso in ISO.get(code, (code,))}
    with (lexicons / "historical-words.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            kind = "iecor" if row["source"].startswith("iecor") else "wikt"
            forms[codes.get(row["iso639_3"]), kind] |= listed(f"{row['form']} {row['native_script']}")
    varieties = {number: code for code, number in IECOR.items()}
    with gzip.open(lexicons / "iecor" / "forms.csv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            forms[varieties.get(row["Language_ID"]), "iecor"] |= listed(
                f"{row['Form']} {row['native_script']}"
            )
    with tarfile.open(lexicons / "omw" / "wikt.tar.gz") as archive:
        for code, iso in WIKTIONARY.items():
            file = archive.extractfile(f"wns/wikt/wn-wikt-{iso}.tab")
            for line in file.read().decode().splitlines():
                forms[code, "wikt"] |= listed(line.split("\t")[2] if "lemma" in line else "")
    for kind in ("iecor", "wikt"):
        forms["got-latn", kind] = forms["got", kind]
    return forms


def test_words_stand_in_the_word_lists():
    path = SHARED / "lexicons" / "historical-words.tsv"
    if not path.exists():
        pytest.skip(f"no word lists at {path}; set TESTGEN_SHARED_DATA")
    lists = word_lists()
    for code in CODES:
        for kind in ("iecor", "wikt"):
            forms = {alike(form, code) for form in lists[code, kind]}
            stated = {alike(word, code) for _, word, evidence in words(code) if kind in evidence}
            assert stated - forms == set(), (code, kind)


def test_rebuilding_gives_the_same_text(tmp_path):
    rebuilt = tmp_path / "rebuilt.ttl.gz"
    script = ROOT / "tools" / "build_historical.py"
    subprocess.run([sys.executable, script, "--output", rebuilt], check=True, capture_output=True)
    (shipped,) = (ROOT / "cache").glob("historical-*.ttl.gz")
    # Compressed bytes may differ between versions of zlib; the text may not.
    assert gzip.decompress(rebuilt.read_bytes()) == gzip.decompress(shipped.read_bytes())


@pytest.mark.parametrize("script", ["build_historical.py --report", "reading_sheet.py --tally"])
def test_the_page_says_what_is_in_it(script):
    name, option = script.split()
    command = [sys.executable, ROOT / "tools" / name, option]
    table = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    assert table in (ROOT / "cache" / "README.md").read_text(encoding="utf-8")


def test_words_that_a_reader_found_wrong_are_gone():
    with (ROOT / "tools" / "readings.tsv").open(encoding="utf-8", newline="") as file:
        marks = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert {row["mark"] for row in marks} == {"wrong", "another", "doubtful"}
    assert all(row["reason"] for row in marks if row["reader"] == "second")
    mended = {
        (row["language"], row["thing"], row["word"])
        for row in marks
        if row["words"] == "cores" and row["mark"] != "doubtful"
    }
    aliases = {
        (row["language"], row["concept"], row["word"])
        for row in rows("homographs")
        if row["decision"] == "alias"
    }
    stated = {(code, concept, word) for code in CODES for concept, word, _ in words(code)}
    assert not mended & (stated - aliases)


def test_synonyms_are_words_and_pointed_words_aliases():
    (hebrew,) = testgen.build_test_sets(testgen.TestSetRequest(["hbo"], categories=["mammal"]))
    assert ("סוס",) in [item.words for item in hebrew.categories[0].items]
    (latin,) = testgen.build_test_sets(testgen.TestSetRequest(["la"], categories=["person"]))
    assert max(len(item.words) for item in latin.categories[0].items) > 1


def test_what_a_text_knows_is_counted_with_marks_aside(tmp_path):
    text = tmp_path / "text.txt.gz"
    # The horse five times, with a macron once; the dog four times; half the word of the lion.
    text.write_bytes(gzip.compress(("Equus equum " * 4 + "ēquus canis canis canis canis leonis").encode()))
    script = [sys.executable, ROOT / "tools" / "build_historical.py", "--corpus", f"la={text}"]
    table = subprocess.run(script, check=True, capture_output=True, encoding="utf-8").stdout
    assert table.splitlines()[-1] == f"| `la` | text.txt.gz | {len(rows('la'))} | 1 | 0% | 36 | 0 |"


def test_what_a_text_knows_is_counted_by_a_profile(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("lamb " * 3 + "lampp " * 2, encoding="utf-8")
    script = [sys.executable, ROOT / "tools" / "build_historical.py", "--corpus", f"gmh={text}"]
    ways = ([], ["--profile", "middle-high-german"])
    tables = [subprocess.check_output([*script, *way], encoding="utf-8").splitlines() for way in ways]
    assert [table[-1].split(" | ")[3] for table in tables] == ["0", "1"]


def test_what_is_asked_of_languages_stands_beside_what_is_there():
    script = [sys.executable, ROOT / "tools" / "build_historical.py", "--targets"]
    table = subprocess.check_output(script, encoding="utf-8").splitlines()[2:]
    things = {line.split("`")[1]: line.split(" | ")[2].split(" / ") for line in table}
    assert things["gmq-x-osw"] == [str(len(rows("gmq-x-osw"))), "420"]
    assert [code for code, (found, asked) in things.items() if int(found) < int(asked)] == []


@pytest.mark.slow
def test_the_words_of_the_core_alone_stand_with_the_classes_of_all():
    request = testgen.TestSetRequest(["hi"], categories=["mammal"])
    (both,) = testgen.build_test_sets(request)
    (alone,) = testgen.build_test_sets(request, source="historical")
    horse = {
        name: {item.id: item.words for item in each.categories[0].items}["Q726"]
        for name, each in {"both": both, "alone": alone}.items()
    }
    assert horse["both"] == ("घोड़ा",)
    assert {"घोड़ा", "तुरंग", "बाजि"} <= set(horse["alone"])
    assert alone.source.name == "historical-1, names alone"
    with pytest.raises(testgen.SourceError, match="cannot be combined"):
        open_source(["historical", "shipped"])


@pytest.mark.slow
def test_no_name_of_today_stands_in_for_a_language_of_the_core():
    (norse,) = testgen.build_test_sets(testgen.TestSetRequest(["non"]))
    assert norse.named_in is None
    assert not {"electronics", "country"} & {category.name for category in norse.categories}


@pytest.mark.parametrize(("code", "number", "usual"), [("hbo", 60, "סוס"), ("gmh", 15, "ors")])
def test_a_form_that_mostly_is_another_word_is_not_asked_by_default(code, number, usual):
    """As Hebrew אם, "if", for "mother"; it is an alias, for texts that are lemmatized."""
    rare = {
        (concept, word)
        for concept, word, evidence in words(code)
        for each in evidence
        if each.startswith("lemma:") and float(each[6:]) < 0.5
    }
    assert len(rare) > number
    ids = {row["concept"]: row["item"] for row in rows("concepts")}
    (found,) = testgen.build_test_sets(testgen.TestSetRequest([code]))
    asked = {(item.id, word) for each in found.categories for item in each.items for word in item.words}
    assert not asked & {(ids[concept], word) for concept, word in rare}
    assert (ids["mammal/horse"], usual) in asked


@pytest.fixture
def lemma_shares(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("lemma_shares")


def test_the_share_of_a_form_that_is_the_word_is_counted_without_marks(lemma_shares, tmp_path):
    paths = [tmp_path / "text.gz", tmp_path / "lemmas.gz"]
    texts = (
        ["îs is is is was", "wolf wolf wolf wolf wolf"],
        ["îs sîn sîn sîn sîn", "wolv wolv wolv wolv wolf"],
    )
    for path, lines in zip(paths, texts, strict=True):
        path.write_bytes(gzip.compress("\n".join([*lines, lines[0]]).encode()))
    profile = lemma_shares.parse_profile("middle-high-german")
    found = lemma_shares.lemmas_of_forms(*paths, profile)
    told = lemma_shares.shares("gmh", found, profile)
    assert (told["îs"], told["wolf"]) == (0.25, 1.0)
    paths[1].write_bytes(gzip.compress(b"one word"))
    with pytest.raises(ValueError, match=r"line 1 .* same number of words"):
        lemma_shares.lemmas_of_forms(*paths, profile)


@pytest.mark.slow
def test_shares_are_those_of_the_lemmatized_text(lemma_shares):
    text, lemmas = (SHARED / "corpora" / f"middle_high_german{end}.txt.gz" for end in ("", "_lemmas"))
    if not text.exists():
        pytest.skip(f"no corpus at {text}; set TESTGEN_SHARED_DATA")
    profile = lemma_shares.parse_profile("middle-high-german")
    told = lemma_shares.shares("gmh", lemma_shares.lemmas_of_forms(text, lemmas, profile), profile)
    stated = {word: float(each[6:]) for _, word, own in words("gmh") for each in own if each[:6] == "lemma:"}
    assert stated == {word: float(f"{share:.2f}") for word, share in told.items()}


def test_words_that_a_reader_found_to_be_mostly_another_one_are_not_asked_by_default():
    table = rows("homographs")
    stated = {(code, concept, word) for code in CODES for concept, word, _ in words(code)}
    assert {(row["language"], row["concept"], row["word"]) for row in table} <= stated
    assert all(row["decision"] in ("kept", "alias") and row["reason"] for row in table)
    ids = {row["concept"]: row["item"] for row in rows("concepts")}
    (norse,) = testgen.build_test_sets(testgen.TestSetRequest(["non"]))
    asked = {(item.id, word) for each in norse.categories for item in each.items for word in item.words}
    found = {
        decision: {
            (ids[row["concept"]], row["word"])
            for row in table
            if row["language"] == "non" and row["decision"] == decision
        }
        for decision in ("kept", "alias")
    }
    assert (ids["tool/yoke"], "ok") in found["alias"] - asked
    assert not found["alias"] & asked
    assert len(found["kept"] & asked) >= 10


@pytest.fixture
def homographs(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("homographs")


def test_evaluator_cuts_arabic_forms_by_the_words_that_are_shipped(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    built = importlib.import_module("build_arabic_words")
    assert built.TABLE.read_text(encoding="utf-8") == built.table()


def test_a_word_is_flagged_that_is_ten_times_as_frequent_as_expected(homographs):
    concepts = [f"c{number}" for number in range(9)]
    usual = {(concept, concept): 10 * (number + 1) for number, concept in enumerate(concepts)}
    odd = {**usual, ("c0", "c0"): 200, ("c1", "c1"): 100}
    found = homographs.flagged({"a": usual, "b": usual, "c": usual, "d": odd})
    # log10(200 / 710) − log10(10 / 450) − median of the nine concepts, log10(450 / 710)
    assert found == {("d", "c0", "c0"): pytest.approx(math.log10(20))}


@pytest.mark.slow
def test_each_word_that_is_flagged_in_texts_has_a_line(homographs):
    paths = {code: SHARED / "corpora" / name for code, name in CORPORA.items()}
    if not all(path.exists() for path in paths.values()):
        pytest.skip(f"no corpora at {SHARED}; set TESTGEN_SHARED_DATA")
    found = homographs.flagged({code: homographs.counted(code, path) for code, path in paths.items()})
    assert len(found) > 50
    assert found.keys() <= {(row["language"], row["concept"], row["word"]) for row in rows("homographs")}
