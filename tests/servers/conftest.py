"""The fixtures, for the tests of the servers themselves."""

from tests.servers.fixtures import small_world, virtuoso_url

__all__ = ["small_world", "virtuoso_url"]
