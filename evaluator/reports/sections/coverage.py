"""The sections of what vocabularies know of test sets, and of what is counted in a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evaluator.measures import parse_measure
from evaluator.reports.cells import KNOWN, columns, count, name, share, words
from evaluator.reports.corrections import OWN_TEST_SETS, address, advice
from evaluator.reports.page import Block, Cell, Column, Fact, Facts, Notes, Section, Table, Text
from evaluator.results.coverage import CorpusFile, Coverage, CoverageFile, PartCoverage
from evaluator.results.score import KEYWORDS, PAIRS
from evaluator.text.corpus import CorpusStatistics

_LISTED, _EXAMPLES = 10, 5
_LEAST = 0.0005  # a smaller share would be shown as 0
_DIVIDED = {"letter-runs": "runs of letters", "white-space": "divided by white space"}


def coverage_section(found: CoverageFile) -> Section:
    """What a vocabulary knows of each test set."""
    subsections = [
        Section(f"{each.vocabulary} on {each.test_set} ({each.language})", list(_blocks(each)))
        for each in found.results
    ]
    vocabularies = dict.fromkeys(each.vocabulary for each in found.results)
    return Section(f"Coverage: {', '.join(vocabularies)}", [], subsections)


def corpus_section(found: CorpusFile) -> Section:
    """All that is counted in a corpus."""
    return Section(f"Corpus: {found.corpus}", corpus_blocks(found.corpus, found))


def corpus_blocks(corpus: str, found: CorpusFile | CorpusStatistics) -> list[Block]:
    """What is counted in a corpus, and in which scripts it is."""
    counts = {"sentences": found.sentences, "tokens": found.tokens, "types": found.types}
    counts |= {f"types with count ≥ {least}": number for least, number in found.types_by_count.items()}
    rows = [[name(counted), count(number)] for counted, number in counts.items()]
    headings = [*columns("counted", kind="name"), Column("number")]
    scripts = ", ".join(f"{script} {part:.1%}" for script, part in found.scripts.items() if part >= _LEAST)
    facts = [Facts([Fact("Scripts", [scripts])])] if scripts else []
    return [Table(f"What {corpus} holds", headings, rows, "corpus.csv"), *facts]


def _blocks(found: Coverage) -> Iterator[Block]:
    headings = [*columns("category", kind="name"), *columns("kind", kind="text")]
    headings += [
        *columns("words", KNOWN, "share"),
        Column("lacks, for example", ("lacks", "items"), kind="prose"),
    ]
    rows = [_row(part, found) for part in found.parts]
    total = [name("all"), name(""), count(found.words), count(found.found)]
    rows.append([*total, share(found.found, found.words), Cell("", ("", ""))])
    caption = f"What {found.vocabulary} knows of {found.test_set}"
    yield Table(caption, headings, rows, "coverage.csv", totals=1)
    yield from map(Text, _remarks(found))
    if any(part.items for part in found.parts):
        yield Notes("If a word is wrong", [*advice(found.sources), OWN_TEST_SETS], detail=True)


def _remarks(found: Coverage) -> Iterator[str]:
    if len(found.parts) > 1:
        yield "A word that is in several parts counts in each of them, and so several times in “all”."
    categories = sum(part.kind == "category" for part in found.parts)
    if categories:
        needed = "the three known words that Topk@3 and OddOneOut@3 need"
        yield f"Categories with {needed}: {found.scorable} of {categories}."
    if found.related is not None:
        known, every = found.related
        choosing, ranked = parse_measure(KEYWORDS).least_choosing, parse_measure(KEYWORDS).least_ranked
        needed = f"models are ranked from {ranked} on, and chosen by {KEYWORDS} from {choosing} on"
        yield f"Related words: {known:,} of {every:,}; {needed}."
    if found.pairs:
        pairs, least = f"{found.pairs_found:,} of {found.pairs:,}", parse_measure(PAIRS).least_ranked
        yield f"Pairs with both words: {pairs}; models are ranked by {PAIRS} from {least} on."
    if found.never:
        listed = ", ".join(found.never[:_LISTED]) + (", …" if len(found.never) > _LISTED else "")
        of = _DIVIDED.get(found.tokens or "", f"divided by {found.tokens}")
        yield f"{len(found.never)} words can never be a token of a text whose words are {of}: {listed}"
    for each in found.advice:
        more = "" if each.share is None else f" ({each.share:+.0%})"
        yield f"{each.option} finds {each.found} words more{more}."


def _row(part: PartCoverage, found: Coverage) -> list[Cell]:
    return [
        *(name(part.heading), name(part.kind), count(part.words), count(part.found)),
        *(share(part.found, part.words), _lacks(part, found)),
    ]


def _lacks(part: PartCoverage, found: Coverage) -> Cell:
    """Words that are unknown, with the ids of their items, each of which leads to where it is corrected."""
    cell, ids = words(part.missing[:_EXAMPLES], found.language), part.items or ("",) * len(part.missing)
    items = tuple(
        (item, item and address(found.sources, found.language, item, word))
        for word, item in zip(cell.words, ids, strict=False)
    )
    return replace(cell, data=(*cell.data, " ".join(item for item, _ in items if item)), items=items)
