"""Tells names of things from names of pictures, among CLDR's names of emoji.

Many languages still call the lion "lion face", and the emoji of a game "tennis ball" or "ball of basketball".
The words for "face" and "ball" are not the same everywhere, so each language's own names show them, and that
for "sign", with which Khmer names a wheel and a jar ("sign with the picture of a wheel").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

FACES = {
    "🐶": "🐕",
    "🐱": "🐈",
    "🐯": "🐅",
    "🐮": "🐄",
    "🐷": "🐖",
    "🐭": "🐁",
    "🐰": "🐇",
    "🐵": "🐒",
    "🐴": "🐎",
}
"""Emoji of faces of animals ("dog face"), with those of the animals ("dog")."""

HEADS = "🦊🐻🐼🐨🦁🐸🐺🐹🦄🤖"
"""Emoji that show only a head, and whose name should be that of the animal or thing."""

UNRELATED = "🦊🦁🐸🐺🐹🦄🤖🐲"
"""Those of them (and the dragon's face) whose names share nothing but a word for "face" or "head"."""

BALLS = "⚽🏀🏐🎾🏈🏉⚾🥎"

TENNIS = "🎾"

SIGNS = "☢☣⚠🚫⛔♻♿☮⚕⚛♀♂🚭🚯🚱🚳🚷📵🔞🚸"
"""Emoji that are signs and show no thing."""

NOT_IN_A_WORD = frozenset('/,:;[]"«»')

IDEOGRAPHS = "\u2e80"


def things(names: Mapping[str, str]) -> dict[str, str]:
    """A language's names of emoji that name a thing and not a picture.

    Names that give two forms ("Lehrer(in)", "soudce/soudkyně"), an explanation or a number are left out too.
    """
    pictures = _faces(names) | {code for code in BALLS if _is_ball(code, names)} | _signs(names)
    return {code: name for code, name in names.items() if code not in pictures and _is_plain(name)}


def _is_plain(name: str) -> bool:
    attached = any(left.isalpha() and right == "(" for left, right in pairwise(name))
    return not (attached or NOT_IN_A_WORD & set(name) or any(map(str.isdigit, name)))


def _faces(names: Mapping[str, str]) -> set[str]:
    """The emoji of heads whose names say so."""
    mark, words = _mark(names), _shared(UNRELATED, names, 2)
    heads = {code: names[code] for code in HEADS if code in names}
    return {code for code, name in heads.items() if (mark and mark in name) or words & set(name.split())}


def _signs(names: Mapping[str, str]) -> set[str]:
    """The emoji whose names begin as most names of signs do, if no animal's name does."""
    signs = [names[code] for code in SIGNS if code in names]
    counts = Counter(name[:end] for name in signs for end in range(SHORTEST, len(name)))
    common = [beginning for beginning, count in counts.items() if 2 * count > len(signs)]
    if len(signs) < MOST or not common:
        return set()
    begins = max(common, key=len)
    animals = [names[code] for code in FACES.values() if code in names]
    if any(name.startswith(begins) for name in animals):
        return set()
    return {code for code, name in names.items() if name.startswith(begins) and code not in SIGNS}


SHORTEST = 3
"""A word for "sign" has at least so many letters."""


def _mark(names: Mapping[str, str]) -> str:
    """The longest text that most names of faces have and the animals' names have not, if there is any."""
    faces = [names[code] for code in FACES if code in names]
    animals = [names[code] for code in FACES.values() if code in names]
    counts = Counter(piece for name in faces for piece in _pieces(name))
    balance = {
        piece: count - 3 * sum(piece in name for name in animals)
        for piece, count in counts.items()
        if 3 * count >= 2 * len(faces)
    }
    marks = [(margin, len(piece), piece) for piece, margin in balance.items() if 2 * margin >= len(faces)]
    return max(marks)[2] if len(faces) >= MOST and marks else ""


MOST = 6
"""So many of the nine faces must have names."""


def _pieces(name: str) -> set[str]:
    """All parts of a name of two characters or more, and single ideographs."""
    ends = range(1, len(name) + 1)
    return {
        name[start:end] for end in ends for start in range(end) if end - start > 1 or name[start] > IDEOGRAPHS
    }


def _shared(codes: Iterable[str], names: Mapping[str, str], least: int) -> set[str]:
    """Words that so many of the names have."""
    counts = Counter(word for code in codes for word in set(names.get(code, "").split()))
    return {word for word, count in counts.items() if count >= least}


def _is_ball(code: str, names: Mapping[str, str]) -> bool:
    """Whether a name has the word for "ball", or tennis ends as football does ("Tennisball")."""
    words = names.get(code, "").split()
    if len(words) > 1:
        return bool(_shared(BALLS, names, 3) & set(words))
    football = names.get("⚽", "").split()
    return code == TENNIS and bool(words and football) and words[0][-ENDING:] == football[0][-ENDING:]


ENDING = 3
"""A common ending of so many letters is taken for the word "ball"."""
