"""Odd-one-out questions for language models, as a task of lm-evaluation-harness."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from testgen.errors import TestSetError
from testgen.exports.card import DataSet, Summary
from testgen.exports.output import prepare, write_data_set
from testgen.exports.questions import Question, QuestionMaker, guessed
from testgen.exports.reading import read_test_sets

if TYPE_CHECKING:
    import pandas as pd

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
        raise ValueError(f"there are no questions with language={language} and k={k}; README.md lists what there is")
    return DatasetDict({"test": data})
'''

_ABOUT = """\
Each question shows some words that belong to one category, and one that does not: which one is it? The words are names of
Wikidata's items. The file `{questions}` has a question on each line, with these keys:

| key | meaning |
|---|---|
| `id` | language, category, k and number |
| `language` | the Wikimedia code of the language |
| `category` | the category of all words but one |
| `k` | the number of these words |
| `options`, `answer` | the words, and the position of the odd one, from 0 |
| `items` | the ids of the words' items |
| `odd_category` | the category of the odd word |

`{task}` is a task for [lm-evaluation-harness](https://github.com/EleutherAI/lm-evaluation-harness); `--metadata` chooses the
language and k:

```sh
lm_eval --model hf --model_args pretrained=MODEL --include_path . --tasks odd_one_out --metadata '{{"language": "{first}", "k": {k}}}'
```

## What can be guessed

The odd word is from another category with the same topic (`capital` and `country`), of which no item is in both
categories. It replaces a word of the category that resembles it: the same spaces and first capital, up to 20% longer or
shorter, and named in up to 5% more or fewer of the {languages} languages of this data set. No word of two categories
is an odd word. The last column is the share of questions that length and number of languages answer without
knowing the words: the option that is most unlike the others is the answer.

| k | questions | chance | by length and number of languages |
|---:|---:|---:|---:|
{guesses}

At most {most} questions for each category and k, with the seed {seed}. Languages with fewer than {minimum} questions for a k have none of it."""


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
    """Write odd-one-out questions and a task of lm-evaluation-harness that asks them.

    Args:
        test_sets: Files that testgen wrote, of different languages.
        output: The folder for the files; it is created if missing.
        k: How many words of a question belong together; for each, all questions are made anew. 2 or more.
        most: The most questions for each category and k.
        minimum: How many questions a language needs for a k; with fewer it has none.
        seed: Another one gives other questions.
        force: Whether to overwrite files that testgen did not write.

    Returns:
        A row for each language and k: language, k, questions. `attrs["guessed"]` is the share of the questions
        that length and notability answer, by k; `attrs["left_out"]` the languages without questions.

    Raises:
        TestSetError: A file is no test set, or no language has enough questions.
        OutputError: The folder cannot be written to, or has such files that testgen did not write.
    """
    import pandas as pd

    folder, paths = Path(output), [Path(each) for each in test_sets]
    prepare(folder, [_QUESTIONS, _TASK, _CODE], force=force)
    maker = QuestionMaker(read_test_sets(paths), most, seed)
    made = {
        (test_set.language, each): list(maker.questions(test_set, each))
        for test_set in maker.test_sets
        for each in sorted(set(k))
    }
    made = {key: questions for key, questions in made.items() if len(questions) >= max(minimum, 1)}
    if not made:
        raise TestSetError(
            f"no language has {minimum} questions: each needs categories of the same topic, with more than "
            f"{min(k)} words; name more test sets or categories, or lower --minimum-questions"
        )
    rows = [(language, each, len(questions)) for (language, each), questions in made.items()]
    frame = pd.DataFrame(rows, columns=["language", "k", "questions"])
    frame.attrs["guessed"] = {
        each: guessed(_all(made, each), maker.notability) for each in sorted(set(frame["k"]))
    }
    known = set(frame["language"])
    frame.attrs["left_out"] = [each.language for each in maker.test_sets if each.language not in known]
    lines = b"".join(msgspec.json.encode(each) + b"\n" for questions in made.values() for each in questions)
    files = {_QUESTIONS: lines, _TASK: _YAML.encode(), _CODE: _PYTHON.encode()}
    about = _about(frame, len(maker.test_sets), most=most, seed=seed, minimum=minimum)
    write_data_set(folder, _data_set(frame, about, maker), files)
    return frame


def _all(made: dict[tuple[str, int], list[Question]], k: int) -> list[Question]:
    return [each for (_, of), questions in made.items() if of == k for each in questions]


def _about(frame: pd.DataFrame, languages: int, **chosen: int) -> str:
    totals = frame.groupby("k")["questions"].sum()
    guesses = (
        f"| {k} | {totals[k]:,} | {1 / (k + 1):.3f} | {share:.3f} |"
        for k, share in frame.attrs["guessed"].items()
    )
    first = frame.iloc[0]
    return _ABOUT.format(
        questions=_QUESTIONS,
        task=_TASK,
        first=first["language"],
        k=first["k"],
        languages=languages,
        guesses="\n".join(guesses),
        **chosen,
    )


def _data_set(frame: pd.DataFrame, about: str, maker: QuestionMaker) -> DataSet:
    counts = frame.pivot(index="language", columns="k", values="questions").fillna(0).astype(int)
    summaries = [
        Summary(each.language, each.source, {f"k = {k}": n for k, n in counts.loc[each.language].items()})
        for each in maker.test_sets
        if each.language in counts.index
    ]
    title = f"Odd one out in {len(summaries)} languages"
    rows = int(frame["questions"].sum())
    return DataSet(title, about, "multiple-choice", summaries, rows, {"odd_one_out": _QUESTIONS})
