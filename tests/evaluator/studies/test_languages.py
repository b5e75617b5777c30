"""Comparing languages: which items are compared, in which vocabularies, and what can be said of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest
from msgspec import structs
from scipy import stats

from evaluator import Language, Score, Scores, Settings, compare, score
from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.errors import ScoreError, TestSetError
from evaluator.execution.machine import Machine
from evaluator.results.base import to_json
from evaluator.results.files import Results, parse_results
from evaluator.results.scores import COLUMNS, ModelFailure
from evaluator.statistics.inference import holm
from evaluator.statistics.scores import combined
from evaluator.studies.languages.alignment import align, aligned_vocabulary, known_words
from evaluator.studies.languages.inputs import choose_groups, normalized_language
from evaluator.vectors import Vectors
from evaluator.vectors.reading import VectorsFile
from tests.evaluator import definitions


def category(name, items, topic=None):
    """Items as a mapping from id to words."""
    return Category(name, name, tuple(Item(key, tuple(words.split())) for key, words in items.items()), topic)


def language(code, words, *categories, matrix=None, seed=0, **settings):
    words = words.split() if isinstance(words, str) else words
    if matrix is None:
        matrix = np.random.default_rng([seed, *code.encode()]).normal(size=(len(words), 3))
    vectors = Vectors(words, np.asarray(matrix, dtype=np.float32), f"{code}.vec")
    test_set = TestSet(code, f"{code}.json", "0" * 64, categories)
    return Language(code, vectors, test_set, Settings(**{"case": "exact", **settings}))


def world(code, size=60, items=12, seed=0, strength=1.5, topic=None, every=3):
    """A vocabulary of which every few words are a category of things with the same ids in all languages."""
    words = [f"{code}{row}" for row in range(size)]
    matrix = np.random.default_rng([seed, *code.encode()]).normal(size=(size, 4))
    rows = range(0, every * items, every)
    matrix[rows] += strength
    named = {f"Q{number}": words[row] for number, row in enumerate(rows, 1)}
    return language(code, words, category("c", named, topic), matrix=matrix)


def compared(*languages):
    names = [category.name for each in languages for category in each.test_set.categories]
    return [normalized_language(each, names) for each in languages]


def aligned(languages, least=1, name="c", cut=None):
    return align([known_words(each) for each in compared(*languages)], name, least, cut)


def found_words(languages):
    """Ids of the aligned items, and the words of each language."""
    concepts = aligned(languages)
    return concepts.items, concepts.words


# Which things


def test_items_are_those_that_all_name_and_know():
    la = language("la", "a b c d x", category("c", {"Q1": "a", "Q2": "b", "Q3": "c", "Q4": "d", "Q5": "nix"}))
    grc = language(
        "grc", "A B C y z", category("c", {"Q3": "C", "Q1": "A", "Q2": "NIX", "Q5": "B", "Q9": "y"})
    )
    concepts = aligned([la, grc])
    assert concepts.named == 4
    assert concepts.items == ("Q1", "Q3")
    assert concepts.words == {"la": ("a", "c"), "grc": ("A", "C")}


def test_the_first_word_that_is_known_stands_for_an_item():
    la = language("la", "x b a", category("c", {"Q1": "nix a b"}))
    grc = language("grc", "y z", category("c", {"Q1": "z y"}))
    assert found_words([la, grc])[1] == {"la": ("a",), "grc": ("z",)}


def test_a_word_of_two_items_stands_for_neither():
    items = {"Q1": "Rex", "Q2": "rex dux", "Q3": "urbs"}
    la = language("la", "rex dux urbs x", category("c", items), case="fold")
    grc = language("grc", "a b c d", category("c", {"Q1": "a", "Q2": "b", "Q3": "c"}), case="fold")
    assert found_words([la, grc]) == (("Q2", "Q3"), {"la": ("dux", "urbs"), "grc": ("b", "c")})


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({}, ()), ({"case": "fold"}, ("Q1",)), ({"profile": "latin+fold"}, ("Q1", "Q2"))],
    ids=["exact", "fold", "profile"],
)
def test_words_are_compared_as_the_settings_say(settings, expected):
    la = language("la", "rex iuno x", category("c", {"Q1": "Rex", "Q2": "Jūnō"}), **settings)
    grc = language("grc", "a b y", category("c", {"Q1": "a", "Q2": "b"}))
    assert found_words([la, grc])[0] == expected


@pytest.mark.parametrize(
    ("multiword", "expected"), [("keep", ()), ("join", ("Q1",)), ("mean", ()), ("drop", ())]
)
def test_words_of_several_words(multiword, expected):
    items = Category("c", "c", (Item("Q1", ("nova roma",)),))
    la = language("la", "nova roma nova_roma", items, multiword=multiword)
    grc = language("grc", "a b", category("c", {"Q1": "a"}))
    assert found_words([la, grc])[0] == expected


def test_words_built_from_subwords_are_not_in_the_vocabulary():
    la = language("la", "a b", category("c", {"Q1": "a", "Q2": "built"}))
    la = replace(la, vectors=replace(la.vectors, subword=lambda word: np.ones(3, dtype=np.float32)))
    grc = language("grc", "a b", category("c", {"Q1": "a", "Q2": "b"}))
    assert found_words([la, grc])[0] == ("Q1",)


# In which vocabularies


def spaces(languages, same_size=True):
    cut = min(len(each.vectors) for each in languages) if same_size else None
    concepts = aligned(languages, cut=cut)
    return [" ".join(aligned_vocabulary(each, concepts, cut).words) for each in compared(*languages)]


def unequal():
    """Latin has two other words of the category, Greek none; Greek has the larger vocabulary."""
    la = language(
        "la", "o a p q alias r other b s", category("c", {"Q1": "a alias", "Q2": "b", "Q3": "other"})
    )
    grc = language("grc", "1 2 A 3 4 5 6 7 B 8 9", category("c", {"Q1": "A", "Q2": "B"}))
    return la, grc


def test_other_words_of_the_category_leave_the_vocabulary():
    assert spaces(unequal(), same_size=False) == ["o a p q r b s", "1 2 A 3 4 5 6 7 B 8 9"]


def test_vocabularies_are_of_one_size():
    """Greek is cut to the nine words of Latin, then loses its rarest words outside the category."""
    assert spaces(unequal()) == ["o a p q r b s", "1 2 A 3 4 5 B"]


def test_what_the_cut_leaves_out_is_not_compared():
    grc = language("grc", "1 2 A 3 4 5 6 7 8 B", category("c", {"Q1": "A", "Q2": "B"}))
    la = unequal()[0]
    assert aligned([la, grc], cut=9).items == ("Q1",)
    assert aligned([la, grc]).items == ("Q1", "Q2")


def test_nothing_is_copied_where_nothing_goes():
    la, grc = (language(code, "a b c d", category("c", {"Q1": "a"})) for code in ("la", "grc"))
    concepts = aligned([la, grc], cut=4)
    for each in compared(la, grc):
        assert np.shares_memory(aligned_vocabulary(each, concepts, 4).matrix, each.vectors.matrix)


# Scores


@dataclass
class Row:
    """A score in the long table, with what it is of."""

    scores: Scores
    score: Score

    def __getattr__(self, name):
        return getattr(self.score, name) if hasattr(self.score, name) else getattr(self.scores, name)


def rows(comparison, view, measure=None, **wanted):
    return [
        Row(scores, score)
        for scores in comparison.results
        for score in scores
        if scores.keys["view"] == view and measure in (None, score.measure)
        if all(
            (scores.keys | {"language": scores.language}).get(key) == value for key, value in wanted.items()
        )
    ]


def row(*args, **wanted):
    (found,) = rows(*args, **wanted)
    return found


def test_the_whole_view_is_what_score_says():
    languages = [
        replace(world("la"), settings=Settings(oov="skip", case="fold", profile="latin")),
        world("grc"),
    ]
    languages[1] = replace(languages[1], settings=Settings(oov="skip", case="fold"))
    found = compare(languages, k=2)
    for each in languages:
        own = score(each.vectors, each.test_set, ["Topk@2", "OddOneOut@2"], each.settings)
        (same,) = [s for s in found.results if s.language == each.code and s.keys["view"] == "whole"]
        assert same.keys == {"view": "whole", "category": "c"}
        assert (same.model, same.test_set, same.vocabulary, same.dimension) == (
            *(own.model, own.test_set),
            *(own.vocabulary, own.dimension),
        )
        got = [structs.replace(one, subscores=()) for one in own.record()]
        assert list(same.scores) == got
        assert got[0].baseline is not None


def by_definition(languages, k, same_vocabulary):
    """Topk and OddOneOut of each language on the same items, step by step from the page on comparisons."""
    size = min(len(each.vectors) for each in languages)
    words = {each.code: list(each.vectors.words)[: size if same_vocabulary else None] for each in languages}
    items = {each.code: {i.id: i.words for i in each.test_set.categories[0].items} for each in languages}
    chosen = {}
    for each in languages:
        own = items[each.code]
        for key, names in own.items():
            others = [word for other, theirs in own.items() if other != key for word in theirs]
            usable = [name for name in names if name in words[each.code] and name not in others]
            if usable:
                chosen[each.code, key] = usable[0]
    keys = [key for key in items[languages[0].code] if all((each.code, key) in chosen for each in languages)]
    lists = {}
    for each in languages:
        own = [chosen[each.code, key] for key in keys]
        of_category = [word for names in items[each.code].values() for word in names]
        lists[each.code] = [word for word in words[each.code] if word in own or word not in of_category]
    shortest = min(map(len, lists.values()))
    scores = {}
    for each in languages:
        own, kept = [chosen[each.code, key] for key in keys], lists[each.code]
        while same_vocabulary and len(kept) > shortest:
            kept.remove([word for word in kept if word not in own][-1])
        matrix = each.vectors.matrix[[each.vectors.index[word] for word in kept]]
        topk = definitions.topk(own, kept, matrix, k)
        odd = definitions.odd_one_out(own, kept, matrix, k)
        scores[each.code] = (len(own), len(kept), topk[0] / topk[1], odd[0] / odd[1])
    return scores


def tangled(seed):
    """Languages whose test sets and vocabularies overlap in part, with aliases and shared words."""
    draw = np.random.default_rng(seed)
    languages = []
    for code, size in (("la", 40), ("grc", 55), ("sa", 47)):
        words = [f"{code}{row}" for row in range(size)]
        items = {}
        for number in range(14):
            if draw.random() < 0.9:
                rows_ = draw.integers(size + 4, size=draw.integers(1, 4))
                items[f"Q{number}"] = " ".join(dict.fromkeys(f"{code}{row}" for row in rows_))
        languages.append(language(code, words, category("c", items), seed=seed))
    return languages


@pytest.mark.parametrize("same_vocabulary", [True, False], ids=["same", "own"])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_the_aligned_view_is_as_defined(seed, same_vocabulary):
    languages = tangled(seed)
    found = compare(languages, k=2, same_vocabulary=same_vocabulary)
    expected = by_definition(languages, 2, same_vocabulary)
    if expected["la"][0] < 4:
        assert rows(found, "aligned") == []
        return
    for code, (n, v, topk, odd) in expected.items():
        got = [row(found, "aligned", language=code, measure=m) for m in ("Topk@2", "OddOneOut@2", "Combined")]
        assert [(each.n, each.vocabulary, each.known) for each in got] == [(n, v, n)] * 3
        assert [each.value for each in got] == pytest.approx([topk, odd, combined(topk, odd)], abs=1e-12)
    if same_vocabulary:
        assert len({each.chance for each in rows(found, "aligned", "Topk@2")}) == 1


def test_enough_of_the_tangled_worlds_are_compared():
    assert sum(by_definition(tangled(seed), 2, True)["la"][0] >= 4 for seed in (1, 2, 3, 4)) >= 2


def test_the_same_language_twice_does_not_differ():
    one = world("la")
    two = replace(one, code="grc")
    found = compare([one, two])
    assert {each.value for each in found.differences} == {0.0}
    assert {each.tested.p for each in found.differences} == {1.0}


def test_differences_are_paired_by_item():
    """Greek has the same vectors, with its items in another order in the file."""
    one = world("la", strength=1)
    (own,) = one.test_set.categories
    turned = replace(one.test_set, categories=(replace(own, items=own.items[::-1]),))
    found = compare([one, replace(one, code="grc", test_set=turned)])
    half = 2.200985 / 12  # the quantile of Student's t with 11 degrees of freedom
    for each in found.differences:
        assert (each.value, each.tested.p, each.observations) == (0.0, 1.0, 12)
        assert (each.tested.low, each.tested.high) == pytest.approx((-half, half))


def smallest_found(found, tests):
    """The difference that a test over this many observations finds in four of five cases."""
    tested = found.tested
    quantiles = stats.t.ppf([1 - 0.05 / tests / 2, 0.8], tested.degrees)
    return tested.error * quantiles.sum()


def test_a_difference_is_that_of_the_aligned_scores():
    strengths = {"la": 2, "grc": 0, "sa": 0.7}  # of words of all frequencies: the rarest is not the odd one
    languages = [world(code, strength=each, every=5) for code, each in strengths.items()]
    found = compare(languages)
    assert len(found.differences) == 6
    for each in found.differences:
        first, second = (
            row(found, "aligned", language=code, measure=each.measure) for code in (each.first, each.second)
        )
        assert each.value == pytest.approx(second.value - first.value)
        tested = each.tested
        assert tested.low < each.value < tested.high
        assert (tested.low <= 0 <= tested.high) == (tested.p >= 0.05)
        assert each.detects == pytest.approx(smallest_found(each, 6))
        assert tested.p <= each.p_holm <= 1
    readings = {(each.measure, each.first, each.second): each.reading for each in found.differences}
    assert readings["OddOneOut@3", "la", "grc"] == "differ"


def test_p_is_corrected_for_all_tests():
    found = compare([world("la", strength=2), world("grc", strength=0), world("sa", strength=1)])
    assert len(found.differences) == 6
    assert [each.p_holm for each in found.differences] == holm([each.tested.p for each in found.differences])


def test_p_is_corrected_for_the_tests_of_all_categories_and_topics():
    found = compare(topical(), topics=["t"])
    assert len(found.differences) == 6
    assert [each.p_holm for each in found.differences] == holm([each.tested.p for each in found.differences])


@pytest.mark.parametrize("items", [3, 4])
def test_fewer_than_four_items_are_not_compared(items):
    found = compare([world("la", items=items), world("grc", items=items)])
    assert bool(found.differences) == (items == 4)
    assert bool(rows(found, "aligned")) == (items == 4)
    why = "3 items that all name and know, 4 needed" if items == 3 else None
    assert [each.skipped for each in found.concepts] == [why]
    assert len(rows(found, "whole", "Topk@3")) == 2


def test_a_larger_k_needs_more_items():
    found = compare([world("la", items=5), world("grc", items=5)], k=5)
    assert {each.skipped for each in found.concepts} == {"5 items that all name and know, 6 needed"}


@pytest.mark.parametrize(
    ("strengths", "reading"), [((0.5, 0.5), "no power"), ((9, 0), "differ")], ids=["small", "large"]
)
def test_five_items_show_only_large_differences(strengths, reading):
    languages = zip(("la", "sa") if reading == "no power" else ("la", "grc"), strengths, strict=True)
    found = compare([world(code, items=5, strength=strength) for code, strength in languages])
    readings = {each.reading for each in found.differences}
    assert reading in readings
    # Whether five items are above the frequency baseline is another question.
    assert readings <= {reading, "not above baseline"}
    assert {each.observations for each in found.differences} == {5}


@pytest.mark.slow
def test_a_difference_that_could_not_be_found_is_said_to_have_no_power():
    """It could be if the better of the two were at chance level, and the difference then were detectable."""
    readings = set()
    for seed in range(2):
        for items in (4, 5, 8, 12):
            languages = [
                world(code, items=items, seed=seed, strength=strength)
                for code, strength in (("la", 3), ("grc", 1.5), ("sa", 0))
            ]
            found = compare(languages)
            for each in found.differences:
                both = [
                    row(found, "aligned", language=code, measure=each.measure)
                    for code in (each.first, each.second)
                ]
                better = both[each.value > 0]
                above = not better.lacking
                difference_ = "differ" if above else "not above baseline"
                reach = max(one.value - one.chance for one in both)
                no_difference = "no power" if each.detects > reach else "not told apart"
                assert each.reading == (difference_ if each.p_holm < 0.05 else no_difference)
                readings.add(each.reading)
    assert readings == {"differ", "not above baseline", "not told apart", "no power"}


def test_more_tests_need_larger_differences():
    languages = [world("la", strength=2), world("grc", strength=0)]
    of_two, of_six = (compare(several).differences for several in (languages, [*languages, world("sa")]))
    assert [each.detects for each in of_two] == pytest.approx([smallest_found(each, 2) for each in of_two])
    assert [each.detects for each in of_six] == pytest.approx([smallest_found(each, 6) for each in of_six])
    assert smallest_found(of_two[0], 2) < smallest_found(of_two[0], 6)


# Topics, and which categories


def topical():
    def one(code, strength):
        made = world(code, size=90, items=8, strength=strength)
        (own,) = made.test_set.categories
        later = {f"Q9{number}": f"{code}{row}" for number, row in enumerate(range(40, 70, 4))}
        categories = (
            replace(own, name="early", title="Early things", topic="t"),
            category("late", later, "t"),
        )
        return replace(made, test_set=replace(made.test_set, categories=categories))

    return [one("la", 2), one("grc", 0.5)]


def test_a_topic_is_the_mean_over_its_categories():
    found = compare(topical(), topics=["t"])
    assert [(group.name, group.kind) for group in found.groups] == [
        ("early", "category"),
        ("late", "category"),
        ("t", "topic"),
    ]
    for view in ("whole", "aligned"):
        for measure in ("Topk@3", "OddOneOut@3"):
            of_language = {"language": "la", "measure": measure}
            early, late = (row(found, view, category=name, **of_language) for name in ("early", "late"))
            topic = row(found, view, topic="t", **of_language)
            assert topic.value == pytest.approx((early.value + late.value) / 2)
            assert topic.baseline == pytest.approx((early.baseline + late.baseline) / 2)
            assert topic.low <= topic.value <= topic.high
            assert topic.n == early.n + late.n
        topic, *means = (
            row(found, view, language="la", topic="t", measure=measure).value
            for measure in ("Combined", "Topk@3", "OddOneOut@3")
        )
        assert topic == combined(*means)
    (of_topic,) = (d for d in found.differences if d.kind == "topic" and d.measure == "Topk@3")
    assert of_topic.observations == 16
    assert of_topic.detects == pytest.approx(smallest_found(of_topic, 6))


def test_a_category_stands_for_itself():
    """Its numbers do not depend on which other categories are compared, but for the correction of p."""
    languages = topical()
    alone = compare(languages, categories=["early"])
    beside = compare(languages)
    assert rows(alone, "aligned") == rows(beside, "aligned", category="early")
    same = [each for each in beside.differences if each.category == "early"]
    corrected = ("p_holm", "detects", "reading")
    for one, other in zip(alone.differences, same, strict=True):
        fields = [name for name in one.__struct_fields__ if name not in corrected]
        assert [getattr(one, name) for name in fields] == [getattr(other, name) for name in fields]
        assert one.p_holm < other.p_holm
        assert one.detects < other.detects


def test_by_default_all_categories_that_two_languages_have():
    la, grc, sa = *topical(), world("sa")
    (own,) = sa.test_set.categories
    sa = replace(sa, test_set=replace(sa.test_set, categories=(replace(own, name="early"), own)))
    found = compare([la, grc, sa])
    assert [group.name for group in found.groups] == ["early", "late"]
    keys = {"language": "sa", "view": "whole", "category": "late"}
    assert found.failures == (ModelFailure("sa.vec", "sa.json", "not in its test set", keys),)
    assert Results([found]).frame().equals(found.frame())
    missing = found.frame().query("language == 'sa' and category == 'late'")
    assert list(missing["reason"]) == ["not in its test set"]
    assert {each.category: each.skipped for each in found.concepts}["late"] == "not in the test set of sa"


@pytest.mark.parametrize(
    ("oov", "words", "why"),
    [
        ("wrong", "a b c", "no word is known"),
        ("wrong", "a b", "2 words, 3 needed"),
        ("skip", "a b c", "of its 3 words 0 are known, 3 needed"),
    ],
)
def test_a_language_that_knows_nothing_has_failed_and_says_why(oov, words, why):
    items = {f"Q{number}": word for number, word in enumerate(words.split(), 1)}
    la = replace(world("la"), settings=Settings(case="exact", oov=oov))
    sa = replace(world("sa"), settings=la.settings)
    found = compare([la, language("grc", "x y z", category("c", items), oov=oov), sa])
    assert found.languages == ["la", "sa"]
    assert why in found.failed["grc"]
    assert found.differences == compare([la, sa]).differences != ()


def test_the_others_are_compared_when_one_language_cannot_be(tmp_path):
    broken = tmp_path / "broken.vec"
    broken.write_text("2 3\na 1 2 3\nb 1 2\n", encoding="utf-8")
    languages = [world("la"), world("grc"), replace(world("sa"), vectors=VectorsFile(str(broken)))]
    lines = []
    found = compare(languages, machine=Machine(log=lines.append))
    assert found.languages == ["la", "grc"]
    assert found.failed.keys() == {"sa"}
    assert "broken.vec" in found.failed["sa"]
    assert found.differences == compare(languages[:2]).differences
    assert json.loads(to_json(found))["failed"] == found.failed
    assert lines[:2] == ["la on its own test set: scored", "grc on its own test set: scored"]
    assert lines[2].startswith("sa on its own test set: ")
    assert lines[3:] == ["la on the same items: scored", "grc on the same items: scored"]


def test_several_processes_give_what_one_gives(tmp_path, two_workers):
    languages = []
    for each in (world("la"), world("grc"), world("sa")):
        path = tmp_path / f"{each.code}.vec"
        rows = zip(each.vectors.words, each.vectors.matrix.tolist(), strict=True)
        path.write_text(
            "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows), encoding="utf-8"
        )
        languages.append(replace(each, vectors=VectorsFile(str(path))))
    alone = compare(languages)
    assert to_json(compare(languages, machine=Machine(two_workers))) == to_json(alone)
    for each in alone.results:
        assert all(score.verdict and score.over_baseline for score in each.measured)


def test_one_language_that_is_left_has_its_scores(tmp_path):
    broken = VectorsFile(str(tmp_path / "nothing.vec"))
    found = compare([world("la"), replace(world("grc"), vectors=broken)])
    assert row(found, "whole", language="la", measure="Topk@3").value is not None
    assert (rows(found, "aligned"), found.concepts, found.differences) == ([], (), ())
    with pytest.raises(ScoreError, match=r"la: .*nothing.vec.*; grc: .*nothing.vec"):
        compare([replace(world(code), vectors=broken) for code in ("la", "grc")])


@pytest.mark.parametrize(
    ("categories", "topics", "error", "message"),
    [
        (["nix"], [], TestSetError, r"no test set has a category 'nix': la.json has a, b; grc.json has b, d"),
        (["a"], [], TestSetError, r"grc.json: there is no category 'a'; .* It has b, d"),
        ([], ["nix"], TestSetError, r"no test set has a topic 'nix'; there are t, u"),
        ([], ["u"], TestSetError, r"no two languages have the same category of the topic 'u': d"),
    ],
    ids=["unknown", "missing", "topic", "topic of one"],
)
def test_missing_categories(categories, topics, error, message):
    sets = {
        "la": TestSet(
            "la", "la.json", "0", (category("a", {"Q1": "a"}, "t"), category("b", {"Q1": "a"}, "t"))
        ),
        "grc": TestSet(
            "grc", "grc.json", "0", (category("b", {"Q1": "a"}, "t"), category("d", {"Q1": "a"}, "u"))
        ),
    }
    with pytest.raises(error, match=message):
        choose_groups(sets, categories, topics)


def test_nothing_in_common():
    sets = {
        code: TestSet(code, f"{code}.json", "0", (category(code, {"Q1": "a"}),)) for code in ("la", "grc")
    }
    with pytest.raises(ScoreError, match=r"la, grc .*la\.json has la"):
        choose_groups(sets)


def test_settings_may_only_differ_in_the_profile():
    languages = [world("la"), replace(world("grc"), settings=Settings(oov="skip"))]
    with pytest.raises(ScoreError, match=r"la and grc .*\boov\b.*profile"):
        compare(languages)


def test_progress_goes_up_to_one():
    seen = []
    compare(topical(), machine=Machine(progress=seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == 1


# What is written


def test_the_file_holds_what_was_found():
    found = compare(topical(), topics=["t"])
    content = json.loads(to_json(found))
    assert (content["format"], content["version"]) == ("comparison", 3)
    assert content["settings"]["same_vocabulary"] is True
    early = content["concepts"][0]
    assert (early["category"], early["named"], len(early["items"])) == ("early", 8, 8)
    assert early["items"][0] == "Q1"
    assert {code: words[0] for code, words in early["words"].items()} == {"la": "la0", "grc": "grc0"}
    assert parse_results(to_json(found).encode(), "compare.json") == found


def test_the_long_table_is_that_of_scores():
    found = compare(topical(), topics=["t"])
    frame = found.frame()
    assert list(frame) == [*COLUMNS, "view", "category", "topic"]
    views, languages, groups, measures = 2, 2, 3, 4  # Topk, OddOneOut, Combined, Above chance
    assert len(frame) == views * languages * groups * measures
    assert set(frame["part"]) == {"all"}
    of_topic = frame.query("topic == 't' and view == 'whole' and language == 'la' and measure == 'Topk@3'")
    assert list(of_topic["value"]) == [row(found, "whole", "Topk@3", language="la", topic="t").value]


@pytest.fixture
def run(tmp_path, monkeypatch, evaluator):
    """Runs the command in a directory with vectors and test sets of three languages."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "testsets").mkdir()
    for code, strength in (("la", 3), ("grc", 0), ("sa", 1)):
        one = world(code, items=5 if code == "sa" else 12, strength=strength)
        lines = [
            f"{word} {' '.join(map(str, v))}"
            for word, v in zip(one.vectors.words, one.vectors.matrix, strict=True)
        ]
        (tmp_path / f"{code}.vec").write_text("\n".join(["60 4", *lines, ""]), encoding="utf-8")
        (own,) = one.test_set.categories
        items = [{"id": item.id, "words": list(item.words)} for item in own.items]
        content = {"format": "testset", "version": 1, "language": code}
        content["categories"] = [{"name": "c", "topic": "t", "items": items}]
        (tmp_path / "testsets" / f"{code}.json").write_text(json.dumps(content), encoding="utf-8")

    def run_(*arguments, code=0):
        ended = evaluator("compare", *arguments)
        assert ended.code == code, ended.err
        return ended.err if code else ended.out

    return run_


