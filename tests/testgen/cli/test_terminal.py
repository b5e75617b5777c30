"""Foreign names and the command line never steer the terminal: control characters are shown escaped."""

from __future__ import annotations

import io
import re

import pytest

from testgen.cli import output
from testgen.cli.progress import status_line

TITLE = "\x1b]0;owned\x07\u202e"  # sets the title of the window; turns the direction of writing
CSI = "\x9b31m"  # the same as ESC [, in one character
ESCAPED = r"\u001b]0;owned\u0007\u202e"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
QUERY = f"""\
#+ title: Lands{TITLE}
#+ kind: category
#+ topic: test{CSI}
#+ summary: s{TITLE}
SELECT DISTINCT ?item WHERE {{ ?item <http://www.wikidata.org/prop/direct/P31> ?c }} ORDER BY ?item
"""
EMOJI = f"""\
# Version: 17.0{TITLE}
# group: Faces{TITLE}
# subgroup: happy{TITLE}{CSI}
1F600 ; fully-qualified # 😀 E1.0 grinning{TITLE}
1F603 ; fully-qualified # 😃 E0.6 grinning
1F604 ; fully-qualified # 😄 E0.6 grinning
"""


@pytest.fixture
def files(tmp_path, monkeypatch, small):
    """A snapshot, a query and a list of emoji whose names and contents hold control characters."""
    monkeypatch.chdir(tmp_path)
    snapshot = tmp_path / f"small{TITLE}.ttl"
    snapshot.write_text(small.read_text().replace('"small"', r'"small\u001B]0;owned\u0007"'))
    (tmp_path / "q.rq").write_text(QUERY)
    (tmp_path / f"q{TITLE}.rq").write_text(QUERY)
    (tmp_path / f"e{TITLE}.txt").write_text(EMOJI)
    return tmp_path


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "--source", f"small{TITLE}.ttl", "-l", "la", "--category", "q.rq", "-o", f"o{TITLE}"],
        ["coverage", "--source", f"small{TITLE}.ttl", "--category", "q.rq"],
        ["emoji", "--emoji-test", f"e{TITLE}.txt", "-o", f"o{TITLE}.json"],
        ["snapshot", "info", f"small{TITLE}.ttl"],
        ["snapshot", "create", "--source", f"small{TITLE}.ttl", "-c", "country", "-o", f"o{TITLE}.jsonl"],
        ["snapshot", "diff", f"small{TITLE}.ttl", f"small{TITLE}.ttl", "--category", "q.rq"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_what_commands_print(command, files, arguments, form):
    _, out, err = command(*arguments, *form)
    assert not CONTROL.search(out + err)
    assert out, err


@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "--source", f"no{TITLE}.ttl", "-l", "la"],
        ["generate", "-l", f"la{TITLE}"],
        ["generate", "-l", "la", "-c", f"x{CSI}"],
        ["generate", "-l", "la", "--category", f"e{TITLE}.txt"],
        ["generate", "-l", "la", "--category", f"q{TITLE}.rq"],
        ["emoji", "--emoji-test", f"q{TITLE}.rq"],
        ["emoji", "--emoji-test", f"no{TITLE}.txt"],
        ["snapshot", "info", f"no{TITLE}.ttl"],
        [f"generate{TITLE}"],
        [f"--x{TITLE}"],
        ["generate", f"--x{TITLE}"],
        ["generate", f"more{TITLE}", "-l", "la"],
        ["emoji", "--minimum-words", f"1{TITLE}{CSI}"],
        ["emoji", "--by", f"1{TITLE}{CSI}"],
        ["emoji", "--by"],
    ],
    ids=repr,
)
def test_messages(command, files, arguments):
    code, out, err = command(*arguments)
    assert code == 2
    assert not CONTROL.search(out + err)
    assert err


@pytest.mark.parametrize("terminal", [True, False])
def test_progress(monkeypatch, terminal):
    shown = io.StringIO()

    class Terminal(output.console(stderr=True).__class__):
        def __init__(self, **options):
            super().__init__(**{**options, "stderr": False}, file=shown, force_terminal=terminal, width=100)

    monkeypatch.setattr("testgen.cli.progress.console", Terminal)
    with status_line(at_once=True) as show:
        show(f"asking for {TITLE}{CSI}", urgent=True)
    assert ESCAPED in shown.getvalue()
    assert TITLE not in shown.getvalue()
    assert CSI not in shown.getvalue()
