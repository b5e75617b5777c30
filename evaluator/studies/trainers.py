"""What trains the models of a study: counting, gensim, or any program that writes a file of vectors."""

from __future__ import annotations

import difflib
import itertools
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from evaluator.datasets.reading import TestSetLike, read_testset
from evaluator.errors import ScoreError, StudyError, TrainingError, VectorsError
from evaluator.execution import supervisor
from evaluator.execution.code import is_script, modules_of_script, modules_run
from evaluator.execution.inputs import Input, opened, recording
from evaluator.execution.machine import Machine
from evaluator.execution.output_files import atomic_output, visible
from evaluator.measures import Measure
from evaluator.results.scores import Scores
from evaluator.settings import MODELS, SEEDS, Hyperparameters, Settings
from evaluator.studies.scoring import score
from evaluator.text.corpus import Sentences
from evaluator.vectors import Vectors, load_vectors
from evaluator.vectors.formats.gensim import check_gensim, from_gensim, load_gensim
from evaluator.vectors.writing import write_text

if TYPE_CHECKING:
    import pandas as pd


# ruff: noqa: ANN401 (gensim's own objects have no public types)


MODEL_FILES = ("model.bin", "model", "model.vec", "model.txt", "model.npz", "model.safetensors")
"""The files that a model may be kept in; of several that a program writes, the first has most: subwords."""

NEEDED = ("training word2vec", "train otherwise: --trainer svd, or a program: --trainer COMMAND")
"""What needs gensim, and what to do without it."""

_MOST_BUCKETS = 2_000_000  # gensim's default
_BUCKETS_A_WORD = 64


def train(
    sentences: Sentences, parameters: Hyperparameters, seed: int = 0, folder: Path | None = None
) -> Vectors:
    """Train a model with gensim, on one thread: with several, each run would give other vectors.

    fastText gets `min(2 000 000, 64·v)` buckets for the n-grams of v words. From 31,000 words on this is
    gensim's number; with fewer words, gensim's number would give a model far larger than its corpus. The
    corpus decides on lemmas.
    """
    model = trained_model(sentences, parameters, seed)
    try:
        vectors = from_gensim(model, str(parameters))
    except VectorsError as error:
        raise TrainingError(f"the vectors are not usable, try a lower learning rate: {error}") from error
    if folder is not None:
        write_model(model, folder)
    return vectors


def trained_model(sentences: Sentences, parameters: Hyperparameters, seed: int = 0) -> Any:
    """As `train`, but returns gensim's model, a Word2Vec or a FastText."""
    if parameters.model == "svd":
        raise TrainingError("svd is not trained by gensim; use SvdTrainer, or --trainer svd")
    check_seed(seed)
    words = sum(count >= parameters.min_count for count in sentences.counts.values())
    if not words:
        raise TrainingError(f"no word occurs {parameters.min_count} times; lower the min count")
    models = load_gensim(*NEEDED).models
    settings = {
        "vector_size": parameters.dimension,
        "window": parameters.window,
        "alpha": parameters.learning_rate,
        "min_count": parameters.min_count,
        "sg": int(parameters.architecture == "skip-gram"),
        "workers": 1,
        "seed": seed,
    }
    if parameters.model == "word2vec":
        model = models.Word2Vec(**settings)
    else:
        model = models.FastText(**settings, bucket=min(_MOST_BUCKETS, _BUCKETS_A_WORD * words))
    model.build_vocab_from_freq(dict(sentences.counts), corpus_count=sentences.number)
    model.train(
        corpus_file=str(sentences.path),
        total_words=sentences.tokens,
        total_examples=sentences.number,
        epochs=parameters.epochs,
    )
    return model


def check_seed(seed: int) -> None:
    """Refuse a seed that gensim does not take; what else draws random numbers takes all that it takes."""
    if not SEEDS[0] <= seed <= SEEDS[-1]:
        raise TrainingError(f"seed is {seed}; it must be 0 or more, and below 2^32")


def write_model(model: Any, folder: Path) -> Path:
    """Write a model to a file that other programs can read, and that contains no pickle."""
    # `model.vec` is word2vec text, frequent words first; `model.bin` is fastText's own format with subwords.
    models = load_gensim(*NEEDED).models
    path = folder / ("model.bin" if isinstance(model, models.FastText) else "model.vec")
    with atomic_output(path) as temporary:
        if isinstance(model, models.FastText):
            models.fasttext.save_facebook_model(model, str(temporary))
        else:
            model.wv.save_word2vec_format(str(temporary))
    remove_other_models(path)
    return path


def remove_other_models(kept: Path) -> None:
    """Remove what an earlier search has written to others of `MODEL_FILES`."""
    for name in {*MODEL_FILES} - {kept.name}:
        kept.with_name(name).unlink(missing_ok=True)


