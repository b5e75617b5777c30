"""compare: the scores of several languages on the same categories, and their differences."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from evaluator.errors import ScoreError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.execution.processes import Result
from evaluator.results.comparison import (
    Agreement,
    ComparedLanguage,
    ComparisonFile,
    Group,
    LanguageDifference,
    Mentions,
    Row,
    View,
)
from evaluator.studies.languages.alignment import AlignedCategory, KnownWords, align
from evaluator.studies.languages.differences import differences_of
from evaluator.studies.languages.inputs import Language, check_codes, check_settings, choose_groups
from evaluator.studies.languages.language_scores import LanguageScores, measures_of, rows_of
from evaluator.studies.languages.mentions import agreement_of, count_mentions
from evaluator.studies.languages.tasks import (
    AlignedTask,
    LanguageTask,
    VectorsSummary,
    WholeResult,
    score_aligned,
    score_whole,
)
from evaluator.vectors.reading import VectorsFile

if TYPE_CHECKING:
    import pandas as pd

LEAST_ITEMS = 4
"""With fewer items languages are not compared: three make only one subset of three."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of a comparison of languages.

    Attributes:
        languages: The languages that were scored.
        failed: Those that could not be scored, and why.
        vectors: A summary of each language's vectors, by its code.
        k: The order of the measures.
        same_vocabulary: Whether the aligned view has vocabularies of the same size.
        groups: The categories, then the topics.
        rows: The whole view: each language on all words of its own test set.
        aligned: The aligned view: the same items in all languages.
        concepts: The items of each category in the aligned view.
        differences: Between every two languages in the aligned view.
        mentions: How often corpora mention the categories, of the languages that have one.
    """

    languages: tuple[Language, ...]
    failed: Mapping[str, str]
    vectors: Mapping[str, VectorsSummary]
    k: int
    same_vocabulary: bool
    groups: tuple[Group, ...]
    rows: tuple[Row, ...]
    aligned: tuple[Row, ...]
    concepts: tuple[AlignedCategory, ...]
    differences: tuple[LanguageDifference, ...]
    mentions: tuple[Mentions, ...] = ()

    def __repr__(self) -> str:
        """In a line."""
        differ = sum(each.reading == "differ" for each in self.differences)
        return (
            f"<comparison of {', '.join(each.code for each in self.languages)} on {len(self.groups)} "
            f"categories and topics: {differ} of {len(self.differences)} tests differ>"
        )

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.record()._repr_html_()

    def record(self) -> ComparisonFile:
        """The content of the result file."""
        first = self.languages[0].settings
        return ComparisonFile(
            languages=tuple(_compared(each, self.vectors[each.code]) for each in self.languages),
            failed=self.failed,
            settings={
                "k": self.k,
                "same_vocabulary": self.same_vocabulary,
                "seed": first.seed,
                **replace(first, profile="").signature,
            },
            groups=self.groups,
            rows=self.rows,
            aligned=self.aligned,
            concepts=tuple(each.record() for each in self.concepts),
            differences=self.differences,
            mentions=self.mentions,
            agreement=self.agreement,
        )

    @property
    def agreement(self) -> tuple[Agreement, ...]:
        """How far the scores of the whole view have the order of the mentions in the corpora."""
        return agreement_of(self.rows, self.mentions)

    def as_csv(self) -> str:
        """All rows of both views in one long table, as CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(Row.__struct_fields__)
        writer.writerows(structs.astuple(each) for each in (*self.rows, *self.aligned))
        return out.getvalue()

    def frame(self) -> pd.DataFrame:
        """The same as a pandas table."""
        import pandas as pd

        numbers = ["value", "low", "high", "chance", "baseline"]
        return pd.DataFrame([structs.asdict(each) for each in (*self.rows, *self.aligned)]).astype(
            dict.fromkeys(numbers, float)
        )


