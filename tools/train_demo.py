"""Train a small Word2Vec on real text that gensim installs with itself: 300 news items, 60,000 tokens.

`python tools/train_demo.py lee.vec` writes the vectors, and the text beside them as lee.txt.
"""

from __future__ import annotations

import logging
import sys
from importlib.resources import files
from pathlib import Path

from gensim.models import Word2Vec
from gensim.utils import simple_preprocess

# Little text, so few dimensions, a high learning rate and many passes; one worker, so that the same seed
# gives the same vectors.
OPTIONS = {"vector_size": 50, "alpha": 0.1, "min_count": 5, "epochs": 20, "seed": 1, "workers": 1}


def read() -> str:
    """The Lee background corpus: one document a line."""
    corpus = files("gensim") / "test" / "test_data" / "lee_background.cor"
    return corpus.read_text(encoding="utf-8")


def main() -> None:
    """Train, and save in word2vec's text format."""
    path = Path(sys.argv[1])
    text = read()
    documents = [simple_preprocess(line, max_len=40) for line in text.splitlines()]
    logging.getLogger("gensim").setLevel(logging.ERROR)
    model = Word2Vec(documents, **OPTIONS)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".txt").write_text(text, encoding="utf-8")
    model.wv.save_word2vec_format(str(path))
    print(f"{path}: {len(model.wv):,} words from {sum(map(len, documents)):,} tokens")


if __name__ == "__main__":
    main()
