"""The models of each text: what they are drawn from, and their training."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.settings import Hyperparameters
from evaluator.studies.svd import train_svd
from evaluator.studies.trainers import train
from evaluator.studies.tuning.space import Space, SvdSpace
from evaluator.text.corpus import Sentences
from evaluator.vectors import Vectors
from tools.choosing.glove import train_glove
from tools.choosing.texts import KNOWN, Text

_WORD2VEC = ("skip-gram", "cbow")
ORDER = (
    *(*_WORD2VEC, "fasttext", *_WORD2VEC, "svd", *_WORD2VEC, "glove"),
    *(*_WORD2VEC, "fasttext", *_WORD2VEC, "svd", "glove"),
)
"""The kinds of the models of a text; the first ones are a small study of all kinds."""

MODELS = len(ORDER)

_GENSIM = {
    "dimension": (32, 64, 100, 144),
    "window": (2, 3, 5, 7, 10),
    "learning_rate": (0.05, 0.075, 0.1),
    "min_count": (2, 3, 5, 8),
    "lemmas": (False,),
}
SPACES: Mapping[str, Space | SvdSpace] = {
    "skip-gram": Space(model=("word2vec",), architecture=("skip-gram",), **_GENSIM),
    "cbow": Space(model=("word2vec",), architecture=("cbow",), **_GENSIM),
    "fasttext": Space(model=("fasttext",), architecture=("skip-gram",), **_GENSIM),
    "svd": SvdSpace(**{name: _GENSIM[name] for name in ("dimension", "window", "min_count", "lemmas")}),
}
EPOCHS = {"skip-gram": (10, 15, 20), "cbow": (20, 30, 40), "fasttext": (5, 8, 10), "glove": (15, 25, 40)}


def plan(text: Text, models: int = MODELS) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number and the hyper-parameters of each model of a text, which depend on its name alone.

    The space of GloVe is that of skip-gram, but for the learning rate.
    """
    for number, kind in enumerate(ORDER[:models]):
        generator = np.random.default_rng([60, number, *text.name.encode()])
        (drawn,) = SPACES["skip-gram" if kind == "glove" else kind].samples(1, int(generator.integers(2**32)))
        own = {"kind": kind, **drawn.own}
        if kind in EPOCHS:
            own["epochs"] = int(generator.choice(EPOCHS[kind]))
        yield number, own


def trained(sentences: Sentences, own: Mapping[str, Any], seed: int) -> Vectors:
    """A model of a text, of the words that all its models know, without subwords."""
    if own["kind"] == "glove":
        how = (own["dimension"], own["window"], own["min_count"], own["epochs"])
        found = train_glove(sentences, *how, seed)
    else:
        parameters = Hyperparameters(**{name: each for name, each in own.items() if name != "kind"})
        found = (
            train_svd(sentences, parameters) if own["kind"] == "svd" else train(sentences, parameters, seed)
        )
    known = np.array([sentences.counts[word] >= KNOWN for word in found.words])
    return replace(found, subword=None).select(known)


def path_of(work: Path, text: Text, number: int, own: Mapping[str, Any]) -> Path:
    """Where a model is kept; another plan has other names."""
    digest = hashlib.sha256(repr(sorted(own.items())).encode()).hexdigest()[:8]
    return work / f"{text.name}-{number:02}-{digest}.npz"
