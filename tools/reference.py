"""A reference table: published vectors scored on the shipped test sets, one language at a time.

For each language in tools/reference.tsv, its vectors are fetched, scored and compared in one run of
`evaluator score`, and deleted. Its result file stays: the same command resumes with the next language. A
language whose vectors cannot be fetched is named at the end, and tried again by the next run.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import requests

import evaluator
from evaluator.results.scores import HEADLINE, ScoresFile

TABLE = Path(__file__).with_suffix(".tsv")
VOCABULARY = 200_000
"""How many of the most frequent words of each model are read, so that none has more neighbours to offer."""

_EVALUATOR = Path(sys.executable).with_name("evaluator")
_WORD_START = "▁"  # before those pieces of BPEmb that begin a word
_TIMEOUT = 60  # seconds without an answer
_GIGABYTE = 10**9


@dataclass(frozen=True)
class Model:
    """Published vectors, as a line of the table.

    Attributes:
        name: What to call them.
        address: Where they are, with `{language}` for the code that their authors use.
        languages: That code by the code of the test set.
        files: The names of the files below the address, if that is a folder.
        licence: Theirs.
        cite: The paper.
    """

    name: str
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
    """

    path: Path
    room: int
    mirror: str = ""

    def vectors(self, model: Model, language: str) -> Path:
        """The vectors of a model for the language of a test set, unpacked."""
        address = model.address.format(language=model.languages[language])
        if model.files:  # of many languages, and so kept
            for name in model.files if not (self.path / model.name).exists() else ():
                self._fetch(f"{address}/{name}", self.path / model.name / name)
            return self.path / model.name
        suffix = next(each for each in (".vec.gz", ".tar.gz", ".zip", ".txt") if address.endswith(each))
        packed = self._fetch(address, self.path / f"{model.name}{suffix}")
        return {".zip": _unzipped, ".tar.gz": _word_starts}.get(suffix, Path)(packed)

    def clear(self) -> None:
        """Delete the vectors of a language, and keep those of many."""
        for each in self.path.glob("*"):
            if each.is_file():
                each.unlink()

    def _fetch(self, address: str, path: Path) -> Path:
        url = self.mirror.rstrip("/") + "/" + address.partition("://")[2] if self.mirror else address
        path.parent.mkdir(parents=True, exist_ok=True)
        with requests.get(url, stream=True, timeout=_TIMEOUT) as answer:
            answer.raise_for_status()
            size = int(answer.headers.get("Content-Length") or 0)
            used = sum(each.stat().st_size for each in self.path.rglob("*") if each.is_file())
            if used + size > self.room:
                raise OSError(f"{address}: {size / _GIGABYTE:.1f} GB more than --disk allows; raise it")
            with path.open("wb") as file:
                for block in answer.iter_content(2**20):
                    file.write(block)
        if size and path.stat().st_size != size:
            raise OSError(f"{address}: {path.stat().st_size:,} of {size:,} bytes arrived")
        return path


def _unzipped(archive: Path) -> Path:
    with zipfile.ZipFile(archive) as files, archive.with_suffix(".txt").open("wb") as out:
        (name,) = files.namelist()
        with files.open(name) as content:
            shutil.copyfileobj(content, out)
    archive.unlink()
    return archive.with_suffix(".txt")


def _word_starts(archive: Path) -> Path:
    """BPEmb's pieces that begin a word, without the mark; whole words are among them."""
    with tarfile.open(archive) as files:
        name = next(each for each in files.getmembers() if each.isfile() and each.name.endswith(".bin"))
        content, out = files.extractfile(name), archive.with_name(archive.name.replace(".tar.gz", ".bin"))
        if content is None:
            raise OSError(f"{archive}: has no .bin")
        with out.open("wb") as file:
            shutil.copyfileobj(content, file)
    found = evaluator.load_vectors(out)
    starts = [row for row, word in enumerate(found.words) if word.startswith(_WORD_START) and len(word) > 1]
    text = out.with_suffix(".vec")
    with text.open("w", encoding="utf-8") as file:
        print(len(starts), found.dimension, file=file)
        for row in starts:
            numbers = " ".join(map(str, np.asarray(found.matrix[row], dtype=np.float32)))
            print(found.words[row].removeprefix(_WORD_START), numbers, file=file)
    archive.unlink()
    out.unlink()
    return text


