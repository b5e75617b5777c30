"""Small test set files, with the keys that testgen writes."""

from __future__ import annotations

import json

from testgen.labels import LabelPolicy
from testgen.testset.writing import parse_test_set

WIKIDATA = {"kind": "wikidata", "name": "Wikidata", "date": None, "retrieved": "2026-11-01T00:00:00Z"}


def section(name, words, topic="nature", **more):
    """A category whose items have their words in their ids; the words of an item have commas between."""
    items = [{"id": f"Q{name}-{each}", "words": each.split(","), "from": "label"} for each in words]
    known = {"name": name, "title": name.title(), "topic": topic, "query": f"SELECT {name}", "sha256": "0"}
    return {**known, **more, "items": items}


def content(language, categories, relations=(), source=WIKIDATA, **more):
    """The value of a test set file."""
    head = {"format": "testset", "version": 2, "language": language, "generator": "testgen 0.1.0"}
    return {
        **head,
        **more,
        "source": source,
        "policy": LabelPolicy().as_dict(),
        "categories": list(categories),
        "relations": list(relations),
    }


def parsed(*arguments, **options):
    """A test set as it is read from its file."""
    return parse_test_set(json.dumps(content(*arguments, **options)))


def written(folder, *contents):
    """The paths of test set files with these contents."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{each['language']}.json" for each in contents]
    for path, each in zip(paths, contents, strict=True):
        path.write_text(json.dumps(each), encoding="utf-8")
    return paths
