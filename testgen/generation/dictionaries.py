"""Bilingual dictionaries: the words of the same items in two languages, as MUSE's text files and as JSON.

The format is described in docs/dictionaries.md and testgen/generation/dictionary.v1.schema.json.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from testgen.errors import LanguageError, OutputError, PolicyError, QueryError
from testgen.generation.test_sets import STANDARD_WORDS, collect, language_codes, without_contained
from testgen.labels import LabelPolicy
from testgen.languages import languages, stand_in_map
from testgen.queries import Query, choose
from testgen.sources import Provenance, Source
from testgen.system import atomic_write, check_overwrite
from testgen.testset import TestSet, assemble, json_array, json_text, query_text

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "dictionary"
VERSION = 1

_COLUMNS = ["language", "target", "categories", "items", "train", "test", "pairs", "file"]
_SUFFIXES = (".json", ".txt", ".train.txt", ".test.txt")


@dataclass(frozen=True)
class Entry:
    """The words of an item in two languages; all words of one translate each word of the other."""

    words: tuple[str, ...]
    translations: tuple[str, ...]


@dataclass(frozen=True)
class Dictionary:
    """Words of one language and their translations into another.

    Attributes:
        language: The code of the language of the words.
        target: The code of the language of the translations.
        provenance: The origin of items and names.
        policy: How labels became words; `minimum_words` is the fewest items of a category.
        test_share: About which share of the items is for testing.
        categories: The entries of each category by the ids of its items, in the order of the names.
    """

    language: str
    target: str
    provenance: Provenance
    policy: LabelPolicy
    test_share: float
    categories: Mapping[Query, Mapping[str, Entry]]

    @cached_property
    def test_items(self) -> frozenset[str]:
        """The items that are for testing.

        They are drawn by a digest of their ids, so that an item is for testing in all pairs of languages. An
        item that shares a word with one of them is for testing too: no word to be tested is in training.
        """
        words: dict[str, set[tuple[str, str]]] = {}
        for item, entry in self._entries():
            both = (("word", entry.words), ("translation", entry.translations))
            words.setdefault(item, set()).update((side, word) for side, some in both for word in some)
        test = {item for item in words if _drawn(item) < self.test_share}
        new = test
        while new:
            of_new = {word for item in new for word in words[item]}
            new = {item for item in words if item not in test and not of_new.isdisjoint(words[item])}
            test = test | new
        return frozenset(test)

    @classmethod
    def of(cls, test_set: TestSet, other: TestSet, policy: LabelPolicy, test_share: float) -> Dictionary:
        """The items of categories of one name that have words in both test sets.

        Args:
            test_set: Of the language of the words.
            other: Of the language of the translations, from the same source.
            policy: That of both; its `minimum_words` is the fewest items of a category.
            test_share: About which share of the items is for testing.
        """
        translated = {each.query.name: each.items for each in other.categories}
        categories: dict[Query, dict[str, Entry]] = {}
        for category in test_set.categories:
            theirs = translated.get(category.query.name, {})
            entries = {
                item: Entry(named.words, theirs[item].words)
                for item, named in category.items.items()
                if item in theirs
            }
            if len(entries) >= policy.minimum_words:
                categories[category.query] = entries
        return cls(test_set.language, other.language, test_set.provenance, policy, test_share, categories)

    def split(self, item: str) -> str:
        """`test` or `train`."""
        return "test" if item in self.test_items else "train"

    def pairs(self, split: str | None = None) -> list[tuple[str, str]]:
        """The different pairs of a word and a translation; of one split, or of both."""
        return list(
            dict.fromkeys(
                (word, translation)
                for item, entry in self._entries()
                if split in (None, self.split(item))
                for word in entry.words
                for translation in entry.translations
            )
        )

    def items(self, split: str | None = None) -> set[str]:
        """The ids of the items of one split, or of both."""
        return {item for item, _ in self._entries() if split in (None, self.split(item))}

    def _entries(self) -> Iterator[tuple[str, Entry]]:
        return (each for entries in self.categories.values() for each in entries.items())


def _drawn(item: str) -> float:
    """A number from 0 to 1 that only depends on the id."""
    return int(hashlib.sha256(item.encode()).hexdigest()[:8], 16) / 16**8


def write_dictionaries(
    output: str | Path,
    languages: Iterable[str],
    targets: Iterable[str] | None = None,
    *,
    categories: Iterable[str] = (),
    classes: Iterable[str] = (),
    queries: Iterable[str | Path | Query] = (),
    source: str | Path | Sequence[str | Path] | Source = "shipped",
    policy: LabelPolicy | None = None,
    minimum_sitelinks: int | None = None,
    test_share: float = 0.25,
    force: bool = False,
) -> pd.DataFrame:
    """Write a dictionary for each pair of languages: `la-te.json`, and the same in MUSE's format.

    `la-te.txt` has all pairs of words, `la-te.train.txt` and `la-te.test.txt` those of one split. The source
    is asked once for all pairs.

    Args:
        output: The folder for the files; or for one pair of languages the path of one of them, such as
            `la-te.txt`.
        languages: The codes of the languages to translate from. No language stands in for one with too few
            words of its own, as one may in `generate`.
        targets: The codes of those to translate into; None for the same: all pairs, in both directions.
        categories: Names of shipped categories; also `classes` and `queries` as in `generate`. Relations are
            left out: their items are in categories as well.
        classes: Ids of classes.
        queries: Paths of query files, or queries.
        source: As in `generate`.
        policy: How labels become words, of both languages; `minimum_words` is how many items of a category
            must have words in both. If None, `LabelPolicy()`; if nothing is named, with at least 10.
        minimum_sitelinks: As in `generate`.
        test_share: About which share of the items is for testing, from 0 to 1; see `Dictionary.test_items`.
        force: Whether to overwrite files that testgen did not write.

    Returns:
        A row for each dictionary: language, target, categories, items, train and test (items of each split),
        pairs (different pairs of words), file. `attrs["failed"]` holds what is missing and why: the message
        for each query that failed, by its name, and for each pair of languages without a category.
        `attrs["categories"]` holds the names of the categories of all dictionaries.

    Raises:
        QueryError: A category, class or query file cannot be used, or nothing asked for has any items.
        LanguageError: A code is unknown, there is no pair, or no pair has words for any category.
        SourceError: The source cannot be opened, or fails for everything.
        OutputError: A file cannot be written, or would be overwritten that testgen did not write.
        PolicyError: `test_share` is not from 0 to 1.
    """
    import pandas as pd

    if not 0 <= test_share <= 1:
        raise PolicyError(f"the test share is {test_share}; it must be from 0 to 1")
    stems = _stems(Path(output), languages, targets, force=force)
    named = [*categories], [*classes], [*queries]
    policy = policy or (LabelPolicy() if any(named) else LabelPolicy(minimum_words=STANDARD_WORDS))
    chosen = [each for each in choose(*named, minimum_sitelinks=minimum_sitelinks) if each.kind == "category"]
    if not chosen:
        raise QueryError("a dictionary is made of categories, and only relations are named; name a category")
    both = {code: code for pair in stems for code in pair}
    collected, opened = collect(chosen, both, source, policy, None)
    if not any(named):
        collected = without_contained(collected)
    every = replace(policy, minimum_words=1)
    sets = {code: assemble(code, code, collected, opened.provenance, every) for code in both}
    rows, names, failed = [], set[str](), {name: str(error) for name, error in collected.failed.items()}
    for (language, target), stem in stems.items():
        found = Dictionary.of(sets[language], sets[target], policy, test_share)
        if found.categories:
            rows.append(_row(found, write(found, stem)))
            names.update(query.name for query in found.categories)
        else:
            failed[stem.name] = _too_few_words((language, target), policy)
    if not rows:
        raise LanguageError(next(f"{name}: {message}" for name, message in reversed(failed.items())))
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    frame.attrs |= {"failed": failed, "categories": sorted(names)}
    return frame


def _too_few_words(pair: Iterable[str], policy: LabelPolicy) -> str:
    """Why there is no dictionary of a pair, and which languages have the names that test sets would use."""
    others = stand_in_map()
    near = [
        f"{code} ({languages()[code].name}) has too few words of its own, and none stands in for it in "
        f"dictionaries; name {others[code]} ({languages()[others[code]].name}) itself"
        for code in pair
        if code in others
    ]
    few = f"no category has {policy.minimum_words} items with usable words in both languages"
    return "; ".join([few, *near]) if near else f"{few}: see --minimum-words, --several-words"


def _row(found: Dictionary, path: Path) -> tuple[str | int, ...]:
    items = (len(found.items(split)) for split in (None, "train", "test"))
    return found.language, found.target, len(found.categories), *items, len(found.pairs()), str(path)


def _stems(
    output: Path, languages: Iterable[str], targets: Iterable[str] | None, *, force: bool
) -> dict[tuple[str, str], Path]:
    """The path of the files of each pair without their suffixes, all of which can be written.

    Raises:
        LanguageError: A code is unknown, or there is no pair.
        OutputError: There are several pairs and one file; or one is there that testgen did not write.
    """
    sources = language_codes(languages) or []
    into = sources if targets is None else language_codes(targets) or []
    pairs = [(one, other) for one in sources for other in into if one != other]
    if not pairs:
        raise LanguageError("a dictionary has two languages; name another one with --to")
    suffix = next((each for each in reversed(_SUFFIXES) if output.name.endswith(each)), "")
    if suffix and len(pairs) > 1:
        raise OutputError(f"{output}: is one file, for {len(pairs)} dictionaries; name a folder")
    stems = {
        (one, other): output.with_name(output.name.removesuffix(suffix))
        if suffix
        else output / f"{one}-{other}"
        for one, other in pairs
    }
    for stem in stems.values() if not force else ():
        check_overwrite(_file(stem, ".json"), is_dictionary)
        ours = _file(stem, ".json").exists()
        for each in _SUFFIXES[1:]:
            check_overwrite(_file(stem, each), lambda _, ours=ours: ours)  # type: ignore[misc]
    return stems


def _file(stem: Path, suffix: str) -> Path:
    return stem.with_name(f"{stem.name}{suffix}")


def serialize_dictionary(found: Dictionary) -> str:
    """The text of the JSON file, with one item per line; the same dictionary gives the same text."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "language": found.language,
        "target": found.target,
        "generator": f"testgen {version('testgen-evaluator')}",
        "source": found.provenance.as_dict(),
        "policy": found.policy.as_dict(),
        "test_share": found.test_share,
    }
    lines = "".join(f"  {json_text(key)}: {json_text(value)},\n" for key, value in head.items())
    categories = json_array((_category_text(found, query) for query in found.categories), "  ")
    return f'{{\n{lines}  "categories": {categories}\n}}\n'


