"""Comparing languages: what each of them knows of a category or topic, and which know more."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from evaluator.errors import VectorsError
from evaluator.execution.processes import Result
from evaluator.execution.tasks import run_all, threads_per_worker
from evaluator.results.comparison import ComparedLanguage, ComparisonFile, Group, LanguageDifference, Row
from evaluator.results.notebook import html_table, shown, shown_interval
from evaluator.studies.languages.aligned import Concepts, align
from evaluator.studies.languages.differences import differences_of
from evaluator.studies.languages.entries import Language, check_codes, check_settings, choose_groups
from evaluator.studies.languages.known import Known
from evaluator.studies.languages.rows import Measures, measures_of, rows_of
from evaluator.studies.languages.work import AlignedTask, Task, VectorsSummary, look, score_aligned
from evaluator.vectors.vectors_file import VectorsFile

if TYPE_CHECKING:
    import pandas as pd

LEAST_ITEMS = 4
"""On fewer items languages are not compared: three make one subset of three, and no spread."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What a comparison of languages found.

    Attributes:
        languages: What was compared.
        vectors: What the vectors of each language are, by its code.
        k: The order of the measures.
        same_vocabulary: Whether the aligned view has vocabularies of the same size.
        groups: The categories, then the topics.
        rows: The whole view: each language on all words of its own test set.
        aligned: The aligned view: the same things in all languages.
        concepts: Which things these are, for each category.
        differences: Of every two languages in the aligned view.
    """

    languages: tuple[Language, ...]
    vectors: Mapping[str, VectorsSummary]
    k: int
    same_vocabulary: bool
    groups: tuple[Group, ...]
    rows: tuple[Row, ...]
    aligned: tuple[Row, ...]
    concepts: tuple[Concepts, ...]
    differences: tuple[LanguageDifference, ...]

    def __repr__(self) -> str:
        """In a line."""
        differ = sum(each.reading == "differ" for each in self.differences)
        return (
            f"<comparison of {', '.join(each.code for each in self.languages)} on {len(self.groups)} "
            f"categories and topics: {differ} of {len(self.differences)} tests differ>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the aligned view, and how languages differ in it."""
        rows = [
            (
                *(row.category, row.measure, row.language, shown(row.value)),
                *(shown_interval((row.low, row.high)), shown(row.chance), shown(row.baseline)),
            )
            for row in self.aligned
        ]
        columns = ("category", "measure", "language", "score", "95% interval", "chance", "baseline")
        notes = [
            f"{each.category}, {each.measure}: {each.second} - {each.first} = {each.value:+.4f} "
            f"({shown_interval((each.low, each.high))}), p (Holm) = {each.p_holm:.4f}: {each.reading}"
            for each in self.differences
        ]
        return html_table("The same things in all languages", columns, rows, notes)

    def record(self) -> ComparisonFile:
        """What the result file holds."""
        first = self.languages[0].settings
        return ComparisonFile(
            languages=tuple(_compared(each, self.vectors[each.code]) for each in self.languages),
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
        )

    def as_csv(self) -> str:
        """All rows of both views in one long table, as CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(Row.__struct_fields__)
        writer.writerows(structs.astuple(each) for each in (*self.rows, *self.aligned))
        return out.getvalue()

    def frame(self) -> pd.DataFrame:
        """The same as a table of pandas."""
        import pandas as pd

        numbers = ["value", "low", "high", "chance", "baseline"]
        return pd.DataFrame([structs.asdict(each) for each in (*self.rows, *self.aligned)]).astype(
            dict.fromkeys(numbers, float)
        )


def compare_languages(
    languages: Sequence[Language],
    categories: Iterable[str] = (),
    topics: Iterable[str] = (),
    k: int = 3,
    same_vocabulary: bool = True,
    progress: Callable[[float], None] | None = None,
    threads: int | None = None,
    workers: int = 1,
    scheduler: str | None = None,
) -> Comparison:
    """Compare languages by Topk, OddOneOut and Combined on categories and topics.

    Args:
        languages: Two or more, each with its vectors and test set.
        categories: Names of categories that all have.
        topics: Names of topics; each brings the categories of it that two or more languages have. Without
            categories and topics: all categories that two or more have.
        k: The order of the measures.
        same_vocabulary: Whether all vocabularies are cut to one size in the aligned view.
        progress: Called now and then with the share of the work that is done, from 0 to 1.
        threads: How many share the work on a language; as many as there are cores for each if None. The
            scores are the same.
        workers: How many languages are worked on at a time, in processes of their own if several.
        scheduler: The cluster to work on, as `run_each` takes it; None for this machine.

    Raises:
        TestSetError: A category or topic is missing.
        MeasureError: k is too small.
        ScoreError: The languages are too few, the same, or not comparable; or a process died.
        VectorsError: Vectors cannot be loaded, or would have to travel to other processes.
        ClusterError: The cluster cannot be used, or was lost.
    """
    measures = measures_of(k)
    check_codes([each.code for each in languages])
    check_settings({each.code: each.settings for each in languages})
    groups = choose_groups({each.code: each.test_set for each in languages}, categories, topics)
    names = tuple(dict.fromkeys(name for group in groups for name in group.categories))
    work = _Work(workers, scheduler, progress or (lambda _: None), len(languages) * (1 + len(names)))
    given = work.prepared(languages)
    threads = threads or threads_per_worker(workers, scheduler)
    tasks = [Task(each, names, measures, threads) for each in given]
    looked = work.run(look, tasks, 1)
    concepts, cut = _in_common([each.known for each in looked], names, same_vocabulary, measures)
    aligned = work.run(score_aligned, [AlignedTask(each, concepts, cut) for each in tasks], len(names))
    work.progress(1.0)
    whole = [each.whole for each in looked]
    seed = languages[0].settings.seed
    return Comparison(
        tuple(languages),
        {each.code: own.vectors for each, own in zip(languages, looked, strict=True)},
        k,
        same_vocabulary,
        tuple(groups),
        tuple(row for g in groups for each in whole for row in rows_of(each, "whole", g, measures, seed)),
        tuple(row for g in groups for each in aligned for row in rows_of(each, "aligned", g, measures, seed)),
        concepts,
        tuple(
            found
            for group in groups
            for measure in measures
            for found in differences_of(group, str(measure), aligned, seed)
        ),
    )


@dataclass
class _Work:
    """Runs tasks, one for each language, and says how far it has got."""

    workers: int
    scheduler: str | None
    progress: Callable[[float], None]
    total: int
    done: int = 0

    @property
    def _here(self) -> bool:
        return self.workers == 1 and self.scheduler is None

    def prepared(self, languages: Sequence[Language]) -> Sequence[Language]:
        """Languages for those who do the work; vectors in memory are refused if that is not this process."""
        return languages if self._here else [replace(each, vectors=_file(each)) for each in languages]

    def run(self, function: Callable[..., Result], tasks: Sequence[Any], steps: int) -> list[Result]:
        """What a function finds in each task, which has so many steps, in the order of the tasks."""
        if self._here:
            return run_all(partial(function, tick=self._tick), tasks)
        return run_all(function, tasks, self.workers, self.scheduler, lambda _: self._tick(steps))

    def _tick(self, steps: int = 1) -> None:
        self.done += steps
        self.progress(self.done / self.total)


def _file(language: Language) -> VectorsFile:
    if isinstance(language.vectors, VectorsFile):
        return language.vectors.for_others()
    raise VectorsError(
        f"{language.vectors.name}: vectors do not travel to other processes; give a VectorsFile, which says "
        "where they are"
    )


def _in_common(
    languages: Sequence[Known], names: Sequence[str], same_vocabulary: bool, measures: Measures
) -> tuple[tuple[Concepts, ...], int | None]:
    """What is the same in all languages, and to how many words their vocabularies are cut."""
    cut = min(language.size for language in languages) if same_vocabulary else None
    least = max(LEAST_ITEMS, measures[0].k + 1)
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
