"""Word lists in CLDF."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pytest

from testgen import (
    LabelPolicy,
    SourceError,
    TestSetRequest,
    build_test_sets,
    choose,
    write_dictionaries,
)
from testgen.queries import OWN_CATEGORIES
from testgen.snapshots.creation import create
from testgen.snapshots.importers.cldf import read_cldf
from testgen.snapshots.importers.content import semantic_fields, write_import
from testgen.sources import RdfSource, Snapshot, own_categories

TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"
TABLES = {
    "Form": (
        "forms.csv",
        {
            "ID": "id",
            "Language_ID": "languageReference",
            "Parameter_ID": "parameterReference",
            "Form": "form",
        },
    ),
    "Language": ("langs.csv", {"ID": "id", "ISO": "iso639P3code"}),
    "Parameter": ("concepts.csv", {"ID": "id", "Concepticon_ID": "concepticonReference"}),
}
FILES = {
    "forms.csv": 'ID,Language_ID,Parameter_ID,Form\n1,Latin,dog,canis\n2,Latin,dog,"catulus, catellus"\n'
    "3,Latin,eye,oculus\n4,Narom,dog,asu\n5,Other,dog,x\n6,Latin,odour,odor\n7,Tosk,dog,qen\n8,Latin,eye,\n",
    "langs.csv": "ID,ISO\nLatin,lat\nNarom,nrm\nOther,\nTosk,als\n",
    "concepts.csv": "ID,Concepticon_ID\ndog,2009\neye,1248\nodour,\n",
}


@pytest.fixture
def wordlist(tmp_path):
    """Writes a word list; gives the path of its metadata."""

    def write(more=None, license_="CC0"):
        tables = [
            {
                "dc:conformsTo": f"{TERMS}{kind}Table",
                "url": url,
                "tableSchema": {
                    "columns": [{"name": name, "propertyUrl": TERMS + term} for name, term in columns.items()]
                    + ([{"name": more}] if more and kind == "Form" else [])
                },
            }
            for kind, (url, columns) in TABLES.items()
        ]
        for name, text in FILES.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        path = tmp_path / "cldf-metadata.json"
        content = {"dc:title": "Made up", "dc:license": license_, "tables": tables}
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


def test_words_and_categories(wordlist):
    found = read_cldf(wordlist())
    members = {category.name: found.named(category) for category in found.members if found.named(category)}
    assert members == {
        "animal": {"Q144"},
        "mammal": {"Q144"},
        "body-part": {"Q7364"},
    }
    assert found.words["Q144"] == {
        "la": ["canis", "catulus, catellus"],
        "mis-x-nrm": ["asu"],
        "mis-x-other": ["x"],
        "sq": ["qen"],
    }
    assert found.words["Q7364"] == {"la": ["oculus"]}
    assert found.private_codes == {"mis-x-other": "Other"}
    assert (found.name, found.license) == ("Made up", "CC0")
    assert {path.name for path in found.files} == {"cldf-metadata.json", *FILES}


def test_words_in_their_spelling_are_preferred_to_transcriptions(wordlist, tmp_path):
    path = wordlist(more="Orthography")
    (tmp_path / "forms.csv").write_text(
        "ID,Language_ID,Parameter_ID,Form,Orthography\n1,Latin,dog,kanis,canis\n", encoding="utf-8"
    )
    assert read_cldf(path).words == {"Q144": {"la": ["canis"]}}
    assert read_cldf(path, "Form").words == {"Q144": {"la": ["kanis"]}}
    with pytest.raises(SourceError, match=r"'Value'.*ID, Language_ID"):
        read_cldf(path, "Value")


def test_a_language_without_a_code_gets_that_of_its_name_or_a_private_one(wordlist, tmp_path):
    path = wordlist()
    text = path.read_text(encoding="utf-8")
    for name in ("name", "glottocode"):
        column = json.dumps({"name": name, "propertyUrl": TERMS + name})
        text = text.replace('{"name": "ISO"', f'{column}, {{"name": "ISO"')
    path.write_text(text, encoding="utf-8")
    (tmp_path / "langs.csv").write_text(
        "ID,name,glottocode,ISO\nLatin,Latin,lati1261,\nOther,Selice Romani,west2376,\n", encoding="utf-8"
    )
    found = read_cldf(path)
    assert found.words["Q144"].keys() == {"la", "mis-x-west2376"}
    assert found.private_codes == {"mis-x-west2376": "Selice Romani"}
    assert found.unknown_languages == {"Narom", "Tosk"}  # the table of languages lacks them


def test_native_script_is_used_for_languages_that_mostly_have_it(wordlist, tmp_path):
    path = wordlist(more="native_script")
    (tmp_path / "forms.csv").write_text(
        "ID,Language_ID,Parameter_ID,Form,native_script\n1,Latin,dog,canis,\n2,Latin,eye,oculus,x\n"
        "3,Other,dog,kúōn,κύων\n4,Other,eye,óps,\n",
        encoding="utf-8",
    )
    (tmp_path / "langs.csv").write_text("ID,ISO\nLatin,lat\nOther,grc\n", encoding="utf-8")
    words = read_cldf(path).words
    assert words == {
        "Q144": {"la": ["canis"], "grc": ["kúōn"]},
        "Q7364": {"la": ["oculus"], "grc": ["óps"]},
    }  # half of them is not most
    with (tmp_path / "forms.csv").open("a", encoding="utf-8") as file:
        file.write("5,Other,dog,skúlax,σκύλαξ\n")
    words = read_cldf(path).words
    assert (words["Q144"]["grc"], words["Q7364"]) == (
        ["κύων", "σκύλαξ"],
        {"la": ["oculus"]},
    )
    assert read_cldf(path).left_out == {"form without native_script": 1}
    assert "kúōn" in read_cldf(path, "Form").words["Q144"]["grc"]


CONCEPTICON = (
    "ID\tGLOSS\tSEMANTICFIELD\tONTOLOGICAL_CATEGORY\n2009\tDOG\tAnimals\tPerson/Thing\n"
    "1248\tEYE\tThe body\tPerson/Thing\n1\tX\tThe body\tClassifier\n"
)


@pytest.fixture
def with_fields(wordlist, tmp_path):
    """A snapshot with categories of its own."""
    table = tmp_path / "concepticon.tsv"
    table.write_text(CONCEPTICON, encoding="utf-8")
    write_import(tmp_path / "made.ttl", read_cldf(wordlist(), concepticon=table))
    return tmp_path / "made.ttl"


def test_semantic_fields_are_categories_of_the_source_itself(with_fields, tmp_path):
    own = own_categories(RdfSource(with_fields))
    assert {(query.name, query.title) for query in own} == {
        ("animal-noun", "Nouns of animals and their parts"),
        ("body-noun", "Nouns of the body"),
    }
    policy = LabelPolicy(minimum_words=1)
    asked = TestSetRequest(["la"], categories=["body-noun"], policy=policy)
    (la,) = build_test_sets(asked, source=with_fields)
    assert [(item.id, item.words) for item in la.categories[0].items] == [("Q7364", ("oculus",))]
    # What shipped categories have stays, though the source's own contain it.
    (la,) = build_test_sets(TestSetRequest(["la"], policy=policy), source=with_fields)
    assert {category.name for category in la.categories} == {"animal", "mammal", "body-part"}
    copy = tmp_path / "copy.jsonl"
    create(copy, [*own, OWN_CATEGORIES], RdfSource(with_fields))
    assert own_categories(Snapshot(copy)) == own
    assert own_categories(object()) == []


def test_a_dictionary_has_categories_of_the_source_itself(with_fields, tmp_path):
    policy = LabelPolicy(minimum_words=1)
    request = TestSetRequest(["la"], categories=["animal-noun"], policy=policy)
    frame = write_dictionaries(tmp_path / "la-sq.txt", request, ["sq"], source=with_fields)
    assert frame.attrs["categories"] == ["animal-noun"]
    assert (tmp_path / "la-sq.txt").read_text(encoding="utf-8") == "canis qen\n"


def test_names_of_semantic_fields_are_no_shipped_ones():
    names = {category.name for category in semantic_fields().values()}
    assert not names & {query.name for query in choose()}
    titles = {category.title for category in semantic_fields().values()}
    assert len(titles) == len(names) > 40


def metadata_changed(path, change):
    """The same metadata, changed by a function."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def without(kind, *terms):
    """Changes metadata: leaves out a table, or some of its columns."""

    def change(content):
        (table,) = (each for each in content["tables"] if each["dc:conformsTo"].endswith(f"{kind}Table"))
        columns = table["tableSchema"]["columns"]
        columns[:] = [each for each in columns if each.get("propertyUrl") not in [TERMS + t for t in terms]]
        if not terms:
            content["tables"].remove(table)

    return change


