"""Several queries: what one failure costs, and what is said of several."""

from __future__ import annotations

import pytest

from testgen.errors import QueryFaultError, RefusedError, SourceError
from testgen.queries import class_query
from testgen.sources import Names
from testgen.sources.asking import names_of, one_error

BOTH = "2 queries failed; .*:\na\nb"


@pytest.mark.parametrize(
    ("errors", "kind", "message"),
    [
        ([SourceError("a")], SourceError, "a"),
        ([RefusedError("a"), RefusedError("a")], RefusedError, "a"),
        (
            [RefusedError("a"), RefusedError("b"), RefusedError("a")],
            RefusedError,
            "2 queries failed; .*:\na\nb",
        ),
        ([RefusedError("a"), QueryFaultError("b")], SourceError, "2 queries failed; .*:\na\nb"),
    ],
)
def test_several_errors_become_one(errors, kind, message):
    found = one_error(errors)
    assert type(found) is kind
    with pytest.raises(kind, match=f"^{message}$"):
        raise found


class Lacking:
    """A source without the names of some items."""

    def __init__(self, *lacking):
        self.lacking = set(lacking)

    def names(self, items, languages):
        if self.lacking & set(items):
            raise SourceError("lacking")
        return iter([Names(item, dict.fromkeys(languages, item), {}) for item in items])


@pytest.mark.parametrize(
    ("lacking", "named", "failed"),
    [
        ([], ["Q2", "Q10", "Q7", "Q9"], []),
        (["Q7"], ["Q2", "Q10", "Q9"], [1]),
        (["Q2"], ["Q7", "Q10", "Q9"], [0]),
        (["Q10"], ["Q9"], [0, 1]),
    ],
)
def test_a_query_without_the_names_of_an_item_costs_itself_alone(lacking, named, failed):
    """Items are named once, in the order of the queries, by number."""
    items = [{"Q10", "Q2"}, {"Q7", "Q10"}, {"Q9"}]
    queries = [class_query(f"Q10{number}") for number in range(3)]
    found, errors = names_of(Lacking(*lacking), dict(zip(queries, items, strict=True)), ["la"])
    assert [each.item for each in found] == named
    assert list(errors) == [queries[number] for number in failed]
