"""The words of the items of several queries in every language; a source is asked once for each item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from testgen.errors import SourceError
from testgen.labels.policy import LabelPolicy, why_dropped, without_length_marks, words_of, words_of_alias
from testgen.labels.word_store import ItemWords, Origin, WordStore
from testgen.languages import NEUTRAL, in_other_script, without_labels, without_spaces, written_in_script_of
from testgen.queries import Query
from testgen.sources import Answer, Names, Row, Source
from testgen.sources.asking import answers_of, names_of
from testgen.sources.hierarchy import Level, hierarchy_queries, levels_within

WordsByItem = Mapping[str, ItemWords]

_SURE_WORD = 2  # characters: 美国 is a word, though most languages have two for it


@dataclass(frozen=True)
class CollectedWords:
    """The answers of a source to several queries, and the words of all items in them.

    Attributes:
        rows: The rows of the answer to each query that was answered.
        failed: The error for each query that was not, by its name; and for each language in which one was
            not, as in `noun-plural in en`.
        policy: How labels became words.
        store: The words by item id. The key of words that a query selected itself is the query's name, a
            space and the id.
        neutral: Language-neutral labels with the same keys.
        minimum_items: How many items a class within a category must have; None if no classes are wanted.
        levels: The classes within each category that has any.
        class_titles: The titles of these classes by id: the English label, else the language-neutral one.
    """

    rows: Mapping[Query, Sequence[Row]]
    failed: Mapping[str, SourceError]
    policy: LabelPolicy
    store: WordStore
    neutral: list[tuple[str, str]] = field(default_factory=list)
    minimum_items: int | None = None
    levels: Mapping[Query, Sequence[Level]] = field(default_factory=dict)
    class_titles: dict[str, str] = field(default_factory=dict)

    @property
    def languages(self) -> list[str]:
        """The codes of all languages that were asked for; if none were, of those that have words."""
        return self.store.languages

    def words(self, language: str) -> dict[str, dict[str, ItemWords]]:
        """The words of each item that has any in a language, or had any in another script, by item id.

        Where a language has no label of its own for an item, the language-neutral label is used.

        Returns:
            The words that each query selected itself under the query's name; all others under `""`.
        """
        words = self.store.of(language)
        # What many languages of today have in common is no word of a language without any labels.
        for key, label in self.neutral if language not in without_labels() else ():
            if key not in words and written_in_script_of(label, language):
                of_label = words_of(label, self.policy, language)
                words[key] = ItemWords(of_label, "mul", len(of_label))
        by_query: dict[str, dict[str, ItemWords]] = {"": {}}
        for key, named in words.items():
            query_name, _, item = key.rpartition(" ")
            if named.words or named.other_script:
                by_query.setdefault(query_name, {})[item] = named
        return by_query


def words_by_variable(query: Query, words: Mapping[str, WordsByItem]) -> list[WordsByItem]:
    """For each variable of a query, the words of its ids: selected by the query, or names of items."""
    of_query = words.get(query.name, {})
    return [of_query if variable in query.worded else words[""] for variable in query.variables]


def collect_words(
    source: Source,
    queries: Iterable[Query],
    policy: LabelPolicy,
    languages: Collection[str] | None = None,
    minimum_items: int | None = None,
    stand_ins: Collection[str] = (),
) -> CollectedWords:
    """Run the queries, then ask for the names of every item that they return, once per item.

    A query that fails, or for whose items the source has no names, does not stop the others: a source with a
    cache stores their answers, and sends no more requests to a server that refuses them.

    Args:
        source: The source.
        queries: The queries.
        policy: How labels become words.
        languages: Codes in use; None for every language in which the source has names.
        minimum_items: How many items a class within a category must have; None to look for no classes.
        stand_ins: Codes of more languages of which only the names are needed.
    """
    wanted = None if languages is None else {*languages, *stand_ins}
    answers, failed = answers_of(source, queries, None if languages is None else sorted(languages))
    rows = {query: answer.rows for query, answer in answers.items()}
    levels, no_levels = ask_levels(source, rows, minimum_items) if minimum_items is not None else ({}, {})
    unnamed = {
        query: {*answer.unnamed, *(level.class_id for level in levels.get(query, ()))}
        for query, answer in answers.items()
    }
    # Whether a name in Thai is a phrase is seen in other languages.
    every = wanted is None or not wanted.isdisjoint(without_spaces())
    named, no_names = names_of(source, unnamed, None if every else wanted)
    collected = CollectedWords(
        {query: of_query for query, of_query in rows.items() if query not in no_names},
        _by_name(answers, failed | no_levels | no_names),
        policy,
        WordStore(languages or ()),
        minimum_items=minimum_items,
        levels=levels,
    )
    for query in collected.rows:
        for names in answers[query].names.values():
            _add(collected, names, wanted, "query", f"{query.name} {names.item}")
    items = {item for query in collected.rows for item in answers[query].unnamed}
    classes = {level.class_id for query in collected.rows for level in levels.get(query, ())}
    for names in named:
        if names.item in items:
            _add(collected, names, wanted, "label", names.item)
        if names.item in classes:
            collected.class_titles[names.item] = names.labels.get("en", names.labels.get(NEUTRAL, ""))
    return collected


def ask_levels(
    source: Source, rows: Mapping[Query, Sequence[Row]], minimum_items: int
) -> tuple[dict[Query, list[Level]], dict[Query, SourceError]]:
    """The levels of each category, found with one query for each that has enough items; and the errors.

    Relations have no levels.
    """
    asked = hierarchy_queries(rows, minimum_items)
    answers, failed = answers_of(source, asked.values())
    return {
        query: levels_within(query, rows[query], answers[hierarchy].rows, minimum_items)
        for query, hierarchy in asked.items()
        if hierarchy in answers
    }, failed


def _by_name(answers: Mapping[Query, Answer], failed: Mapping[Query, SourceError]) -> dict[str, SourceError]:
    """The errors by the names of the queries, with those for single languages."""
    errors = {query.name: error for query, error in failed.items()}
    for query, answer in answers.items():
        errors |= {f"{query.name} in {code}": error for code, error in answer.failed.items()}
    return errors


def _add(collected: CollectedWords, names: Names, wanted: set[str] | None, origin: Origin, key: str) -> None:
    """Add the words of one item in all wanted languages; see `CollectedWords.store` for the key."""
    policy, neutral = collected.policy, collected.policy.mul and NEUTRAL in names.labels
    codes = names.labels.keys() | names.aliases.keys() if wanted is None else wanted
    phrase = not without_spaces().isdisjoint(codes) and _is_phrase(names)
    for code in sorted(codes - {NEUTRAL}):
        if code not in names.labels and code not in names.aliases:
            continue
        named = _item_words(names, code, policy, origin, phrase=phrase)
        # A label that gives no word still excludes the language-neutral label.
        if named.words or named.other_script or (neutral and code in names.labels):
            collected.store.add(code, key, named)
    if neutral:
        collected.neutral.append((key, names.labels[NEUTRAL]))


def _is_phrase(names: Names) -> bool:
    """Whether an item's name is of several words in most of the languages that divide words by spaces."""
    labels = [label for code, label in names.labels.items() if code not in without_spaces()]
    several = (" " in label.partition(" (")[0].partition(",")[0] for label in labels)
    return 2 * sum(several) > len(labels)


