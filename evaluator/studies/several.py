"""What `evaluator.score` does: one model or several, on one test set or several."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

from evaluator.datasets.reading import read_testset
from evaluator.datasets.testset import TestSet, categories_of
from evaluator.engine.vocabulary_lookup import Candidates
from evaluator.errors import ScoreError, TestSetError
from evaluator.execution.machine import Machine
from evaluator.execution.remote_files import local_copy
from evaluator.measures import Measure, parse_measure
from evaluator.results.scores import Scores, ScoresFile
from evaluator.settings import Settings
from evaluator.studies import scoring
from evaluator.studies.models import ModelToScore, loaded, score_and_compare, score_models
from evaluator.studies.scoring import Measures
from evaluator.vectors import Vectors, VectorsLike
from evaluator.vectors.reading import VectorsFile
from evaluator.vectors.sources import Vocabulary, is_vectors_mapping, is_words_and_matrix, vectors_or_file

TestSetLike = TestSet | str | os.PathLike[str] | Mapping[str, Iterable[str]]
"""A test set; or the path, URL or name of one; or the words of each category by its name."""


def as_test_set(source: TestSetLike) -> TestSet:
    """A test set of whatever is one: a path, a URL, a name that `by_name` knows, or a dict of categories."""
    if isinstance(source, TestSet):
        return source
    if isinstance(source, Mapping):
        return _of_categories(source)
    path, language = os.fspath(source), None
    if not os.path.lexists(path):
        from evaluator.datasets.names import by_name

        path, language = by_name(path) or (path, None)
    return read_testset(local_copy(path, TestSetError), language=language or "und")


def _of_categories(words: Mapping[str, Iterable[str]]) -> TestSet:
    listed = {name: own if isinstance(own, str) else list(own) for name, own in words.items()}
    for name, own in listed.items():
        if isinstance(own, str) or not own or not all(isinstance(word, str) for word in own):
            raise TestSetError(
                f"the category {name!r} is {own!r}; give a list of words, as in ['cat', 'dog']"
            )
    if not listed:
        raise TestSetError("the dict has no categories; give some, as in {'animals': ['cat', 'dog']}")
    content = json.dumps(listed, ensure_ascii=False).encode()
    return TestSet("und", "words", hashlib.sha256(content).hexdigest(), categories_of(listed))


@overload
def score(  # type: ignore[overload-overlap]  # a dict of words and vectors has no names of models
    vectors: VectorsLike,
    test_set: TestSetLike,
    measures: Measures = None,
    settings: Settings | None = None,
    announce: Callable[[int], None] | None = None,
    *,
    machine: Machine = Machine(),
    context: bool = False,
    candidates: Candidates | None = None,
    vocabulary: Vocabulary = None,
) -> Scores: ...
@overload
def score(
    vectors: VectorsLike | list[Any] | tuple[Any, ...] | dict[str, Any],
    test_set: TestSetLike | list[Any] | tuple[Any, ...],
    measures: Measures = None,
    settings: Settings | None = None,
    announce: Callable[[int], None] | None = None,
    *,
    machine: Machine = Machine(),
    vocabulary: Vocabulary = None,
) -> ScoresFile: ...
def score(
    vectors: VectorsLike | list[Any] | tuple[Any, ...] | dict[str, Any],
    test_set: TestSetLike | list[Any] | tuple[Any, ...],
    measures: Measures = None,
    settings: Settings | None = None,
    announce: Callable[[int], None] | None = None,
    *,
    machine: Machine = Machine(),
    context: bool = False,
    candidates: Candidates | None = None,
    vocabulary: Vocabulary = None,
) -> Scores | ScoresFile:
    """Score vectors on a test set, or several models on several test sets.

    All measures share one pass over the vocabulary.

    Args:
        vectors: What to score: anything that `as_vectors` takes. Several models as a list, or as a dict by
            their names; each is scored on each of the test sets.
        test_set: What to score them on: a test set, its path or URL, a name such as `la` or `simlex999`,
            a dict of the words of each category, or a list of these.
        measures: One or several, as texts such as `Topk@3` or as measure objects; one named twice counts
            once. None for the default measures of the test set.
        settings: For all measures; `Settings()` if None.
        announce: Called once before the pass, with the number of comparisons it takes.
        machine: How many threads, and who is told of progress; of several models also how many are scored at
            a time, or on which cluster. Then they must be files. The scores do not depend on it.
        context: Also score the known words alone, and a model that knows only how frequent words are.
            That of several models is always there.
        candidates: The vocabulary is cut to these. Several models are compared among the same ones anyway.
        vocabulary: The words of models that can encode any word; see `as_vectors`.

    Returns:
        `Scores` of one model on one test set; `ScoresFile` if there is a list or dict of either. Where OOV
        words are wrong and the model knows no word, its score is 0, and `reason` says what would help.

    Raises:
        VectorsError: There are no usable vectors.
        TestSetError: A test set cannot be read.
        MeasureError: A measure's text is wrong.
        ScoreError: No measure can be scored. If some can, `Scores.failures` says why others cannot.
        ClusterError: The cluster cannot be used, or was lost.
    """
    named = isinstance(vectors, Mapping) and not is_vectors_mapping(vectors)
    several = named or (isinstance(vectors, list | tuple) and not is_words_and_matrix(vectors))
    if several or isinstance(test_set, list | tuple):
        models = vectors if several else [vectors]
        tests = test_set if isinstance(test_set, list | tuple) else [test_set]
        return _score_several(models, tests, measures, settings, vocabulary, machine)  # type: ignore[arg-type]  # as checked
    one, digest = loaded(vectors_or_file(vectors, vocabulary))  # type: ignore[arg-type]  # as checked
    asked = as_test_set(test_set)
    return scoring.score(
        one,
        asked,
        measures,
        settings,
        announce,
        machine=machine,
        context=context,
        candidates=candidates,
        sha256=digest,
        unknown=True,
    )


def _score_several(
    models: Sequence[VectorsLike] | Mapping[str, VectorsLike],
    test_sets: Sequence[TestSetLike],
    measures: Measures,
    settings: Settings | None,
    vocabulary: Vocabulary,
    machine: Machine,
) -> ScoresFile:
    settings = settings or Settings()
    named = models.items() if isinstance(models, Mapping) else ((None, model) for model in models)
    files = [_named(name, vectors_or_file(model, vocabulary)) for name, model in named]
    tests = tuple(map(as_test_set, test_sets))
    _check(files, [test.name for test in tests], machine)
    several = [measures] if isinstance(measures, str | Measure) else measures
    texts = None if several is None else tuple(str(parse_measure(each)) for each in several)
    tasks = [
        ModelToScore(file, tests, texts, settings, compared=len(files) > 1, unknown=True) for file in files
    ]
    return score_and_compare([(tasks, ())], lambda asked: score_models(asked, machine), machine)


def _named(name: str | None, model: Vectors | VectorsFile) -> Vectors | VectorsFile:
    if name is None:
        return model
    return replace(model, given_name=name) if isinstance(model, VectorsFile) else replace(model, name=name)


def _check(models: Sequence[Vectors | VectorsFile], tests: Sequence[str], machine: Machine) -> None:
    """Refuse what would be confused in a table, or cannot be sent."""
    for kind, names in (("model", [each.name for each in models]), ("test set", tests)):
        if not names:
            raise ScoreError(f"there is no {kind}; give at least one")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            how = "give a dict of models by name" if kind == "model" else "rename one"
            raise ScoreError(f"two {kind}s are called {twice!r}; {how}")
    own = next((each.name for each in models if isinstance(each, Vectors)), None)
    if own is not None and not machine.in_this_process:
        raise ScoreError(
            f"{own}: vectors in memory are not sent to worker processes; give a path, or leave out workers "
            "and scheduler (one process uses all cores)"
        )
