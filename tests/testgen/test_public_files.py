"""Real files of other projects, where they are: read as their manifest says, or refused with a reason."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from pathlib import Path

import pytest

from testgen import LanguageError, QueryError, SourceError
from testgen.languages.codes import canonical, languages
from testgen.languages.registry import groups
from testgen.queries import read_query
from testgen.snapshots.importers.cldf import read_cldf
from testgen.snapshots.importers.content import concepticon_items
from testgen.snapshots.importers.wiktextract import read_wiktextract
from testgen.snapshots.importers.wordnet import read_wordnet
from testgen.sources import RdfSource
from testgen.sources.hierarchy import root_classes
from testgen.sources.server import RetryPolicy, Server
from testgen.sources.sparql import SparqlEndpoint
from tests.conftest import REPOSITORY
from tests.servers.base import AnsweringServer, Response
from tests.testgen.snapshots.importers.test_wordnet import DATA_NOUN

_DATA = Path(os.environ.get("TESTGEN_SHARED_DATA", REPOSITORY.parent / "shared" / "data")) / "public"


def _rows(*kinds):
    """The rows of the manifest, which says of parts of another file, in brackets, that they are its parts."""
    path = _DATA / "manifest.tsv"
    if not path.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{path} is not there"))]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    chosen = [row for row in rows if row["kind"].startswith(kinds) and not row["expected"].startswith("(")]
    return [pytest.param(row, id=row["path"]) for row in chosen]


def _is_refused(row):
    return row["expected"].startswith("refused")


@pytest.mark.parametrize("row", _rows("cldf"))
def test_cldf(row):
    path = _DATA / row["path"]
    if _is_refused(row):
        with pytest.raises(SourceError, match=re.escape(str(path.parent))):
            read_cldf(path)
        return
    found = read_cldf(path)
    assert (found.ignored, found.unknown_languages) == (0, set())
    tables = {}
    for name in ("languages", "parameters", "forms"):
        with path.with_name(f"{name}.csv").open(encoding="utf-8", newline="") as file:
            tables[name] = list(csv.DictReader(file))
    concepts = {each["ID"]: each["Concepticon_ID"] for each in tables["parameters"]}
    forms = [each for each in tables["forms"] if concepts[each["Parameter_ID"]]]
    assert len(forms) == int(row["count"])
    for each in forms:
        concept = concepts[each["Parameter_ID"]]
        of_item = found.words[concepticon_items().get(concept, f"concepticon:{concept}")]
        assert {each["Form"].strip(), each["Value"].strip()} & {
            word for own in of_item.values() for word in own
        }
    assert len({code for of_item in found.words.values() for code in of_item}) == len(tables["languages"])


@pytest.mark.parametrize("row", _rows("wiktextract"))
def test_wiktextract(row):
    path = _DATA / row["path"]
    if _is_refused(row):
        with pytest.raises(SourceError, match=re.escape(str(path))):
            read_wiktextract([path])
    else:
        found = read_wiktextract([path])
        assert (found.ignored, found.left_out, found.unknown_languages) == (0, {}, set())


@pytest.mark.parametrize("row", _rows("wordnet"))
def test_wordnet(tmp_path, row):
    path, english = _DATA / row["path"], tmp_path / "data.noun"
    english.write_text(DATA_NOUN, encoding="utf-8")
    if _is_refused(row):
        with pytest.raises(SourceError, match=re.escape(str(path))):
            read_wordnet([path], [english])
        return
    found = read_wordnet([path], [english])
    assert found.ignored == 0
    assert found.unknown_languages == set()
    synsets, words = map(int, re.findall(r"([0-9]+) (?:noun synsets|different)", row["notes"]))
    assert len(found.words) == synsets
    assert len({word for own in found.words.values() for each in own.values() for word in each}) == words


HEADER = "#+ title: T\n#+ kind: category\n#+ topic: t\n#+ summary: S.\n"


@pytest.mark.parametrize("row", _rows("query"))
def test_queries(tmp_path, row):
    path, mended = _DATA / row["path"], tmp_path / "mended.rq"
    with pytest.raises(QueryError, match=re.escape(str(path))):
        read_query(path)
    mended.write_text(HEADER + path.read_text(encoding="utf-8"), encoding="utf-8")
    said = ""
    try:
        root_classes(read_query(mended))
    except (QueryError, SourceError) as error:
        said = str(error)
    assert not said or "mended" in said


class _Stored(AnsweringServer):
    """Answers every request with the content of a file."""

    path = "/sparql"

    def __init__(self, content, media_type):
        super().__init__()
        self._response = Response(200, content, {"Content-Type": media_type})

    def respond(self, request):
        return self._response


TYPES = {
    ".srj": "application/sparql-results+json",
    ".srx": "application/sparql-results+xml",
    ".csv": "text/csv",
}


@pytest.mark.parametrize("row", _rows("sparql-results"))
def test_answers_of_services(row):
    path = _DATA / row["path"]
    policy = RetryPolicy(attempts=1, first_attempts=1, first_wait=0.0)
    with _Stored(path.read_bytes(), TYPES.get(path.suffix, "text/tab-separated-values")) as server:
        endpoint = SparqlEndpoint(server.url, "tests", Server("here", policy))
        if _is_refused(row):
            with pytest.raises(SourceError, match="here"):
                endpoint.select("SELECT ?s WHERE { }")
        else:
            rows = endpoint.select("SELECT ?s WHERE { }")
            assert len(rows) == int(row["count"])
            assert len({variable for each in rows for variable in each}) == int(row["dimension"])
            assert rows[0]["s"]["value"] == row["first"]


@pytest.mark.parametrize("row", _rows("wikidata"))
def test_what_is_no_source(row):
    path = _DATA / row["path"]
    with pytest.raises(SourceError, match=re.escape(str(path))):
        RdfSource(path)


@pytest.mark.parametrize("row", _rows("language-tags"))
def test_language_tags(row):
    path = _DATA / row["path"]
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        content = json.load(file)
    tags = [
        each["code"] if isinstance(each, dict) else each[0] if isinstance(each, list) else each
        for each in content
    ]
    assert len(tags) == int(row["count"])
    unknown = set()
    for tag in tags:
        try:
            assert languages()[canonical(tag)].name
        except LanguageError:
            unknown.add(tag)
    if path.name == "language.json":  # also 53 that are newer than langcodes
        assert unknown <= {*groups(), "und", "mul", "zxx", "mis", "qaa..qtz"}
    if "wikilangs" in row["path"]:
        assert unknown == set()
