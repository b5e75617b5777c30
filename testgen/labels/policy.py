"""The label policy: the choices that turn a label such as "Georgia (country)" into words of a vocabulary."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal, Self, get_args, get_type_hints

import regex

from testgen.errors import PolicyError
from testgen.languages.codes import canonical, from_code, languages

Normalization = Literal["NFC", "NFKC", "NFD", "NFKD", "none"]
Case = Literal["keep", "lower", "fold"]
SeveralWords = Literal["drop", "join", "keep"]
Qualifier = Literal["strip", "keep", "drop"]
Slash = Literal["split", "keep", "drop"]

# Invisible characters that are not part of a word. The joiners U+200C and U+200D are part of it: Persian and
# the Indic scripts use them in spelling.
_INVISIBLE = regex.compile(r"[\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]")
_WHITE_SPACE = regex.compile(r"[\p{White_Space}\p{Cc}]+")
_PARENTHESES = regex.compile(r"(.*\S)\s*[(（][^()（）]*[)）]")
# A comma within a formula separates nothing: 1,2-dioxane, N,N-dimethyltryptamine.
_COMMA = regex.compile(r"(.*?\S)(?:\s+,.*|,(?:\s.*)?|(?<=[\p{L}\p{M}]{2}),.*|\s*[،，].*)")
# Neither does a slash within parentheses: "Georgia (country/state)".
_SLASH = regex.compile(r"\s*/\s*(?![^()（）]*[)）])")
_LETTER = regex.compile(r"\p{L}")
_WIKI_LINK = regex.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_ALL_IN_PARENTHESES = regex.compile(r"[(（]([^()（）]*)[)）]")
# The ending of another gender is no word: מלך/ה, Lehrer/in.
_ENDING = regex.compile(r"(?<=[\p{L}\p{M}]{3})/-?[\p{Ll}\p{Hebrew}\p{Arabic}]{1,2}(?![\p{L}\p{M}])")
_CODE = regex.compile(r"[a-z]{2,3}")
_WITH_SYMBOL = regex.compile(r"[^\s_]*[.:;#&!?@%\p{Sm}\p{Sc}\p{So}][^\s_]*")
TURKIC = ("tr", "az", "crh", "crh-ro", "diq", "gag", "kaa", "kk-latn", "kk-tr", "tly", "tt-latn")
"""Languages in which I is the capital of ı."""

# Dictionaries and textbooks mark long and short vowels in these languages, texts do not.
_WITH_LENGTH_MARKS = ("la", "ang")
_LENGTH_MARKS = regex.compile("[\u0304\u0306]")


_TYPES = {bool: "True or False", int: "a whole number"}
_SPOKEN: dict[Any, str] = {True: "yes", False: "no"}


@dataclass(frozen=True)
class LabelPolicy:
    """How labels become words. The test set file states every choice.

    The steps are taken in this order: removal of invisible characters and of the brackets of links,
    normalization, `slash`, `parentheses`, `comma`, white space, `several_words`, `case`. A result without any
    letter is not a word.

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
        minimum_words: Categories with fewer words are left out of the test set, and so are relations with
            fewer pairs. 4 is the smallest number with which Topk@3 can reach 1.
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
    minimum_words: int = 4

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self)).items():
            value, choices = getattr(self, name), get_args(hint)
            if choices and value not in choices:
                raise PolicyError(
                    f"label policy: {name} cannot be {value!r}; choose from {', '.join(choices)}"
                )
            if not choices and type(value) is not hint:
                raise PolicyError(f"label policy: {name} cannot be {value!r}; it is {_TYPES[hint]}")
        if self.minimum_words < 1:
            raise PolicyError(f"label policy: minimum_words is {self.minimum_words}; it must be 1 or more")

    def as_dict(self) -> dict[str, str | bool | int]:
        """All choices by name, as in a test set file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def changes(self) -> dict[str, str | bool | int]:
        """The choices that differ from the default."""
        default = LabelPolicy().as_dict()
        return {name: value for name, value in self.as_dict().items() if value != default.get(name)}

    def as_texts(self) -> list[str]:
        """The choices that differ from the default, as `with_choice` takes them: `aliases=yes`."""
        # `minimum_words` has an option of its own.
        choices = _choices(type(self))
        changed = [(name, value) for name, value in self.changes().items() if name in choices]
        return [f"{name.replace('_', '-')}={_SPOKEN.get(value, value)}" for name, value in changed]

    def with_choice(self, text: str) -> Self:
        """The policy with another choice, such as `slash=keep` or `any-script=yes`.

        Raises:
            PolicyError: There is no such choice or value; the message lists those that there are.
        """
        name, _, value = text.partition("=")
        field_name, spoken = name.strip().replace("-", "_"), value.strip()
        choices = _choices(type(self)).get(field_name)
        if choices is None:
            raise PolicyError(f"label policy: there is no choice {text!r}; choose from {self.described()}")
        if spoken not in choices:
            raise PolicyError(f"label policy: {name} cannot be {spoken!r}; choose from {', '.join(choices)}")
        changed: dict[str, Any] = {field_name: choices[spoken]}
        return replace(self, **changed)

    @classmethod
    def described(cls) -> str:
        """All choices but that of `minimum_words`, with their values, as `with_choice` takes them."""
        return "; ".join(f"{name.replace('_', '-')}={'|'.join(of)}" for name, of in _choices(cls).items())


def _choices(policy: type[LabelPolicy]) -> dict[str, dict[str, str | bool]]:
    """The values of each choice that a policy leaves open, as they are written."""
    hints = get_type_hints(policy)
    spoken: dict[str, str | bool] = {text: value for value, text in _SPOKEN.items()}
    return {
        name: spoken if hint is bool else {value: value for value in get_args(hint)}
        for name, hint in ((each.name, hints[each.name]) for each in fields(policy) if each.init)
        if hint is not int
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


def words_of_label(label: str, policy: LabelPolicy, code: str) -> tuple[str, ...]:
    """The same as `words_of`, for the code in use of a language."""
    turkic = code in TURKIC
    if label.isalpha():  # as most labels are: there is nothing to leave out
        normal = policy.normalization
        text = label if normal == "none" else unicodedata.normalize(normal, label)
        return (_cased(text, policy, turkic=turkic),)
    if policy.several_words == "drop" and " " in label and all(map(str.isalpha, label.split(" "))):
        return ()
    return _outcome(label, policy, turkic)[0]


def words_of_alias(alias: str, label: str, english: str, policy: LabelPolicy, code: str) -> tuple[str, ...]:
    """The words of an alias, without abbreviations, symbols and codes, as the item's labels tell."""
    named = from_code(alias) if _CODE.fullmatch(alias) else None
    named_by_code = named is not None and languages()[named].name in english  # "bho" for Bhojpuri
    if named_by_code or (_CODE.fullmatch(alias) and label[:1].isupper() and label.lower() != alias):
        return ()
    return tuple(word for word in words_of_label(alias, policy, code) if not _WITH_SYMBOL.fullmatch(word))


