"""The section of a search for hyper-parameters: an honest number, and all trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from evaluator.report.cells import (
    count,
    estimate,
    estimate_columns,
    interval,
    name,
    rate,
    signed,
    without_empty,
)
from evaluator.report.commands import again, command, options, settings_of
from evaluator.report.figures.tuning import tuning_figure
from evaluator.report.page import Block, Cell, Column, Fact, Facts, Figure, Fold, Notes, Section, Table, Text
from evaluator.report.source import Source, origin
from evaluator.results.jsonvalue import JsonValue
from evaluator.results.score_table import check_format
from evaluator.statistics.resampling import Difference
from evaluator.studies.tuning.result import FORMAT, VERSION, Estimate
from evaluator.studies.tuning.trial import CHOICE, COMBINED, REPORT, Outcome
from evaluator.text.corpus import CorpusStatistics

_SHOWN = 10


@dataclass(frozen=True)
class Signed:
    """A count of all parts together, and how to get it again."""

    signature: str


@dataclass(frozen=True)
class Chosen:
    """A model trained again, and its scores by view and measure."""

    number: int
    estimates: Mapping[str, Mapping[str, Estimate]]
    whole: Mapping[str, Signed]


@dataclass(frozen=True)
class TuningFile:
    """A result file; see `evaluator.studies.tuning.TuningResult`."""

    corpus: str
    statistics: CorpusStatistics
    test_set: str
    language: str
    categories: Mapping[str, int]
    left_out: Mapping[str, str]
    reported_on: str
    best: Chosen
    default: Chosen | None
    differences: Mapping[str, Difference]
    combined_difference: Estimate | None
    notes: Sequence[str]
    trials: Sequence[Outcome]


def read_tuning(file: JsonValue) -> TuningFile:
    """Read `tuning.json` of `evaluator tune`.

    Raises:
        ResultsError: It is something else, or lacks something.
    """
    check_format(file, FORMAT, VERSION, "evaluator tune")
    found = file.read(TuningFile)
    for key, model in (("best", found.best), ("default", found.default)):
        if model is not None and found.reported_on not in model.estimates:
            file.at(key).at("estimates").fail(f"has no {found.reported_on!r}, on which the search reports")
    for number, each in enumerate(found.trials):
        if each.values and COMBINED not in each.values.get(CHOICE, {}):
            file.at("trials").elements()[number].at("values").fail(f"has no {COMBINED} on {CHOICE!r}")
    return found


def tuning_section(source: Source, found: TuningFile) -> Section:
    """All that a search found."""
    honest = list(_honest(found))
    parts = [
        Section("The best model beside the default", honest),
        Section("Trials", list(_trials(found))),
        Section("The corpus", list(_corpus(found))),
        Section("How to get these numbers again", [Facts([*_provenance(found), origin(source)])]),
    ]
    return Section(f"Tuning: {found.corpus} on {found.test_set} ({found.language})", [], parts)


def _honest(found: TuningFile) -> Iterator[Block]:
    yield Text(
        "On the other half of each category, by which no model was chosen: the number to publish."
        if found.reported_on == REPORT
        else "On the same test set that the model was chosen by, which flatters it."
    )
    models = {"best": found.best, **({"default": found.default} if found.default else {})}
    measures = list(found.best.estimates[found.reported_on])
    rows = []
    for label, model in models.items():
        own = model.estimates[found.reported_on]
        cells = [
            cell
            for measure in measures
            for cell in (_estimated(own[measure]) if measure in own else estimate(None, None, None, None))
        ]
        rows.append([name(f"{label} (trial {model.number})"), *cells])
    columns = [Column("model", kind="name")]
    columns += [column for measure in measures for column in estimate_columns(measure)]
    yield Table("The best model and the default hyper-parameters", columns, rows, "tuning-models.csv")
    yield from _differences(found)
    if found.notes:
        yield Notes("Notes", list(found.notes))


def _estimated(found: Estimate) -> list[Cell]:
    return estimate(found.value, found.low, found.high, found.chance)


def _differences(found: TuningFile) -> Iterator[Table]:
    rows = [
        [
            name(measure),
            signed(each.value),
            interval(each.low, each.high, "+"),
            rate(each.p),
            count(each.units),
        ]
        for measure, each in found.differences.items()
    ]
    both = found.combined_difference
    if both is not None:
        tail = [rate(None), count(None)]
        rows.append([name(COMBINED), signed(both.value), interval(both.low, both.high, "+"), *tail])
    if rows:
        columns = [
            Column("measure", kind="name"),
            Column("best minus default", ("difference",)),
            Column("95% interval", ("low", "high")),
            Column("p"),
            Column("words"),
        ]
        yield Table("How much better the best is than the default", columns, rows, "tuning-differences.csv")


def _trials(found: TuningFile) -> Iterator[Block]:
    yield Text(
        "Values are those by which the best was chosen, and flatter it: the best of many is partly so by "
        "chance."
    )
    ordered = sorted(found.trials, key=lambda each: each.rank, reverse=True)
    measures = list(dict.fromkeys(text for each in ordered for text in each.values.get(CHOICE, {})))
    columns = [Column("trial", kind="name"), Column("hyper-parameters", kind="prose"), Column("words")]
    columns += [*(Column(measure) for measure in measures), Column("why it failed", kind="prose")]
    rows = [
        [
            name(str(each.number), "best" if each.number == found.best.number else ""),
            name(str(each.parameters)),
            count(each.vocabulary),
            *(rate(each.values.get(CHOICE, {}).get(measure)) for measure in measures),
            name(each.reason or ""),
        ]
        for each in ordered
    ]
    table = without_empty(Table(f"All {len(rows)} trials, the best first", columns, rows, "trials.csv"))
    yield table if len(rows) <= _SHOWN else Fold(f"All {len(rows)} trials", [table], open=True)
    if sum(bool(each.values) for each in found.trials) > 1:
        yield Figure(
            f"Combined of the trials over each hyper-parameter; the table of all {len(rows)} trials has the "
            "same numbers",
            "A dot for each trial; the square is the default, the star the best.",
            partial(tuning_figure, found.trials, found.best.number),
        )


def _corpus(found: TuningFile) -> Iterator[Block]:
    counts = found.statistics
    scripts = ", ".join(f"{script} {share:.1%}" for script, share in counts.scripts.items())
    items = [
        Fact("Sentences", [f"{counts.sentences:,}"]),
        Fact("Tokens", [f"{counts.tokens:,}"]),
        Fact("Types", [f"{counts.types:,}"]),
        *([Fact("Scripts", [scripts])] if scripts else []),
        Fact("Categories", [f"{view}: {number}" for view, number in found.categories.items()]),
    ]
    yield Facts(items)
    if found.left_out:
        lines = [f"{category}: {reason}" for category, reason in found.left_out.items()]
        yield Fold(f"{len(lines)} categories that were left out", [Notes("Left out", lines)])


def _provenance(found: TuningFile) -> Iterator[Fact]:
    signatures = [each.signature for each in found.best.whole.values()]
    known = {key: value for each in signatures for key, value in settings_of(each).items()}
    epochs = found.trials[0].parameters.epochs if found.trials else 5
    line = command(
        "tune",
        found.corpus,
        ("--test", found.test_set, "--trials", str(len(found.trials))),
        ("--epochs", str(epochs)),
        options(known, {"case": "fold"}),
        [] if found.reported_on == REPORT else ["--whole"],
        ("--output", "study"),
    )
    remark = (
        "The space of hyper-parameters (--only), the sampler and the seed are not in the file; add what was "
        "given. Put the paths where the files are."
    )
    yield from again([line], remark)
    yield Fact("Signatures", signatures, code=True)
