"""The fixtures of the servers, and of the command line in this process."""

from tests.servers.fixtures import small_world
from tests.testgen.conftest import command

__all__ = ["command", "small_world"]
