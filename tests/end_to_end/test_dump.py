"""From dumps to test sets: real entities, the command line, and the same answers as other sources."""

from __future__ import annotations

import gzip
import json

import pytest

import testgen
from testgen.snapshots.dumps.creation import create_from_dumps
from testgen.sources import Snapshot
from testgen.sources.base import gather_names
from tests.servers.entities import small_entities
from tests.servers.rdf import store_from_entities
from tests.testgen.snapshots.dumps.dump_files import json_dump, triples_dump


def names_of(entity):
    """The names by the rules of the entity API; RDF does not say which code a label had."""
    labels, aliases = dict(entity["labels"]), dict(entity["aliases"])
    return gather_names(
        entity["id"],
        {code: [each["value"]] for code, each in labels.items()},
        {code: [each["value"] for each in of_code] for code, of_code in aliases.items()},
    )


def test_from_a_dump_to_test_sets(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entities = [each for each in small_entities().values() if "redirect" not in each]
    (tmp_path / "whole.nt").write_bytes(triples_dump(store_from_entities(entities)))
    (tmp_path / "dump.json.gz").write_bytes(gzip.compress(json_dump(entities)))
    names = [option for name in ("country", "country-official-language") for option in ("-c", name)]
    code, _, err = command("snapshot", "create", "--dump", "dump.json.gz", *names, "-o", "s.ttl.gz")
    assert code == 0, err
    assert "entities in " in err
    for source, output in (("s.ttl.gz", "from-dump"), ("whole.nt", "from-all")):
        options = ("--all-languages", "--minimum-words", "1", "--output", output)
        _, _, err = command("generate", "--source", source, *names, *options)
        assert "left out country-official-language: it has too few items" in err
    found, expected = ([*sorted((tmp_path / name).iterdir())] for name in ("from-dump", "from-all"))
    assert [path.name for path in found] == [path.name for path in expected]
    assert len(found) > 5
    for one, other in zip(found, expected, strict=True):
        sets = [json.loads(path.read_text(encoding="utf-8")) for path in (one, other)]
        assert [each.pop("source")["kind"] for each in sets] == ["snapshot", "snapshot"]
        assert sets[0] == sets[1]


def test_what_the_command_line_says(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dump.json").write_bytes(json_dump(small_entities().values()).replace(b"[\n", b"[\nx,\n"))
    create = ("snapshot", "create", "--dump", "dump.json", "-o", "s.ttl.gz")
    code, _, err = command(*create, "-c", "country", "-c", "adverb-x")
    assert (code, "unknown category" in err) == (2, True)
    code, _, err = command(*create, "-c", "country", "--source", "shipped")
    assert (code, "--dump cannot be combined with --source" in err) == (2, True)
    code, _, err = command(*create, "-c", "country", "-c", "numeral")
    assert code == 1, err  # something is missing
    assert "dump.json, line 2, byte 2: it does not begin and end with a brace" in err
    assert "no answer to numeral: lexemes are in a separate dump" in err


@pytest.mark.slow
def test_real_entities_in_json(shared_data, tmp_path):
    path = shared_data / "wikidata" / "entities.json.gz"
    with gzip.open(path) as file:
        entities = [json.loads(line.rstrip().rstrip(b",")) for line in file if line.startswith(b"{")]
    store = store_from_entities(entities, unknown_values=True)
    (tmp_path / "whole.nt").write_bytes(triples_dump(store))
    queries, whole = testgen.choose(worded=False), Snapshot(tmp_path / "whole.nt")
    report = create_from_dumps(tmp_path / "s.ttl.gz", queries, [path], workers=1)
    assert (report.entities, report.broken_count, report.failed) == (1403, 0, [])
    made = Snapshot(tmp_path / "s.ttl.gz")
    assert sum(bool(whole.answer(query).rows) for query in queries) > 40
    for query in queries:
        assert made.answer(query) == whole.answer(query), query.name
    known = {each["id"]: names_of(each) for each in entities}
    for names in made.names(made.named_items()):
        assert names == known[names.item]
