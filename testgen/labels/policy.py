"""The label policy: the choices that turn a label such as "Georgia (country)" into words of a vocabulary."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple, Self, get_args, get_origin, get_type_hints

import regex

from testgen.errors import PolicyError
from testgen.languages.codes import canonical, from_code, languages
from testgen.languages.spelling import Spelling, slashes, spelling_of, why_no_word

Normalization = Literal["NFC", "NFKC", "NFD", "NFKD", "none"]
Case = Literal["keep", "lower", "fold"]
SeveralWords = Literal["drop", "join", "keep"]
Qualifier = Literal["strip", "keep", "drop"]
Slash = Literal["split", "keep", "drop"]
SpellingRules = Literal["texts-1", "source"]

_OF_TEXTS: SpellingRules = "texts-1"
FEWEST_WORDS = 4  # of a category that is named: the smallest number with which Topk@3 can reach 1


_WHITE_SPACE = regex.compile(r"[\p{White_Space}\p{Cc}]+")
_PARENTHESES = regex.compile(r"(.*\S)\s*[(（][^()（）]*[)）]")
# A comma within a formula separates nothing: 1,2-dioxane, N,N-dimethyltryptamine.
_COMMA = regex.compile(r"(.*?\S)(?:\s+,.*|,(?:\s.*)?|(?<=[\p{L}\p{M}]{2}),.*|\s*[،，].*)")
_LETTER = regex.compile(r"\p{L}")
_WIKI_LINK = regex.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_ALL_IN_PARENTHESES = regex.compile(r"[(（]([^()（）]*)[)）]")
# The ending of another gender is no word: מלך/ה, Lehrer/in.
_ENDING = regex.compile(r"(?<=[\p{L}\p{M}]{3})/-?[\p{Ll}\p{Hebrew}\p{Arabic}]{1,2}(?![\p{L}\p{M}])")
_CODE = regex.compile(r"[a-z]{2,3}")
_WITH_SYMBOL = regex.compile(r"[^\s_]*[.:;#&!?@%\p{Sm}\p{Sc}\p{So}][^\s_]*")
_TYPES = {bool: "True or False", int: "a whole number", int | None: "a whole number, or None"}
_SPOKEN: dict[Any, str] = {True: "yes", False: "no"}


@dataclass(frozen=True)
class LabelPolicy:
    """How labels become words. The test set file states every choice.

    The steps are taken in this order: removal of invisible characters and of the brackets of links,
    `spelling`, normalization, `slash`, `parentheses`, `comma`, characters that separate words, edges of the
    word, `several_words`, `case`. A result without any letter is not a word, nor is a part of a word.

    Attributes:
        normalization: The Unicode normalization form of the words.
        case: `keep`; `lower`; or `fold` (full case folding, as for matching: ß → ss). Turkish, Azeri and
            other languages with a dotless i have their own rule in both.
        several_words: A label of more than one word: `drop` it, `join` with `_`, or `keep` the space.
        parentheses: A trailing qualifier as in "Georgia (country)": `strip` it, `keep` it, or `drop` the
            label.
        comma: A trailing qualifier as in "Paris, Texas": the same choices.
        slash: "Bolzano/Bozen": `split` into variants, `keep`, or `drop` the label.
        aliases: Whether the other names of an item are words as well.
        mul: Whether the language-neutral label replaces a missing one, if it is written in a script of the
            language, and no language has a label whose labels Wikibase shows first. With `aliases`, also
            whether language-neutral aliases are words.
        any_script: Whether words in other scripts than those of the language are words as well: a name in
            Arabic letters among the names in Punjabi, which has Gurmukhi letters.
        spelling: `texts-1`: as running text has them, without marks that only dictionaries write and in the
            letters of the language, by version 1 of the rules of `testgen.languages.spelling`; or `source`:
            letters and marks as the source writes them.
        minimum_words: Categories with fewer words are left out of the test set, and so are relations with
            fewer pairs. If None, this is 4, the smallest number with which Topk@3 can reach 1; and 10 if no
            category is named.
    """

    normalization: Normalization = "NFC"
    case: Case = "keep"
    several_words: SeveralWords = "drop"
    parentheses: Qualifier = "strip"
    comma: Qualifier = "strip"
    slash: Slash = "split"
    aliases: bool = False
    mul: bool = True
    any_script: bool = False
    spelling: SpellingRules = _OF_TEXTS
    minimum_words: int | None = None

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self)).items():
            value = getattr(self, name)
            if get_origin(hint) is Literal and value not in get_args(hint):
                raise PolicyError(
                    f"label policy: {name} cannot be {value!r}; choose from {', '.join(get_args(hint))}"
                )
            if get_origin(hint) is not Literal and type(value) not in (get_args(hint) or (hint,)):
                raise PolicyError(f"label policy: {name} cannot be {value!r}; it is {_TYPES[hint]}")
        if self.fewest_words < 1:
            raise PolicyError(f"label policy: minimum_words is {self.minimum_words}; it must be 1 or more")

    @property
    def fewest_words(self) -> int:
        """The minimum of words, also if none is given and categories are named."""
        return FEWEST_WORDS if self.minimum_words is None else self.minimum_words

    def as_dict(self) -> dict[str, str | bool | int | None]:
        """All choices by name, as in a test set file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def changes(self) -> dict[str, str | bool | int | None]:
        """The choices that differ from the default."""
        default = LabelPolicy().as_dict()
        return {name: value for name, value in self.as_dict().items() if value != default.get(name)}

    def as_texts(self) -> list[str]:
        """The choices that differ from the default, as `with_choices` takes them: `aliases=yes`."""
        # `minimum_words` has an option of its own.
        choices = _choices(type(self))
        changed = [(name, value) for name, value in self.changes().items() if name in choices]
        return [f"{name.replace('_', '-')}={_SPOKEN.get(value, value)}" for name, value in changed]

    def with_choices(self, *texts: str) -> Self:
        """The policy with other choices, such as `slash=keep` and `any-script=yes`.

        Raises:
            PolicyError: There is no such choice or value, and the message lists those that there are; or two
                texts contradict each other.
        """
        every, changed, named = _choices(type(self)), dict[str, Any](), dict[str, str]()
        for text in texts:
            name, _, value = text.partition("=")
            field_name, spoken = name.strip().replace("-", "_"), value.strip()
            choices = every.get(field_name)
            if choices is None:
                raise PolicyError(
                    f"label policy: there is no choice {text!r}; choose from {self.described()}"
                )
            if spoken not in choices:
                raise PolicyError(
                    f"label policy: {name} cannot be {spoken!r}; choose from {', '.join(choices)}"
                )
            if named.setdefault(field_name, spoken) != spoken:
                raise PolicyError(
                    f"label policy: {name} is {named[field_name]} and {spoken}; give one of them"
                )
            changed[field_name] = choices[spoken]
        return replace(self, **changed)

    @classmethod
    def described(cls) -> str:
        """All choices but that of `minimum_words`, with their values, as `with_choices` takes them."""
        return "; ".join(f"{name.replace('_', '-')}={'|'.join(of)}" for name, of in _choices(cls).items())


