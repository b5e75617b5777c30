"""Query files: what is accepted, and the message for each fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testgen import QueryError, choose, class_query, read_query, shipped_queries
from testgen.queries import shipped_titles, shipped_topics
from testgen.sources.sparql import _limited

GOOD = """\
#+ title: Rivers
#+ kind: category
#+ topic: geography
#+ summary: Rivers.
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT DISTINCT ?item WHERE { ?item wdt:P31 wd:Q4022 } ORDER BY ?item
"""


def written(tmp_path, text, name="river.rq"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file(tmp_path):
    query = read_query(written(tmp_path, GOOD))
    assert (query.name, query.kind, query.topic, query.title) == ("river", "category", "geography", "Rivers")
    assert query.text == GOOD
    assert query.google is None


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("a # b\n# c\nd", "a\nd"),
        ('FILTER (?a = "# b") # c', 'FILTER (?a = "# b")'),
        ('"""\n# b\n""" "\\"#" # c', '"""\n# b\n""" "\\"#"'),
        ("<http://x/#a> # <b>", "<http://x/#a>"),
        ("  # a\n'#' ?b<?c#d", "'#' ?b<?c"),
    ],
)
def test_comments_are_not_sent_and_strings_stay(tmp_path, given, sent):
    query = replace(read_query(written(tmp_path, GOOD)), text=given)
    assert query.narrowed(None) == sent


def test_comments_do_not_change_the_digest(tmp_path):
    query = read_query(written(tmp_path, GOOD))
    commented = GOOD.replace("title: Rivers", "title: Streams").replace(
        "wd:Q4022 }", "wd:Q4022 }  # river\n "
    )
    spaced = query.narrowed(None).replace("Q4022 } ORDER", "Q4022 }\n  ORDER")
    assert replace(query, text=commented).sha256 == replace(query, text=spaced).sha256
    assert replace(query, text=spaced.replace("Q4022", "Q4023")).sha256 != replace(query, text=spaced).sha256


def test_an_endpoint_is_asked_for_the_limit_of_a_query(tmp_path):
    """One in a tail with a comment or with # in a string was lost."""
    for tail in (
        " # all\nORDER BY ?item # smallest\nLIMIT 12",
        'ORDER BY STRAFTER(STR(?item), "#") LIMIT # ten\n 10',
    ):
        query = read_query(written(tmp_path, GOOD.replace("ORDER BY ?item", tail)))
        sent = query.narrowed(None)
        assert _limited(sent, 99) == sent
    assert _limited(read_query(written(tmp_path, GOOD)).narrowed(None), 99).endswith("}\nLIMIT 99\n")


def test_line_ends_and_byte_order_mark_do_not_matter(tmp_path):
    windows = written(tmp_path, "\ufeff" + GOOD.replace("\n", "\r\n"))
    assert read_query(windows).text == GOOD


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (GOOD.partition("PREFIX")[2], "the header lacks `#\\+ title"),
        (GOOD.replace("#+ topic: geography\n", ""), "lacks `#\\+ topic"),
        (GOOD.replace("kind: category", "kind: thing"), "kind is 'thing'"),
        (GOOD.replace("title: Rivers", "titel: Rivers"), "line 1: .* is not a header line"),
        (GOOD.replace("#+ kind", "#+ about: many\n#+ kind"), "about is 'many'; it must be a number"),
        (GOOD.replace("#+ kind", "#+ everyday: no\n#+ kind"), "everyday is 'no'; write `#\\+ everyday: yes`"),
        (GOOD.replace("?item", "?river"), r"must select \?item; \?item is missing"),
        (GOOD.replace("kind: category", "kind: relation"), r"\?of is missing"),
        (GOOD.replace("SELECT DISTINCT ?item", "SELEKT ?item"), "not a SPARQL 1.1 query"),
        (GOOD.partition("SELECT")[0] + "ASK { ?item wdt:P31 wd:Q4022 }", "must be a SELECT"),
        (
            GOOD.replace("{ ?item", "{ SERVICE <http://example.org/sparql> { ?item ?p ?o } ?item"),
            "SERVICE is not allowed",
        ),
    ],
)
def test_faults(tmp_path, text, complaint):
    path = written(tmp_path, text)
    with pytest.raises(QueryError, match=complaint) as raised:
        read_query(path)
    assert str(path) in str(raised.value)


