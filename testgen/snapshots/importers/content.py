"""What an importer has read, and the RDF that is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from testgen.errors import OutputError, SourceError
from testgen.languages.codes import NEUTRAL, languages
from testgen.languages.registry import rows_of
from testgen.queries import OWN_CATEGORY
from testgen.sources import id_order
from testgen.sources.base import DIRECT, iri_of
from testgen.sources.hierarchy import SUBCLASS_OF
from testgen.sources.rdf import ALIAS, DUMP, LABEL
from testgen.system import atomic_write, gzip_writer, open_unpacked, reading, sha256_of, unpacked_head

if TYPE_CHECKING:
    import pyoxigraph

PART_OF = "P361"
_FOLDER = Path(__file__).parent
_ENDINGS = (".ttl", ".ttl.gz")
_MARK = b"# Made by `testgen snapshot import`.\n"


@dataclass(frozen=True)
class Category:
    """A shipped category or one of the source's own, and what belongs to it in other sources."""

    name: str  # the name of its query
    statements: tuple[tuple[str, str], ...]  # property and class, by which the query finds an item
    within: str | None = None  # a category of whose class its class is a subclass
    wordnet: tuple[str, ...] = ()  # sense keys of the English synsets whose hyponyms belong to it
    openfoodfacts: tuple[str, ...] = ()  # English names of the entries whose descendants belong to it
    concepticon: tuple[str, ...] = ()  # the ids of the concepts that belong to it
    wiktionary: tuple[str, ...] = ()  # English Wiktionary's topics whose words belong to it
    title: str | None = None  # the heading of a category that is the source's own; None for a shipped one

    @property
    def class_id(self) -> str:
        """The class whose subclasses its items are: that of its last statement."""
        return self.statements[-1][1]


@cache
def categories() -> Mapping[str, Category]:
    """All rows of `categories.tsv` by the name of the category."""
    return {
        row["category"]: Category(
            row["category"],
            tuple((pair[0], pair[1]) for pair in (each.split("=") for each in row["statements"].split())),
            row["within"] or None,
            tuple(row["wordnet"].split()),
            tuple(row["openfoodfacts"].split()),
            tuple(row["concepticon"].split()),
            tuple(topic.replace("_", " ") for topic in row["wiktionary"].split()),
        )
        for row in rows_of(_FOLDER / "categories.tsv")
    }


def own_category(prefix: str, name: str, title: str) -> Category:
    """A category of the source itself: the instances of a class of its own, such as `concepticon:kinship`."""
    return Category(name, (("P31", f"{prefix}:{name}"),), title=title)


@cache
def semantic_fields() -> Mapping[tuple[str, str], Category]:
    """The categories of `semantic_fields.tsv` by Concepticon's semantic field and ontological category."""
    return {
        (row["field"], row["kind"]): own_category("concepticon", row["category"], row["title"])
        for row in rows_of(_FOLDER / "semantic_fields.tsv")
    }


@cache
def concepticon_items() -> Mapping[str, str]:
    """The Wikidata ids of concepts of Concepticon whose gloss is the English label of a shipped item."""
    return {row["concept"]: row["item"] for row in rows_of(_FOLDER / "concepticon_items.tsv")}


@dataclass
class Imported:
    """Items of another source, with their words and categories."""

    name: str  # what the source calls itself
    license: str  # its licence, as the files state it
    files: dict[Path, str | None]  # what each is; None where there is nothing to say
    words: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # by item and code, usual first
    members: dict[Category, set[str]] = field(default_factory=dict)  # the ids of the items of each category
    related: set[tuple[str, str, str]] = field(default_factory=set)  # item, property, item
    unknown_languages: set[str] = field(default_factory=set)  # codes of no language, left out
    private_codes: dict[str, str] = field(default_factory=dict)  # names of varieties with codes of their own
    ignored: int = 0  # how many lines could not be understood
    first_ignored: str = ""  # the file and the number of the first of them
    unplaced: int = 0  # how many translations were left out, as it is not known of which sense they are
    left_out: Counter[str] = field(default_factory=Counter)  # values that cannot be used, by their kind
    reason: str = ""  # why nothing is known of some entries: why no category has their words

    def ignore(self, path: Path, line: int) -> None:
        """Count a line that could not be understood."""
        self.ignored += 1
        self.first_ignored = self.first_ignored or f"{path}, line {line}"

    def add(self, item: str, language: str, words: Iterable[str]) -> None:
        """Add words of an item; those that it has already are kept once."""
        known = self.words.get(item, {}).get(language, [])
        if every := list(dict.fromkeys([*known, *filter(None, words)])):
            self.words.setdefault(item, {})[language] = every

    def named(self, category: Category) -> set[str]:
        """The items of a category that have words."""
        return self.members.get(category, set()) & self.words.keys()

    @property
    def items(self) -> set[str]:
        """The items with words that belong to a category, or have a Wikidata id and may in another source."""
        here = {item for category in self.members for item in self.named(category)}
        return here | {item for item in self.words if item.startswith("Q")}

    @property
    def languages(self) -> set[str]:
        """The codes of the languages in which the items have words."""
        return {code for item in self.items for code in self.words[item] if code != NEUTRAL}

    @property
    def in_other_script(self) -> list[str]:
        """The codes of the languages of which no word is in a script of the language: transcriptions."""
        own = {
            code
            for words in self.words.values()
            for code, texts in words.items()
            if not all(map(languages()[code].is_in_other_script, texts))
        }
        return sorted(self.languages - own)


