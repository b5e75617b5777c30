"""Two sets of vectors scored on a bilingual dictionary: which words of the other language are near a word?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from msgspec import structs

from evaluator.plugins import (
    LEAST_WORDS,
    Floats,
    Machine,
    Measures,
    Rows,
    Score,
    ScoreError,
    Scores,
    Settings,
    Similarities,
    Subscore,
    TestSetError,
    TestSetLike,
    Vectors,
    VectorsLike,
    VocabularyLookup,
    beside_known,
    identity,
    loaded,
    one_thread,
    parsed,
    pass_over_vocabulary,
    read_testset,
    score_of,
    share_pseudovalues,
    signature_of,
    unit_rows,
    vectors_or_file,
    with_baselines,
)
from evaluator.plugins.translation.dictionary import Dictionary, TranslatedItem, TranslationList
from evaluator.plugins.translation.measure import Method, Translation, TranslationMeasure, chance_of_ranks
from evaluator.plugins.translation.ranks import AnswerRanks, mean_of_nearest, procrustes

Align = Literal["none", "procrustes"]

TRANSLATION_MEASURES = (
    *(f"Translation{method}@{k}" for method in ("", "(method=CSLS)") for k in (1, 5, 10)),
    *("MRR", "MRR(method=CSLS)", "Translation(method=spelling)@1"),
)
"""The measures that are used if none are named."""


def translate(
    vectors: VectorsLike,
    target: VectorsLike,
    dictionary: TestSetLike,
    measures: Measures = None,
    settings: Settings | None = None,
    *,
    align: Align = "none",
    train: TestSetLike | None = None,
    machine: Machine = Machine(),
) -> Scores:
    """Score two sets of vectors on a bilingual dictionary.

    A word is a miss if it has no vector, or none of its translations is in the vocabulary of the target; with
    `oov="skip"` it is left out. Intervals are for other items of the same categories. The spelling baseline
    is the score of one who answers every question with the same word.

    Args:
        vectors: Those of the words: anything that `as_vectors` takes.
        target: Those of the translations, of as many dimensions.
        dictionary: A dictionary, or the path or URL of one: its items for testing are asked.
        measures: One or several of `Translation` and `MRR`; None for `TRANSLATION_MEASURES`.
        settings: For the words of both languages; `Settings()` if None.
        align: `none` for vectors that are in one space; `procrustes` to turn the first ones into the space of
            the others by the orthogonal map that suits the items for training best.
        train: Another dictionary to align by, all of it unless it has items for training. None for the
            items for training of the first one.
        machine: How many threads, and who is told of progress. The scores do not depend on it.

    Raises:
        VectorsError: There are no usable vectors.
        TestSetError: A dictionary cannot be read.
        MeasureError: A measure's text is wrong.
        ScoreError: The vectors have different dimensions, nothing can be scored, or there is nothing to align
            by.
    """
    settings = settings or Settings()
    chosen = _chosen(measures)
    (one, of_one), (other, of_other) = (loaded(vectors_or_file(each)) for each in (vectors, target))
    inputs, learnt = (*of_one.result(), *of_other.result()), None if train is None else _dictionary(train)
    pair = _Pair(one, other, _dictionary(dictionary), settings)
    with one_thread("blas"):
        rotation, signature = _alignment(pair, align, learnt)
        ranks = _ranks(pair, {*(each.method for each in chosen), "spelling"}, rotation, machine)
    by_spelling = dict.fromkeys(ranks, ranks["spelling"])
    own, same = (_with_known(pair, chosen, by, signature, settings) for by in (ranks, by_spelling))
    of, questions = pair.dictionary, pair.different
    found = Scores(
        model=pair.name,
        model_sha256=identity(inputs),
        vocabulary=len(pair.target.vectors),
        dimension=pair.target.vectors.dimension,
        test_set=of.name,
        language=f"{of.language}-{of.target}",
        test_sha256=of.sha256,
        inputs=(*inputs, *of.inputs, *(() if learnt is None else learnt.inputs)),
        reading=of.reading,
        known_words=len(pair.asked),
        words=len(questions),
        multiword=dict(zip(("several", "words"), pair.source.multiword, strict=True)),
        scores=own,
    )
    return with_baselines(found, None, structs.replace(found, scores=same)).with_verdicts()


def _with_known(
    pair: _Pair,
    measures: Sequence[TranslationMeasure],
    ranks: Mapping[Method, Mapping[str, float]],
    alignment: Mapping[str, str],
    settings: Settings,
) -> tuple[Score, ...]:
    """The scores by some ranks, and those of known words alone where some are unknown."""
    own, known = _scores(pair, measures, ranks, alignment, settings), list[Score]()
    if settings.oov == "wrong" and len(pair.asked) < len(pair.different):
        with suppress(ScoreError):  # too few are known in every category
            known = _scores(pair, measures, ranks, alignment, replace(settings, oov="skip"))
    return beside_known(own, known)


def _chosen(measures: Measures) -> list[TranslationMeasure]:
    found = parsed(measures or TRANSLATION_MEASURES)
    for each in found:
        if not isinstance(each, TranslationMeasure):
            raise ScoreError(f"{each} does not score translations; use Translation or MRR")
    return [each for each in found if isinstance(each, TranslationMeasure)]


@dataclass(frozen=True, eq=False)
class _Question:
    """A word to translate: the rows of the right translations, and whether one of them is the same word."""

    word: str
    item: str
    answers: tuple[int, ...]
    alike: bool


def _dictionary(given: TestSetLike) -> Dictionary:
    """Read a dictionary, and refuse what is none."""
    found = read_testset(given)
    if not isinstance(found, Dictionary) or not found.translations:
        raise TestSetError(
            f"{found.name}: is a test set, not a bilingual dictionary; `evaluator score` scores vectors "
            "on it, with --test. `testgen dictionary` makes dictionaries; those in MUSE's format are "
            "recognised by names such as en-it.txt"
        )
    return found


class _Pair:
    """Two sets of vectors, and the questions of a dictionary about them."""

    def __init__(self, vectors: Vectors, target: Vectors, dictionary: Dictionary, settings: Settings) -> None:
        if vectors.dimension != target.dimension:
            raise ScoreError(
                f"{vectors.name} has {vectors.dimension} dimensions and {target.name} {target.dimension}; "
                "give vectors of the same number"
            )
        self.dictionary = dictionary
        self.source = VocabularyLookup(vectors, dictionary.language, settings)
        self.target = VocabularyLookup(target, dictionary.target, settings)
        self.name = f"{vectors.name} to {target.name}"
        answers: dict[str, set[str]] = {}
        for word, item in self._words(_items(dictionary, "test")):
            answers.setdefault(word, set()).update(self.target.normalized_words(item.translations))
        self._answers = {word: sorted(found) for word, found in answers.items() if found}
        self._rows = _vocabulary_rows(self.target, {each for found in answers.values() for each in found})
        self.source.query_rows(self._answers)  # all at once
        self.questions = {each.name: self._questions(each) for each in dictionary.translations}

    def pairs(self, items: Iterable[TranslatedItem]) -> list[tuple[int, int]]:
        """The rows of words and translations among the queries of both, where both have a vector."""
        found = [
            (self.source.find(word), self.target.find(other))
            for word, item in self._words(items)
            for other in self.target.normalized_words(item.translations)
        ]
        return [(one, other) for one, other in found if one is not None and other is not None]

    @cached_property
    def asked(self) -> dict[str, _Question]:
        every = (each for questions in self.questions.values() for each in questions)
        return {each.word: each for each in every if each.answers}

    @cached_property
    def different(self) -> set[str]:
        """All words that are asked."""
        return {each.word for asked in self.questions.values() for each in asked}

    def _words(self, items: Iterable[TranslatedItem]) -> Iterator[tuple[str, TranslatedItem]]:
        return ((word, item) for item in items for word in self.source.normalized_words(item.words))

    def _questions(self, translations: TranslationList) -> list[_Question]:
        """A question for each different word; all translations of the word are right, whatever the item."""
        found: dict[str, _Question] = {}
        for word, item in self._words(each for each in translations.items if each.split == "test"):
            if word in self._answers and word not in found:
                known = {each: self._rows[each] for each in self._answers[word] if each in self._rows}
                answers = tuple(known.values()) if self.source.find(word) is not None else ()
                found[word] = _Question(word, item.id, answers, bool(answers) and word in known)
        return list(found.values())


def _vocabulary_rows(lookup: VocabularyLookup, words: Iterable[str]) -> dict[str, int]:
    words = sorted(words)
    rows = lookup.query_rows(words)
    known = [word for word, row in zip(words, rows, strict=True) if row >= 0]
    found = zip(known, lookup.vocabulary_rows[rows[rows >= 0]].tolist(), strict=True)
    return {word: row for word, row in found if row >= 0}


def _items(dictionary: Dictionary, split: str) -> list[TranslatedItem]:
    return [item for each in dictionary.translations for item in each.items if item.split == split]


def _alignment(pair: _Pair, align: Align, train: Dictionary | None) -> tuple[Floats | None, dict[str, str]]:
    """What takes vectors to the space of the target, and what signatures say of it."""
    if align == "none":
        return None, {"align": "none"}
    if align != "procrustes":
        raise ScoreError(f"align is {align!r}; choose from none, procrustes")
    by = train or pair.dictionary
    items = _items(by, "train") or (_items(by, "test") if train is not None else [])
    pairs = list(dict.fromkeys(pair.pairs(items)))
    if not pairs:
        raise ScoreError(
            f"{by.name}: has no pair for training whose words both have a vector; name a dictionary to align "
            "by with --train"
        )
    one, other = np.array(pairs).T
    rotation = procrustes(pair.source.queries[one], pair.target.queries[other])
    return rotation, {"align": "procrustes", "train": f"{len(pairs)} pairs of {by.name}#{by.sha256[:12]}"}


def _ranks(
    pair: _Pair,
    methods: set[Method],
    rotation: Floats | None,
    machine: Machine,
) -> dict[Method, dict[str, float]]:
    """The rank of the best right answer to each question that can be answered, by method and word."""
    found: dict[Method, dict[str, float]] = {}
    words = list(pair.asked)
    if "spelling" in methods:
        found["spelling"] = {each.word: 1.0 if each.alike else np.inf for each in pair.asked.values()}
    asked = [each for each in ("NN", "CSLS") if each in methods]
    if not asked or not words:
        return found | {each: {} for each in methods - found.keys()}
    answers: list[Rows] = [np.array(each.answers) for each in pair.asked.values()]
    matrix, penalties = pair.target.vectors.matrix, None
    if "CSLS" in methods:
        others = pair.source.vectors.matrix
        penalties = mean_of_nearest(matrix, others, rotation, machine.part(0, 0.9))
    readers = [AnswerRanks(answers, penalties if each == "CSLS" else None) for each in asked]
    queries = pair.source.queries[[pair.source.find(word) or 0 for word in words]]
    turned = queries if rotation is None else unit_rows(queries) @ rotation
    similarities = Similarities(turned, np.full(len(words), -1), matrix, "cosine")
    for reader in readers:
        reader.prepare(similarities)
    rest = machine if penalties is None else machine.part(0.9, 1)
    states = pass_over_vocabulary(similarities, readers, rest)
    for method, counts in zip(asked, states, strict=True):
        found[method] = dict(zip(words, (1.0 + np.sum(counts, axis=0)).tolist(), strict=True))
    return found


def _scores(
    pair: _Pair,
    measures: Sequence[TranslationMeasure],
    ranks: Mapping[Method, Mapping[str, float]],
    alignment: Mapping[str, str],
    settings: Settings,
) -> list[Score]:
    of = pair.dictionary
    if not pair.asked:
        raise ScoreError(
            f"{of.name}: nothing of it can be scored with {pair.name}: no word and translation are known; "
            f"are the vectors in its languages ({of.language} and {of.target}), in this order?"
        )
    found = {
        measure: [
            _subscore(name, asked, measure, ranks[measure.method], pair, settings)
            for name, asked in pair.questions.items()
        ]
        for measure in measures
    }
    first = found[measures[0]]
    if all(each.value is None for each in first):
        reasons = "; ".join(f"{each.name}: {each.skipped}" for each in first[:5])
        raise ScoreError(f"{of.name}: nothing of it can be scored with {pair.name} ({reasons})")
    return [
        score_of(
            *(measure, subscores, signature_of(measure, settings, of, alignment=alignment)),
            words="known" if settings.oov == "skip" else "all",
        )
        for measure, subscores in found.items()
    ]


def _subscore(
    name: str,
    asked: Sequence[_Question],
    measure: TranslationMeasure,
    ranks: Mapping[str, float],
    pair: _Pair,
    settings: Settings,
) -> Subscore:
    counted = [each for each in asked if each.answers or settings.oov == "wrong"]
    known = sum(bool(each.answers) for each in asked)
    size, needed = len(counted), LEAST_WORDS if settings.small_categories == "skip" else 1
    title, counts = pair.dictionary.by_name[name].title, (name, len(asked), len(asked) - known)
    title = title if title != name else ""
    if size < needed:
        reason = f"{size} {'word' if size == 1 else 'words'}, {needed} needed"
        return Subscore.of(*counts, title=title, skipped=reason)
    values = measure.values(np.array([ranks.get(each.word, np.inf) for each in counted]))
    levels = {
        m: chance_of_ranks(measure, m, len(pair.target.vectors))
        for m in {len(e.answers) for e in counted}
        if m
    }
    items, of_item = np.unique([each.item for each in counted], return_inverse=True)
    hits, trials = np.bincount(of_item, values), np.bincount(of_item)
    share = isinstance(measure, Translation)
    answered = {each.item for each in counted if each.answers}
    return Subscore.of(
        *counts,
        float(values.mean()),
        items.tolist(),
        share_pseudovalues(hits, trials),
        unknown=set(items.tolist()) - answered,
        title=title,
        hits=int(values.sum()) if share else None,
        trials=size if share else None,
        ceiling=known / size,
        chance=sum(levels.get(len(each.answers), 0.0) for each in counted) / size,
    )
