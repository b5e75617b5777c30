"""Which models stand beside each other, and which of them may be named."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tools.keep_worlds.worlds import NOTHING, Model


@dataclass(frozen=True)
class Company:
    """Models that are scored together.

    Attributes:
        name: That of the row of the table.
        trained: The models that know something.
        better: The one that is better than all others; None if none is.
        others: Those that know nothing.
        variant: Which of several companies of a row it is.
    """

    name: str
    trained: tuple[Model, ...]
    better: str | None = None
    others: tuple[Model, ...] = NOTHING
    variant: str = ""

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, and those that know nothing."""
        return (*self.trained, *self.others)

    def beside(self, *others: Model, name: str) -> Company:
        """The same models beside other ones that know nothing."""
        return replace(self, others=others, variant=name)


_A = Model("A", 1.2, 0.3, luck=10)
_FASTTEXT = Model("F", 1.2, 1.0, subwords=True, luck=11)
_WORSE = Model("B", 0.5, 0.3, luck=12)
_LITTLE_WORSE = Model("C", 0.9, 0.3, luck=13)
_EQUAL = Model("A2", 1.2, 0.3, luck=14)
_LESS_WORDS = Model("A40", 1.2, 0.3, share=0.4, luck=15)

COMPANIES = (
    Company("models that know nothing", ()),
    *(Company("A, a good model, and one of these", (_A,), "A", (each,), each.name) for each in NOTHING),
    Company("A, and all of these", (_A,), "A"),
    Company("F, a good fastText, and all of these", (_FASTTEXT,), "F"),
    Company("A better than B", (_A, _WORSE), "A", ()),
    Company("A better than B, and all of these", (_A, _WORSE), "A"),
    Company("A a little better than C", (_A, _LITTLE_WORSE), "A", ()),
    Company("A a little better than C, and all of these", (_A, _LITTLE_WORSE), "A"),
    Company("A and its equal, and all of these", (_A, _EQUAL)),
    Company("A, A of 40% of the words, and all of these", (_A, _LESS_WORDS), "A"),
)
"""Those of the bench."""


DIFFERENCES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
"""By how much less than A the second model of the table of power knows."""


def of_difference(less: float) -> tuple[Company, ...]:
    """A and a model that knows less: alone, beside random n-grams, and beside all that know nothing."""
    model = replace(_WORSE, name=f"B{less:g}", meaning=_A.meaning - less)
    both = Company(f"{less:g} less" if less else "as much", (_A, model), "A" if less else None)
    by_name = {each.name: each for each in NOTHING}
    return (
        both.beside(name="alone"),
        both.beside(by_name["random n-grams"], name="random n-grams"),
        both.beside(*NOTHING, name="all that know nothing"),
    )