def compare(
    languages: Sequence[Language],
    categories: Iterable[str] = (),
    topics: Iterable[str] = (),
    k: int = 3,
    same_vocabulary: bool = True,
    machine: Machine = Machine(),
) -> Comparison:
    """Compare languages by Topk, OddOneOut and Combined on categories and topics.

    Args:
        languages: Two or more, each with its vectors and test set.
        categories: Names of categories that all languages have.
        topics: Names of topics; each adds its categories that two or more languages have. Without categories
            and topics: all categories that two or more languages have.
        k: The order of the measures.
        same_vocabulary: Whether all vocabularies are cut to one size in the aligned view.
        machine: Where languages are scored.

    Raises:
        TestSetError: A category or topic is missing.
        MeasureError: k is too small.
        ScoreError: There are too few languages, or they cannot be compared, or none could be scored.
        VectorsError: Vectors are in memory while worker processes need them.
        ClusterError: The cluster cannot be used, or was lost.
        CorpusError: A corpus cannot be read.
    """
    measures = measures_of(k)
    check_codes([each.code for each in languages])
    check_settings({each.code: each.settings for each in languages})
    groups = choose_groups({each.code: each.test_set for each in languages}, categories, topics)
    names = tuple(dict.fromkeys(name for group in groups for name in group.categories))
    steps = len(languages) * (1 + len(names))
    runner = _Runner(machine, steps)
    tasks = [LanguageTask(runner.for_workers(each), names, measures, machine.for_task) for each in languages]
    whole: dict[str, WholeResult] = runner.run("its own test set", score_whole, tasks, 1)
    if not whole:
        raise ScoreError("; ".join(f"{code}: {reason}" for code, reason in runner.failed.items()))
    concepts, cut = _in_common([each.known for each in whole.values()], names, same_vocabulary, k)
    several = [AlignedTask(each, concepts, cut) for each in tasks if str(each) in whole and len(whole) > 1]
    aligned: dict[str, LanguageScores] = runner.run("the same items", score_aligned, several, len(names))

    def rows(view: View, scores: Iterable[LanguageScores]) -> tuple[Row, ...]:
        return tuple(row for g in groups for each in scores for row in rows_of(each, view, g, measures))

    tests = [(group, str(each)) for group in groups for each in measures]
    of_whole = rows("whole", [each.scores for each in whole.values()])
    return Comparison(
        tuple(each for each in languages if each.code in whole),
        {**runner.failed, **_without_score(of_whole)},
        {code: own.vectors for code, own in whole.items()},
        k,
        same_vocabulary,
        tuple(groups),
        of_whole,
        rows("aligned", aligned.values()),
        concepts if several else (),
        tuple(differences_of(tests, list(aligned.values()))),
        tuple(found for each in languages if each.code in whole for found in count_mentions(each, groups)),
    )


def _without_score(rows: Sequence[Row]) -> dict[str, str]:
    """The languages that have no score on any category, and why."""
    scored = {row.language for row in rows if row.value is not None}
    return {
        row.language: f"nothing could be scored: {row.skipped}"
        for row in reversed(rows)
        if row.language not in scored
    }


@dataclass
class _Runner:
    """Runs tasks, one for each language, and reports progress."""

    machine: Machine
    steps: int
    done: int = 0
    failed: dict[str, str] = field(default_factory=dict)

    def for_workers(self, language: Language) -> Language:
        """The language as worker processes need it."""
        if self.machine.in_this_process:
            return language
        if isinstance(language.vectors, VectorsFile):
            return replace(language, vectors=language.vectors.for_others())
        raise VectorsError(
            f"{language.vectors.name}: vectors are not sent to worker processes; give a VectorsFile, which "
            "names their file"
        )

    def run(
        self, what: str, function: Callable[..., Result | str], tasks: Sequence[Any], steps: int
    ) -> dict[str, Result]:
        """Run a function on each task of so many steps; results are by language, in the order of the tasks.

        What gives a reason instead of a result, or dies, has failed.
        """
        here = self.machine.in_this_process
        run: Callable[..., Result | str] = partial(function, step=self._step) if here else function
        found: dict[str, Result] = {}
        for task, result in self.machine.run_each(run, tasks, lambda _, why: why):
            code = str(task)
            if isinstance(result, str):
                self.failed[code] = result
            else:
                found[code] = result
            if not here:
                self._step(steps)
            self.machine.log(f"{code} on {what}: {self.failed.get(code, 'scored')}")
        return {code: found[code] for code in map(str, tasks) if code in found}

    def _step(self, steps: int = 1) -> None:
        self.done += steps
        self.machine.progress(self.done / self.steps)


def _in_common(
    languages: Sequence[KnownWords], names: Sequence[str], same_vocabulary: bool, k: int
) -> tuple[tuple[AlignedCategory, ...], int | None]:
    """The common items of each category, and the size that vocabularies are cut to."""
    cut = min(language.size for language in languages) if same_vocabulary else None
    least = max(LEAST_ITEMS, k + 1)
    return tuple(align(languages, name, least, cut) for name in names), cut


def _compared(language: Language, vectors: VectorsSummary) -> ComparedLanguage:
    return ComparedLanguage(
        language.code,
        vectors.name,
        vectors.words,
        vectors.dimension,
        language.test_set.name,
        language.test_set.sha256,
        language.settings.profile,
        language.signature,
    )
