"""What people type is understood, or refused with names that are near; on the snapshot that ships."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from starlette.testclient import TestClient

import testgen.serve
from testgen.errors import LanguageError, QueryError
from testgen.serve import schema
from testgen.serve.app import create_app
from testgen.serve.resolver import plain
from testgen.serve.responses import enough
from testgen.serve.settings import Settings

LANGUAGES = {
    "la, grc, he": ["la", "grc", "he"],
    "te,kn,ta,ml": ["te", "kn", "ta", "ml"],
    "te kn ta ml": ["te", "kn", "ta", "ml"],
    "Telugu, Kannada and Tamil": ["te", "kn", "ta"],
    "Greek/Latin": ["el", "la"],
    "Latin vs. Sanskrit": ["la", "sa"],
    "Hindi Urdu": ["hi", "ur"],
    "Ancient Greek Latin": ["grc", "la"],
    "te, te, Telugu": ["te"],
    "Telugu": ["te"],
    "TELUGU": ["te"],
    "te": ["te"],
    "tel": ["te"],
    "తెలుగు": ["te"],
    "Telegu": ["te"],
    "Telugu vectors": ["te"],
    "Telugu word embeddings": ["te"],
    "Latein": ["la"],
    "латинский": ["la"],
    "Latin language": ["la"],
    "latín": ["la"],
    "français": ["fr"],
    "Francais": ["fr"],
    "fre": ["fr"],
    "Farsi": ["fa"],
    "Old English": ["ang"],
    "Ancient Greak": ["grc"],
    "Mandarin": ["zh"],
    "zh_TW": ["zh-tw"],
    "Chinese (Traditional, Hong Kong SAR China)": ["zh-hk"],
    "no": ["nb"],
    "Norse": ["non"],
    "Sumerian": ["sux"],
    "": [],
}
CATEGORIES = {
    "country": "country",
    "countries": "country",
    "Nations": "country",
    "Sovereign states": "country",
    "names of countries": "country",
    "sovreign states": "country",
    "colors": "colour",
    "capitals": "capital",
    "capitols": "capital",
    "animals": "animal",
    "months": "month",
    "week days": "weekday",
    "jobs": "profession",
    "numbers": "number",
    "diseases": "disease",
    "languages": "language",
}
CLASSES = {
    "countries": ["Q3624078"],
    "island countries": ["Q112099"],
    "emotions": ["Q9415"],
    "feelings": ["Q9415"],
    "colours, sports": ["Q1075", "Q31629"],
    "Q6256": ["Q6256"],
    "9415": ["Q9415"],
    "Q5 q9415": ["Q5", "Q9415"],
}


SEARCHES = {
    # The first languages and categories, languages without words, and whether all is only similar.
    "Telugu countries": (["te"], ["country"], [], False),
    "Latein": (["la"], [], [], False),
    "hebrw": (["he"], [], [], True),
    "arab": (["ar"], [], [], False),
    "kazakh": (["kk"], [], [], False),
    "sovreign states": ([], ["country"], [], True),
    "greek": (["el"], ["greek-deity"], [], False),
    "nations": ([], ["country"], [], False),
    "Sumerian": ([], [], ["sux"], True),
    "te, xx, ta": (["te", "ta"], [], [], False),
    "la, te": (["te", "la"], [], [], False),
    "zzzz": ([], [], [], True),
    "?": ([], [], [], True),
    "": ([], [], [], True),
}
SCRIPT = Path(__file__).with_name("run_search.mjs")


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """With what is asked for here. Not started: it would make the archive of all languages meanwhile."""
    names = {*CATEGORIES.values(), "greek-deity", "roman-deity", "emotion", "sport", "island-country"}
    settings = Settings(
        tmp_path_factory.mktemp("resolver"), categories=tuple(sorted(names)), hosts=("testserver",)
    )
    return TestClient(create_app(settings))


@pytest.fixture(scope="module")
def searched(shipped, tmp_path_factory):
    """What the script of the pages finds for a text."""
    if shutil.which("node") is None:
        pytest.skip("the script of the pages is run by Node.js")
    index = tmp_path_factory.mktemp("search") / "search.json"
    index.write_bytes(shipped.get("/search.json").content)
    texts = [*LANGUAGES, *CATEGORIES, *SEARCHES]
    command = ["node", SCRIPT, index]
    found = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True)
    return dict(zip(texts, json.loads(found.stdout), strict=True))


@pytest.fixture
def resolver(shipped):
    return shipped.app.state.provider.resolver


@pytest.mark.parametrize(
    "path",
    [
        "/" + "x/" * 20_000,
        f"/build?class={'1' * 60_000}x",
        "/build?language=" + "%20" * 20_000 + "x",
        f"/build?language={'la%20te%20' * 199}",
        f"/build?class={'1' * 1999}x",
    ],
    ids=lambda path: path[:20],
)
def test_long_texts_take_no_long_time(shipped, path):
    """One request stopped the service for a minute: patterns and searches took the square of the length."""
    begun = time.process_time()  # a busy machine is no fault
    assert shipped.get(path).status_code in (200, 404, 422)
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("text", LANGUAGES)
def test_languages_are_understood(resolver, text):
    meanings, problems = resolver.languages(text)
    assert ([each.key for each in meanings], problems) == (LANGUAGES[text], {})


@pytest.mark.parametrize("text", CATEGORIES)
def test_categories_are_understood(resolver, text):
    assert resolver.category(text).key == CATEGORIES[text]


@pytest.mark.parametrize("text", LANGUAGES)
def test_pages_understand_the_same_languages(searched, text):
    assert (searched[text]["named"], searched[text]["unknown"]) == (LANGUAGES[text], [])


@pytest.mark.parametrize("text", CATEGORIES)
def test_pages_find_the_same_categories(searched, text):
    found = searched[text]["category_ranks"]
    assert CATEGORIES[text] in [name for name, rank in found.items() if rank == min(found.values())]


@pytest.mark.parametrize("text", SEARCHES)
def test_a_search_finds_languages_and_categories_and_says_what_is_lacking(searched, text):
    found = searched[text]
    languages, categories, lacking, is_similar = SEARCHES[text]
    assert found["languages"][: len(languages)] == languages
    assert found["categories"][: len(categories)] == categories
    assert (bool(found["languages"]), bool(found["categories"])) == (bool(languages), bool(categories))
    assert (found["lacking"], found["is_similar"]) == (lacking, is_similar)


def test_a_list_is_its_languages_and_no_name_with_words_that_begin_so(resolver, searched):
    assert {*resolver.language_ranks("la, te")} == {*searched["la, te"]["language_ranks"]} == {"la", "te"}
    assert "bal-latn" in resolver.language_ranks("la te"), "as one types"


@pytest.mark.skipif(shutil.which("node") is None, reason="the script of the pages is run by Node.js")
def test_a_map_is_sorted_by_a_column_whose_name_has_a_hyphen():
    script = Path(testgen.serve.__file__).with_name("static") / "search.js"
    text = (
        f'import {{ order }} from "{script.as_uri()}"; '
        'console.log(JSON.stringify(["a-b", "-a-b", "c"].map((by) => order(["_name", "a-b"], by).column)))'
    )
    found = subprocess.run(
        ["node", "--input-type=module", "-e", text], capture_output=True, text=True, check=True
    )
    assert json.loads(found.stdout) == [1, 1, -1]


@pytest.mark.parametrize("text", CLASSES)
def test_classes_are_understood(resolver, text):
    assert [each.key for each in resolver.classes(text)] == CLASSES[text]


def test_what_is_unclear_is_refused_with_the_names_that_are_near(resolver):
    with pytest.raises(LanguageError, match=r"Norwegian Bokmål \(nb\), Norwegian Nynorsk \(nn\)"):
        resolver.language("Norwegian")
    with pytest.raises(QueryError, match="Greek deities"):
        resolver.category("gods")
    with pytest.raises(QueryError, match=r"'zzzz'$"):
        resolver.category("zzzz")
    with pytest.raises(QueryError, match=r"'zzzz'$"):
        resolver.classes("zzzz")
    meanings, problems = resolver.languages("te, xx, ta")
    assert [each.key for each in meanings] == ["te", "ta"]
    assert [*problems] == ["xx"]


def test_it_is_said_what_was_understood(shipped, resolver):
    (states,) = resolver.classes("countries")
    assert (states.name, states.size, states.is_obvious) == ("Sovereign states", "194 items", False)
    assert resolver.language("Telugu").is_obvious
    page = shipped.get("/build/preview?language=Telegu&class=countries").text
    assert "“Telegu” → Telugu, <code>te</code>" in page
    assert "“countries” → Sovereign states, <code>Q3624078</code>, 194 items" in page


def test_one_language_does_not_block_the_others(shipped):
    page = shipped.get("/build/preview?language=la, Sumerian, xx, te&category=country").text
    assert "2 languages" in page
    assert "Sumerian (sux): cldr-48 + historical-1 has no usable words in it. More could come from" in page
    assert "nknown language code &#39;xx&#39;" in page
    assert "/api/v1/test-sets.zip?language=la&amp;language=te&amp;category=country" in page


def test_words_are_found(shipped):
    (canada,) = shipped.get("/api/v1/words?q=कनाडा").json()
    assert canada["english"] == "Canada"
    assert "hi" in canada["codes"]
    assert "country" in canada["categories"]
    assert shipped.get("/api/v1/words?q=qqqq").json() == []


def test_paths_may_have_names_in_any_language(shipped):
    assert shipped.get("/languages/Latein", follow_redirects=False).headers["location"] == "/languages/la"
    found = shipped.get("/categories/countries", follow_redirects=False)
    assert found.headers["location"] == "/categories/country"
    assert shipped.get("/api/v1/test-sets/Telugu/summary?category=country").json()["language"] == "te"


def test_it_is_said_whether_there_is_enough(shipped):
    said = {each["code"]: each for each in shipped.get("/api/v1/languages?q=te,sa,bo").json()}
    verdict = {"te": "It shows", "sa": "No: it shows only", "bo": "No: it shows only"}
    assert {*said} == {"te", "sa", "bo"}
    for each in said.values():
        page = " ".join(shipped.get(f"/languages/{each['code']}").text.split())
        least = f"differences of {each['difference']:.3f} or more</strong>."
        assert f"Is it enough? <strong>{verdict[each['code']]} {least}" in page
        assert f"It has {each['pairs']:,} pairs of relations, and {each['keywords']:,} related words" in page
        assert f"{each['everyday']} categor" in page
    assert said["te"]["difference"] < said["sa"]["difference"] < said["bo"]["difference"]
    assert "for a worse model with a score of 0.02" in shipped.get("/coverage").text
    assert 'action="/coverage#enough"' in shipped.get("/").text


def test_what_is_enough_depends_on_typical_scores_and_related_words():
    size = {"code": "la", "name": "Latin", "scripts": [], "direction": "ltr", "words": 9, "pairs": 0}

    def said(difference, keywords=0, categories=3):
        rest = {"difference": difference, "keywords": keywords, "categories": categories, "everyday": 0}
        return enough(schema.Language(**size, **rest))

    assert said(0.08) == "It shows differences of 0.080 or more"
    assert said(0.0801) == "No: it shows only differences of 0.080 or more"
    assert said(0.2, 399) == "No: it shows only differences of 0.200 or more"
    for_related = "Yes for KeywordRank: it has 1,400 related words"
    assert said(0.2, 1400) == f"No for Topk: it shows only differences of 0.200 or more. {for_related}"
    assert said(None) == "No: it has too few words to show a difference"
    assert said(None, 1400) == f"No for Topk: it has too few words to show a difference. {for_related}"
    assert said(None, 1400, 0) == "No: it has too few words for a test set"


def test_counts_are_those_of_the_file_behind_the_button(shipped):
    known = {each["code"]: each for each in shipped.get("/api/v1/languages").json()}
    for code in ("te", "la", "got"):
        summary = shipped.get(f"/api/v1/test-sets/{code}/summary").json()
        assert known[code]["words"] == summary["words"]
        assert known[code]["categories"] == len(summary["sections"])
    with_file = {each.get("variant_of") or code for code, each in known.items() if each["categories"]}
    assert shipped.get("/api/v1").json()["languages"] <= len(with_file)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Bodies", ("body",)),
        ("colours", ("colour",)),
        ("axes", ("axe",)),
        ("gas", ("gas",)),
        ("as", ("as",)),
        ("class", ("class",)),
        ("Élèves", ("eleve",)),
        ("names of rivers", ("river",)),
    ],
)
def test_english_plurals_are_looked_for_as_singulars(text, words):
    assert plain(text) == words
