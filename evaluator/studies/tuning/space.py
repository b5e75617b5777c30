"""The space of hyper-parameters, and which of them are tried next: random samples, or Optuna's proposals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from msgspec import UNSET, UnsetType

from evaluator.errors import ExtraError, StudyError
from evaluator.results.tuning import Trial
from evaluator.settings import ARCHITECTURES, MODELS, Hyperparameters
from evaluator.text.corpus import MIN_COUNTS

_DIMENSIONS = (*range(5, 51, 5), *range(60, 101, 10), *range(125, 501, 25))


@dataclass(frozen=True)
class _Choices:
    """Values to choose from of each hyper-parameter, the fields of a space of one kind of models."""

    def choices(self) -> dict[str, tuple[Any, ...]]:
        """The values of each hyper-parameter by its name."""
        return {name: tuple(values) for name, values in asdict(self).items()}

    def narrowed(self, given: Mapping[str, str]) -> Self:
        """The same space with other values, as texts such as `{"dimension": "50,100"}`.

        Raises:
            StudyError: A hyper-parameter does not exist, or a text is not a value of it.
            TrainingError: A value is out of range.
        """
        choices = self.choices()
        return replace(self, **{name: _parsed(name, text, choices) for name, text in given.items()})

    def samples(self, number: int, seed: int, epochs: int | UnsetType = UNSET) -> list[Hyperparameters]:
        """Random samples; they depend on their number, the seed and the space only, not on the corpus."""
        generator = np.random.default_rng(seed)
        choices = self.choices().items()
        return [
            Hyperparameters(
                **{name: values[generator.integers(len(values))] for name, values in choices}, epochs=epochs
            )
            for _ in range(number)
        ]


@dataclass(frozen=True)
class Space(_Choices):
    """The values of each hyper-parameter of word2vec and fastText, all equally likely.

    The defaults are those of the paper (Table 2 of "Evaluating Word Embeddings on Low-Resource Languages").

    Attributes:
        model: word2vec or fastText.
        architecture: Skip-gram or CBOW.
        dimension: 31 values from 5 to 500.
        window: 3 to 11 words.
        learning_rate: 0.001, 0.01 or 0.1.
        min_count: 3 to 11.
        lemmas: Without and with.
    """

    model: Sequence[str] = MODELS
    architecture: Sequence[str] = ARCHITECTURES
    dimension: Sequence[int] = _DIMENSIONS
    window: Sequence[int] = tuple(range(3, 12))
    learning_rate: Sequence[float] = (0.001, 0.01, 0.1)
    min_count: Sequence[int] = MIN_COUNTS
    lemmas: Sequence[bool] = (False, True)


@dataclass(frozen=True)
class SvdSpace(_Choices):
    """The values of each hyper-parameter of the SVD of positive PMI, all equally likely.

    Dimension, window and min count are those of `Space`; of the others, the values that Levy, Goldberg and
    Dagan (2015, Table 1) compare.

    Attributes:
        model: svd.
        dimension: 31 values from 5 to 500.
        window: 2, and 3 to 11 words.
        dynamic_window: With and without.
        min_count: 3 to 11.
        shift: 1, 5 or 15.
        smoothing: 0.75 or 1.
        eigenvalues: 0, 0.5 or 1.
        add_contexts: Without and with.
        lemmas: Without and with.
    """

    model: Sequence[str] = ("svd",)
    dimension: Sequence[int] = _DIMENSIONS
    window: Sequence[int] = tuple(range(2, 12))
    dynamic_window: Sequence[bool] = (True, False)
    min_count: Sequence[int] = MIN_COUNTS
    shift: Sequence[float] = (1.0, 5.0, 15.0)
    smoothing: Sequence[float] = (0.75, 1.0)
    eigenvalues: Sequence[float] = (0.0, 0.5, 1.0)
    add_contexts: Sequence[bool] = (False, True)
    lemmas: Sequence[bool] = (False, True)


AnySpace = Space | SvdSpace

PAPER, COUNTED = Space(), SvdSpace()

_BOOLEANS = {"yes": True, "true": True, "no": False, "false": False}


def _parsed(name: str, text: str, choices: Mapping[str, Sequence[Any]]) -> tuple[Any, ...]:
    """The values of a text, of the type that the hyper-parameter has in a space of one kind of models."""
    model = choices["model"][0]
    other, trainer = ("word2vec", "gensim") if model == "svd" else ("svd", "svd")
    if name not in choices:
        has = f"; --trainer {trainer} has it" if name in {*Hyperparameters.names(other)} - {"epochs"} else ""
        raise StudyError(f"{name}: no such hyper-parameter; choose from {', '.join(choices)}{has}")
    kind = type(getattr(Hyperparameters(model), name))
    values = tuple(_value(name, each.strip(), kind) for each in text.split(","))
    for value in values:
        found = Hyperparameters(**{"model": model, name: value})  # checks the value
        if (found.model == "svd") != (model == "svd"):
            raise StudyError(f"model={value}: this trainer does not train it; use --trainer {trainer}")
    return values


def _value(name: str, text: str, kind: type) -> Any:  # noqa: ANN401 - of that type
    try:
        return _BOOLEANS[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError) as error:
        what = "yes or no" if kind is bool else "a whole number" if kind is int else "a number"
        raise StudyError(f"{name}: {text!r} is not a value of it; give {what}") from error


def chosen(given: Mapping[str, str], default: Hyperparameters) -> Hyperparameters:
    """The default hyper-parameters with other values, one for each name, as texts.

    Raises:
        StudyError: A hyper-parameter does not exist, or a text is not one value of it.
        TrainingError: A value is out of range.
    """
    choices = {name: (value,) for name, value in default.own.items() if name != "epochs"}
    values = {name: _parsed(name, text, choices) for name, text in given.items()}
    several = next((name for name, of in values.items() if len(of) > 1), None)
    if several is not None:
        raise StudyError(f"{several}={given[several]}: give one value; `evaluator tune` tries several")
    return replace(default, **{name: of[0] for name, of in values.items()})


class RandomSampler:
    """Tries the default hyper-parameters as number 0, then random samples of the space."""

    def __init__(self, space: AnySpace, trials: int, seed: int, default: Hyperparameters) -> None:
        self._samples = [default, *space.samples(trials, seed, default.epochs)]

    def untried(self, finished: Sequence[Trial]) -> Iterator[tuple[int, Hyperparameters]]:
        """Number and hyper-parameters of all trials that are not finished."""
        known = {trial.number for trial in finished}
        return ((number, each) for number, each in enumerate(self._samples) if number not in known)


class TpeSampler:
    """Tries the default hyper-parameters first, then what Optuna's Tree-structured Parzen Estimator proposes.

    Bergstra et al. (2011), "Algorithms for Hyper-Parameter Optimization". It learns from finished trials
    in the space, in which the default need not be.
    """

    def __init__(self, space: AnySpace, trials: int, seed: int, default: Hyperparameters) -> None:
        if find_spec("optuna") is None:
            raise ExtraError("the sampler tpe", "optuna", "tune")
        import optuna
        from optuna.distributions import CategoricalDistribution

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._study = optuna.create_study(direction="maximize")
        self._trials, self._seed, self._default = trials, seed, default
        self._choices: dict[str, Any] = {
            name: CategoricalDistribution(values) for name, values in space.choices().items()
        }

    def untried(self, finished: Sequence[Trial]) -> Iterator[tuple[int, Hyperparameters]]:
        """Number and hyper-parameters of trials until all are tried; the next depends on those finished."""
        from optuna.samplers import TPESampler

        # With the same seed, a resumed search would draw what the first one drew.
        self._study.sampler = TPESampler(seed=self._seed + len(finished))
        known, asked = 0, dict[int, Any]()
        for number in sorted(set(range(self._trials + 1)) - {trial.number for trial in finished}):
            for trial in finished[known:]:
                self._learn(trial, asked.pop(trial.number, None))
            known = len(finished)
            if number == 0:
                yield number, self._default
                continue
            asked[number] = self._study.ask(self._choices)
            yield number, Hyperparameters(**asked[number].params, epochs=self._default.epochs)

    def _learn(self, trial: Trial, asked: Any) -> None:  # noqa: ANN401 - of Optuna
        from optuna.trial import TrialState, create_trial

        value = trial.value
        state = TrialState.FAIL if value is None else TrialState.COMPLETE
        searched = {name: value for name, value in trial.parameters.own.items() if name != "epochs"}
        if asked is not None:
            self._study.tell(asked, value, state)
        elif all(searched[name] in choices.choices for name, choices in self._choices.items()):
            self._study.add_trial(
                create_trial(state=state, value=value, params=searched, distributions=self._choices)
            )


SAMPLERS: dict[str, type[RandomSampler | TpeSampler]] = {"random": RandomSampler, "tpe": TpeSampler}
