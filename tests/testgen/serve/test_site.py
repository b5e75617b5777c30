"""The pages and test sets as files: complete, at any path, and replaced as a whole."""

from __future__ import annotations

import json
import re
import shutil
import zipfile

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from testgen import TestSetRequest, generate
from testgen.errors import ConfigError, OutputError
from testgen.serve.site import write_site
from tests.testgen.serve.conftest import WITH_HEBREW

MORE = (
    "".join(
        f'wd:Q{number} wdt:P31 wd:Q3624078 ; rdfs:label "Terra{chr(97 + number % 26)}"@la .\n'
        for number in range(8000, 8012)
    )
    + 'wd:Q142 rdfs:label "ఫ్రాన్స్"@te .'
)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "some.ttl"
    path.write_text(WITH_HEBREW + MORE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def site(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("web") / "words"
    made = write_site(folder, str(source), base_url="https://example.org/words/")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert made == (len(files), sum(path.stat().st_size for path in files))
    assert [path.name for path in folder.parent.iterdir()] == ["words"]
    return folder


def links(text):
    return re.findall(r' (?:href|src|action)="([^"]*)"', text)


@pytest.mark.slow
def test_every_link_leads_to_a_file_of_the_site_and_none_needs_a_service(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for link in links(text):
            if not link.startswith(("https://", "http://", "#")):
                target = (page.parent / (re.split("[?#]", link)[0] or page.name)).resolve()
                assert target.is_file(), (page, link)
                assert target.is_relative_to(site)
        assert not re.search('"[^"]*/(build|jobs|api)["?]', text)
        assert (page.parent / re.search('data-root="([^"]*)"', text)[1]).resolve() == site


def test_test_sets_are_those_of_the_command_line(site, source, tmp_path):
    generate(tmp_path, TestSetRequest(["la"]), source=str(source))
    assert (site / "api/v1/test-sets/la.json").read_bytes() == (tmp_path / "la.json").read_bytes()
    with zipfile.ZipFile(site / "api/v1/test-sets.zip") as archive:
        assert archive.read("la.json") == (tmp_path / "la.json").read_bytes()
    assert (
        "https://example.org/words/api/v1/test-sets/la.json" in (site / "languages/la/use.html").read_text()
    )


def test_a_language_with_too_few_words_has_a_page_and_no_file(site):
    assert "too few" in (site / "languages/te.html").read_text(encoding="utf-8")
    assert not (site / "api/v1/test-sets/te.json").exists()


def test_what_the_script_asks_for_is_there(site):
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    assert "Latin" in next(each["names"] for each in index["languages"] if each["key"] == "la")
    for each in index["languages"]:
        assert (site / "languages" / f"{each['key']}.html").is_file()
        names = json.loads((site / "languages" / each["key"] / "names.json").read_text(encoding="utf-8"))
        assert names["sizes"]
    assert all((site / "categories" / f"{each['key']}.html").is_file() for each in index["categories"])
    assert json.loads((site / "api/v1/coverage.json").read_text(encoding="utf-8"))["rows"]


@pytest.mark.slow
def test_a_new_site_replaces_the_old_one_but_for_files_of_others(site, source, tmp_path):
    folder = tmp_path / "words"
    shutil.copytree(site, folder)
    (folder / "CNAME").write_text("example.org")
    (folder / "languages" / "xx.html").write_text("of an older version")
    write_site(folder, str(source))
    assert (folder / "CNAME").read_text() == "example.org"
    assert not (folder / "languages" / "xx.html").exists()
    assert "evaluator score https://example.org/my.vec.gz --test la.json" in re.sub(
        "<[^>]*>", "", (folder / "languages/la/use.html").read_text()
    )


def test_files_of_others_and_wrong_addresses_are_refused_before_any_work(tmp_path):
    (tmp_path / "index.html").write_text("<h1>My garden</h1>")
    with pytest.raises(OutputError, match="not a site of testgen"):
        write_site(tmp_path)
    with pytest.raises(ConfigError, match="https://"):
        write_site(tmp_path / "new", base_url="example.org")
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
