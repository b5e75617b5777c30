"""Values of Wikibase's JSON become objects of N-Triples."""

from __future__ import annotations

import pytest

from testgen.snapshots.dumps.values import object_of

VALUES = [
    ("time", {"time": "+1879-03-14T00:00:00Z", "precision": 11}, '"1879-03-14T00:00:00Z"'),
    ("time", {"time": "+1879-00-00T00:00:00Z", "precision": 9}, '"1879-01-01T00:00:00Z"'),
    ("time", {"time": "-0044-03-15T00:00:00Z", "precision": 9}, '"-0043-03-15T00:00:00Z"'),
    (
        "time",
        {
            "time": "+1582-10-04T00:00:00Z",
            "precision": 11,
            "calendarmodel": "http://www.wikidata.org/entity/Q1985786",
        },
        '"1582-10-14T00:00:00Z"',
    ),
    ("quantity", {"amount": "+12.50", "unit": "1"}, '"12.50"'),
    ("monolingualtext", {"text": 'a "b"\\\n', "language": "sr-ec"}, '"a \\"b\\"\\\\\\n"@sr-cyrl'),
    ("wikibase-entityid", {"entity-type": "item", "numeric-id": 5}, "<http://www.wikidata.org/entity/Q5>"),
    ("string", "x", '"x"'),
    ("of the future", {}, None),
]


@pytest.mark.parametrize(("kind", "value", "expected"), VALUES)
def test_values(kind, value, expected):
    found = object_of(kind, value, "")
    assert found is None if expected is None else found.partition("^^")[0] == expected
