"""Small inputs for commands: a search for hyper-parameters, and models of several languages."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import NO_GENSIM

_WORDS = [f"{one}{other}{one}" for one in "bdfgkmp" for other in ("al", "en", "ir", "os", "um", "yt")]
TOPICS = {f"topic{topic}": [_WORDS[(3 * n + topic) * 17 % 42] for n in range(14)] for topic in range(3)}
"""Words that do not say by their letters which topic they are of."""
PROGRAM = str(Path(sys.executable).with_name("evaluator"))
_SECONDS = 60


def topic_lines(seed: int = 0, number: int = 400, *, mixed: bool = False) -> list[str]:
    """Sentences of words of one topic each; or of all, so that there is nothing to learn."""
    generator = np.random.default_rng(seed)
    topics = [list(words) for words in TOPICS.values()]
    if mixed:
        topics = [[word for words in topics for word in words]] * len(topics)
    return [" ".join(generator.choice(topics[i % len(topics)], 8)) for i in range(number)]


class SmallStudy:
    """A corpus and a test set in one folder, studies of them in another."""

    def __init__(self, inputs: Path, outputs: Path, trials: int) -> None:
        """Write corpus and test set."""
        pytest.importorskip("gensim", reason=NO_GENSIM)
        self.corpus, self._topics = inputs / "text.txt", inputs / "topics.txt"
        self._outputs, self._trials = outputs, trials
        self.corpus.write_text("\n".join(topic_lines()), encoding="utf-8")
        topics = (f": {name}\n" + "\n".join(words) for name, words in TOPICS.items())
        self._topics.write_text("\n".join(topics) + "\n", encoding="utf-8")

    @cached_property
    def expected(self) -> bytes:
        """The table of a search with one process."""
        assert self.search("alone").returncode == 0
        return self.table("alone")

    def command(self, output: str, *options: str) -> list[str]:
        """The search."""
        return [
            *(PROGRAM, "tune", str(self.corpus), "--test", str(self._topics)),
            *("--trials", str(self._trials), "--epochs", "40"),
            *("--only", "dimension=4,8", "--only", "min_count=2,3", "--no-figure"),
            *("--output", str(self._outputs / output), *options),
        ]

    def search(
        self, output: str, *options: str, by: Callable[[list[str]], Sequence[str]] = list
    ) -> subprocess.CompletedProcess[str]:
        """Search, and wait for the end."""
        command = by(self.command(output, *options))
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def begin(
        self, output: str, *options: str, by: Callable[[list[str]], Sequence[str]] = list
    ) -> subprocess.Popen[str]:
        """Begin to search."""
        command = by(self.command(output, *options))
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def table(self, output: str) -> bytes:
        """The table of trials."""
        return (self._outputs / output / "trials.csv").read_bytes()

    def finished(self, output: str) -> int:
        """How many trials are finished."""
        trials = self._outputs / output / "trials.jsonl"
        return max(0, trials.read_bytes().count(b"\n") - 1) if trials.exists() else 0

    def wait_for(self, output: str, number: int) -> None:
        """Until so many trials are finished."""
        end = time.monotonic() + _SECONDS
        while self.finished(output) < number:
            assert time.monotonic() < end, f"{self.finished(output)} trials are finished"
            time.sleep(0.02)


def write_models(folder: Path) -> dict[str, list[Path]]:
    """Two models and a test set of each of three languages."""
    models = {}
    for number, code in enumerate(("la", "grc", "sa")):
        words = [f"{code}{row}" for row in range(60)]
        items = [{"id": f"Q{row + 1}", "words": [words[row * 3]]} for row in range(12)]
        content: dict[str, object] = {"format": "testset", "version": 1, "language": code}
        content["categories"] = [{"name": "c", "topic": "t", "items": items}]
        (folder / f"{code}.json").write_text(json.dumps(content), encoding="utf-8")
        models[code] = [folder / f"{code}{seed}.vec" for seed in range(2)]
        for seed, path in enumerate(models[code]):
            matrix = np.random.default_rng([seed, number]).normal(size=(60, 4)).round(3)
            matrix[:36:3] += number
            rows = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, matrix, strict=True)]
            path.write_text("\n".join(["60 4", *rows, ""]), encoding="utf-8")
    return models