def without_length_marks(words: tuple[str, ...], code: str) -> tuple[str, ...]:
    """Words without the macrons and breves of Latin and Old English, decomposed; others as they are."""
    if code not in _WITH_LENGTH_MARKS:
        return words
    return tuple(_LENGTH_MARKS.sub("", unicodedata.normalize("NFD", word)) for word in words)


def why_dropped(label: str, policy: LabelPolicy, code: str) -> tuple[str, ...]:
    """Why some or all of a label gives no word, for people; empty if nothing is dropped."""
    return _outcome(label, policy, code in TURKIC)[1]


@lru_cache(maxsize=50_000)  # many languages share a name
def _outcome(label: str, policy: LabelPolicy, turkic: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    text = _WIKI_LINK.sub(r"\1", _INVISIBLE.sub("", label))
    if policy.normalization != "none":
        text = unicodedata.normalize(policy.normalization, text)
    if policy.slash == "drop" and _SLASH.search(text):
        return (), ("slash",)
    variants = _SLASH.split(_ENDING.sub("", text)) if policy.slash == "split" else [text]
    found = [_word(variant, policy, turkic=turkic) for variant in variants]
    words, reasons = zip(*found, strict=True)
    return tuple(dict.fromkeys(filter(None, words))), tuple(dict.fromkeys(filter(None, reasons)))


def _word(text: str, policy: LabelPolicy, *, turkic: bool) -> tuple[str, str]:
    text = text.strip()
    if policy.parentheses != "keep" and (whole := _ALL_IN_PARENTHESES.fullmatch(text)):
        text = whole[1].strip()
    text = text.lstrip("*")  # of a reconstructed form
    unqualified = _unqualified(text, _PARENTHESES, policy.parentheses)
    if unqualified is None:
        return "", "parentheses"
    unqualified = _unqualified(unqualified, _COMMA, policy.comma)
    if unqualified is None:
        return "", "comma"
    parts = [part for part in _WHITE_SPACE.split(unqualified) if part]
    if len(parts) > 1 and policy.several_words == "drop":
        return "", "several words"
    word = ("_" if policy.several_words == "join" else " ").join(parts)
    word = _cased(word, policy, turkic=turkic)
    return (word, "") if _LETTER.search(word) else ("", "no letter")


def _unqualified(text: str, pattern: regex.Pattern[str], qualifier: Qualifier) -> str | None:
    """The text without its trailing qualifier; None if the policy drops qualified labels."""
    if qualifier == "keep":
        return text
    match = pattern.fullmatch(text)
    if match is None:
        return text
    return str(match[1]) if qualifier == "strip" else None


def _cased(word: str, policy: LabelPolicy, *, turkic: bool) -> str:
    if policy.case == "keep":
        return word
    # İ becomes i everywhere (NFD writes it I + U+0307); Python would make two code points of it.
    word = word.replace("İ", "i").replace("I\u0307", "i")
    if turkic:  # i and U+0307 are what other programs make of İ
        word = word.replace("I", "ı").replace("i\u0307", "i")
    cased = word.lower() if policy.case == "lower" else word.casefold()
    # Folding may undo the normalization.
    return cased if policy.normalization == "none" else unicodedata.normalize(policy.normalization, cased)
