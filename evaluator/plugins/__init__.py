"""What plug-ins are made with; those that ship with evaluator stand beside this file and import nothing else.

A plug-in is a package that adds measures, formats, commands or kinds of results by entry points; see
docs/extending.md. The names here are stable: they change only with a new major version of evaluator. What
else evaluator has inside may change at any time.

    what there is         Vectors, Settings, Machine, TestSet and what it holds (Category, …), Score, Scores,
                          ScoresFile, Results, CoverageFile; read_testset, load_vectors, as_vectors, score,
                          read_results, and the types of what they take (TestSetLike, …); the errors
    a measure             Measure, SimpleMeasure, Evaluation, ImmediateEvaluation, Subscore, Observations,
                          VocabularyLookup, Candidates, LEAST_WORDS, jackknife_pseudovalues,
                          share_pseudovalues, parse_measure, parsed
    similarities          Similarities, pass_over_vocabulary, unit_rows, keep_nearest, principal_plane,
                          one_thread, cores; Floats, Doubles, Ints and Rows, the types of arrays
    a score               score_of, signature_of, with_baselines, compare_models, beside_known,
                          weighted_mean; loaded, vectors_or_file and identity for what was scored, and its
                          digest; refuse_copies, for training runs
    how sure it is        variation, difference_spread, category_spread, correlation_of, observations_of,
                          Variation, Spread, and the constants of the tests
    a text                Corpus, words_of, usual_code of its language
    a format of vectors   vector_format, Vectors
    a format of data sets dataset_format, DataSetSource, DataFile, open_source, read_json, most, DROP, SPACE,
                          rows, separator_of, two_fields; the columns of tables: NamedTable, has_columns,
                          are_two_words, are_relation_pairs, two_languages; Named,
                          NotBlank, refuse_repeats, merge; Reading, what a file was taken for; a
                          kind of data set that `score` does not take derives from TestSet and says in
                          `other_use` what it is for
    a command             argument, option, number, the groups of help (SCORED, …), `options`, which holds the
                          options of evaluator's own commands; expect, kind_of, check_there, profiles_of,
                          read_tests and training_runs for what is given; Progress, echo, show, tell_failed,
                          tell_written
    files that it writes  check_folder, prepare_folder, protect_inputs, write_results, write_text, csv_of,
                          figure_files, write_figure, locked, sweep_leftovers, prepare_output;
                          visible, for names on pages
    a kind of result      ResultFile, frame_of (the long table), listed, ComparisonKey (which scores may be
                          compared), the types of what it holds (Number,
                          Count, NonEmpty, …); converted, loads, read_content, result_files
    what is said of it    Section, what sections hold (Table, Text, Figure, …), scores_section,
                          shown_settings, first_few; the cells of tables (count, interval, name, rate, short,
                          signed, words, …), their columns and headings; lines_figure of Line, forest_figure
                          of Mark, points_figure of Point, require_matplotlib
    a page                Page, InputFile, read_inputs, report_page, render, page_style,
                          require_report_libraries,
                          terms_section, overview_columns, placed
"""

from __future__ import annotations

import re
from importlib.resources import files
from pkgutil import resolve_name

# What there is stands in __init__.pyi; a module is loaded when something of it is first used, so that the
# help of a command does not load what computes.
_STUB = files(__name__).joinpath("__init__.pyi").read_text(encoding="utf-8")
_PATHS = {name: f"{module}.{name}" for module, name in re.findall(r"from (\S+) import (\w+) as", _STUB)}
__all__ = sorted(_PATHS)  # noqa: PLE0605  # as in the stub


def __getattr__(name: str) -> object:
    """A name of the stub."""
    if name not in _PATHS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = resolve_name(_PATHS[name])
    return found
