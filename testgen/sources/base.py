"""The interface of sources: they answer queries, and name items in all languages; the ids of items."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, Protocol

import msgspec
import regex
from msgspec import Meta, Struct
from msgspec.structs import replace

from testgen.errors import QueryFaultError, SourceError
from testgen.languages.codes import NEUTRAL, from_tag, languages
from testgen.queries import Query

Row = tuple[str, ...]
"""Ids in the order of `Query.variables`: (item,) of a category, (item, of) of a relation."""

Texts = dict[str, list[str]]  # names by language tag, as a source spells the tags
ENTITY, DIRECT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
_FOREIGN = r"[a-z][a-z0-9]+:[A-Za-z0-9][A-Za-z0-9._:%-]*"  # no IRI with slashes
_NAMESPACE = r"https?://[^\s<>\"{}|^`\\#?]+/entity/"  # of another Wikibase than Wikidata
_ENTITY = regex.compile(rf"(?:{_NAMESPACE})?[QL][1-9][0-9]*(?:-[A-Z][1-9][0-9]*)?|" + _FOREIGN)
_ITEM = regex.compile(rf"(?:{_NAMESPACE})?Q[1-9][0-9]*|" + _FOREIGN)
_PROPERTY = regex.compile(r"P[1-9][0-9]*")
_KEY = regex.compile(rf"((?:{_NAMESPACE})?[A-Z])([0-9]+)(?:-([A-Z])([0-9]+))?")
_GENID = "/.well-known/genid/"  # in IRIs of values that Wikidata does not know
_FOREIGN_KEY = regex.compile(rf"(?=({_FOREIGN})\Z)([a-z0-9]+:)([0-9]*).*")


class Term(NamedTuple):
    """The value of a variable: an IRI or a text, and the language tag of a text."""

    value: str
    language: str | None = None


BLANK = "_:"  # begins the value of a node without an IRI, as an unknown value is in some RDF
_NOTHING = Term("")
_LONGEST = 100  # characters of a value in a message

Solution = Mapping[str, Term]  # a row as engines give it: the term of each variable that has one


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one item."""

    item: str
    labels: Mapping[str, str]  # its label by language code; `mul` is the language-neutral one
    aliases: Mapping[str, Sequence[str]]  # its other names by language code, sorted
    lemmas: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of lexemes that mean it


@dataclass(frozen=True)
class Answer:
    """The answer to a query."""

    rows: Sequence[Row]  # distinct rows, ordered by their ids
    names: Mapping[str, Names]  # words that the query itself selected, by id
    # Items whose names must be asked for; none for the kind `hierarchy`, as only a few are needed.
    unnamed: Sequence[str]
    failed: Mapping[str, SourceError] = field(default_factory=dict, compare=False)  # by request's name
    lemmas: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)  # by item and code
    left_out: str = ""  # how many rows are left out, and what in them is no item


# The schema alone tells of a pattern: to check it when reading would take several times as long.
Text = Annotated[str, Meta(min_length=1, extra_json_schema={"pattern": r"\S"})]
Sha256 = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]
Day = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"})]
Moment = Annotated[
    str, Meta(extra_json_schema={"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"})
]
ORIGIN = Meta(
    extra_json_schema={
        "oneOf": [{"required": keys} for keys in (["sha256"], ["endpoint", "retrieved"], ["sources"])],
        "properties": {"kind": {"enum": ["snapshot", "wikidata", "endpoint", "unicode", "combined"]}},
    }
)
"""What the schema says about the origin of a test set."""


