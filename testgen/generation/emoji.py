"""Test sets of emoji, from the groups in Unicode's emoji-test.txt; they need no query and no language."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import msgspec

from testgen.errors import PolicyError, SourceError
from testgen.labels.policy import (
    Case,
    LabelPolicy,
    Normalization,
    Qualifier,
    SeveralWords,
    Slash,
    SpellingRules,
)
from testgen.sources import Provenance
from testgen.system import read_text
from testgen.testset.types import Category, Heading, Item, TestSet

DropOrKeep = Literal["drop", "keep"]
By = Literal["subgroup", "group"]

INSTALLED = Path("/usr/share/unicode/emoji/emoji-test.txt")  # the file of Debian's package unicode-data
LANGUAGE = "und"  # Emoji belong to no single language; for `und`, case folding follows the rules of none
SELECTOR = 0xFE0F
SKIN_TONES = range(0x1F3FB, 0x1F3FF + 1)

_HEADER = re.compile(r"#\s*(Version|Date):\s*([0-9.]+|[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[\s,].*)?")
_HEADING = re.compile(r"#\s*(group|subgroup):\s*(.*\S)\s*")
_EMOJI_LINE = re.compile(
    r"([0-9A-F]{4,6}(?: [0-9A-F]{4,6})*)\s*;"
    r"\s*(component|fully-qualified|minimally-qualified|unqualified|non-fully-qualified)\s*(?:#.*)?"
)


@dataclass(frozen=True)
class EmojiPolicy(LabelPolicy):
    """Which emoji become words, and in which form; the choices of a label policy about names are fixed.

    Only fully-qualified emoji become words, including sequences with a zero-width joiner; components (skin
    tones and hair by themselves) do not.

    Attributes:
        minimum_words: Categories with fewer emoji are left out. 3 is the smallest number that OddOneOut@3 can
            use.
        variation_selectors: Whether to keep U+FE0F, which asks for a picture in place of a letter. The
            vocabularies of most vectors do not have it.
        skin_tones: Whether emoji with one or more of the five skin tones are words of their own.
    """

    normalization: Normalization = field(default="none", init=False)
    case: Case = field(default="keep", init=False)
    several_words: SeveralWords = field(default="keep", init=False)
    parentheses: Qualifier = field(default="keep", init=False)
    comma: Qualifier = field(default="keep", init=False)
    slash: Slash = field(default="keep", init=False)
    aliases: bool = field(default=False, init=False)
    mul: bool = field(default=False, init=False)
    any_script: bool = field(default=True, init=False)
    spelling: SpellingRules = field(default="source", init=False)
    minimum_words: int = 3
    variation_selectors: DropOrKeep = "drop"
    skin_tones: DropOrKeep = "drop"

    def word(self, points: tuple[int, ...]) -> str | None:
        """The word for an emoji with these code points; None if it is left out."""
        if self.skin_tones == "drop" and any(point in SKIN_TONES for point in points):
            return None
        dropped = SELECTOR if self.variation_selectors == "drop" else None
        return "".join(chr(point) for point in points if point != dropped) or None


@dataclass(frozen=True)
class Emoji:
    """A fully-qualified emoji: its code points, group (`Food & Drink`) and subgroup (`food-fruit`)."""

    points: tuple[int, ...]
    group: str
    subgroup: str

    @property
    def id(self) -> str:
        """Its code points as Unicode writes them, with hyphens between: `U+2764-FE0F`."""
        return "U+" + "-".join(f"{point:04X}" for point in self.points)


def read_emoji_test(path: Path) -> tuple[Provenance, tuple[Emoji, ...]]:
    """Version, date and digest of an emoji-test.txt, 4.0 or later, and its fully-qualified emoji in order."""
    text, sha256 = read_text(path, SourceError)
    lines = text.split("\n")
    emoji = tuple(_emoji(path, lines))
    if not emoji:
        raise SourceError(
            f"{path}: has no fully-qualified emoji under `# group:` and `# subgroup:` lines; is it an "
            "emoji-test.txt of version 4.0 or later?"
        )
    header = {match[1]: match[2] for line in reversed(lines) if (match := _HEADER.fullmatch(line))}
    name = f"emoji-test {header['Version']}" if "Version" in header else "emoji-test"
    return Provenance("unicode", name, header.get("Date"), sha256), emoji


def _emoji(path: Path, lines: list[str]) -> Iterator[Emoji]:
    current: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            inner = {**current, "subgroup": heading[2]}
            current = inner if heading[1] == "subgroup" else {"group": heading[2]}
        elif line.strip() and not line.startswith("#"):
            points, status = _points_and_status(path, number, line)
            if len(current) < 2:
                raise SourceError(
                    f"{path}, line {number}: there is no `# group:` or `# subgroup:` above; is this an "
                    "emoji-test.txt?"
                )
            if status == "fully-qualified":
                yield Emoji(points, current["group"], current["subgroup"])


def _points_and_status(path: Path, number: int, line: str) -> tuple[tuple[int, ...], str]:
    match = _EMOJI_LINE.fullmatch(line.rstrip())
    points = tuple(int(point, 16) for point in match[1].split()) if match else ()
    # A code point may be no character: a surrogate, or a number beyond Unicode.
    if match is None or not all(point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF for point in points):
        shown = line if len(line) <= 60 else f"{line[:60]}…"
        raise SourceError(
            f"{path}, line {number}: {shown!r} is not a line of an emoji-test.txt; its lines look like "
            "`1F600 ; fully-qualified # 😀 E1.0 grinning face`. Download the file again"
        )
    return points, match[2]


def emoji_test_set(
    source: str | Path | None = None, by: By = "subgroup", policy: EmojiPolicy | None = None
) -> TestSet:
    """The test set of emoji: a category for each subgroup, or each group, of Unicode's emoji-test.txt.

    Args:
        source: The path of the file; None for the one that is installed on this machine.
        by: `subgroup`, with the group as topic; or `group`.
        policy: Which emoji become words, and in which form; `EmojiPolicy()` if None.

    Raises:
        SourceError: The file cannot be used, or no category has enough emoji.
        PolicyError: `by` has a value that does not exist.
    """
    policy = policy or EmojiPolicy()
    if by not in get_args(By):
        raise PolicyError(f"emoji cannot be grouped by {by!r}; choose from {', '.join(get_args(By))}")
    path = INSTALLED if source is None else Path(source)
    if source is None and not path.is_file():
        raise SourceError(
            f"there is no emoji-test.txt at {path}; download it from https://unicode.org/Public/emoji/ and "
            "name it with --emoji-test, or install Debian's package unicode-data"
        )
    provenance, emoji = read_emoji_test(path)
    categories = _categories(path, emoji, by, policy)
    large = [category for category in categories if category.size >= policy.minimum_words]
    if not large:
        most = max(category.size for category in categories)
        raise SourceError(
            f"{path}: no {by} has {policy.minimum_words} emoji, the largest has {most}; lower --minimum-words"
        )
    return TestSet(language=LANGUAGE, source=provenance, policy=policy, categories=tuple(large), relations=())


def _categories(path: Path, all_emoji: Iterable[Emoji], by: By, policy: EmojiPolicy) -> list[Category]:
    emoji_by_word: dict[Heading, dict[str, Emoji]] = {}
    for emoji in all_emoji:
        words = emoji_by_word.setdefault(_heading(emoji, by, policy), {})
        if word := policy.word(emoji.points):
            words.setdefault(word, emoji)  # of two emoji that give the same word, the first
    times = Counter(heading.name for heading in emoji_by_word)
    repeated = [name for name in times if times[name] > 1]
    if repeated:
        raise SourceError(
            f"{path}: {by} {repeated[0]!r} is in two groups; download the file again, or use --by group"
        )
    categories = []
    for heading, words in sorted(emoji_by_word.items(), key=lambda category: category[0].name):
        ordered = sorted(words.items(), key=lambda word: word[1].points)
        items = tuple(Item(emoji.id, (word,), "query") for word, emoji in ordered)
        categories.append(Category(**msgspec.structs.asdict(heading), items=items))
    return categories


def _heading(emoji: Emoji, by: By, policy: EmojiPolicy) -> Heading:
    groups = f"group {emoji.group}" + (f", subgroup {emoji.subgroup}" if by == "subgroup" else "")
    text = (
        f"emoji-test.txt: {groups}: fully-qualified emoji; "
        f"U+FE0F: {policy.variation_selectors}; skin tones: {policy.skin_tones}"
    )
    return Heading(
        name=emoji.subgroup if by == "subgroup" else "-".join(re.findall(r"\w+", emoji.group.lower())),
        title=f"{emoji.group}: {emoji.subgroup}" if by == "subgroup" else emoji.group,
        topic=emoji.group if by == "subgroup" else "emoji",
        query=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
