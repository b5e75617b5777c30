"""Labels of other languages and the language-neutral one, the same from every kind of source."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import testgen
from testgen import LabelPolicy, LanguageError, TestSetRequest, build_test_sets
from testgen.labels.words import ItemNames
from testgen.languages.codes import languages
from testgen.snapshots.creation import create
from testgen.sources import Names, RdfSource, Snapshot
from tests.servers.entities import EntityServer
from tests.servers.rdf import entities_of, store_of
from tests.servers.sparql import SparqlServer
from tests.testgen.network import endpoint_source, open_cache, stop_clock, wikidata_source
from tools.build_answers import build

CITY = "Q515"
CITIES = """\
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
wd:Q220 wdt:P31 wd:Q515 ; rdfs:label "Rom"@de, "Roma"@mul .
wd:Q490 wdt:P31 wd:Q515 ; rdfs:label "Mailand"@de, "Milano"@mul, "Mailand am Po"@de-at .
wd:Q1741 wdt:P31 wd:Q515 ; rdfs:label "Wien"@de, "Wean"@de-at, "Vienna"@en .
wd:Q2044 wdt:P31 wd:Q515 ; rdfs:label "Florença"@pt, "Firenze"@mul ; skos:altLabel "Florentia"@mul .
wd:Q2634 wdt:P31 wd:Q515 ; rdfs:label "Neapel"@de, "Napoli"@mul, "那不勒斯"@zh-hans ;
  skos:altLabel "Neapoli"@lb, "Parthenope"@mul .
