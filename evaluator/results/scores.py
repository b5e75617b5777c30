"""Scores of models on test sets: the same types are computed, shown, written and read.

`Scores` are those of a model on a test set: a `Score` by each measure, with a `Subscore` for each category.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from evaluator.datasets.testset import Reading
from evaluator.engine.vocabulary_lookup import BASELINE_OF
from evaluator.errors import EvaluatorError, ScoreError
from evaluator.execution.inputs import Input
from evaluator.execution.output_files import visible
from evaluator.measures import parse_measure
from evaluator.measures.base import Count, ScoreValue, Subscore
from evaluator.results.base import Difference, Name, NonEmpty, ResultFile, frame_with_names
from evaluator.results.kept import Kept
from evaluator.results.score import ABOVE_CHANCE, COMPUTED, Failure, Score, measure_named, verdict_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from evaluator.results.figures.forest import Mark

ALL_LANGUAGES = "all languages"
"""The name of what has the place of a test set where scores are means over languages."""

_NUMBERS = ("value", "low", "high", "categories_low", "categories_high", "chance", "baseline", "spelling")
COLUMNS = (
    *("model", "language", "test_set", "measure", "words", "part", "title"),
    *(*_NUMBERS, "n", "known", "reason"),
)
"""The columns of all tables of scores; those of `Scores.keys` follow."""

Row = dict[str, Any]


class Scores(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The scores of one model on one test set, from one training run or the means of several.

    `scores["Topk@3"]` is that of a measure; known measures may be spelled freely, as `Topk @ 3`.

    Attributes:
        model: The name of the vectors.
        model_sha256: The digest of the file of the vectors, or that of the digests of all files they were
            loaded from; of vectors in memory that of words, matrix and n-grams.
        vocabulary: How many words were scored; None if training runs differ in it.
        dimension: d of the vectors.
        test_set: The name of the test set.
        language: Its language code.
        named_in: The code of the language whose words it has, if that is another one.
        test_sha256: The digest of the test set's file.
        inputs: Each file that the scores depend on, of the vectors and then of the test set; not those that
            a file of results lists for all its scores.
        reading: What that file was taken for: its format, which column is which, lines that were left out.
        known_words: How many different test words are known.
        built_words: How many others have a vector that is built from subwords; nothing is decided by it.
        words: How many different test words were looked up.
        multiword: How many of these consist of `several` words, of how many `words`.
        keys: What a study tells its scores apart by, such as `size` and `seed`.
        scores: One for each measure that could be scored, and Combined and Above chance if there are a Topk
            and an OddOneOut of the same categories.
        failures: The measures that could not be scored.
    """

    model: Name
    model_sha256: str = ""
    vocabulary: Count | None = None
    dimension: Count | None = None
    test_set: Name
    language: str
    named_in: str = ""
    test_sha256: str = ""
    inputs: tuple[Input, ...] = ()
    reading: Reading | None = None
    known_words: Count | None = None
    built_words: Count = 0
    words: Count | None = None
    multiword: Mapping[str, Count] = {}
    keys: Mapping[str, str | int | float] = {}
    scores: NonEmpty[Score]
    failures: tuple[Failure, ...] = ()

    def __getitem__(self, measure: str) -> Score:
        found = self.get(measure)
        if found is None:
            raise KeyError(measure)
        return found

    def get(self, measure: str) -> Score | None:
        """The score by a measure; None if there is none."""
        for score in self.scores:
            if score.measure == measure:
                return score
        try:
            spelled = str(parse_measure(measure))
        except EvaluatorError:
            return None
        return None if spelled == measure else self.get(spelled)

    def __contains__(self, measure: str) -> bool:
        return self.get(measure) is not None

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def measured(self) -> tuple[Score, ...]:
        """The scores by measures, without those that are computed from two of them."""
        return tuple(each for each in self.scores if each.measure not in COMPUTED)

    @property
    def runs(self) -> int:
        """Of how many training runs these are the means."""
        return len(self.scores[0].seeds) or 1

    @property
    def reason(self) -> str:
        """Why all scores are 0, if no word is known; else ""."""
        return next((each.reason for each in self.scores if each.reason), "")

    @property
    def kept(self) -> Kept:
        """Whether the model can be kept, and why not."""
        return contenders_of([self])

    @property
    def best(self) -> str | None:
        """The model, if it can be kept; None if it is not shown to be above all baselines."""
        return self.kept.best

    def with_verdicts(self) -> Scores:
        """The same, with what each score says."""
        return replace(self, scores=tuple(replace(each, verdict=verdict_of(each)) for each in self.scores))

    def record(self) -> Scores:
        """What a result file holds: without what tests and means are computed from."""
        return replace(self, scores=tuple(map(Score.without_observations, self.scores)))

    def rows(self, *, known: bool = True) -> Iterator[Row]:
        """The rows of `frame`, by the names of the columns."""
        which = {"model": self.model, "language": self.language, "test_set": self.test_set, **self.keys}
        for score in self.scores:
            beside = ((score.of_known, "known"), (score.with_built, "with built")) if known else ()
            for own, words in ((score, score.words), *beside):
                if own is not None:
                    of = which | {"measure": own.measure, "words": words}
                    yield of | {"part": "all", "title": "all"} | _numbers(own)
                    for each in own.subscores:
                        yield of | {"part": each.name, "title": each.heading} | _numbers(each)
        for failure in self.failures:
            yield which | {
                "measure": failure.measure,
                "part": "all",
                "title": "all",
                "reason": failure.reason,
            }

    def frame(self) -> pd.DataFrame:
        """A table: a row for each measure, whose part is `all`, and for each subscore.

        Columns are model, language, test_set, measure, words (`all`; the `known` ones alone; or `with built`,
        where those are known, too, whose vectors are built from subwords), part, title (of the part, for
        people), value, low, high (the 95% interval for other words), categories_low, categories_high (that
        for other categories), chance, baseline (what a model scores that knows only how frequent words are),
        spelling (what one scores that knows only their letters), n (how many different items), known (those
        that have a vector), reason, which stands in place of a value where there is none, and `keys`.
        """
        return frame_of([self])

    def plot(self, axes: Axes | None = None, measures: Iterable[str] | None = None) -> Axes:
        """A forest plot: a row for each category, with chance level, frequency and spelling baseline.

        For print, `evaluator score --figure` writes fonts that journals accept.

        Args:
            axes: matplotlib's axes to draw into; those of a new figure if None.
            measures: The texts of the measures to draw; all if None, without Above chance.

        Raises:
            ExtraError: matplotlib is not installed.
            ScoreError: There are no such scores, or more than can be told apart.
        """
        return ScoresFile(results=(self,)).plot(axes, measures)

    def latex(self) -> str:
        """The tables for LaTeX, with intervals; they need the package booktabs."""
        return ScoresFile(results=(self,)).latex()

    def __repr__(self) -> str:
        of = f"{self.model} on {self.test_set}"
        lines = (f"{str(each).removesuffix('>')}, {of}>" for each in self.scores)
        return "\n".join(map(visible, (*lines, str(self.kept))))

    def _repr_html_(self) -> str:
        return ScoresFile(results=(self,))._repr_html_()


