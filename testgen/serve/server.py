"""Listening for requests, and ending without losing any."""

from __future__ import annotations

import signal
import socket
from types import FrameType

import uvicorn
from fastapi import FastAPI

from testgen.errors import ConfigError

_PATIENCE = 30  # seconds that downloads have to come to their end


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens, opened before any work is done.

    Raises:
        ConfigError: The address cannot be had.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(2048)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host}, port {port}: {error.strerror}; choose another --port or --host"
        ) from error
    return found


def run(app: FastAPI, listener: socket.socket, *, behind_proxy: bool = False) -> None:
    """Answer requests until a signal to end comes; those under way are answered to the end."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        proxy_headers=behind_proxy,
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    _Server(config).run([listener])


class _Server(uvicorn.Server):
    """Tells the application at once that it is to end, for streams of events would go on."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as it is called
        """Begin to end; at a second Ctrl-C, end at once."""
        self.config.app.state.stopping.set()  # type: ignore[union-attr]
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True
