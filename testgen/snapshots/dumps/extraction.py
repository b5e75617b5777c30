"""Extracts from blocks of a dump, in worker processes, the statements that queries require."""

from __future__ import annotations

import gzip
import signal
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import count
from multiprocessing import get_context
from typing import NamedTuple

from testgen.errors import SourceError
from testgen.snapshots.dumps import entities
from testgen.snapshots.dumps.entities import Entity
from testgen.snapshots.dumps.required_statements import (
    ITSELF,
    STATEMENT,
    Atom,
    Conjunction,
    StatementPattern,
)
from testgen.sources.base import DIRECT, ENTITY
from testgen.sources.hierarchy import INSTANCE_OF
from testgen.system import end_with_parent

REPORTED = 10  # how many broken lines are reported in detail
_WAITING = 4  # blocks that wait for each worker; more would need more memory
_NO_ENTITY = "it does not begin and end with a brace, as entities do"


class StatementFilter:
    """Patterns of statements in a form in which millions of entities can be tested."""

    # An entity is not tested on each of the hundreds of conjunctions: each is looked up by its rarest atom.

    def __init__(self, patterns: Collection[StatementPattern]) -> None:
        # Predicates, and objects or any, of the statements of entities for which a conjunction is true.
        self._wanted: dict[Conjunction, list[tuple[frozenset[str], frozenset[str] | None]]] = {}
        mentioned: set[str] = set()
        for pattern in patterns:
            mentioned |= pattern.predicates
            for conjunction in pattern.condition:
                mentioned.update(*(atom.predicates for atom in conjunction))
                self._wanted.setdefault(conjunction, []).append((pattern.predicates, pattern.objects))
        ids = {each.removeprefix(STATEMENT) for each in mentioned if each.startswith(STATEMENT)}
        self.properties_of_any_rank = sorted(each for each in ids if "/" not in each)
        self._by_predicate: defaultdict[str, list[Conjunction]] = defaultdict(list)
        self._by_object: dict[str, defaultdict[str, list[Conjunction]]] = {}
        for conjunction in filter(None, self._wanted):
            trigger = min(conjunction, key=_commonness)
            for predicate in trigger.predicates:
                if trigger.objects is None:
                    self._by_predicate[predicate].append(conjunction)
                for object_ in trigger.objects or ():
                    by_object = self._by_object.setdefault(predicate, defaultdict(list))
                    by_object[object_].append(conjunction)

    def select(self, entity: Entity) -> Iterable[str]:
        """The statements of an entity that match a pattern, as lines of N-Triples."""
        found = (self._wanted.get(conjunction, ()) for conjunction in self._matching(entity))
        return dict.fromkeys(line for wanted in found for line in _statements(entity, wanted))

    def _matching(self, entity: Entity) -> Iterator[Conjunction]:
        conjunctions: list[Conjunction] = [frozenset()]
        for predicate in self._by_predicate.keys() & entity.predicates:
            conjunctions += self._by_predicate[predicate]
        for predicate in self._by_object.keys() & entity.predicates:
            by_object = self._by_object[predicate]
            for object_ in entity.objects(predicate):
                conjunctions += by_object.get(object_, ())
        if ITSELF in self._by_object:
            conjunctions += self._by_object[ITSELF].get(f"<{ENTITY}{entity.id}>", ())
        for conjunction in dict.fromkeys(conjunctions):
            if all(_holds(entity, atom) for atom in conjunction):
                yield conjunction


def _commonness(atom: Atom) -> tuple[bool, bool, list[str]]:  # the least of the rarest atom
    return atom.objects is None, INSTANCE_OF in atom.predicates, sorted(atom.predicates)


def _holds(entity: Entity, atom: Atom) -> bool:
    if ITSELF in atom.predicates:
        return atom.objects is None or f"<{ENTITY}{entity.id}>" in atom.objects
    found = atom.predicates & entity.predicates if len(atom.predicates) > 1 else atom.predicates
    if atom.objects is None:
        return any(entity.objects(predicate) for predicate in found)
    return any(not atom.objects.isdisjoint(entity.objects(predicate)) for predicate in found)


