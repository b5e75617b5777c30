"""The command line of testgen: what each command prints, and the files it writes."""

from __future__ import annotations

import json
import re
from importlib.metadata import version

import pytest
import typer.main

from testgen.cli.app import app
from testgen.cli.options import check_languages

QUERY = """\
#+ title: Capitals
#+ kind: category
#+ topic: test
#+ summary: Capitals of all that has one.
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT DISTINCT ?item WHERE { ?of wdt:P36 ?item } ORDER BY ?item
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Commands write into a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(command, small):
    """Runs a command on the small snapshot, which must succeed without a message; gives stdout."""

    def run(name, *arguments):
        code, out, err = command(name, "--source", small, *arguments)
        assert (code, err) == (0, "")
        return out

    return run


def test_generate(run, tmp_path):
    out = run("generate", "--language", "la", "-l", "en", "-o", "out", "-c", "country")
    header, english, latin, *_ = (line.split() for line in out.splitlines())
    assert header == ["language", "categories", "words", "relations", "pairs", "file"]
    assert english == ["en", "1", "5", "0", "0", "out/en.json"]
    assert latin == ["la", "1", "5", "0", "0", "out/la.json"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["en.json", "la.json"]


def test_exit_code_1_where_something_could_not_be_done(command, small, tmp_path):
    asked = ("generate", "--source", small, "-l", "la", "-c", "country")
    code, out, err = command(*asked, "-c", "river")
    assert (code, "la.json" in out) == (1, True)
    assert err == "testgen: left out river: it has too few items or usable words in every language\n"
    header = "#+ title: T\n#+ kind: category\n#+ topic: t\n#+ summary: s\n"
    (tmp_path / "odd.rq").write_text(
        header + "SELECT ?item { ?of <http://www.wikidata.org/prop/direct/P576> ?item }"
    )
    for words in (asked, ("coverage", *asked[1:])):
        code, out, err = command(*words, "--category", "odd.rq")
        assert (code, "country" in out or "la.json" in out) == (1, True)
        assert re.fullmatch(r"testgen: left out odd: .*small\.ttl: query 'odd' binds \?item to 1871.*\n", err)


def test_files_of_others_are_overwritten_only_with_force(command, small, tmp_path):
    asked = ("generate", "--source", small, "-c", "country", "-o", tmp_path)
    (tmp_path / "la.json").write_text('{"notes": "mine"}')
    for languages in (("-l", "la"), ("--all-languages",)):
        code, _, err = command(*asked, *languages)
        assert (code, "la.json: this file exists, and testgen did not write it" in err) == (2, True)
    assert command(*asked, "-l", "en")[0] == 0
    assert (tmp_path / "la.json").read_text() == '{"notes": "mine"}'
    assert command(*asked, "-l", "la", "--force")[0] == 0
    assert command(*asked, "-l", "la")[0] == 0


def test_a_file_in_place_of_a_folder(command, small, tmp_path):
    code, _, err = command("generate", "--source", small, "-l", "la", "-o", "x/la.json")
    said = "--output names a folder, and each file in it is named after its language; use --output x"
    assert (code, err) == (2, f"testgen: x/la.json: {said}\n")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-l country", "'country' is not a language but a category: use --category country"),
        ("-l la -c grc", "'grc' is not a category: use --language grc"),
        ("-l la -c tol", "'tol' is not a category: use --language tol, or --category tool"),
        ("-l non -c country --stand-in is=non", "--stand-in is=non is for is, .*; did you mean non=is"),
    ],
)
def test_swapped_values_are_recognised(command, arguments, said):
    code, _, err = command("generate", *arguments.split())
    assert (code, bool(re.search(said, err))) == (2, True), err


@pytest.mark.parametrize("languages", [("-l", "lat", "-l", "eng"), ("latin", "eng"), ("en", "-l", "la")])
def test_spellings_of_languages(command, small, tmp_path, languages):
    assert command("generate", "--source", small, *languages, "-c", "country")[0] == 0
    assert sorted(path.name for path in (tmp_path / "testsets").iterdir()) == ["en.json", "la.json"]


def test_no_language_says_how_to_name_one(command):
    code, _, err = command("generate")
    assert (code, "`testgen generate la`" in err) == (2, True)


def test_version_and_exit_codes_in_the_help(command):
    assert command("--version") == (0, f"testgen {version('testgen-evaluator')}\n", "")
    assert "Exit codes: 0: everything was done. 1: something could not be done" in command("--help")[1]


def test_generate_json(run):
    rows = json.loads(run("generate", "-l", "la", "--json", "-c", "country", "-c", "country-capital"))
    assert [row["name"] for row in rows] == ["country", "country-capital"]
    assert rows[0] == {
        "language": "la",
        "kind": "category",
        "name": "country",
        "size": 5,
        "items": 5,
        "named_in": "la",
        "other_script": 0,
        "file": "testsets/la.json",
    }


def test_all_languages(run, tmp_path):
    run("generate", "--all-languages", "-c", "country", "--minimum-words", "2")
    assert sorted(path.stem for path in (tmp_path / "testsets").iterdir()) == ["en", "la", "ru"]


def test_what_would_be_asked_as_json(run):
    assert json.loads(run("generate", "-l", "la", "--dry-run", "--json")) == {
        "queries": [],
        "items": 0,
        "requests": 0,
        "known": True,
    }


POLICY = ("--policy", "case=lower", "--policy", "several-words=join", "--policy", "aliases=yes")


def test_the_policy_reaches_the_file(run, tmp_path):
    run("generate", "-l", "la", "-c", "country", *POLICY)
    made = json.loads((tmp_path / "testsets" / "la.json").read_text(encoding="utf-8"))
    assert made["policy"] == {
        "normalization": "NFC",
        "case": "lower",
        "several_words": "join",
        "parentheses": "strip",
        "comma": "strip",
        "slash": "split",
        "aliases": True,
        "mul": True,
        "any_script": False,
        "spelling": "texts-1",
        "minimum_words": 4,
    }
    words = [word for item in made["categories"][0]["items"] for word in item["words"]]
    assert "civitates_foederatae" in words
    assert "francia" in words
    text = (tmp_path / "testsets" / "la.json").read_bytes()
    run("generate", "-l", "la", "-c", "country", "--policy", "testsets/la.json", "-o", "again")
    assert (tmp_path / "again" / "la.json").read_bytes() == text


def test_a_query_and_a_class_of_ones_own(run, tmp_path):
    (tmp_path / "seat.rq").write_text(QUERY)
    rows = json.loads(
        run("generate", "-l", "la", "--json", "--category", "seat.rq", "--category", "Q3624078")
    )
    assert [(row["name"], row["size"]) for row in rows] == [("Q3624078", 6), ("seat", 5)]


def test_categories(run):
    out = run("categories")
    assert out.splitlines()[0].split() == ["topic", "name", "kind", "items", "about", "summary"]
    rows = {row["name"]: row for row in json.loads(run("categories", "--json"))}
    assert rows["country"].keys() == {"topic", "name", "kind", "items", "about", "summary"}
    assert (rows["country"]["items"], rows["country"]["kind"]) == (6, "category")
    assert rows["country-capital"]["kind"] == "relation"
    answered = [name for name, row in rows.items() if row["items"]]
    assert [line.split()[1] for line in out.splitlines()[1:-1]] == answered
    last = out.splitlines()[-1]
    assert last.startswith(f"small has items for {len(answered)} of {len(rows)}, and none for ")
    assert "planet, " in last
    assert last.endswith("--source wikidata")
    of_topic = json.loads(run("categories", "--json", "--topic", "time"))
    assert {row["topic"] for row in of_topic} == {"time"}
    assert of_topic == [row for row in rows.values() if row["topic"] == "time"]


def test_coverage_counts_what_a_vocabulary_has(run, tmp_path):
    (tmp_path / "words.txt").write_text("hispania\nroma\n", encoding="utf-8")
    counted = ("coverage", "la", "--json", "-c", "country", "--for", tmp_path / "words.txt")
    assert json.loads(run(*counted))[0]["words"] == {"country": 1}
    everything = json.loads(run("coverage", "la", "--json"))[0]["words"]
    assert everything["country"] > 1
    assert everything["keywords"] == 0  # the small file has none beside it


def test_languages(run):
    rows = json.loads(run("languages", "--json", "-c", "country"))
    assert [row["language"] for row in rows] == ["en", "la", "ru"]
    assert rows[1] == {
        "language": "la",
        "name": "Latin",
        "scripts": "Latn",
        "words": 5,
        "categories": 1,
        "everyday": 0,
        "pairs": 0,
        "keywords": 0,
        "stand_in": "",
    }
    assert isinstance(rows[1]["everyday"], int)
    few = run("languages", "--minimum-words", "5", "-c", "country").splitlines()
    assert [line.split()[0] for line in few[:-1]] == ["language", "en", "la"]
    assert " With a test set: 2. " in few[-1]
    assert few[-1].startswith("Languages in which models can be compared, with 6 categories")


def test_only_categories_of_the_file_count_as_everyday_ones(run, small):
    with small.open("a", encoding="utf-8") as file:
        for item in range(4):
            file.write(f'wd:Q7{item} wdt:P31 wd:Q9415 ; rdfs:label "ira{item}"@la .\n')
    rows = json.loads(run("languages", "--json", "-c", "emotion", "-c", "country", "-c", "country-capital"))
    assert [(row["language"], row["categories"], row["everyday"]) for row in rows][1] == ("la", 2, 1)
    of_all = {row["language"]: row for row in json.loads(run("languages", "--json"))}
    assert (of_all["la"]["categories"], of_all["la"]["everyday"]) == (0, 0), "each has fewer than ten words"


def test_languages_that_could_have_a_stand_in(run, small):
    with small.open("a", encoding="utf-8") as file:
        file.write('wd:Q142 rdfs:label "Frakkland"@is .\n')
    rows = {row["language"]: row for row in json.loads(run("languages", "--json", "-c", "country"))}
    assert (rows["non"]["words"], rows["non"]["stand_in"], rows["is"]["stand_in"]) == (0, "is", "")


def test_coverage(run):
    rows = json.loads(run("coverage", "--json", "-l", "ru", "-l", "la", "-c", "country"))
    assert rows == [
        {"language": "la", "words": {"country": 5}},
        {"language": "ru", "words": {"country": 2}},
    ]
    wide = run("coverage", "-l", "la", "-c", "country", "-c", "country-capital").splitlines()
    assert [line.split() for line in wide] == [["category", "la"], ["country", "5"], ["country-capital", "4"]]
    long = run("coverage", "-c", "country").splitlines()
    assert [line.split() for line in long] == [["code", "country"], ["en", "5"], ["la", "5"], ["ru", "2"]]


def test_coverage_of_the_category_called_language(command):
    code, out, _ = command("coverage", "-c", "language", "-l", "la", "-l", "el")
    assert (code, out.startswith("code ")) == (0, True)


def test_a_folder_called_wikidata_is_not_taken_for_the_source(monkeypatch, tmp_path, command):
    monkeypatch.setenv("TESTGEN_CONTACT", "test@example.org")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TESTGEN_WIKIDATA_QUERY", "http://127.0.0.1:9/sparql")
    (tmp_path / "wikidata").mkdir()
    code, _, err = command("generate", "--source", "wikidata", "-l", "la", "-c", "country", "--offline")
    assert code == 2
    assert "offline: the answer to query 'country' is not in the cache" in err


def test_names_with_the_signs_of_markup_are_printed_as_they_are(run):
    assert "[/b] :smile:/la.json" in run("generate", "-l", "la", "-c", "country", "-o", "[/b] :smile:")


def commands(command, *names):
    """Every command, by its words."""
    for name, each in getattr(command, "commands", {}).items():
        yield (*names, name), each
        yield from commands(each, *names, name)


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("names", [(), *COMMANDS], ids=" ".join)
def test_help(command, names):
    code, out, _ = command(*names, "-h")
    assert (code, "Usage: " in out) == (0, True)
    assert command(*names, "--help") == (0, out, "")


@pytest.mark.parametrize(
    "names", [each for each in COMMANDS if not hasattr(COMMANDS[each], "commands")], ids=" ".join
)
def test_each_command_has_an_example_and_groups_of_options(names):
    command = COMMANDS[names]
    assert f"For example: testgen {' '.join(names)} " in f"{command.help} "
    for parameter in command.params:
        if parameter.param_type_name == "option" and parameter.name != "help":
            assert parameter.rich_help_panel, parameter.name


class TestSnapshots:
    @pytest.fixture
    def made(self, command, small):
        """Paths of an older and a newer snapshot."""
        newer = small.with_name("newer.ttl")
        newer.write_text(
            small.read_text(encoding="utf-8").replace("2026-11-01", "2026-12-01"), encoding="utf-8"
        )
        paths = []
        for source in (small, newer):
            paths.append(source.with_suffix(".jsonl.gz"))
            assert command("snapshot", "create", "--source", source, "-c", "country", "-o", paths[-1])[0] == 0
        return paths

    def test_create_as_json(self, command, small, tmp_path):
        asked = (
            "snapshot",
            "create",
            "--source",
            small,
            "-c",
            "country",
            "-o",
            tmp_path / "s.jsonl",
            "--json",
        )
        code, out, _ = command(*asked)
        size = (tmp_path / "s.jsonl").stat().st_size
        assert (code, json.loads(out)) == (
            0,
            {"file": str(tmp_path / "s.jsonl"), "bytes": size, "left_out": []},
        )

    def test_files_of_others_are_overwritten_only_with_force(self, command, small, made):
        asked = ("snapshot", "create", "--source", small, "-c", "country", "-o")
        assert command(*asked, made[0])[0] == 0
        for name in ("notes.jsonl", "notes.jsonl.gz"):
            small.with_name(name).write_text("mine")
            code, _, err = command(*asked, small.with_name(name))
            assert (code, f"{name}: this file exists, and testgen did not write it" in err) == (2, True)
            assert command(*asked, small.with_name(name), "--force")[0] == 0

    def test_diff_notices_swapped_snapshots(self, command, made):
        assert command("snapshot", "diff", *made) == (0, "no differences\n", "")
        code, out, err = command("snapshot", "diff", *reversed(made), "--json")
        assert (code, json.loads(out)) == (0, [])
        assert re.fullmatch(r"testgen: OLD is of 2026-12-01\S* and NEW of 2026-11-01\S*, .* swapped\?\n", err)

    def test_diff_for_people_and_for_programs(self, command, small):
        newer = small.with_name("newer.ttl")
        newer.write_text(small.read_text(encoding="utf-8").replace("Gallia", "Francia"), encoding="utf-8")
        asked = ("snapshot", "diff", small, newer, "-c", "country")
        _, out, _ = command(*asked)
        assert out == "renamed: 1 words, 1 items\ngive --language to see the words\n"
        assert "Francia" in command(*asked, "--language", "lat")[1]
        rows = json.loads(command(*asked, "--json")[1])
        assert [row["new"] for row in rows] == ["Francia"]


class TestImport:
    def test_a_wordnet_becomes_a_snapshot(self, command, tmp_path):
        tab, english, output = tmp_path / "x.tab", tmp_path / "data.noun", tmp_path / "x.ttl"
        tab.write_text("# x\tlat\thttp://x\tCC0\n00000200-n\tlemma\tcanis\nnonsense\n", encoding="utf-8")
        english.write_text(
            "00000100 03 n 01 animal 0 000 | x\n00000200 05 n 01 dog 0 001 @ 00000100 n 0000 | x\n",
            encoding="utf-8",
        )
        other = tmp_path / "y.tab"
        other.write_text("# y\tXh\thttp://x\tCC0\n", encoding="utf-8")
        asked = ("snapshot", "import", "wordnet", tab, other, "--english", english, "-o", output)
        code, out, err = command(*asked)
        assert (code, out) == (0, f"{output}: 1 items with names in 1 language\nanimal 1\n")
        assert "codes of no language: Xh\n" in err
        assert "could not be understood: 1, the first: " in err
        assert json.loads(command(*asked, "--json")[1]) == {
            "file": str(output),
            "items": 1,
            "languages": 1,
            "categories": {"animal": 1},
            "unknown_languages": ["Xh"],
            "private_codes": {},
            "in_other_script": [],
            "lines_left_out": 1,
            "not_spelled_as_in_texts": {},
            "values_left_out": {},
        }
        assert command("coverage", "-l", "la", "--source", output, "-c", "animal")[1].split()[-1] == "1"

    def test_many_languages_that_are_left_out_take_one_line(self, command, tmp_path):
        (tmp_path / "la.tab").write_text("# x\tlat\n00000100-n\tlemma\tанимал\n", encoding="utf-8")
        for number in range(30):
            (tmp_path / f"{number:02}.tab").write_text(f"# x\tX{number:02}\n", encoding="utf-8")
        (tmp_path / "data.noun").write_text(
            "00000001 03 n 01 animal 0 000 | x\n00000100 05 n 01 dog 0 001 @ 00000001 n 0000 | x\n",
            encoding="utf-8",
        )
        asked = ("snapshot", "import", "wordnet", *sorted(tmp_path.glob("*.tab")))
        asked += ("--english", tmp_path / "data.noun", "-o", tmp_path / "x.ttl")
        lines = command(*asked)[2].splitlines()
        assert lines[0].endswith("no language: X00, X01, X02, X03, X04, X05, X06, X07 and 22 more (--json)")
        assert lines[1].endswith("in another script only (--policy any-script=yes keeps them): la")
        asked = ("generate", "-l", "la", "-c", "animal", "--source", tmp_path / "x.ttl", "-o", tmp_path / "o")
        assert (
            "More could come from the 1 words in another script (--policy any-script=yes), or"
            in command(*asked)[2]
        )

    def test_what_is_refused(self, command, tmp_path):
        taxonomy, mine = tmp_path / "x.txt", tmp_path / "mine.ttl"
        taxonomy.write_text("en: fruit\n\n< en: fruit\nen: apple\n", encoding="utf-8")
        mine.write_text("not testgen's", encoding="utf-8")
        asked = ("snapshot", "import", "openfoodfacts", taxonomy, "-o")
        assert command(*asked, mine)[0] == 2
        assert command(*asked, mine, "--force")[0] == 0
        taxonomy.write_text("en: stone\n", encoding="utf-8")
        code, _, err = command(*asked, tmp_path / "y.ttl")
        assert (code, "belongs to a category" in err) == (2, True)
        code, _, err = command("snapshot", "import", "cldf", taxonomy, "-o", tmp_path / "y.ttl")
        assert (code, "not JSON" in err) == (2, True)

    def test_several_snapshots_are_one_source(self, command, small, tmp_path):
        other = tmp_path / "other.ttl"
        other.write_text(
            "<mine:1> <http://www.wikidata.org/prop/direct/P31> <http://www.wikidata.org/entity/Q3624078> ;\n"
            '  <http://www.w3.org/2000/01/rdf-schema#label> "Utopia"@la .',
            encoding="utf-8",
        )
        both = ("--source", small, "--source", other, "--json")
        for name, arguments in (
            ("categories", ("--topic", "geography")),
            ("languages", ("--category", "country")),
            ("coverage", ("-l", "la", "-c", "country")),
        ):
            assert command(name, *arguments, *both)[0] == 0
        (row,) = json.loads(command("coverage", "-l", "la", "-c", "country", *both)[1])
        assert row["words"] == {"country": 6}
        assert command("coverage", "-c", "country", "--source", small, "--source", "wikidata")[0] == 2
        made = tmp_path / "made.jsonl"
        assert command("snapshot", "create", "-c", "country", "-o", made, *both[:4])[0] == 0
        said = command("snapshot", "info", made)[1].splitlines()
        assert said[:2] == ["kind: combined", "name: small + other"]
        assert said[2].startswith("source: snapshot, small, 2026-11-01, ")
        assert said[3].startswith("source: snapshot, other, ")


def test_older_languages_of_a_name_are_said(capsys):
    check_languages(["greek", "el", "latin"])
    assert capsys.readouterr().err == "testgen: greek is el; Ancient Greek is grc\n"


def test_words_in_another_script_are_said(run, small):
    small.write_text(
        small.read_text(encoding="utf-8")
        + "".join(
            f'wd:Q{number} wdt:P31 wd:Q3624078 ; rdfs:label "{name}"@he ; skos:altLabel "Name{number}"@he .\n'
            for number, name in enumerate(["אחת", "שתיים", "שלוש", "ארבע"], 100)
        ),
        encoding="utf-8",
    )
    options = ("generate", "-l", "he", "-c", "country", "--policy", "aliases=yes")
    assert run(*options).splitlines()[-1] == (
        "Left out as they are not in a script of the language: 4 words (he 4); "
        "--policy any-script=yes keeps them."
    )
    assert "Left out" not in run(*options, "--policy", "any-script=yes")


def test_what_a_language_lacks_of_the_core_is_no_failure(command, tmp_path):
    """A category that is named too is missed."""
    choices = ["generate", "--language", "kn", "--core", "--output", tmp_path]
    code, _, err = command(*choices)
    assert (code, err) == (0, "")
    assert '"number"' not in (tmp_path / "kn.json").read_text(encoding="utf-8")
    code, _, err = command(*choices, "--category", "planet")
    assert code == 1
    assert err.startswith("testgen: left out planet: ")
