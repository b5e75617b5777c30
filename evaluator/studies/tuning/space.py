"""The space of hyper-parameters, and which of them are tried next: random samples, or Optuna's proposals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from evaluator.errors import ExtraError, StudyError
from evaluator.results.tuning import Trial
from evaluator.settings import ARCHITECTURES, MODELS, Hyperparameters
from evaluator.text.corpus import MIN_COUNTS

_DIMENSIONS = (*range(5, 51, 5), *range(60, 101, 10), *range(125, 501, 25))


@dataclass(frozen=True)
class Space:
    """The values of each hyper-parameter, all equally likely.

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

    def choices(self) -> dict[str, tuple[Any, ...]]:
        """The values of each hyper-parameter by its name."""
        return {name: tuple(values) for name, values in asdict(self).items()}

    def narrowed(self, given: Mapping[str, str]) -> Space:
        """The same space with other values, as texts such as `{"dimension": "50,100"}`.

        Raises:
            StudyError: A hyper-parameter does not exist, or a text is not a value of it.
            TrainingError: A value is out of range.
        """
        return replace(self, **{name: _parsed(name, text) for name, text in given.items()})

    def samples(self, number: int, seed: int, epochs: int = 5) -> list[Hyperparameters]:
        """Random samples; they depend on their number, the seed and the space only, not on the corpus."""
        generator = np.random.default_rng(seed)
        choices = self.choices().items()
        return [
            Hyperparameters(
                **{name: values[generator.integers(len(values))] for name, values in choices}, epochs=epochs
            )
            for _ in range(number)
        ]


PAPER = Space()

_TYPES = {"dimension": int, "window": int, "min_count": int, "learning_rate": float}
_BOOLEANS = {"yes": True, "true": True, "no": False, "false": False}


def _parsed(name: str, text: str) -> tuple[Any, ...]:
    names = [each.name for each in fields(Space)]
    if name not in names:
        raise StudyError(f"{name}: no such hyper-parameter; choose from {', '.join(names)}")
    values = tuple(_value(name, each.strip()) for each in text.split(","))
    for value in values:
        Hyperparameters(**{name: value})  # checks the value
    return values


def _value(name: str, text: str) -> Any:  # noqa: ANN401 - of the hyper-parameter's type
    try:
        return _BOOLEANS[text.lower()] if name == "lemmas" else _TYPES.get(name, str)(text)
    except (ValueError, KeyError) as error:
        raise StudyError(f"{name}: {text!r} is not a value of it") from error


def chosen(given: Mapping[str, str], default: Hyperparameters) -> Hyperparameters:
    """The default hyper-parameters with other values, one for each name, as texts.

    Raises:
        StudyError: A hyper-parameter does not exist, or a text is not one value of it.
        TrainingError: A value is out of range.
    """
    values = {name: _parsed(name, text) for name, text in given.items()}
    several = next((name for name, of in values.items() if len(of) > 1), None)
    if several is not None:
        raise StudyError(f"{several}={given[several]}: give one value; `evaluator tune` tries several")
    return replace(default, **{name: of[0] for name, of in values.items()})


class RandomSampler:
    """Tries the default hyper-parameters as number 0, then random samples of the space."""

    def __init__(self, space: Space, trials: int, seed: int, default: Hyperparameters) -> None:
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

    def __init__(self, space: Space, trials: int, seed: int, default: Hyperparameters) -> None:
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
        searched = asdict(trial.parameters)
        del searched["epochs"]
        if asked is not None:
            self._study.tell(asked, value, state)
        elif all(searched[name] in choices.choices for name, choices in self._choices.items()):
            self._study.add_trial(
                create_trial(state=state, value=value, params=searched, distributions=self._choices)
            )


SAMPLERS: dict[str, type[RandomSampler | TpeSampler]] = {"random": RandomSampler, "tpe": TpeSampler}
