"""Spelling conventions for letters and marks, script by script.

Each function takes a word in NFC. The result may not be in NFC, and is empty if nothing is left.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

import regex


def _both_cases(letters: Mapping[str, str]) -> dict[int, str]:
    """A table for str.translate that includes the capitals of these letters."""
    return str.maketrans({**letters, **{key.upper(): value.upper() for key, value in letters.items()}})


# Marks of length in dictionaries, of stress in missals, of hiatus (poëta), of contraction, and the accents of
# early prints; not the tilde, which stands for an omitted m or n.
_LATIN_MARKS = regex.compile(r"(?<=\p{Latin}\p{M}*)[\u0300\u0301\u0302\u0304\u0306\u0308]")
_LATIN_LETTERS = str.maketrans("jJvVſ", "iIuUs")
_LATIN_LIGATURES = {"æ": "ae", "œ": "oe", "ę": "ae"}

# Texts converted from Beta Code have the breathing before a capital letter, as a spacing or combining mark.
_GREEK_MARKS = regex.compile(r"(?<=\p{Greek})\p{M}+|^[\p{Mn}\p{Sk}]+(?=\p{Greek})")
_GREEK_LETTERS = str.maketrans("ςϲϹϐϑϕϖϱϰϵϴ", "σσΣβθφπρκεΘ")

_HEBREW_MARKS = regex.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u034f\u200c-\u200f]+")
_HEBREW_FORMS = regex.compile("[\ufb1d-\ufb28\ufb2a-\ufb4f]+")
_YIDDISH_LIGATURES = str.maketrans({"װ": "וו", "ױ": "וי", "ײ": "יי"})

# Vowel signs, tatweel, Koranic marks and invisible characters. Hamza above and below (U+0654, U+0655) stay:
# except on alef they make another letter.
_ARABIC_MARKS = regex.compile(
    "[\u0610-\u061a\u061c\u0640\u064b-\u0653\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    "\u08d3-\u08e1\u08e3-\u08ff\u200b-\u200f]+"
)
# Without U+FDFA and U+FDFB, which stand for a whole phrase.
_ARABIC_FORMS = regex.compile("[\ufb50-\ufdf9\ufe70-\ufefc]+")
_ALEFS = str.maketrans("آأإٱٲٳ", "اااااا")
_PERSIAN_LETTERS = str.maketrans("يىك", "ییک")

_SERBIAN = _both_cases(dict(zip("абвгдђежзијклмнопрстћуфхцчш", "abvgdđežzijklmnoprstćufhcčš", strict=True)))
_CYRILLIC = regex.compile(r"\p{Cyrillic}")
_SERBIAN_DIGRAPHS = {"љ": "lj", "њ": "nj", "џ": "dž", "ǉ": "lj", "ǌ": "nj", "ǆ": "dž"}

_NORSE = _both_cases({"ǿ": "æ", "œ": "æ", "ǽ": "æ", "ǫ": "ö", "ø": "ö", "ę": "e"})

# Editions mark length by circumflex, macron or acute, and write ë (è) for the e that is not from a.
_GERMAN_MARKS = regex.compile(r"(?<=(?i:[aeiouyæœ])\p{M}*)[\u0300-\u0302\u0304]|(?<=(?i:e)\p{M}*)\u0308")
_GERMAN_Z = _both_cases({"ȥ": "z", "ʒ": "z"})
# Only at the end of a word: within it, doubled letters tell minne "love" from mîne "my". A doubled k is ck.
_GERMAN_DOUBLED = regex.compile(r"(?i)(?:c(?=k)|([b-df-hj-np-tv-xz])(?=\1))(?=\p{L}(?![\p{L}\p{M}]))")
_GERMAN_FINAL = regex.compile(r"(?<=\p{Latin}\p{M}*)[bdgkBDGK](?![\p{L}\p{M}])")
_DEVOICED = _both_cases({"b": "p", "d": "t", "g": "c", "k": "c"})

# The number of a homonym, as in šarru_I; ORACC's guide word and part of speech, as in šarru[king]N.
_AKKADIAN_SENSE = regex.compile(
    r"(?<=[\p{Latin}ʾʿ]\p{M}*)(?:_(?i:[ivx]+)|\[[^\[\]]*\][A-Z]*(?:['’][A-Z]+)?)$"
)

# Old texts write the half nasal ఁ (arasunna) and ఱ, and end neuters in -ంబు; later ones in -ం.
_TELUGU_LETTERS = str.maketrans({"ఁ": None, "ఱ": "ర"})
_TELUGU_ENDING = regex.compile(r"(?<=\p{Telugu})ం(?:బు)?(?![\p{L}\p{M}])")

# Before Unicode 5.1, final consonants were written as ന് with a joiner.
_MALAYALAM_FINALS = dict(zip("ണനരലളക", "ൺൻർൽൾൿ", strict=True))
_MALAYALAM_FINAL = regex.compile("([ണനരലളക])\u0d4d\u200d")
_MALAYALAM_JOINERS = regex.compile(r"(?<=\p{Malayalam}\p{M}*)[\u200c\u200d]+")

_MARKED = regex.compile(r"(?<=[\p{Latin}\p{Greek}\p{Cyrillic}])\p{M}+")


def latin(word: str) -> str:
    """Latin without j, v, ligatures and the marks of vowels."""
    word = unicodedata.normalize("NFC", _LATIN_MARKS.sub("", _decomposed(word)))
    return _spelled_out(word, _LATIN_LIGATURES).translate(_LATIN_LETTERS)


def greek(word: str) -> str:
    """Greek letters without marks, and without variant forms of letters."""
    return _GREEK_MARKS.sub("", _decomposed(word)).translate(_GREEK_LETTERS)


def hebrew(word: str) -> str:
    """Hebrew letters without points and accents; final letters stay."""
    word = _HEBREW_FORMS.sub(_compatible, word)
    return _HEBREW_MARKS.sub("", word).translate(_YIDDISH_LIGATURES)


def arabic(word: str) -> str:
    """Arabic letters without vowel signs, and alef without hamza, madda or wasla."""
    return _unvocalised(word).translate(_ALEFS)


def persian(word: str) -> str:
    """Persian or Urdu letters without vowel signs, ye and kaf as in Persian."""
    return _unvocalised(word).translate(_PERSIAN_LETTERS)


def serbian(word: str) -> str:
    """Serbian in Latin letters; a word with Cyrillic letters that Serbian lacks is unchanged."""
    romanised = _spelled_out(word, _SERBIAN_DIGRAPHS).translate(_SERBIAN)
    return word if _CYRILLIC.search(romanised) else romanised


def norse(word: str) -> str:
    """Old Norse, where vowels that merged in Icelandic are written the same."""
    return word.replace("ǫ\u0301", "á").replace("Ǫ\u0301", "Á").translate(_NORSE)


def middle_high_german(word: str) -> str:
    """Middle High German as in manuscripts: without marks of length, finals voiceless and simple."""
    word = unicodedata.normalize("NFC", _GERMAN_MARKS.sub("", _decomposed(word))).translate(_GERMAN_Z)
    return _GERMAN_FINAL.sub(lambda final: final[0].translate(_DEVOICED), _GERMAN_DOUBLED.sub("", word))


def akkadian_lemmas(word: str) -> str:
    """An Akkadian lemma without what tells it from its homonyms."""
    return _AKKADIAN_SENSE.sub("", word)


def telugu(word: str) -> str:
    """Telugu without arasunna, with one r, and with the ending -ము of neuters."""
    return _TELUGU_ENDING.sub("ము", word.translate(_TELUGU_LETTERS))


def malayalam(word: str) -> str:
    """Malayalam with letters for final consonants, and no other joiners."""
    word = _MALAYALAM_FINAL.sub(lambda final: _MALAYALAM_FINALS[final[1]], word)
    return _MALAYALAM_JOINERS.sub("", word)


def strip_marks(word: str) -> str:
    """Latin, Greek and Cyrillic letters without marks."""
    return _MARKED.sub("", _decomposed(word))


def _decomposed(word: str) -> str:
    return unicodedata.normalize("NFD", word)


def _compatible(match: regex.Match[str]) -> str:
    """The letters of a presentation form, without the space that some forms of single marks contain."""
    return unicodedata.normalize("NFKC", match[0]).replace(" ", "")


def _unvocalised(word: str) -> str:
    return _ARABIC_MARKS.sub("", unicodedata.normalize("NFC", _ARABIC_FORMS.sub(_compatible, word)))


def _spelled_out(word: str, digraphs: Mapping[str, str]) -> str:
    """Replace letters by two letters: Љубав becomes Ljubav, ЉУБАВ becomes LJUBAV."""

    def spelled(match: regex.Match[str]) -> str:
        letters = digraphs[match[0].lower()]
        if match[0].islower():
            return letters
        return letters.title() if word[match.end() :][:1].islower() else letters.upper()

    return regex.sub(f"[{''.join(digraphs)}]", spelled, word, flags=regex.IGNORECASE)
