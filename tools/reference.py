"""A reference table: published vectors scored on the shipped test sets, one language at a time.

For each language in tools/reference.tsv, its vectors are fetched, scored and compared in one run of
`evaluator score`, and deleted. Its result file stays: the same command resumes with the next language. Each
file that was fetched is a line of `fetched.tsv`, with its address, licence and SHA-256. A
model that cannot be fetched or read is named at the end, and tried again by the next run; the others of the
language are scored.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import requests

import evaluator
from evaluator.results.score import HEADLINE
from evaluator.results.scores import ScoresFile

TABLE = Path(__file__).with_suffix(".tsv")
VOCABULARY = 200_000
"""How many of the most frequent words of each model are read, so that none has more neighbours to offer."""

_EVALUATOR = Path(sys.executable).with_name("evaluator")
_SUFFIXES = (".vec.gz", ".tar.gz", ".zip", ".txt", ".vec", ".bin")
_MODELS = ("model.bin", "model.txt")
"""The vectors in an archive of NLPL, beside files that describe them."""

_COLUMNS = ("language", "model", "address", "licence", "bytes", "sha256")
_WORD_START = "▁"  # before those pieces of BPEmb that begin a word
_TIMEOUT = 60  # seconds without an answer
_GIGABYTE = 10**9
_BLOCK = 2**20
_FIRST_ROWS = 100  # enough to tell vectors from a page that reports an error
_SOME_FAILED = 1  # with which evaluator ends if others were scored
_ANY_WORD = ("a",)  # for the check of a model that has no vocabulary
_DAMAGED = (OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, evaluator.EvaluatorError)


@dataclass(frozen=True)
class Model:
    """Published vectors, as a line of the table.

    Attributes:
        name: What to call them.
        page: Where their authors tell of them.
        address: Where they are, with `{language}` for the code that their authors use.
        languages: That code by the code of the test set.
        files: The names of the files below the address, if that is a folder.
        licence: Theirs.
        cite: The paper.
    """

    name: str
    page: str
    address: str
    languages: Mapping[str, str]
    files: Sequence[str]
    licence: str
    cite: str


def models(path: Path = TABLE) -> list[Model]:
    """All lines of the table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Model(
                line["model"],
                line["page"],
                line["address"],
                {each.rpartition("=")[2]: each.partition("=")[0] for each in line["languages"].split()},
                line["files"].split(),
                line["licence"],
                line["cite"],
            )
            for line in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


