"""Build the core of historical languages that ships in `cache/` from the tables in `tools/historical/`.

`concepts.tsv` has the things, with Wikidata's ids where these are sure; `categories.tsv` the statements by
which queries find the things of a category; and a table for each language its words and their evidence.
`facts.tsv` says what is generally known of the things: what is part of what, made of what, used for what.
Tables in `keywords/` have the words of symbols, with evidence for each word, in columns as those of words.
Tables in `topics/` are of the same kinds: people and terms of the topics by which languages are compared.
`../class_words.tsv` has the words for classes (animal, tree) in languages of today, which are the project's.
The same tables give the same text. `--report` prints the categories and words of each language, or with
`--topics` the items of each topic, and `--corpus CODE=FILE` how many of its things a text knows, with
`--profile` by an orthography profile, beside what `targets.tsv` asks of the language; `--targets` prints
those languages without a text.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import unicodedata
from collections import Counter
from datetime import date
from pathlib import Path

import regex
from snapshot import keywords, turtle
from snapshot.items import Item, Row

from evaluator.text.normalization import Normalizer, parse_profile, unchanged

TABLES = Path(__file__).parent / "historical"
TOPICS = TABLES / "topics"
OUTPUT = Path(__file__).resolve().parent.parent / "cache" / "historical-1.ttl.gz"
DATE = date(2026, 11, 23)
LICENSE = "https://creativecommons.org/licenses/by/4.0/"
DESCRIPTION = (
    "Core of historical languages, compiled by the project word by word: everyday words with evidence for "
    "each in dictionaries, word lists or texts; and the project's words for classes, such as animal and "
    "tree, in languages of today. The words of items with Wikidata's ids are not Wikidata's."
)
OTHER_TABLES = ("categories", "concepts", "facts", "headwords", "homographs", "sources", "targets")
POINTS = re.compile("[\u05b0-\u05c7]")
"""The vowel points of Hebrew."""
LEAST_SHARE = 0.5
"""The share of a form's occurrences that must be of the word, where a lemmatized text tells it."""
JOINED = {"numbers", "things", "units"}
"""The evidence of items that the snapshot of CLDR has with their classes."""
KNOWN = 5
"""So many times a word stands in a text of which a model learns it: word2vec's usual minimum."""
ENOUGH = 8
"""So many things of a category are enough to ask a model for it."""


def rows(name: str, folder: Path = TABLES) -> list[Row]:
    """The rows of a table; none if the folder has no such table."""
    path = folder / f"{name}.tsv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def all_rows(name: str) -> list[Row]:
    """The rows of a table of the core and of the same table of the topics."""
    return [*rows(name), *rows(name, TOPICS)]


def languages(folder: Path = TABLES) -> list[str]:
    """The codes of the languages that have a table of words."""
    return sorted(path.stem for path in folder.glob("*.tsv") if path.stem not in OTHER_TABLES)


def words(row: Row) -> list[str]:
    """The words of a concept in a language, the usual one first."""
    return row["words"].split(" | ")


def usual_words(row: Row, aliases: frozenset[tuple[str, str]] = frozenset()) -> list[str]:
    """Those by which a thing is asked: without vowel points, and mainly this word in texts."""
    told = zip(words(row), row["evidence"].split(" | "), strict=True)
    return [
        word
        for word, evidence in told
        if not POINTS.search(word)
        and (row["concept"], word) not in aliases
        and all(float(share) >= LEAST_SHARE for share in re.findall(r"\blemma:(\S+)", evidence))
    ]


def aliases(code: str) -> frozenset[tuple[str, str]]:
    """The words of a language that a reader found to be mostly another word of their spelling."""
    return frozenset(
        (row["concept"], row["word"])
        for row in rows("homographs")
        if row["language"] == code and row["decision"] == "alias"
    )


