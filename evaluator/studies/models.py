"""Models scored on the same test sets in any process, compared, and brought together."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from evaluator.datasets.reading import TestSetLike, read_testset
from evaluator.datasets.testset import TestSet, reading_notes
from evaluator.engine.vocabulary_lookup import FEW, Candidates, CommonWords, KnownWords
from evaluator.errors import ChangedError, ScoreError, TestSetError, VectorsError
from evaluator.execution.inputs import (
    Input,
    Recording,
    State,
    beside,
    data_files,
    digest,
    identity,
    recorded,
    recording,
    state_of,
)
from evaluator.execution.machine import Machine
from evaluator.execution.remote_files import file_name, local_copy, without_file_scheme
from evaluator.results.scores import ModelFailure, Scores, ScoresFile, copies_of, with_common_words
from evaluator.settings import Settings
from evaluator.studies.scoring import (
    Measures,
    Scored,
    default_measures,
    judged,
    known_words,
    mean_of_runs,
    parsed,
    score_vectors,
    signature_of,
)
from evaluator.text.normalization import suggested
from evaluator.vectors import Vectors, VectorsLike, as_vectors
from evaluator.vectors.reading import VectorsFile, Vocabulary
from evaluator.vectors.sources import is_vectors_mapping, is_words_and_matrix, vectors_or_file

if TYPE_CHECKING:
    from evaluator.results.comparable import ComparisonKey
    from evaluator.statistics.comparison import ModelsOnTest


@dataclass(frozen=True)
class TestSetFile:
    """A test set that is read where it is needed; its attributes are the arguments of `read_testset`."""

    __test__ = False  # pytest would otherwise collect a class named Test…

    path: str
    format: str = "auto"
    bad_rows: Literal["refuse", "drop"] = "refuse"
    language: str = "und"
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """What messages call it."""
        return file_name(self.path)

    def load(self) -> TestSet:
        """The test set; read once for consecutive models of a language, as long as the file is unchanged."""
        path = local_copy(self.path, TestSetError)
        files = data_files(path) if path.is_dir() else [path]
        return _read(self, tuple(map(state_of, files)))


@lru_cache(maxsize=4)
def _read(file: TestSetFile, _states: tuple[State | None, ...]) -> TestSet:
    return read_testset(file.path, file.format, file.language, file.bad_rows, dict(file.columns))


@dataclass(frozen=True, eq=False)
class ScoringTask:
    """A model, and how it is scored; its vocabulary is cut to `candidates`, one for each of the test sets.

    If it is `compared` with others, what it knows is found out, too. If it knows no word, it
    is asked the same questions as others, and has 0 and a reason.
    `models` are, of each test set, the digest of the models whose common words are the candidates.
    """

    file: VectorsFile | Vectors
    tests: tuple[TestSet | TestSetFile, ...]
    measures: tuple[str, ...] | None
    settings: Settings
    candidates: tuple[Candidates | None, ...] = ()
    machine: Machine = Machine()
    compared: bool = False
    models: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.file.name

    def failed(self, reason: str) -> ScoringResult:
        """The result if nothing can be scored."""
        return ScoringResult(
            (None,) * len(self.tests), failures=(ModelFailure(self.file.name, None, reason),)
        )


@dataclass(frozen=True, eq=False)
class ScoringResult:
    """What a task found on each of its test sets; and what is told of it, such as why it was not scored.

    What was `opened` is there of a model that cannot be loaded: no score lists it.
    """

    scored: tuple[Scored | None, ...]
    dropped: int = 0
    hints: tuple[str, ...] = ()
    failures: tuple[ModelFailure, ...] = ()
    left_out: tuple[str, ...] = ()
    opened: Recording | None = None


def score_model(model: ScoringTask, announce: Callable[[int], None] | None = None) -> ScoringResult:
    """Score a model and its frequency baseline; that it cannot be scored is a result, too."""
    name, number = model.file.name, len(model.tests)
    with suppress(TestSetError):  # it is told below
        if any(each.categories or each.sections for each in map(_test_set, model.tests)):
            # Most measures need them. Where they are loaded, text is read several times as fast.
            import evaluator.engine.kernels  # noqa: F401
    try:
        with recording() as opened:
            vectors, inputs = loaded(model.file)
    except VectorsError as error:
        path = model.file.path if isinstance(model.file, VectorsFile) else name
        reason = str(error).replace(path, name)  # the same in processes with other folders
        return replace(model.failed(reason), opened=opened)
    found: list[Scored | None] = []
    failures: list[ModelFailure] = []
    hints: list[str] = []
    left_out: dict[str, None] = {}
    for each, candidates in zip(model.tests, model.candidates or (None,) * number, strict=True):
        how = model.measures, model.settings, announce
        part = model.machine.part(len(found) / number, (len(found) + 1) / number)
        try:
            test_set = _test_set(each)
            left_out |= dict.fromkeys(reading_notes(test_set))
            scored = score_vectors(
                *(vectors, test_set, *how),
                machine=part,
                candidates=candidates,
                inputs=inputs,
                unknown=True,
                compared=model.compared,
            )
            found.append(scored)
            if model.compared and test_set.chosen_for:
                hints.append(
                    f"{test_set.name}: its words were chosen for {test_set.chosen_for}; models of other "
                    "vocabularies are at a disadvantage on it, so do not compare them by it"
                )
            if candidates is None and _may_be_advised(scored.scores, test_set, model.settings):
                from evaluator.studies.coverage import hint  # which most scores need not load

                advice = hint(vectors, test_set, model.settings)
                hints += [f"{test_set.name}: {advice}"] if advice else []
        except (ScoreError, TestSetError, ChangedError) as error:
            found.append(None)
            failures.append(ModelFailure(name, each.name, str(error)))
    return ScoringResult(tuple(found), vectors.dropped, tuple(hints), tuple(failures), tuple(left_out))


def _test_set(given: TestSet | TestSetFile) -> TestSet:
    return given if isinstance(given, TestSet) else given.load()


def _may_be_advised(scores: Scores, test_set: TestSet, settings: Settings) -> bool:
    known, words = scores.known_words or 0, scores.words or 0
    if scores.reason:  # which has the advice
        return False
    if known < FEW * words or settings.case == "exact":
        return True
    language = test_set.named_in or test_set.language
    return known < words and not settings.profile and suggested(language) is not None


def keys_of(model: ScoringTask) -> Iterator[ComparisonKey]:
    """By what those scores will be compared that ask all words, as far as it is known before any work."""
    from evaluator.results.comparable import ComparisonKey  # which scores alone do not need

    for test_set in map(_test_set, model.tests) if model.settings.oov != "skip" else ():
        for each in parsed(default_measures(test_set) if model.measures is None else model.measures):
            if not each.known_only:
                signature = signature_of(each, model.settings, test_set)
                of = test_set.language, test_set.name, test_set.sha256
                yield ComparisonKey.expected(str(each), signature, *of)


def loaded(model: Vectors | VectorsFile) -> tuple[Vectors, Future[tuple[Input, ...]]]:
    """The vectors of a model, and what they were loaded from; or they themselves, if they are in memory."""
    is_file = isinstance(model, VectorsFile)
    with recording(at_once=is_file):
        vectors = as_vectors(model)
    return vectors, beside(lambda: vectors.inputs if is_file else (vectors.in_memory(),))


def look_up(model: ScoringTask) -> tuple[str, list[KnownWords]] | None:
    """The digest of a model, and what it knows of each test set; None if it cannot be loaded or scored."""
    try:
        vectors, inputs = loaded(model.file)
        tests = map(_test_set, model.tests)
        known = [known_words(vectors, each, model.measures, model.settings) for each in tests]
        return identity(inputs.result()), known
    except (VectorsError, TestSetError, ScoreError, ChangedError):  # scoring it gives the reason
        return None


def on_common_words(models: Sequence[ScoringTask], machine: Machine) -> list[ScoringTask]:
    """The same models, to be scored on the words that all of them know, among the same candidates."""
    # Scores with `oov=skip` could not be compared otherwise: the fewer words a model knows, the easier.
    found = replace(machine, progress=lambda _: None).run_all(look_up, for_machine(models, machine))
    every = zip(*(each[1] for each in found if each is not None), strict=True)
    candidates = tuple(CommonWords(of_all, only_known=True).candidates for of_all in every)
    return [replace(model, candidates=candidates) for model in models]


def among_the_same(models: Sequence[ScoringTask], scored: Sequence[ScoringResult]) -> list[ScoringTask]:
    """The same models, to be scored among the words that all of them have, and test words."""
    # In a smaller vocabulary neighbours are easier to find, so that this decides which model is better. No
    # models are left if it would change nothing.
    able = [[on and on.known for on in each.scored] for each in scored if any(each.scored)]
    if not any(each for own in able for each in own):
        return []
    common = [CommonWords(of_all, only_known=False) for of_all in zip(*able, strict=True)]
    if all(len(each.vocabularies) < 2 for each in common):
        return []
    candidates = tuple(each.candidates for each in common)
    return [replace(model, candidates=candidates, compared=False) for model in models]


def score_models(models: Sequence[ScoringTask], machine: Machine) -> list[ScoringResult]:
    """Score several models at a time; vectors are loaded where they are scored."""
    found = machine.run_all(score_model, for_machine(models, machine))
    for each in found:
        if each.opened is not None:
            recorded().extend(each.opened, None)
    return found


def for_machine(models: Sequence[ScoringTask], machine: Machine) -> list[ScoringTask]:
    """The same, as they are sent to the processes of a machine."""
    sent = (
        model.file if machine.in_this_process or isinstance(model.file, Vectors) else model.file.for_others()
        for model in models
    )
    return [
        replace(model, file=file, machine=machine.for_task) for model, file in zip(models, sent, strict=True)
    ]


def score_and_compare(
    groups: Sequence[tuple[Sequence[ScoringTask], Sequence[str | None]]],
    score: Callable[[Sequence[ScoringTask]], Sequence[ScoringResult]],
    machine: Machine,
    *,
    baseline: bool = False,
    margin: float | None = None,
) -> ScoresFile:
    """All scores model by model, and how models differ: on each test set, and over all languages.

    A group has all vectors of a language, which are scored on the same test sets; and the names of the models
    of several training runs, of which the means are taken, None for the others.
    """
    failures: list[ModelFailure] = []
    results: list[Scores] = []
    for tasks, names in groups:
        if any(names):
            refuse_copies(zip(names, [each.file for each in tasks], strict=True))
    asked = [
        on_common_words(models, machine)
        if len(models) > 1 and models[0].settings.oov == "skip"
        else list(models)
        for models, _ in groups
    ]
    first = _in_groups(score, asked)
    again = [
        among_the_same(models, found) if len(models) > 1 else []
        for models, found in zip(asked, first, strict=True)
    ]
    second = _in_groups(score, again)
    tables: list[tuple[list[_Row], list[_Row]]] = []
    for (_, names), scored, rescored in zip(groups, first, second, strict=True):
        for each in scored:
            failures += each.failures
        found = _models(scored, names, failures, baseline=baseline)
        in_common = _models(rescored, names, [], baseline=baseline) if rescored else []
        found = _with_common_words(found, in_common) if rescored else found
        tables.append((found, in_common))
        for row in found:
            results += filter(None, row)
    if not results:
        raise ScoreError("; ".join(each.reason for each in failures))
    several, compared = len(results) > 1, dict[str, Any](kept=(results[0].kept,))
    if several:
        from evaluator.statistics.comparison import compare_models  # of which one model needs nothing

        compared = compare_models(_on_each_test(tables), margin, languages=len(groups))
    return ScoresFile(results=tuple(results), failures=tuple(failures), margin=margin, **compared)


_Row = list[Scores | None]
"""The scores of a model, on each test set."""


def _with_common_words(found: Sequence[_Row], in_common: Sequence[_Row]) -> list[_Row]:
    """All scores, with those by words that all models know as they were asked these."""
    return [
        [with_common_words(own, common) if own and common else own for own, common in zip(*rows, strict=True)]
        for rows in zip(found, in_common, strict=True)
    ]


def _on_each_test(tables: Iterable[tuple[list[_Row], list[_Row]]]) -> Iterator[ModelsOnTest]:
    """All models of each language on each test set; and among the same candidates, if they were scored so."""
    for found, rescored in tables:
        for own, same in zip(zip(*found, strict=True), zip(*(rescored or found), strict=True), strict=True):
            both = [(one, other) for one, other in zip(own, same, strict=True) if one and other]
            yield [one for one, _ in both], [other for _, other in both] if rescored else None


def _in_groups(
    score: Callable[[Sequence[ScoringTask]], Sequence[ScoringResult]], groups: Sequence[list[ScoringTask]]
) -> list[list[ScoringResult]]:
    """Score the models of all groups in one run, so that each language need not have several."""
    models = list(chain(*groups))
    found = iter(score(models) if models else ())
    return [list(islice(found, len(of_group))) for of_group in groups]


def refuse_copies(runs: Iterable[tuple[str | None, VectorsLike]]) -> None:
    """Refuse training runs of a model that are copies of each other, as these say nothing of how runs differ.

    Files of this machine are copies if they have the same bytes, `Vectors` in memory if they hold the same.

    Args:
        runs: Each with the name of its model, or None if it is a model of its own.

    Raises:
        VectorsError: Two runs of a model are copies.
    """
    alike = defaultdict[tuple[str, object], list[_Content]](list)
    for name, run in runs:
        content = None if name is None else _content(run)
        if name is not None and content is not None:
            alike[name, content[1]].append(content)
    for (name, _), several in alike.items():
        found = dict[str, str]()
        for shown, _, digest_of in several if len(several) > 1 else ():
            own = digest_of()
            if own in found:
                raise VectorsError(f"{name}: {_copies(found[own], shown)}")
            found[own] = shown


_Content = tuple[str, object, Callable[[], str]]
"""What messages call a model, its size, and its digest, which is needed where sizes are the same."""


def _content(model: VectorsLike) -> _Content | None:
    """That of a file of this machine, or of vectors in memory; None of others, which have to be loaded."""
    if isinstance(model, Vectors):
        return model.name, model.matrix.shape, lambda: model.in_memory().sha256
    if isinstance(model, str | os.PathLike | VectorsFile):
        given = model.path if isinstance(model, VectorsFile) else os.fspath(model)
        path = Path(without_file_scheme(given))
        if path.is_file():
            return given, path.stat().st_size, lambda: digest(path)[0]
    return None


def _copies(*runs: str) -> str:
    return f"{' and '.join(runs)} are copies of one training run. Name one of them."


def _models(
    results: Sequence[ScoringResult],
    names: Sequence[str | None],
    failures: list[ModelFailure],
    *,
    baseline: bool,
) -> list[_Row]:
    """The scores of each model on each test set; after those of the first, its frequency baseline's."""
    runs: dict[str | int, list[ScoringResult]] = {}
    for number, (name, each) in enumerate(zip(names or [None] * len(results), results, strict=True)):
        runs.setdefault(number if name is None else name, []).append(each)
    models: list[_Row] = []
    for model, own in runs.items():
        several = zip(*map(attrgetter("scored"), own), strict=True)
        found = [_of_runs(model, on_test, failures) for on_test in several]
        models.append([None if each is None else each.scores for each in found])
        if baseline and len(models) == 1:
            levels = [None if each is None else each.frequency for each in found]
            if any(levels):
                models.append([each and judged(each, frequency=each) for each in levels])
    return models


