"""Codes of the IANA registry, which are what they are before they are anybody's name."""

from __future__ import annotations

import json

import pytest

from evaluator.text.normalization import other_codes, spellings, usual_code
from testgen import LabelPolicy, LanguageError, TestSetRequest, build_test_sets, read_query
from testgen.languages.codes import (
    _code_of_name,
    _members,
    canonical,
    from_tag,
    languages,
    tags_of,
    whole_languages,
)
from testgen.languages.registry import groups, registered_names, retired
from testgen.sources import RdfSource
from tools.build_iso_codes import TABLE, table


def test_a_registered_code_is_itself_before_it_is_a_name():
    assert len(registered_names()) > 7_500
    names = {name for name in _code_of_name() if name in registered_names()}
    assert {"asu", "maa", "rwa", "gun", "laz"} <= names  # names of other languages, in other codes
    wikidata = {tag for language in languages().values() for tag in language.tags}
    for code in registered_names().keys() - retired().keys() - _members().keys() - wikidata:
        assert canonical(code) == canonical(code.upper()) == from_tag(code) == code
        assert languages()[code].name == registered_names()[code]
    for code, language in languages().items():
        if code != "mul" and language.replaced_by is None:
            assert canonical(code) == from_tag(code) == code


def test_each_retired_code_leads_to_one_in_use_and_its_tags_are_found():
    assert len(retired()) > 90
    for old, new in retired().items():
        code = canonical(old)
        assert code == canonical(new) != old
        assert languages()[code].replaced_by is None
        assert old in tags_of({from_tag(old)})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("iw", "he"),
        ("in", "id"),
        ("ji", "yi"),
        ("jw", "jv"),
        ("mo", "ro"),
        ("fil", "tl"),
        ("iw-latn", "he-latn"),
        ("IN-Arab", "id-arab"),
        ("fil-ph", "tl-ph"),
    ],
)
def test_retired_codes(old, new):
    assert canonical(old) == from_tag(old) == new
    assert {old.lower(), new} <= tags_of({new})


def test_words_tagged_with_a_retired_code_are_those_of_the_language(tmp_path):
    path = tmp_path / "old.ttl"
    path.write_text(
        "@prefix wd: <http://www.wikidata.org/entity/> .\n"
        "@prefix wdt: <http://www.wikidata.org/prop/direct/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        'wd:Q1 wdt:P31 wd:Q9 ; rdfs:label "כלב"@iw . wd:Q2 wdt:P31 wd:Q9 ; rdfs:label "חתול"@he .\n',
        encoding="utf-8",
    )
    query = tmp_path / "thing.rq"
    query.write_text(
        "#+ title: T\n#+ kind: category\n#+ topic: t\n#+ summary: S.\n"
        "SELECT ?item WHERE { ?item <http://www.wikidata.org/prop/direct/P31> "
        "<http://www.wikidata.org/entity/Q9> }",
        encoding="utf-8",
    )
    wanted = TestSetRequest(
        languages=("iw",), categories=(read_query(query),), policy=LabelPolicy(minimum_words=1)
    )
    (made,) = build_test_sets(wanted, source=RdfSource(path))
    assert made.language == "he"
    assert [item.words for item in made.categories[0].items] == [("כלב",), ("חתול",)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("old-english", "ang"),
        ("ancient_greek", "grc"),
        ("Old__Norse", "non"),
        ("Old\u00a0 Swedish", "gmq-x-osw"),
        ("gmq-osw", "gmq-x-osw"),
        ("osw", "gmq-x-osw"),
        ("GMQ-x-OSW", "gmq-x-osw"),
        ("old-czech", "zlw-x-ocs"),
        ("zlw-opl", "zlw-x-opl"),
    ],
)
def test_names_with_any_separator_and_stages_that_iso_639_lacks(text, code):
    assert canonical(text) == code


@pytest.mark.parametrize(
    ("tag", "name", "scripts"),
    [
        ("sv-x-dalarna", "Swedish (x-dalarna)", ("Latn",)),
        ("la-latn-x-medieval", "Latin (latn-x-medieval)", ("Latn",)),
        ("gmw-x-old", "West Germanic languages (x-old)", ()),
        ("mis-x-west2376", "mis-x-west2376", ()),
    ],
)
def test_private_tags_are_languages_of_their_own(tag, name, scripts):
    assert canonical(tag) == from_tag(tag.upper()) == tag
    language = languages()[tag]
    assert (language.name, language.scripts) == (name, scripts)
    # No words of the language itself stand for those of a stage or a dialect.
    assert (language.whole, language.fallbacks, whole_languages([tag])) == (tag, (), [tag])


@pytest.mark.parametrize(
    "tag", ["gmq", "gmq-latn", "x-mine", "qqq-x-mine", "mul-x-a", "la-x-", "la-x-toolongsubtag"]
)
def test_a_group_is_no_language_nor_is_a_private_tag_without_a_registered_beginning(tag):
    assert from_tag(tag) is None
    assert groups()["gmq"] == "North Germanic languages"


@pytest.mark.parametrize("tag", ["old-englsh", "de-speling", "sl-nedis2"])
def test_a_variant_that_nobody_registered_is_refused(tag):
    with pytest.raises(LanguageError, match=tag):
        canonical(tag)


def test_who_types_a_code_that_is_a_name_too_is_told(command):
    _, _, said = command("generate", "Asu", "--category", "country")
    assert "Asu is Tocantins Asurini (asu); Asu is asa" in said


def test_evaluator_has_the_same_codes():
    assert TABLE.read_text(encoding="utf-8") == table()
    for code, others in other_codes().items():
        for other in others:
            # Wikidata has nb for no; gsw was als, which ISO 639-3 has for Tosk Albanian.
            assert canonical(other) in {canonical(code), code}, other
    assert usual_code("iw") == "he"
    assert usual_code("osw") == "gmq-x-osw"
    assert spellings("he") == ("he", "heb", "iw")
    assert json.dumps(spellings("gmq-osw")) == '["gmq-osw", "gmq-x-osw", "osw"]'
