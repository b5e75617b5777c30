"""Comparisons of several embeddings, probed on the same items of test sets with the same splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from statistics import fmean
from typing import Any

from evaluator.plugins import (
    Score,
    ScoreError,
    Scores,
    Settings,
    TestSet,
    Vectors,
    VectorsLike,
    as_vectors,
)
from evaluator.plugins.probes.curves import Curve, Probe, average_ranks, gap, rank_embeddings
from evaluator.plugins.probes.learners import ProbeModel, Progress
from evaluator.plugins.probes.result import AUC, ProbedItems, ProbesFile
from evaluator.plugins.probes.splits import SplitPlan
from evaluator.plugins.probes.tasks import TASKS, Lookups, ProbeItems, ProbeTask
from evaluator.results.numbers import first_few

EXPECTED = "expected"
"""The name of the mean over the models that learn, if there are several: equation 1 of the paper."""

_LOOKUP_SETTINGS = ("case", "vocabulary", "profile", "multiword")


def probe(
    embeddings: Sequence[VectorsLike],
    test_sets: TestSet | Sequence[TestSet],
    task: ProbeTask | None = None,
    models: Sequence[str] = (),
    plan: SplitPlan | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> ProbesFile:
    """Probe embeddings on test sets, all on the items that all of them know.

    Args:
        embeddings: One or several, each with its own name; anything that `as_vectors` takes.
        test_sets: On what.
        task: Which probe; the first one that a test set is suitable for if None.
        models: Some of the task's models; all if empty. Those that learn nothing are always included.
        plan: How the data is divided; `SplitPlan()` if None.
        settings: How words are looked up; only case, vocabulary, profile and multiword matter.
        progress: Called repeatedly with the share that is done, from 0 to 1.

    Returns:
        The learning curves; of several embeddings also their ranks on each task, and the means of these.
    """
    plan, settings = plan or SplitPlan(), settings or Settings()
    loaded = [each if isinstance(each, Vectors) else as_vectors(each) for each in embeddings]
    _check_names(loaded)
    several = [test_sets] if isinstance(test_sets, TestSet) else test_sets
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
    """What all items of a test set give."""
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
        probed.append((of_items, list(_scores(of_items, task.counted, curves))))
    if all(items.skipped for items, _ in probed):
        reasons = "; ".join(first_few([f"{items.part}: {items.skipped}" for items, _ in probed], 5))
        all_have = " that all embeddings know" if len(embeddings) > 1 else ""
        raise ScoreError(f"{test_set.name}: {task.name} can be probed on nothing{all_have} ({reasons})")
    return probed


def _curves(probe: Probe) -> dict[str, Curve]:
    """The curve of each model, and `expected` if several learn."""
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


def _scores(items: ProbedItems, counted: str, curves: Mapping[str, Mapping[str, Curve]]) -> Iterator[Scores]:
    """The scores of each embedding at each share, and the areas under its curves."""
    for name, of_models in curves.items():
        first = next(iter(of_models.values()))
        for number, (share, size) in enumerate(zip(first.shares, first.sizes, strict=True)):
            values = {model: [split[number] for split in curve.scores] for model, curve in of_models.items()}
            yield _of_embedding(items, counted, name, values, share=share, size=size)
        areas = {AUC.format(model): curve.at("auc") for model, curve in of_models.items()}
        yield _of_embedding(items, counted, name, areas)


def _of_embedding(
    items: ProbedItems, counted: str, name: str, values: Mapping[str, Sequence[float]], **keys: float
) -> Scores:
    return Scores(
        model=name,
        test_set=items.test_set,
        language=items.language,
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
