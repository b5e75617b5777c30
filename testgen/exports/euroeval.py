"""Odd-one-out questions for language models, as data sets of EuroEval, one split of which stays private.

Splits share no item and no word: an item is in the same split in all languages and in later test sets, and a
word that items of two splits have is left out. All splits are drawn from the same categories, so that a model
which has seen the published questions is better on them than on the private ones.
"""

from __future__ import annotations

import csv
import hashlib
import io
import random
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from testgen.errors import OutputError, TestSetError
from testgen.exports.card import DataSet, Summary, prepared, replaced, template, write_data_set
from testgen.exports.lm_eval import counts, described, more_questions
from testgen.exports.questions import Question, QuestionMaker
from testgen.languages.codes import languages
from testgen.testset.types import TestSet
from testgen.testset.writing import read_test_sets

if TYPE_CHECKING:
    import pandas as pd

_Splits: TypeAlias = Mapping[str, Sequence[Question]]
_CODE, _IGNORED, _PRIVATE = "custom_datasets.py", ".gitignore", "private"
_PUBLISHED = ("train", "val", "test")
_SHARES = ("train", "val", "test", "test", _PRIVATE, _PRIVATE)
_SHOWN = 5  # questions of the split train that EuroEval shows a model before it asks one


def export_euroeval(
    test_sets: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    k: Sequence[int] = (3,),
    most: int = 100,
    minimum: int = 50,
    seed: int = 0,
    force: bool = False,
) -> pd.DataFrame:
    """Write odd-one-out questions as CSV files in splits, and the configuration by which EuroEval asks them.

    Args:
        test_sets: One or several files that testgen wrote, of different languages.
        output: The folder for the files; it is created if missing.
        k: How many words of a question belong together, from 2 to 25; each gives data sets of its own.
        most: The most questions for each category, k and split.
        minimum: How many questions the splits test and private of a language each need for a k.
        seed: Another one gives other splits and questions; who knows it can make the private ones.
        force: Whether to overwrite files that testgen did not write, and to replace private questions of an
            earlier export in this folder.

    Returns:
        A row for each language and k: language, k, questions (their number), guessed (the share of them that
        length and notability answer), train, val, test, private (their numbers). `attrs["left_out"]` are the
        codes of languages without questions, and `attrs["deleted"]` the names of files of an earlier export
        that were deleted.

    Raises:
        TestSetError: A file is no test set, no language has enough questions, or a k has more words than the
            alphabet has letters.
        OutputError: The folder cannot be written to, or has such files that testgen did not write, or private
            questions that would be lost.
    """
    if max(k) >= len(string.ascii_lowercase):
        raise TestSetError(f"k = {max(k)}: EuroEval names the words by letters; k is 25 at most")
    paths = [Path(test_sets)] if isinstance(test_sets, str | Path) else list(map(Path, test_sets))
    maker = QuestionMaker(read_test_sets(paths), most, seed)
    named = [
        _file(each.language, k_, split) for each in maker.test_sets for k_ in k for split in set(_SHARES)
    ]
    with prepared(Path(output), [*named, _CODE, _IGNORED], force=force):
        made = dict(_made(maker, sorted(set(k)), max(minimum, 1)))
        if not made:
            raise TestSetError(
                f"no language has {minimum} questions in the splits test and private each, and {_SHOWN} in "
                f"train and val; name test sets with more words, {more_questions(most, minimum)}"
            )
        frame = counts(
            {key: [q for part in splits.values() for q in part] for key, splits in made.items()}, maker
        )
        for split in dict.fromkeys(_SHARES):
            frame[split] = [len(splits[split]) for splits in made.values()]
        digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
        data = _data_set(frame, maker, minimum, digests)
        files = {
            _file(*key, split): _csv(questions, f"{seed} {key} {split}")
            for key, splits in made.items()
            for split, questions in splits.items()
        }
        files |= {_CODE: _code(made), _IGNORED: f"*-{_PRIVATE}.csv\n".encode()}
        lost = [each for each in replaced(Path(output), files) if each.endswith(f"-{_PRIVATE}.csv")]
        if lost and not force:
            raise OutputError(
                f"{output}: private questions of an earlier export would be lost: {', '.join(lost)}. Name "
                "another folder, or replace them with --force"
            )
        frame.attrs["deleted"] = write_data_set(Path(output), data, files)
    return frame


