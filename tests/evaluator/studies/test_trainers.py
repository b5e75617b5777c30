"""Programs that train in place of gensim: their commands, their failures, and that none is left running."""

from __future__ import annotations

import json
import os
import pickle
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluator import Corpus, GensimError, StudyError, TrainingError, load_vectors, read_testset
from evaluator.execution.machine import Machine
from evaluator.settings import Hyperparameters
from evaluator.studies.curves import CurveOptions, curve
from evaluator.studies.trainers import MODEL_FILES, GensimTrainer, ProgramTrainer
from evaluator.studies.tuning import Space, Tuning, tune
from tests.conftest import NEEDS_GENSIM
from tests.evaluator.small_studies import PROGRAM, TOPICS, topic_lines

PYTHON = shlex.quote(sys.executable)
COUNTS = """
import sys
from collections import Counter
from random import Random

corpus, output, dimension, window, seed, *how = sys.argv[1:]
lines = [line.split() for line in open(corpus, encoding="utf-8")]
words = [word for word, _ in Counter(word for line in lines for word in line).most_common()]
counts = {word: Counter() for word in words}
for line in lines:
    for here, word in enumerate(line):
        counts[word].update(line[max(0, here - int(window)) : here + int(window) + 1])
random = Random(int(seed))
drawn = {word: [random.gauss(0, 1) for _ in range(int(dimension))] for word in words}
matrix = [
    [sum(number**0.5 * drawn[other][at] for other, number in of_word.items()) for at in range(int(dimension))]
    for of_word in counts.values()
]
if "fail" in how and int(window) == 4:
    print("reading", "50%\\r100%", "\\x1b[31mno memory", sep="\\n", file=sys.stderr)
    sys.exit(3)
rows = [f"{word} {' '.join(f'{number:.6f}' for number in row)}" for word, row in zip(words, matrix)]
with open(output, "w", encoding="utf-8") as file:
    print(f"{len(words)} {dimension}", *rows, sep="\\n", file=file)
"""
FIELDS = "{corpus} {output}.vec {dimension} {window} {seed}"
SPACE = Space(("fasttext",), ("cbow",), (8, 16), (2, 4), (0.01,), (2,), (False,))
SENTENCES = "a b c\nb c d\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """For what the tests only read."""
    return tmp_path_factory.mktemp("inputs")


@pytest.fixture(scope="module")
def counts(folder):
    """The command of a program that trains: random projections of the counts of neighbours."""
    (folder / "counts.py").write_text(COUNTS, encoding="utf-8")
    return f"{PYTHON} {folder}/counts.py {FIELDS}"


@pytest.fixture(scope="module")
def inputs(folder):
    """A corpus and a test set."""
    text, topics = folder / "text.txt", folder / "topics.txt"
    text.write_text("\n".join(topic_lines()), encoding="utf-8")
    rows = ("\n".join([f": {name}", *words]) for name, words in TOPICS.items())
    topics.write_text("\n".join(rows), encoding="utf-8")
    return Corpus((text,), "en"), read_testset(topics)


@pytest.fixture
def sentences(tmp_path):
    (tmp_path / "few.txt").write_text(SENTENCES, encoding="utf-8")
    return Corpus((tmp_path / "few.txt",), "en").write_sentences(tmp_path / "sentences.txt")


def program(folder, code, *, name="trainer.py"):
    """The trainer that a few lines of Python are; `corpus` and `output` are its arguments."""
    start = "import os, sys, time\ncorpus, output = sys.argv[1:3]\n"
    (folder / name).write_text(start + code, encoding="utf-8")
    return ProgramTrainer(f"{PYTHON} {folder}/{name} {{corpus}} {{output}}")


def train(trainer, sentences, to=None):
    return trainer.train(sentences, Hyperparameters(), 0, to)


# What a command is


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("true {corpus}", "a command needs {corpus} and {output}"),
        ("", "a command needs {corpus} and {output}"),
        (
            "true {corpus} {output} {windw}",
            "no field {windw}, did you mean {window}\\? There are {corpus}, {outp",
        ),
        ("true {corpus} {output} {}", "no field {}\\. There are"),
        ("true {corpus} {output} {lemmas}", "no field {lemmas}"),
        ("true {corpus} {output} {model.x}", "no field {model.x}"),
        ("true {corpus} {output} '{seed}", "is not a command \\(No closing quotation\\)"),
        ("true {corpus} {output} {seed", "is not a command .*expected '}'"),
        ("true {corpus} {output} {model:d}", "is not a command .*format code"),
        ("true {corpus} {output} {seed:{x}}", "is not a command \\('x'\\)"),
        ("no-such-program {corpus} {output}", "no program no-such-program; check its path"),
    ],
)
def test_commands_that_cannot_be_run_are_refused(template, message):
    with pytest.raises(StudyError, match=message):
        ProgramTrainer(template)


def test_a_program_must_be_executable(tmp_path):
    (tmp_path / "train").write_text("#!/bin/sh\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"path.*executable"):
        ProgramTrainer(f"{tmp_path}/train {{corpus}} {{output}}")


def test_fields_are_filled_within_arguments_and_no_shell_sees_them(tmp_path, sentences):
    given = program(
        tmp_path,
        "print('a', len(sys.argv), file=open(output, 'w'));print(sys.argv[3:], file=sys.stderr);sys.exit(1)",
    )
    more = (
        "'--d={dimension} w' ';touch' {output}.x '$HOME' {{}} {model}-{architecture}-{learning_rate}-{epochs}"
    )
    with pytest.raises(TrainingError) as caught:
        train(ProgramTrainer(f"{given.template} {more}"), sentences)
    said = str(caught.value).partition("it said: ")[2]
    assert "'--d=100 w', ';touch', '" in said
    assert said.endswith("/model.x', '$HOME', '{}', 'word2vec-cbow-0.025-5']")


def test_a_trainer_is_a_value(counts):
    trainer = ProgramTrainer(counts)
    assert pickle.loads(pickle.dumps(trainer)) == trainer == ProgramTrainer(counts)  # noqa: S301
    assert hash(trainer) == hash(ProgramTrainer(counts))
    assert str(trainer) == f"{Path(sys.executable).name} counts.py {FIELDS}"
    assert str(ProgramTrainer("true  ./a.sh\n {corpus} /tmp/{output}")) == "true ./a.sh {corpus} {output}"
    assert trainer.fields == {"corpus", "output", "dimension", "window", "seed"}


@pytest.fixture
def as_if_gensim(monkeypatch):
    """Its trainer can be made without it, as long as it need not train."""
    monkeypatch.setattr("evaluator.vectors.formats.gensim.find_spec", lambda _: True)


def test_without_gensim_another_program_is_needed(monkeypatch, evaluator, counts, inputs, folder, tmp_path):
    monkeypatch.setattr("evaluator.vectors.formats.gensim.find_spec", lambda _: None)
    for make in (GensimTrainer, Tuning, CurveOptions):
        with pytest.raises(GensimError, match=r"3\.11 to 3\.13.*--trainer"):
            make()
    command = ["--test", folder / "topics.txt", "--output", tmp_path / "out", "--no-figure"]
    for name in ("tune", "curve"):
        _, said, code = evaluator(name, folder / "text.txt", *command)
        assert (code, said.count("\n")) == (2, 1)
    assert not (tmp_path / "out").exists()
    sizes = ["--from", "512", "--to", "512"]
    _, said, code = evaluator("curve", folder / "text.txt", *command, *sizes, "--trainer", counts)
    assert code == 0, said


# What is refused before the first trial


@pytest.mark.parametrize(
    ("space", "seeds", "message"),
    [
        (
            replace(SPACE, min_count=(2, 3)),
            1,
            "several values of min_count would .* Add {min_count} .*--only min_count=2",
        ),
        (Space(), 1, "several values of model, architecture, learning_rate, min_count would"),
        (SPACE, 2, "several seeds would give the same model. Add {seed}"),
    ],
)
def test_models_that_would_be_the_same_are_refused(counts, space, seeds, message):
    trainer = ProgramTrainer(counts if seeds == 1 else counts.replace("{seed}", "0"))
    with pytest.raises(StudyError, match=message):
        Tuning(space=space, seeds=seeds, trainer=trainer)
    if seeds > 1:
        with pytest.raises(StudyError, match=message):
            CurveOptions(seeds=seeds, trainer=trainer)


def test_what_a_trainer_is_not_told_has_the_only_value_of_the_space(as_if_gensim, counts):
    tuning = Tuning(space=SPACE, epochs=3, trainer=ProgramTrainer(counts))
    assert tuning.default == Hyperparameters("fasttext", "cbow", learning_rate=0.01, min_count=2, epochs=3)
    assert replace(tuning, trainer=GensimTrainer()).default == Hyperparameters(epochs=3)


# Training


@pytest.fixture(scope="module")
def searched(inputs, counts, folder):
    """What a search found, and the search."""
    tuning = Tuning(trials=4, space=SPACE, seeds=2, trainer=ProgramTrainer(counts))
    return tune(*inputs, folder / "study", tuning), tuning


def test_a_search_with_a_program(searched, inputs, folder, tmp_path):
    result, tuning = searched
    assert result.trials[result.best].value > 0.5
    assert result.found
    told = f"{tuning.trainer}; it was not told model, architecture, learning_rate, min_count, epochs"
    assert result.settings["trained with"] == told
    assert result.notes[0] == f"trained with: {told}"
    kept = load_vectors(folder / "study" / "model.vec")
    vectors = tuning.trainer.train(
        inputs[0].write_sentences(tmp_path / "again.txt"), result.trials[result.best].parameters, 0, None
    )
    assert kept.words == vectors.words
    np.testing.assert_array_equal(kept.matrix, vectors.matrix)
    assert vectors.name == str(result.trials[result.best].parameters)


def test_the_number_of_processes_changes_nothing(searched, inputs, tmp_path, two_workers):
    result, tuning = searched
    other = tune(*inputs, tmp_path / "two", tuning, Machine(two_workers))
    assert [each.values for each in other.trials] == [each.values for each in result.trials]
    assert other.results == result.results


def test_another_trainer_does_not_resume(as_if_gensim, searched, inputs, counts, folder, tmp_path):
    _, tuning = searched
    shutil.copytree(folder / "study", tmp_path / "study")
    other = replace(tuning, trainer=ProgramTrainer(f"{counts} more"))
    with pytest.raises(StudyError, match=r"trainer was Program.*, is ProgramTrainer"):
        tune(*inputs, tmp_path / "study", other)
    with pytest.raises(StudyError, match="is GensimTrainer"):
        tune(*inputs, tmp_path / "study", replace(tuning, trainer=GensimTrainer()))
    again = tune(*inputs, tmp_path / "study", replace(tuning, trials=5))
    assert len(again.trials) == 6


def test_a_trial_that_fails_says_why(inputs, counts, tmp_path):
    trainer = ProgramTrainer(f"{counts} fail")
    result = tune(*inputs, tmp_path / "study", Tuning(trials=4, space=SPACE, trainer=trainer))
    for trial in result.trials:
        failed = trial.parameters.window == 4
        assert (trial.value is None) == failed
        if failed:
            assert trial.reason.endswith("exit code 3; it said: 50% | 100% | \\u001b[31mno memory")
    assert any(each.reason for each in result.trials)


def test_a_curve_with_a_program(as_if_gensim, inputs, counts, tmp_path, two_workers):
    options = CurveOptions(256, 512, seeds=2, trainer=ProgramTrainer(counts))
    result = curve(inputs[0], tmp_path / "curve", inputs[1], options=options, machine=Machine(two_workers))
    assert [each.seeds for each in result.sizes] == [2, 2]
    assert not any("could not be trained" in note for note in result.notes)
    assert result.curve("Topk@3")[-1].value > 0.3
    assert result.settings["trained with"].startswith(str(options.trainer))
    assert any(note.startswith("trained with: ") for note in result.notes)
    with pytest.raises(StudyError, match="is GensimTrainer"):
        curve(inputs[0], tmp_path / "curve", inputs[1], options=replace(options, trainer=GensimTrainer()))


@pytest.fixture
def no_figures(monkeypatch):
    """Reports have none."""
    monkeypatch.setattr("evaluator.reports.render.MOST_FIGURES", 0)


@pytest.mark.usefixtures("no_figures")
def test_the_command_is_in_the_results_without_folders(evaluator, counts, inputs, folder, tmp_path):
    _, said, code = evaluator(
        *("tune", folder / "text.txt", "--test", folder / "topics.txt", "--trials", "1", "--no-figure"),
        *("--only", "model=fasttext", "--only", "architecture=cbow", "--only", "learning_rate=0.1"),
        *("--only", "min_count=2", "--only", "lemmas=no", "--output", tmp_path / "out", "--trainer", counts),
    )
    assert code == 0, said
    text = (tmp_path / "out" / "tuning.json").read_text(encoding="utf-8")
    shown = f"{Path(sys.executable).name} counts.py {FIELDS}"
    assert shown in json.loads(text)["arguments"]
    assert str(folder) not in text
    _, said, code = evaluator(
        "report", tmp_path / "out" / "tuning.json", "--output", tmp_path / "report.html"
    )
    assert code == 0, said
    assert f"{shown}; it was not told" in (tmp_path / "report.html").read_text(encoding="utf-8")


@NEEDS_GENSIM
@pytest.mark.usefixtures("no_figures")
def test_reports_name_gensim(evaluator, inputs, folder, tmp_path):
    options = ["--trials", "1", "--no-figure", "--only", "lemmas=no", "--output", tmp_path / "out"]
    evaluator("tune", folder / "text.txt", "--test", folder / "topics.txt", *options)
    assert "trained with" not in (tmp_path / "out" / "tuning.json").read_text(encoding="utf-8")
    evaluator("report", tmp_path / "out" / "tuning.json", "--output", tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "gensim" in html.partition("Trained with")[2][:200]


# What a program writes


@pytest.mark.parametrize("name", ["model", "model.vec", "model.txt", "model.bin"])
def test_vectors_are_found_and_kept_under_their_name(sentences, tmp_path, name):
    given = program(tmp_path, f"open(output + {name[5:]!r}, 'w').write('2 2\\na 1 2\\nb 3 4\\n')")
    (tmp_path / "to").mkdir()
    for old in MODEL_FILES:
        (tmp_path / "to" / old).write_text("old", encoding="utf-8")
    assert train(given, sentences, tmp_path / "to").words == ["a", "b"]
    assert [each.name for each in (tmp_path / "to").iterdir()] == [name]
    assert load_vectors(tmp_path / "to" / name).words == ["a", "b"]


def test_of_several_files_the_one_with_subwords_is_taken(sentences, tmp_path):
    write = "for end, word in ({}): open(output + end, 'w').write(f'1 2\\n{{word}} 1 2\\n')"
    files = "('.vec', 'v'), ('.bin', 'b'), ('', 'e'), ('.log', 'l')"
    assert train(program(tmp_path, write.format(files)), sentences).words == ["b"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("sys.exit(7)", "exit code 7$"),
        ("os.kill(os.getpid(), 9)", "exit code 137$"),
        (
            "print('one\\n\\ntwo\\nthree\\nfour', file=sys.stderr)",
            "nothing was written to {output}; it said: two | three | four",
        ),
        ("open(output + '.log', 'w').write('x')", "nothing was written to {output}$"),
        ("open(output, 'w')", "its vectors cannot be read: model: the file is empty"),
        (
            "open(output, 'w').write('1 2\\na 1 nan\\n');print('odd', file=sys.stderr)",
            "cannot be read: model, line 2, word .a.: .*; it said: odd",
        ),
    ],
)
def test_failures_name_their_reason(sentences, tmp_path, monkeypatch, code, message):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with pytest.raises(TrainingError, match=message.replace("|", "\\|")) as caught:
        train(program(tmp_path, code), sentences, tmp_path)
    assert str(tmp_path / "temporary") not in str(caught.value)
    assert not [*(tmp_path / "temporary").iterdir()]
    assert not any((tmp_path / each).exists() for each in MODEL_FILES)


def test_a_program_that_disappears_or_is_none(sentences, tmp_path):
    path = tmp_path / "train"
    path.write_bytes(b"\0\0")
    path.chmod(0o755)
    trainer = ProgramTrainer(f"{path} {{corpus}} {{output}}")
    with pytest.raises(TrainingError, match="Exec format error"):
        train(trainer, sentences)
    path.unlink()
    with pytest.raises(TrainingError, match="No such file"):
        train(trainer, sentences)


# That nothing is left running

SLEEPS = """
import subprocess
beside = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[3] + f"/{os.getpid()}.pids", "w") as file:
    print(os.getpid(), beside.pid, file=file)
