"""The main job: from queries to a directory of test sets, and tables of what a source can give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from testgen.errors import LanguageError, QueryError, SourceError
from testgen.labels import LabelPolicy
from testgen.languages import canonical, languages, stand_in_map
from testgen.levels import check_minimum
from testgen.queries import Query, choose
from testgen.sources import Source, open_source
from testgen.testset import TestSet, assemble, prepare, write
from testgen.words import Harvest, harvest

if TYPE_CHECKING:
    import pandas as pd


def generate(
    output: str | Path,
    languages: Iterable[str] | None = None,
    *,
    categories: Iterable[str] = (),
    classes: Iterable[str] = (),
    queries: Iterable[str | Path] = (),
    source: str | Path | Source = "shipped",
    policy: LabelPolicy | None = None,
    stand_ins: Iterable[str] = (),
    keep_going: bool = False,
    minimum_items: int | None = None,
) -> pd.DataFrame:
    """Write one test set file per language.

    Args:
        output: The directory for the files, made if need be.
        languages: Language codes in any accepted spelling; None for every language in which the source has
            enough words for at least one category.
        categories: Names of shipped categories and relations. If neither these nor `classes` nor `queries`
            are given, all shipped ones are used.
        classes: Ids of classes whose instances make a category, such as `Q9415`.
        queries: Paths of query files.
        source: `shipped`, `wikidata`, the address of a SPARQL endpoint, the path of a snapshot, or a source
            that is open already.
        policy: How labels become words; `LabelPolicy()` if None.
        stand_ins: Languages whose things are to be named in another one, as in `non=is`, on top of those in
            `testgen/stand_ins.tsv`.
        keep_going: Whether to leave out queries that fail; a query that fails is an error otherwise.
        minimum_items: To write the levels of each category too, the classes within it as categories of their
            own: how many items such a class must have, 2 or more. None for no levels.

    Returns:
        A row for each category and relation of each language: language, kind (`category`, `relation`, or
        `level` for a category within another), name, size (words of a category, pairs of a relation), items,
        file.

    Raises:
        QueryError: A category, class or query file cannot be used, or nothing asked for has any items.
        LanguageError: A code is unknown, or a language asked for has too few words for every category.
        SourceError: The source cannot be opened, or fails.
        OutputError: The directory cannot be written to.
        PolicyError: `minimum_items` is too low.
    """
    languages = None if languages is None else list(languages)
    chosen = choose(categories, classes, queries, every_language=languages is None)
    return write_test_sets(
        output,
        chosen,
        languages,
        source=source,
        policy=policy,
        stand_ins=stand_ins,
        keep_going=keep_going,
        minimum_items=minimum_items,
    )


def write_test_sets(
    output: str | Path,
    queries: Iterable[Query],
    languages: Iterable[str] | None = None,
    *,
    source: str | Path | Source = "shipped",
    policy: LabelPolicy | None = None,
    stand_ins: Iterable[str] = (),
    keep_going: bool = False,
    minimum_items: int | None = None,
) -> pd.DataFrame:
    """Write one test set file per language for queries that are chosen already; see `generate`."""
    import pandas as pd

    check_minimum(minimum_items)
    directory = Path(output)
    named = _named_in(languages, stand_ins)
    prepare(directory)
    rows = []
    built = _build(
        queries,
        named,
        _opened(source),
        policy or LabelPolicy(),
        keep_going=keep_going,
        minimum_items=minimum_items,
    )
    for test_set in built:
        path = write(test_set, directory)
        rows += [
            (test_set.language, part.kind, part.query.name, part.size, len(part.items), str(path))
            for part in test_set.parts
        ]
    if not rows:
        least = (policy or LabelPolicy()).minimum_words
        raise LanguageError(
            f"no language has {least} usable words for any category: see --minimum-words, --several-words"
        )
    return pd.DataFrame(rows, columns=["language", "kind", "name", "size", "items", "file"])


def build_test_sets(
    queries: Iterable[Query],
    languages: Iterable[str] | None = None,
    *,
    source: str | Path | Source = "shipped",
    policy: LabelPolicy | None = None,
    stand_ins: Iterable[str] = (),
    keep_going: bool = False,
    minimum_items: int | None = None,
) -> Iterator[TestSet]:
    """Test sets in memory, ordered by language; the arguments and errors are those of `generate`."""
    check_minimum(minimum_items)
    named = _named_in(languages, stand_ins)
    return _build(
        queries,
        named,
        _opened(source),
        policy or LabelPolicy(),
        keep_going=keep_going,
        minimum_items=minimum_items,
    )


def _build(
    queries: Iterable[Query],
    named: dict[str, str] | None,
    source: Source,
    policy: LabelPolicy,
    *,
    keep_going: bool,
    minimum_items: int | None,
) -> Iterator[TestSet]:
    codes = None if named is None else set(named.values())
    harvested = harvest(source, queries, policy, codes, minimum_items)
    _check_answers(harvested, source, keep_going=keep_going)
    pairs = {code: code for code in harvested.languages} if named is None else named

    def made() -> Iterator[TestSet]:
        for language, names_in in sorted(pairs.items()):
            yield assemble(language, names_in, harvested, source.provenance, policy)

    # Twice, for all of them may be too many for memory: either all that was asked for is made, or nothing.
    for test_set in made() if named is not None else ():
        if not test_set.parts:
            raise LanguageError(_nothing(test_set.named_in, harvested, source, policy))
    yield from (test_set for test_set in made() if test_set.parts)


def coverage(
    languages: Iterable[str] | None = None,
    *,
    categories: Iterable[str] = (),
    classes: Iterable[str] = (),
    queries: Iterable[str | Path] = (),
    source: str | Path | Source = "shipped",
    policy: LabelPolicy | None = None,
    keep_going: bool = False,
) -> pd.DataFrame:
    """How many usable words each category has in each language, and how many pairs each relation.

    The arguments and errors are those of `generate`; the policy's `minimum_words` does not count here.

    Returns:
        One row per language (its code is the index), one column per category or relation that has items in
        the source, integers.
    """
    import pandas as pd

    codes, opened = _codes(languages), _opened(source)
    chosen = choose(categories, classes, queries, every_language=codes is None)
    every = LabelPolicy(**{**(policy or LabelPolicy()).as_dict(), "minimum_words": 1})  # type: ignore[arg-type]
    harvested = harvest(opened, chosen, every, codes)
    _check_answers(harvested, opened, keep_going=keep_going)
    counts = {
        code: {p.query.name: p.size for p in assemble(code, code, harvested, opened.provenance, every).parts}
        for code in harvested.languages
    }
    names = [query.name for query, rows in harvested.rows.items() if rows]
    frame = pd.DataFrame.from_dict(counts, orient="index", columns=names)
    return frame.fillna(0).astype(int).rename_axis("code")


def _codes(given: Iterable[str] | None) -> list[str] | None:
    if given is None:
        return None
    codes = list(dict.fromkeys(canonical(code) for code in given))
    if not codes:
        raise LanguageError("no language given; name one, or ask for all of them")
    return codes


def _opened(source: str | Path | Source) -> Source:
    return open_source(source) if isinstance(source, str | Path) else source


def _check_answers(harvested: Harvest, source: Source, *, keep_going: bool) -> None:
    if harvested.failed and not keep_going:
        raise _all_failures(harvested.failed)
    if not any(harvested.rows.values()):
        names = ", ".join(query.name for query in (*harvested.rows, *harvested.failed))
        raise QueryError(
            f"{source.provenance.name} has no items for {names}; `testgen categories` shows what it has"
        )


def _all_failures(failed: Mapping[Query, SourceError]) -> SourceError:
    """One error for all queries that failed."""
    first, *others = failed.values()
    if not others:
        return first
    kind = type(first) if len({type(error) for error in failed.values()}) == 1 else SourceError
    return kind(
        f"{len(failed)} queries failed; the others are kept:\n" + "\n".join(map(str, failed.values()))
    )


def _named_in(languages: Iterable[str] | None, stand_ins: Iterable[str]) -> dict[str, str] | None:
    """For each language asked for, the language that its things are named in; None for all languages."""
    codes, given = _codes(languages), list(stand_ins)
    if codes is None:
        if given:
            raise LanguageError(
                f"--stand-in {given[0]} says how to name one language; name it with --language too"
            )
        return None
    named_in = stand_in_map(given)
    unused = [pair for pair in given if canonical(pair.partition("=")[0]) not in codes]
    if unused:
        raise LanguageError(f"--stand-in {unused[0]} is for a language that is not asked for with --language")
    return {code: named_in.get(code, code) for code in codes}


def _nothing(code: str, harvested: Harvest, source: Source, policy: LabelPolicy) -> str:
    known = sum(map(len, harvested.words(code).values()))
    return (
        f"{code} ({languages()[code].name}): {source.provenance.name} has usable names for {known} of the "
        f"items, too few for any category (at least {policy.minimum_words} words; see --minimum-words, and "
        "--several-words for names of more than one word); `testgen languages` shows what there is"
    )