@dataclass
class Folder:
    """Where vectors are while they are scored.

    Attributes:
        path: The folder; it is removed at the end.
        room: How many bytes all files in it may have.
        mirror: The address of a server that has all files, by host and path; empty for the hosts themselves.
        record: A table of all files that were fetched; none is written if it is None.
    """

    path: Path
    room: int
    mirror: str = ""
    record: Path | None = None

    def vectors(self, model: Model, language: str) -> Path:
        """The vectors of a model for the language of a test set, unpacked."""
        address = model.address.format(language=model.languages[language])
        if model.files:  # of many languages, and so kept
            for name in model.files:
                if not (self.path / model.name / name).exists():
                    path = self._fetch(f"{address}/{name}", self.path / model.name / name)
                    self._note(path, (language, model.name, f"{address}/{name}", model.licence))
            return self.path / model.name
        suffix = next(each for each in _SUFFIXES if address.endswith(each))
        packed = self._fetch(address, self.path / f"{model.name}{suffix}")
        self._note(packed, (language, model.name, address, model.licence))
        unpack = {".zip": self._unzipped, ".tar.gz": self._word_starts}.get(suffix)
        return unpack(packed) if unpack else packed

    def clear(self, pattern: str = "*") -> None:
        """Delete the vectors of a language, and keep those of many."""
        for each in self.path.glob(pattern):
            if each.is_file():
                each.unlink()

    def _note(self, path: Path, of: tuple[str, ...]) -> None:
        """Add a line on a file that was fetched to the record, unless it has the same."""
        if self.record is None:
            return
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        known = self.record.read_text("utf-8") if self.record.exists() else "\t".join(_COLUMNS) + "\n"
        line = "\t".join((*of, str(path.stat().st_size), digest)) + "\n"
        if line not in known.splitlines(keepends=True):
            self.record.write_text(known + line, encoding="utf-8", newline="\n")

    def _fetch(self, address: str, path: Path) -> Path:
        url = self.mirror.rstrip("/") + "/" + address.partition("://")[2] if self.mirror else address
        plain = {"Accept-Encoding": "identity"}  # so that the length is that of the file
        with requests.get(url, headers=plain, stream=True, timeout=_TIMEOUT) as answer:
            answer.raise_for_status()
            size = int(answer.headers.get("Content-Length") or 0)
            return self._write(answer.iter_content(_BLOCK), path, size)

    def _write(self, blocks: Iterable[bytes], path: Path, size: int = 0) -> Path:
        """Write a file of `size` bytes, 0 if that is not known; it is there only when it is complete."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        part.unlink(missing_ok=True)  # of a run that was killed
        room = self.room - sum(each.stat().st_size for each in self.path.rglob("*") if each.is_file())
        written = 0
        try:
            with part.open("wb") as file:
                for block in blocks:
                    written += len(block)
                    if max(written, size) > room:
                        raise OSError(f"{path.name}: needs more than --disk allows; raise it")
                    file.write(block)
            if size not in (0, written):
                raise OSError(f"{path.name}: {written:,} of {size:,} bytes arrived")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        return path

    def _unzipped(self, archive: Path) -> Path:
        with zipfile.ZipFile(archive) as files:
            every = {each.filename: each for each in files.infolist()}
            one = (
                next(iter(every))
                if len(every) == 1
                else next((each for each in _MODELS if each in every), None)
            )
            if one is None:
                raise OSError(
                    f"{archive.name}: has {len(every)} files, and none of them is {' or '.join(_MODELS)}"
                )
            path = archive.with_suffix(Path(one).suffix)
            with files.open(one) as content:
                text = self._write(_blocks(content), path, every[one].file_size)
        archive.unlink()
        return text

    def _word_starts(self, archive: Path) -> Path:
        """BPEmb's pieces that begin a word, without the mark; whole words are among them."""
        binary = archive.with_name(archive.name.replace(".tar.gz", ".bin"))
        with tarfile.open(archive) as files:
            member = next((each for each in files if each.isfile() and each.name.endswith(".bin")), None)
            content = files.extractfile(member) if member else None
            if member is None or content is None:
                raise OSError(f"{archive.name}: has no .bin")
            self._write(_blocks(content), binary, member.size)
        archive.unlink()
        text = self._write(_text_of_word_starts(evaluator.load_vectors(binary)), binary.with_suffix(".vec"))
        binary.unlink()
        return text


def _blocks(content: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: content.read(_BLOCK), b"")


def _text_of_word_starts(found: evaluator.Vectors) -> Iterator[bytes]:
    starts = [row for row, word in enumerate(found.words) if word.startswith(_WORD_START) and len(word) > 1]
    yield f"{len(starts)} {found.dimension}\n".encode()
    for row in starts:
        numbers = " ".join(map(str, np.asarray(found.matrix[row], dtype=np.float32)))
        yield f"{found.words[row].removeprefix(_WORD_START)} {numbers}\n".encode()


def score(language: str, several: Sequence[Model], results: Path, folder: Folder) -> list[str]:
    """Score the models of a language, and write what was found; returns what was left out, and why.

    If there is a result already, those that it lacks are fetched first, and the others only if one arrives.
    """
    folder.clear()
    target, problems, files = results / f"{language}.json", list[str](), dict[str, Path]()
    known = scored(target) & {model.name for model in several}
    try:
        for model in sorted(several, key=lambda each: each.name in known):
            if model.name in known and not files:
                return problems
            try:
                file = folder.vectors(model, language)
                evaluator.load_vectors(file, limit=_FIRST_ROWS, vocabulary=_ANY_WORD)
                files[model.name] = file
            except _DAMAGED as error:
                problems.append(f"{language}, {model.name}: {error}")
                folder.clear(f"{model.name}.*")
        if files and known <= files.keys():
            ordered = [files[model.name] for model in several if model.name in files]
            problems += _score(language, ordered, target)
    finally:
        folder.clear()
    return problems