class Choosing(NamedTuple):
    """The measures that choose one of several models on a test set.

    Attributes:
        measures: By one of which a model must be shown to be above all baselines.
        chosen_by: By which the models that are so are compared.
        known: How many related words all models know, if these are too few to choose by them; else None.
        needed: How many are needed.
    """

    measures: tuple[str, ...]
    chosen_by: tuple[str, ...]
    known: int | None = None
    needed: int = 0

    @classmethod
    def of(cls, models: Sequence[Scores]) -> Choosing:
        """Related words choose if all models know enough of them; else all measures that need no number."""
        every = (score for each in models for score in each.measured if not score.is_baseline)
        texts = tuple(dict.fromkeys(score.measure for score in every))
        needed = {text: of.least_choosing if (of := measure_named(text)) else 0 for text in texts}
        always = tuple(text for text in texts if needed[text] == 0)
        few: tuple[int | None, int] = None, 0
        for text in (each for each in texts if needed[each]):
            least, found = needed[text] or 0, [own for each in models if (own := each.get(text))]
            known = min((own.answered for own in found), default=0) if len(found) == len(models) else 0
            if known >= least:
                return cls((*always, text), (text,))
            few = few if few[1] else (known, least)
        return cls(always, always, *few)


def contenders_of(models: Sequence[Scores]) -> Kept:
    """Which models of a test set are shown to be above all baselines; several are not told apart yet."""
    baselines = {*map(f"{BASELINE_OF}{{.model}}".format, models)}
    models = [each for each in models if each.model not in baselines]
    by = Choosing.of(models)
    counted = {
        each.model: [own for own in each.measured if own.measure in by.measures and not own.is_baseline]
        for each in models
    }
    able = tuple(model for model, own in counted.items() if any(score.is_contender for score in own))
    knowing = max(models, key=lambda each: each.known_words or 0)
    measured = [*chain.from_iterable(counted.values())]
    only = able[0] if len(able) == 1 else None
    above: dict[str, tuple[str, ...]] = {}
    if only is not None:
        above = {own.measure: ("chance", *own.baselines) for own in counted[only] if own.is_contender}
    few = bool(measured) and all(each.low is None for each in measured)
    return Kept(
        test_set=knowing.test_set,
        language=knowing.language,
        kind="only" if only is not None else "equal" if able else "none",
        measures=by.measures,
        chosen_by=by.chosen_by if by.chosen_by != by.measures else (),
        related=by.known,
        related_needed=by.needed,
        models=able,
        by=() if only is None else (tuple(above),),
        above=above,
        contenders=able,
        lacking={
            model: {score.measure: score.lacking for score in own}
            for model, own in counted.items()
            if model not in able
        },
        known_words=knowing.known_words or 0,
        built_words=knowing.built_words,
        words=knowing.words or 0,
        few=few,
        why_few=measured[0].too_few if few else "",
        trainable=any(each.dimension is not None for each in models),
        same=copies_of(models) if len(models) > 1 else (),
    )


