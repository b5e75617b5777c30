"""Which hyper-parameters are tried: random samples, or those that Optuna proposes (extra `[tune]`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

from evaluator.errors import ExtraError
from evaluator.results.tuning import CHOICE, COMBINED, Outcome
from evaluator.settings import Hyperparameters
from evaluator.studies.tuning.space import Space


class RandomSampler:
    """Tries the default hyper-parameters as number 0, then random samples of the space."""

    def __init__(self, space: Space, trials: int, seed: int, epochs: int) -> None:
        """Draw the samples."""
        self._samples = [Hyperparameters(epochs=epochs), *space.samples(trials, seed, epochs)]

    def untried(self, finished: Sequence[Outcome]) -> Iterator[tuple[int, Hyperparameters]]:
        """Number and hyper-parameters of all trials that are not finished."""
        known = {outcome.number for outcome in finished}
        return ((number, each) for number, each in enumerate(self._samples) if number not in known)

    def tell(self, outcome: Outcome) -> None:
        """Do nothing: samples do not depend on results."""


class TpeSampler:
    """Tries the default hyper-parameters first, then what Optuna's Tree-structured Parzen Estimator proposes.

    Bergstra et al. (2011), "Algorithms for Hyper-Parameter Optimization". It learns from finished trials.
    """

    def __init__(self, space: Space, trials: int, seed: int, epochs: int) -> None:
        """Start a study in memory.

        Raises:
            ExtraError: Optuna is not installed.
        """
        if find_spec("optuna") is None:
            raise ExtraError("the sampler tpe", "optuna", "tune")
        import optuna
        from optuna.distributions import CategoricalDistribution

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed), direction="maximize")
        self._trials, self._epochs = trials, epochs
        default = _searched(Hyperparameters())
        self._choices: dict[str, Any] = {
            name: CategoricalDistribution(values if default[name] in values else (*values, default[name]))
            for name, values in space.choices().items()
        }
        self._asked: dict[int, Any] = {}

    def untried(self, finished: Sequence[Outcome]) -> Iterator[tuple[int, Hyperparameters]]:
        """Number and hyper-parameters of trials until all are tried; the next depends on those finished."""
        for outcome in finished:
            self._study.add_trial(self._frozen(outcome))
        free = sorted(set(range(self._trials + 1)) - {outcome.number for outcome in finished})
        if 0 in free:
            self._study.enqueue_trial(_searched(Hyperparameters()))
        for number in free:
            self._asked[number] = self._study.ask(self._choices)
            yield number, Hyperparameters(**self._asked[number].params, epochs=self._epochs)

    def tell(self, outcome: Outcome) -> None:
        """Learn from a finished trial."""
        value, state = _value_and_state(outcome)
        self._study.tell(self._asked.pop(outcome.number), value, state)

    def _frozen(self, outcome: Outcome) -> Any:  # noqa: ANN401 - of Optuna
        from optuna.trial import create_trial

        value, state = _value_and_state(outcome)
        parameters = _searched(outcome.parameters)
        return create_trial(state=state, value=value, params=parameters, distributions=self._choices)


SAMPLERS: dict[str, type[RandomSampler | TpeSampler]] = {"random": RandomSampler, "tpe": TpeSampler}


def _searched(parameters: Hyperparameters) -> dict[str, Any]:
    """The hyper-parameters that are searched; the number of epochs is fixed."""
    values = asdict(parameters)
    del values["epochs"]
    return values


def _value_and_state(outcome: Outcome) -> tuple[float | None, Any]:
    from optuna.trial import TrialState

    if outcome.reason is not None:
        return None, TrialState.FAIL
    return outcome.values[CHOICE][COMBINED], TrialState.COMPLETE
