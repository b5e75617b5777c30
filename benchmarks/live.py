"""Makes test sets of all categories in all languages from servers that limit, lag or fail as Wikidata's do.

The servers are on this machine, before real entities and with real error answers (TESTGEN_SHARED_DATA). Waits
take no time: the seconds are those on a clock that each wait moves on, and each request by half a second.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import command_line, table, write

from testgen.errors import TestgenError
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import generate
from testgen.queries import Query, choose
from testgen.sources import AnswerCache, wikidata
from tests.conftest import REPOSITORY
from tests.servers import faults
from tests.servers.base import Request, Response
from tests.servers.entities import EntityServer
from tests.servers.proxy import Fault, FaultProxy, Plan, scripted
from tests.servers.rdf import store_from_entities
from tests.servers.sparql import SparqlServer
from tests.testgen.network import FastClock, MinuteLimit

WIKIDATA = Path(os.environ.get("TESTGEN_SHARED_DATA", REPOSITORY.parent / "shared" / "data")) / "wikidata"
FEW = ("country", "country-capital", "chemical-element")


class Counting(FaultProxy):
    """Counts the bytes of good answers, plain and compressed."""

    plain = compressed = 0

    def _forward(self, request: Request) -> Response:
        answer = super()._forward(request)
        self.plain += len(answer.body)
        self.compressed += len(gzip.compress(answer.body, 1))
        return answer


@dataclass(frozen=True)
class Case:
    """What the servers do, and which queries are asked."""

    name: str
    queries: list[Query]
    query_plan: Plan | None = None
    names_plan: Plan | None = None


def cases(clock: FastClock) -> Iterator[Case]:
    """All runs, on a clock that has just been started."""
    every, few = choose(), choose(FEW)
    yield Case("nothing goes wrong", every)
    yield Case("20 requests a minute", every, *(MinuteLimit(20, clock) for _ in range(2)))
    yield Case(
        "20 requests a minute, no Retry-After",
        every,
        *(MinuteLimit(20, clock, header=False) for _ in range(2)),
    )
    yield Case("lag of ten minutes", every, None, lagging(clock, 600))
    yield Case("lag without an end", every, None, lagging(clock, float("inf")))
    for name, fault in real_answers():
        if name.startswith("api") or "429" in name:
            yield Case(f"API: {name}", few, None, scripted(fault))
        if not name.startswith("api"):
            yield Case(f"queries: {name}", few, scripted(fault))


def lagging(clock: FastClock, seconds: float) -> Plan:
    def plan(_request: Request, _before: int) -> Fault | None:
        return faults.maxlag(5) if clock.now < seconds else None

    return plan


def answering(name: str, answer: Response) -> Fault:
    return faults.answering(name, lambda _spoiler: answer)


def real_answers() -> Iterator[tuple[str, Fault]]:
    """The stored answers that are errors, each as a fault."""
    folder = WIKIDATA / "responses"
    with (folder / "index.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        name = row["file"]
        if not name.startswith(("sparql-", "wbcontent", "wdqs-subclasses", "wdqs-cache")):
            headers = {"Content-Type": row["content_type"] or "text/plain"}
            if row["headers"].startswith("Retry-After"):
                headers["Retry-After"] = row["headers"].partition(": ")[2]
            answer = Response(int(row["status"][:3]), (folder / name).read_bytes(), headers)
            yield name, answering(name, answer)


def run(case: Case, clock: FastClock, sparql: str, api: str, folder: Path) -> dict[str, Any]:
    """The figures of one run with an empty cache."""
    cache = AnswerCache(folder / "cache")
    with Counting(sparql, case.query_plan) as queries, Counting(api, case.names_plan) as names:
        source = wikidata(cache, queries.url, names.url)
        for server in source.servers:
            server.pace.clock = clock
        try:
            frame = generate(folder / "out", TestSetRequest(None, categories=case.queries), source=source)
            outcome, left_out = f"{frame['language'].nunique()} files", frame.attrs["failed"]
        except TestgenError as error:
            outcome, left_out = "no files", {"everything": str(error)}
        cache.close()
        servers = (queries, names)
        return {
            "queries": len(queries.log),
            "names": len(names.log),
            "seconds": round(clock.now),
            "connections": sum(server.connections for server in servers),
            "bytes": sum(server.plain for server in servers),
            "compressed": sum(server.compressed for server in servers),
            "outcome": outcome,
            "left_out": left_out,
        }


def summary(found: dict[str, dict[str, Any]]) -> str:
    """A line for each run."""
    rows = []
    for name, one in found.items():
        left_out = ", ".join(one["left_out"])
        outcome = one["outcome"] + (f", without {left_out}" if left_out else "")
        numbers = (one["queries"], one["names"], one["seconds"], one["connections"])
        rows.append([name, *(f"{each:,}" for each in numbers), outcome])
    head = ("what happens", "queries", "requests for names", "seconds", "connections", "outcome")
    fair = next(iter(found.values()))
    share = fair["compressed"] / fair["bytes"]
    return f"{table(head, rows)}\n\nCompressed, the answers of the first run take {share:.0%} of their bytes."


def main() -> None:
    arguments = command_line(__doc__, "the same: nothing is left out").parse_args()
    os.environ.setdefault("TESTGEN_CONTACT", "benchmarks@example.org")
    with gzip.open(WIKIDATA / "entities.json.gz", "rt", encoding="utf-8") as file:
        lines = (line.strip().removesuffix(",") for line in file)
        entities = {each["id"]: each for each in (json.loads(line) for line in lines if len(line) > 1)}
    found: dict[str, dict[str, Any]] = {}
    with SparqlServer(store_from_entities(entities.values())) as sparql, EntityServer(entities) as api:
        for name in [case.name for case in cases(FastClock())]:
            clock = FastClock()
            case = next(each for each in cases(clock) if each.name == name)
            with tempfile.TemporaryDirectory() as folder:
                found[name] = run(case, clock, sparql.url, api.url, Path(folder))
    write(arguments.output, "live", found, summary(found))


if __name__ == "__main__":
    main()
