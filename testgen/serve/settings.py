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
        jobs_kept: How many finished jobs are stored with their results; the oldest are deleted first.
        archives: How many zip files are made at the same time.
        waiting: How many requests may wait for a test set to be made.
        cache_bytes: How much memory the cache of finished test sets may take.
    """

    classes: int = 10
    class_items: int = 100_000
    jobs_per_client: int = 3
    jobs_kept: int = 100
    archives: int = 2
    waiting: int = 16
    cache_bytes: int = 64_000_000


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
    """

    directory: Path
    source: str = "shipped"
    categories: tuple[str, ...] = ()
    hosts: tuple[str, ...] = LOOPBACK
    limits: Limits = field(default_factory=Limits)

    @property
    def source_name(self) -> str:
        """The source as clients may see it: for a snapshot, the file's name without its folder."""
        return self.source if self.is_remote or self.source == SHIPPED else Path(self.source).name

    @property
    def is_remote(self) -> bool:
        """Whether the source is on the network."""
        return is_remote(self.source)
