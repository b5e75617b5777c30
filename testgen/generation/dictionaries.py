"""Bilingual dictionaries: the words of the same items in two languages, as MUSE's text files and as JSON.

The format is described in docs/dictionaries.md and testgen/generation/dictionary.v1.schema.json.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from testgen.errors import LanguageError, OutputError, PolicyError, QueryError
from testgen.generation.assembly import assemble
from testgen.generation.collection import collect
from testgen.generation.request import TestSetRequest, language_codes
from testgen.generation.test_sets import AnySource, opened_source
from testgen.labels import LabelPolicy
from testgen.languages.codes import languages, without_labels
from testgen.sources import Provenance
from testgen.system import atomic_write, check_overwrite
from testgen.testset.types import Heading, TestSet, generator
from testgen.testset.writing import file_text

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
        source: The origin of items and names.
        policy: How labels became words; `minimum_words` is the fewest items of a category.
        test_share: About which share of the items is for testing.
        categories: The entries of each category by the ids of its items, in the order of the names.
    """

    language: str
    target: str
    source: Provenance
    policy: LabelPolicy
    test_share: float
    categories: Mapping[Heading, Mapping[str, Entry]]

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
        """The items of categories of one name with words in both test sets, of one source and policy."""
        translated = {category.name: category.words_by_id for category in other.categories}
        categories: dict[Heading, dict[str, Entry]] = {}
        for category in test_set.categories:
            translations = translated.get(category.name, {})
            entries = {
                id_: Entry(words, translations[id_])
                for id_, words in category.words_by_id.items()
                if id_ in translations
            }
            if len(entries) >= policy.fewest_words:
                categories[msgspec.convert(category, Heading, from_attributes=True)] = entries
        return cls(test_set.language, other.language, test_set.source, policy, test_share, categories)

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
        return (entry for entries in self.categories.values() for entry in entries.items())


def _drawn(item: str) -> float:
    return int(hashlib.sha256(item.encode()).hexdigest()[:8], 16) / 16**8


