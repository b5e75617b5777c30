"""The settings of a service, which its operator chooses at the start."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from testgen.sources import SHIPPED, is_remote

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names by which a machine reaches itself."""


@dataclass(frozen=True)
class Limits:
    """What one client or one request may ask for.

    Attributes:
        classes: How many classes by id one request may name.
        class_items: How many items such a class may have.
        jobs_per_client: How many unfinished jobs one client may have.
        jobs_per_hour: How many jobs one client may start in an hour.
        jobs_kept_per_client: How many finished jobs of one client are stored; its oldest are deleted first.
        jobs_kept: How many finished jobs of all clients are stored with their results.
        days_kept: After how many days a result may be deleted to make room for those of other clients.
        archives: How many zip files are made at the same time.
        connections: How many connections there may be, within three quarters of the files that the process
            may have open.
        connections_per_client: How many one client may have; behind a proxy, the proxy limits them.
        streams: How many streams of events there may be.
        streams_per_client: How many one client may have.
        waiting: How many requests may wait for a test set to be made.
        cache_bytes: How much memory the cache of finished test sets may take.
        page_bytes: How much memory the cache of pages may take.
    """

    classes: int = 10
    class_items: int = 100_000
    jobs_per_client: int = 3
    jobs_per_hour: int = 30
    jobs_kept_per_client: int = 10
    jobs_kept: int = 500
    days_kept: float = 7
    archives: int = 2
    connections: int = 1000
    connections_per_client: int = 100
    streams: int = 200
    streams_per_client: int = 10
    waiting: int = 16
    cache_bytes: int = 64_000_000
    page_bytes: int = 32_000_000


@dataclass(frozen=True)
class Settings:
    """All settings of a service.

    Attributes:
        directory: The folder for jobs and their results.
        source: `shipped`, `wikidata`, the URL of an endpoint, or the path of a snapshot.
        categories: Names of the categories and relations that are offered; all shipped ones if empty.
        hosts: The host names under which the service answers; requests under other names are refused, so that
            no web page can reach a service on its visitor's own machine under another name.
        limits: What clients may ask for.
        root_path: The path below which the service is, such as /testgen; empty for the whole host.
        access_log: Whether requests are logged.
        pages_only: Whether pages offer only what needs no process, because they become files; see `site`.
        base_url: The address at which such files will be; empty if it is not known.
        behind_proxy: Whether to trust what a proxy says about its clients.
    """

    directory: Path
    source: str = "shipped"
    categories: tuple[str, ...] = ()
    hosts: tuple[str, ...] = LOOPBACK
    limits: Limits = field(default_factory=Limits)
    behind_proxy: bool = False
    root_path: str = ""
    access_log: bool = False
    pages_only: bool = False
    base_url: str = ""

    @property
    def source_name(self) -> str:
        """The source as clients may see it: for a snapshot, the file's name without its folder."""
        return self.source if self.is_remote or self.source == SHIPPED else Path(self.source).name

    @property
    def is_remote(self) -> bool:
        """Whether the source is on the network."""
        return is_remote(self.source)
