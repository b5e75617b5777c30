"""`testgen cite`: BibTeX, licences, and what stands in."""

from __future__ import annotations

import hashlib
import re

from tests.testgen.exports.made import WIKIDATA, content, section, written

SNAPSHOT = {"kind": "snapshot", "name": "words_50% & more", "date": "2024-05-06", "license": "CC BY 4.0"}


def test_what_a_publication_says(command, tmp_path):
    words = [f"w{number}" for number in range(5)]
    paths = written(
        tmp_path,
        content("non", [section("bird", words, named_in="is"), section("tool", words)], source=SNAPSHOT),
        content("la", [section("bird", words)], source=WIKIDATA),
    )
    code, out, err = command("cite", *paths)
    assert (code, err) == (0, "")
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\}", out, flags=re.MULTILINE))
    assert fields["note"].startswith("non.json (SHA-256 " + hashlib.sha256(paths[0].read_bytes()).hexdigest())
    assert "@misc{testgen-la-non," in out
    assert "Words by category in Latin, Old Norse: " in out
    assert r"Made with testgen 0.1.0 from Wikidata; words\_50\% \& more of 2024-05-06" in out
    assert "  year = {2026}\n}" in out  # of the newest source
    assert "@inproceedings{stringham-izbicki-2020," in out
    assert "Licence of the words from Wikidata: cc0-1.0." in out
    assert "Licence of the words from words_50% & more: cc-by-4.0." in out
    assert out.splitlines()[-1] == (
        "Old Norse (non) has too few words of its own: Icelandic (is) stands in for bird."
    )


def test_a_name_of_a_source_is_text_for_bibtex(command, tmp_path):
    named = {**SNAPSHOT, "name": "a\n\u202eb{c}~^\\"}
    paths = written(tmp_path, content("la", [section("bird", ["a", "b"])], source=named))
    code, out, _ = command("cite", *paths)
    assert code == 0
    hidden = r"a\textbackslash{}u000a\textbackslash{}u202eb"
    signs = r"\textbraceleft{}c\textbraceright{}\textasciitilde{}\textasciicircum{}\textbackslash{}"
    assert f"{hidden}{signs} of 2024-05-06" in out
    assert r"Licence of the words from a\u000a\u202eb{c}~^" in out


def test_what_was_corrected(command, tmp_path):
    table = tmp_path / "mine.tsv"
    table.write_text("Q38\tla\tHesperia\n")
    mended = ("--without", "Q142", "--corrections", table)
    assert command("generate", "la", *mended, "--output", tmp_path)[0] == 0
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    assert command("cite", tmp_path / "la.json")[1].splitlines()[-1] == (
        f"Corrected in la: words of mine.tsv (SHA-256 {digest}) in place of those of the source; "
        "without the items Q142."
    )


def test_another_file_is_refused(command, tmp_path):
    (tmp_path / "a.json").write_text("{}")
    code, out, err = command("cite", tmp_path / "a.json")
    assert (code, out) == (2, "")
    assert "a.json" in err
    assert command("cite", tmp_path)[2].endswith(f"; name the files in it, as in {tmp_path}/*.json\n")


def test_only_sources_of_the_words_are_named(command, tmp_path):
    command("generate", "br", "en", "la", "--output", tmp_path)
    breton, english, latin = (command("cite", tmp_path / f"{code}.json")[1] for code in ("br", "en", "la"))
    assert "cldr-48" in breton
    assert "historical-1" not in breton
    assert "Licence of the words from historical-1: cc-by-4.0." in latin
    assert "Licence of the words from historical-1: cc-by-4.0." in english  # those for classes
