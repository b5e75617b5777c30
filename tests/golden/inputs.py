"""Small inputs for the recorded commands: the same bytes on every machine, made anew for each test run.

The test sets of real languages come from the shipped snapshot. Everything else is invented: `world` is a
vocabulary with categories, relations, ratings and texts that agree with its vectors up to some noise.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

import numpy as np

from tools.train_demo import text_folder

LANGUAGES = ("en", "la", "de", "tr", "ru", "sv")
CATEGORIES = (
    *("continent", "country", "country-in-europe", "country-in-asia", "month", "weekday", "language"),
    *("common-country-capital", "country-continent"),
)
DIMENSION = 12

_SIZES = {"tree": 14, "river": 16, "stone": 9, "street": 13, "guild": 16, "tool": 5, "king": 18, "queen": 18}
_TOPICS = {"tree": "nature", "river": "nature", "stone": "nature", "street": "town", "guild": "town"}
_PAIRED = (("king", "queen"), ("river", "guild"))
_UNKNOWN = 0.1


def make(folder: Path) -> None:
    """Write all inputs into a folder."""
    _generate(folder)
    for number, code in enumerate(LANGUAGES):
        _write_vectors(
            folder / f"{code}.vec", *_language_vectors(folder / "testsets" / f"{code}.json", number)
        )
    _write_vectors(folder / "en2.vec", *_language_vectors(folder / "testsets" / "en.json", 77))
    (folder / "models").mkdir()
    for code in ("la", "de"):
        shutil.copy(folder / f"{code}.vec", folder / "models" / f"{code}.vec")
    World(folder).write()
    _write_corpus(folder)
    _write_emoji(folder)
    if find_spec("gensim"):
        shutil.copy(text_folder() / "lee_background.cor", folder / "lee.txt")


def _generate(folder: Path) -> None:
    """Test sets of the languages, by testgen's own command."""
    options = [f"--language={code}" for code in LANGUAGES] + [f"--category={each}" for each in CATEGORIES]
    _testgen("generate", *options, f"--output={folder / 'testsets'}")


def _testgen(*arguments: str) -> None:
    from testgen.cli import main

    with (
        patch.object(sys, "argv", ["testgen", *arguments]),
        redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")),
    ):
        try:
            main()
        except SystemExit as ended:
            if ended.code:
                raise


def _language_vectors(testset: Path, seed: int) -> tuple[list[str], np.ndarray]:
    """Most words of a test set, some in other case or twice, near to their categories; and others."""
    draw = np.random.default_rng([seed, 1])
    content = json.loads(testset.read_text(encoding="utf-8"))
    homes: dict[str, list[str]] = {}
    for category in sorted(content["categories"], key=lambda each: each["name"]):
        for word in (word for item in category["items"] for word in item["words"]):
            homes.setdefault(word, []).append(category["name"])
    names = sorted({name for own in homes.values() for name in own})
    centres = dict(zip(names, draw.normal(size=(len(names), DIMENSION)), strict=True))
    rows: dict[str, np.ndarray] = {}
    for word in sorted(homes):
        place = sum(centres[name] for name in homes[word]) / len(homes[word])
        for form in _forms(word, draw):
            rows.setdefault(form, place + draw.normal(size=DIMENSION))
    for word in _words(250, seed):
        rows.setdefault(word, draw.normal(size=DIMENSION) * 1.5)
    return _shuffled(rows, draw)


def _forms(word: str, draw: np.random.Generator) -> list[str]:
    """The forms in which a vocabulary has a word; none for about one word of five."""
    luck = draw.random()
    if luck < 0.2:
        return []
    if luck < 0.35:
        return [word.lower()]
    if luck < 0.4:
        return [word.upper()]
    return [word, word.lower()] if luck < 0.5 else [word]