def _of_runs(model: str | int, runs: Sequence[Scored | None], failures: list[ModelFailure]) -> Scored | None:
    """A model, with a name if it may have several training runs, on a test set."""
    if not isinstance(model, str):
        return runs[0]
    found = [each for each in runs if each is not None]
    if not found:
        return None
    copies = copies_of(each.scores for each in found)
    try:
        if not copies:
            return mean_of_runs(model, found)
        reason = _copies(*copies[0])
    except ScoreError as error:
        reason = str(error)
    failures.append(ModelFailure(model, found[0].scores.test_set, reason))
    return None


@overload
def score(  # type: ignore[overload-overlap]  # a dict of words and vectors has no names of models
    vectors: VectorsLike,
    test_set: TestSetLike,
    measures: Measures = None,
    settings: Settings | None = None,
    announce: Callable[[int], None] | None = None,
    *,
    machine: Machine = Machine(),
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
    vocabulary: Vocabulary = None,
) -> Scores | ScoresFile:
    """Score vectors on a test set, or several models on several test sets.

    All measures share one pass over the vocabulary. Each score stands beside that of the known words alone,
    its chance level, and that of a model which knows only how frequent words are, with a test and a verdict.

    Args:
        vectors: What to score: anything that `as_vectors` takes. Several models as a list, or as a dict by
            their names; each is scored on each of the test sets. A list of paths in a dict has several
            training runs of one model, whose mean is taken.
        test_set: What to score them on: a test set, its path or URL, a name such as `la` or `simlex999`,
            a dict of the words of each category, or a list of these.
        measures: One or several, as texts such as `Topk@3` or as measure objects; one named twice counts
            once. None for the default measures of the test set.
        settings: For all measures; `Settings()` if None.
        announce: Called once before the pass, with the number of comparisons it takes.
        machine: How many threads, and who is told of progress; of several models also how many are scored at
            a time, or on which cluster. Then they must be files. The scores do not depend on it.
        vocabulary: The words of models that can encode any word; see `as_vectors`.

    Returns:
        `Scores` of one model on one test set; `ScoresFile` if there is a list or dict of either. Where OOV
        words are wrong and the model knows no word, its score is 0, and `reason` says what would help.

    Raises:
        VectorsError: There are no usable vectors, or two training runs of a model are copies.
        TestSetError: A test set cannot be read.
        MeasureError: A measure's text is wrong.
        ScoreError: No measure can be scored, or settings are of another type. If some can, `Scores.failures`
            says why others cannot.
        ChangedError: A file changed while it was read.
        ClusterError: The cluster cannot be used, or was lost.
    """
    if not isinstance(settings, Settings | None):
        raise ScoreError(f"settings is {settings!r}; write Settings(oov='skip') or the like")
    named = isinstance(vectors, Mapping) and not is_vectors_mapping(vectors)
    several = named or (isinstance(vectors, list | tuple) and not is_words_and_matrix(vectors))
    if several or isinstance(test_set, list | tuple):
        models = vectors if several else [vectors]
        tests = test_set if isinstance(test_set, list | tuple) else [test_set]
        return _score_several(models, tests, measures, settings, vocabulary, machine)  # type: ignore[arg-type]  # as checked
    one, inputs = loaded(vectors_or_file(vectors, vocabulary))  # type: ignore[arg-type]  # as checked
    how = measures, settings, announce
    return score_vectors(
        one, read_testset(test_set), *how, machine=machine, inputs=inputs, unknown=True
    ).scores


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
    files: list[Vectors | VectorsFile] = []
    names: list[str | None] = []
    for name, model in named:
        runs: Sequence[VectorsLike] = model if name is not None and isinstance(model, list) else ()
        is_runs = bool(runs) and all(isinstance(each, str | os.PathLike) for each in runs)
        own = runs if is_runs else [model]
        files += [_named(None if is_runs else name, vectors_or_file(each, vocabulary)) for each in own]
        names += [name if is_runs else None] * len(own)
    tests = tuple(map(read_testset, test_sets))
    alone = [each.name for each, name in zip(files, names, strict=True) if name is None]
    called = [*dict.fromkeys(filter(None, names)), *alone]
    _check(files, called, [test.name for test in tests], machine)
    texts = None if measures is None else tuple(map(str, parsed(measures)))
    tasks = [ScoringTask(file, tests, texts, settings, compared=len(called) > 1) for file in files]
    return score_and_compare([(tasks, names)], lambda asked: score_models(asked, machine), machine)