class Provenance(Struct, frozen=True, omit_defaults=True):
    """The origin of the content of a test set.

    Attributes:
        kind: `snapshot`, `wikidata`, `endpoint`, `unicode` for emoji, or `combined` for several snapshots.
        name: What the source calls itself.
        date: The date of its content, as in 2026-11-20, if known.
        sha256: The digest of the file of RDF, in hexadecimal.
        endpoint: The URL of the query service.
        retrieved: When the newest of the answers was retrieved, in UTC.
        license: The licence of the content, as a snapshot states it.
        languages: Only for one of several snapshots: the codes of the languages in which it has names; in a
            file, only of those of its words: if there are none, no word is from there.
        parts: Only for several snapshots: the origin of each; the first that names an item gives its label.
    """

    kind: str
    name: Text
    date: Day | None
    sha256: Sha256 | None = None
    endpoint: Text | None = None
    retrieved: Moment | None = None
    license: Text | None = None
    languages: tuple[Text, ...] | None = None
    parts: Annotated[tuple[Annotated[Provenance, ORIGIN], ...], Meta(extra_json_schema={"minItems": 2})] = (
        msgspec.field(name="sources", default=())
    )

    def as_dict(self) -> dict[str, Any]:
        """The form in a test set file."""
        return dict(msgspec.to_builtins(self))

    def of_words_in(self, codes: Iterable[str]) -> Provenance:
        """The origin of words in some languages: only these, their variants and `mul` stay."""
        known = {NEUTRAL}.union(*([code, *languages()[code].variants] for code in codes))
        own = self.languages and tuple(code for code in self.languages if code in known)
        return replace(self, languages=own, parts=tuple(part.of_words_in(codes) for part in self.parts))


@dataclass(frozen=True)
class Keywords:
    """The keywords of symbols in one language: words that stand under one symbol, as dog and pet under 🐕.

    Attributes:
        source: Their origin.
        words: The words of each symbol: those of its name and of its keywords.
    """

    source: Provenance
    words: Mapping[str, Sequence[str]]


class Source(Protocol):
    """What answers queries and knows the names of items."""

    @property
    def provenance(self) -> Provenance:
        """The origin of the answers; read it after asking."""

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """The answer to a query.

        Args:
            query: The query.
            languages: Codes in use: the wanted languages for a query that selects words itself, None for all.
                Other queries ignore them.

        Raises:
            SourceError: The source fails, or its answer holds something that is not an item.
        """

    def keywords(self, code: str) -> Keywords | None:
        """The keywords of symbols in a language; None if there are none."""

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """The names of each item that has any, in the order of the items, in all languages at once.

        Args:
            items: Their ids.
            languages: Codes of the languages whose names are needed, in addition to English and
                language-neutral names; None for all. A source may give more.

        Raises:
            SourceError: The source fails.
        """


def is_id(text: str) -> bool:
    """Whether a text is the id of an item, a lexeme or a part of one, in Wikidata or another source.

    In another Wikibase than Wikidata it is the whole IRI: `https://example.org/entity/Q5`.
    """
    return _KEY.fullmatch(text) is not None or _FOREIGN_KEY.fullmatch(text) is not None


@lru_cache(maxsize=100_000)  # the same items are sorted for each language
def id_order(entity_id: str) -> tuple[str, int, str, int]:
    """The sort key of ids: by number, so that Q9 comes before Q10; ids of other sources after Wikidata's."""
    if match := _KEY.fullmatch(entity_id):
        return match[1], int(match[2]), match[3] or "", int(match[4] or 0)
    if match := _FOREIGN_KEY.fullmatch(entity_id):
        return match[2], int(match[3] or 0), match[1], 0
    raise ValueError(entity_id)


def iri_of(entity_id: str) -> str:
    """The IRI of an id: in Wikidata's namespace, or the id itself, such as `omw:02084071-n`."""
    return entity_id if ":" in entity_id else ENTITY + entity_id


def id_of(iri: str) -> str:
    """The id in an IRI, the reverse of `iri_of`; the IRI itself if it has no id."""
    return iri.removeprefix(ENTITY)


