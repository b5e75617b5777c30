"""The fixtures of the servers."""

from tests.servers.fixtures import small_world

__all__ = ["small_world"]
