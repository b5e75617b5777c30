"""Entities from the lines of a dump in N-Triples, in which all that is said of one stands together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache, partial
from itertools import groupby

from testgen.dumps.sieve import Sieve
from testgen.dumps.steps import DIRECT
from testgen.dumps.subjects import Fault, Subject, Unit
from testgen.dumps.values import UNKNOWN
from testgen.sources.base import ENTITY

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
_NAMES = (LABEL, ALIAS, SAME_AS)
_LITERAL = r'"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^<>"\s]*>)?'
_REST = re.compile(rf"(<[^<>\"\s]*>|_:[^\s<>\"]+|{_LITERAL})[ \t]*\.[ \t]*(?:#.*)?")
_ID = re.compile(rb"[A-Z][1-9][0-9]*(?:-[A-Z][1-9][0-9]*)?")


class TriplesSubject:
    """What lines of N-Triples say of an entity."""

    __slots__ = ("_names", "_said", "id")
    modified = ""

    def __init__(self, id_: str, said: dict[str, list[str]], names: list[bytes]) -> None:
        """Keep what is said, objects by predicate, and the lines of names."""
        self.id, self._said, self._names = id_, said, names

    @property
    def predicates(self) -> Set[str]:
        """All that are wanted."""
        return self._said.keys()

    def objects(self, predicate: str) -> Sequence[str]:
        """The objects in the order of the lines."""
        return self._said.get(predicate, ())

    def names(self) -> bytes:
        """Labels and aliases, and what it has been merged into, as they are in the dump."""
        return b"\n".join(self._names)


def units(block: bytes, sieve: Sieve, faults: list[Fault]) -> Iterator[Unit]:
    """What is said of one entity after another, as far as it may be needed.

    Args:
        block: Whole lines, all of each entity.
        sieve: What is needed.
        faults: Lines that are no triples are added to it.
    """
    faults += _broken(block)
    matches = _wanted(sieve).finditer(block)
    for id_, lines in groupby(matches, key=lambda match: match[1]):
        said: dict[str, list[str]] = {}
        names: list[bytes] = []
        for line in lines:
            if line[3] is None:
                names.append(line[0])
                continue
            try:
                said.setdefault(line[2].decode().removeprefix(DIRECT), []).append(_object(line[3]))
            except ValueError as error:
                number = block.count(b"\n", 0, line.start())
                faults.append(Fault(number, line.start(), str(error)))
        if _ID.fullmatch(id_):
            yield Unit(-1, -1, partial(_one, id_.decode(), said, names))


def _one(id_: str, said: dict[str, list[str]], names: list[bytes]) -> list[Subject]:
    return [TriplesSubject(id_, said, names)]


def _object(rest: bytes) -> str:
    """The object of a triple; for a blank node, an unknown value, an IRI as the query service has it.

    Raises:
        ValueError: It is none, or not UTF-8.
    """
    match = _REST.fullmatch(rest.decode().rstrip("\r"))
    if match is None:
        raise ValueError(f"no object of a triple: {rest[:60].decode(errors='replace')}")
    found = match[1]
    return f"<{UNKNOWN}{found[2:]}>" if found.startswith("_:") else found


@lru_cache(maxsize=4)
def _wanted(sieve: Sieve) -> re.Pattern[bytes]:
    """What matches a line that may be needed: its id, and its predicate and the rest if it is no name."""
    keys = sorted(sieve.predicates, key=lambda key: (-len(key), key))
    direct = "|".join(key for key in keys if key.startswith("P"))
    others = [re.escape(key) for key in keys if not key.startswith("P")]
    iris = "|".join([f"{re.escape(DIRECT)}(?:{direct})", *others] if direct else others)
    text = rf"<({iris})>[ \t]*(.*)"
    if sieve.named:
        text = rf"(?:<(?:{'|'.join(map(re.escape, _NAMES))})>.*|{text})"
    return re.compile(rf"^<{re.escape(ENTITY)}([^<>\s]+)>[ \t]+{text}$".encode(), re.MULTILINE)


def _broken(block: bytes) -> Iterator[Fault]:
    """Lines that are no triples, as can be seen from their ends."""
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    if block.count(b".\n") + block.endswith(b".") == lines and block.count(b"\n<") == lines - 1:
        return
    offset = 0
    for number, line in enumerate(block.split(b"\n")):
        stripped = line.strip()
        whole = stripped.startswith((b"<", b"_:")) and stripped.endswith(b".")
        if stripped and not whole and not stripped.startswith(b"#"):
            yield Fault(number, offset, "no triple: it does not begin with a subject and end with a dot")
        offset += len(line) + 1
