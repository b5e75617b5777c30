"""Queries: `.rq` files with a header, and categories that hold all instances of one class."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from string import Template
from typing import Any, Literal, TypeAlias

import regex

from testgen.errors import QueryError, one_line
from testgen.languages.codes import spellings_of, whole_languages
from testgen.system import read_text

Kind = Literal["category", "relation", "hierarchy", "languages"]

_HEADER_LINE = regex.compile(r"#\+\s*([a-z]+(?:-[a-z]+)*)\s*:\s*(.*\S)\s*")
_TITLE = regex.compile(r"^#\+\s*title\s*:\s*(.*\S)", regex.MULTILINE)
_NAME = regex.compile(r"[\p{Ll}\p{Lo}\p{N}]+(?:[-_.][\p{Ll}\p{Lo}\p{N}]+)*", regex.IGNORECASE)
_ITEM_ID = regex.compile(r"Q[1-9][0-9]{0,18}")
_LIKE_A_CLASS = regex.compile(r"Q?[0-9]")
# Where the letters SERVICE would not be SPARQL's keyword.
_NO_KEYWORDS = regex.compile(
    r"""<[^<>"{}|^`\\\s]*>  # IRIs
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'  # texts
    | \#.*  # comments
    | [?$@:_]+[\w-]+ | (?<![\w-])(?!(?i:service:))[\w-]+:[\w-]*  # variables, language tags, names
    """,
    regex.VERBOSE,
)
# Oxigraph also reads the keyword in `5SERVICE` and `SERVICE:x`.
_SERVICE = regex.compile(r"(?<![A-Z_])SERVICE\b", regex.IGNORECASE)
_REQUIRED = ("title", "kind", "topic", "summary")
_OPTIONAL = ("also", "about", "everyday", "google", "min-sitelinks", "core")
_FLAGS = ("everyday", "core")
# Soft: an item whose number of sitelinks is unknown stays in. OPTIONAL and not MINUS, whose right side some
# engines compute for all of Wikidata's items.
_SITELINKS_CLAUSE = regex.compile(
    r"(OPTIONAL\s*\{\s*\?item\s+wikibase:sitelinks\s+\?sitelinks\s*\.?\s*\}\s*"
    r"FILTER\s*\(\s*!\s*BOUND\s*\(\s*\?sitelinks\s*\)\s*\|\|\s*\?sitelinks\s*>=\s*)([0-9]+)(\s*\))"
)
_SITELINKS_HEADER = regex.compile(r"^(#\+\s*min-sitelinks\s*:\s*)(.*\S)", regex.MULTILINE)
_VARIABLES: dict[str, tuple[str, ...]] = {
    "category": ("item",),
    "relation": ("item", "of"),
    "hierarchy": ("item", "property", "of"),
    "languages": ("code", "category"),
}
_FILE_KINDS = ("category", "relation")
_WORDS = {"item": "word", "of": "ofWord"}
_PROLOGUE = regex.compile(r"(?is)\A((?:\s|#[^\n]*\n|(?:PREFIX\s+[^\s:]*:|BASE)\s*<[^>]*>)*)(SELECT\b.*)\Z")
_LANGUAGES = regex.compile(r"^\s*#- languages\s*$", regex.MULTILINE)
_LEXICAL_CATEGORY = regex.compile(r"\bwikibase:lexicalCategory\s+wd:(Q[0-9]+)\b")

_INSTANCES_OF = """\
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT DISTINCT ?item WHERE { ?item wdt:P31 $id }
ORDER BY ?item
"""

OWN_CATEGORY = "testgen:category"  # the class of the classes that a snapshot states as categories of its own


@dataclass(frozen=True)
class Query:
    """A category or relation: its SPARQL query, and what people should know about it.

    Attributes:
        name: Unique name: the file's name without `.rq`, or the id of a class.
        title: A heading for people.
        kind: `category` (binds ?item) or `relation` (binds ?item and ?of, as in capital and country). No file
            has the kind `hierarchy` (binds ?item, ?property and ?of: statements about classes) or `languages`
            (binds ?code and ?category: languages that have lexemes).
        topic: The group it belongs to.
        summary: What it returns, in one line.
        text: The whole SPARQL text, header included.
        google: The section of the Google analogy set that it rebuilds, if any.
        about: How many rows Wikidata has for it, at least; an estimate. None if nobody knows.
        minimum_sitelinks: Items with fewer sitelinks (pages about them in all Wikipedias and their sister
            projects) are left out, if their number is known. None if the query has no such filter.
        everyday: Whether its words are common nouns such as any text may have: no names, terms of a science
            or words of grammar.
        core: Whether it belongs to the core: categories that suit most languages (`docs/queries.md`).
        worded: For queries that select words themselves (forms of lexemes, for example): the variable that
            holds the words, by the variable that holds the id, as in `{"item": "word"}`.
        also: Other names by which people look for it.
    """

    name: str
    title: str
    kind: Kind
    topic: str
    summary: str
    text: str
    google: str | None = None
    about: int | None = None
    minimum_sitelinks: int | None = None
    everyday: bool = False
    core: bool = False
    worded: Mapping[str, str] = field(default_factory=dict, compare=False)
    also: tuple[str, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """The digest of the text without comments, as it is sent, in UTF-8 and hexadecimal."""
        return hashlib.sha256(self.narrowed(None).encode()).hexdigest()

    @property
    def own_class(self) -> frozenset[str]:
        """The id of the class whose label is the title of the category of its instances; else empty."""
        return frozenset([self.name] if self.topic == "classes" else [])

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of each row of the answer, in the order in which sources give them."""
        return _VARIABLES[self.kind]

    @property
    def selected(self) -> frozenset[str]:
        """All variables that testgen reads from the answer."""
        return frozenset({*self.variables, *self.worded.values()})

    @property
    def by_language(self) -> bool:
        """Whether services are asked for one language at a time: the query has the line `#- languages`.

        Its answer for all languages at once would be too large. Every other query is asked once.
        """
        return bool(self.worded) and _LANGUAGES.search(self.text) is not None

    @property
    def has_stand_ins(self) -> bool:
        """Whether names in another language may stand in: not if all words are the query's own.

        A pronoun in Icelandic is no word of Old Norse, while the name of a country may be.
        """
        return len(self.worded) < len(self.variables)

    @property
    def lexical_category(self) -> str | None:
        """The id of the lexical category that a query about lexemes names, if it names one."""
        found = _LEXICAL_CATEGORY.search(self.text)
        return found[1] if found else None

    def with_minimum_sitelinks(self, number: int) -> Query:
        """The query with another minimum of sitelinks; itself if it has none. With 0, no item is left out.

        How many rows it has then is not known.

        Raises:
            QueryError: The number is negative.
        """
        if number < 0:
            raise QueryError(f"the minimum of sitelinks is {number}; it must be 0 or more")
        if self.minimum_sitelinks is None:
            return self
        text = _SITELINKS_HEADER.sub(rf"\g<1>{number}", self.text)
        text = _SITELINKS_CLAUSE.sub(rf"\g<1>{number}\g<3>", text)
        return replace(self, text=text, about=None, minimum_sitelinks=number)

    def nested_in(self, template: Template, values: Mapping[str, str], **changes: Any) -> Query:  # noqa: ANN401
        """A query around this one, with other fields; the template has `$prologue`, `$select` and values."""
        prologue, select = split_prologue(self.narrowed(None))
        text = template.substitute(values, prologue=prologue, select=select.strip())
        return replace(self, text=text, google=None, **changes)

    def narrowed(self, languages: Sequence[str] | None) -> str:
        """The text to send: without comments, and asking for words in these languages only (None: all).

        The line `#- languages` becomes a VALUES block for ?code, the code of the language. Words in variants
        of a language belong to lexemes of the whole language, so the block has all of its codes.
        """
        text = self.text
        if self.by_language and languages is not None:
            spellings = [code for whole in whole_languages(languages) for code in spellings_of(whole)]
            codes = " ".join(f'"{code}"' for code in spellings)
            text = _LANGUAGES.sub(f"  VALUES ?code {{ {codes} }}", text)
        return _without_comments(text)


# Strings and IRIs, in which # begins no comment; or a comment, with its line if nothing else is in it.
_TOKEN = regex.compile(
    r"""(?<kept>\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^\\"\n])*"|'(?:\\.|[^\\'\n])*'"""
    r"""|<[^<>"{}|^`\\\s]*>)|^[^\S\n]*\#[^\n]*\n?|[^\S\n]*\#[^\n]*""",
    regex.MULTILINE | regex.DOTALL,
)


@lru_cache(maxsize=1_000)  # each test set states the same queries
def _without_comments(text: str) -> str:
    # SPARQLWrapper reads words in comments ("art movement") as kinds of queries (MOVE).
    return _TOKEN.sub(lambda token: token["kept"] or "", text)


def read_query(path: Path) -> Query:
    """Read a query file, and check everything that can be checked before it is sent.

    Raises:
        QueryError: The file cannot be read, its header is missing or incomplete, it is not SPARQL, it is not
            a SELECT query, it does not bind the variables of its kind, or header and text do not have the
            same minimum of sitelinks.
    """
    path = Path(path)
    text, _ = read_text(path, QueryError)
    header = _header(path, text)
    if not _NAME.fullmatch(path.stem):
        raise QueryError(
            f"{path}: the file's name becomes the name of the category; use letters, digits and hyphens"
        )
    kind: Kind = "relation" if header["kind"] == "relation" else "category"
    query = Query(
        path.stem,
        header["title"],
        kind,
        header["topic"],
        header["summary"],
        text,
        header.get("google"),
        _number(path, "about", header["about"]) if "about" in header else None,
        _minimum_sitelinks(path, text, header.get("min-sitelinks")),
        "everyday" in header,
        "core" in header,
        also=tuple(filter(None, regex.split(r"\s*,\s*", header.get("also", "")))),
    )
    bound = _bound_variables(path, query)
    return replace(query, worded={key: word for key, word in _WORDS.items() if word in bound})


def _header(path: Path, text: str) -> dict[str, str]:
    header: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("#+"):
            continue
        match = _HEADER_LINE.fullmatch(line)
        if match is None or match[1] not in (*_REQUIRED, *_OPTIONAL):
            raise QueryError(
                f"{path}, line {number}: {line!r} is not a header line. Header lines look like "
                f"`#+ title: Rivers`; the keys are {', '.join((*_REQUIRED, *_OPTIONAL))}"
            )
        header[match[1]] = match[2]
    missing = [key for key in _REQUIRED if key not in header]
    if missing:
        lines = " ".join(f"`#+ {key}: …`" for key in missing)
        raise QueryError(f"{path}: the header lacks {lines}; add it at the top, one line per key")
    if header["kind"] not in _FILE_KINDS:
        raise QueryError(f"{path}: kind is {header['kind']!r}; it must be category or relation")
    for key in _FLAGS:
        if header.get(key, "yes") != "yes":
            raise QueryError(
                f"{path}: {key} is {header[key]!r}; write `#+ {key}: yes`, or leave the line out"
            )
    return header


def _number(path: Path, key: str, value: str) -> int:
    if not regex.fullmatch("[1-9][0-9]{0,8}", value):
        raise QueryError(f"{path}: {key} is {value!r}; it must be a number such as 200")
    return int(value)


def _minimum_sitelinks(path: Path, text: str, stated: str | None) -> int | None:
    """The minimum of sitelinks in the header, which must be that of the query's text."""
    clauses = [int(match[2]) for match in _SITELINKS_CLAUSE.finditer(text)]
    if stated is None and not clauses:
        return None
    if stated is None or not regex.fullmatch("[0-9]{1,6}", stated) or clauses != [int(stated)]:
        raise QueryError(
            f"{path}: the header line `#+ min-sitelinks: {stated or 'N'}` and the filter in the query must "
            "have the same number. For 20, the last lines before the closing brace are "
            "`OPTIONAL { ?item wikibase:sitelinks ?sitelinks }` and "
            "`FILTER (!BOUND(?sitelinks) || ?sitelinks >= 20)`"
        )
    return clauses[0]


def _bound_variables(path: Path, query: Query) -> set[str]:
    """The variables that a query selects; refuses one that is not SPARQL, or lacks those of its kind."""
    if _SERVICE.search(_NO_KEYWORDS.sub(" ", query.text)):
        raise QueryError(
            f"{path}: SERVICE is not allowed: testgen asks for labels separately, so that any engine "
            "can answer"
        )
    try:
        bound = _selected(query.text)
    except SyntaxError as error:
        raise QueryError(f"{path}: not a SPARQL 1.1 query: {one_line(error)}") from error
    if bound is None:
        raise QueryError(f"{path}: must be a SELECT query")
    missing = [f"?{name}" for name in query.variables if name not in bound]
    if missing:
        raise QueryError(
            f"{path}: a {query.kind} must select {' and '.join(f'?{name}' for name in query.variables)}; "
            f"{' and '.join(missing)} is missing from the SELECT line"
        )
    return bound


def _selected(text: str) -> set[str] | None:
    """The variables that a query selects; None if it is not a SELECT query."""
    # The answer is deleted here: an error might keep it for another thread, which pyoxigraph does not allow.
    import pyoxigraph

    answer = pyoxigraph.Store().query(text)
    if not isinstance(answer, pyoxigraph.QuerySolutions):
        return None
    return {variable.value for variable in answer.variables}


def split_prologue(text: str) -> tuple[str, str]:
    """The prologue of a query (prefixes and comments), and the rest, which can be nested in another query."""
    match = _PROLOGUE.match(text)
    return (match[1], match[2]) if match else ("", text)


def class_query(item_id: str) -> Query:
    """The category of all instances of a class.

    Args:
        item_id: The class's Wikidata id, such as `Q9415` (emotion).

    Raises:
        QueryError: The id is malformed.
    """
    if not _ITEM_ID.fullmatch(item_id):
        raise QueryError(
            f"{item_id!r} is not the id of a class: it must be Q and a number, such as Q9415 (emotion). The "
            "id is at the end of the item's URL on wikidata.org"
        )
    summary = f"Items whose statement 'instance of' (P31) is {item_id}."
    text = Template(_INSTANCES_OF).substitute(id=f"wd:{item_id}")
    return Query(item_id, f"Instances of {item_id}", "category", "classes", summary, text)


def own_category(class_id: str, title: str) -> Query:
    """A category that a snapshot has besides the shipped ones: the instances of `concepticon:motion-verb`."""
    name, summary = class_id.partition(":")[2], f"{title}: a category of the source itself."
    text = Template(_INSTANCES_OF).substitute(id=f"<{class_id}>")
    return Query(name, title, "category", "own", summary, text, everyday=True)


AnyCategory: TypeAlias = str | Path | Query
"""A name, the id of a class, the path of a query file, or a query."""

OWN_CATEGORIES = own_category(OWN_CATEGORY, "The categories of the source itself")


@cache
def shipped_queries() -> dict[str, Query]:
    """The queries that come with the package, by name."""
    return {query.name: query for query in _without_repeats(map(read_query, _shipped_files()))}


def shipped_titles() -> dict[str, str]:
    """The title of each shipped query by its name, without checking the queries, which takes longer."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in _shipped_files()}
    return {name: found[1] if (found := _TITLE.search(text)) else "" for name, text in sorted(texts.items())}


def shipped_topics() -> list[str]:
    """The topics of the shipped queries: the names of their folders."""
    return sorted({path.parent.name for path in _shipped_files()})


def _shipped_files() -> list[Path]:
    inside = Path(__file__).parent / "queries"
    folder = inside if inside.is_dir() else Path(__file__).parent.parent / "queries"
    return sorted(folder.glob("*/*.rq"), key=lambda path: (path.parent.name, path.stem))


def choose(
    categories: AnyCategory | Iterable[AnyCategory] = (),
    *,
    core: bool = False,
    worded: bool = True,
    minimum_sitelinks: int | None = None,
    own: Sequence[Query] = (),
) -> list[Query]:
    """The queries that a user chooses; all shipped ones if nothing is named and `core` is not asked for.

    Args:
        categories: One or several of: names of shipped queries or of those in `own`; ids of classes, such as
            `Q9415`, whose instances are a category each; query files, as paths that end in `.rq`; queries.
        core: Whether to choose the categories of the core too.
        worded: Whether all shipped queries include those that select words themselves.
        minimum_sitelinks: Instead of the minimum of each query that has one; None to leave them as they are.
        own: The categories of the source itself; all of them are chosen if the shipped ones are.

    Returns:
        Queries with different names, in the order given; a repeated query counts once.

    Raises:
        QueryError: A name is unknown, an id is malformed, a file cannot be used, two different queries have
            the same name, or the minimum of sitelinks is negative.
    """
    known = shipped_queries() | {query.name: query for query in own}
    several = [categories] if isinstance(categories, str | Path | Query) else categories
    chosen = [_chosen(each, known) for each in several]
    chosen += [query for query in shipped_queries().values() if core and query.core]
    shipped = (query for query in known.values() if worded or not query.worded)
    found = _without_repeats(chosen or shipped)
    if minimum_sitelinks is None:
        return found
    return [query.with_minimum_sitelinks(minimum_sitelinks) for query in found]


def _chosen(given: AnyCategory, known: Mapping[str, Query]) -> Query:
    if isinstance(given, Query):
        return given
    if isinstance(given, Path) or given.endswith(".rq"):
        return read_query(Path(given))
    return class_query(given) if _LIKE_A_CLASS.match(given) else named(given, known)


def _without_repeats(queries: Iterable[Query]) -> list[Query]:
    by_name: dict[str, Query] = {}
    for query in queries:
        if by_name.setdefault(query.name, query) != query:
            raise QueryError(f"two different queries are called {query.name!r}; rename one of the files")
    return list(by_name.values())


def named(name: str, queries: Mapping[str, Query]) -> Query:
    """The query of a name, which is no path or id; the error tells similar names."""
    if name in queries:
        return queries[name]
    if name in {query.topic for query in queries.values()}:
        raise QueryError(f"{name!r} is a topic: `testgen categories --topic {name}` lists its categories")
    titles = {query.title.lower(): query.name for query in queries.values()}
    similar = difflib.get_close_matches(name, queries, n=3, cutoff=0.5)
    similar += [titles[title] for title in difflib.get_close_matches(name.lower(), titles, n=2, cutoff=0.6)]
    similar += [known for known in queries if name.lower() in known][:3]
    hint = f" Did you mean {', '.join(dict.fromkeys(similar))}?" if similar else ""
    raise QueryError(f"unknown category {name!r}.{hint} `testgen categories` lists them all.")
