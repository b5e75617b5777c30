"""Signatures, and the commands that give the same numbers again, as far as result files name them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from evaluator.reports.inputs import InputFile
from evaluator.reports.page import Fact
from evaluator.results.batch import BatchFile

_DEFAULTS = {
    "oov": "wrong",
    "norm": "unit",
    "case": "fold",
    "vocabulary": "all",
    "profile": "",
    "multiword": "keep",
    "levels": "equal",
    "small-categories": "skip",
    "seed": "0",
    "tokens": "letter-runs",
    "vocabulary-from": "",
}
_GENSIM = {"oov": "skip", "case": "upper", "vocabulary": "300000"}

_READING = {
    "vectors": ("--format", "auto"),
    "bad_rows": ("--bad-rows", "refuse"),
    "encoding": ("--encoding", "utf-8"),
    "tests": ("--test-format", "auto"),
    "vocabulary from": ("--vocabulary-from", ""),
}

PATHS = "The result file has names of files only; put in their paths."
ABSOLUTE = "Run it in the same folder. Where a path was absolute, only the name is here; put in the path."


def options(settings: Mapping[str, str]) -> list[str]:
    """Settings as options of a command, without those that have their default value.

    Args:
        settings: As in a signature.
    """
    if _GENSIM.items() <= settings.items():
        seed = settings.get("seed", "0")
        return ["--preset", "gensim", *(["--seed", seed] if seed != "0" else [])]
    return [
        word
        for key, default in _DEFAULTS.items()
        if settings.get(key, default) != default
        for word in (f"--{key}", settings[key])
    ]


def reading_options(reading: Mapping[str, str]) -> list[str]:
    """How a batch read its files, as options, without those that have their default value."""
    known = ((option, reading.get(key, default), default) for key, (option, default) in _READING.items())
    return [word for option, value, default in known if value != default for word in (option, value)]


def command(*arguments: str | Iterable[str]) -> str:
    """A command line, quoted for a shell."""
    words = [word for each in arguments for word in ([each] if isinstance(each, str) else each)]
    return shlex.join(["evaluator", *words])


def repeated(option: str, values: Iterable[str]) -> list[str]:
    """An option that is given once for each value."""
    return [word for value in dict.fromkeys(values) for word in (option, value)]


def again(lines: Iterable[str], remark: str = PATHS) -> list[Fact]:
    """Commands, and a remark on them."""
    return [Fact("Run it again", list(lines), code=True), Fact("Note", [remark])]


def as_given(file: InputFile) -> list[Fact]:
    """The command that wrote a result file, as it was given; or that no command did."""
    base = file.result.command
    if isinstance(file.result, BatchFile):
        return _batch_command(file.name, file.result)
    if not isinstance(file.result.arguments, tuple):
        return [Fact("Note", [f"Not written by a command. The command of such files is {base}."])]
    words = [*base.removesuffix(" --json").split(), *file.result.arguments]
    if base.endswith(" --json"):
        line = f"{shlex.join(words)} --json > {shlex.quote(file.name)}"
    else:
        line = shlex.join([*words, "--output", PurePosixPath(file.name).stem])
    return again([line], ABSOLUTE)


def _batch_command(output: str, found: BatchFile) -> list[Fact]:
    """A command for each group of models that were scored on the same test sets."""
    tests: dict[str, dict[str, None]] = {}
    for line in found.lines:
        tests.setdefault(line.vectors, {}).update({line.test: None} if line.test else {})
    together: dict[tuple[str, ...], list[str]] = {}
    for model, names in tests.items():
        together.setdefault(tuple(names), []).append(model)
    held = [
        *repeated("--measure", found.measures or ()),
        *options(found.settings.signature | {"seed": str(found.settings.seed)}),
        *reading_options(found.reading),
        *("--output", output),
    ]
    lines = [command("batch", models, repeated("--test", own), held) for own, models in together.items()]
    reading = ", ".join(f"{key} {value}" for key, value in found.reading.items())
    return [*again(lines), Fact("Reading", [reading])]