def named_models(
    models: Sequence[VectorsLike] | Mapping[str, VectorsLike], vocabulary: Vocabulary = None
) -> list[Vectors | VectorsFile]:
    """Several models, called by the names that they have in a dict; files are not loaded yet."""
    named = models.items() if isinstance(models, Mapping) else ((None, model) for model in models)
    return [_named(name, vectors_or_file(model, vocabulary)) for name, model in named]


def _named(name: str | None, model: Vectors | VectorsFile) -> Vectors | VectorsFile:
    if name is None:
        return model
    return replace(model, given_name=name) if isinstance(model, VectorsFile) else replace(model, name=name)


def refuse_twice(kind: str, names: Sequence[str], advice: str) -> None:
    """Refuse two of one name, which a table and a ranking would take for one."""
    for name in names:
        if names.count(name) > 1:
            raise ScoreError(f"two {kind}s are called {name!r}; {advice}")


def _check(
    models: Sequence[Vectors | VectorsFile], called: Sequence[str], tests: Sequence[str], machine: Machine
) -> None:
    """Refuse what would be confused in a table, or cannot be sent."""
    for kind, names in (("model", called), ("test set", tests)):
        if not names:
            raise ScoreError(f"there is no {kind}; give at least one")
        refuse_twice(kind, names, "give a dict of models by name" if kind == "model" else "rename one")
    own = next((each.name for each in models if isinstance(each, Vectors)), None)
    if own is not None and not machine.in_this_process:
        raise ScoreError(
            f"{own}: vectors in memory are not sent to worker processes; give a path, or leave out workers "
            "and scheduler (one process uses all cores)"
        )
