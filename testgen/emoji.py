"""Emoji: categories out of Unicode's emoji-test.txt, for which neither a query nor a language is needed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NoReturn, get_args

from testgen.errors import PolicyError, SourceError
from testgen.files import written_whole
from testgen.labels import LabelPolicy, Normalization, Qualifier, SeveralWords, Slash
from testgen.queries import Query
from testgen.sources import Provenance
from testgen.store import ItemWords
from testgen.testset import Category, TestSet, serialize

Choice = Literal["drop", "keep"]
By = Literal["subgroup", "group"]

PLACES = (Path("/usr/share/unicode/emoji/emoji-test.txt"),)
"""Where the file may lie on a machine: Debian's package unicode-data puts it there."""

LANGUAGE = "und"
"""Emoji are of no one language; `und` folds case by the rules of none."""

SELECTOR = 0xFE0F
SKIN_TONES = range(0x1F3FB, 0x1F3FF + 1)

_HEADER = re.compile(r"#\s*(Version|Date):\s*([0-9.]+|[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[\s,].*)?")
_HEADING = re.compile(r"#\s*(group|subgroup):\s*(.*\S)\s*")
_ENTRY = re.compile(
    r"([0-9A-F]{4,6}(?: [0-9A-F]{4,6})*)\s*;"
    r"\s*(component|fully-qualified|minimally-qualified|unqualified|non-fully-qualified)\s*(?:#.*)?"
)


@dataclass(frozen=True)
class EmojiPolicy(LabelPolicy):
    """Which emoji become words, and in what form; what a label policy says of names does not come up.

    Only fully-qualified emoji count, sequences with a zero-width joiner among them; components (skin tones
    and hair by themselves) do not.

    Attributes:
        minimum_words: Categories with fewer emoji are left out. 3 is the least that OddOneOut@3 can use.
        variation_selectors: Whether U+FE0F, which asks for a picture in place of a letter, stays in the
            words. The vocabularies of most vectors lack it.
        skin_tones: Whether emoji with one or more of the five skin tones are words of their own.
    """

    normalization: Normalization = field(default="none", init=False)
    case: Literal["keep", "lower", "fold"] = field(default="keep", init=False)
    several_words: SeveralWords = field(default="keep", init=False)
    parentheses: Qualifier = field(default="keep", init=False)
    comma: Qualifier = field(default="keep", init=False)
    slash: Slash = field(default="keep", init=False)
    aliases: bool = field(default=False, init=False)
    mul: bool = field(default=False, init=False)
    minimum_words: int = 3
    variation_selectors: Choice = "drop"
    skin_tones: Choice = "drop"

    def __post_init__(self) -> None:
        """Refuse values that do not exist.

        Raises:
            PolicyError: Naming the field, the value and the choices.
        """
        super().__post_init__()
        for name in ("variation_selectors", "skin_tones"):
            if getattr(self, name) not in get_args(Choice):
                raise PolicyError(
                    f"emoji policy: {name} cannot be {getattr(self, name)!r}; choose drop or keep"
                )

    def word(self, points: tuple[int, ...]) -> str | None:
        """The word that an emoji gives; None if it is left out.

        Args:
            points: Its code points.
        """
        if self.skin_tones == "drop" and any(point in SKIN_TONES for point in points):
            return None
        dropped = SELECTOR if self.variation_selectors == "drop" else None
        return "".join(chr(point) for point in points if point != dropped) or None


@dataclass(frozen=True)
class Emoji:
    """A fully-qualified emoji.

    Attributes:
        points: Its code points.
        group: Its group, such as `Food & Drink`.
        subgroup: Its subgroup, such as `food-fruit`.
    """

    points: tuple[int, ...]
    group: str
    subgroup: str

    @property
    def id(self) -> str:
        """Its code points as Unicode writes them, with hyphens between: `U+2764-FE0F`."""
        return "U+" + "-".join(f"{point:04X}" for point in self.points)


@dataclass(frozen=True)
class EmojiTest:
    """What an emoji-test.txt says.

    Attributes:
        provenance: The file's version, date and SHA-256.
        emoji: The fully-qualified ones, in the order of the file.
    """

    provenance: Provenance
    emoji: tuple[Emoji, ...]


def find_emoji_test() -> Path:
    """An emoji-test.txt on this machine.

    Raises:
        SourceError: There is none where it may lie.
    """
    for path in PLACES:
        if path.is_file():
            return path
    listed = ", ".join(map(str, PLACES))
    raise SourceError(
        f"there is no emoji-test.txt at {listed}; fetch it from https://unicode.org/Public/emoji/ and name "
        "it with --emoji-test, or install Debian's package unicode-data"
    )


