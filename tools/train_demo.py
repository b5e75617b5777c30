"""Train a small Word2Vec on real text that gensim installs with itself: half a million tokens of English.

These are 107 articles of the English Wikipedia and 300 news items. `python tools/train_demo.py en.vec` writes
the vectors, and the text beside them as en.txt.
"""

from __future__ import annotations

import bz2
import logging
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from gensim.corpora.wikicorpus import extract_pages, filter_wiki
from gensim.models import Word2Vec
from gensim.utils import simple_preprocess

# One worker, so that the same seed gives the same vectors.
OPTIONS = {
    "vector_size": 100,
    "alpha": 0.05,
    "min_count": 5,
    "epochs": 10,
    "sample": 5e-4,
    "seed": 1,
    "workers": 1,
}
TEXTS = files("gensim") / "test" / "test_data"


def read() -> Iterator[str]:
    """The paragraphs of the articles, and the news items, a line each."""
    dump = TEXTS / "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
    with dump.open("rb") as packed, bz2.open(packed) as file:
        for _, text, _ in extract_pages(file, filter_namespaces=("0",)):
            if not text.upper().startswith("#REDIRECT"):
                plain = filter_wiki(text).replace("'''", "").replace("''", "")
                yield from (line for line in plain.splitlines() if line.strip())
    yield from (TEXTS / "lee_background.cor").read_text(encoding="utf-8").splitlines()


def main() -> None:
    """Train, and save in word2vec's text format."""
    path = Path(sys.argv[1])
    if sys.stderr.isatty():  # a page that shows the output is the same everywhere
        print("Training vectors on half a million words, which takes some seconds", file=sys.stderr)
    lines = list(read())
    sentences = [simple_preprocess(line, max_len=40) for line in lines]
    logging.getLogger("gensim").setLevel(logging.ERROR)
    model = Word2Vec(sentences, **OPTIONS)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    model.wv.save_word2vec_format(str(path))
    print(f"{path}: {len(model.wv):,} words from {sum(map(len, sentences)):,} tokens")


if __name__ == "__main__":
    main()
