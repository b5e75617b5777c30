"""Data sets for the Hugging Face hub."""

from __future__ import annotations

import hashlib
import json
import re
from typing import get_args

import polars as pl
import pytest
import yaml

from testgen.errors import OutputError, TestSetError
from testgen.exports.huggingface import export_huggingface
from testgen.exports.lm_eval import export_lm_eval
from testgen.labels.word_store import Origin
from testgen.sources.shipped import unicode_notice
from testgen.system import locked
from tests.testgen.exports.made import WIKIDATA, content, section, written

TASK = {"odd_one_out.jsonl", "odd_one_out.py", "odd_one_out.yaml"}


def names(folder):
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def paths(tmp_path):
    top = section("bird", ["aquila", "corvus,corax"], level=0)
    within = section("bird/Q1", ["corvus"], level=1, within="bird", **{"class": "Q1"})
    pairs = section("nest", ["aquila", "nidus"], pairs=[{"item": "Qnest-nidus", "of": "Qnest-aquila"}])
    latin = content("la", [top, within], [pairs])
    norse = content("non", [section("bird", ["örn"], named_in="is")])
    return written(tmp_path, latin, norse)


@pytest.fixture
def folder(paths, tmp_path):
    counts = export_huggingface(paths, tmp_path / "words")
    assert counts.to_dict("records") == [
        {"language": "la", "categories": 1, "words": 3, "relations": 1, "pairs": 1},
        {"language": "non", "categories": 1, "words": 1, "relations": 0, "pairs": 0},
    ]
    return tmp_path / "words"


def test_related_words_are_a_table_with_their_licence(tmp_path):
    source = {"kind": "snapshot", "name": "own keywords", "date": None, "sha256": "0", "license": "CC BY 4.0"}
    family = {"name": "keywords", "title": "Keywords of symbols", "source": source}
    family["items"] = [{"id": "🐕", "words": ["animal", "canis"], "from": "keyword"}]
    latin = content("la", [section("bird", ["aquila"])], groups=[family])
    paths = written(tmp_path, latin, content("non", [section("bird", ["örn"])]))
    counts = export_huggingface(paths, tmp_path / "words")
    assert counts["keywords"].to_list() == [2, 0]
    assert pl.read_parquet(tmp_path / "words" / "groups.parquet").rows() == [
        ("la", "keywords", "Keywords of symbols", "🐕", ["animal", "canis"])
    ]
    card = (tmp_path / "words" / "README.md").read_text(encoding="utf-8")
    assert "- own keywords (SHA-256 0)" in card
    assert "| la | Latin | 1 | 1 | 0 | 0 | 2 |" in card
    assert "CC BY 4.0" in (tmp_path / "words" / "LICENSE").read_text(encoding="utf-8")


def test_language_is_a_column(folder):
    found = pl.read_parquet(folder / "categories.parquet")
    assert found.select("language", "named_in", "name", "item", "words", "origin").rows() == [
        ("la", "la", "bird", "Qbird-aquila", ["aquila"], "label"),
        ("la", "la", "bird", "Qbird-corvus,corax", ["corvus", "corax"], "label"),
        ("non", "is", "bird", "Qbird-örn", ["örn"], "label"),
    ]
    levels = pl.read_parquet(folder / "levels.parquet")
    assert levels.select("language", "level", "within", "class", "words").rows() == [
        ("la", 1, "bird", "Q1", ["corvus"])
    ]
    relations = pl.read_parquet(folder / "relations.parquet")
    assert relations.select("name", "item_words", "of_words").rows() == [("nest", ["nidus"], ["aquila"])]
    queries = pl.read_parquet(folder / "queries.parquet").select("kind", "name")
    assert queries.rows() == [("category", "bird"), ("category", "bird/Q1"), ("relation", "nest")]


def test_the_card_lists_all_origins_of_words(folder):
    listed = (folder / "README.md").read_text(encoding="utf-8").partition("first word is from: ")[2]
    assert set(re.findall(r"`(\w+)`", listed.partition(" (")[0])) == {*get_args(Origin)}