LA_GRC = ("la=la.vec", "grc=grc.vec", "--test", "testsets")


@pytest.fixture
def one_form(monkeypatch):
    """Of figures, whose forms are the subject of another test."""
    monkeypatch.setattr("evaluator.results.figures.FORMATS", ("svg",))


def test_the_table(run):
    out = run(*LA_GRC)
    assert out.startswith("Languages compared: la, grc\n")
    lines = [line.split() for line in out.splitlines()]
    assert ["language", "vectors", "words", "dimensions", "test", "set"] in lines
    assert ["la", "la.vec", "60", "4", "la.json"] in lines
    # The baselines are those of frequency and of spelling.
    names = "category measure language n known score 95% interval chance baseline baseline"
    assert lines.count(names.split()) == 2
    assert sum(line[1:5] == ["OddOneOut@3", "la", "12", "12"] for line in lines) == 2
    (difference_,) = (line for line in lines if line[1:4] == ["OddOneOut@3", "la", "grc"])
    assert difference_[-1] == "differ"
    assert "c: 12 of 12 items that all name: --details shows this" in out


@pytest.mark.usefixtures("one_form")
@pytest.mark.usefixtures("one_form")
def test_vectors_that_cannot_be_loaded(tmp_path, run, evaluator):
    (tmp_path / "sa.vec").write_text("2 3\na 1 2 3\nb 1 2\n", encoding="utf-8")
    ended = evaluator("compare", *LA_GRC, "sa=sa.vec", "--output", "out")
    assert ended.code == 1
    assert run(*LA_GRC) == ended.out
    assert ended.err.splitlines()[-1].startswith("evaluator: sa: sa.vec, line 1: ")
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"compare.json", "compare-aligned.svg"}
    (tmp_path / "grc.vec").write_text("2 3\na 1 2 3\nb 1 2\n", encoding="utf-8")
    ended = evaluator("compare", *LA_GRC, "--output", "alone")
    assert ended.code == 1
    assert "The same items" not in ended.out
    assert ended.out.startswith("Languages compared: la\n")


