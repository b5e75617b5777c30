"""The files that ship with the package: snapshots, what they answer, and the licence of Unicode's data."""

from __future__ import annotations

from pathlib import Path

UNICODE_LICENSE = "https://www.unicode.org/license.txt"
"""The licence of Unicode's data, as the shipped snapshot names it."""

ANSWERS = "answers.jsonl.gz"
"""The snapshot beside the shipped files of what they answer to the shipped queries."""


def shipped_snapshots() -> tuple[Path, ...]:
    """The snapshots in `testgen/cache` if installed, `cache` in a checkout; CLDR's labels come first."""
    inside = Path(__file__).parent.parent / "cache"
    directory = inside if inside.is_dir() else Path(__file__).parent.parent.parent / "cache"
    return tuple(sorted(directory.glob("*.ttl.gz")))


def unicode_notice() -> str:
    """The notice of the Unicode licence, which has to go with every copy of its data."""
    return (shipped_snapshots()[0].parent / "UNICODE-LICENSE.txt").read_text(encoding="utf-8")


def in_full(license_: str) -> str:
    """A licence as a file states it; that of Unicode, whose notice has to be in every copy, in full."""
    return unicode_notice() if license_ == UNICODE_LICENSE else license_
