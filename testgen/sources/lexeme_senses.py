"""Lexemes whose senses have an item (P5137): words of a language itself, beside the labels of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import Template

from testgen.queries import Query, split_prologue
from testgen.sources.base import Answer

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
    """The query for the lemmas of the lexemes of a category's items, in all languages.

    Returns:
        A query that selects words itself. None for relations, for categories of names, and for queries that
        select words already.
    """
    if query.kind != "category" or query.worded or query.topic not in _TOPICS:
        return None
    prologue, select = split_prologue(query.narrowed(None))
    text = _LEMMAS.substitute(prologue=prologue, select=select.strip())
    return replace(query, name=f"{query.name} (lexemes)", text=text, google=None, worded={"item": "word"})


def with_lemmas(answer: Answer, lexemes: Answer) -> Answer:
    """The answer to a query with the lemmas in the answer to its lexeme query."""
    lemmas: dict[str, Mapping[str, Sequence[str]]] = {
        item: {code: (label, *names.aliases.get(code, ())) for code, label in names.labels.items()}
        for item, names in lexemes.names.items()
    }
    return replace(answer, lemmas=lemmas)
