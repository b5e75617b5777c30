"""How to recognise each format of data sets by the first lines of a file.

What two formats have in common, such as the header `:name` of questions and of categories, is here as well;
the readers of the formats are in `formats`.
"""

from __future__ import annotations

import re

from evaluator.datasets.data_files import (
    SPACE,
    DataSetSource,
    fields,
    most,
    number,
    sample_rows,
    unix_line_ends,
)

ANALOGY_COLUMNS = ["relation", "a", "b", "c", "d"]
OUTLIER_COLUMNS = ("category", "outliers", "words")
LABEL_PREFIX = "__label__"
TEXT_COLUMNS = ("text", "tweet", "sentence")
LABEL_COLUMNS = ("label", "sentiment", "handlabel")

_JSON_OBJECT = re.compile(r"\s*\{\s*(\"|$)")
# `:)` and `:( :(` begin lines of words; a name begins with a letter or digit, perhaps in brackets or quotes.
_HEADER = re.compile(r":\s*([(\[{\"'«“]*\w.*)")
_DICTIONARY = re.compile(r'"format"\s*:\s*"dictionary"')
_CODE = "([a-z]{2,3}(?:-[a-z]{4,})?)"
_MUSE_NAME = re.compile(rf"{_CODE}-{_CODE}(?:\.[\w-]+)?\.txt(?:\.gz)?")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_SEVERAL_FIELDS = re.compile(r"[\t,;:]")
_WORDS = ("word", "w", "term")
_RATINGS = ("score", "mean", "sim", "relatedness", "rating")


def is_json(source: DataSetSource) -> bool:
    """By its name, so that an error in it is reported as such; else by how a JSON object begins."""
    if source.is_folder:
        return False
    named = source.path.name.lower().removesuffix(".gz").endswith(".json")
    return named or (bool(source.sample) and _JSON_OBJECT.match(source.sample[0]) is not None)


def is_dictionary(source: DataSetSource) -> bool:
    """JSON that names the format of bilingual dictionaries."""
    return is_json(source) and _DICTIONARY.search("\n".join(source.sample[:10])) is not None


def is_test_set(source: DataSetSource) -> bool:
    """All other JSON."""
    return is_json(source) and not is_dictionary(source)


def is_named_like_muse(source: DataSetSource) -> bool:
    """Two words a line in a file named after two languages, such as `en-it.0-5000.txt`."""
    lines = [len(line.split()) for line in source.sample]
    return dictionary_languages(source.name) is not None and most(each == 2 for each in lines)


def dictionary_languages(name: str) -> tuple[str, str] | None:
    """The codes of both languages in the name of a file of MUSE."""
    found = _MUSE_NAME.fullmatch(name)
    return (found[1], found[2]) if found else None


def category_header(line: str) -> str | None:
    """The name, if a line is a header `:name`."""
    found = _HEADER.fullmatch(line.strip())
    return found[1] if found else None


def looks_like_category_file(source: DataSetSource) -> bool:
    """Headers, unless the lines below them are as likely the four words of an analogy.

    Those have a space after the colon and several lines in a section, category files neither.
    """
    headers = [line.strip() for line in source.sample if category_header(line)]
    lines = [line for line in source.sample if not category_header(line)]
    if not headers or not most(len(fields(line, SPACE)) == 4 for line in lines):
        return bool(headers)
    return len(lines) <= len(headers) or not most(line.startswith(": ") for line in headers)


def looks_like_questions(source: DataSetSource) -> bool:
    """Most lines are four words; with headers written as in a category file, several lines to a section."""
    headers = [line.strip() for line in source.sample if category_header(line)]
    lines = [question_words(line) for line in source.sample if not category_header(line)]
    if not most(len(words) == 4 and all(number(word) is None for word in words) for words in lines):
        return False
    return not headers or most(line.startswith(": ") for line in headers) or len(lines) > len(headers)


def question_words(line: str) -> list[str]:
    """The words of a line, separated by tabs, or by spaces where it has no tab."""
    return fields(line, "\t" if "\t" in line else SPACE)


def has_analogy_columns(source: DataSetSource) -> bool:
    """The first line names exactly the columns of a table of questions."""
    return _first_row(source.sample) == ANALOGY_COLUMNS


def has_category_columns(source: DataSetSource) -> bool:
    """The first line names the columns of a category and a word, in upper or lower case."""
    return {"category", "word"} <= {name.lower() for name in _first_row(source.sample)}


def has_outlier_columns(source: DataSetSource) -> bool:
    """The first line names the columns of outlier groups."""
    return set(OUTLIER_COLUMNS) <= set(_first_row(source.sample, ","))


def _first_row(lines: list[str], separator: str | None = None) -> list[str]:
    """The fields of the first line; none if there is no line."""
    return sample_rows(lines[:1], separator)[0] if lines else []


