"""Selects from the statements of an entity those that queries require."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

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


class _Rule:
    __slots__ = ("conjunction", "statements")

    def __init__(self, conjunction: Conjunction) -> None:
        self.conjunction = conjunction
        self.statements: list[tuple[frozenset[str], frozenset[str] | None]] = []  # predicates, objects or any


class StatementFilter:
    """Patterns of statements in a form in which millions of entities can be tested.

    An entity is not tested on each of the hundreds of conjunctions. Each is looked up by the rarest of its
    atoms, its trigger.

    Attributes:
        properties_of_any_rank: The ids of the properties of which all statements may be selected, not only
            those of best rank.
    """

    def __init__(self, patterns: Iterable[StatementPattern]) -> None:
        rules: dict[Conjunction, _Rule] = {}
        for pattern in patterns:
            for conjunction in pattern.condition:
                rule = rules.setdefault(conjunction, _Rule(conjunction))
                rule.statements.append((pattern.predicates, pattern.objects))
        self.properties_of_any_rank = tuple(sorted(_properties_of_any_rank(rules.values())))
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

    def select(self, entity: Entity) -> Iterable[str]:
        """The statements of an entity that match a pattern, as lines of N-Triples."""
        return dict.fromkeys(line for rule in self._matching(entity) for line in _statements(entity, rule))

    def _matching(self, entity: Entity) -> Iterator[_Rule]:
        yield from self._always
        rules: list[_Rule] = []
        for predicate in self._by_predicate.keys() & entity.predicates:
            rules += self._by_predicate[predicate]
        for predicate in self._by_object.keys() & entity.predicates:
            by_object = self._by_object[predicate]
            for object_ in entity.objects(predicate):
                rules += by_object.get(object_, ())
        if ITSELF in self._by_object:
            rules += self._by_object[ITSELF].get(f"<{ENTITY}{entity.id}>", ())
        for rule in dict.fromkeys(rules):
            if all(_holds(entity, atom) for atom in rule.conjunction):
                yield rule


def _properties_of_any_rank(rules: Iterable[_Rule]) -> set[str]:
    mentioned = {each for rule in rules for predicates, _ in rule.statements for each in predicates}
    mentioned |= {each for rule in rules for atom in rule.conjunction for each in atom.predicates}
    ids = {each.removeprefix(STATEMENT) for each in mentioned if each.startswith(STATEMENT)}
    return {each for each in ids if "/" not in each}


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
        for predicate in predicates.intersection(entity.predicates):
            for object_ in entity.objects(predicate):
                if objects is None or object_ in objects:
                    iri = DIRECT + predicate if predicate.startswith("P") else predicate
                    yield f"<{ENTITY}{entity.id}> <{iri}> {object_} ."
