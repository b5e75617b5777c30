"""Sources answer queries and know names. A new one is a module here and a line in `open_source`."""

from __future__ import annotations

from pathlib import Path

from testgen.sources.base import Names, Provenance, Row, Source, item_number
from testgen.sources.snapshot import Snapshot, shipped_snapshot

__all__ = ["Names", "Provenance", "Row", "Snapshot", "Source", "item_number", "open_source"]

SHIPPED = "shipped"


def open_source(source: str | Path = SHIPPED) -> Source:
    """The source for a name or a path.

    Args:
        source: `shipped` for the snapshot that comes with the package, or the path of a snapshot file.

    Raises:
        SourceError: It cannot be opened.
    """
    return Snapshot(shipped_snapshot() if source == SHIPPED else Path(source))