class EpochScores:
    """A callback for gensim's Word2Vec and FastText that scores a test set after each epoch.

    Pass it as `callbacks=[EpochScores(test_set)]`; afterwards see `scores` or `frame()`. Its arguments are
    those of `score`.

    Attributes:
        scores: The scores after each epoch; None if the vectors could not be scored.
    """

    def __init__(
        self,
        test_set: TestSetLike,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        settings: Settings | None = None,
        machine: Machine = Machine(),
    ) -> None:
        self._test_set, self._settings, self._machine = read_testset(test_set), settings, machine
        self._measures = measures if measures is None or isinstance(measures, str | Measure) else [*measures]
        self.scores: list[Scores | None] = []

    def on_train_begin(self, model: object) -> None:  # noqa: ARG002 - gensim's signature
        """Forget the scores of an earlier training."""
        self.scores = []

    def on_epoch_begin(self, model: object) -> None:
        """Do nothing."""

    on_train_end = on_epoch_begin

    def on_epoch_end(self, model: Any) -> None:
        """Score the vectors."""
        if hasattr(model.wv, "adjust_vectors"):
            model.wv.adjust_vectors()  # else fastText computes vectors of words only at the end of training
        vectors = from_gensim(model, f"epoch {len(self.scores) + 1}")
        try:
            found = score(vectors, self._test_set, self._measures, self._settings, machine=self._machine)
        except ScoreError:
            found = None
        self.scores.append(found)

    def frame(self) -> pd.DataFrame:
        """A table with a row for each epoch, from 1, and a column for each measure."""
        import pandas as pd

        rows = [{own.measure: own.value for own in each.measured} if each else {} for each in self.scores]
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="epoch"))


def parameters_of(model: str) -> tuple[str, ...]:
    """The hyper-parameters of a model that its trainer may take; lemmas are in the corpus already."""
    return tuple(name for name in Hyperparameters.names(model) if name != "lemmas")


PARAMETERS = parameters_of("word2vec")
"""Those that gensim and programs may take."""

_FIELDS = ("corpus", "output", *PARAMETERS, "seed")


class Trainer(Protocol):
    """Trains models: a value that can be compared, sent to other processes, and shown as text."""

    @property
    def models(self) -> tuple[str, ...]:
        """What it trains: `Hyperparameters.model`."""

    @property
    def fields(self) -> frozenset[str]:
        """Those of their hyper-parameters, and `seed`, that its models depend on."""

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The files of its program; none of a library whose version every study has."""

    def train(self, corpus: Sentences, parameters: Hyperparameters, seed: int, to: Path | None) -> Vectors:
        """Train a model or raise TrainingError; write one of `MODEL_FILES` in the folder `to`, if any."""


@dataclass(frozen=True)
class GensimTrainer:
    """Word2vec and fastText of gensim; see `evaluator.studies.trainers`."""

    models = MODELS
    fields = frozenset(_FIELDS)
    inputs: ClassVar[tuple[Input, ...]] = ()

    def __post_init__(self) -> None:
        check_gensim(*NEEDED)

    def train(self, corpus: Sentences, parameters: Hyperparameters, seed: int, to: Path | None) -> Vectors:
        """See `Trainer`."""
        return train(corpus, parameters, seed, folder=to)


@dataclass(frozen=True)
class SvdTrainer:
    """The truncated SVD of positive PMI, which needs no other library; see `evaluator.studies.svd`.

    It draws no random numbers: with other seeds it trains the same model.
    """

    models = ("svd",)
    fields = frozenset(parameters_of("svd"))
    inputs: ClassVar[tuple[Input, ...]] = ()

    def __str__(self) -> str:
        return "svd"

    def train(self, corpus: Sentences, parameters: Hyperparameters, seed: int, to: Path | None) -> Vectors:  # noqa: ARG002  # it has none
        """See `Trainer`."""
        from evaluator.studies.svd import train_svd

        vectors = train_svd(corpus, parameters)
        if to is not None:
            path = to / "model.vec"
            write_text(vectors, path)
            remove_other_models(path)
        return vectors


@dataclass(frozen=True)
class ProgramTrainer:
    """Any program, run without a shell.

    The template is its command, divided into arguments as by a shell, with fields in braces: `{corpus}`, a
    file with a sentence per line and spaces between words; `{output}`, the path of the vectors, to which it
    may add an ending of `MODEL_FILES`; `{seed}`; and names of `PARAMETERS`.
    """

    template: str
    models = MODELS

    def __post_init__(self) -> None:
        problem, shown = None, f"trainer {self.template!r}"
        try:
            unknown = sorted(self.fields - {*_FIELDS})
            command = [] if unknown else self._command("", "", Hyperparameters(), 0)
        except (ValueError, LookupError) as error:
            advice = "write fields as {corpus}, and other braces twice"
            raise StudyError(f"{shown}: is not a command ({error}); {advice}") from error
        if unknown:
            near = difflib.get_close_matches(unknown[0], _FIELDS, n=1)
            hint = f", did you mean {_listed(near)}?" if near else "."
            problem = f"no field {_listed(unknown)}{hint} There are {_listed(_FIELDS)}"
        elif not {"corpus", "output"} <= self.fields:
            problem = "a command needs {corpus} and {output}; add what is missing"
        elif shutil.which(command[0]) is None:
            problem = f"no program {command[0]}; check its path, and that it is executable"
        if problem is not None:
            raise StudyError(f"{shown}: {problem}")

    def __str__(self) -> str:
        """The command; of an absolute path only the name, as others may read it."""
        words = self.template.split()
        return " ".join(Path(each).name if Path(each).is_absolute() else each for each in words)

    @property
    def fields(self) -> frozenset[str]:
        """See `Trainer`."""
        return frozenset(name for _, name, _, _ in Formatter().parse(self.template) if name is not None)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The program, and the files that its command names; of a script of Python the modules beside it.

        These are the modules that it imports, or modules beside it that it imports do.
        """
        program, *arguments = self._command("", "", Hyperparameters(), 0)
        place = shutil.which(program) or program
        files = [each for each in arguments if Path(each).is_file()]
        modules = [modules_of_script(each) for each in map(Path, (place, *files)) if is_script(each)]
        modules += [modules_run(name) for option, name in itertools.pairwise(arguments) if option == "-m"]
        with recording() as record:
            opened("trainer", place, None if "/" in program else program)
            for each in (*files, *itertools.chain(*modules)):
                opened("trainer", each)
        return record.inputs

    def train(self, corpus: Sentences, parameters: Hyperparameters, seed: int, to: Path | None) -> Vectors:
        """See `Trainer`; the first of `MODEL_FILES` that was written is the model."""
        with tempfile.TemporaryDirectory(prefix="evaluator-") as folder:
            command = self._command(str(corpus.path), f"{folder}/model", parameters, seed)
            program, (code, said) = Path(command[0]).name, _run(command, Path(folder))
            file = next((path for each in MODEL_FILES if (path := Path(folder, each)).is_file()), None)
            if code or file is None:
                what = f"exit code {code}" if code else "nothing was written to {output}"
                raise TrainingError(f"{program}: {what}{said}")
            try:
                with recording(kept=False):
                    vectors = load_vectors(file)
            except VectorsError as error:
                what = str(error).replace(f"{folder}/", "")
                raise TrainingError(f"{program}: its vectors cannot be read: {what}{said}") from error
            if to is not None:
                with atomic_output(to / file.name) as temporary:
                    shutil.copyfile(file, temporary)
                remove_other_models(to / file.name)
        return replace(vectors, name=str(parameters))

    def _command(self, corpus: str, output: str, parameters: Hyperparameters, seed: int) -> list[str]:
        values = parameters.own | {"corpus": corpus, "output": output, "seed": seed}
        return [word.format(**values) for word in shlex.split(self.template)]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"{{{each}}}" for each in names)


