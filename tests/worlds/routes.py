"""The routes to a score: Python, files of several formats, commands, worker processes, the service's page."""

from __future__ import annotations

import io
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import msgspec

import evaluator
from evaluator.cli import main
from tests.worlds.generate import World
from tests.worlds.reference import settings_of
from tests.worlds.sources import TEST_SET, in_memory, vectors, write_binary, write_text

REPOSITORY = Path(__file__).parents[2]
_MODEL = re.compile(
    r"(?:[^\s:]*/)?model\.(?:vec(?:\.gz)?|bin|safetensors)|words and matrix|(?:dict|table) of vectors"
)
_PLACE = re.compile(r"\b(?:row|line) \d+")
_KEPT = ("--output", "--output, resumed", "--output, interrupted")
_OF_MODEL = {"model", "model_sha256", "reading", "inputs"}  # which name the route


@dataclass(frozen=True)
class Outcome:
    """What a route gives: the scores as JSON has them; or why there are none.

    Attributes:
        scores: A tree of dicts, lists, texts and numbers without what names the route; None if refused.
        refusal: The kind of error and its message, without names of files and places in them.
    """

    scores: Any = None
    refusal: str = ""


def attempt(function: Callable[[], evaluator.Scores]) -> Outcome:
    """What a function of the library gives."""
    try:
        found = function()
    except evaluator.EvaluatorError as error:
        return Outcome(refusal=plain(str(error)))
    return Outcome(tree(msgspec.to_builtins(found.record())))


def plain(text: str) -> str:
    """A message without what names the route."""
    return _PLACE.sub("its place", _MODEL.sub("MODEL", text.replace("\n", " "))).strip()


def tree(value: Any) -> Any:
    """JSON without what names the route."""
    if isinstance(value, Mapping):
        return {key: tree(each) for key, each in value.items() if key not in _OF_MODEL and each is not None}
    if isinstance(value, list | tuple):
        return [tree(each) for each in value]
    return plain(value) if isinstance(value, str) else value


def differences(one: Any, other: Any, tolerance: float = 0.0, path: str = "") -> Iterator[str]:
    """Where two trees differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), tolerance, f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, both in enumerate(zip(one, other, strict=True)):
            yield from differences(*both, tolerance, f"{path}[{number}]")
    elif isinstance(one, float) and isinstance(other, int | float):
        if not math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance):
            yield f"{path}: {one!r} and {other!r}"
    elif one != other:
        yield f"{path}: {one!r} and {other!r}"


def not_finite(value: Any, path: str = "") -> Iterator[str]:
    """Where a number is none."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from not_finite(each, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from not_finite(each, f"{path}[{number}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{path}: {value}"


def loads(text: str) -> Any:
    """JSON, which has no NaN."""

    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} in JSON")

    return json.loads(text, parse_constant=refuse)


@dataclass(frozen=True)
class Ended:
    """What a command printed, and its exit code."""

    out: str
    err: str
    code: int


