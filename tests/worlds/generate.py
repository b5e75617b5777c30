"""Random small worlds: vectors, a test set, settings and measures, all drawn from a number."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Generator = np.random.Generator
Array = npt.NDArray[Any]

DIMENSIONS = (1, 2, 2, 3, 3, 4, 5, 8, 16, 50, 100, 300)
LANGUAGES = ("en", "en", "de", "tr", "az", "und", "la")
SPELLED = (
    *(
        "İstanbul",
        "istanbul",
        "ISTANBUL",
        "ıstanbul",
        "I\u0307stanbul",
        "ISI",
        "ısı",
        "isi",
        "Isı",
        "i\u0307si",
    ),
    *("é", "e\u0301", "É", "E\u0301", "straße", "STRASSE", "strasse", "Straße", "ẞ", "ß", "ss", "SS"),
    *("ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ", "ΟΔΥΣΣΕΥΣ", "οδυσσευς", "ﬁn", "fin", "FIN", "ǆ", "ǅ", "Ǆ", "K", "K", "k"),
    *("क्षत्रिय", "कि", "שָׁלוֹם", "שלום", "한국", "\u1112\u1161\u11ab", "日本", "🦊", "👩‍🔬", "ꭰ", "Ꭰ"),
    *(
        "iūs",
        "ius",
        "jus",
        "IVS",
        "vs",
        "don't",
        "l’eau",
        "a-b",
        "C++",
        "#",
        "3",
        "0.5",
        "-1",
        "1e3",
        "nan",
        "inf",
    ),
    *("a=b", '"', '"q"', "'", "a,b", "a;b", "a|b", "<b>", "&amp;", "$x$", "[x]", "*", "\\", "%", "_", "null"),
)
SEVERAL = (
    "new york",
    "New York",
    "new_york",
    "New_York",
    "la paz",
    "La Paz",
    "w1 w2",
    "w3 W4",
    "w2 w2",
    "x w1",
)


@dataclass(frozen=True)
class World:
    """What is scored, and how.

    Attributes:
        number: From which it is drawn.
        words: The vocabulary, v different words, the most frequent first.
        matrix: Shape (v, d), of any type of real numbers.
        test_set: As in the file of a test set.
        settings: Those of `Settings` that are not the default.
        measures: Their texts; None for the usual ones.
        preset: The name of a preset that has the settings; "" for none.
    """

    number: int
    words: tuple[str, ...]
    matrix: Array
    test_set: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    measures: tuple[str, ...] | None = None
    preset: str = ""

    def __str__(self) -> str:
        v, d = self.matrix.shape
        sizes = "+".join(str(len(each["items"])) for each in self.test_set["categories"]) or "no categories"
        how = ", ".join(f"{name}={value}" for name, value in self.settings.items()) or "default settings"
        by = " ".join(self.measures or ("usual measures",))
        return f"world {self.number}: {v} words of {d} {self.matrix.dtype} numbers; {sizes}; {how}; {by}"


def world(number: int) -> World:
    """The world of a number."""
    draw = np.random.default_rng([1953, number])
    size, dimension = _size(draw), int(draw.choice(DIMENSIONS))
    words = _words(draw, size)
    test_set = _test_set(draw, words)
    matrix = _matrix(draw, words, dimension, test_set)
    preset = str(draw.choice(["gensim", "gensim-evaluations"])) if draw.random() < 0.08 else ""
    settings = _settings(draw, size)
    if preset:
        settings = {"seed": settings["seed"]} if "seed" in settings else {}
    return World(number, tuple(words), matrix, test_set, settings, _measures(draw, test_set), preset)


def _size(draw: Generator) -> int:
    kind = draw.random()
    if kind < 0.1:
        return int(draw.integers(1, 7))
    if kind < 0.97:
        return int(draw.integers(5, 60 if kind < 0.6 else 201))
    return int(draw.integers(641, 1500))  # more than one block


def _words(draw: Generator, size: int) -> list[str]:
    plain = [f"w{number}" for number in range(size)]
    share = float(draw.choice([0, 0, 0.1, 0.5]))
    odd = [*SPELLED, *(SEVERAL if draw.random() < 0.3 else ()), *(word.upper() for word in plain[:9])]
    draw.shuffle(odd)
    mixed = [odd.pop() if odd and draw.random() < share else word for word in plain]
    if draw.random() < 0.1:
        mixed = [unicodedata.normalize("NFD", word) for word in mixed]
    return list(dict.fromkeys(mixed))


def _matrix(draw: Generator, words: Sequence[str], dimension: int, test_set: dict[str, Any]) -> Array:
    shape = len(words), dimension
    kind = str(draw.choice(["normal", "clustered", "integers", "signs", "axes", "copies", "positive"]))
    if kind in ("integers", "signs", "axes"):
        found = _ties(draw, kind, shape)
    else:
        found = draw.normal(size=shape)
        if kind == "positive":
            found = np.abs(found) + draw.choice([0, 10])
        if kind != "normal":
            found += _centres(draw, words, dimension, test_set)
    if kind == "copies" or draw.random() < 0.2:
        _copy(draw, found)
    empty = ~found.any(axis=1)
    found[empty, 0] = 1
    return _typed(draw, found)


def _ties(draw: Generator, kind: str, shape: tuple[int, int]) -> Array:
    if kind == "integers":
        return draw.integers(-3, 4, size=shape).astype(np.float64)
    if kind == "signs":
        return draw.choice([-1.0, 1.0], size=shape)
    found = np.zeros(shape)
    found[np.arange(shape[0]), draw.integers(shape[1], size=shape[0])] = draw.choice(
        [-1, 1, 1], size=shape[0]
    )
    return found


def _centres(draw: Generator, words: Sequence[str], dimension: int, test_set: dict[str, Any]) -> Array:
    """Words of a category are near each other."""
    place = {
        word: number
        for number, category in enumerate(test_set["categories"], 1)
        for item in category["items"]
        for word in item["words"]
    }
    centres = draw.normal(size=(len(test_set["categories"]) + 1, dimension)) * draw.choice([0.3, 1, 4])
    return np.asarray(centres[[place.get(word, 0) for word in words]])


def _copy(draw: Generator, matrix: Array) -> None:
    """Some words have the vector of another one, nearly so, at another length, or turned round."""
    for row in np.flatnonzero(draw.random(len(matrix)) < draw.choice([0.1, 0.5])).tolist():
        other = matrix[int(draw.integers(len(matrix)))]
        near = float(draw.choice([0, 0, 1e-3, 1e-5, 1e-6, 1e-7, 1e-9, 1e-12]))
        matrix[row] = other * draw.choice([1, 1, 2, 3, 0.1, -1]) + near * draw.normal(size=other.shape)


def _typed(draw: Generator, matrix: Array) -> Array:
    """Lengths and the type of numbers; now and then something that cannot be scored."""
    kind = str(draw.choice(["float32", "float32", "float64", "float64", "float16", "int8", "int16", "int64"]))
    if kind.startswith("int"):
        most = np.abs(matrix).max()
        whole = matrix if (matrix == np.rint(matrix)).all() else np.rint(matrix / most * 100)
        return np.asarray(np.clip(whole, -127, 127).astype(kind))
    lengths = np.ones(len(matrix))
    choice = draw.random()
    if choice < 0.2:
        lengths = 10.0 ** draw.uniform(-3, 3, size=len(matrix))
    elif choice < 0.3 and kind != "float16":
        lengths = draw.choice([1, 1e-22, 1e-18, 1e-12, 1e-30, 1e-38, 1e20, 1e15, 1e30], size=len(matrix))
    elif choice < 0.35:
        lengths[:] = draw.choice([1e-22, 1e20, 2.0**-70, 1e-40] if kind != "float16" else [2.0**-12, 2.0**8])
    found = (matrix * lengths[:, None]).astype(kind)
    fault = draw.random()
    if fault < 0.02:
        found[int(draw.integers(len(found)))] = 0
    elif fault < 0.03:
        found[int(draw.integers(len(found))), 0] = draw.choice([np.nan, np.inf, -np.inf])
    elif fault < 0.035 and kind == "float64":
        found[int(draw.integers(len(found))), 0] = 1e300
    return np.asarray(found)


def _test_set(draw: Generator, words: Sequence[str]) -> dict[str, Any]:
    """Categories and relations, as in a file."""
    known = float(draw.choice([0, 0.3, 0.7, 0.9, 1, 1, 1]))
    number = int(draw.choice([0, 1, 2, 3, 4, 6, 8], p=[0.03, 0.17, 0.2, 0.2, 0.2, 0.1, 0.1]))
    categories = [_category(draw, words, place, known) for place in range(number)]
    if number and draw.random() < 0.01:
        categories[int(draw.integers(number))]["items"] = []
    found = {
        "format": "testset",
        "version": 1,
        "language": str(draw.choice(LANGUAGES)),
        "categories": categories,
    }
    if draw.random() < 0.05:
        found["named_in"] = str(draw.choice(LANGUAGES))
    if number and draw.random() < 0.2:
        groups = [_item(draw, words, known, several=True) for _ in range(int(draw.integers(2, 10)))]
        found["groups"] = [{"name": "keywords", "title": "Keywords", "items": _numbered(draw, groups)}]
    if not number or draw.random() < 0.3:
        found["relations"] = [
            _relation(draw, words, place, known) for place in range(int(draw.integers(1, 4)))
        ]
    return found


def _category(draw: Generator, words: Sequence[str], place: int, known: float) -> dict[str, Any]:
    size = int(
        draw.choice([1, 2, 3, 4, 5, 6, 8, 12, 25], p=[0.04, 0.06, 0.2, 0.2, 0.15, 0.1, 0.1, 0.1, 0.05])
    )
    of_items = [_item(draw, words, known, draw.random() < 0.15) for _ in range(size)]
    if draw.random() < 0.02 and len(words) < 120:
        of_items = [(word,) for word in words]
    found = {"name": f"c{place}", "title": f"Category {place}", "items": _numbered(draw, of_items)}
    if draw.random() < 0.3:
        found["topic"] = str(draw.choice(["one", "two"]))
    if draw.random() < 0.2:
        found["level"] = int(draw.integers(3))
    return found


def _item(draw: Generator, words: Sequence[str], known: float, several: bool) -> tuple[str, ...]:
    return tuple(_word(draw, words, known) for _ in range(int(draw.integers(2, 4)) if several else 1))


def _word(draw: Generator, words: Sequence[str], known: float) -> str:
    if draw.random() < known:
        word = str(words[int(draw.integers(len(words)))])
        kind = draw.random()
        if kind < 0.1:
            return str(
                draw.choice([word.upper(), word.lower(), word.title(), unicodedata.normalize("NFC", word)])
            )
        if kind < 0.15:
            return f"{word} {words[int(draw.integers(len(words)))]}"
        return word
    return str(draw.choice(SPELLED if draw.random() < 0.2 else [f"u{int(draw.integers(30))}"]))


def _numbered(draw: Generator, of_items: Sequence[tuple[str, ...]]) -> list[dict[str, Any]]:
    """Items with ids; the same words have the same id, mostly."""
    ids: dict[tuple[str, ...], str] = {}
    for words in of_items:
        ids.setdefault(words, f"Q{sum(map(ord, ''.join(words)))}-{len(ids)}")
    return [{"id": name, "words": list(words)} for words, name in ids.items()]


def _relation(draw: Generator, words: Sequence[str], place: int, known: float) -> dict[str, Any]:
    pairs = int(draw.choice([1, 2, 3, 5, 7, 12, 20]))
    items = _numbered(draw, [_item(draw, words, known, draw.random() < 0.2) for _ in range(2 * pairs)])
    ids = [each["id"] for each in items]
    chosen = {(str(draw.choice(ids)), str(draw.choice(ids))): None for _ in range(pairs)}
    return {
        "name": f"r{place}",
        "title": f"Relation {place}",
        "items": items,
        "pairs": [{"item": one, "of": other} for one, other in chosen],
    }


def _settings(draw: Generator, size: int) -> dict[str, Any]:
    if draw.random() < 0.35:
        return {}
    options: dict[str, Sequence[Any]] = {
        "oov": ("wrong", "skip"),
        "norm": ("unit", "unit", "none"),
        "case": ("fold", "fold", "exact", "upper"),
        "vocabulary": (None, None, None, int(draw.integers(1, size + 3))),
        "multiword": ("keep", "keep", "mean", "join", "drop"),
        "levels": ("equal", "equal", "halved"),
        "seed": (0, 0, int(draw.integers(1000))),
        "profile": ("",) * 8 + ("latin", "strip-marks", "turkish"),
    }
    found = {name: values[int(draw.integers(len(values)))] for name, values in options.items()}
    defaults = {"oov": "wrong", "norm": "unit", "case": "fold", "vocabulary": None, "multiword": "keep"}
    defaults |= {"levels": "equal", "seed": 0, "profile": ""}
    return {name: value for name, value in found.items() if value != defaults[name]}


_FEW_WORDS = 40


def _measures(draw: Generator, test_set: dict[str, Any]) -> tuple[str, ...] | None:
    if draw.random() < 0.35:
        return None
    k = int(draw.choice([1, 2, 3, 5, 10, 50]))
    few = int(draw.choice([2, 3, 4, 5], p=[0.3, 0.4, 0.2, 0.1]))
    largest = max((len(each["items"]) for each in test_set["categories"]), default=0)
    few = min(few, 3) if largest > _FEW_WORDS else few  # all subsets of five of 74 words take minutes
    samples = int(draw.choice([1, 7, 50, 1000]))
    of_categories = [
        *(f"Topk@{k}", "Topk@3", f"OddOneOut@{few}", "OddOneOut@3"),
        *(f"OddOneOut(samples={samples})@{few}", f"OddOneOut(out=matched)@{few}"),
        *("CategoryOutliers", "CategoryOutliers(score=OPP,out=near)", "CategoryOutliers(score=OPP,size=3)"),
        f"SynonymDetection@{min(k, 5)}",
        *(("Categorization", "Categorization(score=V)") if draw.random() < 0.03 else ()),
    ]
    methods = ["3CosAdd", "3CosMul", "PairDirection"]
    of_relations = [
        *(f"Analogy@{k}" if method == "3CosAdd" else f"Analogy(method={method})@{k}" for method in methods),
        *("Analogy@1", "Analogy(inputs=included)@1", "Analogy(direction=reversed)@2", "Analogy(samples=5)@1"),
        *(
            "AnalogySpace",
            "AnalogySpace(method=Euc)",
            "AnalogySpace(method=N-Cos)",
            "AnalogySpace(method=N-Euc)",
        ),
        *("PairRank", "PairRank(direction=both)"),
        *("PairRank(candidates=vocabulary)", "PairRank(candidates=vocabulary,direction=both)"),
    ]
    listed = [*(of_categories if test_set["categories"] else ())]
    listed += ["KeywordRank", "KeywordRank(value=MAP)"] if "groups" in test_set else []
    listed += of_relations if "relations" in test_set else []
    chosen = draw.permutation(listed)[: int(draw.integers(1, 5))].tolist()
    if draw.random() < 0.02:
        chosen.append("Similarity")  # for which there is nothing
    return tuple(dict.fromkeys(map(str, chosen)))