def read_answer(query: Query, solutions: Iterable[Solution], source: str) -> Answer:
    """Turn the solutions of a query into an answer; messages name the source."""
    rows: set[Row] = set()
    words: dict[str, dict[str, set[str]]] = {}
    faults: dict[str, list[str]] = {}
    for solution in solutions:
        row = tuple(id_of(solution.get(variable, _NOTHING).value) for variable in query.variables)
        if fault := _fault(query, solution, row):
            faults.setdefault(fault[0], []).append(fault[1])
            continue
        rows.add(row)
        for entity_id, variable in zip(row, query.variables, strict=True):
            if variable in query.worded:
                word = solution.get(query.worded[variable], Term("", ""))
                code = from_tag(word.language or "")
                of_item = words.setdefault(entity_id, {})
                if code is not None:
                    of_item.setdefault(code, set()).add(word.value)
    names = {entity_id: _names_from_query(entity_id, texts) for entity_id, texts in words.items()}
    if faults and not rows:
        what, values = next(iter(faults.items()))
        variable, value = what.partition(" ")[0], min(values) or "nothing"
        raise QueryFaultError(
            f"{source}: query {query.name!r} binds {variable} to {value}, which is not a Wikidata "
            f"{'property' if variable == '?property' else 'item, nor one of another Wikibase (…/entity/Q5)'}"
        )
    unnamed = {
        entity_id
        for row in rows
        for entity_id, variable in zip(row, query.variables, strict=True)
        if variable not in query.worded and query.kind != "hierarchy"
    }
    if not unnamed.isdisjoint(names):
        raise QueryFaultError(
            f"{source}: query {query.name!r} selects words for {min(unnamed & names.keys(), key=id_order)} "
            "and needs its label too; make two ids of it by adding a suffix to one, as in "
            'BIND(IRI(CONCAT(STR(?of), "-P1549")) AS ?item)'
        )
    ordered = sorted(rows, key=lambda row: [id_order(entity_id) for entity_id in reversed(row)])
    left_out = _left_out(query, faults) if faults else ""
    return Answer(ordered, names, sorted(unnamed, key=id_order), left_out=left_out)


def _fault(query: Query, solution: Solution, row: Row) -> tuple[str, str] | None:
    """What is no item (or property) in a row, as a value that is unknown, and the value; None if all is."""
    for variable, id_ in zip(query.variables, row, strict=True):
        value = solution.get(variable, _NOTHING).value
        pattern = _PROPERTY if variable == "property" else _ENTITY if variable in query.worded else _ITEM
        if iri_of(id_) == value and pattern.fullmatch(id_):
            continue
        if _GENID in value or value.startswith(BLANK):
            return f"?{variable} is an unknown value", value
        return f"?{variable} is {'something else than an item' if value else 'nothing'}", value
    return None


def _left_out(query: Query, faults: Mapping[str, Sequence[str]]) -> str:
    """How many rows of a query are left out, and why, with a value for each reason."""
    kinds = [
        f"{kind} in {len(values):,}" + (f" ({min(values)[:_LONGEST]})" if min(values) else "")
        for kind, values in sorted(faults.items())
    ]
    number = sum(map(len, faults.values()))
    return f"{query.name}: {number:,} {'rows' if number > 1 else 'row'} left out, as {', '.join(kinds)}"


def _names_from_query(entity_id: str, texts: Mapping[str, Iterable[str]]) -> Names:
    ordered = {code: sorted(of_code) for code, of_code in texts.items()}
    rest = {code: of_code[1:] for code, of_code in ordered.items() if of_code[1:]}
    return Names(entity_id, {code: of_code[0] for code, of_code in ordered.items()}, rest)


def gather_names(
    item: str, labels: Mapping[str, Sequence[str]], aliases: Mapping[str, Sequence[str]]
) -> Names:
    """Names by language code, from names by the tags that a source uses."""
    # Where several tags mean one language, the label with the usual tag is preferred, and the first in order.
    by_code: dict[str, list[tuple[bool, str]]] = {}
    for tag, texts in labels.items():
        code = from_tag(tag)
        if code is not None:
            unusual = tag.lower() not in (code, *languages()[code].tags[:1])
            by_code.setdefault(code, []).extend((unusual, text) for text in texts)
    others: dict[str, set[str]] = {}
    for tag, texts in aliases.items():
        code = from_tag(tag)
        if code is not None:
            others.setdefault(code, set()).update(texts)
    return Names(
        item,
        {code: min(texts)[1] for code, texts in by_code.items()},
        {code: sorted(texts) for code, texts in others.items() if texts},
    )


def united(names: Sequence[Names]) -> Names:
    """The names of one item in several sources: labels of the first that has one, all others as aliases."""
    if len(names) == 1:
        return names[0]
    labels = {code: text for of_source in reversed(names) for code, text in of_source.labels.items()}
    others: dict[str, set[str]] = {}
    for of_source in names:
        for code, text in of_source.labels.items():
            others.setdefault(code, set()).add(text)
        for code, texts in of_source.aliases.items():
            others.setdefault(code, set()).update(texts)
    aliases = {code: sorted(texts - {labels.get(code)}) for code, texts in others.items()}
    return Names(names[0].item, labels, {code: texts for code, texts in aliases.items() if texts})