def test_codes_of_languages_are_optional(wordlist, tmp_path):
    path = wordlist()
    columns = [
        {"name": name, "propertyUrl": TERMS + term} for name, term in (("ID", "id"), ("G", "glottocode"))
    ]

    def change(content):
        content["tables"][1]["tableSchema"]["columns"] = columns

    (tmp_path / "langs.csv").write_text("ID,G\nLatin,lati1261\nOther,\n", encoding="utf-8")
    found = read_cldf(metadata_changed(path, change))
    assert found.words["Q144"].keys() == {"mis-x-lati1261", "mis-x-other"}
    assert found.unknown_languages == {"Narom", "Tosk"}


def test_without_a_table_of_languages_forms_name_them(wordlist, tmp_path):
    path = metadata_changed(wordlist(), without("Language"))
    forms = "ID,Language_ID,Parameter_ID,Form\n1,Latin,dog,canis\n2,deu,dog,Hund\n3,west2376,dog,ruva\n"
    (tmp_path / "forms.csv").write_text(forms, encoding="utf-8")
    found = read_cldf(path)
    assert found.words["Q144"] == {"la": ["canis"], "de": ["Hund"], "mis-x-west2376": ["ruva"]}


def test_a_list_of_concepts_or_of_forms_in_a_cell(wordlist, tmp_path):
    def change(content):
        concept, form = content["tables"][0]["tableSchema"]["columns"][2:4]
        concept["separator"], form["separator"] = ";", ","

    forms = 'ID,Language_ID,Parameter_ID,Form\n1,Latin,dog; eye,"canis, oculus"\n'
    path = metadata_changed(wordlist(), change)
    (tmp_path / "forms.csv").write_text(forms, encoding="utf-8")
    words = ["canis", "oculus"]
    assert read_cldf(path).words == {"Q144": {"la": words}, "Q7364": {"la": words}}


