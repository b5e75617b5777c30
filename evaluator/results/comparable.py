"""Which scores may be compared: one key, which tables, reports and pages of results share."""

from __future__ import annotations

from typing import NamedTuple

from evaluator.results.score import Score
from evaluator.results.scores import Scores


class ComparisonKey(NamedTuple):
    """What must be the same where scores are compared.

    Attributes:
        measure: The text of the measure.
        language: The language code of the test set.
        test_set: The SHA-256 of its file; its name if that is not known.
        settings: All else in the signature: of the measure, the settings, the seed where pairs are drawn, the
            candidates, the words of a measure that asks known ones alone, and the version of evaluator. Not
            the name of the test set, which a copy may not have.
        own_words: The model, if it was asked the words that it knows itself (`oov=skip` without common
            candidates): then it is compared with no other.
    """

    measure: str
    language: str
    test_set: str
    settings: tuple[str, ...]
    own_words: str

    @classmethod
    def of(cls, scores: Scores, score: Score) -> ComparisonKey:
        """The key of one of the scores of a model."""
        key = cls.expected(
            score.measure, score.signature, scores.language, scores.test_set, scores.test_sha256
        )
        stated = any(each.startswith(("candidates:", "words:")) for each in key.settings)
        is_own = "oov:skip" in key.settings and not stated
        return key._replace(own_words=(scores.model_sha256 or scores.model) if is_own else "")

    @classmethod
    def expected(
        cls, measure: str, signature: str, language: str, test_set: str, digest: str
    ) -> ComparisonKey:
        """That of a score before it is computed, whose signature is known, and which asks all words."""
        # A signature of two measures, as that of Combined, names the test set twice.
        without = signature.replace(f"|test:{test_set}#{digest[:12]}", "") if digest else signature
        return cls(measure, language, digest or test_set, tuple(without.split("|")), "")

    def may_equal(self, other: ComparisonKey) -> bool:
        """Whether an expected one will be equal; whose words stand in for a vocabulary is not known yet."""
        known = tuple(each for each in other.settings if not each.startswith("vocabulary-from:"))
        return self == other._replace(settings=known)

    def apart(self, other: ComparisonKey) -> tuple[list[str], list[str]]:
        """The settings that only this one has, and those that only the other has."""
        one, two = (
            [*each.settings[1:], f"test set:{each.test_set[:12]}", f"language:{each.language}"]
            for each in (self, other)
        )
        return [each for each in one if each not in two], [each for each in two if each not in one]

    @property
    def shown_settings(self) -> str:
        """The settings as people read them, without the measure."""
        return ", ".join(each.replace(":", " ", 1) for each in self.settings[1:])
