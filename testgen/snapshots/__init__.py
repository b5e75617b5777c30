"""Snapshots: created from a source or from dumps, inspected, compared.

Answering queries from a snapshot is not here but in `testgen.sources`, where it is one source of several.
"""

from __future__ import annotations

from testgen.snapshots.comparison import SnapshotInfo, diff, info
from testgen.snapshots.creation import create, is_snapshot

__all__ = ["SnapshotInfo", "create", "diff", "info", "is_snapshot"]
