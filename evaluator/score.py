"""Scores: what a measure says of vectors on a test set, and how to get the same number again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from evaluator.combined import combined
from evaluator.errors import MeasureError, ScoreError
from evaluator.measures import Count, Measure, Norm, parse_measure
from evaluator.scan import scan
from evaluator.similarities import Kind, Similarities
from evaluator.task import OOV, Case, CategoryTask, Task, count_other_case, look_up
from evaluator.testset import TestSet
from evaluator.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_MEASURES = ("Topk@3", "OddOneOut@3")
_MANY = 0.1  # the share of a test set's words that makes advice on case worth a line


@dataclass(frozen=True)
class Settings:
    """What holds for all measures of a run.

    Attributes:
        oov: `wrong` counts a word without a vector as a miss; `skip` takes it out of its category.
        norm: `unit` compares directions; `none` compares raw vectors where a measure uses distances.
        case: `exact`, or `fold` to let words agree when case is folded.
        vocabulary: Only this many of the most frequent words exist; None for all.
        seed: For measures that draw samples.
    """

    oov: OOV = "wrong"
    norm: Norm = "unit"
    case: Case = "exact"
    vocabulary: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values that do not exist.

        Raises:
            ScoreError: Naming the setting and the choices.
        """
        choices = {"oov": ("wrong", "skip"), "norm": ("unit", "none"), "case": ("exact", "fold")}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ScoreError(f"{name} is {getattr(self, name)!r}; choose from {', '.join(allowed)}")


@dataclass(frozen=True)
class CategoryScore:
    """The score on one category.

    Attributes:
        name: The category.
        words: Its words in the test set.
        oov: How many of them have no vector.
        hits: What was counted; None if the category was skipped.
        trials: Out of how many; None if skipped.
        ceiling: The best that any model with this vocabulary could reach; None if skipped.
        skipped: Why there is no score; None if there is one.
        error: The standard error of the score, if subsets were drawn because there are too many.
    """

    name: str
    words: int
    oov: int
    hits: int | None = None
    trials: int | None = None
    ceiling: float | None = None
    skipped: str | None = None
    error: float | None = None

    @property
    def value(self) -> float | None:
        """Hits out of trials, from 0 to 1; None if the category was skipped."""
        return None if self.hits is None or self.trials is None else self.hits / self.trials


@dataclass(frozen=True)
class Score:
    """What one measure says of vectors on a test set.

    Attributes:
        measure: The measure.
        settings: What held for the run.
        vectors: The name of the vectors.
        test_set: The name of the test set.
        language: Its language code.
        sha256: Of the test set's file.
        categories: The score on each category, in the order of the test set.
    """

    measure: Measure
    settings: Settings
    vectors: str
    test_set: str
    language: str
    sha256: str
    categories: tuple[CategoryScore, ...]

    @property
    def value(self) -> float:
        """The mean over the categories that were scored, from 0 to 1."""
        values = [category.value for category in self.categories if category.value is not None]
        return sum(values) / len(values)

    @property
    def hits(self) -> int:
        """What was counted in all categories together."""
        return sum(category.hits or 0 for category in self.categories)

    @property
    def trials(self) -> int:
        """Out of how many."""
        return sum(category.trials or 0 for category in self.categories)

    @property
    def signature(self) -> str:
        """All that is needed to get the score again from the same vectors."""
        settings = self.settings
        parts = {
            "norm": settings.norm,
            "oov": settings.oov,
            "case": settings.case,
            "vocabulary": settings.vocabulary or "all",
            "seed": settings.seed if self.measure.draws else None,
            "test": f"{self.test_set}#{self.sha256[:12]}",
            "version": version("testgen-evaluator"),
        }
        return "|".join([str(self.measure), *(f"{k}:{v}" for k, v in parts.items() if v is not None)])

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "measure": str(self.measure),
            "value": self.value,
            "hits": self.hits,
            "trials": self.trials,
            "signature": self.signature,
            "categories": [
                {
                    "name": category.name,
                    "words": category.words,
                    "oov": category.oov,
                    "value": category.value,
                    "hits": category.hits,
                    "trials": category.trials,
                    "ceiling": category.ceiling,
                    "skipped": category.skipped,
                    **({"error": category.error} if category.error else {}),
                }
                for category in self.categories
            ],
        }


