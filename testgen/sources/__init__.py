"""Sources: what answers queries and knows the names of items, and how it is asked."""

from testgen.sources.answer_cache import AnswerCache as AnswerCache
from testgen.sources.answering import AnsweringSource as AnsweringSource
from testgen.sources.answering import held_by as held_by
from testgen.sources.answering import own_categories as own_categories
from testgen.sources.base import Answer as Answer
from testgen.sources.base import Keywords as Keywords
from testgen.sources.base import Names as Names
from testgen.sources.base import Provenance as Provenance
from testgen.sources.base import Row as Row
from testgen.sources.base import Source as Source
from testgen.sources.base import id_order as id_order
from testgen.sources.opening import SHIPPED as SHIPPED
from testgen.sources.opening import endpoint as endpoint
from testgen.sources.opening import is_remote as is_remote
from testgen.sources.opening import open_source as open_source
from testgen.sources.opening import wikidata as wikidata
from testgen.sources.rdf import RdfSource as RdfSource
from testgen.sources.remote import RemoteSource as RemoteSource
from testgen.sources.remote import RequestPlan as RequestPlan
from testgen.sources.server import RetryPolicy as RetryPolicy
from testgen.sources.snapshot import Snapshot as Snapshot
