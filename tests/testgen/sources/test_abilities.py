"""What a source is asked by `testgen doctor`, and what is said of one that lacks most of Wikidata."""

from __future__ import annotations

import json

from testgen.sources import RdfSource
from testgen.sources.asking import abilities


def test_what_a_snapshot_can_answer(small):
    found = {each.name: each for each in abilities(RdfSource(small))}
    countries = found["items of a class"]
    assert (countries.found, countries.about, countries.verdict) == (6, 200, "less than half")
    assert (found["languages"].found, found["lexemes"].verdict) == (3, "no")
    assert countries._replace(about=12).verdict == "yes"
    assert countries._replace(about=13).verdict == "less than half"
    assert all(each.error is None for each in found.values())


def test_the_number_of_sitelinks_is_asked_for(tmp_path):
    (tmp_path / "counted.ttl").write_text(
        "@prefix wd: <http://www.wikidata.org/entity/> .\n"
        "@prefix wdt: <http://www.wikidata.org/prop/direct/> .\n"
        "wd:Q142 wdt:P31 wd:Q3624078 ; <http://wikiba.se/ontology#sitelinks> 330 .\n"
        "wd:Q38 wdt:P31 wd:Q3624078 .\n"
    )
    asked = {each.name: each.found for each in abilities(RdfSource(tmp_path / "counted.ttl"))}
    assert (asked["numbers of sitelinks"], asked["items of a class"], asked["languages"]) == (1, 2, 0)


def test_the_doctor_asks_an_endpoint_again_each_time(command, small_world):
    for _ in range(2):
        before = len(small_world.sparql.log)
        code, out, _ = command("doctor", "--source", small_world.sparql.url, "--json")
        rows = json.loads(out)
        assert (code, [row["asked for"] for row in rows]) == (
            0,
            [*dict.fromkeys(r["asked for"] for r in rows)],
        )
        assert len(small_world.sparql.log) - before >= len(rows)
    assert set(rows[0]) == {"asked for", "answered", "found", "about", "seconds"}
    code, out, err = command("doctor", "--source", f"{small_world.sparql.url}/elsewhere", "--json")
    assert (code, {row["answered"] for row in json.loads(out)}) == (1, {"fails"})
    assert "left out items of a class, " in err


def test_an_endpoint_that_lacks_most_is_said_so_and_a_snapshot_is_not(
    command, small, small_world, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    asked = (
        "generate",
        "-l",
        "en",
        "-c",
        "country",
        "-c",
        "us-state",
        "-c",
        "weekday",
        "--minimum-words",
        "2",
    )
    code, _, err = command(*asked, "-o", "live", "--source", small_world.sparql.url)
    (line,) = [line for line in err.splitlines() if "lacks most of" in line]
    assert "country (" in line
    assert "asking for query country (1 of 3)" in err
    assert " of about 200)" in line
    assert line.endswith("`testgen doctor` shows what it can answer")
    assert (
        command("categories", "--topic", "time", "--source", small_world.sparql.url)[2].count("lacks most")
        == 1
    )
    assert "lacks" not in command(*asked, "-o", "own", "--source", small)[2]
    assert code in (0, 1)
