"""What to make test sets of: languages, categories, and how labels become words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from testgen.errors import LanguageError, PolicyError
from testgen.labels import LabelPolicy
from testgen.labels.corrections import Corrections
from testgen.labels.vocabulary import Vocabulary
from testgen.languages.codes import canonical, stand_in_map
from testgen.queries import AnyCategory, Query, choose
from testgen.sources import Source, held_by, own_categories
from testgen.sources.hierarchy import MINIMUM_ITEMS

STANDARD_WORDS = 10
"""The fewest words of a category if none is named."""


@dataclass(frozen=True)
class TestSetRequest:
    """What to make test sets of. Requests are equal if they ask for the same; with tuples, they are hashable.

    Attributes:
        languages: Languages in any accepted spelling, or one; None for every language in which the source has
            enough words for at least one category.
        categories: One or several of: names of shipped categories and relations, or of the source's own
            categories; ids of classes whose instances make a category, such as `Q9415`; query files, as paths
            that end in `.rq`; queries. If neither these nor `core` are given, the shipped ones and the
            source's own are used, without those that are contained in another one: four of five of their
            items are in it.
        core: Whether to use the categories of the core too.
        all_categories: Whether to use also the shipped ones that are contained in another one. So does
            `minimum_items`.
        policy: How labels become words; without `minimum_words`, a category needs 4, and 10 if none is named.
        stand_ins: Languages to be named in another language, as in `non=is`, in each category for which they
            have too few words themselves.
        minimum_items: Write the levels of each category as well, with each class within it as a category of
            its own: how many items such a class must have, 2 or more. None for no levels.
        minimum_sitelinks: How many sitelinks an item must have, in the queries that ask for a minimum: see
            `choose`.
        vocabulary: Only words that it has are used, in its spelling; aliases are words then, too.
        corrections: Items to leave out, and words to use in place of those of the source.
        known_in_its_wikipedia: Whether names in a language count only for items that have an article in the
            Wikipedia of this language; language-neutral names do not count then.
        keywords: Whether there are groups of the keywords of symbols; None: unless categories are named.

    Raises:
        PolicyError: `minimum_items` is too low.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    languages: Sequence[str] | None = None
    categories: AnyCategory | Sequence[AnyCategory] = ()
    core: bool = False
    all_categories: bool = False
    policy: LabelPolicy = field(default_factory=LabelPolicy)
    stand_ins: Sequence[str] = ()
    minimum_items: int | None = None
    minimum_sitelinks: int | None = None
    vocabulary: Vocabulary | None = None
    corrections: Corrections | None = None
    known_in_its_wikipedia: bool = False
    keywords: bool | None = None

    def __post_init__(self) -> None:
        least = self.minimum_items
        if least is not None and (not isinstance(least, int) or least < MINIMUM_ITEMS):
            raise PolicyError(
                f"minimum_items is {least}; it must be {MINIMUM_ITEMS} or more, since a single item does not "
                "make a category"
            )

    @property
    def names_categories(self) -> bool:
        """Whether any category is named, or the core is."""
        return bool(self.categories or self.core)

    @property
    def with_keywords(self) -> bool:
        """Whether there are groups of the keywords of symbols."""
        return not self.categories if self.keywords is None else self.keywords

    @property
    def label_policy(self) -> LabelPolicy:
        """The policy, with the fewest words for what is named."""
        policy = self.policy
        if policy.minimum_words is None:
            least = policy.fewest_words if self.names_categories else STANDARD_WORDS
            policy = replace(policy, minimum_words=least)
        return policy if self.vocabulary is None else replace(policy, aliases=True)

    def chosen_queries(self, source: Source | None = None, *, worded: bool = True) -> list[Query]:
        """The queries, with the source's own categories; see `choose` for `worded` and the errors.

        If none is named, a snapshot is asked those that it was made for.
        """
        chosen = choose(
            self.categories,
            core=self.core,
            worded=worded,
            minimum_sitelinks=self.minimum_sitelinks,
            own=own_categories(source),
        )
        return chosen if self.names_categories else held_by(source, chosen)

    @cached_property
    def named_in(self) -> Mapping[str, str] | None:
        """For each language that is asked for, the one that stands in, or itself; None for all languages.

        Raises:
            LanguageError: A code is unknown, none is given, or a stand-in is for a language not asked for.
        """
        codes = language_codes(self.languages)
        if codes is None:
            if self.stand_ins:
                raise LanguageError(
                    f"--stand-in {self.stand_ins[0]} says how to name one language; name it with --language "
                    "too"
                )
            return None
        named_in = stand_in_map([self.stand_ins] if isinstance(self.stand_ins, str) else self.stand_ins)
        for code, other in named_in.items():
            if code not in codes:
                hint = f"; did you mean {other}={code}?" if other in codes else ""
                raise LanguageError(
                    f"--stand-in {code}={other} is for {code}, a language that is not asked for with "
                    f"--language{hint}"
                )
        return {code: named_in.get(code, code) for code in codes}


def language_codes(given: Iterable[str] | None) -> list[str] | None:
    """Codes in use of some languages, each once; None for all languages."""
    if given is None:
        return None
    codes = list(dict.fromkeys(map(canonical, [given] if isinstance(given, str) else given)))
    if not codes:
        raise LanguageError("no language given; name one, or ask for all of them")
    return codes
