"""Emoji vectors trained from descriptions, and the sweep over learning rates."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from evaluator.datasets.reading import read_testset
from evaluator.errors import OutputError, ScoreError, TestSetError, TrainingError
from evaluator.plugins.emoji import (
    Descriptions,
    EmojiHyperparameters,
    EmojiTests,
    auc,
    classify,
    describe,
    rates_between,
    read_descriptions,
    read_labelled,
    sentiment,
    sweep,
    train_emoji,
    without_selectors,
    write_emoji,
)
from evaluator.plugins.emoji.model import loss_and_gradient
from evaluator.plugins.emoji.result import means_of, values_of
from evaluator.results.scores import COLUMNS
from evaluator.settings import Settings
from evaluator.studies.scoring import score
from evaluator.vectors import Vectors, load_vectors
from tests.evaluator.vectors.vector_files import DATA, text

WORDS = {
    "red": [1, 0, 0, 0.2],
    "fruit": [2, 0, 0.1, 0],
    "sweet": [1.5, 0.2, 0, 0],
    "car": [0, 2, 0, 0.1],
    "road": [0, 1.5, 0.2, 0],
    "fast": [0.1, 1, 0, 0],
    "happy": [0, 0.1, 2, 0],
    "face": [0, 0, 1.5, 0.2],
    "smile": [0.2, 0, 1, 0],
}
KINDS = {
    "food": ("🍎🍓🍒🍉", "red fruit sweet"),
    "travel": ("🚗🚕🚌🚓", "car road fast"),
    "smileys": ("😀😃😄😁", "happy face smile"),
}
CATEGORIES = {name: list(emoji) for name, (emoji, _) in KINDS.items()}


def word_vectors():
    return Vectors(list(WORDS), np.array(list(WORDS.values()), dtype=np.float32), "words.vec")


def true_pairs():
    return [(word, each, True) for emoji, said in KINDS.values() for each in emoji for word in said.split()]


def labelled_pairs():
    """For each emoji a description of its own kind and one of another."""
    kinds = list(KINDS.values())
    for number, (emoji, said) in enumerate(kinds):
        other = kinds[(number + 1) % len(kinds)][1]
        for i, each in enumerate(emoji):
            yield " ".join(said.split()[: 2 + i % 2]), each, True
            yield other, each, False


def lines(pairs):
    return "".join(f"{said}\t{emoji}\t{fits}\n" for said, emoji, fits in pairs)


@pytest.fixture
def files(tmp_path):
    """All that the command needs."""
    (tmp_path / "train.txt").write_text(lines(true_pairs()), encoding="utf-8")
    labelled = list(labelled_pairs())
    (tmp_path / "dev.txt").write_text(lines(labelled), encoding="utf-8")
    (tmp_path / "held-out.txt").write_text(lines(labelled[::-1]), encoding="utf-8")
    (tmp_path / "words.vec").write_bytes(text(list(WORDS), word_vectors().matrix))
    content = "".join(f":{name}\n{' '.join(emoji)}\n" for name, emoji in CATEGORIES.items())
    (tmp_path / "emoji.txt").write_text(content, encoding="utf-8")
    return tmp_path


def described(pairs, name="train.txt"):
    return describe(Descriptions(name, "0" * 64, tuple(pairs)), word_vectors())


# Descriptions


def test_descriptions_are_read(tmp_path):
    path = tmp_path / "train.txt"
    path.write_bytes("\ufeffred heart\t❤️\tTrue\r\n\r\nred heart\t❤\tTrue\nbus\t🚌\tFalse\n".encode())
    read = read_descriptions(path)
    assert read.pairs == (("red heart", "❤", True), ("bus", "🚌", False))
    assert (read.name, read.sha256) == ("train.txt", hashlib.sha256(path.read_bytes()).hexdigest())


BAD = {
    "two columns": ("a\t🚌\tTrue\nb\t🚌\n", "line 2: 2 columns; there must be 3"),
    "four columns": ("a\t🚌\tTrue\tx\n", "line 1: 4 columns"),
    "label": ("a\t🚌\ttrue\n", "line 1: 'true' in the third column; it must be True or False"),
    "no description": (" \t🚌\tTrue\n", "line 1: the first column must hold a description"),
    "no emoji": ("a\t\tTrue\n", "line 1: the first column must hold a description, the second an emoji"),
    "only a selector": ("a\t\ufe0f\tTrue\n", "line 1: the first column"),
    "space": ("a\t🚌 🚗\tTrue\n", "line 1: .*without spaces"),
    "empty": ("\n", "the file is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_descriptions_are_refused(tmp_path, name):
    content, complaint = BAD[name]
    path = tmp_path / "bad.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TestSetError, match=rf"bad\.txt.*{complaint}"):
        read_descriptions(path)


def test_descriptions_that_cannot_be_read(tmp_path):
    with pytest.raises(TestSetError, match=r"no\.txt: .*No such file"):
        read_descriptions(tmp_path / "no.txt")
    (tmp_path / "latin.txt").write_bytes(b"a\t\xe9\tTrue\n")
    with pytest.raises(TestSetError, match=r"latin\.txt, line 1: not UTF-8"):
        read_descriptions(tmp_path / "latin.txt")


def test_the_vector_of_a_description_is_the_sum_of_its_words():
    found = described([("red, unheard-of fruit", "🍎", True), ("Car", "🚗", True), ("red", "🚗", False)])
    assert found.left_out == 1
    assert found.texts == ("red, unheard-of fruit", "red")
    assert np.array_equal(found.sums, np.array([[3, 0, 0.1, 0.2], [1, 0, 0, 0.2]], dtype=np.float32))
    assert found.emoji == ("🍎", "🚗")
    assert found.fits.tolist() == [True, False]
    folded = describe(Descriptions("d", "", (("Car", "🚗", True),)), word_vectors(), case="fold")
    assert folded.left_out == 0


def test_subwords_count_as_words():
    words = Vectors(["a"], np.ones((1, 2), np.float32), "w", lambda word: np.full(2, len(word), np.float32))
    found = describe(Descriptions("d", "", (("a bus", "🚌", True),)), words)
    assert found.sums.tolist() == [[4, 4]]


def test_descriptions_without_any_vector_are_refused():
    with pytest.raises(ScoreError, match=r"d\.txt: .*words\.vec"):
        described([("unknown", "🚌", True)], "d.txt")
    with pytest.raises(ScoreError, match=r"case.*'lower'.*exact, fold"):
        describe(Descriptions("d", "", ()), word_vectors(), case="lower")


# Classification


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("values", [3, 1000], ids=["many ties", "few ties"])
def test_auc_is_that_of_scikit_learn(seed, values):
    random = np.random.default_rng(seed)
    truth = np.concatenate([[True, False], random.random(98) < 0.3])
    scores = random.integers(values, size=100) + 0.5 * truth
    assert auc(scores, truth) == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    assert auc(np.zeros(100), truth) == 0.5


def test_classification_by_hand():
    emoji = Vectors(["🍎", "🚗"], np.array([[1, -1, 0, 0], [-1, 1, 0, 0]], dtype=np.float32), "emoji")
    pairs = [
        ("fruit", "🍎", True),  # 2
        ("car", "🍎", False),  # -2
        ("road", "🚗", True),  # 1.5
        ("fast", "🚗", False),  # 0.9: wrong
        ("happy", "🍎", True),  # -0.1: wrong, and below the one before
        ("car", "🚌", True),
        ("unknown", "🚗", True),
    ]
    found = classify(emoji, described(pairs))
    assert [(each.measure, each.n, each.known) for each in found] == [("Accuracy", 6, 5), ("AUC", 6, 5)]
    assert found["Accuracy"].value == pytest.approx(3 / 5)
    assert found["AUC"].value == pytest.approx(5 / 6)


@pytest.mark.parametrize("fits", [True, False])
def test_one_kind_of_pairs_is_refused(fits):
    emoji = Vectors(["🍎"], np.ones((1, 4), np.float32), "emoji")
    with pytest.raises(ScoreError, match=r"dev: .*\b2 pairs.*\b2\b"):
        classify(emoji, described([("red", "🍎", fits), ("fruit", "🍎", fits)], "dev"))
    with pytest.raises(ScoreError, match=r"dev: .*\b1 pairs.*\b0\b"):
        classify(emoji, described([("red", "🚗", fits)], "dev"))


def test_other_dimensions_are_refused():
    emoji = Vectors(["🍎"], np.ones((1, 3), np.float32), "emoji.vec")
    with pytest.raises(ScoreError, match=r"emoji\.vec: .*\b3\b.*\b4\b"):
        classify(emoji, described([("red", "🍎", True), ("car", "🍎", False)]))


# Training


def test_the_gradient_is_that_of_the_loss():
    random = np.random.default_rng(1)
    emoji, descriptions = random.normal(size=(3, 5)), random.normal(size=(3, 4, 5))
    fits = np.array([1.0, 0, 0, 0])
    _, gradient = loss_and_gradient(emoji, descriptions, fits)
    for place in np.ndindex(emoji.shape):
        step = np.zeros_like(emoji)
        step[place] = 1e-6
        up, down = (loss_and_gradient(emoji + sign * step, descriptions, fits)[0] for sign in (1, -1))
        assert gradient[place] == pytest.approx((up - down) / 2e-6, abs=1e-8)


def test_the_loss_by_hand_and_without_overflow():
    emoji, descriptions = np.array([[2.0]]), np.array([[[1.0], [3.0]]])
    loss, _ = loss_and_gradient(emoji, descriptions, np.array([1.0, 0]))
    p = 1 / (1 + np.exp(-np.array([2.0, 6.0])))
    assert loss == pytest.approx(-np.log(p[0]) - np.log(1 - p[1]))
    loss, gradient = loss_and_gradient(1e4 * emoji, descriptions, np.array([1.0, 0]))
    assert loss == pytest.approx(6e4)
    assert gradient.tolist() == [[3.0]]


def test_a_model_learns_what_belongs_together():
    model = train_emoji(described(true_pairs()), EmojiHyperparameters(rate=0.02, epochs=60))
    assert sorted(model.words) == sorted(each for emoji in CATEGORIES.values() for each in emoji)
    assert (model.dimension, model.matrix.dtype) == (4, np.float32)
    found = classify(model, described(labelled_pairs()))
    assert [each.value for each in found] == [1, 1]


def test_those_with_most_descriptions_come_first():
    pairs = [("red", "🍎", True), ("car", "🚗", True), ("road", "🚗", True), ("fast", "🚕", False)]
    assert list(train_emoji(described(pairs), EmojiHyperparameters(epochs=1)).words) == ["🚗", "🍎"]


def test_training_is_the_same_each_time_and_another_with_another_seed():
    one, same, other = (
        train_emoji(described(true_pairs()), EmojiHyperparameters(epochs=3, seed=seed)) for seed in (0, 0, 1)
    )
    assert one.matrix.tobytes() == same.matrix.tobytes()
    assert not np.allclose(one.matrix, other.matrix)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"rate": 0.0}, "learning rate is 0.0; it must be a number above 0"),
        ({"rate": float("nan")}, "learning rate is nan"),
        ({"rate": float("inf")}, "learning rate is inf"),
        ({"epochs": 0}, "epochs is 0; it must be 1 or more"),
        ({"batch": 0}, "batch is 0"),
        ({"ratio": 0}, "ratio is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
    ids=["rate", "nan", "infinity", "epochs", "batch", "ratio", "seed"],
)
def test_bad_plans_are_refused(values, complaint):
    with pytest.raises(TrainingError, match=complaint):
        EmojiHyperparameters(**values)


def test_what_nothing_can_be_learnt_from_is_refused():
    with pytest.raises(TrainingError, match=r"t\.txt: .*True"):
        train_emoji(described([("red", "🍎", False)], "t.txt"))
    with pytest.raises(TrainingError, match=r"t\.txt: .*🍎"):
        train_emoji(described([("red", "🍎", True), ("fruit", "🍎", True)], "t.txt"))


def test_vectors_are_written_with_all_digits(tmp_path):
    model = train_emoji(described(true_pairs()), EmojiHyperparameters(epochs=2))
    write_emoji(model, tmp_path / "emoji.vec")
    read = load_vectors(tmp_path / "emoji.vec")
    assert list(read.words) == list(model.words)
    assert np.array_equal(read.matrix, model.matrix)


# The sweep


@pytest.mark.parametrize(
    ("said", "rates"),
    [
        ("1e-5:1e-1:5", [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]),
        ("0.001:0.002:3", [0.001, 0.00141421, 0.002]),
        ("0.03", [0.03]),
    ],
    ids=["decades", "rounded", "one"],
)
def test_rates_in_equal_ratios(said, rates):
    assert rates_between(said) == rates


@pytest.mark.parametrize(
    "said",
    [
        "",
        *[
            "x",
            "0",
            "1:2",
            "0:1:3",
            "-1:1:3",
            "2:1:3",
            "1:2:1",
            "1:2:0",
            "1:inf:3",
            "1:2:x",
            "1:2:2.5",
            "1:2:3:4",
            "1:2:9999",
        ],
    ],
)
def test_bad_rates_are_refused(said):
    with pytest.raises(TrainingError, match="lowest:highest:count"):
        rates_between(said)


@pytest.fixture
def tests(files):
    labelled = described(labelled_pairs(), "dev.txt")
    return EmojiTests(files / "emoji.txt", labelled, labelled)


def test_a_sweep(tests):
    told = []
    found = sweep(
        described(true_pairs()),
        tests,
        [0.02, 1e-5],
        seeds=2,
        parameters=EmojiHyperparameters(epochs=20),
        progress=told.append,
    )
    assert told == [0.25, 0.5, 0.75, 1]
    result = found.result
    assert list(found.models) == [(1e-5, 0), (1e-5, 1), (0.02, 0), (0.02, 1)]
    keys = [each.keys for each in result.results]
    assert keys == [
        {"on": on, "rate": rate, "seed": seed}
        for rate, seed in found.models
        for on in ("categories", "dev", "held-out")
    ]
    assert result.measures == ["Topk@3", "OddOneOut@3", "Combined", "Accuracy", "AUC"]
    for measure in result.measures:
        values = np.array(list(values_of(result.results, measure).values()))
        assert values.shape == (2, 2)
        assert list(means_of(result.results, measure).values()) == pytest.approx(values.mean(axis=1))
    assert result.best["AUC"] == 0.02
    model = found.models[0.02, 0]
    expected = score(
        model, read_testset(tests.test_set), ["Topk@3", "OddOneOut@3"], Settings(oov="skip", case="exact")
    )
    assert result.on("categories", 0.02)[0].scores == expected.record().scores
    assert result.on("dev", 0.02)[0].scores == classify(model, tests.dev).scores
    assert means_of(result.results, "AUC", held_out=True) == means_of(
        result.results, "AUC"
    )  # they are the same pairs
    assert result.spearman["Topk@3"]["AUC"] == pytest.approx(1)
    values = values_of(result.results, "Topk@3")[0.02]
    assert found.best("Topk@3") is found.models[0.02, values.index(max(values))]


def test_of_equal_rates_the_lowest_is_best_and_flat_curves_correlate_with_nothing(tests):
    found = sweep(
        described(true_pairs()), tests, [0.04, 0.02], seeds=1, parameters=EmojiHyperparameters(epochs=80)
    )
    assert means_of(found.result.results, "AUC") == {0.02: 1, 0.04: 1}
    assert found.result.best["AUC"] == 0.02
    assert found.result.spearman["Topk@3"]["AUC"] is None


def test_a_sweep_is_the_same_each_time(tests):
    one, same = (
        sweep(
            described(true_pairs()), tests, [1e-3, 1e-2], seeds=2, parameters=EmojiHyperparameters(epochs=3)
        )
        for _ in range(2)
    )
    assert one.result == same.result


def test_bad_sweeps_are_refused(tests):
    learned = described(true_pairs())
    with pytest.raises(TrainingError, match="learning rate"):
        sweep(learned, tests, [])
    with pytest.raises(TrainingError, match=r"0\.1 .*twice"):
        sweep(learned, tests, [0.1, 0.2, 0.1])
    with pytest.raises(TrainingError, match=r"seeds .*0.*1 or more"):
        sweep(learned, tests, [0.1], seeds=0)
    with pytest.raises(ScoreError):
        sweep(described([("red", "🐟", True), ("car", "🐠", True)]), tests, [0.1])


# The command line


@pytest.fixture
def run(files, monkeypatch, evaluator):
    """Runs the command on the small files; gives exit code, stdout and stderr."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(files)

    def run_(*arguments):
        own = ["--descriptions", "train.txt", "--dev", "dev.txt", "--words", "words.vec"]
        own += ["--test", "emoji.txt", "--epochs", "8", "--output", "out"]
        ended = evaluator("emoji", *own, *arguments)
        return ended.code, ended.out, ended.err

    return run_


