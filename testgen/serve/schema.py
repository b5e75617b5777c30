"""The types of the API's requests and responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from testgen.generation.sizes import EVERYDAY_CATEGORIES, SCORE_PLANNED
from testgen.serve import jobs

Kind = Literal["category", "relation", "level"]


class Source(BaseModel):
    """The source of the words."""

    kind: str
    name: str
    date: str | None
    sha256: str | None = None
    endpoint: str | None = None
    retrieved: str | None = None
    license: str | None = None


class Limits(BaseModel):
    """What one request, or one client, may ask for."""

    classes: int
    class_items: int
    jobs_per_client: int


class Service(BaseModel):
    """The service."""

    version: str
    source: Source
    live: bool = Field(description="Whether words that are not available must be fetched by a job.")
    comparing: int = Field(
        description="Languages in which models can be compared: with six categories of everyday words."
    )
    languages: int = Field(description="Those with a test set, not counting variants of a language.")
    with_words: int = Field(description="Languages with any words, counted in the same way.")
    categories: int = Field(description="Categories that it offers, without relations.")
    relations: int = Field(description="Relations that it offers.")
    answered: int = Field(description="How many of both have items in the source.")
    limits: Limits


class Language(BaseModel):
    """A language, and how many words it has with the default policy."""

    code: str
    name: str
    scripts: list[str]
    direction: Literal["ltr", "rtl"]
    words: int = Field(description="Different words of all categories of its test set.")
    categories: int = Field(description="Categories and relations of its test set.")
    difference: float | None = Field(
        description="The smallest difference of Topk between two models that its test set shows in four of "
        f"five cases, if the worse one has {SCORE_PLANNED:g}; null if it has too few words to show any."
    )
    everyday: int = Field(
        description=f"Its categories of everyday words; models can be compared by category from "
        f"{EVERYDAY_CATEGORIES} on."
    )
    pairs: int = Field(description="Pairs of all relations of its test set.")
    keywords: int = Field(description="Related words: keywords of symbols.")
    variant_of: str | None = Field(
        default=None, description="The code of the whole language, as kk for kk-cyrl, if that has words too."
    )


class Word(BaseModel):
    """An item that has a text as a name."""

    item: str
    english: str = Field(description="Its English name, or its id if it has none.")
    codes: list[str] = Field(description="The languages in which it has this name.")
    categories: list[str] = Field(description="The categories and relations that have it.")


class Section(BaseModel):
    """The words of a language in a category, or its pairs in a relation."""

    name: str
    title: str
    kind: Kind
    topic: str
    size: int = Field(description="Words of a category, pairs of a relation.")
    items: int = Field(description="Items with words; of a relation, those on both sides of its pairs.")
    sample: list[str] = Field(description="The first few words, or pairs with an en dash.")


class Groups(BaseModel):
    """Groups of related words of a language, such as the keywords of symbols."""

    name: str
    title: str
    words: int = Field(description="Different words.")
    items: int = Field(description="Groups.")
    sample: list[list[str]] = Field(description="A few groups: the symbol, then its words.")


class LanguageSections(Language):
    """A language with its categories, relations and related words."""

    sections: list[Section] = Field(description="Its categories and relations, however few words they have.")
    groups: list[Groups]


class Category(BaseModel):
    """A category or relation."""

    name: str
    title: str
    kind: Literal["category", "relation"]
    topic: str
    summary: str
    google: str | None = Field(description="The section of the Google analogy set that it rebuilds.")
    items: int | None = Field(
        description="Items of a category, pairs of a relation, with or without words; null if they have not "
        "been fetched yet."
    )
    languages: int = Field(description="Variants of a language are not counted.")


class LanguageCount(BaseModel):
    """How many words a language has in one category, or pairs in one relation."""

    code: str
    name: str
    words: int = Field(description="Words of a category, pairs of a relation.")


class CategoryDetail(Category):
    """A category with its query and its languages."""

    query: str = Field(description="SPARQL.")
    sha256: str
    words: list[LanguageCount] = Field(description="Its size in each language that has any.")


class CoverageRow(BaseModel):
    """One language of the coverage table."""

    code: str
    name: str
    scripts: list[str]
    words: dict[str, int] = Field(
        description="By name: words of each category, pairs of each relation, that has any."
    )


class Coverage(BaseModel):
    """How many usable words each category, and pairs each relation, has in each language by default."""

    categories: list[str] = Field(description="Names of categories and relations.")
    rows: list[CoverageRow]


class Summary(BaseModel):
    """The size of a test set, and the command line that makes it."""

    language: str
    bytes: int
    sha256: str
    words: int = Field(description="Different words of all categories.")
    pairs: int = Field(description="Pairs of all relations.")
    sections: list[Section] = Field(description="Its categories and relations.")
    command: str


@dataclass(frozen=True)
class Job(jobs.Job):
    """The current state of a job, and its place in the queue."""

    ahead: Annotated[int, Field(description="Jobs that are run before it.")] = 0
