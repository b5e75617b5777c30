"""What people mean by a text: languages, categories, classes and words by any of their names."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import regex

from testgen.errors import LanguageError, QueryError, TestgenError
from testgen.generation.sizes import FileSize
from testgen.languages.codes import Language, canonical, from_iso639_3, languages, without_labels
from testgen.queries import Query
from testgen.serve.in_memory import InMemorySource
from testgen.serve.schema import Word
from testgen.system import listed

EXACT, PREFIX, WITHIN, IN_TEXT, SIMILAR = range(5)
"""How well a text fits, the best first: it is a name, begins words of it, is within it, or within a
description; or no name has it, and this is one of the most similar names."""

_WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_FILLERS = frozenset({"a", "all", "and", "in", "list", "name", "of", "the", "word"})
_LEAST = 4  # letters: shorter texts are within too many names
_CUTOFF, _MOST = 0.75, 4  # of similar names
_SEPARATORS = regex.compile(r"[,;/&\n、،]|\s(?:and|or|vs\.?|versus)\s")
_NUMBERS = regex.compile(r"(?:Q?[1-9][0-9]*+[\s,;]*+)++", regex.IGNORECASE)
# What people write after the name of a language: "Telugu vectors".
_ABOUT = regex.compile(
    r"(?<!\s)\s+"
    r"(?:(?:word |test )?(?:corpus|corpora|embeddings?|languages?|models?|sets?|vectors?|words?))+\s*$",
    regex.IGNORECASE,
)
_LONGEST = 8  # words of a name of a language
RULES: Mapping[str, object] = {
    "fillers": sorted(_FILLERS),
    "least": _LEAST,
    "most_similar": _MOST,
    "longest_name": _LONGEST,
    "separators": _SEPARATORS.pattern,
    "about": _ABOUT.pattern,
}
"""The same for the script of the pages, which understands texts as this module does."""
_NAMED = 4, " or one of {} more"  # in a message


@lru_cache(maxsize=20_000)
def plain(text: str) -> tuple[str, ...]:
    """The words of a text without accents, capitals, English plurals, and words such as "names of"."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    words = [_singular(word) for word in _WORDS.findall(regex.sub(r"[\u0300-\u036f]", "", folded))]
    return tuple(word for word in words if word not in _FILLERS) or tuple(words)


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def ranks(sought: str, names: Mapping[str, Iterable[str]], texts: Mapping[str, str]) -> dict[str, int]:
    """How well a text fits what has these names and descriptions; if nothing, the most `SIMILAR` names."""
    words = plain(sought)
    if not words:
        return {}
    known = {key: [plain(name) for name in of_key if name] for key, of_key in names.items()}
    rank = {key: _rank(words, of_key, plain(texts.get(key, ""))) for key, of_key in known.items()}
    fitting = {key: best for key, best in rank.items() if best < SIMILAR}
    return fitting or _similar(words, known)


def _rank(words: tuple[str, ...], names: Iterable[tuple[str, ...]], text: tuple[str, ...]) -> int:
    best = SIMILAR
    for name in names:
        if name == words:
            return EXACT
        if _begins(words, name):
            best = PREFIX
        elif len("".join(words)) >= _LEAST and " ".join(words) in " ".join(name):
            best = min(best, WITHIN)
    if best == SIMILAR and _begins(words, text):
        return IN_TEXT
    return best


