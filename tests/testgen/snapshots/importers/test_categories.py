"""The table of categories: what it states is what the shipped queries ask for."""

from __future__ import annotations

import pytest

from testgen import choose, open_source, shipped_queries
from testgen.languages.registry import rows_of
from testgen.snapshots.importers.content import _FOLDER, Imported, categories, concepticon_items, write_import
from testgen.snapshots.importers.csvw import rows_of_table
from testgen.sources import RdfSource


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    """One made-up item in each category, and one that is in no category."""
    path = tmp_path_factory.mktemp("imported") / "all.ttl"
    source = path.with_name("words.txt")
    source.write_text("made up", encoding="utf-8")
    found = Imported("made up", "none", {source: None})
    for number, category in enumerate(categories().values()):
        found.members[category] = {f"mine:{number}"}
        found.add(f"mine:{number}", "la", [f"verbum{number}"])
    found.add("mine:9999", "la", ["aliud"])
    write_import(path, found)
    return RdfSource(path)


@pytest.mark.parametrize("name", categories())
def test_the_query_finds_the_items_of_its_category(snapshot, name):
    (query,) = choose([name])
    number = list(categories()).index(name)
    assert (f"mine:{number}",) in snapshot.answer(query).rows


@pytest.mark.parametrize("name", categories())
def test_a_category_has_the_items_of_those_within_it_and_no_others(snapshot, name):
    (query,) = choose([name])
    own = {
        f"mine:{number}"
        for number, each in enumerate(categories().values())
        if name in (each.name, each.within)
    }
    items = {item for (item,) in snapshot.answer(query).rows if item.startswith("mine:")}
    # Cheese is made of milk and herbs are plants in Wikidata too, but not by these statements.
    assert items == own


def test_the_english_label_of_an_item_is_the_gloss_of_its_concept():
    rows = {row["concept"]: row for row in rows_of(_FOLDER / "concepticon_items.tsv")}
    items = [row["item"] for row in rows.values()]
    labels = {names.item: names.labels["en"].lower() for names in open_source().names(items)}
    assert labels == {row["item"]: row["english"] for row in rows.values()}
    assert len(labels) == len(rows) == 232
    assert concepticon_items()["2009"] == "Q144"


def test_the_glosses_are_those_of_concepticon(shared_data):
    table = shared_data / "lexicons" / "concepticon" / "concepticon.tsv"
    glosses = {id_: gloss.lower() for id_, gloss in rows_of_table(table, ("ID", "GLOSS"), delimiter="\t")}
    rows = rows_of(_FOLDER / "concepticon_items.tsv")
    assert [row for row in rows if glosses[row["concept"]] != row["english"]] == []


def test_within_names_a_category_of_the_table():
    assert {each.within for each in categories().values() if each.within} <= categories().keys()
    assert categories().keys() <= shipped_queries().keys()


def test_an_item_without_a_category_is_not_written(snapshot):
    assert "mine:9999" not in snapshot.named_items()


def test_members_of_a_part_are_members_of_the_whole():
    """A word list has no hierarchy: what is a bird must be listed as an animal too."""
    for category in categories().values():
        whole = categories().get(category.within or "")
        if whole is not None:
            assert set(category.concepticon) <= set(whole.concepticon), category.name
