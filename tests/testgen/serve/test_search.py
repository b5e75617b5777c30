"""What people mean when they search."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from testgen.languages.codes import languages
from testgen.queries import shipped_queries
from testgen.serve.resolver import (
    EXACT,
    IN_TEXT,
    PREFIX,
    SIMILAR,
    WITHIN,
    Resolver,
    names_of_language,
    plain,
    ranks,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("names of countries", ("country",)),
        ("The States", ("state",)),
        ("Guaraní", ("guarani",)),
        ("names", ("name",)),
        ("dress", ("dress",)),
        ("తెలుగు", ("తెలుగు",)),
        ("!?", ()),
    ],
)
def test_words_are_compared_without_what_differs_by_chance(text, words):
    assert plain(text) == words


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("country names", "country"),
        ("countries", "country"),
        ("nations", "country"),
        ("feelings", "emotion"),
        ("colors", "colour"),
        ("jobs", "profession"),
        ("Days of the Week", "weekday"),
        ("capital of country", "country-capital"),
        ("sovreign states", "country"),
    ],
)
def test_categories_are_found_by_what_people_call_them(text, name):
    found = Resolver(None, shipped_queries(), is_remote=True).category_ranks(text)
    assert name in [each for each, rank in found.items() if rank == min(found.values())]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Telugu", "te"), ("తెలుగు", "te"), ("te", "te"), ("tel", "te"), ("Telegu", "te"),
        ("français", "fr"), ("Francais", "fr"), ("fre", "fr"), ("fra", "fr"), ("FR", "fr"),
        ("Farsi", "fa"), ("Castilian", "es"), ("Oriya", "or"), ("crh-latn", "crh"),
    ],
)  # fmt: skip
def test_languages_are_found_by_any_name_or_code(text, code):
    found = ranks(text, {code: names_of_language(each) for code, each in languages().items()}, {})
    assert code in [each for each, rank in found.items() if rank == min(found.values())]


def test_the_best_match_is_known():
    names = {"a": ["Capital"], "b": ["Capital cities"], "c": ["Recapitalise"], "d": ["Towns"]}
    texts = {"d": "Cities that are the capital of a state."}
    assert ranks("capital", names, texts) == {"a": EXACT, "b": PREFIX, "c": WITHIN, "d": IN_TEXT}
    assert ranks("capitol", names, texts) == {"a": SIMILAR}
    assert ranks("cap", names, {}) == {"a": PREFIX, "b": PREFIX}, "short texts are within too many names"
    assert ranks("zzzz", names, texts) == {}
    assert ranks("?", names, texts) == {}
