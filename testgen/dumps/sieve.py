"""Needs, made ready to test millions of entities: which of their statements and names are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from testgen.dumps.conditions import SELF, Atom, Conjunction
from testgen.dumps.needs import Needs
from testgen.dumps.subjects import Subject, triple
from testgen.hierarchy import INSTANCE_OF
from testgen.sources.base import ENTITY

_Wanted = tuple[frozenset[str], frozenset[str] | None]
"""Predicates, and objects or None for any."""


class _Rule:
    """What is kept of an entity that meets a conjunction."""

    __slots__ = ("conjunction", "named", "wanted")

    def __init__(self, conjunction: Conjunction) -> None:
        self.conjunction = conjunction
        self.wanted: list[_Wanted] = []
        self.named = False


class Sieve:
    """Keeps what is needed.

    An entity is not tested on every conjunction, of which there are hundreds: each waits for one of its
    atoms, its trigger.

    Attributes:
        predicates: Those whose statements may be kept.
        named: Whether names of anything may be kept.
    """

    def __init__(self, needs: Needs) -> None:
        """Make needs ready."""
        rules: dict[Conjunction, _Rule] = {}
        for need in needs.statements:
            for conjunction in need.condition:
                rule = rules.setdefault(conjunction, _Rule(conjunction))
                rule.wanted.append((need.predicates, need.objects))
        for conjunction in needs.names:
            rules.setdefault(conjunction, _Rule(conjunction)).named = True
        self.predicates = frozenset(each for need in needs.statements for each in need.predicates)
        self.predicates |= frozenset(
            each for conjunction in rules for atom in conjunction for each in atom.predicates if each != SELF
        )
        self.predicates |= frozenset({INSTANCE_OF} if needs.classes else ())
        self.named = bool(needs.names)
        self._classes = needs.classes
        self._always: list[_Rule] = []
        self._by_predicate: defaultdict[str, list[_Rule]] = defaultdict(list)
        self._by_object: defaultdict[str, defaultdict[str, list[_Rule]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for rule in rules.values():
            self._place(rule)

    def _place(self, rule: _Rule) -> None:
        if not rule.conjunction:
            self._always.append(rule)
            return
        trigger = min(rule.conjunction, key=_commonness)
        for predicate in trigger.predicates:
            if trigger.objects is None:
                self._by_predicate[predicate].append(rule)
            for object_ in trigger.objects or ():
                self._by_object[predicate][object_].append(rule)

    def sift(self, subject: Subject) -> tuple[list[str], bytes]:
        """What is kept of an entity: its statements as N-Triples, and the record of its names, or nothing."""
        rules = list(self._of(subject))
        if not rules:
            return [], b""
        lines = dict.fromkeys(line for rule in rules for line in _kept(subject, rule))
        record = self._record(subject) if any(rule.named for rule in rules) else b""
        return list(lines), record

    def _of(self, subject: Subject) -> Iterator[_Rule]:
        """The rules that hold for an entity."""
        yield from self._always
        rules: list[_Rule] = []
        for predicate in sorted(self._by_predicate.keys() & subject.predicates):
            rules += self._by_predicate[predicate]
        for predicate in sorted(self._by_object.keys() & subject.predicates):
            by_object = self._by_object[predicate]
            for object_ in subject.objects(predicate):
                rules += by_object.get(object_, ())
        if SELF in self._by_object:
            rules += self._by_object[SELF].get(f"<{ENTITY}{subject.id}>", ())
        for rule in dict.fromkeys(rules):
            if all(_holds(subject, atom) for atom in rule.conjunction):
                yield rule

    def _record(self, subject: Subject) -> bytes:
        """The names of an item, and if they are wanted its classes, line by line."""
        if not subject.id.startswith("Q"):
            return b""
        lines = [subject.names()]
        if self._classes:
            lines += [triple(subject.id, INSTANCE_OF, of).encode() for of in subject.objects(INSTANCE_OF)]
        return b"\n".join(line for line in lines if line)


def _commonness(atom: Atom) -> tuple[bool, bool, list[str]]:
    """A sort key: rare things first, for they are the best triggers."""
    return atom.objects is None, INSTANCE_OF in atom.predicates, sorted(atom.predicates)


def _holds(subject: Subject, atom: Atom) -> bool:
    if SELF in atom.predicates:
        return atom.objects is None or f"<{ENTITY}{subject.id}>" in atom.objects
    found = atom.predicates & subject.predicates if len(atom.predicates) > 1 else atom.predicates
    if atom.objects is None:
        return any(subject.objects(predicate) for predicate in found)
    return any(not atom.objects.isdisjoint(subject.objects(predicate)) for predicate in found)


def _kept(subject: Subject, rule: _Rule) -> Iterator[str]:
    for predicates, objects in rule.wanted:
        for predicate in sorted(predicates.intersection(subject.predicates)):
            for object_ in subject.objects(predicate):
                if objects is None or object_ in objects:
                    yield triple(subject.id, predicate, object_)


@lru_cache(maxsize=4)
def sieve_of(needs: Needs) -> Sieve:
    """The sieve for needs, made once in each process."""
    return Sieve(needs)
