"""Train word vectors on real text in a few seconds: half a million tokens of English.

These are 106 articles of the English Wikipedia and 300 news items, from the test data of gensim.
`python tools/train_demo.py en.vec` writes the vectors, and the text beside them as en.txt.
"""

from __future__ import annotations

import bz2
import html
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import regex
from scipy.sparse import coo_array
from scipy.sparse.linalg import svds
from threadpoolctl import threadpool_limits

# Python 3.14 and later cannot install gensim, but read its text in any wheel: this is the smallest.
WHEEL = Path(__file__).parents[1] / "build" / "gensim-4.4.0-cp313-cp313-win_amd64.whl"
_FETCH = (
    "--no-deps",
    "--only-binary=:all:",
    "--python-version=3.13",
    "--platform=win_amd64",
    "gensim==4.4.0",
)
_ARTICLES = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"

_MARKUP = [
    (r"(?s)<!--.*?-->", ""),
    (r"(?si)<(ref|math|gallery|timeline|imagemap|score|code|source)\b[^>]*?(/>|>.*?</\1>)", ""),
    (r"\{([^{}]++|(?R))*+\}", ""),  # templates and tables, one in another
    (r"(?i)\[\[(file|image|category):([^][]++|\[\[[^][]*\]\]|\[[^][]*\])*+\]\]", ""),
    (r"\[\[([^][|]*\|)?([^][|]*)\]\]", r"\2"),  # of a link, the words that are shown
    (r"\[\w*:?//\S+ ?([^]]*)\]", r"\1"),
    (r"</?\w[^>]*>", ""),
    (r"(?m)''+|^=+|=+ *$|^[*#:;]+", ""),  # bold and italic; headings; lists
]


def read() -> Iterator[str]:
    """The paragraphs of the articles, and the news items, a line each."""
    folder = text_folder()
    with (folder / _ARTICLES).open("rb") as packed, bz2.open(packed) as file:
        for page in ET.parse(file).iterfind("{*}page[{*}ns='0']"):  # noqa: S314  # a file of a package
            if page.find("{*}redirect") is None:
                lines = _plain(page.findtext("{*}revision/{*}text", "")).splitlines()
                yield from (line.strip() for line in lines if line.strip())
    yield from (folder / "lee_background.cor").read_text(encoding="utf-8").splitlines()


def text_folder() -> Path | zipfile.Path:
    """The folder where gensim is installed; otherwise in its wheel, which is fetched once."""
    installed = find_spec("gensim")
    if installed and installed.origin:
        return Path(installed.origin).parent / "test" / "test_data"
    if not WHEEL.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", f"--dest={WHEEL.parent}", *_FETCH]
        if subprocess.run(command, check=False).returncode:  # noqa: S603  # no input of a user
            sys.exit("The demo's text is in gensim's wheel, which pip could not fetch: check the network.")
    return zipfile.Path(WHEEL) / "gensim" / "test" / "test_data"


def _plain(text: str) -> str:
    """The text of an article without wiki markup."""
    for pattern, replacement in _MARKUP:
        text = regex.sub(pattern, replacement, text)
    return html.unescape(text)


def tokens(line: str) -> list[str]:
    """The words of two letters or more, in lower case."""
    return regex.findall(r"[\p{L}\p{M}]{2,}", line.lower())


def train(stream: Sequence[str], window: int = 5) -> dict[str, np.ndarray]:
    """Vectors of 100 dimensions: positive pointwise mutual information, and a truncated SVD of it.

    As Levy, Goldberg & Dagan 2015 advise ("Improving distributional similarity with lessons learned from
    word embeddings"): nearer words count more, the counts of contexts are raised to the power of 0.75, the
    singular values to that of 0.5.

    Args:
        stream: The tokens of a text. Those that occur less than four times are left out.
        window: How many words to the left and to the right are the context of a word.

    Returns:
        The vector of each word, the most frequent first. Numbers have five decimals: more would differ.
    """
    words = [word for word, count in Counter(stream).most_common() if count >= 4]
    rows = {word: row for row, word in enumerate(words)}
    pairs = _pairs(np.array([rows[token] for token in stream if token in rows]), len(words), window)
    totals = pairs.sum(axis=0)
    smoothed = totals**0.75
    word, context = pairs.coords
    information = np.log(pairs.data * smoothed.sum() / (totals[word] * smoothed[context]))
    positive = coo_array((information.clip(0), pairs.coords), pairs.shape).tocsr()
    positive.eliminate_zeros()
    with threadpool_limits(1):  # on a busy machine, two threads take several times as long as one
        left, values, _ = svds(positive, 100, v0=np.ones(len(words)))
    sign = np.sign(left[np.abs(left).argmax(axis=0), range(100)])  # a column and its opposite are both right
    return dict(zip(words, (left * sign * values**0.5).round(5), strict=True))


def _pairs(text: np.ndarray, v: int, window: int) -> coo_array:
    """How often words of a vocabulary of v are near each other: neighbours count 1, others less."""
    after = sum(
        coo_array(
            (np.full(len(text) - step, 1 - (step - 1) / window), (text[:-step], text[step:])), (v, v)
        ).tocsr()
        for step in range(1, window + 1)
    )
    return (after + after.T).tocoo()


def main() -> None:
    """Train, and save in word2vec's text format."""
    path = Path(sys.argv[1])
    if sys.stderr.isatty():  # a page that shows the output is the same everywhere
        print("Training vectors on half a million words, which takes some seconds", file=sys.stderr)
    lines = list(read())
    stream = [token for line in lines for token in tokens(line)]
    vectors = train(stream)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with path.open("w", encoding="utf-8") as file:
        print(len(vectors), 100, file=file)
        for word, vector in vectors.items():
            print(word, *vector, file=file)
    print(f"{path}: {len(vectors):,} words from {len(stream):,} tokens")


if __name__ == "__main__":
    main()