def _choices(policy: type[LabelPolicy]) -> dict[str, dict[str, str | bool]]:
    """The values of each choice that a policy leaves open, as they are written."""
    hints = get_type_hints(policy)
    spoken: dict[str, str | bool] = {text: value for value, text in _SPOKEN.items()}
    return {
        name: spoken if hint is bool else {value: value for value in get_args(hint)}
        for name, hint in ((each.name, hints[each.name]) for each in fields(policy) if each.init)
        if hint is bool or get_origin(hint) is Literal
    }


def words_of(label: str, policy: LabelPolicy, language: str) -> tuple[str, ...]:
    """The words that a policy makes of a label, each once: none, one, or the variants between slashes.

    Args:
        label: A label or an alias as the source has it.
        policy: The policy.
        language: The language, for its case rules.

    Raises:
        LanguageError: The language is unknown.
    """
    return words_of_label(label, policy, canonical(language))


class Outcome(NamedTuple):
    """What a policy makes of a label."""

    words: tuple[str, ...]
    dropped: tuple[str, ...] = ()  # why some or all of it gives no word
    mended: tuple[str, ...] = ()  # why it was not spelled as in texts


MENDED = ("letters of another keyboard or font", "marks that only dictionaries write", "edges of the word")
"""What is mended in a word, for people."""


def words_of_label(label: str, policy: LabelPolicy, code: str) -> tuple[str, ...]:
    """The same as `words_of`, for the code in use of a language."""
    return outcome_of(label, policy, spelling_of(code)).words


def outcome_of(label: str, policy: LabelPolicy, spelling: Spelling) -> Outcome:
    """The words of a label, and what was dropped or mended, by the rules of spelling of a language."""
    if label.isalpha() and not spelling.suspect.search(label):  # as most labels are: nothing to leave out
        normal = policy.normalization
        text = label if normal == "none" else unicodedata.normalize(normal, label)
        if " " not in text:
            return Outcome((_cased(text, policy, spelling),))
    if policy.several_words == "drop" and " " in label and all(map(str.isalpha, label.split(" "))):
        return _SEVERAL
    return _outcome(label, policy, spelling)


