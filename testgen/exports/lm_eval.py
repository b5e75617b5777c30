"""Odd-one-out questions for language models, as a task of lm-evaluation-harness."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from testgen.errors import TestSetError
from testgen.exports.card import DataSet, Summary, prepared, template, write_data_set
from testgen.exports.questions import Question, QuestionMaker, guessed
from testgen.testset.writing import read_test_sets

if TYPE_CHECKING:
    import pandas as pd

Made: TypeAlias = Mapping[tuple[str, int], Sequence[Question]]  # the questions for each language and k
_QUESTIONS, _TASK, _CODE = "odd_one_out.jsonl", "odd_one_out.yaml", "odd_one_out.py"


def export_lm_eval(
    test_sets: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    k: Sequence[int] = (3,),
    most: int = 100,
    minimum: int = 50,
    seed: int = 0,
    force: bool = False,
) -> pd.DataFrame:
    """Write odd-one-out questions, and a task of lm-evaluation-harness that asks them.

    Args:
        test_sets: One or several files that testgen wrote, of different languages.
        output: The folder for the files; it is created if missing.
        k: How many words of a question belong together, 2 or more; each number gives questions of its own.
        most: The most questions for each category and k.
        minimum: How many questions a language needs for a k; with fewer it has none.
        seed: Another one gives other questions.
        force: Whether to overwrite files that testgen did not write.

    Returns:
        A row for each language and k: language, k, questions (their number), guessed (the share of them that
        length and notability answer). `attrs["left_out"]` are the codes of languages without questions, and
        `attrs["deleted"]` the names of files of an earlier export that were deleted.

    Raises:
        TestSetError: A file is no test set, or no language has enough questions.
        OutputError: The folder cannot be written to, or has such files that testgen did not write.
    """
    maker = QuestionMaker(read_test_sets(test_sets), most, seed)
    with prepared(Path(output), [_QUESTIONS, _TASK, _CODE], force=force):
        made = {
            (test_set.language, each): questions
            for test_set in maker.test_sets
            for each in sorted(set(k))
            if len(questions := list(maker.questions(test_set, each))) >= max(minimum, 1)
        }
        if not made:
            raise TestSetError(
                f"no language has {minimum} questions: it needs several categories of the same topic, with "
                f"more than {min(k)} words each; name more test sets, {more_questions(most, minimum)}"
            )
        frame = counts(made, maker)
        about = described("odd_one_out.md", frame, maker, minimum=minimum, seed=seed)
        lines = msgspec.json.Encoder().encode_lines(itertools.chain.from_iterable(made.values()))
        texts = {_TASK: template(_TASK), _CODE: template(f"{_CODE}.txt")}
        files = {_QUESTIONS: lines, **{name: f"{text}\n".encode() for name, text in texts.items()}}
        frame.attrs["deleted"] = write_data_set(Path(output), _data_set(made, maker, about), files)
    return frame


def more_questions(most: int, minimum: int) -> str:
    """The options that help a language that has too few questions."""
    return f"{'raise --questions, ' if most < minimum else ''}or lower --minimum-questions"


def counts(made: Made, maker: QuestionMaker) -> pd.DataFrame:
    """A row for each language and k: language, k, questions, guessed; `attrs["left_out"]` are the others."""
    import pandas as pd

    rows = [
        (language, k, len(questions), guessed(questions, maker.notability))
        for (language, k), questions in made.items()
    ]
    frame = pd.DataFrame(rows, columns=["language", "k", "questions", "guessed"])
    known = set(frame["language"])
    frame.attrs["left_out"] = [each.language for each in maker.test_sets if each.language not in known]
    return frame


def by_k(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """For each k: questions, chance, `guessed`, and the `highest` of a language with its code (`in`)."""
    rows = []
    for k in sorted(set(frame["k"])):
        each = frame[frame["k"] == k]
        questions, highest = each["questions"].sum(), each.sort_values("guessed").iloc[-1]
        rows.append(
            {
                "k": k,
                "questions": questions,
                "chance": 1 / (k + 1),
                "guessed": (each["questions"] * each["guessed"]).sum() / questions,
                "highest": highest["guessed"],
                "in": highest["language"],
            }
        )
    return rows


def described(name: str, frame: pd.DataFrame, maker: QuestionMaker, **chosen: object) -> str:
    """A template about questions, and what of them can be guessed."""
    guesses = "\n".join(
        "| {k} | {questions:,} | {chance:.3f} | {guessed:.3f} | {highest:.3f} ({in}) |".format(**each)
        for each in by_k(frame)
    )
    first = frame.iloc[0]
    text = f"{template(name)}\n\n{template('guesses.md')}"
    known = {"first": first["language"], "k": first["k"], "most": maker.most, "guesses": guesses}
    return text.format(languages=len(maker.test_sets), **known, **chosen)


def _data_set(made: Made, maker: QuestionMaker, about: str) -> DataSet:
    sizes: dict[str, dict[str, int]] = {}
    for (language, k), questions in made.items():
        sizes.setdefault(language, {})[f"k = {k}"] = len(questions)
    asked = (each for each in maker.test_sets if each.language in sizes)
    summaries = [replace(Summary.of(each), size=sizes[each.language]) for each in asked]
    rows = sum(map(len, made.values()))
    return DataSet(
        "Odd one out", about, "multiple-choice", summaries, rows, {"odd_one_out": {"test": _QUESTIONS}}
    )
