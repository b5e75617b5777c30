"""Names by SPARQL, for endpoints that have no entity API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from testgen.errors import QueryFaultError
from testgen.sources.entities import Texts
from testgen.sources.sparql import SparqlService
from testgen.sources.web import Web

_QUERY = """\
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?item ?kind ?name WHERE {{
  VALUES ?item {{ {items} }}
  {{ ?item rdfs:label ?name . BIND("labels" AS ?kind) }}
  UNION
  {{ ?item skos:altLabel ?name . BIND("aliases" AS ?kind) }}
  UNION
  {{ ?item owl:sameAs ?target . ?target rdfs:label ?name . BIND("labels" AS ?kind) }}
  UNION
  {{ ?item owl:sameAs ?target . ?target skos:altLabel ?name . BIND("aliases" AS ?kind) }}
}}
"""


@dataclass(frozen=True)
class SparqlNames:
    """Labels and aliases from an endpoint, in all languages at once.

    Attributes:
        service: The endpoint.
    """

    service: SparqlService
    batch_size: int = field(default=100, init=False)

    @property
    def url(self) -> str:
        """The address that is asked."""
        return self.service.url

    @property
    def web(self) -> Web:
        """The server's door."""
        return self.service.web

    def names(self, items: Sequence[str]) -> dict[str, dict[str, Texts]]:
        """Labels and aliases of items, each `{"labels": …, "aliases": …}`, by item id.

        What has been merged has the names of the item that it was merged into.
        A batch that takes too long, or has more names than the server gives, is asked for in halves.

        Raises:
            QueryFaultError: The server cannot even answer for a single item.
            SourceError: The server fails or refuses.
        """
        try:
            bindings = self.service.select(_QUERY.format(items=" ".join(f"wd:{item}" for item in items)))
        except QueryFaultError:
            if len(items) == 1:
                raise
            half = len(items) // 2
            return self.names(items[:half]) | self.names(items[half:])
        found: dict[str, dict[str, Texts]] = {item: {"labels": {}, "aliases": {}} for item in items}
        for row in bindings:
            item = row["item"]["value"].rpartition("/")[2]
            tag = row["name"].get("xml:lang", "").lower()
            found[item][row["kind"]["value"]].setdefault(tag, []).append(row["name"]["value"])
        for kinds in found.values():
            for texts in (*kinds["labels"].values(), *kinds["aliases"].values()):
                texts.sort()  # engines give them in any order
        return found
