"""Where a wrong word of a test set is corrected: at its source, as the pages of testgen say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import metadata
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import quote

OWN_TEST_SETS = (
    "In your own test sets: `testgen generate --corrections FILE`. Each line of the file has an item, a "
    "language and the right word, separated by tabs; a line without a word leaves the item out."
)
"""What one can do at once."""

_ISSUES = ("issues", "issue tracker", "bug tracker", "tracker")  # labels of addresses of a project
_FORM = "{}/new?template=names.yml&word={}"  # of an issue tracker at GitHub
_ITEM = re.compile(r"((?P<letter>[QL])[1-9][0-9]*)(?:-[A-Z][1-9][0-9]*)?")


class _Rule(NamedTuple):
    """A row of `word_sources.tsv`, which is a copy of testgen's."""

    source: str
    advice: str
    address: str
    item: str
    otherwise: str

    @property
    def is_ours(self) -> bool:
        """Whether the words are the project's own."""
        return self.address == "ISSUES"


@cache
def _rules() -> list[_Rule]:
    _, *rows = (files(__package__) / "word_sources.tsv").read_text(encoding="utf-8").splitlines()
    return [_Rule(*row.split("\t")) for row in rows]


def _rule(source: str) -> _Rule:
    """The first one that fits."""
    return next(each for each in _rules() if fnmatchcase(source, each.source))


def advice(sources: Sequence[str]) -> Iterator[str]:
    """What to do about a wrong word, for each source of a test set."""
    for source in sources:
        rule = _rule(source)
        yield f"{source}: {rule.otherwise if rule.is_ours and not issues_address() else rule.advice}"


def address(sources: Sequence[str], language: str, item: str, word: str) -> str:
    """Where a word is corrected: its item on Wikidata, if all words are from there, or a form; else ""."""
    rules = [_rule(source) for source in sources]
    if rules and all(each.item for each in rules):
        found = _ITEM.fullmatch(item)
        entity = found and (found[1] if found["letter"] == "Q" else f"Lexeme:{found[1]}")
        return rules[0].item.replace("ITEM", entity) if entity else ""
    tracker = issues_address() if any(each.is_ours for each in rules) else ""
    is_github = re.fullmatch(r"https://github\.com/[^/]+/[^/]+/issues", tracker)
    return _FORM.format(tracker, quote(f"{language}, {item}, {word}")) if is_github else tracker


def issues_address() -> str:
    """Where the project takes reports of errors, as its metadata say; empty if they do not."""
    urls = (line.partition(", ") for line in metadata("testgen-evaluator").get_all("Project-URL") or ())
    return next((url.strip() for label, _, url in urls if label.strip().lower() in _ISSUES), "")
