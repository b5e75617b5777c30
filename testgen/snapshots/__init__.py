"""Snapshots: created from a source or from dumps, inspected, compared. `testgen.sources` reads them."""

from testgen.snapshots.comparison import diff as diff
from testgen.snapshots.comparison import info as info
from testgen.snapshots.creation import create as create
from testgen.snapshots.creation import is_snapshot as is_snapshot
