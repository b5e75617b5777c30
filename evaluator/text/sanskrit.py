"""Sanskrit: three transliterations converted to Devanagari, in which nasals are written by one rule.

The target is Devanagari because only it is unambiguous (in IAST, kh is one letter or two), and because no
Latin letters remain that could be converted a second time.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

import regex

_VOWELS = "अआइईउऊऋॠऌॡएऐओऔ"
_SIGNS = ["", *"\u093e\u093f\u0940\u0941\u0942\u0943\u0944\u0962\u0963\u0947\u0948\u094b\u094c"]
_CONSONANTS = "कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह"
_VIRAMA = "\u094d"


def _alphabet(vowels: str, consonants: str, others: Mapping[str, str]) -> dict[str, str]:
    """The letters of a transliteration with their Devanagari, consonants without a vowel."""
    letters = dict(zip(vowels.split(), _VOWELS, strict=True))
    letters |= {
        roman: letter + _VIRAMA for roman, letter in zip(consonants.split(), _CONSONANTS, strict=True)
    }
    return {**letters, **others}


_AVAGRAHA = dict.fromkeys("'’ʼ", "ऽ")
_IAST = _alphabet(
    "a ā i ī u ū ṛ ṝ ḷ ḹ e ai o au",
    "k kh g gh ṅ c ch j jh ñ ṭ ṭh ḍ ḍh ṇ t th d dh n p ph b bh m y r l v ś ṣ s h",
    {"ṃ": "ं", "ḥ": "ः", "m\u0310": "ँ", "ḻ": "ळ" + _VIRAMA, **_AVAGRAHA}
    # Vowels in hiatus, visarga before k and p, and letters that ISO 15919 writes differently.
    | {"ï": "इ", "ü": "उ", "ẖ": "ः", "ḫ": "ः", "ṁ": "ं", "ē": "ए", "ō": "ओ"}
    | {"r\u0325": "ऋ", "r\u0325\u0304": "ॠ", "l\u0325": "ऌ", "l\u0325\u0304": "ॡ"},
)
_SLP1 = _alphabet(
    "a A i I u U f F x X e E o O",
    "k K g G N c C j J Y w W q Q R t T d D n p P b B m y r l v S z s h",
    {"M": "ं", "H": "ः", "~": "ँ", "L": "ळ" + _VIRAMA, "Z": "ः", "V": "ः", **_AVAGRAHA},
)
_WX = _alphabet(
    "a A i I u U q Q L LY e E o O",
    "k K g G f c C j J F t T d D N w W x X n p P b B m y r l v S R s h",
    {"M": "ं", "H": "ः", "z": "ँ", "Z": "ऽ", "lY": "ळ" + _VIRAMA, **_AVAGRAHA},
)
# Small letters mean the same in SLP1 and IAST, and no Sanskrit word has k before h, or a before i, so that
# words in SLP1 can be compared with vocabularies in IAST.
_SLP1_OR_IAST = {roman: _IAST[roman] for roman in _IAST if roman.isascii()} | _SLP1

# An avagraha is before or between letters; after them the sign is a quotation mark.
_RUN = regex.compile("['’ʼ]*\\p{Latin}[\\p{Latin}\u0300-\u036f~]*")
_ACCENTS = regex.compile("(?<=[aeiou]\u0304?|[rl][\u0323\u0325]\u0304?)[\u0300\u0301]")
# IAST writes ḷ for a vowel and, as in īḷe, for a consonant; only the consonant can be followed by a vowel.
_RETROFLEX_L = regex.compile("ḷ(?=h?[aāiīuūṛṝeo])")
_JOINED = regex.compile(f"{_VIRAMA}([{_VOWELS}])")
_SIGN = dict(zip(_VOWELS, _SIGNS, strict=True))
_VOWEL = {sign: vowel for vowel, sign in _SIGN.items()}

# Vedic accents, the dot of Hindi's ढ़, and joiners that only change the shape of a cluster.
_UNWRITTEN = regex.compile("[\u093c\u0951-\u0954\u1cd0-\u1cd2\u1cd4-\u1ce8\ua8e0-\ua8f1\u200c\u200d]+")
# Sanskrit has no short e and o; the signs for visarga before k and p become a plain visarga.
_ONE_LETTER = str.maketrans(
    {"ऎ": "ए", "ऒ": "ओ", "\u0946": "\u0947", "\u094a": "\u094b", "ॐ": "ओम्", "\u1cf5": "ः", "\u1cf6": "ः"}
    | dict(zip("0123456789", "०१२३४५६७८९", strict=True))
)
# A vocalic r after r is written as a sign or as a letter.
_VOCALIC_AFTER_R = regex.compile("र([\u0943\u0944])")
_NASALS = {
    letter: nasal + _VIRAMA
    for nasal, letters in {"ङ": "कखगघङ", "ञ": "चछजझञ", "ण": "टठडढण", "न": "तथदधन", "म": "पफबभम"}.items()
    for letter in letters
}
_ANUSVARA_BEFORE_STOP = regex.compile(f"ं+(?=([{''.join(_NASALS)}]))")
_ANUSVARA_AT_END = regex.compile(r"ं+(?![\p{L}\p{M}])")


def from_iast(word: str) -> str:
    """Convert a word in IAST, ISO 15919 or Devanagari to standard Devanagari."""
    return _standard(_RUN.sub(lambda run: _read_iast(run[0]), word))


def from_slp1(word: str) -> str:
    """Convert a word in SLP1, IAST or Devanagari to standard Devanagari."""
    return _standard(_RUN.sub(lambda run: _read_ascii(run[0], _SLP1_OR_IAST), word))


def from_wx(word: str) -> str:
    """Convert a word in WX or Devanagari, or in IAST if it has a mark, to standard Devanagari."""
    return _standard(_RUN.sub(lambda run: _read_ascii(run[0], _WX), word))


def _read_ascii(run: str, alphabet: Mapping[str, str]) -> str:
    if not run.lstrip("’ʼ").isascii():
        return _read_iast(run)
    return _read(run, alphabet) or run


def _read_iast(run: str) -> str:
    unaccented = _ACCENTS.sub("", unicodedata.normalize("NFD", run))
    lower = unicodedata.normalize("NFC", unaccented).casefold()
    return _read(_RETROFLEX_L.sub("ḻ", lower), _IAST) or run


def _read(run: str, alphabet: Mapping[str, str]) -> str | None:
    """Convert a run of letters to Devanagari; None if the alphabet lacks one of them."""
    letters, at = [], 0
    while at < len(run):
        roman = next((run[at : at + size] for size in (3, 2, 1) if run[at : at + size] in alphabet), None)
        if roman is None:
            return None
        letters.append(alphabet[roman])
        at += len(roman)
    return _JOINED.sub(lambda vowel: _SIGN[vowel[1]], "".join(letters))


def _standard(word: str) -> str:
    """Standard Devanagari: without accents, and with anusvara only where no other nasal can be written."""
    word = _UNWRITTEN.sub("", word).translate(_ONE_LETTER)
    word = _VOCALIC_AFTER_R.sub(lambda found: f"र{_VIRAMA}{_VOWEL[found[1]]}", word)
    word = _ANUSVARA_BEFORE_STOP.sub(lambda found: _NASALS[found[1]], word)
    return _ANUSVARA_AT_END.sub("म" + _VIRAMA, word)
