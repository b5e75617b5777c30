"""Pages of all result files in folders: tables of all models, a page for each column and each file."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from evaluator.plugins import (
    HEADLINE,
    MOST_ROWS,
    Block,
    Cell,
    Column,
    ComparisonKey,
    EvaluatorError,
    Fact,
    Facts,
    Figure,
    InputFile,
    Mark,
    Notes,
    OutputError,
    Page,
    ResultsError,
    Score,
    Scores,
    ScoresFile,
    Section,
    Table,
    Text,
    columns,
    count,
    estimate_columns,
    forest_figure,
    locked,
    name,
    overview_columns,
    placed,
    read_inputs,
    render,
    report_page,
    require_report_libraries,
    result_files,
    short,
    short_interval,
    sweep_leftovers,
    terms_section,
)

TITLE = "Results"

_INDEX, _FILES, _COLUMNS = "index.html", "files", "columns"
_UNFINISHED = ("trials.jsonl", "points.jsonl")  # what studies are resumed from; their results stand beside it
_MARK = b'<meta name="generator" content="evaluator report">'
_HOME = f"../{_INDEX}"
_READING = (
    "A column is one test set, scored in one way. Compare scores in the same column, and never between "
    "columns. A score leads to the report of the file that it is from. Models that share a letter cannot "
    "be told apart; one without a letter is not shown to be above chance, frequency and spelling, or was not "
    "compared. The model to keep is bold, if one can be named; the page of a column says which, or why none."
)


@dataclass(frozen=True)
class Entry:
    """A score of a model, and the file that it is from."""

    file: InputFile
    scores: Scores
    score: Score

    @property
    def key(self) -> ComparisonKey:
        """The column."""
        return ComparisonKey.of(self.scores, self.score)

    @property
    def model(self) -> str:
        """The model and what a study tells its scores apart by, with {language} in place of the language."""
        code = re.escape(self.scores.language)
        model = self.scores.model
        if code:
            model = re.sub(rf"(?<![^\W_]){code}(?![^\W_])", "{language}", model)
        keys = ", ".join(f"{key} {value}" for key, value in self.scores.keys.items())
        return f"{model} ({keys})" if keys else model


class Columns(dict[ComparisonKey, dict[str, Entry]]):
    """All scores, by column and by the name of the row.

    Files of vectors whose names differ in the code of their language alone are one row. Different models, or
    different scores, of the same name are told apart by the names of the result files.
    """

    def __init__(self, files: Iterable[InputFile]) -> None:
        super().__init__()
        entries = [
            Entry(file, scores, score)
            for file in files
            for scores in getattr(file.result, "results", ())
            if isinstance(scores, Scores)
            for score in scores.scores
        ]
        languages, different = defaultdict[str, set[str]](set), defaultdict[tuple[str, str], set[object]](set)
        for entry in entries:
            languages[entry.model].add(entry.scores.language)
            different[entry.model, entry.scores.language].add(entry.scores.model_sha256)
            different[entry.model, str(entry.key)].add(entry.score.value)
        ambiguous = {model for (model, _), values in different.items() if len(values - {""}) > 1}
        for entry in entries:
            row = entry.model
            if len(languages[row]) == 1:
                row = row.replace("{language}", entry.scores.language)
            self._add(f"{row} ({entry.file.name})" if entry.model in ambiguous else row, entry)

    def _add(self, row: str, entry: Entry) -> None:
        """Add a score: the same one of several files once; different ones of a file are numbered."""
        rows, number, base = self.setdefault(entry.key, {}), 2, row
        while row in rows and rows[row].score.value != entry.score.value:
            row, number = f"{base} ({number})", number + 1
        rows.setdefault(row, entry)

    @property
    def measures(self) -> list[str]:
        """All measures: the one to report first, then those with the most scores."""
        often = Counter[str]()
        for key, rows in self.items():
            often[key.measure] += len(rows)
        return sorted(often, key=lambda measure: (measure != HEADLINE, -often[measure], measure))

    def of(self, measure: str) -> list[ComparisonKey]:
        """The columns of a measure, by language and test set."""
        found = [key for key in self if key.measure == measure]
        return sorted(found, key=lambda key: (key.language, self.test_set(key), key))

    def test_set(self, key: ComparisonKey) -> str:
        """The name of the test set, as the first file has it."""
        return next(iter(self[key].values())).scores.test_set

    def cells(self, key: ComparisonKey, row: str) -> list[Cell]:
        """A score with its letters if all of the column were compared, its interval, and the chance level."""
        entry = self[key].get(row)
        if entry is None:
            return [*placed(None, key.measure, (), ()), short(None)]
        result = self._compared(key)
        rankings, kept = ((), ()) if result is None else (result.rankings, result.kept)
        value, ends = placed(entry.scores, key.measure, rankings, kept)
        return [replace(value, link=_page_of(entry.file)), ends, short(entry.score.chance)]

    def _compared(self, key: ComparisonKey) -> ScoresFile | None:
        """The file that all scores of a column are from, which compared them; None of several files."""
        (first, *others) = self[key].values()
        together = all(each.file.name == first.file.name for each in others)
        return first.file.result if together and isinstance(first.file.result, ScoresFile) else None

    def closing(self, key: ComparisonKey) -> str:
        """Which of the models of a column to keep, or why none is named."""
        scores = next(iter(self[key].values())).scores
        result = self._compared(key)
        kept = () if result is None else result.kept
        found = (str(each) for each in kept if each.is_of(scores.test_set, scores.language))
        return next(found, "No model is named, as they were not compared: score them with one command.")

    def heading(self, key: ComparisonKey) -> str:
        """Language and test set; if there are several versions of it or ways to score it, also which."""
        named = key.language, self.test_set(key)
        alike = [each for each in self.of(key.measure) if (each.language, self.test_set(each)) == named]
        versions = list(dict.fromkeys(other.test_set for other in alike))
        ways = [other[3:] for other in alike if other.test_set == key.test_set]  # settings, and whose words
        version = f", version {key.test_set[:8]}" if len(versions) > 1 else ""
        way = f", way {ways.index(key[3:]) + 1}" if len(ways) > 1 else ""
        return f"{key.language} {self.test_set(key)}{version}{way}"


def write_site(
    sources: Sequence[Path],
    output: Path,
    title: str = TITLE,
    progress: Callable[[float], None] = lambda _: None,
) -> dict[str, str]:
    """Write pages of all result files in folders, in place of those that are there.

    Returns by their names why files were skipped; the first page says so too.

    Raises:
        ResultsError: No file holds results.
        OutputError: The folder holds something else, or cannot be written.
    """
    require_report_libraries()
    _check(output)
    files: list[InputFile] = []
    skipped: dict[str, str] = {}
    with _replaced(output) as folder:
        files_found = result_files(sources)
        found = [each for each in files_found if each[1] in sources or each[1].name not in _UNFINISHED]
        for number, (shown, path) in enumerate(found):
            progress(number / len(found) / 2)
            try:
                file = replace(read_inputs([path])[0], name=shown)
                page = replace(report_page([file], shown), home=_HOME)
                (folder / _page_of(file)).write_text(render(page), encoding="utf-8", newline="\n")
            except EvaluatorError as error:
                skipped[shown] = str(error).removeprefix(f"{path}: ")
            else:
                files.append(file)
        if not files:
            raise ResultsError("; ".join(f"{shown}: {reason}" for shown, reason in skipped.items()))
        table = Columns(files)
        for number, key in enumerate(table):
            progress(0.5 + number / len(table) / 2)
            text = render(_column_page(table, key))
            (folder / _column_file(key)).write_text(text, encoding="utf-8", newline="\n")
        index = render(_index(table, files, skipped, title))
        (folder / _INDEX).write_text(index, encoding="utf-8", newline="\n")
    return skipped


def _check(output: Path) -> None:
    """Refuse a folder that has anything but pages: all that is in it would be deleted."""
    if not output.exists():
        return
    if not output.is_dir():
        raise OutputError(f"{output}: is not a folder; name another one")
    strange = sorted({path.name for path in output.iterdir()} - {_INDEX, _FILES, _COLUMNS})
    index = output / _INDEX
    if strange or (any(output.iterdir()) and not (index.is_file() and _MARK in index.read_bytes())):
        what = f"has {strange[0]}" if strange else "has files"
        raise OutputError(f"{output}: {what}, which `evaluator site` did not write; name a new folder")


@contextmanager
def _replaced(output: Path) -> Iterator[Path]:
    """A new folder, which takes the place of the old one if all goes well."""
    path = output.resolve()
    new, old = (path.with_name(f".part.{os.getpid()}.{which}.{path.name}") for which in ("new", "old"))
    try:
        for name_ in (_FILES, _COLUMNS):
            (new / name_).mkdir(parents=True)
        with locked(new):
            yield new
            if path.exists():
                path.rename(old)
            new.rename(path)
            sweep_leftovers(path)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror or error}") from error
    finally:
        if old.exists() and not path.exists():
            old.rename(path)
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]


def _page_of(file: InputFile) -> str:
    return f"{_FILES}/{_short(file.name)}.html"


def _index(table: Columns, files: Sequence[InputFile], skipped: Mapping[str, str], title: str) -> Page:
    by_measure = [Section(measure, [_measure_table(table, measure)]) for measure in table.measures]
    none = "No file has scores of models."
    sections = [Section("Scores", [Text(_READING if by_measure else none)], by_measure)]
    if by_measure:
        sections.append(Section("Columns", list(_column_list(table))))
    sections.append(Section("Files", [_file_list(files)]))
    if skipped:
        reasons = [f"{file}: {reason}" for file, reason in skipped.items()]
        sections.append(Section("Skipped files", [Notes("These files are not on the pages", reasons)]))
    return Page(title, [*sections, terms_section()], sortable=True)


def _measure_table(table: Columns, measure: str) -> Table:
    keys = table.of(measure)
    rows = sorted({row for key in keys for row in table[key]}, key=lambda row: (row.casefold(), row))
    cells = [[name(row), *(cell for key in keys for cell in table.cells(key, row))] for row in rows]
    headings = [column for key in keys for column in estimate_columns(table.heading(key))]
    caption = f"{measure} of models, with 95% intervals for other words and chance levels"
    return Table(caption, [*columns("model", kind="name"), *headings], cells, file=f"{measure}.csv")


def _column_list(table: Columns) -> Iterator[Block]:
    """What each column is, and remarks on those that look alike."""
    keys = [key for measure in table.measures for key in table.of(measure)]
    headings = [*columns("column", kind="name"), *columns("measure", "sha256", kind="text"), Column("models")]
    rows = [
        [
            replace(name(table.heading(key)), link=_column_file(key)),
            *(name(key.measure), name(key.test_set[:12]), count(len(table[key])), name(key.shown_settings)),
        ]
        for key in keys
    ]
    yield Table("Test sets, and how they were scored", [*headings, *columns("settings", kind="prose")], rows)
    versions = defaultdict[tuple[str, str], dict[str, None]](dict)
    for key in keys:
        versions[key.language, table.test_set(key)][key.test_set[:8]] = None
    several = [
        f"{language} {test_set}: {', '.join(digests)}"
        for (language, test_set), digests in versions.items()
        if len(digests) > 1
    ]
    if several:
        yield Notes(
            "Several versions of a test set, with other words; their scores cannot be compared", several
        )


def _file_list(files: Sequence[InputFile]) -> Table:
    headings = [*columns("file", kind="name"), *columns("made by", "sha256", kind="text")]
    rows = [
        [replace(name(file.name), link=_page_of(file)), name(file.result.command), name(file.sha256)]
        for file in files
    ]
    return Table("Result files, and their reports", headings, rows)


def _column_file(key: ComparisonKey) -> str:
    """The page of a column, from the first page."""
    return f"{_COLUMNS}/{_short(repr(tuple(key)))}.html"


def _column_page(table: Columns, key: ComparisonKey) -> Page:
    """All models of a column, the highest score first."""
    ordered = sorted(table[key].items(), key=lambda row: (-row[1].score.value, row[0]))
    headings = [*columns("model", kind="name"), *columns("file", kind="text"), *overview_columns()]
    rows = [
        [
            *(name(row), replace(name(entry.file.name), link=f"../{_page_of(entry.file)}")),
            *(count(score.n), count(score.known), *(replace(each, link="") for each in scored[:2])),
            short_interval(score.categories_low, score.categories_high),
            *(scored[2], short(score.baseline), short(score.spelling)),
        ]
        for row, entry in ordered
        for score, scored in [(entry.score, table.cells(key, row))]
    ]
    title = f"{key.measure} on {table.heading(key)}"
    shown = Table(title, headings, rows, file=f"{key.measure}.csv")
    how = Facts(
        [Fact("Test set", [f"{table.test_set(key)}, {key.test_set}"]), Fact("Settings", [key.shown_settings])]
    )
    return Page(
        title,
        [
            Section("Models", [shown, *_figure(title, ordered)], closing=[Text(table.closing(key))]),
            Section("How it was scored", [how]),
        ],
        home=_HOME,
        sortable=True,
    )


def _figure(title: str, ordered: Sequence[tuple[str, Entry]]) -> Iterator[Figure]:
    marks = [
        Mark(
            *(row, "", score.value, score.low, score.high, score.chance, score.baseline, score.spelling),
        )
        for row, entry in ordered[:MOST_ROWS]
        for score in (entry.score,)
    ]
    yield Figure(
        f"{title}; the table above has the same numbers",
        "Dots are scores, lines their 95% intervals for other words, short grey strokes the chance level, "
        "diamonds the frequency baseline, triangles the spelling baseline. "
        f"{len(marks)} of {len(ordered)} models are shown.",
        partial(forest_figure, marks),
    )
