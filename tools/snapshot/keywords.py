"""The keywords that CLDR has for symbols in each language, beside their names."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from snapshot import cldr, packages
from snapshot.items import table

SECTIONS = {"annotations": "annotations", "annotationsDerived": "annotations-derived"}

# Keywords of flags, letters and digits are about writing; five tones of skin have those of one symbol.
LEFT_OUT = re.compile(r"\w|[\U0001F1E6-\U0001F1FF\U0001F3FB-\U0001F3FF\U000E0020-\U000E007F]")

NOT_OWN = {
    "kl": "91% of its words are Danish",
    "hi-latn": "82% of its words are English",
}
"""Language tags whose keywords are mostly another language's, and are left out."""

Words = Mapping[str, Sequence[str]]
"""The words of each symbol: those of its name, then those of its keywords, each once."""


def by_locale() -> dict[str, Words]:
    """The words of symbols in each locale, as the packages have them."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for section, package in SECTIONS.items():
        for locale, content in packages.documents(f"cldr-{package}-full", "annotations.json"):
            said = content[section].get("annotations", {})
            found.setdefault(locale, {}).update(
                {symbol: words for symbol, each in said.items() if (words := _words(symbol, each))}
            )
    return found


def _words(symbol: str, said: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of a symbol; none if it has a name alone."""
    if LEFT_OUT.search(symbol) or not said.get("default"):
        return ()
    texts = (*said.get("tts", ()), *said["default"])
    words = (word for text in texts for word in cldr.clean(text).split() if any(map(str.isalpha, word)))
    return tuple(dict.fromkeys(words))


def by_tag() -> dict[str, Words]:
    """The words of symbols by language tag; a variety has those of its language with its own changes."""
    stated, found = by_locale(), dict[str, Words]()
    for row in table("locales"):
        *own, foreign = cldr.chain(row["locale"])
        other = stated.get(foreign, {})
        merged = {symbol: words for each in reversed(own) for symbol, words in stated.get(each, {}).items()}
        kept = {symbol: words for symbol, words in merged.items() if words != other.get(symbol)}
        if kept and row["tag"] not in NOT_OWN:
            found[row["tag"]] = kept
    return found


def write(output: Path, found: Mapping[str, Words], name: str, released: date, license_: str) -> None:
    """Write words of symbols by language tag, in the form that testgen reads beside a snapshot.

    It is a ZIP file with a list of contents, and JSON for each language, so that a language is read alone.
    The same words give the same bytes.
    """
    texts = {
        tag: _json({symbol: " ".join(found[tag][symbol]) for symbol in sorted(found[tag])}) for tag in found
    }
    first = {text: tag for tag, text in sorted(texts.items(), reverse=True)}
    contents = {
        "name": name,
        "date": released.isoformat(),
        "license": license_,
        "languages": {tag: first[text] for tag, text in sorted(texts.items())},
    }
    members = {"contents": _json(contents)} | {tag: texts[tag] for tag in sorted(first.values())}
    with zipfile.ZipFile(output, "w") as file:
        for member, text in members.items():
            file.writestr(zipfile.ZipInfo(f"{member}.json"), text, zipfile.ZIP_DEFLATED, 9)


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
