"""A small dump, and snapshots created from it."""

from __future__ import annotations

import bz2
import gzip

import zstandard

import testgen
from testgen.snapshots.dumps.creation import create_from_dumps
from tests.servers.entities import small_entities
from tests.testgen.snapshots.dumps.dump_files import json_dump

ENTITIES = [each for each in small_entities().values() if "redirect" not in each]
JSON = json_dump(ENTITIES)
QUERIES = testgen.choose(["country", "country-official-language", "noun-plural"])
COMPRESS = {
    "json": bytes,
    "json.gz": gzip.compress,
    "json.bz2": bz2.compress,
    "json.zst": zstandard.compress,
}


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def create(folder, *dumps, output="s.ttl", **options):
    """The report on a snapshot, which is created by this process unless `workers` is given."""
    return create_from_dumps(folder / output, QUERIES, dumps, **{"workers": 1, **options})