def keyword_tables(folder: Path = TABLES / "keywords") -> dict[str, dict[str, list[str]]]:
    """The keywords of symbols by language, from the tables of a folder; each word has its evidence.

    Raises:
        SystemExit: A row has not as many pieces of evidence as words, or one that is empty.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for path in sorted(folder.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                evidence = row["evidence"].split(" | ")
                if len(evidence) != len(words(row)) or not all(map(str.strip, evidence)):
                    raise SystemExit(f"{path}: {row['symbol']} must have evidence for each word")
                found.setdefault(path.stem, {})[row["symbol"]] = words(row)
    return found


def class_words() -> dict[str, dict[str, str]]:
    """The words for classes in languages of today: by language, by concept."""
    with (TABLES.parent / "class_words.tsv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {
        row["language"]: {name: word for name, word in row.items() if word and name != "language"}
        for row in table
    }


def build() -> list[Item]:
    """The items that have words in a language, and the classes that lead from theirs to others."""
    categories = {row["category"]: row for row in all_rows("categories")}
    items = {row["concept"]: _item(row, categories) for row in all_rows("concepts")}
    for code in sorted({*languages(), *languages(TOPICS)}):
        others = aliases(code)
        for row in all_rows(code):
            # The label policy makes of names between slashes a word each. Texts without vowel points do not
            # know those with points, which are aliases; so are forms that mostly are other words.
            usual = usual_words(row, others)
            if usual:
                items[row["concept"]].labels[code] = " / ".join(usual)
            items[row["concept"]].aliases[code] = [word for word in words(row) if word not in usual]
    for code, own in class_words().items():
        for concept, word in own.items():
            items[concept].labels.setdefault(code, word)
    for row in all_rows("facts"):
        value = turtle.name_of(items[row["value"]].qid)
        items[row["concept"]].statements.setdefault(row["property"], []).append(value)
    above = [row for row in categories.values() if row["within"]]
    classes = {_class(row): Item(_class(row), "class", "", "") for row in above}
    for row in above:
        classes[_class(row)].statements["P279"] = [f"wd:{_class(categories[row['within']])}"]
    named = (item for item in items.values() if item.labels or any(item.aliases.values()))
    return sorted([*named, *classes.values()], key=lambda item: item.qid)


def _item(row: Row, categories: dict[str, Row]) -> Item:
    item = Item(row["item"], "core", "", row["concept"])
    for category in row["category"].split() if row["evidence"] not in JOINED else ():
        for statement in categories[category]["statements"].split():
            prop, _, value = statement.partition("=")
            if f"wd:{value}" not in item.statements.setdefault(prop, []):
                item.statements[prop].append(f"wd:{value}")
    return item


def _class(row: Row) -> str:
    return row["statements"].rpartition("=")[2]


def report() -> str:
    """A table in Markdown: the things, words and categories of each language, and the share attested."""
    of_concept = {row["concept"]: row["category"].split() for row in rows("concepts")}
    lines = [
        "| language | things | words | categories of 10 things or more | of 8 or more | words attested |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for code in languages():
        table = rows(code)
        evidence = [
            each
            for row in table
            for word, each in zip(words(row), row["evidence"].split(" | "), strict=True)
            if not POINTS.search(word)
        ]
        sizes = Counter(name for row in table for name in of_concept[row["concept"]]).values()
        enough = " | ".join(str(sum(size >= least for size in sizes)) for least in (10, 8))
        share = sum("corpus:" in each for each in evidence) / len(evidence)
        attested = f"{share:.0%}" if share else "–"
        lines.append(f"| `{code}` | {len(table)} | {len(evidence)} | {enough} | {attested} |")
    return "\n".join(lines)


def topics_report() -> str:
    """A table in Markdown: how many items each language names of each topic."""
    topics = [row["category"] for row in rows("categories", TOPICS)]
    of_concept = {row["concept"]: row["category"].split() for row in rows("concepts", TOPICS)}
    lines = [f"| language | {' | '.join(f'`{each}`' for each in topics)} |", f"|---|{'---:|' * len(topics)}"]
    for code in languages(TOPICS):
        sizes = Counter(name for row in rows(code, TOPICS) for name in of_concept[row["concept"]])
        lines.append(f"| `{code}` | {' | '.join(str(sizes[each] or '–') for each in topics)} |")
    return "\n".join(lines)


def corpus_report(corpora: list[str], respell: Normalizer = unchanged) -> str:
    """A table in Markdown: how many things of each language the text in a file knows, one CODE=FILE each.

    Words of the tables and of the texts are respelled in the same way. After a slash stands what
    `targets.tsv` asks: things in the table, the share of them that is known, categories of known things.
    """
    head = ("language", "text", "things", f"known ({KNOWN} times or more)", "share")
    cells = (*head, f"categories of {ENOUGH} things", f"of {ENOUGH} known")
    lines = [f"| {' | '.join(cells)} |", "|---|---|---:|---:|---:|---:|---:|"]
    asked = {row["language"]: row for row in rows("targets")}
    for corpus in corpora:
        code, _, path = corpus.partition("=")
        found = counts(Path(path), lambda form: _folded(respell(form))) if path else None
        table = rows(code)
        target = asked.get(code, {})
        row = [f"`{code}`", Path(path).name or "–", _beside(len(table), target.get("things"))]
        if found is None:
            row += ["–", _beside("–", target.get("share")), str(_categories(table))]
            row.append(_beside("–", target.get("categories")))
        else:
            spelled = ((each, (found[_folded(respell(word))] for word in words(each))) for each in table)
            known = [each for each, numbers in spelled if any(number >= KNOWN for number in numbers)]
            share = f"{len(known) / len(table):.0%}"
            row += [str(len(known)), _beside(share, target.get("share")), str(_categories(table))]
            row.append(_beside(_categories(known), target.get("categories")))
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def _beside(found: object, asked: str | None) -> str:
    """What is found, and what is asked."""
    return f"{found} / {asked}" if asked and asked != "–" else str(found)


def _categories(table: list[Row]) -> int:
    """The categories that have enough things."""
    of_concept = {row["concept"]: row["category"].split() for row in rows("concepts")}
    sizes = Counter(name for row in table for name in of_concept[row["concept"]])
    return sum(size >= ENOUGH for size in sizes.values())


def counts(path: Path, key: Normalizer) -> Counter[str]:
    """How often the words of a text, plain or gzipped, have each key."""
    forms: Counter[str] = Counter()
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            forms.update(regex.findall(r"[\p{L}\p{M}\p{N}\u200c\u200d]+", line))
    found: Counter[str] = Counter()
    for form, number in forms.items():
        found[key(form)] += number
    return found


def _folded(text: str) -> str:
    """Case, accents, points and harakat aside; the vowel signs of Indian scripts are letters of a script."""
    return regex.sub(
        r"[\p{M}&&\p{Script=Inherited}]", "", unicodedata.normalize("NFD", text.lower()), flags=regex.V1
    )


def main() -> None:
    """Write the snapshot, or print what is in the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--topics", action="store_true", help="print how many items each topic has")
    parser.add_argument("--corpus", metavar="CODE=FILE", nargs="+", help="print how much a text knows")
    parser.add_argument("--targets", action="store_true", help="print what is asked of languages")
    parser.add_argument("--profile", type=parse_profile, default=unchanged, help="orthography for --corpus")
    arguments = parser.parse_args()
    corpora = arguments.corpus or []
    if arguments.targets:
        given = {corpus.partition("=")[0] for corpus in corpora}
        corpora += [row["language"] for row in rows("targets") if row["language"] not in given]
    if corpora:
        print(corpus_report(corpora, arguments.profile))
        return
    if arguments.report or arguments.topics:
        print(topics_report() if arguments.topics else report())
        return
    text = turtle.document(build(), OUTPUT.name.removesuffix(".ttl.gz"), DATE, DESCRIPTION, LICENSE)
    arguments.output.write_bytes(gzip.compress(text.encode(), mtime=0))
    if found := keyword_tables():
        name = arguments.output.name.removesuffix(".ttl.gz")
        beside = arguments.output.with_name(f"{name}.keywords.zip")
        keywords.write(beside, found, f"{name} keywords", DATE, LICENSE)


if __name__ == "__main__":
    main()
