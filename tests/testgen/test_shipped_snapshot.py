"""The snapshot in cache/: its content, whether its ids are right, whether it can be rebuilt."""

import gzip
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from pyoxigraph import DefaultGraph, Literal, NamedNode, RdfFormat, Store

import testgen
from testgen.generation.sizes import FileSize, count_languages
from testgen.queries import shipped_queries
from testgen.sources import open_source
from tools.snapshot.emoji import FACES, SIGNS, things
from tools.snapshot.spellout import spelled_out

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "tools" / "snapshot"
SHARED = Path(os.environ.get("TESTGEN_SHARED_DATA", ROOT.parent / "shared" / "data")) / "wikidata"

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
LABEL = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")

LABELLED = (
    "territories",
    "cities",
    "languages",
    "currencies",
    "scripts",
    "regions",
    "calendar",
    "numbers",
    "things",
    "units",
)
ID_TABLES = (*LABELLED, "classes")

# English names of CLDR that Wikidata has neither as label nor as alias in the data at hand. Each
# was looked at: the two names mean the same thing.
OTHER_NAMES = {
    "Q126125": "Saint Martin (French part)",
    "Q836": "Myanmar",
    "Q219060": "State of Palestine",
    "Q43": "Turkey",
    "Q16645": "United States Minor Outlying Islands",
    "Q757": "St. Vincent and the Grenadines",
    "Q33251": "Church Slavonic",
    "Q36510": "Modern Greek",
    "Q831578": "Brazilian cruzeiro real",
    "Q39099": "renminbi",
    "Q16068": "Deutsche Mark",
    "Q189097": "peseta",
    "Q25224": "pound sterling",
    "Q2340666": "Portuguese Guinean escudo",
    "Q203955": "gourde",
    "Q41588": "rupiah",
    "Q213940": "Luxembourg franc",
    "Q123213": "złoty",
    "Q615640": "Soviet ruble",
    "Q1367371": "Portuguese Timorese escudo",
    "Q81893": "hryvnia",
    "Q8201": "Chinese characters",
    "Q187659": "kana",
    "Q82996": "rune",
    "Q27407": "East Africa",
    "Q27433": "Central Africa",
    "Q3359409": "Micronesia",
    "Q196": "cherry",
    "Q1072": "heart",
    "Q5375": "cricket",
    "Q39833": "microorganism",
    "Q44541": "pancake",
    "Q208172": "baguette",
    "Q191118": "tonne",
}


def shipped() -> Path:
    (path,) = (ROOT / "cache").glob("cldr-*.ttl.gz")
    return path


def rows(name: str) -> list[dict[str, str]]:
    lines = (TABLES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:]]


@pytest.fixture(scope="module")
def store() -> Store:
    store = Store()
    with gzip.open(shipped()) as file:
        store.bulk_load(input=file, format=RdfFormat.TURTLE)
    return store


@pytest.fixture(scope="module")
def labels(store) -> dict[str, dict[str, str]]:
    found = defaultdict(dict)
    for quad in store.quads_for_pattern(None, LABEL, None, DefaultGraph()):
        qid = quad.subject.value.removeprefix(WD)
        assert quad.object.language not in found[qid], f"{qid} has two labels in one language"
        found[qid][quad.object.language] = quad.object.value
    return dict(found)


@pytest.fixture(scope="module")
def wikidata_names() -> dict[str, set[str]]:
    path = SHARED / "slice.nt.gz"
    if not path.exists():
        pytest.skip(f"no slice of Wikidata at {path}; set TESTGEN_SHARED_DATA")
    wanted = {row["qid"] for table in ID_TABLES for row in rows(table)}
    pattern = re.compile(rb'<\S+/entity/(Q\d+)> <\S+(?:label|altLabel)> "(.*)"@en \.')
    found = defaultdict(set)
    with gzip.open(path) as file:
        for line in file:
            match = pattern.match(line) if line.endswith(b'"@en .\n') else None
            if match and match[1].decode() in wanted:
                found[match[1].decode()].add(match[2].decode())
    return dict(found)


def members(store, qid: str) -> list[str]:
    quads = store.quads_for_pattern(None, NamedNode(WDT + "P31"), NamedNode(WD + qid))
    return [quad.subject.value.removeprefix(WD) for quad in quads]


