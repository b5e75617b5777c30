"""Writes items as Turtle, a block for each item; everything is sorted, so the text is always the same."""

from __future__ import annotations

from datetime import date

from snapshot.items import Item

PREFIXES = {
    "cc": "http://creativecommons.org/ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wikibase": "http://wikiba.se/ontology#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def document(items: list[Item], name: str, released: date, description: str, license_: str) -> str:
    """The whole file."""
    prefixes = "".join(f"@prefix {key}: <{PREFIXES[key]}> .\n" for key in sorted(PREFIXES))
    head = (
        "wikibase:Dump a schema:Dataset ;\n"
        f" schema:name {literal(name)} ;\n"
        f' schema:dateModified "{released.isoformat()}"^^xsd:date ;\n'
        f" cc:license <{license_}> ;\n"
        f" schema:description {literal(description)} .\n"
    )
    return prefixes + head + "".join(block(item) for item in items)


def block(item: Item) -> str:
    """One item with its statements and labels."""
    lines = [
        f"wdt:{prop} " + ",".join(values)
        for prop, values in sorted(item.statements.items(), key=lambda pair: int(pair[0][1:]))
    ]
    if labels := [f"{literal(name)}@{tag}" for tag, name in sorted(item.labels.items())]:
        lines.append("rdfs:label " + ",".join(labels))
    if aliases := [f"{literal(name)}@{tag}" for tag, names in sorted(item.aliases.items()) for name in names]:
        lines.append("<http://www.w3.org/2004/02/skos/core#altLabel> " + ",".join(aliases))
    return f"{name_of(item.qid)} " + " ;\n ".join(lines) + " .\n"


def name_of(id_: str) -> str:
    """An id of Wikidata or of another source, as Turtle has it."""
    return f"<{id_}>" if ":" in id_ else f"wd:{id_}"


def literal(text: str) -> str:
    """A string in Turtle's quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
