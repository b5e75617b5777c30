"""What an entity must say of itself to matter: conditions that can be tested on the entity alone.

A condition is a set of conjunctions, one of which must hold; a conjunction a set of atoms, all of which must.
"""

from __future__ import annotations

from typing import NamedTuple

SELF = ""
"""In the place of a predicate: the entity itself is one of the objects."""

_MOST = 64  # conjunctions in a condition; what would have more is weakened


class Atom(NamedTuple):
    """An entity has a statement with one of some predicates and, if objects are given, one of these.

    Attributes:
        predicates: Ids of properties, as in `P31`, and IRIs of other predicates.
        objects: Objects as in N-Triples; None for any.
    """

    predicates: frozenset[str]
    objects: frozenset[str] | None


Conjunction = frozenset[Atom]
Condition = frozenset[Conjunction]

ALWAYS: Condition = frozenset({frozenset()})
NEVER: Condition = frozenset()


def both(one: Condition, other: Condition) -> Condition:
    """The condition that two conditions hold, or a weaker one where that would be too long."""
    if len(one) * len(other) > _MOST:
        return min(one, other, key=len)
    return _shortest(frozenset(left | right for left in one for right in other))


def either(one: Condition, other: Condition) -> Condition:
    """The condition that one of two conditions holds."""
    return _shortest(one | other)


def _shortest(condition: Condition) -> Condition:
    """Without the conjunctions that another one implies."""
    return frozenset(each for each in condition if not any(other < each for other in condition))
