"""Probing test sets: what in them can be probed, on which items; and comparisons of several embeddings.

A probe cannot learn from nothing: an item with an OOV word is left out, whatever the setting for OOV, and is
counted. If several embeddings are probed, it is left out if any of them lacks the word, so that all have the
same items and the same splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import chain, compress
from statistics import fmean
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evaluator.plugins import (
    AnalogySection,
    Candidates,
    LabelledTexts,
    RatedPairs,
    Score,
    ScoreError,
    Scores,
    Settings,
    TestSet,
    TestSetLike,
    Vectors,
    VectorsLike,
    VocabularyLookup,
    as_vectors,
    first_few,
    read_testset,
)
from evaluator.plugins.probes.analogy import RELATION_MODELS, analogy
from evaluator.plugins.probes.curves import Curve, Probe, average_ranks, gap, rank_embeddings
from evaluator.plugins.probes.learners import (
    CNN,
    SENTENCE_MODELS,
    SIMILARITY_MODELS,
    WORD_MODELS,
    ProbeModel,
    Progress,
    Texts,
    membership,
    sentences,
    similarity,
)
from evaluator.plugins.probes.result import AUC, ProbedItems, ProbesFile
from evaluator.plugins.probes.splits import SplitPlan

EXPECTED = "expected"
"""The name of the mean over the models that learn, if there are several: equation 1 of the paper."""

_LOOKUP_SETTINGS = ("case", "vocabulary", "profile", "multiword")

Singles = npt.NDArray[np.float32]
Lookups = Sequence[VocabularyLookup]
"""Of each embedding."""
TaskName = Literal["membership", "similarity", "relation", "sentences"]

LEAST = 5  # a class with fewer items is left out; of as many, one is test data and four are training data

WORDS = "all categories"  # the name of the only items of membership


@dataclass(frozen=True)
class ProbeItems:
    """The items of one category set, section, list of pairs or set of texts.

    `words` and `labels` are of each item that can be probed; of the others, `oov` lack a vector.
    """

    name: str
    size: int
    oov: int
    words: tuple[tuple[str, ...], ...] = ()
    labels: tuple[Hashable, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    skipped: str | None = None


def known_to_all(lookups: Lookups, words: Iterable[str]) -> frozenset[str]:
    """Which normalized words have a vector in all embeddings."""
    different = tuple(dict.fromkeys(words))
    known = np.all([each.query_rows(different) >= 0 for each in lookups], axis=0)
    return frozenset(compress(different, known))


@dataclass(frozen=True)
class ProbeTask:
    """A kind of probe: for what in a test set it is, how items are found, and how they are probed."""

    name: TaskName
    scores: Literal["categories", "rated_pairs", "sections", "labelled_texts"]
    counted: str
    all_models: tuple[ProbeModel, ...] = field(repr=False)
    items: Callable[[Any, Lookups], ProbeItems] = field(repr=False)
    function: Callable[..., Probe] = field(repr=False)
    data: Callable[[ProbeItems, VocabularyLookup], tuple[object, ...]] = field(repr=False)

    def lookups(self, embeddings: Sequence[Vectors], test_set: TestSet, settings: Settings) -> Lookups:
        """Where words are looked up; answers are searched among those that all embeddings have."""
        language = test_set.named_in or test_set.language
        found = [VocabularyLookup(each, language, settings) for each in embeddings]
        if self.name != "relation" or len(found) == 1:
            return found
        shared = Candidates.of([each.known for each in found], only_known=False)
        return [VocabularyLookup(each, language, settings, shared) for each in embeddings]

    def find(self, test_set: TestSet, lookups: Lookups) -> list[ProbeItems]:
        """The items of each list of a test set; of all categories together."""
        lists = [test_set] if self.scores == "categories" else getattr(test_set, self.scores)
        return [self.items(each, lookups) for each in lists]

    def models(self, names: Collection[str] = ()) -> list[ProbeModel]:
        """Those of some names, and those that learn nothing; all but the network if there are no names."""
        known = [model.name for model in self.all_models]
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ScoreError(f"{self.name} has no model {unknown[0]!r}; it has {', '.join(known)}")
        wanted = names or [model.name for model in self.all_models if model is not CNN]  # it needs an extra
        return [model for model in self.all_models if model.name in wanted or model.kind == "constant"]


def _members(test_set: TestSet, lookups: Lookups) -> ProbeItems:
    """Words of all categories, each with its category; in a hierarchy, the lowest one."""
    inside: dict[str, set[str]] = {}
    within = {category.name: category.within for category in test_set.categories}
    for category in test_set.categories:
        for word in lookups[0].normalized_words(category.words):
            inside.setdefault(word, set()).add(category.name)
    lowest = {word: _lowest(names, within) for word, names in inside.items()}
    alone = {word: next(iter(names)) for word, names in lowest.items() if len(names) == 1}
    known = known_to_all(lookups, inside)
    found = [((word,), name) for word, name in alone.items() if word in known]
    ambiguous = sum(word in known for word in inside if word not in alone)
    left_out = {"in several categories": ambiguous} if ambiguous else {}
    return _classes(WORDS, len(inside), len(inside) - len(known), found, left_out, "categories")


def _lowest(names: set[str], within: Mapping[str, str | None]) -> set[str]:
    """Categories without those that contain others of them."""
    above: set[str] = set()
    for name in names:
        holder = within[name]
        while holder is not None and holder not in above:
            above.add(holder)
            holder = within.get(holder)
    return names - above


def _of_texts(texts: LabelledTexts, lookups: Lookups) -> ProbeItems:
    """Texts with those of their words that have vectors, as often as they occur."""
    different = list(dict.fromkeys(texts.texts))
    normalized = {word: lookups[0].normalized(word) for _, words in different for word in words}
    known = known_to_all(lookups, (word for word in normalized.values() if word is not None))
    found = [
        (tuple(word for word in map(normalized.get, words) if word is not None and word in known), label)
        for label, words in different
    ]
    usable = [(words, label) for words, label in found if words]
    return _classes(texts.name, len(found), len(found) - len(usable), usable, {}, "labels")


def _classes(
    name: str,
    size: int,
    oov: int,
    found: Sequence[tuple[tuple[str, ...], str]],
    left_out: Mapping[str, int],
    what: str,
) -> ProbeItems:
    counts = Counter(label for _, label in found)
    enough = {label for label, count in counts.items() if count >= LEAST}
    kept = [(words, label) for words, label in found if label in enough]
    few = len(found) - len(kept)
    reasons = {**left_out, **({f"in {what} with fewer than {LEAST}": few} if few else {})}
    if len(enough) < 2:
        reason = f"{len(enough)} of its {what} with {LEAST} items that have vectors, 2 needed"
        return ProbeItems(name, size, oov, left_out=reasons, skipped=reason)
    words, labels = zip(*kept, strict=True)
    return ProbeItems(name, size, oov, tuple(words), tuple(labels), reasons)


def _of_pairs(rated: RatedPairs, lookups: Lookups) -> ProbeItems:
    """Rated pairs; a pair that occurs again, in either order, has the mean of its ratings."""
    # Otherwise the same pair could be in training and test data.
    ratings: dict[frozenset[str], list[float]] = {}
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for first, second, rating in rated.pairs:
        one, other = lookups[0].normalized(first), lookups[0].normalized(second)
        if one is not None and other is not None:
            pairs.setdefault(frozenset((one, other)), (one, other))
            ratings.setdefault(frozenset((one, other)), []).append(rating)
    known = known_to_all(lookups, chain.from_iterable(pairs.values()))
    kept = {key: pair for key, pair in pairs.items() if known.issuperset(pair)}
    labels = tuple(sum(ratings[key]) / len(ratings[key]) for key in kept)
    few = _too_few(len(kept), 3 * LEAST)
    return ProbeItems(
        rated.name, len(pairs), len(pairs) - len(kept), tuple(kept.values()), labels, skipped=few
    )


def _of_section(section: AnalogySection, lookups: Lookups) -> ProbeItems:
    """Pairs of words in the vocabulary; of several correct answers the first one in it."""
    normalized = [
        (word, lookups[0].normalized_words(answers))
        for word, answers in ((lookups[0].normalized(word), answers) for word, answers in section.pairs)
        if word is not None
    ]
    different = list(dict.fromkeys(normalized))
    known_words = known_to_all(lookups, (each for word, answers in different for each in (word, *answers)))
    built = lookups[0].found
    known = {word for word in known_words if not built[word]}
    pairs = [
        (word, next((answer for answer in answers if answer in known), None)) for word, answers in different
    ]
    kept = tuple((word, answer) for word, answer in pairs if word in known and answer is not None)
    pairs_kept, few = tuple(dict.fromkeys(kept)), _too_few(len(set(kept)), 2 * LEAST)
    return ProbeItems(section.name, len(different), len(different) - len(kept), pairs_kept, skipped=few)


def _too_few(pairs: int, needed: int) -> str | None:
    """Why pairs cannot be divided: a fifth of them must be enough test data, three ratings or two pairs."""
    return f"{pairs} pairs have vectors, {needed} needed" if pairs < needed else None


def _vectors(lookup: VocabularyLookup, words: Iterable[str]) -> Singles:
    rows = lookup.query_rows(words)
    return lookup.queries[rows].astype(np.float32)


def _of_words(items: ProbeItems, lookup: VocabularyLookup) -> tuple[object, ...]:
    return _vectors(lookup, chain.from_iterable(items.words)), items.labels


def _in_order(items: ProbeItems, lookup: VocabularyLookup) -> tuple[object, ...]:
    row = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(items.words)))}
    texts = [[row[word] for word in text] for text in items.words]
    return Texts.of(_vectors(lookup, row), texts), items.labels


def _of_both(items: ProbeItems, lookup: VocabularyLookup) -> tuple[object, ...]:
    first, second = (_vectors(lookup, side) for side in zip(*items.words, strict=True))
    return first, second, np.array(items.labels, np.float64)


def _rows_of_pairs(items: ProbeItems, lookup: VocabularyLookup) -> tuple[object, ...]:
    rows = [lookup.query_rows(side) for side in zip(*items.words, strict=True)]
    return lookup.vectors.matrix, lookup.vocabulary_rows[np.stack(rows, axis=1)]


TASKS: Mapping[TaskName, ProbeTask] = {
    task.name: task
    for task in (
        ProbeTask("membership", "categories", "words", WORD_MODELS, _members, membership, _of_words),
        ProbeTask("similarity", "rated_pairs", "pairs", SIMILARITY_MODELS, _of_pairs, similarity, _of_both),
        ProbeTask("relation", "sections", "pairs", RELATION_MODELS, _of_section, analogy, _rows_of_pairs),
        ProbeTask("sentences", "labelled_texts", "texts", SENTENCE_MODELS, _of_texts, sentences, _in_order),
    )
}
"""All tasks; the first one that a test set is suitable for is the default."""


def probe(
    embeddings: VectorsLike | Sequence[VectorsLike],
    test_sets: TestSetLike | Sequence[TestSetLike],
    task: ProbeTask | None = None,
    models: Sequence[str] = (),
    plan: SplitPlan | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> ProbesFile:
    """Probe embeddings on test sets, all on the items that all of them know.

    If there is no task, it is the first one that a test set is suitable for; without names of models, all of
    it are fitted, and those that learn nothing always are. Of the settings, only case, vocabulary, profile
    and multiword matter. The result has the learning curves; of several embeddings, each with a name of its
    own, also their ranks on each task, and the means of these.
    """
    plan, settings = plan or SplitPlan(), settings or Settings()
    loaded = list(map(as_vectors, embeddings if isinstance(embeddings, list | tuple) else [embeddings]))
    _check_names(loaded)
    several = list(map(read_testset, test_sets if isinstance(test_sets, list | tuple) else [test_sets]))
    found = [
        each
        for number, test_set in enumerate(several)
        for each in _on(
            loaded, test_set, task, models, plan, settings, _share(progress, number, len(several))
        )
    ]
    ranked = [items.ranks[items.headline] for items, _ in found if items.ranks and items.headline]
    return ProbesFile(
        tasks=tuple(items for items, _ in found),
        results=tuple(scores for _, of_items in found for scores in of_items),
        mean_ranks=average_ranks(ranked) if ranked else (),
    )


def _on(
    embeddings: Sequence[Vectors],
    test_set: TestSet,
    task: ProbeTask | None,
    models: Sequence[str],
    plan: SplitPlan,
    settings: Settings,
    progress: Progress,
) -> list[tuple[ProbedItems, list[Scores]]]:
    task = task or next((each for each in TASKS.values() if getattr(test_set, each.scores)), None)
    if task is None:
        raise ScoreError(f"{test_set.name}: there is nothing in it that can be probed")
    if not getattr(test_set, task.scores):
        what = task.scores.replace("_", " ")
        raise ScoreError(f"{test_set.name}: {task.name} is probed on {what}, and it has none")
    chosen = task.models(models)
    lookups = task.lookups(embeddings, test_set, settings)
    found = task.find(test_set, lookups)
    signature = _signature(task, chosen, plan, settings, test_set)
    probed = []
    for number, items in enumerate(found):
        probes, skipped = _probe(task, items, lookups, plan, chosen, _share(progress, number, len(found)))
        curves = {name: _curves(probe) for name, probe in probes.items()}
        of_items = ProbedItems(
            test_set=test_set.name,
            language=test_set.language,
            task=task.name,
            part=items.name,
            size=items.size,
            oov=items.oov,
            left_out=items.left_out,
            items=len(items.words),
            skipped=skipped,
            signature=signature,
            **_found(task, probes, curves),
        )
        probed.append((of_items, list(_scores(of_items, task.counted, curves, test_set))))
    if all(items.skipped for items, _ in probed):
        reasons = "; ".join(first_few([f"{items.part}: {items.skipped}" for items, _ in probed], 5))
        all_have = " that all embeddings know" if len(embeddings) > 1 else ""
        raise ScoreError(f"{test_set.name}: {task.name} can be probed on nothing{all_have} ({reasons})")
    return probed


def _curves(probe: Probe) -> dict[str, Curve]:
    curves = {curve.model: curve for curve in probe.curves}
    learn = sum(curve.kind != "constant" for curve in probe.curves)
    return curves | ({EXPECTED: probe.expected} if learn > 1 else {})


def _found(
    task: ProbeTask, probes: Mapping[str, Probe], curves: Mapping[str, Mapping[str, Curve]]
) -> dict[str, Any]:
    """Headline, gaps and ranks, as `ProbedItems` has them; nothing if no embedding was probed."""
    if not probes:
        return {}
    first, models = next(iter(probes.values())), next(iter(curves.values()))
    kinds = {curve.kind for curve in first.curves}
    straight = "constant" if task.name == "similarity" else "linear"
    learners = [name for name, curve in models.items() if curve.kind != "constant"]
    return {
        "score": first.score,
        "tests": first.tests,
        "headline": EXPECTED if EXPECTED in models else (learners or list(models))[0],
        "gaps": {name: gap(probe) for name, probe in probes.items() if kinds >= {straight, "nonlinear"}},
        "ranks": {
            model: rank_embeddings({name: of_name[model] for name, of_name in curves.items()})
            for model in (models if len(probes) > 1 else ())
        },
    }


def _scores(
    items: ProbedItems, counted: str, curves: Mapping[str, Mapping[str, Curve]], test_set: TestSet
) -> Iterator[Scores]:
    """The scores of each embedding at each share, and the areas under its curves."""
    for name, of_models in curves.items():
        first = next(iter(of_models.values()))
        for number, (share, size) in enumerate(zip(first.shares, first.sizes, strict=True)):
            values = {model: [split[number] for split in curve.scores] for model, curve in of_models.items()}
            yield _of_embedding(items, counted, name, values, test_set, share=share, size=size)
        areas = {AUC.format(model): curve.at("auc") for model, curve in of_models.items()}
        yield _of_embedding(items, counted, name, areas, test_set)


def _of_embedding(
    items: ProbedItems,
    counted: str,
    name: str,
    values: Mapping[str, Sequence[float]],
    test_set: TestSet,
    **keys: float,
) -> Scores:
    return Scores(
        model=name,
        test_set=items.test_set,
        language=items.language,
        test_sha256=test_set.sha256,
        reading=test_set.reading,
        keys={"task": items.task, "items": items.part, **keys},
        scores=tuple(
            Score(
                measure=model,
                words="known",
                value=fmean(of_splits),
                n=items.items,
                known=items.items,
                unit=counted,
                signature=items.signature,
                seeds=tuple(of_splits),
            )
            for model, of_splits in values.items()
        ),
    )


def _probe(
    task: ProbeTask,
    items: ProbeItems,
    lookups: Lookups,
    plan: SplitPlan,
    models: Sequence[ProbeModel],
    progress: Progress,
) -> tuple[dict[str, Probe], str | None]:
    """The probe of each embedding, or why there is none: all are skipped if one of them cannot be probed."""
    if items.skipped is not None:
        return {}, items.skipped
    probes = {}
    for number, lookup in enumerate(lookups):
        name, own = lookup.vectors.name, _share(progress, number, len(lookups))
        try:
            data = task.data(items, lookup)
            probes[name] = task.function(*data, models=models, plan=plan, progress=own)
        except ScoreError as error:
            return {}, f"{name}: {error}"
    return probes, None


def _check_names(embeddings: Sequence[Vectors]) -> None:
    if not embeddings:
        raise ScoreError("there are no embeddings to probe")
    name, often = Counter(each.name for each in embeddings).most_common(1)[0]
    if often > 1:
        raise ScoreError(f"{often} embeddings are called {name!r}; give each a name of its own")


def _signature(
    task: ProbeTask, models: Sequence[ProbeModel], plan: SplitPlan, settings: Settings, test_set: TestSet
) -> str:
    lookup = {key: value for key, value in settings.signature.items() if key in _LOOKUP_SETTINGS}
    fields = {
        "models": ",".join(model.name for model in models),
        **lookup,
        "shares": ",".join(f"{share:g}" for share in plan.shares),
        "splits": str(plan.splits),
        "test_share": f"{plan.test_share:g}",
        "folds": str(plan.folds),
        "seed": str(plan.seed),
        "test": f"{test_set.name}#{test_set.sha256[:12]}",
        "version": version("testgen-evaluator"),
    }
    return "|".join([task.name, *(f"{key}:{value}" for key, value in fields.items())])


def _share(progress: Progress | None, number: int, tasks: int) -> Progress:
    """Progress of the whole from that of one of several equal tasks."""
    whole = progress or (lambda _: None)
    return lambda done: whole((number + done) / tasks)
