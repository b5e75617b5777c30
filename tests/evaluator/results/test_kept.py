"""The sentence that says which model to keep: it names the model, or what is missing and what to do next."""

from __future__ import annotations

import msgspec
import pytest

from evaluator.results.kept import Kept
from evaluator.results.scores import Scores, ScoresFile, contenders_of
from tests.evaluator.results.samples import measured, scored

BOTH = ("Topk@3", "OddOneOut@3")


def kept(kind, **more):
    return Kept(test_set="t.json", language="la", kind=kind, measures=BOTH, **more)


def none(*lacking, known=50, words=60, few=False):
    """No model is a contender; each lacks something by each measure."""
    of_models = {f"m{number}": {"Topk@3": own} for number, own in enumerate(lacking)}
    return kept("none", lacking=of_models, known_words=known, words=words, few=few)


def test_one_model_is_named():
    best = kept("best", models=("b",), contenders=("b", "a", "c"), by=(("Topk@3",),))
    assert best.best == "b"
    assert str(best) == "Keep b: it is better than a and c, by Topk@3, and worse by none."
    mixed = kept("best", models=("b",), contenders=("b", "a", "c"), by=(("Topk@3",), ("OddOneOut@3",)))
    assert str(mixed) == "Keep b: it is better than a and c, by Topk@3 or OddOneOut@3, and worse by none."
    lacking = {"a": {"Topk@3": ("chance",)}}
    every = ("chance", "frequency", "spelling")
    above = dict.fromkeys(BOTH, every)
    only = kept("only", models=("b",), contenders=("b",), lacking=lacking, by=(BOTH,), above=above)
    assert only.best == "b"
    assert str(only) == (
        "Keep b: the only one of 2 models that is shown to be above chance, frequency and spelling by Topk@3 "
        "and OddOneOut@3."
    )


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ({"OddOneOut@3": ("chance",)}, "above chance by OddOneOut@3"),
        ({"OddOneOut@3": ("chance", "frequency")}, "above chance and frequency by OddOneOut@3"),
        (
            {"Topk@3": ("chance", "frequency"), "Analogy@1": ("chance",)},
            "above chance and frequency by Topk@3, and above chance by Analogy@1",
        ),
    ],
)
def test_no_baseline_is_named_that_was_not_tested(above, said):
    alone = kept("only", models=("b",), contenders=("b",), by=(tuple(above),), above=above)
    assert str(alone) == f"Keep b: it is shown to be {said}."
    unsaid = msgspec.structs.replace(alone, above={})  # of a file that does not say it
    assert "shown to be above chance and all baselines that there are by " in str(unsaid)


def test_none_is_named_where_none_is_better():
    equal = kept("equal", models=("a", "b"), contenders=("a", "b", "c"))
    assert equal.best is None
    said = (
        "Keep either: a and b cannot be told apart by Topk@3 or OddOneOut@3, with the tests of all measures "
        "corrected together"
    )
    assert str(equal) == f"{said}; or average them: `evaluator average`."
    assert str(msgspec.structs.replace(equal, language="mul")) == f"{said}."  # several files each
    assert str(msgspec.structs.replace(equal, trainable=False)) == f"{said}."
    copies = f"{said}. a and b are copies of one model."  # the mean of which is the same
    assert str(msgspec.structs.replace(equal, same=(("a", "b"),))) == copies
    assert "average them" in str(msgspec.structs.replace(equal, same=(("a", "c"),)))
    alone = msgspec.structs.replace(equal, chosen_by=("Topk@3",))
    assert str(alone).startswith("Keep either: a and b cannot be told apart by Topk@3; or average them")
    clash = kept("disagree", models=("a", "b"), by=(("Topk@3",), ("OddOneOut@3",)), contenders=("a", "b"))
    assert clash.best is None
    said = "The measures disagree: a is better by Topk@3, b is better by OddOneOut@3."
    assert str(clash).startswith(said)


@pytest.mark.parametrize(
    ("found", "missing", "advice"),
    [
        (none(("chance", "frequency"), ("chance",)), "chance", "more epochs"),
        (none(("chance", "frequency", "spelling"), ("frequency",)), "frequency", "out=matched"),
        (none(("frequency", "spelling"), ("spelling",)), "spelling", "word2vec"),
        (none(("frequency", "spelling")), "frequency or spelling", "out=matched"),
        (none(("chance",), known=3), "chance", "Only 3 of 60 test words are known"),
        (none(("chance",), few=True), "chance", "take a larger test set (see `evaluator plan`)"),
        (none(("frequency",), ("spelling",)), "both frequency and spelling", "out=matched"),
    ],
)
def test_where_none_can_be_kept_it_is_said_what_is_missing_and_what_to_do(found, missing, advice):
    assert found.best is None
    said = str(found)
    begin = "Do not keep this model by these tests: it is not" if found.number == 1 else "Keep none by this: "
    assert said.startswith(begin)
    assert f" shown to be above {missing} by " in said
    assert advice in said


def test_each_measure_is_named_with_what_no_model_is_above_by_it():
    lacking = {"Topk@3": ("spelling",), "OddOneOut@3": ("spelling",), "Analogy@1": ("chance",)}
    found = kept("none", lacking={"a": lacking}, known_words=60, words=60)
    said = "it is not shown to be above spelling by Topk@3 or OddOneOut@3, or above chance by Analogy@1."
    assert f": {said} " in str(found)


