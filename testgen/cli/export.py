"""The commands `export` and `cite`: test sets in the formats of other programs, and in publications."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from testgen.cli import options
from testgen.cli.options import MADE, check_libraries, option
from testgen.cli.output import echo, echo_lines
from testgen.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd

_QUESTIONS = "Questions (--format lm-eval or euroeval)"

_OF_QUESTIONS = ("k", "questions", "minimum_questions", "seed")

_GUESSED_SEED = (
    "With the default seed, anybody can make the private questions again: give a --seed that nobody guesses."
)


def export(
    context: typer.Context,
    test_sets: Annotated[
        list[Path], typer.Argument(metavar="TESTSET", help="Test sets of different languages.")
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write.")],
    *,
    format_: Annotated[
        Literal["lm-eval", "euroeval", "huggingface", "wn-lmf"],
        option(MADE, "Questions for language models, a data set to publish, or wordnets.", "--format"),
    ],
    k: Annotated[
        list[int] | None,
        option(_QUESTIONS, "How many words belong together; the default is 3. May be repeated.", min=2),
    ] = None,
    questions: Annotated[
        int, option(_QUESTIONS, "The most questions for each category and k.", metavar="N", min=1)
    ] = 100,
    minimum_questions: Annotated[
        int, option(_QUESTIONS, "Leave out languages with fewer questions for a k.", metavar="N", min=1)
    ] = 50,
    seed: Annotated[int, option(_QUESTIONS, "Another seed gives other questions.")] = 0,
    force: options.Force = False,
    results: options.ResultOptions,
) -> None:
    """Write test sets in the formats of other programs.

    For example: testgen export testsets/*.json --format huggingface words
    """
    if format_ in ("huggingface", "wn-lmf"):
        sources = ((name, context.get_parameter_source(name)) for name in _OF_QUESTIONS)
        given = [f"--{name.replace('_', '-')}" for name, of in sources if of and of.name != "DEFAULT"]
        if given:
            raise ConfigError(f"--format {format_} has no questions; leave out {', '.join(given)}")
    if format_ == "huggingface":
        check_libraries("the format huggingface", "publish", "polars")
        from testgen.exports.huggingface import export_huggingface

        frame = export_huggingface(test_sets, folder, force=force)
        said = (
            f"Data set in {folder}. Languages: {len(frame)}. Words: {frame['words'].sum():,}. "
            f"Pairs: {frame['pairs'].sum():,}."
        )
        results.show(frame, lambda: echo(said, *_deleted(frame)))
        return
    if format_ == "wn-lmf":
        from testgen.exports.wn_lmf import export_wn_lmf

        frame = export_wn_lmf(test_sets, folder, force=force)
        made = f"Wordnets in {folder}: {len(frame)}. Synsets: {frame['synsets'].sum():,}."
        results.show(frame, lambda: echo(made, *_left_out(frame), *_deleted(frame)))
        return
    from testgen.exports.euroeval import export_euroeval
    from testgen.exports.lm_eval import export_lm_eval

    write = export_euroeval if format_ == "euroeval" else export_lm_eval
    frame = write(
        test_sets, folder, k=k or (3,), most=questions, minimum=minimum_questions, seed=seed, force=force
    )
    public = [_GUESSED_SEED] if format_ == "euroeval" and not seed else []
    results.show(frame, lambda: echo(*_questions_summary(frame, folder, minimum_questions), *public))


def _left_out(frame: pd.DataFrame) -> list[str]:
    number = frame["left_out"].sum()
    return [f"Left out, in words of another language: {number} categories and relations."] if number else []


def _deleted(frame: pd.DataFrame) -> list[str]:
    names = ", ".join(frame.attrs["deleted"])
    return [f"Deleted, of an earlier export: {names}."] if names else []


def _questions_summary(frame: pd.DataFrame, folder: Path, minimum: int) -> list[str]:
    from testgen.exports.lm_eval import by_k

    languages, questions = frame["language"].nunique(), frame["questions"].sum()
    private = f" Private: {frame['private'].sum():,}." if "private" in frame else ""
    lines = [f"Questions in {folder}: {questions:,}. Languages: {languages}.{private}"]
    lines += [
        "k = {k}: chance {chance:.3f}; the option most unlike the others in length and number of languages "
        "{guessed:.3f} (at most {highest:.3f}, in {in}).".format(**row)
        for row in by_k(frame)
    ]
    if frame.attrs["left_out"]:
        codes = ", ".join(frame.attrs["left_out"])
        lines.append(f"Left out, with fewer than {minimum} questions: {codes}.")
    return lines + _deleted(frame)


def cite(
    test_sets: Annotated[
        list[Path], typer.Argument(metavar="TESTSET", help="Test sets of different languages.")
    ],
) -> None:
    """Show how to cite test sets: BibTeX, licences of the words, what stands in for what, what was corrected.

    For example: testgen cite testsets/la.json
    """
    from testgen.exports.card import Summary, bibtex, licences, notes, template
    from testgen.testset.writing import read_test_sets

    found = read_test_sets(test_sets)
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in test_sets}
    echo_lines(bibtex(found, digests))
    echo_lines(f"\nThe kind of test is from:\n\n{template('citation.bib')}\n")
    for name, licence in licences(found).items():
        echo(f"Licence of the words from {name}: {licence}.")
    for line in notes(map(Summary.of, found)):
        echo(line)
