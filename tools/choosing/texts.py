"""The texts of the study, and what people and thesauruses say of their words."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

import evaluator
from evaluator.datasets.testset import Item, RatedPairs, RelatedWords, TestSet
from evaluator.studies.curves.subsets import write_subset
from evaluator.text.corpus import Corpus, Sentences
from tools.choosing.sanskrit import relatedness

TOKENS = 2**20
KNOWN = 8
"""Words that occur so often are known to all models of a text."""


@dataclass(frozen=True)
class Text:
    """A text: its language, its corpus, and which of the disjoint parts of this it is."""

    language: str
    corpus: str
    part: int
    parts: int

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.language}-{self.part}"

    @property
    def rated(self) -> bool:
        """Whether people have rated pairs of words of its language."""
        return self.language in RATED


_CORPORA = {
    "en": ("english_wikipedia", 5),
    "de": ("german_novels", 2),
    "fr": ("french_novels", 2),
    "sa": ("sanskrit", 1),
    "la": ("latin", 1),
}
TEXTS = tuple(
    Text(language, corpus, part, parts)
    for language, (corpus, parts) in _CORPORA.items()
    for part in range(parts)
)

RATED: Mapping[str, Mapping[str, str]] = {
    "en": {
        "en/EN-MEN-TR-3k.txt": "relatedness",
        "en/EN-WS-353-REL.txt": "relatedness",
        "en/EN-WS-353-SIM.txt": "similarity",
        "en/EN-SIMLEX-999.txt": "similarity",
        "en/EN-SimVerb-3500.txt": "similarity",
    },
    "de": {
        "multilingual_simlex999_ws353/simlex-german.txt": "similarity",
        "multilingual_simlex999_ws353/ws-353/wordsim353-german-sim.txt": "similarity",
        "multilingual_simlex999_ws353/ws-353/wordsim353-german-rel.txt": "relatedness",
    },
    "fr": {"multi_simlex": "similarity"},
}
"""The lists of rated pairs of a language, and what people were asked."""


def corpus_of(text: Text, data: Path) -> Corpus:
    """The corpus that a text is a part of."""
    return Corpus((data / "corpora" / f"{text.corpus}.txt.gz",), text.language, "fold")


def sample(text: Text, data: Path, work: Path, tokens: int = TOKENS) -> Sentences:
    """The first tokens of a part of the corpus, whose lines are put in random order."""
    whole, part = work / f"{text.corpus}.txt", work / f"{text.name}.part"
    if not whole.exists():
        corpus_of(text, data).write_sentences(whole)
    if not part.exists():
        lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
        part.write_text("".join(lines[text.part :: text.parts]), encoding="utf-8")
    return write_subset(part, 0, tokens, work / f"{text.name}.txt")


@cache
def lists(language: str, data: Path) -> Sequence[tuple[str, RatedPairs]]:
    """What people were asked of each list of rated pairs, and its pairs.

    Of a pair that is in both parts of WS-353, the first counts.
    """
    folder, found = data / "benchmarks" / "similarity", []
    for name, asked in RATED[language].items():
        if name == "multi_simlex":
            found.append((asked, multi_simlex(folder / name, {"fr": "FRA"}[language])))
        else:
            read = evaluator.read_testset(folder / name, language=language)
            found += [(asked, pairs) for pairs in read.rated_pairs]
    return found


def multi_simlex(folder: Path, code: str) -> RatedPairs:
    """The pairs of a language of Multi-SimLex (Vulić et al. 2020)."""
    words = pd.read_csv(folder / "translation.csv", keep_default_na=False)
    scores = pd.read_csv(folder / "scores.csv", keep_default_na=False)
    pairs = zip(words[f"{code} 1"], words[f"{code} 2"], scores[code].astype(float), strict=True)
    return RatedPairs("Multi-SimLex", "Multi-SimLex", tuple(pairs))


@cache
def categories(data: Path) -> Mapping[str, TestSet]:
    """The categories by people, English: each a table of words and their categories."""
    folder, found = data / "benchmarks" / "categorization" / "en", {}
    for name in ("ap", "bless"):
        found[name] = evaluator.read_testset(folder / f"{name}.csv", language="en")
    return found


@cache
def topics(data: Path, most: int = 6000) -> tuple[Sequence[Sequence[str]], Sequence[str]]:
    """English articles and what each is about: the words after its first sentence, and the noun of that.

    An article that begins "X is a village in …" is about a village. Its first sentence is not among its
    words. The kinds are the most frequent ones; of each, as many articles.
    """
    articles: dict[str, list[Sequence[str]]] = {kind: [] for kind in KINDS}
    corpus = Corpus((data / "corpora" / "english_wikipedia.txt.gz",), "en", "fold")
    each = most // len(KINDS)
    for line in corpus.lines():
        first, _, rest = line.partition(". ")
        said = first.casefold().split()
        verbs = [place for place, word in enumerate(said) if word in ("is", "was", "are", "were")]
        if not verbs or not rest:
            continue
        kinds = [word.strip(",;") for word in said[verbs[0] + 1 : verbs[0] + 7]]
        kind = next((KIND_OF[word] for word in kinds if word in KIND_OF), None)
        if kind is not None and len(articles[kind]) < each:
            words = corpus.normalize(rest).split()[:200]
            if len(words) >= 30:
                articles[kind].append(words)
    pairs = [(words, kind) for kind, found in articles.items() for words in found]
    return [words for words, _ in pairs], [kind for _, kind in pairs]


KINDS = {
    "place": ("village", "town", "city", "municipality", "commune"),
    "film": ("film", "movie", "comedy", "drama"),
    "music": ("album", "song", "single", "band"),
    "living thing": ("species", "genus", "moth", "beetle", "plant"),
    "sport": ("footballer", "player", "athlete", "swimmer", "cyclist"),
    "politics": ("politician", "election", "minister", "party"),
    "school": ("school", "college", "university"),
    "transport": ("station", "railway", "road", "highway", "airport", "ship"),
}
KIND_OF = {word: kind for kind, words in KINDS.items() for word in words}


@cache
def synonyms(data: Path) -> TestSet:
    """Latin words of one concept in Wiktionary's wordnet, as groups of related words."""
    concepts: dict[str, list[str]] = {}
    with (data / "lexicons" / "historical-words.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["iso639_3"] == "lat" and not row["source"].startswith("iecor") and row["form"].isalpha():
                concepts.setdefault(row["concept"], []).append(row["form"].lower())
    items = tuple(
        Item(name, tuple(dict.fromkeys(words))) for name, words in concepts.items() if len(set(words)) > 1
    )
    return TestSet("la", "synonyms", "", groups=(RelatedWords("synonyms", "synonyms", items),))


def thesaurus(known: Mapping[str, int], data: Path) -> TestSet:
    """Sanskrit pairs of the Amarakośa with three degrees of relatedness, as forms of a text."""
    return relatedness(data, known)
