"""Real servers for tests, on 127.0.0.1: SPARQL, Wikibase's entity API, and a proxy that injects faults."""