def test_languages_by_codes_of_three_letters(run):
    by_pattern = ("grc=grc.vec", "--test", "testsets/{language}.json", "--json")
    out = run("lat=la.vec", *by_pattern, "--profile", "lat=latin")
    again = run(*LA_GRC, "--json", "--profile", "la=latin")
    one, other = (json.loads(each)["results"] for each in (out, again))
    assert one[0]["model"] == "la.vec"
    assert one == other


@pytest.mark.usefixtures("one_form")
def test_the_output_folder_of_somebody_else(run, tmp_path):
    (tmp_path / "compare.csv").write_text("mine", encoding="utf-8")
    said = run(*LA_GRC, "--output", ".", code=2)
    assert "compare.csv: exists, and evaluator did not write it" in said
    run(*LA_GRC, "--output", ".", "--force")
    run(*LA_GRC, "--output", ".")  # compare.json shows that evaluator wrote into the folder


def test_the_table_says_where_there_is_no_power(run):
    arguments = ("la=la.vec", "sa=sa.vec", "--test", "testsets")
    out = run(*arguments)
    differences = json.loads(run(*arguments, "--json"))["differences"]
    unclear = [each["detects"] for each in differences if each["reading"] == "no power"]
    assert unclear
    rows = [line.split() for line in out.splitlines() if line.rstrip().endswith("no power")]
    assert [row[-5:] for row in rows] == [
        ["5", "words", f"{detects:.2f}", "no", "power"] for detects in unclear
    ]