def _words(number: int, seed: int) -> list[str]:
    """Different words of two or three syllables."""
    draw = np.random.default_rng([seed, 2])
    syllables = [consonant + vowel for consonant in "bdfglmnprstvz" for vowel in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < number:
        length = int(draw.integers(2, 4))
        words["".join(syllables[each] for each in draw.integers(len(syllables), size=length))] = None
    return list(words)


def _shuffled(rows: Mapping[str, np.ndarray], draw: np.random.Generator) -> tuple[list[str], np.ndarray]:
    """Words in a drawn order of frequency; vectors of different lengths, some of them equal."""
    words = [list(rows)[place] for place in draw.permutation(len(rows))]
    matrix = np.array([rows[word] for word in words]) * draw.uniform(0.5, 2, size=(len(words), 1))
    matrix[20::25] = matrix[19:-1:25]
    return words, matrix


def _write_vectors(path: Path, words: Sequence[str], matrix: np.ndarray) -> None:
    path.write_text(_text(words, matrix), encoding="utf-8")


def _text(words: Sequence[str], matrix: np.ndarray, *, header: bool = True) -> str:
    lines = [f"{len(words)} {matrix.shape[1]}"] if header else []
    lines += [
        f"{word} {' '.join(f'{value:.5f}' for value in row)}" for word, row in zip(words, matrix, strict=True)
    ]
    return "\n".join([*lines, ""])


class World:
    """An invented vocabulary with its categories and relations, and everything that can be asked about it."""

    def __init__(self, folder: Path) -> None:
        """Draw the words of each category."""
        self._folder = folder
        self._draw = np.random.default_rng(5)
        words = iter(_words(sum(_SIZES.values()) + 200, 5))
        self.categories = {name: [next(words) for _ in range(size)] for name, size in _SIZES.items()}
        for name in ("king", "queen"):
            self.categories[name] = [word.capitalize() for word in self.categories[name]]
        self._others = list(words)

    def write(self) -> None:
        """Vectors, test sets and other data sets."""
        for number, name in enumerate(("world", "world2", "world3", "world4")):
            words, matrix = self._vectors(number)
            _write_vectors(self._folder / f"{name}.vec", words, matrix)
            if number == 0:
                self._write_formats(words, matrix)
        self._write_ties()
        self._write_testset()
        self._write_questions()
        self._write_pairs()
        self._write_groups()
        self._write_texts()
        for file, names in (("lists.txt", list(self.categories)), ("few.txt", ["tree", "stone", "king"])):
            lines = [line for name in names for line in (f":{name}", " ".join(self.categories[name]))]
            (self._folder / file).write_text("\n".join([*lines, ""]), encoding="utf-8")

    def _vectors(self, number: int) -> tuple[list[str], np.ndarray]:
        """Each model has the same categories, more noise, and a vocabulary of its own."""
        draw = np.random.default_rng([number, 3])
        shape = (len(self.categories), DIMENSION)
        centres = dict(zip(self.categories, np.random.default_rng(4).normal(size=shape), strict=True))
        own = np.random.default_rng(6).normal(size=(max(_SIZES.values()), DIMENSION))
        noise = 0.4 + 0.3 * number
        rows = {
            word: centres[name] + 0.8 * own[place] + noise * draw.normal(size=DIMENSION)
            for name, words in self.categories.items()
            for place, word in enumerate(words)
            if draw.random() > _UNKNOWN
        }
        rows |= {
            word.lower(): rows[word] * 1.1 for word in list(rows) if word[0].isupper() and draw.random() < 0.3
        }
        rows |= {word: 1.3 * draw.normal(size=DIMENSION) for word in self._others}
        trees, streets = self.categories["tree"], self.categories["street"]
        rows[f"{trees[0]}_{streets[0]}"] = centres["street"] + draw.normal(size=DIMENSION)
        return _shuffled(rows, draw)

    def _write_formats(self, words: Sequence[str], matrix: np.ndarray) -> None:
        """The same vectors in other formats; and some with a row that is wrong."""
        folder = self._folder
        glove = gzip.compress(_text(words, matrix, header=False).encode(), mtime=0)
        (folder / "world.glove.gz").write_bytes(glove)
        rounded = np.array([[float(f"{value:.5f}") for value in row] for row in matrix], dtype="<f4")
        rows = (word.encode() + b" " + row.tobytes() for word, row in zip(words, rounded, strict=True))
        (folder / "world.bin").write_bytes(f"{len(words)} {DIMENSION}\n".encode() + b"".join(rows))
        lines = _text(words, matrix).splitlines()
        lines[40] = lines[40].rpartition(" ")[0] + " what"
        lines[50] = lines[50].partition(" ")[0] + " 0" * DIMENSION
        (folder / "broken.vec").write_text("\n".join([*lines, ""]), encoding="utf-8")

    def _write_ties(self) -> None:
        """Vectors of few different whole numbers, so that many similarities are equal."""
        words = [word for own in self.categories.values() for word in own][::-1] + self._others[:40]
        matrix = np.random.default_rng(8).integers(-1, 2, size=(len(words), 3))
        matrix[~matrix.any(axis=1)] = 1
        _write_vectors(self._folder / "ties.vec", words, matrix)

    def _write_testset(self) -> None:
        """Categories within categories, items of several words, and words that stand in two categories."""
        names = self.categories
        levels = {"tree": ("nature", 1), "river": ("nature", 1)}
        below = [word for name in levels for word in names[name]]
        listed = [_category("nature", below, topic="nature", level=0)]
        listed += [_category(name, words, levels.get(name)) for name, words in names.items()]
        pairs = [(f"{names['tree'][each]} {names['street'][each]}") for each in range(4)]
        listed += [_category("place", [*pairs, *names["street"][:5], *names["stone"][:2], "Nowhere"])]
        content = {"format": "testset", "version": 1, "language": "en", "categories": listed}
        content["relations"] = [self._relation(*pair) for pair in _PAIRED]
        text = json.dumps(content, ensure_ascii=False, indent=1)
        (self._folder / "world.json").write_text(text, encoding="utf-8")

    def _relation(self, first: str, second: str) -> dict[str, object]:
        items = [_item(word) for name in (first, second) for word in self.categories[name]]
        pairs = zip(self.categories[first], self.categories[second], strict=True)
        listed = [{"item": _item(a)["id"], "of": _item(b)["id"]} for a, b in pairs]
        return {"name": f"{first}-{second}", "items": items, "pairs": listed}

    def _write_questions(self) -> None:
        lines = []
        for first, second in _PAIRED:
            pairs = list(zip(self.categories[first], self.categories[second], strict=True))[:9]
            lines.append(f": {first}-{second}")
            lines += [
                f"{a} {b} {c} {d}{'/' + self._others[1] if d == pairs[2][1] else ''}"
                for a, b in pairs
                for c, d in pairs
                if a != c
            ]
        (self._folder / "questions.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")

    def _write_pairs(self) -> None:
        """Ratings of 120 pairs, high for words of the same category; some pairs come again."""
        homes = [(word, name) for name, words in self.categories.items() for word in words]
        lines = []
        for _ in range(120):
            first = homes[self._draw.integers(len(homes))]
            near = self.categories[first[1]]
            same = bool(self._draw.random() < 0.5)
            second = (
                near[self._draw.integers(len(near))] if same else homes[self._draw.integers(len(homes))][0]
            )
            if first[0] != second:
                lines.append(f"{first[0]}\t{second}\t{self._draw.normal() + (7 if same else 3):.1f}")
        again = ["\t".join((b, a, rating)) for a, b, rating in (line.split("\t") for line in lines[:6])]
        (self._folder / "pairs.tsv").write_text("\n".join([*lines, *again, ""]), encoding="utf-8")

    def _write_groups(self) -> None:
        folder = self._folder / "groups"
        folder.mkdir()
        for name in ("tree", "street", "king", "guild"):
            others = [word for other, words in self.categories.items() if other != name for word in words]
            outliers = [others[each] for each in self._draw.permutation(len(others))[:5]]
            lines = [*self.categories[name][:8], "", *outliers, ""]
            (folder / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")

    def _write_texts(self) -> None:
        lines = []
        for name in ("tree", "river", "street"):
            for _ in range(16):
                known, others = self.categories[name], self._others
                drawn = [known[each] for each in self._draw.integers(len(known), size=2)]
                drawn += [others[each] for each in self._draw.integers(len(others), size=3)]
                lines.append(f"{name}\t{' '.join(drawn)} unheard")
        lines.append("stone\tunheard of")
        (self._folder / "texts.tsv").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _category(
    name: str, words: Iterable[str], within: tuple[str, int] | None = None, **more: object
) -> dict[str, object]:
    found: dict[str, object] = {"name": name, "items": [_item(word) for word in words], **more}
    if name in _TOPICS:
        found["topic"] = _TOPICS[name]
    if within is not None:
        found["within"], found["level"] = within
    return found


def _item(word: str) -> dict[str, object]:
    """An item; some have a second word, which no vocabulary has."""
    more = [f"{word}ish"] if len(word) == 6 and word[0] in "bdfg" else []
    return {"id": f"Q-{word.replace(' ', '-')}", "words": [word, *more]}


def _write_corpus(folder: Path) -> None:
    """Lines about one of six topics each; topics are categories, and pairs of them relations."""
    draw = np.random.default_rng(9)
    words = _words(60, 9)
    topics = {f"topic{number}": words[number::6] for number in range(6)}
    weights = 1 / np.arange(2, 12)
    lines = []
    for number in range(1500):
        own = topics[f"topic{draw.integers(6)}"]
        drawn = [own[each] for each in draw.choice(10, size=8, p=weights / weights.sum())]
        lines.append(" ".join(drawn).capitalize() if number % 3 == 0 else " ".join(drawn) + ".")
    (folder / "corpus.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    listed = [line for name, own in topics.items() for line in (f":{name}", " ".join([*own, f"un{name}"]))]
    (folder / "topics.txt").write_text("\n".join([*listed, ""]), encoding="utf-8")
    lines = []
    for first, second in (("topic0", "topic1"), ("topic2", "topic3")):
        pairs = list(zip(topics[first][:6], topics[second][:6], strict=True))
        lines.append(f": {first}-{second}")
        lines += [f"{a} {b} {c} {d}" for a, b in pairs for c, d in pairs if a != c]
    (folder / "topic-questions.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


_EMOJI = {
    "fruit": ("🍎🍓🍒🍉", "red fruit", "sweet"),
    "ground": ("🚗🚕🚌🚓", "fast car", "road"),
    "face": ("☺😀😃😄", "happy face", "smile"),
}


def _write_emoji(folder: Path) -> None:
    """A test set of emoji, descriptions to learn and to judge by, and vectors of their words."""
    listed = [
        {
            "name": name,
            "topic": name,
            "items": [{"id": f"U+{ord(each):X}", "words": [each]} for each in all_],
        }
        for name, (all_, *_) in _EMOJI.items()
    ]
    content = {"format": "testset", "version": 1, "language": "und", "categories": listed}
    (folder / "emoji.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    phrases = {name: phrases for name, (_, *phrases) in _EMOJI.items()}
    learnt = [
        f"{phrase}\t{each}\tTrue"
        for name, (all_, *_) in _EMOJI.items()
        for each in all_
        for phrase in phrases[name]
    ]
    learnt += ["unheard of\t🍎\tTrue", "Red\t🍓\tTrue"]
    judged = [
        f"{phrase}\t{each}\t{name == other}"
        for name, (all_, *_) in _EMOJI.items()
        for each in all_[::2]
        for other, own in phrases.items()
        for phrase in own
    ]
    for path, lines in (("train.txt", learnt), ("dev.txt", judged[::2]), ("held-out.txt", judged[1::2])):
        (folder / path).write_text("\n".join([*lines, ""]), encoding="utf-8")
    words = sorted({word for own in phrases.values() for phrase in own for word in phrase.split()})
    draw = np.random.default_rng(10)
    _write_vectors(folder / "emoji-words.vec", words, draw.normal(size=(len(words), 6)))
