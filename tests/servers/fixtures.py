"""Fixtures for tests that need servers: import them into a conftest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.servers.entities import Entity, EntityServer, small_entities
from tests.servers.rdf import store_from_entities
from tests.servers.sparql import SparqlServer


@dataclass(frozen=True)
class SmallWorld:
    """The small set of entities behind both kinds of server."""

    sparql: SparqlServer
    api: EntityServer
    entities: dict[str, Entity]


@pytest.fixture
def small_world() -> Iterator[SmallWorld]:
    """Fresh servers, so that their logs hold this test's requests only."""
    entities = small_entities()
    with SparqlServer(store_from_entities(entities.values())) as sparql, EntityServer(entities) as api:
        yield SmallWorld(sparql, api, entities)