def _begins(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return all(any(part.startswith(word) for part in name) for word in words)


def _similar(words: tuple[str, ...], names: Mapping[str, Iterable[tuple[str, ...]]]) -> dict[str, int]:
    of_name: dict[str, list[str]] = {}
    for key, of_key in names.items():
        for name in of_key:
            of_name.setdefault(" ".join(name), []).append(key)
    near = difflib.get_close_matches(" ".join(words), of_name, _MOST, _CUTOFF)
    return {key: SIMILAR for name in near for key in of_name[name]}


def names_of_language(language: Language) -> list[str]:
    """Everything by which a language may be asked for: names and codes."""
    return [language.name, language.code, language.iso639_3 or "", *language.tags, *language.also]


@dataclass(frozen=True)
class Meaning:
    """What a text was understood as."""

    text: str  # what was typed
    key: str  # the code of a language, the name of a category, the id of a class
    name: str  # its usual name
    size: str = ""  # how many words it has, for people; empty if this is not known
    similar: bool = False  # whether the text is only similar to its names, and something else may be meant

    @property
    def is_obvious(self) -> bool:
        """Whether the text is its usual name or its key, so that nothing need be said about it."""
        return self.text.strip().casefold() in (self.key.casefold(), self.name.casefold())


class Resolver:
    """Finds what is meant in a source and in the categories that are offered; says so, or refuses."""

    def __init__(self, source: InMemorySource, offered: Mapping[str, Query], *, is_remote: bool) -> None:
        self._source, self._offered, self._is_remote = source, offered, is_remote

    def languages(self, *texts: str) -> tuple[list[Meaning], dict[str, str]]:
        """The languages that texts name, each once, and the rest of them with what is wrong there."""
        found: dict[str, Meaning] = {}
        problems = {}
        for name in (name for text in texts for name in self._names_in(text)):
            try:
                meaning = self.language(name)
                found.setdefault(meaning.key, meaning)
            except LanguageError as error:
                problems[name] = without_commands(error)
        return list(found.values()), problems

    def language(self, text: str) -> Meaning:
        """The language that a text names: by a code, a name in any language, or a similar name."""
        code, rank = self.code(text), {}
        if code is None:
            rank = self._fits(text)
            code = _single(rank, {each: languages()[each].whole for each in rank})
            if code is None:
                if rank and min(rank.values()) < SIMILAR:
                    meant = listed([*map(_shown, _best(rank))], *_NAMED)
                    raise LanguageError(f"{text!r} may be {meant}; which one?")
                code = canonical(text)  # refuses it with the names of similar languages
        words = self._source.in_file.get(code, FileSize()).words
        return Meaning(text, code, languages()[code].name, f"{words:,} words", SIMILAR in rank.values())

    def _names_in(self, text: str) -> Iterator[str]:
        text = self._without_about(text)
        if self.code(text):
            yield text
            return
        for piece in filter(None, map(str.strip, _SEPARATORS.split(text))):
            words = piece.split()
            if self.code(piece) or len(words) == 1 or not (first := self._known_start(words)):
                yield piece
                continue
            while first:
                yield " ".join(words[:first])
                del words[:first]
                first = self._known_start(words) or len(words)

    def _without_about(self, text: str) -> str:
        short = _ABOUT.sub("", text)
        return short if self.code(short) else text

    def _known_start(self, words: list[str]) -> int:
        """How many words make the longest name of a language with words that stands at the beginning."""
        known = self._source.counts
        names = (
            number
            for number in range(min(len(words), _LONGEST), 0, -1)
            if self.code(" ".join(words[:number])) in known
        )
        return next(names, 0)

    def code(self, text: str) -> str | None:
        """The code of the language that has exactly this code or name, in English, itself or any language."""
        try:
            return canonical(text)
        except LanguageError:
            pass
        for item in self._source.named(text):
            try:
                return canonical(self._source.label(item, "en") or "")
            except LanguageError:
                continue
        return None

    def language_ranks(self, text: str) -> dict[str, int]:
        """How well a text fits each language with words that it may mean, or the several that it names."""
        found = self._fits(self._without_about(text))
        best, is_list = min(found.values(), default=SIMILAR), self._is_list(text)
        if best == EXACT or (best < SIMILAR and not is_list):
            return found
        several, _ = self.languages(text)
        exact = {each.key: EXACT for each in several if each.key in self._source.counts}
        return exact if is_list or len(several) > 1 else found or exact

    def _is_list(self, text: str) -> bool:
        """Whether separators part several names or codes: "la, te" is no name with words that begin so."""
        return sum(self.code(piece.strip()) is not None for piece in _SEPARATORS.split(text)) > 1

    def _fits(self, text: str) -> dict[str, int]:
        member_of = from_iso639_3(text.strip().casefold())  # `cmn`: one of the languages that are Chinese
        names = {code: names_of_language(languages()[code]) for code in self._source.counts}
        if member_of in names:
            names[member_of].append(text)
        return ranks(text, names, {})

    def category(self, text: str) -> Meaning:
        """The category or relation that a text names: by its name or one like it, or its title."""
        rank = self.category_ranks(text)
        # Its own name before other names, and a category before relations of the same things.
        own = {name: EXACT for name, query in self._offered.items() if plain(text) == plain(query.title)}
        sets = {name: fit for name, fit in rank.items() if self._offered[name].kind == "category"}
        exact = {text: EXACT} if text in self._offered else own
        meant = filter(None, (_single(some, {each: each for each in some}) for some in (exact, rank, sets)))
        name = next(meant, None)
        if name is None or (name in sets and min(rank.values()) < sets[name]):
            raise QueryError(_unclear("category", text, [self._offered[each].title for each in _best(rank)]))
        answer = self._source.answers.get(self._offered[name])
        size = f"{len(answer.rows):,} items" if answer else ""
        return Meaning(text, name, self._offered[name].title, size, SIMILAR in rank.values() and not exact)

    def category_ranks(self, text: str) -> dict[str, int]:
        """How well a text fits each category and relation that it may mean; see `ranks`."""
        texts = {name: query.summary for name, query in self._offered.items()}
        return ranks(text, self.names_of_categories, texts)

    @cached_property
    def names_of_categories(self) -> Mapping[str, list[str]]:
        """Everything by which a category may be asked for: titles, names of its class in all languages."""
        names = {name: [query.title, name, *query.also] for name, query in self._offered.items()}
        for class_id, query in () if self._is_remote else self._source.query_of_class.items():
            names[query.name] += self._source.class_names.get(class_id, ())
        return names

    def classes(self, text: str) -> list[Meaning]:
        """The classes that a text names: by numbers, with or without Q, or by names separated by commas."""
        if _NUMBERS.fullmatch(text.strip()):
            ids = [f"Q{number}" for number in regex.findall("[0-9]+", text)]
            return [self._class(class_id, class_id) for class_id in ids]
        return [self._class_called(name) for name in filter(None, map(str.strip, text.split(",")))]

    def _class(self, text: str, class_id: str) -> Meaning:
        name, size = ("", 0) if self._is_remote else self._source.classes.get(class_id, ("", 0))
        return Meaning(text, class_id, name or class_id, f"{size:,} items" if size else "")

    def _class_called(self, text: str) -> Meaning:
        if self._is_remote:
            raise QueryError(
                f"classes of {self._source.provenance.name} are found by numbers (such as Q9415), not "
                f"by {text!r}"
            )
        known = self._source.classes
        names = {class_id: list(self._source.class_names.get(class_id, ())) for class_id in known}
        rank = ranks(text, names, {})
        if EXACT not in rank.values():  # "countries" is what people call the states, and begins no other name
            for each, query in self._source.query_of_class.items():
                names.setdefault(each, []).extend((query.title, query.name, *query.also))
            rank = ranks(text, names, {})
        class_id = _single(rank, {each: each for each in rank})
        if class_id is None:
            near = [f"{known[each][0]} ({each})" for each in _best(rank) if each in known]
            raise QueryError(_unclear(f"class of {self._source.provenance.name}", text, near))
        return replace(self._class(text, class_id), similar=SIMILAR in rank.values())

    def words(self, text: str) -> list[Word]:
        """The items of the source that have exactly this text as a name, without regard to capitals."""
        found, answers = [], self._source.answers.items()
        for item, codes in self._source.named(text).items():
            having = [query.name for query, answer in answers if any(item in row for row in answer.rows)]
            english = self._source.label(item, "en") or item
            found.append(Word(item=item, english=english, codes=codes, categories=having))
        return found

    def lacking(self, code: str) -> str:
        """That the source has no words in a language, and what has."""
        near = without_labels().get(code)
        other = f"the names of {languages()[near].name} (which can stand in), " if near else ""
        if near is None and not self._is_remote:
            other = "Wikidata itself, "
        return (
            f"{_shown(code)}: {self._source.provenance.name} has no usable words in it. More could come from "
            f"{other}Wiktionary, a wordnet or a word list (testgen snapshot import)"
        )


def without_commands(error: TestgenError | str) -> str:
    """A message for people who may have no terminal."""
    return str(regex.sub(r"[;.]? `testgen .*$", "", str(error)))


def _shown(code: str) -> str:
    language = languages()[code]
    return f"{language.name} ({language.code})"


def _best(rank: Mapping[str, int]) -> list[str]:
    return [each for each, fit in rank.items() if fit == min(rank.values())]


def _single(rank: Mapping[str, int], whole: Mapping[str, str]) -> str | None:
    """The one that is meant: the only one that fits best, or the most similar; variants are one language."""
    best = _best(rank)
    meant = list(dict.fromkeys(whole[each] for each in best))
    if not best or rank[best[0]] == IN_TEXT or (len(meant) > 1 and rank[best[0]] != SIMILAR):
        return None
    return meant[0] if meant[0] in rank else best[0]


def _unclear(what: str, text: str, near: list[str]) -> str:
    if not near:
        return f"no {what} is called {text!r}"
    return f"no {what} is called just {text!r}. Did you mean {listed(near, *_NAMED)}?"