"""


def alive(pids):
    return [pid for pid in pids if Path(f"/proc/{pid}").exists() and "\nState:\tZ" not in status(pid)]


def status(pid):
    try:
        return Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return "\nState:\tZ"


def waited(condition, seconds=60):
    """What is first true; or what was last."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def started(folder, workers):
    """The ids of all processes of so many trials."""
    files = [each.read_text(encoding="utf-8").split() for each in folder.glob("*.pids")]
    return (
        [int(pid) for pids in files for pid in pids] if [len(each) for each in files] == [2] * workers else []
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("workers", "sent"),
    [
        (1, signal.SIGTERM),
        (2, signal.SIGINT),
        (2, signal.SIGKILL),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in [(1, signal.SIGINT), (1, signal.SIGKILL), (2, signal.SIGTERM)]
        ),
    ],
)
def test_programs_end_with_the_study(inputs, folder, tmp_path, workers, sent):
    trainer = program(tmp_path, SLEEPS + "time.sleep(600)").template + f" {tmp_path} {{dimension}} {{window}}"
    (tmp_path / "temporary").mkdir()
    only = [
        f"--only={name}"
        for name in ("model=word2vec", "architecture=cbow", "learning_rate=0.1", "min_count=2")
    ]
    study = subprocess.Popen(
        [
            *(
                PROGRAM,
                "tune",
                folder / "text.txt",
                "--test",
                folder / "topics.txt",
                "--no-figure",
                *only,
            ),
            *("--workers", str(workers), "--output", tmp_path / "out", "--trainer", trainer),
        ],
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        pids = waited(lambda: started(tmp_path, workers))
        assert len(alive(pids)) == 2 * workers, study.communicate(timeout=5)
        study.send_signal(sent)
        study.communicate(timeout=60)
        assert waited(lambda: not alive(pids)), pids
        assert waited(lambda: not [*(tmp_path / "temporary").glob("evaluator-*")])
    finally:
        study.kill()


def test_what_a_program_leaves_running_ends_with_it(sentences, tmp_path):
    code = SLEEPS + "open(output, 'w').write('1 2\\na 1 2\\n')"
    trainer = ProgramTrainer(f"{program(tmp_path, code).template} {tmp_path}")
    assert train(trainer, sentences).words == ["a"]
    pids = started(tmp_path, 1)
    assert waited(lambda: not alive(pids))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("kill") is None, reason="needs kill")
def test_a_trial_whose_worker_dies_is_tried_again_and_its_program_ends(inputs, tmp_path):
    """The program kills the worker process, its supervisor's parent, and then sleeps."""
    code = SLEEPS + (
        "def parent(pid): return int(open(f'/proc/{pid}/stat').read().rsplit(')')[1].split()[1])\n"
        "os.kill(parent(os.getppid()), 9)\ntime.sleep(600)"
    )
    template = program(tmp_path, code).template + f" {tmp_path} {{dimension}} {{window}}"
    tuning = Tuning(trials=1, space=SPACE, trainer=ProgramTrainer(template))
    with pytest.raises(StudyError, match="worker process died"):
        tune(*inputs, tmp_path / "out", tuning, Machine(2))
    files = [each.read_text(encoding="utf-8").split() for each in tmp_path.glob("*.pids")]
    assert len(files) >= 3  # two attempts of one trial at least
    assert waited(lambda: not alive(int(pid) for pids in files for pid in pids))