def test_the_table_says_what_was_not_compared(run):
    out = run(*LA_GRC, "--vocabulary", "9")
    assert "No power, not compared:\n  c: 3 items that all name and know, 4 needed\n" in out


def test_topics_on_the_command_line(run):
    assert "\nt (topic)  Topk@3" in run(*LA_GRC, "--topic", "t")


def test_json_on_the_command_line(run):
    found = json.loads(run(*LA_GRC, "--category", "c", "--own-vocabulary", "-k", "2", "--json"))
    assert found["settings"]["k"] == 2
    assert found["settings"]["same_vocabulary"] is False
    measures = {score["measure"] for each in found["results"] for score in each["scores"]}
    assert measures == {"Topk@2", "OddOneOut@2", "Combined", "Above chance"}


def test_profiles(run):
    found = json.loads(run(*LA_GRC, "--profile", "grc=greek+fold", "--profile", "fold", "--json"))
    signatures = {each["language"]: each["scores"][0]["signature"] for each in found["results"]}
    assert "|profile:fold|" in signatures["la"]
    assert "|profile:greek+fold|" in signatures["grc"]


@pytest.mark.usefixtures("one_form")
def test_the_output_folder(run, tmp_path):
    pytest.importorskip("matplotlib")
    printed = run(*LA_GRC, "sa=sa.vec", "--output", "out/deep")
    folder = tmp_path / "out" / "deep"
    names = {path.name for path in folder.iterdir()}
    assert names == {"compare.json", "compare.csv", "compare.svg", "compare-aligned.svg"}
    assert json.loads((folder / "compare.json").read_text(encoding="utf-8"))["format"] == "comparison"
    before = {name: (folder / name).read_bytes() for name in names}
    assert run(*LA_GRC, "sa=sa.vec", "--output", "out/deep") == printed
    assert {name: (folder / name).read_bytes() for name in names} == before
    svg = before["compare.svg"].decode()
    for text in ("la", "grc", "sa", "Topk@3", "OddOneOut@3", "Combined", "frequency baseline"):
        assert f">{text}</text>" in svg