_SEVERAL = Outcome((), ("several words",))


def words_of_alias(alias: str, label: str, english: str, policy: LabelPolicy, code: str) -> tuple[str, ...]:
    """The words of an alias, without abbreviations, symbols and codes, as the item's labels tell."""
    named = from_code(alias) if _CODE.fullmatch(alias) else None
    named_by_code = named is not None and languages()[named].name in english  # "bho" for Bhojpuri
    if named_by_code or (_CODE.fullmatch(alias) and label[:1].isupper() and label.lower() != alias):
        return ()
    return tuple(word for word in words_of_label(alias, policy, code) if not _WITH_SYMBOL.fullmatch(word))


def without_dictionary_marks(words: tuple[str, ...], code: str) -> tuple[str, ...]:
    """Words without the marks that only dictionaries of the language write, by which no two words differ."""
    return tuple(map(spelling_of(code).without_dictionary_marks, words))


def why_dropped(label: str, policy: LabelPolicy, code: str) -> tuple[str, ...]:
    """Why some or all of a label gives no word, for people; empty if nothing is dropped."""
    return outcome_of(label, policy, spelling_of(code)).dropped


@cache
def _slash() -> regex.Pattern[str]:
    # No slash within parentheses: "Georgia (country/state)".
    return regex.compile(rf"\s*[{slashes()}]\s*(?![^()（）]*[)）])")


@lru_cache(maxsize=50_000)  # many languages share a name
def _outcome(label: str, policy: LabelPolicy, spelling: Spelling) -> Outcome:
    mended = []
    text = spelling.visible(label)
    text = _WIKI_LINK.sub(r"\1", text) if "[[" in text else text
    if policy.spelling != "source":
        own = spelling.in_own_letters(text)
        bare = spelling.without_dictionary_marks(own)
        mended = [MENDED[0]] * (own != text) + [MENDED[1]] * (bare != own)
        text = bare
    if policy.normalization != "none":
        text = unicodedata.normalize(policy.normalization, text)
    if policy.slash == "drop" and _slash().search(text):
        return Outcome((), ("slash",))
    variants = _slash().split(_ENDING.sub("", text)) if policy.slash == "split" else [text]
    found = [_word(variant, policy, spelling) for variant in variants]
    words, reasons, trimmed = zip(*found, strict=True)
    mended += [MENDED[2]] * any(trimmed)
    return Outcome(*(tuple(dict.fromkeys(filter(None, each))) for each in (words, reasons, mended)))


def _word(text: str, policy: LabelPolicy, spelling: Spelling) -> tuple[str, str, bool]:
    """The word of a variant or why there is none, and whether something was cut off its edges."""
    text = text.strip()
    if policy.parentheses != "keep" and (whole := _ALL_IN_PARENTHESES.fullmatch(text)):
        text = whole[1].strip()
    unqualified = _unqualified(text, _PARENTHESES, policy.parentheses)
    if unqualified is None:
        return "", "parentheses", False
    unqualified = _unqualified(unqualified, _COMMA, policy.comma)
    if unqualified is None:
        return "", "comma", False
    divided = spelling.divided(unqualified).strip()
    trimmed = spelling.trimmed(divided)
    parts = [part for part in _WHITE_SPACE.split(trimmed) if part]
    if len(parts) > 1 and policy.several_words == "drop":
        return "", "several words", False
    word = ("_" if policy.several_words == "join" else " ").join(parts)
    word = _cased(word, policy, spelling)
    reason = (why_no_word(word) if word else "") or ("" if _LETTER.search(word) else "no letter")
    return ("", reason, False) if reason else (word, "", trimmed != divided)


def _unqualified(text: str, pattern: regex.Pattern[str], qualifier: Qualifier) -> str | None:
    """The text without its trailing qualifier; None if the policy drops qualified labels."""
    if qualifier == "keep":
        return text
    match = pattern.fullmatch(text)
    if match is None:
        return text
    return str(match[1]) if qualifier == "strip" else None


def _cased(word: str, policy: LabelPolicy, spelling: Spelling) -> str:
    if policy.case == "keep":
        return word
    cased = spelling.cased(word, fold=policy.case == "fold")
    # Folding may undo the normalization.
    return cased if policy.normalization == "none" else unicodedata.normalize(policy.normalization, cased)