@dataclass(frozen=True)
class Scores(Mapping[str, Score]):
    """The scores of some vectors on one test set, by the text of the measure."""

    scores: tuple[Score, ...]

    def __getitem__(self, measure: str) -> Score:
        """The score of a measure, named by its text in any spelling."""
        try:
            return self._by_text[str(parse_measure(measure))]
        except MeasureError as error:
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

    @property
    def combined(self) -> float | None:
        """The harmonic mean of the first Topk and the first OddOneOut score; None where one is missing."""
        found = {type(score.measure).__name__: score.value for score in reversed(self.scores)}
        if "Topk" not in found or "OddOneOut" not in found:
            return None
        return combined(found["Topk"], found["OddOneOut"])

    def frame(self) -> pd.DataFrame:
        """A table with a row for each category: its words, how many are OOV, and the score of each measure.

        Scores of skipped categories are missing values. The overall scores are in `Score.value`.
        """
        import pandas as pd

        columns: dict[str, Sequence[object]] = {
            "category": [category.name for category in self.scores[0].categories],
            "words": [category.words for category in self.scores[0].categories],
            "oov": [category.oov for category in self.scores[0].categories],
        }
        for text, score in self._by_text.items():
            columns[text] = [category.value for category in score.categories]
        return pd.DataFrame(columns).astype(dict.fromkeys(self._by_text, float))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        first = self.scores[0]
        return {
            "vectors": first.vectors,
            "test_set": first.test_set,
            "language": first.language,
            "words": sum(category.words for category in first.categories),
            "oov": sum(category.oov for category in first.categories),
            "combined": self.combined,
            "scores": [score.as_dict() for score in self.scores],
        }


def score(
    vectors: Vectors,
    test_set: TestSet,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    settings: Settings | None = None,
    progress: Callable[[float], None] | None = None,
    announce: Callable[[int], None] | None = None,
    threads: int | None = None,
) -> Scores:
    """Score vectors on the categories of a test set; all measures share one pass over the vocabulary.

    Args:
        vectors: What to score.
        test_set: On what.
        measures: One or several, as texts such as `Topk@3` or as measure values; one named twice counts once.
        settings: What holds for all of them; `Settings()` if None.
        progress: Called now and then with the share of the work that is done, from 0 to 1.
        announce: Called once before the work with the number of comparisons it takes.
        threads: How many share the work; as many as there are cores if None. The scores are the same.

    Raises:
        MeasureError: A measure's text is wrong.
        ScoreError: There is no category to score, or a measure can score none of them.
    """
    settings = settings or Settings()
    several = [measures] if isinstance(measures, str | Measure) else measures
    chosen = list(dict.fromkeys(m if isinstance(m, Measure) else parse_measure(m) for m in several))
    if not test_set.categories or not chosen:
        raise ScoreError(f"{test_set.name}: {'no measures given' if not chosen else 'it has no categories'}")
    if settings.vocabulary is not None:
        vectors = vectors.restrict(settings.vocabulary)
    task = look_up(vectors, test_set, settings.oov, settings.case)
    run = _Run(task, settings, chosen)
    run.check(test_set, lambda: case_hint(vectors, test_set, settings, share=0))
    if announce is not None:
        announce(run.comparisons())
    counts = run.count(progress or (lambda _: None), threads)
    return Scores(
        tuple(
            Score(
                measure,
                settings,
                vectors.name,
                test_set.name,
                test_set.language,
                test_set.sha256,
                tuple(run.category_score(measure, category, counts[measure]) for category in task.categories),
            )
            for measure in chosen
        )
    )


