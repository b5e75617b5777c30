"""Sources: what answers queries and knows the names of items, and how it is asked.

A new kind of source is a module here and a line in `open_source`; what is made of its answers is not here.
"""

from testgen.sources.answer_cache import AnswerCache, Freshness
from testgen.sources.base import Answer, Names, Provenance, Row, Source, id_order
from testgen.sources.opening import SHIPPED, endpoint, is_remote, open_source, wikidata
from testgen.sources.remote import RemoteSource, RequestPlan
from testgen.sources.server import RetryPolicy
from testgen.sources.snapshot import Snapshot, own_categories

__all__ = [
    "SHIPPED",
    "Answer",
    "AnswerCache",
    "Freshness",
    "Names",
    "Provenance",
    "RemoteSource",
    "RequestPlan",
    "RetryPolicy",
    "Row",
    "Snapshot",
    "Source",
    "endpoint",
    "id_order",
    "is_remote",
    "open_source",
    "own_categories",
    "wikidata",
]
