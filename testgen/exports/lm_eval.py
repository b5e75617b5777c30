"""Odd-one-out questions for language models, as a task of lm-evaluation-harness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from testgen.errors import TestSetError
from testgen.exports.card import DataSet, Summary
from testgen.exports.output import prepare, write_data_set
from testgen.exports.questions import Question, QuestionMaker, guessed
from testgen.exports.reading import read_test_sets

if TYPE_CHECKING:
    import pandas as pd

_Made: TypeAlias = Mapping[tuple[str, int], Sequence[Question]]
"""The questions for each language and k."""

_QUESTIONS, _TASK, _CODE = "odd_one_out.jsonl", "odd_one_out.yaml", "odd_one_out.py"

_YAML = """\
# Which word does not belong with the others? For the questions of one language and number of words:
#   lm_eval --include_path FOLDER --tasks odd_one_out --metadata '{"language": "la", "k": 3}'
task: odd_one_out
custom_dataset: !function odd_one_out.questions
test_split: test
output_type: multiple_choice
doc_to_text: "Which of these words does not belong with the others: {{options|join(', ')}}?\\nAnswer:"
doc_to_choice: options
doc_to_target: answer
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
metadata:
  version: 1.0
"""

_PYTHON = '''\
"""The questions that lm-evaluation-harness asks."""

from pathlib import Path

from datasets import Dataset, DatasetDict


def questions(language=None, k=None, **_):
    """Those of a language and a number of words that belong together; of all, if not given."""
    data = Dataset.from_json(str(Path(__file__).with_name("odd_one_out.jsonl")))
    if language is not None:
        data = data.filter(lambda line: line["language"] == language)
    if k is not None:
        data = data.filter(lambda line: line["k"] == int(k))
    if not len(data):
        raise ValueError(f"README.md lists the languages: none with {language=} and {k=}")
    return DatasetDict({"test": data})
'''

_ABOUT = """\
Each question shows some words that belong to one category, and one that does not: which one is it? Each line
of `odd_one_out.jsonl` is a question:

| key | meaning |
|---|---|
| `id` | language, category, k and number |
| `language` | the Wikimedia code of the language |
| `category` | the category of all words but one |
| `k` | the number of these words |
| `options`, `answer` | the words, and the position of the odd one, from 0 |
| `items` | the ids of the words' items |
| `odd_category` | the category of the odd word |

`odd_one_out.yaml` is a task of [lm-evaluation-harness](https://github.com/EleutherAI/lm-evaluation-harness)
for all languages; `--metadata` chooses the language and k:

```sh
lm_eval --model hf --model_args pretrained=MODEL --include_path . --tasks odd_one_out \\
  --metadata '{{"language": "{first}", "k": {k}}}'
```

## What can be guessed

The odd word is from another category with the same topic, such as `capital` and `country`, if no item is in
both. It replaces a word of the category that looks like it: with as many spaces, the same case of the first
letter, a length within 20%, and names in as many of the {languages} languages of the test sets, within 5%. A
word that is in two categories is never the odd one.

Who knows no word can still answer with the option that is most unlike the others in length and in number of
languages. The share of questions that this answers, beside chance, and where it is highest:

| k | questions | chance | most unlike | highest in a language |
|---:|---:|---:|---:|---:|
{guesses}

There are at most {most} questions for each category and k (seed {seed}), and none for a language and k with
fewer than {minimum}. Categories are as complete as their source: where apples are no `food`, they may be the
odd ones among foods."""


def export_lm_eval(
    test_sets: Iterable[str | Path],
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
        test_sets: Files that testgen wrote, of different languages.
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
    maker = QuestionMaker(read_test_sets(map(Path, test_sets)), most, seed)
    prepare(Path(output), [_QUESTIONS, _TASK, _CODE], force=force)
    made = {
        (test_set.language, each): questions
        for test_set in maker.test_sets
        for each in sorted(set(k))
        if len(questions := list(maker.questions(test_set, each))) >= max(minimum, 1)
    }
    if not made:
        raise TestSetError(
            f"no language has {minimum} questions: it needs several categories of the same topic, with more "
            f"than {min(k)} words each; name more test sets, or lower --minimum-questions"
        )
    frame = _counts(made, maker)
    about = _about(frame, languages=len(maker.test_sets), most=most, minimum=minimum, seed=seed)
    lines = b"".join(msgspec.json.encode(each) + b"\n" for questions in made.values() for each in questions)
    files = {_QUESTIONS: lines, _TASK: _YAML.encode(), _CODE: _PYTHON.encode()}
    frame.attrs["deleted"] = write_data_set(Path(output), _data_set(made, maker, about), files)
    return frame


def _counts(made: _Made, maker: QuestionMaker) -> pd.DataFrame:
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
    """For each k: how many questions of all languages there are, chance, and what can be guessed.

    Args:
        frame: As `export_lm_eval` returns it.

    Returns:
        For each k: k, questions, chance, guessed, highest (`guessed` of the language where it is highest), in
        (the code of this language).
    """
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


def _about(frame: pd.DataFrame, **chosen: int) -> str:
    guesses = "\n".join(
        "| {k} | {questions:,} | {chance:.3f} | {guessed:.3f} | {highest:.3f} ({in}) |".format(**each)
        for each in by_k(frame)
    )
    first = frame.iloc[0]
    return _ABOUT.format(first=first["language"], k=first["k"], guesses=guesses, **chosen)


def _data_set(made: _Made, maker: QuestionMaker, about: str) -> DataSet:
    sizes: dict[str, dict[str, int]] = {}
    for (language, k), questions in made.items():
        sizes.setdefault(language, {})[f"k = {k}"] = len(questions)
    summaries = [
        Summary(each.language, each.source, sizes[each.language])
        for each in maker.test_sets
        if each.language in sizes
    ]
    rows = sum(map(len, made.values()))
    return DataSet("Odd one out", about, "multiple-choice", summaries, rows, {"odd_one_out": _QUESTIONS})
