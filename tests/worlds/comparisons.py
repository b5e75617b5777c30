"""How outcomes differ: from each other, from the definitions, and from what the page of the service says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import evaluator
from tests.worlds import changes, others, reference
from tests.worlds.generate import World
from tests.worlds.routes import Outcome, Routes, attempt, differences, not_finite
from tests.worlds.sources import in_memory

ROUNDING = 1e-9  # of values that are computed in another order
BLUR = 2e-5  # of cosines, when vectors were turned and rounded
_SHOWN = 5
_OF_ROWS = ("is NaN", "is infinite", "all numbers are zero")


def unlike(memory: Outcome, outcome: Outcome) -> Iterator[str]:
    """How a route differs from memory: in any digit of any number, or in why there is none."""
    if "items: is empty" in outcome.refusal:
        return  # a file cannot hold an empty category; in memory, it is skipped
    if bool(memory.refusal) != bool(outcome.refusal):
        yield f"{outcome.refusal or 'has scores'}; in memory: {memory.refusal or 'has scores'}"
    elif memory.refusal:
        # How a bad row is named depends on the format; what is wrong with it does not.
        same = any(each in memory.refusal and each in outcome.refusal for each in _OF_ROWS)
        if not same and memory.refusal not in outcome.refusal:
            yield f"{outcome.refusal}; in memory: {memory.refusal}"
    else:
        yield from list(differences(outcome.scores, memory.scores))[:_SHOWN]
    yield from not_finite(outcome.scores)


def from_definitions(made: World, found: Outcome, blur: float = 0.0) -> Iterator[str | None]:
    """How scores differ from the definitions, also those of known words and of frequency.

    For each measure that is compared, None comes first.
    """
    if reference.refused(made):
        yield None
        if not found.refusal:
            yield "has scores, but its vectors cannot be used"
        return
    settings = reference.settings_of(made)
    known = reference.Known(made, settings, blur)
    every = {measure: reference.expected(made, measure, known) for measure in _measures(made)}
    if found.refusal:
        could = [measure for measure, each in every.items() if each is not None and each.value is not None]
        if could:
            yield f"refused, but {', '.join(could)} can be scored: {found.refusal}"
        return
    of_known = reference.Known(made, replace(settings, oov="skip"), blur)
    scores = {each["measure"]: each for each in found.scores["scores"]}
    for measure, expected in every.items():
        if expected is not None:
            yield None
            yield from _score(made, measure, scores.get(measure), expected, (known, of_known))


def of_other_kinds(routes: Routes) -> Iterator[tuple[str, str | None]]:
    """How the scores of other kinds of data sets differ: the kind and a difference; None comes first."""
    for kind, scored in others.of_other_kinds(routes):
        yield kind, None
        for route, outcome in scored.others:
            yield from ((kind, f"{route}: {each}") for each in unlike(scored.memory, outcome))
        scores = scored.memory.scores["scores"] if scored.memory.scores else []
        values = {each["measure"]: each["value"] for each in scores}
        for measure, expected in scored.expected.items():
            if expected is not None:
                differs = _outside(measure, values.get(measure), expected.value)
                yield from ((kind, f"{each} {scored.memory.refusal}") for each in differs)


def _measures(made: World) -> tuple[str, ...]:
    if made.measures is not None:
        return made.measures
    if not made.test_set["categories"]:
        return ("Analogy@1",)
    return ("Topk@3", "OddOneOut@3", *(("KeywordRank",) if "groups" in made.test_set else ()))


def _score(
    made: World,
    measure: str,
    found: Any,
    expected: reference.Expected,
    knowns: tuple[reference.Known, reference.Known],
) -> Iterator[str]:
    """How the score of a measure differs, that of known words, and the frequency baseline."""
    if (found is None) != (expected.value is None):
        yield f"{measure}: {'no score' if found is None else found['value']}, by definition {expected.value}"
    if found is None or expected.value is None:
        return
    yield from _apart(measure, found, expected)
    alone = reference.expected(made, measure, knowns[1]) if "of_known" in found else None
    if alone is not None:
        yield from _apart(f"{measure} of known words", found["of_known"], alone)
    scores = {"": found, " of known words": found.get("of_known", {})}
    for (which, score), known in zip(scores.items(), knowns, strict=True):
        level = reference.baseline(made, measure, known) if "baseline" in score else None
        if level is not None:
            yield from _outside(f"{measure}{which}, baseline", score["baseline"], level)


def _apart(measure: str, found: Any, expected: reference.Expected) -> Iterator[str]:
    """How a score differs from what it must be, and its parts."""
    yield from _outside(measure, found["value"], expected.value)
    parts = {each["name"]: each.get("value") for each in found["subscores"]}
    if parts.keys() != expected.parts.keys():
        yield f"{measure}: has {list(parts)}, by definition {list(expected.parts)}"
        return
    for name, value in parts.items():
        yield from _outside(f"{measure}, {name}", value, expected.parts[name])


def _outside(what: str, value: float | None, bounds: reference.Bounds | None) -> Iterator[str]:
    """Whether a value is not what it can be."""
    if value is None or bounds is None:
        if value is not None or bounds is not None:
            yield f"{what}: {value!r}, by definition {bounds}"
    elif not bounds[0] - ROUNDING <= value <= bounds[1] + ROUNDING:
        yield f"{what}: {value!r}, by definition {bounds[0]!r} to {bounds[1]!r}"


def after(made: World, memory: Outcome, holds: str, changed: World) -> Iterator[str]:
    """How the scores of a changed world differ from what they must be."""
    how = changed.measures, reference.settings_of(changed)
    pair = list(changed.words), changed.matrix
    found = attempt(lambda: evaluator.score(pair, in_memory(changed), *how))
    if holds == changes.BOUNDS:
        yield from filter(None, from_definitions(changed, found))
    elif bool(memory.refusal) != bool(found.refusal):
        yield f"{found.refusal or 'has scores'}; before: {memory.refusal or 'has scores'}"
    elif holds == changes.SAME and not memory.refusal:
        yield from list(differences(_in_order(memory.scores), _in_order(found.scores), ROUNDING))[:_SHOWN]
    elif not memory.refusal:
        yield from filter(None, from_definitions(made, found, BLUR))


def _in_order(scores: Any) -> Any:
    """Scores with subscores by name, and without what depends on the digest or order of a test set."""
    if isinstance(scores, list):
        return [_in_order(each) for each in scores]
    if not isinstance(scores, dict):
        return scores
    found = {key: _in_order(each) for key, each in scores.items() if key not in _OF_ORDER}
    if isinstance(found.get("subscores"), list):
        found["subscores"].sort(key=lambda each: each["name"])
    return found


_OF_ORDER = {"signature", "test_sha256", "reason"}


def from_page(routes: Routes) -> Iterator[str]:
    """How the page of the service differs: it scores as evaluator does with its defaults.

    It takes the categories of the top level alone.
    """
    made = routes.world
    content = {key: each for key, each in made.test_set.items() if key not in ("relations", "named_in")}
    content["categories"] = [each for each in content["categories"] if not each.get("level")]
    kept = {name: each for name, each in made.settings.items() if name == "vocabulary"}
    asked = replace(made, settings=kept, preset="", measures=("Topk@3", "OddOneOut@3"), test_set=content)
    page = Routes(asked, routes.folder / "page", routes.browser)
    page.files = routes.files
    kinds = list(routes.files)
    answer = page.in_browser(kinds[made.number // 2 % len(kinds)])
    memory = page.of_file("text")
    if memory.refusal:
        if "result" in answer and not kept:  # the page does not read what it does not use
            yield f"has scores; in memory: {memory.refusal}"
    elif "problem" in answer:
        yield f"refuses: {answer['problem']}"
    else:
        yield from _page_numbers(asked, answer["result"], memory.scores)


def _page_numbers(asked: World, found: Any, memory: Any) -> Iterator[str]:
    known = reference.Known(asked, reference.settings_of(asked))
    scores = {each["measure"]: each for each in memory["scores"]}
    for name, measure in (("topk", "Topk@3"), ("oddOneOut", "OddOneOut@3")):
        expected = reference.expected(asked, measure, known)
        if expected is not None:
            yield from _outside(measure, found[name], expected.value)
        chance = scores[measure]["chance"]
        yield from _outside(f"{measure}, chance", found[f"{name}Chance"], (chance, chance))
    for name, key in (("known", "known_words"), ("words", "words")):
        if found[name] != memory[key]:
            yield f"{name}: {found[name]}; in memory: {memory[key]}"