@pytest.mark.parametrize(
    ("class_id", "least", "most"),
    [
        ("Q3624078", 193, 196),  # sovereign state
        ("Q6256", 195, 202),  # country
        ("Q161243", 30, 45),  # dependent territory
        ("Q5119", 125, 150),  # capital
        ("Q515", 220, 280),  # city
        ("Q34770", 300, 400),  # language
        ("Q8142", 170, 220),  # currency
        ("Q8192", 150, 210),  # writing system
        ("Q5107", 7, 7),  # continent
        ("Q47018901", 12, 12),  # calendar month
        ("Q41825", 7, 7),  # day of the week
        ("Q21199", 22, 22),  # natural number
        ("Q112099", 45, 55),  # island country
        ("Q1795024", 12, 12),  # astrological sign
        ("Q1790144", 12, 14),  # unit of time
        ("Q4936952", 12, 14),  # anatomical structure
    ],
)
def test_classes_have_the_members_one_expects(store, class_id, least, most):
    assert least <= len(members(store, class_id)) <= most


def test_every_item_has_a_class_and_an_english_label(store, labels):
    quads = [
        *store.quads_for_pattern(None, NamedNode(WDT + "P31"), None),
        *store.quads_for_pattern(None, NamedNode(WDT + "P279"), None),
        *store.quads_for_pattern(None, NamedNode(WDT + "P171"), None),
    ]
    classes = {row["qid"] for row in rows("classes")}
    assert {quad.subject.value.removeprefix(WD) for quad in quads} - classes == set(labels) - classes
    assert [qid for qid, named in labels.items() if "en" not in named] == []


def test_most_of_cldrs_languages_name_a_hundred_countries(store, labels):
    counts = Counter(tag for qid in members(store, "Q3624078") for tag in labels[qid])
    assert sum(count >= 100 for count in counts.values()) >= 210
    assert len({tag for named in labels.values() for tag in named}) >= 270


@pytest.mark.parametrize("prop", ["P17", "P30", "P36", "P37", "P38"])
def test_every_relation_ends_at_an_item_of_the_snapshot(store, labels, prop):
    quads = list(store.quads_for_pattern(None, NamedNode(WDT + prop), None))
    ends = {quad.object.value.removeprefix(WD) for quad in quads}
    assert len(quads) > 100
    assert ends <= set(labels)


@pytest.mark.parametrize("prop", ["P30", "P37", "P38"])
def test_every_sovereign_state_has_the_relation(store, prop):
    quads = store.quads_for_pattern(None, NamedNode(WDT + prop), None)
    assert set(members(store, "Q3624078")) <= {q.subject.value.removeprefix(WD) for q in quads}


@pytest.mark.parametrize(
    ("subject", "prop", "objects"),
    [
        ("Q142", "P36", {"Q90"}),  # France: Paris
        ("Q39", "P37", {"Q188", "Q150", "Q652"}),  # Switzerland: German, French, Italian
        ("Q17", "P38", {"Q8146"}),  # Japan: yen
        ("Q664", "P30", {"Q538"}),  # New Zealand: Oceania
        ("Q90", "P17", {"Q142"}),  # Paris: France
    ],
)
def test_some_facts(store, subject, prop, objects):
    quads = store.quads_for_pattern(NamedNode(WD + subject), NamedNode(WDT + prop), None)
    assert {quad.object.value.removeprefix(WD) for quad in quads} == objects


def test_names_are_given_only_in_the_language_that_states_them(labels):
    assert labels["Q90"]["en"] == "Paris"
    assert labels["Q90"]["ja"] == "パリ"
    # CLDR shows "Paris" in French only because that is how the zone's id ends.
    assert "fr" not in labels["Q90"]
    # Nynorsk inherits from Norwegian, but only what is stated in Nynorsk is Nynorsk.
    assert labels["Q183"]["nb"] == "Tyskland"
    assert "nn" not in labels["Q183"]
    # A regional variety has its whole language's names; another script has its own alone.
    assert labels["Q183"]["de-at"] == "Deutschland"
    assert labels["Q183"]["sr-latn"] == "Nemačka"
    assert labels["Q183"]["sr"] == "Немачка"


def test_things_have_names_of_things_and_not_of_pictures(labels):
    assert labels["Q140"]["de"] == "Löwe"
    assert labels["Q140"]["nb"] == "løve"
    # "løvehoved", "tête de lion", "ライオンの顔"
    assert {"da", "fr", "ja", "ru", "sv"}.isdisjoint(labels["Q140"])
    assert labels["Q847"]["fr"] == "tennis"
    # "Tennisball"
    assert "de" not in labels["Q847"]
    # "Lehrer(in)"
    assert "de" not in labels["Q37226"]
    # Danish names in Greenlandic
    assert "kl" not in labels["Q144"]


def test_units_are_one_of_each(labels):
    assert labels["Q25235"]["de"] == "Stunde"
    assert labels["Q25235"]["ru"] == "час"
    assert labels["Q25235"]["zh"] == "小时"
    assert labels["Q11573"]["en"] == "meter"


def test_months_stand_alone(labels):
    assert labels["Q108"]["ru"] == "январь"
    assert labels["Q108"]["fi"] == "tammikuu"
    assert labels["Q132"]["de"] == "Sonntag"


