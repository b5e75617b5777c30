"""How much of a corpus is in another language than is said, as its function words show.

A language has its function words at about the same rate in all texts, and others hardly have them. So the
rate of German *und*, *nicht*, *auch* and *auf* in a corpus, divided by their rate in German novels, is about
the share of German in it. Sanskrit and Hindi are found in each of the scripts of India that Unicode arranges
like Devanagari, such as Telugu. The rates in `other_languages.tsv` are those of a corpus of each language; a
language without one is never found, and none is looked for in texts of the close languages in the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from evaluator.text.corpus import script_of_most, scripts_of
from evaluator.text.normalization import usual_code

LEAST_SHARE = 0.1
"""Below, it may be quotations."""

LEAST_FOUND = 10
"""Function words that must be found, each occurrence counted."""

LEAST_SCRIPT = 0.5
"""The share of words in the script of the language; mixed scripts, as in Japanese, are usual."""

_DEVANAGARI = {letter: 0x0900 + letter % 0x80 for letter in range(0x0980, 0x0D80)}
"""From Bengali to Malayalam, scripts have the same letters at the same places of blocks of 128."""


@cache
def _languages() -> tuple[dict[str, str], ...]:
    head, *rows = (files(__package__) / "other_languages.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(dict(zip(head.split("\t"), row.split("\t"), strict=True)) for row in rows)


def other_languages(counts: Mapping[str, int], language: str) -> dict[str, float]:
    """The other languages in a corpus by name, with about their shares, 1 at most; the largest first.

    Args:
        counts: How often each word occurs in the corpus.
        language: The code of the language that it is said to be in.
    """
    own = usual_code(language).partition("-")[0]
    tokens = sum(counts.values())
    looked_for = [each for each in _languages() if own not in (each["language"], *each["close"].split())]
    marks = {word: each["name"] for each in looked_for for word in each["words"].split()}
    found = dict.fromkeys((each["name"] for each in looked_for), 0)
    for word, count in counts.items():
        name = marks.get(word.lower().translate(_DEVANAGARI))
        if name is not None:
            found[name] += count
    shares = {
        each["name"]: min(1.0, found[each["name"]] / (tokens * float(each["rate"]))) for each in looked_for
    }
    return {
        name: shares[name]
        for name in sorted(shares, key=lambda name: (-shares[name], name))
        if shares[name] >= LEAST_SHARE and found[name] >= LEAST_FOUND
    }


def remark(corpus: str, counts: Mapping[str, int], language: str, words: Iterable[str] = ()) -> str:
    """What to say of a corpus that is partly in another language or script; "" if it is not.

    Args:
        corpus: Its name.
        counts: How often each word occurs in it.
        language: The code of the language that it is said to be in.
        words: Words of the language, which show its script.
    """
    said = [
        f"about {share:.0%} {name}, by function words"
        for name, share in other_languages(counts, language).items()
    ]
    scripts, own = scripts_of(counts), script_of_most(dict.fromkeys(words, 1))
    if own is not None and scripts and (share := scripts[own] / scripts.total()) < LEAST_SCRIPT:
        said.append(f"{share:.0%} of its words in {own} letters, and most in {scripts.most_common(1)[0][0]}")
    return f"{corpus}: {'; '.join(said)}. Is all of it in the language {language!r}?" if said else ""
