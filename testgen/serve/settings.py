"""The settings of a service: on the command line, and in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from testgen.errors import ConfigError
from testgen.sources import SHIPPED, is_remote
from testgen.system import read_text

LOOPBACK = ("localhost", "127.0.0.1", "::1")  # the names by which a machine reaches itself
_ONE = Meta(ge=1)
Count = Annotated[int, _ONE]


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """What one client or one request may ask for."""

    classes: Count = 10  # how many classes by id one request may name
    class_items: Count = 100_000  # how many items such a class may have
    jobs_per_client: Count = 3  # how many unfinished jobs one client may have
    jobs_per_hour: Count = 30  # how many jobs one client may start in an hour
    jobs_kept_per_client: Count = 10  # how many finished jobs of one client are stored, its newest
    jobs_kept: Count = 500  # how many finished jobs of all clients are stored with their results
    days_kept: Annotated[float, _ONE] = 7  # until a result may be deleted to make room for others
    archives: Count = 2  # how many zip files are made at the same time
    connections: Count = 1000  # within three quarters of the files that the process may have open
    connections_per_client: Count = 100  # how many one client may have; behind a proxy, the proxy limits them
    streams: Count = 200  # how many streams of events there may be
    streams_per_client: Count = 10  # how many one client may have
    waiting: Count = 16  # how many requests may wait for a test set to be made
    cache_bytes: Count = 64_000_000  # how much memory the cache of finished test sets may take
    page_bytes: Count = 32_000_000  # how much memory the cache of pages may take


class SettingsFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is rarely changed: what the file of `testgen serve --settings` may have, in TOML.

    Attributes:
        hosts: The host names under which the service answers, in addition to this machine's own; requests
            under other names are refused, so that no web page can reach a service on its visitor's machine.
        behind_proxy: Whether to trust what a proxy on this machine says about its clients.
        root_path: The path below which a proxy offers the service, such as `/testgen`.
        access_log: Whether requests are logged, with the addresses of clients, to stderr.
        limits: What clients may ask for.
    """

    hosts: tuple[str, ...] = ()
    behind_proxy: bool = False
    root_path: Annotated[str, Meta(pattern="^(/.*)?$")] = ""
    access_log: bool = False
    limits: Limits = Limits()


class Settings(SettingsFile, frozen=True):
    """All settings of a service."""

    directory: Path  # the folder for jobs and their results
    source: str = "shipped"  # `shipped`, `wikidata`, the URL of an endpoint, or the path of a snapshot
    categories: tuple[str, ...] = ()  # those that are offered; all shipped ones if empty
    pages_only: bool = False  # whether pages offer only what needs no process, as they become files: `site`
    base_url: str = ""  # the address at which such files will be; empty if it is not known

    @property
    def source_name(self) -> str:
        """The source as clients may see it: for a snapshot, the file's name without its folder."""
        return self.source if self.is_remote or self.source == SHIPPED else Path(self.source).name

    @property
    def is_remote(self) -> bool:
        """Whether the source is on the network."""
        return is_remote(self.source)


def read_settings(path: Path) -> SettingsFile:
    """Read a file of settings.

    Raises:
        ConfigError: It cannot be read, or has a setting or a value that does not exist.
    """
    try:
        return msgspec.toml.decode(read_text(path, ConfigError)[0], type=SettingsFile)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: {error}; docs/serve.md lists the settings") from error
