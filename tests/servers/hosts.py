"""Hosts on one machine: network namespaces that hang on a bridge, and that can be cut off one by one."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

_NETWORK = "10.213.77"


class Hosts:
    """Hosts with addresses of their own; nothing outside of them is touched, nor can be reached from them."""

    def __init__(self, names: Sequence[str]) -> None:
        """Name the hosts."""
        self._prefix, self._stack = f"t{os.getpid():x}", ExitStack()
        self.addresses = {name: f"{_NETWORK}.{number}" for number, name in enumerate(names, 1)}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._add(stack, "switch")
            self._in_switch("link", "add", "bridge", "type", "bridge")
            self._in_switch("link", "set", "bridge", "up")
            for name, address in self.addresses.items():
                self._add(stack, name)
                peer = ("peer", "name", "net", "netns", self._namespace(name))
                self._in_switch("link", "add", _port(name), "type", "veth", *peer)
                self._in_switch("link", "set", _port(name), "master", "bridge", "up")
                _ip("-netns", self._namespace(name), "address", "add", f"{address}/24", "dev", "net")
                for device in ("lo", "net"):
                    _ip("-netns", self._namespace(name), "link", "set", device, "up")
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def command(self, name: str, command: Sequence[str], unseen: Path | None = None) -> list[str]:
        """What runs a command on a host, one that does not see what is in a folder."""
        hide = [] if unseen is None else ["sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(unseen)]
        return ["ip", "netns", "exec", self._namespace(name), *hide, *command]

    def cut_off(self, name: str) -> None:
        """Pull the plug: nothing arrives any more, and nobody is told."""
        self._in_switch("link", "set", _port(name), "down")

    def connect(self, name: str) -> None:
        """Put the plug in again."""
        self._in_switch("link", "set", _port(name), "up")

    def _namespace(self, name: str) -> str:
        return f"{self._prefix}-{name}"

    def _add(self, stack: ExitStack, name: str) -> None:
        _ip("netns", "add", self._namespace(name))
        stack.callback(_ip, "netns", "delete", self._namespace(name))

    def _in_switch(self, *arguments: str) -> None:
        _ip("-netns", self._namespace("switch"), *arguments)


@cache
def no_hosts() -> str | None:
    """Why there can be no hosts here; None if there can."""
    if shutil.which("ip") is None:
        return "iproute2 is not installed"
    try:
        with Hosts(["one"]) as hosts:
            subprocess.run(hosts.command("one", ["true"]), check=True, capture_output=True)
    except (subprocess.CalledProcessError, OSError) as error:
        said = getattr(error, "stderr", None) or str(error).encode()
        return f"no network namespaces can be made: {said.decode().strip()}"
    return None


def _port(name: str) -> str:
    """The device of a host at the switch; names of devices have 15 characters at most."""
    return f"to-{name}"[:15]


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
