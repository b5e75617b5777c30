"""Snapshots: created from a source, inspected, compared. `testgen.sources` reads them."""