def _run(command: Sequence[str], folder: Path) -> tuple[int, str]:
    """Run a program that ends with this process; its exit code, and the last lines of its standard error."""
    log = folder / "stderr"
    supervised = [sys.executable, "-I", "-S", supervisor.__file__, str(folder), *command]
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    with log.open("wb") as err:
        process = subprocess.Popen(supervised, stdin=pipe, stdout=null, stderr=err, start_new_session=True)  # noqa: S603
        try:
            code = process.wait()
        finally:
            process.communicate()  # closes its input, which ends the program, and waits
    lines = map(str.strip, log.read_text(encoding="utf-8", errors="replace").splitlines())
    said = visible(" | ".join([each for each in lines if each][-3:]))
    return code, f"; it said: {said}" if said else ""


def trainer_named(text: str | None) -> Trainer:
    """The trainer that a text names: `svd`, `gensim` (also None), or the command of a program."""
    if text == "svd":
        return SvdTrainer()
    return GensimTrainer() if text in (None, "gensim") else ProgramTrainer(text)


def check_trainer(trainer: Trainer, seeds: int, choices: Mapping[str, Sequence[object]]) -> None:
    """Check that other values of hyper-parameters, by name, and several seeds give other models."""
    others = [each for each in choices.get("model", ()) if each not in trainer.models]
    if others:
        own = " and ".join(trainer.models)
        raise StudyError(f"trainer: trains {own}, and no {others[0]}; name a space of {own}")
    same = [
        name
        for name, values in choices.items()
        if len({*values}) > 1 and name != "lemmas" and name not in trainer.fields
    ]
    if same:
        raise StudyError(
            f"trainer: several values of {', '.join(same)} would give the same model. Add {_listed(same)} to "
            f"it, or name one value, as in {' '.join(f'--only {each}={choices[each][0]}' for each in same)}"
        )
    if seeds > 1 and "seed" not in trainer.fields:
        advice = "Leave out --seeds" if isinstance(trainer, SvdTrainer) else "Add {seed} to it"
        raise StudyError(f"trainer: several seeds would give the same model. {advice}")


def trained_with(trainer: Trainer) -> dict[str, str]:
    """What settings and notes say of a trainer, with what it was not told; nothing if it is gensim."""
    if isinstance(trainer, GensimTrainer):
        return {}
    if isinstance(trainer, SvdTrainer):
        return {"trained with": str(trainer)}
    untold = ", ".join(each for each in PARAMETERS if each not in trainer.fields)
    return {"trained with": f"{trainer}; it was not told {untold}" if untold else str(trainer)}