def test_a_figure_of_what_was_not_compared():
    pytest.importorskip("matplotlib")
    from evaluator.reports.page import Figure
    from evaluator.reports.sections.comparison import comparison_section
    from evaluator.results.figures import svg_text

    la, grc = topical()
    late = grc.test_set.categories[1]
    few = replace(grc.test_set, categories=(grc.test_set.categories[0], replace(late, items=late.items[:3])))
    found = compare([la, replace(grc, test_set=few)], topics=["t"])
    figures = [each for each in comparison_section(found).walk() if isinstance(each, Figure)]
    (drawn,) = [each for each in figures if each.file == "compare-aligned"]
    with drawn.draw() as figure:
        text = svg_text(figure)
    for title in ("Early things", "t (topic)"):
        assert f">{title}</text>" in text
    assert ">late</text>" not in text


@pytest.mark.slow
@pytest.mark.usefixtures("one_form")
def test_too_many_categories_for_a_figure(run, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("evaluator.results.figures.forest.MOST_GROUPS", 1)
    run(*LA_GRC, "--output", "out")
    said = run(*LA_GRC, "--topic", "t", "--output", "more", code=2)
    assert "2 categories and topics do not fit into a figure, 1 do" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["la=la.vec"], "la: give two languages or more to compare"),
        (["la=la.vec", "la=grc.vec"], "la: given twice; give each language once"),
        (["la=la.vec", "grc.vec"], "'grc.vec': write the language's code, =, and its vectors: la=la.vec"),
        (["la=la.vec", "../grc=grc.vec"], "'../grc' is not a language code"),
        (["la=la.vec", "LA=grc.vec"], "la: given twice; give each language once"),
        (["la=la.vec", "grc=nix.vec"], "nix.vec: there is no such file"),
        (["la=la.vec", "el=grc.vec"], "no test set of el is there; there are grc, la, sa"),
        (
            ["la=la.vec", "grc=grc.vec", "--category", "nix"],
            "no test set has a category 'nix': la.json has c",
        ),
        (["la=la.vec", "grc=grc.vec", "--topic", "nix"], "no test set has a topic 'nix'; there are t"),
        (["la=la.vec", "grc=grc.vec", "--k", "1"], "k must be 2 or more"),
        (["la=la.vec", "grc=grc.vec", "--test", "testsets/la.json"], "one file for several languages"),
        (["la=la.vec", "grc=grc.vec", "--case", "upper"], "languages are compared with exact or fold"),
        (
            ["la=la.vec", "grc=grc.vec", "--profile", "sa=sanskrit"],
            "--profile for 'sa', which is not compared",
        ),
        (
            ["la=la.vec", "grc=grc.vec", "--profile", "fold", "--profile", "latin"],
            "--profile: 2 for all languages",
        ),
        (["la=la.vec", "grc=grc.vec", "--profile", "la=latn"], "did you mean latin?"),
        (["la=la.vec", "grc=grc.vec", "--output", "la.vec"], "la.vec: results cannot be written there"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_refused_before_vectors_are_loaded(run, arguments, message, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(
        "evaluator.vectors.reading.VectorsFile.load", lambda *_: pytest.fail("vectors were loaded")
    )
    said = run(*arguments, "--test", "testsets", code=2)
    assert said.startswith("evaluator: ")
    assert said.count("\n") == 1
    assert message in said


def test_a_figure_without_matplotlib_is_refused_before_vectors_are_loaded(run, monkeypatch, tmp_path):
    monkeypatch.setattr("evaluator.results.figures.find_spec", lambda name: None)
    monkeypatch.setattr(
        "evaluator.vectors.reading.VectorsFile.load", lambda *_: pytest.fail("vectors were loaded")
    )
    assert "pip install 'testgen-evaluator[figures]'" in run(*LA_GRC, "--output", "out", code=2)
    assert not (tmp_path / "out").exists()


def test_advice_on_case(run, tmp_path, evaluator):
    text = (tmp_path / "la.vec").read_text(encoding="utf-8")
    (tmp_path / "la.vec").write_text(text.replace("la1", "LA1"), encoding="utf-8")
    said = evaluator("compare", *LA_GRC, "--case", "exact").err
    assert "evaluator: la: with --case fold, " in said