def looks_like_word_lists(source: DataSetSource) -> bool:
    """Three or more fields per line, none a number: lists of words, whose first may be a name."""
    table = sample_rows(source.sample, ",")
    words = [[field for field in row if field] for row in table]
    return most(len(row) > 2 and all(number(word) is None for word in row) for row in words)


def looks_like_words_and_categories(source: DataSetSource) -> bool:
    """Two fields, the second of which is one of few, not a number, and not alternatives (`a/b`)."""
    pairs = [fields(line, "\t") for line in source.sample]
    seconds = [pair[1] for pair in pairs if len(pair) == 2 and all(pair)]
    plain = [text for text in seconds if "/" not in text and number(text) is None]
    return 2 * len(plain) > len(pairs) and 2 * len(set(seconds)) <= len(seconds)


def looks_like_analogy_pairs(source: DataSetSource) -> bool:
    """Two fields, of which the second is words without spaces; texts have spaces, and counts are numbers."""
    pairs = [fields(line, "\t") for line in source.files[0].sample]
    return most(
        len(pair) == 2 and all(pair) and " " not in pair[1] and number(pair[1]) is None for pair in pairs
    )


def looks_like_rated_pairs(source: DataSetSource) -> bool:
    """Two words and a number."""
    table = sample_rows(source.sample)
    if not table:
        return False
    one, two, score = rated_pair_columns(table)
    data = table[1:] if names_word_columns(table[0]) else table
    return most(
        len(row) > score > 1
        and number(row[score]) is not None
        and all(row[column] and number(row[column]) is None for column in (one, two))
        for row in data
    )


def names_word_columns(row: list[str]) -> bool:
    """Whether the first row of a table of rated pairs holds the names of its columns."""
    return _word_columns(row) is not None


def _word_columns(row: list[str]) -> tuple[int, int] | None:
    """The columns that a row names as those of the words: `word1`, `word2`, or as `twi1`, `twi2`."""
    names = [letters_of(name) for name in row]
    plain = all(number(name) is None for name in row)  # `a1 a2 3.5` are two words and their score
    for column, name in enumerate(names):
        stem = name.removesuffix("1")
        if stem != name and (stem in _WORDS or (plain and stem.isalpha())) and f"{stem}2" in names:
            return column, names.index(f"{stem}2")
    return None


def rated_pair_columns(table: list[list[str]]) -> tuple[int, int, int]:
    """The columns of the first word, the second and the score."""
    named_words = _word_columns(table[0])
    names = [letters_of(name) for name in table[0]] if named_words else []
    one, two = named_words or (0, 1)
    data = table[1:] if names else table
    width = max((len(row) for row in data), default=0)
    numeric = [
        column
        for column in range(max(one, two) + 1, width)
        if most(len(row) > column and number(row[column]) is not None for row in data)
    ]
    named = [
        each for each in numeric if each < len(names) and any(score in names[each] for score in _RATINGS)
    ]
    return one, two, next(iter(named + numeric), max(one, two) + 1)


def letters_of(name: str) -> str:
    """The letters and digits of a name, in lower case."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def has_language_columns(source: DataSetSource) -> bool:
    """A column ID, and two for the words of a language."""
    for file in source.files[:2]:
        names = _first_row(file.sample)
        if "ID" not in names or not any(f"{name[:-1]}2" in names for name in names if name.endswith(" 1")):
            return False
    return True


def looks_like_labelled_texts(source: DataSetSource) -> bool:
    """The last field has spaces, and the one before it none."""
    found = [text_columns(line) for line in source.sample]
    return most(bool(label) and " " not in label and " " in text for label, text in found)


def text_columns(line: str) -> tuple[str, str]:
    """The last two fields of a line with tabs: label and text."""
    before, _, text = line.rstrip().rpartition("\t")
    return before.rpartition("\t")[2].strip(' "'), text.strip()


def has_text_columns(source: DataSetSource) -> bool:
    """The first line names a column of texts and one of labels."""
    names = _first_row(source.sample)
    return all(column_named(names, wanted) is not None for wanted in (TEXT_COLUMNS, LABEL_COLUMNS))


def column_named(names: list[str], wanted: tuple[str, ...]) -> int | None:
    """The first column with one of the wanted names, in upper or lower case."""
    return next((column for column, name in enumerate(names) if name.lower() in wanted), None)


def looks_like_fasttext(source: DataSetSource) -> bool:
    """Lines that begin with `__label__`."""
    return bool(source.sample) and most(line.lstrip().startswith(LABEL_PREFIX) for line in source.sample)


def looks_like_two_blocks(source: DataSetSource) -> bool:
    """One word per line, and blank lines in one position."""
    file = source.files[0]
    single_words = most(not _SEVERAL_FIELDS.search(line) for line in file.sample)
    return single_words and len(blocks_of_lines(file.content.decode("utf-8", errors="replace"))) == 2


def blocks_of_lines(text: str) -> list[str]:
    """The blocks of text between blank lines."""
    return [block for block in _BLANK_LINES.split(unix_line_ends(text).strip()) if block.strip()]