def case_hint(
    vectors: Vectors, test_set: TestSet, settings: Settings | None = None, share: float = _MANY
) -> str | None:
    """What to tell somebody whose vectors know many words of a test set only in another case.

    Args:
        vectors: What is scored.
        test_set: On what.
        settings: What holds for the run; `Settings()` if None.
        share: How large a share of the words case folding must find to be worth a line.

    Returns:
        A line of advice if it would find that many; else None.
    """
    settings = settings or Settings()
    if settings.case == "fold":
        return None
    if settings.vocabulary is not None:
        vectors = vectors.restrict(settings.vocabulary)
    missing, found = count_other_case(vectors, test_set)
    words = {word for category in test_set.categories for word in category.words}
    if not found or found < share * len(words):
        return None
    return f"{found} of {missing} words without a vector have one in another case: try --case fold"


class _Run:
    """One pass over the vocabulary for several measures."""

    def __init__(self, task: Task, settings: Settings, measures: Sequence[Measure]) -> None:
        self._task = task
        self._settings = settings
        self._why_not = {
            measure: {c.name: measure.why_not(c, len(task.vectors)) for c in task.categories}
            for measure in measures
        }

    def check(self, test_set: TestSet, advice: Callable[[], str | None]) -> None:
        """Refuse a measure that can score no category: that would be no score, and not a 0."""
        for measure, reasons in self._why_not.items():
            if all(reasons.values()):
                listed = "; ".join(f"{name}: {reason}" for name, reason in list(reasons.items())[:5])
                more = f"; and {len(reasons) - 5} more" if len(reasons) > 5 else ""
                some_oov = any(category.oov for category in self._task.categories)
                hint = advice() or (some_oov and f"are the vectors in its language ({test_set.language})?")
                raise ScoreError(
                    f"{test_set.name}: {measure} can score no category of it with {self._task.vectors.name} "
                    f"({listed}{more}){'; ' + hint if hint else ''}"
                )

    def comparisons(self) -> int:
        """How many comparisons the work takes."""
        return sum(
            measure.comparisons(category, len(self._task.vectors))
            for measure in self._why_not
            for category in self._scored(measure)
        )

    def count(
        self, progress: Callable[[float], None], threads: int | None
    ) -> dict[Measure, dict[str, Count]]:
        counts: dict[Measure, dict[str, Count]] = {}
        kinds = dict.fromkeys(measure.kind(self._settings.norm) for measure in self._why_not)
        for number, kind in enumerate(kinds):
            share = _share(progress, number, len(kinds))
            counts |= self._count_kind(kind, share, threads)
        return counts

    def _count_kind(
        self, kind: Kind, progress: Callable[[float], None], threads: int | None
    ) -> dict[Measure, dict[str, Count]]:
        similarities = Similarities(self._task.queries, self._task.vectors.matrix, kind)
        measures = [m for m in self._why_not if m.kind(self._settings.norm) == kind]
        seed = self._settings.seed
        counters = [m.counter(self._task, self._scored(m), similarities, seed) for m in measures]
        counts = scan(similarities, counters, progress, threads)
        return {
            measure: dict(zip((c.name for c in self._scored(measure)), of_measure, strict=True))
            for measure, of_measure in zip(measures, counts, strict=True)
        }

    def _scored(self, measure: Measure) -> list[CategoryTask]:
        return [c for c in self._task.categories if self._why_not[measure][c.name] is None]

    def category_score(
        self, measure: Measure, category: CategoryTask, counts: Mapping[str, Count]
    ) -> CategoryScore:
        reason = self._why_not[measure][category.name]
        if reason is not None:
            return CategoryScore(category.name, category.words, category.oov, skipped=reason)
        count = counts[category.name]
        return CategoryScore(
            category.name,
            category.words,
            category.oov,
            count.hits,
            count.trials,
            measure.ceiling(category),
            error=count.error or None,
        )


def _share(progress: Callable[[float], None], number: int, parts: int) -> Callable[[float], None]:
    """Progress of the whole from that of one of several equal parts."""
    return lambda done: progress((number + done) / parts)
