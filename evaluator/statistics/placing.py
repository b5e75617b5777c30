"""A model placed among others of which only a result file is there, from what the file holds alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evaluator.datasets.columns import language_name
from evaluator.engine.vocabulary_lookup import BASELINE_OF
from evaluator.errors import ResultsError
from evaluator.results.comparable import ComparisonKey
from evaluator.results.score import Score
from evaluator.results.scores import Scores, ScoresFile

_Pair = tuple[Scores, Score]


def refuse_others(keys: Sequence[ComparisonKey], others: ScoresFile, file: str) -> None:
    """Refuse, before any work, a file in which no score may be compared with what will be scored.

    Args:
        keys: Of the scores that will ask all words, as far as they are known.
        others: What the file holds.
        file: What messages call it.

    Raises:
        ResultsError: No score will ask all words, or the file has none of the same language, measure, test
            set, options and version.
    """
    there = [(each, score) for each in others for score in each.measured]
    pairs = [
        (key, other, each.model)
        for key in keys
        for each, score in there
        if (each.language, score.measure) == (key.language, key.measure)
        for other in [ComparisonKey.of(each, score)]
    ]
    if any(key.may_equal(other) for key, other, _ in pairs):
        return
    if not keys:
        why = (
            "scores by the words that a model knows are not compared with those of other runs; name a "
            "measure that asks all words, such as Topk@3, without --oov skip"
        )
    elif pairs:
        key, other, model = pairs[0]
        why = (
            f"{model}: its {key.measure} cannot be compared with yours: {_difference(key, other)}; score "
            "with the same test set, options and version"
        )
    elif {each.language for each, _ in there} & {key.language for key in keys}:
        has = dict.fromkeys(score.measure for _, score in there if score.words == "all")
        asked = dict.fromkeys(key.measure for key in keys)
        why = f"has scores by {', '.join(has)}, and not by {', '.join(asked)}"
    else:
        languages = _languages(each for each, _ in there)
        why = f"has scores of {languages} vectors, and not of {_languages(keys)} ones"
    raise ResultsError(f"{file}: {why}")


def placed(own: Scores, others: ScoresFile, file: str) -> Iterator[str]:
    """Of how many other models the scores of one are above, a sentence for each measure that asks all words.

    It is shown to be above another one where their 95% intervals do not meet: a test of the difference would
    say so, too, however the scores depend on each other. Of one with more words nothing is shown, since fewer
    candidates make neighbours easier. Where nothing is said, or others are left out, a sentence says why.
    Baselines are no models.
    """
    if own.model.startswith(BASELINE_OF):
        return
    of_language = [
        each for each in others if each.language == own.language and not each.model.startswith(BASELINE_OF)
    ]
    there = {each.model for each in of_language if each.test_sha256 == own.test_sha256}
    # Scores of these models on further test sets are not looked at.
    of_language = [
        each for each in of_language if each.test_sha256 == own.test_sha256 or each.model not in there
    ]
    same = [_is_same(each, own) for each in of_language]
    rivals = [each for each, left_out in zip(of_language, same, strict=True) if not left_out]
    if any(same):
        left_out = ", ".join(each.model for each, is_same in zip(of_language, same, strict=True) if is_same)
        yield f"{file}: without {left_out}, as {own.model} is of the same vectors."
    if not rivals:
        vectors = f"other {language_name(own.language)} vectors"
        yield f"{file}: has no scores of {vectors}; nothing is said of {own.model}."
        return
    yield from _beside(own, rivals, file)


def _beside(own: Scores, rivals: Sequence[Scores], file: str) -> Iterator[str]:
    found = [score for score in own.measured if score.words == "all"]
    apart, number = dict[str, list[str]](), 0
    for score in found:
        key, able = ComparisonKey.of(own, score), list[_Pair]()
        for each in rivals:
            rival = each.get(score.measure)
            other = None if rival is None else ComparisonKey.of(each, rival)
            if rival is not None and other == key:
                able.append((each, rival))
            elif other is not None:
                apart.setdefault(f"{score.measure}: {_difference(key, other)}", []).append(each.model)
        if able:
            yield _line(own, score, able, f"{language_name(own.language)} vectors of {file}")
            number += 1
    for difference, models in apart.items():
        yield f"{file}: {own.model} is not compared with {', '.join(models)} by {difference}."
    if not number and not apart:
        asked = ", ".join(score.measure for score in found)
        why = f"others have no scores by {asked}" if asked else "it has no scores by all words"
        yield f"{file}: nothing is said of {own.model}, as {why}."


def _line(own: Scores, score: Score, rivals: Sequence[_Pair], which: str) -> str:
    above = [(each, rival) for each, rival in rivals if score.value > rival.value]
    larger = [each.model for each, _ in above if (each.vocabulary or 0) > (own.vocabulary or 0)]
    shown = sum(_is_shown(score, rival) for each, rival in above if each.model not in larger)
    line = f"{score.measure}: {own.model} is above {len(above)} of {len(rivals)} {which}"
    line += f" (shown to be above: {shown})."
    if larger:
        which = f"which{'' if own.vocabulary else ' may'} have more words"
        line += f" Nothing is shown of {', '.join(larger)}, {which}: score both together."
    return line


def _is_same(each: Scores, own: Scores) -> bool:
    """Whether scores are of the same vectors: of a file of both, or the same in all that they say."""
    if own.model_sha256 and each.model_sha256 == own.model_sha256:
        return True
    one, two = ({file.sha256 for file in of.inputs if file.role == "vectors"} for of in (each, own))
    if one & two:
        return True
    common = [(score, other) for score in own.measured if score.value and (other := each.get(score.measure))]
    sizes = (each.vocabulary, each.dimension) == (own.vocabulary, own.dimension)
    return sizes and bool(common) and all(map(_are_equal, *zip(*common, strict=True)))


def _are_equal(one: Score, other: Score) -> bool:
    """Whether two scores are the same, in all categories."""
    return (one.value, *(part.value for part in one.subscores)) == (
        other.value,
        *(part.value for part in other.subscores),
    )


def _languages(several: Iterable[Scores | ComparisonKey]) -> str:
    return " and ".join(dict.fromkeys(language_name(each.language) for each in several))


def _difference(own: ComparisonKey, other: ComparisonKey) -> str:
    here, there = ("|".join(each) or "nothing more" for each in own.apart(other))
    return f"{there} there, {here} here"


def _is_shown(score: Score, rival: Score) -> bool:
    """Whether the intervals do not meet: those for other categories, if both have them."""
    if score.categories_low is not None and rival.categories_high is not None:
        return score.categories_low > rival.categories_high
    return score.low is not None and rival.high is not None and score.low > rival.high
