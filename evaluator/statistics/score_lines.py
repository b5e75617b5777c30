"""The models of a file of score lines compared, from what the lines hold alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from evaluator.results.score_lines import BatchFile, ScoredLine, names_of
from evaluator.results.scores import Scores, with_common_words
from evaluator.statistics.comparison import ModelsOnTest, compare_models

MOST_COMPARED = 100
"""So many models of a file are compared on a test set: the number of pairs is half their square."""


def compared(file: BatchFile) -> BatchFile:
    """The models of a file of score lines compared on each test set, from what the lines hold alone.

    They are the differences and rankings that `evaluator.score` gives of the same models in one run. Where
    more than 100 models were scored on a test set, or not all of them on the same words, the notes say so,
    and what to do.
    """
    first = [line for line in file.lines if not line.again and line.scores is not None]
    names, notes, cells = names_of(first), list[str](), list[ModelsOnTest]()
    for test in dict.fromkeys(line.test for line in first):
        lines = [line for line in first if line.test == test]
        again = [line for line in file.lines if line.again and line.test == test]
        chosen, same = _comparable(lines, again, is_skip=file.settings.oov == "skip")
        number, name = len(lines), PurePosixPath(test or "").name
        if len(chosen) < number:
            notes.append(
                f"{name}: {number - len(chosen):,} of {number:,} models were not compared, as they were not "
                "asked the same words as the others: name all of them in one command with the same --output"
            )
        if len(chosen) > MOST_COMPARED:
            notes.append(
                f"{name}: {len(chosen):,} models were not compared with each other, as they are more than "
                f"{MOST_COMPARED}: score the best of them with another --output"
            )
            continue
        own, again_here = _named(chosen, names), None if same is None else _named(same, names)
        if again_here is not None:
            own = list(map(with_common_words, own, again_here))
        cells.append((own, again_here))
    languages = len({each.language for own, _ in cells for each in own})
    common = {(each.model, each.test_set): each for _, same in cells for each in same or ()}
    shown = ((own, common.get((own.model, own.test_set))) for own in file.results)
    results = tuple(with_common_words(own, same.record()) if same else own for own, same in shown)
    file = replace(file, results=results)
    return replace(file, **compare_models(cells, languages=languages), notes=tuple(notes))


def _comparable(
    lines: Sequence[ScoredLine], again: Sequence[ScoredLine], *, is_skip: bool
) -> tuple[list[ScoredLine], list[ScoredLine] | None]:
    """The models of a test set that can be compared; and as they were scored again, if they had to be.

    Where some cannot be compared with others, these are the ones that are like the last.
    """

    def content(line: ScoredLine) -> tuple[str, str]:
        scores = line.scores
        return (scores.model_sha256, scores.test_sha256) if scores else ("", "")

    last = lines[-1]
    alike = [each for each in lines if content(each)[1] == content(last)[1]]
    if is_skip:  # without a digest of models, each was asked its own words
        common = [each for each in alike if each.models_sha256 == last.models_sha256]
        return common if last.models_sha256 else [last], None
    if len({each.vocabulary for each in alike} - {""}) < 2:
        return alike, None
    current = {each.vectors: content(each) for each in alike}
    valid = [each for each in again if current.get(each.vectors) == content(each)]
    same = {each.vectors: each for each in valid if each.models_sha256 == valid[-1].models_sha256}
    chosen = [each for each in alike if each.vectors in same]
    return chosen, [same[each.vectors] for each in chosen]


def _named(lines: Iterable[ScoredLine], names: Mapping[str, str]) -> list[Scores]:
    found = ((line.comparable, names[line.vectors]) for line in lines)
    return [replace(scores, model=name) for scores, name in found if scores is not None]
