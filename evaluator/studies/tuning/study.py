"""Which trials there are and what came of them, kept in a file by Optuna (extra `[tune]`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from evaluator.errors import ExtraError, StudyError
from evaluator.results.base import builtins_of
from evaluator.results.tuning import CHOICE, COMBINED, Outcome
from evaluator.settings import Hyperparameters
from evaluator.studies.tuning.space import Space

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial, TrialState

Sampler = Literal["random", "tpe"]
SAMPLERS = ("random", "tpe")

_FILE = "study.journal"
_LOCK = "study.journal.lock"
_NAME = "evaluator tune"


class Study:
    """A journal of trials in a folder: those finished are kept, those interrupted are begun again.

    One process at a time may use it; whoever makes one sees to that.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], sampler: Sampler, seed: int) -> None:
        """Open the study of a folder, or begin it.

        Args:
            folder: Where its file is; it must be there.
            settings: All that trials depend on; the study must have been begun with the same.
            sampler: `random`; or `tpe`, which learns from earlier trials (Bergstra et al. 2011).
            seed: Of the sampler.

        Raises:
            ExtraError: Optuna is not installed.
            StudyError: The file is of other settings, or cannot be read.
        """
        require_optuna()
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        path = folder / _FILE
        _mend(path)
        samplers = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}
        try:
            backend = JournalFileBackend(str(path), lock_obj=JournalFileOpenLock(str(path)))
            self._study = optuna.create_study(
                storage=JournalStorage(backend),
                sampler=samplers[sampler](seed=seed),
                study_name=_NAME,
                direction="maximize",
                load_if_exists=True,
            )
        except (json.JSONDecodeError, AssertionError, KeyError, TypeError, UnicodeDecodeError) as error:
            raise StudyError(f"{path}: is no study, or a damaged one; name another folder") from error
        self._settings = json.loads(json.dumps(settings))
        self._check(path)
        self._begin_again()

    def outcomes(self) -> list[Outcome]:
        """What came of the trials that are finished, by number."""
        found = [
            trial.user_attrs["outcome"] for trial in self._study.get_trials(deepcopy=False) if _done(trial)
        ]
        return sorted(msgspec.convert(found, list[Outcome]), key=lambda outcome: outcome.number)

    def enqueue(self, samples: Sequence[Hyperparameters]) -> None:
        """See to it that these are tried, each under its place as number, unless they have been."""
        if "settings" not in self._study.user_attrs:
            self._study.set_user_attr("settings", self._settings)
        known = {trial.user_attrs.get("number") for trial in self._known()}
        for number, parameters in enumerate(samples):
            if number not in known:
                self._enqueue(number, _varied(parameters))

    def trials(self, space: Space, number: int, epochs: int) -> Iterator[tuple[int, Hyperparameters]]:
        """Trials to be made, one by one, until there are so many; the next may depend on those told."""
        from optuna.distributions import BaseDistribution, CategoricalDistribution

        choices: dict[str, BaseDistribution] = {
            name: CategoricalDistribution(values) for name, values in self._choices(space).items()
        }
        known = {outcome.number for outcome in self.outcomes() if outcome.number < number}
        self._asked: dict[int, Any] = {}
        while len(known) < number:
            trial = self._study.ask(choices)
            own = trial.user_attrs.get("number")
            if own is None:
                own = next(free for free in range(number) if free not in known)
                trial.set_user_attr("number", own)
            if own >= number:  # enqueued when more trials were asked for
                self._study.tell(trial, state=_state("FAIL"))
                continue
            known.add(own)
            self._asked[own] = trial
            yield own, Hyperparameters(**trial.params, epochs=epochs)

    def tell(self, outcome: Outcome) -> None:
        """Keep what came of a trial."""
        trial = self._asked.pop(outcome.number)
        trial.set_user_attr("outcome", builtins_of(outcome))
        if outcome.reason is None:
            self._study.tell(trial, outcome.values[CHOICE][COMBINED])
        else:
            self._study.tell(trial, state=_state("FAIL"))

    def _check(self, path: Path) -> None:
        """Refuse other settings than those of the first trials; without trials, any are welcome."""
        given = self._settings
        own = self._study.user_attrs.get("settings", given)
        if own != given:
            names = sorted(name for name in own.keys() | given.keys() if own.get(name) != given.get(name))
            changed = "; ".join(f"{name} was {own.get(name)}, is {given.get(name)}" for name in names)
            raise StudyError(
                f"{path}: the study was begun with other settings ({changed}). Name another folder, or use "
                "the same settings"
            )

    def _begin_again(self) -> None:
        """What was running when the program ended is to be tried again."""
        for trial in self._study.get_trials(deepcopy=False, states=(_state("RUNNING"),)):
            self._study.tell(trial.number, state=_state("FAIL"))
            number = trial.user_attrs.get("number")
            if number is not None and not _done(trial):
                # It may have been interrupted before all its hyper-parameters were written down.
                self._enqueue(number, {**trial.params, **trial.system_attrs.get("fixed_params", {})})

    def _enqueue(self, number: int, parameters: Mapping[str, Any]) -> None:
        self._study.enqueue_trial(dict(parameters), user_attrs={"number": number})

    def _known(self) -> list[Any]:
        """Trials that are finished or wait."""
        trials = self._study.get_trials(deepcopy=False)
        return [trial for trial in trials if _done(trial) or trial.state == _state("WAITING")]

    @staticmethod
    def _choices(space: Space) -> dict[str, tuple[Any, ...]]:
        """Those of the space and of the default hyper-parameters, which are a trial like others."""
        default = _varied(Hyperparameters())
        return {
            name: values if default[name] in values else (*values, default[name])
            for name, values in space.choices().items()
        }


def require_optuna() -> None:
    """Say before work starts that there can be no study.

    Raises:
        ExtraError: Optuna is not installed.
    """
    if find_spec("optuna") is None:
        raise ExtraError("tuning", "optuna", "tune")


def _mend(path: Path) -> None:
    """Take away what a process that was killed while it wrote has left: half a line, and Optuna's lock."""
    path.with_name(_LOCK).unlink(missing_ok=True)
    content = path.read_bytes() if path.exists() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if whole and whole != content:
        with path.open("r+b") as file:
            file.truncate(len(whole))


def _done(trial: FrozenTrial) -> bool:
    return "outcome" in trial.user_attrs


def _state(name: str) -> TrialState:
    from optuna.trial import TrialState

    return TrialState[name]


def _varied(parameters: Hyperparameters) -> dict[str, Any]:
    """The hyper-parameters that are searched for; epochs are the study's."""
    values = asdict(parameters)
    del values["epochs"]
    return values