def copies_of(models: Iterable[Scores]) -> tuple[tuple[str, ...], ...]:
    """The names of models that are copies of each other; none if all differ."""
    copies: dict[tuple[str, ...], tuple[str, ...]] = {}
    for each in models:  # the baseline of a model is of the same file, and has other scores
        same = (each.model_sha256 or each.model, *(f"{own.measure} {own.value}" for own in each.measured))
        copies[same] = (*copies.get(same, ()), each.model)
    return tuple(each for each in copies.values() if len(each) > 1)


def with_common_words(own: Scores, common: Scores) -> Scores:
    """Scores with those of measures that ask only words that all compared models know, as these were asked.

    Of a measure that could then not be scored there is the reason.
    """

    def asked(measure: str) -> bool:
        of = measure_named(measure)
        return of is not None and of.known_only

    found, failed = {each.measure: each for each in common.measured}, own.failures
    failed += tuple(each for each in common.failures if asked(each.measure) and each.measure in own)
    kept = (found.get(each.measure) if asked(each.measure) else each for each in own.scores)
    scores = tuple(each for each in kept if each is not None)
    return replace(own, scores=scores, failures=failed) if scores else own


def _numbers(found: Score | Subscore) -> Row:
    numbers = {name: getattr(found, name, None) for name in (*_NUMBERS, "n", "known")}
    return numbers | {"reason": found.skipped if isinstance(found, Subscore) else found.reason or None}


class ModelFailure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model that could not be scored on a test set.

    Attributes:
        model: The name of the vectors.
        test_set: The name of the test set; null if the vectors could not be loaded.
        reason: Why there are no scores.
        keys: As those of `Scores`.
    """

    model: Name
    test_set: str | None
    reason: str
    keys: Mapping[str, str | int | float] = {}

    def __str__(self) -> str:
        """In a line; what the reason names is not named twice."""
        on = f" on {self.test_set}" if self.test_set and self.test_set not in self.reason else ""
        named = self.model in self.reason if self.test_set is None else False
        return self.reason if named else f"{self.model}{on}: {self.reason}"


class TestedDifference(Difference, frozen=True, kw_only=True, omit_defaults=True):
    """How much better the second of two models is than the first, by one measure on one test set.

    Attributes:
        test_set: The name of the test set.
        measure: The text of the measure.
        first: The name of the first model.
        second: The name of the second model.
        own: The difference in the vocabulary of each; null if both have the same words.
        language: The language code of the test set, if models of several languages are scored.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    test_set: str
    measure: str
    first: str
    second: str
    own: ScoreValue | None = None
    language: str = ""


