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
    only = kept("only", models=("b",), contenders=("b",), lacking=lacking, by=(BOTH,))
    assert only.best == "b"
    assert str(only) == (
        "Keep b: the only one of 2 models that is shown to be above all baselines, by Topk@3 and OddOneOut@3."
    )
    alone = kept("only", models=("b",), contenders=("b",), by=(("OddOneOut@3",),))
    assert str(alone) == "Keep b: it is shown to be above all baselines, by OddOneOut@3."


def test_none_is_named_where_none_is_better():
    equal = kept("equal", models=("a", "b"), contenders=("a", "b", "c"))
    assert equal.best is None
    said = "Keep either: a and b cannot be told apart by Topk@3 or OddOneOut@3"
    assert str(equal) == f"{said}; or average them: `evaluator average`."
    assert str(msgspec.structs.replace(equal, language="mul")) == f"{said}."  # several files each
    assert str(msgspec.structs.replace(equal, trainable=False)) == f"{said}."
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
        (none(("chance",), few=True), "chance", "`evaluator plan` says how many"),
    ],
)
def test_where_none_can_be_kept_it_is_said_what_is_missing_and_what_to_do(found, missing, advice):
    assert found.best is None
    said = str(found)
    begin = "Do not keep this model by these tests: it is not" if found.number == 1 else "Keep none by this: "
    assert said.startswith(begin)
    assert f" shown to be above {missing} by " in said
    assert advice in said


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
    assert found.lacking == {"low": {"Topk@3": ("chance",)}, "letters": {"Topk@3": ("spelling",)}}
    assert (found.measures, found.by) == (BOTH, (BOTH,))
    assert (found.known_words, found.words, found.few) == (11, 12, False)
    assert contenders_of(models[1:]).kind == "none"
    of_one = contenders_of(results(scored("one", [measured(), low | {"measure": "OddOneOut@3"}])))
    assert of_one.by == (("Topk@3",),)
    assert models[0].best == models[0].kept.best == "both"
    assert models[1].best is None


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
