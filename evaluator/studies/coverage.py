"""The words of a test set that a vocabulary or corpus has, and what would make more of them known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import regex
from msgspec import UNSET

from evaluator.datasets.columns import codes_in, language_name
from evaluator.datasets.reading import TestSetLike, read_testset
from evaluator.datasets.testset import Named, TestSet, refuse_other_use
from evaluator.engine.vocabulary_lookup import FEW, VocabularyLookup
from evaluator.measures.base import LEAST_WORDS
from evaluator.results.coverage import RELATED_WORDS, Advice, Coverage, PartCoverage
from evaluator.settings import Settings
from evaluator.text.corpus import can_be_token, script_of_most
from evaluator.text.normalization import NARROW, profiles, spellings, suggested
from evaluator.vectors import Vectors, VectorsLike, as_vectors

_WORTH_TELLING = 0.01


def coverage(
    vectors: VectorsLike, test_set: TestSetLike, settings: Settings | None = None, tokens: str | None = None
) -> Coverage:
    """Look up all words of a test set in a vocabulary.

    Args:
        vectors: The vocabulary, as vectors or anything that `as_vectors` takes; words that are built from
            subwords are known only if the settings say so; the vectors do not matter.
        test_set: The test set, or anything that `read_testset` takes.
        settings: How words are compared; `Settings()` if None.
        tokens: What the words of the text are that the vocabulary is of, as in `Corpus`; None if unknown.

    Raises:
        VectorsError: There are no usable vectors.
        TestSetError: The test set cannot be read, or is for another use, such as a bilingual dictionary.
        ScoreError: A setting is wrong.
    """
    test_set, settings = read_testset(test_set), settings or Settings()
    refuse_other_use(test_set)
    vectors = vectors if isinstance(vectors, Vectors) else as_vectors(vectors)
    parts = _parts(vectors, test_set, settings)
    found = sum(part.found for part in parts)
    categories = [part for part in parts if part.kind == "category"]
    return Coverage(
        vocabulary=vectors.name,
        test_set=test_set.name,
        language=test_set.language,
        parts=tuple(parts),
        scorable=sum(part.found >= LEAST_WORDS for part in categories),
        advice=_advice(vectors, test_set, settings, found),
        words=sum(part.words for part in parts),
        found=found,
        **_pairs(vectors, test_set, settings),
        tokens=tokens,
        never=() if tokens is None else _never(vectors, test_set, settings, tokens),
        sources=tuple(dict.fromkeys(_sources(test_set.source))),
    )


def _sources(source: object) -> Iterator[str]:
    """The names of what the words of a test set are from; of Wikidata itself, its kind."""
    if isinstance(source, Mapping):
        for each in source.get("sources") or ():
            yield from _sources(each)
        if not source.get("sources"):
            own = [source.get(key) for key in ("kind", "name")]
            yield from ("wikidata",) if "wikidata" in own else (str(each) for each in own[1:] if each)


def _pairs(vectors: Vectors, test_set: TestSet, settings: Settings) -> dict[str, int]:
    """How many pairs relations have, and of how many both words are known."""
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    pairs = [
        (lookup.normalized_words([first]), lookup.normalized_words(answers))
        for section in test_set.sections
        for first, answers in section.pairs
    ]
    known = [all(any(lookup.find(word) is not None for word in own) for own in pair) for pair in pairs]
    return {"pairs": len(pairs), "pairs_found": sum(known)}


def _never(vectors: Vectors, test_set: TestSet, settings: Settings, tokens: str) -> tuple[str, ...]:
    """The words without a vector that no text of such tokens has, however long it is."""
    language = test_set.named_in or test_set.language
    lookup = VocabularyLookup(vectors, language, settings)
    words = _as_written(lookup, (word for *_, own in words_by_part(test_set) for word in own))
    joined = settings.multiword == "mean"  # the mean of the vectors of its words
    return tuple(
        word
        for form, word in words.items()
        if lookup.find(form) is None
        and not all(can_be_token(each, tokens, language) for each in (form.split() if joined else [form]))
    )


def _as_written(lookup: VocabularyLookup, words: Iterable[str]) -> dict[str, str]:
    """The words that are looked up, by their normalized forms, in which people would not know ἰχθύς (-σ)."""
    return {form: word for word in words if (form := lookup.normalized(word)) is not None}


def _parts(vectors: Vectors, test_set: TestSet, settings: Settings) -> list[PartCoverage]:
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    parts = test_set.by_name
    return [_part(lookup, parts[each[0]], *each) for each in words_by_part(test_set)]


def words_by_part(test_set: TestSet) -> list[tuple[str, str, Iterable[str]]]:
    """Name, kind and words of each category, section, list of pairs, group, family, or list of texts."""
    return [
        *((c.name, "category", c.words) for c in test_set.categories),
        *((s.name, "section", [w for a, of in s.pairs for w in (a, of[0])]) for s in test_set.sections),
        *((p.name, "rated pairs", [w for a, b, _ in p.pairs for w in (a, b)]) for p in test_set.rated_pairs),
        *((g.name, "outlier group", (*g.members, *g.outliers)) for g in test_set.outlier_groups),
        *(
            (s.name, "synonym questions", [w for q in s.questions for w in (q.word, *q.answers, *q.others)])
            for s in test_set.synonym_questions
        ),
        *((g.name, RELATED_WORDS, g.words) for g in test_set.groups),
        *((t.name, "texts", [w for _, words in t.texts for w in words]) for t in test_set.labelled_texts),
    ]


def _part(lookup: VocabularyLookup, part: Named, name: str, kind: str, words: Iterable[str]) -> PartCoverage:
    different = _as_written(lookup, words)
    missing = [word for form, word in different.items() if lookup.find(form) is None]
    listed, known = tuple(missing[:10]), len(different) - len(missing)
    # An item without an id of its own has its word as one.
    ids = {word: each.id for each in getattr(part, "items", ()) for word in each.words if each.id != word}
    items = tuple(ids.get(word, "") for word in listed)
    title = part.title if part.title and part.title != name else UNSET
    return PartCoverage(name, kind, len(different), known, listed, title, items if any(items) else UNSET)


def _advice(vectors: Vectors, test_set: TestSet, settings: Settings, found: int) -> tuple[Advice, ...]:
    advice = []
    for option, other in _other_settings(test_set, settings).items():
        more = sum(part.found for part in _parts(vectors, test_set, other)) - found
        if more > 0 and more >= _WORTH_TELLING * found:
            advice.append(Advice(option, more, more / found if found else None))
    return tuple(sorted(advice, key=lambda each: (-each.found, each.option)))


def _other_settings(test_set: TestSet, settings: Settings) -> dict[str, Settings]:
    others = {}
    if settings.case == "exact":
        others["--case fold"] = replace(settings, case="fold")
    if settings.multiword == "keep":
        others |= {f"--multiword {way}": replace(settings, multiword=way) for way in ("join", "mean")}
    if not settings.profile:
        own = suggested(test_set.named_in or test_set.language)
        names = [own] if own else ["strip-marks"]
        names += [f"{name}+fold" for name in names] if settings.case == "exact" else []
        others |= {f"--profile {name}": replace(settings, profile=name) for name in names}
    return others


_MANY = 0.05  # u for v hides 8 to 12% of the Latin words that a corpus has; in others, --profile finds 1%
_NEARLY = 0.95  # of what is found at most; the likeliest that finds as much is advised
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
    elsewhere only case, and the profile of the language. `share` is how many more words must be found, for
    each that is known.
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
        best = next(
            each for each, known in zip(trials, counts, strict=True) if known >= _NEARLY * max(counts)
        )
        then = best.known(whole, words, language)
        if then - now >= max(1, share * now) or (few and then >= max(1, 2 * now)):
            return f"{best.text}, {then} words are known instead of {now}"
    several = vectors.words[:_SCRIPT], words[:_SCRIPT]
    own, asked = (script_of_most(Counter(some)) or "no script" for some in several)
    if few and own != asked:
        return f"the vectors are of words in {own}, and the test set has words in {asked}"
    named = codes_in(vectors.name) if few else ()
    if len(named) == 1 and named[0] not in spellings(language):
        own, asked = (f"{language_name(code)} ({code})" for code in (named[0], language))
        return f"few words are known; by their name the vectors are of {own}, and the test set is of {asked}"
    return None


def _trials(language: str, settings: Settings, *, few: bool) -> Iterator[_Trial]:
    """What may help, the likeliest first."""
    if settings.case == "exact":
        yield _Trial("with --case fold", replace(settings, case="fold"))
    if not settings.profile:
        yield _Trial("with --profile nfc", replace(settings, profile="nfc"))
    own = None if settings.profile else suggested(language)
    if not few:
        if own:
            yield _Trial(f"with --profile {own}", replace(settings, profile=own))
        return
    broad = (name for name in profiles() if name not in NARROW)
    for name in dict.fromkeys([*([own] if own else []), "strip-marks", *broad]):
        yield _Trial(f"with --profile {name}", replace(settings, profile=name))
    yield _Trial("with --multiword join", replace(settings, multiword="join"))
    for pattern, what in _BESIDE_WORDS.items():
        text = f"if you remove from the words of the vectors {what} (the regular expression {pattern})"
        yield _Trial(text, settings, pattern)
