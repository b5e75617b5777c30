"""Models that know nothing are never the ones to keep; `python -m tools.keep_worlds` has more worlds."""

from __future__ import annotations

from collections import Counter

import pytest

import evaluator
from tools.keep_worlds import __main__ as bench
from tools.keep_worlds.commands import COMMANDS, Bench, answer_of, by_compare, by_output, by_score
from tools.keep_worlds.companies import COMPANIES, of_difference
from tools.keep_worlds.worlds import World

_FEW = tuple(each for each in COMPANIES if each.variant == "random n-grams" or each.name == "A better than B")


def test_the_answer_is_right_in_a_world_of_few_words():
    found = bench.answers(7, _FEW, {"score": by_score}, others=300)
    assert {answer for *_, answer in found} == {"right"}
    assert len(found) == len(_FEW) == 2


@pytest.mark.slow
def test_what_is_computed_once_answers_as_the_commands_do():
    world = World(11, others=200)
    company = of_difference(0.7)[1]  # A, B, and random n-grams
    models = [world.vectors(each) for each in company.models]
    best = evaluator.score(models, world.test_set).best
    assert best == "A"
    codes = dict(zip(("xa", "xb", "xc"), models, strict=True))
    of = [evaluator.Language(code, each, world.in_language(code)) for code, each in codes.items()]
    differ = [each for each in evaluator.compare(of).differences if each.reading == "differ"]
    pairs = {(each.second, each.first) if each.value > 0 else (each.first, each.second) for each in differ}
    named = {(codes[better].name, codes[other].name) for better, other in pairs}
    shared = Bench(world)
    for _ in range(2):  # what is remembered is the same
        assert shared.score(company).best == best
        assert {*shared.compare(company.models)} == named
        assert by_score(shared, company) == "right"
    assert {by_compare(Bench(world), company), by_compare(shared, company)} <= {"right", "none named"}


@pytest.mark.slow
@pytest.mark.parametrize("name", dict.fromkeys(each.name for each in COMPANIES))
def test_no_command_names_a_model_that_knows_nothing(name):
    own = [each for each in COMPANIES if each.name == name]
    found = Counter(
        (command, answer)
        for number in range(1000, 1005)
        for *_, command, answer in bench.answers(number, own)
    )
    for command in {*COMMANDS} - {"score, by the rule of 0.3.0"}:
        assert found[command, "knows nothing"] == 0
    assert found["score", "right"] >= 0.6 * 5 * len(own)


def test_an_output_file_is_compared_company_by_company():
    company = of_difference(0.7)[0]
    shared = Bench(World(11, others=200))
    shared.lines(company.models)
    assert by_output(shared, company) == "right"


@pytest.mark.parametrize(
    ("named", "right", "answer"),
    [
        ([], [], "right"),
        ([], ["A"], "none named"),
        (["A"], ["A"], "right"),
        (["B"], ["A"], "another"),
        (["A", "tiny"], ["A"], "knows nothing"),
        (["A"], [], "another"),
    ],
)
def test_an_answer_is_judged_by_what_the_models_know(named, right, answer):
    assert answer_of(named, right) == answer


def test_a_run_is_resumed_and_counted(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        bench, "answers", lambda number: asked.append(number) or [("c", "v", "score", "right")]
    )
    monkeypatch.setattr(bench, "ProcessPoolExecutor", _Here)
    path = tmp_path / "worlds.jsonl"
    bench.run(path, range(2), 1, power=False)
    bench.run(path, range(3), 1, power=False)
    assert asked == [0, 1, 2]
    assert bench.counted(path, range(1, 3), variants=True) == {("c", "v", "score"): {"right": 2}}


class _Here:
    """An executor that runs in this process."""

    def __init__(self, workers):
        assert workers == 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    map = staticmethod(map)
