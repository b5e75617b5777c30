"""How many names of a language are in a form that texts do not have, by reason, with examples.

What is mended by the rules of spelling, and what is left out by them, is counted from the names of the
source; words in a phonetic alphabet stay, since nobody can spell them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from testgen.labels.policy import MENDED, LabelPolicy, outcome_of
from testgen.languages.spelling import NO_WORDS, alphabet, phonetic, spelling_of

PHONETIC = "signs of a phonetic alphabet"
_EXAMPLES = 3
_MANY = 0.1  # of the names of a language, about which a warning is due
_MOST = 8  # languages, of each of which there is a line
_FEWEST = 10  # names, of which a tenth says something


@dataclass
class Forms:
    """The names of a language, and those that are not spelled as in texts.

    Attributes:
        names: How many names were looked at.
        odd: How many of them are not spelled as in texts.
        counts: The same by reason; a name may have several.
        examples: The first three names for each reason.
    """

    names: int = 0
    odd: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, reasons: Iterable[str]) -> None:
        """Count a name, which is odd if there are reasons."""
        self.names += 1
        self.odd += bool(reasons)
        for reason in reasons:
            self.counts[reason] += 1
            of_reason = self.examples.setdefault(reason, [])
            if len(of_reason) < _EXAMPLES and name not in of_reason:
                of_reason.append(name)

    @property
    def share(self) -> float:
        """The share of names that are not spelled as in texts, from 0 to 1."""
        return self.odd / self.names if self.names else 0.0

    @property
    def are_many(self) -> bool:
        """Whether a tenth of the names or more is not spelled as in texts."""
        return self.names >= _FEWEST and self.share >= _MANY

    def described(self) -> str:
        """The reasons, the most frequent first, with what is done, counts and examples."""
        return "; ".join(
            f"{reason} {count:,} ({', '.join(self.examples[reason])}), {_done(reason)}"
            for reason, count in self.counts.most_common()
        )

    def as_dict(self) -> dict[str, object]:
        """For programs."""
        reasons = {
            reason: {"names": count, "examples": self.examples[reason]}
            for reason, count in self.counts.most_common()
        }
        return {"names": self.names, "odd": self.odd, "reasons": reasons}


def _done(reason: str) -> str:
    return "mended" if reason in MENDED else "left out" if reason in NO_WORDS else "kept"


class FormsByLanguage(dict[str, Forms]):
    """The forms of names by the codes of their languages."""

    def count(self, name: str, policy: LabelPolicy, code: str) -> None:
        """Count a name in a language."""
        forms = self.get(code) or self.setdefault(code, Forms())
        if name.isalpha() and not spelling_of(code).suspect.search(name):  # as most names are
            reasons: tuple[str, ...] = ()
        else:
            reasons = _reasons(name, policy, code)
        if is_phonetic(name, code):
            reasons = (*reasons, PHONETIC)
        if reasons:
            forms.add(name, reasons)
        else:
            forms.names += 1

    @property
    def odd(self) -> Mapping[str, Forms]:
        """Those with names that are not spelled as in texts, the largest share first."""
        found = ((code, forms) for code, forms in self.items() if forms.odd)
        return dict(sorted(found, key=lambda each: (-each[1].share, each[0])))

    def described(self) -> str:
        """For people: how many names of all languages are not spelled as in texts; empty if none is."""
        odd = self.odd.values()
        total = Forms(sum(each.names for each in self.values()), sum(each.odd for each in odd))
        for each in odd:
            total.counts.update(each.counts)
            for reason, names in each.examples.items():
                every = dict.fromkeys(total.examples.get(reason, []) + names)
                total.examples[reason] = list(every)[:_EXAMPLES]
        if not total.odd:
            return ""
        return f"Not spelled as in texts: {total.odd:,} of {total.names:,} names: {total.described()}."

    def warnings(self) -> Iterator[str]:
        """For people: languages in which these are a tenth of the names or more, and what helps."""
        many = {code: forms for code, forms in self.odd.items() if forms.are_many}
        for code in list(many)[:_MOST]:
            forms = many[code]
            share = f"{forms.odd:,} of {forms.names:,} names ({forms.share:.0%})"
            said = f"{forms.described()}{_what_helps(forms)}"
            yield f"testgen: {code}: {share} are not spelled as in texts: {said}"
        if len(many) > _MOST:
            others = ", ".join(f"{code} {many[code].share:.0%}" for code in list(many)[_MOST:])
            yield f"testgen: names that are not spelled as in texts in other languages: {others}"


def _what_helps(forms: Forms) -> str:
    """The option that helps with the most frequent reason, if there is one."""
    ((reason, _),) = forms.counts.most_common(1)
    if reason == PHONETIC:
        return "; take another column of the word list (`testgen snapshot import cldf --column`)"
    if reason in MENDED[:2]:
        return "; --policy spelling=source keeps them"
    return ""


def _reasons(name: str, policy: LabelPolicy, code: str) -> tuple[str, ...]:
    if name.isascii() and name.replace(" ", "").isalpha():
        return ()
    outcome = outcome_of(name, policy, spelling_of(code))
    return tuple(reason for reason in (*outcome.mended, *outcome.dropped) if reason in _OF_FORM)


_OF_FORM = frozenset((*MENDED, *NO_WORDS))


def is_phonetic(word: str, code: str) -> bool:
    """Whether a word has a letter or sign of a phonetic alphabet that its language does not write."""
    return not word.isascii() and phonetic(alphabet(code)).search(word) is not None
