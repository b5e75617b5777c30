"""Number words from CLDR's rules for spelling numbers out (RBNF, Unicode TS 35 part 3), for whole numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Rules = Mapping[str, Sequence[Sequence[str]]]
"""Rule sets by name; each rule is its base value, with its radix after a slash, and its text."""

NUMBERS = (*range(1, 13), *range(20, 100, 10), 100, 1000)
"""The numbers that have one word in most languages."""

SETS = ("%spellout-numbering", "%spellout-cardinal", "%spellout-cardinal-masculine")
"""The rule sets for numbers as they are counted; the first that a language has is used."""

_PLURAL = re.compile(r"\$\((?:cardinal|ordinal),(?:[^()]*?\bone\{([^}]*)\}|[a-z]+\{([^}]*)\})[^()]*\)\$")
_OPTIONAL = re.compile(r"\[([^\]]*)\]")
_PART = re.compile(r"→→→|([←→=])([^←→=]*)\1")


def spelled_out(number: int, rules: Rules) -> str:
    """A number in words; "" if there are no rules for it."""
    name = next((each for each in SETS if each in rules), None) or next(iter(rules), "")
    words = _format(number, name, rules)
    return "" if any(map(str.isdigit, words)) else words


def _format(number: int, name: str, rules: Rules) -> str:
    if not name.startswith("%"):  # a pattern of digits, such as #,##0
        return str(number)
    base, radix, text = _rule(number, rules.get(name, ()))
    divisor = 1
    while base and divisor * radix <= base:
        divisor *= radix
    quotient, rest = divmod(number, divisor)
    text = _OPTIONAL.sub(r"\1" if rest else "", text)
    text = _PLURAL.sub(lambda match: match[1] or match[2] or "", text)

    def part(match: re.Match[str]) -> str:
        value = {"←": quotient, "→": rest, "=": number, None: rest}[match[1]]
        return _format(value, match[2] or name, rules)

    return _PART.sub(part, text)


def _rule(number: int, rules: Sequence[Sequence[str]]) -> tuple[int, int, str]:
    """Base value, radix and text of the rule for a number: the last whose base value is not larger."""
    found = (0, 10, "")
    for base, text in rules:
        value, _, radix = base.partition("/")
        if value.isdigit() and int(value) <= number:
            found = int(value), int(radix or 10), text.removesuffix(";").removeprefix("'")
    return found
