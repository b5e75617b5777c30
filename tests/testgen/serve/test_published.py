"""Published vectors on the page of a language: those of the list of tools/reference.py."""

from __future__ import annotations

from testgen.serve.published import TABLE, published_vectors
from tools.build_published import table
from tools.reference import models


def test_the_table_is_that_of_the_list():
    assert TABLE.read_text(encoding="utf-8") == table()


def test_a_language_has_those_of_the_list():
    for code in ("la", "en", "gsw", "akk"):
        found = [name for each in published_vectors(code) for name in each.models.split(", ")]
        assert sorted(found) == sorted(each.name for each in models() if code in each.languages)


def test_a_variant_has_those_of_the_whole_language():
    assert published_vectors("sr-el") == published_vectors("sr") != []
    assert published_vectors("gmq-x-osw") == []
