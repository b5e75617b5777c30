"""What a request asks for, checked: languages, categories, classes, and how labels become words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from testgen.errors import QueryError
from testgen.labels import LabelPolicy
from testgen.languages import canonical
from testgen.queries import Query, choose, class_query, shipped_queries
from testgen.serve.settings import Settings


@dataclass(frozen=True)
class Choice:
    """What test sets are to be made of.

    Attributes:
        languages: Codes in use, sorted; None for every language with enough words.
        categories: Names of categories and relations; none of these and no classes for all that are offered.
        classes: Ids of classes.
        policy: How labels become words.
        minimum_items: The fewest items of a class within a category; None for no such classes.
    """

    languages: tuple[str, ...] | None
    categories: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    policy: LabelPolicy = field(default_factory=LabelPolicy)
    minimum_items: int | None = None

    def command(self, settings: Settings, queries: Sequence[Query]) -> str:
        """The command line that makes the same, as a user would type it.

        Args:
            settings: Those of the service.
            queries: What is made; where nothing was chosen, they are named if the command would take others.
        """
        words = ["testgen", "generate"]
        words += ["--all-languages"] if self.languages is None else _each("--language", self.languages)
        named = self.categories
        if not named and not self.classes:
            own = [query.name for query in queries]
            usual = {query.name for query in choose(every_language=self.languages is None)}
            named = () if usual == set(own) else tuple(own)
        words += _each("--category", named) + _each("--class", self.classes)
        if settings.source != "shipped":
            words += ["--source", settings.source_name]
        if self.minimum_items is not None:
            words += ["--hierarchy", "--minimum-items", str(self.minimum_items)]
        return shlex.join(words + _flags(self.policy))


def _each(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _flags(policy: LabelPolicy) -> list[str]:
    """The options for what differs from the usual."""
    words: list[str] = []
    for each in fields(LabelPolicy):
        value, name = getattr(policy, each.name), each.name.replace("_", "-")
        if value == each.default:
            continue
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
        else:
            words += [f"--{name}", str(value)]
    return words


def checked(
    settings: Settings,
    languages: Sequence[str] | None,
    categories: Sequence[str] = (),
    classes: Sequence[str] = (),
    policy: LabelPolicy | None = None,
    minimum_items: int | None = None,
) -> Choice:
    """A choice, if it is one that this service offers.

    Raises:
        LanguageError: A code is malformed or unknown.
        QueryError: A category is unknown or not offered, an id malformed, or there are too many classes.
    """
    named = tuple(dict.fromkeys(categories))
    choose(named)
    for name in named:
        if name not in offered(settings):
            raise QueryError(f"this service does not offer the category {name!r}")
    ids = tuple(dict.fromkeys(classes))
    most = settings.limits.classes
    if len(ids) > most:
        raise QueryError(f"{len(ids)} classes are asked for; this service takes {most} at a time")
    for class_id in ids:
        class_query(class_id)
    codes = None if languages is None else tuple(sorted({canonical(code) for code in languages}))
    return Choice(codes, named, ids, policy or LabelPolicy(), minimum_items)


def offered(settings: Settings) -> dict[str, Query]:
    """The categories and relations of a service, by name.

    Raises:
        QueryError: The operator has named one that does not exist.
    """
    return {query.name: query for query in choose(settings.categories or shipped_queries())}


def queries_of(choice: Choice, settings: Settings) -> list[Query]:
    """The queries of a choice; those that the command line would take if none is named."""
    if choice.categories or choice.classes:
        return choose(choice.categories, choice.classes)
    usual = {query.name for query in choose(every_language=choice.languages is None)}
    return [query for name, query in offered(settings).items() if name in usual]
