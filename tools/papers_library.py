"""Score the demo with the papers' library and with this program, as docs/from-gensim-evaluations.md shows it.

`python tools/papers_library.py VECTORS FOLDER` prints the table, where VECTORS are in word2vec's text format
and the category files are written to FOLDER. It needs gensim-evaluations 0.1.2, which `dev` installs.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gensim.models import KeyedVectors

import evaluator
import testgen

COLUMNS = ("category file", "measure", "gensim-evaluations", "`--preset gensim-evaluations`", "by default")
PRESETS = (evaluator.GENSIM_EVALUATIONS, evaluator.Settings())


def their_topk(path: str | Path, model: KeyedVectors, k: int = 3) -> float:
    """The score of the papers' library."""
    from gensim_evaluations import methods

    with contextlib.redirect_stdout(io.StringIO()):
        return float(methods.Topk(str(path), model, k=k, allow_oov=True)[0])


def their_odd_one_out(path: str | Path, model: KeyedVectors, k: int = 3, samples: int = 1000) -> float:
    """The same of OddOneOut, which raises a TypeError as released: the comma that is missing is put in."""
    from gensim_evaluations import methods

    source = inspect.getsource(methods.OddOneOut)
    mended: dict[str, Any] = dict(vars(methods))
    exec(source.replace("in_words + (odd_one_out)", "in_words + (odd_one_out,)"), mended)  # noqa: S102
    with contextlib.redirect_stdout(io.StringIO()):
        return float(mended["OddOneOut"](str(path), model, k, sample_size=samples, allow_oov=True)[0])


def our_score(path: str | Path, vectors: evaluator.Vectors, text: str, settings: evaluator.Settings) -> str:
    """Our score, or that there is none."""
    try:
        scores = evaluator.score(vectors, evaluator.read_testset(path), text, settings)
    except evaluator.ScoreError:
        return "no score: no word is known"
    return f"{scores[text].value:.4f}"


def rows(vectors: str | Path, paths: list[Path]) -> Iterator[tuple[str, ...]]:
    """A row for each category file and measure."""
    theirs, ours = KeyedVectors.load_word2vec_format(str(vectors)), evaluator.load_vectors(vectors)
    for path in paths:
        found = {
            "Topk@3": f"{their_topk(path, theirs):.4f}",
            "OddOneOut@3": f"{their_odd_one_out(path, theirs):.4f}",
        }
        for text, value in found.items():
            yield path.name, f"`{text}`", value, *(our_score(path, ours, text, each) for each in PRESETS)


def category_files(folder: Path) -> list[Path]:
    """The English test set as category files: as it is, in lower case as theirs, and with a small one."""
    texts = {}
    kept = testgen.LabelPolicy(minimum_words=10)
    for name, policy in {"names": kept, "lower": replace(kept, case="lower")}.items():
        (found,) = testgen.build_test_sets(testgen.TestSetRequest(["en"], policy=policy))
        words = {each.name: [word for item in each.items for word in item.words] for each in found.categories}
        texts[name] = "".join(f":{category}\n{' '.join(words[category])}\n" for category in words)
    texts["two"] = f"{texts['lower']}:direction\nnorth south\n"
    paths = {name: folder / f"{name}.txt" for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text, encoding="utf-8")
    return [*paths.values()]


def main() -> None:
    """Print the table."""
    vectors, folder = map(Path, sys.argv[1:])
    for row in (COLUMNS, *rows(vectors, category_files(folder))):
        print(f"| {' | '.join(row)} |")
        if row is COLUMNS:
            print("|---" * len(COLUMNS) + "|")


if __name__ == "__main__":
    main()
