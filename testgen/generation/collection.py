"""The words of the items of several queries in all languages; a source is asked once for each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from testgen.errors import QueryError, SourceError
from testgen.generation.request import TestSetRequest
from testgen.labels import LabelPolicy
from testgen.labels.forms import FormsByLanguage
from testgen.labels.word_store import ItemWords, Origin, WordStore
from testgen.labels.words import ItemNames
from testgen.languages.codes import NEUTRAL, languages, without_labels, without_spaces
from testgen.queries import Query, shipped_queries
from testgen.sources import Names, RdfSource, Row, Source
from testgen.sources.asking import CollectedAnswers, ask, one_error
from testgen.sources.hierarchy import Level
from testgen.sources.shipped import shipped_snapshots

WordsByItem = Mapping[str, ItemWords]

_NOWHERE = frozenset[str]()
_CONTAINED = 0.8  # of its items are in another category: a few always have other statements


@dataclass(frozen=True)
class CollectedWords:
    """The answers of a source to several queries, and the words of all items in them."""

    request: TestSetRequest  # what was asked for; the words of its corrections are those of the policy
    policy: LabelPolicy  # how labels became words
    rows: Mapping[Query, Sequence[Row]]  # the rows of the answer to each query that was answered
    failed: Mapping[str, SourceError]  # see `CollectedAnswers`
    levels: Mapping[Query, Sequence[Level]]  # classes within categories
    left_out: Sequence[str] = ()  # see `CollectedAnswers`
    # Of these and of those that are categories themselves: the English or the language-neutral label.
    class_titles: dict[str, str] = field(default_factory=dict)
    # By item id; of words that a query selected itself: its name, a space and the id.
    store: WordStore = field(default_factory=WordStore)
    # Language-neutral names with the same keys, and those fallbacks of languages in which there is a label.
    neutral: list[tuple[str, ItemNames, frozenset[str]]] = field(default_factory=list)
    forms: FormsByLanguage = field(default_factory=FormsByLanguage)  # of the labels

    def titled(self, query: Query) -> Query:
        """The query; that of a class has the label of the class as its title, if it is known."""
        label = self.class_titles.get(query.name)
        return replace(query, title=label[:1].upper() + label[1:]) if label else query

    @property
    def named_in(self) -> Mapping[str, str]:
        """For each language that was asked for, or else that has words, the one that stands in, or itself."""
        return self.request.named_in or {code: code for code in self.store.languages}

    def words(self, code: str) -> dict[str, dict[str, ItemWords]]:
        """The words of each item that has any in a language, or had any in another script, by item id."""
        # Those that a query selected itself are under its name, all others under "".
        choose = self.request.vocabulary.choose if self.request.vocabulary else None
        by_query: dict[str, dict[str, ItemWords]] = {"": {}}
        for key, of_item in self._with_borrowed(code).items():
            query_name, _, item = key.rpartition(" ")
            named = choose(of_item, code) if choose else of_item
            if named.words or named.other_script:
                by_query.setdefault(query_name, {})[item] = named
        if self.request.corrections is None:
            return by_query
        return {name: self.request.corrections.mended(code, words) for name, words in by_query.items()}

    def _with_borrowed(self, code: str) -> dict[str, ItemWords]:
        language, words = languages()[code], self.store.of(code)
        for variant in language.variants:
            for key, named in self.store.of(variant).items():
                if " " not in key:
                    origin: Origin = "variant" if named.origin in ("label", "lexeme") else named.origin
                    words.setdefault(key, replace(named, origin=origin))
        # What many languages of today have in common is no word of a language without any labels.
        if code in without_labels():
            return words
        for key, names, labelled in self.neutral:
            if key not in words and labelled.isdisjoint(language.fallbacks):
                words[key] = names.words(language)
        return words

    def add(self, key: str, names: ItemNames, codes: Iterable[str], *, with_neutral: bool = True) -> None:
        """Add the words of an item in some languages; with its neutral names, if these count."""
        neutral, labels = names.neutral() if with_neutral else None, names.names.labels
        for code in codes:
            language = languages()[code]
            found = names.words(language)
            if names.origin == "label" and code in labels:
                self.forms.count(labels[code], self.policy, code)
            # A label that gives no word still excludes that of another variant and the language-neutral one.
            barred = code in labels and (neutral or language.variants)
            if found.words or found.other_script or barred:
                self.store.add(code, key, found)
        if neutral:
            self.neutral.append((key, neutral, _all_fallbacks().intersection(labels)))


def words_by_variable(query: Query, words: Mapping[str, WordsByItem]) -> list[WordsByItem]:
    """For each variable of a query, the words of its ids: selected by the query, or names of items."""
    of_query = words.get(query.name, {})
    return [of_query if variable in query.worded else words[""] for variable in query.variables]


def collect_words(source: Source, queries: Iterable[Query], request: TestSetRequest) -> CollectedWords:
    """Ask a source for everything, then make the words of each item, in one language after another."""
    named_in, policy = request.named_in, request.label_policy
    if request.corrections is not None:
        request = replace(request, corrections=request.corrections.under(policy))
    wanted = None
    if named_in is not None:
        wanted = {*named_in, *named_in.values()}
        wanted = wanted.union(*(languages()[code].variants for code in wanted))
    asked = ask(
        source,
        queries,
        None if named_in is None else sorted(named_in),  # of stand-ins, names are enough
        _needed(wanted),
        minimum_items=request.minimum_items,
        with_articles=request.known_in_its_wikipedia,
    )
    rows = {query: answer.rows for query, answer in asked.answers.items()}
    collected = CollectedWords(request, policy, rows, asked.failed, asked.levels, asked.left_out)
    for query, answer in asked.answers.items():
        for names in answer.names.values():
            of_query = ItemNames(names, policy, "query")
            collected.add(f"{query.name} {names.item}", of_query, _codes(names, wanted))
    for names in _named(asked, collected.class_titles):
        articles = None if asked.articles is None else asked.articles.get(names.item, _NOWHERE)
        codes = _codes(names, wanted, articles)
        collected.add(names.item, ItemNames(names, policy), codes, with_neutral=articles is None)
    return collected


def _needed(wanted: set[str] | None) -> set[str] | None:
    """The languages of which names are needed for words in the wanted ones."""
    needed = wanted and wanted.union(*(languages()[code].fallbacks for code in wanted))
    # Whether a name in Thai is a phrase is seen in other languages.
    return needed if needed and needed.isdisjoint(without_spaces()) else None


def _named(asked: CollectedAnswers, class_titles: dict[str, str]) -> Iterator[Names]:
    """The names of items, with lemmas of lexemes; those of classes become titles."""
    items = {item for answer in asked.answers.values() for item in answer.unnamed}
    classes = {level.class_id for query in asked.answers for level in asked.levels.get(query, ())}
    classes = classes.union(*(query.own_class for query in asked.answers))
    lemmas = {item: own for answer in asked.answers.values() for item, own in answer.lemmas.items()}
    for names in asked.names:
        if names.item in items:
            yield replace(names, lemmas=lemmas.pop(names.item, {}))
        if names.item in classes:
            class_titles[names.item] = names.labels.get("en", names.labels.get(NEUTRAL, ""))
    for item, own in lemmas.items():
        yield Names(item, {}, {}, own)


def _codes(names: Names, wanted: set[str] | None, articles: frozenset[str] | None = None) -> list[str]:
    """The wanted languages in which an item has names; only those with an article, if this matters."""
    own = {*names.labels, *names.aliases, *names.lemmas} - {NEUTRAL}
    codes = sorted(own if wanted is None else own & wanted)
    if articles is None:
        return codes
    return [code for code in codes if not articles.isdisjoint((code, *languages()[code].variants))]


@cache
def _all_fallbacks() -> frozenset[str]:
    return frozenset(other for language in languages().values() for other in language.fallbacks)


def collect(source: Source, queries: Iterable[Query], request: TestSetRequest) -> CollectedWords:
    """The words of all items, without categories that are contained in another one, unless these are named.

    Raises:
        QueryError: The source has no items for the queries.
        SourceError: The source fails for everything.
    """
    collected = collect_words(source, queries, request)
    if not any(collected.rows.values()):
        if collected.failed:
            raise one_error(collected.failed.values())
        names = ", ".join(query.name for query in collected.rows)
        which, more = "", ""
        if isinstance(source, RdfSource) and source.paths == shipped_snapshots():
            which, more = ", the shipped snapshot,", ", --source wikidata asks Wikidata"
        raise QueryError(
            f"{source.provenance.name}{which} has no items for {names}; "
            f"`testgen categories` shows what it has{more}"
        )
    keeps_contained = request.names_categories or request.all_categories or request.minimum_items
    return collected if keeps_contained else without_contained(collected)


def without_contained(collected: CollectedWords) -> CollectedWords:
    """The same without categories and relations of which a larger one holds nearly all."""
    # Categories of the core stay, and a larger one goes instead if those with enough items hold most of it:
    # so that the mammals and birds of a word list are not lost in one category of all its animals and plants.
    # No shipped category goes for one of the source's own.
    rows = {query: frozenset(of_query) for query, of_query in collected.rows.items()}
    enough = {query for query in rows if query.core and len(rows[query]) >= collected.policy.fewest_words}

    having: dict[Row, list[Query]] = {}
    for query, of_query in rows.items():
        for row in of_query:
            having.setdefault(row, []).append(query)

    def around(query: Query) -> set[Query]:
        """The larger ones, or the first of two equal ones, that hold nearly all of it."""
        common = Counter(other for row in rows[query] for other in having[row])
        own = -len(rows[query]), query.name
        return {
            other
            for other, number in common.items()
            if query.kind == other.kind and number >= _CONTAINED * len(rows[query])
            if (-len(rows[other]), other.name) < own
        }

    holding = {query: around(query) for query in rows}

    def is_divided(query: Query) -> bool:
        held = frozenset[Row]().union(*(rows[part] for part in enough if query in holding[part]))
        return not query.core and 2 * len(held & rows[query]) > len(rows[query])

    whole = {query for query in rows if not is_divided(query)}
    shipped = {query for query in whole if query.name in shipped_queries()}
    kept = [
        query
        for query in rows
        if query in whole
        and (query.core or holding[query].isdisjoint(shipped if query in shipped else whole))
    ]
    return replace(collected, rows={query: collected.rows[query] for query in kept})
