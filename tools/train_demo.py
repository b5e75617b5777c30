"""Train word vectors on real text in a few seconds: half a million tokens of English.

These are 106 articles of the English Wikipedia and 300 news items, from the test data of gensim.
`python tools/train_demo.py en.vec` writes the vectors, and the text beside them as en.txt; of that text,
`evaluator train en.txt --language en --only min_count=4 --output en.vec` trains the same.
"""

from __future__ import annotations

import bz2
import html
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

import regex

from evaluator import Corpus, Hyperparameters, train

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


def corpus(path: Path) -> Corpus:
    """The text, written to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(read()) + "\n", encoding="utf-8")
    return Corpus((path,), "en", "fold")


def main() -> None:
    """Train, and save in word2vec's text format."""
    path = Path(sys.argv[1])
    if sys.stderr.isatty():  # a page that shows the output is the same everywhere
        print("Training vectors on half a million words, which takes some seconds", file=sys.stderr)
    found = train(corpus(path.with_suffix(".txt")), path, Hyperparameters("svd", min_count=4))
    print(f"{path}: {len(found.vectors):,} words from {found.record.statistics.tokens:,} tokens")


if __name__ == "__main__":
    main()
