"""Rebuild evaluator/text/arabic_words.tsv, by which the profile `arabic-clitics` cuts forms.

`cut` are the words of the classical core by which a thing is asked, spelled as the profile `arabic` spells
them; `whole` are all other Arabic words of the shipped files, which are never cut.
"""

from __future__ import annotations

from pathlib import Path

import build_historical as core

import testgen
from evaluator.text.alphabets import arabic

OTHERS = frozenset(("كلا", "اذن", "امام"))
"""Words that in longer forms mostly are "both", "permission" and "in front of", without their hamza."""
WHOLE = ("بابل", "بخيل", "بكره", "بحور", "بدار", "واصل", "ايتها", "ايتهن")
"""Words of their own: Babylon, a miser, tomorrow, seas, haste, a name, and "O"."""
TABLE = Path(__file__).resolve().parent.parent / "evaluator" / "text" / "arabic_words.tsv"


def table() -> str:
    """The words, each with its use, in the order of their letters."""
    others = core.aliases("ar")
    tables = [core.rows("ar"), core.rows("ar", core.TOPICS)]
    every = {arabic(word) for rows in tables for row in rows for word in core.words(row)}
    (shipped,) = testgen.build_test_sets(testgen.TestSetRequest(["ar"]))
    every |= {arabic(word) for each in shipped.categories for item in each.items for word in item.words}
    cut = {arabic(word) for row in core.rows("ar") for word in core.usual_words(row, others)} - OTHERS
    lines = (f"{word}\t{'cut' if word in cut else 'whole'}\n" for word in sorted(every | set(WHOLE)))
    return "word\tuse\n" + "".join(lines)


def main() -> None:
    """Write the table."""
    TABLE.write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    main()
