"""From queries to files, on the small snapshot."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pyoxigraph
import pytest

import testgen
from testgen import LabelPolicy, LanguageError, OutputError, QueryError, SourceError
from testgen.snapshots.creation import create
from testgen.snapshots.importers.content import Imported, categories, write_import
from testgen.sources import RdfSource
from tests.servers.sparql import SparqlServer
from tests.testgen.conftest import TURTLE
from tools.build_answers import build

SCHEMA = json.loads(
    (Path(testgen.__file__).parent / "testset" / "testset.v2.schema.json").read_text(encoding="utf-8")
)
POLICY = LabelPolicy(minimum_words=3)
PREFIXES = TURTLE.partition("wikibase:Dump")[0]


def made(small, tmp_path, language="la", categories=("country", "country-capital"), policy=POLICY):
    testgen.generate(
        tmp_path / "out",
        testgen.TestSetRequest([language], categories=categories, policy=policy),
        source=small,
    )
    content = json.loads((tmp_path / "out" / f"{language}.json").read_text(encoding="utf-8"))
    jsonschema.validate(content, SCHEMA)
    return content


def words(part):
    return {item["id"]: item["words"] for item in part["items"]}


@pytest.mark.parametrize(("sharing", "pairs"), [(3, 4), (4, 1)])
def test_a_word_of_more_than_three_items_of_a_relation_is_ambiguous(tmp_path, sharing, pairs):
    lines = [
        "@prefix wd: <http://www.wikidata.org/entity/> .",
        "@prefix wdt: <http://www.wikidata.org/prop/direct/> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
        *(f'wd:Q{n} rdfs:label "Georgetown"@en ; wdt:P36 wd:Q{n + 100} .' for n in range(1, sharing + 1)),
        'wd:Q50 rdfs:label "France"@en ; wdt:P36 wd:Q150 . wd:Q150 rdfs:label "Paris"@en .',
        *(f'wd:Q{n + 100} rdfs:label "Town{n}"@en .' for n in range(1, sharing + 1)),
    ]
    (tmp_path / "s.ttl").write_text("\n".join(lines), encoding="utf-8")
    query = replace(
        testgen.shipped_queries()["country-capital"],
        name="seat",
        text="PREFIX wdt: <http://www.wikidata.org/prop/direct/>\n"
        "SELECT DISTINCT ?item ?of WHERE { ?of wdt:P36 ?item } ORDER BY ?of ?item",
    )
    asked = testgen.TestSetRequest(["en"], [query], policy=LabelPolicy(minimum_words=1))
    (made,) = testgen.build_test_sets(asked, source=tmp_path / "s.ttl")
    assert made.relations[0].size == pairs


def test_a_category(small, tmp_path):
    (country,) = made(small, tmp_path)["categories"]
    assert country["name"] == "country"
    assert words(country) == {
        "Q29": ["Hispania"],
        "Q32": ["Luxemburgum"],
        "Q38": ["Italia"],
        "Q142": ["Gallia"],
        "Q183": ["Germania"],
    }


def test_a_relation_leaves_out_pairs_that_tell_nothing_apart(small, tmp_path):
    (capital,) = made(small, tmp_path)["relations"]
    # Luxemburgum is the capital of Luxemburgum; Berlin comes from `mul`.
    assert capital["pairs"] == [
        {"item": "Q2807", "of": "Q29"},
        {"item": "Q220", "of": "Q38"},
        {"item": "Q90", "of": "Q142"},
        {"item": "Q64", "of": "Q183"},
    ]
    assert " ".join(item["id"] for item in capital["items"]) == "Q29 Q38 Q64 Q90 Q142 Q183 Q220 Q2807"
    assert {item["id"]: item["from"] for item in capital["items"]}["Q64"] == "mul"


def test_mul_stands_in_only_in_the_right_script_and_only_if_wanted(small, tmp_path):
    russian = made(small, tmp_path, "ru", policy=LabelPolicy(minimum_words=1))
    assert words(russian["relations"][0]).keys() == {"Q38", "Q142", "Q90", "Q220"}
    without = made(small, tmp_path, policy=LabelPolicy(minimum_words=3, mul=False))
    assert "Q64" not in words(without["relations"][0])


def test_aliases(small, tmp_path):
    content = made(small, tmp_path, policy=LabelPolicy(minimum_words=3, aliases=True))
    assert words(content["categories"][0])["Q142"] == ["Gallia", "Francia"]
    berlin = next(item for item in content["relations"][0]["items"] if item["id"] == "Q64")
    # Wikidata drops labels that say what `mul` says, and keeps the aliases: both are its names.
    assert berlin == {"id": "Q64", "words": ["Berlin", "Berolinum"], "from": "mul"}


def test_a_label_goes_before_another_items_alias(tmp_path):
    path = tmp_path / "s.ttl"
    path.write_text(
        PREFIXES.replace("\nwikibase", "\n") + "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        'wd:Q1 wdt:P31 wd:Q3624078 ; rdfs:label "Alpha"@en ; skos:altLabel "Beta"@en, "Aleph"@en .\n'
        'wd:Q2 wdt:P31 wd:Q3624078 ; rdfs:label "Beta"@en ; skos:altLabel "Bee"@en .\n'
        'wd:Q3 wdt:P31 wd:Q3624078 ; rdfs:label "Beta"@en ; skos:altLabel "Gamma"@en .\n'
    )
    content = made(path, tmp_path, "en", ["country"], LabelPolicy(minimum_words=1, aliases=True))
    assert [(item["words"], item["from"]) for item in content["categories"][0]["items"]] == [
        (["Alpha", "Aleph"], "label"),
        (["Beta", "Bee"], "label"),
        (["Gamma"], "alias"),
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"stand_ins": ["non=is", "got=de"]}, "--stand-in non=is says .* name it with --language too"),
        ({"languages": ["la"], "stand_ins": ["non=is"]}, "not asked for with --language"),
        ({"languages": ["non"], "stand_ins": ["non"]}, "looks like non=is"),
    ],
)
def test_stand_ins_that_would_do_nothing_are_refused(small, tmp_path, arguments, complaint):
    with pytest.raises(LanguageError, match=complaint):
        testgen.generate(tmp_path, testgen.TestSetRequest(**arguments), source=small)


def test_a_word_of_two_items_stays_with_the_first(tmp_path):
    path = tmp_path / "congo.ttl"
    path.write_text(
        PREFIXES + 'wd:Q974 wdt:P31 wd:Q3624078 ; rdfs:label "Congo (Kinshasa)"@en .\n'
        'wd:Q971 wdt:P31 wd:Q3624078 ; rdfs:label "Congo (Brazzaville)"@en .\n'
        'wd:Q114 wdt:P31 wd:Q3624078 ; rdfs:label "Kenya"@en .\n'
    )
    (test_set,) = testgen.build_test_sets(
        testgen.TestSetRequest(
            ["en"], categories=testgen.choose(["country"]), policy=LabelPolicy(minimum_words=1)
        ),
        source=path,
    )
    assert test_set.categories[0].words_by_id == {
        "Q114": ("Kenya",),
        "Q971": ("Congo",),
    }


def test_file_is_readable_in_a_diff_and_the_same_every_time(small, tmp_path):
    made(small, tmp_path, categories=("country-capital", "country"))
    first = (tmp_path / "out" / "la.json").read_bytes()
    made(small, tmp_path, categories=("country", "country-capital"))
    assert (tmp_path / "out" / "la.json").read_bytes() == first
    assert first.endswith(b"}\n")
    assert b'      {"id": "Q142", "words": ["Gallia"], "from": "label"},\n' in first
    assert "Франция" in testgen.serialize(
        next(
            testgen.build_test_sets(
                testgen.TestSetRequest(
                    ["ru"], categories=testgen.choose(["country"]), policy=LabelPolicy(minimum_words=1)
                ),
                source=small,
            )
        )
    )


def test_all_languages_are_those_with_enough_words(small, tmp_path):
    frame = testgen.generate(
        tmp_path / "out", testgen.TestSetRequest(categories=["country"], policy=POLICY), source=small
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["en.json", "la.json"]
    assert frame.to_dict("records") == [
        {
            "language": code,
            "kind": "category",
            "name": "country",
            "size": 5,
            "items": 5,
            "named_in": code,
            "other_script": 0,
            "file": str(tmp_path / "out" / f"{code}.json"),
        }
        for code in ("en", "la")
    ]


def test_any_spelling_of_a_code_gives_the_same_file(tmp_path):
    path = tmp_path / "s.ttl"
    path.write_text(
        PREFIXES + 'wd:Q20 wdt:P31 wd:Q3624078 ; rdfs:label "Norge"@no .\n'
        'wd:Q34 wdt:P31 wd:Q3624078 ; rdfs:label "Sverige"@nb .\n'
    )
    policy = LabelPolicy(minimum_words=1)
    for code in ("no", "nb", "NB"):
        testgen.generate(
            tmp_path / code,
            testgen.TestSetRequest([code], categories=["country"], policy=policy),
            source=path,
        )
        assert [p.name for p in (tmp_path / code).iterdir()] == ["nb.json"]
        assert b"Norge" in (tmp_path / code / "nb.json").read_bytes()


def test_the_title_of_a_class_is_its_label_in_snapshots_of_it_too(small, tmp_path):
    small.write_text(TURTLE + 'wd:Q3624078 rdfs:label "sovereign state"@en .\n', encoding="utf-8")
    create(tmp_path / "made.jsonl", [testgen.class_query("Q3624078")], RdfSource(small))
    for source in (small, tmp_path / "made.jsonl"):
        request = testgen.TestSetRequest(["la"], categories=["Q3624078"])
        (made,) = testgen.build_test_sets(request, source=source)
        assert [category.title for category in made.categories] == ["Sovereign state"]


def test_classes_and_query_files(small, tmp_path):
    frame = testgen.generate(tmp_path, testgen.TestSetRequest(["la"], categories=["Q3624078"]), source=small)
    assert frame["size"].tolist() == [6]  # Prussia too: a class knows nothing of dissolved states


def test_coverage(small):
    with small.open("a", encoding="utf-8") as file:
        file.write('wd:Q142 rdfs:label "Francia"@it .\n')
    frame = testgen.coverage(testgen.TestSetRequest(categories=["country", "country-capital"]), source=small)
    assert frame.to_dict("index") == {
        "en": {"country": 5, "country-capital": 4},
        "it": {"country": 1, "country-capital": 0},
        "la": {"country": 5, "country-capital": 4},
        "ru": {"country": 2, "country-capital": 2},
    }
    assert frame.index.name == "code"


def test_what_a_source_does_not_have(small, tmp_path):
    with pytest.raises(QueryError, match=r"small.*weekday"):
        testgen.generate(
            tmp_path / "out", testgen.TestSetRequest(["la"], categories=["weekday"]), source=small
        )


def test_what_the_shipped_snapshot_does_not_have(tmp_path):
    said = r"cldr-48 \+ historical-1, the shipped snapshot, has no items for pope; .*, --source wikidata asks"
    with pytest.raises(QueryError, match=said):
        testgen.generate(tmp_path / "out", testgen.TestSetRequest(["la"], categories=["pope"]))


def test_a_language_with_too_few_words(small, tmp_path):
    with pytest.raises(LanguageError, match=r"ru \(Russian\): .*\b2\b"):
        testgen.generate(
            tmp_path / "out", testgen.TestSetRequest(["ru"], categories=["country"]), source=small
        )


@pytest.mark.parametrize("live", [False, True], ids=["snapshot", "live"])
def test_languages_with_too_few_words_do_not_keep_others_from_being_made(
    small, command, tmp_path, monkeypatch, live
):
    store = pyoxigraph.Store()
    store.load(path=str(small), format=pyoxigraph.RdfFormat.TURTLE)
    monkeypatch.setenv("TESTGEN_CONTACT", "tests@example.org")
    languages = ["-l", "la", "-l", "ru", "-l", "akk", "-l", "en"]
    with SparqlServer(store) as server:
        asked = ["-c", "country", "-o", tmp_path / "out", "--source", server.url if live else small]
        code, out, err = command("generate", *languages, *asked)
    assert code == 1
    assert "Test sets in" in out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["en.json", "la.json"]
    akkadian, russian = err.splitlines()[-2:]
    assert "left out akk: akk (Akkadian): " in akkadian
    assert "has usable names for 0 of the items" in akkadian
    assert "(--stand-in akk=CODE), or a wordnet or word list (`testgen snapshot import`);" in akkadian
    assert "has usable names for 2 of the items" in russian
    assert ("(`testgen snapshot import`), or Wikidata (--source wikidata);" in russian) is not live


def test_if_no_language_has_enough_words_each_is_named(small, tmp_path):
    request = testgen.TestSetRequest(["akk", "ru"], categories=["country"])
    with pytest.raises(LanguageError, match=r"akk \(Akkadian\): .*\nru \(Russian\): "):
        testgen.generate(tmp_path / "out", request, source=small)
    assert not (tmp_path / "out").exists()


def test_test_sets_in_memory_are_all_there_or_an_error(small):
    request = testgen.TestSetRequest(["la", "ru"], categories=testgen.choose(["country"]), policy=POLICY)
    made = testgen.build_test_sets(request, source=small)
    assert next(made).language == "la"
    with pytest.raises(LanguageError, match=r"ru \(Russian\)"):
        next(made)


def test_no_language_at_all_is_an_error(small, tmp_path):
    with pytest.raises(LanguageError, match="1000"):
        testgen.generate(
            tmp_path / "out", testgen.TestSetRequest(policy=LabelPolicy(minimum_words=1000)), source=small
        )


def test_one_language_may_be_a_text():
    assert testgen.TestSetRequest("Latin").named_in == testgen.TestSetRequest(["la"]).named_in


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"languages": ["latinn"]}, LanguageError),
        ({"languages": []}, LanguageError),
        ({"categories": ["countri"]}, QueryError),
        ({"categories": ["9415"]}, QueryError),
        ({"categories": ["none.rq"]}, QueryError),
    ],
)
def test_nothing_is_written_when_something_is_wrong(tmp_path, arguments, error):
    with pytest.raises(error):
        testgen.generate(tmp_path / "out", testgen.TestSetRequest(**arguments))
    with pytest.raises(SourceError):
        testgen.generate(tmp_path / "out", testgen.TestSetRequest(), source="none.ttl")
    assert not list(tmp_path.glob("out/*"))


def test_output_that_cannot_be_written(small, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="--output"):
        testgen.generate(tmp_path / "file" / "out", testgen.TestSetRequest(["la"]), source=small)


def test_the_output_is_a_folder_whatever_its_name(small, tmp_path):
    """`x.json` is taken for a file, but where there is such a folder."""
    request = testgen.TestSetRequest(["la"], categories=["country"], policy=POLICY)
    with pytest.raises(OutputError, match=r"folder.*--output"):
        testgen.generate(tmp_path / "x.json", request, source=small)
    assert not (tmp_path / "x.json").exists()
    (tmp_path / "x.json").mkdir()
    testgen.generate(tmp_path / "x.json", request, source=small)
    assert [path.name for path in (tmp_path / "x.json").iterdir()] == ["la.json"]


def test_files_of_others_are_overwritten_only_by_force(small, tmp_path):
    request = testgen.TestSetRequest(["la"], categories=["country"], policy=POLICY)
    (tmp_path / "la.json").write_text('{"mine": true}')
    for languages in (["la"], None):
        with pytest.raises(OutputError, match=r"la\.json"):
            testgen.generate(tmp_path, replace(request, languages=languages), source=small)
    assert (tmp_path / "la.json").read_text() == '{"mine": true}'
    testgen.generate(tmp_path, request, source=small, force=True)
    assert "Gallia" in (tmp_path / "la.json").read_text(encoding="utf-8")


def test_an_old_file_survives_a_failed_write(small, tmp_path, monkeypatch):
    made(small, tmp_path)
    before = (tmp_path / "out" / "la.json").read_bytes()

    def no_space(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", no_space)
    with pytest.raises(OutputError, match="No space left"):
        testgen.generate(
            tmp_path / "out",
            testgen.TestSetRequest(["la"], categories=["country"], policy=POLICY),
            source=small,
        )
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["la.json"]
    assert (tmp_path / "out" / "la.json").read_bytes() == before


PUNJABI = """
wd:Q1 wdt:P31 wd:Q3624078 ; rdfs:label "ਭਾਰਤ"@pa ; skos:altLabel "بھارت"@pa, "ہند"@pa .
wd:Q2 wdt:P31 wd:Q3624078 ; rdfs:label "پاکستان"@pa .
wd:Q3 wdt:P31 wd:Q3624078 ; rdfs:label "Nepal"@pa ; skos:altLabel "ਨੇਪਾਲ"@pa ; wdt:P36 wd:Q1 .
wd:Q4 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q2 ; rdfs:label "ਚੀਨ"@pa .
"""


def punjabi(tmp_path, **choices):
    path = tmp_path / "s.ttl"
    path.write_text(PREFIXES + PUNJABI, encoding="utf-8")
    policy = LabelPolicy(minimum_words=1, **choices)
    frame = testgen.generate(
        tmp_path / "out",
        testgen.TestSetRequest(["pa"], categories=["country", "country-capital"], policy=policy),
        source=path,
    )
    content = json.loads((tmp_path / "out" / "pa.json").read_text(encoding="utf-8"))
    jsonschema.validate(content, SCHEMA)
    return frame.set_index("name"), *content["categories"], *content["relations"]


def test_words_in_another_script_are_left_out_and_counted(tmp_path):
    frame, country, capital = punjabi(tmp_path, aliases=True)
    assert words(country) == {"Q1": ["ਭਾਰਤ"], "Q3": ["ਨੇਪਾਲ"], "Q4": ["ਚੀਨ"]}
    assert [item["from"] for item in country["items"]] == ["label", "alias", "label"]
    # بھارت, ہند, پاکستان and Nepal; in the relation, each side is counted once for each of its items.
    assert (country["other_script"], capital["other_script"]) == (4, 4)
    assert list(frame["other_script"]) == [4, 4]
    assert capital["pairs"] == [{"item": "Q1", "of": "Q3"}]


def test_words_in_any_script_on_request(tmp_path):
    frame, country, capital = punjabi(tmp_path, aliases=True, any_script=True)
    assert words(country) == {
        "Q1": ["ਭਾਰਤ", "بھارت", "ہند"],
        "Q2": ["پاکستان"],
        "Q3": ["Nepal", "ਨੇਪਾਲ"],
        "Q4": ["ਚੀਨ"],
    }
    assert "other_script" not in country
    assert "other_script" not in capital
    assert len(capital["pairs"]) == 2
    assert not frame["other_script"].any()


def test_aliases_in_another_script_count_only_if_aliases_are_wanted(tmp_path):
    _, country = punjabi(tmp_path)
    assert words(country) == {"Q1": ["ਭਾਰਤ"], "Q4": ["ਚੀਨ"]}
    assert country["other_script"] == 2


PHRASES = """
wd:Q1 wdt:P31 wd:Q3624078 ; rdfs:label "fire engine"@en, "camion de pompiers"@fr, "รถดับเพลิง"@th, "消防车"@zh .
wd:Q2 wdt:P31 wd:Q3624078 ; rdfs:label "toothbrush"@en, "brosse à dents"@fr, "แปรงสีฟัน"@th, "牙刷"@zh .
wd:Q3 wdt:P31 wd:Q3624078 ; rdfs:label "United States"@en, "États Unis"@fr, "สหรัฐ"@th, "美国"@zh .
wd:Q4 wdt:P31 wd:Q3624078 ; rdfs:label "Georgia (US state)"@en, "จอร์เจีย"@th, "佐治亚州"@zh .
wd:Q5 wdt:P31 wd:Q3624078 ; rdfs:label "บ้านเดี่ยว"@th .
wd:Q6 wdt:P31 wd:Q3624078 ; rdfs:label "mobile phone"@en, "téléphone portable"@fr, "teléfono móvil"@es,
  "Handy"@de, "มือถือ"@th .
