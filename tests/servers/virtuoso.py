"""Virtuoso 7 as a child process: a second SPARQL engine, to see that queries are portable."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import DefaultGraph, RdfFormat, Store

from tests.servers.child import free_ports, is_ready

_INI = """\
[Database]
DatabaseFile = {home}/virtuoso.db
ErrorLogFile = {home}/virtuoso.log
LockFile = {home}/virtuoso.lck
TransactionFile = {home}/virtuoso.trx
xa_persistent_file = {home}/virtuoso.pxa
FileExtend = 200
[TempDatabase]
DatabaseFile = {home}/virtuoso-temp.db
TransactionFile = {home}/virtuoso-temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
DisableUnixSocket = 1
CheckpointInterval = 0
DirsAllowed = {home}
NumberOfBuffers = 10000
MaxDirtyBuffers = 6000
ThreadsPerQuery = 2
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = {home}
ServerThreads = 8
KeepAliveTimeout = 10
Charset = UTF-8
EnabledGzipContent = 1
[SPARQL]
MaxQueryCostEstimationTime = 400
MaxQueryExecutionTime = 60
{max_rows}
"""


@contextlib.contextmanager
def virtuoso(store: Store, max_rows: int | None = None) -> Iterator[str]:
    """The URL of a Virtuoso endpoint that holds the store's default graph; skips where it is not installed.

    With `max_rows` it silently cuts results there, as public installations do (often at 10,000).
    """
    for program in ("virtuoso-t", "isql-vt"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed (Debian: apt-get install virtuoso-opensource-7)")
    with (
        tempfile.TemporaryDirectory(prefix="virtuoso-") as home,
        _running(Path(home), max_rows) as (sql, http_port),
    ):
        _load(Path(home), sql, store)
        yield f"http://127.0.0.1:{http_port}/sparql"


@contextlib.contextmanager
def _running(home: Path, max_rows: int | None) -> Iterator[tuple[int, int]]:
    """A server with an empty database; another try if somebody takes a port first."""
    for attempt in range(3):
        sql, http_port = free_ports(2)
        rows = "" if max_rows is None else f"ResultSetMaxRows = {max_rows}"
        ini = home / "virtuoso.ini"
        ini.write_text(_INI.format(home=home, sql=sql, http=http_port, max_rows=rows))
        process = subprocess.Popen(
            ["virtuoso-t", "+foreground", "+configfile", str(ini)],
            cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            if is_ready(process, f"http://127.0.0.1:{http_port}/sparql"):
                yield sql, http_port
                return
        finally:
            process.kill()
            process.wait()
        log = home / "virtuoso.log"
        said = log.read_text(errors="replace")[-500:] if log.exists() else "nothing"
        assert attempt < 2, f"Virtuoso did not start; its log: {said}"


def _load(home: Path, sql: int, store: Store) -> None:
    """Put the store's triples into a graph of their own and check that all arrived."""
    data = home / "data.nt"
    store.dump(str(data), format=RdfFormat.N_TRIPLES, from_graph=DefaultGraph())
    commands = (
        f"DB.DBA.TTLP_MT(file_to_string_output('{data}'), '', 'http://www.wikidata.org/', 0); checkpoint;"
        "SPARQL SELECT (COUNT(*) AS ?n) FROM <http://www.wikidata.org/> WHERE { ?s ?p ?o };"
    )
    done = subprocess.run(
        ["isql-vt", f"127.0.0.1:{sql}", "dba", "dba", "VERBOSE=OFF", f"exec={commands}"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    numbers = [line.strip() for line in done.stdout.splitlines() if line.strip().isdigit()]
    assert numbers == [str(len(store))], f"loading into Virtuoso: {done.stdout}{done.stderr}"
