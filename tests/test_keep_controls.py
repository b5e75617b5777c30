"""Real texts, and models that know nothing of them: none of these is ever named, by any command."""

from __future__ import annotations

import gzip
import random
import re
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import evaluator
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from evaluator.statistics.inference import variation
from evaluator.text.corpus import Corpus
from evaluator.vectors.formats.fasttext import NgramRule, NgramVectors

gensim_models = pytest.importorskip("gensim.models")

pytestmark = pytest.mark.slow

TEXTS = {"la": "latin.txt.gz", "ang": "old_english.txt", "en": "english_wikipedia.txt.gz"}
TOKENS, LINE, DIMENSION = 150_000, 20, 50
TRAINED = {"vector_size": DIMENSION, "min_count": 3, "epochs": 3, "seed": 1, "workers": 1}


def words_of(path):
    """The first words of a text."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return list(islice((word for line in lines for word in re.findall(r"\w+", line.lower())), TOKENS))


def lines_of(words):
    return [words[start : start + LINE] for start in range(0, len(words), LINE)]


def shuffled(words):
    return random.Random(0).sample(words, len(words))


def trained(words, name, subwords=False, **more):
    kind = gensim_models.FastText if subwords else gensim_models.Word2Vec
    settings = TRAINED | ({"bucket": 20_000} if subwords else {}) | more
    return replace(evaluator.as_vectors(kind(lines_of(words), sg=1, **settings).wv), name=name)


def nothing(words, model, foreign):
    """Models that know nothing of meaning; the last ones have been trained on words in random order."""
    drawn, vocabulary = np.random.default_rng(0), model.words
    rows, grams = (
        drawn.normal(size=(size, DIMENSION)).astype(np.float32) for size in (len(vocabulary), 20_000)
    )
    yield evaluator.Vectors(vocabulary, rows, "random")
    of_grams = NgramVectors.of_rows(list(vocabulary), np.zeros_like(rows), grams, NgramRule(3, 6))
    yield evaluator.Vectors(vocabulary, of_grams.matrix, "random n-grams", of_grams)
    yield evaluator.Vectors(vocabulary, of_grams.matrix, "random n-grams as text")
    yield evaluator.Vectors(vocabulary[:40], of_grams.matrix[:40], "tiny", of_grams)
    yield evaluator.Vectors(vocabulary, model.matrix[drawn.permutation(len(vocabulary))], "rows shuffled")
    yield replace(foreign, name="of another language")
    yield trained(shuffled(words), "text shuffled")
    yield trained(shuffled(words), "text shuffled, subwords", subwords=True)


@pytest.fixture(scope="module")
def worlds(shared_data):
    """By language: the words of a text, a model trained on them, and models that know nothing."""
    texts = {code: words_of(shared_data / "corpora" / name) for code, name in TEXTS.items()}
    models = {code: trained(words, "good") for code, words in texts.items()}
    codes = [*texts]
    foreign = {code: models[codes[place - 1]] for place, code in enumerate(codes)}
    return {
        code: (words, models[code], list(nothing(words, models[code], foreign[code])))
        for code, words in texts.items()
    }


@pytest.mark.parametrize("code", TEXTS)
def test_score_names_none_alone_or_beside_others(worlds, code):
    _, good, others = worlds[code]
    assert {each.name: evaluator.score(each, code).best for each in others} == dict.fromkeys(
        each.name for each in others
    )
    assert evaluator.score(others, code).best is None
    found = evaluator.score([good, *others], code)
    assert {*found.kept[0].contenders} <= {"good"}
    assert found.best in (None, "good")


@pytest.mark.parametrize("code", TEXTS)
def test_an_output_file_names_none(worlds, code, tmp_path):
    _, good, others = worlds[code]
    plain = [each for each in (good, *others) if each.subword is None]
    for each in plain:
        path = tmp_path / f"{each.name.replace(' ', '-')}.vec"
        rows = (
            " ".join((word, *(f"{number:.5g}" for number in row)))
            for word, row in zip(each.words, each.matrix.tolist(), strict=True)
        )
        path.write_text(f"{len(each.words)} {each.dimension}\n" + "\n".join(rows) + "\n", encoding="utf-8")
    output = tmp_path / "scores.jsonl"
    evaluator.batch(str(tmp_path / "*.vec"), code, output)
    found = evaluator.compared(evaluator.read_results(output)[0])
    assert found.best in (None, "good.vec")
    assert len(found.kept[0].contenders) <= 1


@pytest.mark.parametrize("code", TEXTS)
def test_training_runs_differ_by_less_than_other_words_would(worlds, code):
    """Intervals of two runs hold where the variance over seeds is up to ten times that over words."""
    words, *_ = worlds[code]
    runs = [evaluator.score(trained(words, "good", seed=seed), code) for seed in range(1, 6)]
    for measure in (Topk(3), OddOneOut(3)):
        scores = [each[str(measure)] for each in runs]
        ends = [variation(measure, each.subscores).ends(0.05) for each in scores]
        of_words = np.mean([((high - low) / 2 / 1.96) ** 2 for low, high in ends])
        assert np.var([each.value for each in scores], ddof=1) < 0.5 * of_words


def test_no_language_is_better_by_a_model_that_knows_nothing(worlds):
    for place in range(len(worlds["la"][2])):
        of = [evaluator.Language(code, worlds[code][2][place], code) for code in worlds]
        found = evaluator.compare(of)
        assert [each for each in found.differences if each.reading == "differ"] == []


@pytest.mark.parametrize("code", TEXTS)
def test_nothing_is_found_in_a_text_whose_words_are_in_random_order(worlds, code, tmp_path):
    words = shuffled(worlds[code][0])
    text = tmp_path / "shuffled.txt"
    text.write_text("\n".join(map(" ".join, lines_of(words))), encoding="utf-8")
    corpus = Corpus((text,), language=code)
    tuned = evaluator.tune(corpus, code, tmp_path / "tuned", evaluator.Tuning(trials=2, seeds=1))
    assert not tuned.found
    curve = evaluator.curve(
        corpus,
        tmp_path / "curve",
        code,
        options=evaluator.CurveOptions(first=2**16, measures=("Topk@3", "OddOneOut@3")),
    )
    assert {each["above baseline"] for each in curve.onsets.values()} == {None}
