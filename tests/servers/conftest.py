"""The fixtures, for the tests of the servers themselves."""

from tests.servers.fixtures import small_world

__all__ = ["small_world"]
