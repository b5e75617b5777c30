"""Comparisons of several embeddings, probed on the same items of test sets with the same splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version

from evaluator.plugins import (
    ScoreError,
    Settings,
    TestSet,
    Vectors,
    VectorsLike,
    VocabularyLookup,
    as_vectors,
)
from evaluator.plugins.probes.curves import Curve, CurvePoint, Gap, Probe, gap
from evaluator.plugins.probes.learners import CNN, Progress
from evaluator.plugins.probes.ranks import MeanRanks, Ranks, average_ranks, rank_embeddings
from evaluator.plugins.probes.splits import SplitPlan
from evaluator.plugins.probes.tasks import TASKS, ProbeItems, ProbeTask, SharedVocabulary, listed

EXPECTED = "expected"
"""The name of the mean over the models that learn, if there are several: equation 1 of the paper."""

_LOOKUP_SETTINGS = ("case", "vocabulary", "profile", "multiword")


@dataclass(frozen=True)
class ProbeComparison:
    """What embeddings know of one category set, section, list of pairs or set of texts.

    Attributes:
        test_set: The name of the test set.
        language: Its language code.
        task: Which probe.
        items: What was probed, the same in all embeddings.
        signature: All that is needed to get the same result again from the same vectors.
        probes: By embedding; none if the items were skipped.
    """

    test_set: str
    language: str
    task: ProbeTask
    items: ProbeItems
    signature: str
    probes: Mapping[str, Probe]

    @property
    def headline(self) -> str:
        """The curve by which embeddings are ranked: of the only model that learns, or the mean over several.

        If none learns, it is that of the first model.
        """
        probe = next(iter(self.probes.values()))
        learners = [curve.model for curve in probe.curves if curve.kind != "constant"]
        return EXPECTED if len(learners) > 1 else (learners or [probe.curves[0].model])[0]

    def curves(self, name: str) -> dict[str, Curve]:
        """The curve of each model in an embedding, and `expected` if several learn."""
        probe = self.probes[name]
        curves = {curve.model: curve for curve in probe.curves}
        return {**curves, EXPECTED: probe.expected} if self.headline == EXPECTED else curves

    @cached_property
    def ranks(self) -> Mapping[str, tuple[Ranks, ...]]:
        """The ranks of the embeddings by each model; none if there are fewer than two embeddings."""
        if len(self.probes) < 2:
            return {}
        curves = {name: self.curves(name) for name in self.probes}
        models = next(iter(curves.values()))
        return {
            model: rank_embeddings({name: of_name[model] for name, of_name in curves.items()})
            for model in models
        }

    def gap(self, name: str, point: CurvePoint = "end") -> Gap | None:
        """How much better non-linear models are in an embedding; None if all models are of one kind."""
        straight = "constant" if self.task.name == "similarity" else "linear"
        both = {straight, "nonlinear"} <= {curve.kind for curve in self.probes[name].curves}
        return gap(self.probes[name], point) if both else None


def mean_ranks(comparisons: Iterable[ProbeComparison]) -> tuple[MeanRanks, ...]:
    """Average the ranks of embeddings over all comparisons: Table 1 of the paper.

    Empty if there are fewer than two embeddings.
    """
    ranked = [each.ranks[each.headline] for each in comparisons if each.ranks]
    return average_ranks(ranked) if ranked else ()


def probe(
    embeddings: Sequence[VectorsLike],
    test_set: TestSet,
    task: ProbeTask | None = None,
    models: Sequence[str] = (),
    plan: SplitPlan | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> list[ProbeComparison]:
    """Probe embeddings on a test set, all on the items that all of them know.

    Args:
        embeddings: One or several, each with its own name; anything that `as_vectors` takes.
        test_set: On what.
        task: Which probe; the first one that the test set is suitable for if None.
        models: Some of the task's models; all but `cnn` if empty. Those that learn nothing are
            always included.
        plan: How the data is divided; `SplitPlan()` if None.
        settings: How words are looked up; only case, vocabulary, profile and multiword matter.
        progress: Called repeatedly with the share that is done, from 0 to 1.

    Raises:
        ScoreError: Nothing can be probed, or the task or a model does not exist.
    """
    plan, settings = plan or SplitPlan(), settings or Settings()
    loaded = [each if isinstance(each, Vectors) else as_vectors(each) for each in embeddings]
    _check_names(loaded)
    task = task or _first_task(test_set)
    if not getattr(test_set, task.scores):
        what = task.scores.replace("_", " ")
        raise ScoreError(f"{test_set.name}: {task.name} is probed on {what}, and it has none")
    chosen = _chosen(task, models)
    language = test_set.named_in or test_set.language
    shared = SharedVocabulary([VocabularyLookup(vectors, language, settings) for vectors in loaded])
    found = task.find(test_set, shared)
    signature = _signature(task, chosen, plan, settings, test_set)
    compared = []
    for number, items in enumerate(found):
        probes, skipped = _probe(task, items, shared, plan, chosen, _share(progress, number, len(found)))
        probed = replace(items, skipped=skipped)
        compared.append(ProbeComparison(test_set.name, test_set.language, task, probed, signature, probes))
    if all(each.items.skipped for each in compared):
        reasons = listed([(each.items.name, each.items.skipped) for each in compared])
        all_have = " that all embeddings know" if len(embeddings) > 1 else ""
        raise ScoreError(f"{test_set.name}: {task.name} can be probed on nothing{all_have} ({reasons})")
    return compared


def _probe(
    task: ProbeTask,
    items: ProbeItems,
    shared: SharedVocabulary,
    plan: SplitPlan,
    models: Sequence[str],
    progress: Progress,
) -> tuple[dict[str, Probe], str | None]:
    """The probe of each embedding, or why there is none: all are skipped if one of them cannot be probed."""
    if items.skipped is not None:
        return {}, items.skipped
    probes = {}
    for number, embedding in enumerate(shared.embeddings):
        own = _share(progress, number, len(shared.embeddings))
        try:
            probes[embedding.name] = task.run(items, embedding, plan, models, own)
        except ScoreError as error:
            return {}, f"{embedding.name}: {error}"
    return probes, None


def _check_names(embeddings: Sequence[Vectors]) -> None:
    if not embeddings:
        raise ScoreError("there are no embeddings to probe")
    name, often = Counter(each.name for each in embeddings).most_common(1)[0]
    if often > 1:
        raise ScoreError(f"{often} embeddings are called {name!r}; give each a name of its own")


def _first_task(test_set: TestSet) -> ProbeTask:
    for task in TASKS.values():
        if getattr(test_set, task.scores):
            return task
    raise ScoreError(f"{test_set.name}: there is nothing in it that can be probed")


def _chosen(task: ProbeTask, models: Sequence[str]) -> tuple[str, ...]:
    """The models to fit: those asked for, and those that learn nothing."""
    unknown = [model for model in models if model not in task.models]
    if unknown:
        raise ScoreError(f"{task.name} has no model {unknown[0]!r}; it has {', '.join(task.models)}")
    wanted = {*models, *task.baselines} if models else {*task.models} - {CNN.name}
    return tuple(model for model in task.models if model in wanted)


def _signature(
    task: ProbeTask, models: Sequence[str], plan: SplitPlan, settings: Settings, test_set: TestSet
) -> str:
    lookup = {key: value for key, value in settings.signature.items() if key in _LOOKUP_SETTINGS}
    fields = {
        "models": ",".join(models),
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
