"""Sources answer queries and know names. A new one is a module here and a line in `open_source`."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from urllib.parse import urlsplit

from testgen.errors import SourceError
from testgen.sources.answers import Answers, Freshness
from testgen.sources.base import Answer, Names, Provenance, Row, Source, id_order
from testgen.sources.entities import EntityApi
from testgen.sources.remote import Plan, Remote
from testgen.sources.snapshot import Snapshot, shipped_snapshot
from testgen.sources.sparql import SparqlService
from testgen.sources.sparql_names import SparqlNames
from testgen.sources.web import Patience, Web

__all__ = [
    "SHIPPED",
    "Answer",
    "Answers",
    "Freshness",
    "Names",
    "Patience",
    "Plan",
    "Provenance",
    "Remote",
    "Row",
    "Snapshot",
    "Source",
    "endpoint",
    "id_order",
    "is_remote",
    "open_source",
    "wikidata",
]

SHIPPED = "shipped"
WIKIDATA = "wikidata"
WIKIDATA_QUERY = "https://query.wikidata.org/sparql"
WIKIDATA_API = "https://www.wikidata.org/w/api.php"


def is_remote(source: str | Path) -> bool:
    """Whether a name, address or path is that of a source that is asked over a network.

    A folder may be called wikidata; the source of that name is meant all the same.
    """
    return source == WIKIDATA or (isinstance(source, str) and source.startswith(("http://", "https://")))


def open_source(source: str | Path = SHIPPED, answers: Answers | None = None) -> Source:
    """The source for a name, an address or a path.

    Args:
        source: `shipped` for the snapshot that comes with the package, `wikidata`, the address of a SPARQL
            endpoint (`https://…`), or the path of a snapshot file.
        answers: Where answers over a network are kept; the user's cache if None.

    Raises:
        SourceError: It cannot be opened.
        ConfigError: It needs the operator's contact, and there is none.
    """
    if is_remote(source):
        return wikidata(answers) if source == WIKIDATA else endpoint(str(source), answers)
    return Snapshot(shipped_snapshot() if source == SHIPPED else Path(source))


def wikidata(
    answers: Answers | None = None,
    query_url: str | None = None,
    api_url: str | None = None,
    patience: Patience | None = None,
) -> Remote:
    """Wikidata itself: ids from the query service, names from the entity API.

    Args:
        answers: Where answers are kept; the user's cache if None.
        query_url: The query service; that of TESTGEN_WIKIDATA_QUERY in the environment if None, for mirrors
            and other Wikibases, and Wikidata's own if that is not set.
        api_url: The entity API, likewise from TESTGEN_WIKIDATA_API.
        patience: How long to try.

    Raises:
        ConfigError: The operator's contact is not known.
    """
    from testgen.config import user_agent

    query_url = query_url or os.environ.get("TESTGEN_WIKIDATA_QUERY") or WIKIDATA_QUERY
    api_url = api_url or os.environ.get("TESTGEN_WIKIDATA_API") or WIKIDATA_API
    answers = answers or Answers()
    agent = user_agent(required=not answers.freshness.offline)
    # Both addresses are Wikidata's: one door, so that one request is under way at a time.
    web = _web("Wikidata", answers, patience)
    service = SparqlService(query_url, agent, web)
    return Remote("wikidata", WIKIDATA, service, EntityApi(api_url, agent, web), answers)


def endpoint(url: str, answers: Answers | None = None, patience: Patience | None = None) -> Remote:
    """Any SPARQL endpoint that holds Wikidata's RDF or some of its shape: ids and names by SPARQL.

    Args:
        url: Its address.
        answers: Where answers are kept; the user's cache if None.
        patience: How long to try.

    Raises:
        SourceError: The address is none.
    """
    from testgen.config import user_agent

    host = urlsplit(url).netloc
    if not host or any(character.isspace() for character in url):
        raise SourceError(f"{url!r} is not the address of a SPARQL endpoint")
    answers = answers or Answers()
    service = SparqlService(url, user_agent(required=False), _web(host, answers, patience))
    return Remote("endpoint", host, service, SparqlNames(service), answers)


def _web(name: str, answers: Answers, patience: Patience | None) -> Web:
    from filelock import FileLock

    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    lock = FileLock(answers.directory / f"asking-{digest}.lock")
    return Web(name, patience or Patience(), lock)
