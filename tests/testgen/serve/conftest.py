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
