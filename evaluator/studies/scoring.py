"""Scoring vectors on a test set: one score for each measure, with its subscores, interval and signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from threadpoolctl import threadpool_limits

from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import Kind, Similarities, pass_over_vocabulary
from evaluator.engine.vocabulary_lookup import VocabularyLookup, count_other_case
from evaluator.errors import EvaluatorError, ScoreError
from evaluator.measures import Evaluation, Measure, Subscore, parse_measure
from evaluator.measures.base import TestSetField
from evaluator.results.base import Estimate
from evaluator.results.notebook import html_table, shown, shown_interval
from evaluator.results.scores import ScoreRecord, ScoresRecord, SubscoreRecord
from evaluator.settings import Settings
from evaluator.statistics.combined import combined, combined_of
from evaluator.statistics.inference import (
    LEAST_OBSERVATIONS,
    Influences,
    category_spread,
    influences,
    interval,
)
from evaluator.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_MEASURES: Mapping[TestSetField, tuple[str, ...]] = {
    "categories": ("Topk@3", "OddOneOut@3"),
    "sections": ("Analogy@1",),
    "rated_pairs": ("Similarity",),
    "outlier_groups": ("OutlierDetection",),
}
"""The measures that are used if none are named, by the first of these that a test set has."""

_MANY = 0.1  # advice on case is given if it would find this share of a test set's words


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """The score of vectors on a test set by one measure.

    Attributes:
        measure: The measure.
        settings: Of the run.
        vectors: The name of the vectors.
        test_set: The name of the test set.
        language: Its language code.
        sha256: Of the test set's file.
        subscores: The score on each category, section, list of pairs or group, in the order of the test set.
    """

    measure: Measure
    settings: Settings
    vectors: str
    test_set: str
    language: str
    sha256: str
    subscores: tuple[Subscore, ...]

    @property
    def value(self) -> float:
        """The mean of the subscores that have a value, weighted if `Settings.levels` says so."""
        return self._mean("value")

    @property
    def chance(self) -> float | None:
        """The chance level: the mean of those of the subscores; None if one is not known."""
        scored = [each for each in self.subscores if each.value is not None]
        return None if any(each.chance is None for each in scored) else self._mean("chance")

    @cached_property
    def influences(self) -> Influences:
        """The value, and how much it owes to each item of the test set."""
        return influences(self.subscores)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of `value` for other words of the same categories."""
        return interval(self.value, self.influences.spread, self.measure.lowest)

    @cached_property
    def category_interval(self) -> tuple[float, float] | None:
        """The same for other categories like these; None below six categories that share nothing."""
        spread = category_spread(self.subscores)
        return None if spread is None else interval(self.value, spread, self.measure.lowest)

    def subscore_interval(self, subscore: Subscore) -> tuple[float, float] | None:
        """The same as `interval` for one subscore; None if it was skipped, or has too few observations."""
        if subscore.value is None or len(subscore.observations) < LEAST_OBSERVATIONS:
            return None
        return interval(subscore.value, influences([subscore]).spread, self.measure.lowest)

    @property
    def hits(self) -> int | None:
        """The sum of the numerators of all subscores; None if the score is not a share."""
        return self._sum("hits")

    @property
    def trials(self) -> int | None:
        """The sum of the denominators; None if the score is not a share."""
        return self._sum("trials")

    @property
    def signature(self) -> str:
        """All that is needed to get the score again from the same vectors."""
        fields = {
            **self.settings.signature,
            "seed": str(self.settings.seed) if self.measure.draws else None,
            "test": f"{self.test_set}#{self.sha256[:12]}",
            "version": version("testgen-evaluator"),
        }
        return "|".join([str(self.measure), *(f"{k}:{v}" for k, v in fields.items() if v is not None)])

    def __repr__(self) -> str:
        """In one line."""
        low, high = self.interval
        return (
            f"<{self.measure} of {self.vectors} on {self.test_set}: {shown(self.value)} "
            f"({shown_interval((low, high))}), chance {shown(self.chance)}>"
        )

    def record(self) -> ScoreRecord:
        """What the result file holds."""
        low, high = self.interval
        return ScoreRecord(
            measure=str(self.measure),
            value=self.value,
            low=low,
            high=high,
            chance=self.chance,
            hits=self.hits,
            trials=self.trials,
            unit=self.measure.counted,
            signature=self.signature,
            subscores=tuple(self._subscore_record(each) for each in self.subscores),
        )

    def _sum(self, attribute: str) -> int | None:
        counts = [getattr(each, attribute) for each in self.subscores]
        known = [count for count in counts if count is not None]
        return sum(known) if known else None

    def _mean(self, attribute: str) -> float:
        scored = [each for each in self.subscores if each.value is not None]
        weights = sum(each.weight for each in scored)
        return float(sum(each.weight * getattr(each, attribute) for each in scored) / weights)

    def _subscore_record(self, subscore: Subscore) -> SubscoreRecord:
        low, high = self.subscore_interval(subscore) or (None, None)
        return SubscoreRecord(
            name=subscore.name,
            size=subscore.size,
            oov=subscore.oov,
            value=subscore.value,
            low=low,
            high=high,
            chance=subscore.chance,
            ceiling=subscore.ceiling,
            hits=subscore.hits,
            trials=subscore.trials,
            skipped=subscore.skipped,
            error=subscore.error or UNSET,
            extra=subscore.extra or UNSET,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, Score]):
    """The scores of vectors on one test set, by the texts of the measures.

    Attributes:
        scores: One for each measure.
        shape: v and d of the vectors, as they were scored.
        multiword: How many different test words consist of several words, and how many were looked up.
    """

    scores: tuple[Score, ...]
    shape: tuple[int, int]
    multiword: tuple[int, int] = (0, 0)

    def __getitem__(self, measure: str) -> Score:
        """The score of a measure, by its text; known measures may be spelled freely, as `Topk @ 3`."""
        if measure in self._by_text:
            return self._by_text[measure]
        try:
            return self._by_text[str(parse_measure(measure))]
        except EvaluatorError as error:
            raise KeyError(measure) from error

    def __iter__(self) -> Iterator[str]:
        """The texts of the measures."""
        return iter(self._by_text)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self.scores)

    @cached_property
    def _by_text(self) -> dict[str, Score]:
        return {str(score.measure): score for score in self.scores}

    @cached_property
    def _combined(self) -> tuple[Score, Score] | None:
        found = {type(score.measure).__name__: score for score in reversed(self.scores)}
        return (found["Topk"], found["OddOneOut"]) if {"Topk", "OddOneOut"} <= found.keys() else None

    @property
    def combined(self) -> float | None:
        """The harmonic mean of the first Topk and the first OddOneOut score; None if one is missing."""
        return None if self.combined_influences is None else self.combined_influences.value

    @cached_property
    def combined_influences(self) -> Influences | None:
        """`combined`, and how much it owes to each item of the test set."""
        return None if self._combined is None else combined_of(*(each.subscores for each in self._combined))

    @cached_property
    def combined_interval(self) -> tuple[float, float] | None:
        """The 95% confidence interval of `combined` for other words of the same categories."""
        found = self.combined_influences
        return None if found is None else interval(found.value, found.spread)

    @property
    def combined_chance(self) -> float | None:
        """Combined of the chance levels of Topk and OddOneOut."""
        levels = [each.chance for each in self._combined or ()]
        known = [each for each in levels if each is not None]
        return combined(*known) if len(known) == 2 else None

    def frame(self) -> pd.DataFrame:
        """A table with a row for each measure and subscore.

        Columns are measure, subscore, size, oov, value, low, high, chance; what was skipped has no value.
        The overall scores are in `Score.value`.
        """
        import pandas as pd

        rows = [
            (text, each.name, each.size, each.oov, each.value)
            + (score.subscore_interval(each) or (None, None))
            + (each.chance,)
            for text, score in self._by_text.items()
            for each in score.subscores
        ]
        names = ["measure", "subscore", "size", "oov", "value", "low", "high", "chance"]
        return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[4:], float))

    def __repr__(self) -> str:
        """One line for each measure."""
        lines = [repr(score) for score in self.scores]
        if self.combined is not None:
            lines.append(f"<Combined: {shown(self.combined)} ({shown_interval(self.combined_interval)})>")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: a row for each measure and subscore."""
        first = self.scores[0]
        rows = [row for text, score in self._by_text.items() for row in _html_rows(text, score)]
        if self.combined is not None:
            span = shown_interval(self.combined_interval)
            rows.append(("Combined", "all", "", "", shown(self.combined), span, ""))
        caption = f"{first.vectors} on {first.test_set} ({first.language})"
        columns = ("measure", "subscore", first.measure.counted, "OOV", "score", "95% interval", "chance")
        return html_table(caption, columns, rows, [score.signature for score in self.scores])

    def record(self) -> ScoresRecord:
        """What the result file holds."""
        first = self.scores[0]
        return ScoresRecord(
            vectors=first.vectors,
            vocabulary=self.shape[0],
            dimension=self.shape[1],
            test_set=first.test_set,
            language=first.language,
            sha256=first.sha256,
            combined=None
            if self.combined is None or self.combined_interval is None
            else Estimate(self.combined, *self.combined_interval),
            multiword=dict(zip(("several", "words"), self.multiword, strict=True)),
            scores=tuple(score.record() for score in self.scores),
        )


def _html_rows(text: str, score: Score) -> Iterator[tuple[str, ...]]:
    """The score first, because of many subscores not all are shown."""
    counts = [str(sum(getattr(each, name) for each in score.subscores)) for name in ("size", "oov")]
    yield text, "all", *counts, shown(score.value), shown_interval(score.interval), shown(score.chance)
    for each in score.subscores:
        span = shown_interval(score.subscore_interval(each))
        yield text, each.name, str(each.size), str(each.oov), shown(each.value), span, shown(each.chance)


def default_measures(test_set: TestSet) -> tuple[str, ...]:
    """The measures that are used for a test set if none are named.

    Raises:
        ScoreError: There are none.
    """
    for kind, measures in DEFAULT_MEASURES.items():
        if getattr(test_set, kind):
            return measures
    if test_set.labelled_texts:
        raise ScoreError(f"{test_set.name}: there is no default measure for texts; name SentenceProbe")
    raise ScoreError(f"{test_set.name}: has nothing that can be scored")


def score(
    vectors: Vectors,
    test_set: TestSet,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    settings: Settings | None = None,
    progress: Callable[[float], None] | None = None,
    announce: Callable[[int], None] | None = None,
    threads: int | None = None,
) -> Scores:
    """Score vectors on a test set; all measures share one pass over the vocabulary.

    Args:
        vectors: What to score.
        test_set: What to score them on.
        measures: One or several, as texts such as `Topk@3` or as measure objects; one named twice counts
            once. None for the default measures of the test set.
        settings: For all measures; `Settings()` if None.
        progress: Called repeatedly with the share that is done, from 0 to 1.
        announce: Called once before the pass, with the number of comparisons it takes.
        threads: How many to use; as many as there are cores if None. The scores do not depend on it.

    Raises:
        MeasureError: A measure's text is wrong.
        ScoreError: The test set has nothing that a measure scores, or none of it can be scored.
    """
    settings = settings or Settings()
    chosen = _chosen(measures, test_set)
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    # Several threads read the vocabulary; threads of BLAS within them would only compete for the same cores.
    with threadpool_limits(1, user_api="blas"):
        evaluations = {measure: measure.evaluation(test_set, lookup, settings) for measure in chosen}
        for measure, evaluation in evaluations.items():
            if len(evaluation.skipped) == len(evaluation.names) or not evaluation.known:
                hint = case_hint(vectors, test_set, settings, share=0)
                raise _nothing_scored(measure, evaluation, test_set, lookup, hint)
        if announce is not None:
            announce(sum(evaluation.comparisons for evaluation in evaluations.values()))
        states = _passes(lookup, list(evaluations.values()), progress or (lambda _: None), threads)
        found = {measure: each.subscores(states[each]) for measure, each in evaluations.items()}
    items = _items_of_several_words(test_set, lookup)
    run = settings, vectors.name, test_set.name, test_set.language, test_set.sha256
    scores = tuple(
        Score(measure, *run, tuple(_in_test_set(subscores, test_set, items, settings)))
        for measure, subscores in found.items()
    )
    return Scores(scores, (len(lookup.vectors), lookup.vectors.dimension), lookup.multiword)


def case_hint(
    vectors: Vectors, test_set: TestSet, settings: Settings | None = None, share: float = _MANY
) -> str | None:
    """Advice if vectors know many words of a test set only in another case.

    Args:
        vectors: What is scored.
        test_set: On what.
        settings: Of the run; `Settings()` if None.
        share: The share of the words that case folding must find in addition.

    Returns:
        One line, or None if it would find fewer words.
    """
    settings = settings or Settings()
    if settings.case != "exact":
        return None
    if settings.vocabulary is not None:
        vectors = vectors.restrict(settings.vocabulary)
    missing, found = count_other_case(vectors, test_set)
    words = {word for category in test_set.categories for word in category.words}
    if not found or found < share * len(words):
        return None
    return f"{found} of {missing} words without a vector have one in another case: try --case fold"


def _chosen(measures: str | Measure | Iterable[str | Measure] | None, test_set: TestSet) -> list[Measure]:
    """The measures, each once; each must find something to score in the test set."""
    if measures is None:
        measures = default_measures(test_set)
    several = [measures] if isinstance(measures, str | Measure) else measures
    chosen = list(dict.fromkeys(parse_measure(each) for each in several))
    if not chosen:
        raise ScoreError(f"{test_set.name}: no measures given")
    for measure in chosen:
        if not getattr(test_set, measure.scores):
            what = measure.scores.replace("_", " ")
            raise ScoreError(f"{test_set.name}: {measure} scores {what}, and it has none")
    return chosen


def _nothing_scored(
    measure: Measure, evaluation: Evaluation, test_set: TestSet, lookup: VocabularyLookup, hint: str | None
) -> ScoreError:
    """The error if a measure can score nothing: there is no score then, which is not the same as 0."""
    reasons = [f"{name}: {reason}" for name, reason in evaluation.skipped.items()]
    if len(reasons) < len(evaluation.names) or not reasons:
        reasons = ["no word is known"]
    more = f"; and {len(reasons) - 5} more" if len(reasons) > 5 else ""
    if hint is None and lookup.missing:
        hint = f"are the vectors in its language ({test_set.language})?"
    return ScoreError(
        f"{test_set.name}: {measure} can score nothing of it with {lookup.vectors.name} "
        f"({'; '.join(reasons[:5])}{more}){f'; {hint}' if hint else ''}"
    )


def _passes(
    lookup: VocabularyLookup,
    evaluations: Sequence[Evaluation],
    progress: Callable[[float], None],
    threads: int | None,
) -> dict[Evaluation, list[Any]]:
    """One pass over the vocabulary for each kind of similarities."""
    states: dict[Evaluation, list[Any]] = {each: [] for each in evaluations if each.kind is None}
    kinds: list[Kind] = list(dict.fromkeys(each.kind for each in evaluations if each.kind is not None))
    for number, kind in enumerate(kinds):
        similarities = Similarities(lookup.queries, lookup.vocabulary_rows, lookup.vectors.matrix, kind)
        readers = [each for each in evaluations if each.kind == kind]
        of_each = pass_over_vocabulary(similarities, readers, _share(progress, number, len(kinds)), threads)
        states |= dict(zip(readers, of_each, strict=True))
    return states


def _in_test_set(
    subscores: Iterable[Subscore], test_set: TestSet, items: Mapping[str, str], settings: Settings
) -> Iterator[Subscore]:
    """Subscores with the weights of categories of a hierarchy, and observations named by their items."""
    levels = {each.name: each.level for each in test_set.categories if settings.levels == "halved"}
    for each in subscores:
        named = replace(each, weight=2.0 ** -levels.get(each.name, 0))
        yield named.of_items(items) if items else named


def _items_of_several_words(test_set: TestSet, lookup: VocabularyLookup) -> dict[str, str]:
    """The items of words that are not the only one of theirs, by normalized word."""
    found: dict[str, str] = {}
    for category in test_set.categories:
        for item in category.items:
            words = lookup.normalized_words(item.words) if len(item.words) > 1 else ()
            if len(words) > 1:
                found |= {word: item.id for word in words if word not in found}
    return found


def _share(progress: Callable[[float], None], number: int, passes: int) -> Callable[[float], None]:
    """Progress of the whole from that of one of several equal passes."""
    return lambda done: progress((number + done) / passes)
