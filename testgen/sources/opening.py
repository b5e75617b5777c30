"""Opening a source by its name, URL or path."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from testgen.errors import SourceError
from testgen.sources.answer_cache import AnswerCache
from testgen.sources.answering import AnsweringSource
from testgen.sources.combined import CombinedSource
from testgen.sources.config import contact, patience, token, user_agent
from testgen.sources.entity_api import EntityApi
from testgen.sources.rdf import RdfSource
from testgen.sources.remote import RemoteSource
from testgen.sources.server import Pace, RetryPolicy, Server, published_interval
from testgen.sources.shipped import ANSWERS, shipped_snapshots
from testgen.sources.snapshot import ENDINGS, Snapshot
from testgen.sources.sparql import SparqlEndpoint

if TYPE_CHECKING:
    from filelock import BaseFileLock

SHIPPED = "shipped"
WIKIDATA = "wikidata"
WIKIDATA_QUERY = "https://query.wikidata.org/sparql"
WIKIDATA_API = "https://www.wikidata.org/w/api.php"


def is_remote(source: str | Path) -> bool:
    """Whether a name, URL or path stands for a source on the network; `wikidata` always does."""
    return source == WIKIDATA or (isinstance(source, str) and source.startswith(("http://", "https://")))


def open_source(
    source: str | Path | Sequence[str | Path] = SHIPPED,
    cache: AnswerCache | None = None,
) -> AnsweringSource:
    """Open a source by its name, URL or path.

    Args:
        source: `shipped` for the snapshots that come with the package, `wikidata`, the URL of a SPARQL
            endpoint (`https://…`), or the path of a snapshot or of a file of RDF; or several of these, which
            are combined.
        cache: The cache of answers over the network; the user's cache if None.

    Raises:
        SourceError: It cannot be opened.
        ConfigError: It needs the operator's contact, and none is set.
    """
    if not isinstance(source, str | Path):
        if not source:
            raise SourceError("there is no source; name one, such as shipped")
        if len(source) != 1:
            return _combined([path for each in source for path in _paths(each)])
        source = source[0]
    if is_remote(source):
        return wikidata(cache) if source == WIKIDATA else endpoint(str(source), cache)
    if source == SHIPPED:
        paths = shipped_snapshots()
        return RdfSource(*paths, answers=paths[0].with_name(ANSWERS))
    return open_file(Path(source))


def open_file(path: Path) -> Snapshot | RdfSource:
    """A snapshot, or a file of RDF, as its name says.

    Raises:
        SourceError: It cannot be read.
    """
    return Snapshot(path) if path.name.lower().endswith(ENDINGS) else RdfSource(path)


def _combined(paths: Sequence[Path]) -> AnsweringSource:
    """Each snapshot, and all files of RDF together, where the first of them stands."""
    rdf = [path for path in paths if not path.name.lower().endswith(ENDINGS)]
    kept = [path for path in paths if path not in rdf[1:]]
    sources = [RdfSource(*rdf) if path in rdf else Snapshot(path) for path in kept]
    return sources[0] if len(sources) == 1 else CombinedSource(sources)


def _paths(source: str | Path) -> tuple[Path, ...]:
    if is_remote(source):
        raise SourceError(
            f"{source}: only snapshots can be combined; make one of it with `testgen snapshot create`"
        )
    return shipped_snapshots() if source == SHIPPED else (Path(source),)


def wikidata(
    cache: AnswerCache | None = None,
    query_url: str | None = None,
    api_url: str | None = None,
    retry_policy: RetryPolicy | None = None,
) -> RemoteSource:
    """Wikidata itself: ids from the query service, names from the entity API."""
    # The addresses are those of the environment if none is given, and Wikidata's own if these are not set.
    query_url = query_url or os.environ.get("TESTGEN_WIKIDATA_QUERY") or WIKIDATA_QUERY
    api_url = api_url or os.environ.get("TESTGEN_WIKIDATA_API") or WIKIDATA_API
    cache = cache or AnswerCache()
    agent = user_agent(required=not cache.offline)
    lock = _lock("Wikidata", cache)  # one for both, so that at most one request to Wikidata is under way
    service = _server("Wikidata's query service", query_url, lock, retry_policy, token())
    entities = _server("Wikidata's entity API", api_url, lock, retry_policy, token())
    queries, names = SparqlEndpoint(query_url, agent, service), EntityApi(api_url, agent, entities)
    return RemoteSource("wikidata", WIKIDATA, queries, names, cache)


def endpoint(
    url: str, cache: AnswerCache | None = None, retry_policy: RetryPolicy | None = None
) -> RemoteSource:
    """Any SPARQL endpoint with RDF in the shape of Wikidata's: ids and names by SPARQL; see `wikidata`."""
    host = urlsplit(url).netloc
    if not host or any(character.isspace() for character in url):
        raise SourceError(f"{url!r} is not the URL of a SPARQL endpoint")
    cache = cache or AnswerCache()
    server = _server(host, url, _lock(host, cache), retry_policy, None)
    queries = SparqlEndpoint(url, user_agent(required=False), server)
    return RemoteSource("endpoint", host, queries, queries, cache)


def _lock(name: str, cache: AnswerCache) -> BaseFileLock:
    """The lock with which all processes with the same cache ask a server one at a time."""
    from filelock import FileLock

    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return FileLock(cache.directory / f"asking-{digest}.lock")


def _server(
    name: str, url: str, lock: BaseFileLock, retry_policy: RetryPolicy | None, token: str | None
) -> Server:
    interval = published_interval(url, contact=contact() is not None, token=token is not None)
    parts = urlsplit(url)
    secret = parts.scheme == "https" or parts.hostname in ("127.0.0.1", "localhost")
    policy = retry_policy or RetryPolicy(patience=patience())
    return Server(name, policy, lock, Pace(interval), token if secret else None)
