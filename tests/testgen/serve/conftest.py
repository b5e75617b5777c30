"""A service on a small snapshot, tested without a network."""

from __future__ import annotations

import multiprocessing

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from starlette.testclient import TestClient

from testgen.serve.app import create_app
from testgen.serve.settings import Limits, Settings
from tests.testgen.conftest import TURTLE

WITH_HEBREW = TURTLE + "".join(
    f'wd:{item} rdfs:label "{label}"@he .\n'
    for item, label in [("Q142", "צרפת"), ("Q38", "איטליה"), ("Q29", "ספרד"), ("Q183", "גרמניה")]
)
# Enough for a test set that is made by default.
_MONTHS = """\
Q108 January Ianuarius ינואר
Q109 February Februarius פברואר
Q110 March Martius מרץ
Q118 April Aprilis אפריל
Q119 May Maius מאי
Q120 June Iunius יוני
Q121 July Iulius יולי
Q122 August Augustus אוגוסט
Q123 September September ספטמבר
Q124 October October אוקטובר
Q125 November November נובמבר
Q126 December December דצמבר
"""
WITH_HEBREW += "".join(
    f'wd:{item} wdt:P31 wd:Q47018901 ; rdfs:label "{english}"@en, "{latin}"@la, "{hebrew}"@he .\n'
    for item, english, latin, hebrew in map(str.split, _MONTHS.splitlines())
)


@pytest.fixture(scope="package", autouse=True)
def quick_jobs():
    """Processes of jobs are forked from one that has loaded all modules."""
    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(["testgen.serve.jobs"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", lambda _: forking)
        yield


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory):
    """The small snapshot with Hebrew names, which are written from right to left."""
    path = tmp_path_factory.mktemp("service") / "small.ttl"
    path.write_text(WITH_HEBREW, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def settings(snapshot, tmp_path_factory):
    return Settings(
        tmp_path_factory.mktemp("data"), str(snapshot), limits=Limits(classes=2, class_items=7, archives=1)
    )


@pytest.fixture(scope="module")
def client(settings):
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as made:
        yield made