def command(*arguments: object) -> Ended:
    """Run a command in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    before, code = sys.argv, 0
    sys.argv = ["evaluator", *map(str, arguments)]
    try:
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            main()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = before
    out, err = (each.buffer.getvalue().decode() for each in streams)  # type: ignore[attr-defined]
    return Ended(out, err, code)


@dataclass
class Routes:
    """All routes of a world, from files in a folder."""

    world: World
    folder: Path
    browser: Browser | None = None
    files: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from tests.worlds.sources import test_set_bytes

        self.folder.mkdir(parents=True, exist_ok=True)
        self.test = self.folder / TEST_SET
        self.test.write_bytes(test_set_bytes(self.world))
        self.files = {
            "text": write_text(self.world, self.folder),
            "binary": write_binary(self.world, self.folder),
        }
        self.how = self.world.measures, settings_of(self.world)

    @property
    def arguments(self) -> list[str]:
        """The options of a command."""
        world = self.world
        given = [f"--{name.replace('_', '-')}={value}" for name, value in world.settings.items()]
        given += [f"--preset={world.preset}"] if world.preset else []
        return [*given, *(f"--measure={each}" for each in world.measures or ()), "--test", str(self.test)]

    def memory(self) -> Outcome:
        """Vectors and test set in memory."""
        return attempt(lambda: evaluator.score(vectors(self.world), in_memory(self.world), *self.how))

    def of_file(self, kind: str) -> Outcome:
        """A file by the library."""
        return attempt(lambda: evaluator.score(self.files[kind], self.test, *self.how))

    def converted(self) -> Outcome:
        """One of the files converted."""
        path = self.folder / "model.safetensors"

        def score() -> evaluator.Scores:
            evaluator.convert(self.files["text" if self.world.number % 2 else "binary"], path)
            self.files["converted"] = path
            return evaluator.score(path, self.test, *self.how)

        return attempt(score)

    def as_json(self, *, process: bool = False) -> Outcome:
        """The command with --json, in this process or in one of its own."""
        given = ["score", str(self.files["text"]), *self.arguments, "--json"]
        ended = _in_a_process(given) if process else command(*given)
        if ended.code == 2:
            return Outcome(refusal=refusal_of(ended.err))
        return Outcome(tree(loads(ended.out)["results"][0]))

    def several(self, workers: int) -> list[Outcome]:
        """Both files in one command."""
        paths = [str(self.files[kind]) for kind in ("text", "binary")]
        ended = command("score", *paths, *self.arguments, "--json", f"--workers={workers}")
        if ended.code == 2:
            return [Outcome(refusal=refusal_of(ended.err))]
        return [Outcome(tree(each)) for each in loads(ended.out)["results"]]

    def as_csv(self) -> tuple[str, str]:
        """The table of --csv; and that of the scores of the library, or the refusals of both."""
        ended = command("score", self.files["text"], *self.arguments, "--csv")
        if ended.code == 2:
            return refusal_of(ended.err), self.memory().refusal
        try:
            found = evaluator.score(self.files["text"], self.test, *self.how)
        except evaluator.EvaluatorError as error:
            return ended.out, plain(str(error))
        table = evaluator.ScoresFile(results=(found,)).record().frame()
        return ended.out, table.to_csv(index=False, lineterminator="\n")

    def kept(self) -> Iterator[tuple[str, Outcome]]:
        """`--output`; resumed when nothing is left; and resumed when the last line was not finished."""
        output = self.folder / "scores.jsonl"
        output.unlink(missing_ok=True)
        for step in _KEPT:
            if step == _KEPT[2]:
                lines = output.read_bytes().splitlines(keepends=True)
                output.write_bytes(b"".join(lines[:-1]) + lines[-1][: len(lines[-1]) // 2])
            ended = command("score", self.files["text"], *self.arguments, "--output", output)
            if ended.code == 2 and not output.exists():
                yield step, Outcome(refusal=refusal_of(ended.err))
                return
            (read,) = evaluator.read_results(output)
            record = loads(msgspec.json.encode(read).decode())
            scored = [each["scores"] for each in record["lines"] if each.get("scores")]
            reasons = [each["reason"] for each in record["lines"] if each.get("reason")]
            if step == _KEPT[1] and scored and "nothing to do" not in ended.out:
                yield step, Outcome(refusal=f"scored again: {ended.out}")
            yield step, Outcome(tree(scored[0])) if scored else Outcome(refusal=plain(reasons[0]))

    def report(self) -> tuple[str, Outcome]:
        """The text of a report."""
        path = self.folder / "report.html"
        path.unlink(missing_ok=True)
        ended = command("score", self.files["text"], *self.arguments, "--json", "--report", path)
        if ended.code == 2:
            return "", Outcome(refusal=refusal_of(ended.err))
        html = re.sub(r"(?s)<(script|style).*?</\1>", "", path.read_text(encoding="utf-8"))
        return re.sub(r"<[^>]*>", " ", html), Outcome(tree(loads(ended.out)["results"][0]))

    def in_browser(self, kind: str) -> dict[str, Any]:
        """What the page of the service says of a file: the result, or the problem."""
        assert self.browser is not None
        most = self.how[1].vocabulary or 200_000
        return self.browser.score(self.files[kind], self.world.test_set, most, helpers=self.world.number % 3)


def refusal_of(err: str) -> str:
    """What a command says on stderr when it ends."""
    lines = [line for line in err.splitlines() if line.startswith("evaluator: ") or "Error" in line]
    return plain(lines[-1].removeprefix("evaluator: ") if lines else err)


def _in_a_process(given: list[str]) -> Ended:
    done = subprocess.run(
        [sys.executable, "-m", "evaluator", *given],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    return Ended(done.stdout, done.stderr, done.returncode)


class Browser:
    """The worker of the service's page, in Node."""

    def __init__(self, node: str, folder: Path) -> None:
        from testgen.languages.spelling import TURKIC

        letters = (chr(number) for number in range(sys.maxunicode + 1))
        table = {letter: folded for letter in letters if (folded := letter.casefold()) != letter}
        folding = folder / "folding.json"
        folding.write_text(json.dumps({"turkic": list(TURKIC), "table": table}), encoding="utf-8")
        script = REPOSITORY / "testgen/serve/static/score-worker.js"
        self._process = subprocess.Popen(
            [node, str(Path(__file__).with_name("browser.cjs")), str(script), str(folding)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def score(self, path: Path, test_set: Mapping[str, Any], most: int, helpers: int) -> dict[str, Any]:
        """What it says of a file."""
        asked = {"path": str(path), "name": path.name, "testSet": test_set, "most": most, "helpers": helpers}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(asked)}\n")
        self._process.stdin.flush()
        found: dict[str, Any] = loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        """End the process."""
        with self._process:  # which closes its pipes, and waits
            pass
