"""Opening a source for a command, and telling on stderr what is asked of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from testgen.queries import Query
    from testgen.sources import Plan, Remote, Source

SILENCE = 10.0  # seconds between lines where stderr is no terminal


@contextmanager
def opened(source: str, *, offline: bool, refresh: bool, max_age: float | None) -> Iterator[Source]:
    """A source, with progress on stderr while it is asked over a network."""
    from testgen.sources import Answers, Freshness, Remote, is_remote, open_source

    if not is_remote(source):
        yield open_source(source)
        return
    age = None if max_age is None else timedelta(days=max_age)
    answers = Answers(freshness=Freshness(age, refresh, offline))
    try:
        asked = open_source(source, answers)
        with _talk(asked) if isinstance(asked, Remote) else _silence():
            yield asked
    finally:
        answers.close()


@contextmanager
def _silence() -> Iterator[None]:
    yield


@contextmanager
def _talk(remote: Remote) -> Iterator[None]:
    from rich.console import Console

    console = Console(stderr=True, highlight=False, markup=False)
    with console.status("") as status:
        talk = _Talk(remote, console, status.update)
        remote.notify = talk.asking
        for web in remote.webs:
            web.notify = talk.waiting
        yield


class _Talk:
    """Says what is asked, how many requests are left, and how long they will take at the pace so far."""

    def __init__(self, remote: Remote, console: Console, update: object) -> None:
        self._remote, self._console, self._update = remote, console, update
        self._begun, self._last_line = time.monotonic(), 0.0

    def asking(self, what: str, left: int) -> None:
        asked = sum(web.asked for web in self._remote.webs)
        pace = (time.monotonic() - self._begun) / asked if asked else 0.0
        text = f"asking for {what}"
        if left:
            text += (
                f"; {left} requests left, about {duration(left * pace)}"
                if asked
                else f"; {left} requests left"
            )
        self._say(text)

    def waiting(self, reason: str, seconds: float) -> None:
        self._say(f"{reason}; waiting {duration(seconds)}")

    def _say(self, text: str) -> None:
        if self._console.is_terminal:
            self._update(text)  # type: ignore[operator]
        elif time.monotonic() - self._last_line > SILENCE:
            self._console.print(f"testgen: {text}", soft_wrap=True)
            self._last_line = time.monotonic()


def duration(seconds: float) -> str:
    """A time for people."""
    if seconds >= 7200:
        return f"{seconds / 3600:.1f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def print_plan(
    source: Source, queries: Sequence[Query], languages: Sequence[str] | None, minimum_items: int | None
) -> None:
    """Say what would be asked, and how many requests it would take; for levels too, given `minimum_items`."""
    from testgen.languages import canonical
    from testgen.sources import Remote

    if not isinstance(source, Remote):
        typer.echo("Nothing is asked over a network: everything is in the snapshot.")
        return
    codes = None if languages is None else [canonical(code) for code in languages]
    plan = source.plan(queries, codes)
    if minimum_items is not None:
        plan = _plan_of_levels(source, queries, codes, minimum_items)
    for query in plan.queries:
        typer.echo(f"query {query.name}: 1 request")
    if plan.items:
        names = -(-plan.items // plan.batch_size)
        typer.echo(f"names of {plan.items} items, {plan.batch_size} at a time: {names} requests")
    if not plan.known:
        typer.echo(
            f"names of the items that these queries return, {plan.batch_size} at a time: not known yet"
        )
    typer.echo(f"{'At least ' if not plan.known else ''}{plan.requests} requests; nothing was asked.")


def _plan_of_levels(
    source: Remote, queries: Sequence[Query], codes: Sequence[str] | None, minimum_items: int
) -> Plan:
    """What would be asked if levels are wanted: which ones, is known of categories whose items are kept."""
    from testgen.hierarchy import hierarchy_queries
    from testgen.words import levels_of

    unasked = source.plan(queries, codes).queries
    rows = {query: source.answer(query, codes).rows for query in queries if query not in unasked}
    above = hierarchy_queries(rows, minimum_items)
    missing = source.plan(above.values()).queries
    known = {query: rows[query] for query, each in above.items() if each not in missing}
    levels, _ = levels_of(source, known, minimum_items)
    classes = {level.class_id for of_query in levels.values() for level in of_query}
    return source.plan([*queries, *above.values()], codes, classes)