def write_dictionaries(
    output: str | Path,
    request: TestSetRequest,
    targets: Iterable[str] | None = None,
    *,
    source: AnySource = "shipped",
    test_share: float = 0.25,
    force: bool = False,
) -> pd.DataFrame:
    """Write a dictionary for each pair of languages: `la-te.json`, and the same in MUSE's format.

    `la-te.txt` has all pairs of words, `la-te.train.txt` and `la-te.test.txt` those of one split. The source
    is asked once for all pairs.

    Args:
        output: The folder for the files; or for one pair of languages the path of one of them, such as
            `la-te.txt`.
        request: What to make; `languages` are those to translate from, and the policy's `minimum_words` is
            how many items of a category must have words in both languages. Relations are left out: their
            items are in categories as well. There are no levels, and no language stands in for another one.
        targets: The codes of the languages to translate into; None for the same: all pairs, in both
            directions.
        source: As in `generate`.
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
    stems = _stems(Path(output), request.languages or (), targets, force=force)
    opened = opened_source(source)
    chosen = [query for query in request.chosen_queries(opened) if query.kind == "category"]
    if not chosen:
        raise QueryError("a dictionary is made of categories, and only relations are named; name a category")
    codes = list(dict.fromkeys(code for pair in stems for code in pair))
    of_all = replace(request, languages=codes, stand_ins=(), minimum_items=None)
    collected = collect(opened, chosen, of_all)
    every = replace(collected, policy=replace(collected.policy, minimum_words=1))
    sets = {code: assemble(code, code, every, opened.provenance) for code in codes}
    failed = {name: str(error) for name, error in collected.failed.items()}
    rows, names = [], set[str]()
    for (language, target), stem in stems.items():
        made = Dictionary.of(sets[language], sets[target], request.label_policy, test_share)
        made = replace(made, source=made.source.of_words_in((language, target)))
        if made.categories:
            items = (len(made.items(split)) for split in (None, "train", "test"))
            counts = len(made.categories), *items, len(made.pairs())
            rows.append((language, target, *counts, str(write(made, stem))))
            names.update(heading.name for heading in made.categories)
        else:
            failed[stem.name] = _too_few_words((language, target), request.label_policy)
    if not rows:
        raise LanguageError(next(f"{name}: {message}" for name, message in reversed(failed.items())))
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    frame.attrs |= {"failed": failed, "categories": sorted(names), "lacking": "; ".join(collected.left_out)}
    return frame


def _too_few_words(pair: Iterable[str], policy: LabelPolicy) -> str:
    others = without_labels()
    near = [
        f"{code} ({languages()[code].name}) has too few words of its own; name "
        f"{others[code]} ({languages()[others[code]].name}), which is near to it"
        for code in pair
        if others.get(code)
    ]
    few = f"no category has {policy.fewest_words} items with usable words in both languages"
    return "; ".join([few, *near]) if near else f"{few}: see --minimum-words, --policy several-words=join"


def _stems(
    output: Path, languages: Iterable[str], targets: Iterable[str] | None, *, force: bool
) -> dict[tuple[str, str], Path]:
    """The path of the files of each pair without their suffixes, all of which can be written."""
    sources = language_codes(languages) or []
    into = sources if targets is None else language_codes(targets) or []
    pairs = [(one, other) for one in sources for other in into if one != other]
    if not pairs:
        raise LanguageError("a dictionary has two languages; name another one with --to")
    suffix = next((ending for ending in reversed(_SUFFIXES) if output.name.endswith(ending)), "")
    if suffix and len(pairs) > 1:
        raise OutputError(f"{output}: is one file, for {len(pairs)} dictionaries; name a folder")
    only = output.parent / output.name.removesuffix(suffix)
    stems = {pair: only if suffix else output / "-".join(pair) for pair in pairs}
    for stem in stems.values():
        check_overwrite(_file(stem, ".json"), is_dictionary, force=force)
        ours = force or _file(stem, ".json").exists()
        for ending in _SUFFIXES[1:]:
            check_overwrite(_file(stem, ending), is_dictionary, force=ours)
    return stems


def _file(stem: Path, suffix: str) -> Path:
    return stem.with_name(f"{stem.name}{suffix}")


def serialize_dictionary(made: Dictionary) -> str:
    """The text of the JSON file, with one item per line; the same dictionary gives the same text."""
    categories = []
    for heading, entries in made.categories.items():
        items = [{"id": id_, **vars(entry), "split": made.split(id_)} for id_, entry in entries.items()]
        categories.append({**msgspec.to_builtins(heading), "items": items})
    return file_text(
        {
            "format": FORMAT,
            "version": VERSION,
            "language": made.language,
            "target": made.target,
            "generator": generator(),
            "source": made.source.as_dict(),
            "policy": made.policy.as_dict(),
            "test_share": made.test_share,
            "categories": categories,
        }
    )


def muse_text(pairs: Iterable[tuple[str, str]]) -> str:
    """A pair a line, with a space between; words of several words are joined with `_`."""
    return "".join(f"{'_'.join(one.split())} {'_'.join(other.split())}\n" for one, other in pairs)


def is_dictionary(head: bytes) -> bool:
    """Whether testgen wrote the JSON dictionary that begins with these bytes."""
    return b'"format": "dictionary",' in head and b'"generator": "testgen ' in head


def write(made: Dictionary, stem: Path) -> Path:
    """Write all files of a dictionary, or none; return the path of the JSON file, `stem` with `.json`."""
    texts = {
        ".txt": muse_text(made.pairs()),
        ".train.txt": muse_text(made.pairs("train")),
        ".test.txt": muse_text(made.pairs("test")),
        ".json": serialize_dictionary(made),
    }
    with ExitStack() as files:  # the last one replaces first: the JSON file, which says that all are ours
        for suffix, text in texts.items():
            temporary = files.enter_context(atomic_write(_file(stem, suffix)))
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return _file(stem, ".json")
