"""What the operator of a service decides, at its start and for all who use it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from testgen.sources import SHIPPED, is_remote

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names by which a machine calls itself."""


@dataclass(frozen=True)
class Limits:
    """What one client or one request may ask for.

    Attributes:
        classes: How many classes by id one request may name.
        class_items: How many items such a class may have.
        jobs_per_client: How many jobs one client may have that are not finished.
        jobs_kept: How many finished jobs are kept with their results; the oldest go first.
        archives: How many zip files are made at a time.
        waiting: How many requests may wait for a test set to be made.
        cache_bytes: How much memory finished test sets may take, so that they are not made again.
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
    """Everything else that the operator decides.

    Attributes:
        directory: Where jobs and their results are kept.
        source: `shipped`, `wikidata`, the address of an endpoint, or the path of a snapshot.
        categories: Names of the categories and relations that are offered; all shipped ones if empty.
        hosts: The names under which the service is asked; others are refused, so that no web page can
            reach a service on its visitor's own machine by another name.
        limits: What clients may ask for.
    """

    directory: Path
    source: str = "shipped"
    categories: tuple[str, ...] = ()
    hosts: tuple[str, ...] = LOOPBACK
    limits: Limits = field(default_factory=Limits)

    @property
    def source_name(self) -> str:
        """The source as clients may know it: of a snapshot, the file's name without its folder."""
        return self.source if self.is_remote or self.source == SHIPPED else Path(self.source).name

    @property
    def is_remote(self) -> bool:
        """Whether it takes a network to ask the source."""
        return is_remote(self.source)
