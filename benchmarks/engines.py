"""Runs every shipped query on each SPARQL engine that is there.

The data is the small graphs of the tests, and a slice of Wikidata where there is one (TESTGEN_SHARED_DATA).
Answers are compared with those of Oxigraph. Blazegraph stops a query after a minute, as Wikidata does.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from common import command_line, table, write
from pyoxigraph import RdfFormat, Store

from testgen.errors import SourceError
from testgen.queries import Query, shipped_queries
from testgen.sources import AnswerCache, RetryPolicy, endpoint
from tests.conftest import REPOSITORY
from tests.servers.java import blazegraph, fuseki
from tests.servers.sparql import SparqlServer
from tests.servers.virtuoso import virtuoso

SHARED = Path(os.environ.get("TESTGEN_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
SLICE = SHARED / "wikidata" / "slice.nt.gz"
GRAPHS = sorted((REPOSITORY / "tests" / "testgen" / "graphs").glob("*.ttl"))
SLOWEST = 10


@contextmanager
def oxigraph(store: Store) -> Iterator[str]:
    with SparqlServer(store) as server:
        yield server.url


@contextmanager
def blazegraph_of_a_minute(store: Store) -> Iterator[str]:
    with blazegraph(store) as url:
        yield f"{url}?maxQueryTimeMillis=60000"


ENGINES = {
    "Oxigraph": oxigraph,
    "Blazegraph": blazegraph_of_a_minute,
    "Virtuoso": virtuoso,
    "Fuseki": fuseki,
}


def graph() -> Store:
    """The slice if there is one, and the graphs of the tests, which have rows for every query."""
    store = Store()
    for path in GRAPHS:
        store.load(path=str(path), format=RdfFormat.TURTLE)
    if SLICE.exists():
        with gzip.open(SLICE) as file:
            store.bulk_load(file, format=RdfFormat.N_TRIPLES)
    return store


def measured(ask: Callable[[Query], Iterable[Any]], query: Query) -> dict[str, Any]:
    """How many rows, their digest, and the seconds; or the error."""
    started = time.perf_counter()
    try:
        rows = [repr(row).replace(".000Z", "Z") for row in ask(query)]
    except SourceError as error:
        return {"error": str(error), "seconds": round(time.perf_counter() - started, 3)}
    seconds = round(time.perf_counter() - started, 3)
    digest = hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()[:16]
    return {"rows": len(rows), "digest": digest, "seconds": seconds}


def run(url: str, queries: Iterable[Query]) -> dict[str, Any]:
    """The figures of all queries on one endpoint."""
    with tempfile.TemporaryDirectory() as folder:
        cache = AnswerCache(Path(folder))
        source = endpoint(url, cache, RetryPolicy(attempts=1, first_attempts=1))
        figures = {}
        for query in queries:
            figures[query.name] = measured(lambda query: source.answer(query).rows, query)
            print(query.name, figures[query.name], file=sys.stderr, flush=True)
        cache.close()
        return figures


def all_engines(names: Iterable[str], queries: list[Query]) -> Iterator[dict[str, Any]]:
    """The figures by engine, after each engine; one that is missing is left out, and said."""
    store, found = graph(), {}
    for name in names:
        started = time.perf_counter()
        try:
            with ENGINES[name](store) as url:
                loading = round(time.perf_counter() - started, 1)
                found[name] = {"triples": len(store), "loading": loading, "queries": run(url, queries)}
        except pytest.skip.Exception as missing:
            print(f"{name}: {missing}", file=sys.stderr)
        yield found


def summary(found: dict[str, Any]) -> str:
    """The totals of each engine."""
    rows = []
    for name, figures in found.items():
        each = list(figures["queries"].values())
        different = sum(differs(found, name, query) for query in figures["queries"])
        failed = sum("error" in one for one in each)
        rows.append([
            name, f"{len(each)}", f"{sum(one.get('rows', 0) for one in each):,}",
            f"{sum(one['seconds'] for one in each):.1f}", f"{max(one['seconds'] for one in each):.2f}",
            f"{different - failed}", f"{failed}",
        ])  # fmt: skip
    return table(("engine", "queries", "rows", "seconds", "slowest", "other rows", "failed"), rows)


def differs(found: dict[str, Any], engine: str, query: str) -> bool:
    """Whether an engine's answer is not that of Oxigraph."""
    ours, reference = (found[name]["queries"][query] for name in (engine, "Oxigraph"))
    return bool("error" in ours or ours["digest"] != reference.get("digest"))


def exceptions(found: dict[str, Any]) -> str:
    """The queries that differ, fail, or are among the slowest."""
    names = next(iter(found.values()))["queries"]
    slowest = sorted(names, key=lambda query: -max(f["queries"][query]["seconds"] for f in found.values()))
    rows = [
        [f"`{query}`", *(cell(found[name]["queries"][query]) for name in found)]
        for query in names
        if query in slowest[:SLOWEST] or any(differs(found, name, query) for name in found)
    ]
    return table(("query", *found), rows)


def cell(figure: dict[str, Any]) -> str:
    """Rows and seconds."""
    rows = f"{figure['rows']:,} rows" if "rows" in figure else "failed"
    return f"{rows}, {figure['seconds']:.2f} s"


def main() -> None:
    parser = command_line(__doc__, "the same: nothing is left out")
    parser.add_argument("--query", action="append", help="only this query; may be repeated")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only these, and Oxigraph")
    arguments = parser.parse_args()
    os.environ.setdefault("TESTGEN_CONTACT", "benchmarks@example.org")
    names = [name for name in ENGINES if name == "Oxigraph" or name in (arguments.engine or ENGINES)]
    queries = [
        each for each in shipped_queries().values() if each.name in (arguments.query or shipped_queries())
    ]
    for found in all_engines(names, queries):
        write(arguments.output, "engines", found, f"{summary(found)}\n\n{exceptions(found)}")


if __name__ == "__main__":
    main()
