"""The sections of what vocabularies know of test sets, and of what is counted in a corpus."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.reports.cells import columns, count, name, words
from evaluator.reports.commands import as_given
from evaluator.reports.inputs import InputFile
from evaluator.reports.page import Block, Cell, Column, Fact, Facts, Section, Table, Text
from evaluator.results.coverage import CorpusFile, Coverage, CoverageFile, PartCoverage
from evaluator.text.corpus import CorpusStatistics

_LISTED = 10


def coverage_section(file: InputFile, found: CoverageFile) -> Section:
    """All that a file of coverage says."""
    subsections = [
        Section(f"{each.vocabulary} on {each.test_set} ({each.language})", list(_blocks(each)))
        for each in found.results
    ]
    facts = [*as_given(file), file.origin]
    subsections.append(Section("How to get this coverage again", [Facts(facts)]))
    return Section(f"Coverage: {file.name}", [], subsections)


def corpus_section(file: InputFile, found: CorpusFile) -> Section:
    """All that is counted in a corpus."""
    headings = [Column("least count", kind="name"), Column("types")]
    rows = [[count(least), count(types)] for least, types in found.types_by_count.items()]
    facts = [*as_given(file), file.origin]
    return Section(
        f"Corpus: {found.corpus}",
        [
            Facts(corpus_facts(found)),
            Table(f"Types of {found.corpus} that occur often enough", headings, rows, "corpus.csv"),
            Facts(facts),
        ],
    )


def corpus_facts(found: CorpusFile | CorpusStatistics) -> list[Fact]:
    """What is counted in a corpus."""
    scripts = ", ".join(f"{script} {share:.1%}" for script, share in found.scripts.items())
    return [
        Fact("Sentences", [f"{found.sentences:,}"]),
        Fact("Tokens", [f"{found.tokens:,}"]),
        Fact("Types", [f"{found.types:,}"]),
        *([Fact("Scripts", [scripts])] if scripts else []),
    ]


def _blocks(found: Coverage) -> Iterator[Block]:
    headings = [*columns("category", kind="name"), *columns("kind", kind="text")]
    headings += [*columns("words", "known", "share"), Column("lacks, for example", ("lacks",), kind="prose")]
    rows = [_row(part, found.language) for part in found.parts]
    total = [name("all"), name(""), count(found.words), count(found.found)]
    rows.append([*total, _share(found.found, found.words), Cell("", ("",))])
    caption = f"What {found.vocabulary} knows of {found.test_set}"
    yield Table(caption, headings, rows, "coverage.csv", totals=1)
    yield from map(Text, remarks(found))


def remarks(found: Coverage) -> Iterator[str]:
    """What is counted, what can be scored, and which options find more words."""
    if len(found.parts) > 1:
        yield "A word that is in several parts counts in each of them, and so several times in “all”."
    categories = sum(part.kind == "category" for part in found.parts)
    if categories:
        needed = "the three known words that Topk@3 and OddOneOut@3 need"
        yield f"Categories with {needed}: {found.scorable} of {categories}."
    if found.never:
        listed = ", ".join(found.never[:_LISTED]) + (", …" if len(found.never) > _LISTED else "")
        of = {"letter-runs": "runs of letters", "white-space": "divided by white space"}[found.tokens or ""]
        yield f"{len(found.never)} words can never be a token of a text whose words are {of}: {listed}"
    for each in found.advice:
        more = "" if each.share is None else f" ({each.share:+.0%})"
        yield f"{each.option} finds {each.found} words more{more}."


def _row(part: PartCoverage, language: str) -> list[Cell]:
    return [
        *(name(part.heading), name(part.kind), count(part.words), count(part.found)),
        *(_share(part.found, part.words), words(part.missing[:5], language)),
    ]


def _share(found: int, of: int) -> Cell:
    share = min(max(found / of, 0.0), 1.0) if of else 0.0
    return Cell(f"{share:.0%}", (share,), share=share)
