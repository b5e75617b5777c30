"""What a library has, in the shapes in which it is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from importlib.metadata import version
from typing import TYPE_CHECKING

from testgen.errors import LanguageError, MissingAnswerError, QueryError
from testgen.labels import LabelPolicy
from testgen.languages import Language, canonical, languages
from testgen.queries import Query, class_query
from testgen.serve.choices import Choice
from testgen.serve.jobs import Job, Jobs
from testgen.serve.library import Library
from testgen.serve.models import (
    CategoryDetailModel,
    CategoryModel,
    ClassModel,
    CoverageModel,
    CoverageRowModel,
    ItemModel,
    ItemsModel,
    JobModel,
    LanguageCountModel,
    LanguageModel,
    LanguagePartsModel,
    LimitsModel,
    PartModel,
    ServiceModel,
    SizeModel,
    SourceModel,
    SummaryModel,
)
from testgen.serve.problems import NotFoundError
from testgen.testset import Category, Relation

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 8
"""How many words stand for all of a category."""


def service(library: Library) -> ServiceModel:
    """What the service is."""
    limits, kinds = library.settings.limits, [query.kind for query in library.offered.values()]
    return ServiceModel(
        version=version("testgen-evaluator"),
        source=SourceModel.model_validate(library.catalogue.provenance.as_dict()),
        live=library.settings.is_remote,
        languages=len(library.catalogue.coverage),
        categories=kinds.count("category"),
        relations=kinds.count("relation"),
        limits=LimitsModel(
            classes=limits.classes, class_items=limits.class_items, jobs_per_client=limits.jobs_per_client
        ),
    )


def all_languages(
    library: Library, search: str = "", script: str | None = None, minimum_words: int = 1
) -> list[LanguageModel]:
    """Languages with words, by name; those whose name or code holds what is searched for."""
    sought = search.strip().casefold()
    found = [_language(library, code) for code in library.catalogue.coverage.index]
    return sorted(
        (
            each
            for each in found
            if each.words >= minimum_words
            and (script is None or script in each.scripts)
            and (sought in each.name.casefold() or sought in each.code)
        ),
        key=lambda each: each.name,
    )


def _language(library: Library, code: str) -> LanguageModel:
    known, row = languages()[code], _counts(library, code)
    return LanguageModel(
        code=code,
        name=known.name,
        scripts=list(known.scripts),
        direction="rtl" if known.right_to_left else "ltr",
        words=sum(row.values()),
        categories=len(row),
    )


def _counts(library: Library, code: str) -> dict[str, int]:
    """The words of a language by category, where it has any."""
    row = library.catalogue.coverage.loc[code].to_dict()
    return {str(name): int(count) for name, count in row.items() if count}


def known_code(code: str) -> str:
    """The code in use for a code in any spelling.

    Raises:
        NotFoundError: There is no such language.
    """
    try:
        return canonical(code)
    except LanguageError as error:
        raise NotFoundError(str(error)) from error


def known_language(library: Library, code: str) -> Language:
    """The language of a code in any spelling.

    Raises:
        NotFoundError: There is none, or the source has no words in it.
    """
    found = languages()[known_code(code)]
    if found.code not in library.catalogue.coverage.index:
        raise NotFoundError(
            f"{found.code} ({found.name}): {library.catalogue.provenance.name} has no usable words in it"
        )
    return found


def language(library: Library, code: str) -> LanguagePartsModel:
    """A language with what it has of each category, at least one word.

    Raises:
        NotFoundError: There is none, or the source has no words in it.
    """
    found = known_language(library, code)
    wanted = tuple(sorted(_counts(library, found.code)))
    file = library.file(Choice((found.code,), wanted, policy=LabelPolicy(minimum_words=1)))
    return LanguagePartsModel(
        **_language(library, found.code).model_dump(), parts=[_part(part) for part in file.test_set.parts]
    )


def _part(part: Category | Relation) -> PartModel:
    return PartModel(
        name=part.query.name,
        title=part.query.title,
        kind=part.kind,  # type: ignore[arg-type]  # one of those
        topic=part.query.topic,
        size=part.size,
        sample=_sample(part),
    )


def _sample(part: Category | Relation) -> list[str]:
    if isinstance(part, Relation):
        return [
            f"{part.items[item].words[0]} – {part.items[of].words[0]}" for item, of in part.pairs[:SAMPLE]
        ]
    words = [word for item in list(part.items.values())[:SAMPLE] for word in item.words]
    return words[:SAMPLE]


def all_categories(
    library: Library, search: str = "", topic: str | None = None, kind: str | None = None
) -> list[CategoryModel]:
    """Categories and relations by topic and name; those in which something occurs."""
    sought = search.strip().casefold()
    return [
        _category(library, query)
        for query in library.offered.values()
        if (topic is None or query.topic == topic)
        and (kind is None or query.kind == kind)
        and any(sought in text.casefold() for text in (query.name, query.title, query.summary))
    ]


def _category(library: Library, query: Query) -> CategoryModel:
    answer, counts = library.catalogue.answers.get(query), library.catalogue.coverage
    return CategoryModel(
        name=query.name,
        title=query.title,
        kind=query.kind,  # type: ignore[arg-type]  # no hierarchy is offered
        topic=query.topic,
        summary=query.summary,
        google=query.google,
        items=None if answer is None else len(answer.rows),
        languages=int((counts[query.name] > 0).sum()) if query.name in counts else 0,
    )


def known_category(library: Library, name: str) -> Query:
    """The category or relation of a name.

    Raises:
        NotFoundError: There is none.
    """
    if name not in library.offered:
        raise NotFoundError("this service has no category of that name")
    return library.offered[name]


def category(library: Library, name: str) -> CategoryDetailModel:
    """A category with its query, and its languages, those with most words first.

    Raises:
        NotFoundError: There is none.
    """
    query, counts = known_category(library, name), library.catalogue.coverage
    of_each: dict[str, int] = dict(counts[name].items()) if name in counts else {}  # type: ignore[arg-type]
    return CategoryDetailModel(
        **_category(library, query).model_dump(),
        query=query.text,
        sha256=query.sha256,
        words=[
            LanguageCountModel(code=code, name=languages()[code].name, words=words)
            for code, words in sorted(of_each.items(), key=lambda each: -each[1])
            if words
        ],
    )


def items(library: Library, name: str, code: str | None, offset: int, limit: int) -> ItemsModel:
    """Some of the items of a category, with their labels as the source has them.

    Raises:
        NotFoundError: There is no such category, or no such language.
        MissingAnswerError: They have yet to be fetched.
    """
    query = known_category(library, name)
    answer = library.catalogue.answers.get(query)
    if answer is None:
        raise MissingAnswerError(f"the items of {name} have not been fetched yet; have it done by a job")
    found = known_language(library, code).code if code else "en"
    page = answer.rows[offset : offset + limit]

    def label(item: str | None, in_language: str) -> str | None:
        if item is None:
            return None
        own = answer.names.get(item)
        return own.labels.get(in_language) if own else library.catalogue.label(item, in_language)

    return ItemsModel(
        total=len(answer.rows),
        offset=offset,
        items=[
            ItemModel(
                id=item,
                english=label(item, "en"),
                label=label(item, found),
                of=of,
                of_english=label(of, "en"),
                of_label=label(of, found),
            )
            for item, of in ((row[0], row[1] if len(row) > 1 else None) for row in page)
        ],
    )


def coverage(
    library: Library,
    codes: Collection[str] = (),
    topics: Collection[str] = (),
    names: Collection[str] = (),
    minimum_words: int = 1,
) -> pd.DataFrame:
    """The table of counts; rows and columns without a count that is high enough are left out.

    Raises:
        LanguageError: A code is malformed or unknown.
        QueryError: A category or topic is unknown.
    """
    frame, offered = library.catalogue.coverage, library.offered
    known = {query.topic for query in offered.values()}
    for wanted, there, what in ((topics, known, "topic"), (names, offered.keys(), "category")):
        for each in wanted:
            if each not in there:
                raise QueryError(f"this service has no {what} {each!r}")
    if codes:
        frame = frame[frame.index.isin([canonical(code) for code in codes])]
    columns = [
        name
        for name in frame.columns
        if (not topics or offered[name].topic in topics) and (not names or name in names)
    ]
    frame = frame[columns]
    enough = frame >= minimum_words
    return frame.loc[enough.any(axis=1), enough.any(axis=0)].where(lambda table: table >= minimum_words, 0)


def coverage_model(frame: pd.DataFrame) -> CoverageModel:
    """The table of counts for programs, without its zeros."""
    rows = [
        CoverageRowModel(
            code=str(code),
            name=languages()[str(code)].name,
            scripts=list(languages()[str(code)].scripts),
            words={str(name): int(count) for name, count in row.items() if count},
        )
        for code, row in frame.to_dict("index").items()
    ]
    return CoverageModel(categories=[str(name) for name in frame.columns], rows=rows)


def coverage_csv(frame: pd.DataFrame) -> str:
    """The table of counts for spreadsheets."""
    named = frame.copy()
    named.insert(0, "name", [languages()[str(code)].name for code in frame.index])
    return named.to_csv(lineterminator="\n")


def summary(library: Library, choice: Choice) -> SummaryModel:
    """How large a test set is, and how to make it elsewhere; see `Library.file`."""
    file = library.file(choice)
    parts = file.test_set.parts
    sizes = [
        SizeModel(
            name=part.query.name,
            title=part.query.title,
            kind=part.kind,  # type: ignore[arg-type]  # one of those
            size=part.size,
            items=len(part.items),
        )
        for part in parts
    ]
    return SummaryModel(
        language=file.test_set.language,
        bytes=len(file.content),
        sha256=file.sha256,
        words=_sum(sizes, "category"),
        pairs=_sum(sizes, "relation"),
        parts=sizes,
        command=library.command(choice),
    )


def _sum(sizes: Iterable[SizeModel], kind: str) -> int:
    return sum(each.size for each in sizes if each.kind == kind)


def of_class(library: Library, class_id: str) -> ClassModel:
    """How many instances a class has in the source.

    Raises:
        QueryError: The id is malformed.
        MissingAnswerError: They have yet to be fetched.
    """
    query = class_query(class_id)
    rows = library.source().answer(query).rows
    return ClassModel(id=class_id, items=len(rows), query=query.text)


def job(jobs: Jobs, found: Job) -> JobModel:
    """A job as it stands."""
    return JobModel(
        id=found.id,
        state=found.state,
        created=found.created,
        finished=found.finished,
        ahead=jobs.ahead(found) if found.state == "queued" else 0,
        doing=jobs.pause if found.state == "queued" else found.doing,
        left=found.left,
        asked=found.asked,
        files=dict(found.files),
        error=found.error,
        command=found.command,
    )
