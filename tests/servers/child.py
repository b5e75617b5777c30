"""SPARQL engines as child processes: free ports, and waiting until an engine answers."""

from __future__ import annotations

import contextlib
import http.client
import socket
import subprocess
import time
import urllib.parse

_STARTUP_SECONDS = 300  # Fuseki loads its data before it answers


def is_ready(process: subprocess.Popen[bytes], url: str) -> bool:
    """Wait until the endpoint answers a query; False if the process ends before, or takes five minutes."""
    parts = urllib.parse.urlsplit(url)
    until = time.monotonic() + _STARTUP_SECONDS
    while process.poll() is None and time.monotonic() < until:
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=30)
            try:
                connection.request("GET", f"{parts.path}?" + urllib.parse.urlencode({"query": "ASK {}"}))
                if connection.getresponse().status == 200:
                    return True
            finally:
                connection.close()
        time.sleep(0.1)
    return False


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