def _category_text(found: Dictionary, query: Query) -> str:
    items = (
        {"id": item, "words": each.words, "translations": each.translations, "split": found.split(item)}
        for item, each in found.categories[query].items()
    )
    lines = json_array((f"      {json_text(each)}" for each in items), "    ")
    return f'    {query_text(query)}, "items": {lines}}}'


def muse_text(pairs: Iterable[tuple[str, str]]) -> str:
    """A pair a line, with a space between; words of several words are joined with `_`."""
    return "".join(f"{'_'.join(one.split())} {'_'.join(other.split())}\n" for one, other in pairs)


def is_dictionary(head: bytes) -> bool:
    """Whether testgen wrote the JSON dictionary that begins with these bytes."""
    return b'"format": "dictionary",' in head and b'"generator": "testgen ' in head


def write(found: Dictionary, stem: Path) -> Path:
    """Write all files of a dictionary, the JSON file last; return its path.

    Args:
        found: The dictionary.
        stem: The path without the suffixes `.json`, `.txt`, `.train.txt` and `.test.txt`.
    """
    texts = {
        ".txt": muse_text(found.pairs()),
        ".train.txt": muse_text(found.pairs("train")),
        ".test.txt": muse_text(found.pairs("test")),
        ".json": serialize_dictionary(found),
    }
    for suffix, text in texts.items():
        with atomic_write(_file(stem, suffix)) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return _file(stem, ".json")
