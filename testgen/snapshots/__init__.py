"""Snapshots: created from a source or from dumps, inspected, compared. `testgen.sources` reads them."""
