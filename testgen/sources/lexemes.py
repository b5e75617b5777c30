"""Lexemes: in which languages there are any, and the lemmas of those whose senses have an item (P5137)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import Template

from testgen.languages.codes import from_code, whole_languages
from testgen.queries import Query
from testgen.sources.base import ENTITY, Answer, Term

ITEM_OF_SENSE = "http://www.wikidata.org/prop/direct/P5137"

# Names of places, people and languages have labels everywhere, and hardly any lexemes.
_TOPICS = ("culture", "everyday", "food", "nature", "psychology", "science", "society", "technology", "time")

# Nouns, proper nouns and numerals: a verb with the item "swimming" is no name of it. IRIs are written in
# full, since a query may use the usual prefixes for something else.
_LEMMAS = Template(f"""\
${{prologue}}SELECT DISTINCT ?item ?word WHERE {{
  {{ SELECT ?item WHERE {{ {{ $select }} }} }}
  ?sense <{ITEM_OF_SENSE}> ?item .
  ?lexeme <http://www.w3.org/ns/lemon/ontolex#sense> ?sense ;
          <http://wikiba.se/ontology#lexicalCategory> ?kind ;
          <http://wikiba.se/ontology#lemma> ?word .
  VALUES ?kind {{
    <http://www.wikidata.org/entity/Q1084>
    <http://www.wikidata.org/entity/Q147276>
    <http://www.wikidata.org/entity/Q63116>
  }}
}}
ORDER BY ?item ?word
""")


def lexeme_query(query: Query) -> Query | None:
    """The query for the lemmas of the lexemes of a category's items, except for names and worded queries."""
    if query.kind != "category" or query.worded or query.topic not in _TOPICS:
        return None
    return query.nested_in(_LEMMAS, {}, name=f"{query.name} (lexemes)", worded={"item": "word"})


def with_lemmas(answer: Answer, lexemes: Answer) -> Answer:
    """The answer to a query with the lemmas in the answer to its lexeme query."""
    lemmas: dict[str, Mapping[str, Sequence[str]]] = {
        item: {code: (label, *names.aliases.get(code, ())) for code, label in names.labels.items()}
        for item, names in lexemes.names.items()
    }
    return replace(answer, lemmas=lemmas)


LEXEME_LANGUAGES = Query(
    name="languages with lexemes",
    title="Languages with lexemes",
    kind="languages",
    topic="grammar",
    summary="Codes of languages that have lexemes, and their lexical categories.",
    text="""\
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX wikibase: <http://wikiba.se/ontology#>
SELECT DISTINCT ?code ?category WHERE {
  { SELECT DISTINCT ?language ?category WHERE {
      ?lexeme dct:language ?language ;
              wikibase:lexicalCategory ?category } }
  { ?language wdt:P424|wdt:P220 ?code }
  UNION { ?part wdt:P424|wdt:P220 ?code ; wdt:P279 ?language . VALUES ?language { wd:Q11051 } }  # Hindustani
}
ORDER BY ?code ?category
""",
)


def languages_with_lexemes(rows: Iterable[Mapping[str, Term]], category: str | None) -> list[str]:
    """The whole languages that have lexemes of a category (None: of any), from the answer to the query."""
    wanted = None if category is None else ENTITY + category
    codes = (from_code(row["code"].value) for row in rows if wanted in (None, row["category"].value))
    return whole_languages(code for code in codes if code is not None)