def written(folder):
    return json.loads((folder / "out" / "emoji.json").read_text(encoding="utf-8"))


def test_command_line(run, files):
    code, out, err = run("--rate", "1e-4:1e-1:4", "--seeds", "2", "--held-out", "held-out.txt")
    assert (code, err) == (0, "")
    told = out.splitlines()
    assert told[:1] == ["Emoji: train.txt"]
    assert told[1].startswith("train.txt: 36 descriptions learned from; left out: 0")
    scored = "Topk@3 scores 3 categories; OddOneOut@3 scores 3 categories"
    assert told[2] == f"emoji.txt: 12 of 12 emoji were learned; {scored}."
    assert told[3].startswith("dev.txt: 24 classified")
    assert "Measures by learning rate, 2 models at each:" in told
    rates = ["1.00e-04", "1.00e-03", "1.00e-02", "1.00e-01"]
    first = told.index(next(line for line in told if line.startswith(rates[0])))
    assert [line.split()[0] for line in told[first : first + 4]] == rates
    assert out.count(" highest") == 6
    endings = {path.name.removeprefix("emoji") for path in (files / "out").iterdir()}
    assert endings == {".csv", ".json", ".pdf", ".png", ".svg", ".vec"}
    content = written(files)
    assert (content["format"], len(content["results"])) == ("emoji", 8 * 3)
    kept = load_vectors(files / "out" / "emoji.vec")
    again = score(kept, read_testset(files / "emoji.txt"), settings=Settings(oov="skip"))
    frame = pd.read_csv(files / "out" / "emoji.csv")
    assert list(frame) == [*COLUMNS, "on", "rate", "seed"]
    best = frame.query(f"rate == {content['best']['Combined']} and measure == 'Combined'")
    assert again["Combined"].value == pytest.approx(best["value"].max())


