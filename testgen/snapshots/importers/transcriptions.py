"""Which cell of a CLDF word list has the spelling, where its forms are in a phonetic alphabet.

`Form` is often a transcription made from `Value`, the word as the source has it. Data sets of the
Intercontinental Dictionary Series say which is which: of `StandardOrth;Phonetic` in the column
`Transcriptions`, the first is the kind of `Value`, and others are those of `AlternativeValues`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex

from testgen.labels.forms import is_phonetic

TRANSCRIPTIONS, ALTERNATIVES = "Transcriptions", "AlternativeValues"
"""The names of columns, which have no term of CLDF."""

_SPELLING = regex.compile(r"stand(ard)?(orth\w*)?|orth\w*", regex.IGNORECASE)


class Written(NamedTuple):
    """The cells of a form."""

    form: str
    value: str = ""
    alternatives: Sequence[str] = ()
    transcriptions: Sequence[str] = ()

    @property
    def spelled(self) -> str | None:
        """The value that is said to be spelled; `value` itself if nothing is said, None if none is."""
        if not self.transcriptions:
            return self.value or None
        values = zip((self.value, *self.alternatives), self.transcriptions, strict=False)
        return next((text for text, kind in values if text and _SPELLING.fullmatch(kind.strip())), None)


def words_as_spelled(forms: Sequence[Written], code: str) -> list[str]:
    """The words of all forms of a language: where most are phonetic, the spelled ones, if most have one."""
    words = [each.form for each in forms]
    if not _are_phonetic(words, code):
        return words
    spelled = [each.spelled or "" for each in forms]
    known = [each for each in spelled if each]
    return spelled if 2 * len(known) > len(forms) and not _are_phonetic(known, code) else words


def _are_phonetic(words: Sequence[str], code: str) -> bool:
    return 2 * sum(is_phonetic(word, code) for word in words) > len(words)