def score(language: str, several: Sequence[Model], results: Path, folder: Folder) -> str | None:
    """Score the models of a language, and write what was found; returns what went wrong."""
    folder.clear()
    try:
        files = [folder.vectors(model, language) for model in several]
        command = [_EVALUATOR, "score", *map(str, files), "--test", language]
        run = subprocess.run(  # noqa: S603
            [*command, "--vocabulary", str(VOCABULARY), "--json"],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if run.returncode:
            return f"{language}: {run.stderr.strip().splitlines()[-1]}"
        beside = results / f"{language}.part"
        beside.write_text(run.stdout, encoding="utf-8")
        beside.replace(results / f"{language}.json")
    except (OSError, StopIteration, tarfile.TarError, zipfile.BadZipFile) as error:
        return f"{language}: {error}"
    finally:
        folder.clear()
    return None


def page(results: Mapping[str, ScoresFile], listed: Sequence[Model]) -> str:
    """The table in Markdown: languages and models, with letters for those that cannot be told apart."""
    names = [model.name for model in listed]
    lines = [f"| language | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for language, found in results.items():
        of = {each.model.partition(".")[0]: each for each in found.results}
        letters = {
            each.model.partition(".")[0]: each.letters
            for ranking in found.rankings
            if ranking.measure == HEADLINE
            for each in ranking.models
        }
        cells = (_cell(of.get(name), letters.get(name, "")) for name in names)
        lines.append(f"| {language} | {' | '.join(cells)} |")
    sources = (f"- **{model.name}**: {model.cite}; {model.licence}; `{model.address}`" for model in listed)
    return "\n".join([f"# {HEADLINE} of published vectors\n", _ABOUT, *lines, "\n## Models\n", *sources, ""])


_ABOUT = f"""95% intervals in brackets are for other words of these categories. Models of a language that
share a letter cannot be told apart. Of each the {VOCABULARY:,} most frequent words are read. `scores.csv` has
all measures and categories, the files in `results` the SHA-256 of each model and test set.
"""


def _cell(scores: evaluator.Scores | None, letters: str) -> str:
    found = scores and scores.get(HEADLINE)
    if not found:
        return "–"
    span = "" if found.low is None or found.high is None else f" ({found.low:.3f}–{found.high:.3f})"
    return f"{found.value:.3f}{span} {letters}".rstrip()


def todo(
    listed: Sequence[Model], languages: Sequence[str], results: Path
) -> Iterator[tuple[str, list[Model]]]:
    """The languages without a result, and their models."""
    for language in languages or sorted({each for model in listed for each in model.languages}):
        several = [model for model in listed if language in model.languages]
        if several and not (results / f"{language}.json").exists():
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
    folder = Folder(given.output / "vectors", int(given.disk * _GIGABYTE), given.mirror)
    failed = []
    for language, several in todo(listed, given.languages, results):
        print(f"{language}: {', '.join(model.name for model in several)}", file=sys.stderr, flush=True)
        if problem := score(language, several, results, folder):
            failed.append(problem)
    shutil.rmtree(folder.path, ignore_errors=True)
    found = {path.stem: evaluator.read_results(path)[0] for path in sorted(results.glob("*.json"))}
    if found:
        evaluator.read_results(*sorted(results.glob("*.json"))).frame().to_csv(
            given.output / "scores.csv", index=False
        )
        (given.output / "README.md").write_text(page(found, listed), encoding="utf-8")
        site = ["report", str(results), "--site", str(given.output / "site"), "--title", "Published vectors"]
        subprocess.run([_EVALUATOR, *site], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    print(*failed, sep="\n", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
