"""Test sets of emoji from Unicode's emoji-test.txt."""

from __future__ import annotations

import hashlib
import json
import os

import jsonschema
import pytest

import testgen.generation.emoji
from testgen.errors import PolicyError, SourceError
from testgen.generation.emoji import EmojiPolicy, emoji_test_set, read_emoji_test
from testgen.testset.writing import serialize
from tests.conftest import REPOSITORY

SCHEMA = json.loads(
    (REPOSITORY / "testgen" / "testset" / "testset.v2.schema.json").read_text(encoding="utf-8")
)

TEXT = """\
# emoji-test.txt
# Date: 2020-01-21, 13:40:25 GMT
# Version: 13.0
#
# Format: code points; status # emoji name

# group: Smileys & Emotion

# subgroup: heart
2764 FE0F                                  ; fully-qualified     # ❤️ E0.6 red heart
2764                                       ; unqualified         # ❤ E0.6 red heart
1F49B                                      ; fully-qualified     # 💛 E0.6 yellow heart
1F49A                                      ; fully-qualified     # 💚 E0.6 green heart

# subgroup: face
1F600                                      ; fully-qualified     # 😀 E1.0 grinning face

# group: People & Body

# subgroup: person-role
1F9D1 200D 2695 FE0F                       ; fully-qualified     # 🧑‍⚕️ E12.1 health worker
1F9D1 200D 2695                            ; minimally-qualified # 🧑‍⚕ E12.1 health worker
1F9D1 1F3FB 200D 2695 FE0F                 ; fully-qualified     # 🧑🏻‍⚕️ E12.1 health worker: light skin tone
1F477                                      ; fully-qualified     # 👷 E0.6 construction worker
1F468 200D 1F9B0                           ; fully-qualified     # 👨‍🦰 E11.0 man: red hair

# group: Component

# subgroup: hair-style
1F9B0                                      ; component           # 🦰 E11.0 red hair
1F9B1                                      ; component           # 🦱 E11.0 curly hair
1F9B2                                      ; component           # 🦲 E11.0 bald

#EOF
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "emoji-test.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def words(test_set):
    return {category.name: category.words_by_id for category in test_set.categories}


def test_a_category_per_subgroup(file):
    found = emoji_test_set(file)
    assert words(found) == {
        "heart": {"U+2764-FE0F": ("❤",), "U+1F49A": ("💚",), "U+1F49B": ("💛",)},
        "person-role": {
            "U+1F468-200D-1F9B0": ("👨\u200d🦰",),
            "U+1F477": ("👷",),
            "U+1F9D1-200D-2695-FE0F": ("🧑\u200d⚕",),
        },
    }
    topics = {category.name: category.topic for category in found.categories}
    assert topics == {"heart": "Smileys & Emotion", "person-role": "People & Body"}


def test_a_category_per_group(file):
    found = emoji_test_set(file, by="group")
    assert [(each.name, each.title, each.size) for each in found.categories] == [
        ("people-body", "People & Body", 3),
        ("smileys-emotion", "Smileys & Emotion", 4),
    ]


def test_selectors_and_skin_tones_can_be_kept(file):
    policy = EmojiPolicy(variation_selectors="keep", skin_tones="keep")
    found = words(emoji_test_set(file, policy=policy))
    assert found["heart"]["U+2764-FE0F"] == ("❤\ufe0f",)
    assert found["person-role"]["U+1F9D1-1F3FB-200D-2695-FE0F"] == ("🧑🏻\u200d⚕\ufe0f",)
    assert len(found["person-role"]) == 4


def test_of_two_that_become_the_same_word_the_first_stays(file):
    lines = "263A FE0F ; fully-qualified # ☺️\n263A ; fully-qualified # ☺\n1F601 ; fully-qualified\n"
    file.write_text(TEXT.replace("# subgroup: face\n", f"# subgroup: face\n{lines}"), encoding="utf-8")
    assert words(emoji_test_set(file))["face"] == {
        "U+263A-FE0F": ("☺",),
        "U+1F600": ("😀",),
        "U+1F601": ("😁",),
    }
    kept = words(emoji_test_set(file, policy=EmojiPolicy(variation_selectors="keep")))["face"]
    assert set(kept) == {"U+263A", "U+263A-FE0F", "U+1F600", "U+1F601"}


@pytest.mark.parametrize("by", ["subgroup", "group"])
@pytest.mark.parametrize("choice", ["drop", "keep"])
def test_the_file_keeps_to_the_schema(file, tmp_path, by, choice, command):
    output = tmp_path / "new" / "emoji.json"
    policy = ["--minimum-words", 1, "--policy", f"variation-selectors={choice}"]
    policy += ["--policy", f"skin-tones={choice}"]
    assert command("emoji", "--emoji-test", file, "--output", output, "--by", by, *policy)[0] == 0
    content = json.loads(output.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    assert content["language"] == "und"
    assert content["source"] == {
        "kind": "unicode",
        "name": "emoji-test 13.0",
        "date": "2020-01-21",
        "sha256": hashlib.sha256(TEXT.encode()).hexdigest(),
    }
    said = {key: content["policy"][key] for key in ("variation_selectors", "skin_tones", "minimum_words")}
    assert said == {"variation_selectors": choice, "skin_tones": choice, "minimum_words": 1}
    for category in content["categories"]:
        assert category["sha256"] == hashlib.sha256(category["query"].encode()).hexdigest()
        assert f"skin tones: {choice}" in category["query"]


@pytest.mark.parametrize(
    ("item_id", "good"),
    [("Q142", True), ("L7-F2", True), ("U+1F600", True), ("U+1F468-200D-2695", True)]
    + [("omw:02084071-n", True), ("off:en:green-apple", True), ("off:ru:%D1", True)]
    + [(each, False) for each in ("omw:", "omw:a b", "http://x", ":x", "OMW:1", "x:1")]
    + [(each, False) for each in ("U+", "U+1f600", "U+1F600-", "U+1F600 200D", "1F600", "U+12", "XU+1F600")],
    ids=repr,
)
def test_which_ids_the_schema_allows(item_id, good):
    validator = jsonschema.Draft202012Validator(SCHEMA["$defs"]["Item"]["properties"]["id"])
    assert validator.is_valid(item_id) == good


def test_the_same_file_gives_the_same_bytes(file):
    unix = serialize(emoji_test_set(file))
    assert serialize(emoji_test_set(file)) == unix
    assert unix.endswith("}\n")
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert words(emoji_test_set(file)) == {
        each["name"]: {item["id"]: tuple(item["words"]) for item in each["items"]}
        for each in json.loads(unix)["categories"]
    }


def test_a_header_may_be_missing(file):
    file.write_text("\n".join(TEXT.splitlines()[5:]), encoding="utf-8")
    provenance, _ = read_emoji_test(file)
    assert (provenance.name, provenance.date) == ("emoji-test", None)
    jsonschema.validate(json.loads(serialize(emoji_test_set(file))), SCHEMA)


BAD = {
    "no emoji-test": (
        b"word 0.1 0.2\n",
        r"line 1: 'word 0\.1 0\.2' is not a line of an emoji-test\.txt.*Download",
    ),
    "empty": (b"", r"has no fully-qualified emoji"),
    "only comments": (b"# emoji-test.txt\n#EOF\n", r"has no fully-qualified emoji"),
    "no groups": (b"# Version: 3.0\n1F600 ; fully-qualified # x\n", r"line 2: there is no `# group:`"),
    "no subgroup": (
        b"# group: A\n# subgroup: a\n# group: B\n1F600 ; fully-qualified\n",
        r"line 4: there is no `# group:`",
    ),
    "latin-1": (TEXT.encode().replace("❤️".encode(), b"\xe9"), r"line 10: not UTF-8"),
    "utf-16": (TEXT.encode("utf-16"), r"line 1: not UTF-8"),
    "no status": (TEXT.encode() + b"1F600 # x\n", r"line 35: '1F600 # x' is not a line"),
    "unknown status": (TEXT.encode() + b"1F600 ; qualified # x\n", r"line 35: .* is not a line"),
    "no code point": (TEXT.encode() + b"1G600 ; fully-qualified # x\n", r"line 35: .* is not a line"),
    "half a character": (TEXT.encode() + b"D83D ; fully-qualified # x\n", r"line 35: .* is not a line"),
    "beyond Unicode": (TEXT.encode() + b"110000 ; fully-qualified # x\n", r"line 35: .* is not a line"),
    "subgroup twice": (
        TEXT.encode() + b"# group: Z\n# subgroup: heart\n1F9E1 ; fully-qualified # x\n",
        r"subgroup 'heart' is in two groups",
    ),
    "small": (TEXT.encode().split(b"# group: People")[0].replace(b"1F49B ", b"1F49A "), r"no subgroup has 3"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused(tmp_path, name):
    content, complaint = BAD[name]
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=complaint) as raised:
        emoji_test_set(path)
    assert str(raised.value).startswith(str(path))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match=r"nowhere\.txt: .*No such file"):
        emoji_test_set(tmp_path / "nowhere.txt")
    with pytest.raises(SourceError, match="Is a directory"):
        emoji_test_set(tmp_path)


def test_without_a_path_it_is_looked_for(file, tmp_path, monkeypatch):
    monkeypatch.setattr(testgen.generation.emoji, "INSTALLED", file)
    assert len(emoji_test_set().categories) == 2
    monkeypatch.setattr(testgen.generation.emoji, "INSTALLED", tmp_path / "nowhere.txt")
    with pytest.raises(SourceError, match=r"nowhere.*--emoji-test.*unicode-data"):
        emoji_test_set()


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"variation_selectors": "strip"}, "variation_selectors cannot be 'strip'; choose from drop, keep"),
        ({"skin_tones": ""}, "skin_tones cannot be ''"),
        ({"minimum_words": 0}, "minimum_words is 0"),
    ],
    ids=["selectors", "skin tones", "minimum"],
)
def test_bad_policies_are_refused(values, complaint):
    with pytest.raises(PolicyError, match=complaint):
        EmojiPolicy(**values)


def test_bad_grouping_is_refused(file):
    with pytest.raises(PolicyError, match=r"'colour'.*subgroup, group"):
        emoji_test_set(file, by="colour")


def test_output_that_cannot_be_written(file, tmp_path, command):
    for output, complaint in ((file / "emoji.json", "emoji-test.txt/emoji.json: cannot be written"),
                              (".", "cannot be written: it is a folder; name a file")):  # fmt: skip
        code, _, error = command("emoji", "--emoji-test", file, "--output", output)
        assert (code, complaint in error) == (2, True)
    if os.geteuid():
        tmp_path.chmod(0o500)
        _, _, error = command("emoji", "--emoji-test", file, "--output", tmp_path / "emoji.json")
        assert "Permission denied" in error


def test_a_bad_file_leaves_an_old_test_set_alone(file, tmp_path, command):
    output = tmp_path / "emoji.json"
    assert command("emoji", "--emoji-test", file, "--output", output)[0] == 0
    old = output.read_bytes()
    file.write_text("", encoding="utf-8")
    assert command("emoji", "--emoji-test", file, "--output", output)[0] == 2
    assert output.read_bytes() == old
    assert sorted(path.name for path in tmp_path.iterdir()) == ["emoji-test.txt", "emoji.json"]


def test_only_with_force_is_a_file_of_others_overwritten(file, tmp_path, command):
    before = file.read_bytes()
    code, _, error = command("emoji", "--emoji-test", file, "--output", file)
    assert (code, "emoji-test.txt: this file exists, and testgen did not write it" in error) == (2, True)
    assert file.read_bytes() == before
    (tmp_path / "notes.json").write_text("{}")
    asked = ["emoji", "--emoji-test", file, "--output", tmp_path / "notes.json"]
    assert [command(*asked, *more)[0] for more in ([], ["--force"], [])] == [2, 0, 0]


def test_command_line(file, tmp_path, command):
    output = tmp_path / "emoji.json"
    said = f"{output}: emoji-test 13.0 of 2020-01-21. Categories: 2. Emoji: 6.\n"
    assert command("emoji", "--emoji-test", file, "--output", output) == (0, said, "")
    asked = ("emoji", "--emoji-test", file, "-o", output, "--by", "group", "--minimum-words", "4")
    assert json.loads(command(*asked, "--json")[1]) == [
        {"name": "smileys-emotion", "topic": "emoji", "size": 4, "file": str(output)}
    ]
    code, _, err = command("emoji", "--emoji-test", tmp_path / "no.txt", "-o", tmp_path / "none.json")
    assert (code, err.startswith("testgen: ")) == (2, True)
    assert not (tmp_path / "none.json").exists()


def test_unicodes_own_file(shared_data):
    path = shared_data / "benchmarks" / "emoji" / "emoji-test-13.0.txt"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    assert len(read_emoji_test(path)[1]) == 3304
    every = emoji_test_set(path, policy=EmojiPolicy(minimum_words=1, skin_tones="keep"))
    assert sum(category.size for category in every.categories) == 3304
    jsonschema.validate(json.loads(serialize(every)), SCHEMA)
    found = emoji_test_set(path)
    assert found.source.name == "emoji-test 13.0"
    assert min(category.size for category in found.categories) >= 3
    assert {category.topic for category in found.categories} == {
        "Activities",
        "Animals & Nature",
        "Flags",
        "Food & Drink",
        "Objects",
        "People & Body",
        "Smileys & Emotion",
        "Symbols",
        "Travel & Places",
    }