def write_import(output: Path, found: Imported) -> None:
    """Write Turtle: the items that belong to a category or are Wikidata's, and nothing else."""
    if not output.name.endswith(_ENDINGS):
        raise OutputError(f"{output}: the name of an import must end in {' or '.join(_ENDINGS)}")
    titles = {
        category.class_id: {"en": [category.title]}
        for category in found.members
        if category.title and found.named(category)
    }
    words = found.words | titles
    items = {*found.items, *titles}
    if not items:
        nothing = f"{found.name}: no word in these files belongs to a category that testgen knows"
        raise SourceError(f"{nothing}: {found.reason}" if found.reason else nothing)
    if output.resolve() in {path.resolve() for path in found.files}:
        raise OutputError(f"{output}: this is one of the files to read; choose another --output")
    stated = _statements(found)
    triples = (
        triple
        for item in sorted({*items, *stated}, key=id_order)
        for triple in _triples(item, stated.get(item, ()), words[item] if item in items else {})
    )
    import pyoxigraph

    with (
        atomic_write(output) as beside,
        beside.open("wb") as raw,
        gzip_writer(raw) if output.name.endswith(".gz") else raw as file,
    ):
        file.write(_MARK)  # prefixes would stand in an order of their own each time
        pyoxigraph.serialize(
            chain(_description(found), triples), cast(IO[bytes], file), format=pyoxigraph.RdfFormat.TURTLE
        )


def is_import(head: bytes) -> bool:
    """Whether `write_import` wrote the file that begins with these bytes."""
    return unpacked_head(head).startswith(_MARK)


def _statements(found: Imported) -> dict[str, set[tuple[str, str]]]:
    """Properties and values of each item and class."""
    stated: dict[str, set[tuple[str, str]]] = {}
    for category in found.members:
        named = found.named(category)
        for item in named:
            stated.setdefault(item, set()).update(category.statements)
        if named and category.title:
            stated.setdefault(category.class_id, set()).add(("P31", OWN_CATEGORY))
        above = categories().get(category.within or "")
        if named and above is not None:
            stated.setdefault(category.class_id, set()).add((SUBCLASS_OF, above.class_id))
    items = found.items
    for item, property_, value in found.related:
        if item in items and value in items:
            stated.setdefault(item, set()).add((property_, value))
    return stated


def _triples(
    item: str, statements: Iterable[tuple[str, str]], words: Mapping[str, list[str]]
) -> Iterator[pyoxigraph.Triple]:
    from pyoxigraph import Literal, NamedNode, Triple

    subject = NamedNode(iri_of(item))
    for property_, value in sorted(statements):
        yield Triple(subject, NamedNode(f"{DIRECT}{property_}"), NamedNode(iri_of(value)))
    for code, texts in sorted(words.items()):
        for predicate, of_it in ((LABEL, texts[:1]), (ALIAS, sorted(texts[1:]))):
            for text in of_it:
                yield Triple(subject, NamedNode(predicate), Literal(text, language=languages()[code].tag))


def _description(found: Imported) -> Iterator[pyoxigraph.Triple]:
    from pyoxigraph import Literal, NamedNode, Triple

    files = [
        ", ".join(filter(None, (path.name, f"sha256 {sha256_of(path)}", what)))
        for path, what in sorted(found.files.items())
    ]
    newest = datetime.fromtimestamp(max(path.stat().st_mtime for path in found.files), UTC)
    for name, texts in (
        ("name", [found.name]),
        ("dateModified", [newest.date().isoformat()]),
        ("license", [found.license]),
        ("isBasedOn", files),
    ):
        for text in filter(None, texts):
            yield Triple(NamedNode(DUMP), NamedNode(f"http://schema.org/{name}"), Literal(text))


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text file in UTF-8, plain or gzipped, without their ends."""
    read = 0
    try:
        with reading(path, SourceError), open_unpacked(path) as file:
            for line in file:
                text = line.decode("utf-8" if read else "utf-8-sig")
                yield text.removesuffix("\n").removesuffix("\r")
                read += len(line)
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not UTF-8 at byte {read + error.start}") from error
