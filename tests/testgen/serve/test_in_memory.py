"""A source in memory gives the same answers as the source from which it was read."""

from __future__ import annotations

import pytest

from testgen.errors import LanguageError, SourceError
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import build_test_sets
from testgen.labels import LabelPolicy
from testgen.queries import choose, class_query, shipped_queries
from testgen.serve.in_memory import InMemorySource
from testgen.sources import open_source
from testgen.testset.writing import serialize
from tests.testgen.network import open_cache, wikidata_source

ALIASES = LabelPolicy(aliases=True, case="fold", minimum_words=1)


@pytest.fixture(scope="module")
def both():
    source = open_source()
    return source, InMemorySource(source, shipped_queries().values())


def texts(source, languages, **options):
    queries = choose()
    return [
        serialize(made)
        for made in build_test_sets(TestSetRequest(languages, categories=queries, **options), source=source)
    ]


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(LabelPolicy(), id="usual"),
        pytest.param(ALIASES, id="aliases", marks=pytest.mark.slow),
    ],
)
def test_test_sets_are_those_of_the_source(both, policy):
    expected, found = (texts(each, ["eo", "he", "sr-el", "zh-hant"], policy=policy) for each in both)
    assert len(expected) == 4
    assert found == expected


def test_errors_are_those_of_the_source(both):
    said = []
    for each in both:
        with pytest.raises(LanguageError, match="too few") as raised:
            texts(each, ["simple"])
        said.append(str(raised.value))
    assert said[0] == said[1]


@pytest.mark.slow
def test_levels_are_those_of_the_source(both):
    source, in_memory = both
    assert texts(in_memory, ["eo"], minimum_items=2) == texts(source, ["eo"], minimum_items=2)


def test_what_is_not_held_is_passed_on(small):
    source = open_source(small)
    in_memory = InMemorySource(source, choose(["capital"]))
    query = class_query("Q3624078")
    assert in_memory.answer(query) == source.answer(query)
    assert list(in_memory.names(["Q142"], ["la"])) != []
    nothing = InMemorySource(source, [])
    assert list(nothing.names(["Q142"])) == list(source.names(["Q142"]))
    assert nothing.coverage.empty


def test_counts_are_those_of_coverage(both):
    from testgen.generation.request import TestSetRequest
    from testgen.generation.test_sets import coverage

    source, _ = both
    names = ["country-capital", "month", "noun-plural"]
    in_memory = InMemorySource(source, choose(names), names)
    expected = coverage(TestSetRequest(["eo"], categories=names), source=source)
    assert in_memory.coverage.loc["eo", expected.columns].to_dict() == expected.loc["eo"].to_dict()
    assert (in_memory.coverage > 0).any(axis=1).all()


def test_a_live_source_that_is_offline_gives_what_was_fetched(small_world, tmp_path, monkeypatch):
    monkeypatch.setenv("TESTGEN_CONTACT", "tests@example.org")
    country, capital = (shipped_queries()[name] for name in ("country", "country-capital"))
    with open_cache(tmp_path) as answers:
        remote = wikidata_source(answers, small_world.sparql.url, small_world.api.url)
        list(remote.names(remote.answer(country).unnamed))
    before = len(small_world.sparql.log) + len(small_world.api.log)
    with open_cache(tmp_path, offline=True) as answers:
        in_memory = InMemorySource(
            wikidata_source(answers, small_world.sparql.url, small_world.api.url), [country, capital]
        )
        assert set(in_memory.answers) == {country}
        assert set(in_memory.missing) == {capital}
        assert len(small_world.sparql.log) + len(small_world.api.log) == before


def test_a_query_with_some_names_missing_is_not_at_hand(small_world, tmp_path, monkeypatch):
    monkeypatch.setenv("TESTGEN_CONTACT", "tests@example.org")
    country = shipped_queries()["country"]
    with open_cache(tmp_path) as answers:
        remote = wikidata_source(answers, small_world.sparql.url, small_world.api.url)
        list(remote.names(remote.answer(country).unnamed[:1]))
    with open_cache(tmp_path, offline=True) as answers:
        in_memory = InMemorySource(
            wikidata_source(answers, small_world.sparql.url, small_world.api.url), [country]
        )
        assert in_memory.answers == {}
        assert isinstance(in_memory.missing[country], SourceError)