def test_advice_is_only_what_the_measures_allow():
    lacking = {"a": {"Similarity": ("frequency",)}}
    rated = kept("none", lacking=lacking, known_words=60, words=60)
    pairs = msgspec.structs.replace(rated, measures=("Similarity",))
    assert "out=matched" not in str(pairs)
    assert str(pairs).endswith("Train for more epochs, or on more text.")
    asked = msgspec.structs.replace(rated, measures=("OddOneOut(out=matched)@3",))
    assert "score by" not in str(asked)
    few = {"few": True, "why_few": "too few sections (2 of the 3 that are needed)"}
    sections = msgspec.structs.replace(rated, measures=("Analogy@1",), **few)
    assert str(sections).endswith(
        "There are too few sections (2 of the 3 that are needed): take a larger test set (see `evaluator "
        "plan`), or score with `--oov wrong`."
    )
    words = msgspec.structs.replace(rated, measures=("KeywordRank",), few=True)
    assert "--oov" not in str(words)  # which asks known words in any case


def test_built_words_are_told_of_where_there_are_some():
    few = none(("chance",), known=3)
    assert "subwords" not in str(few)
    assert "(12 others are built from subwords" in str(msgspec.structs.replace(few, built_words=12))


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("only", {}),
        ("best", {"models": ("a", "b")}),
        ("none", {"models": ("a",)}),
        ("equal", {"models": ("a",)}),
        ("disagree", {"models": ("a", "b")}),
        ("none", {"by": (BOTH,)}),
        ("only", {"models": ("a",), "by": (BOTH, BOTH)}),
    ],
)
def test_an_answer_that_cannot_be_is_refused(kind, more):
    with pytest.raises(ValueError, match="cannot be the answer"):
        kept(kind, **more)


def test_a_sentence_is_complete_whatever_is_not_known():
    for kind, models in (("none", ()), ("only", ("a",)), ("equal", ("a", "b"))):
        assert str(Kept(test_set="", language="", kind=kind, models=models)).endswith(".")


def results(*contents):
    return [msgspec.convert(each, Scores) for each in contents]


def test_contenders_are_above_all_baselines_by_one_measure():
    low = measured() | {"low": 0.1}
    spelled = measured() | {"spelling": 0.3}
    models = results(
        scored("both", [measured(), measured("OddOneOut@3")]),
        scored("low", [low]),
        scored("letters", [spelled], known_words=11),
    )
    found = contenders_of(models)
    assert (found.kind, found.models, found.contenders) == ("only", ("both",), ("both",))
    assert found.above == dict.fromkeys(BOTH, ("chance", "frequency"))
    assert found.lacking == {"low": {"Topk@3": ("chance",)}, "letters": {"Topk@3": ("spelling",)}}
    assert (found.measures, found.by) == (BOTH, (BOTH,))
    assert (found.known_words, found.words, found.few) == (11, 12, False)
    assert contenders_of(models[1:]).kind == "none"
    of_one = contenders_of(results(scored("one", [measured(), low | {"measure": "OddOneOut@3"}])))
    assert of_one.by == (("Topk@3",),)
    assert models[0].best == models[0].kept.best == "both"
    assert models[1].best is None


def test_a_baseline_is_no_model():
    low = measured() | {"low": 0.1, "baseline": 0.1}
    level = scored("frequency baseline of a", [low])
    found = contenders_of(results(scored("a"), level))
    assert (found.number, found.lacking) == (1, {})
    assert str(found) == "Keep a: it is shown to be above chance and frequency by Topk@3."
    none = contenders_of(results(scored("a", [low]), level, scored("b", [low])))
    assert str(none).startswith("Keep none by this: none of the 2 models is shown to be above chance")
    assert contenders_of(results(level)).number == 1  # if it is all that there is


def test_copies_of_one_model_are_named():
    names = ("a", "copy", "other", "made")
    digests = ("0" * 64, "0" * 64, "1" * 64, "")
    pairs = zip(names, digests, strict=True)
    models = results(*(scored(name, model_sha256=digest) for name, digest in pairs))
    found = contenders_of(models)
    assert found.same == (("a", "copy"),)
    assert str(found).endswith(" a and copy are copies of one model.")
    assert contenders_of(models[1:]).same == ()
    baseline = scored("frequency baseline of a", [measured(value=0.1)], model_sha256="0" * 64)
    assert contenders_of(results(scored("a", model_sha256="0" * 64), baseline)).same == ()


def test_of_several_test_sets_none_is_the_best_unless_all_languages_say_so():
    a, b = results(scored("a"), scored("b", test_set="de.json", language="de"))
    one, other = a.kept, b.kept
    assert ScoresFile(results=(a,), kept=(one,)).best == "a"
    two = ScoresFile(results=(a, b), kept=(one, other))
    assert two.best is None
    assert [line.partition(": Keep ")[0] for line in two.closing] == ["la, la.json", "de, de.json"]
    all_ = Kept(test_set="all languages", language="mul", kind="only", models=("b",), contenders=("b",))
    over = ScoresFile(results=(a, b), totals=(b,), kept=(one, other, all_))
    assert over.best == "b"
    assert over.closing[-1].startswith("all languages: Keep b")
    assert repr(over).splitlines()[-3:] == over.closing
