"""Labelled texts with emoji: the downstream task that emoji vectors are made for, such as tweet sentiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import regex

from evaluator.plugins import LabelledTexts, ScoreError, Scores, Settings, TestSet, Vectors
from evaluator.plugins.emoji.descriptions import vector_of, without_selectors
from evaluator.plugins.emoji.result import SENTIMENT
from evaluator.studies.scoring import score
from evaluator.text.corpus import words_of

# Flags, and pictographs with a skin tone, a selector, or others that joiners append to them.
_PICTURE = r"\p{Extended_Pictographic}[\p{EMod}\uFE0F\u20E3]*"
_EMOJI = regex.compile(rf"\p{{RI}}{{2}}|{_PICTURE}(?:\u200D{_PICTURE})*")


@dataclass(frozen=True, eq=False)
class EmojiTexts:
    """Labelled texts, and vectors of their words.

    Attributes:
        test_set: The texts that contain emoji, divided into words and emoji.
        words: The vectors of those of their words that have one.
    """

    test_set: TestSet
    words: Vectors

    def score(self, emoji: Vectors) -> Scores:
        """Classify the texts by the mean of the unit vectors of their words and emoji; see `SENTIMENT`.

        Args:
            emoji: Vectors of emoji, of the same dimension as those of the words.

        Raises:
            ScoreError: Too few texts have a vector.
            ExtraError: scikit-learn is missing.
        """
        new = [row for row, each in enumerate(emoji.words) if each not in self.words.index]
        matrix = np.concatenate([self.words.matrix, emoji.matrix[new]])
        both = Vectors([*self.words.words, *(emoji.words[row] for row in new)], matrix, emoji.name)
        return score(both, self.test_set, SENTIMENT, Settings(case="exact"), sha256="")


def emoji_texts(
    texts: TestSet,
    words: Vectors,
    case: str = "exact",
    tokens: str = "letter-runs",
    variation_selectors: str = "drop",
) -> EmojiTexts:
    """Divide texts into words and emoji, and find the vectors of the words.

    Texts without emoji are left out: whatever the emoji's vectors are, their features are the same.

    Args:
        texts: A test set with labelled texts.
        words: Vectors of words.
        case: `exact`; or `fold`, to look words up without regard to case.
        tokens: What the words of a text are; see `Corpus`. With `letter-runs`, emoji are found wherever they
            are; with `white-space`, they stand between white space.
        variation_selectors: Whether to `drop` or `keep` U+FE0F in emoji.

    Raises:
        ScoreError: There are no labelled texts, or none has an emoji.
    """
    key: Callable[[str], str] = str.casefold if case == "fold" else str
    known = words.fold(key) if case == "fold" else words
    spelled = without_selectors if variation_selectors == "drop" else str
    found = tuple(_with_emoji(each, key, tokens, spelled) for each in texts.labelled_texts)
    if not any(each.texts for each in found):
        raise ScoreError(
            f"{texts.name}: no labelled text with an emoji; give texts with labels, as tab-separated columns"
        )
    different = {word for each in found for _, text in each.texts for word in text if not _is_emoji(word)}
    rows = {word: vector for word in sorted(different) if (vector := vector_of(known, word)) is not None}
    matrix = np.array(list(rows.values()), np.float32).reshape(len(rows), words.dimension)
    kept = TestSet(texts.language, texts.name, texts.sha256, labelled_texts=found)
    return EmojiTexts(kept, Vectors(list(rows), matrix, words.name))


def _with_emoji(
    texts: LabelledTexts, key: Callable[[str], str], tokens: str, spelled: Callable[[str], str]
) -> LabelledTexts:
    """The texts that have an emoji, divided into words and emoji."""
    divided = ((label, _divided(" ".join(words), key, tokens, spelled)) for label, words in texts.texts)
    return replace(texts, texts=tuple(each for each in divided if any(map(_is_emoji, each[1]))))


def _divided(
    text: str, key: Callable[[str], str], tokens: str, spelled: Callable[[str], str]
) -> tuple[str, ...]:
    if tokens == "white-space":
        return tuple(spelled(word) if _is_emoji(word) else key(word) for word in text.split())
    emoji = [spelled(each) for each in _EMOJI.findall(text)]
    return (*(key(word) for word in words_of(_EMOJI.sub(" ", text))), *emoji)


def _is_emoji(token: str) -> bool:
    return _EMOJI.fullmatch(token) is not None