class RankedModel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model among others.

    Attributes:
        model: Its name.
        value: The score that was compared: among the candidates that all models have.
        letters: Models that share a letter cannot be told apart; empty if more than 100 would be needed.
        best: The lower end of the 95% confidence interval of its rank; null if it is no contender.
        worst: The upper end of the interval.
        lacking: What its score is not shown to be above: chance, frequency, spelling.
    """

    model: Name
    value: ScoreValue
    letters: str
    best: Count | None
    worst: Count | None
    lacking: tuple[str, ...] = ()


class Ranking(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Several models on a test set by a measure.

    Attributes:
        test_set: The name of the test set.
        measure: The text of the measure.
        over: What the tests were over, such as "20 categories".
        models: The contenders first, which are ranked; the one with the highest score first.
        language: The language code of the test set, if models of several languages are scored.
        within_margin: The models shown to differ from the first by less than the margin.
    """

    test_set: str
    measure: str
    over: str
    models: NonEmpty[RankedModel]
    language: str = ""
    within_margin: tuple[str, ...] = ()

    def is_of(self, scores: Scores) -> bool:
        """Whether it ranks models on the test set of some scores."""
        return self.test_set == scores.test_set and self.language in ("", scores.language)


class ScoresFile(ResultFile, frozen=True, kw_only=True, tag="scores"):
    """The scores of models on test sets, as `evaluator score --json` writes them; a sequence of `Scores`.

    Attributes:
        results: One for each model and test set, model by model.
        totals: Of models in several languages: the mean over those in which all of them were scored.
        differences: All pairs of models compared.
        rankings: Which of the models are better than which.
        kept: Which model to keep, on each test set; and over all languages if there are several.
        margin: It was tested which scores differ by less; null if this was not asked.
        failures: What could not be scored.
    """

    command: ClassVar[str] = "evaluator score --json"

    version: Literal[5] = 5
    results: NonEmpty[Scores]
    totals: tuple[Scores, ...] | UnsetType = UNSET
    differences: tuple[TestedDifference, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    kept: tuple[Kept, ...] = ()
    margin: ScoreValue | None = None
    failures: tuple[ModelFailure, ...] = ()

    def __getitem__(self, key: int | tuple[str, str]) -> Scores:
        if isinstance(key, int):
            return self.results[key]
        found = next((each for each in self.results if (each.model, each.test_set) == key), None)
        if found is None:
            there = ", ".join(f"{(each.model, each.test_set)}" for each in self.results)
            raise KeyError(f"{key}: no model and test set of these names; there are {there}")
        return found

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Scores]:
        return iter(self.results)

    @property
    def best(self) -> str | None:
        """The model to keep: of one test set, or over all languages; None if none can be named."""
        return self.kept[-1].best if self.kept and (len(self.kept) == 1 or self.over_languages) else None

    @property
    def closing(self) -> list[str]:
        """Which model to keep, in a sentence for each test set."""
        if len(self.kept) < 2:
            return list(map(str, self.kept))
        return [
            f"{each.test_set}: {each}"
            if each.test_set == ALL_LANGUAGES
            else f"{each.language}, {each.test_set}: {each}"
            for each in self.kept
        ]

    @property
    def reasons(self) -> list[str]:
        """What could not be scored, and why: models, models on a test set, and measures of these.

        Also models that have 0 on a test set because they know no word of it.
        """
        found, unknown = list(self.failures), list[ModelFailure]()
        for each in self.results:
            for failure in each.failures:
                found.append(ModelFailure(each.model, each.test_set, failure.reason))  # noqa: PERF401
            if each.reason:
                unknown.append(ModelFailure(each.model, each.test_set, each.reason))
        return list(map(str, found + unknown))

    @property
    def over_languages(self) -> tuple[Scores, ...]:
        """The totals; none if there are no models in several languages."""
        return self.totals if isinstance(self.totals, tuple) else ()

    def frame(self) -> pd.DataFrame:
        """A table as `Scores.frame` gives it, with the rows of all models and test sets.

        What could not be scored at all has a row with a reason.
        """
        return frame_of((*self.results, *self.over_languages), self.failures)

    def plot(self, axes: Axes | None = None, measures: Iterable[str] | None = None) -> Axes:
        """A forest plot of all models on one test set, as `Scores.plot`.

        Raises:
            ExtraError: matplotlib is not installed.
            ScoreError: There are several test sets, no such scores, or more than can be told apart.
        """
        from evaluator.results.figures.forest import forest_axes

        return forest_axes(marks_of(self.results, measures), axes)

    def record(self) -> Self:
        """What the result file holds, for `evaluator.report` and `evaluator.compose`."""
        totals = tuple(map(Scores.record, self.over_languages)) or UNSET
        return replace(self, results=tuple(map(Scores.record, self.results)), totals=totals)

    def __repr__(self) -> str:
        lines = (line for each in self.results for line in repr(each).splitlines()[:-1])
        return "\n".join((*lines, *map(visible, self.closing)))


