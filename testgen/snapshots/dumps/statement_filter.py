"""Selects from the statements and names of an entity those that queries require."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from testgen.snapshots.dumps.entities import Entity, triple
from testgen.snapshots.dumps.required_statements import ITSELF, Atom, Conjunction, Requirements
from testgen.sources.base import ENTITY
from testgen.sources.hierarchy import INSTANCE_OF


class _Rule:
    """What is selected of an entity that meets a conjunction."""

    __slots__ = ("conjunction", "names", "statements")

    def __init__(self, conjunction: Conjunction) -> None:
        self.conjunction = conjunction
        self.statements: list[tuple[frozenset[str], frozenset[str] | None]] = []  # predicates, objects or any
        self.names = False


class StatementFilter:
    """Requirements in a form in which millions of entities can be tested.

    An entity is not tested on each of the hundreds of conjunctions. Each is looked up by the rarest of its
    atoms, its trigger.

    Attributes:
        predicates: The predicates of statements that may be selected.
        names: Whether any names may be selected.
    """

    def __init__(self, requirements: Requirements) -> None:
        """Index the requirements."""
        rules: dict[Conjunction, _Rule] = {}
        for required in requirements.statements:
            for conjunction in required.condition:
                rule = rules.setdefault(conjunction, _Rule(conjunction))
                rule.statements.append((required.predicates, required.objects))
        for conjunction in requirements.names:
            rules.setdefault(conjunction, _Rule(conjunction)).names = True
        self.names = bool(requirements.names)
        self.predicates = _predicates(requirements, rules)
        self._classes = requirements.classes
        self._always: list[_Rule] = []
        self._by_predicate: defaultdict[str, list[_Rule]] = defaultdict(list)
        self._by_object: defaultdict[str, defaultdict[str, list[_Rule]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for rule in rules.values():
            self._add(rule)

    def _add(self, rule: _Rule) -> None:
        if not rule.conjunction:
            self._always.append(rule)
            return
        trigger = min(rule.conjunction, key=_commonness)
        for predicate in trigger.predicates:
            if trigger.objects is None:
                self._by_predicate[predicate].append(rule)
            for object_ in trigger.objects or ():
                self._by_object[predicate][object_].append(rule)

    def select(self, entity: Entity) -> tuple[list[str], bytes]:
        """The required statements of an entity as lines of N-Triples, and the record of its names.

        Either is empty if nothing of the kind is required.
        """
        rules = list(self._matching(entity))
        if not rules:
            return [], b""
        lines = dict.fromkeys(line for rule in rules for line in _statements(entity, rule))
        record = self._record(entity) if any(rule.names for rule in rules) else b""
        return list(lines), record

    def _matching(self, entity: Entity) -> Iterator[_Rule]:
        """The rules whose conjunctions an entity meets."""
        yield from self._always
        rules: list[_Rule] = []
        for predicate in sorted(self._by_predicate.keys() & entity.predicates):
            rules += self._by_predicate[predicate]
        for predicate in sorted(self._by_object.keys() & entity.predicates):
            by_object = self._by_object[predicate]
            for object_ in entity.objects(predicate):
                rules += by_object.get(object_, ())
        if ITSELF in self._by_object:
            rules += self._by_object[ITSELF].get(f"<{ENTITY}{entity.id}>", ())
        for rule in dict.fromkeys(rules):
            if all(_holds(entity, atom) for atom in rule.conjunction):
                yield rule

    def _record(self, entity: Entity) -> bytes:
        """The names of an item and, if they are required, its classes, one a line."""
        if not entity.id.startswith("Q"):
            return b""
        lines = [entity.names()]
        if self._classes:
            lines += [triple(entity.id, INSTANCE_OF, of).encode() for of in entity.objects(INSTANCE_OF)]
        return b"\n".join(line for line in lines if line)


def _predicates(requirements: Requirements, conjunctions: Iterable[Conjunction]) -> frozenset[str]:
    found = {each for required in requirements.statements for each in required.predicates}
    found |= {each for conjunction in conjunctions for atom in conjunction for each in atom.predicates}
    found |= {INSTANCE_OF} if requirements.classes else set()
    return frozenset(found - {ITSELF})


def _commonness(atom: Atom) -> tuple[bool, bool, list[str]]:
    """A sort key that puts the rarest atom first: it is the best trigger."""
    return atom.objects is None, INSTANCE_OF in atom.predicates, sorted(atom.predicates)


def _holds(entity: Entity, atom: Atom) -> bool:
    if ITSELF in atom.predicates:
        return atom.objects is None or f"<{ENTITY}{entity.id}>" in atom.objects
    found = atom.predicates & entity.predicates if len(atom.predicates) > 1 else atom.predicates
    if atom.objects is None:
        return any(entity.objects(predicate) for predicate in found)
    return any(not atom.objects.isdisjoint(entity.objects(predicate)) for predicate in found)


def _statements(entity: Entity, rule: _Rule) -> Iterator[str]:
    for predicates, objects in rule.statements:
        for predicate in sorted(predicates.intersection(entity.predicates)):
            for object_ in entity.objects(predicate):
                if objects is None or object_ in objects:
                    yield triple(entity.id, predicate, object_)