"""
SOURCES = ["file", "kept", "copy", "endpoint", "wikidata"]


@pytest.fixture(scope="module")
def source_of(tmp_path_factory):
    """A source of a kind with these cities."""
    folder, store = tmp_path_factory.mktemp("cities"), store_of(CITIES)
    (folder / "cities.ttl").write_text(CITIES, encoding="utf-8")
    query = TestSetRequest(categories=[CITY]).chosen_queries()
    build(folder / "answers.jsonl.gz", folder / "cities.ttl")
    create(folder / "copy.jsonl", query, RdfSource(folder / "cities.ttl"))
    with (
        pytest.MonkeyPatch.context() as patch,
        SparqlServer(store) as sparql,
        EntityServer(entities_of(store)) as api,
        open_cache(folder / "cache") as cache,
    ):
        stop_clock(patch)
        yield {
            "file": RdfSource(folder / "cities.ttl"),
            "kept": RdfSource(folder / "cities.ttl", answers=folder / "answers.jsonl.gz"),
            "copy": Snapshot(folder / "copy.jsonl"),
            "endpoint": endpoint_source(cache, sparql.url),
            "wikidata": wikidata_source(cache, sparql.url, api.url),
        }.__getitem__


def words(source, codes, **choices) -> Iterator[tuple[str, dict[str, tuple[str, ...]]]]:
    """The words and the origin of each item by language."""
    policy = LabelPolicy(minimum_words=1, **choices)
    for made in build_test_sets(TestSetRequest(codes, categories=[CITY], policy=policy), source=source):
        (category,) = made.categories
        yield made.language, {item.id: (*item.words, item.origin) for item in category.items}


@pytest.mark.parametrize("kind", SOURCES)
def test_a_variant_takes_the_label_of_its_language_and_no_language_that_of_another(source_of, kind):
    found = dict(words(source_of(kind), ["de-at", "lb", "la", "pt-br"]))
    assert found["de-at"] == {
        "Q220": ("Rom", "variant"),
        # Q490: a label of its own that gives no word.
        "Q1741": ("Wean", "label"),
        "Q2044": ("Firenze", "mul"),
        "Q2634": ("Neapel", "variant"),
    }
    assert found["lb"] == {"Q2044": ("Firenze", "mul")}
    neutral = {"Q220": "Roma", "Q490": "Milano", "Q2044": "Firenze", "Q2634": "Napoli"}
    assert found["la"] == {item: (label, "mul") for item, label in neutral.items()}
    assert found["pt-br"] == found["la"] | {"Q2044": ("Florença", "variant")}


@pytest.mark.parametrize("kind", SOURCES)
def test_language_neutral_aliases_count_as_other_aliases_do(source_of, kind):
    found = dict(words(source_of(kind), ["la", "lb", "pt"], aliases=True))
    assert found["la"]["Q2634"] == ("Napoli", "Parthenope", "mul")
    assert found["lb"] == {
        "Q2044": ("Firenze", "Florentia", "mul"),
        "Q2634": ("Neapoli", "Parthenope", "alias"),
    }
    assert found["pt"]["Q2044"] == ("Florença", "Florentia", "label")
    ((_, without),) = words(source_of(kind), ["pt"], aliases=True, mul=False)
    assert without == {"Q2044": ("Florença", "label")}


@pytest.mark.parametrize("kind", SOURCES)
def test_all_languages_are_those_with_names_of_their_own(source_of, kind):
    found = dict(words(source_of(kind), None))
    assert sorted(found) == ["de", "de-at", "en", "pt", "zh-hans"]
    named = dict(words(source_of(kind), list(found)))
    assert found == named


def test_another_script_is_no_variant(source_of):
    with pytest.raises(LanguageError, match="zh-hant"):
        dict(words(source_of("file"), ["zh-hant"]))


def test_fallbacks_are_languages_in_use_and_none_is_its_own():
    known = languages()
    for code, language in known.items():
        assert code not in language.fallbacks
        assert all(known[other].replaced_by is None for other in language.fallbacks)
        assert {known[other].whole for other in language.variants} <= {language.whole}
    assert known["lmo"].fallbacks == ("pms", "eml", "lij", "vec", "it")
    assert known["de-at"].variants == known["de-ch"].variants == ("de",)
    assert (known["en-us"].variants, known["zh-hant"].variants, known["lb"].variants) == (("en",), (), ())
    assert len([language for language in known.values() if set(language.fallbacks) - {"en"}]) > 200


@pytest.mark.parametrize(("origin", "reason"), [("label", "no letter"), ("query", "several words")])
def test_the_reason_is_that_of_the_names_that_were_asked_for(origin, reason):
    names = Names("Q1", {"en": "2026"}, {"en": ["the year after"]})
    assert ItemNames(names, LabelPolicy(), origin).why_without_words(languages()["en"]) == reason


@pytest.mark.parametrize(
    ("code", "mul", "reason"),
    [("he", True, "another script"), ("he", False, "no name"), ("nl", True, ""), ("chr", True, "no name")],
)
def test_a_shared_name_in_another_script_is_not_called_missing(code, mul, reason):
    names = Names("Q64", {"mul": "1" if code == "chr" else "Berlin"}, {})
    assert ItemNames(names, LabelPolicy(mul=mul)).why_without_words(languages()[code]) == reason


PACKAGE = Path(testgen.__file__).parent


def module_of(frame) -> str:
    """The module of testgen in which a frame is, or from which it was called through libraries."""
    while frame is not None and PACKAGE not in Path(frame.f_code.co_filename).parents:
        frame = frame.f_back
    return Path(frame.f_code.co_filename).relative_to(PACKAGE).as_posix() if frame else ""


def entered(work) -> Counter[str]:
    """How often each module of testgen is entered from another one."""
    counts: Counter[str] = Counter()

    def profile(frame, event, _):
        if event == "call" and PACKAGE in Path(frame.f_code.co_filename).parents:
            counts[module_of(frame)] += module_of(frame) != module_of(frame.f_back)

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counts


def test_a_name_passes_each_step_once_on_its_way_to_the_test_set(tmp_path):
    (tmp_path / "city.ttl").write_text(CITIES.partition("wd:Q490")[0], encoding="utf-8")
    source = RdfSource(tmp_path / "city.ttl")
    asked = TestSetRequest(["de"], categories=[CITY], policy=LabelPolicy(minimum_words=1))

    def make():
        (made,) = build_test_sets(asked, source=source)
        assert made.words == {"Rom"}

    make()  # tables of languages are read
    found = entered(make)
    assert (found["sources/asking.py"], found["generation/assembly.py"]) == (1, 1)
    assert found["labels/words.py"] == 2  # for its own name, and to take the language-neutral one aside