def _file(language: str, k: int, split: str) -> str:
    return f"{language}-{k}-{split}.csv"


def _made(
    maker: QuestionMaker, several: Sequence[int], minimum: int
) -> Iterator[tuple[tuple[str, int], _Splits]]:
    """The questions of each split of those languages and k that have enough; words of others are left out."""
    for test_set in maker.test_sets:
        items = _items(test_set, maker.seed)
        for k in several:
            splits = {
                name: [each for each in maker.questions(test_set, k, ids) if each.named_in == each.language]
                for name, ids in items.items()
            }
            if all(
                len(each) >= (minimum if name in ("test", _PRIVATE) else _SHOWN)
                for name, each in splits.items()
            ):
                yield (test_set.language, k), splits


def _items(test_set: TestSet, seed: int) -> Mapping[str, set[str]]:
    """The ids of the items of each split; an item is in none if another split has a word of it."""
    words, splits_of = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for category in test_set.categories:
        for item in category.items:
            words[item.id].update(word.casefold() for word in item.words)
    split = {id_: random.Random(f"{seed} {id_}").choice(_SHARES) for id_ in words}  # noqa: S311  # see `seed`
    for id_, of_item in words.items():
        for word in of_item:
            splits_of[word].add(split[id_])
    alone = [id_ for id_, of_item in words.items() if all(len(splits_of[word]) == 1 for word in of_item)]
    return {name: {id_ for id_ in alone if split[id_] == name} for name in dict.fromkeys(_SHARES)}


def _csv(questions: Sequence[Question], seed: str) -> bytes:
    """The questions as EuroEval reads them; each letter is the answer equally often, or once more."""
    letters = string.ascii_lowercase[: questions[0].k + 1]
    draw = random.Random(seed)  # noqa: S311  # see `seed`
    answers = [letters[number % len(letters)] for number in range(len(questions))]
    draw.shuffle(answers)
    writer = csv.writer(table := io.StringIO(), lineterminator="\n")
    writer.writerow(["text", "label", "category"])
    for question, answer in zip(questions, answers, strict=True):
        words = [word for place, word in enumerate(question.options) if place != question.answer]
        words.insert(letters.index(answer), question.options[question.answer])
        choices = (f"{letter}. {word}" for letter, word in zip(letters, words, strict=True))
        asked = "Which of these words does not belong with the others?"
        writer.writerow(["\n".join([asked, "Choices:", *choices]), answer, question.category])
    return table.getvalue().encode()


def _code(made: Iterable[tuple[str, int]]) -> bytes:
    lines = []
    for language, k in made:
        name = languages()[language].name if language in languages() else language
        variable, given = f"{language}_{k}".replace("-", "_").upper(), f"{language!r}, {name!r}, {k}"
        lines += [
            f"{variable} = _data_set({given})",
            f"{variable}_PRIVATE = _data_set({given}, {_PRIVATE!r})",
        ]
    return "\n".join([template(f"{_CODE}.txt"), *lines, ""]).encode()


def _data_set(frame: pd.DataFrame, maker: QuestionMaker, minimum: int, digests: Mapping[str, str]) -> DataSet:
    rows = frame.to_dict("records")
    private = ", ".join(f"`{_file(row['language'], row['k'], _PRIVATE)}`" for row in rows)
    listed = "\n".join(f"- `{name}`: {digest}" for name, digest in digests.items())
    about = described(
        "euroeval.md", frame, maker, minimum=minimum, shown=_SHOWN, private=private, digests=listed
    )
    sizes: dict[str, dict[str, int]] = {}
    for row in rows:
        of = {f"{split}, k = {row['k']}": row[split] for split in dict.fromkeys(_SHARES)}
        sizes.setdefault(row["language"], {}).update(of)
    summaries = [
        replace(Summary.of(each), size=sizes[each.language], related=(), stand_ins=())
        for each in maker.test_sets
        if each.language in sizes
    ]
    files = {
        f"{row['language']}-{row['k']}": {
            split: _file(row["language"], row["k"], split) for split in _PUBLISHED
        }
        for row in rows
    }
    published = int(frame[list(_PUBLISHED)].sum().sum())
    return DataSet("Odd one out", about, "multiple-choice", summaries, published, files)