def listed(given: Scores | Iterable[Scores]) -> list[Scores]:
    """The scores that a function is given, one or several."""
    found = [given] if isinstance(given, Scores) or not isinstance(given, Iterable) else list(given)
    if not all(isinstance(each, Scores) for each in found):
        raise ScoreError("give scores: what `evaluator.score` gives, or evaluator.read_results(path).scores")
    return found


def frame_of(results: Iterable[Scores], failures: Iterable[ModelFailure] = ()) -> pd.DataFrame:
    """One long table of scores, and of what could not be scored; see `Scores.frame`."""
    rows: list[Row] = [row for each in results for row in each.rows()]
    rows += [
        {"model": each.model, "test_set": each.test_set, "reason": each.reason, **each.keys}
        for each in failures
    ]
    columns = dict.fromkeys((*COLUMNS, *(key for row in rows for key in row)))
    frame = frame_with_names(rows, columns=list(columns))
    return frame.astype(dict.fromkeys(_NUMBERS, float) | {"n": "Int64", "known": "Int64"})


def marks_of(results: Iterable[Scores], measures: Iterable[str] | None = None) -> list[Mark]:
    """What a forest plot shows, the mean over all in the last row."""
    from evaluator.results.figures.forest import Mark

    several = list(results)
    tests = list(dict.fromkeys(each.test_set for each in several))
    if len(tests) > 1:
        raise ScoreError(f"a figure shows one test set, and not {len(tests)}: {', '.join(tests)}")
    wanted = None if measures is None else set(measures)
    found = [
        Mark(
            "" if row["part"] == "all" else row["title"],
            f"{row['model']}, {row['measure']}" if len(several) > 1 else row["measure"],
            *(row[name] for name in ("value", "low", "high", "chance", "baseline", "spelling")),
        )
        for each in several
        for row in each.rows(known=False)
        if row.get("value") is not None
        and (row["measure"] != ABOVE_CHANCE if wanted is None else row["measure"] in wanted)
    ]
    return sorted(found, key=lambda mark: not mark.row)


def marks_for_print(found: ScoresFile) -> list[Mark]:
    """The categories of one model; or panels of measures, with rows of languages, test sets or models."""
    from evaluator.results.figures.forest import MOST_PANELS, Mark

    scores = (*found.results, *found.over_languages)
    if len(scores) == 1:
        return marks_of(scores)
    languages, tests = ({getattr(each, name) for each in found.results} for name in ("language", "test_set"))
    measures = list(dict.fromkeys(score.measure for each in scores for score in each.measured))
    return [
        Mark(
            *(_row_and_series(each, len(languages), len(tests))),
            *(score.value, score.low, score.high, score.chance, score.baseline, score.spelling),
            panel=measure,
        )
        for measure in measures[:MOST_PANELS]
        for each in scores
        if (score := each.get(measure)) is not None
    ]


def _row_and_series(scores: Scores, languages: int, tests: int) -> tuple[str, str]:
    if languages > 1:
        return "" if scores.test_set == ALL_LANGUAGES else scores.language, scores.model
    return (scores.test_set, scores.model) if tests > 1 else (scores.model, "")
