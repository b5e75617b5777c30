"""Jobs: queued, run one after another, kept when the service restarts."""

from __future__ import annotations

import io
import json
import shlex
import threading
import time
import zipfile
from functools import partial
from multiprocessing.context import SpawnContext

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from testgen.errors import (
    BusyError,
    ConfigError,
    NotFoundError,
    OutputError,
    PolicyError,
    QueryError,
    TooManyJobsError,
    UnfinishedJobError,
)
from testgen.labels import LabelPolicy
from testgen.queries import shipped_queries
from testgen.serve import responses
from testgen.serve.app import create_app
from testgen.serve.jobs import (
    FINISHED,
    JobQueue,
)
from testgen.serve.provider import TestSetProvider
from testgen.serve.selection import MOST, Selection
from testgen.serve.settings import Limits, Settings
from tests.servers.faults import BANNED
from tests.servers.proxy import FaultProxy, always

API = "/api/v1"
SECONDS = 60


def wait_for(condition, seconds=SECONDS):
    """The value of a condition, as soon as it is true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)
    return found


def finished(client, job):
    def state():
        found = client.get(f"{API}/jobs/{job['id']}").json()
        return found if found["state"] not in ("queued", "running") else None

    return wait_for(state)


@pytest.fixture
def live(small_world, tmp_path, monkeypatch):
    """Settings of a service with a remote source."""
    monkeypatch.setenv("TESTGEN_WIKIDATA_QUERY", small_world.sparql.url)
    monkeypatch.setenv("TESTGEN_WIKIDATA_API", small_world.api.url)
    monkeypatch.setenv("TESTGEN_CONTACT", "tests@example.org")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("multiprocessing.get_context", lambda _: SpawnContext())  # it sees these variables
    return Settings(tmp_path / "data", "wikidata", ("country", "capital", "country-capital"))


@pytest.fixture
def local(snapshot, tmp_path):
    return Settings(tmp_path, str(snapshot), limits=Limits(jobs_kept_per_client=2))


@pytest.fixture
def jobs(local):
    """The queue of a service, not started."""
    queue = JobQueue(local, lambda: None)
    yield queue
    queue.stop()


@pytest.fixture
def released(small_world, monkeypatch):
    """Until this event is set, no query is answered."""
    respond, released = small_world.sparql.respond, threading.Event()

    def wait_and_respond(request):
        released.wait(SECONDS)
        return respond(request)

    monkeypatch.setattr(small_world.sparql, "respond", wait_and_respond)
    yield released
    released.set()


def asked(world):
    return len(world.sparql.log) + len(world.api.log)


def test_what_is_not_at_hand_takes_a_job_and_is_then(live, small_world, released, monkeypatch):
    state_of = responses.job

    def release_if_running(jobs, job):
        state = state_of(jobs, job)
        if state.doing:
            released.set()
        return state

    monkeypatch.setattr(responses, "job", release_if_running)  # the client sees at least one request
    with TestClient(create_app(live), base_url="http://localhost") as client:
        for query in ("", "?category=country&minimum_words=1", "?class=Q6256"):
            missing = client.get(f"{API}/test-sets/en.json{query}")
            assert missing.status_code == 409, missing.text
        assert client.get(f"{API}/test-sets.zip").status_code == 409
        assert client.get(f"{API}/languages").json() == []
        assert client.get(f"{API}/categories/country").json()["items"] is None
        assert asked(small_world) == 0

        order = {"languages": ["en", "la"], "categories": ["country"], "policy": {"minimum_words": 1}}
        answer = client.post(f"{API}/jobs", json=order)
        assert answer.status_code == 202
        job = answer.json()
        assert answer.headers["location"] == f"{API}/jobs/{job['id']}"
        with client.stream("GET", f"{API}/jobs/{job['id']}/events") as events:
            told = [json.loads(line[6:]) for line in events.iter_lines() if line.startswith("data: ")]
        assert told[-1]["state"] == "done"
        assert any(each["doing"].startswith("asking for") for each in told)
        assert told[-1]["asked"] >= 2
        running = [each for each in told if each["state"] == "running" and each["doing"]]
        assert running[0]["left"] >= 2, "the query, and the names of what it finds"
        shares = [each["share"] for each in running]
        assert shares == sorted(shares)
        assert all(0 <= share <= 1 for share in shares)
        assert any(each["seconds"] is not None for each in told)
        assert "--minimum-words 1" in told[-1]["command"]
        assert "--source wikidata" in told[-1]["command"]

        result = client.get(f"{API}/jobs/{job['id']}/result")
        with zipfile.ZipFile(io.BytesIO(result.content)) as archive:
            made = {name: archive.read(name) for name in archive.namelist()}
        assert b"| la | Latin |" in made.pop("README.md")
        sizes = {name: size["bytes"] for name, size in told[-1]["files"].items()}
        assert {name: len(content) for name, content in made.items()} == sizes

        before = asked(small_world)
        at_hand = client.get(f"{API}/test-sets/la.json?category=country&minimum_words=1")
        assert at_hand.content == made["la.json"]
        assert client.get(f"{API}/categories/country").json()["items"] > 0
        assert asked(small_world) == before


def test_a_live_source_wants_its_operators_contact(live, monkeypatch, tmp_path):
    monkeypatch.delenv("TESTGEN_CONTACT")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(ConfigError, match="config contact"):
        create_app(live)


def test_one_test_set_comes_as_it_is(local):
    with TestClient(create_app(local), base_url="http://localhost") as client:
        order = {"languages": ["la"], "categories": ["country"]}
        job = finished(client, client.post(f"{API}/jobs", json=order).json())
        result = client.get(f"{API}/jobs/{job['id']}/result")
        assert result.content == client.get(f"{API}/test-sets/la.json?category=country").content
        same = client.get(f"{API}/test-sets/la.json?category=country").headers["content-disposition"]
        assert result.headers["content-disposition"] == same
        assert job["files"] == {"la.json": {"bytes": len(result.content), "words": 5, "pairs": 0}}
        page = " ".join(client.get(f"/jobs/{job['id']}").text.split())
        assert "Latin: Sovereign states." in page
        assert '<td>Latin</td><td class="figure">5</td><td class="figure">0</td>' in page


def test_a_job_that_cannot_be_done_says_why(local):
    with TestClient(create_app(local), base_url="http://localhost") as client:
        order = {"languages": ["la"], "categories": ["country"], "policy": {"minimum_words": 1000}}
        job = finished(client, client.post(f"{API}/jobs", json=order).json())
        assert job["state"] == "failed"
        assert "too few for any category" in job["error"]
        assert client.get(f"{API}/jobs/{job['id']}/result").status_code == 409


FAILED, DONE = ("capital", 999, "failed"), ("country-capital", 1, "done")


@pytest.mark.parametrize("jobs", [[FAILED], pytest.param([DONE, FAILED], marks=pytest.mark.slow)])
def test_what_a_job_fetched_is_there_before_it_ends(live, monkeypatch, jobs):
    reload, seen = TestSetProvider.reload, []

    def slowly(provider):
        time.sleep(0.3)
        reload(provider)
        seen.append(len(provider.in_memory.queries))

    with TestClient(create_app(live), base_url="http://localhost") as client:
        provider = client.app.state.provider
        monkeypatch.setattr(client.app.state.jobs, "_on_end", partial(slowly, provider))
        for category, minimum_words, state in jobs:
            page = f"/categories/{category}"
            assert "not fetched yet" in client.get(page).text
            order = {
                "languages": ["en"],
                "categories": [category],
                "policy": {"minimum_words": minimum_words},
            }
            job = finished(client, client.post(f"{API}/jobs", json=order).json())
            assert job["state"] == state, job
            assert "not fetched yet" not in client.get(page).text
            assert client.get(f"{API}/categories/{category}").json()["items"] > 0
    assert seen == [*range(1, len(jobs) + 1)]


@pytest.mark.slow
def test_waiting_for_a_server_is_told_of_and_can_be_cancelled(live, monkeypatch):
    monkeypatch.setenv("TESTGEN_WIKIDATA_QUERY", "http://127.0.0.1:9/sparql")  # nothing listens there
    with TestClient(create_app(live), base_url="http://localhost") as client:
        job = client.post(f"{API}/jobs", json={"languages": ["la"]}).json()
        wait_for(lambda: "waiting" in client.get(f"{API}/jobs/{job['id']}").json()["doing"])
        assert client.delete(f"{API}/jobs/{job['id']}").json()["state"] == "cancelled"
        assert finished(client, job)["state"] == "cancelled"


@pytest.mark.slow
def test_jobs_are_done_one_after_another_and_the_oldest_go(local):
    with TestClient(create_app(local), base_url="http://localhost") as client:
        jobs = [
            client.post(f"{API}/jobs", json={"languages": [code], "categories": ["country"]}).json()
            for code in ("la", "en", "he")
        ]
        assert [job["ahead"] for job in jobs] == [0, 1, 2]
        last = finished(client, jobs[-1])
        assert last["state"] == "done"
        assert client.get(f"{API}/jobs/{jobs[0]['id']}").status_code == 404
        assert finished(client, jobs[1])["finished"] < last["finished"]
        assert len([path for path in (local.directory / "jobs").iterdir() if path.is_dir()]) == 2


def test_a_client_may_have_so_many(local):
    jobs, selection = JobQueue(local, lambda: None), Selection(("la",))
    for _ in range(local.limits.jobs_per_client):
        jobs.add(selection, "one")
    with pytest.raises(TooManyJobsError, match=r"\b3\b"):
        jobs.add(selection, "one")
    theirs = jobs.add(selection, "another")
    jobs.cancel(jobs.add(selection, "another").id)
    assert jobs.ahead(theirs) == 3
    with pytest.raises(UnfinishedJobError, match="queued"):
        jobs.result(theirs.id)
    with pytest.raises(NotFoundError):
        jobs.get("x" * 22)


@pytest.mark.slow
def test_a_restart_loses_nothing(local):
    jobs = JobQueue(local, lambda: None)
    jobs.start()
    done = jobs.add(Selection(("la",), ("country",)), "one")
    wait_for(lambda: jobs.get(done.id).state == "done")
    jobs.stop()
    waiting = jobs.add(Selection(), "one")
    again = JobQueue(local, lambda: None)
    assert again.get(done.id) == jobs.get(done.id)
    assert again.get(waiting.id) == waiting
    again.start()
    wait_for(lambda: again.get(waiting.id).state == "done")
    assert {path.name for path in again.result(waiting.id)} >= {"la.json", "en.json"}
    again.stop()


def test_a_folder_has_one_service(local):
    jobs = JobQueue(local, lambda: None)
    with pytest.raises(OutputError, match=r"jobs: .*--data"):
        JobQueue(local, lambda: None)
    jobs.stop()
    JobQueue(local, lambda: None).stop()


def test_jobs_of_another_source_are_not_done_from_this_one(local, tmp_path):
    jobs = JobQueue(local, lambda: None)
    done, waiting = (jobs.add(Selection((code,), ("country",)), "one") for code in ("la", "en"))
    jobs.cancel(done.id)
    jobs.stop()
    other = JobQueue(replace(local, source="shipped"), lambda: None)
    assert other.get(waiting.id).state == "failed"
    assert "it is for small.ttl" in other.get(waiting.id).error
    assert "--source small.ttl" in other.get(done.id).command
    other.stop()


def test_killed_between_result_and_record_it_is_done_again(local, jobs):
    job = jobs.add(Selection(("la",), ("country",)), "one")
    left = local.directory / "jobs" / job.id / "result"
    left.mkdir()
    (left / "la.json").write_text("half", encoding="utf-8")
    jobs.start()
    wait_for(lambda: jobs.get(job.id).state in FINISHED)
    assert jobs.get(job.id).state == "done", jobs.get(job.id).error
    assert jobs.result(job.id)[0].read_text(encoding="utf-8").startswith("{")


def test_cancelled_jobs_are_cleared_away_too(local, jobs, monkeypatch):
    monkeypatch.setattr("testgen.serve.jobs._CANCELLED_KEPT", 2)
    for _ in range(10):
        jobs.cancel(jobs.add(Selection(), "one").id)
    assert len([path for path in (local.directory / "jobs").iterdir() if path.is_dir()]) == 2


@pytest.mark.slow
def test_nobody_deletes_the_results_of_others(local):
    limits = Limits(jobs_kept_per_client=2, jobs_per_hour=1000, jobs_kept=5)
    jobs = JobQueue(replace(local, limits=limits), lambda: None)
    jobs.start()

    def done(client):
        job = jobs.add(Selection(("la",), ("country",)), client)
        wait_for(lambda: jobs.get(job.id).state == "done")
        return job.id

    theirs = done("one")
    own = [done("another") for _ in range(3)]
    with pytest.raises(NotFoundError):
        jobs.get(own[0])
    for _ in range(110):
        jobs.cancel(jobs.add(Selection(), "another").id)
    for kept in (theirs, *own[1:]):
        assert jobs.result(kept)
    jobs.stop()


def test_without_room_there_is_no_job_until_a_result_is_old(local):
    def queue(**limits):
        return JobQueue(replace(local, limits=Limits(jobs_kept=2, **limits)), lambda: None)

    jobs = queue()
    jobs.start()
    first = jobs.add(Selection(("la",), ("country",)), "one")
    wait_for(lambda: jobs.get(first.id).state == "done")
    jobs.add(Selection(("la",), ("country",)), "two")
    with pytest.raises(BusyError, match="7 days"):
        jobs.add(Selection(("la",), ("country",)), "three")
    assert jobs.result(first.id)
    jobs.stop()
    later = queue(days_kept=0)
    later.add(Selection(("la",), ("country",)), "three")
    with pytest.raises(NotFoundError):
        later.get(first.id)
    later.stop()


def test_a_client_starts_only_so_many_jobs_in_an_hour(local, monkeypatch):
    with TestClient(create_app(replace(local, limits=Limits(jobs_per_hour=3)))) as client:
        client.base_url = "http://localhost"
        for _ in range(3):
            job = client.post(f"{API}/jobs", json={"languages": ["la"]}).json()
            client.delete(f"{API}/jobs/{job['id']}")
        refused = client.post(f"{API}/jobs", json={"languages": ["la"]})
        assert refused.status_code == 429
        assert 3500 < int(refused.headers["retry-after"]) <= 3601
        assert "started 3 jobs within an hour" in refused.json()["detail"]
        monkeypatch.setattr("testgen.serve.jobs._HOUR", 0)
        assert client.post(f"{API}/jobs", json={"languages": ["la"]}).status_code == 202


def test_a_failed_job_keeps_its_reason(local, jobs):
    jobs.start()
    job = jobs.add(Selection(("la",), ("country",), policy=LabelPolicy(minimum_words=999)), "one")
    wait_for(lambda: jobs.get(job.id).state == "failed")
    assert jobs.cancel(job.id).error


@pytest.mark.parametrize("content", ["{", "null", '{"selection": "x"}', '{"state": "expired"}'])
def test_records_that_cannot_be_read_are_left_out(local, caplog, content):
    folder = local.directory / "jobs" / ("b" * 22)
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(content, encoding="utf-8")
    JobQueue(local, lambda: None).stop()
    assert "cannot be read" in caplog.text


def test_a_full_disk_is_told_without_the_operators_folders(local, monkeypatch):
    def full(_):
        raise OutputError("/srv/secret/job.json: cannot be written: No space left on device")

    with TestClient(create_app(local), base_url="http://localhost") as client:
        monkeypatch.setattr("testgen.serve.jobs.atomic_write", full)
        answer = client.post(f"{API}/jobs", json={"languages": ["la"]})
    assert answer.status_code == 507
    assert "secret" not in answer.text


def test_after_a_refusal_nothing_is_asked_for_a_while(live, small_world, monkeypatch):
    with FaultProxy(small_world.sparql.url, always(BANNED)) as proxy:
        monkeypatch.setenv("TESTGEN_WIKIDATA_QUERY", proxy.url)
        jobs = JobQueue(live, lambda: None)
        jobs.start()
        first, second = (jobs.add(Selection((code,)), "one") for code in ("la", "en"))
        wait_for(lambda: jobs.get(first.id).state == "failed")
        time.sleep(0.2)
        assert jobs.get(second.id).state == "queued"
        assert jobs.pause.endswith("for another 10 minutes")
        assert len(proxy.log) == 1
        jobs.stop()


@pytest.mark.slow
def test_what_is_broken_off_is_begun_anew(live, small_world, released):
    jobs = JobQueue(live, lambda: None)
    jobs.start()
    job = jobs.add(Selection(("la",)), "one")
    wait_for(lambda: jobs.get(job.id).doing)
    jobs.stop()
    released.set()
    assert jobs.get(job.id).state == "queued"
    assert not (live.directory / "jobs" / job.id / "result").exists()

    again = JobQueue(live, lambda: None)
    again.start()
    wait_for(lambda: again.get(job.id).state == "done")
    assert [path.name for path in again.result(job.id)] == ["la.json"]
    again.stop()
    answered = [request.query for request in small_world.sparql.log if request.status == 200]
    assert len(set(answered)) == 3


def test_a_process_that_dies_is_told_of(live, released):
    jobs = JobQueue(live, lambda: None)
    jobs.start()
    job = jobs.add(Selection(("la",)), "one")
    wait_for(lambda: jobs.get(job.id).doing)
    jobs._process._process.kill()
    wait_for(lambda: jobs.get(job.id).state == "failed")
    assert "process died" in jobs.get(job.id).error
    jobs.stop()


def test_those_that_finished_first_are_deleted_first(local, jobs, monkeypatch):
    """Not those that were added first: a long job may have been finished a moment ago."""
    monkeypatch.setattr("testgen.serve.jobs._CANCELLED_KEPT", 2)
    first, second, third = (jobs.add(Selection(), f"client {n}") for n in range(3))
    for job in (second, third, first):
        jobs.cancel(job.id)
    assert jobs.get(first.id).state == jobs.get(third.id).state == "cancelled"
    with pytest.raises(NotFoundError):
        jobs.get(second.id)


def test_a_command_can_be_pasted_whatever_the_name_of_the_snapshot(snapshot, tmp_path):
    path = tmp_path / "my own $HOME.ttl"
    path.write_bytes(snapshot.read_bytes())
    settings = Settings(tmp_path, str(path))
    selection = Selection(("la",), ("country",))
    command = shlex.split(selection.command(settings))
    assert command[command.index("--source") + 1] == "my own $HOME.ttl"


def test_as_many_classes_as_allowed_may_be_named(local):
    settings = replace(local, limits=Limits(classes=3))
    assert len(Selection(classes=("Q1", "Q2", "Q3", "Q3")).checked({}, settings.limits).classes) == 3
    with pytest.raises(QueryError, match=r"\b4 classes.*\b3\b"):
        Selection(classes=("Q1", "Q2", "Q3", "Q4")).checked({}, settings.limits)


def test_classes_that_are_chosen_are_asked_for_beside_categories(local):
    chosen = Selection(("la",), ("country",), ("Q6256", "Q515"))
    for selection, names in (
        (chosen, ("country", "Q6256", "Q515")),
        (Selection(("la",), (), ("Q515",)), ("Q515",)),
    ):
        assert tuple(selection.request(("currency",)).categories) == names
        assert not selection.request().keywords
        command = shlex.split(selection.command(local, ("currency",)))
        assert [command[at + 1] for at, each in enumerate(command) if each == "--category"] == list(names)
        assert "--keywords" not in command
    assert Selection(("la",), ("country",)).stem != chosen.stem != "la"
    assert "class=Q6256&class=Q515" in chosen.download_path


@pytest.mark.parametrize(
    ("selection", "query", "path", "name", "words"),
    [
        (Selection(), "all_languages=true", ".zip", "test-sets.zip", "--all-languages"),
        (Selection(("la",)), "language=la", "/la.json", "la.json", "--language la"),
        (
            Selection(("la", "te")),
            "language=la&language=te",
            ".zip?language=la&language=te",
            "test-sets.zip",
            "--language la --language te",
        ),
        (
            Selection(("la",), ("country", "month")),
            "language=la&category=country&category=month",
            "/la.json?category=country&category=month",
            None,
            "--language la --category country --category month",
        ),
        (
            Selection(None, (), ("Q515",), minimum_items=5, keywords=True),
            "all_languages=true&class=Q515&minimum_items=5&keywords=true",
            ".zip?class=Q515&minimum_items=5&keywords=true",
            None,
            "--all-languages --category Q515 --keywords --hierarchy --minimum-items 5",
        ),
        (
            Selection(("la",), keywords=False, policy=LabelPolicy(minimum_words=3)),
            "language=la&minimum_words=3&keywords=false",
            "/la.json?minimum_words=3&keywords=false",
            None,
            "--language la --no-keywords --minimum-words 3",
        ),
        (
            Selection(("la",), policy=LabelPolicy(aliases=True)),
            "language=la&aliases=true",
            "/la.json?aliases=true",
            None,
            "--language la --policy aliases=yes",
        ),
    ],
)
def test_a_choice_is_the_same_in_form_address_file_and_command(local, selection, query, path, name, words):
    assert selection.form_query == query
    assert selection.download_path == f"{API}/test-sets{path}"
    assert selection.is_usual is (name is not None)
    assert (selection.file_name == name) is selection.is_usual
    output = "" if selection.is_usual else f" --output {selection.stem}"
    shipped = replace(local, source="shipped")
    assert selection.command(shipped) == f"testgen generate{output} {words}"
    assert selection.command(local).startswith(f"testgen generate{output} ")
    request = selection.request(("usual",))
    named = (*selection.categories, *selection.classes)
    assert tuple(request.categories) == (named or ("usual",))
    assert (request.minimum_items, request.policy) == (selection.minimum_items, selection.policy)
    assert request.keywords is (not named if selection.keywords is None else selection.keywords)


@pytest.mark.parametrize("minimum", [MOST, MOST + 1])
def test_a_minimum_has_a_limit(local, minimum):
    chosen = Selection(("de", "la", "la"), ("country", "country"), policy=LabelPolicy(minimum_words=minimum))
    offered = {"country": shipped_queries()["country"]}
    if minimum > MOST:
        with pytest.raises(PolicyError, match="are 1000001; the most is 1,000,000"):
            chosen.checked(offered, local.limits)
    else:
        checked = chosen.checked(offered, local.limits)
        assert (checked.languages, checked.categories) == (("de", "la"), ("country",))
    with pytest.raises(QueryError, match="does not offer the category 'month'"):
        Selection(categories=("month",)).checked(offered, local.limits)