def _statements(
    entity: Entity, wanted: Iterable[tuple[frozenset[str], frozenset[str] | None]]
) -> Iterator[str]:
    for predicates, objects in wanted:
        for predicate in predicates.intersection(entity.predicates):
            for object_ in entity.objects(predicate):
                if objects is None or object_ in objects:
                    iri = DIRECT + predicate if predicate.startswith("P") else predicate
                    yield f"<{ENTITY}{entity.id}> <{iri}> {object_} ."


class Extract(NamedTuple):
    """What is extracted from a block."""

    statements: bytes  # lines of N-Triples in gzip
    statement_count: int
    lines: int  # the number of lines of the block
    size: int  # the number of its bytes
    entities: int  # the number of its lines that look like entities
    broken: list[tuple[int, int, str]]  # of the first broken lines, number and offset from 0, and why
    broken_count: int  # the number of broken lines
    modified: str  # when one of its entities was last changed; empty if the dump does not say this


def extract(block: bytes, filter_: StatementFilter) -> Extract:
    """Extract what a filter selects from a block of whole lines."""
    statements: list[str] = []
    broken: list[tuple[int, int, str]] = []
    looked_at, modified = 0, ""
    for number, offset, line in lines_of(block):
        if not (line.startswith(b"{") and line.endswith(b"}")):
            broken.append((number, offset, _NO_ENTITY))
            continue
        looked_at += 1
        try:
            parsed = entities.parse(line, filter_.properties_of_any_rank)
            statements += [each for entity in parsed for each in filter_.select(entity)]
        except (LookupError, TypeError, ValueError) as error:  # msgspec's errors are ValueErrors
            broken.append((number, offset, str(error)))
            continue
        modified = max(modified, parsed[0].modified)
    text = "".join(f"{line}\n" for line in statements).encode("utf-8", "replace")
    return Extract(
        gzip.compress(text, compresslevel=1) if text else b"",
        len(statements),
        block.count(b"\n"),
        len(block),
        looked_at,
        broken[:REPORTED],
        len(broken),
        modified,
    )


def lines_of(block: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The lines of a block that may hold entities, without commas at the end: number from 0, offset, text."""
    begin = 0
    for number in count():
        if begin >= len(block):
            return
        newline = block.find(b"\n", begin)
        end = newline if newline >= 0 else len(block)
        # Lines are cut out one by one, without their comma: each further copy would cost as much as parsing.
        line = block[begin : end - block.endswith(b",", begin, end)].strip().removesuffix(b",").rstrip()
        if line not in (b"", b"[", b"]"):
            yield number, begin, line
        begin = end + 1


def extract_all(
    blocks: Iterable[bytes], patterns: Collection[StatementPattern], workers: int
) -> Iterator[Extract]:
    """Extract the statements of each block that match patterns; only some blocks are read ahead."""
    if workers == 1:  # this process does the work itself
        filter_ = StatementFilter(patterns)
        yield from (extract(block, filter_) for block in blocks)
        return
    waiting: deque[Future[Extract]] = deque()
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (patterns,)) as pool:
        try:
            for block in blocks:
                waiting.append(pool.submit(_extract_here, block))
                if len(waiting) > _WAITING * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise SourceError(
                "a worker process was killed, perhaps because memory ran out; run the same command again "
                "with fewer --workers"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


_of_this_process: StatementFilter


def _begin(patterns: Collection[StatementPattern]) -> None:
    global _of_this_process  # noqa: PLW0603  # the only way to store something in a process of a pool
    _of_this_process = StatementFilter(patterns)
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C interrupts the parent, which ends this process


def _extract_here(block: bytes) -> Extract:
    return extract(block, _of_this_process)
