"""Record the results of this version: `python -m tests.golden.record`, with names of groups for these alone.

It says what is not as it was. With `--words-only` nothing is recorded where a number, a key or a count has
changed: for when only messages are worded in another way.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.golden import inputs
from tests.golden.commands import RUNS
from tests.golden.runs import HERE, as_text, changes, recorded, result_of


def main() -> None:
    """Run the commands and write a file for each group."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", help="such as measures; all if none is named")
    parser.add_argument("--words-only", action="store_true", help="refuse changes of anything but words")
    given = parser.parse_args()
    data = Path(os.environ.get("TESTGEN_SHARED_DATA", HERE.parents[2] / "shared" / "data")).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        inputs.make(folder)
        for group in dict.fromkeys(run.group for run in RUNS):
            if not given.groups or group in given.groups:
                _record(group, folder, data, words_only=given.words_only)


def _record(group: str, folder: Path, data: Path, *, words_only: bool) -> None:
    old, new = recorded(group), {}
    for run in (run for run in RUNS if run.group == group):
        if run.real and not data.is_dir():
            sys.exit(f"{run.name}: no real data at {data}; set TESTGEN_SHARED_DATA")
        started = time.perf_counter()
        new[run.name] = result_of(run, folder, data)
        sys.stderr.write(f"{run.name}: {time.perf_counter() - started:.2f} seconds\n")
    found = list(changes(old, new))
    sys.stdout.writelines(f"{group}.json {each}\n" for each in found)
    if words_only and not all(each.of_words for each in found):
        sys.exit(f"{group}.json: more than words has changed; nothing was recorded")
    (HERE / f"{group}.json").write_text(as_text(new) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