def test_a_retired_concept_is_the_one_that_replaced_it(wordlist, tmp_path):
    path, table = wordlist(), tmp_path / "concepticon.tsv"
    (tmp_path / "concepts.csv").write_text("ID,Concepticon_ID\ndog,99999\neye,1248\n", encoding="utf-8")
    head, *rows = CONCEPTICON.splitlines()
    rows = [
        f"{head}\tREPLACEMENT_ID",
        *(f"{row}\t" for row in rows),
        "99999\tHOUND\tAnimals\tPerson/Thing\t2009",
    ]
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = read_cldf(path, concepticon=table)
    assert found.words["Q144"]["la"] == ["canis", "catulus, catellus"]
    assert {each.name for each in found.members if "Q144" in found.named(each)} == {
        "animal",
        "mammal",
        "animal-noun",
    }
    assert "Q144" not in read_cldf(path).words  # without Concepticon's table nobody knows


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("Parameter"), "names no ParameterTable, so no concept has an id of Concepticon"),
        (without("Parameter", "concepticonReference"), r"concepts\.csv: no concept has an id of Concepticon"),
        (without("Form", "form"), "no column for form"),
        (lambda content: content["tables"].append(content["tables"][0]), "are both called the FormTable"),
        (
            lambda content: content["tables"][0]["tableSchema"]["columns"].append(
                {"name": "Other", "propertyUrl": f"{TERMS}form"}
            ),
            r"Form and Other are both the form of forms\.csv",
        ),
    ],
)
def test_what_makes_no_word_list_is_named(wordlist, change, message):
    with pytest.raises(SourceError, match=message):
        read_cldf(metadata_changed(wordlist(), change))