@pytest.mark.slow
def test_the_same_bytes_each_time(run, files):
    options = ["--rate", "0.01", "--rate", "0.001", "--seeds", "1", "--choose", "auc"]
    contents = []
    for _ in range(2):
        assert run(*options)[0] == 0
        contents.append({path.name: path.read_bytes() for path in (files / "out").iterdir()})
    assert contents[0] == contents[1]


def test_json(run, files, monkeypatch):
    monkeypatch.setattr("evaluator.results.figures.FORMATS", ("svg",))
    code, out, err = run("--rate", "0.01", "--seeds", "1", "--json")
    assert (code, err) == (0, "")
    assert out == (files / "out" / "emoji.json").read_text(encoding="utf-8")
    content = json.loads(out)
    assert content["results"][0]["keys"] == {"on": "categories", "rate": 0.01, "seed": 0}
    assert list(content["labelled"]) == ["dev"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--choose", "speed"], "'speed' is not one of 'auc', 'accuracy', 'topk', 'oddoneout', 'combined'"),
        (["--rate", "1:2"], "write one, or lowest:highest:count"),
        (["--seeds", "0"], "seeds is 0"),
        (["--epochs", "0"], "epochs is 0"),
        (["--dev", "train.txt"], "train.txt: of 36 pairs"),
        (["--words", "no.vec"], "no.vec"),
        (["--test", "no.json"], "no.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_commands_say_what_is_wrong(run, options, complaint):
    code, out, err = run("--rate", "0.01", *options) if "--rate" not in options else run(*options)
    assert (code, out) == (2, "")
    assert complaint in " ".join(err.replace("│", " ").split())


def test_output_is_tried_before_any_work(run, files, monkeypatch):
    (files / "out").write_text("a file", encoding="utf-8")
    monkeypatch.setattr("evaluator.plugins.emoji.train_emoji", pytest.fail)
    monkeypatch.setattr("evaluator.plugins.emoji.describe", pytest.fail)
    code, _, err = run()
    assert code == 2
    assert "out: results cannot be written there" in err


def test_a_test_set_is_not_written_over(run, files):
    (files / "out").mkdir()
    test = files / "out" / "emoji.json"
    test.write_text("a test set", encoding="utf-8")
    code, out, err = run("--test", "out/emoji.json")
    assert (code, out) == (2, "")
    assert err == "evaluator: out/emoji.json: is an input; results would overwrite it. Name another output\n"
    assert test.read_text(encoding="utf-8") == "a test set"


def test_a_folder_that_goes_away_is_an_error_of_the_output(tmp_path):
    model = train_emoji(described(true_pairs()), EmojiHyperparameters(epochs=1))
    with pytest.raises(OutputError, match="cannot be written"):
        write_emoji(model, tmp_path / "gone" / "emoji.vec")


# Real data


def data(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not there; set TESTGEN_SHARED_DATA to the folder with the real data")
    return path


def test_the_authors_descriptions_and_vectors():
    words = load_vectors(data("vectors/en/googlenews_top8000_300d.bin.gz"))
    train, dev, test = (
        describe(read_descriptions(data(f"benchmarks/emoji/emoji2vec_{name}.txt")), words)
        for name in ("train", "dev", "test")
    )
    assert train.fits.all()
    # Of the 5,588 lines of the first some differ in U+FE0F only.
    assert (len(train.fits) + train.left_out, len(dev.fits) + dev.left_out) == (5463, 500)
    published = load_vectors(data("vectors/emoji/emoji2vec.bin.gz")).fold(without_selectors)
    for labelled in (dev, test):
        found = classify(published, labelled)
        assert found["AUC"].n + labelled.left_out == 500
        assert found["AUC"].value > 0.6
    model = train_emoji(train, EmojiHyperparameters(epochs=2))
    assert classify(model, dev)["AUC"].value > 0.6


# Texts with emoji


def test_labels_of_texts_are_learned_from_words_and_emoji(tmp_path):
    draw = np.random.default_rng(4)
    ends = ["".join(draw.choice(list("🍎🍓" if n % 2 else "🚗🚕"), 2)) for n in range(60)]
    said = "".join(f"{'ab'[n % 2]}\tfast road {emoji}\n" for n, emoji in enumerate(ends))
    (tmp_path / "texts.txt").write_text(said, encoding="utf-8")
    texts = read_labelled(tmp_path / "texts.txt", word_vectors())
    fits = np.array([[1.0, 0, 0, 0]] * 2 + [[0, 1.0, 0, 0]] * 2, dtype=np.float32)
    (clear,) = sentiment(Vectors(list("🍎🍓🚗🚕"), fits, "clear"), texts)
    (equal,) = sentiment(Vectors(list("🍎🍓🚗🚕"), np.ones((4, 4), np.float32), "equal"), texts)
    assert (clear.value, clear.chance, clear.known) == (1, 0.5, 60)
    assert equal.value == pytest.approx(clear.baseline, abs=0.2)
    assert clear.baseline < 0.7


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("a fast\n", "line 1: there must be a label, a tab"),
        ("a\tfast\nb\tcar\n", r"two labels .* a \(1\), b \(1\)"),
    ],
)
def test_texts_that_cannot_be_used_are_refused(tmp_path, content, complaint):
    (tmp_path / "texts.txt").write_text(content, encoding="utf-8")
    with pytest.raises((TestSetError, ScoreError), match=complaint):
        read_labelled(tmp_path / "texts.txt", word_vectors())


def test_the_task_is_drawn_beside_the_measures_and_chooses_nothing(files):
    texts = files / "texts.txt"
    texts.write_text("".join(f"{'ab'[n % 2]}\tred {'🍎🚗'[n % 2]}\n" for n in range(20)), encoding="utf-8")
    labelled = read_labelled(texts, word_vectors())
    tests = EmojiTests(files / "emoji.txt", described(labelled_pairs()), None, labelled)
    found = sweep(described(true_pairs()), tests, [0.001, 0.1], 1, EmojiHyperparameters(epochs=3)).result
    assert "Sentiment" in found.measures
    assert set(found.best) >= {"Sentiment", "Topk@3"}
    assert set(found.spearman["Topk@3"]) == {"Accuracy", "AUC", "Sentiment"}