def _score(language: str, files: Sequence[Path], target: Path) -> Iterator[str]:
    words = ["--vocabulary", str(VOCABULARY), "--vocabulary-from", str(files[0])]
    run = subprocess.run(  # noqa: S603
        [_EVALUATOR, "score", *map(str, files), "--test", language, *words, "--json"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if run.returncode not in (0, _SOME_FAILED):
        said = run.stderr.strip() or f"evaluator ended with {run.returncode}"
        yield f"{language}: {said.splitlines()[-1]}"
        return
    beside = target.with_suffix(".part")
    beside.write_text(run.stdout, encoding="utf-8")
    for each in getattr(evaluator.read_results(beside)[0], "failures", ()):
        yield f"{language}, {_name(each.model)}: {each.reason}"
    beside.replace(target)


def scored(path: Path) -> set[str]:
    """The names of the models that a result file has; none if there is no file."""
    return {_name(each.model) for each in evaluator.read_results(path).scores} if path.exists() else set()


def _name(file: str) -> str:
    return file.partition(".")[0]


def page(results: Mapping[str, ScoresFile], listed: Sequence[Model]) -> str:
    """The table in Markdown: languages and models, with the letters of their ranks, or why they have none."""
    names = [model.name for model in listed]
    lines = [f"| language | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for language, found in results.items():
        of = {_name(each.model): each for each in found.results}
        groups = {
            _name(each.model): each.letters or f"not above {each.lacking[0]}"
            for ranking in found.rankings
            if ranking.measure == HEADLINE
            for each in ranking.models
        }
        cells = (_cell(of.get(name), groups.get(name, "")) for name in names)
        lines.append(f"| {language} | {' | '.join(cells)} |")
    sources = (
        f"- **[{model.name}]({model.page})**: {model.cite}; {model.licence}; `{model.address}`"
        for model in listed
    )
    return "\n".join([f"# {HEADLINE} of published vectors\n", _ABOUT, *lines, "\n## Models\n", *sources, ""])


_ABOUT = f"""95% intervals in brackets are for other words of these categories. Models of a language that
share a letter cannot be told apart; one without is not shown to be above chance, or above what the
frequency or the spelling of words gives. Of each the {VOCABULARY:,} most frequent words are read; a model
that encodes any word has those of the first model of the language.
`scores.csv` has all measures and categories, the files in `results` the SHA-256 of each model and test set,
and `fetched.tsv` that of each file as it was published, with its licence.
"""


def _cell(scores: evaluator.Scores | None, group: str) -> str:
    found = scores and scores.get(HEADLINE)
    if not found:
        return "–"
    span = "" if found.low is None or found.high is None else f" ({found.low:.3f}–{found.high:.3f})"
    return f"{found.value:.3f}{span} {group}".rstrip()


def todo(
    listed: Sequence[Model], languages: Sequence[str], results: Path
) -> Iterator[tuple[str, list[Model]]]:
    """The languages of which a model has no result, and all their models."""
    for language in languages or sorted({each for model in listed for each in model.languages}):
        several = [model for model in listed if language in model.languages]
        if {model.name for model in several} - scored(results / f"{language}.json"):
            yield language, several


def main(arguments: Sequence[str] | None = None) -> int:
    """Score what has no result yet, and write the table, the data and the site."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "languages", nargs="*", help="codes of test sets; all that a model has if none is given"
    )
    parser.add_argument("--output", type=Path, default=Path("reference"))
    parser.add_argument("--disk", type=float, default=20, help="gigabytes that vectors may take at a time")
    parser.add_argument("--mirror", default="", help="a server that has each file at /HOST/PATH")
    given = parser.parse_args(arguments)
    results, listed = given.output / "results", models()
    results.mkdir(parents=True, exist_ok=True)
    room, record = int(given.disk * _GIGABYTE), given.output / "fetched.tsv"
    folder = Folder(given.output / "vectors", room, given.mirror, record)
    failed = []
    for language, several in todo(listed, given.languages, results):
        print(f"{language}: {', '.join(model.name for model in several)}", file=sys.stderr, flush=True)
        failed += score(language, several, results, folder)
    shutil.rmtree(folder.path, ignore_errors=True)
    found = {path.stem: evaluator.read_results(path)[0] for path in sorted(results.glob("*.json"))}
    if found:
        evaluator.read_results(*sorted(results.glob("*.json"))).frame().to_csv(
            given.output / "scores.csv", index=False
        )
        (given.output / "README.md").write_text(page(found, listed), encoding="utf-8")
        site = ["site", str(given.output / "site"), str(results), "--title", "Published vectors"]
        subprocess.run([_EVALUATOR, *site], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    print(*failed, sep="\n", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