def test_a_word_list_without_forms_is_refused(wordlist, tmp_path):
    path = wordlist()
    (tmp_path / "forms.csv").write_text("ID,Language_ID,Parameter_ID,Form\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"forms\.csv: has no forms"):
        read_cldf(path)


@pytest.mark.parametrize("name", ["ids", "wold", "northeuralex"])
def test_all_languages_of_real_lists_are_taken_and_fields_are_categories(shared_data, tmp_path, name):
    """Only the tables of languages and concepts are there: each language names each concept by its number."""
    folder, lists = shared_data / "lexicons" / name, shared_data / "lexicons"
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    texts = {
        name: (folder / f"{name}.csv").read_text(encoding="utf-8") for name in ("languages", "parameters")
    }
    rows_of = {name: list(csv.DictReader(io.StringIO(text))) for name, text in texts.items()}
    ids = {name: [row["ID"] for row in of_table] for name, of_table in rows_of.items()}
    metadata = json.loads((folder / "cldf-metadata.json").read_text(encoding="utf-8"))
    (url,) = (each["url"] for each in metadata["tables"] if "FormTable" in each.get("dc:conformsTo", ""))
    with (tmp_path / url).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Language_ID", "Parameter_ID", "Form", "Orthography"])
        first, *rest = ids["languages"]
        rows.writerows([first, each, *[f"w{number}"] * 2] for number, each in enumerate(ids["parameters"]))
        rows.writerows([language, each, "w", "w"] for language in rest for each in ids["parameters"][:2])
    found = read_cldf(tmp_path / "cldf-metadata.json", concepticon=lists / "concepticon" / "concepticon.tsv")
    assert not found.unknown_languages
    codes = {row["ISO639P3code"] for row in rows_of["languages"]}
    assert len(found.languages) > len(codes) - 8  # some codes are of one language: arb and ar
    assert sum(len(found.named(category)) >= 10 for category in found.members) >= 30


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "categories"), [("grc", 5), ("xcl", 5), ("cu", 5), ("ang", 5), pytest.param("sa", 2, id="roots")]
)
def test_iecor_gives_categories_in_historical_languages(iecor, code, categories):
    """Of Sanskrit, adjectives and verbs are listed as stems and roots, which are no words of a text."""
    (made,) = build_test_sets(TestSetRequest([code]), source=iecor)
    assert len([category for category in made.categories if len(category.words) >= 10]) >= categories
    words = [word for category in made.categories for word in category.words]
    assert [word for word in words if word[-1] in "-*"] == []


@pytest.fixture(scope="module")
def iecor(shared_data, tmp_path_factory):
    """A snapshot of a real word list, read whole."""
    lists, folder = shared_data / "lexicons", tmp_path_factory.mktemp("iecor")
    for path in (lists / "iecor").iterdir():
        content = path.read_bytes()
        is_gzip = path.suffix == ".gz"
        (folder / path.name.removesuffix(".gz")).write_bytes(gzip.decompress(content) if is_gzip else content)
    table = lists / "concepticon" / "concepticon.tsv"
    write_import(folder / "made.ttl", read_cldf(folder / "cldf-metadata.json", concepticon=table))
    return folder / "made.ttl"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not JSON", "not JSON"),
        ("[]", r"not the metadata of tables \(CSVW\): Expected `object`"),
        ('{"tables": [], "dc:title": "\x00"}', "not JSON"),
        ('{"tables": []}', "it names no FormTable"),
        (r'{"tables": [], "dc:title": "\ud83d"}', "not JSON"),
        ('{"tables": [{"url": "f", "tableSchema": {"columns": 3}}]}', r"tables\[0\]\.tableSchema\.columns"),
        (
            f'{{"tables": [], "dc:conformsTo": "{TERMS}Dictionary"}}',
            "a CLDF Dictionary: it names no FormTable",
        ),
    ],
)
def test_metadata_of_another_kind_is_refused(tmp_path, text, message):
    path = tmp_path / "m.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        read_cldf(path)


def test_line_ends_of_old_macs_are_read(wordlist, tmp_path):
    path, table = wordlist(), tmp_path / "langs.csv"
    table.write_bytes(table.read_bytes().replace(b"\n", b"\r"))
    assert read_cldf(path).words["Q7364"] == {"la": ["oculus"]}


def test_a_missing_table_or_column_is_named(wordlist, tmp_path):
    path = wordlist()
    (tmp_path / "langs.csv").unlink()
    with pytest.raises(SourceError, match=r"langs\.csv: "):
        read_cldf(path)
    path = wordlist()
    (tmp_path / "langs.csv").write_text("other\n1\n", encoding="utf-8")
    with pytest.raises(SourceError, match="ID"):
        read_cldf(path)
    path = wordlist()
    path.write_text(path.read_text(encoding="utf-8").replace("rdf#parameterR", "rdf#x"), encoding="utf-8")
    with pytest.raises(SourceError, match=r"forms\.csv: .*no column for parameterReference"):
        read_cldf(path)
