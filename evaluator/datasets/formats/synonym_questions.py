"""Synonym questions: a word and several options, as in the tests of TOEFL, vecto and EvalSan."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from evaluator.datasets.columns import (
    NamedTable,
    column_named,
    has_columns,
    label_of,
    named_rows,
    parts_of,
    truth_of,
)
from evaluator.datasets.data_files import DROP, DataSetSource, letters_of, most, number, sample_rows
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import SynonymQuestion, SynonymQuestions, TestSet
from evaluator.errors import TestSetError

_ASKED = ("target", "question", "stem", "cue", "word")
_OPTIONS = {
    "word": _ASKED,
    "option": ("option", "choice", "candidate", "word"),
    "answer": ("issolution", "iscorrect", "isanswer", "correct", "solution"),
}
_OPTION_PARTS = {"option", "choice", "distractor", "candidate", "alternative", "opt", "answer"}
_LETTERS = "abcdefgh"  # of options
_MARKS = ("answer", "correct", "solution", "key", "gold", "synonym")
_LEAST_OPTIONS = 2


def looks_like_options(source: DataSetSource) -> bool:
    """An option in each row, with whether it is right."""
    return has_columns(source, _OPTIONS)


def option_columns(source: DataSetSource, names: Sequence[str]) -> tuple[int, list[int], int | None] | None:
    """The columns of the word, of the options, and of the answer where it has one; None if there are none."""
    spelled = [letters_of(name) for name in names]
    asked = next((spelled.index(each) for each in _ASKED if each in spelled), None)
    marks = [each for each, name in enumerate(spelled) if name in _MARKS]
    options = [
        each
        for each, name in enumerate(names)
        if (spelled[each] and spelled[each] in _LETTERS) or set(parts_of(name)[:1]) & _OPTION_PARTS
        if each not in marks and each != asked
    ]
    if "word" in source.chosen:
        asked = column_named(source.path, names, source.chosen["word"])
    mark = marks[0] if marks else None
    if "answer" in source.chosen:
        mark = column_named(source.path, names, source.chosen["answer"])
    if asked is None or len(options) + (mark not in (None, *options)) < _LEAST_OPTIONS:
        return None
    return asked, options, mark


def looks_like_synonym_questions(source: DataSetSource) -> bool:
    """Columns of a word and of options, in one row or below each other; analogies have a relation as well."""
    if looks_like_options(source):
        return True
    try:
        found = option_columns(source, source.columns)
    except TestSetError:  # reading says which column is not there
        return True
    return found is not None and most(
        len(row) > max(found[1], default=0) and all(number(row[each]) is None for each in found[1])
        for row in sample_rows(source.sample)[1:]
    )


@dataset_format(
    "synonym-questions", rank=1, looks_like=looks_like_synonym_questions, roles=("word", "answer")
)
def read_synonym_questions(source: DataSetSource) -> TestSet:
    """A row for each question or for each option.

    Columns are target (or question, word, stem) and the options a, b, c … (or option1, choice1 …). A column
    answer (or correct, solution, synonym) has the right option or the name of its column; without one, the
    first option is right, as in EvalSan. Or, as in vecto, each option has a row of the columns target, word
    and is_solution (yes or no).
    """
    if looks_like_options(source):
        return _of_options(source)
    file = source.file
    first, names, table = named_rows(file)
    found = option_columns(source, names)
    if found is None:
        file.fail(first, "the first line must name a word (target) and options (a, b, c; option1, option2)")
    asked, options, mark = found
    questions = []
    for line, row in table:
        word, answer, others = row[asked], *_right_and_wrong(names, row, options, mark)
        if not word or not answer or not others:
            file.fail(line, f"a word, its synonym and another option are needed{DROP}")
        questions.append(SynonymQuestion(word, (answer,), others))
    right = mark if mark is not None else options[0]
    return source.test_set(
        columns={"word": label_of(names, asked), "answer": label_of(names, right)},
        others={"answer": [label_of(names, each) for each in options if mark is None and each != right]},
        synonym_questions=(SynonymQuestions(file.stem, file.stem, tuple(questions)),),
    )


def _right_and_wrong(
    names: Sequence[str], row: Sequence[str], options: Sequence[int], mark: int | None
) -> tuple[str, tuple[str, ...]]:
    """The right option and the other ones of a row."""
    if mark is None or mark in options:
        answer = row[options[0] if mark is None else mark]
    else:
        said = row[mark]
        named = [row[each] for each in options if letters_of(names[each]) == letters_of(said)]
        answer = said if said in [row[each] for each in options] or not named else named[0]
    others = dict.fromkeys(row[each] for each in options if row[each] and row[each] != answer)
    return answer, tuple(others)


def _of_options(source: DataSetSource) -> TestSet:
    file, table = source.file, NamedTable(source, _OPTIONS)
    listed = []
    for line, row in table:
        is_answer = truth_of(row["answer"])
        if is_answer is None or not row["word"] or not row["option"]:
            file.fail(line, f"a word, an option and yes or no are needed, not {row['answer']!r}{DROP}")
        listed.append((row["word"], row["option"], is_answer))
    questions = []
    for word, group in groupby(listed, key=lambda each: each[0]):
        own = list(group)
        right, wrong = (tuple(option for _, option, true in own if true is each) for each in (True, False))
        if not right or not wrong:
            raise TestSetError(f"{file.path}: the question about {word!r} needs right and wrong options")
        questions.append(SynonymQuestion(word, right, wrong))
    return source.test_set(
        columns=table.columns,
        synonym_questions=(SynonymQuestions(file.stem, file.stem, tuple(questions)),),
    )
