"""Questions for EuroEval: splits, answers, files, and EuroEval itself."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import runpy
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml

from testgen.errors import OutputError, TestSetError
from testgen.exports.euroeval import export_euroeval
from tests.testgen.exports.made import content, section, written

RANDOM = random.Random(11)
WORDS = ["".join(RANDOM.choices("abcdefghij", k=6)) for _ in range(240)]
SPLITS = ("train", "val", "test", "private")


def asked(folder, language="la", k=3):
    """The lines of each split: the words of a question, the odd one, and the category of the others."""
    found = {}
    for split in SPLITS:
        with (folder / f"{language}-{k}-{split}.csv").open(encoding="utf-8", newline="") as file:
            found[split] = [one(row) for row in csv.DictReader(file)]
    return found


def one(row):
    question, heading, *choices = row["text"].split("\n")
    assert (question, heading) == ("Which of these words does not belong with the others?", "Choices:")
    letters, words = zip(*(choice.split(". ", 1) for choice in choices), strict=True)
    assert letters == tuple("abcdefghij"[: len(words)])
    return words, words[letters.index(row["label"])], row["category"]


@pytest.fixture
def paths(tmp_path):
    categories = [section("bird", WORDS[:120]), section("fish", WORDS[120:])]
    return written(
        tmp_path,
        content("la", categories),
        content("got", categories),
        content("eo", [section("bird", ["a", "b"])]),
    )


@pytest.mark.parametrize(("seed", "k"), [(0, 3), (1, 2), (2026, 5)])
def test_one_word_is_odd_and_splits_share_none(paths, tmp_path, seed, k):
    frame = export_euroeval(paths, tmp_path / "odd", k=[k], minimum=10, seed=seed)
    birds, seen = set(WORDS[:120]), Counter()
    splits = asked(tmp_path / "odd", k=k)
    for split, questions in splits.items():
        for words, odd, category in questions:
            own = {word for word in words if (word in birds) == (category == "bird")}
            assert (len(set(words)), len(own)) == (k + 1, k)
            assert {odd} == set(words) - own
        seen.update({word for words, _, _ in questions for word in words})
        answers = Counter(words.index(odd) for words, odd, _ in questions).values()
        assert len(answers) == k + 1
        assert max(answers) - min(answers) <= 1
        assert frame.set_index("language").loc["la", split] == len(questions)
    assert set(seen.values()) == {1}
    assert frame.attrs["left_out"] == ["eo"]


def test_an_item_is_in_the_same_split_in_all_languages(paths, tmp_path):
    export_euroeval(paths, tmp_path / "odd", minimum=10)
    first, second = (asked(tmp_path / "odd", language) for language in ("la", "got"))
    for split in SPLITS:
        others = {word for each in SPLITS if each != split for words, _, _ in first[each] for word in words}
        assert not others & {word for words, _, _ in second[split] for word in words}


def test_a_word_that_items_of_two_splits_have_is_in_none(tmp_path):
    birds = section(
        "bird", [f"{word},common" if number < 60 else word for number, word in enumerate(WORDS[:120])]
    )
    for item in birds["items"]:
        item["words"] = item["words"][::-1]  # the common word is the first of half of the items
    export_euroeval(
        written(tmp_path, content("la", [birds, section("fish", WORDS[120:])])), tmp_path / "odd", minimum=5
    )
    words = {word for questions in asked(tmp_path / "odd").values() for each in questions for word in each[0]}
    assert words & set(WORDS[60:120])
    assert not words & {"common", *WORDS[:60]}


def test_words_of_another_language_are_not_asked(tmp_path):
    own = [section("bird", WORDS[:60]), section("fish", WORDS[60:120])]
    lent = [section("tree", WORDS[120:180], named_in="is"), section("herb", WORDS[180:], named_in="is")]
    export_euroeval(written(tmp_path, content("non", [*own, *lent])), tmp_path / "odd", minimum=5)
    categories = {each[2] for questions in asked(tmp_path / "odd", "non").values() for each in questions}
    assert categories == {"bird", "fish"}


def test_a_seed_gives_the_same_bytes_and_is_not_told(paths, tmp_path):
    secret = 8_675_309_123

    def files(name, seed):
        export_euroeval(paths, tmp_path / name, minimum=10, seed=seed)
        return {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}

    first = files("a", secret)
    assert first == files("b", secret)
    assert files("c", secret + 1)["la-3-test.csv"] != first["la-3-test.csv"]
    assert not any(str(secret).encode() in each for each in first.values())


def test_the_card_names_what_is_private_and_lists_the_rest(paths, tmp_path):
    export_euroeval(paths, tmp_path / "odd", minimum=10)
    card = (tmp_path / "odd" / "README.md").read_text(encoding="utf-8")
    assert "**Do not publish `got-3-private.csv`, `la-3-private.csv`.**" in card
    assert (tmp_path / "odd" / ".gitignore").read_text(encoding="utf-8") == "*-private.csv\n"
    first, second = yaml.safe_load(card.split("---\n")[1])["configs"]
    assert (first["config_name"], second["config_name"]) == ("got-3", "la-3")
    assert second["data_files"] == [{"split": each, "path": f"la-3-{each}.csv"} for each in SPLITS[:3]]
    digest = hashlib.sha256(paths[0].read_bytes()).hexdigest()
    assert f"- `la.json`: {digest}\n" in card


def test_private_questions_of_an_earlier_export_are_replaced_only_by_force(paths, tmp_path):
    latin, gothic, _ = paths
    export_euroeval(latin, tmp_path / "odd", minimum=10)
    export_euroeval(latin, tmp_path / "odd", minimum=10)  # the same again
    before = {path.name: path.read_bytes() for path in (tmp_path / "odd").iterdir()}
    for path, seed in ((gothic, 0), (latin, 1)):
        with pytest.raises(OutputError, match=r"would be lost: la-3-private\.csv\."):
            export_euroeval(path, tmp_path / "odd", minimum=10, seed=seed)
        assert before == {path.name: path.read_bytes() for path in (tmp_path / "odd").iterdir()}
    frame = export_euroeval(gothic, tmp_path / "odd", minimum=10, force=True)
    assert "la-3-private.csv" in frame.attrs["deleted"]


def test_too_few_questions_and_too_many_words(paths, tmp_path):
    with pytest.raises(TestSetError, match="no language has 500 questions in the splits test and private"):
        export_euroeval(paths, tmp_path / "odd", minimum=500)
    with pytest.raises(TestSetError, match="k is 25 at most"):
        export_euroeval(paths, tmp_path / "odd", k=[26])


def test_the_configuration_is_as_euroeval_documents_it(paths, tmp_path, monkeypatch):
    """With stand-ins for what it imports from EuroEval: `DatasetConfig` takes these arguments."""
    known, english = SimpleNamespace(code="la"), SimpleNamespace(code="en")
    stand_in, of_languages = ModuleType("euroeval"), ModuleType("euroeval.languages")
    stand_in.MULTIPLE_CHOICE, stand_in.DatasetConfig = "task", lambda **given: given
    of_languages.ENGLISH, of_languages.Language = english, lambda code, name: (code, name)
    of_languages.get_all_languages = lambda: {"la": known, "en": english}
    monkeypatch.setitem(sys.modules, "euroeval", stand_in)
    monkeypatch.setitem(sys.modules, "euroeval.languages", of_languages)
    english_set = content("en", json.loads(paths[0].read_text(encoding="utf-8"))["categories"])
    export_euroeval([*paths, *written(tmp_path, english_set)], tmp_path / "odd", minimum=10)
    made = runpy.run_path(str(tmp_path / "odd" / "custom_datasets.py"))
    assert made["LA_3"] == {
        "name": "odd-one-out-la-3",
        "pretty_name": "Odd one out of 4 words, Latin",
        "source": {each: str(tmp_path / "odd" / f"la-3-{each}.csv") for each in SPLITS[:3]},
        "task": "task",
        "languages": [known, english],
        "_labels": ["a", "b", "c", "d"],
        "unofficial": True,
    }
    assert made["LA_3_PRIVATE"]["name"] == "odd-one-out-la-3-private"
    assert made["LA_3_PRIVATE"]["source"]["test"].endswith("la-3-private.csv")
    assert made["GOT_3"]["languages"] == [("got", "Gothic"), english]
    assert made["EN_3"]["languages"] == [english]


@pytest.mark.slow
def test_euroeval_reads_the_files_and_asks_the_questions(paths, tmp_path):
    pytest.importorskip(
        "euroeval", reason="EuroEval needs torch, and is not among the libraries for development"
    )
    from euroeval.benchmark_config_factory import prepare_dataset_configs, prepare_languages
    from euroeval.data_loading import load_raw_data
    from euroeval.enums import GenerativeType
    from euroeval.generation_utils import apply_prompt, extract_few_shot_examples

    export_euroeval(paths, tmp_path / "odd", minimum=10)
    every = prepare_languages(None, ["all"])
    for name, language in (("odd-one-out-la-3", "la"), ("odd-one-out-got-3-private", "got")):
        (config,) = prepare_dataset_configs(None, every, name, Path(tmp_path / "odd" / "custom_datasets.py"))
        data, splits = load_raw_data(config, str(tmp_path / "cache")), asked(tmp_path / "odd", language)
        assert [each.num_rows for each in data.values()] == [
            len(splits[Path(path).stem.split("-")[-1]]) for path in config.source.values()
        ]
        shown = extract_few_shot_examples(data, config, SimpleNamespace(few_shot=True), 0)
        assert len(shown) == 5
        kind = GenerativeType.INSTRUCTION_TUNED
        made = apply_prompt(data["test"][:1], shown, None, config, kind, False, None)
        (prompt,) = made["prompt"]
        assert prompt.startswith(
            "Question: Which of these words does not belong with the others? Choices: a. "
        )
        assert prompt.endswith("replying with 'a', 'b', 'c' or 'd', and nothing else.")
