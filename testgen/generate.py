"""The main job: from queries to a directory of test sets, and tables of what a source can give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from testgen.errors import LanguageError, QueryError
from testgen.labels import LabelPolicy
from testgen.languages import canonical, languages
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
        source: `shipped`, the path of a snapshot, or a source that is open already.
        policy: How labels become words; `LabelPolicy()` if None.

    Returns:
        A row for each category and relation of each language: language, kind, name, size (words of a
        category, pairs of a relation), items, file.

    Raises:
        QueryError: A category, class or query file cannot be used, or nothing asked for has any items.
        LanguageError: A code is unknown, or a language asked for has too few words for every category.
        SourceError: The source cannot be opened, or fails.
        OutputError: The directory cannot be written to.
    """
    import pandas as pd

    directory = Path(output)
    chosen, codes = choose(categories, classes, queries), _codes(languages)
    prepare(directory)
    rows = []
    for test_set in build_test_sets(chosen, codes, source=source, policy=policy):
        path = write(test_set, directory)
        rows += [
            (test_set.language, part.query.kind, part.query.name, part.size, len(part.items), str(path))
            for part in test_set.parts
        ]
    return pd.DataFrame(rows, columns=["language", "kind", "name", "size", "items", "file"])


def build_test_sets(
    queries: Iterable[Query],
    languages: Iterable[str] | None = None,
    *,
    source: str | Path | Source = "shipped",
    policy: LabelPolicy | None = None,
) -> Iterator[TestSet]:
    """Test sets in memory, ordered by language; the arguments and errors are those of `generate`."""
    codes, opened, policy = _codes(languages), _opened(source), policy or LabelPolicy()
    harvested = harvest(opened, queries, policy, codes)
    _check_answers(harvested, opened)
    made = (assemble(code, harvested, opened.provenance, policy) for code in sorted(harvested.words))
    for test_set in made:
        if test_set.parts:
            yield test_set
        elif codes is not None:
            raise LanguageError(_nothing(test_set.language, harvested, opened, policy))


def coverage(
    languages: Iterable[str] | None = None,
    *,
    categories: Iterable[str] = (),
    classes: Iterable[str] = (),
    queries: Iterable[str | Path] = (),
    source: str | Path | Source = "shipped",
    policy: LabelPolicy | None = None,
) -> pd.DataFrame:
    """How many usable words each category has in each language, and how many pairs each relation.

    The arguments and errors are those of `generate`; the policy's `minimum_words` does not count here.

    Returns:
        One row per language code, one column per category or relation that has items in the source, integers.
    """
    import pandas as pd

    chosen, codes, opened = choose(categories, classes, queries), _codes(languages), _opened(source)
    every = LabelPolicy(**{**(policy or LabelPolicy()).as_dict(), "minimum_words": 1})  # type: ignore[arg-type]
    harvested = harvest(opened, chosen, every, codes)
    _check_answers(harvested, opened)
    counts = {
        code: {p.query.name: p.size for p in assemble(code, harvested, opened.provenance, every).parts}
        for code in sorted(harvested.words)
    }
    names = [query.name for query, rows in harvested.rows.items() if rows]
    frame = pd.DataFrame.from_dict(counts, orient="index", columns=names)
    return frame.fillna(0).astype(int).rename_axis("language")


def _codes(given: Iterable[str] | None) -> list[str] | None:
    if given is None:
        return None
    codes = list(dict.fromkeys(canonical(code) for code in given))
    if not codes:
        raise LanguageError("no language given; name one, or ask for all of them")
    return codes


def _opened(source: str | Path | Source) -> Source:
    return open_source(source) if isinstance(source, str | Path) else source


def _check_answers(harvested: Harvest, source: Source) -> None:
    if not any(harvested.rows.values()):
        names = ", ".join(query.name for query in harvested.rows)
        raise QueryError(
            f"{source.provenance.name} has no items for {names}; `testgen categories` shows what it has"
        )


def _nothing(code: str, harvested: Harvest, source: Source, policy: LabelPolicy) -> str:
    known = len(harvested.words.get(code, {}))
    return (
        f"{code} ({languages()[code].name}): {source.provenance.name} has usable names for {known} of the "
        f"items, too few for any category (at least {policy.minimum_words} words; see --minimum-words); "
        "`testgen languages` shows what there is"
    )