def test_numbers_are_words(labels):
    """As they are counted, and of several words in some languages."""
    two, forty, hundred = (labels[qid] for qid in ("Q200", "Q42317", "Q37413"))
    assert (two["de"], two["ga"], two["th"], two["nn"]) == ("zwei", "a dó", "สอง", "to")
    assert (forty["fr"], forty["da"], forty["ka"]) == ("quarante", "fyrre", "ორმოცი")
    assert (hundred["cy"], hundred["it"], hundred["ru"]) == ("un cant", "cento", "сто")
    assert "sk" not in hundred, "CLDR's rule says jednasto"
    assert "la" not in two
    assert not any(character.isdigit() for name in (two | forty | hundred).values() for character in name)


RULES = {
    "%spellout-numbering": [
        ["-x", "minus →→;"],
        ["0", "=%spellout-cardinal=;"],
        ["20", "twenty[-→→];"],
        ["100", "←%spellout-cardinal← hundred[ and →→];"],
        ["1000", "←← $(cardinal,one{thousand}other{thousands})$[ →→];"],
        ["10000", "=#,##0=;"],
    ],
    "%spellout-cardinal": [["0", "zero;"], ["1", "one;"], ["2", "two;"], ["3", "three;"]],
}


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "one"),
        (3, "three"),
        (20, "twenty"),
        (22, "twenty-two"),
        (102, "one hundred and two"),
        (1003, "one thousand three"),
        (10_000, ""),
    ],
)
def test_numbers_are_spelled_out_by_rules(number, words):
    assert spelled_out(number, RULES) == words
    assert spelled_out(number, {}) == ""


def test_no_label_is_empty_or_a_code(labels):
    codes = defaultdict(set)
    for table in ("territories", "currencies"):
        for row in rows(table):
            codes[row["qid"]].add(row["code"])
    wrong = [
        (qid, tag, name)
        for qid, named in labels.items()
        for tag, name in named.items()
        if name != name.strip()
        or not any(char.isalpha() for char in name)
        or name in codes[qid]
        or name == qid
    ]
    assert wrong == []


def test_tags_are_those_of_the_table(labels):
    known = {row["tag"] for row in rows("locales")}
    assert {tag for named in labels.values() for tag in named} <= known


def test_the_file_says_what_it_is(store):
    dump = NamedNode("http://wikiba.se/ontology#Dump")
    said = {quad.predicate.value: quad.object for quad in store.quads_for_pattern(dump, None, None)}
    assert said["http://schema.org/name"].value == shipped().name.removesuffix(".ttl.gz")
    assert said["http://schema.org/dateModified"] == Literal(
        "2026-03-25", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#date")
    )
    assert said["http://creativecommons.org/ns#license"] == NamedNode("https://www.unicode.org/license.txt")
    assert "CLDR" in said["http://schema.org/description"].value


def test_the_file_is_small_and_carries_no_time_or_name():
    data = shipped().read_bytes()
    assert len(data) < 3_500_000
    flags, time = data[3], data[4:8]
    assert (flags, time) == (0, b"\0\0\0\0")


def test_the_licence_ships_with_the_data():
    text = (ROOT / "cache" / "UNICODE-LICENSE.txt").read_text(encoding="utf-8")
    assert text.startswith("UNICODE LICENSE V3")
    assert "Copyright © 2004-2026 Unicode, Inc." in text
    assert not list((ROOT / "cache").glob("*.py"))


@pytest.mark.slow
def test_rebuilding_gives_the_same_text(tmp_path):
    kept = Path(os.environ.get("TESTGEN_CLDR") or Path.home() / ".cache" / "testgen-cldr")
    missing = [
        row["package"] for row in rows("packages") if not list(kept.glob(f"{row['package']}-[0-9]*.tgz"))
    ]
    if missing:
        pytest.skip(f"no CLDR packages in {kept}; `make snapshot` fetches them")
    rebuilt = tmp_path / "rebuilt.ttl.gz"
    script = ROOT / "tools" / "build_snapshot.py"
    subprocess.run([sys.executable, script, "--output", rebuilt], check=True, capture_output=True)
    # Compressed bytes may differ between versions of zlib; the text may not.
    assert gzip.decompress(rebuilt.read_bytes()) == gzip.decompress(shipped().read_bytes())


def test_ids_are_well_formed_and_given_once():
    ids = [row["qid"] for table in ID_TABLES for row in rows(table)]
    assert [qid for qid in ids if not re.fullmatch(r"Q[1-9]\d*", qid)] == []
    assert [qid for qid, count in Counter(ids).items() if count > 1] == []


def test_locales_and_tags_are_given_once_and_sorted():
    locales = [row["locale"] for row in rows("locales")]
    tags = [row["tag"] for row in rows("locales")]
    assert locales == sorted(set(locales))
    assert len(tags) == len(set(tags))


