"""SPARQL engines in Java as child processes: Blazegraph, which Wikidata's query service runs, and Fuseki.

`make engines` puts their jars into ENGINES.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import DefaultGraph, RdfFormat, Store

from tests.servers.child import free_ports, is_ready

# Not by XDG_CACHE_HOME, which the tests set to a folder of their own.
ENGINES = Path(os.environ.get("TESTGEN_ENGINES", Path.home() / ".cache" / "testgen-engines"))
BLAZEGRAPH, FUSEKI = "blazegraph-jar-2.1.5.jar", "jena-fuseki-server-5.1.0.jar"

# As on the query service: triples without graphs, no inference, no index of texts.
_PROPERTIES = """\
com.bigdata.journal.AbstractJournal.file={home}/blazegraph.jnl
com.bigdata.journal.AbstractJournal.bufferMode=DiskRW
com.bigdata.rdf.sail.truthMaintenance=false
com.bigdata.rdf.sail.isolatableIndices=false
com.bigdata.rdf.store.AbstractTripleStore.quads=false
com.bigdata.rdf.store.AbstractTripleStore.statementIdentifiers=false
com.bigdata.rdf.store.AbstractTripleStore.textIndex=false
com.bigdata.rdf.store.AbstractTripleStore.justify=false
com.bigdata.rdf.store.AbstractTripleStore.axiomsClass=com.bigdata.rdf.axioms.NoAxioms
"""
_LOADING_SECONDS = 600


@contextlib.contextmanager
def blazegraph(data: Store | Path) -> Iterator[str]:
    """The URL of a Blazegraph endpoint that its bulk loader has filled; skips where it is missing.

    With `?maxQueryTimeMillis=60000` after the URL, queries are cut off as on the query service.

    Args:
        data: A store, whose default graph is loaded, or a file of Turtle or N-Triples, plain or gzipped.
    """
    jar = _jar(BLAZEGRAPH)
    with tempfile.TemporaryDirectory(prefix="blazegraph-") as folder:
        home = Path(folder)
        (home / "store.properties").write_text(_PROPERTIES.format(home=home))
        loaded = _bulk_load(jar, home, _dump(data, home) if isinstance(data, Store) else data)
        # Of the two million triples of a real slice, one is the same as another to Blazegraph.
        size = len(data) if isinstance(data, Store) else _lines_of(data)
        assert size * 0.99999 <= loaded <= size, f"Blazegraph has {loaded} of {size}"
        # The jar's own main class cannot find its pages since Java 9.
        command = [
            f"-Djetty.home=jar:file:{jar}!/war",
            f"-Djetty.overrideWebXml=jar:file:{jar}!/war/WEB-INF/override-web.xml",
            "-Djetty.host=127.0.0.1",
            "-cp", str(jar), "com.bigdata.rdf.sail.webapp.NanoSparqlServer",
            "{port}", "wikidata", str(home / "store.properties"),
        ]  # fmt: skip
        with _running(command, home, "http://127.0.0.1:{port}/blazegraph/namespace/wikidata/sparql") as url:
            yield url


def _bulk_load(jar: Path, home: Path, data: Path) -> int:
    """Load a file while no server runs, as `docs/scale.md` shows; how many statements there are then."""
    # By the ending of Turtle, which N-Triples are too: files with that of N-Triples are read as ASCII.
    file = home / ("data.ttl.gz" if data.name.endswith(".gz") else "data.ttl")
    if file != data:
        file.symlink_to(data)
    loader = "com.bigdata.rdf.store.DataLoader"
    output = subprocess.run(
        ["java", "-Xmx2g", "-cp", jar, loader, "-namespace", "wikidata", home / "store.properties", file],
        cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=_LOADING_SECONDS, check=False,
    ).stdout  # fmt: skip
    found = re.search(r"(\d+) stmts added", output)
    assert found, f"loading into Blazegraph: {output[-800:]}"
    return int(found[1])


def _lines_of(path: Path) -> int:
    with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
        return sum(1 for _ in file)


@contextlib.contextmanager
def fuseki(store: Store) -> Iterator[str]:
    """The URL of an Apache Jena Fuseki endpoint that holds the store's default graph; skips where missing."""
    jar = _jar(FUSEKI)
    with tempfile.TemporaryDirectory(prefix="fuseki-") as folder:
        home = Path(folder)
        data = _dump(store, home)
        command = ["-jar", str(jar), "--localhost", "--port={port}", f"--file={data}", "/wikidata"]
        with _running(command, home, "http://127.0.0.1:{port}/wikidata/sparql") as url:
            yield url


def _jar(name: str) -> Path:
    if shutil.which("java") is None:
        pytest.skip("java is not installed (Debian: apt-get install default-jre-headless)")
    jar = ENGINES / name
    if not jar.is_file():
        pytest.skip(f"{jar} is missing; `make engines` fetches it with Maven")
    return jar


def _dump(store: Store, home: Path) -> Path:
    path = home / "data.ttl"
    store.dump(str(path), format=RdfFormat.N_TRIPLES, from_graph=DefaultGraph())
    return path


@contextlib.contextmanager
def _running(command: list[str], home: Path, url: str) -> Iterator[str]:
    """The endpoint of a Java program, `{port}` replaced; another try if somebody takes the port first."""
    for attempt in range(3):
        (port,) = free_ports(1)
        with (home / "log.txt").open("wb") as log:
            process = subprocess.Popen(
                ["java", "-Xmx2g", *(each.replace("{port}", str(port)) for each in command)],
                cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
            try:
                if is_ready(process, url.format(port=port)):
                    yield url.format(port=port)
                    return
            finally:
                process.kill()
                process.wait()
        said = (home / "log.txt").read_text(errors="replace")[-800:]
        assert attempt < 2, f"{command[-1]} did not start; its log: {said}"