def test_other_names_are_separated_by_commas(tmp_path):
    path = tmp_path / "river.rq"
    path.write_text(f"#+ also: streams,  running water ,\n{GOOD}", encoding="utf-8")
    assert read_query(path).also == ("streams", "running water")
    path.write_text(GOOD, encoding="utf-8")
    assert read_query(path).also == ()


def test_a_missing_file(tmp_path):
    with pytest.raises(QueryError, match=r"none\.rq: "):
        read_query(tmp_path / "none.rq")


def test_not_utf8(tmp_path):
    path = tmp_path / "river.rq"
    path.write_bytes(GOOD.encode() + b"# \xff")
    with pytest.raises(QueryError, match=r"line 8: .*UTF-8"):
        read_query(path)


@pytest.mark.parametrize(
    "item_id", ["9415", "Q0", "Q", "q9415", "P31", "L1", "Q1 }", "Q01", "Q9415\n", "Q" + "9" * 30]
)
def test_malformed_class_ids(item_id):
    with pytest.raises(QueryError, match="Q9415"):
        class_query(item_id)


def test_class_query_is_a_query(tmp_path):
    query = class_query("Q9415")
    assert query.name == "Q9415"
    assert "wdt:P31 wd:Q9415 }" in query.text


def test_shipped_queries_are_many():
    kinds = [query.kind for query in shipped_queries().values()]
    assert kinds.count("category") >= 50
    assert kinds.count("relation") >= 10


def test_nothing_chosen_means_all():
    assert choose() == list(shipped_queries().values())


def test_unknown_names_get_suggestions():
    with pytest.raises(QueryError, match=r"'countri'.*country"):
        choose(["countri"])


def test_the_same_query_twice_counts_once_but_two_of_a_name_are_refused(tmp_path):
    assert len(choose(["country", "country"])) == 1
    assert choose("Q9415") == choose(["Q9415"])
    other = written(tmp_path, GOOD, "country.rq")
    with pytest.raises(QueryError, match=r"two.*'country'"):
        choose(["country", other])


FILTERED = GOOD.replace("PREFIX wd:", "#+ about: 90\n#+ min-sitelinks: 20\nPREFIX wd:").replace(
    "wd:Q4022 }",
    "wd:Q4022 .\n  OPTIONAL { ?item wikibase:sitelinks ?sitelinks }\n"
    "  FILTER (!BOUND(?sitelinks) || ?sitelinks >= 20)\n}",
)
FILTERED = "".join(
    line if not line.startswith("SELECT") else f"PREFIX wikibase: <http://wikiba.se/ontology#>\n{line}"
    for line in FILTERED.splitlines(keepends=True)
)


def test_the_minimum_of_sitelinks_can_be_changed(tmp_path):
    path = written(tmp_path, FILTERED)
    query = read_query(path)
    assert (query.minimum_sitelinks, query.about) == (20, 90)
    (other,) = choose([path], minimum_sitelinks=3)
    assert other.text == FILTERED.replace("20", "3")
    assert other.sha256 != query.sha256
    assert other == replace(read_query(written(tmp_path, other.text)), about=None)
    assert choose(["country"], minimum_sitelinks=3) == choose(["country"])


@pytest.mark.parametrize(
    "text",
    [
        FILTERED.replace("links: 20", "links: 30"),
        FILTERED.replace("#+ min-sitelinks: 20\n", ""),
        FILTERED.replace("links: 20", "links: many"),
        GOOD.replace("#+ kind", "#+ min-sitelinks: 20\n#+ kind"),
    ],
)
def test_the_minimum_of_sitelinks_is_the_same_in_header_and_filter(tmp_path, text):
    path = written(tmp_path, text)
    with pytest.raises(QueryError, match=r"min-sitelinks: .*same number") as raised:
        read_query(path)
    assert str(path) in str(raised.value)


def test_a_negative_minimum_of_sitelinks_is_refused(tmp_path):
    with pytest.raises(QueryError, match=r"-1.*0 or more"):
        choose([written(tmp_path, FILTERED)], minimum_sitelinks=-1)


def test_titles_are_those_of_the_queries():
    assert shipped_titles() == {query.name: query.title for query in shipped_queries().values()}
    assert list(shipped_titles()) == sorted(shipped_titles())
    assert shipped_topics() == sorted({query.topic for query in shipped_queries().values()})
