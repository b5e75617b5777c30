"""The content of the API's responses, made from what the provider and the jobs have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from testgen.errors import LanguageError, NotFoundError, QueryError
from testgen.generation.sizes import RELATED_WORDS, TYPICAL_SCORES, count_languages
from testgen.labels import LabelPolicy
from testgen.languages.codes import Language, canonical, languages, script_names
from testgen.queries import Query
from testgen.serve import schema
from testgen.serve.jobs import Job, JobQueue
from testgen.serve.provider import TestSetProvider
from testgen.serve.selection import Selection
from testgen.testset.types import Category, GroupFamily, Relation

if TYPE_CHECKING:
    import pandas as pd


EVERY_WORD = LabelPolicy(minimum_words=1)
SAMPLE = 8  # how many words are shown as a sample of a category


def service(provider: TestSetProvider) -> schema.Service:
    """The service."""
    limits, kinds = provider.settings.limits, [query.kind for query in provider.offered.values()]
    counts = count_languages(provider.in_memory.in_file)
    return schema.Service(
        version=version("testgen-evaluator"),
        source=schema.Source.model_validate(provider.in_memory.provenance.as_dict()),
        live=provider.settings.is_remote,
        comparing=counts.comparing,
        languages=counts.with_test_set,
        with_words=counts.with_words,
        categories=kinds.count("category"),
        relations=kinds.count("relation"),
        answered=len(provider.in_memory.queries),
        limits=schema.Limits.model_validate(limits, from_attributes=True),
    )


def all_languages(
    provider: TestSetProvider, search: str = "", script: str | None = None, minimum_words: int = 0
) -> list[schema.Language]:
    """Languages with words, by name; of a search text, only those that it may mean, the best match first."""
    counts = provider.in_memory.counts
    rank = provider.resolver.language_ranks(search) if search.strip() else dict.fromkeys(counts, 0)
    large = (each for code in rank if (each := _language(provider, code)).words >= minimum_words)
    fitting = [language for language in large if script in (None, *language.scripts)]

    def order(language: schema.Language) -> tuple[int, int, str, str]:
        most_words_first = -language.words if search.strip() else 0
        return rank[language.code], most_words_first, language.name, language.code

    return sorted(fitting, key=order)


def scripts(provider: TestSetProvider) -> list[str]:
    """The ISO 15924 codes of the scripts of all languages with words, in the order of their English names."""
    known = {script for code in provider.in_memory.counts for script in languages()[code].scripts}
    return sorted(known, key=lambda script: script_names()[script])


def _language(provider: TestSetProvider, code: str) -> schema.Language:
    known, counts = languages()[code], provider.in_memory.counts
    size = provider.in_memory.in_file[code]
    return schema.Language(
        code=code,
        name=known.name,
        scripts=list(known.scripts),
        direction="rtl" if known.right_to_left else "ltr",
        words=size.words,
        categories=size.sections,
        difference=size.difference and round(size.difference, 4),
        everyday=size.everyday,
        pairs=size.pairs,
        keywords=provider.in_memory.coverage.attrs["keywords"].get(code, 0),
        variant_of=known.whole if known.whole != code and known.whole in counts else None,
    )


def enough(language: schema.Language) -> str:
    """Whether the test set of a language is enough to compare models, for people."""
    if not language.categories:
        return "No: it has too few words for a test set"
    least = f"differences of {language.difference:.3f} or more" if language.difference else ""
    if language.difference and language.difference <= TYPICAL_SCORES[1]:
        return f"It shows {least}"
    few = f"it shows only {least}" if least else "it has too few words to show a difference"
    if language.keywords < RELATED_WORDS:
        return f"No: {few}"
    return f"No for Topk: {few}. Yes for KeywordRank: it has {language.keywords:,} related words"


def known_code(provider: TestSetProvider, text: str) -> str:
    """The code in use for a code or name of a language."""
    try:
        return provider.resolver.code(text) or canonical(text)
    except LanguageError as error:
        raise NotFoundError(str(error)) from error


def known_language(provider: TestSetProvider, code: str) -> Language:
    """The language of a code in any spelling."""
    known = languages()[known_code(provider, code)]
    if known.code not in provider.in_memory.counts:
        raise NotFoundError(provider.resolver.lacking(known.code))
    return known


def language(provider: TestSetProvider, code: str) -> schema.LanguageSections:
    """A language with its words in each category, and its pairs in each relation."""
    code = known_language(provider, code).code
    test_set = provider.file(replace(every_word(provider), languages=(code,))).test_set
    return schema.LanguageSections(
        **_language(provider, code).model_dump(),
        sections=[_section(section) for section in test_set.sections],
        groups=[_groups(family) for family in test_set.groups],
    )


def every_section(provider: TestSetProvider, code: str) -> Sequence[Category | Relation]:
    """The words of a language, which has some, in each category, however few, and its pairs."""
    return provider.file(replace(every_word(provider), languages=(code,))).test_set.sections


def every_word(provider: TestSetProvider) -> Selection:
    """The selection of all words that are available, in all languages."""
    names = tuple(sorted(provider.in_memory.queries))
    return Selection(None, names, policy=EVERY_WORD, keywords=True)


def _section(section: Category | Relation) -> schema.Section:
    sizes = {"size": section.size, "items": len(section.items), "sample": _sample(section)}
    return schema.Section.model_validate(asdict(section) | {"kind": section.kind} | sizes)


def _groups(family: GroupFamily) -> schema.Groups:
    step = -(-len(family.items) // SAMPLE)
    sample = [[group.id, *group.words] for group in family.items[step // 2 :: step]]
    return schema.Groups(
        name=family.name, title=family.title, words=family.size, items=len(family.items), sample=sample
    )


def _sample(section: Category | Relation) -> list[str]:
    return [" – ".join(word for _, word in each) for each in first_words(section)]


def first_words(section: Category | Relation) -> list[list[tuple[str, str]]]:
    """The first few words of a category, or pairs of a relation, each word with its item."""
    if isinstance(section, Relation):
        of = section.words_by_id
        return [[(item, of[item][0]) for item in (pair.item, pair.of)] for pair in section.pairs[:SAMPLE]]
    return [[(item.id, word)] for item in section.items[:SAMPLE] for word in item.words][:SAMPLE]


def all_categories(
    provider: TestSetProvider, search: str = "", topic: str | None = None, kind: str | None = None
) -> list[schema.Category]:
    """Categories and relations by topic and name; of a search text, those it may mean, the best first."""
    rank = provider.resolver.category_ranks(search) if search.strip() else dict.fromkeys(provider.offered, 0)
    fitting = [
        _category(provider, query)
        for name, query in provider.offered.items()
        if name in rank and topic in (None, query.topic) and kind in (None, query.kind)
    ]
    if not search.strip():
        return fitting
    return sorted(
        fitting, key=lambda category: (not category.languages, rank[category.name], -category.languages)
    )


def _category(provider: TestSetProvider, query: Query) -> schema.Category:
    answer, languages_of = provider.in_memory.answers.get(query), provider.in_memory.languages_of
    counts = {
        "items": None if answer is None else len(answer.rows),
        "languages": len(languages_of.get(query.name, ())),
    }
    return schema.Category.model_validate(vars(query) | counts)


def category(provider: TestSetProvider, name: str) -> schema.CategoryDetail:
    """A category with its query and its languages, those with the most words first."""
    if name not in provider.offered:
        raise NotFoundError("this service has no category of that name")
    query = provider.offered[name]
    words = [
        schema.LanguageCount(code=code, name=languages()[code].name, words=counts[name])
        for code, counts in provider.in_memory.counts.items()
        if name in counts
    ]
    return schema.CategoryDetail(
        **_category(provider, query).model_dump(),
        query=query.text,
        sha256=query.sha256,
        words=sorted(words, key=lambda count: -count.words),
    )


def coverage(
    provider: TestSetProvider,
    codes: Collection[str] = (),
    topics: Collection[str] = (),
    names: Collection[str] = (),
    minimum_words: int = 1,
    *,
    variants: bool = True,
) -> pd.DataFrame:
    """The table of counts, without rows and columns in which no count is high enough."""
    frame, offered = provider.in_memory.coverage, provider.offered
    known = {query.topic for query in offered.values()}
    for wanted, existing, what in ((topics, known, "topic"), (names, offered.keys(), "category")):
        for unknown in (name for name in wanted if name not in existing):
            raise QueryError(f"this service has no {what} {unknown!r}")
    if codes:
        frame = frame[frame.index.isin([provider.resolver.code(code) or canonical(code) for code in codes])]
    if not variants:
        frame = without_variants(frame)
    of_topics = [name for name in frame.columns if not topics or offered[name].topic in topics]
    frame = frame[[name for name in of_topics if not names or name in names]]
    enough = frame >= minimum_words
    return frame.where(enough, 0).loc[enough.any(axis=1), enough.any(axis=0)]


def without_variants(frame: pd.DataFrame) -> pd.DataFrame:
    """The table without the variants of languages that have a row themselves."""
    whole = frame.index.map(lambda code: languages()[str(code)].whole)
    return frame[(whole == frame.index) | ~whole.isin(frame.index)]


def summary(provider: TestSetProvider, selection: Selection) -> schema.Summary:
    """The size of a test set, and the command line that makes it; see `TestSetProvider.file`."""
    file = provider.file(selection)
    sections = [_section(section) for section in file.test_set.sections]
    return schema.Summary(
        language=file.test_set.language,
        bytes=len(file.content),
        sha256=file.sha256,
        words=len(file.test_set.words) if file.test_set.categories else 0,
        pairs=sum(section.size for section in sections if section.kind == "relation"),
        sections=sections,
        command=provider.command(selection),
    )


def job(jobs: JobQueue, job: Job) -> schema.Job:
    """The current state of a job."""
    waits = job.state == "queued"
    queue = {"ahead": jobs.ahead(job) if waits else 0, "doing": jobs.pause if waits else job.doing}
    return schema.Job(**(vars(job) | queue))
