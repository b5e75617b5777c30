"""A snapshot that is small enough to remember."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from testgen.cli import main
from tests.servers.fixtures import small_world

__all__ = ["small_world"]

TURTLE = """\
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
wikibase:Dump schema:name "small" ; schema:dateModified "2026-11-01T12:00:00Z" .

wd:Q142 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q90 ; rdfs:label "France"@en, "Gallia"@la, "Франция"@ru ;
  skos:altLabel "Francia"@la, "Frankreich"@de .
wd:Q38 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q220 ; rdfs:label "Italy"@en, "Italia"@la, "Италия"@ru .
wd:Q29 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q2807 ; rdfs:label "Spain"@en, "Hispania"@la .
wd:Q183 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q64 ; rdfs:label "Germany"@en, "Germania"@la .
wd:Q32 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q1842 ; rdfs:label "Luxembourg"@en, "Luxemburgum"@la .
wd:Q30 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q61 ; rdfs:label "United States"@en, "Civitates Foederatae"@la .
wd:Q9001 wdt:P31 wd:Q3624078 ; wdt:P576 "1871-01-18" ; rdfs:label "Prussia"@en, "Borussia"@la .
wd:Q90 rdfs:label "Paris"@en, "Lutetia"@la, "Париж"@ru .
wd:Q220 rdfs:label "Rome"@en, "Roma"@la, "Рим"@ru .
wd:Q2807 rdfs:label "Madrid"@mul, "Matritum"@la .
wd:Q64 rdfs:label "Berlin"@mul ; skos:altLabel "Berolinum"@la .
wd:Q1842 rdfs:label "Luxembourg"@en, "Luxemburgum"@la .
wd:Q61 rdfs:label "Washington, D.C."@en .
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The path of the small snapshot: six states, one dissolved, their capitals, in three languages."""
    path = tmp_path / "small.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return path


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs a command of testgen; gives exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "300")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["testgen", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return run
