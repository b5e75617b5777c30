"""Data sets of other projects, where they are: read as their authors made them, or refused for a reason."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from evaluator import TestSetError, read_testset
from evaluator.errors import ResultsError
from evaluator.plugins.lm_results.answers import read_logs
from tests.conftest import REPOSITORY
from tests.spread import spread

FOLDER = REPOSITORY.parent / "shared" / "data" / "public"
MANIFEST = FOLDER / "manifest.tsv"
SETS = (
    *("pairs", "analogies", "categories", "outliers", "synonym-questions", "sentence-labels", "dictionary"),
)
LOGS = ("lm-eval-log", "inspect-log", "every-eval-ever", "helm-log")

# Where the content alone does not say which of two formats it is, the file is refused, and then read by name.
ASKS = {
    "bats": ("bats", "muse"),
    "category-lines": ("category-lines", "word-lines"),
    "word-lines": ("category-lines", "word-lines"),
}
# Another column that is right as well, by the notes of the manifest: the mean of all annotators.
FIRST = {"score_adj.csv": "あっけなく | 苦労なく | 6.2", "score_noun.csv": "文献 | 書籍ソース | 5.8"}

# What a message says, by the reason that is expected.
REASONS = {
    "no ratings": "without ratings",
    "no pairs with ratings": "without ratings",
    "not four words a line": "not four words a line",
    "not analogies": "not analogies",
    "pairs of words and a relation, no categories": "pairs of words and a relation, without .* categories",
    "a list of words without categories": "a list of words without categories",
    "no label of the whole text, but of two places in it": "two places in it",
    "CoNLL, a word and its tags a line": r"a word and its tags on a line \(CoNLL\)",
    "trees": "trees of sentences",
    "not known to be a dictionary": r"several ways: bats .*, muse \(a dictionary\)",
    "answers to other questions than odd-one-out": "answers to other questions than odd-one-out|ended with",
    "no log of answers to single questions": "no log of answers to single questions|has means alone",
    "a log of Inspect in its zip form": "convert it: inspect log convert",
}


def manifest(kinds):
    """The rows of some kinds; one that says why it is skipped where the files are not there."""
    if not MANIFEST.is_file():
        return [pytest.param({}, marks=pytest.mark.skip(f"no public files at {FOLDER}"), id="none")]
    with MANIFEST.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [pytest.param(row, id=row["path"]) for row in rows if row["kind"] in kinds]


def content(found):
    """How many entries a test set has, and the first one."""
    if found.rated_pairs:
        (one, two, rating), *_ = pairs = found.rated_pairs[0].pairs
        return len(pairs), f"{one} | {two} | {rating:g}"
    if found.synonym_questions:
        questions = found.synonym_questions[0].questions
        return len(questions), f"{questions[0].word}: {', '.join(questions[0].answers)}"
    if found.labelled_texts:
        label, words = found.labelled_texts[0].texts[0]
        return len(found.labelled_texts[0].texts), f"{label} | {' '.join(words)}"
    if getattr(found, "translations", ()):
        items = found.translations[0].items
        return sum(len(each.translations) for each in items), f"{items[0].id} | {items[0].translations[0]}"
    if found.outlier_groups:
        group = found.outlier_groups[0]
        return len(found.outlier_groups), f"{group.name}: {' '.join(group.members)}"
    if found.categories:
        first = found.categories[0]
        return sum(len(each.items) for each in found.categories), f"{first.name}: {first.words[0]}"
    section = found.analogies[0]
    pairs = [f"{word} {answers[0]}" for word, answers in section.pairs]
    if section.questions is None:
        return len(pairs), pairs[0]
    asked = sum(len(each.questions) for each in found.analogies)
    return asked, " ".join(pairs[place] for place in section.questions[0])


def refused(row, error, read):
    """What is said of a file, which must be the reason that the manifest states."""
    with pytest.raises(error) as raised:
        read()
    message = str(raised.value)
    assert message.startswith(str(FOLDER / row["path"]))
    reason = row["expected"].removeprefix("refused: ")
    assert re.search(REASONS[reason], message), message


@pytest.mark.parametrize("row", spread(manifest(SETS), 3))
def test_data_sets(row):
    path, format_ = FOLDER / row["path"], row["expected"]
    if format_.startswith("refused"):
        refused(row, TestSetError, lambda: read_testset(path))
        return
    if format_ in ASKS:
        with pytest.raises(TestSetError, match=r"in several ways: {} .*, {} ".format(*ASKS[format_])):
            read_testset(path)
    found = read_testset(path, format_ if format_ in ASKS else "auto")
    assert found.reading.format == format_
    count, first = content(found)
    expected_count = int(row["count"])
    if getattr(found, "translations", ()):  # of which some stand there twice
        different = {tuple(line.split()) for line in path.read_text(encoding="utf-8").splitlines()}
        expected_count = len(different)
        assert f"{len(found.translations[0].items)} different words on the left" in row["layout"]
    assert count == expected_count
    expected = FIRST.get(path.name, row["first"]).removesuffix(" …").split(";")[0]
    told = {part.strip() for part in re.split(r"[,:]", expected.replace(" (right)", ""))[:2]}
    assert all(part in first or first in expected for part in told), (first, expected)
    columns = [name for name in found.reading.columns.values() if not name.isdecimal()]
    assert all(name in row["layout"] for name in columns), (columns, row["layout"])
    if match := re.search(r"mean rating ([\d.]+)", row["notes"]):
        ratings = [rating for *_, rating in found.rated_pairs[0].pairs]
        if path.name not in FIRST:
            assert sum(ratings) / len(ratings) == pytest.approx(float(match[1]), abs=1e-5)


@pytest.mark.parametrize("row", manifest(LOGS))
def test_logs_of_language_models(row):
    refused(row, ResultsError, lambda: read_logs([Path(FOLDER / row["path"])]))
