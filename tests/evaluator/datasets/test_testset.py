"""Reading test sets: a golden file, kept for ever, and a complaint for all that can be wrong."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path

import jsonschema
import pytest

from evaluator import TestSet, TestSetError, read_testset
from evaluator.datasets.testset import Category, Item, Pair, Reading, Relation
from tests.conftest import REPOSITORY

GOLDEN = Path(__file__).parent / "golden" / "testset.v1.json"
NEW = GOLDEN.with_name("testset.v2.json")


def content():
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def complaint(tmp_path, data, name="la.json"):
    """What is said of a file; it begins with the file's path."""
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    with pytest.raises(TestSetError) as raised:
        read_testset(path)
    message = str(raised.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_the_golden_file_of_version_1():
    france, russia = Item("Q142", ("Франция",), "label"), Item("Q159", ("Россия", "РФ"), "label")
    countries = (Item("Q38", ("Италия",), "label"), france, russia)
    assert read_testset(GOLDEN) == TestSet(
        "ru",
        "testset.v1.json",
        hashlib.sha256(GOLDEN.read_bytes()).hexdigest(),
        (
            Category(
                "country",
                "Countries",
                (*countries, Item("Q183", ("Германия", "ФРГ"), "alias")),
                "geography",
            ),
            Category(
                "fungus",
                "Fungi",
                (Item("Q2009", ("Кандида",), "mul"), Item("Q190701", ("सूक्ष्म", "茸"), "label")),
                "nature",
            ),
        ),
        (
            Relation(
                "country-capital",
                "Capitals and their countries",
                (
                    *(Item("Q90", ("Париж",), "label"), france, russia),
                    Item("Q649", ("Москва",), "label"),
                ),
                (Pair("Q90", "Q142"), Pair("Q649", "Q159")),
            ),
        ),
        reading=Reading("testset", "ru"),
    )


def test_the_words_of_a_category_are_those_of_all_its_items():
    words = "Италия Франция Россия РФ Германия ФРГ"
    assert read_testset(GOLDEN).categories[0].words == tuple(words.split())


def test_a_file_of_version_2_has_the_same_categories_and_relations():
    old, new = read_testset(GOLDEN), read_testset(NEW)
    assert (new.language, new.categories, new.relations) == (old.language, old.categories, old.relations)
    assert old.groups == ()


def test_a_file_of_version_2_has_groups_of_related_words():
    (keywords,) = read_testset(NEW).groups
    written = json.loads(NEW.read_text(encoding="utf-8"))["groups"][0]
    assert (keywords.name, keywords.title) == (written["name"], written["title"])
    assert [(each.id, [*each.words], each.origin) for each in keywords.items] == [
        (each["id"], each["words"], each["from"]) for each in written["items"]
    ]
    assert set(keywords.words) == {word for each in written["items"] for word in each["words"]}


def test_the_golden_file_is_valid_by_the_schema_but_for_its_unknown_keys():
    """The schema is testgen's; it must allow what readers are told to ignore."""
    schema = REPOSITORY / "testgen" / "testset" / "testset.v2.schema.json"
    sample = json.loads(NEW.read_text(encoding="utf-8"))
    jsonschema.validate(sample, json.loads(schema.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("name", "country", "$: the name 'country' occurs twice; change one of them"),
        ("items", [], "$.groups[0].items: is empty"),
        ("items", [{"id": "a", "words": []}], "$.groups[0].items[0].words: is empty"),
        ("items", [{"id": "a", "words": ["x"]}] * 2, "$.groups[0]: the id 'a' occurs twice"),
    ],
)
def test_what_is_wrong_with_groups_is_said(tmp_path, key, value, problem):
    data = json.loads(NEW.read_text(encoding="utf-8"))
    data["groups"][0][key] = value
    assert complaint(tmp_path, data).startswith(problem)


def test_a_test_set_may_have_groups_alone(tmp_path):
    data = json.loads(NEW.read_text(encoding="utf-8")) | {"categories": [], "relations": []}
    path = tmp_path / "groups.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert read_testset(path).groups == read_testset(NEW).groups


def test_a_byte_order_mark_is_tolerated(tmp_path):
    path = tmp_path / "testset.v1.json"
    path.write_bytes(b"\xef\xbb\xbf" + GOLDEN.read_bytes())
    assert read_testset(path).categories == read_testset(GOLDEN).categories


def test_optional_keys(tmp_path):
    """A file made by hand needs little: no titles, no origin, no relations."""
    path = tmp_path / "la.json"
    least = {
        "format": "testset",
        "version": 1,
        "language": "la",
        "categories": [{"name": "c", "items": [{"id": "1", "words": ["rex", "rex"]}]}],
    }
    path.write_text(json.dumps(least))
    (category,) = read_testset(path).categories
    assert category == Category("c", "c", (Item("1", ("rex",), None),))
    path.write_text(json.dumps(least | {"relations": []}))
    assert read_testset(path).relations == ()


GONE = object()
CATEGORY, RELATION, ITEM = ("categories", 1), ("relations", 0), ("categories", 0, "items", 2)
BOTH = "there are no categories, relations and groups: nothing can be scored"
KNOWN = "and this evaluator reads versions 1 and 2;"

# Where, what is put there, and the complaint: first the JSON path, then the trouble.
WRONG = [
    (("format",), GONE, '$.format: must be "testset"; is this a test set made by `testgen generate`?'),
    (("format",), "test set", '$.format: must be "testset"'),
    (("format",), None, '$.format: must be "testset"'),
    (("version",), GONE, "$.version: is missing"),
    (("version",), "1", "$.version: must be a whole number"),
    (("version",), True, "$.version: must be a whole number"),
    (("version",), 1.0, "$.version: must be a whole number"),
    (("version",), 3, f"$.version: is 3, {KNOWN} update it"),
    (("version",), 0, f"$.version: is 0, {KNOWN} make the file again"),
    (("language",), GONE, "$.language: is missing"),
    (("language",), ["la"], "$.language: must be a text"),
    (("language",), " ", "$.language: is empty"),
    (("categories",), GONE, "$.categories: is missing"),
    (("categories",), {}, "$.categories: must be a list"),
    (("categories",), None, "$.categories: must be a list"),
    (("relations",), None, "$.relations: must be a list"),
    (CATEGORY, [], "$.categories[1]: must be an object"),
    ((*CATEGORY, "name"), GONE, "$.categories[1].name: is missing"),
    ((*CATEGORY, "name"), 7, "$.categories[1].name: must be a text"),
    ((*CATEGORY, "name"), "", "$.categories[1].name: is empty"),
    ((*CATEGORY, "name"), "country", "$: the name 'country' occurs twice; change one of them"),
    ((*CATEGORY, "title"), 7, "$.categories[1].title: must be a text"),
    ((*CATEGORY, "items"), GONE, "$.categories[1].items: is missing"),
    ((*CATEGORY, "items"), "rex", "$.categories[1].items: must be a list"),
    ((*CATEGORY, "items"), [], "$.categories[1].items: is empty"),
    (ITEM, "rex", "$.categories[0].items[2]: must be an object"),
    ((*ITEM, "id"), GONE, "$.categories[0].items[2].id: is missing"),
    ((*ITEM, "id"), 142, "$.categories[0].items[2].id: must be a text"),
    ((*ITEM, "id"), "Q142", "$.categories[0]: the id 'Q142' occurs twice; change one of them"),
    ((*ITEM, "from"), 1, "$.categories[0].items[2].from: must be a text"),
    ((*ITEM, "words"), GONE, "$.categories[0].items[2].words: is missing"),
    ((*ITEM, "words"), "rex", "$.categories[0].items[2].words: must be a list"),
    ((*ITEM, "words"), [], "$.categories[0].items[2].words: is empty"),
    ((*ITEM, "words", 1), "", "$.categories[0].items[2].words[1]: is empty"),
    ((*ITEM, "words", 1), "\u3000\t", "$.categories[0].items[2].words[1]: is empty"),
    ((*ITEM, "words", 1), None, "$.categories[0].items[2].words[1]: must be a text"),
    ((*ITEM, "words", 1), ["rex"], "$.categories[0].items[2].words[1]: must be a text"),
    ((*ITEM, "words", 1), "\ud83d", r"$.categories[0].items[2].words[1]: is '\ud83d', which holds half"),
    ((*CATEGORY, "name"), "a\udc00", r"$.categories[1].name: is 'a\udc00', which holds half a character"),
    ((*RELATION, "name"), "country", "$: the name 'country' occurs twice"),
    ((*RELATION, "items"), [], "$.relations[0].items: is empty"),
    ((*RELATION, "items", 0, "id"), "Q142", "$.relations[0]: the id 'Q142' occurs twice"),
    ((*RELATION, "pairs"), GONE, "$.relations[0].pairs: is missing"),
    ((*RELATION, "pairs"), [], "$.relations[0].pairs: is empty"),
    ((*RELATION, "pairs", 0), ["Q90", "Q142"], "$.relations[0].pairs[0]: must be an object"),
    ((*RELATION, "pairs", 0, "of"), GONE, "$.relations[0].pairs[0].of: is missing"),
    (
        (*RELATION, "pairs", 0, "of"),
        "Q1",
        "$.relations[0]: 'Q1' in pairs[0] is not among its items",
    ),
    (
        (*RELATION, "pairs", 1, "item"),
        "Q2",
        "$.relations[0]: 'Q2' in pairs[1] is not among its items",
    ),
]


@pytest.mark.parametrize(("place", "value", "expected"), WRONG, ids=[f"{w[2][:60]}" for w in WRONG])
def test_what_is_wrong_in_the_file_is_named_with_its_place(tmp_path, place, value, expected):
    data = content()
    *way, last = place
    parent = data
    for step in way:
        parent = parent[step]
    if value is GONE:
        del parent[last]
    else:
        parent[last] = copy.deepcopy(value)
    assert complaint(tmp_path, data).startswith(expected)


def test_neither_categories_nor_relations(tmp_path):
    assert complaint(tmp_path, content() | {"categories": [], "relations": []}) == f"$: {BOTH}"


@pytest.mark.parametrize("value", [[], [content()], "testset", 1, None, True])
def test_no_object_at_the_top(tmp_path, value):
    assert complaint(tmp_path, value).startswith('$.format: must be "testset"')


RAW = {
    "empty": (b"", "the file is empty; fetch or write it again"),
    "no text": (
        b"\xef\xbb\xbf",
        "not JSON: Expecting value: line 1 column 1 (char 0); is the file complete?",
    ),
    "vectors": (b"2 2\nrex 1 2\n", "not JSON: Extra data: line 1 column 3"),
    "cut off": (GOLDEN.read_bytes()[:-40], "not JSON: "),
    "cut off in a word": (GOLDEN.read_bytes().partition("Фран".encode())[0], "not JSON: "),
    "cut off in a letter": (GOLDEN.read_bytes().partition("ранция".encode())[0][:-1], "not UTF-8 at byte "),
    "not UTF-8": (b'{"format": "Alm\xe1si"}', "not UTF-8 at byte 15; a test set is JSON in UTF-8"),
    "UTF-16": ("{}".encode("utf-16"), "not UTF-8 at byte 0"),
    "NUL": (b"\x00" * 10, "not JSON: "),
    "NaN": (b'{"format": "testset", "version": NaN}', "not JSON that can be used: NaN is not a JSON value"),
    "infinity": (b'{"x": [-Infinity]}', "not JSON that can be used: -Infinity is not a JSON value"),
    "a key twice": (
        b'{"categories": [], "categories": []}',
        "not JSON that can be used: the key 'categories' occurs twice in one object",
    ),
    "deep nesting": (b'{"x": ' + b"[" * 100_000, "not a test set: its JSON is nested too deeply"),
    "deep nesting, closed": (
        b"[" * 100_000 + b"]" * 100_000,
        "not a test set: its JSON is nested too deeply",
    ),
    "a huge number": (
        b'{"format": "testset", "version": ' + b"9" * 5000 + b"}",
        "not JSON that can be used: a number of 5000 digits",
    ),
    "a large number": (b'{"format": "testset", "version": 1234567890}', "$.version: is 1234567890, and this"),
}


@pytest.mark.parametrize("kind", RAW)
def test_what_is_no_json_or_cannot_be_used(tmp_path, kind):
    data, expected = RAW[kind]
    assert complaint(tmp_path, data).startswith(expected)


def test_a_large_number_in_a_key_of_the_future_is_nobodys_business(tmp_path):
    path = tmp_path / "la.json"
    path.write_text(json.dumps(content() | {"made": 10**17, "share": 1e300}))
    assert len(read_testset(path).categories) == 2


def test_parts_of_one_name_are_refused_in_memory_too():
    part = Category("c", "c", (Item("Q1", ("rex",)),))
    relation = Relation("c", "c", (Item("Q1", ("rex",)),), (Pair("Q1", "Q1"),))
    for categories, relations in (((part, part), ()), ((part,), (relation,))):
        with pytest.raises(TestSetError, match=r"'c'.*twice"):
            TestSet("la", "by hand", "0" * 64, categories, relations)
