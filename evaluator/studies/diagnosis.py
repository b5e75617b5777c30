"""Why vectors know few words of a test set: what would make many more of them known, with the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import regex

from evaluator.datasets.testset import TestSet
from evaluator.engine.vocabulary_lookup import FEW, VocabularyLookup
from evaluator.settings import Settings
from evaluator.studies.coverage import words_by_part
from evaluator.text.corpus import script_of_most
from evaluator.text.normalization import profiles, suggested
from evaluator.vectors import Vectors

_MANY = 0.1  # advice is given if it would find this share of the words in addition
_SAMPLE = 20_000  # most frequent words of the vectors, on which everything is tried
_SCRIPT = 1_000  # words by whose first letters scripts are told

_BESIDE_WORDS = {
    r"^/c/[^/]+/": "the beginnings of ConceptNet, such as /c/la/,",
    r"^(▁|Ġ|##)": "the marks of subwords before them (▁, Ġ or ##)",
    r"(@@|</w>)$": "the marks of subwords after them (@@ or </w>)",
    r"(?<=.)[_#|/.][A-Za-z]{1,6}$": "tags after them, such as _NOUN,",
    r"(?<=.)[_#|/.-]?[0-9]+$": "numbers after them",
}
"""What stands beside words in ConceptNet, in tagged corpora, and in vocabularies of subwords."""


@dataclass(frozen=True)
class _Trial:
    """Another way of reading or comparing words; `removed` is a regular expression of what is cut off."""

    text: str
    settings: Settings
    removed: str = ""

    def known(self, vectors: Vectors, words: Sequence[str], language: str) -> int:
        removed = regex.compile(self.removed)
        found = vectors.fold(lambda word: removed.sub("", word) or word) if self.removed else vectors
        lookup = VocabularyLookup(found, language, self.settings)
        lookup.query_rows(lookup.normalized_words(words))
        forms = map(lookup.normalized, words)
        return sum(form is not None and lookup.find(form) is not None for form in forms)


def hint(
    vectors: Vectors, test_set: TestSet, settings: Settings | None = None, share: float = _MANY
) -> str | None:
    """Advice if vectors would know many more words of a test set, read or compared in another way.

    Where few words are known, all orthography profiles, what is written beside words, and scripts are tried;
    elsewhere only case, and the profile of the language. `share` is that of the words that must be found in
    addition.
    """
    settings = settings or Settings()
    parts = [own for _, kind, own in words_by_part(test_set) if kind == "category" or not test_set.categories]
    words = list(dict.fromkeys(word for own in parts for word in own))
    language = test_set.named_in or test_set.language
    # Words are looked up and not compared, so that the matrix needs no columns.
    whole = replace(vectors, matrix=np.empty((len(vectors), 0), dtype=np.float32))
    now = _Trial("", settings).known(whole, words, language)
    few = now < FEW * len(words)
    trials = list(_trials(language, settings, few=few))
    sample = whole.restrict(_SAMPLE)
    counts = [each.known(sample, words, language) for each in trials]
    if trials:
        best = trials[counts.index(max(counts))]
        then = best.known(whole, words, language)
        if then - now >= max(1, share * len(words)) or (few and then >= max(1, 2 * now)):
            return f"{best.text}, {then} words are known instead of {now}"
    several = vectors.words[:_SCRIPT], words[:_SCRIPT]
    own, asked = (script_of_most(Counter(some)) or "no script" for some in several)
    if few and own != asked:
        return f"the vectors are of words in {own}, and the test set has words in {asked}"
    return None


def _trials(language: str, settings: Settings, *, few: bool) -> Iterator[_Trial]:
    """What may help, the likeliest first."""
    if settings.case == "exact":
        yield _Trial("with --case fold", replace(settings, case="fold"))
    own = None if settings.profile else suggested(language)
    if not few:
        if own:
            yield _Trial(f"with --profile {own}", replace(settings, profile=own))
        return
    for name in dict.fromkeys([*([own] if own else []), "strip-marks", *profiles()]):
        yield _Trial(f"with --profile {name}", replace(settings, profile=name))
    yield _Trial("with --multiword join", replace(settings, multiword="join"))
    for pattern, what in _BESIDE_WORDS.items():
        text = f"if you remove from the words of the vectors {what} (the regular expression {pattern})"
        yield _Trial(text, settings, pattern)