def _item_words(names: Names, code: str, policy: LabelPolicy, origin: Origin, *, phrase: bool) -> ItemWords:
    label = names.labels.get(code)
    if (
        label is None
        and origin == "label"
        and policy.mul
        and written_in_script_of(names.labels.get(NEUTRAL, ""), code)
    ):
        label, origin = names.labels.get(NEUTRAL), "mul"
    from_label = words_of(label, policy, code) if label is not None else ()
    others: Iterable[str] = ()
    aliases = names.aliases.get(code, ())
    if origin == "query":
        others = (word for alias in aliases for word in words_of(alias, policy, code))
    elif policy.aliases:
        english = names.labels.get("en", "")
        others = (
            word for alias in aliases for word in words_of_alias(alias, label or "", english, policy, code)
        )
    by_spelling: dict[str, str] = {}
    for word in (*from_label, *others):
        by_spelling.setdefault(without_length_marks(word, code), word)
    words = tuple(by_spelling.values())
    if phrase and origin != "query" and policy.several_words == "drop" and code in without_spaces():
        words = tuple(word for word in words if len(word) <= _SURE_WORD)
    kept = words if policy.any_script else tuple(word for word in words if not in_other_script(word, code))
    left_out = len(words) - len(kept)
    if origin == "query":
        return ItemWords(kept, origin, len(kept), left_out)
    of_label = len(set(from_label).intersection(kept))
    return ItemWords(kept, origin if of_label else "alias", of_label, left_out)


def why_without_words(names: Names, code: str, policy: LabelPolicy, origin: Origin = "label") -> str:
    """Why an item has no word in a language, for people; empty if it has one."""
    phrase = _is_phrase(names)
    named = _item_words(names, code, policy, origin, phrase=phrase)
    if named.words:
        return ""
    if named.other_script:
        return "another script"
    given = names.aliases.get(code, ()) if origin == "query" else names.labels.get(code, "")
    labels = [given] if isinstance(given, str) else given
    reasons = [reason for label in labels if label for reason in why_dropped(label, policy, code)]
    if not reasons and phrase and any(labels):
        return "several words"
    return ", ".join(dict.fromkeys(reasons)) or "no name"
