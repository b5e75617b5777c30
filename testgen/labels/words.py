"""The words of one item in one language, made of its names by a label policy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from testgen.labels.policy import (
    LabelPolicy,
    why_dropped,
    without_dictionary_marks,
    words_of_alias,
    words_of_label,
)
from testgen.labels.word_store import ItemWords, Origin
from testgen.languages.codes import NEUTRAL, Language, without_spaces
from testgen.sources import Names

_OTHER_SCRIPT = "another script"  # the reason why a name gives no word
_SURE_WORD = 2  # characters: 美国 is a word, though most languages have two for it


@dataclass(frozen=True)
class ItemNames:
    """The names of an item, of which words are made in one language after another."""

    names: Names
    policy: LabelPolicy
    origin: Origin = "label"  # `query` if the names are words that a query selected itself

    @cached_property
    def is_phrase(self) -> bool:
        """Whether more than three of four languages that divide words by spaces need several words for it."""
        labels = [label for code, label in self.names.labels.items() if code not in without_spaces()]
        several = (" " in label.partition(" (")[0].partition(",")[0] for label in labels)
        return 4 * sum(several) > 3 * len(labels)

    def neutral(self) -> ItemNames | None:
        """Its language-neutral names alone, if it has any and they count."""
        labels, aliases = self.names.labels, self.names.aliases
        if not self.policy.mul or (NEUTRAL not in labels and NEUTRAL not in aliases):
            return None
        label = {NEUTRAL: labels[NEUTRAL]} if NEUTRAL in labels else {}
        return ItemNames(Names(self.names.item, label, {NEUTRAL: aliases.get(NEUTRAL, ())}), self.policy)

    def words(self, language: Language) -> ItemWords:
        """Its words in a language: those of the label, or of what stands in for it, then those of aliases."""
        label, policy = self.names.labels.get(language.code, ""), self.policy
        more = policy.aliases or self.names.lemmas or language.code in without_spaces()
        if self.origin == "label" and label.isalpha() and not more:  # one word, as of most labels
            words = words_of_label(label, policy, language.code)
            if policy.any_script or not language.is_in_other_script(words[0]):
                return ItemWords(words, "label", 1)
            return ItemWords((), "alias", 0, 1)
        first, origin = self._first_words(language)
        words = _with_different_spellings((*first, *self._other_words(language)), language.code)
        if policy.several_words == "drop" and origin not in ("lexeme", "query"):
            words = self._without_phrases(words, language.code)
        kept = words
        if not policy.any_script:
            kept = tuple(word for word in words if not language.is_in_other_script(word))
        own = len(kept) if origin == "query" else len(set(first).intersection(kept))
        return ItemWords(kept, origin if own or origin == "query" else "alias", own, len(words) - len(kept))

    def _first_words(self, language: Language) -> tuple[tuple[str, ...], Origin]:
        """The words before those of aliases: of the label, of lexemes, or of a label that stands in."""
        names, policy, code = self.names, self.policy, language.code
        label = names.labels.get(code)
        words = words_of_label(label, policy, code) if label is not None else ()
        lemmas = names.lemmas.get(code)
        if lemmas and not any(policy.any_script or not language.is_in_other_script(word) for word in words):
            return tuple(word for lemma in lemmas for word in words_of_label(lemma, policy, code)), "lexeme"
        if label is not None or self.origin == "query":
            return words, self.origin
        label, origin = self._label_standing_in(language)
        return words_of_label(label, policy, code), origin

    def _label_standing_in(self, language: Language) -> tuple[str, Origin]:
        """The label of which a variant has none of its own, or the language-neutral one; else no text."""
        labels = self.names.labels
        for other in language.variants:
            if other in labels:
                return labels[other], "variant"
        neutral, barred = labels.get(NEUTRAL, ""), not labels.keys().isdisjoint(language.fallbacks)
        if self.policy.mul and not barred and language.has_letters_of(neutral):
            return neutral, "mul"
        return "", "label"

    def _other_words(self, language: Language) -> list[str]:
        """The words of aliases, if these count; all but the first word that a query selected."""
        names, policy, code = self.names, self.policy, language.code
        aliases = [*names.aliases.get(code, ()), *names.lemmas.get(code, ())]
        if self.origin == "query":
            return [word for alias in aliases for word in words_of_label(alias, policy, code)]
        if not policy.aliases:
            return []
        if policy.mul:
            aliases += filter(language.has_letters_of, names.aliases.get(NEUTRAL, ()))
        label, english = names.labels.get(code, ""), names.labels.get("en", "")
        return [word for alias in aliases for word in words_of_alias(alias, label, english, policy, code)]

    def _without_phrases(self, words: tuple[str, ...], code: str) -> tuple[str, ...]:
        """Without those that may be phrases, in a language that does not divide words."""
        if code not in without_spaces() or not self.is_phrase:
            return words
        return tuple(word for word in words if len(word) <= _SURE_WORD)

    def why_without_words(self, language: Language) -> str:
        """Why it has no word in a language, for people; empty if it has one."""
        found = self.words(language)
        if found.words:
            return ""
        if found.other_script:
            return _OTHER_SCRIPT
        code, labels = language.code, [self.names.labels.get(language.code, "")]
        if self.origin == "query":
            labels = list(self.names.aliases.get(code, ()))
        reasons = [reason for label in labels if label for reason in why_dropped(label, self.policy, code)]
        if not reasons and any(labels) and self.is_phrase:
            return "several words"
        neutral = self.names.labels.get(NEUTRAL, "")
        if self.policy.mul and not any(labels) and language.is_in_other_script(neutral):
            return _OTHER_SCRIPT
        return ", ".join(dict.fromkeys(reasons)) or "no name"


def _with_different_spellings(words: tuple[str, ...], code: str) -> tuple[str, ...]:
    """The words, without those that differ from an earlier one by marks of dictionaries alone."""
    if len(words) < 2:
        return words
    by_spelling: dict[str, str] = {}
    for spelling, word in zip(without_dictionary_marks(words, code), words, strict=True):
        by_spelling.setdefault(spelling, word)
    return tuple(by_spelling.values())
