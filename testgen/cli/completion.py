"""The values that a shell completes, found without reading a source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

_SNAPSHOT_ENDINGS = (".ttl", ".nt", ".ttl.gz", ".nt.gz")


def languages(incomplete: str) -> list[tuple[str, str]]:
    """Codes in use, with the names of the languages."""
    from testgen.languages import NEUTRAL
    from testgen.languages import languages as known

    names = {each.code: each.name for each in known().values() if not each.replaced_by}
    names.pop(NEUTRAL)
    return _beginning_with(incomplete, names)


def categories(incomplete: str) -> list[tuple[str, str]]:
    """Names of the shipped categories and relations, with their titles."""
    from testgen.queries import shipped_titles

    return _beginning_with(incomplete, shipped_titles())


def topics(incomplete: str) -> list[tuple[str, str]]:
    """Topics of the shipped categories and relations."""
    from testgen.queries import shipped_topics

    return _beginning_with(incomplete, dict.fromkeys(shipped_topics(), ""))


def sources(incomplete: str) -> list[tuple[str, str]]:
    """The names of sources, and the paths of snapshot files and folders."""
    names = {"shipped": "the snapshot that comes with testgen", "wikidata": "Wikidata itself"}
    return [*_beginning_with(incomplete, names), *((path, "") for path in _snapshot_paths(incomplete))]


def _snapshot_paths(incomplete: str) -> Iterable[str]:
    typed = Path(incomplete or ".")
    folder = typed if incomplete.endswith("/") or not incomplete else typed.parent
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return
    for path in found:
        shown = f"{path}/" if path.is_dir() else str(path)
        if shown.startswith(incomplete) and (path.is_dir() or path.name.endswith(_SNAPSHOT_ENDINGS)):
            yield shown


def _beginning_with(incomplete: str, help_of: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, text) for name, text in sorted(help_of.items()) if name.startswith(incomplete)]
