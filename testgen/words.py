"""Words in every language for the items of many queries, asked for once and shared by all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from testgen.errors import MissingAnswerError, SourceError
from testgen.hierarchy import hierarchy_queries
from testgen.labels import LabelPolicy, words_of
from testgen.languages import NEUTRAL, written_in_script_of
from testgen.levels import Level, levels_within
from testgen.queries import Query
from testgen.sources import Answer, Names, Row, Source, id_order
from testgen.store import ItemWords, Origin, WordStore


@dataclass(frozen=True)
class Harvest:
    """What a source gave for some queries.

    Attributes:
        rows: For each query that was answered the rows of its answer.
        failed: For each query that was not, why.
        policy: How labels became words.
        store: The words, those that a query gave itself under its name and the id.
        neutral: Language-neutral labels by the same keys.
        minimum_items: The fewest items of a class that makes a category within another; None for no such
            categories.
        levels: The classes within each category that has any.
        class_titles: The English or else language-neutral labels of these classes, by id.
    """

    rows: Mapping[Query, Sequence[Row]]
    failed: Mapping[Query, SourceError]
    policy: LabelPolicy
    store: WordStore
    neutral: list[tuple[str, str]] = field(default_factory=list)
    minimum_items: int | None = None
    levels: Mapping[Query, Sequence[Level]] = field(default_factory=dict)
    class_titles: dict[str, str] = field(default_factory=dict)

    @property
    def languages(self) -> list[str]:
        """The codes of all languages that have been asked for, or else found."""
        return self.store.languages

    def words(self, language: str) -> dict[str, dict[str, ItemWords]]:
        """The words of each item that has any in a language, by item id.

        Where a language has no label of its own for an item, the language-neutral one stands in.

        Returns:
            Under the name of each query that gives words itself, its words; under `""` all others.
        """
        words = self.store.of(language)
        for key, label in self.neutral:
            if key not in words and written_in_script_of(label, language):
                own = words_of(label, self.policy, language)
                words[key] = ItemWords(own, "mul", len(own))
        found: dict[str, dict[str, ItemWords]] = {"": {}}
        for key, named in words.items():
            giver, _, item = key.rpartition(" ")
            if named.words:
                found.setdefault(giver, {})[item] = named
        return found


Words = Mapping[str, ItemWords]
"""Words by item id."""


def sides(query: Query, words: Mapping[str, Words]) -> list[Words]:
    """For each variable of a query, the words of what it binds: the query's own, or names of items.

    Args:
        query: The query.
        words: The words of a language; see `Harvest.words`.
    """
    own = words.get(query.name, {})
    return [own if variable in query.worded else words[""] for variable in query.variables]


def harvest(
    source: Source,
    queries: Iterable[Query],
    policy: LabelPolicy,
    languages: Collection[str] | None = None,
    minimum_items: int | None = None,
) -> Harvest:
    """Run the queries, then name every item they return, each item once.

    A query that fails does not stop the others: what they give is kept by sources that keep answers.

    Args:
        source: Where to ask.
        queries: What to ask.
        policy: How labels become words.
        languages: Codes in use; None for every language in which the source names something.
        minimum_items: To find the classes within each category too: how many items such a class must have.

    Raises:
        SourceError: The source fails over names, or over everything.
    """
    answers, failed = _ask_all(source, queries, None if languages is None else sorted(languages))
    rows = {query: answer.rows for query, answer in answers.items()}
    levels, without = levels_of(source, rows, minimum_items) if minimum_items is not None else ({}, {})
    gathered = Harvest(
        rows, failed | without, policy, WordStore(languages or ()), minimum_items=minimum_items, levels=levels
    )
    wanted = None if languages is None else set(languages)
    for query, answer in answers.items():
        for names in answer.names.values():
            _add(gathered, names, wanted, "query", f"{query.name} {names.item}")
    items = {item for answer in answers.values() for item in answer.unnamed}
    classes = {level.class_id for of_query in levels.values() for level in of_query}
    try:
        for names in source.names(sorted(items | classes, key=id_order), wanted):
            if names.item in items:
                _add(gathered, names, wanted, "label", names.item)
            if names.item in classes:
                gathered.class_titles[names.item] = names.labels.get("en", names.labels.get(NEUTRAL, ""))
    except MissingAnswerError as error:
        raise MissingAnswerError("\n".join([*map(str, gathered.failed.values()), str(error)])) from error
    return gathered


def levels_of(
    source: Source, rows: Mapping[Query, Sequence[Row]], minimum_items: int
) -> tuple[dict[Query, list[Level]], dict[Query, SourceError]]:
    """The levels of each category, asking one query for each that has enough items; and what failed.

    Args:
        source: Where to ask.
        rows: For each category, and whatever else was asked, the rows of the answer.
        minimum_items: How many items a class must have.

    Raises:
        SourceError: The source fails over everything.
    """
    asked = hierarchy_queries(rows, minimum_items)
    answers, failed = _ask_all(source, asked.values(), None)
    return {
        query: levels_within(query, rows[query], answers[above].rows, minimum_items)
        for query, above in asked.items()
        if above in answers
    }, failed


def _ask_all(
    source: Source, queries: Iterable[Query], languages: Sequence[str] | None
) -> tuple[dict[Query, Answer], dict[Query, SourceError]]:
    answers: dict[Query, Answer] = {}
    failed: dict[Query, SourceError] = {}
    for query in queries:
        try:
            answers[query] = source.answer(query, languages)
        except SourceError as error:
            failed[query] = error
            if error.final:
                raise
    return answers, failed


def _add(gathered: Harvest, names: Names, wanted: set[str] | None, origin: Origin, key: str) -> None:
    """Add the words of one item in all wanted languages; no name of a query holds the space in a key."""
    policy, neutral = gathered.policy, gathered.policy.mul and NEUTRAL in names.labels
    for code in sorted(names.labels.keys() | names.aliases.keys()):
        if code == NEUTRAL or (wanted is not None and code not in wanted):
            continue
        named = _words(names, code, policy, origin)
        # A label that gives no word still keeps the language-neutral one from standing in.
        if named.words or (neutral and code in names.labels):
            gathered.store.add(code, key, named)
    if neutral:
        gathered.neutral.append((key, names.labels[NEUTRAL]))


def _words(names: Names, code: str, policy: LabelPolicy, origin: Origin) -> ItemWords:
    label = names.labels.get(code)
    if (
        label is None
        and origin == "label"
        and policy.mul
        and written_in_script_of(names.labels.get(NEUTRAL, ""), code)
    ):
        label, origin = names.labels.get(NEUTRAL), "mul"
    own = words_of(label, policy, code) if label is not None else ()
    others: Iterable[str] = ()
    if policy.aliases or origin == "query":
        others = (word for alias in names.aliases.get(code, ()) for word in words_of(alias, policy, code))
    words = tuple(dict.fromkeys([*own, *others]))
    if origin == "query":
        return ItemWords(words, origin, len(words))
    return ItemWords(words, origin if own else "alias", len(own))
