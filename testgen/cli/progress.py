"""Opening a source for a command, and showing on stderr what is asked of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from testgen.cli.output import console, echo
from testgen.system import duration, visible

if TYPE_CHECKING:
    from testgen.sources import AnsweringSource, RemoteSource, Source

SILENCE = 10.0  # seconds between lines if stderr is not a terminal


@contextmanager
def open_showing_progress(
    source: Sequence[str], *, offline: bool, max_age: float | None = None
) -> Iterator[AnsweringSource]:
    """Open a source; show progress on stderr while it is asked over a network."""
    from testgen.sources import AnswerCache, RemoteSource, is_remote, open_source

    if not is_remote(source[0]) or len(source) > 1:
        with steps_shown() as show:
            show("reading the snapshot")
            snapshot = open_source(source)
        yield snapshot
        return
    cache = AnswerCache(max_age=None if max_age is None else timedelta(days=max_age), offline=offline)
    try:
        asked = open_source(source, cache)
        assert isinstance(asked, RemoteSource)  # noqa: S101  # as `is_remote` says
        with _progress_shown(asked):
            yield asked
    except KeyboardInterrupt:
        echo("testgen: the answers so far are in the cache; run the same command again to resume", err=True)
        raise
    finally:
        cache.close()


@contextmanager
def steps_shown(source: Source | None = None) -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is done while the block runs, unless the source itself shows it."""
    from testgen.sources import RemoteSource

    if not sys.stderr.isatty() or isinstance(source, RemoteSource):
        yield lambda _: None
        return
    with status_line(at_once=False) as show:
        yield show


@contextmanager
def status_line(*, at_once: bool) -> Iterator[Callable[..., None]]:
    """Show a line on stderr while the block runs, and give the function that changes its text."""
    # If stderr is not a terminal, texts are printed now and then, and urgent ones always.
    from rich.text import Text

    on_stderr = console(stderr=True)
    last_printed = 0.0 if at_once else time.monotonic()
    with on_stderr.status("") as status:

        def show(text: object, *, urgent: bool = False) -> None:
            nonlocal last_printed
            if on_stderr.is_terminal:
                # Rich reads markup in a text; anything else is what it makes a text of.
                status.update(Text(visible(text)) if isinstance(text, str) else text)  # type: ignore[arg-type]
            elif urgent or time.monotonic() - last_printed > SILENCE:
                on_stderr.print(f"testgen: {text}", soft_wrap=True)
                last_printed = time.monotonic()

        yield show


@contextmanager
def _progress_shown(source: RemoteSource) -> Iterator[None]:
    """Say what is asked, how many requests are left, and how long they will take at the present rate."""
    with status_line(at_once=True) as show:
        start = time.monotonic()

        def asking(what: str, left: int) -> None:
            asked = sum(server.asked for server in source.servers)
            text = f"asking for {what}" + (f"; {left} requests left" if left else "")
            if left and asked:
                text += f", about {duration(left * (time.monotonic() - start) / asked)}"
            show(text)

        def waiting(reason: str, seconds: float) -> None:
            show(_Countdown(reason, time.monotonic() + seconds), urgent=seconds > SILENCE)

        source.notify = asking
        for server in source.servers:
            server.notify = waiting
        yield


@dataclass(frozen=True)
class _Countdown:
    """A text with the time that is left; rich asks for it several times a second."""

    reason: str
    end: float

    def __str__(self) -> str:
        return f"{self.reason}; waiting {duration(max(0.0, self.end - time.monotonic()))}"

    def __rich__(self) -> str:
        return str(self)
