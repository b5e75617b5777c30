"""A model placed among others of which only a result file is there, from what the file holds alone."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.datasets.columns import language_name
from evaluator.errors import ResultsError
from evaluator.results.comparable import ComparisonKey
from evaluator.results.score import Score
from evaluator.results.scores import Scores, ScoresFile


def placed(own: Scores, others: ScoresFile, file: str) -> Iterator[str]:
    """Of how many other models the scores of one are above, a sentence for each measure that asks all words.

    It is shown to be above another one where their 95% intervals do not meet: a test of the difference would
    say so, too, however the scores depend on each other. Of one with more words nothing is shown, since fewer
    candidates make neighbours easier.

    Raises:
        ResultsError: The file has scores of the same measure and language that may not be compared.
    """
    language, rivals = language_name(own.language), [each for each in others if _is_other(each, own)]
    if not rivals:
        yield f"{file}: has no scores of other {language} vectors; nothing is said of {own.model}."
    for score in own.measured:
        found = [(each, rival) for each in rivals if (rival := each.get(score.measure)) is not None]
        if score.words != "all" or not found:
            continue
        for each, rival in found:
            _refuse(ComparisonKey.of(own, score), ComparisonKey.of(each, rival), f"{file}: {each.model}")
        above = [(each, rival) for each, rival in found if score.value > rival.value]
        larger = [each for each, _ in above if (each.vocabulary or 0) > (own.vocabulary or 0)]
        shown = sum(_is_shown(score, rival) for each, rival in above if each not in larger)
        line = (
            f"{score.measure}: {own.model} is above {len(above)} of {len(found)} published {language} vectors"
        )
        line += f" (shown to be above: {shown})."
        if larger:
            line += f" {len(larger)} of these have more words; of them, only their vectors could show it."
        yield line


def _is_other(each: Scores, own: Scores) -> bool:
    """Whether a line of the file is of the same language, and not of the same vectors."""
    return each.language == own.language and (not own.model_sha256 or each.model_sha256 != own.model_sha256)


def _refuse(own: ComparisonKey, other: ComparisonKey, where: str) -> None:
    if own == other:
        return
    if own.own_words or other.own_words:
        raise ResultsError(
            f"{where}: with --oov skip, models of different runs were asked other words, and their scores "
            "are not compared; leave it out"
        )
    here, there = ("|".join(each) or "nothing more" for each in own.apart(other))
    raise ResultsError(
        f"{where}: its {own.measure} cannot be compared with yours: {there} there, {here} here; score with "
        "the same test set, options and version"
    )


def _is_shown(score: Score, rival: Score) -> bool:
    """Whether the intervals do not meet: those for other categories, if both have them."""
    if score.categories_low is not None and rival.categories_high is not None:
        return score.categories_low > rival.categories_high
    return score.low is not None and rival.high is not None and score.low > rival.high
