"""From queries to a folder of test sets, and tables of the words that a source has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec import structs

from testgen.errors import LanguageError, OutputError, QueryError
from testgen.generation.assembly import assemble
from testgen.generation.request import TestSetRequest, language_codes
from testgen.labels.words import CollectedWords, collect_words
from testgen.languages.codes import languages, without_labels
from testgen.queries import Query, shipped_queries
from testgen.sources import RdfSource, Row, Source, open_source
from testgen.sources.asking import one_error, what_is_missing
from testgen.sources.rdf import shipped_snapshots
from testgen.system import check_overwrite
from testgen.testset.types import TestSet
from testgen.testset.writing import is_test_set, write

if TYPE_CHECKING:
    import pandas as pd

AnySource: TypeAlias = str | Path | Sequence[str | Path] | Source
"""An open source, or what `open_source` opens."""

_CONTAINED = 0.8  # of its items are in another category: a few always have other statements


class WrittenSection(NamedTuple):
    """A category or relation that was written: the columns of `generate`."""

    language: str
    kind: str
    name: str
    size: int
    items: int
    named_in: str
    other_script: int
    file: str


def generate(
    output: str | Path,
    request: TestSetRequest,
    *,
    source: AnySource = "shipped",
    force: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """Write one test set file per language.

    Args:
        output: The folder for the files; it is created if missing.
        request: What to make.
        source: `shipped`, `wikidata`, the URL of a SPARQL endpoint, the path of a snapshot, a list of several
            snapshots, or a source that is already open.
        force: Whether to overwrite files that testgen did not write.
        notify: Called with a text for people before the test set of each language is made.

    Returns:
        A row for each category and relation of each language: language, kind (`category`, `relation`, or
        `level` for a class within a category), name, size (words of a category, pairs of a relation), items,
        named_in (the code of the language of the words, another one where a language stands in),
        other_script (words that were left out because of their script), file. `attrs["failed"]` holds what is
        missing and why: the message for each query that failed, by its name (`noun-plural in en` if it failed
        in one language), and for each language asked for that has too few words, by its code.
        `attrs["words"]` holds the number of different words by language, and `attrs["lacking"]` says what a
        service lacks most of.

    Raises:
        QueryError: A category, class or query file cannot be used, or nothing asked for has any items.
        LanguageError: A code is unknown, or no language has enough words for any category.
        SourceError: The source cannot be opened, or fails for everything.
        OutputError: The folder cannot be written to, or a file in it would be overwritten that testgen did
            not write.
    """
    import pandas as pd

    rows, attrs = write_test_sets(output, request, source=source, force=force, notify=notify)
    frame = pd.DataFrame(rows, columns=WrittenSection._fields)
    frame.attrs = attrs
    return frame


def write_test_sets(
    output: str | Path,
    request: TestSetRequest,
    *,
    source: AnySource = "shipped",
    force: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> tuple[list[WrittenSection], dict[Hashable, Any]]:
    """Rows and attributes of what `generate` returns, without pandas, which takes long to import."""
    folder, named_in, opened = Path(output), request.named_in(), opened_source(source)
    chosen = request.chosen_queries(opened)
    _prepare(folder, named_in, force=force)
    collected = collect(chosen, named_in, opened, request)
    rows, words, missing, written = [], {}, {}, []
    with ThreadPoolExecutor(1) as pool:  # the next test set is made while the disk is waited for
        for test_set in _test_sets(collected, named_in, opened, notify):
            code = test_set.language
            if test_set.sections:
                path = folder / f"{code}.json"
                written.append(pool.submit(write, test_set, path))
                words[code] = len(test_set.words)
                for each in test_set.sections:
                    sizes = each.size, len(each.items), each.named_in or code, each.other_script
                    rows.append(WrittenSection(code, each.kind, each.name, *sizes, str(path)))
            elif named_in is not None:
                missing[code] = _too_few_words(code, named_in[code], collected, opened)
    for writing in written:
        writing.result()
    if not rows and collected.failed:
        raise one_error(collected.failed.values())
    if not rows:
        few = f"no language has {collected.policy.minimum_words} usable words for any category"
        said = "\n".join(missing.values()) or f"{few}: see --minimum-words, --policy several-words=join"
        raise LanguageError(said)
    attributes = _attributes(collected, words, opened)
    attributes["failed"] |= missing
    return rows, attributes


def build_test_sets(request: TestSetRequest, *, source: AnySource = "shipped") -> Iterator[TestSet]:
    """Test sets in memory, ordered by language; arguments and errors are those of `generate`.

    A query that fails is an error, whatever the others give; so is a language asked for that has too few
    words, when it is reached.
    """
    named_in, opened = request.named_in(), opened_source(source)
    collected = collect(request.chosen_queries(opened), named_in, opened, request)
    if collected.failed:
        raise one_error(collected.failed.values())

    def with_words() -> Iterator[TestSet]:
        for test_set in _test_sets(collected, named_in, opened):
            if test_set.sections:
                yield test_set
            elif named_in is not None:
                code = test_set.language
                raise LanguageError(_too_few_words(code, named_in[code], collected, opened))

    return with_words()


def coverage(request: TestSetRequest, *, source: AnySource = "shipped") -> pd.DataFrame:
    """The number of usable words of each category in each language, and of pairs of each relation.

    Arguments and errors are those of `generate`; categories count with however few words.

    Returns:
        One row per language (its code is the index), one column per category or relation that has items in
        the source, integers. `attrs["failed"]` holds the message for each query that failed, by its name,
        `attrs["words"]` the number of different words by language, and `attrs["in_file"]` the number of
        different words and of sections that a test set of all of it has.
    """
    import pandas as pd

    every = replace(request, stand_ins=(), minimum_items=None)
    codes = language_codes(request.languages)
    named_in = None if codes is None else {code: code for code in codes}
    opened = opened_source(source)
    collected = collect(request.chosen_queries(opened), named_in, opened, every)
    least = collected.policy.minimum_words
    collected = replace(collected, policy=replace(collected.policy, minimum_words=1))
    counts, words, in_file = {}, {}, {}
    for code in collected.languages:
        made = assemble(code, code, collected, opened.provenance)
        counts[code] = {section.name: section.size for section in made.sections}
        words[code] = len(made.words)
        large = [section for section in made.sections if section.size >= least]
        of_categories = {word for section in large if section.kind != "relation" for word in section.words}
        in_file[code] = len(of_categories), len(large)
    names = [query.name for query, rows in collected.rows.items() if rows]
    frame = pd.DataFrame.from_dict(counts, orient="index", columns=names)
    frame = frame.fillna(0).astype(int).rename_axis("code")
    frame.attrs = _attributes(collected, words, opened) | {"in_file": in_file}
    return frame


def opened_source(source: AnySource) -> Source:
    """A source that is open, or is opened now."""
    return open_source(source) if isinstance(source, str | Path | Sequence) else source


def _without_contained(collected: CollectedWords) -> CollectedWords:
    """The same without categories and relations of which a larger one holds nearly all."""
    # Categories of the core stay, and a larger one goes instead if those with enough items hold most of it:
    # so that the mammals and birds of a word list are not lost in one category of all its animals and plants.
    # No shipped category goes for one of the source's own.
    rows = {query: frozenset(of_query) for query, of_query in collected.rows.items()}
    enough = {query for query in rows if query.core and len(rows[query]) >= collected.policy.minimum_words}

    having: dict[Row, list[Query]] = {}
    for query, of_query in rows.items():
        for row in of_query:
            having.setdefault(row, []).append(query)

    def around(query: Query) -> set[Query]:
        """The larger ones, or the first of two equal ones, that hold nearly all of it."""
        common = Counter(other for row in rows[query] for other in having[row])
        own = -len(rows[query]), query.name
        return {
            other
            for other, number in common.items()
            if query.kind == other.kind and number >= _CONTAINED * len(rows[query])
            if (-len(rows[other]), other.name) < own
        }

    holding = {query: around(query) for query in rows}

    def is_divided(query: Query) -> bool:
        held = frozenset[Row]().union(*(rows[part] for part in enough if query in holding[part]))
        return not query.core and 2 * len(held & rows[query]) > len(rows[query])

    whole = {query for query in rows if not is_divided(query)}
    shipped = {query for query in whole if query.name in shipped_queries()}
    kept = [
        query
        for query in rows
        if query in whole
        and (query.core or holding[query].isdisjoint(shipped if query in shipped else whole))
    ]
    return replace(collected, rows={query: collected.rows[query] for query in kept})


def _prepare(folder: Path, named_in: Mapping[str, str] | None, *, force: bool) -> None:
    if folder.suffix == ".json" and not folder.is_dir():
        raise OutputError(
            f"{folder}: --output names a folder, and each file in it is named after its language; "
            f"use --output {folder.parent}"
        )
    for code in languages() if named_in is None else named_in:
        check_overwrite(folder / f"{code}.json", is_test_set, force=force)
    try:  # where it will be: a folder is not made before there is something to write
        probe = next(each for each in (folder, *folder.absolute().parents) if each.exists()) / ".testgen.part"
        probe.touch()
        probe.unlink(missing_ok=True)  # two programs may try the same folder at once
    except OSError as error:
        raise OutputError(
            f"{folder}: cannot be written to: {error.strerror}; choose another --output"
        ) from error


def collect(
    queries: Iterable[Query], named_in: Mapping[str, str] | None, source: Source, request: TestSetRequest
) -> CollectedWords:
    """The words of all items, without categories that are contained in another one."""
    corrections = request.corrections and request.corrections.under(request.label_policy)
    codes, stand_ins = (None, ()) if named_in is None else (set(named_in), set(named_in.values()))
    collected = collect_words(
        source,
        queries,
        request.label_policy,
        codes,
        request.minimum_items,
        stand_ins,
        with_article=request.known_in_its_wikipedia,
    )
    if not any(collected.rows.values()):
        if collected.failed:
            raise one_error(collected.failed.values())
        names = ", ".join(query.name for query in collected.rows)
        which, more = "", ""
        if isinstance(source, RdfSource) and source.paths == shipped_snapshots():
            which, more = ", the shipped snapshot,", ", --source wikidata asks Wikidata"
        raise QueryError(
            f"{source.provenance.name}{which} has no items for {names}; "
            f"`testgen categories` shows what it has{more}"
        )
    collected = replace(collected, vocabulary=request.vocabulary, corrections=corrections)
    keeps_contained = request.names_categories or request.all_categories or request.minimum_items
    return collected if keeps_contained else _without_contained(collected)


def _test_sets(
    collected: CollectedWords,
    named_in: Mapping[str, str] | None,
    source: Source,
    notify: Callable[[str], None] = lambda _: None,
) -> Iterator[TestSet]:
    """The test set of each language, ordered by language; that of one with too few words is empty."""
    pairs = {code: code for code in collected.languages} if named_in is None else named_in
    for number, (language, named) in enumerate(sorted(pairs.items()), start=1):
        notify(f"making test sets: language {number} of {len(pairs)}")
        made = assemble(language, named, collected, source.provenance)
        codes = {section.named_in or language for section in made.sections}
        yield structs.replace(made, source=made.source.of_words_in(codes))


def _too_few_words(code: str, named_in: str, collected: CollectedWords, source: Source) -> str:
    near = without_labels().get(code) or "CODE"
    standing_in, more = "", ["a wordnet or word list (`testgen snapshot import`)"]
    if named_in != code:
        name = f"{named_in} ({languages()[named_in].name})"
        standing_in = f", and those in {name}, which stand in, for {_known_items(named_in, collected)}"
    else:
        more.insert(0, f"the names of another language (--stand-in {code}={near})")
    if source.provenance.kind in ("snapshot", "combined") and code not in without_labels():
        more.append("Wikidata (--source wikidata)")
    listed = f" that are in {collected.vocabulary.name}" if collected.vocabulary else ""
    by_query = collected.words(code).values()
    foreign = sum(named.other_script for of_query in by_query for named in of_query.values())
    if foreign:
        more.insert(0, f"the {foreign} words in another script (--policy any-script=yes)")
    return (
        f"{code} ({languages()[code].name}): {source.provenance.name} has usable names{listed} "
        f"for {_known_items(code, collected)} of the items{standing_in}, too few for any category (at least "
        f"{collected.policy.minimum_words} words; see --minimum-words, and --policy several-words=join for "
        f"names of more than one word). More could come from {', or '.join(more)}; `testgen languages` shows "
        "what there is"
    )


def _known_items(code: str, collected: CollectedWords) -> int:
    by_query = collected.words(code).values()
    return sum(bool(named.words) for of_query in by_query for named in of_query.values())


def _attributes(collected: CollectedWords, words: Mapping[str, int], source: Source) -> dict[Hashable, Any]:
    there = {item for rows in collected.rows.values() for row in rows for item in row}
    return {
        "failed": {name: str(error) for name, error in collected.failed.items()},
        "lacking": what_is_missing(source, {query: len(rows) for query, rows in collected.rows.items()}),
        "words": words,
        "uncorrected": sorted(collected.corrections.items - there) if collected.corrections else [],
    }
