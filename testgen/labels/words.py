"""The words of the items of several queries in every language; a source is asked once for each item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from testgen.errors import SourceError
from testgen.labels.corrections import Corrections
from testgen.labels.policy import LabelPolicy, why_dropped, without_length_marks, words_of, words_of_alias
from testgen.labels.vocabulary import Vocabulary
from testgen.labels.word_store import ItemWords, Origin, WordStore
from testgen.languages.codes import (
    NEUTRAL,
    fallbacks_of,
    in_other_script,
    languages,
    variants_of,
    without_labels,
    without_spaces,
    written_in_script_of,
)
from testgen.queries import Query
from testgen.sources import Answer, Names, Row, Source
from testgen.sources.asking import answers_of, languages_with_articles, names_of
from testgen.sources.hierarchy import Level, hierarchy_queries, levels_within

WordsByItem = Mapping[str, ItemWords]

_NOWHERE = frozenset[str]()
_SURE_WORD = 2  # characters: 美国 is a word, though most languages have two for it


@dataclass(frozen=True)
class CollectedWords:
    """The answers of a source to several queries, and the words of all items in them."""

    rows: Mapping[Query, Sequence[Row]]  # the rows of the answer to each query that was answered
    failed: Mapping[str, SourceError]  # for each query that was not, by its name, or `noun-plural in en`
    policy: LabelPolicy  # how labels became words
    store: WordStore  # by item id; of words that a query selected itself: its name, a space and the id
    asked: Collection[str] | None = None  # the codes of the languages that were asked for; None for all
    # Language-neutral names with the same keys, and those fallbacks of languages in which there is a label.
    neutral: list[tuple[str, Names, frozenset[str]]] = field(default_factory=list)
    minimum_items: int | None = None  # of a class within a category; None if no classes are wanted
    levels: Mapping[Query, Sequence[Level]] = field(default_factory=dict)  # classes within categories
    # Of these and of those that are categories themselves: the English or the language-neutral label.
    class_titles: dict[str, str] = field(default_factory=dict)
    vocabulary: Vocabulary | None = None  # only words that it has are used, in its spelling; None for all
    corrections: Corrections | None = None  # what the words have otherwise than the source
    # The languages in whose Wikipedia an item has an article, if names in others do not count.
    with_article: Mapping[str, frozenset[str]] | None = None

    def titled(self, query: Query) -> Query:
        """The query; that of a class has the label of the class as its title, if it is known."""
        label = self.class_titles.get(query.name)
        return replace(query, title=label[:1].upper() + label[1:]) if label else query

    @property
    def languages(self) -> list[str]:
        """The codes of all languages that were asked for; if none were, of those that have words."""
        return self.store.languages if self.asked is None else sorted(self.asked)

    def words(self, language: str) -> dict[str, dict[str, ItemWords]]:
        """The words of each item that has any in a language, or had any in another script, by item id."""
        # Those that a query selected itself are under its name, all others under "".
        by_query: dict[str, dict[str, ItemWords]] = {"": {}}
        choose = self.vocabulary.choose if self.vocabulary else None
        for key, of_item in self._with_borrowed(language).items():
            query_name, _, item = key.rpartition(" ")
            named = choose(of_item) if choose else of_item
            if named.words or named.other_script:
                by_query.setdefault(query_name, {})[item] = named
        if self.corrections is None:
            return by_query
        return {name: self.corrections.mended(language, words) for name, words in by_query.items()}

    def _with_borrowed(self, language: str) -> dict[str, ItemWords]:
        words = self.store.of(language)
        for variant in variants_of(language):
            for key, named in self.store.of(variant).items():
                if " " not in key:
                    origin: Origin = "variant" if named.origin in ("label", "lexeme") else named.origin
                    words.setdefault(key, replace(named, origin=origin))
        # What many languages of today have in common is no word of a language without any labels.
        if language in without_labels():
            return words
        for key, names, labelled in self.neutral:
            if key not in words and labelled.isdisjoint(fallbacks_of(language)):
                words[key] = _item_words(names, language, self.policy, "label", phrase=False)
        return words


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
    *,
    with_article: bool = False,
) -> CollectedWords:
    """Run the queries, then ask for the names of every item that they return, once per item."""
    # One that fails does not stop the others, whose answers may be cached. Of stand-ins, names are enough.
    wanted = None if languages is None else {*languages, *stand_ins}
    wanted = wanted and wanted.union(*map(variants_of, wanted))
    answers, failed = answers_of(source, queries, None if languages is None else sorted(languages))
    rows = {query: answer.rows for query, answer in answers.items()}
    levels, no_levels = ask_levels(source, rows, minimum_items) if minimum_items is not None else ({}, {})
    unnamed = {
        query: {*answer.unnamed, *query.own_class, *(level.class_id for level in levels.get(query, ()))}
        for query, answer in answers.items()
    }
    needed = wanted and wanted.union(*map(fallbacks_of, wanted))
    if needed and not needed.isdisjoint(without_spaces()):
        needed = None  # whether a name in Thai is a phrase is seen in other languages
    articles, no_articles = languages_with_articles(source, rows) if with_article else (None, {})
    named, no_names = names_of(source, unnamed, needed)
    collected = CollectedWords(
        {query: of_query for query, of_query in rows.items() if query not in no_names},
        _by_name(answers, failed | no_levels | no_names | no_articles),
        policy,
        WordStore(),
        asked=languages,
        minimum_items=minimum_items,
        levels=levels,
        with_article=articles,
    )
    for query in collected.rows:
        for names in answers[query].names.values():
            _add(collected, names, wanted, "query", f"{query.name} {names.item}")
    items = {item for query in collected.rows for item in answers[query].unnamed}
    classes = {level.class_id for query in collected.rows for level in levels.get(query, ())}
    classes = classes.union(*(query.own_class for query in collected.rows))
    lemmas = {item: of_item for query in collected.rows for item, of_item in answers[query].lemmas.items()}
    for names in named:
        if names.item in items:
            of_item = lemmas.pop(names.item, {})
            _add(collected, replace(names, lemmas=of_item), wanted, "label", names.item)
        if names.item in classes:
            collected.class_titles[names.item] = names.labels.get("en", names.labels.get(NEUTRAL, ""))
    for item, of_item in lemmas.items():
        _add(collected, Names(item, {}, {}, of_item), wanted, "label", item)
    return collected


def ask_levels(
    source: Source, rows: Mapping[Query, Sequence[Row]], minimum_items: int
) -> tuple[dict[Query, list[Level]], dict[Query, SourceError]]:
    """The levels of each category, found with one query for each that has enough items; and the errors."""
    asked = hierarchy_queries(rows, minimum_items)
    answers, failed = answers_of(source, asked.values())
    return {
        query: levels_within(query, rows[query], answers[hierarchy].rows, minimum_items)
        for query, hierarchy in asked.items()
        if hierarchy in answers
    }, failed


def _by_name(answers: Mapping[Query, Answer], failed: Mapping[Query, SourceError]) -> dict[str, SourceError]:
    errors = {query.name: error for query, error in failed.items()}
    for answer in answers.values():
        errors |= answer.failed
    return errors


def _add(collected: CollectedWords, names: Names, wanted: set[str] | None, origin: Origin, key: str) -> None:
    policy, articles = collected.policy, None if origin == "query" else collected.with_article
    neutral = policy.mul and articles is None and _neutral(names)
    own = names.labels.keys() | names.aliases.keys() | names.lemmas.keys()
    codes = own if wanted is None else wanted
    phrase = not without_spaces().isdisjoint(codes) and _is_phrase(names)
    for code in sorted(codes & own - {NEUTRAL}):
        if articles is not None and articles.get(names.item, _NOWHERE).isdisjoint((code, *variants_of(code))):
            continue
        named = _item_words(names, code, policy, origin, phrase=phrase)
        # A label that gives no word still excludes that of another variant and the language-neutral one.
        barred = code in names.labels and (neutral or variants_of(code))
        if named.words or named.other_script or barred:
            collected.store.add(code, key, named)
    if neutral:
        collected.neutral.append((key, neutral, _all_fallbacks().intersection(names.labels)))


def _neutral(names: Names) -> Names | None:
    labels = {NEUTRAL: names.labels[NEUTRAL]} if NEUTRAL in names.labels else {}
    aliases = {NEUTRAL: names.aliases[NEUTRAL]} if NEUTRAL in names.aliases else {}
    return Names(names.item, labels, aliases) if labels or aliases else None


@cache
def _all_fallbacks() -> frozenset[str]:
    return frozenset(other for code in languages() for other in fallbacks_of(code))


def _is_phrase(names: Names) -> bool:
    """Whether more than three of four languages that divide words by spaces need several words for it."""
    labels = [label for code, label in names.labels.items() if code not in without_spaces()]
    several = (" " in label.partition(" (")[0].partition(",")[0] for label in labels)
    return 4 * sum(several) > 3 * len(labels)


def _borrowed(names: Names, code: str, policy: LabelPolicy) -> tuple[str | None, Origin]:
    """The label that stands for a missing one, and where it is from; see `CollectedWords.words`."""
    for other in variants_of(code):
        if other in names.labels:
            return names.labels[other], "variant"
    neutral, barred = names.labels.get(NEUTRAL, ""), not names.labels.keys().isdisjoint(fallbacks_of(code))
    if policy.mul and not barred and written_in_script_of(neutral, code):
        return neutral, "mul"
    return None, "label"


def _item_words(names: Names, code: str, policy: LabelPolicy, origin: Origin, *, phrase: bool) -> ItemWords:
    label = names.labels.get(code, "")
    if origin == "label" and label.isalpha() and not (phrase or policy.aliases or names.lemmas):
        words = words_of(label, policy, code)  # one, as of most labels
        if not policy.any_script and in_other_script(words[0], code):
            return ItemWords((), "alias", 0, 1)
        return ItemWords(words, origin, 1)
    return _of_all_names(names, code, policy, origin, phrase=phrase)


def _of_all_names(names: Names, code: str, policy: LabelPolicy, origin: Origin, *, phrase: bool) -> ItemWords:
    first, origin = _first_words(names, code, policy, origin)
    if origin == "query":
        others = [word for alias in names.aliases.get(code, ()) for word in words_of(alias, policy, code)]
    elif policy.aliases:
        shared = names.aliases.get(NEUTRAL, ()) if policy.mul else ()
        aliases = [*names.aliases.get(code, ()), *names.lemmas.get(code, ())]
        aliases += [alias for alias in shared if written_in_script_of(alias, code)]
        label, english = names.labels.get(code, ""), names.labels.get("en", "")
        others = [word for alias in aliases for word in words_of_alias(alias, label, english, policy, code)]
    else:
        others = []
    words = first
    if len(first) + len(others) > 1:
        every = (*first, *others)
        by_spelling: dict[str, str] = {}
        for spelling, word in zip(without_length_marks(every, code), every, strict=True):
            by_spelling.setdefault(spelling, word)
        words = tuple(by_spelling.values())
    is_name = origin not in ("lexeme", "query")
    if phrase and is_name and policy.several_words == "drop" and code in without_spaces():
        words = tuple(word for word in words if len(word) <= _SURE_WORD)
    kept = words if policy.any_script else tuple(word for word in words if not in_other_script(word, code))
    left_out = len(words) - len(kept)
    if origin == "query":
        return ItemWords(kept, origin, len(kept), left_out)
    of_label = len(set(first).intersection(kept))
    return ItemWords(kept, origin if of_label else "alias", of_label, left_out)


def _first_words(
    names: Names, code: str, policy: LabelPolicy, origin: Origin
) -> tuple[tuple[str, ...], Origin]:
    """The words before those of aliases: of the label, else of lexemes, else of a label that stands in."""
    label = names.labels.get(code)
    words = words_of(label, policy, code) if label is not None else ()
    lemmas = names.lemmas.get(code, ())
    if lemmas and all(in_other_script(word, code) and not policy.any_script for word in words):
        return tuple(word for lemma in lemmas for word in words_of(lemma, policy, code)), "lexeme"
    if label is None and origin == "label":
        label, origin = _borrowed(names, code, policy)
        words = words_of(label, policy, code) if label is not None else ()
    return words, origin


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
