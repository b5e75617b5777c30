"""From queries to a folder of test sets, and tables of the words that a source has."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec import structs

from testgen.errors import LanguageError, OutputError
from testgen.generation.assembly import assemble
from testgen.generation.collection import CollectedWords, collect, without_contained
from testgen.generation.keywords import keyword_groups
from testgen.generation.request import TestSetRequest
from testgen.generation.sizes import size_of
from testgen.languages.codes import languages, without_labels
from testgen.sources import Source, open_source
from testgen.sources.asking import one_error, what_is_missing
from testgen.system import check_overwrite
from testgen.testset.types import TestSet
from testgen.testset.writing import is_test_set, write

if TYPE_CHECKING:
    import pandas as pd

AnySource: TypeAlias = str | Path | Sequence[str | Path] | Source
"""An open source, or what `open_source` opens."""


class WrittenSection(NamedTuple):
    """A category, relation or family of groups that was written: the columns of `generate`."""

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
        A row for each category, relation and family of groups of each language: language, kind (`category`,
        `relation`, `groups`, or `level` for a class within a category), name, size (words, or pairs of a
        relation), items,
        named_in (the code of the language of the words, another one where a language stands in),
        other_script (words that were left out because of their script), file. `attrs["failed"]` holds what is
        missing and why: the message for each query that failed, by its name (`noun-plural in en` if it failed
        in one language), and for each language asked for that has too few words, by its code.
        `attrs["words"]` holds the number of different words by language, `attrs["forms"]` the `Forms` of the
        names by language, which say how many are not spelled as in texts and why, and `attrs["lacking"]` says
        what a service lacks most of.

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
    folder, asked, opened = Path(output), request.named_in, opened_source(source)
    chosen = request.chosen_queries(opened)
    _prepare(folder, asked or languages(), force=force)
    collected = collect(opened, chosen, request)
    rows, words, missing, written = [], {}, {}, []
    with ThreadPoolExecutor(1) as pool:  # the next test set is made while the disk is waited for
        for test_set in _test_sets(collected, opened, notify):
            code = test_set.language
            if test_set.sections:
                path = folder / f"{code}.json"
                written.append(pool.submit(write, test_set, path))
                words[code] = len(test_set.words)
                for each in (*test_set.sections, *test_set.groups):
                    sizes = each.size, len(each.items), each.named_in or code, each.other_script
                    rows.append(WrittenSection(code, each.kind, each.name, *sizes, str(path)))
            elif asked is not None:
                missing[code] = _too_few_words(code, asked[code], collected, opened)
    for writing in written:
        writing.result()
    if not rows and collected.failed:
        raise one_error(collected.failed.values())
    if not rows:
        few = f"no language has {collected.policy.fewest_words} usable words for any category"
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
    asked, opened = request.named_in, opened_source(source)
    collected = collect(opened, request.chosen_queries(opened), request)
    if collected.failed:
        raise one_error(collected.failed.values())

    def with_words() -> Iterator[TestSet]:
        for test_set in _test_sets(collected, opened):
            if test_set.sections:
                yield test_set
            elif asked is not None:
                code = test_set.language
                raise LanguageError(_too_few_words(code, asked[code], collected, opened))

    return with_words()


def coverage(request: TestSetRequest, *, source: AnySource = "shipped") -> pd.DataFrame:
    """The number of usable words of each category in each language, and of pairs of each relation.

    Arguments and errors are those of `generate`; categories count with however few words.

    Returns:
        One row per language (its code is the index), one column per category or relation that has items in
        the source, integers. `attrs["failed"]` holds the message for each query that failed, by its name,
        `attrs["words"]` the number of different words by language, `attrs["in_file"]` the `FileSize` of the
        test set that is made if `all_categories` is not asked for, and `attrs["keywords"]` the number of
        keywords of symbols.
    """
    import pandas as pd

    every = replace(request, stand_ins=(), minimum_items=None)
    opened = opened_source(source)
    collected = collect(opened, request.chosen_queries(opened), every)
    least = collected.policy.fewest_words
    of_file = collected.rows if request.names_categories else without_contained(collected).rows
    collected = replace(collected, policy=replace(collected.policy, minimum_words=1))
    queries = {query.name: query for query in of_file}
    counts, words, in_file, keywords = {}, {}, {}, {}
    for code in sorted(collected.named_in):
        made = assemble(code, code, collected, opened.provenance)
        counts[code] = {section.name: section.size for section in made.sections}
        words[code] = len(made.words)
        large = [each for each in made.sections if each.size >= least and each.name in queries]
        in_file[code] = size_of({queries[each.name]: each for each in large})
        keywords[code] = sum(family.size for family in keyword_groups(code, opened, every))
    names = [query.name for query, rows in collected.rows.items() if rows]
    frame = pd.DataFrame.from_dict(counts, orient="index", columns=names)
    frame = frame.fillna(0).astype(int).rename_axis("code")
    frame.attrs = _attributes(collected, words, opened) | {"in_file": in_file, "keywords": keywords}
    return frame


def opened_source(source: AnySource) -> Source:
    """A source that is open, or is opened now."""
    return open_source(source) if isinstance(source, str | Path | Sequence) else source


def _prepare(folder: Path, codes: Iterable[str], *, force: bool) -> None:
    if folder.suffix == ".json" and not folder.is_dir():
        raise OutputError(
            f"{folder}: --output names a folder, and each file in it is named after its language; "
            f"use --output {folder.parent}"
        )
    for code in codes:
        check_overwrite(folder / f"{code}.json", is_test_set, force=force)
    try:  # where it will be: a folder is not made before there is something to write
        probe = next(each for each in (folder, *folder.absolute().parents) if each.exists()) / ".testgen.part"
        probe.touch()
        probe.unlink(missing_ok=True)  # two programs may try the same folder at once
    except OSError as error:
        raise OutputError(
            f"{folder}: cannot be written to: {error.strerror}; choose another --output"
        ) from error


def _test_sets(
    collected: CollectedWords, source: Source, notify: Callable[[str], None] = lambda _: None
) -> Iterator[TestSet]:
    """The test set of each language, ordered by language; that of one with too few words is empty."""
    pairs = sorted(collected.named_in.items())
    for number, (language, named_in) in enumerate(pairs, start=1):
        notify(f"making test sets: language {number} of {len(pairs)}")
        made = assemble(language, named_in, collected, source.provenance)
        codes = {section.named_in or language for section in made.sections}
        groups = keyword_groups(language, source, collected.request) if made.sections else ()
        yield structs.replace(made, source=made.source.of_words_in(codes), groups=groups)


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
    listed = f" that are in {collected.request.vocabulary.name}" if collected.request.vocabulary else ""
    by_query = collected.words(code).values()
    foreign = sum(named.other_script for of_query in by_query for named in of_query.values())
    if foreign:
        more.insert(0, f"the {foreign} words in another script (--policy any-script=yes)")
    return (
        f"{code} ({languages()[code].name}): {source.provenance.name} has usable names{listed} "
        f"for {_known_items(code, collected)} of the items{standing_in}, too few for any category (at least "
        f"{collected.policy.fewest_words} words; see --minimum-words, and --policy several-words=join for "
        f"names of more than one word). More could come from {', or '.join(more)}; `testgen languages` shows "
        "what there is"
    )


def _known_items(code: str, collected: CollectedWords) -> int:
    by_query = collected.words(code).values()
    return sum(bool(named.words) for of_query in by_query for named in of_query.values())


def _attributes(collected: CollectedWords, words: Mapping[str, int], source: Source) -> dict[Hashable, Any]:
    corrections = collected.request.corrections
    there = {item for rows in collected.rows.values() for row in rows for item in row}
    lacking = what_is_missing(source, {query: len(rows) for query, rows in collected.rows.items()})
    return {
        "failed": {name: str(error) for name, error in collected.failed.items()},
        "lacking": "; ".join(filter(None, [lacking, *collected.left_out])),
        "words": words,
        "forms": collected.forms,
        "uncorrected": sorted(corrections.items - there) if corrections else [],
    }
