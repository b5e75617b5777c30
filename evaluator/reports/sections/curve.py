"""The section of a learning curve: scores by size of the corpus, and their onsets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evaluator.measures.base import Subscore
from evaluator.reports.cells import (
    BASELINE,
    BASELINES,
    CHANCE,
    SCORE,
    SPELLING_BASELINE,
    columns,
    count,
    estimate_columns,
    estimated,
    name,
    rate,
    with_baselines,
    without_empty,
)
from evaluator.reports.page import Block, Cell, Column, Fact, Facts, Figure, Fold, Notes, Section, Table, Text
from evaluator.results.curve import CurveFile, Ratio
from evaluator.results.figures.forest import MOST_ROWS, Mark, forest_figure
from evaluator.results.figures.lines import Line, lines_figure

_ONSET_OF_BASELINES = "above baseline"
_ONSET = "above chance"  # the definition of the onsets that are marked


def curve_section(found: CurveFile) -> Section:
    """All that a learning curve shows."""
    subsections = [
        Section("Scores by size", list(_scores(found))),
        Section("Onsets", list(_onsets(found))),
        Section("Categories at the largest size", list(_categories(found)), detail=True),
    ]
    what = f"{found.corpus}, {found.tokens:,} tokens"
    about: list[Block] = [Notes("Found", list(_findings(found)))]
    tests = ", ".join(dict.fromkeys([found.test_set, found.analogies]))
    epochs = found.parameters.own.get("epochs")
    about.append(Text(f"{found.parameters}{f', epochs {epochs}' if epochs else ''}; scored on {tests}."))
    if found.failed:
        about.append(Notes("What could not be done", found.failed, detail=True))
    if found.notes:
        about.append(Notes("Notes", found.notes))
    return Section(
        f"Learning curve: {what}",
        about,
        [each for each in subsections if each.blocks],
        [Fact("Settings", [", ".join(f"{key} {value}" for key, value in found.settings.items())])],
    )


def _findings(found: CurveFile) -> Iterator[str]:
    size = found.sizes[-1].size
    for measure in found.measures:
        onset, last = found.onsets[measure].get(_ONSET), found.score(measure, size)
        reached = "" if last is None else f"; {last.value:.4f} at {size:,} {found.unit}"
        if onset is None:
            yield f"{measure} is not above chance at the largest size{reached}."
        else:
            more = _of_baselines(found, measure)
            yield f"{measure} stays above chance from {onset:,} {found.unit} on{more}{reached}."


def _of_baselines(found: CurveFile, measure: str) -> str:
    """From where a measure is above frequency and spelling, too, if it has such baselines."""
    last = found.score(measure, found.sizes[-1].size)
    if last is None or not last.baselines:
        return ""
    baselines, onset = " and ".join(last.baselines), found.onsets[measure].get(_ONSET_OF_BASELINES)
    if onset is None:
        return f", but is not shown to be above {baselines}"
    return f", and above {baselines} from {onset:,} on"


def _scores(found: CurveFile) -> Iterator[Block]:
    headings = [*columns(found.unit, kind="name"), *columns("seeds", f"types ≥ {found.parameters.min_count}")]
    headings += [column for measure in found.measures for column in estimate_columns(measure, *BASELINES)]
    rows = []
    for size in found.sizes:
        tokens = Cell(f"{size.size:,}", (size.size,))
        cells = [cell for each in found.measures for cell in with_baselines(found.score(each, size.size))]
        rows.append([tokens, count(size.seeds), count(size.vocabulary), *cells])
    lines = [_line(found, each) for each in found.measures]
    yield Figure(
        f"{', '.join(found.measures)} over the size of {found.corpus}; the table below has the same numbers",
        "Bands are 95% intervals, dotted lines chance levels, lines of dots and dashes the frequency "
        "baseline, of dashes the spelling baseline; a ring marks the size from which on a measure stays "
        "above chance.",
        partial(lines_figure, {SCORE: lines}, f"{found.unit} of the corpus", base=2),
        "curve",
    )
    yield Table(f"Scores of models of {found.corpus} by size", headings, rows, "curve.csv")


def _line(found: CurveFile, measure: str) -> Line:
    def of(name: str) -> list[float | None]:
        return [getattr(each, name, None) for each in found.curve(measure)]

    sizes, ranges = [each.size for each in found.sizes], list(zip(of("low"), of("high"), strict=True))
    levels = {CHANCE: of("chance"), BASELINE: of("baseline"), SPELLING_BASELINE: of("spelling")}
    return Line(measure, sizes, of("value"), ranges, levels, found.onsets[measure].get(_ONSET))


def _onsets(found: CurveFile) -> Iterator[Block]:
    yield Text("An onset is the first size at which a condition holds that also holds at all larger sizes:")
    yield Facts([Fact(term, [meaning]) for term, meaning in found.definitions.items()], detail=True)
    definitions = list(dict.fromkeys(each for own in found.onsets.values() for each in own))
    headings = [Column("onset", kind="name"), *(Column(measure) for measure in found.measures)]
    rows = [
        [name(each), *(count(found.onsets[measure].get(each)) for measure in found.measures)]
        for each in definitions
    ]
    yield Table(f"Onsets, in {found.unit}", headings, rows, "onsets.csv")
    pairs = list(dict.fromkeys((each.measure, each.over) for each in found.ratios))
    if pairs:
        known = {(each.definition, each.measure, each.over): each for each in found.ratios}
        headings = [Column("ratio of onsets", kind="name"), *(Column(f"{one} / {two}") for one, two in pairs)]
        rows = [
            [name(each), *(_ratio(known.get((each, *pair))) for pair in pairs)]
            for each in dict.fromkeys(each.definition for each in found.ratios)
        ]
        yield Text("There is no ratio where one of the two onsets was not reached.")
        yield Table("How many times as much text a measure needs as another", headings, rows, "ratios.csv")


def _ratio(found: Ratio | None) -> Cell:
    return rate(None) if found is None or found.value is None else Cell(str(found), (found.value,))


def _categories(found: CurveFile) -> Iterator[Block]:
    """Each category, with the score on the section of analogies that it was made of."""
    size = found.sizes[-1].size
    scores = [score for each in found.measures if (score := found.score(each, size)) is not None]
    by_measure = {score.measure: {each.name: each for each in score.subscores} for score in scores}
    of_sections = [score.measure for score in scores if score.unit == "questions"]
    headings = {
        name: each.heading
        for measure, subscores in by_measure.items()
        if measure not in of_sections
        for name, each in subscores.items()
    }
    if not headings:
        return

    def subscore(category: str, measure: str) -> Subscore | None:
        part = found.made_of.get(category, "") if measure in of_sections else category
        scored = by_measure.get(measure, {}).get(part)
        return None if scored is None or scored.value is None else scored

    marks = [
        Mark(heading, measure, each.value, each.low, each.high, each.chance)
        for category, heading in headings.items()
        for measure in found.measures
        if (each := subscore(category, measure)) is not None and each.value is not None
    ]
    if marks and len(headings) <= MOST_ROWS:
        yield Figure(
            f"Scores of {len(headings)} categories at the largest size; the table below has the same numbers",
            "Dots are scores, lines their 95% intervals, short strokes the chance level. "
            "A category that was made of a section of analogies has a score for that section, too. "
            "Categories without any score are left out.",
            partial(forest_figure, marks),
            "categories",
        )
    titles = [Column("category", kind="name"), Column("made of", kind="text")]
    titles += [column for measure in found.measures for column in estimate_columns(measure)]
    rows = [
        [
            name(heading),
            name(found.made_of.get(category, "")),
            *(cell for each in found.measures for cell in estimated(subscore(category, each))),
        ]
        for category, heading in headings.items()
    ]
    table = without_empty(Table("Categories at the largest size", titles, rows, "curve-categories.csv"))
    yield Fold(f"All {len(rows)} categories", [table])
