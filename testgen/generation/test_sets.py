"""From queries to a folder of test sets, and tables of the words that a source has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from testgen.errors import LanguageError, OutputError, QueryError
from testgen.hierarchy import check_minimum
from testgen.labels import LabelPolicy
from testgen.labels.words import CollectedWords, collect_words
from testgen.languages import canonical, languages, stand_in_map, without_labels
from testgen.queries import Query, choose
from testgen.sources import Source, open_source
from testgen.sources.asking import one_error
from testgen.sources.cached_snapshot import CachedSnapshot
from testgen.system import check_overwrite
from testgen.testset import TestSet, assemble, is_test_set, write

if TYPE_CHECKING:
    import pandas as pd

STANDARD_WORDS = 10
"""The fewest words of a category if none is named."""

_CONTAINED = 0.8  # of its items are in another category: a few always have other statements

_COLUMNS = ["language", "kind", "name", "size", "items", "named_in", "other_script", "file"]


def generate(
    output: str | Path,
    languages: Iterable[str] | None = None,
    *,
    categories: Iterable[str] = (),
    classes: Iterable[str] = (),
    queries: Iterable[str | Path | Query] = (),
    source: str | Path | Sequence[str | Path] | Source = "shipped",
    policy: LabelPolicy | None = None,
    stand_ins: Iterable[str] = (),
    minimum_items: int | None = None,
    minimum_sitelinks: int | None = None,
    all_categories: bool = False,
    force: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """Write one test set file per language.

    Args:
        output: The folder for the files; it is created if missing.
        languages: Language codes in any accepted spelling; None for every language in which the source has
            enough words for at least one category.
        categories: Names of shipped categories and relations. If neither these nor `classes` nor `queries`
            are given, the shipped ones are used, without those that are contained in another one: four of
            five of their items are in it too.
        classes: Ids of classes whose instances make a category, such as `Q9415`.
        queries: Paths of query files, or queries.
        source: `shipped`, `wikidata`, the URL of a SPARQL endpoint, the path of a snapshot, a list of several
            snapshots, or a source that is already open: `open_source` takes the patience with busy servers.
        policy: How labels become words. If None, `LabelPolicy()`; if nothing is named, with at least 10 words
            in each category.
        stand_ins: Languages to be named in another language, as in `non=is`, in each category for which they
            have too few words themselves; they override those in `testgen/languages/stand_ins.tsv`.
        minimum_items: Write the levels of each category as well, with each class within it as a category of
            its own: how many items such a class must have, 2 or more. None for no levels.
        minimum_sitelinks: How many sitelinks an item must have, in the queries that ask for a minimum: see
            `choose`.
        all_categories: Whether to use also the shipped ones that are contained in another one. So does
            `minimum_items`.
        force: Whether to overwrite files that testgen did not write.
        notify: Called with a text for people before the test set of each language is made.

    Returns:
        A row for each category and relation of each language: language, kind (`category`, `relation`, or
        `level` for a class within a category), name, size (words of a category, pairs of a relation), items,
        named_in (the code of the language of the words, another one where a language stands in),
        other_script (words that were left out because of their script), file. `attrs["failed"]` holds what is
        missing and why: the message for each query that failed, by its name (`noun-plural in en` if it failed
        in one language), and for each language that has too few words without it, by its code.
        `attrs["words"]` holds the number of different words by language.

    Raises:
        QueryError: A category, class or query file cannot be used, or nothing asked for has any items.
        LanguageError: A code is unknown, or a language asked for has too few words for every category.
        SourceError: The source cannot be opened, or fails for everything.
        OutputError: The folder cannot be written to, or a file in it would be overwritten that testgen did
            not write.
        PolicyError: `minimum_items` is too low.
    """
    import pandas as pd

    check_minimum(minimum_items)
    named = [*categories], [*classes], [*queries]
    policy = policy or (LabelPolicy() if any(named) else LabelPolicy(minimum_words=STANDARD_WORDS))
    folder, named_in = Path(output), _named_in(languages, stand_ins)
    chosen = choose(*named, minimum_sitelinks=minimum_sitelinks)
    _prepare(folder, named_in, force=force)
    collected, opened = collect(chosen, named_in, source, policy, minimum_items)
    if not (any(named) or all_categories or minimum_items):
        collected = without_contained(collected)
    rows, words = [], {}
    for test_set in _test_sets(collected, named_in, opened, policy, notify):
        words[test_set.language] = len(test_set.words)
        path = folder / f"{test_set.language}.json"
        write(test_set, path)
        rows += [
            (
                test_set.language,
                each.kind,
                each.query.name,
                each.size,
                len(each.items),
                each.named_in or test_set.language,
                each.other_script,
                str(path),
            )
            for each in test_set.sections
        ]
    if not rows and collected.failed:
        raise one_error(collected.failed.values())
    if not rows:
        raise LanguageError(
            f"no language has {policy.minimum_words} usable words for any category: see --minimum-words, "
            "--several-words"
        )
    frame = _with_failures(pd.DataFrame(rows, columns=_COLUMNS), collected)
    frame.attrs["words"] = words
    for code in sorted(set(named_in or ()).difference(frame["language"])):
        frame.attrs["failed"][code] = _too_few_words(code, (named_in or {})[code], collected, opened, policy)
    return frame


def build_test_sets(
    queries: Iterable[Query],
    languages: Iterable[str] | None = None,
    *,
    source: str | Path | Sequence[str | Path] | Source = "shipped",
    policy: LabelPolicy | None = None,
    stand_ins: Iterable[str] = (),
    minimum_items: int | None = None,
) -> Iterator[TestSet]:
    """Test sets in memory, ordered by language; arguments and errors are those of `generate`.

    A query that fails is an error, whatever the others give.
    """
    check_minimum(minimum_items)
    named_in, policy = _named_in(languages, stand_ins), policy or LabelPolicy()
    collected, opened = collect(queries, named_in, source, policy, minimum_items)
    if collected.failed:
        raise one_error(collected.failed.values())
    return _test_sets(collected, named_in, opened, policy)


def coverage(
    languages: Iterable[str] | None = None,
    *,
    categories: Iterable[str] = (),
    classes: Iterable[str] = (),
    queries: Iterable[str | Path | Query] = (),
    source: str | Path | Sequence[str | Path] | Source = "shipped",
    policy: LabelPolicy | None = None,
    minimum_sitelinks: int | None = None,
) -> pd.DataFrame:
    """The number of usable words of each category in each language, and of pairs of each relation.

    Arguments and errors are those of `generate`; the policy's `minimum_words` has no effect here.

    Returns:
        One row per language (its code is the index), one column per category or relation that has items in
        the source, integers. `attrs["failed"]` holds the message for each query that failed, by its name,
        and `attrs["words"]` the number of different words by language.
    """
    import pandas as pd

    codes = language_codes(languages)
    chosen = choose(categories, classes, queries, minimum_sitelinks=minimum_sitelinks)
    every = replace(policy or LabelPolicy(), minimum_words=1)
    named_in = None if codes is None else {code: code for code in codes}
    collected, opened = collect(chosen, named_in, source, every, None)
    counts, words = {}, {}
    for code in collected.languages:
        made = assemble(code, code, collected, opened.provenance, every)
        counts[code] = {each.query.name: each.size for each in made.sections}
        words[code] = len(made.words)
    names = [query.name for query, rows in collected.rows.items() if rows]
    frame = pd.DataFrame.from_dict(counts, orient="index", columns=names)
    frame = _with_failures(frame.fillna(0).astype(int).rename_axis("code"), collected)
    frame.attrs["words"] = words
    return frame


def without_contained(collected: CollectedWords) -> CollectedWords:
    """The same without categories and relations of which a larger one holds nearly all."""
    rows = {query: frozenset(of_query) for query, of_query in collected.rows.items()}

    def size(query: Query) -> tuple[int, str]:
        return -len(rows[query]), query.name  # of two equal ones, the first is kept

    kept = {
        query: collected.rows[query]
        for query, own in rows.items()
        if not any(
            size(other) < size(query) and len(own & of_other) >= _CONTAINED * len(own) > 0
            for other, of_other in rows.items()
            if other.kind == query.kind
        )
    }
    return replace(collected, rows=kept)


def language_codes(given: Iterable[str] | None) -> list[str] | None:
    """Codes in use of some languages, each once; None for all languages.

    Raises:
        LanguageError: A code is unknown, or none is given.
    """
    if given is None:
        return None
    codes = list(dict.fromkeys(canonical(code) for code in given))
    if not codes:
        raise LanguageError("no language given; name one, or ask for all of them")
    return codes


def _named_in(languages: Iterable[str] | None, stand_ins: Iterable[str]) -> dict[str, str] | None:
    """For each language that is asked for, the one that stands in, or itself; None for all languages."""
    codes, given = language_codes(languages), list(stand_ins)
    if codes is None:
        if given:
            raise LanguageError(
                f"--stand-in {given[0]} says how to name one language; name it with --language too"
            )
        return None
    named_in = stand_in_map(given)
    for pair in given:
        code, _, other = (canonical(each) if each != "=" else each for each in pair.partition("="))
        if code not in codes:
            hint = f"; did you mean {other}={code}?" if other in codes else ""
            raise LanguageError(
                f"--stand-in {pair} is for {code}, a language that is not asked for with --language{hint}"
            )
    return {code: named_in.get(code, code) for code in codes}


def _prepare(folder: Path, named_in: Mapping[str, str] | None, *, force: bool) -> None:
    """Create the folder, and check before any work that the files can be written."""
    if folder.suffix == ".json" and not folder.is_dir():
        raise OutputError(
            f"{folder}: --output names a folder, and each file in it is named after its language; "
            f"use --output {folder.parent}"
        )
    for code in languages() if named_in is None else named_in:
        if not force:
            check_overwrite(folder / f"{code}.json", is_test_set)
    probe = folder / ".testgen.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink(missing_ok=True)  # two programs may try the same folder at once
    except OSError as error:
        raise OutputError(
            f"{folder}: cannot be written to: {error.strerror}; choose another --output"
        ) from error


def collect(
    queries: Iterable[Query],
    named_in: Mapping[str, str] | None,
    source: str | Path | Sequence[str | Path] | Source,
    policy: LabelPolicy,
    minimum_items: int | None,
) -> tuple[CollectedWords, Source]:
    """The words of all items, and the open source."""
    opened = open_source(source) if isinstance(source, str | Path | Sequence) else source
    codes, stand_ins = (None, ()) if named_in is None else (set(named_in), set(named_in.values()))
    collected = collect_words(opened, queries, policy, codes, minimum_items, stand_ins)
    if collected.failed and not any(collected.rows.values()):
        raise one_error(collected.failed.values())
    if not any(collected.rows.values()):
        names = ", ".join([*(query.name for query in collected.rows), *collected.failed])
        which, more = "", ""
        if isinstance(opened, CachedSnapshot):
            which, more = ", the shipped snapshot,", ", --source wikidata asks Wikidata"
        raise QueryError(
            f"{opened.provenance.name}{which} has no items for {names}; "
            f"`testgen categories` shows what it has{more}"
        )
    return collected, opened


def _test_sets(
    collected: CollectedWords,
    named_in: Mapping[str, str] | None,
    source: Source,
    policy: LabelPolicy,
    notify: Callable[[str], None] = lambda _: None,
) -> Iterator[TestSet]:
    """All test sets with at least one category or relation, ordered by language."""
    pairs = {code: code for code in collected.languages} if named_in is None else named_in

    def assembled() -> Iterator[TestSet]:
        for number, (language, named) in enumerate(sorted(pairs.items()), start=1):
            notify(f"making test sets: language {number} of {len(pairs)}")
            yield assemble(language, named, collected, source.provenance, policy)

    # Assembled twice, since all of them may be too many for the memory: either all are made, or none. After
    # a query that failed, those that can be made are.
    for test_set in assembled() if named_in is not None and not collected.failed else ():
        if not test_set.sections:
            code = test_set.language
            raise LanguageError(_too_few_words(code, pairs[code], collected, source, policy))
    yield from (test_set for test_set in assembled() if test_set.sections)


def _too_few_words(
    code: str, named_in: str, collected: CollectedWords, source: Source, policy: LabelPolicy
) -> str:
    known = _known_items(code, collected)
    standing_in = ""
    if named_in != code:
        name = f"{named_in} ({languages()[named_in].name})"
        standing_in = f", and those in {name}, which stand in, for {_known_items(named_in, collected)}"
    elif code in without_labels():
        standing_in = f"; let another language stand in: --stand-in {code}=CODE"
    return (
        f"{code} ({languages()[code].name}): {source.provenance.name} has usable names for {known} of the "
        f"items{standing_in}, too few for any category (at least {policy.minimum_words} words; see "
        "--minimum-words, and --several-words for names of more than one word); `testgen languages` shows "
        "what there is"
    )


def _known_items(code: str, collected: CollectedWords) -> int:
    """How many items have words in a language."""
    found = collected.words(code).values()
    return sum(bool(named.words) for of_query in found for named in of_query.values())


def _with_failures(frame: pd.DataFrame, collected: CollectedWords) -> pd.DataFrame:
    frame.attrs["failed"] = {name: str(error) for name, error in collected.failed.items()}
    return frame
