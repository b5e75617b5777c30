"""Measures what it costs to check names while a dump is read: processor time for a million lines."""

from __future__ import annotations

import time
from itertools import islice

from dumps import NARROW, numbered

from testgen.queries import choose
from testgen.snapshots.dumps import extraction
from testgen.snapshots.dumps.required_statements import requirements_of
from testgen.snapshots.dumps.statement_filter import StatementFilter

LINES, TIMES = 6000, 5


def main() -> None:
    """Print the lowest of several times, with and without the check."""
    text = b",\n".join(islice(numbered(1), LINES)) + b",\n"
    checks = {"without": lambda _: None, "with": extraction._check}
    for name, queries in (("all queries", choose()), (", ".join(NARROW), choose(NARROW))):
        filter_, lowest = StatementFilter(requirements_of(queries)), dict.fromkeys(checks, float("inf"))
        for what in list(checks) * TIMES:
            extraction._check = checks[what]
            start = time.process_time()
            extraction.extract(text, "JSON", filter_)
            lowest[what] = min(lowest[what], (time.process_time() - start) / LINES * 1e6)
        print(name, {what: f"{seconds:.0f} s" for what, seconds in lowest.items()})


if __name__ == "__main__":
    main()