def read_emoji_test(path: str | Path) -> EmojiTest:
    """Read Unicode's emoji-test.txt, of any version that has groups (4.0 and later).

    Raises:
        SourceError: It cannot be read, is not UTF-8, has a malformed line, or holds no emoji in groups.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"{path}, line {number}: not UTF-8; fetch emoji-test.txt again, unpacked and as it is"
        ) from error
    emoji = tuple(_emoji(path, lines))
    if not emoji:
        raise SourceError(
            f"{path}: has no fully-qualified emoji under `# group:` and `# subgroup:` lines; is it an "
            "emoji-test.txt of version 4.0 or later?"
        )
    header = {match[1]: match[2] for line in reversed(lines) if (match := _HEADER.fullmatch(line))}
    name = f"emoji-test {header['Version']}" if "Version" in header else "emoji-test"
    sha256 = hashlib.sha256(content).hexdigest()
    return EmojiTest(Provenance("unicode", name, header.get("Date"), sha256), emoji)


def _emoji(path: Path, lines: list[str]) -> Iterator[Emoji]:
    """The fully-qualified emoji, with the groups that they stand in."""
    place: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            place = {**place, "subgroup": heading[2]} if heading[1] == "subgroup" else {"group": heading[2]}
        elif line.strip() and not line.startswith("#"):
            points, status = _entry(path, number, line)
            if len(place) < 2:
                _fail(
                    path, number, "stands before any `# group:` and `# subgroup:`; is this an emoji-test.txt?"
                )
            if status == "fully-qualified":
                yield Emoji(points, place["group"], place["subgroup"])


def _entry(path: Path, number: int, line: str) -> tuple[tuple[int, ...], str]:
    """The code points and the status of a line."""
    match = _ENTRY.fullmatch(line.rstrip())
    points = tuple(int(point, 16) for point in match[1].split()) if match else ()
    if match is None or not all(_is_scalar(point) for point in points):
        shown = line if len(line) <= 60 else f"{line[:60]}…"
        _fail(
            path,
            number,
            f"{shown!r} is no line of an emoji-test.txt, which look like `1F600 ; fully-qualified # 😀 E1.0 "
            "grinning face`; fetch the file again",
        )
    return points, match[2]


def _is_scalar(point: int) -> bool:
    """Whether a code point can be a character: half of one, and what lies beyond Unicode, cannot."""
    return point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF


def _fail(path: Path, number: int, complaint: str) -> NoReturn:
    raise SourceError(f"{path}, line {number}: {complaint}")


def emoji_test_set(
    source: str | Path | None = None, by: By = "subgroup", policy: EmojiPolicy | None = None
) -> TestSet:
    """The test set of emoji: a category for each subgroup, or each group, of Unicode's emoji-test.txt.

    Args:
        source: The path of the file; None to look where it may lie on this machine.
        by: `subgroup`, with the group as topic; or `group`.
        policy: Which emoji become words, and how; `EmojiPolicy()` if None.

    Raises:
        SourceError: The file cannot be used, or no category has enough emoji.
        PolicyError: `by` has a value that does not exist.
    """
    policy = policy or EmojiPolicy()
    if by not in get_args(By):
        raise PolicyError(f"emoji cannot be grouped by {by!r}; choose from {', '.join(get_args(By))}")
    path = find_emoji_test() if source is None else Path(source)
    read = read_emoji_test(path)
    found = _categories(path, read, by, policy)
    kept = [category for category in found if category.size >= policy.minimum_words]
    if not kept:
        most = max(category.size for category in found)
        raise SourceError(
            f"{path}: no {by} has {policy.minimum_words} emoji, and the largest {most}; lower --minimum"
        )
    return TestSet(LANGUAGE, LANGUAGE, read.provenance, policy, tuple(kept), ())


def _categories(path: Path, read: EmojiTest, by: By, policy: EmojiPolicy) -> list[Category]:
    """All categories in the order of their names."""
    items: dict[str, dict[str, Emoji]] = {}
    queries: dict[str, Query] = {}
    for emoji in read.emoji:
        query = _query(emoji, by, policy)
        if queries.setdefault(query.name, query) != query:
            raise SourceError(
                f"{path}: {by} {query.name!r} stands in two groups; fetch the file again, or use --by group"
            )
        word = policy.word(emoji.points)
        words = items.setdefault(query.name, {})
        if word is not None:
            words.setdefault(word, emoji)  # of two that become the same word, the first
    return [Category(queries[name], _items(items[name])) for name in sorted(queries)]


def _items(words: Mapping[str, Emoji]) -> dict[str, ItemWords]:
    """Items by id, in the order of their code points."""
    ordered = sorted(words.items(), key=lambda each: each[1].points)
    return {emoji.id: ItemWords((word,), "query", 1) for word, emoji in ordered}


def _query(emoji: Emoji, by: By, policy: EmojiPolicy) -> Query:
    """What stands for the query of the category that an emoji is in: in words, which emoji it takes."""
    groups = f"group {emoji.group}" + (f", subgroup {emoji.subgroup}" if by == "subgroup" else "")
    text = (
        f"emoji-test.txt: {groups}: fully-qualified emoji; "
        f"U+FE0F: {policy.variation_selectors}; skin tones: {policy.skin_tones}"
    )
    name = emoji.subgroup if by == "subgroup" else "-".join(re.findall(r"\w+", emoji.group.lower()))
    title = f"{emoji.group}: {emoji.subgroup}" if by == "subgroup" else emoji.group
    topic = emoji.group if by == "subgroup" else "emoji"
    return Query(name, title, "category", topic, "Emoji that Unicode puts together.", text)


def write_emoji_test_set(
    output: str | Path,
    source: str | Path | None = None,
    by: By = "subgroup",
    policy: EmojiPolicy | None = None,
) -> TestSet:
    """Write the test set of emoji to a file; the arguments and errors are those of `emoji_test_set`.

    Raises:
        OutputError: The file cannot be written, which is found out first.
    """
    with written_whole(Path(output)) as beside:
        test_set = emoji_test_set(source, by, policy)
        beside.write_text(serialize(test_set), encoding="utf-8", newline="\n")
    return test_set