def test_tags_are_language_codes_of_wikidata():
    path = SHARED / "language-codes.tsv"
    if not path.exists():
        pytest.skip(f"no list of codes at {path}; set TESTGEN_SHARED_DATA")
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    # Some codes read otherwise in RDF: as BCP 47 has them.
    valid = {tag for line in lines if "1" in line[1:3] for tag in (line[0], line[5].lower())}
    assert [row for row in rows("locales") if row["tag"] not in valid] == []


def comparable(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).lower().replace("&", "and").replace("st.", "saint")
    plain = plain.replace("metre", "meter").replace("litre", "liter")
    for word in ("language", "script", "alphabet"):
        plain = plain.replace(word, "")
    return re.sub("[^a-z]", "", plain) or plain


@pytest.mark.slow
def test_ids_mean_what_the_tables_say(wikidata_names):
    checked, wrong = 0, []
    for row in (row for table in ID_TABLES for row in rows(table)):
        known = wikidata_names.get(row["qid"], set())
        # "Phoenix, Arizona" is Phoenix.
        forms = {comparable(form) for name in known for form in (name, name.split(",")[0])}
        expected = OTHER_NAMES.get(row["qid"], row["name"])
        checked += bool(known)
        if known and comparable(expected) not in forms:
            wrong.append((row["qid"], row["name"], sorted(known)[:5]))
    assert wrong == []
    assert checked > 1200


@pytest.fixture(scope="module")
def counts():
    """How many words each language has for each category."""
    return testgen.coverage(testgen.TestSetRequest())


@pytest.mark.slow
def test_the_core_is_what_many_languages_have_many_words_for():
    """The rule in the documentation: ten words in fifty languages, and not contained in another category."""
    source, queries = open_source(shipped()), shipped_queries()
    counts = testgen.coverage(testgen.TestSetRequest(all_categories=True), source=source)
    items = {
        name: set(source.answer(queries[name]).rows) for name in counts if queries[name].kind == "category"
    }
    common = [name for name in items if (counts[name] >= 10).sum() >= 50]
    larger = {name: [o for o in items if (-len(items[o]), o) < (-len(items[name]), name)] for name in common}
    core = {
        name
        for name in common
        if not any(len(items[name] & items[other]) >= 0.8 * len(items[name]) for other in larger[name])
    }
    assert core == {query.name for query in testgen.choose(core=True)}


@pytest.mark.slow
def test_the_documents_say_how_many_languages_there_are(counts):
    found = count_languages(counts.attrs["in_file"])
    start = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"models can be compared in {found.comparing} languages" in start
    assert f"{found.with_test_set} languages have a test set, and {found.with_words} any words" in start
    page = " ".join((ROOT / "docs" / "serve.md").read_text(encoding="utf-8").split())
    assert (
        f"counts {found.comparing} languages in which models can be compared, {found.with_test_set} with a "
        f"test set and {found.with_words} with any words"
    ) in page
    assert f"`testgen generate --all-languages` writes {found.files}." in page


def test_a_language_counts_once_with_its_varieties():
    large, small = FileSize(900, 9, 6, 1, 20), FileSize(30, 1, 0, 0, 0)
    sizes = {"kk": large, "kk-cyrl": large, "la": small, "pairs": FileSize(relations=1, pairs=9)}
    sizes |= {"te": FileSize(), "sr-latn": small}
    sizes["aa"] = sizes.pop("pairs")
    assert count_languages(sizes) == (1, 4, 5, 5, 2)


def test_names_that_begin_as_those_of_signs_are_of_pictures():
    """As in Khmer, where a wheel is "sign with the picture of a wheel"."""
    signs = {code: f"sanya{number}" for number, code in enumerate(SIGNS)}
    animals = {code: f"animal{number}" for number, code in enumerate(FACES.values())}
    names = {**signs, **animals, "🛞": "sanyawheel", "🍞": "bread"}
    assert things(names).keys().isdisjoint({"🛞"})
    assert things(names)["🍞"] == "bread"
    kept = things({**names, "🐕": "sanyadog"})
    assert kept["🛞"] == "sanyawheel", "where an animal is named so, it is no word for a sign"


def test_facts_are_about_items_of_the_snapshot(labels):
    for row in rows("facts"):
        assert {row["qid"], row["value"]} <= labels.keys(), row
        names = [labels[row[key]]["en"].casefold() for key in ("qid", "value")]
        assert ": ".join(names) == row["names"].casefold(), row


def test_a_border_is_stated_on_both_sides(store):
    edge = NamedNode(WDT + "P47")
    pairs = {(quad.subject, quad.object) for quad in store.quads_for_pattern(None, edge, None)}
    assert len(pairs) > 600
    assert pairs == {(other, one) for one, other in pairs}
