"""`evaluator translate`: two sets of vectors scored on a bilingual dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from evaluator.plugins import (
    COMPUTED,
    SCORED,
    Progress,
    argument,
    check_there,
    kind_of,
    option,
    options,
    read_tests,
    show,
)

if TYPE_CHECKING:
    from evaluator.plugins import TestSet


def translate(
    vectors: Annotated[str, argument("SOURCE", "The vectors of the words: a path, or a URL.")],
    target: Annotated[str, argument("TARGET", "The vectors of the language to translate into.")],
    *,
    dictionary: Annotated[
        str,
        option(
            SCORED,
            "A dictionary that `testgen dictionary` wrote, or two columns of words, as MUSE has them.",
            *("--dictionary", "-d"),
            metavar="FILE",
        ),
    ],
    language: options.Language = "und",
    measure: options.Measures = None,
    align: Annotated[
        Literal["none", "procrustes"],
        option(
            COMPUTED,
            "none for vectors in one space; procrustes turns the source into the space of the target.",
        ),
    ] = "none",
    train: Annotated[
        str | None,
        option(
            COMPUTED,
            "Another dictionary to align by. By default, the items for training of the first one.",
            metavar="FILE",
        ),
    ] = None,
    words: options.VocabularyOptions,
    oov: options.Oov = "wrong",
    results: options.ResultOptions,
) -> None:
    """Score how well words are translated by the nearest words of another language.

    For example: evaluator translate la.vec te.vec --dictionary la-te.json --align procrustes
    """
    from evaluator.plugins import Machine, Settings
    from evaluator.plugins.translation.result import TranslationFile
    from evaluator.plugins.translation.study import translate as score

    def read(path: str) -> TestSet:
        # What is not JSON has two columns of words, whatever its name is and stands between them.
        is_json = path.endswith((".json", ".json.gz"))
        form = "muse" if not is_json and kind_of(Path(path)) in (None, "a text") else "auto"
        return read_tests([path], language, form, any_use=True)[0]

    asked = read(dictionary)
    learnt = None if train is None else read(train)
    check_there([vectors, target])
    reading = options.FileOptions()
    files = reading.files([vectors, target])
    with Progress("translating") as progress:
        found = score(
            reading.load(files[0]),
            reading.load(files[1]),
            asked,
            measure,
            Settings(**vars(words), oov=oov),
            align=align,
            train=learnt,
            machine=Machine(progress=progress),
        )
    show(results, TranslationFile(results=(found.record(),), kept=(found.kept,)))