def test_croissant_describes_the_files(folder):
    described = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    for file in described["distribution"]:
        digest = hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest()
        assert file["sha256"] == digest
    for records in described["recordSet"]:
        columns = pl.read_parquet(folder / f"{records['name']}.parquet").schema
        assert {
            each["source"]["extract"]["column"]: (each.get("isArray"), each.get("arrayShape"))
            for each in records["field"]
        } == {
            name: (True, "-1") if kind == pl.List(pl.String) else (None, None)
            for name, kind in columns.items()
        }
    used = {key for records in described["recordSet"] for each in records["field"] for key in each}
    assert {key for key in used if not key.startswith("@")} <= described["@context"].keys()
    assert "url" not in described


def test_croissant_names_licences_that_are_known(tmp_path):
    stated = {
        "a": "CC BY 4.0",
        "b": "https://creativecommons.org/licenses/by-sa/4.0/",
        "c": unicode_notice(),
        "d": None,
        "e": "https://example.org/licence",
        "f": "wordnet (English)",
        "g": "no licence stated",
    }
    parts = [
        {"kind": "snapshot", "name": name, "date": None, "license": text} for name, text in stated.items()
    ]
    several = {"kind": "combined", "name": "several", "date": None, "sources": parts}
    found = []
    for number, source in enumerate((several, parts[3], WIKIDATA)):
        paths = written(tmp_path / str(number), content("la", [section("bird", ["a"])], source=source))
        export_huggingface(paths, tmp_path / f"{number}-words")
        text = (tmp_path / f"{number}-words" / "croissant.json").read_text(encoding="utf-8")
        found.append(json.loads(text).get("license"))
    spdx = "https://spdx.org/licenses"
    assert found == [
        [
            *(f"{spdx}/{name}.html" for name in ("CC-BY-4.0", "CC-BY-SA-4.0", "Unicode-3.0")),
            "https://example.org/licence",
            {"@type": "sc:CreativeWork", "name": "wordnet (English)"},
        ],
        None,
        [f"{spdx}/CC0-1.0.html"],
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its own libraries
def test_mlcroissant_accepts_the_metadata_and_reads_the_files(folder, monkeypatch, caplog):
    mlcroissant = pytest.importorskip("mlcroissant")
    monkeypatch.chdir(folder)
    found = mlcroissant.Dataset("croissant.json")
    assert found.metadata.issues.errors == set()
    assert "@context" not in caplog.text
    first = next(iter(found.records("categories")))
    assert first["categories/words"] == [b"aquila"]


def test_datasets_opens_the_folder(folder, tmp_path):
    datasets = pytest.importorskip("datasets")
    opened = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert opened["test"]["language"] == ["la", "la", "non"]
    relations = datasets.load_dataset(
        str(folder), "relations", split="test", cache_dir=str(tmp_path / "cache")
    )
    assert relations[0]["of_words"] == ["aquila"]


def test_the_same_files_give_the_same_bytes(folder, paths, tmp_path):
    export_huggingface(reversed(paths), tmp_path / "again" / "words")
    for path in folder.iterdir():
        assert (tmp_path / "again" / "words" / path.name).read_bytes() == path.read_bytes(), path.name


def test_files_of_others_are_not_overwritten(folder, paths, tmp_path):
    export_huggingface(paths[:1], folder)  # its own card is there
    assert pl.read_parquet(folder / "categories.parquet")["language"].unique().to_list() == ["la"]
    (folder / "README.md").write_text("# Mine\n", encoding="utf-8")
    with pytest.raises(OutputError, match=r"README\.md: .*did not write it"):
        export_huggingface(paths, folder)
    assert (folder / "README.md").read_text(encoding="utf-8") == "# Mine\n"
    export_huggingface(paths, folder, force=True)
    assert (folder / "README.md").read_text(encoding="utf-8").startswith("---\n")
    with locked(folder), pytest.raises(OutputError, match="another process"):
        export_lm_eval(paths, folder)
    with pytest.raises(OutputError, match="name the folder"):
        export_huggingface(paths, paths[0])
    paths[1].write_text("{}", encoding="utf-8")
    with pytest.raises(TestSetError, match=r"non\.json: "):
        export_huggingface(paths, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_files_of_an_earlier_export_go_and_all_others_stay(folder, paths, tmp_path):
    assert (folder / "relations.parquet").exists()
    (folder / "levels.parquet").write_bytes(b"of somebody else")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    frame = export_huggingface(paths[1:], folder)
    assert frame.attrs["deleted"] == ["relations.parquet"]
    assert names(folder) == {
        *("README.md", "categories.parquet", "croissant.json", "queries.parquet"),
        *("levels.parquet", "notes.txt"),
    }
    words = [f"w{number},v{number}" for number in range(9)]
    test_set = content("la", [section(name, [f"{name}{each}" for each in words]) for name in ("a", "b")])
    frame = export_lm_eval(written(tmp_path / "more", test_set), folder, minimum=1)
    assert frame.attrs["deleted"] == ["categories.parquet", "croissant.json", "queries.parquet"]
    assert names(folder) == {"README.md", *TASK, "levels.parquet", "notes.txt"}
    assert export_huggingface(paths, folder, force=True).attrs["deleted"] == sorted(TASK)


def test_only_the_card_of_an_export_says_what_is_deleted(folder, paths, tmp_path):
    beside = tmp_path / "beside.txt"
    beside.write_text("mine", encoding="utf-8")
    mine = hashlib.sha256(b"mine").hexdigest()
    card = (folder / "README.md").read_text(encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    (folder / "README.md").write_text(
        card.replace("\npretty_name", f"\n# ../beside.txt sha256:{mine}\npretty_name")
        + f"\n---\n# notes.txt sha256:{mine}\n",
        encoding="utf-8",
    )
    assert export_huggingface(paths, folder).attrs["deleted"] == []
    assert beside.exists()
    assert (folder / "notes.txt").exists()


def _beside(repo_id, filename, **_):
    """What the hub would send."""
    return f"{repo_id}/{filename}"


@pytest.fixture
def questions(tmp_path):
    """A data set with questions: words of two categories of one topic, of the same length and fame."""
    lists = [section(name, [f"{name}{number}" for number in range(9)]) for name in ("ab", "cd")]
    export_huggingface(written(tmp_path / "sets", content("la", lists)), tmp_path / "data" / "words")
    return tmp_path / "data" / "words"


def test_questions_for_language_models(questions):
    odd = pl.read_parquet(questions / "odd_one_out.parquet").to_dicts()
    near = pl.read_parquet(questions / "neighbours.parquet").to_dicts()
    assert len(odd) == len(near) == 18
    for row in odd:
        assert row["question"] == "Which of these words does not belong with the others?"
        others = [each for place, each in enumerate(row["options"]) if place != row["answer"]]
        assert {each[:2] for each in others} == {row["category"]} != {row["options"][row["answer"]][:2]}
    for row in near:
        asked = row["question"].removeprefix("Which of these words is nearest in meaning to: ").rstrip("?")
        same = [each for each in row["options"] if each[:2] == asked[:2] == row["category"]]
        assert same == [row["options"][row["answer"]]] != [asked]
    assert {row["answer"] for row in near} == {row["answer"] for row in odd} == {0, 1, 2, 3}
    tasks = yaml.safe_load((questions / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert [each["id"] for each in tasks] == ["odd_one_out", "neighbours"]


def test_without_questions_there_is_no_evaluation(folder):
    assert names(folder).isdisjoint({"eval.yaml", "odd_one_out.parquet", "neighbours.parquet"})


@pytest.mark.filterwarnings("ignore")  # of its own libraries
def test_inspect_makes_the_tasks_and_asks_a_model(questions, monkeypatch):
    inspect_ai = pytest.importorskip("inspect_ai")
    import huggingface_hub
    import tiktoken
    from inspect_ai._eval.task.hf import task_create_from_hf
    from inspect_ai.model import ModelOutput, get_model

    class Words:
        @staticmethod
        def encode(text, **_):
            return text.split()

    monkeypatch.chdir(questions.parents[1])
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", _beside)
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: Words)  # which would be fetched
    tasks = task_create_from_hf("hf/data/words")
    answers = [ModelOutput.from_content("mockllm/model", "ANSWER: B")] * 36
    logs = inspect_ai.eval(tasks, get_model("mockllm/model", custom_outputs=answers), display="none")
    for name, log in zip(("odd_one_out", "neighbours"), logs, strict=True):
        expected = (pl.read_parquet(questions / f"{name}.parquet")["answer"] == 1).mean()
        assert (log.status, log.results.scores[0].metrics["accuracy"].value) == ("success", expected)
        known = log.samples[0].metadata
        assert list(known) == ["language", "named_in", "category", "topic", "word"]
        assert (known["named_in"], known["category"]) == ("la", "ab")


def test_metadata_can_be_read_by_people_too(folder, questions):
    for path in (folder / "croissant.json", questions / "eval.yaml"):
        text = path.read_text(encoding="utf-8")
        assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
