"""Categories: the category files of gensim-evaluations, and tables and lists of words."""

from __future__ import annotations

from evaluator.datasets.columns import (
    OUTLIER_COLUMNS,
    NamedTable,
    are_relation_pairs,
    has_columns,
    two_languages,
)
from evaluator.datasets.data_files import (
    SPACE,
    DataSetSource,
    category_header,
    fields,
    most,
    number,
    rows,
    sample_rows,
    two_fields,
)
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import TestSet, categories_of
from evaluator.datasets.unknown import are_joined_pairs
from evaluator.errors import TestSetError

_COLUMNS = {"category": ("category",), "word": ("word",)}


def looks_like_category_file(source: DataSetSource) -> bool:
    """Headers, unless the lines below them are as likely the four words of an analogy."""
    # Those have a space after the colon and several lines in a section, category files neither.
    headers = [line.strip() for line in source.sample if category_header(line)]
    lines = [line for line in source.sample if not category_header(line)]
    if not headers or are_joined_pairs(source.sample):
        return False
    if not most(len(fields(line, SPACE)) == 4 for line in lines):
        return True
    return len(lines) <= len(headers) or not most(line.startswith(": ") for line in headers)


@dataset_format("categories", rank=2, looks_like=looks_like_category_file, what="categories")
def read_categories(source: DataSetSource) -> TestSet:
    """`:name` on a line, and its words on the next lines, separated by spaces; there may be none."""
    found: dict[str, list[str]] = {}
    words: list[str] | None = None
    for line_number, line in source.file.lines:
        name = category_header(line)
        if name is not None:
            source.file.refuse_again(line_number, "category", name, found)
            words = found[name] = []
        elif words is None:
            source.file.fail(line_number, "words before any category; add a line `:name` first")
        else:  # labels may contain other white space
            words += [word.strip() for word in line.split(" ") if word.strip()]
    if not found:
        raise TestSetError(
            f"{source.path}: no category in it; a category is a line `:name` and a line of words"
        )
    return source.test_set(categories=categories_of(found))


def looks_like_categories_csv(source: DataSetSource) -> bool:
    """Columns of categories and words, of which none is said to be an outlier."""
    outliers = {"category": ("category",), "outlier": OUTLIER_COLUMNS}
    return has_columns(source, _COLUMNS) and not has_columns(source, outliers)


@dataset_format("categories-csv", rank=1, looks_like=looks_like_categories_csv, roles=_COLUMNS)
def read_categories_csv(source: DataSetSource) -> TestSet:
    """A table with the columns `category` and `word`, separated by tabs, semicolons or commas.

    AP, BLESS, ESSLLI and Battig are published so. Lines without a word are left out: copies of AP and BLESS
    have one at the end of each category.
    """
    table, words = NamedTable(source, _COLUMNS), dict[str, list[str]]()
    for line, row in table:
        if not row["category"]:
            source.file.fail(line, "the category is empty")
        words.setdefault(row["category"], []).extend([row["word"]] if row["word"] else [])
    return source.test_set(columns=table.columns, categories=categories_of(words))


def looks_like_word_lists(source: DataSetSource) -> bool:
    """Three or more fields per line, none a number: lists of words, whose first may be a name."""
    table = sample_rows(source.sample, ",")
    words = [[field for field in row if field] for row in table]
    return most(len(row) > 2 and all(number(word) is None for word in row) for row in words)


@dataset_format(
    "category-lines", rank=3, looks_like=looks_like_word_lists, what="a category and its words on a line"
)
def read_category_lines(source: DataSetSource) -> TestSet:
    """Lines `name,word,word,…`; empty fields at the end are left out."""
    file = source.file
    words: dict[str, list[str]] = {}
    for line, (name, *of_name) in rows(file, ","):
        while of_name and not of_name[-1]:
            of_name.pop()
        if not name or not of_name or not all(of_name):
            file.fail(line, "an empty field, or no word; a name and its words are needed: name,word,word")
        file.refuse_again(line, "category", name, words)
        words[name] = of_name
    return source.test_set(categories=categories_of(words))


@dataset_format(
    "word-lines", rank=3, looks_like=looks_like_word_lists, what="the words of a category on a line"
)
def read_word_lines(source: DataSetSource) -> TestSet:
    """Lines `word,word,…`, each a category called `line 1` and so on; empty last fields are left out."""
    words: dict[str, list[str]] = {}
    for line, row in rows(source.file, ","):
        while not row[-1]:
            row.pop()
        if not all(row):
            source.file.fail(line, "an empty field; only words are needed: word,word,word")
        words[f"line {line}"] = row
    return source.test_set(categories=categories_of(words))


def looks_like_words_and_categories(source: DataSetSource) -> bool:
    """Two fields, the second of which is one of few, not a number, and not alternatives (`a/b`)."""
    if two_languages(source.name) is not None or are_relation_pairs(source):  # a dictionary, or analogies
        return False
    pairs = [fields(line, "\t") for line in source.sample]
    seconds = [pair[1] for pair in pairs if len(pair) == 2 and all(pair)]
    plain = [text for text in seconds if "/" not in text and number(text) is None]
    return 2 * len(plain) > len(pairs) and 2 * len(set(seconds)) <= len(seconds)


@dataset_format(
    "word-category", rank=3, looks_like=looks_like_words_and_categories, what="words and their categories"
)
def read_word_category(source: DataSetSource) -> TestSet:
    """Lines `word<TAB>category`."""
    words: dict[str, list[str]] = {}
    for line_number, line in source.file.lines:
        word, category = two_fields(source.file, line_number, line, "category")
        words.setdefault(category, []).append(word)
    return source.test_set(categories=categories_of(words))