"""


@pytest.mark.parametrize("kept", [False, True], ids=["file", "kept"])
def test_a_phrase_in_a_script_without_spaces_is_no_word(tmp_path, kept):
    path = tmp_path / "s.ttl"
    path.write_text(PREFIXES + PHRASES, encoding="utf-8")
    build(tmp_path / "answers.jsonl.gz", path)
    source = RdfSource(path, answers=tmp_path / "answers.jsonl.gz" if kept else None)
    found, several = {}, {}
    for code in ("th", "zh"):
        policy = LabelPolicy(minimum_words=1)
        found[code] = words(made(source, tmp_path, code, ["country"], policy)["categories"][0])
        policy = replace(policy, several_words="keep")
        several[code] = words(made(source, tmp_path, code, ["country"], policy)["categories"][0])
    # Half of the other languages have one word for a toothbrush, and one of four for a mobile phone.
    assert found["th"] == {"Q2": ["แปรงสีฟัน"], "Q4": ["จอร์เจีย"], "Q5": ["บ้านเดี่ยว"], "Q6": ["มือถือ"]}
    assert found["zh"] == {"Q2": ["牙刷"], "Q3": ["美国"], "Q4": ["佐治亚州"]}
    assert len(several["th"]) == 6


def test_words_that_differ_in_marks_of_dictionaries_count_once(tmp_path):
    path = tmp_path / "s.ttl"
    path.write_text(
        PREFIXES + "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        'wd:Q1 wdt:P31 wd:Q3624078 ; rdfs:label "formīca"@la ; skos:altLabel "formica"@la .\n'
        'wd:Q2 wdt:P31 wd:Q3624078 ; rdfs:label "formica"@la, "tēte"@fr ;'
        ' skos:altLabel "culex"@la, "tete"@fr .\n',
        encoding="utf-8",
    )
    policy = LabelPolicy(minimum_words=1, aliases=True)
    (latin,) = made(path, tmp_path, "la", ["country"], policy)["categories"]
    assert words(latin) == {"Q1": ["formica"], "Q2": ["culex"]}
    assert [item["from"] for item in latin["items"]] == ["label", "alias"]
    (french,) = made(path, tmp_path, "fr", ["country"], policy)["categories"]
    assert words(french) == {"Q2": ["tēte", "tete"]}
    policy = replace(policy, spelling="source")
    (latin,) = made(path, tmp_path, "la", ["country"], policy)["categories"]
    assert words(latin) == {"Q1": ["formīca"], "Q2": ["culex"]}


def test_the_minimum_of_sitelinks_can_be_changed_and_is_in_the_digest(tmp_path):
    query = testgen.choose(["profession"])[0]
    (tmp_path / "p.ttl").write_text(
        "@prefix wd: <http://www.wikidata.org/entity/> . @prefix wikibase: <http://wikiba.se/ontology#> .\n"
        "@prefix wdt: <http://www.wikidata.org/prop/direct/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        'wd:Q1 wdt:P31 wd:Q28640 ; rdfs:label "baker"@en ; wikibase:sitelinks 60 .\n'
        'wd:Q2 wdt:P31 wd:Q28640 ; rdfs:label "cooper"@en ; wikibase:sitelinks 29 .\n',
        encoding="utf-8",
    )
    found = {}
    for minimum in (None, 0, 60, 61):
        request = testgen.TestSetRequest(
            ["en"], ["profession"], minimum_sitelinks=minimum, policy=LabelPolicy(minimum_words=1)
        )
        if minimum == 61:
            with pytest.raises(QueryError, match="profession"):
                testgen.generate(tmp_path / "none", request, source=tmp_path / "p.ttl")
            continue
        testgen.generate(tmp_path / str(minimum), request, source=tmp_path / "p.ttl")
        (category,) = json.loads((tmp_path / str(minimum) / "en.json").read_text("utf-8"))["categories"]
        assert (
            category["sha256"] == (query if minimum is None else query.with_minimum_sitelinks(minimum)).sha256
        )
        found[minimum] = len(category["items"])
    assert found == {None: 1, 0: 2, 60: 1}


def test_what_is_made_if_nothing_is_named(tmp_path):
    """Nothing that another category holds most of, and nothing with fewer than ten words."""

    def made(**choices):
        request = testgen.TestSetRequest(["en"], **choices)
        frame = testgen.generate(tmp_path / str(len(choices)), request, force=True)
        return frame.set_index("name")["size"]

    usual, every = made(), made(all_categories=True)
    assert {"country", "month", "fruit"} <= set(usual.index)
    assert usual.min() >= 10
    assert not {"country-in-asia", "eu-member-state", "unit-of-time", "official-language"} & set(usual.index)
    assert set(usual.index) < set(every.index)
    assert {"country-in-asia", "unit-of-time"} <= set(every.index)
    assert made(categories=["weekday"])["weekday"] == 7


def test_of_two_equal_categories_the_first_by_name_is_made(tmp_path):
    path = tmp_path / "s.ttl"
    things = " ".join(f'wd:Q{n} wdt:P31 wd:Q8928, wd:Q9430 ; rdfs:label "w{n}"@en .' for n in range(1, 11))
    path.write_text(PREFIXES + things, encoding="utf-8")

    def made(folder, **choices):
        request = testgen.TestSetRequest(["en"], **choices)
        return list(testgen.generate(tmp_path / folder, request, source=path)["name"])

    assert made("usual") == ["constellation"]
    assert made("every", all_categories=True) == made("levels", minimum_items=2) == ["constellation", "ocean"]


@pytest.mark.slow
def test_an_import_removes_no_category_of_the_shipped_set(tmp_path):
    """Nearly all of its birds and mammals are among its animals."""
    (tmp_path / "list.txt").touch()
    found = Imported("made up", "CC0", {tmp_path / "list.txt": None})
    for number, category in enumerate(categories().values()):
        found.members[category] = {f"our:{number}-{item}" for item in range(25)}
        for item in found.members[category]:
            found.add(item, "en", [f"word-{item[4:]}"])
    for category, items in found.members.items():
        if category.within:
            found.members[categories()[category.within]] |= items
    write_import(tmp_path / "more.ttl", found)

    def made(*source):
        request = testgen.TestSetRequest(["en"])
        return set(testgen.generate(tmp_path / "out", request, source=source)["name"])

    shipped, both = made("shipped"), made("shipped", tmp_path / "more.ttl")
    assert shipped <= both
    assert {"animal", "mammal", "bird", "plant", "beverage"} <= both
    assert "footwear" not in both


@pytest.mark.parametrize(("others", "expected"), [(3, {"capital"}), (30, {"capital", "city"})])
def test_a_larger_category_goes_only_if_the_core_holds_most_of_it(tmp_path, others, expected):
    states = (f"wd:Q{n} wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q{100 + n} ." for n in range(1, 13))
    cities = (
        f'wd:Q{n} wdt:P31 wd:Q515 ; wdt:P1082 1500000 ; rdfs:label "w{n}"@en .'
        for n in range(101, 113 + others)
    )
    (tmp_path / "s.ttl").write_text("\n".join((PREFIXES, *states, *cities)), encoding="utf-8")
    request = testgen.TestSetRequest(["en"])
    frame = testgen.generate(tmp_path / "out", request, source=tmp_path / "s.ttl")
    assert set(frame["name"]) & {"capital", "city"} == expected


def test_words_that_categories_share_are_counted(tmp_path):
    testgen.generate(
        tmp_path, testgen.TestSetRequest(["en"], categories=["country", "country-in-asia", "weekday"])
    )
    content = json.loads((tmp_path / "en.json").read_text(encoding="utf-8"))
    jsonschema.validate(content, SCHEMA)
    country, asia, weekday = content["categories"]
    assert country["shared"] == asia["shared"] == len(words(asia))
    assert "shared" not in weekday


def test_the_neutral_label_does_not_replace_one_that_gives_no_word(small, tmp_path):
    """`Civitates Foederatae` are two words: the item has none in Latin, whatever its neutral label."""
    with small.open("a", encoding="utf-8") as file:
        file.write('wd:Q30 rdfs:label "Usonia"@mul .\n')
    assert "Q30" not in words(made(small, tmp_path)["categories"][0])
    assert words(made(small, tmp_path, "de", policy=LabelPolicy(minimum_words=1))["categories"][0])[
        "Q30"
    ] == ["Usonia"]


def test_pairs_that_share_one_of_several_words_are_left_out(small, tmp_path):
    with small.open("a", encoding="utf-8") as file:
        file.write('wd:Q2807 skos:altLabel "Iberia"@la . wd:Q29 skos:altLabel "Iberia"@la .\n')
    policy = LabelPolicy(minimum_words=1, aliases=True)
    pairs = made(small, tmp_path, policy=policy)["relations"][0]["pairs"]
    assert [pair["item"] for pair in pairs] == ["Q220", "Q90", "Q64"]
